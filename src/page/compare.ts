/** What the page shows of two recordings besides each of them: what `assay diff` and `assay hot --compare` print, and the trees side by side. */

import { GRAAL_PHASES } from '../answers/graal-phases.js';
import { hotComparisonResult } from '../answers/hot-result.js';
import { treePairRows } from '../answers/profdiff-result.js';
import { collected } from '../answers/streamed.js';
import { compareHot } from '../hot/compare-hot.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Experiment } from '../profdiff/experiment.js';
import { DEFAULT_OPTIONS } from '../profdiff/options.js';
import { comparePair } from '../profdiff/run.js';
import { writeDiffJson } from '../render/diff-json.js';
import type { DiffReport } from '../render/diff-view.js';
import { collectJson } from '../render/json-collector.js';
import type { PageParts, PageTreePair } from './data.js';
import type { GatheredSide } from './gather.js';
import { type PartWriter, partGroups } from './parts.js';

export interface ComparedExperiments {
	readonly report: DiffReport;
	/** The run of each side that was named first. */
	readonly first: { readonly a: Experiment | null; readonly b: Experiment | null };
	readonly problems: readonly Problem[];
}

/** Methods whose trees are in the parts: those with most of the samples, and those with changes. */
const MAX_TREES = 1500;

export async function writeComparison(compared: ComparedExperiments, parts: PartWriter, gathered: readonly GatheredSide[]): Promise<Partial<PageParts>> {
	const { report } = compared;
	const trees = await partGroups(treePairs(compared), 'trees', parts);
	await parts.write('diff', { ...collectJson((json) => writeDiffJson(json, report)), trees });
	const [a, b] = gathered.map(({ hot }) => hot);
	if (a == null || b == null) {
		return { diff: 'diff' };
	}
	await parts.write('hotPairs', collected(hotComparisonResult(a, b, compareHot(a, b))));
	return { diff: 'diff', hotPairs: 'hotPairs' };
}

/** By the handle of the method: its hottest compilations of both sides. */
async function* treePairs({ report, first: { a, b } }: ComparedExperiments): AsyncGenerator<readonly [string, PageTreePair]> {
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

function hottest(experiment: Experiment | null, compileIds: readonly string[]) {
	const ids = new Set(compileIds);
	const units = [...(experiment?.methods.values() ?? [])].flatMap((method) => method.units.filter((unit) => ids.has(unit.compileId)));
	return units.sort((x, y) => y.period - x.period || y.sizeBytes - x.sizeBytes)[0];
}
