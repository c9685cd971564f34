/**
 * A store of a fleet: `npm run bench:store -- [--recorded STORE] [--runs N] [--into FOLDER]`.
 *
 * Runs are made from recorded ones: of each method of a made run, the decisions and deoptimizations are those of one of the recorded runs of its build, another one
 * for each method and run, so that they vary as the recorded ones do, method by method. They are laid on 365 days, 100 hosts and 12 builds, and written as
 * `assay compact` writes them. Printed are bytes a decision, and what questions cost about 10^2, 10^3 and all of the runs: seconds of processor and clock, memory, bytes
 * that were read; and of a day.
 * --recorded is a store that assay collect filled with several runs of one program; without it fixtures are collected. 1000 runs where nothing is said.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const root = path.resolve(import.meta.dirname, '..');
const assay = path.join(root, 'bin', 'assay.js');
const DAYS = 365;
const HOSTS = 100;
const BUILDS = 12;
const QUESTIONS = ['flips', 'moved', 'storms'];

const option = (name, otherwise) => {
	const at = process.argv.indexOf(`--${name}`);
	return at < 0 ? otherwise : process.argv[at + 1];
};
const runs = Number(option('runs', '1000'));
const into = path.resolve(option('into', path.join(root, '.cache', `bench-store-${runs}`)));
const recorded = path.resolve(option('recorded', collectFixtures()));

const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '3GB' });
const connection = await instance.connect();
const run = async (sql) => (await connection.runAndReadAll(sql)).getRowsJS();

if (!fs.existsSync(path.join(into, 'runs'))) {
	await make();
}
await measure();

/** Two runs of one program; a store of more, recorded by assay record, tells more. */
function collectFixtures() {
	const store = path.join(root, '.cache', 'bench-store-recorded');
	if (!process.argv.includes('--recorded') && !fs.existsSync(store)) {
		for (const [recording, host] of [
			['fixtures/jvm/ledger/jdk25', 'a'],
			['fixtures/agent/jdk25', 'b'],
		]) {
			execFileSync(process.execPath, [assay, 'collect', recording, '--into', store, '--label', `host=${host}`], { cwd: root, stdio: 'ignore' });
		}
	}
	return store;
}

async function make() {
	const began = performance.now();
	const table = (name) => `read_parquet('${recorded}/${name}/*/*.parquet', union_by_name = true, hive_partitioning = false)`;
	await run(`CREATE TABLE sources AS SELECT run, row_number() OVER (ORDER BY name) - 1 AS source FROM ${table('runs')} WHERE samples > 0`);
	const [[sources]] = await run('SELECT count(*) FROM sources');
	await run(
		`CREATE TABLE decided AS SELECT s.source, d.*, CAST(rtrim(d.compilation, '%') AS BIGINT) AS number, substr(d.compilation, 1 + length(rtrim(d.compilation, '%'))) AS mark FROM ${table('decisions')} d JOIN sources s ON s.run = d.run`,
	);
	await run(`CREATE TABLE left_code AS SELECT s.source, d.* FROM ${table('deoptimizations')} d JOIN sources s ON s.run = d.run`);
	await run(`CREATE TABLE named AS SELECT DISTINCT * FROM ${table('sites')}`);
	await run(
		`CREATE TABLE made AS SELECT n, CAST(hash(n) % 9223372036854775807 AS BIGINT) AS run, n * ${DAYS} // ${runs} AS day, n % ${HOSTS} AS host, n * ${BUILDS} // ${runs} AS build FROM range(${runs}) t(n)`,
	);
	await run(`CREATE TABLE methods AS SELECT DISTINCT method FROM decided UNION SELECT DISTINCT method FROM left_code`);
	// With each build most methods come from other recorded runs: half of them are open to it.
	await run(
		`CREATE MACRO source_of(n, build, method) AS CAST((hash(build * 7919 + method % 1000003) % ${sources} + hash(n * 31 + method % 999983) % ${Math.max(1, Math.ceil(Number(sources) / 2))}) % ${sources} AS BIGINT)`,
	);
	for (let day = 0; day < DAYS; day++) {
		const [[count]] = await run(`SELECT count(*) FROM made WHERE day = ${day}`);
		if (Number(count) > 0) {
			await makeDay(day);
		}
		if (process.stderr.isTTY) {
			process.stderr.write(`\r${day + 1} of ${DAYS} days, ${((performance.now() - began) / 1000).toFixed(0)} s `);
		}
	}
	const { user, system } = process.cpuUsage();
	console.log(`made in ${((performance.now() - began) / 1000).toFixed(0)} s by the clock, ${((user + system) / 1e6).toFixed(0)} s of processor`);
}

