/** The questions of `assay export`: what a recording holds, in the form of other tools, and as tables. Each kind of evidence is opened when it is asked for, once. */
import { gzipSync } from 'node:zlib';
import { writeChromeTrace } from '../formats/chrome-trace/write.js';
import { writeCollapsedStacks } from '../formats/collapsed-stacks/write.js';
import { type ProfileMarker, writeFirefoxProfile } from '../formats/firefox-profile/write.js';
import { otlpProfiles } from '../formats/otlp-profiles/write.js';
import { proftoolJson } from '../formats/proftool-profile/write.js';
import { writeSarif } from '../formats/sarif/write.js';
import { writeSpeedscope } from '../formats/speedscope/write.js';
import { profileOfSamples } from '../hot/sample-profile.js';
import type { StackHeat } from '../hot/stack-heat.js';
import { stackedOfStacks } from '../hot/stacked-stacks.js';
import { isCollection } from '../model/collector-pauses.js';
import { methodWithParameters } from '../model/java-descriptor.js';
import type { CompilationHistory } from '../model/jit-compilation.js';
import { shortVersion } from '../model/jvm-version.js';
import { InputError, type Problem } from '../model/problem.js';
import type { ProfileEntry } from '../model/profile.js';
import type { Safepoint } from '../model/safepoint.js';
import { type ProfileOrigin, type StackedSamples, totalWeight } from '../model/stacked-samples.js';
import type { Table } from '../model/table.js';
import type { CompilationLog } from '../recording/compilation-log.js';
import type { Evidence } from '../recording/evidence.js';
import { type Recording, SAMPLES_MISSING } from '../recording/open-recording.js';
import { arenasTable, compilationsTable, inliningTable, memoryTable, regionsTable, safepointsTable, samplesTable, tablesResult } from './export-tables.js';
import { type HotRequest, hotOf, type OpenedHot, windowSeconds } from './hot.js';
import { memoryOf } from './memory.js';
import type { OpenedMemory } from './memory-result.js';
import { DEFAULT_REPORT_REQUEST, openReport } from './report.js';
import type { ExportResult } from './results.js';
import { type ChosenStacks, chooseStacks, heatOfChosen } from './stack-heat.js';
import type { Streamed } from './streamed.js';
import type { TableName } from './table-names.js';
import { VERSION } from './version.js';

/** Which samples are exported, and what the recording is called in it. */
export interface ExportRequest {
	/** As the user called it. */
	readonly name: string;
	readonly samples: HotRequest;
}

/** Forms of other tools that hold one profile, or one trace. */
export const PROFILE_FORMATS = ['collapsed', 'speedscope', 'pprof', 'otlp', 'firefox', 'proftool', 'chrome-trace', 'sarif'] as const;
export type ProfileFormat = (typeof PROFILE_FORMATS)[number];

/** Where an export goes, piece by piece. */
interface ExportSink {
	text(text: string): void;
	bytes(bytes: Uint8Array): void;
}

export interface ProfileAnswer {
	/** Whether it is no text. */
	readonly isBinary: boolean;
	/** How many samples are written; null: it is a trace, with what else it has. */
	readonly samples: number | null;
	/** Of what was read. */
	readonly problems: readonly Problem[];
	/** Returns what the form had no place for. */
	write(sink: ExportSink): readonly Problem[];
}

export interface TablesAnswer {
	readonly tables: readonly Table[];
	/** Of those that were asked for. */
	readonly missing: readonly TableName[];
	readonly problems: readonly Problem[];
	result(): Streamed<ExportResult>;
}

/** What wrote it, for formats that say so. */
export const PRODUCER = `assay ${VERSION}`;

/** Throws an {@link InputError} when the recording holds nothing of it. The evidence has to be opened with all details of samples. */
export async function answerProfile(
	evidence: Evidence,
	{ name, samples: request }: ExportRequest,
	format: ProfileFormat,
	/** Of `collapsed`: the thread as the outermost frame. */
	withThreads: boolean,
): Promise<ProfileAnswer> {
	if (format === 'sarif') {
		return findingsOf(evidence, name, request);
	}
	const source = await exportSource(evidence, request);
	if (format === 'chrome-trace') {
		return traceOf(source, name);
	}
	const { stacks, version, proftool } = await samplesOf(source, name);
	const origin = originOf(name, version);
	const markers = format === 'firefox' ? await markersOf(source, stacks) : [];
	// Loaded only where they are needed: these writers come from packages.
	const pprof = format === 'pprof' ? (await import('../formats/pprof/write.js')).pprofProfile : null;
	return {
		isBinary: pprof !== null || format === 'otlp',
		samples: Math.round(totalWeight(stacks)),
		problems: source.problems(),
		write({ text, bytes }) {
			switch (format) {
				case 'collapsed':
					writeCollapsedStacks(stacks, withThreads, text);
					break;
				case 'speedscope':
					writeSpeedscope(stacks, origin, text);
					break;
				case 'firefox':
					writeFirefoxProfile(stacks, origin, text, markers);
					break;
				case 'otlp':
					bytes(otlpProfiles(stacks, origin));
					break;
				case 'proftool':
					text(proftool());
					break;
				default:
					bytes(gzipSync(pprof?.(stacks, origin) ?? new Uint8Array(0)));
			}
			return [];
		},
	};
}

