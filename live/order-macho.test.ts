/**
 * Mach-O, as far as it can be had without a machine of Apple's: clang compiles for it, ld64.lld links against a hand-written libSystem.tbd, and its map tells where
 * functions are. Programs for x86-64 also run, on x86-64 Linux: live/programs/order/macho/load.c maps them and gives them this machine's libc in place of libSystem. No
 * dyld, no Apple linker and no SDK has been tried, and no code for arm64 runs here.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memorySource } from '../src/bytes/source.js';
import { readLd64Map } from '../src/formats/ld64-map/read.js';
import { readSymbolOrder } from '../src/formats/order-file/read.js';
import type { TextLayout } from '../src/model/text-layout.js';
import { functionStarts } from '../src/startup/function-starts.js';
import { inferLayout } from '../src/startup/infer-layout.js';
import { placeOrder } from '../src/startup/place-order.js';
import { assay, programs, run, tool } from './order-tools.js';

const sources = path.join(programs, 'macho');
const runtime = path.resolve(import.meta.dirname, '..', 'runtime', 'assay_order.c');
const INTEL = 'x86_64-apple-macos10.13';
const PHONE = 'arm64-apple-ios13';
const CASES = [
	['22', PHONE],
	['22', INTEL],
	['19', PHONE],
	['19', INTEL],
] as const;
/** Made by the compiler, so they do not say that they run. */
const SILENT = /^(?:main\.o:___GLOBAL_init_65535|classes\.o:__GLOBAL__sub_I_classes\.cpp|__ZN4Loud[CD]1E[iv]+)$/;

let folder = '';
let loader = '';
beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-macho-live-'));
	loader = inside('load');
	run('cc', ['-O2', path.join(sources, 'load.c'), '-o', loader]);
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const inside = (name: string): string => path.join(folder, name);
const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const order = (...argv: string[]): string => run(process.execPath, [assay, 'order', ...argv]);
const compiler = (version: string, file: string): string => tool(`clang${/\.(?:cpp|mm)$/.test(file) ? '++' : ''}-${version}`);
const FLAGS = ['-O2', '-w', '-fno-exceptions'];

function link(target: string, objects: readonly string[], output: string, ...options: string[]): void {
	// With --ld-path clang would not know that it is lld.
	tool('ld64.lld-22');
	run(tool('clang-22'), ['-fuse-ld=lld', '-target', target, '-nostdlib', ...objects, `-L${sources}`, '-lSystem', ...options, '-o', output]);
}

interface Built {
	readonly map: string;
	/** The runtime first. */
	readonly objects: readonly string[];
	readonly plain: readonly string[];
	readonly program: string;
	readonly target: string;
}

/** IR, instrumented, checked and compiled; the same without; both with the names that a build would give them. */
function build(name: string, version: string, target: string, files: readonly string[], ...options: string[]): Built {
	const at = (file: string): string => path.join(inside(name), file);
	for (const kind of ['', 'plain', 'instrumented']) {
		fs.mkdirSync(at(kind), { recursive: true });
	}
	const modules = files.map((file) => {
		const ir = at(`${file}.ll`);
		run(compiler(version, file), ['-target', target, ...FLAGS, '-S', '-emit-llvm', path.join(sources, file), '-o', ir]);
		return ir;
	});
	const map = at('map.json');
	order('instrument', ...modules, '-o', at('ir'), '--map', map, ...options);
	const object = (kind: string, file: string): string => at(`${kind}/${path.parse(file).name}.o`);
	files.forEach((file, i) => {
		run(tool('opt-22'), ['-passes=verify', '-disable-output', at(`ir/${file}.ll`)]);
		const code = ['-target', target, ...FLAGS, '-Xclang', '-disable-llvm-passes', '-c'];
		run(compiler(version, file), [...code, modules[i]!, '-o', object('plain', file)]);
		run(compiler(version, file), [...code, at(`ir/${file}.ll`), '-o', object('instrumented', file)]);
	});
	const runtimeObject = at('assay_order.o');
	run(tool(`clang-${version}`), ['-target', target, '-nostdlibinc', '-Wall', '-Wextra', '-Werror', '-O2', '-c', runtime, '-o', runtimeObject]);
	const objects = [runtimeObject, ...files.map((file) => object('instrumented', file))];
	const program = at('program');
	if (files.some((file) => file.startsWith('main.'))) {
		link(target, objects, program, `-Wl,-map,${program}.map`);
	}
	return { map, objects, plain: files.map((file) => object('plain', file)), program, target };
}

