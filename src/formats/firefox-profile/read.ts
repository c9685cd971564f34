/**
 * The processed format of the Firefox Profiler (docs-developer of github.com/firefox-devtools/profiler), as the profiler saves it and samply writes it. In newer
 * versions the tables of frames, functions and stacks are shared by all threads; in older ones each thread has its own.
 */
import type { Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';
import type { ReadProfile } from '../format.js';
import { NamedStacks } from '../shared/named-stacks.js';
import { readWholeJson } from '../shared/whole-json.js';

/** Whether the first bytes of a file are those of this format. */
export function isFirefoxProfile(head: string): boolean {
	return /^\s*\{/.test(head) && head.includes('"preprocessedProfileVersion"');
}

type Column = readonly unknown[] | undefined;

interface Tables {
	readonly stringArray?: Column;
	readonly stringTable?: Column;
	readonly stackTable?: { readonly frame?: Column; readonly prefix?: Column };
	readonly frameTable?: { readonly func?: Column; readonly line?: Column; readonly category?: Column };
	readonly funcTable?: { readonly name?: Column; readonly fileName?: Column; readonly source?: Column; readonly resource?: Column };
	readonly sources?: { readonly filename?: Column };
	readonly resourceTable?: { readonly name?: Column };
}

interface WrittenThread extends Tables {
	readonly name?: unknown;
	readonly tid?: unknown;
	readonly samples?: {
		readonly stack?: Column;
		readonly time?: Column;
		readonly timeDeltas?: Column;
		readonly weight?: Column | null;
		readonly weightType?: unknown;
	};
}

interface Written {
	readonly meta?: { readonly startTime?: unknown; readonly categories?: readonly ({ readonly name?: unknown } | null)[] };
	readonly shared?: Tables;
	readonly threads?: unknown;
}

/** Samples without a stack are of threads that were idle, and are not counted. Never throws on content. */
export function readFirefoxProfile(source: Source): ReadProfile {
	const { value, problems: unreadable } = readWholeJson(source);
	const problems: Problem[] = [...unreadable];
	const { meta, shared, threads } = (value ?? {}) as Written;
	const startMs = typeof meta?.startTime === 'number' ? meta.startTime : 0;
	const stacks = new NamedStacks(BigInt(Math.max(0, Math.round(startMs))) * 1_000_000n);
	if (unreadable.length === 0 && !Array.isArray(threads)) {
		problems.push({ severity: 'error', file: source.name, message: 'expected threads, an array, as the Firefox Profiler has it', action: 'nothing is read' });
	}
	const idle = new Set((Array.isArray(meta?.categories) ? meta.categories : []).flatMap((category, i) => (category?.name === 'Idle' ? [i] : [])));
	const common = shared?.stackTable === undefined ? null : new StackReader(stacks, shared, shared, idle);
	let lost = 0;
	for (const thread of Array.isArray(threads) ? (threads as (WrittenThread | null)[]) : []) {
		if (thread?.samples !== undefined) {
			lost += readThread(stacks, thread, common ?? new StackReader(stacks, thread, { ...shared, ...thread }, idle));
		}
	}
	if (lost > 0) {
		const message = `${lost} samples have a stack that is not in the profile`;
		problems.push({ severity: 'warning', file: source.name, message, action: 'they are left out' });
	}
	return stacks.build(problems);
}

const EVENTS: Record<string, { event: string; unit: string; words: string; factor: number }> = {
	'tracing-ms': { event: 'time', unit: 'nanoseconds', words: 'time of the Firefox Profiler, in nanoseconds', factor: 1e6 },
	bytes: { event: 'bytes', unit: 'bytes', words: 'bytes of the Firefox Profiler', factor: 1 },
};

/** How many samples were lost. */
function readThread(stacks: NamedStacks, { name, tid, samples }: WrittenThread, reader: StackReader): number {
	const { unit, event, words, factor } = EVENTS[String(samples?.weightType ?? 'samples')] ?? {
		unit: undefined,
		event: 'samples',
		words: 'samples of the Firefox Profiler',
		factor: 1,
	};
	const number = stacks.event({ event, words, ...(unit === undefined ? {} : { unit }) });
	// Where nothing is told of threads, the number only tells profiles apart.
	const isTold = typeof name === 'string' && name !== 'all threads';
	const thread = isTold ? stacks.thread(name, Number.isSafeInteger(Number(tid)) ? Number(tid) : -1) : stacks.thread(null);
	const stackColumn = Array.isArray(samples?.stack) ? samples.stack : [];
	let lost = 0;
	let timeMs = 0;
	for (const [i, written] of stackColumn.entries()) {
		timeMs = numberAt(samples?.time, i) ?? timeMs + (numberAt(samples?.timeDeltas, i) ?? 0);
		if (written === null) {
			continue;
		}
		const stack = reader.stackOf(written);
		if (stack === null) {
			lost++;
			continue;
		}
		const weight = (numberAt(samples?.weight, i) ?? 1) * factor;
		if (weight > 0) {
			stacks.add({ event: number, thread, stack: stack.number, weight, timeNs: timeMs * 1e6, isWaiting: stack.isIdle });
		}
	}
	return lost;
}

function numberAt(column: Column | null, i: number): number | null {
	const value = Array.isArray(column) ? column[i] : undefined;
	return typeof value === 'number' ? value : null;
}

interface ReadStack {
	readonly number: number;
	/** By the category of its innermost frame. */
	readonly isIdle: boolean;
}

/** Deeper ones are a loop. */
const MOST_FRAMES = 100_000;

class StackReader {
	private readonly stacks: NamedStacks;
	private readonly tables: Tables;
	private readonly strings: readonly unknown[];
	private readonly idle: ReadonlySet<number>;
	private readonly frames = new Map<number, number>();
	private readonly known = new Map<number, ReadStack | null>();

	constructor(stacks: NamedStacks, tables: Tables, strings: Tables, idle: ReadonlySet<number>) {
		this.stacks = stacks;
		this.tables = tables;
		this.strings = strings.stringArray ?? strings.stringTable ?? [];
		this.idle = idle;
	}

	/** null: there is no such stack. */
	stackOf(written: unknown): ReadStack | null {
		const start = written as number;
		let stack = this.known.get(start);
		if (stack === undefined) {
			stack = this.newStack(start);
			this.known.set(start, stack);
		}
		return stack;
	}

	private newStack(start: number): ReadStack | null {
		const { stackTable, frameTable } = this.tables;
		const frames: number[] = [];
		for (let at: number | null = start; at !== null; at = numberAt(stackTable?.prefix, at)) {
			const frame = numberAt(stackTable?.frame, at);
			const number = frame === null ? null : this.frameOf(frame);
			if (number === null || frames.length >= MOST_FRAMES) {
				return null;
			}
			frames.push(number);
		}
		const category = numberAt(frameTable?.category, numberAt(stackTable?.frame, start) ?? -1);
		return { number: this.stacks.stack(frames), isIdle: category !== null && this.idle.has(category) };
	}

	private frameOf(frame: number): number | null {
		let number = this.frames.get(frame);
		if (number === undefined) {
			const { frameTable, funcTable, sources, resourceTable } = this.tables;
			const func = numberAt(frameTable?.func, frame);
			const name = func === null ? null : this.string(numberAt(funcTable?.name, func));
			if (func === null || name === null) {
				return null;
			}
			const sourceOf = numberAt(funcTable?.source, func);
			const file = this.string(sourceOf === null ? numberAt(funcTable?.fileName, func) : numberAt(sources?.filename, sourceOf));
			const library = this.string(numberAt(resourceTable?.name, numberAt(funcTable?.resource, func) ?? -1));
			const line = numberAt(frameTable?.line, frame);
			number = this.stacks.frame({ name, file: file ?? (library === 'JIT' ? null : library), ...(line === null ? {} : { line }) });
			this.frames.set(frame, number);
		}
		return number;
	}

	private string(number: number | null): string | null {
		const text = number === null ? undefined : this.strings[number];
		return typeof text === 'string' ? text : null;
	}
}
