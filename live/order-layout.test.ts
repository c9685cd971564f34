/**
 * Orders linked for real: where lld puts every function, in programs of many shapes, and which pages the SQLite shell executes then, counted by
 * valgrind, against what `assay order simulate` says beforehand.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memorySource } from '../src/bytes/source.js';
import { readLldMap } from '../src/formats/lld-map/read.js';
import { readNmListing } from '../src/formats/nm-listing/read.js';
import { readElfSymbols } from '../src/formats/shared/elf/read-symbols.js';
import type { TextLayout } from '../src/model/text-layout.js';
import { functionStarts } from '../src/startup/function-starts.js';
import { inferLayout } from '../src/startup/infer-layout.js';
import { placeOrder } from '../src/startup/place-order.js';
import { assay, fixtures, run, tool } from './order-tools.js';

let folder = '';
beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-layout-live-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const inside = (name: string): string => path.join(folder, name);

/** Runs commands of a shell, two at a time. */
function runAll(commands: readonly string[]): void {
	const { status, stderr } = spawnSync('xargs', ['-0', '-P', '2', '-n', '1', 'sh', '-c'], { input: commands.join('\0'), encoding: 'utf8', maxBuffer: 1 << 26 });
	if (status !== 0) {
		throw new Error(`a command failed: ${stderr.slice(0, 3000)}`);
	}
}

function link(objects: readonly string[], output: string, ...options: string[]): void {
	run(tool('clang-22'), [`--ld-path=${tool('ld.lld-22')}`, ...objects, '-lm', '-Wl,--no-warn-symbol-ordering', ...options, '-o', output]);
}

const read = (file: string): ReturnType<typeof memorySource> => memorySource(file, fs.readFileSync(file));

