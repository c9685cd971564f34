/**
 * Native programs from `record` to page: programs of the project in C, C++ and Rust, by clang 22 and rustc; remarks against llvm-remarkutil, chains of inlining of every sampled
 * address against llvm-symbolizer.
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openReport } from '../src/answers/report.js';
import { memorySource } from '../src/bytes/source.js';
import { readPerfData } from '../src/formats/perf-data/read.js';
import { goFunctions } from '../src/formats/shared/elf/go-functions.js';
import { readSectionTable } from '../src/formats/shared/elf/section-table.js';
import { NO_SYMBOLS } from '../src/model/native-symbols.js';
import { openEvidence } from '../src/recording/evidence.js';
import { openFile } from '../src/recording/file-source.js';
import { readRemarkFiles } from '../src/recording/remark-files.js';
import { unwindTables } from '../src/recording/unwind-tables.js';
import { zstdStreams } from '../src/recording/zstd-stream.js';

const assay = path.resolve('bin/assay.js');
let folder = '';

function run(command: string, ...words: readonly string[]): string {
	const { status, stdout, stderr, error } = spawnSync(command, words, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 30 });
	if (status !== 0) {
		throw new Error(`${command} ${words.join(' ')}: ${error?.message ?? stderr}`);
	}
	return stdout;
}

const CPP = `#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>
int main() {
	unsigned long total = 0;
	for (int k = 0; k < 240; k++) {
		std::map<std::string, int> counts;
		for (int i = 0; i < 20000; i++) counts["w" + std::to_string(i * 7919 % 5003)]++;
		std::vector<std::pair<int, std::string>> rows;
		for (auto &one : counts) rows.push_back({one.second, one.first});
		std::sort(rows.begin(), rows.end());
		total += rows.back().second.size();
	}
	std::printf("%lu\\n", total);
}
`;
/** Two modules, optimized when they are linked: a local function of one gets another name, a constructor comes from it. */
const LTO = [
	`struct Sum { explicit Sum(const int *all); long total; };
long ends(const int *all);
int main() {
	static int all[4096];
	long total = 0;
	for (int k = 0; k < 400000; k++) { all[k % 4096] = k; total += Sum(all).total + ends(all); }
	return total == 42;
}
`,
	`struct Sum { explicit Sum(const int *all); long total; };
Sum::Sum(const int *all) : total(0) { for (int i = 0; i < 512; i++) total += all[i] % 7; }
__attribute__((noinline)) static long end(const int *all, int i) { long sum = 0; for (int k = 0; k < 64; k++) sum += all[i + k] / 3; return sum; }
long ends(const int *all) { return end(all, 0) + end(all, 4000); }
`,
];
const RUST = `use std::collections::HashMap;
fn main() {
	let mut total = 0;
	for k in 0..40u64 {
		let words: Vec<String> = (0..20000u64).map(|i| format!("w{}", i * 7919 % 5003)).collect();
		let mut counts: HashMap<&str, u64> = HashMap::new();
		for word in &words { *counts.entry(word).or_default() += k; }
		let mut rows: Vec<_> = counts.into_iter().collect();
		rows.sort();
		total += rows.len();
	}
	println!("{total}");
}
`;

