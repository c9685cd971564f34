/** Two sides of a store, made of decisions that are known: what is told against a plain count and the same statistics in TypeScript. */
import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { temporaryFolder } from '../../test/stores.js';
import { writeParquetColumns } from '../formats/parquet/write.js';
import { answerStoreDiff } from './diff.js';
import { Facts } from './facts/rows.js';
import { fileOf, writeWhole } from './files.js';
import { idOf, nameOfId } from './ids.js';
import { STORE_TABLES, storeTable } from './schema.js';
import { parseConditions } from './sql-text.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const folder = temporaryFolder();
const store = path.join(folder, 'store');
const RUNS = 12;

/** Of each call, in which of a side's runs it is inlined; null: the side does not have it. */
const CALLS: Readonly<Record<string, { readonly bcis: string; readonly a: number | null; readonly b: number | null; readonly reason: string }>> = {
	lost: { bcis: '3', a: 12, b: 0, reason: 'virtual call' },
	below: { bcis: '3 4 5', a: 0, b: 12, reason: 'too big' },
	noise: { bcis: '7', a: 6, b: 7, reason: 'too big' },
	same: { bcis: '8', a: 12, b: 12, reason: '' },
	onlyA: { bcis: '9', a: 12, b: null, reason: '' },
};

beforeAll(() => {
	for (const side of ['a', 'b'] as const) {
		for (let i = 0; i < RUNS; i++) {
			writeRun(side, i);
		}
	}
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function writeRun(side: 'a' | 'b', i: number): void {
	const run = idOf('run', side, i);
	const facts = new Facts(run);
	const flags = side === 'a' ? '-Xmx1g' : '-Xmx1g -XX:MaxInlineLevel=1';
	facts.add('runs', {
		name: nameOfId(run),
		build: side,
		runtime: 'HotSpot',
		flags,
		samples: 1000,
		samples_java: 900,
		samples_c2: 100,
		started_ms: i,
		recording: `${side}${i}`,
	});
	facts.add('compilations', { compilation: '1', method: 1n, name: 'p.C.m', compiler: 'c2', level: 4, samples: side === 'a' ? 100 : 300 });
	for (const [name, { bcis, reason, ...inlined }] of Object.entries(CALLS)) {
		const of = inlined[side];
		if (of !== null) {
			const site = idOf('site', name);
			facts.add('sites', {
				site,
				root: 'p.C.m',
				signature: '(ILjava/lang/String;)V',
				bcis,
				caller: bcis.includes(' ') ? 'p.D.inner' : 'p.C.m',
				callee: `p.D.${name}`,
			});
			const verdict = i < of ? { verdict: 'inlined', reason: 'inline (hot)' } : { verdict: 'refused', reason };
			facts.add('decisions', { compilation: '1', method: 1n, site, pass: 'c2', level: 4, kind: 'call', samples: side === 'a' ? 100 : 300, ...verdict });
		}
	}
	for (const table of STORE_TABLES.filter((one) => facts.count(one) > 0)) {
		const { columns } = storeTable(table);
		const file = fileOf(store, table, '2026-01-01', nameOfId(run));
		writeWhole(file, (write) => writeParquetColumns({ name: table, columns, values: facts.columns(table) }, 'test', write));
	}
}

/** Of two proportions, with a correction for small numbers. */
function chance(a: number, b: number): number {
	const pooled = (a + b) / (2 * RUNS);
	const z = Math.max(0, Math.abs(a - b) / RUNS - 1 / RUNS) / Math.sqrt((pooled * (1 - pooled) * 2) / RUNS);
	// The tail of the normal distribution, both sides, by its integral.
	const step = 1e-4;
	let sum = 0;
	for (let x = z + step / 2; x < z + 12; x += step) {
		sum += Math.exp((-x * x) / 2) * step;
	}
	return (2 * sum) / Math.sqrt(2 * Math.PI);
}

const ask = (withNoise: boolean, conditions: readonly { what: 'lost-inlining'; threshold: number }[] = []) =>
	answerStoreDiff(
		{ filePath: store, name: 'store' },
		{ a: parseConditions(['build=a'], '--a'), b: parseConditions(['build=b'], '--b'), filter: {}, conditions, withNoise },
	);

test('changes, noise and counts are those of the runs', async () => {
	const { report, problems } = await ask(true, [{ what: 'lost-inlining', threshold: 0.2 }]);
	expect(problems).toEqual([]);
	const { changes } = report.comparison;
	expect(changes.map(({ where, noise, runsA, ofA, runsB, ofB }) => [where.at(-1)!.methodName, noise, runsA, ofA, runsB, ofB])).toEqual([
		['p.D.lost', false, 12, 12, 0, 12],
		['p.D.below', false, 0, 12, 12, 12],
		['p.D.noise', true, 6, 12, 7, 12],
	]);
	const [lost, below, noise] = changes;
	expect(lost).toMatchObject({ methodName: 'p.C.m(int, String)', before: 'inlined', after: 'indirect', categories: ['lost-inlining'] });
	expect(below).toMatchObject({ before: 'direct', after: 'inlined', categories: ['new-inlining'], reasonsBefore: ['too big'], reasonsAfter: ['inline (hot)'] });
	expect(below?.where).toEqual([
		{ methodName: 'p.D.lost', bci: 3 },
		{ methodName: 'p.D.inner', bci: 4 },
		{ methodName: 'p.D.below', bci: 5 },
	]);
	expect([lost?.periodShareA, lost?.periodShareB]).toEqual([0.1, 0.3]);
	// Four calls are of both sides; of equal p the first in order has the rank of both.
	expect(report.store).toMatchObject({ calls: 4, differing: 3, rate: 0.05, a: { where: ['build=a'], runs: RUNS } });
	expect(lost?.pValue).toBeCloseTo(chance(12, 0), 6);
	expect(noise?.pValue).toBeCloseTo(chance(6, 7), 6);
	const q = [lost, noise].map((change) => (change === undefined ? undefined : report.store?.q.get(change)));
	expect(q[0]).toBeCloseTo((chance(12, 0) * 4) / 2, 6);
	expect(q[1]).toBeCloseTo(Math.min(1, (chance(6, 7) * 4) / 3), 6);
	expect(report.differentFlags).toEqual({ a: [], b: ['-XX:MaxInlineLevel=1'] });
	expect(report.threadTime?.a.classes.map((row) => [row.class, row.samples])).toEqual([
		['java', 900 * RUNS],
		['c2', 100 * RUNS],
	]);
	expect(report.findings.map(({ change }) => change)).toEqual([lost]);
	expect((await ask(false)).report.comparison.changes).toHaveLength(2);
});

test('text, JSON, Markdown and exit statuses', async () => {
	const run = (...words: string[]) => runAssay(['diff', '--store', 'store', '--a', 'build=a', '--b', 'build=b', ...words], folder);
	const text = await run();
	expect(text).toMatchObject({ exit: 0, stderr: '' });
	expect(text.stdout).toContain('changed: of 4 calls that both sides decide, 2 differ by more than chance (false discovery rate 5 %)\n');
	expect(text.stdout).toContain('build=a → build=b   HotSpot logs, 12 + 12 runs\n');
	expect(text.stdout).toContain('1 more differ, no more than chance: noise (--show-noise)\n');
	expect(text.stdout).toMatch(/ d1 +10\.00→30\.00 {2}\* inlined → indirect {2}D\.lost in C\.m\n/);
	expect(text.stdout).toMatch(/\* inlined → indirect {2}p\.D\.lost @3 {3}d1 {2}12\/12 → 0\/12\n/);
	expect((await run('--show-noise')).stdout).toMatch(/p\.D\.noise @7 {3}d3 {2}6\/12 → 7\/12 {2}noise, p 1\.00\n/);
	expect((await run('--fail-on', 'lost-inlining')).exit).toBe(1);
	expect((await run('--fail-on', 'lost-inlining:50')).exit).toBe(0);
	expect((await run('--method', 'nothing')).stdout).not.toContain('p.D.lost');
	const markdown = await run('--markdown');
	expect(markdown.stdout).toContain('| d1 | `p.C.m(int, String)` | inlined → indirect `@3 p.D.lost` | 10.00 → 30.00 % | 12/12 → 0/12 |');
	const { stdout } = await run('--json');
	const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(
		JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'diff-store.json'), 'utf8')) as object,
	);
	const parsed = JSON.parse(stdout) as { result: { changes: object[] } };
	expect([validate(parsed), validate.errors]).toEqual([true, null]);
	expect(parsed.result).toMatchObject({ summary: { calls: 4, differing: 3, changed: 2, noise: 1, falseDiscoveryRate: 0.05 }, failed: false });
	expect((await runAssay(['diff', '--store', 'store', '--a', 'build=a', '--b', 'build=z'], folder)).exit).toBe(3);
	expect((await run('--output', 'x.html')).exit).toBe(2);
});