describe('where lld puts functions', () => {
	const MODULES = 40;

	/** Functions of many sizes; each module has a `helper` and a `setup` of its own. `attributes` makes some of them unusual. */
	function writeModules(where: string, attributes: readonly string[]): void {
		fs.mkdirSync(inside(where));
		const random = randomNumbers(11);
		const pick = (count: number): number => Math.floor(random() * count);
		for (let m = 0; m < MODULES; m++) {
			let text = 'int ext(int); extern volatile int sink;\n';
			const names: string[] = [];
			for (let k = 0; k < 3 + pick(12); k++) {
				const name = `f_${m}_${k}`;
				names.push(name);
				const body = Array.from({ length: pick(12) }, (_step, i) => `sink += x * ${3 + pick(90)}; if (sink == ${pick(9999)}) sink = ext(x + ${i});`);
				text += `__attribute__((noinline)) ${attributes[pick(attributes.length)] ?? ''} int ${name}(int x) { ${body.join(' ')} return x + ${pick(4)}; }\n`;
			}
			text += `static __attribute__((noinline)) int helper(int x) { sink += x * ${m}; ${'sink += ext(x);'.repeat(m % 5)} return sink; }\n`;
			text += `static __attribute__((constructor)) void setup(void) { sink += ${m}; ${'sink += ext(1);'.repeat(m % 3)} }\n`;
			text += `int run_${m}(int x) { return helper(x) + ${names.map((name) => `${name}(x)`).join(' + ')}; }\n`;
			fs.writeFileSync(inside(`${where}/m${String(m).padStart(2, '0')}.c`), text);
		}
		const calls = Array.from({ length: MODULES }, (_module, m) => m);
		fs.writeFileSync(
			inside(`${where}/main.c`),
			`volatile int sink; int ext(int x) { return sink + x; }\n${calls.map((m) => `int run_${m}(int);`).join('\n')}\nint main() { return 0 & (${calls.map((m) => `run_${m}(1)`).join(' + ')}); }\n`,
		);
		fs.writeFileSync(
			inside(`${where}/two.s`),
			'.text\n.p2align 4\n.globl asm_a\n.type asm_a,@function\nasm_a: ret\n.size asm_a,.-asm_a\n.p2align 5\n.globl asm_b\n.type asm_b,@function\nasm_b: ret\n.size asm_b,.-asm_b\n',
		);
	}

	function compile(where: string, into: string, ...flags: string[]): string[] {
		fs.mkdirSync(inside(into));
		const sources = fs.readdirSync(inside(where)).sort();
		const objects = sources.map((name) => inside(`${into}/${name}.o`));
		runAll(
			sources.map((name, i) => `'${tool('clang-22')}' -O2 -ffunction-sections ${flags.join(' ')} -w -c '${inside(`${where}/${name}`)}' -o '${objects[i]}'`),
		);
		return objects;
	}

	/** Addresses by name; functions of one name by their files. */
	function addresses(layout: TextLayout, withFiles: boolean): string[] {
		const starts = functionStarts(layout);
		return layout.symbolNames
			.map((name, i) => `${name} ${withFiles ? `${layout.symbolFiles[i]} ` : ''}${starts[layout.symbolFunctions[i]!]!.toString(16)}`)
			.sort();
	}

	let usual: string[] = [];
	let unusual: string[] = [];
	let together: string[] = [];
	beforeAll(() => {
		writeModules('usual', ['']);
		writeModules('unusual', ['', '', '__attribute__((aligned(64)))', '__attribute__((minsize))', '__attribute__((cold))', '__attribute__((hot))']);
		usual = compile('usual', 'usual.o', '-fPIE');
		unusual = compile('unusual', 'unusual.o');
		together = compile('usual', 'together.o', '-fno-function-sections');
	});

	const variants: readonly (readonly [string, () => string[], readonly string[], readonly ('ELF' | 'nm' | 'map')[]])[] = [
		['plain', () => usual, ['-no-pie'], ['ELF', 'nm', 'map']],
		['PIE', () => usual, ['-pie'], ['ELF', 'nm', 'map']],
		['identical code folded', () => usual, ['-no-pie', '-Wl,--icf=all'], ['ELF', 'nm', 'map']],
		['unused sections removed', () => usual, ['-no-pie', '-Wl,--gc-sections'], ['ELF', 'nm', 'map']],
		['hot and unlikely code apart', () => unusual, ['-no-pie', '-Wl,-z,keep-text-section-prefix'], ['map']],
		['odd alignments', () => unusual, ['-no-pie'], ['map']],
		['without -ffunction-sections', () => together, ['-no-pie'], ['map']],
	];

	test.each(variants)('%s', (name, objects, options, kinds) => {
		const at = inside(`program-${name.replace(/\W+/g, '-')}`);
		link(objects(), at, ...options, `-Wl,-Map=${at}.map`);
		fs.writeFileSync(`${at}.nm`, run(tool('llvm-nm-22'), ['-n', '--print-size', at]));
		const tables = {
			ELF: () => readElfSymbols(read(at)).table,
			nm: () => readNmListing(read(`${at}.nm`)).table,
			map: () => readLldMap(read(`${at}.map`)).table,
		};
		const random = randomNumbers(5);
		const symbols = [...new Set(inferLayout(tables.ELF(), name).symbolNames)];
		const shuffled = symbols
			.map((symbol) => ({ symbol, key: random() }))
			.sort((a, b) => a.key - b.key)
			.map(({ symbol }) => symbol);
		for (const order of [['helper', 'f_3_1', 'setup', 'main', 'no_such_function', 'f_3_1'], shuffled.slice(0, symbols.length >> 1), shuffled]) {
			fs.writeFileSync(`${at}.order`, `# an order\n${order.join('\n')}\n`);
			link(objects(), `${at}.ordered`, ...options, `-Wl,--symbol-ordering-file=${at}.order`);
			const real = inferLayout(readElfSymbols(read(`${at}.ordered`)).table, 'real');
			for (const kind of kinds) {
				// nm does not tell the parts of one assembled file from functions of their own.
				const isAssembled = (line: string): boolean => kind === 'nm' && line.startsWith('asm_');
				if (kind === 'nm' && order.includes('asm_b')) {
					continue;
				}
				const placed = placeOrder(inferLayout(tables[kind]!(), name), order, 'placed');
				const withFiles = kind === 'ELF';
				expect(
					addresses(placed, withFiles).filter((line) => !isAssembled(line)),
					`${kind}, ${order.length} symbols`,
				).toEqual(addresses(real, withFiles).filter((line) => !isAssembled(line)));
			}
		}
	});
});

