/** How many compilations waited for each compiler over time. */
import type { CompilationHistory, JitCompilation } from '../model/jit-compilation.js';
import type { QueueLength } from './results.js';

/** A compilation that waited. */
type QueuedCompilation = Pick<JitCompilation, 'startedMs' | 'failure'> & { readonly queuedMs: number };

/** One item a compiler that has a queue; `parts` of equal length from the JVM's start to the end of the log. */
export function queueLengths({ compilations, endMs }: CompilationHistory, parts: number): QueueLength[] {
	const queues = new Map<string, QueuedCompilation[]>();
	for (const compilation of compilations) {
		const { queuedMs, startedMs, failure, compiler } = compilation;
		if (queuedMs !== null && compiler !== null) {
			const queue = queues.get(compiler) ?? [];
			queue.push({ queuedMs, startedMs, failure });
			queues.set(compiler, queue);
		}
	}
	// Without any record nobody knows when something left the queue.
	const hasRecords = compilations.some(({ startedMs }) => startedMs !== null);
	return hasRecords ? [...queues].sort(([a], [b]) => (a < b ? -1 : 1)).map(([compiler, queue]) => queueLength(compiler, queue, endMs, parts)) : [];
}

function queueLength(compiler: string, queue: readonly QueuedCompilation[], endMs: number, parts: number): QueueLength {
	const changes = queue.flatMap(({ queuedMs, startedMs, failure }) => {
		const enters = { ms: queuedMs, by: 1 };
		// What was taken out without being compiled has no time; its stay is counted as none.
		return startedMs !== null ? [enters, { ms: Math.max(startedMs, enters.ms), by: -1 }] : failure === null ? [enters] : [];
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
	const stillWaiting = queue.flatMap(({ queuedMs, startedMs, failure }) => (startedMs === null && failure === null ? [Math.max(0, endMs - queuedMs)] : []));
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
