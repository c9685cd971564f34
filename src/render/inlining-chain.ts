/** Chains of inlining beside instructions: innermost first. */
import type { Frame } from '../model/instructions.js';
import { simpleName } from '../model/method-name.js';

/** Outer frames that are those of the chain before: more than these are not repeated. */
const MOST_REPEATED = 12;

/** `A.f:3 ← B.g:7`; of many outer frames that the chain before has too, the first, and how many follow. */
export function chainText(chain: readonly Frame[], before: readonly Frame[]): string {
	const same = sameOuter(chain, before);
	const shown = same > MOST_REPEATED ? chain.slice(0, chain.length - same + 1) : chain;
	const names = shown.map(({ method, line, bci }) => `${simpleName(method)}${line !== null ? `:${line}` : bci < 0 ? '' : `@${bci}`}`);
	return [...names, ...(shown === chain ? [] : [`… ${same - 1} more as above`])].join(' ← ');
}

/** Whether two chains read the same as lines of source: a listing does not repeat them for each bytecode. */
export function sameLines(a: readonly Frame[] | undefined, b: readonly Frame[] | undefined): boolean {
	return a !== undefined && b !== undefined && a.length === b.length && sameOuter(a, b) === a.length;
}

/** How many outer frames two chains have in common. */
function sameOuter(a: readonly Frame[], b: readonly Frame[]): number {
	let same = 0;
	while (same < a.length && same < b.length && isSameFrame(a[a.length - 1 - same]!, b[b.length - 1 - same]!)) {
		same++;
	}
	return same;
}

function isSameFrame(a: Frame, b: Frame): boolean {
	return a.method === b.method && a.line === b.line && (a.line !== null || a.bci === b.bci);
}
