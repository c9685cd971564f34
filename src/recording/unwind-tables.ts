/** How the frames of mapped files lead to their callers': of the executables of a recording, and of those of this machine that surely are the ones that were mapped. */
import fs from 'node:fs';
import { readUnwindTable } from '../formats/shared/elf/unwind-table.js';
import type { MappedLibrary } from '../model/native-symbols.js';
import type { UnwindTable, UnwindTables } from '../model/unwinding.js';
import { openIfThere } from './debug-files.js';
import type { LogFile } from './log-file.js';
import { programSource } from './native-code.js';

/** `held`: where files can be opened that may not be there any more, by the paths that they had. */
export function unwindTables(programs: readonly LogFile[], held: ReadonlyMap<string, string> = new Map()): UnwindTables {
	return {
		tableOf(library) {
			try {
				return library.name.startsWith('/') ? tableOfFile(library, programs, held.get(library.name) ?? library.name) : null;
			} catch {
				// A file that cannot be read has no table.
				return null;
			}
		},
	};
}

function tableOfFile(library: MappedLibrary, programs: readonly LogFile[], file: string): UnwindTable | null {
	const isTold = library.buildId !== null || fs.statSync(file, { throwIfNoEntry: false })?.ino !== library.inode;
	const source = isTold ? programSource(library, programs, file) : openIfThere(file);
	if (source === null) {
		return null;
	}
	try {
		return readUnwindTable(source);
	} finally {
		if (!programs.some((one) => one.source === source)) {
			source.close();
		}
	}
}
