/** Lists of blocks by the commands: made from the runs of a program with exceptions, predicted on the program that was built with them, and known when they are stale. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import stringWidth from 'string-width';
import { afterAll, describe, expect, test } from 'vitest';
import { orderJson } from '../../../test/order-json.js';
import { type AssayRun, runAssay } from '../../../test/run-assay.js';

const root = path.resolve(import.meta.dirname, '..', '..', '..');
const recordings = path.join(root, 'fixtures', 'blocks');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-blocks-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const inside = (name: string): string => path.join(folder, name);
const order = (...argv: string[]): Promise<AssayRun> => runAssay(['order', ...argv], recordings);
const fixture = (name: string): string => fs.readFileSync(path.join(recordings, name), 'utf8');
const runs = (program: string, numbers = '012'): string[] => [...numbers].map((number) => `${program}.${number}.insns.gz`);

const json = <T>(command: string, ...argv: string[]) => orderJson<T>(recordings, command, ...argv);

interface Counts {
	readonly name: string;
	readonly codeExecPages: number;
	readonly codeWindows64k: number;
}
interface Optimized {
	readonly blocks: Readonly<Record<string, unknown>> | null;
	readonly layouts: readonly Counts[];
	readonly symbols: readonly string[];
}
interface Simulated {
	readonly layouts: readonly { readonly byTrace: readonly Counts[] }[];
	readonly traces: readonly { readonly executedBytes: number }[];
}
interface Linted {
	readonly symbols: number;
	readonly found: number;
	readonly sections: number;
	readonly findings: readonly { readonly kind: string; readonly symbol: string | null; readonly message: string }[];
}

describe('order optimize --blocks', () => {
	test('writes the list and the order with which the program was built', async () => {
		const [list, file] = [inside('made.blocks'), inside('guards22.order')];
		const { result, problems, exit } = await json<Optimized>('optimize', ...runs('plain'), '--elf', 'plain22.gz', '--blocks', list, '-o', file);
		expect([exit, problems]).toEqual([0, []]);
		expect(fs.readFileSync(list, 'utf8')).toBe(fixture('guards.blocks'));
		expect(fs.readFileSync(file, 'utf8')).toBe(fixture('guards.order'));
		expect(result.blocks).toMatchObject({ output: list, functions: 41, leastColdBytes: 256, refused: 0, untoldFunctions: 5, sharedNames: [] });
		expect(result.symbols.filter((symbol) => symbol.endsWith('.cold'))).toHaveLength(41);
		// Linked: 15 pages in these three runs. The sizes before that are estimated.
		expect(result.layouts.map(({ name }) => name)).toEqual(['plain22', 'first execution', 'whole functions', 'guards22']);
		const [plain = 0, , whole = 0, split = 0] = result.layouts.map(({ codeExecPages }) => codeExecPages);
		expect(split).toBeLessThan(0.5 * whole);
		expect(whole).toBeLessThan(plain);
	});

	test('says what was split, and fits a terminal', async () => {
		const { stdout, exit } = await order('optimize', ...runs('plain'), '--elf', 'plain22.gz', '--blocks', inside('a'), '-o', inside('b'));
		expect(exit).toBe(0);
		expect(stdout).toContain('41 functions split; 6,030 bytes stay, 52,081 are put apart\n');
		expect(stdout).toContain('is about what the build with the list gives');
		expect(stdout).not.toContain('cold code');
		for (const line of stdout.split('\n').filter((text) => !/pages|^plain22|^first|^whole|^b /.test(text))) {
			expect(stringWidth(line.replaceAll(folder, '')), line).toBeLessThanOrEqual(110);
		}
	});

	test('a split that does not serve a run that is left out is not made', async () => {
		// Of two runs both have to gain a page: the second is too short for that.
		fs.writeFileSync(
			inside('few.insns'),
			`${gunzipSync(fs.readFileSync(path.join(recordings, 'plain.0.insns.gz')))
				.toString('utf8')
				.split('\n')
				.slice(0, 30)
				.join('\n')}\n`,
		);
		const again = await order('optimize', 'plain.0.insns.gz', inside('few.insns'), '--elf', 'plain22.gz', '--blocks', inside('none'), '-o', inside('c'));
		expect(again.stdout).toContain('an empty list; functions stay whole\n  split functions are worse for a trace that is left out; more traces tell more\n');
		expect(fs.readFileSync(inside('none'), 'utf8')).toBe('# assay block list 1\n# compiler Debian clang version 22.1.8 (1~deb12u1)\nv1\n');
	});

	test('needs a program that tells its blocks, and what ran of functions', async () => {
		const sqlite = '../orderfile/bin/sqlite_base.elf.gz';
		const insns = '../orderfile/groundtruth/startup.exec_insns.txt.gz';
		const untold = await order('optimize', insns, '--elf', sqlite, '--blocks', inside('x'));
		expect([untold.exit, untold.stderr]).toEqual([3, expect.stringContaining('does not tell its basic blocks: it has no section .llvm_bb_addr_map')]);
		fs.writeFileSync(inside('functions.txt'), 'main\n_Z2f0i\n_Z2g0i\n');
		const whole = await order('optimize', inside('functions.txt'), '--elf', 'plain22.gz', '--blocks', inside('x'));
		expect([whole.exit, whole.stderr]).toEqual([3, expect.stringContaining('tells which functions ran, and not what of them')]);
		expect(fs.existsSync(inside('x'))).toBe(false);
	});
});

describe('runs of the plain program on the one that is split', () => {
	test('touch the pages that the same runs of it touch', async () => {
		const predicted = await json<Simulated>('simulate', '--elf', 'split22.gz', '--recorded-on', 'plain22.gz', '--trace', ...runs('plain', '0123'));
		const counted = await json<Simulated>('simulate', '--elf', 'split22.gz', '--trace', ...runs('split', '0123'));
		const pages = ({ result }: typeof predicted) => result.layouts[0]!.byTrace.map(({ codeExecPages, codeWindows64k }) => [codeExecPages, codeWindows64k]);
		expect(pages(predicted)).toEqual(pages(counted));
		const plain = await json<Simulated>('simulate', '--elf', 'plain22.gz', '--trace', ...runs('plain', '0123'));
		const sum = (of: number[][]): number => of.reduce((total, [count = 0]) => total + count, 0);
		expect(sum(pages(counted))).toBeLessThan(0.5 * sum(pages(plain)));
	});

	test('and an order of them places its parts, near their functions', async () => {
		const { result, exit } = await json<Optimized>('optimize', ...runs('plain'), '--elf', 'split22.gz', '--recorded-on', 'plain22.gz');
		expect([exit, result.blocks]).toEqual([0, null]);
		const parts = result.symbols.filter((symbol) => symbol.endsWith('.cold'));
		expect(parts).toHaveLength(41);
		const first = result.symbols.indexOf(parts[0]!);
		expect(result.symbols.slice(first).every((symbol) => /\.(?:cold|eh)$/.test(symbol))).toBe(true);
		expect(parts.map((symbol) => symbol.replace('.cold', ''))).toEqual(result.symbols.filter((symbol) => parts.includes(`${symbol}.cold`)));
	});
});

describe('order lint of a list', () => {
	const lint = (list: string, program: string) => json<Linted>('lint', list, '--elf', program);

	test.each(['plain22.gz', 'split22.gz'])('fits the program that it was made of, and that it was made for: %s', async (program) => {
		const { result, exit } = await lint('guards.blocks', program);
		expect([exit, result]).toEqual([0, expect.objectContaining({ symbols: 41, found: 41, sections: 41, findings: [] })]);
	});

	test('another compiler', async () => {
		const { result, exit } = await lint('guards.blocks', 'plain19.gz');
		expect(exit).toBe(1);
		expect(result.findings[0]).toEqual({
			kind: 'compiler',
			symbol: null,
			message: 'made of code by Debian clang version 22.1.8 (1~deb12u1); the program is by Debian clang version 19.1.7 (3~deb12u1)',
		});
		expect(result.findings.length).toBeGreaterThan(41);
	});

	test('other blocks, functions that are gone, and lists that say nothing of themselves', async () => {
		const lines = fixture('guards.blocks').split('\n');
		const stamps = lines.flatMap((line, i) => (line.startsWith('# of ') ? [i] : []));
		const change = (stamp: number, by: (line: string) => string): void => {
			lines[stamps[stamp]!] = by(lines[stamps[stamp]!]!);
		};
		change(0, (line) => line.replace(/of (\d+)/, (_all, count: string) => `of ${Number(count) + 1}`));
		change(1, (line) => line.replace(/shape ........, /, 'shape 00000000, '));
		change(2, (line) => line.replace(/code ......../, 'code 00000000'));
		change(3, () => '# nothing');
		lines[stamps[4]! + 1] = 'c 0 1 9999';
		lines[stamps[5]! - 1] = 'f gone';
		fs.writeFileSync(inside('stale.blocks'), `${lines.join('\n')}f _Z3f20i\nc 0\n`);
		const { result, exit } = await lint(inside('stale.blocks'), 'plain22.gz');
		const name = (stamp: number): string => lines[stamps[stamp]! - 1]!.slice(2);
		expect(exit).toBe(1);
		expect(result).toMatchObject({ symbols: 42, found: 40, sections: 36 });
		expect(result.findings).toEqual([
			{ kind: 'stale', symbol: name(0), message: expect.stringMatching(/^it has \d+ blocks, and had \d+$/) },
			{ kind: 'stale', symbol: name(1), message: 'its blocks end otherwise, or call elsewhere in them' },
			{ kind: 'stale', symbol: name(2), message: 'its blocks have other sizes' },
			{ kind: 'stale', symbol: name(4), message: 'it has no block 9999' },
			{ kind: 'missing', symbol: 'gone', message: 'there is no such function' },
			{ kind: 'repeated', symbol: '_Z3f20i', message: 'is listed before: the compiler refuses such a list' },
		]);
		const { stdout } = await order('lint', inside('stale.blocks'), '--elf', 'plain22.gz');
		expect(stdout).toContain('42 functions with their blocks, 40 in the program, 36 with the same blocks\n');
		expect(stdout).toContain('The list is stale: it names blocks of another source, compiler or flags.\n');
	});

	test('a function that was compiled without it', async () => {
		fs.writeFileSync(inside('more.blocks'), `${fixture('guards.blocks')}f __clang_call_terminate\nc 0\n`);
		const { result } = await lint(inside('more.blocks'), 'split22.gz');
		expect(result.findings).toEqual([{ kind: 'unsplit', symbol: '__clang_call_terminate', message: 'was compiled without the list: others are split' }]);
	});

	test('a program that does not tell its blocks', async () => {
		const { exit, stderr } = await order('lint', 'guards.blocks', '--elf', '../orderfile/bin/sqlite_base.elf.gz');
		expect([exit, stderr]).toEqual([3, expect.stringContaining('compile it with clang 19 or newer and -fbasic-block-address-map')]);
	});
});

test('a trace of another compile is carried by the function, and that is told', async () => {
	const { problems } = await json<Simulated>('simulate', '--elf', 'plain19.gz', '--recorded-on', 'plain22.gz', '--trace', 'plain.0.insns.gz');
	expect(problems.map(({ message }) => message)).toEqual([
		expect.stringMatching(/^\d+ functions have other blocks than in plain22 \(.+, …\): another source, compiler or flags$/),
	]);
});