const GO_CALLS = `package main

import "sync"

//go:noinline
func leaf(all []int) int {
	sum := 0
	for i := range all {
		sum = sum*31 + all[i]
	}
	return sum
}

//go:noinline
func middle(all []int) int {
	var some [200]int
	for i := range some {
		some[i] = leaf(all) + i
	}
	return some[7]
}

//go:noinline
func outer(n int) int {
	all := make([]int, 500)
	for i := 0; i < n; i++ {
		all[i%500] += middle(all)
	}
	return all[3]
}

//go:noinline
func worker(done *sync.WaitGroup) {
	outer(4000)
	done.Done()
}

func main() {
	var done sync.WaitGroup
	for i := 0; i < 3; i++ {
		done.Add(1)
		go worker(&done)
	}
	done.Wait()
}
`;

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-native-'));
	fs.copyFileSync('fixtures/native/demo.c', path.join(folder, 'c.c'));
	fs.writeFileSync(path.join(folder, 'cpp.cc'), CPP);
	fs.writeFileSync(path.join(folder, 'rust.rs'), RUST);
	fs.mkdirSync(path.join(folder, 'lto.remarks'));
	const remarks = (name: string): string[] => ['-fsave-optimization-record', `-foptimization-record-file=${name}.opt.yaml`, '-Wl,--build-id', '-o', name];
	// Its debug information is packed, and put apart.
	run('clang-22', '-O2', '-g', '-gz=zstd', '-fuse-ld=lld', 'c.c', ...remarks('c'));
	run('objcopy', '--only-keep-debug', 'c', 'c.debug');
	run('objcopy', '--strip-debug', '--add-gnu-debuglink=c.debug', 'c');
	run('clang++-22', '-O2', '-g', '-gdwarf-4', 'cpp.cc', ...remarks('cpp'));
	LTO.forEach((text, i) => {
		fs.writeFileSync(path.join(folder, `lto${i}.cc`), text);
		run('clang++-22', '-O2', '-g', '-flto=thin', '-fsave-optimization-record', `-foptimization-record-file=lto.remarks/${i}.opt.yaml`, '-c', `lto${i}.cc`);
	});
	const linked = ['-fsave-optimization-record', '-foptimization-record-file=lto.remarks/linked'];
	run('clang++-22', '-O2', '-g', '-flto=thin', '-fuse-ld=lld', 'lto0.o', 'lto1.o', ...linked, '-Wl,--build-id', '-o', 'lto');
	run('rustc', '-O', '-g', '-C', 'codegen-units=1', '-C', 'link-arg=-Wl,--build-id', 'rust.rs', '-o', 'rust');
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

