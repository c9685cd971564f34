/** The inlining tree of a compilation: each row is a call of the log, with the samples that the debug information puts inside. */
import { expect } from 'vitest';
import { type Choice, counted, type Facts, share, textOf } from './facts.js';

/** A row that is drawn. */
interface DrawnCall {
	/** Bytecode indices of the calls from the compiled method inwards, this one last. */
	readonly bcis: readonly number[];
	readonly callee: string;
	readonly kind: string;
	readonly share: string;
}

export function checkInlining(box: Element, { hot, compilations, name }: Facts, { inside, query }: Choice, handle: string): void {
	const life = compilations?.compilations.find((one) => one.handle === handle);
	const calls = drawnCalls(box);
	// Remarks of LLVM tell of calls that were inlined into a callee before; the decisions of a compilation are its own.
	if (life?.callSites === undefined || calls.length === 0 || (life.compiler !== 'c1' && life.compiler !== 'c2')) {
		return;
	}
	const at = `${name} ${query} ${handle}`;
	const spelled = (bcis: readonly number[], callee: string | null, kind: string): string => `${bcis.join(' ')} ${callee} ${kind}`;
	const logged = counted(
		life.callSites.map(({ bcis, callee, inlined, intrinsic }) => spelled(bcis, callee, intrinsic ? 'intrinsic' : inlined ? 'inlined' : 'call')),
	);
	const drawn = counted(calls.map(({ bcis, callee, kind }) => spelled(bcis, callee, kind)));
	for (const [call, times] of drawn) {
		expect([at, call, times <= (logged.get(call) ?? 0)]).toEqual([at, call, true]);
	}
	if (calls.length < MOST_DRAWN) {
		// A call that was decided about twice stands once, as the last decision has it.
		const places = (all: ReadonlyMap<string, number>): string[] => [...new Set([...all.keys()].map((call) => call.slice(0, call.lastIndexOf(' '))))].sort();
		expect([at, places(drawn)]).toEqual([at, places(logged)]);
	}
	const code = hot?.code?.find(({ compileId }) => compileId === life.compileId);
	const samples = inside.filter(({ compileId, instruction }) => compileId === life.compileId && instruction >= 0);
	if (code === undefined || samples.length === 0) {
		return;
	}
	const chains = samples.map(({ instruction }) => [...(code.positions[code.position[instruction] ?? -1] ?? [])].reverse());
	for (const { bcis, callee, kind, share: shown } of calls) {
		if (kind !== 'inlined' || drawn.get(spelled(bcis, callee, kind)) !== 1) {
			continue;
		}
		const own = chains.filter((chain) => bcis.every((bci, i) => chain[i]?.bci === bci) && chain[bcis.length]?.method === callee).length;
		expect([at, bcis, callee, shown]).toEqual([at, bcis, callee, own === 0 ? '' : share(own, samples.length)]);
	}
}

/** A list draws what its window shows, and some more. */
const MOST_DRAWN = 250;

function drawnCalls(box: Element): DrawnCall[] {
	const around: (number | null)[] = [];
	const calls: DrawnCall[] = [];
	for (const row of box.querySelectorAll('#inlining .rows > .row')) {
		const call = row.querySelector('.call');
		const level = Number(row.getAttribute('aria-level'));
		if (call === null || level < 2) {
			continue;
		}
		// Below a call that is replaced by its receivers stand these, each at the call's index.
		const isReplaced = call.classList.contains('devirtualized');
		around[level - 2] = isReplaced ? null : Number(textOf(call.querySelector('.bci')));
		if (isReplaced) {
			continue;
		}
		const kind = ['inlined', 'intrinsic'].find((one) => call.classList.contains(one)) ?? 'call';
		const callee = call.querySelector('.method')?.getAttribute('title') ?? '';
		calls.push({ bcis: around.slice(0, level - 1).filter((bci) => bci !== null), callee, kind, share: textOf(call.querySelector('.share')) });
	}
	return calls;
}
