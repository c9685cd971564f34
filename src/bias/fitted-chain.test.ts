/** How branches are fitted to samples: held against a search of the same compromise by brute force. */
import { describe, expect, test } from 'vitest';
import { type PrintedLine, printedMethod } from '../../test/code.js';
import { chainGraph } from './chain-blocks.js';
import { costOf, fittedChain } from './fitted-chain.js';

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0);

/**
 * The branch of code that has one: its logit lies where it fits best that blocks with these costs, visited as often as a share of jumps says, had these
 * samples. A block's cost may be wrong by a factor of e^0.6, its samples by chance, as if there were two more, and there are 0.03 that nobody saw.
 */
function bestShare(blocks: readonly { cost: number; count: number; visits: (jumps: number) => number }[], guess: number, width: number): number {
	const misfit = (x: number, scale: number): number => {
		const jumps = 1 / (1 + Math.exp(-(guess + width * x)));
		return blocks.reduce(
			(total, { cost, count, visits }) => {
				const residual = Math.log((Math.exp(scale) * cost * visits(jumps) + 0.03) / (count + 0.03));
				return total + (residual * residual) / (0.36 + 1 / (count + 2)) / 2;
			},
			(x * x) / 2,
		);
	};
	let best = { x: 0, scale: 0 };
	for (let step = 4; step > 1e-6; step /= 1.3) {
		for (const [dx, dy] of [
			[-1, 0],
			[1, 0],
			[0, -1],
			[0, 1],
			[1, 1],
			[-1, -1],
			[1, -1],
			[-1, 1],
		] as const) {
			const tried = { x: best.x + dx * step, scale: best.scale + dy * step };
			best = misfit(tried.x, tried.scale) < misfit(best.x, best.scale) ? tried : best;
		}
	}
	return 1 / (1 + Math.exp(-(guess + width * best.x)));
}

/** Head (2), one arm (cost 3), the other (cost 4), each returning. */
const ARMS: readonly PrintedLine[] = [
	['cmp %eax,%ebx'],
	['je 0x110'],
	['mov (%rax),%ebx'],
	['ret'],
	['mov (%rax),%ebx'],
	['mov (%rax),%ecx'],
	['inc %eax'],
	['ret'],
];

describe('one branch', () => {
	test.each([
		[50, 50],
		[90, 10],
		[3, 4],
		[2000, 1],
		[0, 7],
	])('between arms with %d and %d samples', (left, right) => {
		const code = printedMethod('a.B.f', ARMS);
		const samples = Float64Array.of(left + right, 0, left, 0, right, 0, 0, 0);
		const { guess, width } = chainGraph(code);
		const expected = bestShare(
			[
				{ cost: 2, count: left + right, visits: () => 1 },
				{ cost: 3, count: left, visits: (jumps) => 1 - jumps },
				{ cost: 6, count: right, visits: (jumps) => jumps },
			],
			guess[0]!,
			width[0]!,
		);
		expect(fittedChain(code, samples).jumpShares[0]).toBeCloseTo(expected, 2);
	});

	test.each([
		[100, 10],
		[10, 100],
		[5000, 5],
	])('back to the head of a loop with %d samples, %d before it', (inside, before) => {
		const code = printedMethod('a.B.f', [['inc %eax'], ['inc %ecx'], ['jl 0x104'], ['ret']]);
		const { guess, width, blocks } = chainGraph(code);
		expect(Array.from(blocks, ({ from }) => from)).toEqual([0, 1, 3]);
		const expected = bestShare(
			[
				{ cost: 1, count: before, visits: () => 1 },
				{ cost: 2, count: inside, visits: (jumps) => 1 / (1 - jumps) },
				{ cost: 1, count: before, visits: () => 1 },
			],
			guess[1]!,
			width[1]!,
		);
		expect(fittedChain(code, Float64Array.of(before, inside, 0, before)).jumpShares[1]).toBeCloseTo(expected, 2);
	});
});