describe('libraries without sections of functions', () => {
	test('libstdc++ and libgcc_eh linked statically: each function is where it was predicted, a byte before a cold part at most', () => {
		fs.writeFileSync(
			inside('static.cpp'),
			`#include <iostream>
#include <map>
#include <stdexcept>
int main(int count, char **v) { std::map<int, int> m; m[count] = 1; try { throw std::runtime_error(v[0]); } catch (const std::exception &) { std::cout << m.size(); } }
`,
		);
		const build = (output: string, ...options: string[]): TextLayout => {
			const flags = ['-O2', '-ffunction-sections', '-no-pie', '-static-libstdc++', '-static-libgcc', '-Wl,--no-warn-symbol-ordering'];
			run(tool('clang++-22'), [...flags, `--ld-path=${tool('ld.lld-22')}`, ...options, inside('static.cpp'), '-o', inside(output)]);
			return inferLayout(readElfSymbols(read(inside(output))).table, output);
		};
		const plain = build('static');
		const order = ['__register_frame_info_bases', '_ZNSt6locale5_ImplC2Em', 'main', '_Unwind_RaiseException', '_ZNSolsEi'];
		fs.writeFileSync(inside('static.order'), order.join('\n'));
		const real = build('static-ordered', `-Wl,--symbol-ordering-file=${inside('static.order')}`);
		const placed = placeOrder(plain, order, 'placed');
		const startsOf = (layout: TextLayout): Map<string, number> => {
			const starts = functionStarts(layout);
			const counts = new Map<string, number>();
			for (const name of layout.symbolNames) {
				counts.set(name, (counts.get(name) ?? 0) + 1);
			}
			return new Map(layout.symbolNames.flatMap((name, i) => (counts.get(name) === 1 ? [[name, starts[layout.symbolFunctions[i]!]!] as const] : [])));
		};
		const actual = startsOf(real);
		const apart = [...startsOf(placed)].filter(([name, start]) => Math.abs((actual.get(name) ?? 0) - start) > (name.endsWith('.cold') ? 1 : 0));
		expect(actual.size).toBeGreaterThan(3000);
		expect(apart).toEqual([]);
	}, 60_000);
});

describe('a position-independent program', () => {
	test('runs the functions of the same program at fixed addresses, wherever valgrind loads it', () => {
		fs.writeFileSync(
			inside('pie.c'),
			`#include <stdlib.h>
static __attribute__((noinline)) int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) int never(int x) { return x * 3; }
__attribute__((constructor)) void early(void) { static volatile int ran; ran = 1; }
int main(int count, char **v) { int x[] = {3, 1, 2}; qsort(x, 3, sizeof *x, less); return count > 9 ? never(count) : x[0] - 1; }
`,
		);
		const decoded = ['-pie', '-no-pie'].map((option) => {
			const program = inside(`fixed${option}`);
			run(tool('clang-22'), ['-O1', '-ffunction-sections', `--ld-path=${tool('ld.lld-22')}`, option, inside('pie.c'), '-o', program]);
			run(tool('valgrind'), ['--tool=lackey', '--trace-mem=yes', `--log-file=${program}.lackey`, program]);
			const told = run(process.execPath, [assay, 'order', 'simulate', '--elf', program, '--trace', `${program}.lackey`, '--json']);
			const { result } = JSON.parse(told) as { result: { traces: { loaded: { by: string } }[] } };
			expect(result.traces[0]?.loaded.by).toBe(option === '-pie' ? 'entry' : 'linked');
			return run(process.execPath, [assay, 'order', 'decode', `${program}.lackey`, '--elf', program])
				.split('\n')
				.filter((line) => line !== '' && !line.startsWith('#'));
		});
		expect(decoded[0]).toEqual(expect.arrayContaining(['_start', 'early', 'main', 'less']));
		expect(decoded[0]).not.toContain('never');
		// What the linkers' start files have in one kind of link only.
		const own = (names: readonly string[] = []) => names.filter((name) => !/^_(?:dl_relocate_static_pie|init|fini)$/.test(name));
		expect(own(decoded[0])).toEqual(own(decoded[1]));
	}, 120_000);
});

