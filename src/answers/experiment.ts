/** Opens an experiment for `assay report` and `assay diff`: one path, parts found by content, everything doubtful noted. */
import path from 'node:path';
import type { CompilationKind } from '../model/compilation.js';
import { InputError } from '../model/problem.js';
import { createExperiment, type ExperimentNumber } from '../profdiff/experiment.js';
import { matchProfile, type ProfileMatch } from '../profdiff/profile-match.js';
import { type Evidence, openEvidence } from '../recording/evidence.js';
import type { EvidenceFile } from '../recording/find-evidence.js';
import type { LogFile } from '../recording/log-file.js';
import { openProftoolProfile } from '../recording/proftool-profile.js';
import { openHotspotExperiment, sampledProfile } from './hotspot-experiment.js';
import { NOTHING_APART } from './names-apart.js';
import type { OpenExperimentOptions, OpenedExperiment } from './opened-experiment.js';

/** Throws an {@link InputError} when there is no log, or when the profile is not of this run and `force` is not given. */
export async function openExperiment(number: ExperimentNumber, name: string, options: OpenExperimentOptions): Promise<OpenedExperiment> {
	const evidence = await openEvidence([{ filePath: path.resolve(options.workingDirectory, name), name }]);
	return experimentOf(evidence, number, options);
}

/** The same of evidence that is open, and has to stay so: trees are read on demand. `name` is what messages call the run. */
export async function experimentOf(
	evidence: Evidence,
	number: ExperimentNumber,
	options: OpenExperimentOptions,
	name = evidence.name,
): Promise<OpenedExperiment> {
	const found = findExperiment(evidence, options.profile !== undefined);
	if (found.isHotspot) {
		return openHotspotExperiment(number, evidence, options, name);
	}
	const log = await evidence.optimizationLog(found.logFiles);
	const profileFile = options.profile === undefined ? found.profileFile : givenProfile(evidence, options.profile, options.workingDirectory);
	const sampled = profileFile === null && found.hasSamples ? await sampledProfile(evidence, new Set(log.compilations.map(({ compileId }) => compileId))) : null;
	const profile = profileFile === null ? (sampled?.profile ?? null) : await openProftoolProfile(profileFile);
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
		evidence,
		logKind: 'Graal',
		flags: null,
		hasJvmLog: found.hasSamples,
		experiment,
		logFiles: found.logFiles.length,
		otherFiles: found.otherFiles,
		duplicateIds: log.compilations.length - ids.size,
		profileName: profileFile?.name ?? sampled?.profileName ?? null,
		match,
		apart: NOTHING_APART,
		problems: [
			...evidence.problems,
			...(sampled?.problems ?? []),
			...log.problems,
			...log.malformedNames.map((problem) => ({ ...problem, severity: 'warning' as const })),
		],
	};
}

/** One that is among the evidence is open already. */
function givenProfile({ all }: Evidence, name: string, workingDirectory: string): LogFile {
	const filePath = path.resolve(workingDirectory, name);
	const found = all.find((file) => file.filePath === filePath && !file.isArchived && file.formats.length > 0);
	return found === undefined ? { filePath, name } : { ...found, name };
}

interface FoundExperiment {
	/** All in one folder, by name. */
	readonly logFiles: readonly EvidenceFile[];
	/** Whether there is no optimization log, but one of HotSpot's own compilers. */
	readonly isHotspot: boolean;
	readonly profileFile: LogFile | null;
	/** Whether samples of a JVM and its log lie there too. */
	readonly hasSamples: boolean;
	/** Files of neither kind. */
	readonly otherFiles: number;
}

/**
 * The parts of an experiment. Throws an {@link InputError} when there is no log, or logs in several folders, or several profiles to choose from
 * (`profileGiven`: the user named one).
 */
export function findExperiment({ name, files, all }: Pick<Evidence, 'name' | 'files' | 'all'>, profileGiven: boolean): FoundExperiment {
	const problem = (message: string, action: string): InputError => new InputError({ severity: 'error', file: name, message, action });
	const { graalLog, proftoolProfile, logCompilation, flightRecorder, samples } = files;
	const folders = [...new Set(graalLog.map((file) => path.dirname(file.name)))];
	const hasHotspotLog = logCompilation.length + flightRecorder.length + files.printCompilation.length + files.remarks.length > 0;
	if (graalLog.length === 0 && !hasHotspotLog) {
		throw problem(
			`no file of an optimization log was found (${all.length} files looked at)`,
			'record one with -Djdk.graal.OptimizationLog=Directory, of HotSpot with assay record, and give its folder',
		);
	}
	if (folders.length > 1) {
		throw problem(`optimization logs were found in several folders: ${listed(folders)}`, 'an experiment is one run: give the folder of one');
	}
	if (proftoolProfile.length > 1 && !profileGiven) {
		throw problem(
			`several profiles were found: ${listed(proftoolProfile.map((file) => file.name))}`,
			'name the one of this run with --profile (--profile-a, --profile-b)',
		);
	}
	const parts = new Set([...graalLog, ...proftoolProfile]);
	return {
		logFiles: graalLog,
		isHotspot: graalLog.length === 0,
		hasSamples: samples.length > 0 && logCompilation.length + flightRecorder.length > 0,
		profileFile: profileGiven ? null : (proftoolProfile[0] ?? null),
		otherFiles: all.filter((file) => !parts.has(file)).length,
	};
}

function listed(names: readonly string[]): string {
	return names.slice(0, 4).join(', ') + (names.length > 4 ? ` and ${names.length - 4} more` : '');
}

function describeMatch({ entries, found, sameName }: ProfileMatch, kind: CompilationKind | null): string {
	if (kind === 'AOT') {
		return `none of its ${entries} names is in the log`;
	}
	return `of its ${entries} top-tier compile ids ${found} are in the log, and of those ${sameName} have the same method; at least half is expected of each`;
}
