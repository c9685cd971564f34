/** The recorded program: a child that waits until it is sampled, then becomes the program in the same process. */
import { spawn } from 'node:child_process';
import os from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { type ChildEnd, endOf } from '../child-end.js';

export interface Program {
	readonly processId: number;
	/** Lets it begin. */
	release(): void;
	kill(signal: NodeJS.Signals): void;
	readonly exit: Promise<ChildEnd>;
}

/** Reads a line from descriptor 3, then is the program: nothing of it is missed, and its process id is known before. */
const WAITING = 'read -r _ <&3; exec "$@" 3<&-';

/**
 * Starts it with our own standard streams and process group. Rejects when it cannot be started. Where `watchOutput` is given, what the program prints is handed on
 * to our standard output and shown to it first.
 */
export async function startProgram(
	argv: readonly string[],
	folder: string,
	environment: NodeJS.ProcessEnv,
	watchOutput: ((bytes: Uint8Array) => void) | null = null,
): Promise<Program> {
	const child = spawn('/bin/sh', ['-c', WAITING, 'sh', ...argv], {
		cwd: folder,
		env: environment,
		stdio: ['inherit', watchOutput === null ? 'inherit' : 'pipe', 'inherit', 'pipe'],
	});
	if (watchOutput !== null && child.stdout !== null) {
		handOn(child.stdout, watchOutput);
	}
	await new Promise<void>((resolve, reject) => {
		child.once('spawn', resolve);
		child.once('error', reject);
	});
	const { pid } = child;
	if (pid === undefined) {
		throw new Error('a program that was started has no process id');
	}
	const gate = child.stdio[3] as Writable;
	gate.on('error', () => {});
	return {
		processId: pid,
		release: () => gate.end('\n'),
		kill: (signal) => {
			child.kill(signal);
		},
		exit: endOf(child),
	};
}

/** Nobody may listen any more, or a disk be full: the program is recorded to its end. */
function handOn(output: Readable, watchOutput: (bytes: Uint8Array) => void): void {
	let isHeard = true;
	process.stdout.on('error', () => {
		isHeard = false;
	});
	output.on('data', (bytes: Uint8Array) => {
		watchOutput(bytes);
		if (isHeard) {
			process.stdout.write(bytes);
		}
	});
}

/** As shells have it: the program's own, or 128 and the number of the signal that ended it. */
export function exitStatus({ status, signal }: ChildEnd): number {
	return status ?? 128 + (signal === null ? 0 : os.constants.signals[signal]);
}
