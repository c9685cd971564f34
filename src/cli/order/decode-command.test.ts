/** `assay order decode` on dumps of assay's runtime, on what cannot be used, and on hostile names. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { elfFile } from '../../../test/elf-file.js';
import { encodeOrderDump } from '../../../test/order-dump.js';
import { perfDataFile, sample } from '../../../test/perf-data-file.js';
import { type AssayRun, runAssay } from '../../../test/run-assay.js';
import { writeOrderMap } from '../../formats/order-map/write.js';
import { combineHashes, type OrderMap, type OrderMapFunction } from '../../model/order-map.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-decode-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const MODULES = [
	{ id: 7, functionCount: 3, hash: '00000000000000ff' },
	{ id: 9, functionCount: 2, hash: 'ffffffffffffff02' },
];
const traced = (symbol: string, linkage: OrderMapFunction['linkage'], line: number | null = null): OrderMapFunction => ({
	symbol,
	linkage,
	comdat: null,
	file: line === null ? null : 'a.c',
	line,
});
const MAP: OrderMap = {
	buildId: combineHashes(MODULES.map(({ hash }) => hash)),
	bufferEntries: 16,
	isRing: false,
	modules: [
		{
			...MODULES[0]!,
			name: 'src/a.c',
			source: 'src/a.c',
			functions: [traced('main', 'external', 12), traced('helper', 'internal', 3), traced('_Z1fv', 'linkonce_odr')],
			omitted: [],
		},
		{
			...MODULES[1]!,
			name: 'src/b.c',
			source: 'src/b.c',
			functions: [traced('helper', 'internal'), traced('_Z1fv', 'linkonce_odr')],
			omitted: [],
		},
	],
};

function file(name: string, content: string | Uint8Array): string {
	fs.writeFileSync(path.join(folder, name), content);
	return name;
}
function mapFile(name: string, map: OrderMap): string {
	let text = '';
	writeOrderMap(map, (piece) => {
		text += piece;
	});
	return file(name, text);
}
const map = mapFile('a.map.json', MAP);

/** As the compiler driver embeds it: a line for each module. */
function programWith(name: string, lines: readonly string[]): string {
	const bytes = Buffer.from(lines.map((line) => `\n${line}\n`).join(''));
	return file(name, elfFile({ sections: [{ name: '.assay_order_map', address: 0, bytes, flags: 0 }], symbols: [] }));
}
function embeddedMap(module: OrderMap['modules'][number]): string {
	let json = '';
	writeOrderMap({ ...MAP, buildId: combineHashes([module.hash]), modules: [module] }, (piece) => {
		json += piece;
	});
	return `assay-order-map-1 ${deflateRawSync(json).toString('base64')}`;
}
const embedded = MAP.modules.map(embeddedMap);
const decode = (...argv: string[]): Promise<AssayRun> => runAssay(['order', 'decode', ...argv], folder);
const symbols = ({ stdout }: AssayRun): string[] => stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

const ENTRIES = [
	[7, 0],
	[9, 0],
	[9, 1],
	[7, 1],
	[7, 0],
] as const;

test('a dump of assay: modules tell functions of one name apart, copies of an inline function are one', async () => {
	const dump = file('a.order', encodeOrderDump({ modules: MODULES, entries: [...ENTRIES, [7, 2]] }));
	const run = await decode(dump, '--map', map);
	expect([run.stderr, run.exit]).toEqual(['', 0]);
	expect(symbols(run)).toEqual(['main', 'helper', '_Z1fv']);
	const { result } = JSON.parse((await decode(dump, '--map', map, '--json')).stdout);
	expect(result.functions).toEqual([
		{ symbol: 'main', module: 'src/a.c', isLocal: false, file: 'a.c', line: 12 },
		{ symbol: 'helper', module: 'src/b.c', isLocal: true },
		{ symbol: '_Z1fv', module: 'src/b.c', isLocal: false },
		{ symbol: 'helper', module: 'src/a.c', isLocal: true, file: 'a.c', line: 3 },
	]);
	expect(result.traces).toEqual([{ name: 'a.order', file: 'a.order', format: 'assay dump', weight: 1, functions: 4, isComplete: true }]);
	expect(symbols(await decode(dump, '--map', map, '--format', 'ld64'))).toEqual(['_main', 'b.o:_helper', '__Z1fv', 'a.o:_helper']);
});

