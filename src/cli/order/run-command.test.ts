/** `assay order run` on builds that stand in for real ones: what is built, traced, measured and told, and how it fails. No compiler is needed. */
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import stringWidth from 'string-width';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { elfFile } from '../../../test/elf-file.js';
import { type ProcessRun, runProcess, writeTool } from '../../../test/fake-tools.js';
import { encodeOrderDump } from '../../../test/order-dump.js';
import type { OrderRunResult } from '../../answers/results.js';
import { writeOrderMap } from '../../formats/order-map/write.js';

const root = path.resolve(import.meta.dirname, '..', '..', '..');
const validate = new Ajv2020({ allErrors: true }).compile(JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'order-run.json'), 'utf8')));

/** As linked; two a page. Of these `main`, `late` and `help` run. */
const FUNCTIONS = ['main', 'idle1', 'idle2', 'idle3', 'help', 'idle4', 'idle5', 'late'];
const RAN = ['main', 'late', 'help'];
const ORDERED = [...RAN, ...FUNCTIONS.filter((name) => !RAN.includes(name))];
const SIZE = 1 << 11;

/** Copies what it is to have linked: with an order the program that has it. */
const CLANG = `#!/bin/sh
case "$*" in *--version*) echo "clang version 22.1.0 (fake)"; exit 0 ;; esac
[ -n "$ASSAY_ORDER_BUILD" ] && echo "$ASSAY_ORDER_BUILD: $*" >> "$PRODUCTS/calls"
kind=plain
while [ $# -gt 0 ]; do
	case "$1" in
	-o) output="$2"; shift ;;
	*--symbol-ordering-file=*) kind="$LINKED" ;;
	esac
	shift
done
[ -e "$PRODUCTS/$kind" ] && cp "$PRODUCTS/$kind" "$output"
exit 0
`;
/** An instrumented build needs the whole driver: its product is taken as it is. */
const BUILD = `echo building $ASSAY_ORDER_BUILD by $CC
if [ "$ASSAY_ORDER_BUILD" = trace ]; then
	for name in \${NAMES-app}; do cp "$PRODUCTS/$name.trace" $name; done
else
	for name in \${NAMES-app}; do gcc -O2 app.c -o $name; done
fi
`;
/** Leaves a dump where the instrumented program would. */
const WORKLOAD = '[ -z "$ASSAY_ORDER_FILE" ] || cp "$PRODUCTS/app.dump" "$(echo "$ASSAY_ORDER_FILE" | sed "s/%p/$$/; s/%%/%/g")"';

/** The build of `app`. */
const APP = '00000000000000ff';

let folder = '';
let products = '';
let source = '';
let tools = '';

function program(names: readonly string[]): Buffer {
	return elfFile({
		sections: [{ name: '.text', address: 0x401000, bytes: new Uint8Array(SIZE * names.length).fill(0xcc) }],
		symbols: names.map((name, i) => ({ name, offset: SIZE * i, size: SIZE })),
	});
}

/** A program with a map in it, and the dump of a run. */
function instrumented(name: string, hash: string, needed: string | null = null): void {
	const functions = FUNCTIONS.map((symbol) => ({ symbol, linkage: 'external' as const, comdat: null, file: null, line: null }));
	let json = '';
	const map = {
		buildId: hash,
		bufferEntries: 16,
		isRing: false,
		modules: [{ id: 7, functionCount: functions.length, hash, name: 'app.c', source: 'app.c', functions, omitted: [] }],
	};
	writeOrderMap(map, (piece) => {
		json += piece;
	});
	const bytes = Buffer.from(`assay-order-map-1 ${deflateRawSync(json).toString('base64')}\n`);
	const asked = Buffer.alloc(32);
	asked[0] = 1;
	const dynamic = [
		{ name: '.dynamic', address: 0, bytes: asked, kind: 6, link: 3 },
		{ name: '.dynstr', address: 0, bytes: Buffer.from(`${needed}\0`), kind: 3 },
	];
	const sections = [{ name: '.assay_order_map', address: 0, bytes, flags: 0 }, ...(needed === null ? [] : dynamic)];
	const elf = elfFile({ type: 3, sections, symbols: [] });
	fs.writeFileSync(path.join(products, `${name}.trace`), elf, { mode: 0o755 });
	dump(name, hash, RAN);
}

