/** The memory map of a recorded process, which lies beside what was recorded: `run.insns.maps` beside `run.insns`, a copy of `/proc/PID/maps`. */
import fs from 'node:fs';
import { readMemoryMap } from '../formats/shared/memory-map.js';
import type { FileMapping } from '../model/page-faults.js';
import { openFile } from './file-source.js';
import type { LogFile } from './log-file.js';

/** Empty where there is none. */
export async function memoryMapBeside({ filePath, name, isArchived }: LogFile): Promise<FileMapping[]> {
	const beside = [filePath, filePath.replace(/\.(?:gz|zst|xz)$/, '')].map((one) => `${one}.maps`).find((one) => fs.existsSync(one));
	if (beside === undefined || isArchived === true) {
		return [];
	}
	const { source } = await openFile(beside, `${name}.maps`);
	try {
		return readMemoryMap(source);
	} finally {
		source.close();
	}
}
