import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { InputError, UsageError } from '../model/problem.js';
import { instrumentFiles } from './instrument-files.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-instrument-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));
fs.mkdirSync(path.join(folder, 'a'));
fs.mkdirSync(path.join(folder, 'b'));
for (const name of ['a/one.ll', 'b/two.ll']) {
	fs.copyFileSync(path.join(root, 'examples', 'order', 'hello.ll'), path.join(folder, name));
}

const choice = { only: [], skip: [], bufferEntries: 16, isRing: false, bitmap: 'byte' } as const;
const request = { output: 'out', map: 'map.json', choice, workingDirectory: folder, report: () => {} };

test('each under its path below the common folder, paths from the working directory, what is done is told', async () => {
	const told: string[] = [];
	const { modules, map, mapPath, output } = await instrumentFiles({ ...request, inputs: ['a/one.ll', 'b/two.ll'], report: (text) => told.push(text) });
	expect(modules.map(({ input, output: to }) => [input, to])).toEqual([
		['a/one.ll', 'out/a/one.ll'],
		['b/two.ll', 'out/b/two.ll'],
	]);
	expect(told).toEqual(['reading a/one.ll', 'reading b/two.ll', 'writing out/a/one.ll', 'writing out/b/two.ll']);
	expect([output, mapPath]).toEqual(['out', 'map.json']);
	expect(map.modules.map(({ id }) => id)).toEqual(modules.map(({ module }) => module.id));
	expect(new Set(map.modules.map(({ id }) => id)).size).toBe(2);
	expect(fs.readFileSync(path.join(folder, 'out', 'b', 'two.ll'), 'utf8')).toContain('assay_order');
	expect(JSON.parse(fs.readFileSync(path.join(folder, 'map.json'), 'utf8'))).toMatchObject({ buildId: map.buildId });
});

test.each([
	[['a/one.ll', 'a/one.ll'], 'out2', '"a/one.ll" is given twice'],
	[['a/one.ll', 'b/two.ll'], '.', '"a/one.ll" would be overwritten'],
])('%j to %s is refused before anything is written', async (inputs, output, message) => {
	const before = fs.readFileSync(path.join(folder, 'a', 'one.ll'));
	const refused = instrumentFiles({ ...request, inputs, output });
	await expect(refused).rejects.toThrow(UsageError);
	await expect(refused).rejects.toThrow(message);
	expect(fs.readFileSync(path.join(folder, 'a', 'one.ll'))).toEqual(before);
	expect(fs.existsSync(path.join(folder, 'out2'))).toBe(false);
});

test('a file that is none: nothing is written', async () => {
	await expect(instrumentFiles({ ...request, inputs: ['a/one.ll', 'missing.ll'], output: 'out3' })).rejects.toThrow(InputError);
	expect(fs.existsSync(path.join(folder, 'out3'))).toBe(false);
});

test('a module of Mach-O: the map says so, and patterns need no underscore', async () => {
	const text = fs.readFileSync(path.join(folder, 'a', 'one.ll'), 'utf8').replace(/m:e/, 'm:o');
	fs.writeFileSync(path.join(folder, 'macho.ll'), text);
	const { map } = await instrumentFiles({ ...request, inputs: ['macho.ll'], output: 'macho', map: 'macho.json', choice: { ...choice, skip: ['main'] } });
	expect(map.modules.map(({ isMachO }) => isMachO)).toEqual([true]);
	expect(map.modules[0]?.functions.every(({ symbol }) => symbol.startsWith('_'))).toBe(true);
	expect(map.modules[0]?.omitted).toEqual([{ symbol: '_main', reason: 'skipped' }]);
	const { readOrderMap } = await import('../formats/order-map/read.js');
	const { memorySource } = await import('../bytes/source.js');
	expect(readOrderMap(memorySource('macho.json', fs.readFileSync(path.join(folder, 'macho.json'))))).toEqual(map);
});
