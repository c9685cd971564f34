/** `assay doctor RECORDING`: which evidence lies in a folder or in files, by what they hold. */
import fs from 'node:fs';
import path from 'node:path';
import type { Source } from '../../bytes/source.js';
import { isAsyncProfilerCollapsed, readAsyncProfilerCollapsed } from '../../formats/async-profiler-collapsed/read.js';
import { isDTraceProfile, readDTraceProfile } from '../../formats/dtrace-profile/read.js';
import { isGraalOptimizationLog } from '../../formats/graal-optimization-log/detect.js';
import { isHotspotLog, isPrintAssembly } from '../../formats/hotspot-log/detect.js';
import { isPerfScript, readPerfScript } from '../../formats/perf-script/read.js';
import { isProftoolProfile } from '../../formats/proftool-profile/detect.js';
import { isXctraceTable, readXctraceTable } from '../../formats/xctrace/read.js';
import { numberAddresses } from '../../model/address-numbers.js';
import type { InspectedFile, InspectedKind, ProfileCounts, RecordingInspection, SampleCounts } from '../../model/inspection.js';
import { recordsByKind } from '../../model/observed-profile.js';
import { InputError, type Problem } from '../../model/problem.js';
import { MANIFEST_NAME } from '../../model/recording-manifest.js';
import type { Samples } from '../../model/samples.js';
import { asInputError, openFile } from '../file-source.js';
import { isIndexFile } from '../index-name.js';
import type { LogFile } from '../log-file.js';
import { observedFormatOf, openObserved } from '../observed-file.js';
import { readHead } from '../read-head.js';
import { tellsOfSafepoints } from '../safepoint-log-file.js';
import { markedStartupKind, type StartupKind, textStartupKind } from '../startup-files.js';
import { joinsOf, missingOf } from './joins.js';
import { type ManifestFacts, readManifest } from './read-manifest.js';
import { isInside, type ScannedCode, scanCode } from './scan-code.js';

const HEAD_BYTES = 1 << 20;
const MAX_FILES = 10_000;

const SAMPLE_READERS: Partial<Record<InspectedKind, (source: Source) => { samples: Samples; problems: readonly Problem[] }>> = {
	'perf-script': readPerfScript,
	'dtrace-profile': readDTraceProfile,
	'xctrace-table': readXctraceTable,
	'async-profiler-collapsed': readAsyncProfilerCollapsed,
};

export interface InspectionRun {
	readonly inspection: RecordingInspection;
	readonly problems: readonly Problem[];
}

