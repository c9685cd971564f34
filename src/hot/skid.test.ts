import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { completeInstructions } from '../formats/shared/hotspot/instruction-comments.js';
import { flowOfInstruction } from '../model/instruction-flow.js';
import { Flow, type Instructions } from '../model/instructions.js';
import { calibrateSkid, isPreciseEvent, moveSkid } from './skid.js';

const START = 0x7f0000001000;
const SIZE = 4;

/** Instructions of four bytes; `@3` is the address of the fourth, and a line `…` bytes that are not listed. */
function assemble(lines: readonly string[]): Instructions {
	const addressOf = (line: number): number => START + SIZE * line;
	const listed = lines.flatMap((line, i) => (line === '…' ? [] : [{ at: addressOf(i), text: line.replace(/@(\d+)/, (_, n) => addressOf(n).toString(16)) }]));
	const flows = listed.map(({ text }) => flowOfInstruction(text));
	return completeInstructions({
		length: listed.length,
		address: Float64Array.from(listed, ({ at }) => at),
		end: Float64Array.from(listed, ({ at }) => at + SIZE),
		text: listed.map(({ text }) => text),
		flow: Uint8Array.from(flows, ({ flow }) => flow),
		target: Float64Array.from(flows, ({ target }) => target),
		position: new Int32Array(listed.length).fill(-1),
		positions: [],
		comments: listed.map(() => []),
	});
}

/** Where the samples of one instruction go: position to part. */
function movedFrom(lines: readonly string[], at: number, entries: number[] = []): Record<number, number> {
	const code = assemble(lines);
	const seen = new Float64Array(code.length);
	seen[at] = 1;
	const { analysed } = moveSkid(
		code,
		seen,
		entries.map((line) => START + SIZE * line),
	);
	return Object.fromEntries([...analysed].flatMap((weight, i) => (weight > 0 ? [[i, weight]] : [])));
}

describe('a sample moves', () => {
	const straight = ['push %rbp', 'idiv %ecx', 'mov %eax,%edx', 'ret'];

	test('to the instruction before, whatever stands there', () => {
		expect(movedFrom(straight, 2)).toEqual({ 1: 1 });
		expect(movedFrom(straight, 3)).toEqual({ 2: 1 });
		expect(movedFrom(['push %rbp', 'call 0x10', 'nop', 'ret'], 2)).toEqual({ 1: 1 });
	});

	test('not over an entry', () => {
		expect(movedFrom(straight, 0)).toEqual({ 0: 1 });
		expect(movedFrom(straight, 2, [2])).toEqual({ 2: 1 });
		expect(movedFrom(['jne 0x10', 'nop', 'sub rsp,0x18', 'ret'], 2, [2])).toEqual({ 2: 1 });
		expect(movedFrom(['idiv %ecx', 'jmp @0'], 0)).toEqual({ 0: 1 });
	});

	test('not off a repeated string instruction, but off what follows it', () => {
		const lines = ['push %rbp', 'rep stos %al,%es:(%rdi)', 'ret'];
		expect(movedFrom(lines, 1)).toEqual({ 1: 1 });
		expect(movedFrom(lines, 2)).toEqual({ 1: 1 });
	});

	test('not over what ends a path, the padding behind it, and missing text', () => {
		for (const end of ['ret', 'jmp *%rax', 'hlt', 'jmp 0x10']) {
			expect(movedFrom(['push %rbp', end, 'inc %eax', 'ret'], 2)).toEqual({ 2: 1 });
			expect(movedFrom(['push %rbp', end, 'nop', 'data16 cs nopw 0x0(%rax,%rax,1)', 'inc %eax', 'ret'], 4)).toEqual({ 4: 1 });
		}
		expect(movedFrom(['nop', 'nop', 'inc %eax'], 2)).toEqual({ 2: 1 });
		expect(movedFrom(['push %rbp', '…', 'inc %eax'], 1)).toEqual({ 1: 1 });
	});

	test('onto nops that are reached', () => {
		expect(movedFrom(['push %rbp', 'nop', 'inc %eax'], 2)).toEqual({ 1: 1 });
		expect(movedFrom(['je @3', 'push %rbp', 'ret', 'nop', 'inc %eax'], 4)).toEqual({ 3: 1 });
	});

	test('to the jump, not to what stands before it', () => {
		expect(movedFrom(['push %rbp', 'idiv %ecx', 'jmp @5', 'inc %eax', 'ret', 'dec %eax'], 5)).toEqual({ 2: 1 });
	});

	test('at a join in proportion to cost', () => {
		expect(movedFrom(['je @2', 'idiv %ecx', 'mov %eax,%edx'], 2)).toEqual({ 0: 1 / 21, 1: 20 / 21 });
		expect(movedFrom(['jne @3', 'je @3', 'inc %eax', 'dec %eax'], 3)).toEqual({ 0: 1 / 3, 1: 1 / 3, 2: 1 / 3 });
		expect(movedFrom(['push %rbp', 'nop', 'inc %eax', 'jne @2'], 2)).toEqual({ 3: 1 });
		expect(movedFrom(['push %rbp', 'jne @2', 'inc %eax'], 2)).toEqual({ 1: 1 });
	});

	test('not to a call of it: what was called comes back behind the call', () => {
		expect(movedFrom(['push %rbp', 'call @3', 'inc %eax', 'dec %eax'], 3)).toEqual({ 2: 1 });
		expect(movedFrom(['call @2', 'ret', 'dec %eax'], 2)).toEqual({ 2: 1 });
	});

	test('blocks begin at entries, at targets of jumps, and behind branches', () => {
		const starts = (entries: number[]) => [
			...moveSkid(
				assemble(['push %rbp', 'inc %eax', 'jne @1', 'call 0x10', 'dec %eax', 'ret', 'inc %ebx']),
				new Float64Array(7),
				entries.map((line) => START + SIZE * line),
			).blockStarts,
		];
		expect([starts([]), starts([4]), starts([1, 99])]).toEqual([
			[0, 1, 3, 6],
			[0, 1, 3, 4, 6],
			[0, 1, 3, 6],
		]);
	});

	test('two back behind lfence', () => {
		expect(movedFrom(['push %rbp', 'lfence', 'inc %eax', 'dec %eax'], 3)).toEqual({ 1: 1 });
		expect(movedFrom(['push %rbp', 'lfence', 'inc %eax', 'dec %eax'], 2)).toEqual({ 1: 1 });
		expect(movedFrom(['push %rbp', 'lfence', 'idiv %ecx', 'dec %eax'], 3)).toEqual({ 2: 1 });
		expect(movedFrom(['push %rbp', 'mfence', 'inc %eax', 'dec %eax'], 3)).toEqual({ 2: 1 });
	});
});

