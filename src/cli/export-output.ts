/** Where an export goes: a file, a folder of files, or standard output. */
import fs from 'node:fs';
import path from 'node:path';
import { UsageError } from '../model/problem.js';
import { createOutputFile, unwritable } from '../recording/output-file.js';
import { TextWriter } from '../render/text-writer.js';
import { type CommandIo, OutputClosed } from './io.js';

export interface ExportOutput {
	text(text: string): void;
	bytes(bytes: Uint8Array): void;
	/** Writes what is left, and puts the file in its place. */
	end(): void;
	/** Leaves what was there; nothing after {@link end}. */
	discard(): void;
}

/** `file` null: standard output, which takes bytes only where nobody reads them on a terminal. */
export function openOutput(file: string | null, isBinary: boolean, io: CommandIo): ExportOutput {
	return file === null ? standardOutput(isBinary, io) : fileOutput(path.resolve(io.workingDirectory, file), file);
}

function standardOutput(isBinary: boolean, io: CommandIo): ExportOutput {
	const { outBytes } = io;
	if (isBinary && (io.isTerminal || outBytes === undefined)) {
		throw new UsageError('this format is no text: say where to write it, -o FILE');
	}
	const writer = new TextWriter((block) => io.out(block));
	return { text: (text) => writer.raw(text), bytes: (bytes) => outBytes?.(bytes), end: () => writer.flush(), discard() {} };
}

function fileOutput(filePath: string, name: string): ExportOutput {
	const file = attempt(name, () => createOutputFile(filePath));
	const writeAll = (bytes: Uint8Array): void => attempt(name, () => file.write(bytes));
	const writer = new TextWriter((block) => writeAll(Buffer.from(block)));
	return {
		text: (text) => writer.raw(text),
		bytes: writeAll,
		end: () => {
			writer.flush();
			attempt(name, () => file.end());
		},
		discard: () => file.discard(),
	};
}

/** Makes the folder where it is not there. */
export function makeFolder(folder: string, io: CommandIo): void {
	attempt(folder, () => fs.mkdirSync(path.resolve(io.workingDirectory, folder), { recursive: true }));
}

/** `folder/`, or one that is there. */
export function isFolderName(name: string, io: CommandIo): boolean {
	return /[/\\]$/.test(name) || (fs.statSync(path.resolve(io.workingDirectory, name), { throwIfNoEntry: false })?.isDirectory() ?? false);
}

function attempt<T>(file: string, act: () => T): T {
	try {
		return act();
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EPIPE') {
			throw new OutputClosed();
		}
		throw unwritable(file, error);
	}
}
