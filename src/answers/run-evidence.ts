/** What the first lines of a report say about a run. */
import type { RunEvidence } from '../render/diff-view.js';
import type { OpenedExperiment } from './opened-experiment.js';

export function runEvidence({ name, logKind, experiment, logFiles, otherFiles, duplicateIds, profileName, match }: OpenedExperiment): RunEvidence {
	const { profile } = experiment;
	return {
		name,
		logKind,
		kind: experiment.kind,
		compilations: experiment.unitCount,
		methods: experiment.methods.size,
		logFiles,
		otherFiles,
		duplicateIds,
		profile:
			profile === null || match === null
				? null
				: {
						name: profileName ?? '',
						totalPeriod: profile.totalPeriod,
						compiledPeriod: experiment.compiledPeriod,
						entries: match.entries,
						found: match.found,
						sameName: match.sameName,
						duplicateEntries: match.duplicateEntries,
						forced: !match.belongs,
					},
	};
}
