/** A recording of HotSpot as an experiment: what its top-tier compiler decided, and how often each compilation was sampled. */
import fs from 'node:fs';
import path from 'node:path';
import type { LoggedCompilation } from '../model/compilation.js';
import { type CompilationHistory, type JitCompilation, TOP_TIER, wasInstalled } from '../model/jit-compilation.js';
import { jvmFlags } from '../model/jvm-flags.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Profile, ProfileEntry } from '../model/profile.js';
import { createExperiment, type ExperimentNumber } from '../profdiff/experiment.js';
import { matchProfile } from '../profdiff/profile-match.js';
import type { CompilationLog } from '../recording/compilation-log.js';
import { type Evidence, openEvidence } from '../recording/evidence.js';
import { SAMPLES_MISSING } from '../recording/open-recording.js';
import { openProftoolProfile } from '../recording/proftool-profile.js';
import { openHot } from './hot.js';
import { comparedName, type NamesApart, NOTHING_APART } from './names-apart.js';
import type { OpenExperimentOptions, OpenedExperiment, SampledStacks } from './opened-experiment.js';
import { chooseStacks, heatOfChosen } from './stack-heat.js';

/** What samples say of a run's compilations; null: there are none. */
interface FoundProfile {
	readonly profile: Profile | null;
	readonly profileName: string | null;
	readonly ofStacks?: SampledStacks;
	readonly problems: readonly Problem[];
}

/** Throws an {@link InputError} when there is no log of HotSpot's compilers. */
export async function openHotspotExperiment(
	number: ExperimentNumber,
	evidence: Evidence,
	options: OpenExperimentOptions,
	name = evidence.name,
): Promise<OpenedExperiment> {
	const log = await evidence.compilationLog();
	const top = topTierCompilations(log.history.compilations, log.origin !== 'printCompilation' && log.origin !== 'remarks');
	const { apart = NOTHING_APART } = options;
	const compilations = top.map((compilation) => loggedCompilation(compilation, log, name, apart));
	const { profile, profileName, ofStacks, problems } = await profileOf(evidence, top, log.history, options);
	return {
		name,
		evidence,
		logKind: log.origin === 'remarks' ? 'LLVM' : 'HotSpot',
		hasJvmLog: true,
		isPart: log.history.watchedFromMs !== undefined,
		toldBy: log.origin,
		flags: jvmFlags(log.history.arguments),
		experiment: createExperiment(number, compilations, profile, 'JIT', options.kept ?? null),
		logFiles: log.files.length,
		otherFiles: 0,
		duplicateIds: compilations.length - new Set(compilations.map(({ compileId }) => compileId)).size,
		profileName,
		ofStacks,
		match: profile === null ? null : matchProfile(compilations, profile),
		apart,
		problems: [...log.problems, ...problems],
	};
}

async function profileOf(
	evidence: Evidence,
	top: readonly JitCompilation[],
	history: CompilationHistory,
	{ workingDirectory, profile: given, apart = NOTHING_APART }: OpenExperimentOptions,
): Promise<FoundProfile> {
	const ids = new Set(top.map(({ compileId }) => compileId));
	if (given === undefined) {
		return hasAddresses(evidence) ? sampledProfile(evidence, ids, apart) : stackProfile(evidence, ids, history, apart);
	}
	const file = { filePath: path.resolve(workingDirectory, given), name: given };
	if (!isFolder(file.filePath)) {
		return { profile: withOsrMarks(await openProftoolProfile(file), top), profileName: given, problems: [] };
	}
	const other = await openEvidence([file]);
	try {
		return await sampledProfile(other, ids, apart);
	} finally {
		other.close();
	}
}

/** Samples with addresses tell more than stacks. */
function hasAddresses(evidence: Evidence): boolean {
	return evidence.files.samples.length > 0 || evidence.files.stacks.length === 0;
}

/** Samples with stacks, by the compilation that was executed. */
async function stackProfile(evidence: Evidence, ids: ReadonlySet<string>, history: CompilationHistory, apart: NamesApart): Promise<FoundProfile> {
	const problems: Problem[] = [];
	const chosen = await chooseStacks(evidence, { startedEpochMs: history.startedEpochMs, problems });
	if (chosen === null) {
		return { profile: null, profileName: null, problems };
	}
	const { code, attribution, event, failed } = heatOfChosen(chosen, history.compilations, history.startedEpochMs, {});
	const byId = new Map(history.compilations.map((one) => [one.compileId, one]));
	const entriesOf = (isWanted: boolean): ProfileEntry[] =>
		code.flatMap(({ code: { compileId }, samples }) => {
			const compilation = compileId === null ? undefined : byId.get(compileId);
			return compilation === undefined || ids.has(compilation.compileId) !== isWanted
				? []
				: [
						{
							compileId,
							name: comparedName(compilation.method, compilation.signature, compilation.compileId, apart),
							level: isWanted ? TOP_TIER : compilation.level,
							period: samples,
						},
					];
		});
	const profile: Profile = { kind: 'JIT', executionId: null, totalPeriod: attribution.counted, entries: entriesOf(true), otherEntries: entriesOf(false) };
	return { profile, profileName: chosen.file, ofStacks: { event, lost: chosen.lost, failed }, problems };
}

