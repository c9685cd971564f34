/** A command of assay in a process of its own, with its streams apart: programs that it runs write to ours otherwise. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { endOf } from '../recording/child-end.js';
import { RUNTIME_FOLDER } from '../recording/runtime-folder.js';

export interface OwnProcessRun {
	readonly status: number;
	/** The end of standard error. */
	readonly said: string;
	/** The end of standard output. */
	readonly printed: string;
}

const MOST_CHARACTERS = 4000;
const ENTRY = path.join(RUNTIME_FOLDER, '..', 'bin', 'assay.js');

export async function runAssay(words: readonly string[], workingDirectory: string, environment: NodeJS.ProcessEnv = process.env): Promise<OwnProcessRun> {
	const child = spawn(process.execPath, [ENTRY, ...words], { cwd: workingDirectory, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
	const said = new Tail();
	const printed = new Tail();
	child.stdout.on('data', (bytes: Buffer) => printed.add(bytes));
	child.stderr.on('data', (bytes: Buffer) => said.add(bytes));
	const { status } = await endOf(child);
	return { status: status ?? 1, said: said.text(), printed: printed.text() };
}

/** The last bytes of a stream. */
class Tail {
	private bytes = Buffer.alloc(0);

	add(more: Buffer): void {
		this.bytes = Buffer.concat([this.bytes, more]).subarray(-MOST_CHARACTERS);
	}

	text(): string {
		return this.bytes.toString();
	}
}