describe('everything executable', () => {
	/** Pages of the executable segment that a run of a program that is not position-independent executed. */
	function executedInSegment(program: string): { codeExecPages: number; codeWindows64k: number } {
		const [, at = '', size = ''] =
			/LOAD\s+0x[0-9a-f]+ 0x([0-9a-f]+) 0x[0-9a-f]+ 0x[0-9a-f]+ 0x([0-9a-f]+) R E/.exec(run(tool('readelf'), ['-lW', program])) ?? [];
		const start = Number.parseInt(at, 16);
		const end = start + Number.parseInt(size, 16);
		run(tool('valgrind'), ['--tool=lackey', '--trace-mem=yes', `--log-file=${program}.lackey`, program]);
		const pages = new Set<number>();
		for (const line of fs.readFileSync(`${program}.lackey`, 'latin1').split('\n')) {
			const address = line.startsWith('I') ? Number.parseInt(line.slice(3), 16) : -1;
			if (address >= start && address < end) {
				pages.add(address >> 12);
				pages.add((address + Number(line.slice(line.indexOf(',') + 1)) - 1) >> 12);
			}
		}
		return { codeExecPages: pages.size, codeWindows64k: new Set([...pages].map((page) => page >> 4)).size };
	}

	test.each(['ld.lld-22', 'ld.bfd'])(
		'%s: pages with .plt and .init, as linked and under an order, are as predicted',
		(linker) => {
			const source = inside('plt.c');
			const bodies = Array.from(
				{ length: 60 },
				(_, i) =>
					`__attribute__((noinline)) int f${i}(int x) { volatile char t[${40 + 9 * i}]; t[x & 7] = x; ${'x = x * 7 + t[x & 3];'.repeat(20 + i)} return x; }`,
			);
			const calls = [3, 59, 17, 31].map((i) => `x += f${i}(x);`).join(' ');
			fs.writeFileSync(
				source,
				`#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\n${bodies.join('\n')}\nint main(int c, char **v) { int x = c; ${calls} char *p = malloc(9); memset(p, x, 9); printf("%d", p[3]); free(p); return 0; }\nint last(int x) { asm volatile(".fill 9000, 1, 0x90"); return x; }\n`,
			);
			const link = (output: string, ...options: string[]): string => {
				const flags = ['-O1', '-w', '-fno-inline', '-ffunction-sections', '-no-pie', `--ld-path=${tool(linker)}`, ...options];
				run(tool('clang-22'), [...flags, source, '-o', inside(output)]);
				return inside(output);
			};
			const base = link(`plt-${linker}`);
			const counted = executedInSegment(base);
			const order = inside('plt.order');
			fs.writeFileSync(order, ['f31', 'main', 'f59', 'f3', 'f17', '_start'].map((name) => `${name}\n`).join(''));
			const told = run(process.execPath, [assay, 'order', 'simulate', '--elf', base, '--trace', `${base}.lackey`, '--order', order, '--json']);
			const { result } = JSON.parse(told) as { result: { layouts: { execPages: number; codeExecPages: number; codeWindows64k: number }[] } };
			expect(result.layouts[0]).toMatchObject(counted);
			expect(counted.codeExecPages).toBeGreaterThan(result.layouts[0]!.execPages);
			if (linker === 'ld.lld-22') {
				expect(result.layouts[1]).toMatchObject(executedInSegment(link('plt-ordered', `-Wl,--symbol-ordering-file=${order}`)));
			}
			const measured = run(process.execPath, [assay, 'order', 'measure', '--runs', '1', '--no-cold', '--json', '--', base]);
			const [one] = (JSON.parse(measured) as { result: { runs: { codeFaults: number; allFaults: number; places: { kind: string; faults: number }[] }[] } })
				.result.runs;
			expect(one?.codeFaults).toBeGreaterThan(0);
			expect(one?.places.reduce((sum, { faults }) => sum + faults, 0)).toBe(one?.allFaults);
			expect(new Set(one?.places.map(({ kind }) => kind))).toContain('heap');
		},
		120_000,
	);
});

