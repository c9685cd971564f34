import { expect, test } from 'vitest';
import { inliningNode, loggedCompilation, phase, treesOf } from '../../test/experiments.js';
import type { InliningNode } from '../model/inlining-tree.js';
import { createExperiment } from './experiment.js';
import { withInliningOnly } from './inlining-only.js';

const call = (name: string, more: Partial<InliningNode>): InliningNode => inliningNode({ methodName: `a.B.${name}()`, alive: true, ...more });

test('calls that were inlined or refused stay, in the place of a virtual call its targets; the rest is left out', () => {
	const trees = treesOf(
		[
			call('direct', { bci: 1, reasons: ['too big'] }),
			call('virtual', { bci: 2, indirect: true, children: [call('first', { bci: 2, inlined: true, children: [call('deep', { indirect: true })] })] }),
			call('gone', { bci: 3, indirect: true, alive: false, children: [call('second', { bci: 3, inlined: true })] }),
			call('deleted', { bci: 4, alive: false }),
			call('clone', { bci: 5, inlined: true, reasons: ['(intrinsic)'] }),
			call('hashCode', { bci: 6, reasons: ['native method'] }),
		],
		phase('PhaseIdealLoop'),
	);
	const unit = loggedCompilation('1', 'a.B.f()', { readTrees: () => trees });
	const [method] = withInliningOnly(createExperiment(1, [unit], null, null)).methods.values();
	const told = method?.units[0]?.readTrees();
	const names = (node: InliningNode): unknown => [node.methodName, node.bci, ...node.children.map(names)];
	expect(told?.inlining.children.map(names)).toEqual([
		['a.B.direct()', 1],
		['a.B.first()', 2],
		['a.B.second()', 3],
	]);
	expect(told?.optimization.children).toEqual([]);
});