/** What the JVM did, on the times of the samples; none where nothing tells when it started on their clock. */
async function markersOf(source: ExportSource, { originSeconds, timeSeconds }: StackedSamples): Promise<ProfileMarker[]> {
	const hot = await source.hot();
	const chosen = hot === null ? (await source.stackTime())?.chosen : undefined;
	const startSeconds =
		hot !== null
			? hot.report.attribution.clock.startSeconds
			: chosen?.jvmStartEpochNs == null
				? Number.NaN
				: Number(chosen.jvmStartEpochNs - chosen.samples.originEpochNs) / 1e9;
	if (timeSeconds === null || Number.isNaN(startSeconds)) {
		return [];
	}
	const shiftMs = (startSeconds - originSeconds) * 1000;
	const history = (await source.compilations())?.history ?? null;
	const compiled = (history?.compilations ?? []).flatMap((compilation): ProfileMarker[] => {
		const { compileId, method, compiler, level, startedMs, doneMs, sizeBytes, deoptimizations } = compilation;
		const ofTimes = startedMs === null || doneMs === null ? [] : [{ startMs: startedMs + shiftMs, endMs: Math.max(startedMs, doneMs) + shiftMs }];
		const left = deoptimizations.flatMap(({ ms, reason, action }): ProfileMarker[] =>
			ms === null
				? []
				: [{ type: 'Deoptimization', name: `c${compileId} ${method}`, startMs: ms + shiftMs, endMs: null, details: { compileId, reason, action } }],
		);
		return [
			...ofTimes.map(
				(times): ProfileMarker => ({
					type: 'Compilation',
					name: `c${compileId} ${method}`,
					...times,
					details: { compileId, compiler, level, bytes: sizeBytes },
				}),
			),
			...left,
		];
	});
	const stopped = ((await source.safepoints()) ?? []).flatMap(({ operation, totalNs, reachingNs, end }): ProfileMarker[] => {
		const started = history?.startedEpochMs ?? null;
		const endNs = end.uptimeNs ?? (end.epochNs === null || started === null ? null : end.epochNs - started * 1e6);
		return endNs === null
			? []
			: [
					{
						type: isCollection(operation) ? 'Collection' : 'Safepoint',
						name: operation ?? 'safepoint',
						startMs: Math.max(0, endNs - totalNs) / 1e6 + shiftMs,
						endMs: endNs / 1e6 + shiftMs,
						details: { reaching: reachingNs },
					},
				];
	});
	return [...compiled, ...stopped];
}

/** More of a kind say nothing new. */
const MOST_FINDINGS = 100;

/** Of the report: those that its first screen has, and more of each kind. */
async function findingsOf(evidence: Evidence, name: string, samples: HotRequest): Promise<ProfileAnswer> {
	const report = await openReport(evidence, { ...DEFAULT_REPORT_REQUEST, mostOfAKind: MOST_FINDINGS, samples });
	const origin = originOf(name, report.jvm.version);
	return {
		isBinary: false,
		samples: null,
		problems: report.problems,
		write({ text }) {
			writeSarif(report.findings, origin, text);
			return [];
		},
	};
}

async function traceOf(source: ExportSource, name: string): Promise<ProfileAnswer> {
	const log = await source.compilations();
	const safepoints = (await source.safepoints()) ?? [];
	const hot = await source.hot();
	if (log === null && safepoints.length === 0) {
		throw new InputError({
			severity: 'error',
			file: name,
			message: 'holds neither compilations nor safepoints of a JVM',
			action: 'record with -XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:LogFile=FILE, or with assay record',
		});
	}
	const time = hot === null ? await source.stackTime() : null;
	const isAligned =
		(hot?.stacks != null && !Number.isNaN(hot.report.attribution.clock.startSeconds)) || (time !== null && time.chosen.jvmStartEpochNs !== null);
	const content = {
		history: log?.history ?? null,
		safepoints,
		samples: isAligned ? (hot?.stacks ?? time?.stacks ?? null) : null,
		processId: log?.history.processId ?? hot?.stacks?.processId ?? null,
	};
	const origin = originOf(name, hot === null ? (log?.history.version ?? null) : (hot.recording.log?.version ?? null));
	const note = (message: string, action: string): Problem => ({ severity: 'warning', file: name, message, action });
	return {
		isBinary: false,
		samples: null,
		problems: source.problems(),
		write({ text }) {
			const { safepointsLeftOut } = writeChromeTrace(content, origin, text);
			return [
				...(safepointsLeftOut > 0
					? [note(`${safepointsLeftOut} safepoints have no time since the JVM's start`, "they are left out; record with uptimenanos among -Xlog's decorations")]
					: []),
				...((hot !== null || time !== null) && !isAligned
					? [note("nothing tells when the JVM started on the samples' clock", 'the samples are left out')]
					: []),
			];
		},
	};
}

