/**
 * Which profilers of HotSpot blame the wrong method because of how they look at threads, by version of the JDK and mode. Sources stand in each row:
 * JEPs, bugs of the JDK, HotSpot's forte.cpp, debugInfoRec.cpp and jfrThreadSampling.cpp, documents of async-profiler, YourKit, Oracle and Azul, and two studies: Mytkowicz et al., Evaluating
 * the Accuracy of Java Profilers (PLDI 2010), and Burchell et al., Don't Trust Your Profiler (MPLR 2023).
 */

/**
 * `safepoints`: shows where threads stop (the predicted column of `assay bias`). `debug info`: shows the nearest place that is described (the
 * nearest column). `names only`: the compiled method, without what is inlined. `no`: where the thread was, as far as debug information is exact.
 */
export type ProfilerBias = 'safepoints' | 'debug info' | 'names only' | 'no';

export interface ProfilerRow {
	readonly profiler: string;
	readonly mode: string;
	/** Versions of the JDK, both ends inclusive; null: no end. */
	readonly fromJdk: number | null;
	readonly toJdk: number | null;
	readonly bias: ProfilerBias;
	/** How it looks at threads, and what comes of it. */
	readonly reason: string;
	/** Whether it walks stacks, so that callers are told; else the innermost method alone. */
	readonly walksStacks: boolean;
	readonly sources: readonly string[];
}

const STUDIES = ['PLDI 2010', 'MPLR 2023'];

