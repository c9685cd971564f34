/** `assay lab bias`: how right each profiler is on this JVM, on programs of which it is known where their time goes. */
import { answerLabBias, LAB_PROGRAMS } from '../../answers/lab-bias.js';
import { UsageError } from '../../model/problem.js';
import { writeLabText } from '../../render/lab-text.js';
import { type CommandContext, type CommandDescription, EXIT } from '../command.js';
import type { OptionSpec, ParsedOptions } from '../options.js';
import { labRequest } from './lab-options.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'java', value: 'HOME', isFile: true, help: "a JDK's folder or its java (JAVA_HOME, else PATH)" },
	{ name: 'only', value: 'S1,S3', help: 'these programs, by number or name' },
	{ name: 'seconds', value: 'N', help: 'how long each is measured (2), after as long a warm-up;\nall run twice' },
	{ name: 'keep', value: 'DIR', isFile: true, help: 'keep recordings and profiles in this folder' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const labBiasCommand: CommandDescription = {
	name: 'lab bias',
	usage: ['[options] [-- JVM options]'],
	about: `Runs programs of which it is known where their time goes, under your JVM and
with every profiler that is there: perf with the printed code, Flight Recorder
(with and without -XX:+DebugNonSafepoints; CPU-time samples on JDK 25),
async-profiler, thread dumps. Prints how far each is from the truth, who is
blamed wrongly, and how well assay predicts the biased ones. It needs a JDK,
which compiles the programs; what else is missing is said.`,
	options: OPTIONS,
	examples: ['assay lab bias --only S1,S4 --seconds 1 -- -XX:+UseSerialGC'],
	examplesTitle: 'example:',
	exitStatus: `0 measured, 1 a profiler that is not biased by construction was far
from the truth, 2 wrong use, 3 it cannot run`,
	takesCommand: true,
	run,
};

const EXPECTED = 'expected: assay lab bias [options]';

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const { progress, writer, terminal } = context;
	if (parsed.positionals.length > 0) {
		throw new UsageError(EXPECTED);
	}
	const scenarios = chosenPrograms(parsed.value('only'));
	const answer = await answerLabBias({ scenarios, ...labRequest(parsed, context, '2') }, progress);
	if (context.wantsJson) {
		context.json(answer.result(), answer.problems);
	} else {
		context.tell(answer.problems);
		writeLabText(writer, answer.lab, terminal);
	}
	return answer.isBroken ? EXIT.no : EXIT.done;
}

function chosenPrograms(only: string | undefined): typeof LAB_PROGRAMS {
	if (only === undefined) {
		return LAB_PROGRAMS;
	}
	return only.split(',').map((wanted) => {
		const found = LAB_PROGRAMS.find(({ name }) => name === wanted || name.slice(0, 2) === wanted.toUpperCase());
		if (found === undefined) {
			throw new UsageError(`--only takes ${LAB_PROGRAMS.map(({ name }) => name).join(', ')} or their numbers, not "${wanted}"`);
		}
		return found;
	});
}
