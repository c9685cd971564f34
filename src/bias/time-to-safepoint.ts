/**
 * Who delays safepoints: samples that fall between the begin of a safepoint and its being reached. A safepoint's line is printed at its end:
 * it began its total time before, and was reached `reaching` after that. What runs in between has not seen the poll yet; threads in native
 * code count as stopped, and the JVM's own threads are not waited for.
 */
import { lastAtOrBelow } from '../model/binary-search.js';
import type { GeneratedCode } from '../model/generated-code.js';
import type { Instructions } from '../model/instructions.js';
import type { LateThread, Safepoint } from '../model/safepoint.js';
import type { Samples, SampleThreads } from '../model/samples.js';
import { type DelayPlace, reasonOfLoop, reasonOfPlace } from './delay-reasons.js';
import { type DelayingLoop, DelayingLoops } from './delaying-loop.js';
import { CodeCandidates } from './loops-without-poll.js';
import type { Culprit, SafepointDelay, SampledCode } from './safepoint-delay.js';

/** What is known of a run's safepoints: their log, samples, and the code that was sampled. */
export interface DelayEvidence {
	readonly safepoints: readonly Safepoint[];
	readonly samples: Samples;
	readonly threads: SampleThreads | null;
	/** For each sample its code, by any number, -1 for none. */
	readonly target: Int32Array;
	readonly codeOf: (target: number) => SampledCode;
	/** What a sample outside of compilations is; null: it is none of the JVM's. */
	readonly placeOf: (sample: number) => DelayPlace | 'compilation' | null;
	/** Samples' time of the JVM's stamp 0, in seconds; NaN where it is not known. */
	readonly jvmStartSeconds: number;
	/** Printed compilations, for recordings without samples. */
	readonly printed: readonly SampledCode[];
	/** From this time to safepoint on it is slow, in nanoseconds. */
	readonly slowNs: number;
}

/** Below this part of the samples a row is noise: what a thread does until it sees the next poll. */
const LEAST_PERCENT = 1;

/** A begin without end this short before the end of the recording is that of a safepoint in which the recording or the JVM ended. */
const SHORTEST_NS = 100e6;

/** Who made others wait at each safepoint: from the samples while it was not reached, late threads, loops without a poll. In the order of the log. */
export function explainDelays(evidence: DelayEvidence): SafepointDelay[] {
	const order = orderByTime(evidence.samples);
	const times = Float64Array.from(order, (i) => evidence.samples.timeSeconds[i]!);
	const loops = new Map<number, DelayingLoops | null>();
	const candidates = new CodeCandidates(evidence.printed);
	return evidence.safepoints.flatMap((logged): SafepointDelay[] => {
		const { startedNs, clock } = beginOf(logged, evidence.jvmStartSeconds, times);
		const safepoint = stillWaiting(logged, startedNs, clock, times);
		if (clock === 'samples' && times.length > 0 && safepoint.unfinished === 'begun' && safepoint.timeout === null && safepoint.totalNs < SHORTEST_NS) {
			return [];
		}
		const isSlow = safepoint.unfinished !== null || (safepoint.reachingNs ?? 0) >= evidence.slowNs;
		if (!isSlow) {
			return [{ safepoint, startedNs, clock, isSlow, samples: 0, culprits: [] }];
		}
		const inside: number[] = [];
		if (startedNs !== null && clock === 'samples') {
			const reached = (startedNs + (safepoint.reachingNs ?? 0)) / 1e9;
			for (let at = firstAtOrAbove(times, startedNs / 1e9); at < times.length && times[at]! <= reached; at++) {
				inside.push(order[at]!);
			}
		}
		const ofJvm = inside.filter((i) => evidence.placeOf(i) !== null);
		const seen = seenCulprits(ofJvm, safepoint, startedNs ?? 0, evidence, loops);
		const culprits = seen.length > 0 ? seen : candidates.of(safepoint);
		return [{ safepoint, startedNs, clock, isSlow, samples: ofJvm.length, culprits: culprits.length > 0 ? culprits : unexplained(safepoint) }];
	});
}

/** What never ended was waited for as long as the JVM was sampled. */
function stillWaiting(safepoint: Safepoint, startedNs: number | null, clock: SafepointDelay['clock'], times: Float64Array): Safepoint {
	const last = times.at(-1);
	if (safepoint.unfinished === null || startedNs === null || clock !== 'samples' || last === undefined) {
		return safepoint;
	}
	const waitedNs = Math.max(safepoint.totalNs, Math.round(last * 1e9 - startedNs));
	const later = (time: number | null): number | null => (time === null ? null : time + waitedNs - safepoint.totalNs);
	const { uptimeNs, monotonicNs, epochNs } = safepoint.end;
	const end = { uptimeNs: later(uptimeNs), monotonicNs: later(monotonicNs), epochNs: later(epochNs) };
	return { ...safepoint, reachingNs: waitedNs, totalNs: waitedNs, end };
}

