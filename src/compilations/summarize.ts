/** Totals over the compilations of a run: by compiler and level, why they failed, why their code was given up, how busy the compilers were. */
import { type CompilationHistory, type CompilerThread, compileMs, type JitCompilation, wasInstalled } from '../model/jit-compilation.js';
import { queueLengths, waitingAmong, wasStarted } from './queue.js';
import type { CodeHeapUse, CompilationsSummary, DeoptimizationCount, LevelCount, ReasonCount, ThreadTotal } from './results.js';
import { findStorms } from './storms.js';

/** Into how many parts a run is cut where something is shown over time. */
const PARTS = 60;

/** The compilations of a run in numbers; times in milliseconds, sizes in bytes. */
export function summarize(history: CompilationHistory): CompilationsSummary {
	const { compilations } = history;
	const made = compilations.filter(({ kind }) => kind !== 'native wrapper');
	const waiting = waitingAmong(compilations);
	return {
		history,
		compilations: made.length,
		nativeWrappers: compilations.length - made.length,
		osr: count(made, ({ kind }) => kind === 'osr'),
		installed: count(made, wasInstalled),
		started: count(made, wasStarted),
		waiting: waiting.size,
		notEntrant: count(made, ({ notEntrant }) => notEntrant !== null),
		levels: levelCounts(compilations, waiting),
		failures: reasonCounts(made.flatMap(({ failure }) => (failure === null ? [] : [failure.reason]))),
		retries: reasonCounts(made.flatMap(({ retries }) => retries)),
		notEntrantReasons: reasonCounts(made.flatMap(({ notEntrant }) => (notEntrant === null ? [] : [notEntrant.reason ?? '']))),
		deoptimizations: deoptimizationCounts(made),
		storms: findStorms(made),
		threads: threadTotals(history),
		queues: queueLengths(history, PARTS),
		codeHeap: codeHeapUse(history),
	};
}

function levelCounts(compilations: readonly JitCompilation[], waiting: ReadonlySet<JitCompilation>): LevelCount[] {
	const groups = new Map<string, JitCompilation[]>();
	for (const compilation of compilations) {
		const key = compilation.kind === 'native wrapper' ? '' : `${compilation.compiler} ${compilation.level}`;
		const group = groups.get(key);
		if (group === undefined) {
			groups.set(key, [compilation]);
		} else {
			group.push(compilation);
		}
	}
	return [...groups]
		.map(([key, group]) => ({
			compiler: key === '' ? null : (group[0]?.compiler ?? null),
			level: key === '' ? null : (group[0]?.level ?? null),
			compilations: group.length,
			osr: count(group, ({ kind }) => kind === 'osr'),
			installed: count(group, wasInstalled),
			failed: count(group, ({ failure }) => failure !== null),
			waiting: count(group, (compilation) => waiting.has(compilation)),
			notEntrant: count(group, ({ notEntrant }) => notEntrant !== null),
			compileMs: sum(group, (compilation) => compileMs(compilation) ?? 0),
			sizeBytes: sum(group, ({ sizeBytes, nmethodBytes }) => sizeBytes ?? nmethodBytes ?? 0),
		}))
		.sort((a, b) => (a.level ?? 9) - (b.level ?? 9) || ((a.compiler ?? '') < (b.compiler ?? '') ? -1 : 1));
}

function reasonCounts(reasons: readonly string[]): ReasonCount[] {
	const counts = new Map<string, number>();
	for (const reason of reasons) {
		counts.set(reason, (counts.get(reason) ?? 0) + 1);
	}
	return [...counts].map(([reason, times]) => ({ reason, count: times })).sort((a, b) => b.count - a.count);
}

function deoptimizationCounts(compilations: readonly JitCompilation[]): DeoptimizationCount[] {
	const counts = new Map<string, { kind: string; reason: string; action: string | null; count: number; compilations: Set<JitCompilation> }>();
	for (const compilation of compilations) {
		for (const { kind, reason, action } of compilation.deoptimizations) {
			const key = `${kind} ${reason} ${action}`;
			const row = counts.get(key) ?? { kind, reason, action, count: 0, compilations: new Set() };
			row.count++;
			row.compilations.add(compilation);
			counts.set(key, row);
		}
	}
	return [...counts.values()].map((row) => ({ ...row, compilations: row.compilations.size })).sort((a, b) => b.count - a.count);
}

