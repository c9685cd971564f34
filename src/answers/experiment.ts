/** Opens an experiment for `assay report` and `assay diff`: one path, parts found by content, everything doubtful noted. */
import path from 'node:path';
import type { CompilationKind } from '../model/compilation.js';
import { InputError, type Problem } from '../model/problem.js';
import { createExperiment, type Experiment, type ExperimentNumber } from '../profdiff/experiment.js';
import { matchProfile, type ProfileMatch } from '../profdiff/profile-match.js';
import type { TreeCache } from '../profdiff/tree-cache.js';
import { findExperiment } from '../recording/find-experiment.js';
import { openOptimizationLogFiles } from '../recording/optimization-log.js';
import { openProftoolProfile } from '../recording/proftool-profile.js';
import { openHotspotExperiment, sampledProfile } from './hotspot-experiment.js';

/** An experiment with what was found and what is doubtful. */
export interface OpenedExperiment {
	/** As the user called it. */
	readonly name: string;
	/** Whose log it is. */
	readonly logKind: 'Graal' | 'HotSpot';
	/** Whether a log of a JVM lies there: heat, code and memory can be told. */
	readonly hasJvmLog: boolean;
	readonly experiment: Experiment;
	readonly logFiles: number;
	readonly otherFiles: number;
	/** Compile ids that several compilations have: runs were merged, or a file was read twice. */
	readonly duplicateIds: number;
	readonly profileName: string | null;
	readonly match: ProfileMatch | null;
	readonly problems: readonly Problem[];
}

/** Where an experiment lies, and which profile belongs to it. */
export interface OpenExperimentOptions {
	/** Relative paths start here. */
	readonly workingDirectory: string;
	/** A profile that lies elsewhere. */
	readonly profile?: string | undefined;
	/** Take a profile that does not belong to the log. */
	readonly force?: boolean | undefined;
	readonly kept?: TreeCache | null;
}

/** Throws an {@link InputError} when there is no log, or when the profile is not of this run and `force` is not given. */
export async function openExperiment(number: ExperimentNumber, name: string, options: OpenExperimentOptions): Promise<OpenedExperiment> {
	const resolve = (file: string): string => path.resolve(options.workingDirectory, file);
	const found = await findExperiment(resolve(name), name, options.profile !== undefined);
	if (found.isHotspot) {
		return openHotspotExperiment(number, name, options);
	}
	const log = await openOptimizationLogFiles(found.logFiles);
	const profileFile = options.profile === undefined ? found.profileFile : { filePath: resolve(options.profile), name: options.profile };
	const sampled =
		profileFile === null && found.hasSamples
			? await sampledProfile([{ filePath: resolve(name), name }], new Set(log.compilations.map(({ compileId }) => compileId)))
			: null;
	const profile = profileFile === null ? (sampled?.profile ?? null) : await openProftoolProfile(profileFile.filePath, profileFile.name);
	const match = profile === null ? null : matchProfile(log.compilations, profile);
	if (match !== null && !match.belongs && !options.force) {
		throw new InputError({
			severity: 'error',
			file: profileFile?.name ?? sampled?.profileName ?? '',
			message: `this profile is not of the run that ${name} logged: ${describeMatch(match, profile?.kind ?? null)}`,
			action: 'give the profile of the same run, or --force to take it all the same',
		});
	}
	const experiment = createExperiment(number, log.compilations, profile, null, options.kept ?? null);
	const ids = new Set(log.compilations.map((compilation) => compilation.compileId));
	return {
		name,
		logKind: 'Graal',
		hasJvmLog: found.hasSamples,
		experiment,
		logFiles: found.logFiles.length,
		otherFiles: found.otherFiles,
		duplicateIds: log.compilations.length - ids.size,
		profileName: profileFile?.name ?? sampled?.profileName ?? null,
		match,
		problems: [
			...found.problems,
			...(sampled?.problems ?? []),
			...log.problems,
			...log.malformedNames.map((problem) => ({ ...problem, severity: 'warning' as const })),
		],
	};
}

function describeMatch({ entries, found, sameName }: ProfileMatch, kind: CompilationKind | null): string {
	if (kind === 'AOT') {
		return `none of its ${entries} names is in the log`;
	}
	return `of its ${entries} top-tier compile ids ${found} are in the log, and of those ${sameName} have the same method; at least half is expected of each`;
}
