/** Trino gives the same rows as DuckDB for every question, from the same text over the same files; the tables are those that assay prints. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyDdl } from '../src/store/ddl.js';
import { openTrino } from '../src/store/engine/trino.js';
import { QUESTION_NAMES } from '../src/store/questions.js';
import { runAssay } from '../test/run-assay.js';
import { collectAll, type LabelledRecording, sure, temporaryFolder } from '../test/stores.js';
import { type RunningTrino, startTrino } from './trino.js';

const poly = (run: string, build: string, host: string): LabelledRecording => ({
	files: [`fixtures/graal/repeats/poly-${run}.tar.zst`, `fixtures/graal/repeats/poly-${run}.prof.json.gz`],
	labels: { service: 'poly', build, host },
});
const one = (file: string, service: string, build: string, host: string): LabelledRecording => ({ files: [file], labels: { service, build, host } });

/** A label is text of users: quotes and all. */
const HOSTILE = `o'Brien"; DROP TABLE runs; -- {where} ü`;

const RECORDINGS: readonly LabelledRecording[] = [
	...['1', '2'].flatMap((number) => [poly(`a${number}`, 'a', `h${number}`), poly(`b${number}`, 'b', `h${number}`)]),
	one('fixtures/jvm/ledger/jdk17', 'ledger', '17', 'h1'),
	one('fixtures/agent/jdk17', 'ledger', '17', 'h2'),
	one('fixtures/jvm/recorded-compilations/jdk17', 'ledger', '17', 'h3'),
	one('fixtures/jvm/ledger/jdk25', 'ledger', '25', HOSTILE),
	one('fixtures/jvm/safepoint/ttsp-sampled', 'late', '1', 'h1'),
	one('fixtures/jvm/memstat/huge', 'huge', '1', 'h1'),
	one('fixtures/orderfile/temporal/startup.traces.txt.gz', 'native', '1', 'h1'),
	one('fixtures/orderfile/temporal/workload_a.traces.txt.gz', 'native', '1', 'h2'),
];

const folder = temporaryFolder();
const store = path.join(folder, 'store');
let trino: RunningTrino | null = null;
const remote = (): string[] => ['--engine', 'trino', '--server', sure(trino).server, '--user', 'test'];

beforeAll(async () => {
	const starting = startTrino(folder, folder);
	await collectAll(store, folder, RECORDINGS);
	trino = await starting;
	const made = await runAssay(['query', store, '--ddl', 'trino', '--location', 'local:///store', '--apply', ...remote()], folder);
	expect(made.stderr).toBe('');
	expect(made.exit).toBe(0);
});

afterAll(() => {
	trino?.stop();
	fs.rmSync(folder, { recursive: true, force: true });
});

interface Answer {
	readonly result: { readonly sql: string; readonly columns: readonly unknown[]; readonly rows: readonly (readonly unknown[])[] };
}

async function both(...words: string[]): Promise<[Answer, Answer]> {
	const [local, far] = [
		await runAssay(['query', store, ...words, '--json'], folder),
		await runAssay(['query', store, ...words, '--json', ...remote()], folder),
	];
	expect(`${local.stderr}${far.stderr}`).toBe('');
	return [JSON.parse(local.stdout) as Answer, JSON.parse(far.stdout) as Answer];
}

/** So that each question has rows of these recordings. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
	moved: ['--set', 'runs=2', '--set', 'rate=1'],
	groups: ['--set', 'separation=0', '--set', 'agreement=0.7'],
	storms: ['--set', 'least=1', '--set', 'times=1'],
};

test.each(QUESTION_NAMES)('%s', async (name) => {
	const [local, far] = await both(name, ...(PARAMETERS[name] ?? []));
	expect(local.result.rows.length).toBeGreaterThan(0);
	expect(far.result.columns).toEqual(local.result.columns);
	expect(far.result.rows).toEqual(local.result.rows);
});

test('the text is the same where the days are', async () => {
	const [local, far] = await both('flips', '--where', 'service=poly', '--since', '2000-01-01', '--until', '2100-01-01');
	const days = /BETWEEN '[\d-]+' AND '[\d-]+'/g;
	expect(far.result.sql.replace(days, 'DAYS')).toBe(local.result.sql.replace(days, 'DAYS'));
	expect(far.result.rows).toEqual(local.result.rows);
	expect(local.result.rows.length).toBeGreaterThan(0);
});

test('a compacted store gives the same', async () => {
	const into = path.join(folder, 'compacted');
	expect((await runAssay(['compact', store, '--into', into], folder)).exit).toBe(0);
	const schema = ['--schema', 'compacted'];
	const made = await runAssay(['query', into, '--ddl', 'trino', '--location', 'local:///compacted', '--apply', ...schema, ...remote()], folder);
	expect(made.exit).toBe(0);
	for (const question of ['refused', 'compilers', 'order', 'memory']) {
		const before = await runAssay(['query', store, question, '--json'], folder);
		const after = await runAssay(['query', into, question, '--json', ...schema, ...remote()], folder);
		const rowsOf = ({ stdout }: { stdout: string }): unknown => (JSON.parse(stdout) as Answer).result.rows;
		expect(rowsOf(after)).toEqual(rowsOf(before));
	}
});

test('Iceberg tables over the same files give the same, and no file is taken twice', async () => {
	const printed = await runAssay(['query', store, '--ddl', 'iceberg', '--location', 'local:///store'], folder);
	// Each column is a statement: those of four tables tell as much as all.
	const statements = printed.stdout
		.split(';\n')
		.filter((text) => /^\w+ (?:SCHEMA|TABLE) .*"assay_iceberg"(?:\."(?:runs|labels|compilations|arenas)" |$)/.test(text));
	const engine = openTrino({ server: sure(trino).server, catalog: 'hive', schema: 'assay', user: 'test', password: null, accessToken: null });
	expect(await applyDdl(engine, statements, () => {})).toBe(0);
	const taken = statements.filter((text) => text.includes('add_files_from_table'));
	expect(taken.length).toBeGreaterThan(3);
	expect(await applyDdl(engine, taken.slice(0, 2), () => {})).toBe(2);
	engine.close();
	for (const question of ['compilers', 'memory']) {
		const [before] = await both(question);
		const after = await runAssay(['query', store, question, '--json', '--catalog', 'iceberg', '--schema', 'assay_iceberg', ...remote()], folder);
		expect(after.stderr).toBe('');
		expect((JSON.parse(after.stdout) as Answer).result.rows).toEqual(before.result.rows);
	}
});

test('labels are data, for both', async () => {
	const [local, far] = await both('compilers', '--where', `host=${HOSTILE}`);
	expect(local.result.rows).toHaveLength(1);
	expect(far.result.rows).toEqual(local.result.rows);
});

test('ids of 64 bits keep all their digits', async () => {
	const [local, far] = await both('SELECT run, name FROM runs ORDER BY name');
	expect(local.result.rows).toHaveLength(RECORDINGS.length);
	expect(far.result.rows).toEqual(local.result.rows);
});

test('what Trino refuses is told in its words', async () => {
	const { stderr, exit } = await runAssay(['query', store, 'SELECT nothing FROM nowhere', ...remote()], folder);
	expect(exit).toBe(3);
	expect(stderr).toContain("Table 'hive.assay.nowhere' does not exist");
});