function originOf(name: string, version: string | null): ProfileOrigin {
	const jvm = version === null ? undefined : shortVersion(version);
	return { title: `${name}${jvm === undefined ? '' : `: ${jvm}`}`, producer: PRODUCER };
}

function proftoolOf({ report, recording: { log, note } }: OpenedHot): string {
	const frequencyHz = note?.frequencyHz ?? null;
	const profile = profileOfSamples(report, log?.processId == null ? null : String(log.processId), frequencyHz === null ? 1 : Math.round(1e9 / frequencyHz));
	const osrIds = new Set(report.code.map(({ code }) => code.compileId).filter((id) => id?.endsWith('%')));
	return proftoolJson(profile, (id) => osrIds.has(`${id}%`));
}

/** A sample counts one. */
function proftoolOfStacks({ attribution, code, methods }: StackHeat, history: CompilationHistory | null): string {
	const byId = new Map(history?.compilations.map((one) => [one.compileId, one]));
	const entries = code.flatMap(({ code: { compileId, name }, samples }): ProfileEntry[] => {
		const known = compileId === null ? undefined : byId.get(compileId);
		return compileId === null
			? []
			: [
					{
						compileId: compileId.replace('%', ''),
						name: known === undefined ? name : methodWithParameters(known.method, known.signature, true),
						level: known?.level ?? null,
						period: samples,
					},
				];
	});
	const others = methods.map(
		({ method, samples }): ProfileEntry => ({ compileId: null, name: method.replace(/^\((.*)\)$/, '$1'), level: null, period: samples }),
	);
	const profile = { kind: 'JIT' as const, executionId: null, totalPeriod: attribution.counted, entries: [...entries, ...others] };
	return proftoolJson(profile, (id) => byId.has(`${id}%`));
}

/** Of these tables those that are there. Throws an {@link InputError} when none is. The evidence has to be opened with all details of samples. */
export async function answerTables(evidence: Evidence, { name, samples }: ExportRequest, names: readonly TableName[]): Promise<TablesAnswer> {
	const source = await exportSource(evidence, samples);
	const tables: Table[] = [];
	const missing: TableName[] = [];
	for (const wanted of names) {
		const table = await openTable(source, wanted);
		if (table === null) {
			missing.push(wanted);
		} else {
			tables.push(table);
		}
	}
	if (tables.length === 0) {
		throw new InputError({
			severity: 'error',
			file: name,
			message: `holds nothing of the ${names.length === 1 ? `table ${names[0]}` : 'tables'}`,
			action: 'assay doctor says which evidence is there, and the flag for the rest',
		});
	}
	return { tables, missing, problems: source.problems(), result: () => tablesResult(tables) };
}

/** Kinds that no file tells of are null. */
interface ExportSource {
	/** Of samples with addresses. */
	hot(): Promise<OpenedHot | null>;
	/** Where there are none: of those that have stacks alone. */
	stackTime(): Promise<StackTime | null>;
	compilations(): Promise<CompilationLog | null>;
	safepoints(): Promise<readonly Safepoint[] | null>;
	memory(): Promise<OpenedMemory | null>;
	/** Of what was opened. */
	problems(): readonly Problem[];
}

interface StackTime {
	readonly chosen: ChosenStacks;
	readonly heat: StackHeat;
	readonly stacks: StackedSamples;
}