/**
 * The monotonic clock is the samples' where the log has it; else the uptime is shifted to it. A single stamp in nanoseconds is read as the
 * uptime; one that lies among the samples' times as it is, and not when shifted, was the monotonic clock.
 */
function beginOf({ end, totalNs }: Safepoint, jvmStartSeconds: number, times: Float64Array): Pick<SafepointDelay, 'startedNs' | 'clock'> {
	if (end.monotonicNs !== null) {
		return { startedNs: end.monotonicNs - totalNs, clock: 'samples' };
	}
	if (end.uptimeNs === null) {
		return { startedNs: null, clock: null };
	}
	const isKnown = !Number.isNaN(jvmStartSeconds);
	const seconds = end.uptimeNs / 1e9;
	const isSampled = (time: number): boolean => time >= (times[0] ?? Number.POSITIVE_INFINITY) && time <= times.at(-1)!;
	if (isSampled(seconds) && !isSampled(seconds + jvmStartSeconds)) {
		return { startedNs: end.uptimeNs - totalNs, clock: 'samples' };
	}
	return { startedNs: end.uptimeNs - totalNs + (isKnown ? Math.round(jvmStartSeconds * 1e9) : 0), clock: isKnown ? 'samples' : 'uptime' };
}

/** Threads of the JVM that no safepoint waits for, by their names as the system cuts them. */
const OWN_THREADS = /^(?:VM Thread|VM Periodic|GC Thread|G1 |Z[A-Z][a-zA-Z]*|Shenandoah|C[12] Compiler|JVMCI|Signal Dispatch$)/;

interface Row {
	readonly thread: number;
	readonly target: number;
	readonly place: DelayPlace | 'compilation';
	readonly loop: DelayingLoop | null;
	samples: number;
	readonly byFrame: Map<string, { readonly method: string; readonly line: number | null; count: number }>;
	readonly byAddress: Map<number, number>;
}

function seenCulprits(
	inside: readonly number[],
	safepoint: Safepoint,
	startedNs: number,
	evidence: DelayEvidence,
	loops: Map<number, DelayingLoops | null>,
): Culprit[] {
	const suspects = suspectThreads(inside, safepoint, startedNs, evidence);
	const rows = new Map<string, Row>();
	for (const i of inside) {
		const thread = evidence.threads?.of[i] ?? -1;
		if (suspects.has(thread)) {
			countSample(rows, i, thread, evidence, loops);
		}
	}
	const result = [...rows.values()]
		.sort((a, b) => b.samples - a.samples)
		.filter(({ samples }, i) => i === 0 || (100 * samples) / inside.length >= LEAST_PERCENT)
		.map((row) => culpritOf(row, inside.length, safepoint, evidence));
	return result;
}

function countSample(rows: Map<string, Row>, i: number, thread: number, evidence: DelayEvidence, loops: Map<number, DelayingLoops | null>): void {
	const target = evidence.target[i]!;
	const sampled = evidence.placeOf(i)!;
	const address = Number(evidence.samples.address[i]);
	const instructions = sampled === 'compilation' ? evidence.codeOf(target).instructions : null;
	const at = instructions === null ? -1 : lastAtOrBelow(instructions.address, address);
	let loop: DelayingLoop | null = null;
	if (instructions !== null && at >= 0) {
		if (!loops.has(target)) {
			loops.set(target, new DelayingLoops(instructions));
		}
		loop = loops.get(target)?.around(at) ?? null;
	}
	const place = placeIn(sampled, loop, instructions, target < 0 ? null : evidence.codeOf(target).code);
	const key = `${thread} ${place} ${target} ${loop?.header ?? ''}`;
	let row = rows.get(key);
	if (row === undefined) {
		row = { thread, target, place, loop, samples: 0, byFrame: new Map(), byAddress: new Map() };
		rows.set(key, row);
	}
	row.samples++;
	row.byAddress.set(address, (row.byAddress.get(address) ?? 0) + 1);
	const frame = instructions === null ? undefined : instructions.frames(at)[0];
	if (frame !== undefined) {
		const name = `${frame.method}:${frame.line}`;
		const counted = row.byFrame.get(name) ?? { method: frame.method, line: frame.line, count: 0 };
		counted.count++;
		row.byFrame.set(name, counted);
	}
}

function placeIn(sampled: Row['place'], loop: DelayingLoop | null, instructions: Instructions | null, code: GeneratedCode | null): Row['place'] {
	if (sampled === 'stub') {
		return code !== null && SHORT_STUBS.some((part) => code.name.includes(part)) ? 'short stub' : 'stub';
	}
	return sampled !== 'compilation' || loop !== null ? sampled : instructions === null ? 'not printed' : 'straight code';
}

/** Parts of the names of stubs without a loop over data: of calls, casts, barriers of collectors, resolution (vtableStubs, sharedRuntime, c1_Runtime1). */
const SHORT_STUBS = ['table stub', 'I2C/C2I', 'Runtime1 stub', 'barrier', 'subtype_check', 'flush_icache', 'resolve_', 'ic_miss', 'wrong_method', 'call_stub'];

