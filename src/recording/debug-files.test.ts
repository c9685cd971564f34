/** Debug information that was put apart, or packed with Zstandard, tells what it told in the program itself. */
import fs from 'node:fs';
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { memorySource } from '../bytes/source.js';
import { openDebugInformation } from '../formats/shared/dwarf/debug-information.js';
import { debugFileOf, isDebugFile } from './debug-files.js';
import { zstdUnpacker } from './zstd-library.js';

const SEPARATE = 'fixtures/native/separate';
const STRIPPED = `${SEPARATE}/demo.fc0f4f149bdb.elf`;
const DEBUG = `${SEPARATE}/demo.debug.fc0f4f149bdb.elf`;
const sourceOf = (file: string) => memorySource(file, fs.readFileSync(file));

test('sections that are packed with Zstandard', async () => {
	const plain = sourceOf('fixtures/native/dwarf/demo.elf');
	const packed = sourceOf('fixtures/native/dwarf/demozstd.elf');
	const problems: string[] = [];
	const told = (message: string): number => problems.push(message);
	const expected = openDebugInformation(plain, () => null, told);
	const information = openDebugInformation(packed, () => null, told, await zstdUnpacker());
	let frames = 0;
	for (let address = 0x1000; address < 0x1400; address++) {
		const chain = information?.chainAt(address) ?? [];
		expect(chain).toEqual(expected?.chainAt(address));
		frames += chain.length;
	}
	expect(frames).toBeGreaterThan(500);
	expect(problems).toEqual([]);
	expect(openDebugInformation(packed, () => null, told)).toBeNull();
	expect(problems).toEqual(['.debug_info is compressed in a way that is not read']);
	const damaged = fs.readFileSync('fixtures/native/dwarf/demozstd.elf').fill(0x55, 0x3090, 0x3100);
	expect(openDebugInformation(memorySource('a', damaged), () => null, told, await zstdUnpacker())).toBeNull();
});

test('a debug file is found among the files of a recording, by its build id', () => {
	expect([STRIPPED, DEBUG].map((file) => isDebugFile(sourceOf(file)))).toEqual([false, true]);
	const given = [STRIPPED, DEBUG].map((filePath) => ({ filePath, name: filePath }));
	const found = debugFileOf(sourceOf(STRIPPED), '/nowhere/demo', given);
	expect(found?.name).toBe(DEBUG);
	found?.close();
	expect(
		debugFileOf(
			sourceOf('fixtures/native/omitted/'.concat(fs.readdirSync('fixtures/native/omitted').find((name) => name.endsWith('.elf'))!)),
			'/nowhere/demo',
			given,
		),
	).toBeNull();
});

test('functions and lines are those of the program before strip', async () => {
	const linesOf = async (...files: readonly string[]): Promise<string> => {
		const { stdout } = await runAssay(['hot', ...files, '--by', 'line'], '.');
		return stdout.slice(stdout.indexOf('Samples by line'));
	};
	const whole = await linesOf('fixtures/native/demo');
	expect(whole).toContain('mix:10');
	expect(await linesOf('fixtures/native/demo/perf.data.gz', STRIPPED, DEBUG)).toBe(whole);
	const { stdout } = await runAssay(['doctor', 'fixtures/native/demo/perf.data.gz', STRIPPED], '.');
	expect(stdout).toContain('give demo as it was before strip, or compile it with -g');
});
