/**
 * Functions split by their blocks for real: maps of blocks against llvm-readobj, C++ with exceptions built by two compilers, with and without link-time optimization, from the
 * lists that `assay order optimize --blocks` makes; what it predicts against what valgrind counts; lists that are stale; and all of it by `assay order run --blocks`.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memorySource } from '../src/bytes/source.js';
import { readBlockMap } from '../src/formats/bb-addr-map/read.js';
import { assay, programs, run, tool } from './order-tools.js';

let folder = '';
/** On busy machines. */
const LONG = 900_000;
beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-blocks-live-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const inside = (name: string): string => path.join(folder, name);
const GUARDS = path.resolve(import.meta.dirname, '..', 'fixtures', 'blocks', 'guards.cpp');
/** The dynamic linker relocates the library of C++ for most of the instructions of a run. */
const STATIC = ['-static-libstdc++', '-static-libgcc'];
const RUNS = ['0', '1', '2', '3'];
/** The last is not traced when lists are made. */
const TRACED = RUNS.slice(0, 3);

function order(...argv: string[]): { status: number | null; stdout: string; stderr: string } {
	return spawnSync(process.execPath, [assay, 'order', ...argv], { encoding: 'utf8', maxBuffer: 1 << 28, cwd: folder });
}

function orderJson<T>(...argv: string[]): T {
	return (JSON.parse(run(process.execPath, [assay, 'order', ...argv, '--json'], { cwd: folder })) as { result: T }).result;
}

interface Build {
	readonly version: string;
	readonly flags?: readonly string[];
	readonly source?: string;
	readonly list?: string;
	readonly order?: string;
}

function build(output: string, { version, flags = [], source = GUARDS, list, order: file }: Build): string {
	const hasLto = flags.some((flag) => flag.startsWith('-flto'));
	run(tool(`clang++-${version}`), [
		...[
			'-O2',
			'-ffunction-sections',
			'-fbasic-block-address-map',
			...STATIC,
			...flags,
			source,
			`--ld-path=${tool(`ld.lld-${version}`)}`,
			'-Wl,--no-warn-symbol-ordering',
		],
		...(hasLto ? ['-Wl,--lto-basic-block-address-map'] : []),
		...(list === undefined ? [] : [`-fbasic-block-sections=list=${list}`, ...(hasLto ? [`-Wl,--lto-basic-block-sections=${list}`] : [])]),
		...(file === undefined ? [] : [`-Wl,--symbol-ordering-file=${file}`]),
		...['-Qunused-arguments', '-o', inside(output)],
	]);
	return inside(output);
}

/** What valgrind wrote of each run; the output is checked against that of another program. */
function traced(program: string, like: string | null): string[] {
	return RUNS.map((argument) => {
		const log = `${program}.${argument}.insns`;
		const output = run(tool('valgrind'), ['--vex-guest-chase=no', '--tool=lackey', '--trace-mem=yes', `--log-file=${log}`, program, argument]);
		expect(like === null || output === run(like, [argument])).toBe(true);
		return log;
	});
}

/** Pages and windows of all that is executable, by run. */
function pages(program: string, recordedOn: string, traces: readonly string[], ...argv: string[]): number[][] {
	const { layouts } = orderJson<{ layouts: { byTrace: { codeExecPages: number; codeWindows64k: number }[] }[] }>(
		...['simulate', '--elf', program, '--recorded-on', recordedOn, '--trace', ...traces, ...argv],
	);
	return layouts.at(-1)!.byTrace.map(({ codeExecPages, codeWindows64k }) => [codeExecPages, codeWindows64k]);
}

const total = (counts: readonly number[][]): number => counts.reduce((sum, [count = 0]) => sum + count, 0);

