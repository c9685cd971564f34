/**
 * What `perf script` tells of samples beside time, event and address: the thread (`comm pid/tid [cpu]`) and the period, which stand before the
 * event, and the frames of the stack, a line each from the innermost to the outermost:
 *     java 2764/2770 [001]  6046.157274:    1000000 cpu-clock:
 *             7f29db84ff62 cfree@GLIBC_2.2.5+0x12 (/usr/lib/x86_64-linux-gnu/libc.so.6)
 */

import { SampleStacksBuilder } from '../../model/sample-stacks-builder.js';
import type { DetailsWanted, SampleDetails, SampledThread, SamplesBuilder } from '../../model/samples.js';
import { parsePlace } from './line-reader.js';

/** Up to the event; names of threads may hold blanks, colons and numbers. */
const HEAD =
	/^\s*(\S.{0,200}?)\s{1,100}(?:(\d{1,10}|-1)\/)?(\d{1,10}|-1)\s{1,100}(?:\[\d{1,10}\]\s{1,100})?\d{1,20}\.\d{1,20}:(?: {1,100}(\d{1,20})(?= +\S))? /;
/** A head without process and thread. */
const TIME_ONLY = /^\s*\d+\.\d+:(?: +(\d+)(?= +\S))? /;
const FRAME = /^\s+([0-9a-f]{1,16})(?: (.*))?$/;
/** Characters; the system's names of threads have 15 bytes. */
const MAX_HEAD = 200;
/** Frames beyond are left out: the outermost. */
const MAX_FRAMES = 4096;

export class DetailColumns {
	private readonly withStacks: boolean;
	private readonly builder: SamplesBuilder;
	private readonly threadOf: number[] = [];
	private readonly threads: SampledThread[] = [];
	private readonly numbers = new Map<string, number>();
	private readonly periods: number[] = [];
	private readonly stacks = new SampleStacksBuilder();
	private frames: number[] = [];
	private thread = 0;
	private period = 0;
	private hasPeriods = false;

	constructor(builder: SamplesBuilder, wanted: DetailsWanted) {
		this.builder = builder;
		this.withStacks = wanted === 'all';
	}

	/** After each line. A sample with a stack is complete only at its first frame, a line later. */
	take(whole: string): void {
		const line = whole.slice(0, MAX_HEAD);
		const match = HEAD.exec(line);
		const time = match === null ? TIME_ONLY.exec(line) : null;
		const isHead = match !== null || time !== null;
		if (isHead) {
			this.thread = this.numberOf(match?.[1] ?? '', Number(match?.[3] ?? -1));
			const period = match?.[4] ?? time?.[1];
			this.hasPeriods ||= period !== undefined;
			this.period = Number(period ?? 0);
		}
		const isNew = this.threadOf.length < this.builder.size;
		if (isNew) {
			this.endStack();
		}
		while (this.threadOf.length < this.builder.size) {
			this.threadOf.push(this.thread);
			this.periods.push(this.period);
		}
		if (this.withStacks && !isHead && this.frames.length < MAX_FRAMES && (isNew || this.frames.length > 0)) {
			this.takeFrame(whole);
		}
	}

	build(): SampleDetails {
		this.endStack();
		return {
			threads: { of: Int32Array.from(this.threadOf), threads: this.threads },
			stacks: this.withStacks ? this.stacks.build() : null,
			periods: this.hasPeriods ? Float64Array.from(this.periods) : null,
		};
	}

	private takeFrame(line: string): void {
		const [, address = '', place = ''] = FRAME.exec(line) ?? [];
		if (address === '') {
			return;
		}
		this.frames.push(
			this.stacks.frameNumber(line, () => ({
				place: this.builder.placeNumber(` ${place}`, parsePlace),
				address: Number(BigInt.asIntN(64, BigInt(`0x${address}`))),
			})),
		);
	}

	/** Of the sample before the one that begins, if there was one. */
	private endStack(): void {
		if (this.withStacks && this.threadOf.length > 0) {
			this.stacks.add(this.frames.reverse());
			this.frames = [];
		}
	}

	private numberOf(name: string, id: number): number {
		const key = `${id} ${name}`;
		let number = this.numbers.get(key);
		if (number === undefined) {
			number = this.threads.push({ name, id }) - 1;
			this.numbers.set(key, number);
		}
		return number;
	}
}
