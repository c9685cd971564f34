/** Chains fitted to samples, what they predict, and why: code of a few instructions, where the answer can be counted by hand. */
import { describe, expect, test } from 'vitest';
import { type PrintedLine as Line, printedMethod as method, piece } from '../../test/code.js';
import { instructionsOfRows, type Row } from '../formats/hotspot-code/instructions.js';
import { biasReport } from './bias-report.js';
import { emptyBlame } from './blame.js';
import { bootstrap } from './bootstrap.js';
import { chainGraph } from './chain-blocks.js';
import { RULES } from './explain.js';
import { fittedChain, samplesByBlock } from './fitted-chain.js';
import { groupsOf, nativeSites } from './native-sites.js';
import { predict } from './predict.js';
import type { PredictionInput, SampledNative } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';
import { Place, placeOf } from './safepoint-places.js';
import { Walks } from './walks.js';

const at = (name: string, line: number): string => `- ${name}@${line} (line ${line})`;
const F = 'a.B::f';
const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

function input(sampled: readonly (readonly [PrintedMethod, readonly number[]])[], more: Partial<PredictionInput> = {}): PredictionInput {
	return {
		sampled: sampled.map(([one, counts]) => ({ method: one, counts: Float64Array.from(counts), ...ALWAYS })),
		methods: sampled.map(([one]) => one),
		native: [],
		cold: [],
		...more,
	};
}

const rounded = (blame: ReadonlyMap<string, number>) =>
	[...blame]
		.map(([name, amount]): [string, number] => [name, Math.round(amount)])
		.filter(([, amount]) => amount !== 0)
		.sort(([, a], [, b]) => b - a);

/** A branch between two arms, each with a call of its own at its end. */
const DIAMOND = method('a.B.f', [
	['cmp %eax,%ebx', at(F, 1)],
	['je 0x110', at(F, 1)],
	['inc %eax', at(F, 2)],
	['call 0x900', '*invokestatic left {reexecute=0}', at(F, 3), '{static_call}', 'ImmutableOopMap {}'],
	['inc %ebx', at(F, 4)],
	['call 0x900', '*invokestatic right {reexecute=0}', at(F, 5), '{static_call}', 'ImmutableOopMap {}'],
	['cmp (%r15),%rsp', '{poll_return}'],
	['ret'],
]);