function threadTotals({ threads, compilations, watchedFromMs = 0, endMs }: CompilationHistory): ThreadTotal[] {
	const ids = new Set([...threads.map(({ id }) => id), ...compilations.flatMap(({ threadId }) => (threadId === null ? [] : [threadId]))]);
	const ends = endsOfThreads(threads, endMs);
	const byId = new Map(threads.toReversed().map((thread) => [thread.id, thread]));
	const compiledBy = new Map<number, JitCompilation[]>();
	for (const compilation of compilations) {
		if (compilation.threadId !== null) {
			const own = compiledBy.get(compilation.threadId) ?? [];
			compiledBy.set(compilation.threadId, own);
			own.push(compilation);
		}
	}
	return [...ids].map((id) => {
		const thread = byId.get(id);
		const own = compiledBy.get(id) ?? [];
		const busyMs = sum(own, (compilation) => compileMs(compilation) ?? 0);
		const aliveMs = Math.max(1, (thread === undefined ? endMs : ends.get(thread)!) - Math.max(watchedFromMs, thread?.startedMs ?? 0));
		return {
			id,
			name: thread?.name ?? null,
			compilations: own.length,
			busyMs,
			busyShare: Math.min(1, busyMs / aliveMs),
			sizeBytes: sum(own, ({ sizeBytes }) => sizeBytes ?? 0),
		};
	});
}

/** HotSpot takes a compiler thread that has nothing to do away, and begins another one of its name when there is work again. */
function endsOfThreads(threads: readonly CompilerThread[], endMs: number): ReadonlyMap<CompilerThread, number> {
	const ends = new Map<CompilerThread, number>();
	const next = new Map<string, { readonly startedMs: number; readonly endMs: number }>();
	for (const thread of threads.toSorted((a, b) => (b.startedMs ?? 0) - (a.startedMs ?? 0))) {
		const { name, startedMs } = thread;
		const later = name === null ? undefined : next.get(name);
		// Of two that begin at once neither is the next of the other.
		const end = later === undefined ? endMs : startedMs === later.startedMs ? later.endMs : later.startedMs;
		ends.set(thread, Math.min(endMs, end));
		if (name !== null) {
			next.set(name, { startedMs: startedMs ?? 0, endMs: end });
		}
	}
	return ends;
}

function codeHeapUse({ codeCache, arguments: flags, endMs }: CompilationHistory): CodeHeapUse | null {
	const [first] = codeCache;
	const last = codeCache.at(-1);
	if (first === undefined || last === undefined) {
		return null;
	}
	let least = first;
	const leastFreeOf: (number | null)[] = Array.from({ length: PARTS }, () => null);
	for (const state of codeCache) {
		least = state.freeBytes < least.freeBytes ? state : least;
		const part = Math.min(PARTS - 1, Math.floor((PARTS * state.ms) / Math.max(1, endMs)));
		leastFreeOf[part] = Math.min(leastFreeOf[part] ?? Number.POSITIVE_INFINITY, state.freeBytes);
	}
	return {
		reservedBytes: reservedCodeCache(flags ?? ''),
		firstFreeBytes: first.freeBytes,
		leastFreeBytes: least.freeBytes,
		leastFreeAtMs: least.ms,
		lastFreeBytes: last.freeBytes,
		leastFreeOf,
	};
}

/** `-XX:ReservedCodeCacheSize=64m` */
function reservedCodeCache(flags: string): number | null {
	const [, digits, unit = ''] = /-XX:ReservedCodeCacheSize=(\d{1,15})([kKmMgG]?)(?=\s|$)/.exec(flags) ?? [];
	return digits === undefined ? null : Number(digits) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit.toLowerCase());
}

function count<T>(items: readonly T[], holds: (item: T) => boolean): number {
	return items.reduce((total, item) => total + (holds(item) ? 1 : 0), 0);
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
	return items.reduce((total, item) => total + value(item), 0);
}
