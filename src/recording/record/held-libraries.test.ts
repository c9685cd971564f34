/** Files that a process has mapped, held open: of this process. */
import fs from 'node:fs';
import { expect, test } from 'vitest';
import { readBuildId } from '../../formats/shared/elf/native-symbols.js';
import { openIfThere } from '../debug-files.js';
import { machineSymbols } from '../machine-symbols.js';
import { HeldLibraries } from './held-libraries.js';

test('can be read where they are held, until the end', async () => {
	const program = fs.realpathSync(process.execPath);
	const held = new HeldLibraries(process.pid);
	held.look();
	const places = held.files;
	held.look();
	expect(held.files).toEqual(places);
	const place = places.get(program)!;
	expect(place).toMatch(/^\/proc\/self\/fd\/\d+$/);
	const source = openIfThere(place)!;
	const buildId = readBuildId(source);
	source.close();
	const { ino } = fs.statSync(program);
	const library = { name: '/gone', buildId, inode: ino, kernelText: null };
	// Of a path that is not there any more.
	const symbols = (await machineSymbols(new Map([['/gone', place]]))).symbolsOf(library);
	expect(symbols).not.toBeNull();
	expect((await machineSymbols()).symbolsOf(library)).toBeNull();
	expect((await machineSymbols(new Map([['/gone', place]]))).symbolsOf({ ...library, buildId: null, inode: ino + 1 })).toBeNull();
	held.end();
	expect(held.files.size).toBe(0);
});

test('of a process that has ended there are none', () => {
	const held = new HeldLibraries(2 ** 30);
	held.look();
	expect(held.files.size).toBe(0);
	held.end();
});
