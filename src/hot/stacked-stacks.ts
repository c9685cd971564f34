/** Samples that have stacks and no addresses, such as Flight Recorder's, with every frame named: what profile formats of other tools are written from. */
import { KERNEL_ROW, UNKNOWN_ROW } from '../model/frame-rows.js';
import type { SampleFilter } from '../model/sample-filter.js';
import type { StackMethod, StackSamples } from '../model/stack-samples.js';
import type { StackedSamples, StackFrame } from '../model/stacked-samples.js';
import { NO_STACK_ROW, notCounted } from './stack-heat.js';
import { StackTree } from './stack-samples.js';

export interface StacksSource {
	readonly samples: StackSamples;
	/** The event that is counted: a position in the samples' `events`. */
	readonly event: number;
	/** What weights are of, where these are no samples: `nanoseconds`. */
	readonly unit?: string;
	/** Nanoseconds since 1970 at which the JVM started; null: nothing tells. */
	readonly jvmStartEpochNs: bigint | null;
	readonly filter: SampleFilter;
	/** Seconds after the first sample, both ends inclusive. */
	readonly window: { readonly from: number; readonly to: number };
}

/** Rows that stand for more samples than this keep their weights: most formats have such rows, and others have a row for each sample. */
const MOST_OF_A_ROW = 1000;

const NO_POSITION = { library: null, line: null, bci: null, code: null, address: Number.NaN, inlineDepth: 0 };

/** A row that stands for several samples becomes so many, where all are of few. Callers are the whole stack: nothing is known of inlining but that the profiler says so of a frame. */
export function stackedOfStacks({ samples, event, unit = 'samples', jvmStartEpochNs, filter, window }: StacksSource): StackedSamples {
	const tree = new StackTree();
	const skippedFor = notCounted(samples, event, filter);
	const frameNumbers = new Map<number, number>();
	const nodes = new Map<number, number>();
	const nodeOf = (stack: number): number => {
		let node = nodes.get(stack);
		if (node === undefined) {
			node = tree.nodesOf(-1, framesOf(samples, stack, tree, frameNumbers));
			nodes.set(stack, node);
		}
		return node;
	};
	const times = samples.timeNs;
	let first = Number.POSITIVE_INFINITY;
	for (let i = 0; i < samples.length; i++) {
		first = skippedFor(i) !== 'other event' && times !== null && times[i]! < first ? times[i]! : first;
	}
	const counted: number[] = [];
	let isExpanded = unit === 'samples';
	for (let i = 0; i < samples.length; i++) {
		const seconds = times === null || !Number.isFinite(first) ? 0 : (times[i]! - first) / 1e9;
		if (skippedFor(i) === null && !(seconds < window.from || seconds > window.to) && samples.weight[i]! > 0) {
			counted.push(i);
			isExpanded &&= samples.weight[i]! <= MOST_OF_A_ROW && Number.isInteger(samples.weight[i]);
		}
	}
	const rows = isExpanded ? counted.flatMap((i) => new Array<number>(samples.weight[i]!).fill(i)) : counted;
	const node = Int32Array.from(rows, (i) => nodeOf(samples.stack[i]!));
	const startSeconds = jvmStartEpochNs === null ? null : Number(jvmStartEpochNs - samples.originEpochNs) / 1e9;
	const originSeconds = times === null ? 0 : Math.min(startSeconds ?? Number.POSITIVE_INFINITY, Number.isFinite(first) ? first / 1e9 : 0);
	return {
		event: samples.events[event] ?? '',
		processId: null,
		frames: tree.frames,
		nodeFrame: Int32Array.from(tree.nodeFrame),
		nodeParent: Int32Array.from(tree.nodeParent),
		length: rows.length,
		node,
		thread: Int32Array.from(rows, (i) => samples.thread[i]!),
		threads: samples.threads.map(({ name, id }) => ({ name: name ?? '', id })),
		timeSeconds: times === null ? null : Float64Array.from(rows, (i) => times[i]! / 1e9),
		periods: null,
		intervalNs: null,
		...(isExpanded ? {} : { weights: Float64Array.from(rows, (i) => samples.weight[i]!), unit }),
		originSeconds,
		originEpochMs: times === null || samples.originEpochNs === 0n ? null : Number(samples.originEpochNs) / 1e6 + originSeconds * 1000,
	};
}

/** Numbers of the frames, the outermost first. */
function framesOf({ frames, stacks }: StackSamples, stack: number, tree: StackTree, known: Map<number, number>): number[] {
	const start = stack < 0 ? 0 : stacks.starts[stack]!;
	const end = stack < 0 ? 0 : stacks.starts[stack + 1]!;
	if (start === end) {
		return [tree.frameNumber({ ...NO_POSITION, name: NO_STACK_ROW, kind: 'unknown' }, -1)];
	}
	const result: number[] = stacks.isTruncated[stack] === 1 ? [tree.frameNumber({ ...NO_POSITION, name: '(truncated)', kind: 'unknown' }, -1)] : [];
	for (let at = end - 1; at >= start; at--) {
		const frame = stacks.frame[at]!;
		let number = known.get(frame);
		if (number === undefined) {
			const [line, bci] = [frames.line[frame]!, frames.bci[frame]!];
			const named = frameOf(frames.methods[frames.method[frame]!]!);
			number = tree.frameNumber({ ...named, line: line > 0 ? line : null, bci: bci >= 0 && named.kind === 'method' ? bci : null }, -1);
			known.set(frame, number);
		}
		result.push(number);
	}
	return result;
}

/** What is no Java method stands in round brackets, as in `assay hot`. */
function frameOf({ name, row }: StackMethod): StackFrame {
	if (!row.startsWith('(')) {
		return { ...NO_POSITION, name: row, kind: 'method' };
	}
	const kind = row === KERNEL_ROW ? 'kernel' : row === UNKNOWN_ROW ? 'unknown' : 'native';
	return { ...NO_POSITION, name: kind === 'unknown' || name === '' ? row : `(${name})`, kind };
}
