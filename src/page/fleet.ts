/** The page of a store: its runs over time and labels, and the answers of questions, each asked when somebody wants it; from a run to its own page where its recording is at hand. */
import fs from 'node:fs';
import path from 'node:path';
import { VERSION } from '../answers/version.js';
import { formatProblem, InputError, type Problem, UsageError } from '../model/problem.js';
import type { Cell } from '../model/table.js';
import { openEvidence } from '../recording/evidence.js';
import type { LogFile } from '../recording/log-file.js';
import { nameOfId } from '../store/ids.js';
import { ALL_DAYS, answerQuery } from '../store/query.js';
import { QUESTION_NAMES, readQuestion } from '../store/questions.js';
import { runId } from '../store/run-id.js';
import type { Condition } from '../store/sql-text.js';
import { type FleetAnswer, type FleetOpened, type FleetRun, PAGE_VERSION, type PageFleet, type PageMain } from './data.js';
import type { PageShell } from './html.js';
import { type KeptParts, keptParts } from './parts.js';
import type { PageState, ServedPage } from './server.js';

/** A page that is read shows no more. */
const MOST_RUNS = 2000;
const MOST_VALUES = 200;
/** Labels by which runs are chosen. */
const CHOSEN_BY = ['service', 'build', 'host'] as const;

export interface FleetRequest {
	readonly store: LogFile;
	/** Where recordings may lie, by the names that they had when they were collected. */
	readonly folders: readonly string[];
	/** Shows a recording as a page of its own; the result is its address. */
	readonly openRun: (recording: LogFile, processId: number | null) => Promise<string>;
}

export class FleetPage implements ServedPage {
	readonly shell: PageShell;
	readonly title: string;
	readonly state: PageState = { revision: 1, problem: null };
	readonly problems: readonly Problem[];
	private readonly request: FleetRequest;
	private readonly kept: KeptParts;
	private readonly recordings: ReadonlyMap<string, string>;

	private constructor(shell: PageShell, request: FleetRequest, kept: KeptParts, { store, runs, problems }: PageFleet) {
		this.shell = shell;
		this.title = `${store.slice(0, 200)} · assay`;
		this.request = request;
		this.kept = kept;
		this.problems = problems;
		this.recordings = new Map(runs.flatMap(({ name, recording }) => (recording === null ? [] : [[name, recording]])));
	}

	/** Throws an {@link InputError} for a folder that holds no runs. */
	static async open(shell: PageShell, request: FleetRequest): Promise<FleetPage> {
		const kept = keptParts();
		const fleet = await gatherFleet(request);
		const main: PageMain = {
			version: PAGE_VERSION,
			assay: VERSION,
			sides: [],
			parts: { diff: null, hotPairs: null, startup: null },
			fleet,
			isServed: true,
			isFollowed: false,
			revision: 1,
		};
		await kept.write('main', main);
		return new FleetPage(shell, request, kept, fleet);
	}

	get parts(): ReadonlyMap<string, Buffer> {
		return this.kept.parts;
	}

	/** `question=flips&build=1.4`, or `run=0123456789abcdef`. */
	async detail(_side: number, handle: string): Promise<FleetAnswer | FleetOpened> {
		const asked = new URLSearchParams(handle);
		const run = asked.get('run');
		try {
			return run === null ? await this.ask(asked) : await this.open(run);
		} catch (error) {
			if (error instanceof InputError) {
				return { error: formatProblem(error.problem) };
			}
			if (error instanceof UsageError) {
				return { error: error.message };
			}
			throw error;
		}
	}

	private async ask(asked: URLSearchParams): Promise<FleetAnswer> {
		const { store } = this.request;
		const name = asked.get('question') ?? '';
		const conditions = CHOSEN_BY.flatMap((label): Condition[] => {
			const value = asked.get(label);
			return value === null ? [] : [{ label, isEqual: true, value }];
		});
		const { table, problems } = await answerQuery(store, { question: { name }, conditions, days: ALL_DAYS, parameters: new Map() });
		const words = [...conditions.map(({ label, value }) => `--where ${quoted(`${label}=${value}`)}`)];
		return {
			columns: table.columns.map((column) => ({
				name: column.name,
				isNumber: column.type === 'number' || column.type === 'integer',
				unit: column.unit ?? null,
				meaning: column.meaning ?? null,
			})),
			rows: [...table.rows()],
			command: ['assay query', quoted(store.name), name, ...words].join(' '),
			problems: problems.map(formatProblem),
		};
	}

	/** A recording counts only if the run is made of it: another may have its name by now. */
	private async open(run: string): Promise<FleetOpened> {
		const name = this.recordings.get(run);
		const found = name === undefined ? null : placeOf(name, this.request.folders);
		if (name === undefined || found === null) {
			return { error: 'its recording is not at hand' };
		}
		const recording = { filePath: found, name };
		const evidence = await openEvidence([recording]);
		try {
			for (const processId of [null, ...evidence.processIds]) {
				if (nameOfId(await runId(evidence, processId)) === run) {
					return { url: await this.request.openRun(recording, processId) };
				}
			}
		} finally {
			evidence.close();
		}
		return { error: `what is called ${name} now is not what this run was collected from` };
	}
}

async function gatherFleet({ store, folders }: FleetRequest): Promise<PageFleet> {
	const ask = (sql: string) => answerQuery(store, { question: { sql }, conditions: [], days: ALL_DAYS, parameters: new Map() });
	const runs = await ask(
		`SELECT name, dt, service, build, host, runtime, version, started_ms, seconds, samples, recording FROM runs ORDER BY started_ms DESC NULLS LAST, name LIMIT ${MOST_RUNS}`,
	);
	const [[total = 0, first = null, last = null] = []] = [...(await ask('SELECT count(*), min(dt), max(dt) FROM runs')).table.rows()];
	const labels = [];
	for (const label of CHOSEN_BY) {
		const { table } = await ask(`SELECT DISTINCT ${label} FROM runs WHERE ${label} IS NOT NULL ORDER BY ${label} LIMIT ${MOST_VALUES}`);
		labels.push({ label, values: [...table.rows()].map(([value]) => String(value)) });
	}
	return {
		store: store.name,
		firstDay: textOf(first),
		lastDay: textOf(last),
		totalRuns: Number(total),
		runs: [...runs.table.rows()].map((row) => runOf(row, folders)),
		labels,
		questions: QUESTION_NAMES.map((name) => {
			const { title, about } = readQuestion(name);
			return { name, title, about };
		}),
		problems: runs.problems,
	};
}

function runOf(row: readonly Cell[], folders: readonly string[]): FleetRun {
	const [name, day, service, build, host, runtime, version, startedMs, seconds, samples, recording] = row;
	return {
		name: String(name),
		day: String(day),
		service: textOf(service),
		build: textOf(build),
		host: textOf(host),
		runtime: textOf(runtime),
		version: textOf(version),
		startedMs: numberOf(startedMs),
		seconds: numberOf(seconds),
		samples: numberOf(samples),
		recording: textOf(recording),
		isAtHand: typeof recording === 'string' && placeOf(recording, folders) !== null,
	};
}

function placeOf(name: string, folders: readonly string[]): string | null {
	return folders.map((folder) => path.resolve(folder, name)).find((place) => fs.existsSync(place)) ?? null;
}

function textOf(cell: Cell | undefined): string | null {
	return cell == null ? null : String(cell);
}

function numberOf(cell: Cell | undefined): number | null {
	return typeof cell === 'number' ? cell : null;
}

/** As a shell takes it. */
function quoted(word: string): string {
	return /^[\w./=:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