const anyCode = fc
	.array(
		fc.oneof(
			fc.constantFrom('nop', 'ret', 'hlt', 'jmp *%rax', 'call 0x10', 'lfence', 'rep stosb %al,%es:(%rdi)', 'idiv %ecx', 'inc %eax', 'mov (%rax),%ecx', '…'),
			fc.record({ jump: fc.constantFrom('jmp', 'jne'), to: fc.nat(30) }).map(({ jump, to }) => `${jump} @${to}`),
		),
		{ maxLength: 30 },
	)
	.map(assemble);
const anyCase = anyCode.chain((code) =>
	fc.record({
		code: fc.constant(code),
		seen: fc.array(fc.nat(1000), { minLength: code.length, maxLength: code.length }).map((counts) => Float64Array.from(counts)),
		entries: fc.array(
			fc.nat(30).map((line) => START + SIZE * line),
			{ maxLength: 3 },
		),
	}),
);

describe('of any code', () => {
	test('weight is conserved, and each block changes by its crossings', () => {
		fc.assert(
			fc.property(anyCase, ({ code, seen, entries }) => {
				const { analysed, blockStarts, crossings } = moveSkid(code, seen, entries);
				expect(sum(analysed)).toBeCloseTo(sum(seen), 6);
				blockStarts.forEach((start, block) => {
					const end = blockStarts[block + 1] ?? code.length;
					const isInside = (at: number): boolean => at >= start && at < end;
					const gained = sum(crossings.filter(({ to }) => isInside(to)).map(({ weight }) => weight));
					const lost = sum(crossings.filter(({ from }) => isInside(from)).map(({ weight }) => weight));
					expect(sum(analysed.subarray(start, end))).toBeCloseTo(sum(seen.subarray(start, end)) + gained - lost, 6);
				});
				for (const { from, to } of crossings) {
					expect(blockOf(blockStarts, from)).not.toBe(blockOf(blockStarts, to));
				}
			}),
		);
	});

	test('blocks cover it, and only their last instruction jumps', () => {
		fc.assert(
			fc.property(anyCase, ({ code, seen, entries }) => {
				const { blockStarts } = moveSkid(code, seen, entries);
				expect(blockStarts[0] ?? 0).toBe(0);
				for (let i = 0; i + 1 < code.length; i++) {
					if (code.flow[i] !== Flow.Next && code.flow[i] !== Flow.Call) {
						expect(blockStarts).toContain(i + 1);
					}
				}
			}),
		);
	});

	test('weight that stays is counted by reason, and none goes over an entry', () => {
		fc.assert(
			fc.property(anyCase, ({ code, seen, entries }) => {
				for (let i = 0; i < code.length; i++) {
					const one = new Float64Array(code.length);
					one[i] = seen[i]!;
					const { analysed, left } = moveSkid(code, one, entries);
					const stayed = sum(Object.values(left));
					expect([0, one[i]]).toContain(stayed);
					if (stayed > 0) {
						expect(analysed[i]).toBe(stayed);
					}
					if (i === 0 || entries.includes(code.address[i]!)) {
						expect(stayed).toBe(one[i]);
					}
				}
			}),
		);
	});
});

