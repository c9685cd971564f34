/** Call trees of samples and of what is predicted: code of a few instructions, where the answer can be counted by hand. */
import { describe, expect, test } from 'vitest';
import { printedMethod as method } from '../../test/code.js';
import { biasTree } from './bias-tree.js';
import type { CallTree } from './call-tree.js';
import type { ObservedProfile, ObservedStack } from './observed.js';
import type { StackInput } from './predicted-stacks.js';
import type { PredictionInput } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';
import { Walks } from './walks.js';

const at = (name: string, line: number): string => `- ${name}@${line} (line ${line})`;
const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** Calls g, then returns; what it inlines is at its beginning. */
const OUTER = method(
	'a.B.f',
	[
		['inc %eax', at('a.B::inlined', 7), at('a.B::f', 1)],
		['call 0x300', '*invokestatic g {reexecute=0}', at('a.B::f', 2), '{static_call}', 'ImmutableOopMap {}'],
		['cmp (%r15),%rsp', '{poll_return}'],
		['ret'],
	],
	0x100,
);
/** Polls in its loop. */
const CALLEE = method(
	'a.B.g',
	[
		['inc %eax', at('a.B::g', 1)],
		['mov (%r15),%r10', at('a.B::g', 8)],
		['test %eax,(%r10)', '{poll}'],
		['jmp 0x300', at('a.B::g', 1)],
	],
	0x300,
);
/** Returns at once. */
const LEAF = method('a.B.h', [['inc %eax', at('a.B::h', 1)], ['cmp (%r15),%rsp', '{poll_return}'], ['ret']], 0x500);

function inputOf(...sampled: readonly (readonly [PrintedMethod, readonly number[]])[]): PredictionInput {
	return {
		sampled: sampled.map(([one, counts]) => ({ method: one, counts: Float64Array.from(counts), ...ALWAYS })),
		methods: [OUTER, CALLEE, LEAF],
		native: [],
		cold: [],
	};
}

const stacks = (hasStacks: boolean, of: Partial<StackInput>): StackInput => ({ hasStacks, stacks: [], called: [], nativeCalls: [], native: [], ...of });

/** `depth name unbiased/self predicted/self …`, in whole percent. */
const shown = ({ nodes }: CallTree): string[] =>
	nodes
		.filter(({ percent }) => Math.max(...percent) >= 0.5)
		.map(
			({ depth, method: name, percent, selfPercent }) =>
				`${depth} ${name} ${percent.map((all, i) => `${Math.round(all)}/${Math.round(selfPercent[i]!)}`).join(' ')}`,
		);

function profileOf(all: readonly ObservedStack[] | null): ObservedProfile {
	const counted = (all ?? []).reduce((sum, { samples }) => sum + samples, 0);
	const none = { otherThreads: 0, otherTimes: 0, waiting: 0 };
	return {
		blame: { byMethod: new Map(), byLine: new Map() },
		counted,
		isCounted: true,
		leftOut: none,
		unwalkable: 0,
		truncated: 0,
		biased: 0,
		biasedByMethod: new Map(),
		hasLines: false,
		stacks: all === null ? null : () => all,
	};
}

