import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assemble } from '../../test/assemble.js';
import { recordedText, textSource } from '../../test/recordings.js';
import { instructionsOfRows } from '../formats/hotspot-code/instructions.js';
import { readCodeText } from '../formats/hotspot-code/read-text.js';
import { scanCode } from '../formats/hotspot-code/scan.js';
import { completeInstructions } from '../formats/shared/hotspot/instruction-comments.js';
import { type ControlFlow, controlFlow } from './loops.js';

/** Loops as `first instruction of the header: [from, to) of the blocks, depth`, outermost first. */
function loopsOf(lines: readonly string[]): string[] {
	const { starts, loops } = controlFlow(assemble(lines));
	return loops
		.map(
			({ header, blocks: members, depth }) => `${starts[header]}: ${members.map((block) => `${starts[block]}-${starts[block + 1]}`).join(' ')}, depth ${depth}`,
		)
		.reverse();
}

describe('loops', () => {
	test('none in straight code, in branches forward and in an empty text', () => {
		expect(loopsOf(['nop', 'je @4', 'call @0', 'nop', 'ret'])).toEqual([]);
		expect(loopsOf([])).toEqual([]);
	});

	test('of one block, and of several', () => {
		expect(loopsOf(['nop', 'dec %eax', 'jne @1', 'ret'])).toEqual(['1: 1-3, depth 1']);
		expect(loopsOf(['nop', 'dec %eax', 'je @5', 'inc %ebx', 'jmp @1', 'ret'])).toEqual(['1: 1-3 3-5, depth 1']);
	});

	test('a call does not leave it, a jump out of the code does', () => {
		expect(loopsOf(['dec %eax', 'call 0x10', 'jne @0', 'ret'])).toEqual(['0: 0-3, depth 1']);
		expect(loopsOf(['dec %eax', 'je 0x10', 'jmp @0'])).toEqual(['0: 0-2 2-3, depth 1']);
	});

	test('nested, two behind each other', () => {
		expect(loopsOf(['nop', 'inc %ebx', 'dec %eax', 'jne @2', 'dec %ecx', 'jne @1', 'ret'])).toEqual(['1: 1-2 2-4 4-6, depth 1', '2: 2-4, depth 2']);
		const { loops } = controlFlow(assemble(['nop', 'dec %eax', 'jne @1', 'dec %eax', 'jne @3', 'ret']));
		expect(loops.map(({ parent, depth }) => [parent, depth])).toEqual([
			[-1, 1],
			[-1, 1],
		]);
	});

	test('with two jumps back it is one', () => {
		expect(loopsOf(['dec %eax', 'je @0', 'inc %ebx', 'jne @0', 'ret'])).toEqual(['0: 0-2 2-4, depth 1']);
	});

	test('entered at its test in the middle, behind padding', () => {
		expect(loopsOf(['jmp @4', 'nop', 'nop', 'inc %ebx', 'dec %eax', 'jne @3', 'ret'])).toEqual(['4: 3-4 4-6, depth 1']);
	});

	test('with two ways in: the header is the one that is reached first', () => {
		expect(loopsOf(['test %eax,%eax', 'je @4', 'inc %ebx', 'nop', 'dec %eax', 'jne @2', 'ret'])).toEqual(['2: 2-4 4-6, depth 1']);
	});

	test('a jump through a register goes nowhere that is known; text that is missing is not passed over', () => {
		expect(loopsOf(['dec %eax', 'jmp *%rax', 'jmp @0'])).toEqual([]);
		expect(loopsOf(['dec %eax', '…', 'jne @0', 'ret'])).toEqual([]);
	});
});

const EACH_EDGE = (flow: ControlFlow): [number, number][] =>
	blocksOf(flow).flatMap(({ successors }, block) => successors.map((to): [number, number] => [block, to]));

function blocksOf(flow: ControlFlow): ReturnType<ControlFlow['block']>[] {
	return Array.from({ length: flow.starts.length - 1 }, (_, number) => flow.block(number));
}

