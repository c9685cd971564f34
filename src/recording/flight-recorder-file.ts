/** Recordings of Flight Recorder, read once for all who ask for something other than samples. */
import { JFR_PARTS, type JfrEvents, type JfrPart, readJfrEvents } from '../formats/jfr/read.js';
import type { Problem } from '../model/problem.js';
import type { EvidenceFile } from './find-evidence.js';
import { openLogFile } from './log-file.js';

export interface FlightRecorderFile {
	readonly name: string;
	readonly read: JfrEvents;
}

interface Kept {
	readonly part: JfrPart;
	readonly file: FlightRecorderFile;
	readonly problems: readonly Problem[];
}

const kept = new WeakMap<EvidenceFile, Kept>();

/** Gives what was read already where it is enough: who will need more asks for that first. Adds the problems of opening. Never throws on content. */
export async function readFlightRecorder(file: EvidenceFile, part: JfrPart, problems: Problem[]): Promise<FlightRecorderFile> {
	let found = kept.get(file);
	if (found === undefined || JFR_PARTS.indexOf(found.part) < JFR_PARTS.indexOf(part)) {
		const opened = await openLogFile(file);
		found = { part, file: { name: opened.source.name, read: readJfrEvents(opened.source, part) }, problems: opened.problems };
		opened.source.close();
		kept.set(file, found);
	}
	problems.push(...found.problems);
	return found.file;
}

export async function readFlightRecorders(files: readonly EvidenceFile[], part: JfrPart, problems: Problem[]): Promise<FlightRecorderFile[]> {
	const read: FlightRecorderFile[] = [];
	for (const file of files) {
		read.push(await readFlightRecorder(file, part, problems));
	}
	return read;
}