test('a Mach-O program: names as its linker sees them, in the form of ld64 unless another is asked for', async () => {
	const dump = file('macho.order', encodeOrderDump({ modules: MODULES, entries: ENTRIES }));
	const names: Record<string, string> = { main: '_main', helper: '-[Foo bar:with:]', _Z1fv: '__Z1fv' };
	const modules = MAP.modules.map((module) => ({
		...module,
		isMachO: true,
		functions: module.functions.map((one) => ({ ...one, symbol: names[one.symbol] ?? one.symbol })),
	}));
	let text = '';
	writeOrderMap({ ...MAP, modules }, (part) => {
		text += part;
	});
	const machO = file('macho.json', Buffer.from(text));
	const wanted = ['_main', 'b.o:-[Foo bar:with:]', '__Z1fv', 'a.o:-[Foo bar:with:]'];
	expect(symbols(await decode(dump, '--map', machO))).toEqual(wanted);
	expect(symbols(await decode(dump, '--map', machO, '--format', 'ld64'))).toEqual(wanted);
	expect(symbols(await decode(dump, '--map', machO, '--format', 'lld'))).toEqual(['_main', '-[Foo bar:with:]', '__Z1fv']);
	// A profile tells names without the underscore, a method has none.
	const profile = file('names.list', Buffer.from('main\n-[Foo make]\n'));
	expect(symbols(await decode(profile, '--format', 'ld64'))).toEqual(['_main', '-[Foo make]']);
});

test('a folder with profiles of GCC: functions of all files by their places; files without a partner are told', async () => {
	const own = path.join(folder, 'gcc');
	fs.cpSync(path.resolve(import.meta.dirname, '../../../fixtures/orderfile/gcov'), path.join(own, 'nested'), { recursive: true });
	const run = await decode('gcc', '--json');
	const { result } = JSON.parse(run.stdout);
	const names = result.functions.map(({ symbol, isLocal }: { symbol: string; isLocal: boolean }) => (isLocal ? `${symbol} of a file` : symbol));
	expect(names.slice(2)).toEqual(['main', 'same of a file', 'other', 'same of a file', 'inCpp', '_ZN12_GLOBAL__N_17unnamedEi', '_ZN1AD2Ev']);
	expect(result.functions[2]).toMatchObject({ module: 'start.c', file: 'start.c', line: 14 });
	expect(result.traces).toEqual([{ name: 'gcc', file: 'gcc', format: 'GCC profile', weight: 1, functions: 9, isComplete: true }]);
	fs.rmSync(path.join(own, 'nested', 'other.gcno'));
	fs.copyFileSync(path.join(own, 'nested', 'start.gcno'), path.join(own, 'nested', 'classes.gcno'));
	const less = await decode('gcc');
	expect(symbols(less)).toEqual(['main', 'same']);
	expect(less.exit).toBe(3);
	expect(less.stderr).toContain('gcc/nested/other.gcda: has no .gcno file beside it');
	expect(less.stderr).toContain('gcc/nested/classes.gcda: is of another compilation');
	const one = await decode('gcc/nested/start.gcda');
	expect([one.exit, one.stderr]).toEqual([3, expect.stringContaining('is a part of a profile of GCC; give the folder')]);
	fs.rmSync(own, { recursive: true });
});

