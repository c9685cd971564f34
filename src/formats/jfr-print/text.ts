/**
 * What `jfr print` prints: an event a block, its stack cut to five frames unless --stack-depth says otherwise.
 *   jdk.ExecutionSample {
 *     startTime = 06:46:41.818 (2026-11-21)
 *     sampledThread = "mixer" (javaThreadId = 15)
 *     stackTrace = [
 *       Mixer.hash(String, int) line: 24
 *       ...
 *     ]
 *   }
 * Times are of an unknown zone, kinds of frames are not told, and hidden frames (lambda forms) are left out.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { KERNEL_ROW, NATIVE_ROW } from '../../model/frame-rows.js';
import { SkippedLines } from '../../model/problem.js';
import { StackSamplesBuilder } from '../../model/stack-samples.js';
import { frameOfSpelling, rowOfRecordedFrame } from '../shared/java/frame-spelling.js';
import type { PrintedJfr } from './json.js';

const EVENT = /^([A-Za-z][\w$]*(?:\.[\w$]+)+) \{$/;
const SAMPLE_EVENT = /^(?:jdk\.(?:ExecutionSample|NativeMethodSample|CPUTimeSample)|profiler\.WallClockSample|datadog\.(?:Execution|Method)Sample)$/;
const FIELD = /^ {2}(\w+) = (.*)$/;
const FRAME = /^ {4}(\S[^(]*)\((.*)\)(?: {1,3}line: (\d+))?\s*$/;

/** Whether the first lines of a file are those of this format. */
export function isJfrPrintText(head: string): boolean {
	const lines = head.split('\n', 20).map((line) => line.trimEnd());
	const first = lines.findIndex((line) => line !== '');
	return first >= 0 && EVENT.test(lines[first]!) && /^ {2}(?:startTime|duration) = /.test(lines[first + 1] ?? '');
}

interface OpenEvent {
	readonly type: string;
	readonly line: number;
	readonly offset: number;
	thread: string | null;
	state: string;
	isFailed: boolean;
	isBiased: boolean;
	weight: number;
	lost: number;
	isInStack: boolean;
	hasStack: boolean;
	isTruncated: boolean;
	readonly frames: number[];
}

/** Never throws on content. */
export function readJfrPrintText(source: Source): PrintedJfr {
	const builder = new StackSamplesBuilder();
	const skipped = new SkippedLines(source.name, 'expected an event as jfr print writes it, to its closing brace');
	let event: OpenEvent | null = null;
	let lost = 0;
	forEachLine(source, (line, offset, number) => {
		const type = EVENT.exec(line)?.[1];
		if (type !== undefined) {
			if (event !== null) {
				skipped.add(event.line, event.offset);
			}
			event = newEvent(type, number, offset);
		} else if (event === null) {
			if (line.trim() !== '') {
				skipped.add(number, offset);
			}
		} else if (line === '}') {
			lost += event.type === 'jdk.CPUTimeSamplesLost' ? event.lost : 0;
			if (SAMPLE_EVENT.test(event.type)) {
				addEvent(builder, event);
			}
			event = null;
		} else if (SAMPLE_EVENT.test(event.type) || event.type === 'jdk.CPUTimeSamplesLost') {
			takeLine(builder, event, line);
		}
	});
	const cut = event as OpenEvent | null;
	if (cut !== null) {
		skipped.add(cut.line, cut.offset);
	}
	return { samples: builder.build(), lostCpuTimeSamples: lost, problems: skipped.problems() };
}

function newEvent(type: string, line: number, offset: number): OpenEvent {
	return {
		type,
		line,
		offset,
		thread: null,
		state: '',
		isFailed: false,
		isBiased: false,
		weight: 1,
		lost: 0,
		isInStack: false,
		hasStack: false,
		isTruncated: false,
		frames: [],
	};
}

function takeLine(builder: StackSamplesBuilder, event: OpenEvent, line: string): void {
	if (event.isInStack) {
		const [, spelling, parameters, lineText] = FRAME.exec(line) ?? [];
		if (line.trim() === ']') {
			event.isInStack = false;
		} else if (line.trim() === '...') {
			event.isTruncated = true;
		} else if (spelling !== undefined) {
			event.frames.push(frameOf(builder, spelling, parameters === 'k', Number(lineText ?? -1)));
		}
		return;
	}
	const [, name, value = ''] = FIELD.exec(line) ?? [];
	if (name === 'stackTrace') {
		event.isInStack = value === '[';
		event.hasStack = event.isInStack;
	} else if (name === 'sampledThread' || name === 'eventThread') {
		event.thread = /^"(.*)"(?: \([^()]*\))?$/.exec(value)?.[1] ?? null;
	} else if (name === 'state') {
		event.state = value.replace(/^"(.*)"$/, '$1');
	} else if (name === 'failed') {
		event.isFailed = value === 'true';
	} else if (name === 'biased') {
		event.isBiased = value === 'true';
	} else if (name === 'samples' || name === 'weight') {
		event.weight = /^\d{1,9}$/.test(value) ? Number(value) : 1;
	} else if (name === 'lostSamples') {
		event.lost = /^\d{1,15}$/.test(value) ? Number(value) : 0;
	}
}

/** `libjvm.so.Compile::Code_Gen`, as the tool joins the library and the function that async-profiler wrote. */
const FUNCTION = /^([^\s()/]{1,200}?\.(?:so|dylib|dll)(?:\.\d{1,9}){0,9})\.([^\d\s].{0,4000})$/;

/** `isKernel`: what async-profiler marks in the place of parameters. */
function frameOf(builder: StackSamplesBuilder, spelling: string, isKernel: boolean, line: number): number {
	const native = (name: string, row: string): number => builder.frameNumber(builder.methodNumber(name, null, row), -1, -1, '');
	const [, library, symbol] = FUNCTION.exec(spelling) ?? [];
	if (library !== undefined) {
		return native(`${library}\`${symbol}`, NATIVE_ROW);
	}
	// Without a library: the kernel, or code that the JVM generates.
	if (spelling.startsWith('.')) {
		const name = spelling.slice(1);
		return native(name, isKernel ? KERNEL_ROW : (rowOfRecordedFrame('Native', '', name, null) ?? NATIVE_ROW));
	}
	const row = frameOfSpelling(spelling).method;
	return builder.frameNumber(builder.methodNumber(row.startsWith('(') ? spelling : row, null, row), line > 0 ? line : -1, -1, '');
}

function addEvent(builder: StackSamplesBuilder, event: OpenEvent): void {
	const { frames } = event;
	builder.add({
		timeNs: Number.NaN,
		event: builder.eventNumber(event.type),
		thread: builder.threadNumber(event.thread, -1),
		stack: event.isFailed || !event.hasStack ? -1 : builder.stackNumber(frames, frames.length, event.isTruncated),
		state: builder.stateNumber(event.state),
		weight: event.weight,
		isBiased: event.isBiased,
	});
}