/** What the program leaves that ran these. */
function dump(name: string, hash: string, ran: readonly string[]): void {
	const modules = [{ id: 7, functionCount: FUNCTIONS.length, hash }];
	fs.writeFileSync(path.join(products, `${name}.dump`), encodeOrderDump({ modules, entries: ran.map((symbol) => [7, FUNCTIONS.indexOf(symbol)] as const) }));
}

beforeEach(() => {
	folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-order-run-')));
	[products, source, tools] = ['products', 'source', 'tools'].map((name) => path.join(folder, name)) as [string, string, string];
	fs.mkdirSync(products);
	fs.mkdirSync(source);
	fs.writeFileSync(path.join(source, 'app.c'), '');
	fs.writeFileSync(path.join(source, 'build.sh'), BUILD);
	writeTool(tools, 'clang', CLANG);
	writeTool(tools, 'clang++', CLANG);
	writeTool(tools, 'perf', 'refusing-perf');
	fs.writeFileSync(path.join(products, 'plain'), program(FUNCTIONS));
	fs.writeFileSync(path.join(products, 'order'), program(ORDERED));
	instrumented('app', APP);
	instrumented('other', '00000000000000fe');
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

interface RunOptions {
	readonly environment?: Readonly<Record<string, string>>;
	readonly onOutput?: (all: string, child: ChildProcess) => void;
}

function run(argv: readonly string[], { environment = {}, onOutput }: RunOptions = {}): Promise<ProcessRun> {
	const variables = { PRODUCTS: products, LINKED: 'order', ASSAY_CC: path.join(tools, 'clang'), ASSAY_CXX: path.join(tools, 'clang++'), ...environment };
	return runProcess(['order', 'run', ...argv], source, tools, variables, onOutput);
}

const RUNS = ['--runs', '1'];
/** The fewest that give an interval. */
const SIX_RUNS = ['--runs', '6'];
const usual = (...options: string[]): string[] => ['-w', WORKLOAD, ...(options.includes('--runs') ? [] : RUNS), ...options, '--', 'sh', 'build.sh'];
const read = (name: string): string => fs.readFileSync(path.join(source, 'assay-order', name), 'utf8');

describe('a build with one program', () => {
	test('is traced, ordered and measured', async () => {
		const before = fs.readdirSync(source);
		const { status, stdout, stderr } = await run(usual(...SIX_RUNS, '--json'));
		expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
		const { result, problems, ...envelope }: { result: OrderRunResult; problems: { message: string }[] } = JSON.parse(stdout);
		expect(validate({ ...envelope, result, problems }), JSON.stringify(validate.errors)).toBe(true);
		expect(problems.map(({ message }) => message)).toEqual([expect.stringMatching(/^page faults are not counted: /)]);
		expect(result).toMatchObject({
			program: 'app',
			folder: 'assay-order',
			compiler: 'clang version 22.1.0 (fake)',
			source: { files: 2, from: 'folder' },
			workloads: [{ command: WORKLOAD, processes: 1, functions: 3 }],
			functions: { ran: 3, instrumented: 8 },
			order: { file: 'assay-order/app.order', symbols: 3 },
			pages: { plain: { wholeFunctionPages: 3, windows64k: 1, textPages: 4 }, order: { wholeFunctionPages: 2 }, predicted: { wholeFunctionPages: 2 } },
			faults: null,
			flags: { compile: ['-ffunction-sections'] },
		});
		expect(read('app.order')).toBe('main\nlate\nhelp\n');
		expect(result.times.map(({ workload, kind }) => [workload, kind])).toEqual([
			[1, 'cold'],
			[1, 'warm'],
		]);
		for (const { plainMs, orderMs, difference, verdict } of result.times) {
			expect([plainMs.length, orderMs.length]).toEqual([6, 6]);
			expect(difference?.confidence).toBeCloseTo(0.96875, 4);
			const told = difference === null ? null : difference.highMs < 0 ? 'faster' : difference.lowMs > 0 ? 'slower' : 'no difference told';
			expect(verdict).toBe(told);
		}
		expect(fs.readdirSync(source).sort()).toEqual([...before, 'assay-order'].sort());
		expect(read('.gitignore')).toBe('*\n');
		expect(read('build-trace.log')).toBe('building trace by assay-cc\n');
	});

	test('gets the same flags before and after, and the order after', async () => {
		expect((await run(usual())).status).toBe(0);
		const calls = fs.readFileSync(path.join(products, 'calls'), 'utf8').split('\n');
		const flags = '-O2 app.c -o app --start-no-unused-arguments -ffunction-sections -fuse-ld=lld';
		const order = path.join(source, 'assay-order', 'app.order');
		expect(calls).toEqual([
			`plain: ${flags} --end-no-unused-arguments`,
			`order: ${flags} -Wl,--symbol-ordering-file=${order} -Wl,--no-warn-symbol-ordering --end-no-unused-arguments`,
			'',
		]);
	});

	test('symbols are not stripped by the compiler', async () => {
		fs.writeFileSync(
			path.join(source, 'build.sh'),
			BUILD.replace('gcc -O2 app.c', "gcc -s '-DA=a b' -Wl,-s -Wl,-O1,-s -Wl,--strip-all -Wl,-z,now,--strip-all -std=c99 app.c"),
		);
		expect((await run(usual())).status).toBe(0);
		const [plain] = fs.readFileSync(path.join(products, 'calls'), 'utf8').split('\n');
		expect(plain).toBe(
			'plain: -DA=a b -Wl,-O1 -Wl,-z,now -std=c99 app.c -o app --start-no-unused-arguments -ffunction-sections -fuse-ld=lld --end-no-unused-arguments',
		);
	});

	test('the text fits 80 columns, and says how to keep the order', async () => {
		const { stdout } = await run(['-w', WORKLOAD, ...usual(...SIX_RUNS)]);
		expect(stdout).toMatch(/^app, built by clang version 22\.1\.0 \(fake\)\n2 files, copied and built three times in assay-order \(seconds: trace\s\d/);
		expect(stdout).toContain('2 workloads, 2 processes traced: 3 of 8 functions ran;');
		expect(stdout).toMatch(/^ +plain +order {2}difference\npages of functions that ran +6 +4 {2}as predicted\n/m);
		expect(stdout).toContain('  LDFLAGS  -fuse-ld=lld -Wl,--symbol-ordering-file=FOLDER/app.order\n           -Wl,--no-warn-symbol-ordering\n');
		for (const line of stdout.split('\n')) {
			expect(stringWidth(line), line).toBeLessThanOrEqual(80);
		}
	});

	test('an earlier run is replaced, and nothing else', async () => {
		expect((await run(usual())).status).toBe(0);
		fs.writeFileSync(path.join(source, 'assay-order', 'trace', 'old'), '');
		expect((await run(usual())).status).toBe(0);
		expect(fs.existsSync(path.join(source, 'assay-order', 'trace', 'old'))).toBe(false);
		const { status, stderr } = await run(usual('-o', '../products'));
		expect({ status, stderr }).toEqual({
			status: 3,
			stderr: 'assay order run: ../products: is not empty, and not of an earlier assay order run; name another folder with -o\n',
		});
	});

	test('in a work tree of git, without what git ignores', async () => {
		const git = (listed: string): void => writeTool(tools, 'git', `#!/bin/sh\nprintf '${listed}'\n`);
		fs.writeFileSync(path.join(source, 'app.o'), 'old');
		git('app.c\\0build.sh\\0removed.c\\0assay-order/old\\0');
		const { stdout } = await run(usual('--json'));
		expect(JSON.parse(stdout).result.source).toEqual({ folder: '.', files: 2, from: 'git' });
		expect(fs.existsSync(path.join(source, 'assay-order', 'plain', 'app.o'))).toBe(false);
		expect(JSON.parse((await run(usual('--json', '--all-files'))).stdout).result.source).toEqual({ folder: '.', files: 3, from: 'folder' });
		git('app.c\\0');
		expect((await run(usual())).stderr).toContain('files that git ignores were not copied: --all-files copies them\n');
	});

	test('builds where the command was given, in the copy', async () => {
		fs.mkdirSync(path.join(source, 'src'));
		fs.renameSync(path.join(source, 'app.c'), path.join(source, 'src', 'app.c'));
		fs.renameSync(path.join(source, 'build.sh'), path.join(source, 'src', 'build.sh'));
		source = path.join(source, 'src');
		const { stdout } = await run(usual('--json', '--source', '..', '-o', '../../out'));
		expect(JSON.parse(stdout).result).toMatchObject({ program: 'src/app', order: { file: '../../out/app.order' }, source: { folder: '..', files: 2 } });
		expect(fs.existsSync(path.join(folder, 'out', 'order', 'src', 'app'))).toBe(true);
	});

	test('a folder with blanks, commas and percent signs', async () => {
		const { stdout, stderr, status } = await run(usual('-o', "../a b, 100%'"));
		expect({ stderr, status }).toEqual({ status: 0, stderr: expect.stringMatching(/^warning: perf: [^\n]*\n$/) });
		expect(fs.readFileSync(path.join(products, 'calls'), 'utf8')).toContain(
			` -Xlinker --symbol-ordering-file=${path.join(folder, "a b, 100%'", 'app.order')} -Wl,--no-warn-symbol-ordering --end-no-unused-arguments\n`,
		);
		expect(stdout).toContain('  LDFLAGS  -fuse-ld=lld -Wl,--symbol-ordering-file=FOLDER/app.order\n           -Wl,--no-warn-symbol-ordering\n');
	});

	test('says so where nothing is won', async () => {
		dump('app', APP, ['main', 'idle1']);
		fs.copyFileSync(path.join(products, 'plain'), path.join(products, 'order'));
		const { stdout } = await run(['-w', WORKLOAD, '--runs', '2', '--', 'sh', 'build.sh']);
		expect(stdout).toMatch(/^pages of functions that ran +1 +1 {2}as predicted$/m);
		expect(stdout).toMatch(/\nNothing was won in pages or milliseconds: for these runs app needs no order\.\n$/);
	});

	test('few runs give no interval', async () => {
		const { stdout } = await run(['-w', WORKLOAD, '--runs', '2', '--', 'sh', 'build.sh']);
		expect(stdout).toMatch(/^ {2}warm .* none told$/m);
		expect(stdout).toContain('Note: fewer than six pairs of runs give no interval: take more with --runs.');
	});
});

describe('several programs', () => {
	const environment = { NAMES: 'app other' };

	test('the one that the workloads run', async () => {
		const { stdout } = await run(usual('--json'), { environment });
		expect(JSON.parse(stdout).result.program).toBe('app');
	});

	test('the one that is named', async () => {
		const { status, stderr } = await run(usual('--program', 'other'), { environment });
		expect(status).toBe(3);
		expect(stderr).toContain('workload 1: left no trace of other; ');
		expect((await run(usual('--program', './app', '--json'), { environment })).status).toBe(0);
		expect((await run(usual('--program', 'none'), { environment })).stderr).toContain(
			'none: is no program and no shared library that the build made; it made app, other\n',
		);
	});

	test('are listed where nothing tells', async () => {
		const told = (...workloads: string[]): Promise<string> =>
			run([...workloads.flatMap((line) => ['-w', line]), ...RUNS, '--', 'sh', 'build.sh'], { environment }).then(({ stderr }) => stderr);
		const list = 'name one with --program: app, other\n';
		expect(await told()).toBe(`assay order run: PROGRAM: the build made several programs; ${list}`);
		expect(await told('"$PROGRAM"')).toContain(`the build made several programs; ${list}`);
		expect(await told('true')).toContain(`the workloads ran none of the programs that the build made; ${list}`);
		expect(await told(WORKLOAD, WORKLOAD.replace('app.dump', 'other.dump'))).toContain(`the workloads ran several programs; ${list}`);
	});
});

describe('a shared library of the build', () => {
	const LIBRARY = '00000000000000fd';
	const environment = { NAMES: 'app libapp.so.1' };

	beforeEach(() => {
		instrumented('app', APP, 'libapp.so.1');
		instrumented('libapp.so.1', LIBRARY);
		fs.appendFileSync(path.join(source, 'build.sh'), 'ln -sf libapp.so.1 libapp.so\n');
	});

	const both = (): void => {
		dump('libapp.so.1', LIBRARY, ['late', 'help']);
		fs.appendFileSync(path.join(products, 'app.dump'), fs.readFileSync(path.join(products, 'libapp.so.1.dump')));
	};

	test('that ran besides the program is told', async () => {
		both();
		const { stdout, stderr } = await run(usual('--json'), { environment });
		const { result, problems } = JSON.parse(stdout);
		expect(result).toMatchObject({ program: 'app', functions: { ran: 3 } });
		expect(result.notes.at(-1)).toBe(
			'libapp.so.1, which the build made too, ran 2 functions in a process, app 3: an order of its own it gets by --program libapp.so.1',
		);
		expect(problems.map(({ message }: { message: string }) => message)).toEqual([expect.stringMatching(/^page faults are not counted: /)]);
		expect(stderr).toBe('');
	});

	test.each(['libapp.so.1', './libapp.so'])('is ordered where it is named: %s', async (name) => {
		both();
		fs.writeFileSync(path.join(products, 'order'), program(['late', 'help', ...FUNCTIONS.filter((one) => one !== 'late' && one !== 'help')]));
		const { stdout } = await run(usual('--program', name), { environment });
		expect(stdout).toMatch(/^libapp\.so\.1, built by /);
		expect(stdout).toContain('1 workload, 1 process traced: 2 of 8 functions ran; an order of 2 symbols');
		expect(stdout.replaceAll('\n', ' ')).toContain("Cold: the library's file was dropped from the page cache");
		expect(stdout).toContain('  target_compile_options(app PRIVATE -ffunction-sections)\n');
		expect(read('libapp.so.1.order')).toBe('late\nhelp\n');
	});

	test('that was loaded, and of which no function ran, is no other one', async () => {
		dump('libapp.so.1', LIBRARY, []);
		fs.appendFileSync(path.join(products, 'app.dump'), fs.readFileSync(path.join(products, 'libapp.so.1.dump')));
		const { stdout } = await run(usual('--json'), { environment });
		expect(JSON.parse(stdout).result.notes.join()).not.toContain('libapp.so.1');
	});

	test('that the program did not load is told, with how it is loaded', async () => {
		const { stdout } = await run(usual('--json'), { environment });
		expect(JSON.parse(stdout).result.notes.at(-1)).toBe(
			'app asks for libapp.so.1, and got another one than that of the build (libapp.so.1): with LD_LIBRARY_PATH=. before it a workload takes that of the build',
		);
		const { status, stderr } = await run(usual('--program', 'libapp.so'), { environment });
		expect(status).toBe(3);
		expect(stderr).toContain('workload 1: left no trace of libapp.so.1; what it runs has to load the library of the build (LD_LIBRARY_PATH)');
	});

	test('does not run by itself', async () => {
		const { status, stderr } = await run(['--program', 'libapp.so.1', '--', 'sh', 'build.sh'], { environment });
		expect(status).toBe(3);
		expect(stderr).toBe(
			"assay order run: libapp.so.1: is a shared library, and does not run by itself; name workloads that load it: -w 'LD_LIBRARY_PATH=. ./app'\n",
		);
	});
});

describe('what fails', () => {
	test('the build: its last lines, and where the rest is', async () => {
		const { status, stdout, stderr } = await run(['--json', '--', 'sh', '-c', 'echo compiling; echo "app.c:1: error: no" >&2; exit 7']);
		expect(status).toBe(1);
		expect(stderr).toBe(
			'error: assay-order/build-trace.log: the trace build ended with status 7; its last lines are below\n  compiling\n  app.c:1: error: no\n',
		);
		expect(JSON.parse(stdout)).toMatchObject({ result: {}, problems: [{ file: 'assay-order/build-trace.log' }] });
	});

	test('a build that was given as one word', async () => {
		const { status, stderr } = await run(['--', 'make all']);
		expect(status).toBe(3);
		expect(stderr).toBe(
			'assay order run: make all: cannot be started: there is no such program, or it may not be executed; it was given as one word: leave out the quotes, or put sh -c before it\n',
		);
	});

	test('a workload', async () => {
		const traced = await run(['-w', 'echo broken; exit 3', ...RUNS, '--', 'sh', 'build.sh']);
		expect(traced.status).toBe(1);
		expect(traced.stderr).toMatch(/^error: assay-order\/trace-1\.log: workload 1 \(echo broken; exit 3\) ended with status 3; .*\n {2}broken\n$/);
		const timed = await run(['-w', `${WORKLOAD}; case $PWD in */order) echo "not ordered"; exit 9 ;; esac`, ...RUNS, '--', 'sh', 'build.sh']);
		expect(timed.status).toBe(1);
		expect(timed.stderr).toMatch(/^error: assay-order\/run-1\.log: workload 1 .* of the order build ended with status 9; .*\n {2}not ordered\n$/);
	});

	test.each<[string, string[], Record<string, string>, number, RegExp]>([
		[
			'nothing was compiled by us',
			['--', 'true'],
			{},
			3,
			/^assay order run: assay-order\/build-trace\.log: the build made no program that assay-cc linked; .*make clean/,
		],
		['no trace', ['-w', 'true', '--', 'sh', 'build.sh'], {}, 3, /: workload 1: left no trace of app; /],
		['the linker is not reached', usual(), { LINKED: 'plain' }, 3, /: assay-order\/build-order\.log: the linker did not take the order: /],
		['no command', ['-w', 'true'], {}, 2, /the command that builds goes after --/],
		['a word too many', ['make', '--', 'make'], {}, 2, /the command that builds goes after --/],
		['the source in the folder', ['-o', '..', '--', 'true'], {}, 2, /-o \.\. holds the source/],
		['a folder that PATH cannot have', ['-o', 'a:b', '--', 'true'], {}, 2, /-o a:b: a path with ":" cannot stand in PATH/],
		['no source', ['--source', 'nowhere', '--', 'true'], {}, 3, /nowhere: cannot be read \(No such file or directory\)/],
		['nothing to copy', ['--source', '../empty', '--', 'true'], {}, 3, /empty: has no files to build/],
		['no such build', ['--', 'no-such-program'], {}, 3, /no-such-program: cannot be started: .*; give the command as it is/],
		['no clang', ['--', 'true'], { ASSAY_CC: '/bin/echo' }, 3, /\/bin\/echo: is not clang \(.*\); install clang 15 to 22/],
		['no compiler', ['--', 'true'], { ASSAY_CC: 'no-such-cc' }, 3, /no-such-cc: cannot be started \(.*ENOENT\)/],
	])('%s', async (_, argv, environment, status, message) => {
		fs.mkdirSync(path.join(folder, 'empty'));
		const told = await run(argv, { environment });
		expect(told.stderr).toMatch(message);
		expect(told.status).toBe(status);
	});

	test('a stripped program', async () => {
		const text = { name: '.text', address: 0x401000, bytes: new Uint8Array(SIZE).fill(0xcc) };
		fs.writeFileSync(path.join(products, 'plain'), elfFile({ sections: [text], symbols: [] }));
		const { status, stderr } = await run(usual());
		expect({ status, stderr }).toEqual({
			status: 3,
			stderr:
				'assay order run: assay-order/plain/app: holds no code that an order file could move; is it stripped? Let the build leave its symbols in: without strip, and without -s\n',
		});
	});

	test('no lld', async () => {
		writeTool(tools, 'clang', '#!/bin/sh\ncase "$*" in *--version*) echo "Debian clang version 16.0.6" ;; *) exit 1 ;; esac\n');
		const { status, stderr } = await run(['--', 'true'], { environment: { PATH: tools } });
		expect(stderr).toContain('clang: cannot link with lld, which lays functions out by an order; install lld (Debian: lld-16)');
		expect(status).toBe(3);
	});
});

test('Ctrl-C ends the build and what it started', async () => {
	const mark = path.join(folder, 'pid');
	const build = `sleep 100 & echo $! > ${mark}; wait`;
	let timer: NodeJS.Timeout | undefined;
	const started = run(['--', 'sh', '-c', build]);
	const child = await new Promise<number>((resolve) => {
		timer = setInterval(() => {
			const text = fs.existsSync(mark) ? fs.readFileSync(mark, 'utf8').trim() : '';
			if (text !== '') {
				resolve(Number(text));
			}
		}, 20);
	});
	clearInterval(timer);
	// The parent of the build's shell is assay itself.
	const [, shell = ''] = /^PPid:\t(\d+)$/m.exec(fs.readFileSync(`/proc/${child}/status`, 'utf8')) ?? [];
	const [, assay = ''] = /^PPid:\t(\d+)$/m.exec(fs.readFileSync(`/proc/${shell}/status`, 'utf8')) ?? [];
	process.kill(Number(assay), 'SIGINT');
	const { status, stderr } = await started;
	expect({ status, stderr }).toEqual({ status: 130, stderr: 'assay order run: interrupted; what was begun has been ended\n' });
	const state = (): string => {
		try {
			return /^State:\t(\w)/m.exec(fs.readFileSync(`/proc/${child}/status`, 'utf8'))?.[1] ?? '';
		} catch {
			return '';
		}
	};
	// Nobody may have fetched its status yet.
	await expect.poll(state, { timeout: 10_000 }).toMatch(/^Z?$/);
});
