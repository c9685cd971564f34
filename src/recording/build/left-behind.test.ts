/** Processes that go on: of a copy of a program, so that no other ones are meant. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { LeftBehind } from './left-behind.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-left-behind-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test.runIf(process.platform === 'linux')('are waited for; those that stay are told, and not waited for again', async () => {
	const program = path.join(folder, 'sleeper');
	fs.copyFileSync('/bin/sleep', program);
	fs.chmodSync(program, 0o755);
	fs.symlinkSync('sleeper', path.join(folder, 'link'));
	const { signal } = new AbortController();
	const programs = [path.join(folder, 'link'), path.join(folder, 'missing')];
	expect(await new LeftBehind(signal).wait(programs)).toEqual([]);
	const started = (seconds: string) =>
		new Promise<ReturnType<typeof spawn>>((resolve) => {
			const child = spawn(program, [seconds]);
			child.once('spawn', () => resolve(child));
		});
	await started('0.3');
	const behind = new LeftBehind(signal);
	expect(await behind.wait(programs)).toEqual([]);
	const staying = await started('600');
	const impatient = new LeftBehind(signal, 200);
	expect(await impatient.wait(programs)).toEqual([staying.pid]);
	// The next command did not start it.
	expect(await impatient.wait(programs)).toEqual([]);
	const second = await started('600');
	expect(await impatient.wait(programs)).toEqual([second.pid]);
	second.kill();
	await new Promise((resolve) => second.once('exit', resolve));
	const stopped = new AbortController();
	stopped.abort(new Error('interrupted'));
	await expect(new LeftBehind(stopped.signal).wait(programs)).rejects.toThrow();
	staying.kill();
});
