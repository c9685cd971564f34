/** `assay doctor RECORDING`: which evidence lies in a folder or in files, by what they hold. */
import { type Jitdump, readJitdump } from '../../formats/jitdump/read.js';
import { numberAddresses } from '../../model/address-numbers.js';
import {
	type FlightRecorderCounts,
	type InspectedFile,
	type JitdumpCounts,
	OTHER_KIND,
	type ProfileCounts,
	type RecordingInspection,
	type SampleCounts,
} from '../../model/inspection.js';
import { recordsByKind } from '../../model/observed-profile.js';
import { InputError, type Problem } from '../../model/problem.js';
import type { Samples } from '../../model/samples.js';
import type { Evidence } from '../evidence.js';
import { asInputError } from '../file-source.js';
import type { EvidenceFile } from '../find-evidence.js';
import { openLogFile } from '../log-file.js';
import { openObserved } from '../observed-file.js';
import { readSamples } from '../sample-formats.js';
import { inspectFlightRecorder, missingEvents } from './inspect-flight-recorder.js';
import { joinsOf, missingOf } from './joins.js';
import { type ManifestFacts, readManifest } from './read-manifest.js';
import { type CodeRanges, isInside, scanAgentLog, scanCode, unionOf } from './scan-code.js';

export interface InspectionRun {
	readonly inspection: RecordingInspection;
	readonly problems: readonly Problem[];
}

/** What is in the files never makes it throw. */
export async function inspectRecording(evidence: Evidence): Promise<InspectionRun> {
	const problems: Problem[] = [...evidence.problems];
	const files: InspectedFile[] = [];
	const codes: OwnedRanges[] = [];
	const samplesOf = new Map<InspectedFile, Samples>();
	let manifest: ManifestFacts | null = null;
	for (const file of evidence.all) {
		try {
			const kinds = new Set(file.formats.flatMap((format) => format.kinds));
			const has = (name: string): boolean => file.formats.some((format) => format.name === name);
			if (has('manifest') && file.source !== undefined) {
				const read = readManifest(file.source);
				problems.push(...read.problems);
				manifest = read.facts ?? manifest;
			}
			const code =
				file.source === undefined
					? null
					: has('agent-log')
						? scanAgentLog(file.source)
						: has('hotspot-log') || has('print-assembly')
							? scanCode(file.source)
							: null;
			const dump = has('jitdump') && file.source !== undefined ? countDump(readJitdump(file.source)) : null;
			const read = kinds.has('samples') && evidence.files.samples.includes(file) ? await readSamples(file, 'none', null) : null;
			const profile = kinds.has('stacks') && code === null ? await countProfile(file) : null;
			const inspected: InspectedFile = {
				name: file.name,
				kind: kindOf(file, profile),
				sizeBytes: file.sizeBytes,
				code: code?.counts ?? null,
				jitdump: dump?.counts ?? null,
				samples: read === null ? null : countSamples(read.samples, read.problems.length),
				startup: null,
				profile,
				...(kinds.has('flightRecorder') ? { flightRecorder: await countEvents(file) } : {}),
			};
			files.push(inspected);
			if (code !== null) {
				codes.push({ processId: code.counts.processId, ranges: code.ranges });
			}
			if (dump !== null) {
				codes.push({ processId: dump.counts.processId, ranges: dump.ranges });
			}
			if (read !== null) {
				samplesOf.set(inspected, read.samples);
			}
		} catch (error) {
			const inputError = asInputError(error, file.name);
			if (!(inputError instanceof InputError)) {
				throw error;
			}
			problems.push({ ...inputError.problem, severity: 'warning', action: 'it is left out' });
		}
	}
	files.sort((a, b) => (a.name < b.name ? -1 : 1));
	const counted = files.map((file) => withInside(file, samplesOf.get(file), codes));
	const found = { files: counted, clocks: manifest?.clocks ?? null };
	const inspection = {
		name: evidence.name.replaceAll(', ', ' '),
		files: counted,
		manifest,
		joins: joinsOf(found),
		missing: [...missingOf(found), ...missingEvents(counted.flatMap(({ flightRecorder }) => flightRecorder ?? []))],
	};
	return { inspection, problems };
}