describe('calibration', () => {
	const code = assemble(['idiv %ecx', 'inc %eax', 'mfence', 'lock addl $0x0,-0x40(%rsp)', 'dec %eax', 'rep stosb %al,%es:(%rdi)', 'ret']);
	const calibrate = (...seen: number[]) => calibrateSkid([{ code, seen: Float64Array.from(seen) }]);

	test('counts slow instructions with a plain one after them', () => {
		expect(calibrate(1, 99, 1000, 1, 99, 1000, 1000)).toMatchObject({ share: 0.01, samples: 200, verdict: 'shift' });
		expect(calibrate(99, 1, 0, 99, 1, 0, 0)).toMatchObject({ share: 0.99, verdict: 'no shift' });
		expect(calibrate(50, 50, 0, 0, 0, 0, 0)).toMatchObject({ share: 0.5, verdict: 'undecided' });
		expect(calibrate(0, 30, 0, 0, 19, 0, 0)).toMatchObject({ share: 0, samples: 49, verdict: 'undecided' });
		expect(calibrate(0, 0, 9, 0, 0, 9, 9)).toMatchObject({ share: null, samples: 0, verdict: 'undecided' });
	});

	test('counts the samples of each pair of neighbours once, wherever they lie', () => {
		const lines = ['idiv %ecx', 'inc %eax', 'mfence', 'dec %eax'];
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.nat(lines.length - 1), fc.nat(2)), { minLength: 1, maxLength: 30 }), (rows) => {
				const given = assemble(rows.map(([line]) => lines[line]!));
				const seen = Float64Array.from(rows, ([, count]) => count);
				const isSlow = (i: number): boolean => rows[i]![0] % 2 === 0;
				let counted = 0;
				for (let i = 0; i + 1 < rows.length; i++) {
					counted += isSlow(i) && !isSlow(i + 1) ? seen[i]! + seen[i + 1]! : 0;
				}
				expect(calibrateSkid([{ code: given, seen }]).samples).toBe(counted);
			}),
		);
	});

	test('not where bytes are missing behind it, nor where the path ends', () => {
		const samples = (...lines: string[]) => {
			const given = assemble(lines);
			return calibrateSkid([{ code: given, seen: new Float64Array(given.length).fill(30) }]).samples;
		};
		expect([
			samples('idiv %ecx', 'inc %eax'),
			samples('idiv %ecx', '…', 'inc %eax'),
			samples('inc %eax', 'idiv %ecx'),
			samples('idiv %ecx', 'idiv %ecx'),
		]).toEqual([60, 0, 0, 0]);
	});

	test('over several pieces, and says why', () => {
		const piece = { code, seen: Float64Array.of(2, 30, 0, 0, 0, 0, 0) };
		expect(calibrateSkid([piece, piece]).reason).toBe('6 % of 64 samples lie on slow instructions, the others on the ones right after them');
		expect(calibrateSkid([piece]).reason).toContain('50 are needed');
		expect(calibrateSkid([]).verdict).toBe('undecided');
	});
});

test('precise events', () => {
	const precise = 'cycles:p cycles:pp cycles:ppp cycles:P cycles:upp cpu/event=0x3c,umask=0x0/ppp cpu_core/mem-loads,ldlat=30/P mem-loads mem-stores:u';
	const others = 'cycles cpu-clock cycles:u cpu-clock:uH cpu/cycles/ cpu/cpu-cycles/u page-faults sched:sched_process_exec instructions';
	expect(precise.split(' ').concat('ibs_op//', 'ibs_fetch/rand_en=1/', 'arm_spe_0//').filter(isPreciseEvent)).toHaveLength(12);
	expect(others.split(' ').filter(isPreciseEvent)).toEqual([]);
});

function sum(weights: Iterable<number>): number {
	let total = 0;
	for (const weight of weights) {
		total += weight;
	}
	return total;
}

function blockOf(starts: Int32Array, at: number): number {
	return starts.filter((start) => start <= at).length;
}
