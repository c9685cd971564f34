/** Maps of the linkers that are installed here, against what nm says of the same program: each function at its address, also local ones. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { optimizeTraces } from '../src/answers/order/optimize.js';
import { type ReadProgram, readProgram } from '../src/answers/order/read-program.js';
import { memorySource } from '../src/bytes/source.js';
import { readGnuMap } from '../src/formats/gnu-map/read.js';
import { readLldMap } from '../src/formats/lld-map/read.js';
import { readMoldMap } from '../src/formats/mold-map/read.js';
import { fixtures, run, tool } from './order-tools.js';

const READERS = { lld: readLldMap, mold: readMoldMap, gold: readGnuMap, bfd: readGnuMap };
const PROGRAMS = { lld: 'ld.lld-22', mold: 'mold', gold: 'ld.gold', bfd: 'ld.bfd' };

let folder = '';
beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-link-maps-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

describe.each(['clang-22', 'gcc'])('%s', (compiler) => {
	beforeAll(() => {
		for (const file of ['start.c', 'other.c', 'classes.cpp']) {
			const program = file.endsWith('.c') ? compiler : compiler === 'gcc' ? 'g++' : 'clang++-22';
			const source = path.join(fixtures, 'linkmaps', file);
			run(tool(program), ['-O2', '-ffunction-sections', '-fno-exceptions', '-c', source, '-o', path.join(folder, `${path.parse(file).name}.o`)]);
		}
		run(tool('ar'), ['rcs', 'libother.a', 'other.o'], { cwd: folder });
	});

	test.each(['lld', 'mold', 'gold', 'bfd'] as const)('%s', (linker) => {
		tool(PROGRAMS[linker]);
		const argv = [`-fuse-ld=${linker}`, 'start.o', 'classes.o', 'libother.a', '-o', 'program', '-Wl,-Map,program.map,--no-demangle'];
		run(tool('clang++-22'), argv, { cwd: folder });
		const bytes = fs.readFileSync(path.join(folder, 'program.map'));
		const { table, problems } = READERS[linker](memorySource('program.map', bytes));
		expect(problems).toEqual([]);
		const { names, addresses } = table.symbols;
		const found = names.map((name, i) => `${addresses[i]!.toString(16)} ${name}`);
		const listed = [...run(tool('nm'), ['--print-size', path.join(folder, 'program')]).matchAll(/^0*([0-9a-f]+) [0-9a-f]+ [tTwW] (.*)$/gm)];
		// Maps of GNU ld and gold have no local symbols; clang puts the constructor of a file into a section without its name.
		const isKnown = (name: string): boolean => !(name === '_GLOBAL__sub_I_classes.cpp' && (linker === 'gold' || linker === 'bfd'));
		const wanted = listed.filter(([, , name = '']) => isKnown(name)).map(([, address, name]) => `${address} ${name}`);
		expect(wanted.length).toBeGreaterThan(9);
		expect(found).toEqual(expect.arrayContaining(wanted));
	});
});

test('sections of functions that are aligned to nothing: told from the program as the map has them, with a word that they are taken so', async () => {
	const names = Array.from({ length: 60 }, (_, i) => `f${i}`);
	const source = [...names.map((name, i) => `__attribute__((noinline)) int ${name}(int x) { return x * ${i + 3} ^ ${i}; }`), 'int main(int n, char **v) {'];
	fs.writeFileSync(path.join(folder, 'small.c'), [...source, ...names.map((name) => `n += ${name}(n);`), 'return n; }'].join('\n'));
	const argv = ['-Os', '-falign-functions=1', '-ffunction-sections', '-fuse-ld=lld', '-Wl,-Map,small.map', 'small.c', '-o', 'small'];
	run(tool('clang-22'), argv, { cwd: folder });
	const read = (name: string) => readProgram({ filePath: path.join(folder, name), name }, name);
	const [told, mapped] = await Promise.all([read('small'), read('small.map')]);
	const sectionsOf = ({ layout }: ReadProgram) => [...layout.sectionStarts].map((start, i) => [start, layout.sectionSizes[i]]).filter(([, size]) => size !== 0);
	expect(sectionsOf(told).length).toBeGreaterThan(60);
	expect(sectionsOf(told)).toEqual(sectionsOf(mapped));
	expect([told.layout.touching, mapped.layout.touching]).toEqual([expect.toSatisfy((count: number) => count >= 59), 0]);
	fs.writeFileSync(path.join(folder, 'small.trace'), 'main\nf7\nf3\n');
	const problems = async (program: string) => (await optimizeTraces({ program, traces: ['small.trace'], workingDirectory: folder })).problems;
	expect(await problems('small')).toEqual([expect.objectContaining({ severity: 'warning', action: expect.stringContaining('-Wl,-Map=FILE') })]);
	expect(await problems('small.map')).toEqual([]);
});
