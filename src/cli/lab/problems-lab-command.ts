/** `assay lab problems`: whether the first screen of `assay report` names the cause, on programs with one known fault each. */
import { answerLabProblems, LAB_PROBLEMS, type LabProblem } from '../../answers/lab-problems.js';
import { UsageError } from '../../model/problem.js';
import { writeLabProblemsText } from '../../render/lab-problems-text.js';
import { type CommandContext, type CommandDescription, EXIT } from '../command.js';
import type { OptionSpec, ParsedOptions } from '../options.js';
import { labRequest } from './lab-options.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'java', value: 'HOME', isFile: true, help: "a JDK's folder or its java (JAVA_HOME, else PATH)" },
	{ name: 'only', value: 'CAUSE,…', help: 'these programs, by name' },
	{ name: 'seconds', value: 'N', help: 'how long each program runs (3)' },
	{ name: 'keep', value: 'DIR', isFile: true, help: 'keep the recordings in this folder: CAUSE-bad,\nCAUSE-good' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const labProblemsCommand: CommandDescription = {
	name: 'lab problems',
	usage: ['[options] [-- JVM options]'],
	about: `Runs programs with one known fault each, and their twins without it, under your
JVM, records them as assay record does, and prints at which rank the findings of
assay report and the causes of assay diff name the fault, and whether the twin
is accused of it. It needs a JDK, which compiles the programs, and perf.`,
	options: OPTIONS,
	examples: ['assay lab problems --only storm,division -- -XX:+UseSerialGC'],
	examplesTitle: 'example:',
	exitStatus: `0 every fault is finding 1 or 2 and the diff's first cause, no
twin is accused of it; 1 not so, 2 wrong use, 3 it cannot run`,
	takesCommand: true,
	run,
};

/** A fault has to be among the first. */
const FIRST_RANKS = 2;

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	if (parsed.positionals.length > 0) {
		throw new UsageError('expected: assay lab problems [options]');
	}
	const problems = chosen(parsed.value('only'));
	const result = await answerLabProblems({ problems, ...labRequest(parsed, context, '3') }, context.progress);
	if (context.wantsJson) {
		context.json(result, []);
	} else {
		context.progress.end();
		writeLabProblemsText(context.writer, result, context.terminal);
	}
	const isRight = result.causes.every(
		({ skipped, rank, diffRank, falseAlarm }) => skipped !== null || (rank !== null && rank <= FIRST_RANKS && diffRank === 1 && falseAlarm === null),
	);
	return isRight ? EXIT.done : EXIT.no;
}

function chosen(only: string | undefined): readonly LabProblem[] {
	if (only === undefined) {
		return LAB_PROBLEMS;
	}
	return only.split(',').map((wanted) => {
		const found = LAB_PROBLEMS.find(({ cause }) => cause === wanted);
		if (found === undefined) {
			throw new UsageError(`--only takes ${LAB_PROBLEMS.map(({ cause }) => cause).join(', ')}, not "${wanted}"`);
		}
		return found;
	});
}
