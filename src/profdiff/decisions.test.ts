/** What compilations decided, put together over runs: callsites with the inliner's words, optimizations by position, phases. */
import { describe, expect, test } from 'vitest';
import { inliningNode, optimization, phase, treesOf } from '../../test/experiments.js';
import type { InliningNode } from '../model/inlining-tree.js';
import type { OptimizationNode } from '../model/optimization-tree.js';
import { addCompilation, countRuns, createMethodDecisions, everyRun, type MethodDecisions, sitePath, sitesBelow } from './decisions.js';

const call = (bci: number, methodName: string | null, more: Partial<InliningNode> = {}): InliningNode => inliningNode({ bci, methodName, ...more });

/** Run 0 and 1 of side A, run 0 of side B, and so on, as they are named. */
function decided(...compilations: readonly (readonly [run: string, calls: readonly InliningNode[], ...phases: OptimizationNode[]])[]): MethodDecisions {
	const method = createMethodDecisions('M.m()');
	for (const [run, calls, ...phases] of compilations) {
		addCompilation(method, treesOf(calls, ...phases), run.startsWith('a') ? 'a' : 'b', Number(run.slice(1)));
	}
	return method;
}

/** Each callsite by its chain, with its kinds and the runs of both sides as bits. */
const sites = ({ root }: MethodDecisions): string[] =>
	[...sitesBelow(root)]
		.map((site) => {
			const path = sitePath(site).map(({ bci, methodName }) => `${bci} ${methodName}`);
			const kinds = [...site.decisions.values()].map(({ kind, runs }) => `${kind} ${runs.a.toString(2)}|${runs.b.toString(2)}`);
			return `${path.join(' > ')}: ${kinds.join(', ')}`;
		})
		.sort();

test('runs are bits', () => {
	expect([0, 1, 2, 3, 20].map(everyRun)).toEqual([0, 1, 3, 7, 1_048_575]);
	expect([0, 1, 2, 3, 0b1011, everyRun(20)].map(countRuns)).toEqual([0, 1, 1, 2, 3, 20]);
});

test('callsites by bytecode index, callee and the calls around them; all compilations of a run count together', () => {
	const inner = call(2, 'Y.y()');
	const method = decided(
		['a0', [call(1, 'X.x()', { inlined: true, children: [inner, call(2, 'Z.z()')] }), call(1, null)]],
		['a0', [call(1, 'X.x()')]],
		['a2', [call(1, 'X.x()', { inlined: true, children: [inner] })]],
		['b1', [call(1, 'X.x()', { indirect: true }), call(3, 'X.x()', { inlined: true })]],
	);
	expect(method.compiled).toEqual({ a: 0b101, b: 0b10 });
	expect(sites(method)).toEqual([
		'1 X.x() > 2 Y.y(): direct 101|0',
		'1 X.x() > 2 Z.z(): direct 1|0',
		'1 X.x(): inlined 101|0, direct 1|0, indirect 0|10',
		'1 null: direct 1|0',
		'3 X.x(): inlined 0|10',
	]);
});

test('the words on a call: those that were met first on each side, and the runs that said the last of them', () => {
	const said = (...reasons: string[]) => [call(1, 'X.x()', { reasons })];
	const method = decided(['a0', said('first', 'too big')], ['a1', said('too deep')], ['b0', said()], ['b1', said('too big')], ['b2', said('too big')]);
	const decision = [...sitesBelow(method.root)][0]?.decisions.get('direct');
	expect(decision?.reasons).toEqual({ a: ['first', 'too big'], b: [] });
	expect([...(decision?.byReason ?? [])]).toEqual([
		['too big', { a: 0b1, b: 0b110 }],
		['too deep', { a: 0b10, b: 0 }],
	]);
});

