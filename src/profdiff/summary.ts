/** What the block at the top of a report tells of an experiment. */
import { allUnits, byPeriod, type Experiment } from './experiment.js';
import type { HotUnits } from './hot.js';
import type { ExperimentSummary } from './results.js';

const TOP_ENTRIES = 10;

export function summarize(experiment: Experiment, hot: HotUnits): ExperimentSummary {
	const hotUnits = allUnits(experiment).filter((unit) => hot.has(unit));
	return {
		experiment,
		hotUnitCount: hotUnits.length,
		hotPeriod: hotUnits.reduce((sum, unit) => sum + unit.period, 0),
		topEntries: byPeriod(experiment.profile?.entries ?? []).slice(0, TOP_ENTRIES),
	};
}
