/**
 * Files that are written: beside their name, and renamed when they are whole. Whatever goes wrong leaves what was there. Pipes and devices are written as they are.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { InputError } from '../model/problem.js';
import { reasonOf } from './system-error.js';

export interface OutputFile {
	write(bytes: Uint8Array): void;
	/** Puts it in its place. */
	end(): void;
	/** Leaves what was there; nothing after {@link end}. */
	discard(): void;
}

/** Throws, as all that it gives, errors of the operating system; what was written is gone then. */
export function createOutputFile(filePath: string): OutputFile {
	const known = fs.statSync(filePath, { throwIfNoEntry: false });
	// Through a link the file itself is replaced.
	const target = known === undefined ? filePath : fs.realpathSync(filePath);
	const mode = known === undefined ? 0o666 : known.mode & 0o777;
	const beside = known === undefined || known.isFile() ? openBeside(target, mode, known !== undefined) : null;
	const descriptor = beside?.descriptor ?? fs.openSync(filePath, 'w');
	let isOpen = true;
	const close = (): void => {
		if (isOpen) {
			isOpen = false;
			fs.closeSync(descriptor);
		}
	};
	const discard = (): void => {
		const wasOpen = isOpen;
		close();
		if (wasOpen && beside !== null) {
			fs.rmSync(beside.name, { force: true });
		}
	};
	const orDiscard = (act: () => void): void => {
		try {
			act();
		} catch (error) {
			discard();
			throw error;
		}
	};
	return {
		write: (bytes) =>
			orDiscard(() => {
				for (let written = 0; written < bytes.length; ) {
					written += fs.writeSync(descriptor, bytes, written);
				}
			}),
		end: () =>
			orDiscard(() => {
				if (beside !== null) {
					fs.renameSync(beside.name, target);
				}
				close();
			}),
		discard,
	};
}

/** null: the folder may not be written, but the file that is there. */
function openBeside(target: string, mode: number, isThere: boolean): { readonly descriptor: number; readonly name: string } | null {
	const name = `${target}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
	try {
		const descriptor = fs.openSync(name, 'wx', mode);
		if (isThere) {
			fs.fchmodSync(descriptor, mode);
		}
		return { descriptor, name };
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (isThere && (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')) {
			return null;
		}
		throw error;
	}
}

/** `action`: what to do about it. */
export function unwritable(file: string, error: unknown, action = 'name another file'): InputError {
	return new InputError({ severity: 'error', file, message: `cannot be written (${reasonOf(error)})`, action });
}
