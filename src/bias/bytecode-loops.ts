/**
 * The loops that a Java compiler made: backward jumps of the bytecode. javac tests at the top and jumps back with `goto`; others (ecj, scalac,
 * kotlinc, and javac for do-while) test at the bottom. On-stack replacement enters at the target of the backward jump: with the test at
 * the bottom that is the body, while an outer loop comes in by the test. Such a loop has two ways in, and C2 counts no such loop.
 */
import type { BytecodeInstruction, MethodBytecode } from '../model/bytecode.js';

export interface BytecodeLoop {
	/** Target of the backward jump: where on-stack replacement enters. */
	readonly header: number;
	/** The backward jump; the last one of several. */
	readonly backEdge: number;
	/** `top`: it jumps back always, and something at the header leaves; `bottom`: the backward jump is the test; `none`: nothing ends it. */
	readonly test: 'top' | 'bottom' | 'inside' | 'none';
	/** A local with a constant step that is tested; null: none. `int` by `iinc`, `long` by addition. */
	readonly index: { readonly local: number; readonly type: 'int' | 'long'; readonly step: number } | null;
	/** Whether a loop is around it. */
	readonly isInner: boolean;
	/** Other bytecodes than the header at which it is entered: the test at the bottom. */
	readonly otherEntries: readonly number[];
	/** Bytecodes of the loop, ascending. */
	readonly bytecodes: readonly number[];
}

/** Inner loops before those around them. */
export function bytecodeLoops({ code }: MethodBytecode): BytecodeLoop[] {
	const at = new Map(code.map(({ bci }, i) => [bci, i]));
	const successors = code.map((instruction, i): number[] => {
		const result = instruction.targets.flatMap((bci) => at.get(bci) ?? []);
		return goesOn(instruction) && i + 1 < code.length ? [i + 1, ...result] : result;
	});
	const predecessors = code.map((): number[] => []);
	successors.forEach((list, from) => {
		for (const to of list) {
			predecessors[to]?.push(from);
		}
	});
	const backEdges = new Map<number, number>();
	successors.forEach((list, from) => {
		for (const to of list) {
			if (to <= from && code[from]?.opcode !== 'jsr') {
				backEdges.set(to, Math.max(from, backEdges.get(to) ?? 0));
			}
		}
	});
	const found = [...backEdges].map(([header, backEdge]) => {
		// What lies between, and leads to the backward jump without leaving that part of the text.
		const inside = new Set([header, backEdge]);
		const stack = [backEdge];
		for (let i = stack.pop(); i !== undefined; i = stack.pop()) {
			for (const from of predecessors[i]!) {
				if (!inside.has(from) && from >= header && from <= backEdge) {
					inside.add(from);
					stack.push(from);
				}
			}
		}
		return { header, backEdge, inside };
	});
	return found
		.sort((a, b) => a.inside.size - b.inside.size)
		.map(({ header, backEdge, inside }, position) => {
			const leaves = (i: number): boolean => successors[i]!.some((to) => !inside.has(to));
			const bcis = (of: Iterable<number>): number[] => [...of].map((i) => code[i]?.bci as number).sort((a, b) => a - b);
			const isTested = code[backEdge]!.opcode !== 'goto';
			const exits = [...inside].filter(leaves);
			const own = [...inside].filter(
				(i) => !found.some((other, n) => n < position && other.header >= header && other.backEdge <= backEdge && other.inside.has(i)),
			);
			return {
				header: code[header]?.bci as number,
				backEdge: code[backEdge]?.bci as number,
				test: isTested ? 'bottom' : exits.length === 0 ? 'none' : exits.some((i) => isTop(code, header, i)) ? 'top' : 'inside',
				index: indexOf(code, own, leaves, backEdge),
				isInner: found.some((other) => other.inside.size > inside.size && other.inside.has(header) && other.inside.has(backEdge)),
				otherEntries: bcis([...inside].filter((i) => i !== header && predecessors[i]!.some((from) => !inside.has(from)))),
				bytecodes: bcis(inside),
			};
		});
}

/** Whether only what a test takes stands between the header and a jump: nothing is stored or called. */
function isTop(code: readonly BytecodeInstruction[], header: number, jump: number): boolean {
	for (let i = header; i < jump; i++) {
		if (/store|^iinc$|^put|^goto/.test(code[i]?.opcode ?? '')) {
			return false;
		}
	}
	return jump >= header;
}

function goesOn({ opcode }: BytecodeInstruction): boolean {
	return !/^(?:goto|athrow|ret|[ilfda]?return|tableswitch|lookupswitch)$/.test(opcode) && opcode !== 'goto_w';
}

