import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { rescueCompilerLogs } from './rescue-compiler-logs.js';

/** Above what Linux gives. */
const ENDED = 999_999_999;

test('the notes of a JVM that has ended are moved; those of others and links are left alone', () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-rescue-'));
	const from = path.join(folder, 'from');
	const to = path.join(folder, 'to');
	fs.mkdirSync(from);
	fs.mkdirSync(to);
	const left = [`hs_c2_pid${process.pid}.log`, 'hs_c3_pid999999998.log', `hs_cx_pid${ENDED}.log`];
	for (const name of [`hs_c1_pid${ENDED}.log`, ...left]) {
		fs.writeFileSync(path.join(from, name), name);
	}
	fs.symlinkSync('/etc/hosts', path.join(from, `hs_c9_pid${ENDED}.log`));
	rescueCompilerLogs(to, new Set([ENDED, process.pid]), from);
	rescueCompilerLogs(to, new Set([ENDED]), path.join(folder, 'absent'));
	expect(fs.readdirSync(to)).toEqual([`hs_c1_pid${ENDED}.log`]);
	expect(fs.readdirSync(from).sort()).toEqual([...left, `hs_c9_pid${ENDED}.log`].sort());
	fs.rmSync(folder, { recursive: true, force: true });
});