describe.each([
	['c', 'c.opt.yaml'],
	['cpp', 'cpp.opt.yaml'],
	['lto', 'lto.remarks'],
	['rust', null],
])('%s', (name, remarks) => {
	test('counts, chains, report and page', async () => {
		run(process.execPath, assay, 'record', '-o', `${name}-run`, '--', `./${name}`);
		const manifest = JSON.parse(fs.readFileSync(path.join(folder, `${name}-run`, 'assay-recording.json'), 'utf8'));
		expect(manifest).toMatchObject({ state: 'complete', jdk: null, flags: [], flagsPassedBy: 'none' });
		const files = [`${name}-run`, ...(remarks === null ? [] : [remarks])];
		const evidence = await openEvidence(files.map((file) => ({ filePath: path.join(folder, file), name: file })));
		try {
			const report = await openReport(evidence);
			expect(report.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
			expect(report.hot?.code.length).toBeGreaterThan(1);
			expect(differentChains(report)).toEqual([]);
			if (remarks !== null) {
				const { inlined, found, untold, lineless } = report.remarkMatch ?? { inlined: Number.NaN, found: 0, untold: 0, lineless: 0 };
				expect(found).toBeGreaterThanOrEqual(0.95 * (inlined - untold));
				// The others have a reason.
				expect(found + untold + lineless).toBe(inlined);
				expect(inlined - untold).toBeGreaterThan(0);
				for (const file of filesOf(remarks)) {
					expect(await countsOf(file)).toEqual(countsOfTool(file));
				}
			}
		} finally {
			evidence.close();
		}
		run(process.execPath, assay, 'report', ...files, '-o', `${name}.html`);
		expect(fs.statSync(path.join(folder, `${name}.html`)).size).toBeGreaterThan(100_000);
		expect(run(process.execPath, assay, 'export', ...files, '--to', 'collapsed')).toMatch(/main/);
	});
});

test('a stripped program: its functions by their addresses, with the samples that perf has between them', () => {
	run('clang++-22', '-O2', '-no-pie', '-fno-inline', 'cpp.cc', '-Wl,--build-id', '-o', 'named');
	run('strip', '--strip-all', '-o', 'stripped', 'named');
	run(process.execPath, assay, 'record', '-o', 'stripped-run', '--', './stripped');
	const { compilations } = JSON.parse(run(process.execPath, assay, 'hot', 'stripped-run', '--json')).result as {
		compilations: { method: string; samples: number }[];
	};
	const told = new Map(compilations.map(({ method, samples }) => [method, samples]));
	const functions = run('nm', '--print-size', '--numeric-sort', '--defined-only', 'named')
		.trim()
		.split('\n')
		.map((line) => /^([0-9a-f]+) ([0-9a-f]+) [tTwW] /.exec(line))
		.flatMap((match) => (match === null ? [] : [{ start: Number.parseInt(match[1]!, 16), size: Number.parseInt(match[2]!, 16) }]));
	const expected = new Map<string, number>();
	for (const line of run('perf', 'script', '-i', 'stripped-run/perf.data', '-G', '-F', 'ip,dso').trim().split('\n')) {
		const [, ip = '', file = ''] = /^\s*([0-9a-f]+) .*\((.*)\)$/.exec(line) ?? [];
		const address = Number.parseInt(ip, 16);
		const found = file.endsWith('/stripped') ? functions.find(({ start, size }) => address >= start && address < start + size) : undefined;
		if (found !== undefined) {
			const name = `stripped@0x${found.start.toString(16)}`;
			expected.set(name, (expected.get(name) ?? 0) + 1);
		}
	}
	expect(expected.size).toBeGreaterThan(20);
	expect(Object.fromEntries([...told].filter(([name]) => name.startsWith('stripped@')).sort())).toEqual(Object.fromEntries([...expected].sort()));
	expect(run(process.execPath, assay, 'doctor', 'stripped-run')).toMatch(/missing: names of functions: \d+ samples are in functions of stripped /);
});

describe('callers without frame pointers', () => {
	test('are those that perf script finds in the same stacks, of a stripped program in C++ and of a compiler of Debian', async () => {
		run('g++', '-O2', '-fomit-frame-pointer', 'cpp.cc', '-o', 'omitting');
		run('strip', '--strip-all', 'omitting');
		for (const command of [['./omitting'], ['g++', '-O2', '-c', 'cpp.cc', '-o', 'cpp.o']]) {
			// perf takes a library for the one that lay there before the process began this program, if that lay lower: without random addresses it lies higher.
			run('setarch', '-R', process.execPath, assay, 'record', '--force', '--stack', '32768', '-o', 'unwound', '--', ...command);
			const found = await stacksOf('unwound/perf.data');
			const expected = run('perf', 'script', '-i', 'unwound/perf.data', '-F', 'ip', '--no-inline')
				.split('\n\n')
				.filter((block) => block.trim() !== '')
				.map((block) =>
					block
						.trim()
						.split('\n')
						.map((line) => Number(BigInt(`0x${line.trim().split(' ')[0]}`))),
				);
			expect(found.length).toBe(expected.length);
			expect(found.length).toBeGreaterThan(200);
			const different = found.filter((own, i) => !isSameStack(own, expected[i]!));
			// perf ends some earlier: code without a description, and what begins a program.
			expect(different.length).toBeLessThanOrEqual(0.02 * found.length);
		}
	});

	test('tell for whom the kernel works, and by way of what: as often as perf script has that', () => {
		run('setarch', '-R', process.execPath, assay, 'record', '-o', 'copied', '--', 'dd', 'if=/dev/zero', 'of=/dev/null', 'bs=64', 'count=4000000');
		const stacks = run('perf', 'script', '-i', 'copied/perf.data', '-F', 'ip,sym,dso', '--no-inline')
			.split('\n\n')
			.filter((block) => block.trim() !== '')
			.map((block) => block.trim().split('\n'));
		const ofKernel = stacks.filter(([innermost = '']) => innermost.includes('([kernel.kallsyms])') && !innermost.includes(' clear_page'));
		const known = ofKernel.filter((stack) => stack.some((line) => /\/dd\)$/.test(line)));
		const ways = known.map((stack) => /(?:read|write|open\w*)\b/.exec(stack.find((line) => !line.includes('[kernel.kallsyms]')) ?? '')?.[0]);
		const ofReads = ways.filter((way) => way === 'read').length;
		const most = Math.max(ofReads, ways.filter((way) => way === 'write').length);
		expect(most).toBeGreaterThan(100);
		const percent = ((100 * ofKernel.length) / stacks.length).toFixed(1);
		expect(run(process.execPath, assay, 'report', 'copied', '--json')).toMatch(
			new RegExp(
				`"${percent} % of all samples are in the kernel \\(\\w+\\), ${Math.round((100 * most) / known.length)} % of that for dd@0x[0-9a-f]+ in c\\d+, most by way of \\w*${most === ofReads ? 'read' : 'write'}\\.`,
			),
		);
	});

	test('of a program in Go lead back to where it began each goroutine', () => {
		fs.mkdirSync(path.join(folder, 'gocalls'), { recursive: true });
		fs.writeFileSync(path.join(folder, 'gocalls', 'main.go'), GO_CALLS);
		fs.writeFileSync(path.join(folder, 'gocalls', 'go.mod'), 'module calls\n\ngo 1.19\n');
		run('sh', '-c', 'cd gocalls && go build -ldflags="-s -w" -o ../go-calls .');
		run(process.execPath, assay, 'record', '--stack', '32768', '-o', 'go-run', '--', './go-calls');
		const lines = run(process.execPath, assay, 'export', 'go-run', '--to', 'collapsed').trim().split('\n');
		const inLeaf = lines.filter((line) => line.includes('main.leaf'));
		expect(inLeaf.length).toBeGreaterThan(0);
		for (const line of inLeaf) {
			expect(line).toMatch(/^runtime\.goexit;(?:main\.main\.gowrap1;)?main\.worker;main\.outer;main\.middle;main\.leaf/);
		}
	});
});

