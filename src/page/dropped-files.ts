/** Files that were dropped on the page: in a folder of their own, which its owner alone can read. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { InputError } from '../model/problem.js';
import type { LogFile } from '../recording/log-file.js';

/** Of all files that are dropped together. */
const MOST_DROPPED_BYTES = 1 << 30;
const MOST_FILES = 1000;
const LONGEST_NAME = 120;

export class DroppedFiles {
	private folder: string | null = null;
	private files: LogFile[] = [];
	private bytes = 0;
	private number = 0;

	/** Throws an {@link InputError} when they are too many bytes. */
	async add(name: string, body: AsyncIterable<Buffer>): Promise<void> {
		this.folder ??= fs.mkdtempSync(path.join(os.tmpdir(), 'assay-dropped-'));
		const shown = nameOf(name);
		if (this.files.length >= MOST_FILES) {
			throw tooMuch(shown, `more than ${MOST_FILES} files were dropped`);
		}
		// The number keeps two of one name apart, and no name leads out of the folder.
		const own = path.join(this.folder, String(this.number++));
		fs.mkdirSync(own);
		const filePath = path.join(own, shown);
		const file = await fs.promises.open(filePath, 'wx', 0o600);
		try {
			for await (const piece of body) {
				this.bytes += piece.length;
				if (this.bytes > MOST_DROPPED_BYTES) {
					throw tooMuch(shown, `more than ${MOST_DROPPED_BYTES >> 20} MiB were dropped`);
				}
				await file.writeFile(piece);
			}
		} catch (error) {
			this.forget([...this.take(), { filePath, name: shown }]);
			throw error;
		} finally {
			await file.close();
		}
		this.files.push({ filePath, name: shown });
	}

	/** Those since the last time. */
	take(): readonly LogFile[] {
		const taken = this.files;
		this.files = [];
		this.bytes = 0;
		return taken;
	}

	/** Removes files that nobody reads any more. */
	forget(files: readonly LogFile[]): void {
		for (const { filePath } of files) {
			fs.rmSync(path.dirname(filePath), { recursive: true, force: true });
		}
	}

	remove(): void {
		if (this.folder !== null) {
			fs.rmSync(this.folder, { recursive: true, force: true });
		}
	}
}

function nameOf(name: string): string {
	const plain = name
		.replace(/^.*[\\/]/s, '')
		.replace(/[^\w.+-]/g, '_')
		.replace(/^\.+/, '_')
		.slice(-LONGEST_NAME);
	return plain === '' ? 'dropped' : plain;
}

function tooMuch(file: string, message: string): InputError {
	return new InputError({ severity: 'error', file, message, action: 'start assay open with the files on the command line' });
}