export const PROFILERS: readonly ProfilerRow[] = [
	{
		profiler: 'thread dumps',
		mode: 'jstack, jcmd Thread.print, kill -3',
		fromJdk: null,
		toJdk: null,
		bias: 'safepoints',
		reason: 'all threads run on to their next poll; the frames are those of the poll, of a return poll those of the caller',
		walksStacks: true,
		sources: ['PLDI 2010'],
	},
	{
		profiler: 'VisualVM sampler, JMX',
		mode: 'ThreadMXBean.dumpAllThreads, Thread.getAllStackTraces',
		fromJdk: null,
		toJdk: null,
		bias: 'safepoints',
		reason: 'thread dumps by another way: one safepoint for all threads',
		walksStacks: true,
		sources: STUDIES,
	},
	{
		profiler: 'JVMTI agents',
		mode: 'GetAllStackTraces, GetThreadListStackTraces of several threads',
		fromJdk: null,
		toJdk: null,
		bias: 'safepoints',
		reason: 'the stacks are walked in a safepoint',
		walksStacks: true,
		sources: STUDIES,
	},
	{
		profiler: 'JVMTI agents',
		mode: "GetStackTrace of one thread (JProfiler's sampling)",
		fromJdk: null,
		toJdk: 15,
		bias: 'safepoints',
		reason: 'a safepoint, or the thread suspended at its next poll',
		walksStacks: true,
		sources: STUDIES,
	},
	{
		profiler: 'JVMTI agents',
		mode: "GetStackTrace of one thread (JProfiler's sampling)",
		fromJdk: 16,
		toJdk: null,
		bias: 'safepoints',
		reason: 'a handshake with that thread instead of a safepoint of all (JEP 312): cheaper, but it answers at the same polls',
		walksStacks: true,
		sources: ['JEP 312', 'JDK-8223312', 'JDK-8319244'],
	},
	{
		profiler: 'JMH -prof stack',
		mode: 'ThreadMXBean.dumpAllThreads in the same JVM; detailLine=true tells lines',
		fromJdk: null,
		toJdk: null,
		bias: 'safepoints',
		reason: 'a sampler of thread dumps, every 10 ms',
		walksStacks: true,
		sources: ['MPLR 2023'],
	},
	{
		profiler: 'YourKit',
		mode: 'CPU sampling (the classic, synchronous mode)',
		fromJdk: null,
		toJdk: null,
		bias: 'safepoints',
		reason: 'the stacks of all threads are asked for at once, at a fixed interval',
		walksStacks: true,
		sources: ['YourKit: Asynchronous CPU sampling', 'PLDI 2010', 'MPLR 2023'],
	},
	{
		profiler: 'NetBeans profiler',
		mode: 'sampled CPU profiling: GetAllStackTraces of JVMTI in its agent',
		fromJdk: null,
		toJdk: null,
		bias: 'safepoints',
		reason: 'the stacks of all threads are walked in a safepoint, at a fixed interval; its instrumented mode takes no samples, but changes what is compiled',
		walksStacks: true,
		sources: ['Stacks.c of lib.profiler', 'PLDI 2010'],
	},
	{
		profiler: 'hprof',
		mode: '-agentlib:hprof=cpu=samples: GetThreadListStackTraces of JVMTI',
		fromJdk: null,
		toJdk: 8,
		bias: 'safepoints',
		reason: 'the stacks of all threads are walked in a safepoint, every 10 ms; threads that wait in native code count as running. Removed in JDK 9',
		walksStacks: true,
		sources: ['hprof_util.c', 'Gregg 2014', 'JEP 240', 'PLDI 2010'],
	},
	{
		profiler: 'JFR',
		mode: 'jdk.ExecutionSample, -XX:-DebugNonSafepoints (the default)',
		fromJdk: null,
		toJdk: 24,
		bias: 'debug info',
		reason: 'the thread is suspended anywhere, but only polls and calls are described: the first one behind its address is shown; JFR does not set the flag',
		walksStacks: true,
		sources: ['JDK-8307057'],
	},
	{
		profiler: 'JFR',
		mode: 'jdk.ExecutionSample, -XX:+DebugNonSafepoints',
		fromJdk: null,
		toJdk: 24,
		bias: 'no',
		reason:
			'samples whose stack cannot be walked are lost, which is a bias of its own; up to JDK 20 (8u92 on, corrected in 17u too) C2 may describe wrong bytecodes',
		walksStacks: true,
		sources: ['JDK-8201516', 'JEP 518'],
	},
	{
		profiler: 'JFR',
		mode: 'jdk.ExecutionSample, -XX:-DebugNonSafepoints (the default)',
		fromJdk: 25,
		toJdk: null,
		bias: 'debug info',
		reason:
			'cooperative sampling: the address is noted at once, the stack walked at the next poll and corrected to the address; which is described only at polls and calls',
		walksStacks: true,
		sources: ['JEP 518', 'JDK-8352251', 'jfrThreadSampling.cpp'],
	},
	{
		profiler: 'JFR',
		mode: 'jdk.ExecutionSample, -XX:+DebugNonSafepoints',
		fromJdk: 25,
		toJdk: null,
		bias: 'no',
		reason:
			'the same with exact descriptions. Where the method has returned before the poll, or a stub was sampled, the caller is shown, and nothing marks it. Up to five threads that execute Java, by the wall clock',
		walksStacks: true,
		sources: ['JEP 518', 'JDK-8352251', 'jfrThreadSampling.cpp'],
	},
	{
		profiler: 'JFR',
		mode: 'jdk.CPUTimeSample (Linux, experimental), -XX:-DebugNonSafepoints (the default)',
		fromJdk: 25,
		toJdk: null,
		bias: 'debug info',
		reason: 'cooperative sampling by processor time; the field `biased` marks samples that were shown at the poll after all',
		walksStacks: true,
		sources: ['JEP 509', 'JDK-8342818', 'jfrThreadSampling.cpp'],
	},
	{
		profiler: 'JFR',
		mode: 'jdk.CPUTimeSample (Linux, experimental), -XX:+DebugNonSafepoints',
		fromJdk: 25,
		toJdk: null,
		bias: 'no',
		reason:
			'the same with exact descriptions, and the same correction, but every thread, by its processor time, also in the JVM and native code, which count for the Java caller; such samples are marked `biased`',
		walksStacks: true,
		sources: ['JEP 509', 'JDK-8342818', 'jfrThreadSampling.cpp'],
	},
	{
		profiler: 'AsyncGetCallTrace',
		mode: 'honest-profiler, async-profiler --cstack fp or dwarf; agent loaded at start, or -XX:+DebugNonSafepoints',
		fromJdk: null,
		toJdk: null,
		bias: 'no',
		reason:
			'a signal handler looks at the address; CompiledMethodLoad events of JVMTI turn descriptions on if the flag was not given; stacks that cannot be walked are counted apart',
		walksStacks: true,
		sources: ['forte.cpp', 'debugInfoRec.cpp', 'JDK-8201516 (up to JDK 20)'],
	},
	{
		profiler: 'AsyncGetCallTrace',
		mode: 'async-profiler attached to a running JVM, without -XX:+DebugNonSafepoints',
		fromJdk: null,
		toJdk: null,
		bias: 'debug info',
		reason: 'what was compiled before the agent came is described at polls and calls only; later code exactly',
		walksStacks: true,
		sources: ['debugInfoRec.cpp', 'async-profiler #47'],
	},
	{
		profiler: 'async-profiler',
		mode: '--cstack vm (VMStructs; the default since 4.2), with descriptions as above',
		fromJdk: null,
		toJdk: null,
		bias: 'no',
		reason: "walks the stack by the JVM's own structures and loses hardly any; the same debug information, so the same rule about the flag",
		walksStacks: true,
		sources: ['async-profiler StackWalkingModes.md', 'async-profiler #795'],
	},
	{
		profiler: 'YourKit',
		mode: 'asynchronous sampling, by processor time or periodic; descriptions as above',
		fromJdk: null,
		toJdk: null,
		bias: 'no',
		reason: "a timer's or a periodic signal, in which each thread walks its own stack by HotSpot's own interface; the same rule about the flag",
		walksStacks: true,
		sources: ['YourKit: Asynchronous CPU sampling'],
	},
	{
		profiler: 'Solaris Studio, Oracle Developer Studio',
		mode: 'collect -j on: by clock or hardware counters; descriptions as above',
		fromJdk: null,
		toJdk: null,
		bias: 'no',
		reason:
			'a signal, in which AsyncGetCallTrace is called, which was made for it (Forte is its old name); stacks that cannot be walked are the row <no Java callstack recorded>',
		walksStacks: true,
		sources: ['forte.cpp', 'Performance Analyzer 12.4: Java Profiling View Modes'],
	},
	{
		profiler: "Zing's ZVision",
		mode: "statistical tick profiler of Azul's JVM; end of life with Azul Platform Prime 24.02",
		fromJdk: null,
		toJdk: null,
		bias: 'no',
		reason: 'the program counter is recorded every so many cycles of a processor; a flat profile of instructions',
		walksStacks: false,
		sources: ['docs.azul.com: Using ZVision'],
	},
	{
		profiler: 'perf with a perf map',
		mode: 'perf-map-agent, jcmd Compiler.perfmap (JDK 17), -XX:+DumpPerfMapAtExit',
		fromJdk: null,
		toJdk: null,
		bias: 'names only',
		reason:
			'addresses are exact, but a map names compiled methods: what is inlined counts for the method around it; the interpreter is one name. Stacks with -g and -XX:+PreserveFramePointer',
		walksStacks: false,
		sources: ['JDK-8254723'],
	},
	{
		profiler: 'perf with the printed code',
		mode: 'assay hot, perfasm; -XX:+PrintAssembly -XX:+DebugNonSafepoints',
		fromJdk: null,
		toJdk: null,
		bias: 'no',
		reason:
			'instructions are exact (but for skid of some events); methods as exact as the descriptions. Stacks with -g and -XX:+PreserveFramePointer, else what is inlined',
		walksStacks: false,
		sources: ['JDK-8201516 (up to JDK 20)'],
	},
];

/** `jdk` null: all. */
export function profilersOf(jdk: number | null): ProfilerRow[] {
	return PROFILERS.filter(({ fromJdk, toJdk }) => jdk === null || ((fromJdk ?? 0) <= jdk && jdk <= (toJdk ?? Number.POSITIVE_INFINITY)));
}
