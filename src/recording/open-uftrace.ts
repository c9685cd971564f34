/** A folder that `uftrace record` wrote, opened and read. */
import fs from 'node:fs';
import path from 'node:path';
import type { Source } from '../bytes/source.js';
import { isUftraceFolder, readUftraceData } from '../formats/uftrace/read-data.js';
import type { ReadTraces } from '../model/function-trace.js';
import { InputError } from '../model/problem.js';
import { asInputError, openFile } from './file-source.js';
import type { LogFile } from './log-file.js';

/** Throws an {@link InputError} when the folder is none of uftrace, or cannot be read. */
export async function openUftrace({ filePath, name }: LogFile): Promise<ReadTraces> {
	const files = new Map<string, Source>();
	try {
		const names = fs.readdirSync(filePath);
		if (!isUftraceFolder(names)) {
			throw new InputError({
				severity: 'error',
				file: name,
				message: 'is a folder, and none that uftrace record wrote',
				action: 'give a file, or a folder with profiles of GCC (.gcda)',
			});
		}
		for (const file of names.filter((one) => /^(?:info|task\.txt|sid-\w+\.map|\d+\.dat|.*\.sym)$/.test(one)).sort()) {
			files.set(file, (await openFile(path.join(filePath, file), `${name.replace(/\/$/, '')}/${file}`)).source);
		}
		return readUftraceData(name, files);
	} catch (error) {
		throw asInputError(error, name);
	} finally {
		for (const source of files.values()) {
			source.close();
		}
	}
}