/** What tells most of it; what only a program beside it or the reading makes sure of is not said here. */
function kindOf({ formats }: EvidenceFile, profile: ProfileCounts | null): string {
	const sure = formats.filter(({ place }) => place !== 'anywhere' && place !== 'weak');
	const own = sure.find((format) => format.stacks === undefined) ?? (profile === null ? undefined : sure[0]);
	return own?.name ?? OTHER_KIND;
}

async function countEvents(file: EvidenceFile): Promise<FlightRecorderCounts> {
	const { source } = await openLogFile(file);
	try {
		return inspectFlightRecorder(source);
	} finally {
		source.close();
	}
}

async function countProfile(file: EvidenceFile): Promise<ProfileCounts | null> {
	const { file: observed, format, problems } = await openObserved(file);
	if (observed === null || format === null) {
		return null;
	}
	let first = Number.POSITIVE_INFINITY;
	let last = Number.NEGATIVE_INFINITY;
	for (const time of observed.stacks?.timeNs ?? []) {
		// Samples without a time are not compared: NaN is neither less nor more.
		first = time < first ? time : first;
		last = time > last ? time : last;
	}
	return {
		format,
		isCounted: observed.isCounted,
		events: [...recordsByKind(observed).map(({ event, records }) => ({ name: event, count: records })), ...(observed.compilerEvents ?? [])],
		seconds: last >= first ? (last - first) / 1e9 : null,
		problems: problems.length,
	};
}

function countSamples({ length, events, event, timeSeconds }: Samples, problems: number): SampleCounts {
	const counts = new Array<number>(events.length).fill(0);
	let firstSeconds = Number.POSITIVE_INFINITY;
	let lastSeconds = Number.NEGATIVE_INFINITY;
	for (let row = 0; row < length; row++) {
		const number = event[row]!;
		counts[number] = (counts[number] ?? 0) + 1;
		firstSeconds = Math.min(firstSeconds, timeSeconds[row]!);
		lastSeconds = Math.max(lastSeconds, timeSeconds[row]!);
	}
	const hasTimes = firstSeconds !== 0 || lastSeconds !== 0;
	return {
		total: length,
		events: events.map((name, number) => ({ name, count: counts[number] ?? 0 })),
		firstSeconds: length > 0 && hasTimes ? firstSeconds : null,
		lastSeconds: length > 0 && hasTimes ? lastSeconds : null,
		inCompilations: null,
		problems,
	};
}

interface OwnedRanges {
	readonly processId: number | null;
	readonly ranges: CodeRanges;
}

function countDump({ code, processId, firstSeconds, lastSeconds, problems }: Jitdump): { readonly counts: JitdumpCounts; readonly ranges: CodeRanges } {
	const withLines = code.filter(({ linesAt }) => linesAt !== null).length;
	return {
		counts: { processId, pieces: code.length, withLines, firstSeconds, lastSeconds, problems: problems.length },
		ranges: unionOf(code.map(({ start, end }) => [start, end] as const)),
	};
}

/** Adds how many of the samples lie in logged code: in that of their own process, where both sides say which it is. */
function withInside(file: InspectedFile, samples: Samples | undefined, codes: readonly OwnedRanges[]): InspectedFile {
	if (file.samples === null || samples === undefined || codes.length === 0) {
		return file;
	}
	const { of, addresses } = numberAddresses(samples);
	let inCompilations = 0;
	for (let row = 0; row < samples.length; row++) {
		const address = addresses[of[row]!]!;
		const processId = samples.processId[row];
		const isOwn = (code: OwnedRanges): boolean => processId === -1 || code.processId === null || code.processId === processId;
		inCompilations += codes.some((code) => isOwn(code) && isInside(address, code.ranges)) ? 1 : 0;
	}
	return { ...file, samples: { ...file.samples, inCompilations } };
}
