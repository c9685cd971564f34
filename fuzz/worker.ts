/** Makes inputs and reads them. What hangs or takes too much memory is ended with the worker (main.ts); what is thrown is told. */
import fs from 'node:fs';
import path from 'node:path';
import { parentPort } from 'node:worker_threads';
import { InputError } from '../src/model/problem.js';
import { FOLDERS, runOnFolder } from './folders.js';
import { inputOf } from './inputs.js';
import { AT, DONE, type Report, type Work } from './protocol.js';
import { randomOf } from './random.js';
import { openReaders, sourceOf } from './readers.js';

const tell = (report: Report): void => parentPort?.postMessage(report);
const opened = openReaders();
parentPort?.on('message', (work: Work) => void run(work));

async function run(work: Work): Promise<void> {
	const input = await openInput(work);
	tell({ kind: 'ready' });
	for (let number = work.from; number < work.end; number++) {
		Atomics.store(work.state, AT, number);
		const bytes = input.make(number);
		try {
			await input.read(bytes, number);
		} catch (error) {
			if (!(error instanceof InputError)) {
				tell({ kind: 'failed', number, message: error instanceof Error ? (error.stack ?? error.message) : String(error), bytes });
			}
		}
		Atomics.add(work.state, DONE, 1);
	}
	input.close();
	tell({ kind: 'done' });
}

interface Input {
	/** null: nothing that could be made smaller. */
	readonly make: (number: number) => Uint8Array | null;
	readonly read: (bytes: Uint8Array | null, number: number) => unknown;
	readonly close: () => void;
}

async function openInput({ reader: name, seed, seeds, given, root }: Work): Promise<Input> {
	if (name === FOLDERS) {
		const folder = fs.mkdtempSync(path.join(root, '.cache', 'fuzz', 'folder-'));
		const close = (): void => fs.rmSync(folder, { recursive: true, force: true });
		process.on('exit', close);
		const { main } = (await import(path.join(root, 'dist', 'index.js'))) as Parameters<typeof runOnFolder>[0];
		return { make: () => null, read: (_, number) => runOnFolder({ main }, folder, seeds, randomOf(seed, name, number)), close };
	}
	const reader = (await opened).find((one) => one.name === name);
	if (reader === undefined) {
		throw new Error(`there is no reader ${name}`);
	}
	const own = seeds.map(({ bytes }) => bytes);
	return {
		make: (number) => given ?? inputOf(own, seed, name, number),
		read: (bytes) => {
			const result = reader.read(sourceOf(bytes ?? new Uint8Array(0)));
			// Lazy results count too, up to what a user would see.
			return typeof result === 'object' && result !== null && Symbol.iterator in result && !Array.isArray(result) ? [...(result as Iterable<unknown>)] : result;
		},
		close: () => {},
	};
}
