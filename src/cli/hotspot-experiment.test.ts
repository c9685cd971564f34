/** The trees of C1 and C2 through the analyses of Graal's: live/programs/Ledger.java, recorded on JDK 17 and 25. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { type AssayRun, runAssayOnce } from '../../test/run-assay.js';
import { withoutHiddenAddress } from '../model/hidden-class.js';
import { methodWithParameters } from '../model/java-descriptor.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const fixtures = path.join(root, 'fixtures', 'jvm', 'ledger');
const golden = (name: string): string => path.join(root, 'fixtures', 'golden', name);
const run = (...argv: string[]): Promise<AssayRun> => runAssayOnce(argv, fixtures);

test('the same program on 17 and 25: what C2 inlined on one and not on the other, hottest first', async () => {
	const { stdout, stderr, exit } = await run('diff', 'jdk17', 'jdk25');
	expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
	await expect(stdout).toMatchFileSnapshot(golden('diff-hotspot-17-25.txt'));
});

test('a changed decision stands in both logs as it is told', async () => {
	const { changes } = JSON.parse((await run('diff', 'jdk17', 'jdk25', '--json')).stdout).result;
	const change = changes.find(
		({ before, after, where }: { before: string; after: string; where: { method: string }[] }) =>
			before === 'inlined' && after === 'direct' && where.at(-1)?.method.endsWith('lambda$comparing$77a9974f$1'),
	);
	expect(change).toMatchObject({ reasonsBefore: ['inline (hot)'], reasonsAfter: ['low call site frequency'] });
	const log = zlib.gunzipSync(fs.readFileSync(path.join(fixtures, 'jdk25', 'hotspot.log.gz'))).toString();
	expect(log).toMatch(/name='lambda\$comparing\$77a9974f\$1'[\s\S]*?<inline_fail reason='low call site frequency'\/>/);
});

test('a method has the samples of all its code, whichever compiler made it, and threads are compared by class', async () => {
	const { methods, threadTime } = JSON.parse((await run('diff', 'jdk17', 'jdk25', '--json')).stdout).result;
	for (const { periodShareA, a } of methods) {
		expect(a.percent / 100).toBeCloseTo(periodShareA, 9);
		expect(a.versions.reduce((sum: number, one: { samples: number }) => sum + one.samples, 0)).toBe(a.samples);
	}
	expect(methods.some(({ a }: { a: { versions: { version: string }[] } }) => a.versions.map(({ version }) => version).includes('C1'))).toBe(true);
	for (const [side, name] of [
		['a', 'jdk17'],
		['b', 'jdk25'],
	] as const) {
		const hot = JSON.parse((await run('hot', name, '--json')).stdout).result.threadTime.classes;
		const told = threadTime.filter((row: Record<string, { samples: number }>) => row[side]!.samples > 0);
		expect(told.map((row: Record<string, unknown>) => [row.class, (row[side] as { samples: number }).samples]).sort()).toEqual(
			hot.map((row: { class: string; samples: number }) => [row.class, row.samples]).sort(),
		);
	}
});

test('why a method is compiled at the top tier on one side only', async () => {
	const { changes } = JSON.parse((await run('diff', 'jdk17', 'jdk25', '--all', '--json')).stdout).result;
	const missing = changes.filter(({ kind }: { kind: string }) => kind === 'compilation');
	expect(missing.length).toBeGreaterThan(3);
	for (const { absence, before, method, signature } of missing) {
		const log = zlib.gunzipSync(fs.readFileSync(path.join(fixtures, before === null ? 'jdk17' : 'jdk25', 'hotspot.log.gz'))).toString();
		const compiled = [...log.matchAll(/<nmethod [^>]*method='(\S+) (\S+) (\S+)'/g)].map(([, holder, name, descriptor]) =>
			withoutHiddenAddress(methodWithParameters(`${holder}.${name}`.replaceAll('&lt;', '<').replaceAll('&gt;', '>'), descriptor ?? null, false)),
		);
		const isCompiled = compiled.includes(`${method}${signature}`);
		expect([absence.text, isCompiled]).toEqual([absence.text, /by C1 only/.test(absence.text)]);
	}
	expect(new Set(missing.map(({ absence }: { absence: { reason: string } }) => absence.reason)).size).toBeGreaterThan(1);
});

test('one run: compilations by samples, with their calls and what C2 did', async () => {
	const { stdout, exit } = await run('report', 'jdk25', '--top', '4', '--method', '*');
	expect(exit).toBe(0);
	await expect(stdout).toMatchFileSnapshot(golden('report-hotspot.txt'));
});

test('as profdiff prints it', async () => {
	const { stdout, exit } = await run('profdiff', '--hot-max-limit=2', 'jit-vs-jit', 'jdk17', 'jdk17', 'jdk25', 'jdk25');
	expect(exit).toBe(0);
	expect(stdout).toContain('Collected optimization logs for 73 compilation units');
	expect(stdout).toMatch(/Method java\.util\.TimSort\.merge(?:Lo|Hi)\(int, int, int, int\)/);
});

test('with a profile of proftool, as assay export writes it', async () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-export-'));
	try {
		await run('export', 'jdk25', '--to', 'proftool', '--output', path.join(folder, 'prof.json'));
		const { stdout, exit } = await run('profdiff', 'report', 'jdk25', path.join(folder, 'prof.json'));
		expect(exit).toBe(0);
		expect(stdout).toContain('java.util.TimSort.mergeLo(int, int, int, int)');
		const { run: evidence } = JSON.parse((await run('report', 'jdk25', '--profile', path.join(folder, 'prof.json'), '--json')).stdout).result.decisions;
		expect(evidence.profile).toMatchObject({ entries: evidence.profile.found, sameName: evidence.profile.found });
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
});

test('a log without samples: all methods count as equally hot', async () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-log-'));
	try {
		fs.copyFileSync(path.join(fixtures, 'jdk25', 'hotspot.log.gz'), path.join(folder, 'hotspot.log.gz'));
		const { stdout, stderr, exit } = await run('report', folder, '--top', '1', '--method', '*');
		expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
		expect(stdout).toContain('no profile: nothing says what is hot');
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
});

test('texts of PrintCompilation, which tell no end of compilations, are compared; not with a log, which names parameters', async () => {
	const text = (jdk: string): string => path.join('..', 'inlining', jdk, 'printinlining.txt.gz');
	const own = JSON.parse((await run('diff', text('jdk17'), text('jdk17'), '--all', '--json')).stdout).result;
	expect([own.methods.length, own.changes]).toEqual([expect.any(Number), []]);
	expect(own.methods.length).toBeGreaterThan(100);
	const { summary } = JSON.parse((await run('diff', text('jdk17'), text('jdk25'), '--all', '--json')).stdout).result;
	expect(summary.changed).toBeGreaterThan(100);

	const log = path.join('..', 'inlining', 'jdk17', 'logcompilation.xml.gz');
	for (const sides of [
		[log, text('jdk17')],
		[text('jdk17'), log],
	]) {
		const refused = await run('diff', ...sides);
		expect([refused.stdout, refused.exit]).toEqual(['', 3]);
		expect(refused.stderr).toMatch(
			/printinlining\.txt\.gz: is the text of PrintCompilation, .* without their parameters; \S*logcompilation\.xml\.gz has them;/,
		);
	}
});
