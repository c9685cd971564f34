/** Stacks whose frames are told by name, file and line, as profile formats of any language have them → the stacks of the model. */
import { KERNEL_ROW, NATIVE_ROW, UNKNOWN_ROW } from '../../model/frame-rows.js';
import type { ObservedKind } from '../../model/observed-profile.js';
import type { Problem } from '../../model/problem.js';
import { StackSamplesBuilder } from '../../model/stack-samples.js';
import type { ReadProfile } from '../format.js';
import { frameOfSpelling } from './java/frame-spelling.js';

/** A function as the file names it. */
export interface NamedFrame {
	readonly name: string;
	/** Of the source, or of the library; null where the file does not say. */
	readonly file?: string | null;
	/** That is executed; left out where the file does not say. */
	readonly line?: number;
}

/** What is counted. */
interface NamedEvent {
	/** As the file calls it: `cpu`. */
	readonly event: string;
	/** Of weights, if these are no samples: `nanoseconds`. */
	readonly unit?: string;
	/** In words. */
	readonly words: string;
}

interface NamedSample {
	readonly event: number;
	readonly thread: number;
	readonly stack: number;
	readonly weight: number;
	/** Left out: the file has no times. */
	readonly timeNs?: number;
	readonly isWaiting?: boolean;
}

/** Stands for frames that are missing at the outer end, and for a stack that could not be walked: assay writes these. */
const TRUNCATED = '(truncated)';
const NO_STACK = '(no stack)';
const NO_FRAME = -1;
const TRUNCATED_FRAME = -2;

const KIND_OF_MARK: Record<string, string> = { j: 'JIT compiled', i: 'Inlined', '0': 'Interpreted', '1': 'C1 compiled' };

/** Collects samples; the kind of samples that is named first is preferred. */
export class NamedStacks {
	private readonly builder = new StackSamplesBuilder();
	private readonly kinds: ObservedKind[] = [];
	private readonly frames = new Map<string, number>();
	private readonly running = this.builder.stateNumber('');
	private waiting = -1;

	constructor(originEpochNs = 0n) {
		this.builder.originEpochNs = originEpochNs;
	}

	event({ event, unit, words }: NamedEvent): number {
		const number = this.builder.eventNumber(event);
		if (!this.kinds.some((kind) => kind.number === number)) {
			this.kinds.push({ kind: event, event, number, words, ...(unit === undefined ? {} : { unit }) });
		}
		return number;
	}

	thread(name: string | null, id = -1): number {
		return this.builder.threadNumber(name, id);
	}

	/** The number of a frame for {@link stack}. */
	frame({ name, file = null, line = -1 }: NamedFrame): number {
		const key = `${line} ${file} ${name}`;
		let number = this.frames.get(key);
		if (number === undefined) {
			number = name === TRUNCATED ? TRUNCATED_FRAME : name === NO_STACK ? NO_FRAME : this.newFrame(name, file, line);
			this.frames.set(key, number);
		}
		return number;
	}

	/** `frames`: the innermost first. */
	stack(frames: readonly number[]): number {
		const isTruncated = frames.at(-1) === TRUNCATED_FRAME;
		const own = frames.some((frame) => frame < 0) ? frames.filter((frame) => frame >= 0) : frames;
		return own.length === 0 ? -1 : this.builder.stackNumber(own, own.length, isTruncated);
	}

	add({ event, thread, stack, weight, timeNs = Number.NaN, isWaiting = false }: NamedSample): void {
		if (isWaiting && this.waiting < 0) {
			this.waiting = this.builder.stateNumber('WAITING');
		}
		this.builder.add({ timeNs, event, thread, stack, state: isWaiting ? this.waiting : this.running, weight, isBiased: false });
	}

	build(problems: readonly Problem[]): ReadProfile {
		const samples = this.builder.build();
		const present = new Set(samples.event);
		return {
			file: {
				kinds: this.kinds.filter(({ number }) => present.has(number)),
				stacks: samples,
				leaves: [],
				isCounted: true,
				lostSamples: 0,
				jvmStartEpochNs: null,
			},
			problems,
		};
	}

	private newFrame(spelling: string, file: string | null, line: number): number {
		const { name, row, told, kind } = methodOf(spelling, file);
		return this.builder.frameNumber(this.builder.methodNumber(name, null, row), line > 0 ? line : told, -1, kind);
	}
}

interface NamedMethod {
	readonly name: string;
	readonly row: string;
	/** Line that stands in the name; -1: none does. */
	readonly told: number;
	readonly kind: string;
}

const SOURCE_OF_OTHERS = /\.(?:c|cc|cpp|cxx|h|hpp|rs|go|py|rb|js|mjs|cjs|jsx|ts|tsx|cs|php|swift|m|mm|s|S|so(?:\.[\d.]{1,20})?|dll|dylib|exe)$/;

function methodOf(spelling: string, file: string | null): NamedMethod {
	const native = (name: string, row = NATIVE_ROW): NamedMethod => ({ name: `(${name})` === row ? '' : name, row, told: -1, kind: '' });
	const inner = withoutBrackets(spelling);
	if (inner !== null) {
		return native(inner, spelling === KERNEL_ROW || spelling === UNKNOWN_ROW ? spelling : NATIVE_ROW);
	}
	if (file !== null && /^\[(?:guest\.)?kernel/.test(file)) {
		return native(spelling, KERNEL_ROW);
	}
	const mark = /_\[([ji01k])\]$/.exec(spelling)?.[1];
	const isOfOthers = mark === undefined && ((file !== null && SOURCE_OF_OTHERS.test(file)) || spelling.includes('::'));
	const { method, line } = isOfOthers ? { method: NATIVE_ROW, line: null } : frameOfSpelling(spelling);
	if (method.startsWith('(')) {
		const shown = spelling.replace(/_\[[ji01k]\]$/, '').replace(/:-?\d+$/, '');
		return native(shown, method);
	}
	return { name: method, row: method, told: line ?? -1, kind: KIND_OF_MARK[mark ?? ''] ?? '' };
}

/** What stands in round brackets as a whole; null: not all of the text does. */
function withoutBrackets(text: string): string | null {
	if (!text.startsWith('(') || !text.endsWith(')') || text.length === 2) {
		return null;
	}
	let depth = 0;
	for (let i = 0; i < text.length - 1; i++) {
		depth += text[i] === '(' ? 1 : text[i] === ')' ? -1 : 0;
		if (depth === 0) {
			return null;
		}
	}
	return text.slice(1, -1);
}
