/** What is told of changes and of differences of trees: counts, words, and lines in their order. */
import { describe, expect, test } from 'vitest';
import type { Change } from './changes.js';
import { beforeAfter, countChanges, type DeltaNode, deltaLines, treeRows } from './results.js';

interface Tree {
	readonly label: string;
	readonly children: readonly Tree[];
}

const tree = (label: string, ...children: Tree[]): Tree => ({ label, children });
const childrenOf = ({ children }: Tree): readonly Tree[] => children;

describe('lines of a difference', () => {
	const pair = (operation: 'identity' | 'relabel', left: Tree, right: Tree, ...children: DeltaNode<Tree>[]): DeltaNode<Tree> => ({
		operation,
		left,
		right,
		children,
	});
	const lines = (root: DeltaNode<Tree>) =>
		[...deltaLines(root, childrenOf)].map(({ depth, operation, left, right }) => `${depth} ${operation} ${left?.label ?? '-'} ${right?.label ?? '-'}`);

	test('in preorder; inserted and deleted subtrees node by node', () => {
		const gone = tree('x', tree('x1', tree('x11')), tree('x2'));
		const come = tree('y', tree('y1'), tree('y2', tree('y21')));
		expect(
			lines(
				pair(
					'relabel',
					tree('a'),
					tree('A'),
					{ operation: 'delete', left: gone, right: null, children: [] },
					pair('identity', tree('b'), tree('b'), { operation: 'insert', left: null, right: come, children: [] }),
					pair('identity', tree('c'), tree('c')),
				),
			),
		).toEqual([
			'0 relabel a A',
			'1 delete x -',
			'2 delete x1 -',
			'3 delete x11 -',
			'2 delete x2 -',
			'1 identity b b',
			'2 insert - y',
			'3 insert - y1',
			'3 insert - y2',
			'4 insert - y21',
			'1 identity c c',
		]);
	});

	test('children of pairs are those of the script, not of the trees', () => {
		expect(lines(pair('identity', tree('a', tree('b')), tree('a', tree('b'))))).toEqual(['0 identity a a']);
	});
});

test('rows of a tree, in preorder with their depth', () => {
	const rows = [...treeRows(tree('a', tree('b', tree('c'), tree('d')), tree('e')), childrenOf)];
	expect(rows.map(({ depth, node }) => `${depth} ${node.label}`)).toEqual(['0 a', '1 b', '2 c', '2 d', '1 e']);
});

describe('changes', () => {
	const change = (more: object): Change => ({ kind: 'callsite', categories: ['other-call'], noise: null, cause: null, ...more }) as unknown as Change;

	test('counted: noise aside, those in their own right by their first category, largest first', () => {
		const cause = change({ categories: ['lost-inlining', 'new-indirect'], noise: false });
		expect(
			countChanges([
				change({}),
				cause,
				change({ categories: ['lost-inlining'] }),
				change({ categories: ['new-indirect'], cause }),
				change({ categories: ['new-inlining'], noise: true }),
				change({ noise: true, cause }),
				change({ categories: [] }),
			]),
		).toEqual({
			changed: 5,
			inTheirOwnRight: 4,
			noise: 2,
			byCategory: [
				['lost-inlining', 2],
				['other-call', 1],
			],
		});
		expect(countChanges([])).toEqual({ changed: 0, inTheirOwnRight: 0, noise: 0, byCategory: [] });
	});

	test('what a decision was on each side', () => {
		expect(beforeAfter(change({ before: 'inlined', after: null }))).toEqual({ before: 'inlined', after: null });
		expect(beforeAfter(change({ before: 'direct', after: 'indirect' }))).toEqual({ before: 'direct', after: 'indirect' });
		const optimization = { kind: 'optimization', name: 'Unroll', event: 'Full' };
		expect(beforeAfter(change({ ...optimization, isInA: true }))).toEqual({ before: 'Unroll Full', after: null });
		expect(beforeAfter(change({ ...optimization, isInA: false }))).toEqual({ before: null, after: 'Unroll Full' });
		expect(beforeAfter(change({ kind: 'compilation', isInA: true }))).toEqual({ before: 'compiled', after: null });
		expect(beforeAfter(change({ kind: 'compilation', isInA: false }))).toEqual({ before: null, after: 'compiled' });
	});
});
