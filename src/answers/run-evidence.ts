/** What the first lines of a report say about a run. */
import type { OpenedExperiment, SampledStacks } from './opened-experiment.js';

/** A run of a side, and what was read of it. */
export interface RunEvidence {
	readonly name: string;
	/** Whose log it is. */
	readonly logKind: 'Graal' | 'HotSpot' | 'LLVM';
	readonly toldBy?: OpenedExperiment['toldBy'];
	readonly compilations: number;
	readonly methods: number;
	readonly logFiles: number;
	readonly otherFiles: number;
	readonly duplicateIds: number;
	readonly kind: 'JIT' | 'AOT' | null;
	readonly profile: {
		readonly name: string;
		readonly totalPeriod: number;
		/** Sum of the periods of the compilations in the log. */
		readonly compiledPeriod: number;
		readonly entries: number;
		readonly found: number;
		readonly sameName: number;
		readonly duplicateEntries: number;
		/** Taken although it does not belong to the log. */
		readonly forced: boolean;
		readonly ofStacks?: SampledStacks;
	} | null;
}

export function runEvidence({
	name,
	logKind,
	toldBy,
	experiment,
	logFiles,
	otherFiles,
	duplicateIds,
	profileName,
	ofStacks,
	match,
}: OpenedExperiment): RunEvidence {
	const { profile } = experiment;
	return {
		name,
		logKind,
		...(toldBy === undefined ? {} : { toldBy }),
		kind: logKind === 'LLVM' ? 'AOT' : experiment.kind,
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
						...(ofStacks === undefined ? {} : { ofStacks }),
					},
	};
}
