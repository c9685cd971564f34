/** The page faults of a command in its program's code, as the kernel counts them. */
import fs from 'node:fs';
import path from 'node:path';
import { InputError, type Problem } from '../../model/problem.js';
import type { Progress } from '../../model/progress.js';
import { dropFromCache, recordFaults, residentPages } from '../../recording/measure-faults.js';
import { findExecutable } from '../../recording/record/find-executable.js';
import { faultPlaces } from '../../startup/fault-places.js';
import { functionAt } from '../../startup/function-at.js';
import type { MeasuredRun } from '../../startup/results.js';
import { textFaults } from '../../startup/text-faults.js';
import type { OrderMeasureResult } from '../results.js';
import type { Streamed } from '../streamed.js';
import { type Measured, measureResult } from './measure-result.js';
import { OrderInputs } from './open-layout.js';

export interface MeasureRequest {
	/** The program and its arguments. */
	readonly command: readonly string[];
	/** The file whose code is looked at; null: that of the command. */
	readonly program: string | null;
	/** Standard input of the command, each time; null: none. */
	readonly inputFile: string | null;
	/** How many runs of each kind. */
	readonly runs: number;
	/** Whether to measure cold runs too: with the program's file dropped from the page cache before. */
	readonly withCold: boolean;
	/** The command runs there, and relative paths start there. */
	readonly workingDirectory: string;
	/** After each run. */
	readonly settle?: () => Promise<unknown>;
	readonly progress: Progress;
	/** Ends it; the reason is thrown. */
	readonly signal?: AbortSignal | undefined;
}

export interface MeasureAnswer extends Measured {
	/** Whether a run of the command ended otherwise than with status 0. */
	readonly hasFailed: boolean;
	readonly problems: readonly Problem[];
	result(): Streamed<OrderMeasureResult>;
}

/** Runs the command. Throws an InputError where it cannot be measured. */
export async function measureFaults({
	command,
	program: named,
	inputFile,
	runs,
	withCold,
	workingDirectory,
	settle,
	progress,
	signal,
}: MeasureRequest): Promise<MeasureAnswer> {
	const [name = ''] = command;
	const executable = findExecutable(name, workingDirectory);
	if (executable === null) {
		throw new InputError({ severity: 'error', file: name, message: 'there is no such program', action: 'check the name and PATH' });
	}
	const program = fs.realpathSync(path.resolve(workingDirectory, named ?? executable));
	const inputs = new OrderInputs(workingDirectory);
	const layout = await inputs.layout(program);
	if (inputFile !== null && !fs.existsSync(path.resolve(workingDirectory, inputFile))) {
		throw new InputError({ severity: 'error', file: inputFile, message: 'there is no such file', action: 'check the path' });
	}
	const options = {
		command: [executable, ...command.slice(1)],
		workingDirectory,
		inputFile: inputFile === null ? null : path.resolve(workingDirectory, inputFile),
		signal,
	};
	const isProgram = (file: string): boolean => file === program;
	const measured: MeasuredRun[] = [];
	const measure = async (kind: MeasuredRun['kind'], resident: number | null): Promise<void> => {
		progress.report(`${kind} run ${measured.length + 1}`);
		const { exitStatus, problems, ...recording } = await recordFaults(options);
		await settle?.();
		inputs.problems.push(...problems);
		measured.push({
			kind,
			residentPages: resident,
			exitStatus,
			...textFaults(recording, layout, isProgram),
			...faultPlaces(recording, layout.code, isProgram),
		});
	};
	for (let i = 0; i < runs && withCold; i++) {
		await measure('cold', await dropFromCache(program));
	}
	// The first warm run would be half a cold one.
	await recordFaults(options);
	await settle?.();
	for (let i = 0; i < runs; i++) {
		await measure('warm', await residentPages(program));
	}
	if (measured.every(({ isMapped }) => !isMapped)) {
		throw new InputError({
			severity: 'error',
			file: program,
			message: 'was not mapped by the command',
			action: 'a script or a launcher? Name the program with --elf',
		});
	}
	const shown = { program, command, runs: measured, notes: notes(measured), functionAt: functionAt(layout) };
	const hasFailed = measured.some(({ exitStatus }) => exitStatus !== 0);
	return { ...shown, hasFailed, problems: inputs.problems, result: () => measureResult(shown) };
}

/** What the numbers do not say. */
function notes(runs: readonly MeasuredRun[]): string[] {
	const cold = runs.filter(({ kind }) => kind === 'cold');
	const left = cold.map(({ residentPages: pages }) => pages);
	const statuses = [...new Set(runs.map(({ exitStatus }) => exitStatus))].filter((status) => status !== 0);
	return [
		...(statuses.length > 0 ? [`the command ended with ${statuses.map((status) => (status === null ? 'a signal' : `status ${status}`)).join(', ')}`] : []),
		...(left.some((pages) => pages === null) ? ['whether the file left the page cache could not be checked: fincore (util-linux) is missing'] : []),
		...(left.some((pages) => (pages ?? 0) > 0)
			? [
					`up to ${Math.max(...left.map((pages) => pages ?? 0))} pages of the file stayed in the page cache: another process has them mapped, or the file system keeps them; such runs are not fully cold`,
				]
			: []),
		...(cold.length > 0 && cold.every(({ codeMajorFaults }) => codeMajorFaults === 0)
			? ['no cold run waited for the disk in its code: reading ahead brought the pages in before they were touched, or the host has them cached']
			: []),
		...(cold.length > 0 ? ['libraries and the dynamic linker were cached in all runs; a start after a boot is colder'] : []),
	];
}
