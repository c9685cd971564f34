import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeProgramAway } from './built-programs.js';

let folder = '';

beforeEach(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-built-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** The head of a 64-bit ELF file of x86-64, and what tells it from others. */
function program(name: string, what: string): string {
	const head = Buffer.alloc(64);
	head.write('\x7fELF\x02\x01\x01', 'latin1');
	head.writeUInt16LE(2, 16);
	const file = path.join(folder, name);
	fs.mkdirSync(path.dirname(file), { recursive: true });
	fs.writeFileSync(file, Buffer.concat([head, Buffer.from(what)]), { mode: 0o755 });
	return file;
}

test('copies of a program go with it, other programs and other files stay', async () => {
	const made = program('programs/app', 'app');
	program('app', 'app');
	program('bin/app-1.2', 'app');
	program('other', 'another');
	fs.writeFileSync(path.join(folder, 'app.txt'), fs.readFileSync(made), { mode: 0o644 });
	const to = path.join(folder, 'away');
	expect(await takeProgramAway(folder, made, to)).toBe(3);
	expect(fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()).toEqual(['app.txt', 'away', 'bin', 'other', 'programs']);
	expect(fs.readFileSync(to).subarray(64).toString()).toBe('app');
});
