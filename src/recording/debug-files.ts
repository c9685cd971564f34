/**
 * Separate debug files: what `objcopy --only-keep-debug` and distributions put apart. They are found among the files of a recording, by build id under
 * /usr/lib/debug, and by the name in `.gnu_debuglink`, where gdb looks for it; their build id has to be the program's.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Source } from '../bytes/source.js';
import { decodeUtf8 } from '../bytes/string-table.js';
import { readBuildId } from '../formats/shared/elf/native-symbols.js';
import { readSectionTable, SHT_NOBITS, tableBytes } from '../formats/shared/elf/section-table.js';
import { fileSource } from './file-source.js';
import type { LogFile } from './log-file.js';

export const SYSTEM_DEBUG_FOLDER = '/usr/lib/debug';

/** Its code is elsewhere. */
export function isDebugFile(source: Source): boolean {
	const table = readSectionTable(source);
	return table.kind !== 'unusable' && table.headers[table.names.indexOf('.text')]?.type === SHT_NOBITS;
}

/** Of a program that was at `place`; `given`: files of the recording. null: there is none. */
export function debugFileOf(program: Source, place: string, given: readonly LogFile[]): Source | null {
	const id = readBuildId(program);
	if (id === null) {
		return null;
	}
	const isOf = (source: Source): boolean => readBuildId(source) === id && isDebugFile(source);
	for (const file of given) {
		const source = file.source ?? openIfThere(file.filePath);
		if (source !== null && isOf(source)) {
			return source;
		}
	}
	for (const file of [`${SYSTEM_DEBUG_FOLDER}/.build-id/${id.slice(0, 2)}/${id.slice(2)}.debug`, ...linkedPlaces(program, place)]) {
		const source = openIfThere(file);
		if (source !== null && readBuildId(source) === id) {
			return source;
		}
		source?.close();
	}
	return null;
}

export function openIfThere(file: string): Source | null {
	try {
		const stats = fs.statSync(file);
		return stats.isFile() ? fileSource(file, file, stats.size) : null;
	} catch {
		return null;
	}
}

/** The name is that of a file, without a folder. */
function linkedPlaces(program: Source, place: string): string[] {
	const table = readSectionTable(program);
	const header = table.kind === 'unusable' ? undefined : table.headers[table.names.indexOf('.gnu_debuglink')];
	if (table.kind === 'unusable' || header === undefined) {
		return [];
	}
	const bytes = tableBytes(table.source, header);
	const end = bytes.indexOf(0);
	const name = end <= 0 ? '' : decodeUtf8(bytes, 0, end);
	const folder = path.dirname(place);
	return name === '' || /[/\0]/.test(name) || name === '..'
		? []
		: [path.join(folder, name), path.join(folder, '.debug', name), path.join(SYSTEM_DEBUG_FOLDER, folder, name)];
}
