/** What other profilers said of the same run: opens their profiles, chooses among kinds of samples, and lays their times on the samples' clock. */
import { NEAREST } from '../bias/bias-report.js';
import { type ObservedProfile, type ObservedRequest, observedProfile } from '../bias/observed.js';
import type { JvmClock } from '../hot/jvm-clock.js';
import type { ObservedFile, ObservedKind } from '../model/observed-profile.js';
import { InputError, type Problem, UsageError } from '../model/problem.js';
import type { LogFile } from '../recording/log-file.js';
import { OBSERVED_FORMATS, openObservedFile } from '../recording/observed-file.js';
import type { Recording } from '../recording/open-recording.js';
import type { BiasRequest } from './bias.js';

export interface Against {
	/** What the profile is called. */
	readonly name: string;
	readonly file: LogFile;
	/** null: each kind that the file holds, those of threads in native code left out. */
	readonly kind: string | null;
}

interface ClockSource {
	/** `recorded`: `assay record` noted both clocks; `jvm-start`: the start of the JVM is known on both. */
	readonly source: 'recorded' | 'jvm-start';
	readonly uncertaintySeconds: number;
}

export interface NamedProfile {
	readonly name: string;
	readonly file: string;
	/** In words. */
	readonly format: string;
	/** In the profile's own words: `jdk.ExecutionSample`. */
	readonly event: string;
	readonly lostSamples: number;
	readonly hasTimes: boolean;
	/** How its times were laid on the samples' clock; null: nobody asked for a part of the time, or they were not. */
	readonly clock: ClockSource | null;
	readonly profile: ObservedProfile;
}

/** What assay calls its own. */
export const OWN_PROFILE_NAMES: ReadonlySet<string> = new Set(['unbiased', 'predicted', NEAREST]);

/** Whether a profile cannot be called so: that is what assay calls its own. */
export function isOwnProfileName(name: string): boolean {
	return OWN_PROFILE_NAMES.has(name);
}

/** Throws an InputError when a file cannot be read, a UsageError for a name of assay's own; a file that holds no profile is told of and left out. */
export async function readObservedProfiles(
	wanted: readonly Against[],
	request: BiasRequest,
	{ recording, clock }: { readonly recording: Recording; readonly clock: JvmClock },
	problems: Problem[],
	withCalls = false,
): Promise<NamedProfile[]> {
	const refused = wanted.find(({ name }) => isOwnProfileName(name));
	if (refused !== undefined) {
		throw new UsageError(`a profile cannot be called ${refused.name}: that is what assay calls its own`);
	}
	const result: NamedProfile[] = [];
	for (const against of wanted) {
		const opened = await openOne(against, problems, withCalls);
		if (opened === null) {
			continue;
		}
		const window = windowOf(opened, against.file.name, request, recording, clock, problems);
		for (const kind of chosenKinds(opened, against, problems)) {
			const profile = observedProfile(opened, kind, { thread: request.thread ?? null, window: window?.window ?? null });
			problems.push(...doubtsOf(profile, against.file.name, kind, request));
			result.push({
				name:
					result.some(({ name }) => name === against.name) || (against.kind === null && kind !== opened.kinds[0])
						? `${against.name}:${kind.kind}`
						: against.name,
				file: against.file.name,
				format: opened.format,
				event: kind.event,
				lostSamples: kind.kind === 'cpu' ? opened.lostSamples : 0,
				hasTimes: opened.stacks?.timeNs != null,
				clock: window?.clock ?? null,
				profile,
			});
		}
	}
	return result;
}

async function openOne({ file }: Against, problems: Problem[], withCalls: boolean): Promise<ObservedFile | null> {
	const opened = await openObservedFile(file.filePath, file.name, withCalls);
	problems.push(...opened.problems);
	if (opened.file === null) {
		problems.push({
			severity: 'error',
			file: file.name,
			message: 'holds no profile that is known',
			action: `the profile counts as empty; give ${OBSERVED_FORMATS}`,
		});
	} else if (opened.file.kinds.length === 0) {
		problems.push({ severity: 'error', file: file.name, message: `holds no samples (${opened.file.format})`, action: 'it is left out' });
	}
	return opened.file;
}

