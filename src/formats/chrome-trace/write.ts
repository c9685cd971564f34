/**
 * Chrome's trace events as JSON ("Trace Event Format"), which Perfetto (ui.perfetto.dev) and chrome://tracing open: a track for each compiler
 * thread with its compilations, what waited in the queues as asynchronous spans, code that was given up and deoptimizations as instants,
 * safepoints with the time to reach them, and how many samples there were in each 10 ms. Times are microseconds since the JVM's start.
 */
import type { CompilationHistory, JitCompilation } from '../../model/jit-compilation.js';
import type { Safepoint } from '../../model/safepoint.js';
import { categoryOfFrame, type ProfileOrigin, type StackedSamples, type StackFrame } from '../../model/stacked-samples.js';

export interface TraceContent {
	/** null: no file tells of compilations. */
	readonly history: CompilationHistory | null;
	readonly safepoints: readonly Safepoint[];
	/** null: no samples, or nothing tells when the JVM started on their clock. */
	readonly samples: StackedSamples | null;
	readonly processId: number | null;
}

export interface TraceCounts {
	readonly compilations: number;
	readonly safepoints: number;
	/** Safepoints whose log does not tell how long after the JVM's start they were. */
	readonly safepointsLeftOut: number;
	readonly samples: number;
}

type TraceEvent = Readonly<Record<string, unknown>>;

const SAFEPOINT_TRACK = 'safepoints';
/** Tracks that are no thread have numbers that no thread has. */
const FIRST_TRACK = 2 ** 31;
const COUNTER_MS = 10;

export function writeChromeTrace(content: TraceContent, { title, producer }: ProfileOrigin, write: (text: string) => void): TraceCounts {
	const pid = content.processId ?? 1;
	let count = 0;
	const emit = (event: TraceEvent): void => {
		write(`${count++ === 0 ? '\n' : ',\n'}${JSON.stringify({ ...event, pid })}`);
	};
	write(`{"displayTimeUnit":"ms","otherData":${JSON.stringify({ title, producer })},"traceEvents":[`);
	emit({ ph: 'M', name: 'process_name', tid: 0, args: { name: title } });
	const compilations = content.history === null ? 0 : writeCompilations(content.history, emit);
	const safepoints = writeSafepoints(content, emit);
	const samples = content.samples === null ? 0 : writeSampleCounters(content.samples, emit);
	write('\n]}\n');
	return { compilations, safepoints, safepointsLeftOut: content.safepoints.length - safepoints, samples };
}

type Emit = (event: TraceEvent) => void;

/** How many of the compilations have a time. */
function writeCompilations({ compilations, threads, endMs }: CompilationHistory, emit: Emit): number {
	const unnamed = new Map<string, number>();
	const lanes = new Lanes();
	const trackOf = (compilation: JitCompilation): number => {
		const { threadId, compiler } = compilation;
		if (threadId !== null) {
			return threadId;
		}
		const lane = lanes.of(compiler ?? '', compilation, endMs);
		const name = `${compiler === null ? 'native wrappers' : `${compiler}, thread unknown`}${lane === 0 ? '' : ` (${lane + 1})`}`;
		const known = unnamed.get(name) ?? FIRST_TRACK + 1 + unnamed.size;
		unnamed.set(name, known);
		return known;
	};
	let written = 0;
	for (const compilation of [...compilations].sort((a, b) => beginOf(a) - beginOf(b))) {
		written += writeCompilation(compilation, trackOf(compilation), endMs, emit) ? 1 : 0;
	}
	const used = new Set(compilations.map(({ threadId }) => threadId));
	const shown = threads.filter(({ id }) => used.has(id));
	for (const { id, name } of shown) {
		// The JVM starts threads of a name again when others have ended.
		const isAgain = shown.some((other) => other.name === name && other.id !== id);
		emit({ ph: 'M', name: 'thread_name', tid: id, args: { name: name === null ? `compiler thread ${id}` : isAgain ? `${name} (${id})` : name } });
	}
	for (const [name, tid] of unnamed) {
		emit({ ph: 'M', name: 'thread_name', tid, args: { name } });
	}
	return written;
}

/** Milliseconds; those without a time come last. */
function beginOf({ startedMs, installedMs }: JitCompilation): number {
	return startedMs ?? installedMs ?? Number.POSITIVE_INFINITY;
}

/** Where nothing tells the thread: as few rows as hold the compilations of a compiler, in the order of their begins, without two at a time in one. */
class Lanes {
	private readonly ends = new Map<string, number[]>();

	of(compiler: string, compilation: JitCompilation, endMs: number): number {
		const begin = beginOf(compilation);
		const ends = this.ends.get(compiler) ?? [];
		this.ends.set(compiler, ends);
		const free = ends.findIndex((end) => end <= begin);
		const lane = free < 0 ? ends.length : free;
		ends[lane] = Math.max(begin, compilation.doneMs ?? (compilation.startedMs === null ? begin : endMs));
		return lane;
	}
}

