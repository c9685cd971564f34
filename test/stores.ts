/** Stores for tests: recordings of fixtures, collected with labels, and the same recordings as they are read without a store. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { RecordingReport } from '../src/answers/joined-report.js';
import { DEFAULT_REPORT_REQUEST, openReport } from '../src/answers/report.js';
import { withoutHiddenAddress } from '../src/model/hidden-class.js';
import { callsiteKind, type InliningNode } from '../src/model/inlining-tree.js';
import { openEvidence } from '../src/recording/evidence.js';
import { collectRecording } from '../src/store/collect.js';
import { ALL_DAYS, answerQuery } from '../src/store/query.js';
import { parseConditions } from '../src/store/sql-text.js';

const root = path.resolve(import.meta.dirname, '..');

export interface LabelledRecording {
	/** Relative to the project; several files are put into one folder. */
	readonly files: readonly string[];
	readonly labels: Readonly<Record<string, string>>;
}

export function temporaryFolder(): string {
	return fs.mkdtempSync(path.join(os.tmpdir(), 'assay-store-'));
}

/** Where the recording is: what was named, or a folder with links to all of it. */
function recordingPath(folder: string, { files }: LabelledRecording, number: number): string {
	const [only, ...others] = files.map((file) => path.join(root, file));
	if (others.length === 0) {
		return sure(only);
	}
	const together = path.join(folder, `recording-${number}`);
	fs.mkdirSync(together, { recursive: true });
	for (const file of [sure(only), ...others]) {
		fs.copyFileSync(file, path.join(together, path.basename(file)));
	}
	return together;
}

/** Collects them in their order; the result is the names of their runs. */
export async function collectAll(store: string, folder: string, recordings: readonly LabelledRecording[]): Promise<string[]> {
	const runs: string[] = [];
	for (const [i, recording] of recordings.entries()) {
		const filePath = recordingPath(folder, recording, i);
		const collected = await collectRecording(
			{ filePath, name: recording.files[0]! },
			{ store: { filePath: store, name: 'store' }, labels: new Map(Object.entries(recording.labels)), processId: null },
		);
		runs.push(...collected.map(({ run }) => run));
	}
	return runs;
}

export type AskedRow = Readonly<Record<string, string | number | boolean | null>>;

/** The rows of a named question, or of SQL. */
export async function ask(store: string, question: string, where: readonly string[] = [], set: Readonly<Record<string, number>> = {}): Promise<AskedRow[]> {
	const { table } = await answerQuery(
		{ filePath: store, name: 'store' },
		{
			question: /\s/.test(question) ? { sql: question } : { name: question },
			conditions: parseConditions(where, '--where'),
			days: ALL_DAYS,
			parameters: new Map(Object.entries(set)),
		},
	);
	return [...table.rows()].map((row) => Object.fromEntries(table.columns.map(({ name }, i) => [name, row[i] ?? null])));
}

/** A decision about a call, as the readers give it. */
export interface PlainDecision {
	readonly labels: Readonly<Record<string, string>>;
	readonly recording: number;
	readonly compilation: string;
	readonly root: string;
	readonly site: string;
	readonly bcis: string;
	readonly callee: string | null;
	readonly isTop: boolean;
	readonly verdict: 'inlined' | 'refused' | 'other';
	readonly reason: string;
	readonly samples: number;
}

export interface PlainRecording {
	readonly labels: Readonly<Record<string, string>>;
	readonly report: RecordingReport;
	readonly decisions: readonly PlainDecision[];
}

/** Read by the answers that a report is made of; nothing of the store takes part. */
export async function readPlainly(folder: string, recordings: readonly LabelledRecording[]): Promise<PlainRecording[]> {
	const read: PlainRecording[] = [];
	for (const [i, recording] of recordings.entries()) {
		const evidence = await openEvidence([{ filePath: recordingPath(folder, recording, i), name: recording.files[0]! }], { details: 'all' });
		const report = await openReport(evidence, { ...DEFAULT_REPORT_REQUEST, withOrders: false });
		read.push({ labels: recording.labels, report, decisions: decisionsOf(report, recording.labels, i) });
		evidence.close();
	}
	return read;
}

function decisionsOf(report: RecordingReport, labels: PlainDecision['labels'], recording: number): PlainDecision[] {
	const samples = new Map(report.compilations.map((row) => [row.compileId, row.samples]));
	const decisions: PlainDecision[] = [];
	for (const one of report.log?.history.compilations ?? []) {
		for (const { bcis, callee, inlined, intrinsic, reason } of sure(report.log).readDecisions(one)) {
			decisions.push({
				...{ labels, recording, compilation: one.compileId, root: named(one.method), callee: named(callee), reason, bcis: bcis.join(' ') },
				site: JSON.stringify([named(one.method), one.signature, bcis, named(callee)]),
				isTop: one.compiler !== 'c1',
				verdict: intrinsic ? 'other' : inlined ? 'inlined' : 'refused',
				samples: samples.get(one.compileId) ?? 0,
			});
		}
	}
	for (const unit of report.units) {
		const walk = (node: InliningNode, bcis: readonly number[]): void => {
			for (const child of node.children) {
				const kind = callsiteKind(child, false);
				const path = [...bcis, child.bci];
				decisions.push({
					...{
						labels,
						recording,
						compilation: unit.compileId,
						root: named(unit.methodName.replace(/\(.*/, '')),
						callee: named(child.methodName),
						bcis: path.join(' '),
					},
					site: JSON.stringify([named(unit.methodName), path, named(child.methodName)]),
					isTop: true,
					verdict: kind === 'inlined' ? 'inlined' : kind === 'direct' || kind === 'indirect' ? 'refused' : 'other',
					reason: child.reasons.at(-1) ?? '',
					samples: samples.get(unit.compileId) ?? 0,
				});
				walk(child, path);
			}
		};
		walk(unit.readTrees().inlining, []);
	}
	return decisions;
}

/** Without the address of a hidden class, which differs between any two runs. */
function named<T extends string | null>(name: T): T {
	return (name === null ? null : withoutHiddenAddress(name)) as T;
}

export function grouped<T>(items: Iterable<T>, key: (item: T) => string): Map<string, T[]> {
	const groups = new Map<string, T[]>();
	for (const item of items) {
		const group = groups.get(key(item)) ?? [];
		groups.set(key(item), group);
		group.push(item);
	}
	return groups;
}

/** What has to be there. */
export function sure<T>(value: T | null | undefined): T {
	if (value === null || value === undefined) {
		throw new Error('what the test looks for is not there');
	}
	return value;
}
