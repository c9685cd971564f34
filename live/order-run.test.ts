/** `assay order run` on a project of C files, by Make and by CMake: what is built, in which order the functions lie, and what is left as it was. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { OrderRunResult } from '../src/answers/results.js';
import { assay, run, tool } from './order-tools.js';

const root = path.resolve(import.meta.dirname, '..');
const project = path.join(root, 'live', 'programs', 'order-run');
const validate = new Ajv2020({ allErrors: true }).compile(JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'order-run.json'), 'utf8')));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-order-run-live-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

let source = '';
beforeEach(() => {
	source = path.join(fs.mkdtempSync(path.join(folder, 'work-')), 'source');
	fs.cpSync(project, source, { recursive: true });
});

const environment: NodeJS.ProcessEnv = { ...process.env, ASSAY_CC: tool('clang-22'), ASSAY_CXX: tool('clang++-22') };

function orderRun(...argv: string[]): { status: number | null; stdout: string; stderr: string } {
	return spawnSync(process.execPath, [assay, 'order', 'run', ...argv], { cwd: source, encoding: 'utf8', env: environment, maxBuffer: 1 << 26 });
}

function resultOf(...argv: string[]): OrderRunResult {
	const { status, stdout, stderr } = orderRun('--json', ...argv);
	expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
	const parsed = JSON.parse(stdout);
	expect(validate(parsed), JSON.stringify(validate.errors)).toBe(true);
	expect(parsed.problems).toEqual([]);
	return parsed.result;
}

/** Files of the source, with what they hold, without the folder that was made. */
function snapshot(): Map<string, string> {
	const names = fs.readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => !/^(?:assay-order|\.git)(?:\/|$)/.test(name));
	return new Map(names.map((name) => [name, fs.statSync(path.join(source, name)).isFile() ? fs.readFileSync(path.join(source, name), 'latin1') : 'folder']));
}

/** Functions of the code by address. */
function functionsOf(program: string): string[] {
	return run('nm', ['-n', path.join(source, 'assay-order', program)])
		.split('\n')
		.flatMap((line) => /^[0-9a-f]+ [tT] (.*)$/.exec(line)?.[1] ?? []);
}

const RAN = ['main', 'start', 'count_words', 'step', 'report', 'step'];
const WORKLOADS = ['-w', './count "a b" c', '-w', '"$PROGRAM"', '--program', 'count'];
/** As few as there can be: they tell nothing of times. */
const FEW = ['--runs', '1'];

test('Make with a compiler that is written down, in a work tree of git with products of an earlier build', () => {
	run('git', ['init', '-q'], { cwd: source });
	run('git', ['add', '.'], { cwd: source });
	// What git ignores stays behind: with these objects Make would have nothing to do.
	run('make', ['-s'], { cwd: source });
	const before = snapshot();
	const result = resultOf(...WORKLOADS, '--runs', '6', '--', 'make', '-s');
	expect(snapshot()).toEqual(before);
	expect(result).toMatchObject({
		program: 'count',
		source: { from: 'git', files: 9 },
		workloads: [
			{ processes: 1, functions: 6 },
			{ processes: 1, functions: 2 },
		],
		functions: { ran: 6 },
		dropped: 'program',
	});
	const { plain, order, predicted } = result.pages;
	expect(order).toEqual(predicted);
	expect(order.wholeFunctionPages).toBeLessThan(plain.wholeFunctionPages);
	const ran = (program: string): number[] => functionsOf(program).flatMap((name, i) => (RAN.includes(name) ? [i] : []));
	const together = ran('order/count');
	expect(together).toHaveLength(RAN.length);
	expect(together.at(-1)! - together[0]!).toBeLessThan(ran('plain/count').at(-1)! - ran('plain/count')[0]!);
	// One fault maps what lies around it of a file in the page cache. While the file is read it maps what has arrived: cold runs have one more now and then.
	if (result.faults === null) {
		throw new Error('faults were not counted');
	}
	const { cold, warm } = result.faults;
	expect(warm.order.code).toBeLessThanOrEqual(warm.plain.code);
	for (const kind of [cold, warm]) {
		expect(kind.plain.code).toBeGreaterThanOrEqual(plain.windows64k);
		expect(kind.plain.code).toBeLessThanOrEqual(plain.textPages);
		expect(kind.order.code).toBeGreaterThanOrEqual(order.windows64k);
		expect(kind.order.code).toBeLessThanOrEqual(order.textPages);
	}
	expect(result.times.map(({ workload, kind, plainMs }) => [workload, kind, plainMs.length])).toEqual([
		[1, 'cold', 6],
		[1, 'warm', 6],
		[2, 'cold', 6],
		[2, 'warm', 6],
	]);
});