test('hidden classes are called without their addresses, in calls and in positions', () => {
	const at = (name: string) => optimization({ position: { methodNames: [name, 'M.m()'], bcis: [5, 1] } });
	const method = decided(
		['a0', [call(1, 'A$$Lambda/0x00000000b8246c48.f()')], at('A$$Lambda/0x00000000b8246c48.f()')],
		['b0', [call(1, 'A$$Lambda/0x00000000c0000000.f()')], at('A$$Lambda/0x00000000c0000000.f()')],
	);
	expect(sites(method)).toEqual(['1 A$$Lambda.f(): direct 1|1']);
	expect(method.optimizations.map(({ position, runs }) => [position, runs])).toEqual([
		[
			{ methodNames: ['A$$Lambda.f()', 'M.m()'], bcis: [5, 1] },
			{ a: 1, b: 1 },
		],
	]);
});

describe('optimizations', () => {
	const at = (name: string, event: string, ...place: readonly (readonly [string, number])[]) =>
		optimization({ name, event, position: { methodNames: place.map(([method]) => method), bcis: place.map(([, bci]) => bci) } });

	test('are the same by name, event and position', () => {
		const { optimizations } = decided(
			['a0', [], at('Peel', 'E', ['M.m()', 1]), at('Peel', 'F', ['M.m()', 1]), at('Peel', 'E', ['M.m()', 2]), at('Peel', 'E', ['X.x()', 1], ['M.m()', 1])],
			['a1', [], at('Peel', 'E', ['M.m()', 1]), at('Peel', 'E', ['M.m()', 1]), at('Unroll', 'E', ['M.m()', 1]), at('Peel', 'E')],
			['b0', [], at('Peel', 'E', ['X.x()', 1], ['M.m()', 1]), at('Peel', 'E', ['Y.y()', 1], ['M.m()', 1])],
		);
		expect(
			optimizations.map(({ name, event, position: { methodNames, bcis }, runs }) => [name, event, methodNames.join(), bcis.join(), runs.a, runs.b]),
		).toEqual([
			['Peel', 'E', 'M.m()', '1', 0b11, 0],
			['Peel', 'F', 'M.m()', '1', 0b1, 0],
			['Peel', 'E', 'M.m()', '2', 0b1, 0],
			['Peel', 'E', 'X.x(),M.m()', '1,1', 0b1, 0b1],
			['Unroll', 'E', 'M.m()', '1', 0b10, 0],
			['Peel', 'E', '', '', 0b10, 0],
			['Peel', 'E', 'Y.y(),M.m()', '1,1', 0, 0b1],
		]);
	});

	test('of one that several phases made, the phase that is first in the alphabet', () => {
		const made = (...order: string[]) =>
			decided(...order.map((name, i) => [`a${i}`, [], phase(name, phase('Inner', at('Peel', 'E', ['M.m()', 1])))] as const)).optimizations.map(
				({ phase: of, runs }) => [of.path, runs.a],
			);
		expect(made('High', 'Low')).toEqual([[['High', 'Inner'], 0b11]]);
		expect(made('Low', 'High', 'Mid')).toEqual([[['High', 'Inner'], 0b111]]);
	});
});

test('phases by those around them; what is below a root phase within is that of a graph that was inlined', () => {
	const { phases } = decided(
		['a0', [], phase('High', phase('Inner'), phase('RootPhase', phase('Deep')))],
		['a1', [], phase('High')],
		['b0', [], phase('Low', phase('Inner'))],
	);
	const rows: unknown[] = [];
	const work = [...phases.children.values()];
	for (let one = work.pop(); one !== undefined; one = work.pop()) {
		rows.push([one.name, one.path.join('/'), one.isOwn, one.runs.a, one.runs.b]);
		work.push(...one.children.values());
	}
	expect(rows).toEqual([
		['Low', 'Low', true, 0, 0b1],
		['Inner', 'Low/Inner', true, 0, 0b1],
		['High', 'High', true, 0b11, 0],
		['RootPhase', 'High/RootPhase', false, 0b1, 0],
		['Deep', 'High/RootPhase/Deep', false, 0b1, 0],
		['Inner', 'High/Inner', true, 0b1, 0],
	]);
	expect(phases.runs).toEqual({ a: 0, b: 0 });
});
