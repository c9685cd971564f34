/** What may happen to a store: collectors that are killed or run at once, no room, files of others, damage, and text that wants to be SQL. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { ask, collectAll, sure, temporaryFolder } from '../../test/stores.js';
import { compactStore } from './compact.js';
import { DEFAULT_DUCKDB } from './engine/duckdb.js';
import { isStore, listStore } from './files.js';
import { STORE_TABLES } from './schema.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const RECORDINGS = [
	{ files: ['examples/a'], labels: { service: 's', build: '1', host: "o'Brien" } },
	{ files: ['examples/b'], labels: { service: 's', build: '2', host: 'h2' } },
	{ files: ['examples/memory'], labels: { service: 's', build: '2', host: 'h3' } },
];

const folder = temporaryFolder();
const whole = path.join(folder, 'whole');
let runs: string[] = [];

beforeAll(async () => {
	runs = await collectAll(whole, folder, RECORDINGS);
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Rows of each table, of runs that are there. */
async function counts(store: string): Promise<Record<string, unknown>> {
	const tables = STORE_TABLES.filter((one) => one !== 'sites');
	const rows = await ask(
		store,
		tables.map((table) => `SELECT '${table}' AS name, count(*) AS n FROM ${table} WHERE run IN (SELECT run FROM runs)`).join(' UNION ALL '),
	);
	return Object.fromEntries(rows.map(({ name, n }) => [String(name), n]));
}

function copyOfStore(name: string): string {
	const copy = path.join(folder, name);
	fs.cpSync(whole, copy, { recursive: true });
	return copy;
}

test('collected twice, and by two at once: nothing changes', async () => {
	const store = path.join(folder, 'twice');
	await Promise.all([collectAll(store, folder, RECORDINGS), collectAll(store, folder, [...RECORDINGS].reverse())]);
	await collectAll(store, folder, RECORDINGS);
	expect(await counts(store)).toEqual(await counts(whole));
	expect(listStore(store, 'store').problems).toEqual([]);
});

test('killed at any moment: what was collected before stays, and collecting again completes it', async () => {
	const store = path.join(folder, 'killed');
	await collectAll(store, folder, RECORDINGS.slice(0, 1));
	const before = await counts(store);
	const labels = Object.entries(RECORDINGS[1]!.labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]);
	for (const ms of [250, 350, 450]) {
		const collector = spawn(process.execPath, ['bin/assay.js', 'collect', 'examples/b', '--into', store, ...labels], { cwd: root, stdio: 'ignore' });
		// It may have ended by itself before it is killed.
		const ended = new Promise((resolve) => collector.once('exit', resolve));
		await wait(ms);
		collector.kill('SIGKILL');
		await ended;
		const [row] = await ask(store, 'SELECT count(*) AS n FROM runs');
		expect([1, 2]).toContain(sure(row).n);
		expect(sure(row).n === 1 ? await counts(store) : before).toEqual(before);
	}
	await collectAll(store, folder, RECORDINGS);
	expect(await counts(store)).toEqual(await counts(whole));
});

test('a run whose last file is not there does not count', async () => {
	const store = copyOfStore('half');
	const file = listStore(store, 'store').files.find(({ table, run }) => table === 'runs' && run === runs[0])!;
	fs.rmSync(file.filePath);
	const [row] = await ask(store, 'SELECT count(*) AS n FROM runs');
	expect(sure(row).n).toBe(2);
	await collectAll(store, folder, RECORDINGS.slice(0, 1));
	expect(await counts(store)).toEqual(await counts(whole));
});

test('no room: the run is left out, and said to be', () => {
	const store = path.join(folder, 'full');
	const limited = spawnSync('bash', ['-c', `ulimit -f 3; exec "${process.execPath}" bin/assay.js collect examples/a --into "${store}"`], {
		cwd: root,
		encoding: 'utf8',
	});
	expect(limited.stderr).toMatch(/full\/\w+\/dt=[\d-]+\/\w+\.parquet: cannot be written \(.+\); this run is not in the store/);
	expect(limited.status).toBe(3);
	const left = fs.readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.parquet') && name.startsWith('runs'));
	expect(left).toEqual([]);
	const hidden = fs.readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((name) => path.basename(name).startsWith('.'));
	expect(hidden).toEqual([]);
});