/** Throws an {@link InputError} when the files are of several JVMs and nobody chose. The evidence has to be opened with all details of samples. */
async function exportSource(evidence: Evidence, request: HotRequest): Promise<ExportSource> {
	const { found } = await evidence.chosen();
	const { samples, logCompilation, flightRecorder, safepoints, compilerMemory } = found.files;
	const collected: Problem[] = [...evidence.problems];
	const kept: {
		recording?: Recording | null;
		hot?: OpenedHot | null;
		stackTime?: StackTime | null;
		log?: CompilationLog | null;
		memory?: OpenedMemory | null;
	} = {};
	const recording = async (): Promise<Recording | null> => {
		if (kept.recording === undefined) {
			kept.recording = await evidence.recording();
			collected.push(...(kept.recording?.problems ?? []));
		}
		return kept.recording;
	};
	const compilations = async (): Promise<CompilationLog | null> => {
		if (kept.log === undefined) {
			const log = logCompilation.length + flightRecorder.length === 0 ? null : await evidence.compilationLogIfAny();
			kept.log = log?.origin === 'printCompilation' ? null : log;
			collected.push(...(kept.log?.problems ?? []));
		}
		return kept.log;
	};
	return {
		async hot() {
			if (kept.hot === undefined) {
				const opened = samples.length === 0 ? null : await recording();
				kept.hot = opened === null ? null : await hotOf(opened, { ...request, withStacks: true });
				collected.push(...(kept.hot?.problems.slice(opened?.problems.length) ?? []));
			}
			return kept.hot;
		},
		async stackTime() {
			if (kept.stackTime === undefined) {
				const history = samples.length > 0 ? null : ((await compilations())?.history ?? null);
				const wanted = { startedEpochMs: history?.startedEpochMs ?? null, event: request.event, problems: collected };
				const chosen = samples.length > 0 ? null : await chooseStacks(evidence, wanted);
				const window = windowSeconds(request.window);
				kept.stackTime =
					chosen === null
						? null
						: {
								chosen,
								heat: heatOfChosen(chosen, history?.compilations ?? [], history?.startedEpochMs ?? null, request),
								stacks: stackedOfStacks({ ...chosen, filter: request, window }),
							};
			}
			return kept.stackTime;
		},
		compilations,
		async safepoints() {
			return safepoints.length + flightRecorder.length === 0 ? null : ((await recording())?.safepoints?.safepoints ?? null);
		},
		/** Any output of a JVM may hold statistics: that it does not is no problem. */
		async memory() {
			if (kept.memory === undefined) {
				try {
					kept.memory = compilerMemory.length + flightRecorder.length === 0 ? null : await memoryOf(evidence, {});
					collected.push(...(kept.memory?.problems ?? []));
				} catch (error) {
					if (!(error instanceof InputError)) {
						throw error;
					}
					kept.memory = null;
				}
			}
			return kept.memory;
		},
		problems: () => collected,
	};
}

interface ExportedSamples {
	readonly stacks: StackedSamples;
	/** Of the JVM. */
	readonly version: string | null;
	proftool(): string;
}

/** Samples with addresses, else those with stacks; throws an {@link InputError} where there are none. */
async function samplesOf(source: ExportSource, name: string): Promise<ExportedSamples> {
	const opened = await source.hot();
	const time = opened === null ? await source.stackTime() : null;
	if (time !== null) {
		const history = (await source.compilations())?.history ?? null;
		return { stacks: time.stacks, version: history?.version ?? null, proftool: () => proftoolOfStacks(time.heat, history) };
	}
	if (opened?.stacks == null) {
		throw new InputError({
			severity: 'error',
			file: name,
			message: SAMPLES_MISSING,
			action: 'give the output of perf script, DTrace, xctrace or async-profiler (collapsed, features=pcaddr), or record with assay record',
		});
	}
	return { stacks: opened.stacks, version: opened.recording.log?.version ?? null, proftool: () => proftoolOf(opened) };
}

/** null: the recording holds nothing of it. */
async function openTable(source: ExportSource, name: TableName): Promise<Table | null> {
	switch (name) {
		case 'compilations': {
			const log = await source.compilations();
			return log === null ? null : compilationsTable(log.history, await samplesByCompilation(source, log.history));
		}
		case 'inlining': {
			const log = await source.compilations();
			return log === null ? null : inliningTable(log.history, (compilation) => log.readDecisions(compilation));
		}
		case 'samples': {
			const stacks = (await source.hot())?.stacks ?? (await source.stackTime())?.stacks ?? null;
			return stacks === null ? null : samplesTable(stacks);
		}
		case 'regions': {
			const hot = await source.hot();
			return hot === null ? null : regionsTable(hot.report);
		}
		case 'safepoints': {
			const safepoints = await source.safepoints();
			return safepoints === null ? null : safepointsTable(safepoints);
		}
		default: {
			const memory = await source.memory();
			const tableOf = name === 'memory' ? memoryTable : arenasTable;
			return memory === null ? null : tableOf(memory.compilations);
		}
	}
}

async function samplesByCompilation(source: ExportSource, history: CompilationHistory): Promise<ReadonlyMap<string, number> | null> {
	const hot = await source.hot();
	const time = hot === null ? await source.stackTime() : null;
	if (time !== null) {
		return new Map(time.heat.code.flatMap(({ code: { compileId }, samples }) => (compileId === null ? [] : [[compileId, samples] as const])));
	}
	if (hot === null || (hot.recording.log?.processId ?? history.processId) !== history.processId) {
		return null;
	}
	const result = new Map<string, number>();
	for (const { code, samples } of hot.report.code) {
		if (code.compileId !== null) {
			result.set(code.compileId, (result.get(code.compileId) ?? 0) + samples);
		}
	}
	return result;
}