test('the map is in the program that the driver linked', async () => {
	const dump = file('program.order', encodeOrderDump({ modules: MODULES, entries: ENTRIES }));
	const wanted = await decode(dump, '--map', map);
	const run = await decode(dump, '--map', programWith('a.out', embedded));
	expect([run.stdout, run.stderr, run.exit]).toEqual([wanted.stdout, '', 0]);

	const damaged = await decode(dump, '--map', programWith('damaged', [...embedded, 'assay-order-map-1 AAAA']));
	expect([damaged.stdout, damaged.exit]).toEqual([wanted.stdout, 3]);
	expect(damaged.stderr).toContain('damaged: the maps of 1 of its modules are damaged');

	const other = { ...MAP.modules[0]!, hash: '00000000000000aa' };
	const twice = await decode(dump, '--map', programWith('twice', [...embedded, embeddedMap(other)]));
	expect([twice.stdout, twice.exit]).toEqual(['', 3]);
	expect(twice.stderr).toContain('twice: modules src/a.c and src/a.c have the same number; leave one of them out');

	const stripped = await decode(dump, '--map', programWith('stripped', []));
	expect([stripped.stdout, stripped.exit]).toEqual(['', 3]);
	expect(stripped.stderr).toContain('is a program that holds no map; give one that assay-cc linked and nobody stripped');
	expect((await decode(dump, '--map', programWith('other', embedded.slice(1)))).stderr).toContain('the dump is of another build than the map');
	expect((await decode(dump)).stderr).toContain('or the program that cc linked');
});

test('dumps of several runs, packed, of several images, one of them chosen', async () => {
	const first = encodeOrderDump({
		modules: MODULES,
		entries: [
			[9, 1],
			[7, 0],
		],
	});
	const second = encodeOrderDump({ modules: MODULES.slice(1), entries: [[9, 0]] });
	const packed = file('two.order.gz', gzipSync(Buffer.concat([first, second])));
	expect(symbols(await decode(packed, '--map', map))).toEqual(['_Z1fv', 'main', 'helper']);
	expect(symbols(await decode(packed, '--map', map, '--trace', '1'))).toEqual(['helper']);
	const run = await decode(packed, file('more.order', encodeOrderDump({ modules: MODULES, entries: [[7, 1]] })), '--map', map, '--json');
	expect(JSON.parse(run.stdout).result.traces.map(({ name }: { name: string }) => name)).toEqual(['two.order.gz dump 0', 'two.order.gz dump 1', 'more.order']);
});

test('what mangled symbols mean', async () => {
	const list = file('mangled.txt', 'main\n_Z1fv\n_ZN1AC2Ev\n');
	expect((await decode(list, '--demangle')).stdout).toBe('# 3 functions from mangled.txt (function list)\nmain\n# f()\n_Z1fv\n# A::A()\n_ZN1AC2Ev\n');
	const { result } = JSON.parse((await decode(list, '--demangle', '--json')).stdout);
	expect(result.functions.map(({ demangled }: { demangled: string | null }) => demangled)).toEqual([null, 'f()', 'A::A()']);
	expect((await decode(list, '--demangle', '--format', 'bolt')).stdout).toBe('main\n_Z1fv\n_ZN1AC2Ev\n');
});

test('what the buffer could not keep is told', async () => {
	const full = await decode(
		file(
			'full.order',
			encodeOrderDump({
				modules: MODULES,
				entries: [
					[7, 0],
					[7, 1],
				],
				capacity: 2,
				logged: 9,
			}),
		),
		'--map',
		map,
	);
	expect(symbols(full)).toEqual(['main', 'helper']);
	expect(full.stderr).toContain('the last 7 are lost; the others are given; instrument with --buffer-entries 9 or more');
	expect(full.stdout).toContain('# 2 functions from full.order (assay dump), not complete');
	const ring = await decode(
		file(
			'ring.order',
			encodeOrderDump({
				modules: MODULES,
				entries: [
					[7, 0],
					[7, 1],
				],
				capacity: 2,
				logged: 9,
				flags: 1,
			}),
		),
		'--map',
		map,
	);
	expect(ring.stderr).toContain('the first 7 are lost');
});

test('a dump of another build is refused', async () => {
	const dump = file('b.order', encodeOrderDump({ modules: MODULES, entries: ENTRIES }));
	const [a, b] = MAP.modules as [OrderMap['modules'][0], OrderMap['modules'][0]];
	const changed = { ...a, hash: '00000000000000fe' };
	const other = mapFile('b.map.json', { ...MAP, modules: [changed, b], buildId: combineHashes([changed.hash, b.hash]) });
	const run = await decode(dump, '--map', other);
	expect([run.stdout, run.exit]).toEqual(['', 3]);
	expect(run.stderr).toContain('module src/a.c is of another build');
	expect(symbols(await decode(dump, '--map', other, '--map', map))).toEqual(['main', 'helper', '_Z1fv']);
	const without = await decode(dump);
	expect([without.stdout, without.exit]).toEqual(['', 3]);
	expect(without.stderr).toContain('needs the map of its build');
	const json = JSON.parse((await decode(dump, '--json')).stdout);
	expect(json).toMatchObject({ command: 'order decode', result: {}, problems: [{ severity: 'error' }] });
});

