/**
 * Which profilers of HotSpot blame the wrong method because of how they look at threads, by version of the JDK and mode. Sources stand in each row:
 * JEPs, bugs of the JDK, HotSpot's forte.cpp and debugInfoRec.cpp, async-profiler's documents, and two studies: Mytkowicz et al., Evaluating
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
	readonly reason: string;
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
		sources: ['PLDI 2010'],
	},
	{
		profiler: 'VisualVM sampler, JMX',
		mode: 'ThreadMXBean.dumpAllThreads, Thread.getAllStackTraces',
		fromJdk: null,
		toJdk: null,
		bias: 'safepoints',
		reason: 'thread dumps by another way: one safepoint for all threads',
		sources: STUDIES,
	},
	{
		profiler: 'JVMTI agents',
		mode: 'GetAllStackTraces, GetThreadListStackTraces of several threads',
		fromJdk: null,
		toJdk: null,
		bias: 'safepoints',
		reason: 'the stacks are walked in a safepoint',
		sources: STUDIES,
	},
	{
		profiler: 'JVMTI agents',
		mode: "GetStackTrace of one thread (JProfiler's sampling)",
		fromJdk: null,
		toJdk: 15,
		bias: 'safepoints',
		reason: 'a safepoint, or the thread suspended at its next poll',
		sources: STUDIES,
	},
	{
		profiler: 'JVMTI agents',
		mode: "GetStackTrace of one thread (JProfiler's sampling)",
		fromJdk: 16,
		toJdk: null,
		bias: 'safepoints',
		reason: 'a handshake with that thread instead of a safepoint of all (JEP 312): cheaper, but it answers at the same polls',
		sources: ['JEP 312', 'JDK-8223312', 'JDK-8319244'],
	},
	{
		profiler: 'JMH -prof stack',
		mode: 'ThreadMXBean in the same JVM',
		fromJdk: null,
		toJdk: null,
		bias: 'safepoints',
		reason: 'a sampler of thread dumps',
		sources: ['MPLR 2023'],
	},
	{
		profiler: 'JFR',
		mode: 'jdk.ExecutionSample, -XX:-DebugNonSafepoints (the default)',
		fromJdk: null,
		toJdk: 24,
		bias: 'debug info',
		reason: 'the thread is suspended anywhere, but only polls and calls are described: the first one behind its address is shown; JFR does not set the flag',
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
		sources: ['JEP 518', 'JDK-8352251'],
	},
	{
		profiler: 'JFR',
		mode: 'jdk.ExecutionSample, -XX:+DebugNonSafepoints',
		fromJdk: 25,
		toJdk: null,
		bias: 'no',
		reason: 'the same with exact descriptions; where the frame is gone at the poll, the stack cannot be corrected (native code, stubs)',
		sources: ['JEP 518', 'JDK-8352251'],
	},
	{
		profiler: 'JFR',
		mode: 'jdk.CPUTimeSample (Linux, experimental), -XX:-DebugNonSafepoints (the default)',
		fromJdk: 25,
		toJdk: null,
		bias: 'debug info',
		reason: 'cooperative sampling by processor time; the field `biased` marks samples that were shown at the poll after all',
		sources: ['JEP 509', 'JDK-8342818'],
	},
	{
		profiler: 'JFR',
		mode: 'jdk.CPUTimeSample (Linux, experimental), -XX:+DebugNonSafepoints',
		fromJdk: 25,
		toJdk: null,
		bias: 'no',
		reason: 'the same with exact descriptions; leave out samples with `biased`',
		sources: ['JEP 509', 'JDK-8342818'],
	},
	{
		profiler: 'AsyncGetCallTrace',
		mode: 'honest-profiler, async-profiler --cstack fp or dwarf; agent loaded at start, or -XX:+DebugNonSafepoints',
		fromJdk: null,
		toJdk: null,
		bias: 'no',
		reason:
			'a signal handler looks at the address; CompiledMethodLoad events of JVMTI turn descriptions on if the flag was not given; stacks that cannot be walked are counted apart',
		sources: ['forte.cpp', 'debugInfoRec.cpp', 'JDK-8201516 (up to JDK 20)'],
	},
	{
		profiler: 'AsyncGetCallTrace',
		mode: 'async-profiler attached to a running JVM, without -XX:+DebugNonSafepoints',
		fromJdk: null,
		toJdk: null,
		bias: 'debug info',
		reason: 'what was compiled before the agent came is described at polls and calls only; later code exactly',
		sources: ['debugInfoRec.cpp', 'async-profiler #47'],
	},
	{
		profiler: 'async-profiler',
		mode: '--cstack vm (VMStructs; the default since 4.2), with descriptions as above',
		fromJdk: null,
		toJdk: null,
		bias: 'no',
		reason: "walks the stack by the JVM's own structures and loses hardly any; the same debug information, so the same rule about the flag",
		sources: ['async-profiler StackWalkingModes.md', 'async-profiler #795'],
	},
	{
		profiler: 'perf with a perf map',
		mode: 'perf-map-agent, jcmd Compiler.perfmap (JDK 17), -XX:+DumpPerfMapAtExit',
		fromJdk: null,
		toJdk: null,
		bias: 'names only',
		reason: 'addresses are exact, but a map names compiled methods: what is inlined counts for the method around it; the interpreter is one name',
		sources: ['JDK-8254723'],
	},
	{
		profiler: 'perf with the printed code',
		mode: 'assay hot, perfasm; -XX:+PrintAssembly -XX:+DebugNonSafepoints',
		fromJdk: null,
		toJdk: null,
		bias: 'no',
		reason: 'instructions are exact (but for skid of some events); methods as exact as the descriptions',
		sources: ['JDK-8201516 (up to JDK 20)'],
	},
];

/** `jdk` null: all. */
export function profilersOf(jdk: number | null): ProfilerRow[] {
	return PROFILERS.filter(({ fromJdk, toJdk }) => jdk === null || ((fromJdk ?? 0) <= jdk && jdk <= (toJdk ?? Number.POSITIVE_INFINITY)));
}

/** 25 of `OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for linux-amd64 …`, 8 of `25.292-b10 … 1.8.0_292`; null where no version stands there. */
export function majorVersion(text: string): number | null {
	const [, version] = /\bJRE \(([^)]{0,200})\)/.exec(text) ?? /\(([^)]{0,200})\)/.exec(text) ?? [null, text];
	const [, first, second] = /^(\d+)(?:\.(\d+))?/.exec(version ?? '') ?? [];
	return first === undefined ? null : first === '1' && second !== undefined ? Number(second) : Number(first);
}
