/** A recording by name: what the functions of the library work on. */
import path from 'node:path';
import { EVIDENCE_KINDS } from '../model/evidence.js';
import { InputError } from '../model/problem.js';
import { findEvidence } from '../recording/find-evidence.js';

/** One run of a program, as its files tell of it. Holds no file open. */
export interface OpenedRecording {
	/** Absolute. */
	readonly paths: readonly string[];
	/** Which of several JVMs is meant; null: the only one, or the one that was sampled. */
	readonly processId: number | null;
	/** Processes of JVMs whose logs are among the files. */
	readonly processIds: readonly number[];
	/** Files by what they hold; empty lists where there are none. A file may hold several kinds. */
	readonly files: {
		readonly compilations: readonly string[];
		readonly samples: readonly string[];
		readonly safepoints: readonly string[];
		readonly graalLogs: readonly string[];
		readonly profiles: readonly string[];
		/** What ran first of a native program: functions, or executed instructions. */
		readonly orderTraces: readonly string[];
		/** Linked programs, and listings of them. */
		readonly programs: readonly string[];
	};
}

/** A recording that was opened, or the paths of one: a folder, or files. */
export type RecordingInput = OpenedRecording | string | readonly string[];

/**
 * Looks at a folder or files and tells what they hold, by content. The functions of the library take what it gives, or the paths themselves.
 *
 * @param paths A folder or files, relative to the working directory.
 * @param options `processId` chooses where the files are of several JVMs.
 * @returns Which files hold what. Nothing stays open.
 * @throws InputError when a path cannot be read, or no file holds anything known.
 * @example
 * const recording = await openRecording('examples/hot');
 * console.log(recording.files.samples.length, recording.processIds); // → 1 [ 23190 ]
 */
export async function openRecording(
	paths: string | readonly string[],
	{ processId = null }: { readonly processId?: number | null } = {},
): Promise<OpenedRecording> {
	const names = typeof paths === 'string' ? [paths] : paths;
	const found = await findEvidence(names.map((name) => ({ filePath: path.resolve(name), name })));
	found.close();
	const { files } = found;
	const mayHaveTrace = files.program.length > 0 && [files.functionList, files.orderBuffer, files.faultScript].some(({ length }) => length > 0);
	if (!mayHaveTrace && files.instructionList.length === 0 && EVIDENCE_KINDS.every((kind) => files[kind].length === 0)) {
		throw new InputError({
			severity: 'error',
			file: names.join(', '),
			message: 'holds nothing of a run: no log of compilations, samples, code, safepoints or statistics or traces of first executions',
			action: 'record with assay record; assay doctor tells what each file holds',
		});
	}
	const namesOf = (files: readonly { readonly name: string }[]): string[] => files.map(({ name }) => name);
	return {
		paths: names.map((name) => path.resolve(name)),
		processId,
		processIds: found.processIds,
		files: {
			compilations: namesOf(files.logCompilation),
			samples: namesOf(files.samples),
			safepoints: namesOf(files.safepoints),
			graalLogs: namesOf(files.graalLog),
			profiles: namesOf(files.proftoolProfile),
			orderTraces: namesOf([...files.orderTraces, ...files.instructionList]),
			programs: namesOf(files.program),
		},
	};
}
