/** Samples with what they executed and who called it, every frame named: what profile formats of other tools are written from. In columns. */
import type { GeneratedCode } from './generated-code.js';
import type { MappedCode, SampledThread } from './samples.js';

/** `method`: of Java, inlined or not. */
type StackFrameKind = 'method' | 'interpreter' | 'stub' | 'native' | 'kernel' | 'unknown';

export interface StackFrame {
	/** Holder and name with dots; what is no Java method, in round brackets. */
	readonly name: string;
	readonly kind: StackFrameKind;
	/** File name of native code; null for all other. */
	readonly library: string | null;
	/** Line of the source and bytecode index that are executed; null where nothing tells. */
	readonly line: number | null;
	readonly bci: number | null;
	/** Where it was compiled into; null outside of generated code. */
	readonly code: GeneratedCode | null;
	/** Of the instruction that is executed, or that calls; negative in the kernel; NaN where the profile does not tell. */
	readonly address: number;
	/** How many frames share the instruction with it from outside: 0 for what was compiled by itself. */
	readonly inlineDepth: number;
}

export interface StackedSamples {
	/** `cpu-clock`. */
	readonly event: string;
	/** Of the JVM; null where nothing tells. */
	readonly processId: number | null;
	/** No two equal. */
	readonly frames: readonly StackFrame[];
	/** A tree of stacks: each node's frame, and its caller's node, which is always before it; -1 at the outermost. */
	readonly nodeFrame: Int32Array;
	readonly nodeParent: Int32Array;
	/** Rows of samples. */
	readonly length: number;
	/** Innermost node of each sample. */
	readonly node: Int32Array;
	/** Positions in `threads`. */
	readonly thread: Int32Array;
	/** One without a name where the profile tells of none. */
	readonly threads: readonly SampledThread[];
	/** On the profiler's own clock; null: the profile has no times. */
	readonly timeSeconds: Float64Array | null;
	/** What each sample stands for, in units of the event; null where the profile does not say. */
	readonly periods: Float64Array | null;
	/** Nanoseconds between two samples of a running thread; null where nothing tells. */
	readonly intervalNs: number | null;
	/** How many of {@link unit} each row stands for; left out: a row is a sample. */
	readonly weights?: Float64Array;
	/** Of weights: `samples`, `nanoseconds`, `bytes`. */
	readonly unit?: string;
	/** Native code of the process, where the profiler recorded it; no two overlap. */
	readonly mappings?: readonly MappedCode[];
	/** The samples' time at the start of the JVM, or of the first sample where that is not known or earlier; 0 without times. */
	readonly originSeconds: number;
	/** The same in milliseconds since 1970; null where nothing tells. */
	readonly originEpochMs: number | null;
}

/** What the writers say of where a profile comes from. */
export interface ProfileOrigin {
	/** `examples/hot: OpenJDK 64-Bit Server VM …` */
	readonly title: string;
	/** `assay 0.1.0` */
	readonly producer: string;
}

/** `main`, `thread 23191`: what a thread is called; two may be called the same. */
export function threadName({ name, id }: SampledThread): string {
	return name !== '' ? name : id >= 0 ? `thread ${id}` : 'all threads';
}

/** Compilations by compiler, all other code by kind: how frames are coloured. */
export function categoryOfFrame({ kind, code }: StackFrame): string {
	switch (kind) {
		case 'method':
			return code?.compiler == null ? 'Java' : `Java, compiled by ${code.compiler}`;
		case 'interpreter':
			return 'Interpreter';
		case 'stub':
			return 'Stub of the JVM';
		case 'native':
			return 'Native';
		case 'kernel':
			return 'Kernel';
		default:
			return 'Other';
	}
}

/**
 * `java/util/HashMap.java`: where javac has a public class and all in it by its name; null of what is no Java method. Other compilers of the JVM, and classes beside
 * another, may have a file of another name.
 */
export function sourceFileOf({ name, kind }: Pick<StackFrame, 'name' | 'kind'>): string | null {
	const [, holder] = /^([\w$./]+)\.[^.]+$/.exec(name) ?? [];
	if (kind !== 'method' || holder === undefined) {
		return null;
	}
	const path = holder.replace(/\/0x[0-9a-f]+$/, '').replaceAll('.', '/');
	const start = path.lastIndexOf('/') + 1;
	// A name may begin with a dollar sign.
	const end = path.indexOf('$', start + 1);
	return `${end < 0 ? path : path.slice(0, end)}.java`;
}

/** Numbers of the frames of a node, the outermost first. */
export function framesOfNode({ nodeFrame, nodeParent }: StackedSamples, node: number): number[] {
	const result: number[] = [];
	for (let at = node; at >= 0; at = nodeParent[at]!) {
		result.push(nodeFrame[at]!);
	}
	return result.reverse();
}

/** What a sample stands for in nanoseconds; null where nothing tells. */
export function nanosecondsOf({ event, periods, intervalNs, weights, unit }: StackedSamples, sample: number): number | null {
	if (weights !== undefined) {
		return unit === 'nanoseconds' ? weights[sample]! : null;
	}
	return periods !== null && isClockEvent(event) ? periods[sample]! : intervalNs;
}

/** How many samples a row stands for; of weights of another unit how much of that. */
export function weightOf({ weights }: StackedSamples, row: number): number {
	return weights === undefined ? 1 : weights[row]!;
}

/** All weights. */
export function totalWeight(stacked: StackedSamples): number {
	return stacked.weights?.reduce((sum, weight) => sum + weight, 0) ?? stacked.length;
}

/** Rows of samples by thread, each in order of time; threads without any are left out. */
export function rowsByThread({ length, thread, timeSeconds, threads }: StackedSamples): { thread: SampledThread; rows: Int32Array }[] {
	const counts = new Int32Array(threads.length);
	for (let i = 0; i < length; i++) {
		counts[thread[i]!] = counts[thread[i]!]! + 1;
	}
	const lists = Array.from(counts, (count) => new Int32Array(count));
	counts.fill(0);
	for (let i = 0; i < length; i++) {
		const of = thread[i]!;
		(lists[of] as Int32Array)[counts[of]!] = i;
		counts[of] = counts[of]! + 1;
	}
	return lists.flatMap((rows, i) => {
		if (timeSeconds !== null) {
			rows.sort((a, b) => timeSeconds[a]! - timeSeconds[b]! || a - b);
		}
		return rows.length === 0 ? [] : [{ thread: threads[i]!, rows }];
	});
}

/** Whether the event is a clock, whose periods are nanoseconds. */
export function isClockEvent(event: string): boolean {
	return /(?:cpu|task)-clock$|^profile/.test(event);
}