/** Deterministic, 0 to 1. */
function randomNumbers(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1664525) + 1013904223) | 0;
		return (state >>> 8) / 2 ** 24;
	};
}

interface Counts {
	readonly name: string;
	readonly execPages: number;
	readonly windows64k: number;
}

describe('pages of the SQLite shell', () => {
	const WORKLOADS = ['startup', 'workload_a', 'workload_b'];
	const HELD_OUT = `create table t(a integer primary key, b text, c real); insert into t(b, c) values('x', 1.5), ('yy', 2.5), ('zzz', -3);
update t set b = upper(b) || '!' where a > 1; delete from t where c < 0;
select count(*), max(c), group_concat(b, '-') from t group by a % 2 having count(*) > 0 order by 1 desc limit 3;
create virtual table r using rtree(id, x0, x1, y0, y1); insert into r values(1, 0, 1, 0, 1), (2, 5, 6, 5, 6); select * from r where x0 < 3;
create view v as select b, json_array(c) from t; create trigger tr after insert on t begin update t set c = 0 where a = new.a; end;
begin; insert into t(b) values('q'); savepoint s; delete from t; rollback to s; commit; explain query plan select * from t where b like 'Y%'; vacuum;
`;
	let objects: string[] = [];
	const inputs = new Map<string, string>();

	/** Traces by `program workload`: what lackey wrote. */
	function lackey(program: string, workload: string): string {
		const log = inside(`${path.basename(program)}.${workload}.lackey`);
		if (!fs.existsSync(log)) {
			const { status, stderr } = spawnSync(tool('valgrind'), ['--tool=lackey', '--trace-mem=yes', `--log-file=${log}`, program, ':memory:'], {
				input: inputs.get(workload) ?? '',
				encoding: 'utf8',
				maxBuffer: 1 << 26,
			});
			expect([status === 0 || status === 1, stderr.slice(0, 300)]).toEqual([true, expect.any(String)]);
		}
		return log;
	}

	/** Pages of .text that were executed in a run of a linked program. */
	function executed(program: string, workload: string): { execPages: number; windows64k: number } {
		const section = /\.text\s+PROGBITS\s+([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)/.exec(run(tool('readelf'), ['-SW', program])) ?? [];
		const start = Number.parseInt(section[1] ?? '', 16);
		const end = start + Number.parseInt(section[2] ?? '', 16);
		const pages = new Set<number>();
		for (const line of fs.readFileSync(lackey(program, workload), 'latin1').split('\n')) {
			if (line.startsWith('I')) {
				const address = Number.parseInt(line.slice(3), 16);
				if (address >= start && address < end) {
					pages.add(Math.floor(address / 4096));
					pages.add(Math.floor((address + Number(line.slice(line.indexOf(',') + 1)) - 1) / 4096));
				}
			}
		}
		return { execPages: pages.size, windows64k: new Set([...pages].map((page) => page >> 4)).size };
	}

	function optimize(file: string, ...argv: string[]): void {
		run(process.execPath, [assay, 'order', 'optimize', ...argv, '-o', inside(file)]);
	}

	function simulate(trace: string, order: string): Counts {
		const told = run(process.execPath, [assay, 'order', 'simulate', '--elf', inside('base'), '--trace', trace, '--order', inside(order), '--json']);
		const { result } = JSON.parse(told) as { result: { layouts: Counts[] } };
		return result.layouts[1]!;
	}

	function linkWith(order: string): string {
		const program = inside(`linked-${order}`);
		link(objects, program, '-no-pie', `-Wl,--symbol-ordering-file=${inside(order)}`);
		return program;
	}

	beforeAll(() => {
		for (const workload of WORKLOADS) {
			inputs.set(workload, fs.readFileSync(path.join(fixtures, 'src', `${workload}.sql`), 'utf8'));
		}
		inputs.set('held_out', HELD_OUT);
		fs.mkdirSync(inside('ll'));
		run('tar', ['-xzf', path.join(fixtures, 'll', 'sqlite3-3.40.1_O2_92modules_plus_shell.ll.tar.gz'), '-C', inside('ll'), '--no-same-owner']);
		const modules = fs
			.readdirSync(inside('ll'), { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.ll'))
			.sort();
		expect(modules).toHaveLength(93);
		objects = modules.map((name) => inside(`${path.basename(name)}.o`));
		runAll(
			modules.map((name, i) => `'${tool('clang-22')}' -O2 -w -Xclang -disable-llvm-passes -ffunction-sections -c '${inside(`ll/${name}`)}' -o '${objects[i]}'`),
		);
		link(objects, inside('base'), '-no-pie');
	}, 600_000);

	test('as predicted, and as few as they should be', () => {
		const traces = WORKLOADS.map((workload) => lackey(inside('base'), workload));
		optimize('best', ...traces, '--elf', inside('base'));
		const program = linkWith('best');
		const counts = WORKLOADS.map((workload, i) => {
			const predicted = simulate(traces[i]!, 'best');
			const real = executed(program, workload);
			expect({ execPages: predicted.execPages, windows64k: predicted.windows64k }).toEqual(real);
			return real;
		});
		expect(counts.reduce((sum, { execPages }) => sum + execPages, 0)).toBeLessThanOrEqual(248);
		expect(counts.reduce((sum, { windows64k }) => sum + windows64k, 0)).toBeLessThanOrEqual(21);
	}, 900_000);

	test('a run that was not traced is no worse than under the order of first execution', () => {
		const traces = WORKLOADS.map((workload) => lackey(inside('base'), workload));
		optimize('united', ...traces, '--elf', inside('base'), '--method', 'first-execution');
		const united = executed(linkWith('united'), 'held_out');
		const best = executed(inside('linked-best'), 'held_out');
		expect(simulate(lackey(inside('base'), 'held_out'), 'best')).toMatchObject(best);
		expect(best.execPages).toBeLessThanOrEqual(united.execPages);
	}, 900_000);

	test('the startup alone', () => {
		const trace = lackey(inside('base'), 'startup');
		optimize('startup', trace, '--elf', inside('base'));
		const { execPages } = executed(linkWith('startup'), 'startup');
		expect(execPages).toBeLessThanOrEqual(42);
		expect(simulate(trace, 'startup').execPages).toBe(execPages);
		expect(executed(inside('base'), 'startup').execPages).toBeGreaterThan(2.5 * execPages);
	}, 600_000);

	test('first executions alone', () => {
		const lists = WORKLOADS.map((workload) => path.join(fixtures, 'groundtruth', `${workload}.firstexec.txt`));
		optimize('lists', ...lists, '--elf', inside('base'));
		const program = linkWith('lists');
		expect(WORKLOADS.reduce((sum, workload) => sum + executed(program, workload).execPages, 0)).toBeLessThanOrEqual(262);
	}, 900_000);

	test('the kernel counts about as many faults as there are windows', () => {
		fs.writeFileSync(inside('startup.sql'), inputs.get('startup')!);
		const told = run(process.execPath, [
			assay,
			'order',
			'measure',
			'--runs',
			'3',
			'--json',
			'--input',
			inside('startup.sql'),
			'--',
			inside('linked-startup'),
			':memory:',
		]);
		const { result } = JSON.parse(told) as { result: { runs: { kind: string; textFaults: number; pages: unknown[]; allFaults: number }[] } };
		const { windows64k } = executed(inside('linked-startup'), 'startup');
		expect(result.runs.map(({ kind }) => kind)).toEqual(['cold', 'cold', 'cold', 'warm', 'warm', 'warm']);
		for (const { textFaults, pages, allFaults } of result.runs) {
			expect(pages).toHaveLength(textFaults);
			expect(textFaults).toBeGreaterThan(0);
			expect(allFaults).toBeGreaterThan(textFaults);
		}
		const warm = result.runs.filter(({ kind }) => kind === 'warm').map(({ textFaults }) => textFaults);
		expect(Math.abs(Math.min(...warm) - windows64k)).toBeLessThanOrEqual(1);
	}, 300_000);
});
