/** `assay order instrument`: what is written where, the map, choices, JSON, wrong use. That programs run as before is for live/order-instrument.test.ts. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AssayRun, runAssay } from '../../../test/run-assay.js';
import { memorySource } from '../../bytes/source.js';
import { readOrderMap } from '../../formats/order-map/read.js';
import type { OrderMap } from '../../model/order-map.js';

const root = path.resolve(import.meta.dirname, '..', '..', '..');
const validate = new Ajv2020({ allErrors: true, strict: false }).compile(
	JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'order-instrument.json'), 'utf8')),
);
let folder = '';

const ir = (source: string, body: string): string => `source_filename = "${source}"\n\n${body}`;
const HELPER = 'define internal i32 @helper(i32 %0) {\n  ret i32 %0\n}\n';
const MODULES: Record<string, string> = {
	'in/a.ll': ir(
		'a.c',
		`${HELPER}\ndefine i32 @main() #0 {\n  ret i32 0\n}\n\ndefine void @nak() #1 {\n  unreachable\n}\nattributes #0 = { nounwind }\nattributes #1 = { naked }\n`,
	),
	'in/sub/b.ll': ir('b.c', `${HELPER}\ndefine available_externally void @elsewhere() {\n  ret void\n}\n\ndefine void @quiet() noprofile {\n  ret void\n}\n`),
	'in/sub/none.ll': ir('none.c', '@x = global i8 0\n'),
};

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-instrument-'));
	for (const [name, text] of Object.entries(MODULES)) {
		fs.mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
		fs.writeFileSync(path.join(folder, name), text);
	}
	fs.writeFileSync(path.join(folder, 'in/z.ll.gz'), gzipSync(MODULES['in/a.ll']!));
	fs.writeFileSync(path.join(folder, 'typed.ll'), ir('t.c', 'define void @f(i8* %0) {\n  ret void\n}\n'));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const instrument = (...argv: string[]): Promise<AssayRun> => runAssay(['order', 'instrument', ...argv], folder);
const text = (name: string): string => fs.readFileSync(path.join(folder, name), 'utf8');
const map = (name: string): OrderMap => readOrderMap(memorySource(name, fs.readFileSync(path.join(folder, name))));
const INPUTS = ['in/a.ll', 'in/sub/b.ll', 'in/sub/none.ll'];

describe('assay order instrument', () => {
	test('writes each module under its path and a map of all', async () => {
		const run = await instrument(...INPUTS, '-o', 'out', '--map', 'out.json');
		expect(run).toMatchObject({ exit: 0, stderr: '' });
		expect(run.stdout).toContain('3 functions of 3 modules instrumented');
		expect(run.stdout).toContain('left out: 1 function, they have no prologue: registers would be lost: nak');
		const { modules } = map('out.json');
		expect(modules.map(({ name, functions }) => [name, functions.map(({ symbol }) => symbol)])).toEqual([
			['a.c', ['helper', 'main']],
			['b.c', ['helper']],
			['none.c', []],
		]);
		expect(modules[1]?.omitted).toEqual([
			{ symbol: 'elsewhere', reason: 'available_externally' },
			{ symbol: 'quiet', reason: 'noprofile' },
		]);
		const a = text('out/a.ll');
		const [first] = modules;
		expect(a).toContain(
			`{ i32 ${first?.id}, i32 2, i64 ${BigInt(`0x${first?.hash}`)}, i32 32, i32 0, [8 x i8] zeroinitializer }, section "assay_order_modules"`,
		);
		expect(a).toContain(`store i64 ${(1n << 32n) | BigInt(first?.id as number)}, ptr %assay.order.place`);
		expect(a.match(/assay\.order\.cont:/g)).toHaveLength(2);
		expect(text('out/sub/b.ll').match(/assay\.order\.cont:/g)).toHaveLength(1);
		expect(text('out/sub/none.ll')).toBe(MODULES['in/sub/none.ll']);
		expect(fs.readdirSync(path.join(folder, 'out')).sort()).toEqual(['a.ll', 'sub']);
	});

	test('gives the same again, and the same ids when other modules change', async () => {
		await instrument(...INPUTS, '-o', 'again', '--map', 'again.json');
		expect(text('again/a.ll')).toBe(text('out/a.ll'));
		expect(text('again.json')).toBe(text('out.json'));
		await instrument('in/sub/b.ll', '-o', 'alone', '--map', 'alone.json');
		expect(map('alone.json').modules[0]?.id).toBe(map('out.json').modules[1]?.id);
		expect(map('alone.json').buildId).not.toBe(map('out.json').buildId);
	});

	test('tells modules of one source file apart by their path', async () => {
		await instrument('in/a.ll', 'in/z.ll.gz', '-o', 'two', '--map', 'two.json');
		const { modules } = map('two.json');
		expect(modules.map(({ name }) => name)).toEqual(['a.c (a.ll)', 'a.c (z.ll)']);
		expect(modules[0]?.id).not.toBe(modules[1]?.id);
		expect(fs.existsSync(path.join(folder, 'two/z.ll'))).toBe(true);
	});

	test('chooses functions by patterns', async () => {
		await instrument('in/a.ll', '-o', 'only', '--map', 'only.json', '--only', 'm*', '--only', 'helper', '--skip', 'help*');
		const [module] = map('only.json').modules;
		expect(module?.functions.map(({ symbol }) => symbol)).toEqual(['main']);
		expect(module?.omitted).toEqual([
			{ symbol: 'helper', reason: 'skipped' },
			{ symbol: 'nak', reason: 'naked' },
		]);
		expect(text('only/a.ll')).toContain('define internal i32 @helper(i32 %0) {\n  ret i32 %0\n}');
	});

	test('takes sizes of the buffer, a ring and a bitmap of bits', async () => {
		await instrument('in/a.ll', '-o', 'small', '--map', 'small.json', '--buffer-entries', '100', '--ring', '--bitmap', 'bit');
		const small = text('small/a.ll');
		expect(small).toContain('@__assay_order_end = hidden constant ptr getelementptr (i8, ptr @__assay_order_buffer, i64 800), comdat');
		expect(small).toContain('urem i64');
		expect(small).toContain('atomicrmw or ptr');
		expect(map('small.json')).toMatchObject({ bufferEntries: 100, isRing: true });
		await instrument('in/a.ll', '-o', 'large', '--map', 'large.json', '--buffer-entries', '200000');
		expect(text('large/a.ll')).toContain('@__assay_order_buffer = hidden global [204800 x i64] zeroinitializer, comdat($__assay_order_end), align 65536');
	});

	test('as JSON is as the schema says', async () => {
		const run = await instrument(...INPUTS, '-o', 'out', '--map', 'out.json', '--json');
		const parsed = JSON.parse(run.stdout);
		expect(validate(parsed), JSON.stringify(validate.errors)).toBe(true);
		expect(parsed.result.modules.map((module: { functions: unknown[]; omitted: unknown[] }) => [module.functions.length, module.omitted.length])).toEqual([
			[2, 1],
			[1, 2],
			[0, 0],
		]);
		const failed = await instrument('typed.ll', '-o', 'out', '--map', 'typed.json', '--json');
		expect(failed.exit).toBe(3);
		expect(validate(JSON.parse(failed.stdout))).toBe(true);
	});

	test('refuses IR that is not for it, and writes nothing', async () => {
		const run = await instrument('in/a.ll', 'typed.ll', '-o', 'nothing', '--map', 'nothing.json');
		expect(run).toMatchObject({ exit: 3, stdout: '' });
		expect(run.stderr).toMatch(/typed\.ll:3: the IR has typed pointers .* before 15; compile with clang 15 or later/);
		expect(fs.existsSync(path.join(folder, 'nothing'))).toBe(false);
		expect((await instrument('out/a.ll', '-o', 'nothing', '--map', 'nothing.json')).stderr).toMatch(/instrumented already/);
		expect((await instrument('missing.ll', '-o', 'nothing', '--map', 'nothing.json')).exit).toBe(3);
		expect(fs.existsSync(path.join(folder, 'nothing.json'))).toBe(false);
	});

	test.each([
		[[], /FILE\.ll|IR text is expected/],
		[['in/a.ll'], /-o DIR is expected/],
		[['in/a.ll', '-o', 'x'], /--map MAP\.json is expected/],
		[['in/a.ll', 'in/a.ll', '-o', 'x', '--map', 'm'], /given twice/],
		[['in/a.ll', '-o', 'in', '--map', 'm'], /would be overwritten/],
		[['in/a.ll', '-o', 'x', '--map', 'm', '--bitmap', 'nibble'], /byte or bit/],
		[['in/a.ll', '-o', 'x', '--map', 'm', '--buffer-entries', '0'], /whole number from 1/],
		[['in/a.ll', '-o', 'x', '--map', 'm', '--buffer-entries', '999999999'], /at most/],
	])('wrong use: %j', async (argv, message) => {
		const run = await instrument(...argv);
		expect(run.exit).toBe(2);
		expect(run.stderr).toMatch(message);
	});

	test('explains itself, and its example runs', async () => {
		const { stdout } = await instrument('--help');
		expect(
			stdout
				.replaceAll(path.join(root, 'runtime'), 'runtime')
				.split('\n')
				.filter((line) => line.length > 80),
		).toEqual([]);
		const run = await runAssay(['order', 'instrument', 'examples/order/hello.ll', '-o', path.join(folder, 'x'), '--map', path.join(folder, 'x.json')], root);
		expect(run.exit).toBe(0);
		expect(fs.readdirSync(path.join(root, 'runtime')).sort()).toEqual(['assay.jfc', 'assay_agent.c', 'assay_order.c', 'prebuilt']);
	});
});