describe('chains', () => {
	test('blocks end at branches, calls and polls, and lead to what comes next', () => {
		const { blocks, blockOf, entry } = chainGraph(DIAMOND);
		expect(entry).toBe(0);
		expect([...blockOf]).toEqual([0, 0, 1, 1, 2, 2, 3, 4]);
		expect(Array.from(blocks, ({ fall, jump, place, returns }) => [fall, jump, place, returns])).toEqual([
			[1, 2, Place.None, false],
			[2, -1, Place.JavaCall, false],
			[3, -1, Place.JavaCall, false],
			[4, -1, Place.ReturnPoll, false],
			[-1, -1, Place.None, true],
		]);
	});

	test('code that is apart does not fall through; the entry of on-stack replacement is its own', () => {
		const code = piece(0x100, 0x200, { name: 'a.B.f' });
		const rows = [0x100, 0x104, 0x180].map((address): Row => ({ address, end: Number.NaN, text: 'inc %eax', comments: [], label: null }));
		const apart = { code, ...instructionsOfRows(rows, 0x184) };
		const ends = Float64Array.of(0x104, 0x108, 0x184);
		const { blocks } = chainGraph({ ...apart, instructions: { ...apart.instructions, end: ends } });
		expect(Array.from(blocks, ({ from, to, fall }) => [from, to, fall])).toEqual([
			[0, 2, -1],
			[2, 3, -1],
		]);
		const entries = (osrBci: number | null) =>
			chainGraph({
				...DIAMOND,
				code: { ...DIAMOND.code, osrBci },
				labels: new Map([
					[4, 'OSR Entry'],
					[2, 'Verified Entry Point'],
					[0, 'Not Verified Entry'],
				]),
			}).entry;
		expect([entries(null), entries(7)]).toEqual([1, 2]);
		expect(chainGraph({ ...DIAMOND, labels: new Map([[99, 'Verified Entry Point']]) }).entry).toBe(0);
	});

	test('samples go to the blocks of their instructions', () => {
		expect([...samplesByBlock(chainGraph(DIAMOND), Float64Array.of(1, 2, 4, 8, 16, 32, 64, 128))]).toEqual([3, 12, 48, 64, 128]);
	});

	test('branches follow the samples', () => {
		const share = (left: number, right: number) => {
			// Two ways that do not meet: the call at the end of each arm is a trap.
			const arms = method(
				'a.B.f',
				[['cmp %eax,%ebx', at(F, 1)], ['je 0x110', at(F, 1)], ['inc %eax', at(F, 2)], ['ret'], ['inc %ebx', at(F, 4)], ['ret']],
				0x100,
				{ compiler: 'c1' },
			);
			return fittedChain(arms, Float64Array.of(left + right, left + right, left, left, right, right)).jumpShares[0]!;
		};
		expect(share(5000, 5000)).toBeCloseTo(0.5, 1);
		expect(share(9000, 1000)).toBeLessThan(0.25);
		expect(share(1000, 9000)).toBeGreaterThan(0.75);
		expect(share(9000, 1000) + share(1000, 9000)).toBeCloseTo(1, 2);
	});

	test('walks end at the next safepoint; all that start end somewhere', () => {
		const chain = fittedChain(DIAMOND, null);
		const ends = chain.absorb(Float64Array.of(10, 1, 0, 0, 0));
		expect(ends[0]).toBe(0);
		expect(ends[1]! + ends[2]!).toBeCloseTo(11, 3);
		expect(ends[1]).toBeCloseTo(10 * (1 - chain.jumpShares[0]!) + 1, 3);
		expect([...chain.absorb(Float64Array.of(0, 0, 0, 7, 2))].map(Math.round)).toEqual([0, 0, 0, 7, 2]);
	});

	test('what leads to traps only is not executed, slow ways into the VM are rare, loops go on', () => {
		const jumpShare = (...rows: Line[]) => fittedChain(method('a.B.f', rows), null).jumpShares[0]!;
		const trap = ['call 0x900', '{runtime_call UncommonTrapBlob}', 'ImmutableOopMap {}'] as const;
		expect(jumpShare(['je 0x10c'], ['inc %eax'], ['ret'], trap)).toBeLessThan(1e-6);
		expect(jumpShare(['je 0x108'], trap, ['ret'])).toBeGreaterThan(1 - 1e-6);
		const slow = ['call 0x900', '{runtime_call new_instance}', 'ImmutableOopMap {}'] as const;
		expect(jumpShare(['je 0x108'], ['ret'], slow, ['ret'])).toBeCloseTo(0.002, 4);
		const loop = fittedChain(method('a.B.f', [['inc %eax'], ['jl 0x100'], ['ret']]), null);
		expect(loop.jumpShares[0]).toBeCloseTo(0.9, 4);
		// Nine iterations of ten go on: ten in all for one entry.
		expect(loop.executions[0]! / loop.executions[1]!).toBeCloseTo(10, 1);
		expect(jumpShare(['je 0x108'], ['ret'], ['inc %eax'], ['ret'])).toBeCloseTo(0.1, 6);
	});
});

describe('places', () => {
	const place = (text: string, ...comments: string[]) => placeOf(method('a.B.f', [[text, ...comments]]).instructions, 0);
	test('as HotSpot marks them', () => {
		expect(place('nop')).toBe(Place.None);
		expect(place('test %eax,(%r10)', '{poll}')).toBe(Place.LoopPoll);
		expect(place('cmp (%r15),%rsp', '{poll_return}')).toBe(Place.ReturnPoll);
		expect(place('mov %eax,%ebx', 'ImmutableOopMap {}')).toBe(Place.None);
		for (const kind of ['static_call', 'virtual_call', 'optimized virtual_call', 'opt_virtual_call']) {
			expect(place('call 0x900', `{${kind}}`)).toBe(Place.JavaCall);
		}
		for (const name of ['UncommonTrapBlob', 'throw_NPE', '_rethrow_Java', 'handle_exception', 'DeoptimizationBlob']) {
			expect(place('call 0x900', `{runtime_call ${name}}`, 'ImmutableOopMap {}')).toBe(Place.Trap);
		}
		expect(place('call 0x900', '{runtime_call method_entry_barrier}', 'ImmutableOopMap {}')).toBe(Place.EntryBarrier);
		expect(place('call 0x900', '{runtime_call new_instance}', 'OopMap {}')).toBe(Place.VmCall);
		expect(place('call 0x900', '{runtime_call memcpy}')).toBe(Place.LeafCall);
		expect(place('call 0x900')).toBe(Place.LeafCall);
	});
});