function writeCompilation(compilation: JitCompilation, tid: number, endMs: number, emit: Emit): boolean {
	const { compileId, method, compiler, level, queuedMs, startedMs, doneMs, installedMs, notEntrant, failure, deoptimizations } = compilation;
	const name = `c${compileId} ${method}`;
	const cat = compiler ?? 'native wrapper';
	const begin = startedMs ?? installedMs;
	if (queuedMs !== null) {
		// What still waited at the end waits until then.
		const event = { name, cat: 'queued', id: compileId, tid };
		emit({ ...event, ph: 'b', ts: micros(queuedMs), args: { level, comment: compilation.queueComment } });
		emit({ ...event, ph: 'e', ts: micros(Math.max(queuedMs, startedMs ?? endMs)) });
	}
	if (begin !== null) {
		const end = Math.max(begin, doneMs ?? (startedMs === null ? begin : endMs));
		emit({ ph: 'X', name, cat, tid, ts: micros(begin), dur: micros(end) - micros(begin), args: argumentsOf(compilation) });
	}
	if (failure !== null && doneMs !== null) {
		emit({
			ph: 'i',
			s: 't',
			name: `${name}: failed`,
			cat: 'failure',
			tid,
			ts: micros(doneMs),
			args: { compileId, reason: failure.reason, phase: failure.phase },
		});
	}
	if (notEntrant !== null) {
		emit({
			ph: 'i',
			s: 'p',
			name: `${name}: made not entrant`,
			cat: 'not entrant',
			tid,
			ts: micros(notEntrant.ms),
			args: { compileId, reason: notEntrant.reason },
		});
	}
	for (const { kind, reason, action, ms, threadId, method: at, bci } of deoptimizations) {
		if (ms !== null) {
			const args = { compileId, reason, action, method: at, bci };
			emit({ ph: 'i', s: 't', name: `${name}: ${kind}, ${reason}`, cat: 'deoptimization', tid: threadId ?? tid, ts: micros(ms), args });
		}
	}
	return queuedMs !== null || begin !== null;
}

function argumentsOf(compilation: JitCompilation): object {
	const { compileId, kind, method, signature, level, osrBci, bytecodeBytes, inlinedBytes, sizeBytes, nmethodBytes, invocations, backedges, failure } =
		compilation;
	return {
		compileId,
		kind,
		method,
		signature,
		level,
		...(osrBci === null ? {} : { osrBci }),
		bytecodeBytes,
		inlinedBytes,
		sizeBytes,
		nmethodBytes,
		invocations,
		backedges,
		...(failure === null ? {} : { failure: failure.reason }),
	};
}

/** How many have a time: since the JVM's start, or since 1970 where the JVM's start is known so too. */
function writeSafepoints({ safepoints, history }: TraceContent, emit: Emit): number {
	let written = 0;
	for (const { operation, reachingNs, cleanupNs, atSafepointNs, leavingNs, totalNs, runningThreads, totalThreads, end, timeout } of safepoints) {
		const startEpochNs = history?.startedEpochMs == null ? null : history.startedEpochMs * 1e6;
		const endNs = end.uptimeNs ?? (end.epochNs === null || startEpochNs === null ? null : end.epochNs - startEpochNs);
		if (endNs === null) {
			continue;
		}
		written++;
		const tid = FIRST_TRACK;
		const startNs = Math.max(0, endNs - totalNs);
		const args = {
			reachingNs,
			cleanupNs,
			atSafepointNs,
			leavingNs,
			totalNs,
			runningThreads,
			totalThreads,
			lateThreads: timeout?.threads.map(({ name }) => name),
		};
		emit({ ph: 'X', name: operation ?? 'safepoint', cat: 'safepoint', tid, ts: startNs / 1e3, dur: totalNs / 1e3, args });
		if (reachingNs !== null) {
			emit({ ph: 'X', name: 'reaching', cat: 'safepoint', tid, ts: startNs / 1e3, dur: Math.min(reachingNs, totalNs) / 1e3 });
		}
	}
	if (written > 0) {
		emit({ ph: 'M', name: 'thread_name', tid: FIRST_TRACK, args: { name: SAFEPOINT_TRACK } });
	}
	return written;
}

function writeSampleCounters({ length, node, nodeFrame, frames, timeSeconds, originSeconds }: StackedSamples, emit: Emit): number {
	if (timeSeconds === null) {
		return 0;
	}
	const categories = frames.map(categoryOfFrame as (frame: StackFrame) => string);
	const names = [...new Set(categories)].sort();
	const counts = new Map<number, Map<string, number>>();
	for (let i = 0; i < length; i++) {
		const slot = Math.floor((timeSeconds[i]! - originSeconds) / (COUNTER_MS / 1000));
		const category = categories[nodeFrame[node[i]!]!]!;
		const row = counts.get(slot) ?? new Map<string, number>();
		row.set(category, (row.get(category) ?? 0) + 1);
		counts.set(slot, row);
	}
	const zero = Object.fromEntries(names.map((name) => [name, 0]));
	for (const slot of [...counts.keys()].sort((a, b) => a - b)) {
		const event = { ph: 'C', name: `samples in ${COUNTER_MS} ms`, tid: 0 };
		emit({ ...event, ts: slot * COUNTER_MS * 1000, args: { ...zero, ...Object.fromEntries(counts.get(slot) ?? []) } });
		if (!counts.has(slot + 1)) {
			emit({ ...event, ts: (slot + 1) * COUNTER_MS * 1000, args: zero });
		}
	}
	return length;
}

/** Whole microseconds: the log's stamps are milliseconds. */
function micros(milliseconds: number): number {
	return Math.round(milliseconds * 1000);
}
