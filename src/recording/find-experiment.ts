/**
 * Finds the parts of an experiment below a path by what files hold, not by their names: the files of one optimization log, and
 * a profile.
 */
import fs from 'node:fs';
import path from 'node:path';
import { isGraalOptimizationLog } from '../formats/graal-optimization-log/detect.js';
import { isCompilationLog } from '../formats/hotspot-compilation-log/detect.js';
import { isProftoolProfile } from '../formats/proftool-profile/detect.js';
import { isTar, readTar } from '../formats/tar/read.js';
import { InputError, type Problem } from '../model/problem.js';
import { asInputError } from './file-source.js';
import { isIndexFile } from './index-name.js';
import { headOfFile, type LogFile, openLogFile } from './log-file.js';
import { readHead } from './read-head.js';
import { samplesFormatOf } from './sample-formats.js';

export interface FoundExperiment {
	/** What the user called it. */
	readonly name: string;
	/** All in one folder, by name. */
	readonly logFiles: readonly LogFile[];
	/** Whether there is no optimization log, but one of HotSpot's own compilers. */
	readonly isHotspot: boolean;
	readonly profileFile: LogFile | null;
	/** Whether samples of a JVM and its log lie there too. */
	readonly hasSamples: boolean;
	/** Files of neither kind. */
	readonly otherFiles: number;
	/** What could not be looked at. */
	readonly problems: readonly Problem[];
}

/** A folder with more files is no experiment: looking into each would take minutes. */
const MAX_FILES = 20_000;
const HEAD_BYTES = 16 << 10;

/**
 * Looks through a folder, at any depth, or at one file. Throws an {@link InputError} when there is no log, or logs in several
 * folders, or several profiles to choose from (`profileGiven`: the user named one).
 */
export async function findExperiment(start: string, name: string, profileGiven: boolean): Promise<FoundExperiment> {
	const { files, problems } = listFiles(start, name);
	const logs: LogFile[] = [];
	const profiles: LogFile[] = [];
	let otherFiles = 0;
	let hotspotLogs = 0;
	let samples = 0;
	const archived: LogFile[] = [];
	for (const file of files) {
		let head: string;
		try {
			head = await readHead(file.filePath, HEAD_BYTES);
		} catch (error) {
			problems.push(asProblem(error, file.name));
			continue;
		}
		if (isTar(head)) {
			archived.push(...(await logsInArchive(file, problems)));
		} else if (isGraalOptimizationLog(head)) {
			logs.push(file);
		} else if (isProftoolProfile(head)) {
			profiles.push(file);
		} else {
			otherFiles++;
			hotspotLogs += isCompilationLog(head) ? 1 : 0;
			samples += samplesFormatOf(head) === undefined ? 0 : 1;
		}
	}
	// An archive may lie beside what was unpacked from it.
	logs.push(...(logs.length === 0 ? archived : []));
	const folders = [...new Set(logs.map((file) => path.dirname(file.name)))];
	if (logs.length === 0 && hotspotLogs === 0) {
		throw problem(
			name,
			`no file of an optimization log was found (${files.length} files looked at)`,
			'record one with -Djdk.graal.OptimizationLog=Directory, of HotSpot with assay record, and give its folder',
		);
	}
	if (folders.length > 1) {
		throw problem(name, `optimization logs were found in several folders: ${listed(folders)}`, 'an experiment is one run: give the folder of one');
	}
	if (profiles.length > 1 && !profileGiven) {
		throw problem(
			name,
			`several profiles were found: ${listed(profiles.map((file) => file.name))}`,
			'name the one of this run with --profile (--profile-a, --profile-b)',
		);
	}
	return {
		name,
		logFiles: logs,
		isHotspot: logs.length === 0,
		hasSamples: samples > 0 && hotspotLogs > 0,
		profileFile: profileGiven ? null : (profiles[0] ?? null),
		otherFiles,
		problems,
	};
}

/** Whether a path holds a log of HotSpot's compilers and no optimization log; false also for what cannot be read. */
export async function isHotspotRecording(start: string, name: string): Promise<boolean> {
	try {
		return (await findExperiment(start, name, true)).isHotspot;
	} catch (error) {
		if (error instanceof InputError) {
			return false;
		}
		throw error;
	}
}

/** Logs in a tar archive; its memory or file stays until the process ends, as their trees are read on demand. */
async function logsInArchive(file: LogFile, problems: Problem[]): Promise<LogFile[]> {
	const opened = await openLogFile(file);
	const { members, problems: found } = readTar(opened.source);
	problems.push(...opened.problems, ...found);
	const result: LogFile[] = [];
	for (const { path: inside, source } of members) {
		const member: LogFile = { filePath: file.filePath, name: `${file.name}/${inside}`, source, isArchived: true };
		if (isGraalOptimizationLog(await headOfFile(member, HEAD_BYTES))) {
			result.push(member);
		}
	}
	return result;
}

function problem(file: string, message: string, action: string): InputError {
	return new InputError({ severity: 'error', file, message, action });
}

function listed(names: readonly string[]): string {
	return names.slice(0, 4).join(', ') + (names.length > 4 ? ` and ${names.length - 4} more` : '');
}

function asProblem(error: unknown, name: string): Problem {
	const inputError = asInputError(error, name);
	if (inputError instanceof InputError) {
		return { ...inputError.problem, severity: 'warning', action: 'it is left out' };
	}
	throw error;
}

/** All files below `start`, folder by folder in the order of names. A folder that was seen (a link back up) is not entered again. */
function listFiles(start: string, name: string): { files: LogFile[]; problems: Problem[] } {
	const files: LogFile[] = [];
	const problems: Problem[] = [];
	const seen = new Set<string>();
	const work: LogFile[] = [{ filePath: start, name }];
	for (let item = work.pop(); item !== undefined; item = work.pop()) {
		try {
			const stats = fs.statSync(item.filePath);
			if (stats.isFile()) {
				files.push(item);
			} else if (stats.isDirectory() && !seen.has(`${stats.dev}:${stats.ino}`)) {
				seen.add(`${stats.dev}:${stats.ino}`);
				const { filePath, name: folderName } = item;
				const names = fs
					.readdirSync(filePath)
					.filter((entry) => !isIndexFile(entry))
					.sort()
					.reverse();
				work.push(...names.map((entry) => ({ filePath: path.join(filePath, entry), name: path.join(folderName, entry) })));
			}
		} catch (error) {
			if (item.filePath === start) {
				throw asInputError(error, name);
			}
			problems.push(asProblem(error, item.name));
		}
		if (files.length + work.length > MAX_FILES) {
			throw problem(name, `there are more than ${MAX_FILES} files below it`, 'give the folder of one experiment');
		}
	}
	return { files, problems };
}
