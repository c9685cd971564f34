/** How many compilations waited for each compiler over time. */
import { type CompilationHistory, type JitCompilation, wasInstalled } from '../model/jit-compilation.js';
import type { QueueLength } from './results.js';

/** A compilation that waited. */
type QueuedCompilation = Pick<JitCompilation, 'startedMs'> & { readonly queuedMs: number; readonly isWaiting: boolean };

export function wasStarted({ startedMs }: JitCompilation): boolean {
	return startedMs !== null;
}

/** Those that are still queued when the log ends. Without any record nobody knows when something left the queue: none. */
export function waitingAmong(compilations: readonly JitCompilation[]): ReadonlySet<JitCompilation> {
	return new Set(
		compilations.some(wasStarted)
			? compilations.filter((one) => one.queuedMs !== null && one.kind !== 'native wrapper' && !wasStarted(one) && one.failure === null && !wasInstalled(one))
			: [],
	);
}

/** One item a compiler that has a queue; `parts` of equal length from the JVM's start to the end of the log. */
export function queueLengths({ compilations, endMs }: CompilationHistory, parts: number): QueueLength[] {
	const queues = new Map<string, QueuedCompilation[]>();
	const waiting = waitingAmong(compilations);
	for (const compilation of compilations) {
		const { queuedMs, startedMs, compiler } = compilation;
		if (queuedMs !== null && compiler !== null) {
			const queue = queues.get(compiler) ?? [];
			queue.push({ queuedMs, startedMs, isWaiting: waiting.has(compilation) });
			queues.set(compiler, queue);
		}
	}
	return compilations.some(wasStarted)
		? [...queues].sort(([a], [b]) => (a < b ? -1 : 1)).map(([compiler, queue]) => queueLength(compiler, queue, endMs, parts))
		: [];
}

function queueLength(compiler: string, queue: readonly QueuedCompilation[], endMs: number, parts: number): QueueLength {
	const changes = queue.flatMap(({ queuedMs, startedMs, isWaiting }) => {
		const enters = { ms: queuedMs, by: 1 };
		// What was taken out without being compiled has no time; its stay is counted as none.
		return startedMs !== null ? [enters, { ms: Math.max(startedMs, enters.ms), by: -1 }] : isWaiting ? [enters] : [];
	});
	// What is queued and started in the same millisecond was in the queue.
	changes.sort((a, b) => a.ms - b.ms || b.by - a.by);
	const longestOf = new Array<number>(parts).fill(0);
	let length = 0;
	let longest = 0;
	let longestAtMs = 0;
	let part = 0;
	for (const { ms, by } of changes) {
		const here = Math.min(parts - 1, Math.floor((parts * ms) / Math.max(1, endMs)));
		for (; part < here; part++) {
			longestOf[part + 1] = Math.max(longestOf[part + 1]!, length);
		}
		length += by;
		longestOf[part] = Math.max(longestOf[part]!, length);
		if (length > longest) {
			longest = length;
			longestAtMs = ms;
		}
	}
	for (; part < parts - 1; part++) {
		longestOf[part + 1] = Math.max(longestOf[part + 1]!, length);
	}
	const waits = queue.flatMap(({ queuedMs, startedMs }) => (startedMs === null ? [] : [Math.max(0, startedMs - queuedMs)]));
	const stillWaiting = queue.flatMap(({ queuedMs, isWaiting }) => (isWaiting ? [Math.max(0, endMs - queuedMs)] : []));
	// Where none was started nobody knows that they wait for it.
	const byLength = waits.length === 0 ? [] : [...waits, ...stillWaiting].sort((a, b) => b - a);
	return {
		compiler,
		longestOf,
		longest,
		longestAtMs,
		longestWaitMs: byLength[0] ?? 0,
		tenthWaitMs: byLength[Math.floor(byLength.length / 10)] ?? 0,
		meanWaitMs: waits.length === 0 ? 0 : waits.reduce((total, wait) => total + wait, 0) / waits.length,
		neverStarted: stillWaiting.length,
	};
}