const PROGRAM = ['main.c', 'other.c', 'classes.cpp', 'more.cpp'];

const sections = (file: string): Record<string, number> =>
	Object.fromEntries(
		[...run(tool('llvm-objdump-22'), ['-h', file]).matchAll(/^ +\d+ (\S+) +([0-9a-f]+) /gm)].map(([, name = '', size = '']) => [
			name,
			Number.parseInt(size, 16),
		]),
	);

/** Names of `__text` in the order of their addresses, as the map of the link tells them; local ones with their object file. */
function placed(mapFile: string): { names: string[]; layout: TextLayout } {
	const { table, problems } = readLd64Map(memorySource(mapFile, fs.readFileSync(mapFile)));
	expect(problems).toEqual([]);
	const layout = inferLayout(table, mapFile);
	const starts = functionStarts(layout);
	const byAddress = [...layout.functionNames.keys()].sort((a, b) => starts[a]! - starts[b]!);
	return { names: byAddress.map((f) => layout.functionNames[f]!), layout };
}

/** Runs a program for x86-64; what it said that it ran, and what was logged of it. */
function runHere(
	{ program, map }: Pick<Built, 'program' | 'map'>,
	argv: readonly string[] = [],
	more: NodeJS.ProcessEnv = {},
): { said: string[]; logged: string[]; stdout: string } {
	const dump = `${program}.dump`;
	fs.rmSync(dump, { force: true });
	const { status, stdout, stderr } = spawnSync(loader, [program, ...argv], { encoding: 'utf8', env: { ...process.env, ASSAY_ORDER_FILE: dump, ...more } });
	expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
	const said = [...stdout.matchAll(/^ran (.*)$/gm)].map(([, name = '']) => name);
	return { said, logged: fs.existsSync(dump) ? lines(order('decode', dump, '--map', map)) : [], stdout };
}

const withoutSilent = (names: readonly string[]): string[] => names.filter((name) => !SILENT.test(name));