test('files of other programs are told, and not read', async () => {
	const store = copyOfStore('foreign');
	const day = fs.readdirSync(path.join(store, 'runs'))[0]!;
	fs.writeFileSync(path.join(store, 'notes.txt'), 'mine');
	fs.writeFileSync(path.join(store, 'runs', day, 'part-0001.parquet'), 'PAR1 of somebody PAR1');
	fs.writeFileSync(path.join(store, 'runs', day, '0123456789abcdef.parquet'), 'no parquet at all, but the name of one');
	fs.mkdirSync(path.join(store, 'runs', 'dt=yesterday'));
	fs.writeFileSync(path.join(store, 'runs', day, '.hidden.parquet'), 'being written');
	const { stdout, stderr, exit } = await runAssay(['query', store, 'SELECT count(*) AS n FROM runs', '--json'], folder);
	expect(exit).toBe(0);
	expect(JSON.parse(stdout)).toMatchObject({ result: { rows: [[3]], leftOut: 4 } });
	for (const name of ['notes.txt', 'part-0001.parquet', '0123456789abcdef.parquet', 'dt=yesterday']) {
		expect(stderr).toContain(name);
	}
	expect(stderr).not.toContain('.hidden');
});

/** Bytes at the end that hold no page. */
const FOOTER = 4200;

describe('a damaged file is named, and the others are read', () => {
	test.each<[string, (bytes: Buffer) => Buffer]>([
		['cut', (bytes) => bytes.subarray(0, bytes.length >> 1)],
		['empty', () => Buffer.alloc(0)],
		['without footer', (bytes) => Buffer.concat([bytes.subarray(0, bytes.length - 200), Buffer.alloc(200)])],
		['pages of noise', (bytes) => Buffer.concat([bytes.subarray(0, 4), Buffer.alloc(bytes.length - 4 - FOOTER, 0x5a), bytes.subarray(bytes.length - FOOTER)])],
		['footer of noise', (bytes) => Buffer.concat([bytes.subarray(0, bytes.length - 300), Buffer.alloc(292, 0x5a), bytes.subarray(bytes.length - 8)])],
	])('%s', async (name, damage) => {
		const store = copyOfStore(`damaged ${name}`);
		const file = listStore(store, 'store').files.find(({ table, run }) => table === 'decisions' && run === runs[0])!;
		fs.writeFileSync(file.filePath, damage(fs.readFileSync(file.filePath)));
		const { stdout, stderr } = await runAssay(['query', store, 'SELECT count(reason) AS n, count(DISTINCT run) AS runs FROM decisions', '--json'], folder);
		const [left] = await ask(
			whole,
			`SELECT count(reason) AS n, count(DISTINCT run) AS runs FROM decisions WHERE run NOT IN (SELECT run FROM runs WHERE name = '${runs[0]}')`,
		);
		expect(JSON.parse(stdout)).toMatchObject({ result: { rows: [[sure(left).n, sure(left).runs]], leftOut: 1 } });
		expect(stderr).toContain(`${runs[0]}.parquet`);
		// Compacting leaves it out, too, and says so.
		const compacted = await compactStore({
			store: { filePath: store, name: 'store' },
			into: { filePath: `${store} new`, name: 'new' },
			duckDb: DEFAULT_DUCKDB,
		});
		expect(compacted.problems).toHaveLength(1);
	});
});

describe('compacting', () => {
	test('nothing is lost, nor counted twice: also where others write, a job was killed, and what is compacted is collected again', async () => {
		const store = copyOfStore('growing');
		const into = path.join(folder, 'compacted');
		const compact = () => compactStore({ store: { filePath: store, name: 'store' }, into: { filePath: into, name: 'compacted' }, duckDb: DEFAULT_DUCKDB });
		expect((await compact()).result.runs).toBe(3);
		expect(await counts(into)).toEqual(await counts(whole));
		expect((await compact()).result.runs).toBe(0);
		// Tables of a job that was killed before it wrote those of runs.
		const decisions = listStore(into, 'store').files.find(({ table }) => table === 'decisions')!;
		fs.copyFileSync(decisions.filePath, path.join(path.dirname(decisions.filePath), 'aaaaaaaaaaaaaaaa.many.parquet'));
		expect(await counts(into)).toEqual(await counts(whole));
		const more = [{ files: ['examples/hot'], labels: { service: 's', build: '3', host: 'h4' } }];
		await collectAll(store, folder, more);
		expect((await compact()).result.runs).toBe(1);
		expect(await counts(into)).toEqual(await counts(store));
		await collectAll(into, folder, [...RECORDINGS, ...more]);
		expect(await counts(into)).toEqual(await counts(store));
		expect(await ask(into, 'refused')).toEqual(await ask(store, 'refused'));
		expect(await ask(into, 'compilers')).toEqual(await ask(store, 'compilers'));
	});

	test('a question about a build reads nothing of the files of another build of the same day', async () => {
		const store = copyOfStore('builds');
		for (const { table, filePath, day } of listStore(store, 'store').files) {
			const folderOfDay = path.join(store, table, 'dt=2026-01-01');
			fs.mkdirSync(folderOfDay, { recursive: true });
			fs.renameSync(filePath, path.join(folderOfDay, path.basename(filePath)));
			if (fs.readdirSync(path.dirname(filePath)).length === 0) {
				fs.rmdirSync(path.join(store, table, `dt=${day}`));
			}
		}
		const into = path.join(folder, 'builds compacted');
		await compactStore({ store: { filePath: store, name: 'store' }, into: { filePath: into, name: 'new' }, duckDb: DEFAULT_DUCKDB, ownFilesFrom: 1 });
		expect(await counts(into)).toEqual(await counts(whole));
		const files = listStore(into, 'store').files.filter(({ table }) => table === 'decisions');
		expect(files.map(({ day }) => day)).toEqual(['2026-01-01', '2026-01-01']);
		const sql = 'SELECT count(DISTINCT d.run) AS runs, count(*) AS n FROM decisions d JOIN runs r ON r.run = d.run';
		const rowsOf = async (build: string) => JSON.parse((await runAssay(['query', into, sql, '--where', `build=${build}`, '--json'], folder)).stdout).result;
		const [first, second] = [await rowsOf('1'), await rowsOf('2')];
		expect([first.rows[0][0], second.rows[0][0], first.leftOut]).toEqual([1, 1, 0]);
		// Which of them is of build 1 shows by what can no more be asked when its pages are noise.
		for (const { filePath } of files) {
			const bytes = fs.readFileSync(filePath);
			const footer = bytes.readUInt32LE(bytes.length - 8) + 8;
			fs.writeFileSync(filePath, Buffer.concat([bytes.subarray(0, 4), Buffer.alloc(bytes.length - 4 - footer, 0x5a), bytes.subarray(bytes.length - footer)]));
			const [one, other] = [await rowsOf('1'), await rowsOf('2')];
			expect([one.leftOut, other.leftOut].sort()).toEqual([0, 1]);
			expect(one.leftOut === 0 ? one.rows : other.rows).toEqual(one.leftOut === 0 ? first.rows : second.rows);
			fs.writeFileSync(filePath, bytes);
		}
	});
});