test('CMake, out of the source, from a folder that is no work tree', () => {
	const result = resultOf(
		...WORKLOADS.map((word) => word.replace('./count', 'built/count').replace(/^count$/, 'built/count')),
		...FEW,
		'--',
		'sh',
		'-c',
		'cmake -B built . && cmake --build built',
	);
	expect(result).toMatchObject({ program: 'built/count', source: { from: 'folder' }, functions: { ran: 6 } });
	expect(result.pages.order.wholeFunctionPages).toBeLessThan(result.pages.plain.wholeFunctionPages);
});

test('a server that ends after the client that started it is traced', () => {
	fs.writeFileSync(
		path.join(source, 'server.c'),
		[
			'#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>',
			'__attribute__((noinline)) static void serve(unsigned ms) { puts("serving"); usleep(ms * 1000); }',
			'__attribute__((noinline)) static void ask(void) { puts("asking"); }',
			'int main(int argc, char **argv) {',
			'  if (argc > 1 && fork() == 0) { setsid(); serve(atoi(argv[1])); exit(0); }',
			'  ask();',
			'  return 0;',
			'}',
		].join('\n'),
	);
	const { order, workloads } = resultOf('-w', './server 700', ...FEW, '--', 'sh', '-c', 'cc -O1 server.c -o server');
	expect(workloads).toMatchObject([{ processes: 2 }]);
	expect(fs.readFileSync(path.join(source, order.file), 'utf8')).toMatch(/^serve$/m);
});

test.each(['-flto', '-flto=thin'])('%s', (lto) => {
	const result = resultOf(...WORKLOADS, ...FEW, '--', 'make', '-s', `CFLAGS=-O2 ${lto} -fuse-ld=lld`);
	// The linker inlines the functions that are called once; those that stay are laid out.
	expect(result.functions.ran).toBeGreaterThan(0);
	expect(result.pages.order).toEqual(result.pages.predicted);
});

test('the flags that it prints give the program that it measured', () => {
	const { flags, order } = resultOf(...WORKLOADS, ...FEW, '--', 'make', '-s');
	run('make', ['-s', `CC=${tool('clang-22')}`, `CFLAGS=-O2 ${[...flags.compile, ...flags.link].join(' ')} -Qunused-arguments`], { cwd: source });
	expect(functionsOf('../count')).toEqual(functionsOf('order/count'));
	expect(fs.readFileSync(path.join(source, order.file), 'utf8').split('\n')).toContain('count_words');
});

test('builds that fail are told with their last lines; one that compiles nothing is, too', () => {
	fs.appendFileSync(path.join(source, 'src', 'words.c'), 'int broken(void) { return undeclared; }\n');
	const failed = orderRun(...WORKLOADS, '--', 'make', '-s');
	expect(failed.status).toBe(1);
	expect(failed.stderr).toMatch(/^error: assay-order\/build-trace\.log: the trace build ended with status 2; /);
	expect(failed.stderr).toContain("use of undeclared identifier 'undeclared'");
	fs.cpSync(project, source, { recursive: true });
	const gcc = orderRun(...WORKLOADS, '--', 'make', '-s', `CC=${tool('gcc')}`);
	expect(gcc.status).toBe(3);
	expect(gcc.stderr).toContain('the build made no program that assay-cc linked; it has to call its compiler as $CC, cc, gcc or clang, not by a path');
});

test('a shared library of the project, by its own order', () => {
	const library = 'gcc -O2 -fPIC -shared -o libparts.so.1 -Wl,-soname,libparts.so.1 src/words.c src/report.c src/rarely.c';
	const build = `${library} && gcc -O2 -o count src/count.c ./libparts.so.1`;
	const workload = ['-w', 'LD_LIBRARY_PATH=. ./count "a b" c'];
	const program = resultOf(...workload, ...FEW, '--', 'sh', '-c', build);
	expect(program).toMatchObject({ program: 'count', functions: { ran: 2 } });
	expect(program.notes).toContainEqual(expect.stringMatching(/^libparts\.so\.1, which the build made too, ran 4 functions in a process, count 2: /));
	const { pages, functions } = resultOf(...workload, '--program', 'libparts.so.1', ...FEW, '--', 'sh', '-c', build);
	expect(functions.ran).toBe(4);
	expect(pages.order).toEqual(pages.predicted);
	const order = fs.readFileSync(path.join(source, 'assay-order', 'libparts.so.1.order'), 'utf8').split('\n');
	expect(order.filter((name) => RAN.includes(name))).toEqual(['count_words', 'step', 'report']);
	const linked = functionsOf('order/libparts.so.1').filter((name) => RAN.includes(name));
	// Both functions of that name move where it stands.
	expect(linked).toEqual(['count_words', 'step', 'step', 'report']);
});
