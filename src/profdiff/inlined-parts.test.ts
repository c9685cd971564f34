/** The parts that are cut out at once are the fragments that profdiff cuts one by one. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { GRAAL_FIXTURES } from '../../test/fixtures.js';
import type { OptimizationNode } from '../model/optimization-tree.js';
import { openOptimizationLog } from '../recording/optimization-log.js';
import { allUnits, createExperiment } from './experiment.js';
import { createFragments, inlinedParts } from './fragments.js';

/** Without the phases that have no optimizations, in an order that is the same for equal trees. */
function withoutEmpty(nodes: readonly OptimizationNode[]): unknown[] {
	return nodes
		.flatMap((node): unknown[] => {
			if (node.kind === 'optimization') {
				return [node];
			}
			const children = withoutEmpty(node.children);
			return children.length === 0 ? [] : [{ ...node, children }];
		})
		.map((node) => [JSON.stringify(node), node] as const)
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([, node]) => node);
}

test.each(['poly-a/log', 'mix-b/log', 'edge/fragA', 'edge/dup', 'edge/devirt'])('%s', async (name) => {
	const log = await openOptimizationLog(path.join(GRAAL_FIXTURES, 'inputs', name), { name, unitOffsets: 'reference', onProblem: () => {} });
	const units = allUnits(createExperiment(1, log.compilations, null, 'JIT'));
	let count = 0;
	for (const unit of units.slice(0, 60)) {
		const parts = inlinedParts(unit.readTrees(), () => true);
		const fragments = createFragments(
			unit,
			() => true,
			() => 0,
		);
		expect(parts.map(({ methodName }) => methodName)).toEqual(fragments.map(({ methodName }) => methodName));
		// Each fragment reads its compilation again: a few of many are enough.
		for (const [i, fragment] of fragments.entries()) {
			if (i % Math.ceil(fragments.length / 20) === 0) {
				const whole = fragment.readTrees();
				expect(parts[i]!.trees.inlining).toEqual(whole.inlining);
				expect(withoutEmpty(parts[i]!.trees.optimization.children)).toEqual(withoutEmpty(whole.optimization.children));
				count++;
			}
		}
	}
	expect(count).toBeGreaterThan(0);
});