describe.each(['22', '19'])('clang and lld %s', (version) => {
	test('maps of blocks are read as llvm-readobj reads them', () => {
		const readobj = run(tool(`llvm-readobj-${version}`), ['--bb-addr-map', build(`map-${version}`, { version })]);
		const expected: string[] = [];
		let base = 0;
		let row: number[] = [];
		for (const line of readobj.split('\n')) {
			const [, name = '', value = ''] = /^ +([\w ]+): (.*)$/.exec(line) ?? [];
			base = name === 'Base Address' ? Number(value) : base;
			row = name === 'ID' ? [Number(value)] : name === 'Offset' ? [...row, base + Number(value)] : name === 'Size' ? [...row, Number(value)] : row;
			if (name === 'Size') {
				expected.push(row.join(' '));
			}
		}
		const { map, problems } = readBlockMap(memorySource('map', fs.readFileSync(inside(`map-${version}`))));
		expect(problems).toEqual([]);
		expect(Array.from(map?.ids ?? [], (id, i) => `${id} ${map?.starts[i]} ${map?.sizes[i]}`)).toEqual(expected);
		expect(expected.length).toBeGreaterThan(1000);
	});

	test.each(
		version === '22'
			? [
					['-pie', '-fPIE'],
					['-flto=thin', '-no-pie'],
				]
			: [['-no-pie'], ['-flto', '-no-pie']],
	)(
		'C++ with exceptions, %s',
		(...flags) => {
			const name = `${version}${flags[0]}`;
			const plain = build(`plain${name}`, { version, flags });
			const traces = traced(plain, null);
			const list = inside(`${name}.blocks`);
			const first = inside(`${name}.order`);
			orderJson('optimize', ...traces.slice(0, TRACED.length), '--elf', plain, '--blocks', list, '-o', first);
			const split = build(`split${name}`, { version, flags, list, order: first });
			const own = traced(split, plain);
			const counted = pages(split, split, own);
			expect(pages(split, plain, traces)).toEqual(counted);
			const checked = order('lint', list, '--elf', split);
			expect([checked.status, checked.stdout]).toEqual([0, expect.stringContaining('nothing found')]);
			// The linker that optimizes drops most of what seldom runs.
			const isSmall = flags[0]!.startsWith('-flto');
			expect(total(counted.slice(0, TRACED.length))).toBeLessThanOrEqual((isSmall ? 1 : 0.4) * total(pages(plain, plain, traces.slice(0, TRACED.length))));
			// The order of the program that was built with the list is exact before it is linked.
			const second = inside(`${name}.second`);
			orderJson('optimize', ...traces.slice(0, TRACED.length), '--elf', split, '--recorded-on', plain, '-o', second);
			const predicted = pages(split, plain, traces, '--order', second);
			const linked = build(`linked${name}`, { version, flags, list, order: second });
			expect(pages(linked, linked, traced(linked, plain))).toEqual(predicted);
			// The run that was not traced is no worse than with whole functions as they ran first.
			const united = inside(`${name}.united`);
			orderJson('optimize', ...traces.slice(0, TRACED.length), '--elf', plain, '--method', 'first-execution', '-o', united);
			expect(predicted[3]![0]).toBeLessThanOrEqual(pages(plain, plain, traces.slice(3), '--order', united)[0]![0]!);
		},
		LONG,
	);
});

test('lists of another source, of other flags and of another compiler are stale', () => {
	const plain = build('plain', { version: '22' });
	const [trace = ''] = traced(plain, null);
	const list = inside('one.blocks');
	orderJson('optimize', trace, '--elf', plain, '--blocks', list, '-o', inside('one.order'));
	const lint = (program: string) => {
		const { status, stdout } = order('lint', list, '--elf', program, '--json');
		const { findings } = (JSON.parse(stdout) as { result: { findings: { kind: string; symbol: string | null }[] } }).result;
		return { status, findings };
	};
	expect(lint(plain)).toEqual({ status: 0, findings: [] });
	const changed = inside('changed.cpp');
	const text = fs.readFileSync(GUARDS, 'utf8');
	fs.writeFileSync(changed, text.replace('int f3(int x) {', 'int f3(int x) { if (x == 77) { std::puts("more"); }'));
	const other = lint(build('changed', { version: '22', source: changed }));
	expect(other).toEqual({ status: 1, findings: [expect.objectContaining({ kind: 'stale', symbol: '_Z2f3i' })] });
	expect(lint(build('flags', { version: '22', flags: ['-Os'] })).findings.filter(({ kind }) => kind === 'stale').length).toBeGreaterThan(20);
	const older = lint(build('older', { version: '19' }));
	expect([older.status, older.findings[0]]).toEqual([1, expect.objectContaining({ kind: 'compiler' })]);
	// The same for a program that was split by it.
	const splitOther = build('split-changed', { version: '22', source: changed, list });
	expect(lint(splitOther)).toEqual({ status: 1, findings: [expect.objectContaining({ kind: 'stale', symbol: '_Z2f3i' })] });
});

