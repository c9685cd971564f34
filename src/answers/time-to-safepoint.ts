/** From files to who delays safepoints: opens a recording, attributes its samples, reads the code that has some. */
import type { DelayPlace } from '../bias/delay-reasons.js';
import { withRecordedCulprits } from '../bias/recorded-culprits.js';
import type { SafepointDelay } from '../bias/safepoint-delay.js';
import { explainDelays } from '../bias/time-to-safepoint.js';
import { type Attribution, attributeSamples, REASONS, type Reason } from '../hot/attribute.js';
import type { JvmClock } from '../hot/jvm-clock.js';
import { codeMap } from '../model/code-map.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { isJvmLibrary } from '../model/jvm-library.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Safepoint } from '../model/safepoint.js';
import type { Evidence } from '../recording/evidence.js';
import type { Recording } from '../recording/open-recording.js';
import { processOfLog, recordedClock } from './hot.js';
import type { TimeToSafepointResult } from './results.js';
import type { Streamed } from './streamed.js';
import { type DelaySummary, delaySummary, timeToSafepointResult } from './time-to-safepoint-result.js';

export interface OpenedDelays {
	readonly delays: readonly SafepointDelay[];
	readonly recording: Recording;
	readonly clock: JvmClock;
	readonly problems: readonly Problem[];
}

export interface TimeToSafepointRequest {
	/** From this time to safepoint on the cause is looked for. */
	readonly slowNs: number;
	/** null: that of the log. */
	readonly processId: number | null;
}

export interface TimeToSafepointAnswer extends OpenedDelays, DelaySummary {
	result(): Streamed<TimeToSafepointResult>;
}

/** Without samples only so many compilations are looked at. */
const MAX_PRINTED = 500;
const ALL = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** Who delays safepoints. Throws an InputError without safepoints. The evidence has to be opened with threads. */
export async function answerTimeToSafepoint(evidence: Evidence, { slowNs, processId }: TimeToSafepointRequest): Promise<TimeToSafepointAnswer> {
	evidence.refuseStrangers();
	const recording = await evidence.recording();
	if (recording === null) {
		throw withoutSafepoints(evidence.name);
	}
	const opened = await delaysOf(recording, evidence.name, slowNs, processId);
	const summary = delaySummary(opened, slowNs);
	return { ...opened, ...summary, result: () => timeToSafepointResult(recording, opened.delays, opened.clock, summary) };
}

function withoutSafepoints(file: string): InputError {
	return new InputError({
		severity: 'error',
		file,
		message: 'no file tells of safepoints',
		action:
			"record with -Xlog:safepoint*=info,safepoint=debug:file=safepoint.log:uptimenanos,timenanos,tags and -XX:+SafepointTimeout (JDK 9 and later; 'assay record' does it)",
	});
}

/** The same of a recording that is open, with its safepoints; `name` is what messages call it. */
export async function delaysOf(recording: Recording, name: string, slowNs: number, processId: number | null): Promise<OpenedDelays> {
	const { samples, threads, safepoints, code } = recording;
	const silent = silentSafepoint(recording);
	if (safepoints === null && silent === null) {
		throw withoutSafepoints(name);
	}
	if (
		silent === null &&
		safepoints !== null &&
		safepoints.safepoints.length + safepoints.timeouts.length + (safepoints.recorded?.collections.length ?? 0) === 0
	) {
		throw new InputError({
			severity: 'error',
			file: safepoints.file,
			message: 'holds no safepoint: the program had none while it was logged',
			action: 'nothing was waited for; let the program run longer if it should have been',
		});
	}
	const map = codeMap(code);
	const attribution = attributeSamples(samples, map, {
		event: 0,
		processId: processId ?? processOfLog(recording),
		window: ALL,
		clock: recordedClock(recording),
	});
	const wanted = samples.length > 0 ? sampledCode(attribution) : map.code.filter(isOptimized).slice(-MAX_PRINTED);
	const printed = await recording.readCode(wanted);
	const instructionsOf = (piece: GeneratedCode): { code: GeneratedCode; instructions: ReturnType<typeof printedInstructions> } => ({
		code: piece,
		instructions: printedInstructions(printed, piece),
	});
	const explained = explainDelays({
		safepoints: silent === null ? (safepoints?.safepoints ?? []) : [silent],
		samples,
		threads,
		target: attribution.target,
		codeOf: (target) => instructionsOf(map.code[target]!),
		placeOf: silent === null ? placesOf(attribution) : inUnknownCode(placesOf(attribution)),
		jvmStartSeconds: attribution.clock.startSeconds,
		printed: samples.length > 0 ? [] : wanted.map(instructionsOf),
		slowNs,
	});
	const delays = await withStacks(recording, explained);
	return { delays, recording, clock: attribution.clock, problems: [...recording.problems, ...doubts(recording, delays)] };
}

/** Where no samples have program counters, those of Flight Recorder tell who was seen. */
async function withStacks({ samples, safepoints }: Recording, delays: readonly SafepointDelay[]): Promise<readonly SafepointDelay[]> {
	if (samples.length > 0 || !delays.some(({ isSlow }) => isSlow)) {
		return delays;
	}
	const recorded = (await safepoints?.stackSamples?.()) ?? null;
	return recorded === null ? delays : withRecordedCulprits(delays, recorded.samples, recorded.originNs);
}