/**
 * Threads that can be the cause: not the JVM's own, not only in native code or the kernel (these are stopped as far as the JVM is concerned), and
 * still running in the second half of the time, if any did. Threads that SafepointTimeout named always.
 */
function suspectThreads(inside: readonly number[], safepoint: Safepoint, startedNs: number, { threads, samples, placeOf }: DelayEvidence): Set<number> {
	const last = new Map<number, number>();
	const inJava = new Set<number>();
	for (const i of inside) {
		const thread = threads?.of[i] ?? -1;
		const name = threads?.threads[thread]?.name ?? '';
		if (OWN_THREADS.test(name)) {
			continue;
		}
		last.set(thread, Math.max(last.get(thread) ?? 0, samples.timeSeconds[i]!));
		const place = placeOf(i);
		if (place !== 'native' && place !== 'kernel' && place !== 'unknown code') {
			inJava.add(thread);
		}
	}
	const half = (startedNs + (safepoint.reachingNs ?? 0) / 2) / 1e9;
	const isReported = (thread: number): boolean => lateThread(safepoint, threads?.threads[thread]) !== null;
	const running = [...last.keys()].filter((thread) => inJava.has(thread) || isReported(thread));
	const late = running.filter((thread) => last.get(thread)! >= half || isReported(thread));
	return new Set(late.length > 0 ? late : running);
}

function culpritOf(row: Row, total: number, safepoint: Safepoint, { threads, codeOf }: DelayEvidence): Culprit {
	const sampled = threads?.threads[row.thread] ?? null;
	const late = lateThread(safepoint, sampled ?? undefined) ?? (sampled === null ? onlyLate(safepoint) : null);
	const frame = [...row.byFrame.values()].sort((a, b) => b.count - a.count)[0];
	const code = row.target < 0 ? null : codeOf(row.target).code;
	const hottest = [...row.byAddress].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
	const reason = row.place !== 'compilation' ? reasonOfPlace(row.place) : row.loop !== null ? reasonOfLoop(row.loop) : reasonOfPlace('straight code');
	return {
		...reason,
		thread: late?.name ?? (sampled?.name || null),
		threadId: sampled === null || sampled.id < 0 ? (late?.threadId ?? null) : sampled.id,
		isReported: late !== null,
		method: frame?.method ?? nameOf(row.place, code),
		line: frame?.line ?? null,
		compileId: code?.compileId ?? null,
		address: row.loop?.header ?? hottest,
		loop: row.loop,
		samples: row.samples,
		percent: (100 * row.samples) / total,
		evidence: 'samples',
	};
}

function nameOf(place: DelayPlace | 'compilation', code: GeneratedCode | null): string {
	if (code === null) {
		return `(${place})`;
	}
	if (code.kind === 'compilation' || code.kind === 'native wrapper') {
		return code.name;
	}
	return code.name.endsWith(' stub') ? `(${code.name})` : `(${place === 'short stub' ? 'stub' : place} ${code.name})`;
}

/** The late thread that a sampled one is: by its number, or by the name as far as the system keeps it (in containers numbers differ). */
function lateThread({ timeout }: Safepoint, sampled: { readonly name: string; readonly id: number } | undefined): LateThread | null {
	if (timeout === null || sampled === undefined) {
		return null;
	}
	const byName = timeout.threads.filter(
		({ name }) => sampled.name !== '' && (name === sampled.name || (sampled.name.length >= 15 && name.startsWith(sampled.name))),
	);
	return timeout.threads.find(({ threadId }) => threadId !== null && threadId === sampled.id) ?? (byName.length === 1 ? byName[0]! : null);
}

function onlyLate({ timeout }: Safepoint): LateThread | null {
	return timeout?.threads.length === 1 ? timeout.threads[0]! : null;
}

/** Late threads of which nothing else is known. */
function unexplained({ timeout }: Safepoint): Culprit[] {
	return (timeout?.threads ?? []).map(({ name, threadId }) => ({
		...reasonOfPlace('unknown'),
		thread: name,
		threadId,
		isReported: true,
		method: '(unknown)',
		line: null,
		compileId: null,
		address: null,
		loop: null,
		samples: 0,
		percent: 0,
		evidence: 'timeout',
	}));
}

/** Positions of samples by time; profilers give them nearly so. */
function orderByTime({ timeSeconds, length }: Samples): Int32Array {
	const order = Int32Array.from({ length }, (_, i) => i);
	const isSorted = timeSeconds.every((time, i) => i === 0 || time >= timeSeconds[i - 1]!);
	return isSorted ? order : order.sort((a, b) => timeSeconds[a]! - timeSeconds[b]! || a - b);
}

function firstAtOrAbove(ascending: Float64Array, value: number): number {
	let at = lastAtOrBelow(ascending, value);
	while (at >= 0 && ascending[at] === value) {
		at--;
	}
	return at + 1;
}
