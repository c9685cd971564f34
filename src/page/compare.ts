/** What the page shows of two recordings besides each of them: what `assay diff` and `assay hot --compare` print, and the trees side by side. */

import type { DiffAnswer } from '../answers/diff.js';
import { GRAAL_PHASES } from '../answers/graal-phases.js';
import { hotComparisonResult } from '../answers/hot-result.js';
import { treePairRows } from '../answers/profdiff-result.js';
import { collected } from '../answers/streamed.js';
import { compareHot } from '../hot/compare-hot.js';
import { InputError } from '../model/problem.js';
import type { Experiment } from '../profdiff/experiment.js';
import { DEFAULT_OPTIONS } from '../profdiff/options.js';
import { comparePair } from '../profdiff/run.js';
import type { PageParts, PageTreePair } from './data.js';
import type { GatheredSide } from './gather.js';
import { type PartWriter, partGroups } from './parts.js';

/** Methods whose trees are in the parts: those with most of the samples, and those with changes. */
const MAX_TREES = 1500;

export async function writeComparison(compared: DiffAnswer, parts: PartWriter, gathered: readonly GatheredSide[]): Promise<Partial<PageParts>> {
	const trees = await partGroups(treePairs(compared), 'trees', parts);
	await parts.write('diff', { ...collected(compared.result()), trees });
	const [a, b] = gathered.map(({ hot }) => hot);
	if (a == null || b == null) {
		return { diff: 'diff' };
	}
	await parts.write('hotPairs', collected(hotComparisonResult(a, b, compareHot(a, b))));
	return { diff: 'diff', hotPairs: 'hotPairs' };
}

/** By the handle of the method: its hottest compilations of both sides. */
async function* treePairs({ report, first: { a, b } }: DiffAnswer): AsyncGenerator<readonly [string, PageTreePair]> {
	const changed = new Set(report.comparison.changes.map(({ methodName }) => methodName));
	const methods = report.comparison.methods.filter(({ name }) => changed.has(name)).slice(0, MAX_TREES);
	for (const { name, compileIdsA, compileIdsB } of methods) {
		const left = hottest(a, compileIdsA);
		const right = hottest(b, compileIdsB);
		const handle = report.methodHandles.get(name);
		if (left === undefined || right === undefined || handle === undefined) {
			continue;
		}
		try {
			const comparison = comparePair(left, right, { ...DEFAULT_OPTIONS, pruneIdentities: false }, GRAAL_PHASES);
			if (comparison.kind === 'separate') {
				yield [handle, { left: left.compileId, right: right.compileId, ...treePairRows(comparison) }];
			}
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
		}
	}
}

function hottest(experiment: Experiment, compileIds: readonly string[]) {
	const ids = new Set(compileIds);
	const units = [...experiment.methods.values()].flatMap((method) => method.units.filter((unit) => ids.has(unit.compileId)));
	return units.sort((x, y) => y.period - x.period || y.sizeBytes - x.sizeBytes)[0];
}
