/** Safepoints that were begun and never reached, as sentences: when, which thread kept the JVM waiting, and why it did not stop. */
import type { Safepoint } from './safepoint.js';

/** Where a thread was that was waited for. */
interface WaitedFor {
	readonly thread: string | null;
	readonly method: string;
	readonly line: number | null;
	readonly compileId: string | null;
	readonly loop: { readonly poll: 'iteration' | 'strip' | 'none'; readonly callsMethods: boolean } | null;
	readonly why: string;
	readonly remedy: string | null;
}

/** Null for a safepoint that ended. */
export function neverReached({ safepoint, culprits }: { readonly safepoint: Safepoint; readonly culprits: readonly WaitedFor[] }): string | null {
	const { unfinished, operation, end, totalNs } = safepoint;
	if (unfinished === null) {
		return null;
	}
	const what = operation === null ? 'A safepoint' : `A safepoint for ${operation}`;
	const at = end.uptimeNs === null ? '' : ` at ${((end.uptimeNs - totalNs) / 1e9).toFixed(2)} s`;
	const [culprit] = culprits;
	if (unfinished === 'silent') {
		const who = culprit === undefined ? 'no sample tells which thread' : whereItWas(culprit);
		return `The JVM answered nobody while it was sampled, as one that waits for a safepoint or a handshake: ${who}`;
	}
	// A log that ends while the JVM stands at a safepoint has no late thread.
	const ending =
		unfinished === 'late'
			? `was still not reached${at}, and the log tells of no end`
			: `was begun${at} and ${culprit === undefined ? 'did not end' : 'never reached'}`;
	return `${what} ${ending}: ${culprit === undefined ? 'nothing tells who was waited for' : whereItWas(culprit)}`;
}

function whereItWas({ thread, method, line, compileId, loop, why, remedy }: WaitedFor): string {
	const who = thread === null ? 'a thread' : `thread ${thread}`;
	const place = `${method}${line === null ? '' : ` (line ${line})`}${compileId === null ? '' : `, c${compileId}`}`;
	if (loop?.poll === 'none' && !loop.callsMethods) {
		return `${who} was in a loop of ${place}, which has no poll because it counts with an int index by a constant step; what helps: ${remedy}`;
	}
	if (method === '(unknown)') {
		return `${who} was late, and no sample and no code tell where it was`;
	}
	if (method === '(not printed)') {
		return `${who} ran compiled code of which nothing is known`;
	}
	const where = loop === null ? `in ${method.startsWith('(') ? method.slice(1, -1) : place}` : `in a loop of ${place}`;
	return `${who} was ${where}: ${why}`;
}
