/**
 * `assay collect`: the facts of runs become immutable files of a store, `STORE/<table>/dt=DAY/<run>.parquet`. The file of `runs` is written last: a run without it was
 * not collected, whatever else lies there, and questions begin with `runs`. A run's files are called by the hash of its evidence, so that collecting twice, or on two
 * machines at once, writes the same files; nobody waits for anybody.
 */
import fs from 'node:fs';
import path from 'node:path';
import { DEFAULT_REPORT_REQUEST, openReport } from '../answers/report.js';
import { VERSION } from '../answers/version.js';
import { writeParquetColumns } from '../formats/parquet/write.js';
import { type RecordingNote, readNote } from '../formats/recording-manifest/read.js';
import { InputError, type Problem } from '../model/problem.js';
import { type Evidence, openEvidence } from '../recording/evidence.js';
import { headOfFile, isFolder, type LogFile } from '../recording/log-file.js';
import { reasonOf } from '../recording/system-error.js';
import { pageCompression } from './compression.js';
import { addBias } from './facts/bias-facts.js';
import { addCompilations } from './facts/compilation-facts.js';
import { addHeat, addPauses } from './facts/heat-facts.js';
import { addArenas } from './facts/memory-facts.js';
import { Facts } from './facts/rows.js';
import { addProblems, addRun } from './facts/run-facts.js';
import { addFirstExecutions } from './facts/startup-facts.js';
import { fileOf, runsTogether, writeWhole } from './files.js';
import { nameOfId } from './ids.js';
import { type Labels, LONGEST_VALUE, mergedLabels } from './labels.js';
import { runId } from './run-id.js';
import { DAY_COLUMN, STORE_TABLES, STORE_VERSION, type StoreTableName, storeTable } from './schema.js';

export interface CollectRequest {
	/** Made where it is not there. */
	readonly store: LogFile;
	/** Of all runs. */
	readonly labels: Labels;
	/** Chooses among several JVMs of a recording; null: each is a run. */
	readonly processId: number | null;
	readonly onProgress?: ((what: string) => void) | undefined;
}

export interface CollectedRun {
	/** 16 hexadecimal digits. */
	readonly run: string;
	readonly recording: string;
	readonly processId: number | null;
	/** `2026-01-31` */
	readonly day: string;
	/** `known`: it was in the store before. */
	readonly state: 'collected' | 'known';
	/** Rows by table; empty where it was known. */
	readonly rows: Readonly<Partial<Record<StoreTableName, number>>>;
	readonly problems: readonly Problem[];
}

/** The runs of one recording. Throws an {@link InputError} where nothing of it can be read, or the store cannot be written. */
export async function collectRecording(recording: LogFile, request: CollectRequest): Promise<CollectedRun[]> {
	const evidence = await openEvidence([recording], { processId: request.processId, details: 'all' });
	try {
		const processIds = await processesOf(evidence);
		if (processIds.length === 1) {
			return [await collectRun(evidence, recording, request.processId, request)];
		}
		const runs: CollectedRun[] = [];
		for (const processId of processIds) {
			const own = await openEvidence([recording], { processId, details: 'all' });
			try {
				runs.push(await collectRun(own, recording, processId, request));
			} finally {
				own.close();
			}
		}
		return runs;
	} finally {
		evidence.close();
	}
}

/** One where a JVM was asked for, or is the only one or the one that was sampled (null); else all. */
async function processesOf(evidence: Evidence): Promise<readonly (number | null)[]> {
	if (evidence.requestedProcess !== null) {
		return [evidence.requestedProcess];
	}
	try {
		await evidence.chosen();
		return [null];
	} catch (error) {
		if (!(error instanceof InputError) || evidence.processIds.length < 2) {
			throw error;
		}
		return evidence.processIds;
	}
}