function indexOf(code: readonly BytecodeInstruction[], own: readonly number[], leaves: (i: number) => boolean, backEdge: number): BytecodeLoop['index'] {
	for (const [local, { type, step }] of steps(code, own)) {
		const isTested = own.some((i) => {
			const jump = code[i]!;
			if (!jump.opcode.startsWith('if') || !(leaves(i) || i === backEdge)) {
				return false;
			}
			const compares = type === 'int' ? /^if/.test(jump.opcode) : code[i - 1]?.opcode === 'lcmp';
			return compares && [1, 2, 3, 4].some((back) => code[i - back]?.local === local && /load/.test(code[i - back]?.opcode ?? ''));
		});
		if (isTested) {
			return { local, type, step };
		}
	}
	return null;
}

/** Locals that get a constant once. */
function steps(code: readonly BytecodeInstruction[], own: readonly number[]): Map<number, { type: 'int' | 'long'; step: number }> {
	const result = new Map<number, { type: 'int' | 'long'; step: number }>();
	const stores = new Map<number, number>();
	for (const i of own) {
		const { opcode, local, constant } = code[i]!;
		if (opcode === 'iinc') {
			stores.set(local, (stores.get(local) ?? 0) + 1);
			result.set(local, { type: 'int', step: constant });
		} else if (/^[il]store/.test(opcode)) {
			stores.set(local, (stores.get(local) ?? 0) + 1);
			const [load, pushed, add] = [code[i - 3], code[i - 2], code[i - 1]];
			if (load?.local === local && /^[il](?:add|sub)$/.test(add?.opcode ?? '') && !Number.isNaN(pushed?.constant ?? Number.NaN)) {
				const step = (pushed?.constant as number) * (add?.opcode.endsWith('sub') ? -1 : 1);
				result.set(local, { type: opcode.startsWith('l') ? 'long' : 'int', step });
			}
		}
	}
	return new Map([...result].filter(([local, { step }]) => stores.get(local) === 1 && step !== 0));
}

/**
 * The innermost loop that has most of these bytecodes; null where none has half of them. Where on-stack replacement enters a loop with two ways in,
 * machine code makes one loop of it and the one around: then it is that.
 */
export function loopOfBytecodes(loops: readonly BytecodeLoop[], bytecodes: readonly number[], osrBci: number | null): BytecodeLoop | null {
	const entered = loops.find(({ header, isInner, otherEntries }) => header === osrBci && hasTwoWaysIn({ isInner, otherEntries }));
	if (entered !== undefined && bytecodes.some((bci) => entered.bytecodes.includes(bci))) {
		return entered;
	}
	let best: BytecodeLoop | null = null;
	let most = 0;
	for (const loop of loops) {
		const shared = bytecodes.filter((bci) => bci >= loop.header && bci <= loop.backEdge).length;
		if (2 * shared >= bytecodes.length && shared > most) {
			best = loop;
			most = shared;
		}
	}
	return best;
}

function hasTwoWaysIn({ isInner, otherEntries }: Pick<BytecodeLoop, 'isInner' | 'otherEntries'>): boolean {
	return isInner && otherEntries.length > 0;
}

/** What a compiler made of a loop: its poll, and whether on-stack replacement enters at it. Null: code of C1, which polls in every loop. */
export interface CompiledLoop {
	readonly poll: 'iteration' | 'strip' | 'none';
	readonly entersHere: boolean;
}

/** The shape of a loop in words, and how C2 came from it to what it made. */
export function shapeText(loop: BytecodeLoop, compiled: CompiledLoop | null): string {
	const { test, index } = loop;
	const tests = { top: 'tested at the top', bottom: 'tested at the bottom', inside: 'left from inside', none: 'without a test' }[test];
	const counted =
		index === null ? 'no index with a constant step' : `${index.type === 'int' ? 'int' : 'long'} index, step ${index.step > 0 ? '+' : ''}${index.step}`;
	const entered = compiled?.entersHere === true ? entryText(loop, compiled.poll === 'iteration') : '';
	return `${tests}, ${counted}${entered}`;
}

/** C2's parser copies a test at the top before the loop, but not where on-stack replacement enters at it (ciTypeFlow::clone_loop_heads). */
function entryText({ test, index, isInner, otherEntries }: BytecodeLoop, polls: boolean): string {
	if (otherEntries.length > 0) {
		if (!polls) {
			return '; on-stack replacement enters at the body, the only way in that this code has: the test comes after the step, and C2 counts the loop';
		}
		return hasTwoWaysIn({ isInner, otherEntries })
			? '; on-stack replacement enters at the body, the loop around it at the test: two ways in, which C2 does not count'
			: '; on-stack replacement enters at the body, not at the test';
	}
	if (test !== 'top' || index === null) {
		return '';
	}
	return polls
		? '; on-stack replacement enters at the test, which stays before the step: C2 counts only loops that test what was stepped'
		: '; on-stack replacement enters at the test; C2 moved it behind the step and counts the loop';
}