test('a damaged dump', async () => {
	const bytes = encodeOrderDump({ modules: MODULES, entries: ENTRIES });
	for (const damaged of [bytes.with(bytes.length - 1, 1), bytes.subarray(0, bytes.length - 3), bytes.subarray(0, 20), bytes.with(12, 9)]) {
		const run = await decode(file('damaged.order', damaged), '--map', map);
		expect([run.stdout, run.exit]).toEqual(['', 3]);
		expect(run.stderr).toMatch(/checksum|truncated|version/);
	}
});

test('names that a file cannot hold', async () => {
	const odd = [{ ...MAP.modules[0]!, functions: ['main', '#hash', 'two\nlines', ' blank'].map((symbol) => traced(symbol, 'external')) }, MAP.modules[1]!];
	const oddMap = mapFile('odd.map.json', { ...MAP, modules: odd });
	const dump = file(
		'odd.order',
		encodeOrderDump({
			modules: [{ id: 7, functionCount: 4, hash: '00000000000000ff' }, MODULES[1]!],
			entries: [
				[7, 0],
				[7, 1],
				[7, 2],
				[7, 3],
			],
		}),
	);
	const run = await decode(dump, '--map', oddMap);
	expect(symbols(run)).toEqual(['main']);
	expect(run.stdout).toContain('# no line of this file can name two\\u000alines');
	expect(run.stderr).toContain('3 symbols cannot be spelt');
	const { result } = JSON.parse((await decode(dump, '--map', oddMap, '--json')).stdout);
	expect(result.functions.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['main', '#hash', 'two\nlines', ' blank']);
});

test.each<[string, string[], number, string]>([
	['no file', [], 2, 'a file is expected'],
	['an unknown form', ['a.txt', '--format', 'mold'], 2, '--format takes lld, gold, ld64, bolt, not "mold"'],
	['no number', ['a.txt', '--trace', 'x'], 2, '--trace takes the number of a trace'],
	['a missing file', ['missing'], 3, 'missing: cannot be read (No such file or directory)'],
	['a folder', ['.'], 3, 'is a folder, and none that uftrace record wrote'],
	['an empty file', ['empty.order'], 3, 'is empty'],
	['prose', ['prose.txt'], 3, 'holds no order of functions that is known'],
	['a recording of perf that is cut', ['perf.data'], 3, 'perf.data: ends within its header'],
	['a recording of perf without the program', ['samples.data'], 3, 'holds addresses and no symbols; give the program that was recorded: --elf PROGRAM'],
	['a program', ['app'], 3, 'is a program, not what it wrote'],
	['a map in the place of a dump', ['a.map.json'], 3, 'is the map of a build'],
])('%s', async (_, argv, status, message) => {
	file('a.txt', 'main\n');
	file('perf.data', 'PERFILE2\0\0');
	file('samples.data', perfDataFile([{}], [sample(0x1000, 1, 1, 5)]));
	file('app', '\x7fELF\x02\x01');
	file('empty.order', '');
	file('prose.txt', 'This is a sentence, not a list.\n');
	const { stdout, stderr, exit } = await decode(...argv);
	expect([stdout, exit]).toEqual(['', status]);
	expect(stderr).toContain(message);
});

test('commands of the group', async () => {
	const run = (...argv: string[]): Promise<AssayRun> => runAssay(['order', ...argv], folder);
	expect(await run()).toMatchObject({ exit: 2, stderr: expect.stringContaining('a command is missing') });
	expect(await run('nix')).toMatchObject({ exit: 2, stderr: expect.stringContaining("there is no command 'nix'. Commands: ") });
	expect((await run('help', 'decode')).stdout).toContain('usage: assay order decode');
	expect((await run('decode', '--nix')).stderr).toMatch(/^assay order decode: .*See assay order decode --help\.\n$/);
});
