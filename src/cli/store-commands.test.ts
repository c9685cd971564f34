import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, expect, test } from 'vitest';
import { type AssayRun, runAssay } from '../../test/run-assay.js';
import { temporaryFolder } from '../../test/stores.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const store = 'fixtures/store/v1';
const folder = temporaryFolder();
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const assay = (...words: string[]): Promise<AssayRun> => runAssay(words, root);

function checked(name: string, { stdout, stderr }: AssayRun): { result: Record<string, unknown>; problems: unknown[] } {
	const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(
		JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', `${name}.json`), 'utf8')) as object,
	);
	const parsed = JSON.parse(stdout) as { result: Record<string, unknown>; problems: unknown[] };
	expect([validate(parsed), validate.errors, stderr.includes('    at ')]).toEqual([true, null, false]);
	return parsed;
}

test('JSON of collect, query and compact is as its schemas say', async () => {
	const into = path.join(folder, 'json');
	const collected = checked('collect', await assay('collect', 'examples/a', 'examples/hot', '--into', into, '--label', 'team=a b', '--json'));
	expect(collected.result.runs).toMatchObject([{ state: 'collected', rows: { runs: 1, decisions: 206 } }, { state: 'collected' }]);
	expect(checked('collect', await assay('collect', 'examples/a', '--into', into, '--json')).result.runs).toMatchObject([{ state: 'known', rows: {} }]);
	const asked = checked('query', await assay('query', into, 'refused', '--where', 'team=a b', '--json'));
	expect(asked.result).toMatchObject({ question: 'refused', engine: 'duckdb', where: ['team=a b'], leftOut: 0 });
	expect(checked('compact', await assay('compact', into, '--into', `${into} new`, '--json')).result).toMatchObject({ runs: 2 });
	checked('query', await assay('query', into, 'SELECT nonsense FROM runs', '--json'));
	checked('diff-store', await assay('diff', '--store', into, '--a', 'team=a b', '--b', 'team=a b', '--json'));
});

test('a run has the machine that its manifest notes, where nothing else tells', async () => {
	const recording = path.join(folder, 'noted');
	fs.cpSync(path.join(root, 'examples', 'a'), recording, { recursive: true });
	const note = { assayRecording: 1, state: 'complete', startTime: '2026-01-31T10:00:00.000Z', machine: { host: 'h7', cpu: 'some processor', cpus: 8 } };
	fs.writeFileSync(path.join(recording, 'assay-recording.json'), JSON.stringify(note));
	for (const [labels, host] of [
		[[], 'h7'],
		[['--label', 'host=h8'], 'h8'],
	] as const) {
		const into = path.join(folder, `noted-${host}`);
		expect((await assay('collect', recording, '--into', into, ...labels)).exit).toBe(0);
		const { result } = checked('query', await assay('query', into, 'SELECT host, cpu, cpus, dt FROM runs', '--json'));
		expect(result.rows).toEqual([[host, 'some processor', 8, '2026-01-31']]);
	}
});

test('rows as text, CSV, Markdown and Parquet', async () => {
	const sql = "SELECT name, '=1|2' AS text, 12345 AS n, 0.5E0 AS half, true AS yes, CAST(NULL AS VARCHAR) AS nothing FROM runs ORDER BY name LIMIT 1";
	const text = await assay('query', store, sql);
	expect(text.stdout).toMatch(/^name +text +n +half +yes +nothing\n[0-9a-f]{16} +=1\|2 +12,345 +0.5 +true\n1 row\n$/);
	const csv = await assay('query', store, sql, '--to', 'csv');
	expect(csv.stdout.split('\r\n')[1]).toMatch(/^[0-9a-f]{16},'=1\|2,12345,0.5,true,$/);
	const markdown = await assay('query', store, sql, '--to', 'markdown');
	expect(markdown.stdout).toContain('=1\\|2');
	const file = path.join(folder, 'rows.parquet');
	expect((await assay('query', store, sql, '--to', 'parquet', '-o', file)).exit).toBe(0);
	const { buffer, byteOffset, byteLength } = fs.readFileSync(file);
	const rows = await parquetReadObjects({ file: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer });
	expect(rows).toMatchObject([{ text: '=1|2', n: 12345n, half: 0.5, yes: true, nothing: null }]);
});

test('a table fits the terminal, or is a block a row', async () => {
	for (const columns of [80, 200]) {
		for (const question of ['refused', 'compilers', 'flips']) {
			const { stdout } = await runAssay(['query', store, question], root, { isTerminal: true, columns });
			expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([]);
		}
	}
});

test('questions are listed, and told one by one', async () => {
	const { stdout } = await assay('query', store);
	expect(stdout).toContain('flips      decisions that differ between hosts of one build');
	expect((await assay('query', store, 'flips', '--list')).stdout + (await assay('query', '--list')).stdout).toContain('storms');
});

test.each([
	[['query'], 'a store is expected'],
	[['query', store, 'nothing'], 'there is no question "nothing"'],
	[['query', store, 'flips', '--set', 'depth=3'], 'has no parameter "depth": top'],
	[['query', store, 'flips', '--where', 'build'], '--where takes LABEL=VALUE'],
	[['query', store, 'flips', '--since', 'yesterday'], '--since takes a day'],
	[['query', store, 'flips', '--engine', 'trino'], 'needs --server'],
	[['query', store, '--ddl', 'trino'], 'needs --location'],
	[['collect', 'examples/a'], '--into STORE is missing'],
	[['collect', 'examples/a', '--into', 'x', '--label', 'build'], '--label takes NAME=VALUE'],
	[['compact', store], '--into NEW'],
	[['diff', '--store', store, '--a', 'build=1'], '--b LABEL=VALUE'],
])('%s', async (words, message) => {
	const { stderr, exit } = await assay(...words);
	expect([exit, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('a folder without runs is no store', async () => {
	const { stderr, exit } = await assay('query', folder, 'flips');
	expect([exit, stderr]).toEqual([3, expect.stringContaining('holds no runs')]);
});

test('what Trino needs', async () => {
	const { stdout } = await assay('query', store, '--ddl', 'trino', '--location', "s3://bucket/o'store/", '--schema', 'a"b');
	expect(stdout).toContain(`CREATE SCHEMA IF NOT EXISTS "hive"."a""b";`);
	expect(stdout).toContain("external_location = 's3://bucket/o''store/runs', format = 'PARQUET', partitioned_by = ARRAY['dt']");
});

test('order optimize over a store gives the order of the traces that it was collected from', async () => {
	const into = path.join(folder, 'native');
	const traces = ['startup', 'workload_a'].map((name) => `fixtures/orderfile/temporal/${name}.traces.txt.gz`);
	await assay('collect', ...traces, '--into', into);
	const program = ['--nm', 'examples/order/sqlite.nm.gz'];
	const [stored, direct] = [await assay('order', 'optimize', '--store', into, ...program), await assay('order', 'optimize', ...traces, ...program)];
	expect(stored.exit).toBe(0);
	const symbols = (text: string): string[] => text.split('\n').sort();
	expect(symbols(stored.stdout)).toEqual(symbols(direct.stdout));
	const none = await assay('order', 'optimize', '--store', store, ...program);
	expect([none.exit, none.stderr]).toEqual([3, expect.stringContaining('holds no first executions')]);
});