/** A JVM that was running, and answered nothing: it waited from before the first sample to the last. Null where its log tells more, or it answered. */
function silentSafepoint({ note, safepoints, samples }: Recording): Safepoint | null {
	if (note?.isSilent !== true || samples.length === 0 || (safepoints?.safepoints.length ?? 0) > 0) {
		return null;
	}
	const [first, last] = samples.timeSeconds.reduce(([from, to], time) => [Math.min(from, time), Math.max(to, time)], [
		Number.POSITIVE_INFINITY,
		Number.NEGATIVE_INFINITY,
	] as [number, number]);
	const waitedNs = Math.round((last - first) * 1e9);
	const unknown = {
		operation: null,
		sinceLastNs: null,
		cleanupNs: null,
		atSafepointNs: null,
		leavingNs: null,
		runningThreads: null,
		totalThreads: null,
		timeout: null,
	};
	const end = { uptimeNs: null, monotonicNs: Math.round(last * 1e9), epochNs: null };
	return { ...unknown, reachingNs: waitedNs, totalNs: waitedNs, end, unfinished: 'silent', line: 0 };
}

/** Nobody could ask that JVM for its code: what belongs to no library is taken for compiled. */
function inUnknownCode(placeOf: ReturnType<typeof placesOf>): ReturnType<typeof placesOf> {
	return (sample) => {
		const place = placeOf(sample);
		return place === 'unknown code' ? 'not printed' : place;
	};
}

function printedInstructions(printed: Awaited<ReturnType<Recording['readCode']>>, piece: GeneratedCode) {
	const instructions = printed.get(piece)?.instructions;
	return instructions === undefined || instructions.length === 0 ? null : instructions;
}

function sampledCode({ target, map }: Attribution): GeneratedCode[] {
	return [...new Set(target)].filter((position) => position >= 0).map((position) => map.code[position]!);
}

function isOptimized({ kind, compiler }: GeneratedCode): boolean {
	return kind === 'compilation' && compiler !== 'c1';
}

/** What the reasons of samples outside of compilations mean to a safepoint. */
const PLACES: Readonly<Record<Reason, DelayPlace | null>> = {
	kernel: 'kernel',
	'native library': 'native',
	interpreter: 'interpreter',
	stub: 'stub',
	unknown: 'unknown code',
	'named by the profiler only': 'not printed',
	"before the JVM's start": null,
	'outside the window': null,
	'other process': null,
	'other event': null,
	'other thread': null,
};

function placesOf({ samples, reason }: Attribution): (sample: number) => DelayPlace | 'compilation' | null {
	const isLibjvm = samples.places.map(({ library }) => isJvmLibrary(library));
	return (sample) => {
		const why = reason[sample]!;
		if (why < 0) {
			return 'compilation';
		}
		const place = PLACES[REASONS[why]!];
		return place === 'native' && isLibjvm[samples.place[sample]!] ? 'JVM' : place;
	};
}

function doubts({ samples, samplesFile, safepoints, format, threads }: Recording, delays: readonly SafepointDelay[]): Problem[] {
	const slow = delays.filter(({ isSlow }) => isSlow);
	const warn = (file: string, message: string, action: string): Problem[] => [{ severity: 'warning', file, message, action }];
	const file = safepoints?.file ?? samplesFile;
	if (slow.length === 0) {
		return [];
	}
	if (samples.length === 0 && slow.some((delay) => delay.samples > 0)) {
		return warn(
			file,
			'its samples have stacks and no program counters',
			'causes are told by method and line; why code has no poll is told from samples of perf and printed code',
		);
	}
	if (samples.length === 0 && safepoints?.stackSamples !== undefined) {
		return warn(
			file,
			'none of its samples lies in the time in which slow safepoints were waited for',
			"up to JDK 24 Flight Recorder's sampler stands still then; samples of perf, late threads (-XX:+SafepointTimeout) and printed loops tell who was late",
		);
	}
	if (samples.length === 0) {
		return warn(file, 'there are no samples', 'what delays safepoints is told only by late threads (-XX:+SafepointTimeout) and printed loops without a poll');
	}
	const result: Problem[] = [];
	if (threads === null) {
		result.push(
			...warn(
				samplesFile,
				`samples of ${format} name no threads`,
				'causes are told without them; perf script --fields comm,pid,tid,time,event,ip,sym,dso names them',
			),
		);
	}
	if (slow.every(({ clock }) => clock !== 'samples')) {
		result.push(
			...warn(
				file,
				"its times cannot be laid on the samples' clock",
				'record with timenanos among the decorations of -Xlog and perf record -k CLOCK_MONOTONIC',
			),
		);
	} else if (slow.every((delay) => isOutside(delay, samples.timeSeconds))) {
		result.push(
			...warn(
				samplesFile,
				'no slow safepoint lies in the time that was sampled',
				'check that samples and safepoints are of the same run and clock (perf record -k CLOCK_MONOTONIC)',
			),
		);
	}
	return result;
}

function isOutside({ startedNs, safepoint }: SafepointDelay, times: Float64Array): boolean {
	const from = (startedNs ?? 0) / 1e9;
	const to = from + safepoint.totalNs / 1e9;
	const [first = 0] = times;
	return to < first || from > (times.at(-1) ?? 0);
}