describe('samples with stacks', () => {
	const callers = { names: ['a.B.f', 'a.B.run'], isMethod: true };

	test('a poll in a callee is shown below the callers that the sample had', () => {
		const input = inputOf([OUTER, [100, 0, 0, 0]]);
		const given = stacks(true, {
			stacks: [{ names: ['a.B.run', 'a.B.f', 'a.B.inlined'], samples: 100 }],
			called: [{ ...input.sampled[0]!, callers: { names: ['a.B.run'], isMethod: true } }],
		});
		const { frames, tree, distances } = biasTree(given, new Walks(input), 100, new Map());
		expect(frames).toBe('stacks');
		expect(shown(tree)).toEqual(['0 a.B.run 100/0 100/0', '1 a.B.f 100/0 100/0', '2 a.B.g 0/0 100/100', '2 a.B.inlined 100/100 0/0']);
		expect(distances).toMatchObject([{ a: 'unbiased', b: 'predicted', totalVariation: expect.closeTo(1, 3) }]);
	});

	test('a thread that returns is shown in its own caller', () => {
		const input = inputOf([LEAF, [30, 0, 0]]);
		const other = { names: ['a.B.x'], isMethod: true };
		const half = { ...input.sampled[0]!, counts: Float64Array.of(15, 0, 0) };
		const given = stacks(true, {
			stacks: [
				{ names: ['a.B.run', 'a.B.f', 'a.B.h'], samples: 15 },
				{ names: ['a.B.x', 'a.B.h'], samples: 15 },
			],
			called: [
				{ ...half, callers },
				{ ...half, callers: other },
			],
		});
		expect(shown(biasTree(given, new Walks(input), 30, new Map()).tree)).toEqual([
			'0 a.B.run 50/0 50/0',
			'1 a.B.f 50/0 50/50',
			'2 a.B.h 50/50 0/0',
			'0 a.B.x 50/0 50/50',
			'1 a.B.h 50/50 0/0',
		]);
	});

	test('native code goes on behind the call that leads to it; a call into the VM is shown where it is', () => {
		const leafCall = method(
			'a.B.f',
			[['call 0x900', '{runtime_call jbyte_arraycopy}'], ['mov (%r15),%r10', at('a.B::f', 3)], ['test %eax,(%r10)', '{poll}'], ['jmp 0x100']],
			0x100,
		);
		const vmCall = method('a.B.v', [['call 0x900', '{runtime_call new_instance}', at('a.B::v', 4), 'ImmutableOopMap {}'], ['ret']], 0x700);
		const input = { ...inputOf([leafCall, [0, 1, 0, 0]]), methods: [leafCall, vmCall] };
		const given = stacks(true, {
			nativeCalls: [
				{ code: { method: leafCall, callers: { names: ['a.B.run'], isMethod: true }, ...ALWAYS }, instruction: 0, count: 10 },
				{ code: { method: vmCall, callers: { names: ['a.B.run'], isMethod: true }, ...ALWAYS }, instruction: 0, count: 30 },
			],
		});
		expect(shown(biasTree(given, new Walks(input), 0, new Map()).tree)).toEqual(['0 a.B.run 0/0 100/0', '1 a.B.v 0/0 75/75', '1 a.B.f 0/0 25/25']);
	});

	test('a caller that the interpreter executes is told from who calls the method', () => {
		const calls = method('a.B.c', [['call 0x500', '*invokestatic h {reexecute=0}', at('a.B::c', 2), '{static_call}', 'ImmutableOopMap {}'], ['ret']], 0x900);
		const input = { ...inputOf([LEAF, [10, 0, 0]]), methods: [LEAF, calls] };
		const given = stacks(true, { called: [{ ...input.sampled[0]!, callers: { names: ['a.B.run'], isMethod: false } }] });
		expect(shown(biasTree(given, new Walks(input), 10, new Map()).tree)).toEqual(['0 a.B.run 0/0 100/0', '1 a.B.c 0/0 100/100']);
	});
});

describe('samples without stacks', () => {
	const input = inputOf([OUTER, [100, 0, 0, 0]]);
	const given = stacks(false, {
		stacks: [{ names: ['a.B.f', 'a.B.inlined'], samples: 100 }],
		called: [{ ...input.sampled[0]!, callers: null }],
	});

	test('what is compiled by itself is a root, where it is sampled and where it is shown', () => {
		const { frames, tree } = biasTree(given, new Walks(input), 100, new Map());
		expect(frames).toBe('inlining');
		expect(shown(tree)).toEqual(['0 a.B.f 100/0 0/0', '1 a.B.inlined 100/100 0/0', '0 a.B.g 0/0 100/100']);
	});

	test('stacks of other profiles begin where the tree does', () => {
		const observed = new Map([
			[
				'dump',
				profileOf([
					{ names: ['a.Thread.run', 'a.B.f', 'a.B.g'], samples: 6 },
					{ names: ['a.Thread.run', 'a.B.f', 'a.B.inlined'], samples: 2 },
					{ names: ['a.Thread.run', 'a.B.z'], samples: 1 },
					{ names: ['a.Thread.run', '(native)'], samples: 1 },
				]),
			],
			['shares', profileOf(null)],
		]);
		const { tree, distances } = biasTree(given, new Walks(input), 100, observed);
		expect(shown(tree)).toEqual([
			'0 a.B.f 100/0 0/0 20/0',
			'1 a.B.inlined 100/100 0/0 20/20',
			'0 a.B.g 0/0 100/100 60/60',
			'0 (native) 0/0 0/0 10/10',
			'0 a.B.z 0/0 0/0 10/10',
		]);
		expect(tree.profiles).toEqual(['unbiased', 'predicted', 'dump']);
		// Of nine samples of methods six are where they were predicted.
		expect(distances.find(({ a, b }) => a === 'predicted' && b === 'dump')?.totalVariation).toBeCloseTo(1 / 3, 6);
	});

	test('nothing comes from nothing', () => {
		expect(biasTree(stacks(false, {}), new Walks(inputOf()), 0, new Map()).tree.nodes).toEqual([]);
	});
});
