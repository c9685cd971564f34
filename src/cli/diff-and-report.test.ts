import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changesOf, diff, INPUTS, json, REPEATS, root, runKept, TRUE_LABELS } from '../../test/diff-runs.js';

describe('goldens, read as a user would', () => {
	test.each([
		['diff-examples.txt', ['diff', 'examples/a', 'examples/b'], root],
		['diff-examples.md', ['diff', 'examples/a', 'examples/b', '--markdown', '--fail-on', 'lost-inlining:1'], root],
		['diff-poly-repeats.txt', ['diff', ...TRUE_LABELS], REPEATS],
		['diff-poly-one-run.head.txt', ['diff', 'poly-a1', 'poly-b1'], REPEATS],
		['diff-poly-noise.head.txt', ['diff', 'poly-a1', 'poly-a2', '--repeat-a', 'poly-a3'], REPEATS],
		['report-examples-b.txt', ['report', 'examples/b'], root],
		['report-poly-indirect.txt', ['report', 'poly-a1', '--decision', 'indirect'], REPEATS],
		['report-poly-without-profile.head.txt', ['report', 'poly-b2/log'], REPEATS],
	])('%s', async (file, argv, folder) => {
		const { stdout } = await runKept(argv, folder);
		const shown = file.includes('.head.') ? `${stdout.split('\n').slice(0, 40).join('\n')}\n` : stdout;
		await expect(shown).toMatchFileSnapshot(path.join(root, 'fixtures', 'golden', file));
	});
});

