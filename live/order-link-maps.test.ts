/** Maps of the linkers that are installed here, against what nm says of the same program: each function at its address, also local ones. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
