import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GRAAL_FIXTURES } from '../../test/fixtures.js';
import { type AssayRun, runAssay, runAssayOnce } from '../../test/run-assay.js';
import type { CommandIo } from './io.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const REPEATS = path.join(GRAAL_FIXTURES, 'repeats');
const INPUTS = path.join(GRAAL_FIXTURES, 'inputs');
const TRUE_LABELS = ['poly-a1', 'poly-b1', '--repeat-a', 'poly-a2', '--repeat-a', 'poly-a3', '--repeat-b', 'poly-b2', '--repeat-b', 'poly-b3'];

interface Change {
	readonly handle: string;
	readonly method: string;
	readonly signature: string;
	readonly kind: string;
	readonly before: string | null;
	readonly after: string | null;
	readonly where: readonly { readonly method: string; readonly bci: number }[];
	readonly phases?: readonly string[];
	readonly cause: string | null;
	readonly categories: readonly string[];
	readonly runsA: number;
	readonly ofA: number;
	readonly runsB: number;
	readonly ofB: number;
	readonly noise: boolean | null;
	readonly pValue?: number;
	readonly periodShareA: number | null;
	readonly periodShareB: number | null;
	readonly reasonsBefore?: readonly string[];
	readonly reasonsAfter?: readonly string[];
}

/** Recordings that stay as they are: six runs take a second and a half to compare, and many tests look at the same comparison. */
const runKept = (argv: readonly string[], folder: string, io: Partial<CommandIo> = {}): Promise<AssayRun> =>
	[root, REPEATS, INPUTS].includes(folder) ? runAssayOnce(argv, folder, io) : runAssay(argv, folder, io);

const diff = (argv: readonly string[], folder = REPEATS): Promise<AssayRun> => runKept(['diff', ...argv], folder);

