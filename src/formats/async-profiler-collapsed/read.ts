/**
 * Collapsed stacks of async-profiler recorded with addresses (asprof -o collapsed -F pcaddr, agent features=pcaddr, since 4.0):
 *     [main tid=7];Hot.main;java/util/HashMap.get;0x7f2bb3ecda28 3
 * frames from the outermost to the innermost, the program counter as a frame of its own after it, then how many samples. With the option
 * lib native frames are libjvm.so`Parse::Parse; with ann Java frames end _[j], _[i], _[0] or _[1]; frames of the kernel always end _[k].
 *
 * The program counter is that of user code, also when the kernel was executing: such samples have the address 0 here, since their time
 * was not spent at that instruction. Samples have no times.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { type Problem, SkippedLines } from '../../model/problem.js';
import { SampleStacksBuilder } from '../../model/sample-stacks-builder.js';
import { type DetailsWanted, NO_DETAILS, type SampleDetails, type SampledThread, type SamplePlace, type Samples, SamplesBuilder } from '../../model/samples.js';

export interface AsyncProfilerCollapsed extends SampleDetails {
	/** A row for each sample; the times are 0. */
	readonly samples: Samples;
	readonly problems: readonly Problem[];
}

const LINE = /^(?:(.*);)?(0x[0-9a-f]{1,16}) (\d{1,15})$/;
/** Three hours of one processor, a sample each millisecond: larger sums are no numbers of samples. */
const MAX_SAMPLES = 10_000_000;
const KERNEL = '_[k]';
/** With the option threads the first frame. */
const THREAD = /^\[(.* )?tid=(\d+)\]$/;

/** Never throws on content. */
export function readAsyncProfilerCollapsed(source: Source, wanted: DetailsWanted = 'none'): AsyncProfilerCollapsed {
	const builder = new SamplesBuilder();
	const details = wanted === 'none' ? null : new DetailColumns(builder);
	const event = builder.eventNumber('samples');
	const skipped = new SkippedLines(source.name, 'expected frames, the address of the innermost one (features=pcaddr) and a count');
	let samples = 0;
	let leftOut = 0;
	forEachLine(source, (line, offsetBytes, number) => {
		const [, frames = '', address, countText] = LINE.exec(line) ?? [];
		if (address === undefined) {
			if (line.trim() !== '') {
				skipped.add(number, offsetBytes);
			}
			return;
		}
		const count = Number(countText);
		if (samples + count > MAX_SAMPLES) {
			leftOut++;
			return;
		}
		samples += count;
		const innermost = frames.slice(frames.lastIndexOf(';') + 1);
		const pc = innermost.endsWith(KERNEL) ? 0n : BigInt.asIntN(64, BigInt(address));
		const place = builder.placeNumber(innermost, parsePlace);
		for (let i = 0; i < count; i++) {
			builder.add(0, pc, event, place);
		}
		details?.add(frames, count);
	});
	const problems = skipped.problems();
	if (leftOut > 0) {
		problems.push({
			severity: 'error',
			file: source.name,
			message: `the counts are more than ${MAX_SAMPLES} in all: they are of nanoseconds or bytes (option total), not of samples`,
			action: `${leftOut} lines are left out; record without total`,
		});
	}
	return { ...(details?.build() ?? NO_DETAILS), samples: builder.build(), problems };
}

/** Whether the first bytes of a file are those of this format: most of its first lines have an address and a count. */
export function isAsyncProfilerCollapsed(head: string): boolean {
	const lines = head.split('\n', 200).filter((line) => line.trim() !== '');
	const taken = lines.filter((line) => LINE.test(line.trimEnd())).length;
	return taken > 0 && 2 * taken >= lines.length;
}

class DetailColumns {
	private readonly builder: SamplesBuilder;
	private readonly threadOf: number[] = [];
	private readonly threads: SampledThread[] = [];
	private readonly numbers = new Map<string, number>();
	private readonly stacks = new SampleStacksBuilder();

	constructor(builder: SamplesBuilder) {
		this.builder = builder;
	}

	add(frames: string, count: number): void {
		const names = frames === '' ? [] : frames.split(';');
		const thread = THREAD.test(names[0] ?? '') ? names.shift()! : '';
		const number = this.numberOf(thread);
		const stack = names.map((name) => this.stacks.frameNumber(name, () => ({ place: this.builder.placeNumber(name, parsePlace), address: Number.NaN })));
		for (let i = 0; i < count; i++) {
			this.threadOf.push(number);
			if (i === 0) {
				this.stacks.add(stack);
			} else {
				this.stacks.repeat();
			}
		}
	}

	build(): SampleDetails {
		const isTold = this.threads.some(({ id }) => id >= 0);
		return { threads: isTold ? { of: Int32Array.from(this.threadOf), threads: this.threads } : null, stacks: this.stacks.build(), periods: null };
	}

	private numberOf(thread: string): number {
		let number = this.numbers.get(thread);
		if (number === undefined) {
			const [, name = '', id = '-1'] = THREAD.exec(thread) ?? [];
			number = this.threads.push({ name: name.trimEnd(), id: Number(id) }) - 1;
			this.numbers.set(thread, number);
		}
		return number;
	}
}

function parsePlace(frame: string): SamplePlace {
	if (frame.endsWith(KERNEL)) {
		return { symbol: frame.slice(0, -KERNEL.length), library: '[kernel]' };
	}
	// Without any frame the name of the thread is the last one.
	if (frame === '' || THREAD.test(frame)) {
		return { symbol: null, library: null };
	}
	const symbol = frame.replace(/_\[[ji01]\]$/, '');
	const separator = symbol.indexOf('`');
	return separator < 0 ? { symbol, library: null } : { symbol: symbol.slice(separator + 1) || null, library: symbol.slice(0, separator) || null };
}