describe.each(CASES)('clang %s, %s', (version, target) => {
	let built: Built;
	beforeAll(() => {
		built = build(`program-${version}-${target}`, version, target, PROGRAM);
	});

	test('objects: sections, linkage and records are those of Mach-O', () => {
		const [, main = ''] = built.objects;
		expect(sections(main)).toMatchObject({ __assay_modules: 32 + 16 });
		const symbols = run(tool('llvm-nm-22'), ['-m', main]);
		expect(symbols).toMatch(/\(__DATA,__assay_modules\) non-external ___assay_order_module$/m);
		expect(symbols).toMatch(/\(undefined\) external ___assay_order_buffer$/m);
		expect(symbols).toMatch(/\(__TEXT,__text\) weak external _weakOne$/m);
		expect(symbols).toMatch(/\(__TEXT,__text\) private external _hiddenOne$/m);
		expect(symbols).toMatch(/external no_underscore$/m);
		const plain = run(tool('llvm-nm-22'), ['-m', built.plain[0]!]);
		const ofText = (text: string): string[] => [...text.matchAll(/\(__TEXT,.*$/gm)].map(([line]) => line).sort();
		expect(ofText(symbols)).toEqual(ofText(plain));
	});

	test('each function stores its own module and number, in the table of the map', () => {
		// Read out of the code, not of the IR: the numbers that are stored, function by function, against the map.
		const { modules } = JSON.parse(fs.readFileSync(built.map, 'utf8')) as { modules: { id: number; objects: string; functions: { symbol: string }[] }[] };
		expect(modules.map(({ objects }) => objects)).toEqual(PROGRAM.map(() => 'mach-o'));
		modules.forEach(({ id, functions }, i) => {
			const bytes = textOf(built.objects[i + 1]!);
			const stored = target === INTEL ? storedByIntel(bytes, id) : storedByArm(bytes, id);
			expect(stored.sort((a, b) => a - b)).toEqual(functions.map((_, number) => number));
		});
	});

	test('links: one buffer without room in the file, the records side by side', () => {
		expect(sections(built.program)).toMatchObject({ __common: 1 << 20 });
		expect(fs.statSync(built.program).size).toBeLessThan(200_000);
		const map = fs.readFileSync(`${built.program}.map`, 'utf8');
		const records = built.objects.slice(1).map((object) => sections(object).__assay_modules ?? 0);
		expect(sections(built.program)).toMatchObject({ __assay_modules: records.reduce((sum, bytes) => sum + bytes, 0) });
		expect(map.match(/___assay_order_buffer$/gm)).toHaveLength(1);
	});

	test('ld64.lld places functions in exactly the order that is given, local ones by their objects', () => {
		const wanted = ['other.o:_same', '__Z5twiceIiET_S0_', '_neverRun', 'no_underscore', 'main.o:_same', '_main', '_given$NAME', 'main.o:_begin', '_weakOne'];
		const file = inside('placed.order');
		fs.writeFileSync(file, `# comment\n${target === INTEL ? 'x86_64' : 'arm64'}:${wanted.join('\n')} # another\nppc:_deep\n`);
		link(target, built.plain, inside('plain'), `-Wl,-map,${inside('plain.map')}`);
		link(target, built.plain, inside('ordered'), `-Wl,-map,${inside('ordered.map')}`, `-Wl,-order_file,${file}`);
		const ordered = placed(inside('ordered.map'));
		expect(ordered.names.slice(0, wanted.length)).toEqual(wanted.map((name) => name.replace(/^.*:/, '')));
		const before = placed(inside('plain.map')).layout;
		const predicted = placeOrder(before, orderOf(file, before), 'predicted');
		expect(places(predicted)).toEqual(places(ordered.layout));
		expect(ordered.layout.pageBytes).toBe(target === INTEL ? 4096 : 16_384);
		expect(JSON.parse(lint(file, inside('plain.map')))).toMatchObject({ result: { symbols: wanted.length, found: wanted.length, findings: [] } });
		fs.writeFileSync(file, '_same\nmain\nmore.o:_same\n');
		const { result } = JSON.parse(lint(file, inside('plain.map'))) as { result: { findings: { kind: string; symbol: string; message: string }[] } };
		expect(result.findings.map(({ kind, symbol }) => [kind, symbol])).toEqual([
			['ambiguous', '_same'],
			['missing', 'main'],
			['missing', 'more.o:_same'],
		]);
		expect(result.findings[1]?.message).toContain('similar: _main');
	});

	test('optimize and merge write what ld64.lld understands', () => {
		const trace = inside('names.txt');
		// Profiles name functions without the underscore.
		fs.writeFileSync(trace, 'main\n_Z6sharedi\ndeep\n_other\n');
		link(target, built.plain, inside('plain'), `-Wl,-map,${inside('plain.map')}`);
		const optimized = lines(order('optimize', trace, '--nm', inside('plain.map')));
		expect(optimized).toEqual(['_main', '__Z6sharedi', '_deep', '_other']);
		expect(lines(order('merge', trace, '--nm', inside('plain.map')))).toEqual(optimized);
	});

	test('assay-cc compiles and links, and the program holds its map', () => {
		const work = inside(`cc-${version}-${target}`);
		fs.mkdirSync(work);
		const cc = (...argv: string[]): string => run(process.execPath, [assay, 'order', 'cc', '--', ...argv], { cwd: work });
		for (const file of PROGRAM) {
			cc(compiler(version, file), '-target', target, ...FLAGS, '-c', path.join(sources, file), '-o', `${path.parse(file).name}.o`);
		}
		const objects = PROGRAM.map((file) => `${path.parse(file).name}.o`);
		tool(`ld64.lld-${version}`);
		const ldOptions = ['-fuse-ld=lld', '-nostdlib', `-L${sources}`, '-lSystem', '-Wl,-dead_strip'];
		cc(tool(`clang-${version}`), '-target', target, ...objects, ...ldOptions, '-o', 'program');
		const program = path.join(work, 'program');
		const { modules } = JSON.parse(fs.readFileSync(`${program}.order-map.json`, 'utf8')) as { modules: { functions: unknown[] }[] };
		expect(modules.map(({ functions }) => functions.length)).toEqual([11, 3, 9, 2]);
		if (target === INTEL) {
			const { said, logged } = runHere({ program, map: program });
			expect(withoutSilent(logged)).toEqual(said);
		}
		expect(() => cc(tool(`clang-${version}`), '-target', target, '-flto', ...FLAGS, path.join(sources, 'other.c'), ...ldOptions, '-o', 'lto')).toThrow(
			'link-time optimization of Mach-O programs is not instrumented; build without -flto',
		);
	});

	test('Objective-C: methods by their own names, which an order file places', () => {
		const { map, objects } = build(`objc-${version}-${target}`, version, target, ['methods.m']);
		const { modules } = JSON.parse(fs.readFileSync(map, 'utf8')) as { modules: { functions: { symbol: string }[] }[] };
		const methods = ['-[Foo bar:with:]', '+[Foo make]', '-[Foo(More) extra]', '_methods', '_main'];
		expect(modules[0]?.functions.map(({ symbol }) => symbol)).toEqual(methods);
		const file = inside('methods.order');
		const wanted = ['_main', 'methods.o:-[Foo(More) extra]', '-[Foo bar:with:]', '_methods', '+[Foo make]'];
		fs.writeFileSync(file, `${wanted.join('\n')}\n`);
		link(target, objects, inside('methods'), `-Wl,-map,${inside('methods.map')}`, `-Wl,-order_file,${file}`);
		expect(placed(inside('methods.map')).names.slice(0, 5)).toEqual(wanted.map((name) => name.replace(/^.*\.o:/, '')));
	});
});

const lint = (file: string, map: string): string =>
	spawnSync(process.execPath, [assay, 'order', 'lint', file, '--nm', map, '--json'], { encoding: 'utf8' }).stdout;

const orderOf = (file: string, { machOArchitecture }: TextLayout): readonly string[] =>
	readSymbolOrder(memorySource(file, fs.readFileSync(file)), machOArchitecture).order.names;

/** Where each function is, from the first byte of the code on. */
function places(layout: TextLayout): string[] {
	const starts = functionStarts(layout);
	const first = starts.reduce((least, start) => Math.min(least, start), Number.POSITIVE_INFINITY);
	return layout.symbolNames.map((name, i) => `${starts[layout.symbolFunctions[i]!]! - first} ${name}`).sort();
}

/** Bytes of the code; what clang makes for constructors has a section of its own. */
function textOf(object: string): Buffer {
	const output = `${object}.text`;
	const names = ['__text', '__StaticInit'].filter((name) => name in sections(object));
	return Buffer.concat(
		names.map((name) => {
			run(tool('llvm-objcopy-22'), [`--dump-section=__TEXT,${name}=${output}`, object, `${object}.copy`]);
			return fs.readFileSync(output);
		}),
	);
}

/** Numbers of functions in `mov $ENTRY, %REG` of 64 bits, or of 32 where the number is 0, or in `movq $ENTRY, (%REG)`: the module's id is the lower half. */
function storedByIntel(text: Buffer, id: number): number[] {
	const found: number[] = [];
	for (let at = 1; at + 8 <= text.length; at++) {
		const opcode = text[at - 1]!;
		if (opcode >= 0xb8 && opcode < 0xc0 && text.readUInt32LE(at) === id) {
			const isWide = at > 1 && (text[at - 2]! & 0xfe) === 0x48;
			found.push(isWide ? text.readUInt32LE(at + 4) : 0);
		} else if (at > 2 && text[at - 2] === 0xc7 && text.readUInt32LE(at) === id) {
			found.push(0);
		}
	}
	return found;
}

/** The same of `mov`, `movk`: 16 bits each, into one register. */
function storedByArm(text: Buffer, id: number): number[] {
	const found: number[] = [];
	for (let at = 0; at + 4 <= text.length; at += 4) {
		const word = text.readUInt32LE(at);
		const register = word & 31;
		if ((word & 0xffe00000) >>> 0 !== 0xd2800000 && (word & 0xffe00000) >>> 0 !== 0x52800000) {
			continue;
		}
		let value = BigInt((word >>> 5) & 0xffff);
		let end = at + 4;
		for (; end + 4 <= text.length; end += 4) {
			const next = text.readUInt32LE(end);
			if ((next & 0xff80001f) >>> 0 !== (0xf2800000 | register) >>> 0 && (next & 0xff80001f) >>> 0 !== (0x72800000 | register) >>> 0) {
				break;
			}
			value |= BigInt((next >>> 5) & 0xffff) << BigInt(16 * ((next >>> 21) & 3));
		}
		if (Number(value & 0xffff_ffffn) === id) {
			found.push(Number(value >> 32n));
		}
	}
	return found;
}

describe.each(['22', '19'])('programs for x86-64 that ran, clang %s', (version) => {
	const built = new Map<string, Built>();
	const program = (...options: string[]): Built => {
		const name = options.join('');
		const known = built.get(name) ?? build(`ran-${version}${name}`, version, INTEL, PROGRAM, ...options);
		built.set(name, known);
		return known;
	};

	test.each([[[]], [['--bitmap', 'bit']], [['--buffer-entries', '200000']], [['--buffer-entries', '200000', '--ring']]])(
		'log what they say that they ran: %j',
		(options) => {
			const { said, logged } = runHere(program(...options));
			expect(said).toHaveLength(19);
			expect(withoutSilent(logged)).toEqual(said);
			expect(logged.filter((name) => SILENT.test(name)).length).toBeGreaterThanOrEqual(3);
		},
	);

	test('a buffer that is larger is as large as that; one that is too small keeps the first, a ring the last', () => {
		expect(sections(program('--buffer-entries', '200000').program)).toMatchObject({ __common: 16_384 * Math.ceil((200_000 * 8) / 16_384) });
		const { said, logged } = runHere(program('--buffer-entries', '5'));
		expect(logged).toHaveLength(5);
		expect(withoutSilent(logged)).toEqual(said.slice(0, withoutSilent(logged).length));
		const ring = runHere(program('--buffer-entries', '5', '--ring'));
		expect(ring.logged).toHaveLength(5);
		expect(withoutSilent(ring.logged)).toEqual(ring.said.slice(-withoutSilent(ring.logged).length));
	});

	test('write at a signal, after a time, and when they are killed', () => {
		const signalled = runHere(program(), ['signal']);
		expect(withoutSilent(signalled.logged)).toEqual(signalled.said);
		const timed = runHere(program(), ['wait'], { ASSAY_ORDER_DUMP_AFTER_MS: '200' });
		expect(withoutSilent(timed.logged)).toEqual(timed.said);
		const backed = runHere(program(), ['killed'], { ASSAY_ORDER_FILE_BACKED: '1' });
		expect(withoutSilent(backed.logged)).toEqual(backed.said);
		expect(runHere(program(), ['killed']).logged).toEqual([]);
	});

	test('~/ is the folder of the user: an app is told no other that it may write to', () => {
		const home = fs.mkdtempSync(path.join(folder, 'home %p '));
		runHere(program(), [], { ASSAY_ORDER_FILE: '~/app.dump', HOME: home });
		expect(fs.readdirSync(home)).toEqual(['app.dump']);
	});
});

test.each(['arm64-apple-ios17', 'arm64-apple-macos14', 'x86_64-apple-macos14', 'arm64-apple-ios17-simulator'])(
	'newer systems, with chained fixups: %s',
	(target) => {
		const { program } = build(`newer-${target}`, '22', target, PROGRAM);
		expect(run(tool('llvm-objdump-22'), ['--macho', '--private-headers', program])).toContain('LC_DYLD_CHAINED_FIXUPS');
		expect(sections(program)).toMatchObject({ __assay_modules: 176, __common: 1 << 20 });
		expect(placed(`${program}.map`).names).toEqual(expect.arrayContaining(['_main', '_assay_order_dump', '__Z6sharedi']));
	},
);

test.each([PHONE, INTEL])('many functions under many orders lie where they were predicted: %s', (target) => {
	const random = numbers(7);
	const pick = (count: number): number => Math.floor(random() * count);
	const names: string[] = [];
	const objects = Array.from({ length: 12 }, (_, m) => {
		let text = 'int ext(int); extern volatile int sink;\n';
		for (let k = 0; k < 4 + pick(12); k++) {
			names.push(`_f_${m}_${k}`);
			const body = Array.from({ length: pick(12) }, (_step, i) => `sink += x * ${3 + pick(90)}; if (sink == ${pick(9999)}) sink = ext(x + ${i});`);
			text += `__attribute__((noinline)) ${pick(8) === 0 ? '__attribute__((minsize))' : ''} int f_${m}_${k}(int x) { ${body.join(' ')} return x; }\n`;
		}
		text += `static __attribute__((noinline)) int helper(int x) { sink += x * ${m}; ${'sink += ext(x);'.repeat(m % 5)} return sink; }\n`;
		text += `int use_${m}(int x) { return helper(x); }\n`;
		names.push(`m${m}.o:_helper`, `_use_${m}`);
		const file = inside(`m${m}.c`);
		fs.writeFileSync(file, text);
		run(tool('clang-22'), ['-target', target, '-O2', '-c', file, '-o', inside(`m${m}.o`)]);
		return inside(`m${m}.o`);
	});
	fs.writeFileSync(inside('main.c'), 'volatile int sink; int ext(int x) { return x; } int main(void) { return 0; }\n');
	run(tool('clang-22'), ['-target', target, '-O2', '-c', inside('main.c'), '-o', inside('main.o')]);
	// Some of them out of an archive, whose members have two names.
	const archive = inside(`libsome-${target}.a`);
	run(tool('llvm-ar-22'), ['rcs', archive, ...objects.slice(8)]);
	const all = [inside('main.o'), ...objects.slice(0, 8), `-Wl,-force_load,${archive}`];
	link(target, all, inside('many'), `-Wl,-map,${inside('many.map')}`);
	const { layout } = placed(inside('many.map'));
	const known = names.map((name) => name.replace(/^(m(?:8|9|10|11)\.o):/, `libsome-${target}.a($1):`));
	for (let i = 0; i < 6; i++) {
		const chosen = known
			.filter(() => pick(3) > 0)
			.map((name) => ({ name: i === 5 ? name.replace(/^.*:/, '') : name, key: random() }))
			.sort((a, b) => a.key - b.key)
			.map(({ name }) => name);
		const file = inside('many.order');
		fs.writeFileSync(file, `${chosen.join('\n')}\n`);
		link(target, all, inside('many'), `-Wl,-map,${inside('many-ordered.map')}`, `-Wl,-order_file,${file}`);
		expect(places(placeOrder(layout, orderOf(file, layout), 'predicted'))).toEqual(places(placed(inside('many-ordered.map')).layout));
	}
});

/** mulberry32. */
function numbers(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}