async function makeDay(day) {
	const date = new Date(Date.UTC(2025, 0, 1 + day)).toISOString().slice(0, 10);
	const name = day.toString(16).padStart(16, '0');
	const write = async (table, sql) => {
		const folder = path.join(into, table, `dt=${date}`);
		fs.mkdirSync(folder, { recursive: true });
		await run(
			`COPY (${sql}) TO '${folder}/${name}.many.parquet' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 9, PARQUET_VERSION v2, ROW_GROUP_SIZE 122880)`,
		);
	};
	await run(
		`CREATE OR REPLACE TABLE chosen AS SELECT m.run, m.n, m.build, x.method, source_of(m.n, m.build, x.method) AS source FROM made m CROSS JOIN methods x WHERE m.day = ${day}`,
	);
	// The compiler's ids are as many runs apart as they are between two recorded ones: near, and never the same.
	await write(
		'decisions',
		`SELECT c.run, CAST(d.number + hash(c.n) % 40 AS VARCHAR) || d.mark AS compilation, d.method, d.site, d.pass, d.level, d.kind, d.verdict, d.reason, d.receivers, d.samples FROM chosen c JOIN decided d ON d.method = c.method AND d.source = c.source ORDER BY d.pass, d.method, c.run, d.compilation, d.site`,
	);
	await write(
		'deoptimizations',
		`SELECT c.run, d.compilation, d.method, d.name, d.level, d.kind, d.reason, d.action, d.place, d.bci, d.at_ms FROM chosen c JOIN left_code d ON d.method = c.method AND d.source = c.source ORDER BY d.name, c.run`,
	);
	await write('sites', 'SELECT * FROM named ORDER BY root, signature, bcis');
	await write(
		'runs',
		`SELECT run, lower(hex(run)) AS name, 'shop' AS service, '1.' || lpad(CAST(build AS VARCHAR), 2, '0') AS build, 'host' || host AS host, 'HotSpot' AS runtime, 25 AS jdk, CAST(epoch_ms(TIMESTAMP '${date} 00:00:00') + n AS BIGINT) AS started_ms, 10.0 + host % 7 AS seconds, 5000 AS samples, 1 AS format FROM made WHERE day = ${day}`,
	);
}

async function measure() {
	const sizeOf = (table) =>
		fs
			.readdirSync(path.join(into, table), { recursive: true, withFileTypes: true })
			.reduce((sum, entry) => sum + (entry.isFile() ? fs.statSync(path.join(entry.parentPath, entry.name)).size : 0), 0);
	const [[decisions]] = await run(`SELECT count(*) FROM read_parquet('${into}/decisions/*/*.parquet')`);
	instance.closeSync();
	const [bytes, names] = [sizeOf('decisions'), sizeOf('sites')];
	const each = (of) => (of / Number(decisions)).toFixed(3);
	console.log(`${runs} runs, ${decisions} decisions: ${each(bytes)} bytes each, and ${each(names)} for the names of their sites`);
	for (const question of QUESTIONS) {
		for (const part of [100, 1000, runs].filter((one, i, all) => one <= runs && all.indexOf(one) === i)) {
			const last = Math.min(DAYS, Math.max(1, Math.round((part * DAYS) / runs)));
			const until = new Date(Date.UTC(2025, 0, last)).toISOString().slice(0, 10);
			console.log(`${question.padEnd(8)} ${String(part).padStart(6)} runs  ${asked([question, '--until', until])}`);
		}
	}
	for (const question of QUESTIONS) {
		console.log(`${question.padEnd(8)}   a day       ${asked([question, '--since', '2025-06-01', '--until', '2025-06-01'])}`);
	}
	console.log(`nothing                 ${asked(['SELECT 1', '--since', '2025-06-01', '--until', '2025-06-01'])}`);
}

/** Bytes that this process and those that it waited for have read; null where the system does not tell. */
function bytesRead() {
	return fs.existsSync('/proc/self/io') ? Number(/^rchar: (\d+)$/m.exec(fs.readFileSync('/proc/self/io', 'latin1'))?.[1]) : null;
}

function asked(words) {
	const began = performance.now();
	const before = bytesRead();
	const { stderr, stdout, status } = spawnSync('/usr/bin/time', ['-f', '%U %S %M', process.execPath, assay, 'query', into, ...words, '--json'], {
		encoding: 'utf8',
		maxBuffer: 1 << 28,
	});
	const clock = (performance.now() - began) / 1000;
	const [user, system, kilobytes] = stderr.trim().split('\n').at(-1).split(' ').map(Number);
	const rows = status === 0 ? JSON.parse(stdout).result.rows.length : `failed: ${stderr.slice(0, 200)}`;
	// What it printed was read, too.
	const bytes = before === null ? null : bytesRead() - before - stdout.length;
	const read = bytes === null ? '' : `, ${(bytes / 1e6).toFixed(1)} MB read`;
	return `${clock.toFixed(1)} s by the clock, ${(user + system).toFixed(1)} s of processor, ${(kilobytes / 1e6).toFixed(2)} GB${read}, ${rows} rows`;
}