interface RunResult {
	readonly builds: { kind: string }[];
	readonly blocks: {
		readonly list: { functions: number; file: string };
		readonly order: { file: string };
		readonly pages: Record<'plain' | 'order' | 'block' | 'predicted', { codePages: number; codeWindows64k: number }>;
		readonly times: { kind: string; plainMs: number[] }[];
		readonly flags: { compile: string[]; link: string[] };
	} | null;
}

test(
	'order run --blocks',
	() => {
		const source = inside('run');
		fs.mkdirSync(source);
		fs.copyFileSync(GUARDS, path.join(source, 'guards.cpp'));
		// As lz4 has it: linked in a folder, run as a copy.
		fs.writeFileSync(
			path.join(source, 'Makefile'),
			`guards: made/guards\n\tcp made/guards .\nmade/guards: guards.o\n\tmkdir -p made\n\t$(CXX) -no-pie ${STATIC.join(' ')} -o $@ $^\n%.o: %.cpp\n\t$(CXX) -O2 -fno-pie -g -c -o $@ $<\n`,
		);
		const env = { ...process.env, ASSAY_CC: tool('clang-22'), ASSAY_CXX: tool('clang++-22') };
		const workloads = TRACED.flatMap((argument) => ['-w', `./guards ${argument}`]);
		const told = run(process.execPath, [assay, 'order', 'run', '--blocks', '--runs', '2', ...workloads, '--json', '--', 'make', '-s'], { cwd: source, env });
		const { blocks, builds } = (JSON.parse(told) as { result: RunResult }).result;
		expect(builds.map(({ kind }) => kind)).toEqual(['trace', 'plain', 'order', 'block', 'block']);
		if (blocks === null) {
			throw new Error('functions were not split');
		}
		expect(blocks.list.functions).toBeGreaterThan(20);
		expect(blocks.pages.block).toEqual(blocks.pages.predicted);
		expect(blocks.pages.block.codePages).toBeLessThan(0.5 * blocks.pages.plain.codePages);
		expect(blocks.pages.block.codePages).toBeLessThan(blocks.pages.order.codePages);
		expect(blocks.times.map(({ kind, plainMs }) => [kind, plainMs.length])).toEqual(
			TRACED.flatMap(() => [
				['cold', 2],
				['warm', 2],
			]),
		);
		const checked = spawnSync(process.execPath, [assay, 'order', 'lint', blocks.list.file, '--elf', 'assay-order/block/guards'], {
			cwd: source,
			encoding: 'utf8',
		});
		expect([checked.status, checked.stdout]).toEqual([0, expect.stringContaining('nothing found')]);
	},
	LONG,
);

test('order run --blocks on a project in C, by CMake', () => {
	const source = inside('project');
	fs.cpSync(path.join(programs, '..', 'order-run'), source, { recursive: true });
	const env = { ...process.env, ASSAY_CC: tool('clang-22'), ASSAY_CXX: tool('clang++-22') };
	const argv = [
		'order',
		'run',
		'--blocks',
		'--runs',
		'2',
		'-w',
		'built/count "a b" c',
		'--json',
		'--',
		'sh',
		'-c',
		'cmake -B built . && cmake --build built',
		'--program',
		'built/count',
	];
	const { result } = JSON.parse(run(process.execPath, [assay, ...argv], { cwd: source, env })) as { result: RunResult & { notes: string[] } };
	// It is small: where nothing can be put apart that is said.
	expect(result.blocks === null ? result.notes.join() : result.blocks.pages.block).toEqual(
		result.blocks === null ? expect.stringContaining('functions were not split') : result.blocks.pages.predicted,
	);
});

test('assay-c++ instruments what is compiled with a list', () => {
	const list = path.resolve(GUARDS, '..', 'guards.blocks');
	const env = { ...process.env, ASSAY_CC: tool('clang-22'), ASSAY_CXX: tool('clang++-22') };
	const driver = path.resolve(assay, '..', 'assay-c++');
	run(driver, ['-O2', '-fbasic-block-address-map', `-fbasic-block-sections=list=${list}`, `--ld-path=${tool('ld.lld-22')}`, GUARDS, '-o', inside('driven')], {
		env,
	});
	run(inside('driven'), ['0'], { env: { ...env, ASSAY_ORDER_FILE: inside('driven.dump') } });
	expect(order('decode', 'driven.dump', '--map', 'driven').stdout).toContain('\nmain\n_Z2g1i\n');
	expect(run(tool('nm'), [inside('driven')])).toContain(' _Z2f3i.cold\n');
});
