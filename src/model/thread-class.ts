/** Whose time a sample is: threads of a JVM by what they are there for. */

export const THREAD_CLASSES = ['java', 'c1', 'c2', 'jvmci', 'gc', 'jvm', 'native', 'recording'] as const;

/**
 * `java` runs the program; `c1`, `c2` and `jvmci` compile it; `gc` are the collector's own threads; `jvm` all others of the JVM, the VM thread among them, in
 * which the serial collector works; `native` never came into the JVM; `recording` is what the recording itself cost, in whatever thread.
 */
export type ThreadClass = (typeof THREAD_CLASSES)[number];

export const THREAD_CLASS_WORDS: Readonly<Record<ThreadClass, string>> = {
	java: 'Java',
	c1: 'C1',
	c2: 'C2',
	jvmci: 'JVMCI',
	gc: 'GC',
	jvm: 'other JVM',
	native: 'native',
	recording: 'the recording itself',
};

/** Threads that compile. */
export function isCompilerClass(threadClass: ThreadClass): boolean {
	return threadClass === 'c1' || threadClass === 'c2' || threadClass === 'jvmci';
}

export function threadClassOf(text: string): ThreadClass | null {
	return THREAD_CLASSES.find((one) => one === text) ?? null;
}

/** Names that HotSpot gives its threads (JDK 8 to 25), as the system has them: cut after 15 bytes. */
const NAMES: readonly (readonly [ThreadClass, RegExp])[] = [
	['c1', /^C1 Compiler/],
	['c2', /^C2 Compiler/],
	// Truffle compiles the programs of its languages by Graal in threads of Java.
	['jvmci', /^(?:JVMCI|TruffleCompiler)/],
	[
		'gc',
		/^(?:GC Thread#|G1 |ParGC|PSGC|GC task thread|Concurrent Mark|CMS |Shenandoah|[ZX](?:Driver|Director|Worker|Stat$|Uncommit|Unmapp|Collect)|RuntimeWorker#|GC Daemon)/,
	],
	[
		'jvm',
		/^(?:VM Thread|VM Periodic|Signal Dispatch|Service Thread|Monitor Deflat|Notification Th|Attach Listener|Sweeper|StatSampler|String Dedup|StringDedup|Watcher|ArchiveWorker|Cleaner Thread|Training Replay|Surrogate Lock)/,
	],
	['recording', /^(?:assay agent|JFR |Async-profiler|async-profiler)/],
	['java', /^(?:main$|Reference Handl|Finalizer|Common-Cleaner|process reaper|ForkJoinPool|pool-\d|Thread-\d|VirtualThread)/],
];

/** What the name alone says; null where it may be any. */
export function threadClassOfName(name: string): ThreadClass | null {
	return NAMES.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}