/** Addresses of the program, the innermost first. */
async function stacksOf(name: string): Promise<number[][]> {
	const { source } = await openFile(path.join(folder, name), name);
	const { samples, unwound } = readPerfData(source, 'threads', { symbols: NO_SYMBOLS, openZstd: await zstdStreams(), tables: unwindTables([]) });
	source.close();
	if (unwound === undefined) {
		throw new Error(`${name} has no callers`);
	}
	return Array.from(samples.address, (_, i) => {
		const result: number[] = [];
		for (let node = unwound.of[i]!; node >= 0; node = unwound.parent[node]!) {
			result.push(unwound.address[node]!);
		}
		return result;
	});
}

const PAGE = 4096;

/** perf prints where in a file the addresses are, those of callers less one: what is the same in memory is the place in a page. */
function isSameStack(own: readonly number[], theirs: readonly number[]): boolean {
	const program = own.filter((address) => address > 0);
	const expected = theirs.filter((address) => address < 2 ** 63);
	return program.length === expected.length && program.every((address, i) => [address % PAGE, (address - 1) % PAGE].includes(expected[i]! % PAGE));
}

test("a stripped program in Go, Debian's fzf: its functions are those that Go's runtime tells when it is stopped", async () => {
	expect(run('readelf', '--sections', '--wide', '/usr/bin/fzf')).not.toContain('.symtab');
	// Its input does not end before it is stopped.
	const waiting = spawn('fzf', ['--filter=x'], { stdio: ['pipe', 'ignore', 'pipe'], env: { ...process.env, GOTRACEBACK: 'system' } });
	setTimeout(() => waiting.kill('SIGQUIT'), 1000);
	const stderr = await text(waiting.stderr);
	const program = fs.readFileSync('/usr/bin/fzf');
	const table = readSectionTable(memorySource('fzf', program));
	const functions = new Map((table.kind === 'unusable' ? [] : goFunctions(table)).map(({ start, name }) => [start, name]));
	// The name of a function is followed by its arguments, its place by the offset in it.
	const frames = [...stderr.matchAll(/^(\S.*)\(.*\)\n\t.* \+0x([0-9a-f]+) fp=\S+ sp=\S+ pc=0x([0-9a-f]+)$/gm)].map(([, name, offset = '', pc = '']) => ({
		name,
		start: Number.parseInt(pc, 16) - Number.parseInt(offset, 16),
	}));
	expect(new Set(frames.map(({ start }) => start)).size, stderr).toBeGreaterThan(15);
	expect(frames.map(({ start }) => functions.get(start))).toEqual(frames.map(({ name }) => name));
	run('sh', '-c', `seq 3000000 | ${process.execPath} ${assay} record -o fzf-run -- fzf --filter=137 >/dev/null`);
	const { samples, compilations } = JSON.parse(run(process.execPath, assay, 'hot', 'fzf-run', '--json')).result as {
		samples: { counted: number; byReason: Record<string, number> };
		compilations: { method: string; compiler: string; samples: number }[];
	};
	const own = compilations.filter(({ method }) => method.startsWith('github.com/junegunn/fzf/src'));
	expect([...new Set(own.map(({ compiler }) => compiler))]).toEqual(['go']);
	expect((samples.byReason['native library'] ?? 0) / samples.counted).toBeLessThan(0.01);
});

