/** `assay order measure`: the page faults of a command in its program's code, as the kernel counts them. */
import fs from 'node:fs';
import path from 'node:path';
import { OrderInputs } from '../../answers/order/open-layout.js';
import { InputError, UsageError } from '../../model/problem.js';
import { dropFromCache, recordFaults, residentPages } from '../../recording/measure-faults.js';
import { findExecutable } from '../../recording/record/find-executable.js';
import { writeMeasureJson } from '../../render/order-measure-json.js';
import { writeMeasureText } from '../../render/order-measure-text.js';
import { functionAt } from '../../startup/function-at.js';
import type { MeasuredRun } from '../../startup/results.js';
import { textFaults } from '../../startup/text-faults.js';
import type { CommandIo } from '../io.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions, positiveInteger } from '../options.js';
import { createProgress } from '../progress.js';
import { type OrderResult, runOrder } from './run-order.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'elf', value: 'BINARY', help: 'the program whose code is looked at (that of COMMAND)' },
	{ name: 'input', value: 'FILE', help: 'standard input of the command, each time (none)' },
	{ name: 'runs', value: 'N', help: 'how many cold and how many warm runs (5)' },
	{ name: 'no-cold', help: 'only warm runs' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

const HELP = `usage: assay order measure [options] -- COMMAND...

Runs a command under perf record -e page-faults -d and counts the faults in its
program's code: cold, with the program's file dropped from the page cache, and
warm. A fault maps the pages around it that are cached (64 KiB by default), so
there are far fewer faults than pages touched; assay order simulate tells both.
The libraries are not dropped. The command's output is thrown away.

options:
${describeOptions(OPTIONS)}

example:
  assay order measure -- ls

exit status: 0 measured, 1 the command failed, 2 wrong use, 3 it could not be
             measured
`;

export function measureCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const end = argv.indexOf('--');
	const parsed = parseOptions(end < 0 ? argv : argv.slice(0, end), OPTIONS);
	if (parsed.isSet('help')) {
		io.out(HELP);
		return Promise.resolve(0);
	}
	const command = end < 0 ? [] : argv.slice(end + 1);
	if (parsed.positionals.length > 0 || command.length === 0) {
		throw new UsageError('the command goes after --: assay order measure -- COMMAND');
	}
	const runs = positiveInteger(parsed, 'runs') ?? 5;
	return runOrder('measure', parsed, io, () => run(command, runs, parsed, io));
}

async function run(command: readonly string[], runs: number, parsed: ParsedOptions, io: CommandIo): Promise<OrderResult> {
	const [name = ''] = command;
	const executable = findExecutable(name, io.workingDirectory);
	if (executable === null) {
		throw new InputError({ severity: 'error', file: name, message: 'there is no such program', action: 'check the name and PATH' });
	}
	const program = fs.realpathSync(path.resolve(io.workingDirectory, parsed.value('elf') ?? executable));
	const inputs = new OrderInputs(io.workingDirectory);
	const { layout, sections } = await inputs.program(program);
	const inputFile = parsed.value('input');
	if (inputFile !== undefined && !fs.existsSync(path.resolve(io.workingDirectory, inputFile))) {
		throw new InputError({ severity: 'error', file: inputFile, message: 'there is no such file', action: 'check the path' });
	}
	const options = {
		command: [executable, ...command.slice(1)],
		workingDirectory: io.workingDirectory,
		inputFile: inputFile === undefined ? null : path.resolve(io.workingDirectory, inputFile),
	};
	const progress = createProgress(io);
	const measured: MeasuredRun[] = [];
	const measure = async (kind: MeasuredRun['kind'], resident: number | null): Promise<void> => {
		progress.report(`${kind} run ${measured.length + 1}`);
		const { exitStatus, problems, ...recording } = await recordFaults(options);
		inputs.problems.push(...problems);
		measured.push({ kind, residentPages: resident, exitStatus, ...textFaults(recording, sections, layout, (file) => file === program) });
	};
	for (let i = 0; i < runs && !parsed.isSet('no-cold'); i++) {
		await measure('cold', await dropFromCache(program));
	}
	// The first warm run would be half a cold one.
	await recordFaults(options);
	for (let i = 0; i < runs; i++) {
		await measure('warm', await residentPages(program));
	}
	progress.end();
	if (measured.every(({ isMapped }) => !isMapped)) {
		throw new InputError({
			severity: 'error',
			file: program,
			message: 'was not mapped by the command',
			action: 'a script or a launcher? Name the program with --elf',
		});
	}
	const shown = {
		program,
		command,
		runs: measured,
		notes: notes(measured),
		functionAt: functionAt(layout),
	};
	return {
		problems: inputs.problems,
		status: measured.some(({ exitStatus }) => exitStatus !== 0) ? 1 : 0,
		writeJson: (json) => writeMeasureJson(json, shown),
		writeText: (writer, terminal) => writeMeasureText(writer, shown, terminal),
	};
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
		...(cold.length > 0 && cold.every(({ textMajorFaults }) => textMajorFaults === 0)
			? ['no cold run waited for the disk in its code: reading ahead brought the pages in before they were touched, or the host has them cached']
			: []),
		...(cold.length > 0 ? ['libraries and the dynamic linker were cached in all runs; a start after a boot is colder'] : []),
	];
}