function checkLaws(flow: ControlFlow, length: number): void {
	expect(blocksOf(flow).flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i))).toEqual(Array.from({ length }, (_, i) => i));
	const sets = flow.loops.map(({ blocks }) => new Set(blocks));
	flow.loops.forEach((loop, i) => {
		expect(sets[i]?.has(loop.header)).toBe(true);
		const parent = flow.loops[loop.parent];
		expect(loop.depth).toBe((parent?.depth ?? 0) + 1);
		if (parent !== undefined) {
			expect(loop.blocks.every((block) => sets[loop.parent]?.has(block))).toBe(true);
			expect(loop.blocks.length).toBeLessThan(parent.blocks.length);
			expect(loop.parent).toBeGreaterThan(i);
		}
		for (let other = 0; other < i; other++) {
			const shared = flow.loops[other]?.blocks.filter((block) => sets[i]?.has(block)).length ?? 0;
			expect([0, flow.loops[other]?.blocks.length]).toContain(shared);
		}
	});
	// Without edges to headers nothing goes round any more.
	const headers = new Set(flow.loops.map(({ header }) => header));
	const edges = EACH_EDGE(flow).filter(([, to]) => !headers.has(to));
	const isDone = new Set<number>();
	for (let hasChanged = true; hasChanged; ) {
		const waiting = new Set(edges.filter(([, to]) => !isDone.has(to)).map(([from]) => from));
		const before = isDone.size;
		for (const block of blocksOf(flow).keys()) {
			if (!waiting.has(block)) {
				isDone.add(block);
			}
		}
		hasChanged = isDone.size > before;
	}
	expect(isDone.size).toBe(blocksOf(flow).length);
	// The innermost loop of each block is the smallest that holds it.
	blocksOf(flow).forEach((_, block) => {
		const smallest = flow.loops.findIndex((__, i) => sets[i]?.has(block));
		expect(flow.loopOfBlock[block]).toBe(smallest);
	});
}

test('any code: blocks part it, loops are nested, and every cycle goes through a header', () => {
	const line = (length: number): fc.Arbitrary<string> => {
		const target = fc.integer({ min: 0, max: length + 2 });
		return fc.oneof(
			{ weight: 4, arbitrary: fc.constantFrom('nop', 'inc %eax', 'call @1') },
			{ weight: 3, arbitrary: target.map((to) => `jne @${to}`) },
			{ weight: 1, arbitrary: target.map((to) => `jmp @${to}`) },
			{ weight: 1, arbitrary: fc.constantFrom('ret', 'jmp *%rax', '…') },
		);
	};
	const code = fc.integer({ min: 1, max: 24 }).chain((length) => fc.array(line(length), { minLength: length, maxLength: length }));
	fc.assert(
		fc.property(code, (lines) => {
			const instructions = assemble(lines);
			checkLaws(controlFlow(instructions), instructions.length);
		}),
		{ numRuns: 300 },
	);
});

test('the laws hold for compilations of a recording', () => {
	const source = textSource(recordedText('jdk17-virtualDispatch-intel'));
	const { code, form } = scanCode(source);
	let loops = 0;
	for (const piece of code.filter(({ level }) => level === 4)) {
		const { instructions } = instructionsOfRows(readCodeText(source, piece, form).rows, piece.end);
		const flow = controlFlow(instructions);
		loops += flow.loops.length;
		checkLaws(flow, instructions.length);
	}
	expect(loops).toBeGreaterThan(20);
});

test('ten thousand blocks in a row, and loops nested a hundred deep', () => {
	const chain = Array.from({ length: 10_000 }, (_, i) => `jne @${i + 2}`);
	expect(controlFlow(assemble([...chain, 'nop', 'nop', 'jmp @0'])).loops).toHaveLength(1);
	const nest = [...Array.from({ length: 100 }, () => ['inc %eax']).flat(), ...Array.from({ length: 100 }, (_, i) => `jne @${99 - i}`), 'ret'];
	expect(Math.max(...controlFlow(assemble(nest)).loops.map(({ depth }) => depth))).toBe(100);
});

test('a call that never comes back ends a block: the code behind it is of something else', () => {
	const instructions = assemble(['nop', 'call 0x900', 'dec %eax', 'jmp @0', 'ret']);
	const comments = instructions.comments.map((own, i) => (i === 1 ? ['{runtime_call UncommonTrapBlob}'] : own));
	expect(controlFlow(completeInstructions({ ...instructions, comments })).loops).toEqual([]);
	expect(controlFlow(instructions).loops).toHaveLength(1);
	const returns = instructions.comments.map((own, i) => (i === 1 ? ['{runtime_call _new_instance_Java}'] : own));
	expect(controlFlow(completeInstructions({ ...instructions, comments: returns })).loops).toHaveLength(1);
});