function chosenKinds({ kinds }: ObservedFile, { file: { name: file }, kind }: Against, problems: Problem[]): readonly ObservedKind[] {
	if (kind !== null) {
		const chosen = kinds.filter((one) => one.kind === kind);
		if (chosen.length === 0) {
			throw new InputError({
				severity: 'error',
				file,
				message: `holds no samples of the kind ${kind}`,
				action: kinds.length === 0 ? 'it holds none at all' : `it has ${kinds.map((one) => `${one.kind} (${one.event})`).join(', ')}`,
			});
		}
		return chosen;
	}
	const running = kinds.filter((one) => one.kind !== 'native');
	if (running.length > 0 && running.length < kinds.length) {
		problems.push({
			severity: 'warning',
			file,
			message: 'samples of threads in native code (jdk.NativeMethodSample) are left out: such threads mostly wait',
			action: `${file}:native shows them`,
		});
	}
	return running.length > 0 ? running : kinds;
}

interface AlignedWindow {
	readonly window: NonNullable<ObservedRequest['window']>;
	readonly clock: ClockSource;
}

/** null: nobody asked for a part of the time, or the times of the profile cannot be laid on the samples' clock. */
function windowOf(
	opened: ObservedFile,
	file: string,
	{ from, to }: BiasRequest,
	recording: Recording,
	clock: JvmClock,
	problems: Problem[],
): AlignedWindow | null {
	const warn = (message: string, action: string): null => {
		problems.push({ severity: 'warning', file, message, action });
		return null;
	};
	const startedEpochMs = recording.log?.startedEpochMs ?? null;
	const { jvmStartEpochNs } = opened;
	if (jvmStartEpochNs !== null && startedEpochMs !== null) {
		const apart = Number(jvmStartEpochNs - BigInt(startedEpochMs) * 1_000_000n) / 1e9;
		if (Math.abs(apart) > 2) {
			warn(
				`its JVM started ${Math.abs(apart).toFixed(0)} s ${apart > 0 ? 'after' : 'before'} that of ${recording.logFile ?? 'the log'}`,
				'is it of another run?',
			);
		}
	}
	if (!Number.isFinite(from) && !Number.isFinite(to)) {
		return null;
	}
	if (opened.stacks?.timeNs == null) {
		return null;
	}
	const known = epochOfZero(recording, clock, jvmStartEpochNs);
	if (known === null) {
		return warn("its times are of the wall clock, and nothing tells how that and the samples' clock go together", '--from and --to do not apply to it');
	}
	return { window: { from: from * 1e9, to: to * 1e9, originEpochNs: known.epochNs }, clock: known.clock };
}

/** What the wall clock showed when the samples' clock stood at 0. */
function epochOfZero({ note, log }: Recording, clock: JvmClock, jvmStartEpochNs: bigint | null): { epochNs: bigint; clock: ClockSource } | null {
	const offset = note?.monotonicMinusRealtimeSeconds ?? null;
	if (offset !== null) {
		return { epochNs: BigInt(Math.round(-offset * 1e9)), clock: { source: 'recorded', uncertaintySeconds: note?.clockUncertaintySeconds ?? 0 } };
	}
	const startEpochNs = log?.startedEpochMs == null ? jvmStartEpochNs : BigInt(log.startedEpochMs) * 1_000_000n;
	if (startEpochNs === null || !Number.isFinite(clock.startSeconds)) {
		return null;
	}
	return { epochNs: startEpochNs - BigInt(Math.round(clock.startSeconds * 1e9)), clock: { source: 'jvm-start', uncertaintySeconds: clock.uncertaintySeconds } };
}

function doubtsOf({ counted, leftOut, biased, unwalkable }: ObservedProfile, file: string, { event }: ObservedKind, { thread = null }: BiasRequest): Problem[] {
	const warning = (message: string, action: string): Problem => ({ severity: 'warning', file, message, action });
	if (counted === 0) {
		if (leftOut.otherThreads > 0 && leftOut.otherTimes + leftOut.waiting === 0) {
			return [warning(`no stack (${event}) is of a thread ${thread}`, 'the profile counts as empty')];
		}
		return [warning(`no ${event} counts: ${whyLeftOut(leftOut)}`, 'the profile counts as empty; check --thread, --from and --to')];
	}
	const result: Problem[] = [];
	if (biased > 0) {
		result.push(warning(`the JVM says of ${biased} of ${counted} samples (${event}) that they are biased`, 'they are counted where they are'));
	}
	if (unwalkable > counted / 10) {
		result.push(warning(`${unwalkable} of ${counted} samples (${event}) have no stack`, 'they are the row (unknown)'));
	}
	return result;
}

function whyLeftOut({ otherThreads, otherTimes, waiting }: ObservedProfile['leftOut']): string {
	return `${otherThreads} samples are of other threads, ${otherTimes} of other times, ${waiting} of threads that wait`;
}