async function collectRun(evidence: Evidence, recording: LogFile, processId: number | null, request: CollectRequest): Promise<CollectedRun> {
	const { store, onProgress } = request;
	onProgress?.(`${recording.name}: reading`);
	const run = await runId(evidence, processId);
	const name = nameOfId(run);
	const known = knownDay(store.filePath, name);
	if (known !== null) {
		return { run: name, recording: recording.name, processId, day: known, state: 'known', rows: {}, problems: [] };
	}
	const report = await openReport(evidence, { ...DEFAULT_REPORT_REQUEST, withOrders: false, withStacks: true, mostOfAKind: MOST_FINDINGS, onProgress });
	const note = await noteOf(evidence);
	const startedMs = report.jvm.startedEpochMs ?? note?.startedEpochMs ?? null;
	const day = dayOf(startedMs ?? changedMs(recording));
	const problems: Problem[] = [...report.problems];
	const facts = new Facts(run);
	addCompilations(facts, report, problems);
	addHeat(facts, report);
	await addBias(facts, report, evidence);
	addPauses(facts, report);
	addArenas(facts, report);
	await addFirstExecutions(facts, report, evidence, problems);
	addRun(facts, report, mergedLabels(machineLabels(note), request.labels), startedMs);
	addProblems(facts, problems);
	onProgress?.(`${recording.name}: writing`);
	writeRun(facts, store, day, name);
	const rows = Object.fromEntries(STORE_TABLES.map((table) => [table, facts.count(table)] as const).filter(([, count]) => count > 0));
	return { run: name, recording: recording.name, processId, day, state: 'collected', rows, problems };
}

/** More of a kind say nothing new. */
const MOST_FINDINGS = 20;

/** The day of the store that has the run; null: none has. */
function knownDay(store: string, run: string): string | null {
	const folder = path.join(store, 'runs');
	const days = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
	const found = days
		.filter((day) => day.startsWith(`${DAY_COLUMN}=`))
		.map((day) => day.slice(DAY_COLUMN.length + 1))
		.find((day) => fs.existsSync(fileOf(store, 'runs', day, run)) || runsTogether(store, day).has(run));
	return found ?? null;
}

/** `runs` last: by it the run is there. */
function writeRun(facts: Facts, store: LogFile, day: string, run: string): void {
	// Questions choose files by day and run, never by the values of a column.
	const form = { compression: pageCompression(), hasStatistics: false, metadata: { 'assay.store': String(STORE_VERSION) } };
	// Engines want the folder of a table, also where it has no rows yet.
	makeFolders(store);
	const tables = [...STORE_TABLES.filter((table) => table !== 'runs'), 'runs' as const];
	for (const table of tables) {
		if (facts.count(table) === 0) {
			continue;
		}
		const { meaning, columns } = storeTable(table);
		const file = fileOf(store.filePath, table, day, run);
		try {
			writeWhole(file, (write) => writeParquetColumns({ name: table, meaning, columns, values: facts.columns(table) }, `assay ${VERSION}`, write, form));
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === undefined) {
				throw error;
			}
			const name = `${store.name}/${path.relative(store.filePath, file)}`;
			const message = `cannot be written (${reasonOf(error)})`;
			throw new InputError({
				severity: 'error',
				file: name,
				message,
				action: 'this run is not in the store: make room, or name another folder, and collect again',
			});
		}
	}
}

function makeFolders(store: LogFile): void {
	try {
		for (const table of STORE_TABLES) {
			fs.mkdirSync(path.join(store.filePath, table), { recursive: true });
		}
	} catch (error) {
		throw new InputError({ severity: 'error', file: store.name, message: `cannot be written (${reasonOf(error)})`, action: 'name another folder' });
	}
}

/** What `assay record` noted; null where nothing did. */
async function noteOf(evidence: Evidence): Promise<RecordingNote | null> {
	for (const file of evidence.files.manifest) {
		const note = readNote(await headOfFile(file, MANIFEST_BYTES));
		if (note !== null) {
			return note;
		}
	}
	return null;
}

/** Of the machine that the run was recorded on. */
function machineLabels(note: RecordingNote | null): Labels {
	const { host = null, cpu = null, cpus = null } = note?.machine ?? {};
	return new Map(
		Object.entries({ host, cpu, cpus }).flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, String(value).slice(0, LONGEST_VALUE)]])),
	);
}

const MANIFEST_BYTES = 1 << 20;

/** When the newest of its files was written: what stands for the day of a run that does not tell it. */
function changedMs(recording: LogFile): number {
	const files = isFolder(recording) ? fs.readdirSync(recording.filePath).map((name) => path.join(recording.filePath, name)) : [recording.filePath];
	return files.reduce((newest, file) => Math.max(newest, fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0), 0);
}

const LATEST_MS = Date.UTC(2200, 0);

function dayOf(epochMs: number): string {
	return new Date(epochMs >= 0 && epochMs < LATEST_MS ? epochMs : 0).toISOString().slice(0, 10);
}