describe('predictions', () => {
	const LEFT = method('a.B.left', [['inc %eax', at('a.B::left', 1)], ['jl 0x300', at('a.B::left', 1)], ['cmp (%r15),%rsp', '{poll_return}'], ['ret']], 0x300);
	const RIGHT = method(
		'a.B.right',
		[['inc %eax', at('a.B::right', 1)], ['mov (%r15),%r10', at('a.B::right', 8)], ['test %eax,(%r10)', '{poll}'], ['jl 0x400', at('a.B::right', 1)], ['ret']],
		0x400,
	);

	test('arms are blamed on what is called at their ends: a return poll on the call, a poll inside on itself', () => {
		const blame = predict(input([[DIAMOND, [0, 0, 100, 0, 50, 0, 0, 0]]], { methods: [DIAMOND, LEFT, RIGHT] })).blame;
		expect(rounded(blame.byMethod)).toEqual([
			['a.B.f', 100],
			['a.B.right', 50],
		]);
		expect(rounded(blame.byLine)).toEqual([
			['a.B.f:3', 100],
			['a.B.right:8', 50],
		]);
	});

	test('all samples are put somewhere; a part alone is blamed as the whole is', () => {
		const given = input([
			[DIAMOND, [10, 20, 30, 40, 50, 60, 70, 80]],
			[LEFT, [5, 5, 5, 5]],
			[RIGHT, [9, 9, 9, 9, 9]],
		]);
		const predicted = predict(given);
		const sum = (shares: ReadonlyMap<string, number>) => [...shares.values()].reduce((total, amount) => total + amount, 0);
		expect(sum(predicted.blame.byMethod)).toBeCloseTo(425, 2);
		const parts = given.sampled.map((one) => predicted.blameOf([one]));
		for (const [name, amount] of predicted.blame.byMethod) {
			expect(parts.reduce((total, { byMethod }) => total + (byMethod.get(name) ?? 0), 0)).toBeCloseTo(amount, 6);
		}
		expect([...predicted.transfers.values()].reduce((total, row) => total + sum(row), 0)).toBeCloseTo(425, 2);
	});

	test('time in native code goes to the calls that lead there', () => {
		const code = method('a.B.f', [
			['call 0x900', '{runtime_call jbyte_arraycopy}'],
			['mov (%r15),%r10', at(F, 3)],
			['test %eax,(%r10)', '{poll}'],
			['call 0x900', '{runtime_call dsin}'],
			['mov (%r15),%r10', at(F, 6)],
			['test %eax,(%r10)', '{poll}'],
			['call 0x900', '{runtime_call new_instance}', at(F, 9), 'ImmutableOopMap {}'],
			['ret'],
		]);
		const native = (symbol: string, activity: string | null = null): SampledNative => ({ symbol, library: '/usr/lib/libx.so', activity, count: 12 });
		const stub = (symbol: string): SampledNative => ({ ...native(symbol), library: '' });
		const counts = [100, 100, 100, 100, 100, 100, 100, 100];
		const lines = (one: SampledNative) => {
			const zero = predict(input([[code, counts]])).blame.byLine;
			const full = predict(input([[code, counts]], { native: [one] })).blame.byLine;
			return rounded(new Map([...full].map(([line, amount]): [string, number] => [line, amount - (zero.get(line) ?? 0)]))).filter(([, amount]) => amount !== 0);
		};
		expect(lines(native('StubRoutines::jbyte_arraycopy'))).toEqual([['a.B.f:3', 12]]);
		// Without a word in common any leaf call of a stub may be meant, and none of a library.
		expect(lines(native('poll'))).toEqual([['(unknown)', 12]]);
		// Java calls lead to these.
		expect(lines(stub('itable stub'))).toEqual([['(unknown)', 12]]);
		expect(lines(stub('I2C/C2I adapters(0xbe)'))).toEqual([['(unknown)', 12]]);
		expect(
			lines(stub('poll'))
				.map(([line]) => line)
				.sort(),
		).toEqual(['a.B.f:3', 'a.B.f:6']);
		expect(lines(native('MemAllocator::allocate', 'allocation'))).toEqual([['a.B.f:9', 12]]);
		// Nothing tells by which call a thread came to load a class: nobody is blamed.
		expect(lines(native('ClassFileParser::parse_methods', 'class loading'))).toEqual([['(unknown)', 12]]);
		expect(rounded(predict(input([], { native: [native('f')] })).blame.byMethod)).toEqual([['(unknown)', 12]]);
		const sites = nativeSites([fittedChain(code, Float64Array.from(counts))]);
		const groups = groupsOf(sites, [
			native('jbyte_arraycopy'),
			stub('zip'),
			native('inflate'),
			native('jbyte_arraycopy', 'allocation'),
			native('copy_jbyte_arraycopy'),
			stub('zap'),
		]);
		expect(groups.map((group) => [group.sites.map(({ block }) => block).length, group.isVm, group.count])).toEqual([
			[1, false, 24],
			[2, false, 24],
			[0, false, 12],
			[1, true, 12],
		]);
		expect(groups[0]?.sites[0]?.block).toBe(0);
	});

	test('why: from where most samples are to the poll', () => {
		const predicted = predict(input([[DIAMOND, [0, 0, 0, 0, 50, 0, 0, 0]]], { methods: [DIAMOND, LEFT, RIGHT] }));
		const why = predicted.explain('a.B.f', 'a.B.right');
		expect(why).toMatchObject({
			from: 'a.B.f',
			to: 'a.B.right',
			sampledAddress: 0x110,
			sampledCount: 50,
			place: Place.JavaCall,
			rule: RULES.loop,
			pollAddress: 0x408,
		});
		expect(why?.amount).toBeCloseTo(50, 3);
		expect(why?.share).toBeCloseTo(1, 6);
		expect(why?.probability).toBeCloseTo(1, 3);
		expect(why?.steps.map((step) => (step.kind === 'skipped' ? step.instructions : step.address))).toEqual([0x110, 0x114, 0x400, 0x404, 0x408]);
		expect(predicted.explain('a.B.f', 'nobody')).toBeNull();
		expect(predicted.explain('nobody', 'a.B.right')).toBeNull();
		const back = predict(input([[DIAMOND, [0, 0, 50, 0, 0, 0, 0, 0]]], { methods: [DIAMOND, LEFT] })).explain('a.B.f', 'a.B.f');
		expect(back).toMatchObject({ rule: RULES.callReturns, pollAddress: 0x308 });
		const alone = predict(input([[DIAMOND, [0, 0, 50, 0, 0, 0, 0, 0]]])).explain('a.B.f', 'a.B.f');
		expect(alone).toMatchObject({ rule: RULES.callUnknown, pollAddress: 0x10c });
	});

	test('a long way is shortened: its first three instructions, its last four, and where it leaves a loop', () => {
		const rows: Line[] = [
			...Array.from({ length: 10 }, (_, i): Line => ['inc %eax', at(F, i)]),
			['mov (%r15),%r10', at(F, 50)],
			['test %eax,(%r10)', '{poll}'],
			['jmp 0x100'],
		];
		const steps = predict(input([[method('a.B.f', rows), [9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]])).explain('a.B.f', 'a.B.f')!.steps;
		expect(steps.map((step) => (step.kind === 'skipped' ? -step.instructions : (step.address - 0x100) / 4))).toEqual([0, 1, 2, -5, 8, 9, 10, 11]);
		// One instruction left out would take as much room as itself.
		const eight = [...rows.slice(0, 6), ...rows.slice(10)];
		const shorter = predict(input([[method('a.B.f', eight), [9, 0, 0, 0, 0, 0, 0, 0, 0]]])).explain('a.B.f', 'a.B.f')!.steps;
		expect(shorter.every(({ kind }) => kind === 'instruction')).toBe(true);
		expect(shorter).toHaveLength(8);
	});

	test('callers of what returns: the printed calls, by how often they are executed', () => {
		const caller = method(
			'a.C.g',
			[['call 0x300', '*invokestatic left {reexecute=0}', at('a.C::g', 4), '{static_call}', 'ImmutableOopMap {}'], ['jmp 0x500']],
			0x500,
		);
		const blame = predict(
			input([
				[LEFT, [60, 0, 0, 0]],
				[caller, [40, 40]],
			]),
		).blame;
		expect(rounded(blame.byLine)).toEqual([['a.C.g:4', 140]]);
		expect(rounded(predict(input([[LEFT, [60, 0, 0, 0]]])).blame.byMethod)).toEqual([['(unknown)', 60]]);
		// Code that was not there at that time calls nothing.
		const late = { ...caller, code: { ...caller.code, installedSeconds: 9 } };
		const then = { ...input([], { methods: [LEFT, late] }), sampled: [{ method: LEFT, counts: Float64Array.of(60, 0, 0, 0), from: 1, to: 8 }] };
		expect(rounded(predict(then).blame.byMethod)).toEqual([['(unknown)', 60]]);
		expect(rounded(predict({ ...then, sampled: [{ ...then.sampled[0]!, to: 9 }] }).blame.byMethod)).toEqual([['a.C.g', 60]]);
		// Nothing calls it as printed: where it was inlined its callers stand around it.
		const inlining = method('a.D.h', [['inc %eax', '- a.B::left@1 (line 1)', '- a.D::h@2 (line 22)'], ['jmp 0x600']], 0x600);
		expect(rounded(predict(input([[LEFT, [60, 0, 0, 0]]], { methods: [LEFT, inlining] })).blame.byLine)).toEqual([['a.D.h:22', 60]]);
	});
});

describe('reports', () => {
	test('intervals hold the prediction, are the same in each run, and narrow with more samples', () => {
		const intervals = (times: number) =>
			bootstrap(
				new Walks(
					input([[DIAMOND, [0, 0, 10 * times, 0, 10 * times, 0, 0, 0]]], {
						methods: [DIAMOND, method('a.B.right', [['mov (%r15),%r10', at('a.B::right', 8)], ['test %eax,(%r10)', '{poll}'], ['jmp 0x400']], 0x400)],
					}),
				),
				100,
			);
		const few = intervals(1);
		expect(intervals(1)).toEqual(few);
		for (const { low, high } of few.values()) {
			expect(low).toBeLessThan(50);
			expect(high).toBeGreaterThan(50);
		}
		const width = (of: ReturnType<typeof intervals>) => of.get('a.B.right')!.high - of.get('a.B.right')!.low;
		expect(width(few)).toBeGreaterThan(20);
		expect(width(intervals(25))).toBeLessThan(width(few) / 3);
		expect(bootstrap(new Walks(input([])), 10).size).toBe(0);
	});

	test('shares, distances and transfers', () => {
		const unbiased = emptyBlame();
		unbiased.byMethod.set('a.B.f', 60).set('(kernel)', 40);
		unbiased.byLine.set('a.B.f:4', 60).set('(kernel)', 40);
		const right = method('a.B.right', [['mov (%r15),%r10', at('a.B::right', 8)], ['test %eax,(%r10)', '{poll}'], ['jmp 0x400']], 0x400);
		const report = biasReport(input([[DIAMOND, [0, 0, 0, 0, 60, 0, 0, 0]]], { methods: [DIAMOND, right] }), unbiased, 100, new Map(), 0);
		expect(report.counted).toBe(100);
		const row = (name: string) => report.methods.find(({ method: own }) => own === name)!;
		expect(row('a.B.f')).toMatchObject({ unbiasedPercent: 60, unbiasedSamples: 60, predictedPercent: 0, predictedInterval: null });
		// Wilson's interval of 60 of 100: 50.2 to 69.1 %.
		expect(row('a.B.f').unbiasedInterval.low).toBeCloseTo(50.2, 1);
		expect(row('a.B.f').unbiasedInterval.high).toBeCloseTo(69.06, 1);
		expect(row('a.B.right').predictedPercent).toBeCloseTo(100, 3);
		expect(row('(kernel)')).toMatchObject({ unbiasedPercent: 40, predictedPercent: 0 });
		expect(report.distances.find(({ a, b }) => a === 'unbiased' && b === 'predicted')?.totalVariation).toBeCloseTo(1, 3);
		expect(report.transfers.map(({ from, to, percent }) => [from, to, Math.round(percent)])).toContainEqual(['a.B.f', 'a.B.right', 100]);
		expect(report.explain(null).map(({ from, to }) => [from, to])).toEqual([['a.B.f', 'a.B.right']]);
		expect(report.explain('nobody')).toEqual([]);
		// In the kernel.
		expect(report.unknownPercent).toBeCloseTo(40, 3);
	});

	test('the same by line: rows, intervals, distances, transfers and explanations', () => {
		const unbiased = emptyBlame();
		unbiased.byMethod.set('a.B.f', 60).set('(kernel)', 40);
		unbiased.byLine.set('a.B.f:4', 40).set('a.B.f:5', 20).set('(kernel)', 40);
		const right = method('a.B.right', [['mov (%r15),%r10', at('a.B::right', 8)], ['test %eax,(%r10)', '{poll}'], ['jmp 0x400']], 0x400);
		const given = input([[DIAMOND, [0, 0, 0, 0, 60, 0, 0, 0]]], { methods: [DIAMOND, right] });
		const counts = {
			leftOut: { otherThreads: 0, otherTimes: 0, waiting: 0 },
			counted: 10,
			isCounted: true,
			unwalkable: 0,
			truncated: 0,
			biased: 0,
			biasedByMethod: new Map(),
			stacks: null,
		};
		const lines = { blame: { byMethod: new Map([['a.B.right', 10]]), byLine: new Map([['a.B.right:8', 10]]) }, hasLines: true, ...counts };
		const none = { ...lines, blame: { byMethod: new Map([['a.B.right', 10]]), byLine: new Map() }, hasLines: false };
		const observed = new Map([
			['lines', lines],
			['none', none],
		]);
		const report = biasReport(given, unbiased, 100, observed, 5, () => [], 'line');
		const row = (name: string) => report.lines.find(({ line }) => line === name)!;
		expect(report.by).toBe('line');
		expect(row('a.B.f:4')).toMatchObject({ unbiasedPercent: 40, unbiasedSamples: 40, predictedPercent: 0 });
		// Wilson's interval of 40 of 100: 30.9 to 49.8 %.
		expect(row('a.B.f:4').unbiasedInterval.low).toBeCloseTo(30.9, 1);
		expect(row('a.B.f:4').unbiasedInterval.high).toBeCloseTo(49.8, 1);
		expect(row('(kernel)')).toMatchObject({ unbiasedPercent: 40, predictedPercent: 0, predictedInterval: null });
		expect(row('a.B.right:8').predictedPercent).toBeCloseTo(100, 3);
		expect(row('a.B.right:8').predictedInterval?.low).toBeCloseTo(100, 3);
		expect([...row('a.B.right:8').observed]).toEqual([['lines', 100]]);
		// The largest in any profile first.
		expect(report.lines.slice(0, 2).map(({ line }) => line)).toEqual(['a.B.f:5', 'a.B.right:8']);
		expect(report.methods.every(({ predictedInterval }) => predictedInterval === null)).toBe(true);
		expect(new Set(report.distances.flatMap(({ a, b }) => [a, b]))).toEqual(new Set(['unbiased', 'predicted', 'nearest debug info', 'lines']));
		expect(report.distances.find(({ a, b }) => a === 'predicted' && b === 'lines')?.totalVariation).toBeCloseTo(0, 3);
		const [transfer] = report.transfers;
		expect(transfer?.from).toMatch(/^a\.B\.f:\d+$/);
		expect(transfer?.to).toBe('a.B.right:8');
		expect(report.explain('a.B.right').map(({ to }) => to)).toEqual(['a.B.right:8']);
		expect(report.explain('a.B.right:8')).toHaveLength(1);
		expect(report.explain('a.B.rig')).toEqual([]);
		// By method, lines are as they were: no rows in round brackets.
		const byMethod = biasReport(given, unbiased, 100, observed, 0);
		expect([byMethod.by, byMethod.lines.map(({ line }) => line)]).toEqual(['method', ['a.B.right:8', 'a.B.f:4', 'a.B.f:5']]);
	});
});