function filesOf(name: string): string[] {
	return fs.statSync(path.join(folder, name)).isDirectory() ? fs.readdirSync(path.join(folder, name)).map((file) => path.join(name, file)) : [name];
}

async function countsOf(file: string): Promise<string[]> {
	const { remarks } = await readRemarkFiles([{ filePath: path.join(folder, file), name: file }]);
	const counts = new Map<string, number>();
	for (let i = 0; i < remarks.length; i++) {
		const name = remarks.text(remarks.function[i]!);
		counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	return [...counts].map(([function_, count]) => `${function_},${count}`).sort();
}

function countsOfTool(file: string): string[] {
	return run('llvm-remarkutil-22', 'count', '--count-by=remark-name', '--group-by=function', file).trim().split('\n').slice(1).sort();
}

/** Of every sampled address of the program itself, the outermost name left out: the tool has it from the symbol table. */
function differentChains({ hot, recording }: Awaited<ReturnType<typeof openReport>>): string[] {
	const { native, details } = recording ?? {};
	const library = (native?.libraries ?? []).find((one) => one.name.startsWith(folder) && one.hasDebugInformation)!;
	const mapping = [...(details?.mappedCode?.values() ?? [])].flat().filter((one) => one.name === library.name);
	const load = segmentAddress(library.name);
	const asked = (hot?.code ?? []).flatMap(({ code, instructions, seen }) =>
		'library' in code && code.library === library.name && instructions !== null
			? [...instructions.address].filter((_, i) => seen[i]! > 0).map((address) => ({ code, address }))
			: [],
	);
	const fileAddress = (address: number): number => {
		const own = mapping.find((one) => address >= one.start && address < one.end)!;
		return address - own.start + own.offset + load;
	};
	const input = asked.map(({ address }) => `0x${fileAddress(address).toString(16)}\n`).join('');
	const { stdout } = spawnSync('llvm-symbolizer-22', ['--inlines', '--no-demangle', '--output-style=JSON', '-e', library.name], {
		input,
		encoding: 'utf8',
		maxBuffer: 1 << 30,
	});
	return stdout
		.trim()
		.split('\n')
		.flatMap((line, i) => {
			const told = (JSON.parse(line).Symbol as { FunctionName: string; Line: number; Column: number }[]).map(
				(one) => `${one.FunctionName} ${one.Line}:${one.Column}`,
			);
			const own = (native?.chainAt(asked[i]!.code, asked[i]!.address) ?? []).map((one) => `${one.function} ${one.line}:${one.column}`);
			const inner = (frames: string[]): string => frames.map((frame, k) => (k === frames.length - 1 ? frame.replace(/^\S+/, '') : frame)).join(' ');
			return inner(told) === inner(own) || (own.length === 0 && told.length === 1 && told[0]!.endsWith(' 0:0')) ? [] : [`${line} ${own.join(' ')}`];
		});
}

/** What the executable segment's addresses are more than its offsets. */
function segmentAddress(file: string): number {
	const row = run('readelf', '-lW', file)
		.split('\n')
		.find((line) => /^ {2}LOAD .* R E /.test(line))!;
	const [, offset = '0', address = '0'] = row.trim().split(/\s+/);
	return Number(address) - Number(offset);
}