describe('executions', () => {
	test.each([
		['nop', 0.1],
		['nopw 0x0(%rax)', 0.1],
		['idiv %ecx', 15],
		['div %ecx', 15],
		['rep stos %al,%es:(%rdi)', 10],
		['mov (%rax),%ebx', 2],
		['ldr x0, [x1]', 2],
		['inc %eax', 1],
	])('are samples by cost: %s costs %d', (text, cost) => {
		const { executions } = fittedChain(printedMethod('a.B.f', [[text], ['ret']]), Float64Array.of(3, 1));
		expect(executions[0]).toBeCloseTo(4 / (cost + 1), 6);
	});

	test('a call costs three; without samples there is a little of all', () => {
		const code = printedMethod('a.B.f', [['call 0x900', '{static_call}'], ['ret']]);
		expect([...fittedChain(code, Float64Array.of(4, 0)).executions]).toEqual([expect.closeTo(1, 6), expect.closeTo(1, 6)]);
		expect(sum(fittedChain(code, null).executions)).toBeCloseTo((2 * 0.3) / 4, 6);
	});

	test('five samples are enough to fit, four are not', () => {
		const code = printedMethod('a.B.f', ARMS, 0x100, { compiler: 'c1' });
		const share = (left: number) => fittedChain(code, Float64Array.of(0, 0, left, 0, 0, 0, 0, 0)).jumpShares[0]!;
		expect(share(4)).toBeCloseTo(0.5, 6);
		expect(share(5)).toBeLessThan(0.45);
	});

	test('more samples of the same kind are more executions', () => {
		const code = printedMethod('a.B.f', ARMS);
		const counts = [400, 100, 300, 10, 80, 20, 30, 10];
		const executions = (times: number) =>
			fittedChain(
				code,
				Float64Array.from(counts, (count) => 1e4 * times * count),
			).executions;
		const thrice = executions(3);
		executions(1).forEach((executed, block) => {
			expect(thrice[block]! / executed).toBeCloseTo(3, 2);
		});
	});

	test('code that nothing leads to is not executed, whatever was sampled there', () => {
		const code = printedMethod('a.B.f', [['inc %eax'], ['ret'], ['inc %ecx'], ['ret']]);
		const { executions, graph } = fittedChain(code, Float64Array.of(8, 8, 500, 500));
		const [reached, apart] = [0, 2].map((i) => executions[graph.blockOf[i]!]!);
		expect(apart).toBe(0);
		expect(reached).toBeCloseTo(8, 0);
	});
});

describe('a loop that is left to nothing but a trap', () => {
	const trap: PrintedLine = ['call 0x9000', 'ImmutableOopMap {}', '{runtime_call UncommonTrapBlob}'];
	const code = printedMethod('a.B.f', [
		['cmp %eax,%ebx'],
		['je 0x114'],
		['mov (%rax),%ebx'],
		['mov (%rcx),%ebx'],
		['ret'],
		['inc %ecx'],
		['mov (%r15),%r10'],
		['test %eax,(%r10)', '{poll}'],
		['jl 0x114'],
		trap,
	]);

	test('takes no time where it has no samples', () => {
		const samples = Float64Array.of(100, 0, 100, 100, 100, 0, 0, 0, 0, 0);
		const { executions, jumpShares, graph } = fittedChain(code, samples);
		const cost = Array.from(graph.blocks, ({ from, to }) => costOf(code.instructions, from, to));
		const told = executions.map((times, block) => times * cost[block]!);
		expect(sum(told) / 400).toBeGreaterThan(0.5);
		expect(sum(told) / 400).toBeLessThan(2);
		expect(jumpShares[0]).toBeLessThan(0.05);
	});

	test('takes it where it has, as the loop that code was entered in', () => {
		const samples = Float64Array.of(1, 0, 0, 0, 0, 300, 300, 300, 300, 0);
		const { jumpShares, graph } = fittedChain(code, samples);
		expect(jumpShares[graph.blockOf[8]!]).toBeGreaterThan(0.999);
	});
});
