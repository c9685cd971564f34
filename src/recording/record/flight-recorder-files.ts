/** Files of a JVM that records by Flight Recorder alone: what it left in its repository when it was killed becomes the recording that it did not come to write. */
import fs from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../model/problem.js';
import { REPOSITORY } from './jvm-flags.js';
import type { RecordRequest } from './record-request.js';
import type { Recorder } from './recorder.js';

/** Options of Flight Recorder end at a comma. Throws a UsageError. */
export function refuseUnnamable({ outputFolder, outputName }: RecordRequest): void {
	if (outputFolder.includes(',')) {
		throw new UsageError(`"${outputName}" holds a comma, which Flight Recorder takes for the end of a name: name another folder with -o`);
	}
}

/**
 * A JVM that ends by itself empties its part of the repository. Of one that was killed the chunks are there, the last one unfinished: one after the other they
 * are a recording (as `jfr assemble` makes one).
 */
export function rescueRepository(recorder: Recorder, { outputFolder, outputName }: RecordRequest): void {
	const repository = path.join(outputFolder, REPOSITORY);
	for (const run of listed(repository)) {
		const folder = path.join(repository, run);
		const chunks = listed(folder)
			.filter((name) => name.endsWith('.jfr'))
			.sort();
		const bytes = chunks.reduce((sum, name) => sum + fs.statSync(path.join(folder, name)).size, 0);
		if (bytes === 0) {
			continue;
		}
		// 2026_01_02_03_04_05_1234: when it began, and the process.
		const processId = /_(\d+)$/.exec(run)?.[1];
		// Of the only JVM there is the file already, empty.
		const isOnly = fs.statSync(path.join(outputFolder, 'recording.jfr'), { throwIfNoEntry: false })?.size === 0;
		const file = isOnly || processId === undefined ? 'recording.jfr' : `recording-${processId}.jfr`;
		const target = path.join(outputFolder, file);
		fs.rmSync(target, { force: true });
		for (const name of chunks) {
			fs.appendFileSync(target, fs.readFileSync(path.join(folder, name)));
		}
		const count = chunks.length === 1 ? 'the chunk' : `the ${chunks.length} chunks`;
		recorder.problem('warning', outputName, 'a JVM ended without writing its recording: it was killed', `${file} has ${count} that it had written until then`);
	}
	fs.rmSync(repository, { recursive: true, force: true });
}

/** In the order of their names; empty where there is no such folder. */
function listed(folder: string): string[] {
	try {
		return fs.readdirSync(folder).sort();
	} catch {
		return [];
	}
}