/** Where a profile is expected, a recording gives its samples. */
function isFolder(file: string): boolean {
	return fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * What was installed at the highest level that the run reached: C2's code, C1's where there is no other. PrintCompilation tells that a compilation began, and no end but
 * its failure: `tellsEnds` is false.
 */
export function topTierCompilations(all: readonly JitCompilation[], tellsEnds = true): JitCompilation[] {
	const installed = all.filter(
		(compilation) => compilation.kind !== 'native wrapper' && compilation.failure === null && (!tellsEnds || wasInstalled(compilation)),
	);
	const highest = installed.reduce((most, { level }) => Math.max(most, level ?? 0), 0);
	return installed.filter(({ level }) => (level ?? 0) === highest);
}

function loggedCompilation(compilation: JitCompilation, log: CompilationLog, file: string, apart: NamesApart): LoggedCompilation {
	const methodName = comparedName(compilation.method, compilation.signature, compilation.compileId, apart);
	return {
		compileId: compilation.compileId,
		methodName,
		multiMethodKey: null,
		fullName: methodName,
		sizeBytes: compilation.sizeBytes ?? 0,
		counted: (compilation.invocations ?? 0) + (compilation.backedges ?? 0),
		readTrees: () => {
			const record = log.read(compilation);
			if (record === null) {
				throw new InputError({
					severity: 'error',
					file,
					message: `the log has no record of what the compiler did in c${compilation.compileId} (${methodName})`,
					action: 'it ends before the JVM did, or was cut; the compilation is skipped',
				});
			}
			return { inlining: record.inlining, optimization: record.optimization };
		},
	};
}

/** Profiles are read without the mark of on-stack replacement, which is part of HotSpot's ids here. */
function withOsrMarks(profile: Profile, top: readonly JitCompilation[]): Profile {
	const ids = new Set(top.map(({ compileId }) => compileId));
	return {
		...profile,
		entries: profile.entries.map((entry) =>
			entry.compileId !== null && ids.has(`${entry.compileId}%`) ? { ...entry, compileId: `${entry.compileId}%` } : entry,
		),
	};
}

/** Static functions of one name have one id in a native program: remarks cannot tell them apart either. */
export function summed(all: readonly ProfileEntry[]): ProfileEntry[] {
	const byId = new Map<string | null, ProfileEntry>();
	for (const { compileId, name, level, period } of all) {
		const before = byId.get(compileId);
		byId.set(compileId, before === undefined ? { compileId, name, level, period } : { ...before, period: before.period + period });
	}
	return [...byId.values()];
}

/** Samples beside a log with these compile ids, if there are any: one counts one. Graal's log has no mark behind ids of on-stack replacement. */
export async function sampledProfile(evidence: Evidence, ids: ReadonlySet<string>, apart: NamesApart = NOTHING_APART): Promise<FoundProfile> {
	try {
		const { report, recording, problems } = await openHot(evidence, {
			event: null,
			processId: null,
			window: null,
			gapBytes: 32,
			byDistance: true,
			skid: 'off',
		});
		const idOf = (compileId: string | null): string | null => [compileId, compileId?.replace('%', '')].find((id) => id != null && ids.has(id)) ?? null;
		const all = report.code.flatMap(({ code, samples }): (ProfileEntry & { readonly isLogged: boolean })[] => {
			const id = idOf(code.compileId);
			const name = comparedName(code.name, code.signature, code.compileId, apart);
			return code.compileId === null
				? []
				: [{ compileId: id ?? code.compileId, name, level: id === null ? code.level : TOP_TIER, period: samples, isLogged: id !== null }];
		});
		const entriesOf = (isWanted: boolean): ProfileEntry[] => summed(all.filter(({ isLogged }) => isLogged === isWanted));
		const executionId = recording.log?.processId == null ? null : String(recording.log.processId);
		const profile: Profile = { kind: 'JIT', executionId, totalPeriod: report.attribution.counted, entries: entriesOf(true), otherEntries: entriesOf(false) };
		return { profile, profileName: recording.samplesFile, problems };
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		// No samples are no problem; samples that cannot be read are one.
		const isWithout = error.problem.message === SAMPLES_MISSING;
		return { profile: null, profileName: null, problems: isWithout ? [] : [{ ...error.problem, severity: 'warning' }] };
	}
}