describe('the summary', () => {
	test.each([
		[['diff', 'examples/a', 'examples/b'], root],
		[['diff', ...TRUE_LABELS], REPEATS],
		[['diff', 'poly-a1', 'poly-b1'], REPEATS],
		[['diff', 'poly-a1/log', 'poly-b1/log'], REPEATS],
		[['diff', 'steady-a/log', 'steady-b/log', '--profile-a', 'steady-a.prof.json', '--profile-b', 'steady-b.prof.json'], INPUTS],
		[['report', 'examples/b'], root],
		[['report', 'poly-a1'], REPEATS],
		[['report', 'mix-aot1/log', '--profile', 'mix-aot1.prof.json'], INPUTS],
	])('of %j fits 80 × 24', async (argv, folder) => {
		for (const io of [{}, { isTerminal: true, columns: 80, hasColour: true }]) {
			const { stdout } = await runKept(argv, folder, io);
			const lines = stdout.split('\n');
			// The details begin with a line for a method or compilation behind an empty one.
			const end = lines.findIndex((line, index) => lines[index - 1] === '' && /^(\u001b\[1m)?[mc]\d+ {2}/.test(line));
			expect(end).toBeGreaterThan(5);
			expect(end).toBeLessThanOrEqual(24);
			for (const line of lines.slice(0, io.isTerminal ? lines.length : end)) {
				expect(stringWidth(line), line).toBeLessThanOrEqual(80);
			}
		}
	});
});

describe('wrong use and unusable input', () => {
	test.each([
		[['diff', 'poly-a1'], 2, 'two experiments are expected, 1 given'],
		[['diff', 'poly-a1', 'poly-b1', '--nope'], 2, "Unknown option '--nope'"],
		[['diff', 'poly-a1', 'poly-b1', '--fail-on', 'lost'], 2, '--fail-on takes lost-inlining'],
		[['diff', 'poly-a1', 'poly-b1', '--decision', 'x'], 2, '--decision takes one of inlined'],
		[['diff', 'poly-a1', 'poly-b1', '--methods', '0'], 2, 'takes a whole number from 1 on'],
		[['diff', 'poly-a1', 'absent'], 3, 'absent: cannot be read (No such file or directory)'],
		[['diff', '.', 'poly-b1'], 3, 'optimization logs were found in several folders'],
		[['report', '../cases.json'], 3, 'holds nothing of a run'],
		[['report', 'poly-a1', '--profile', 'poly-b1/prof.json.gz'], 3, 'of its 149 top-tier compile ids 3 are in the log, and of those 0 have the same method'],
		[['report', 'poly-a1', 'c999999'], 2, 'the log of poly-a1 has no compilation c999999'],
		[['report', 'poly-a1', 'poly-b1'], 3, 'optimization logs were found in several folders'],
		[['report', 'poly-a1', 'poly-b7'], 2, '"poly-b7" is neither a file nor the handle of a compilation'],
	])('%j', async (argv, exit, message) => {
		const run = await runKept(argv, REPEATS);
		expect(run.exit).toBe(exit);
		expect(run.stderr).toContain(message);
		expect(run.stdout).toBe('');
	});

	test('a profile of another run is taken with --force, and marked', async () => {
		const { stdout, exit } = await runKept(['report', 'poly-a1', '--profile', 'poly-b1/prof.json.gz', '--force'], REPEATS);
		expect(exit).toBe(0);
		expect(stdout).toContain('the profile is not of this run (--force)');
	});

	test('a filter that leaves nothing says where to look', async () => {
		const { stderr } = await runKept(['report', 'poly-a1', '--method', 'ArrayList.add'], REPEATS);
		expect(stderr).toContain('480 others were not looked into (--all)');
		expect((await runKept(['report', 'poly-a1', '--method', 'ArrayList.add', '--all'], REPEATS)).stdout).toMatch(/^c\d+ {2}java\.util\.ArrayList\.add/m);
	});

	test('help is there, and its example runs', async () => {
		for (const command of ['diff', 'report']) {
			const { stdout, exit } = await runKept([command, '--help'], root);
			expect(exit).toBe(0);
			expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
			const example = /^ {2}assay (\w+ examples.*)$/m.exec(stdout)?.[1] ?? '';
			expect((await runKept(example.split(' '), root)).exit).toBe(0);
		}
	});
});

describe('hostile names', () => {
	let folder = '';
	const evil = 'Evil.\u001b[2J\u0007\u202eabc\u2066<script>alert(1)</script>|`x`\r\n\t**()';
	const long = `${'Long.'.repeat(200_000)}name()`;

	beforeAll(() => {
		folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-hostile-'));
		for (const [side, inlined] of [
			['a', true],
			['b', false],
		] as const) {
			const unit = (name: string, id: number): string => {
				const call = `{"methodName":${JSON.stringify(name)},"callsiteBci":3,"inlined":${inlined},"reason":[${JSON.stringify(evil)}],"indirect":false,"alive":${!inlined}}`;
				const tree = `{"methodName":${JSON.stringify(name)},"callsiteBci":-1,"inlined":true,"reason":null,"indirect":false,"alive":false,"invokes":[${call}]}`;
				const phases = `{"phaseName":"RootPhase","optimizations":[{"phaseName":${JSON.stringify(evil)},"optimizations":${inlined ? `[{"optimizationName":${JSON.stringify(evil)},"eventName":"E","position":{${JSON.stringify(name)}:1}}]` : '[]'}}]}`;
				return `{"methodName":${JSON.stringify(name)},"compilationId":"${id}","inliningTree":${tree},"optimizationTree":${phases}}`;
			};
			fs.mkdirSync(path.join(folder, side));
			fs.writeFileSync(path.join(folder, side, 'log'), `${[unit(evil, 1), unit(long, 2)].join('\n')}\nno unit ${evil.replaceAll('\n', '')}\n`);
		}
	});

	afterAll(() => fs.rmSync(folder, { recursive: true }));

	const dangerous = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

	test.each([[['diff', 'a', 'b']], [['diff', 'a', 'b', '--markdown', '--fail-on', 'any']], [['report', 'a']]])(
		'cannot disturb the terminal: %j',
		async (argv) => {
			for (const io of [{}, { isTerminal: true, columns: 80 }]) {
				const { stdout, stderr } = await runKept(argv, folder, io);
				expect(stdout).toContain('Evil.');
				expect(stdout).not.toMatch(dangerous);
				expect(stderr).not.toMatch(dangerous);
				expect(stderr).toContain(' no compilation unit');
				expect(stdout.length).toBeLessThan(200_000);
				for (const line of io.isTerminal && !argv.includes('--markdown') ? stdout.split('\n') : []) {
					expect(stringWidth(line)).toBeLessThanOrEqual(80);
				}
			}
		},
	);

	test('are what they are in JSON', async () => {
		const [change] = await changesOf(['a', 'b'], folder);
		expect(JSON.stringify(await changesOf(['a', 'b'], folder))).toContain(JSON.stringify(evil.slice(0, evil.indexOf('('))).slice(1, -1));
		expect(change).toMatchObject({ kind: 'callsite', before: 'inlined', after: 'direct' });
		expect((await json(['report', 'a'], folder)).compilations).toHaveLength(2);
	});

	test('cannot end a cell or a code span of Markdown', async () => {
		const { stdout } = await diff(['a', 'b', '--markdown'], folder);
		const rows = stdout.split('\n').filter((line) => line.startsWith('| d'));
		expect(rows.length).toBeGreaterThan(1);
		for (const row of rows) {
			expect(row.replaceAll('\\|', '').split('|').length).toBe(7);
			expect((row.match(/`/g)?.length ?? 0) % 2).toBe(0);
		}
	});
});
