/** What the readers of thread dumps share: a thread with its state and frames becomes a sample. */

import type { Problem } from '../../model/problem.js';
import { type StackSamples, StackSamplesBuilder } from '../../model/stack-samples.js';
import { frameOfStackTrace } from '../shared/java/frame-spelling.js';

export interface ThreadDumps {
	/** A sample for each thread with a stack in each dump; the event is `thread dump`. Weights are 1. */
	readonly samples: StackSamples;
	readonly dumps: number;
	readonly problems: readonly Problem[];
}

/** The innermost methods of threads that wait, where the dump says nothing of their states. */
const WAITING_LEAVES =
	/^(?:jdk\.internal\.misc\.Unsafe\.park|sun\.misc\.Unsafe\.park|java\.lang\.Object\.wait0?|java\.lang\.Thread\.(?:sleep|sleep0|sleepNanos0)|java\.lang\.VirtualThread\.(?:park|yieldContinuation|parkNanos)|jdk\.internal\.vm\.Continuation\.(?:yield|doYield|yield0))$/;

export class ThreadDumpBuilder {
	dumps = 0;
	private readonly builder = new StackSamplesBuilder();

	/** A frame as Java prints it, without `at`; -1: it is none. */
	frame(text: string): number {
		const frame = frameOfStackTrace(text);
		return frame === null ? -1 : this.builder.frameNumber(this.builder.methodNumber(frame.method, null, frame.method), frame.line, -1, '');
	}

	/** `state` is null where the dump does not say; `time` ISO 8601, null where it does not say. Threads without frames are none. */
	thread(name: string | null, id: number, state: string | null, frames: readonly number[], time: string | null, isTruncated = false): void {
		const { builder } = this;
		if (frames.length === 0) {
			return;
		}
		builder.add({
			timeNs: this.timeNs(time),
			event: builder.eventNumber('thread dump'),
			thread: builder.threadNumber(name, id),
			stack: builder.stackNumber(frames, frames.length, isTruncated),
			state: builder.stateNumber(state ?? this.guessedState(frames)),
			weight: 1,
			isBiased: false,
		});
	}

	build(problems: readonly Problem[]): ThreadDumps {
		return { samples: this.builder.build(), dumps: this.dumps, problems };
	}

	private guessedState(frames: readonly number[]): string {
		return WAITING_LEAVES.test(this.builder.methodOfFrame(frames[0]!)) ? 'WAITING' : '';
	}

	private timeNs(time: string | null): number {
		const [, seconds = '', fraction = ''] = /^(.*?)(?:\.(\d{1,9}))?Z$/.exec(time ?? '') ?? [];
		const ms = Date.parse(`${seconds}Z`);
		if (Number.isNaN(ms)) {
			return Number.NaN;
		}
		const ns = BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
		if (this.builder.originEpochNs === 0n) {
			this.builder.originEpochNs = ns;
		}
		return Number(ns - this.builder.originEpochNs);
	}
}
