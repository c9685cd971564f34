/** How the frames of mapped files lead to their callers': of the executables of a recording, and of those of this machine that surely are the ones that were mapped. */
import fs from 'node:fs';
import { memorySource } from '../bytes/source.js';
import { readUnwindTable } from '../formats/shared/elf/unwind-table.js';
import type { MappedLibrary } from '../model/native-symbols.js';
import type { UnwindTable, UnwindTables } from '../model/unwinding.js';
import { openIfThere } from './debug-files.js';
import type { LogFile } from './log-file.js';
import { readVdso } from './machine-symbols.js';
import { programSource } from './native-code.js';

/** What the kernel maps into every process. No build id tells which one it was: that of the recording is kept there. */
const VDSO = '[vdso]';
const KEPT_VDSO = /(?:^|\/)vdso\.[0-9a-f]+\.elf$/;

/** `held`: where files can be opened that may not be there any more, by the paths that they had; null: what was recorded may be of another machine. */
export function unwindTables(programs: readonly LogFile[], held: ReadonlyMap<string, string> | null = null): UnwindTables {
	return {
		tableOf(library) {
			try {
				if (library.name === VDSO) {
					return tableOfVdso(programs, held !== null);
				}
				return library.name.startsWith('/') ? tableOfFile(library, programs, held?.get(library.name) ?? library.name) : null;
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

function tableOfVdso(programs: readonly LogFile[], isOwn: boolean): UnwindTable | null {
	const kept = programs.find(({ name }) => KEPT_VDSO.test(name));
	const bytes = kept === undefined && isOwn ? readVdso() : null;
	const source = kept === undefined ? (bytes === null ? null : memorySource(VDSO, bytes)) : (kept.source ?? openIfThere(kept.filePath));
	const table = source === null ? null : readUnwindTable(source);
	if (kept?.source === undefined) {
		source?.close();
	}
	return table;
}