describe('hostile text', () => {
	test.each([
		[`COPY (SELECT 1) TO '${whole}/x.csv'`, /a SELECT is expected/],
		["COPY (SELECT 1) TO '/tmp/x.csv'", /disabled by configuration/],
		['SELECT 1; DROP VIEW runs', /one SELECT is expected/],
		["ATTACH 'x.db'", /a SELECT is expected/],
		['INSTALL httpfs', /a SELECT is expected/],
		["SET memory_limit = '9TB'", /a SELECT is expected/],
		["SELECT * FROM read_text('/etc/hostname')", /disabled by configuration/],
		["SELECT * FROM read_csv('https://example.org/x.csv')", /disabled by configuration|httpfs/],
		['SELECT', /SELECT|syntax/i],
	])('%s', async (sql, why) => {
		const { stderr, exit } = await runAssay(['query', whole, sql], folder);
		expect(exit).toBeGreaterThanOrEqual(2);
		expect(stderr).toMatch(why);
		expect(stderr).not.toContain('    at ');
	});

	test('a label with quotes is a value', async () => {
		expect(await ask(whole, 'compilers', ["host=o'Brien"])).toHaveLength(1);
		expect(await ask(whole, 'compilers', ["host=x' OR '1'='1"])).toEqual([]);
		expect(await ask(whole, 'compilers', ["team=x' OR '1'='1"])).toEqual([]);
		expect(await ask(whole, 'compilers', ["host!=o'Brien", 'service=s'])).toHaveLength(1);
	});

	test('a password goes over TLS only, and is never told', async () => {
		process.env.TRINO_PASSWORD = 'swordfish';
		try {
			const { stderr, exit } = await runAssay(['query', whole, 'flips', '--engine', 'trino', '--server', 'http://127.0.0.1:1'], folder);
			expect([exit, stderr]).toEqual([2, expect.stringContaining('https only')]);
			const refused = await runAssay(['query', whole, 'flips', '--engine', 'trino', '--server', 'https://127.0.0.1:1'], folder);
			expect(refused.exit).toBe(3);
			expect(`${refused.stdout}${refused.stderr}`).not.toMatch(/swordfish|c3dvcmRmaXNo/);
			const named = await runAssay(['query', whole, 'flips', '--engine', 'trino', '--server', 'https://me:secret@127.0.0.1:1'], folder);
			expect([named.exit, named.stderr.includes('secret')]).toEqual([2, false]);
		} finally {
			delete process.env.TRINO_PASSWORD;
		}
	});
});

test('what is no store is told from one: a file called runs, a folder of that name without days, nothing', () => {
	const other = path.join(folder, 'other');
	fs.mkdirSync(other);
	expect([isStore(whole), isStore(other), isStore(path.join(folder, 'missing'))]).toEqual([true, false, false]);
	fs.writeFileSync(path.join(other, 'runs'), '');
	expect(isStore(other)).toBe(false);
	fs.rmSync(path.join(other, 'runs'));
	fs.mkdirSync(path.join(other, 'runs', 'x'), { recursive: true });
	expect(isStore(other)).toBe(false);
});