/** Throws an {@link InputError} when a path that was named cannot be read; what is in the files never makes it throw. */
export async function inspectRecording(paths: readonly LogFile[]): Promise<InspectionRun> {
	const problems: Problem[] = [];
	const files: InspectedFile[] = [];
	const codes: ScannedCode[] = [];
	const samplesOf = new Map<InspectedFile, Samples>();
	let manifest: ManifestFacts | null = null;
	for (const file of listFiles(paths)) {
		try {
			const head = await readHead(file.filePath, HEAD_BYTES);
			const sizeBytes = fs.statSync(file.filePath).size;
			const opened = await openFile(file.filePath, file.name);
			problems.push(...opened.problems);
			const observed = observedFormatOf(head, opened.source);
			const kind = kindOf(path.basename(file.name), head, observed);
			if (kind === 'manifest') {
				const read = readManifest(file);
				problems.push(...read.problems);
				manifest = read.facts ?? manifest;
			}
			const code = kind === 'hotspot-log' || kind === 'print-assembly' ? scanCode(opened.source) : null;
			const read = SAMPLE_READERS[kind]?.(opened.source);
			const profile = code === null && read === undefined && observed !== null ? await countProfile({ ...file, source: opened.source }) : null;
			opened.source.close();
			const inspected: InspectedFile = {
				name: file.name,
				kind,
				sizeBytes,
				code: code?.counts ?? null,
				samples: read === undefined ? null : countSamples(read.samples, read.problems.length),
				startup: null,
				profile,
			};
			files.push(inspected);
			if (code !== null) {
				codes.push(code);
			}
			if (read !== undefined) {
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
	const counted = files.map((file) => withInside(file, samplesOf.get(file), codes));
	const evidence = { files: counted, clocks: manifest?.clocks ?? null };
	const inspection = {
		name: paths.map(({ name }) => name).join(' '),
		files: counted,
		manifest,
		joins: joinsOf(evidence),
		missing: missingOf(evidence),
	};
	return { inspection, problems };
}

const STARTUP_KINDS: readonly (readonly [InspectedKind, StartupKind])[] = [
	['linked-program', 'program'],
	['order-trace', 'orderTrace'],
	['executed-instructions', 'instructionList'],
	['order-map', 'orderMap'],
];

function kindOf(name: string, head: string, profile: ReturnType<typeof observedFormatOf>): InspectedKind {
	if (name === MANIFEST_NAME) {
		return 'manifest';
	}
	if (profile?.isAlone) {
		return profile.format;
	}
	const tests: readonly (readonly [InspectedKind, (head: string) => boolean])[] = [
		['perf-data', (text) => text.startsWith('PERFILE2')],
		['hotspot-log', isHotspotLog],
		['xctrace-table', isXctraceTable],
		['dtrace-profile', isDTraceProfile],
		['async-profiler-collapsed', isAsyncProfilerCollapsed],
		['graal-optimization-log', isGraalOptimizationLog],
		['proftool-profile', isProftoolProfile],
		['perf-script', isPerfScript],
		...STARTUP_KINDS.map(([kind, own]) => [kind, (text: string) => (markedStartupKind(text) ?? textStartupKind(text)) === own] as const),
		['perf-map', (text) => /^(?:0x)?[0-9a-f]{6,16} (?:0x)?[0-9a-f]+ \S/.test(text)],
		['print-assembly', isPrintAssembly],
		['safepoint-log', (text) => tellsOfSafepoints(name, text)],
	];
	return tests.find(([, is]) => is(head))?.[0] ?? profile?.format ?? 'other';
}

async function countProfile(file: LogFile): Promise<ProfileCounts | null> {
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
		events: recordsByKind(observed).map(({ event, records }) => ({ name: event, count: records })),
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

/** Adds how many of the samples lie in logged code: in that of their own process, where both sides say which it is. */
function withInside(file: InspectedFile, samples: Samples | undefined, codes: readonly ScannedCode[]): InspectedFile {
	if (file.samples === null || samples === undefined || codes.length === 0) {
		return file;
	}
	const { of, addresses } = numberAddresses(samples);
	let inCompilations = 0;
	for (let row = 0; row < samples.length; row++) {
		const address = addresses[of[row]!]!;
		const processId = samples.processId[row];
		const isOwn = ({ counts }: ScannedCode): boolean => processId === -1 || counts.processId === null || counts.processId === processId;
		inCompilations += codes.some((code) => isOwn(code) && isInside(address, code.ranges)) ? 1 : 0;
	}
	return { ...file, samples: { ...file.samples, inCompilations } };
}

/** The files that were named, and those in folders that were named and in the folders in them. */
function listFiles(paths: readonly LogFile[]): LogFile[] {
	const files: LogFile[] = [];
	for (const start of paths) {
		try {
			if (!fs.statSync(start.filePath).isDirectory()) {
				files.push(start);
				continue;
			}
			const entries = fs.readdirSync(start.filePath, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && !isIndexFile(entry.name));
			for (const entry of entries) {
				const filePath = path.join(entry.parentPath, entry.name);
				files.push({ filePath, name: path.join(start.name, path.relative(start.filePath, filePath)) });
			}
		} catch (error) {
			throw asInputError(error, start.name);
		}
	}
	if (files.length > MAX_FILES) {
		const message = `there are more than ${MAX_FILES} files below it`;
		throw new InputError({ severity: 'error', file: paths[0]?.name ?? '', message, action: 'give the folder of one recording' });
	}
	return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}
