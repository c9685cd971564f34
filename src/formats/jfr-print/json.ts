/**
 * What `jfr print --json` prints: {"recording": {"events": [{"type": "jdk.ExecutionSample", "values": {…}}, …]}}. Each frame repeats its class with
 * all loaders and modules, so that a recording of 10 MB becomes gigabytes: events are found one after the other and parsed each for itself.
 */
import { forEachJsonObject } from '../../bytes/json-objects.js';
import type { Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';
import { type StackSamples, StackSamplesBuilder } from '../../model/stack-samples.js';
import { javaHolder, rowOfRecordedFrame } from '../shared/java/frame-spelling.js';

export interface PrintedJfr {
	/** Events are called as in the file: `jdk.ExecutionSample`. */
	readonly samples: StackSamples;
	readonly lostCpuTimeSamples: number;
	readonly problems: readonly Problem[];
}

const SAMPLE_EVENT = /^(?:jdk\.(?:ExecutionSample|NativeMethodSample|CPUTimeSample)|profiler\.WallClockSample|datadog\.(?:Execution|Method)Sample)$/;
/** In the object, its recording and the array of events. */
const EVENT_DEPTH = 3;
const MAX_PROBLEMS = 100;

/** Whether the first bytes of a file are those of this format. */
export function isJfrPrintJson(head: string): boolean {
	return /^\s*\{\s*"recording"\s*:\s*\{\s*"events"\s*:\s*\[/.test(head);
}

/** Never throws on content. */
export function readJfrPrintJson(source: Source): PrintedJfr {
	const reader = new EventReader(source.name);
	const end = forEachJsonObject(source, EVENT_DEPTH, (text, offset) => reader.take(text, offset));
	if (end !== null) {
		reader.problem(end, 'the file ends inside an event', 'the event is lost');
	}
	return reader.end();
}

interface PrintedThread {
	readonly osName?: unknown;
	readonly javaName?: unknown;
	readonly osThreadId?: unknown;
}

interface PrintedFrame {
	readonly method?: { readonly type?: { readonly name?: unknown } | null; readonly name?: unknown; readonly descriptor?: unknown } | null;
	readonly lineNumber?: unknown;
	readonly bytecodeIndex?: unknown;
	readonly type?: unknown;
}

interface PrintedEvent {
	readonly type?: unknown;
	readonly values?: {
		readonly startTime?: unknown;
		readonly sampledThread?: PrintedThread | null;
		readonly eventThread?: PrintedThread | null;
		readonly stackTrace?: { readonly truncated?: unknown; readonly frames?: unknown } | null;
		readonly state?: unknown;
		readonly failed?: unknown;
		readonly biased?: unknown;
		readonly samples?: unknown;
		readonly weight?: unknown;
		readonly lostSamples?: unknown;
	} | null;
}

class EventReader {
	private readonly file: string;
	private readonly builder = new StackSamplesBuilder();
	private readonly problems: Problem[] = [];
	private more = 0;
	private lost = 0;

	constructor(file: string) {
		this.file = file;
	}

	take(text: string, offset: number): void {
		try {
			this.event(JSON.parse(text) as PrintedEvent);
		} catch {
			this.problem(offset, 'an event is no JSON, or not as jfr print --json writes it', 'the event is skipped');
		}
	}

	problem(offsetBytes: number, message: string, action: string): void {
		if (this.problems.length < MAX_PROBLEMS) {
			this.problems.push({ severity: 'warning', file: this.file, offsetBytes, message, action });
		} else {
			this.more++;
		}
	}

	end(): PrintedJfr {
		if (this.more > 0) {
			this.problems.push({ severity: 'warning', file: this.file, message: `${this.more} more events are damaged`, action: 'they are skipped' });
		}
		return { samples: this.builder.build(), lostCpuTimeSamples: this.lost, problems: this.problems };
	}

	private event({ type, values }: PrintedEvent): void {
		if (typeof type !== 'string' || values === undefined || values === null) {
			throw new Error('no event');
		}
		if (type === 'jdk.CPUTimeSamplesLost') {
			this.lost += Math.max(0, integer(values.lostSamples, 0));
			return;
		}
		if (!SAMPLE_EVENT.test(type)) {
			return;
		}
		const { builder } = this;
		const thread = values.sampledThread ?? values.eventThread;
		const name = string(thread?.javaName) || string(thread?.osName);
		const stack = this.stack(values.stackTrace);
		builder.add({
			timeNs: this.time(values.startTime),
			event: builder.eventNumber(type),
			thread: builder.threadNumber(name, integer(thread?.osThreadId, -1)),
			stack: values.failed === true ? -1 : stack,
			state: builder.stateNumber(string(values.state) ?? ''),
			weight: Math.max(0, integer(values.samples ?? values.weight, 1)),
			isBiased: values.biased === true,
		});
	}

	private stack(trace: { readonly truncated?: unknown; readonly frames?: unknown } | null | undefined): number {
		if (trace === null || trace === undefined || !Array.isArray(trace.frames)) {
			return -1;
		}
		const frames = trace.frames.map((frame) => this.frame(frame as PrintedFrame)).filter((frame) => frame >= 0);
		return this.builder.stackNumber(frames, frames.length, trace.truncated === true);
	}

	/** -1: an address that async-profiler puts in as a frame of its own. */
	private frame({ method, lineNumber, bytecodeIndex, type }: PrintedFrame): number {
		const { builder } = this;
		const kind = string(type) ?? '';
		const holder = string(method?.type?.name) ?? '';
		const name = string(method?.name) ?? '';
		const descriptor = string(method?.descriptor) || null;
		const row = rowOfRecordedFrame(kind, holder, name, descriptor);
		if (row !== null) {
			return /^0x[0-9a-f]{1,16}$/.test(name)
				? -1
				: builder.frameNumber(builder.methodNumber(holder === '' ? name : `${holder}\`${name}`, null, row), -1, -1, kind);
		}
		const full = holder === '' ? name : `${javaHolder(holder)}.${name}`;
		const line = integer(lineNumber, -1);
		return builder.frameNumber(builder.methodNumber(full, descriptor, full), line > 0 ? line : -1, integer(bytecodeIndex, -1), kind);
	}

	/** From the first time. */
	private time(value: unknown): number {
		const ns = typeof value === 'string' ? epochNs(value) : null;
		if (ns === null) {
			return Number.NaN;
		}
		if (this.builder.originEpochNs === 0n) {
			this.builder.originEpochNs = ns;
		}
		return Number(ns - this.builder.originEpochNs);
	}
}

/** `2026-11-20T22:05:47.998836898Z`, or with an offset from UTC; null: no time. */
function epochNs(text: string): bigint | null {
	const [, seconds, fraction = '', zone = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)$/.exec(text) ?? [];
	const ms = seconds === undefined ? Number.NaN : Date.parse(seconds + zone);
	return Number.isNaN(ms) ? null : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

function string(value: unknown): string | null {
	return typeof value === 'string' ? value : null;
}

function integer(value: unknown, otherwise: number): number {
	return typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : otherwise;
}
