import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { endOf } from './child-end.js';

test('what a child leaves behind with its pipes is not waited for', async () => {
	const child = spawn('/bin/sh', ['-c', 'sleep 30 & echo $!; exit 3'], { stdio: ['ignore', 'pipe', 'inherit'] });
	let said = '';
	child.stdout.on('data', (bytes: Buffer) => {
		said += bytes.toString();
	});
	const end = await endOf(child);
	// It is still there.
	process.kill(Number(said), 'SIGKILL');
	expect(end).toEqual({ status: 3, signal: null });
});

test('one that cannot be started says why', async () => {
	await expect(endOf(spawn('/no/such/program'))).rejects.toThrow('ENOENT');
});

test('all that a child said is there', async () => {
	const child = spawn('/bin/sh', ['-c', 'head -c 300000 /dev/zero; kill -TERM $$'], { stdio: ['ignore', 'pipe', 'inherit'] });
	let length = 0;
	child.stdout.on('data', (bytes: Buffer) => {
		length += bytes.length;
	});
	expect(await endOf(child)).toEqual({ status: null, signal: 'SIGTERM' });
	expect(length).toBe(300_000);
});

test('one that cannot be killed is waited for', async () => {
	const child = spawn('/bin/sh', ['-c', 'exit 4'], { stdio: 'ignore' });
	const end = endOf(child);
	child.emit('error', Object.assign(new Error('kill EPERM'), { syscall: 'kill', code: 'EPERM' }));
	expect(await end).toEqual({ status: 4, signal: null });
});