const schemas = Object.fromEntries(
	['diff', 'report'].map((name) => [
		name,
		new Ajv2020({ allErrors: true, strict: false }).compile(JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', `${name}.json`), 'utf8'))),
	]),
);

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON, checked against its schema
async function json(argv: readonly string[], folder = REPEATS): Promise<any> {
	const { stdout } = await runKept([argv[0]!, '--json', ...argv.slice(1)], folder);
	const output = JSON.parse(stdout);
	const validate = schemas[argv[0]!];
	validate?.(output);
	expect(validate?.errors ?? []).toEqual([]);
	return output;
}

const known = new Map<string, Change[]>();

/** Read and checked against the schema once. */
async function changesOf(argv: readonly string[], folder = REPEATS): Promise<Change[]> {
	const key = JSON.stringify([argv, folder]);
	const changes = known.get(key) ?? (await json(['diff', ...argv], folder)).result.changes;
	known.set(key, changes);
	return changes;
}

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

describe('laws', () => {
	test('changes from A to B and from B to A mirror each other', async () => {
		const forth = await changesOf(TRUE_LABELS);
		const back = await changesOf(['poly-b1', 'poly-a1', '--repeat-a', 'poly-b2', '--repeat-a', 'poly-b3', '--repeat-b', 'poly-a2', '--repeat-b', 'poly-a3']);
		expect(back.map(mirrored)).toEqual(forth.map(sorted));
		const single = await changesOf(['poly-a1', 'poly-b1']);
		expect((await changesOf(['poly-b1', 'poly-a1'])).map(mirrored)).toEqual(single.map(sorted));
	});

	test('a recording against itself changes nothing', async () => {
		for (const name of ['poly-a1', 'poly-b2']) {
			const { result } = await json(['diff', name, name]);
			expect(result).toMatchObject({ changes: [], moves: [], summary: { changed: 0, noise: 0 } });
		}
	});

	test('filters only remove lines', async () => {
		const subsequence = (lines: readonly string[], of: readonly string[]): boolean => {
			let at = 0;
			for (const line of of) {
				if (lines[at] === line) {
					at++;
				}
			}
			return at === lines.length;
		};
		const filters = [
			['--method', 'TimSort'],
			['--method', 'Poly$*area*'],
			['--compilation', 'c2288'],
			['--decision', 'inlined'],
			['--decision', 'indirect'],
			['--decision', 'optimization'],
			['--phase', 'Loop'],
			['--method', 'TimSort', '--decision', 'direct'],
			['--method', 'there is no such method'],
		];
		for (const base of [
			['diff', 'poly-a1', 'poly-b1', '--consequences', '--methods', '40'],
			['diff', ...TRUE_LABELS, '--show-noise', '--methods', '10'],
			['report', 'poly-a1', '--top', '40'],
		]) {
			const all = (await runKept(base, REPEATS)).stdout.split('\n');
			for (const filter of filters) {
				if (base[0] === 'report' && filter.includes('optimization')) {
					continue;
				}
				const { stdout } = await runKept([...base, ...filter], REPEATS);
				const lines = stdout.split('\n');
				expect(lines.length).toBeLessThan(all.length);
				expect(subsequence(lines, all), `${base.join(' ')} ${filter.join(' ')}`).toBe(true);
			}
		}
	});
});

describe('the noise floor', () => {
	test('with three runs a side only what separates them fully is called a difference', async () => {
		const { result } = await json(['diff', ...TRUE_LABELS]);
		const changes: Change[] = result.changes;
		const called = changes.filter((change) => change.noise === false);
		expect(called.length).toBeGreaterThan(500);
		for (const change of changes) {
			const { runsA, ofA, runsB, ofB, noise, pValue } = change;
			const isFull = (runsA === ofA && runsB === 0) || (runsA === 0 && runsB === ofB);
			expect(noise).toBe(!(isFull && ofA === 3 && ofB === 3));
			if (!noise) {
				expect(pValue).toBeCloseTo(1 / 20);
			}
		}
		// What shuffled labels give on average is little against it.
		expect(result.summary.byLuck).toBeLessThan(called.length / 50);
		// The options of side b limit inlining: calls are lost to it, hardly any are won.
		const own = called.filter((change) => change.kind === 'callsite' && change.cause === null);
		const lost = own.filter((change) => change.categories.includes('lost-inlining') || change.categories.includes('new-indirect'));
		expect(lost.length).toBeGreaterThan(0.75 * own.length);
	});

	test('relabelled runs call at most a twentieth', async () => {
		const called = (changes: readonly Change[]): number => changes.filter((change) => change.noise === false).length;
		const truth = called(await changesOf(TRUE_LABELS));
		for (const [a, b] of [
			[
				['a1', 'a2', 'b1'],
				['a3', 'b2', 'b3'],
			],
			[
				['a1', 'b2', 'b3'],
				['a2', 'a3', 'b1'],
			],
		] as const) {
			const names = [a, b].map((side) => side.map((name) => `poly-${name}`));
			const [[firstA = '', ...restA] = [], [firstB = '', ...restB] = []] = names;
			const argv = [firstA, firstB, ...restA.flatMap((name) => ['--repeat-a', name]), ...restB.flatMap((name) => ['--repeat-b', name])];
			expect(called(await changesOf(argv))).toBeLessThanOrEqual(truth / 20);
		}
	});

	test('with fewer runs nothing is a difference, and the first lines say how many are needed', async () => {
		for (const argv of [
			['poly-a1', 'poly-a2', '--repeat-a', 'poly-a3'],
			['poly-a1', 'poly-b1', '--repeat-b', 'poly-b2'],
		]) {
			const { stdout } = await diff(argv);
			expect(stdout.split('\n').slice(0, 8).join('\n')).toContain('nothing can be called a difference: 3 + 3 runs are needed');
			expect((await changesOf(argv)).every((change) => change.noise === true && change.pValue !== undefined)).toBe(true);
		}
	});

	test('without repeats nothing is marked', async () => {
		expect((await diff(['poly-a1', 'poly-b1'])).stdout).toContain('noise unknown: 3 runs a side');
		expect((await changesOf(['poly-a1', 'poly-b1'])).every((change) => change.noise === null && !('pValue' in change))).toBe(true);
	});

	test('noise is in the JSON whether it is shown or not', async () => {
		const few = [...TRUE_LABELS, '--methods', '5'];
		const { result } = await json(['diff', ...few, '--show-noise']);
		expect(result.changes).toEqual(await changesOf(few));
		expect((await diff([...few, '--show-noise'])).stdout).toContain('noise, p 0.20');
		expect((await diff(few)).stdout).not.toContain('noise, p');
	});
});

describe('--fail-on', () => {
	test.each([
		[['lost-inlining'], 1],
		[['lost-inlining:0.5'], 1],
		[['lost-inlining:99'], 0],
		[['new-indirect:1%'], 1],
		[['hot-only-in-a'], 1],
		[['hot-only-in-b:50'], 0],
		[['lost-inlining:99', 'any'], 1],
	])('%j', async (conditions, exit) => {
		const run = await diff([...TRUE_LABELS, '--methods', '20', ...conditions.flatMap((condition) => ['--fail-on', condition])]);
		expect(run.exit).toBe(exit);
		expect(run.stdout.includes('--fail-on: ')).toBe(exit === 1);
	});

	test('noise is no finding', async () => {
		expect((await diff(['poly-a1', 'poly-a2', '--repeat-a', 'poly-a3', '--fail-on', 'any'])).exit).toBe(0);
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
				expect(stderr).toContain('this line is no compilation unit');
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
		expect((await json(['report', 'a'], folder)).result.compilations).toHaveLength(2);
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

/** The change as it must look from the other side. */
function mirrored(change: Change): object {
	const other: Record<string, string> = {
		'lost-inlining': 'new-inlining',
		'new-inlining': 'lost-inlining',
		'new-indirect': 'lost-indirect',
		'lost-indirect': 'new-indirect',
		'lost-optimization': 'new-optimization',
		'new-optimization': 'lost-optimization',
		'compiled-only-in-a': 'compiled-only-in-b',
		'compiled-only-in-b': 'compiled-only-in-a',
	};
	return sorted({
		...change,
		before: change.after,
		after: change.before,
		runsA: change.runsB,
		runsB: change.runsA,
		ofA: change.ofB,
		ofB: change.ofA,
		periodShareA: change.periodShareB,
		periodShareB: change.periodShareA,
		...(change.kind === 'callsite' ? { reasonsBefore: change.reasonsAfter ?? [], reasonsAfter: change.reasonsBefore ?? [] } : {}),
		categories: change.categories.map((category) => other[category] ?? category),
	});
}

function sorted(change: Change): object {
	return { ...change, categories: [...change.categories].sort() };
}
