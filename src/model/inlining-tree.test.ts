import { expect, test } from 'vitest';
import { inliningNode, optimization, phase } from '../../test/experiments.js';
import { callsiteKind, inliningChildren } from './inlining-tree.js';
import { optimizationChildren } from './optimization-tree.js';

test('what became of a call', () => {
	const child = inliningNode();
	const kind = (...args: Parameters<typeof inliningNode>) => callsiteKind(inliningNode(...args), false);
	expect(callsiteKind(inliningNode({ inlined: true }), true)).toBe('root');
	expect([kind({ inlined: true }), kind({ inlined: true, alive: false }), kind({ inlined: true, indirect: true })]).toEqual(['inlined', 'inlined', 'inlined']);
	expect([kind(), kind({ indirect: true }), kind({ indirect: true, children: [child] })]).toEqual(['direct', 'indirect', 'indirect']);
	expect(kind({ indirect: true, alive: false, children: [child] })).toBe('devirtualized');
	expect([kind({ alive: false }), kind({ indirect: true, alive: false }), kind({ alive: false, children: [child] })]).toEqual([
		'deleted',
		'deleted',
		'deleted',
	]);
});

test('what is in a node of a tree', () => {
	const [child, one] = [inliningNode(), optimization()];
	expect(inliningChildren(inliningNode({ children: [child] }))).toEqual([child]);
	expect([optimizationChildren(phase('P', one)), optimizationChildren(one)]).toEqual([[one], []]);
});
