/** `assay order measure`: the page faults of a command in its program's code, as the kernel counts them. */
import { measureFaults } from '../../answers/order/measure.js';
import { UsageError } from '../../model/problem.js';
import { writeMeasureText } from '../../render/order-measure-text.js';
import { type CommandContext, type CommandDescription, EXIT } from '../command.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from '../options.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'elf', value: 'BINARY', isFile: true, help: 'the program whose code is looked at (that of COMMAND)' },
	{ name: 'input', value: 'FILE', isFile: true, help: 'standard input of the command, each time (none)' },
	{ name: 'runs', value: 'N', help: 'how many cold and how many warm runs (5)' },
	{ name: 'no-cold', help: 'only warm runs' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const measureCommand: CommandDescription = {
	name: 'order measure',
	usage: ['[options] -- COMMAND...'],
	about: `Runs a command under perf record -e page-faults -d and counts the faults in its
program's code: cold, with the program's file dropped from the page cache, and
warm. A fault maps the pages around it that are cached (64 KiB by default), so
there are far fewer faults than pages touched; assay order simulate tells both.
The libraries are not dropped. The command's output is thrown away.`,
	options: OPTIONS,
	examples: ['assay order measure -- ls'],
	examplesTitle: 'example:',
	exitStatus: `0 measured, 1 the command failed, 2 wrong use, 3 it could not be
             measured`,
	takesCommand: true,
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const command = parsed.command ?? [];
	if (parsed.positionals.length > 0 || command.length === 0) {
		throw new UsageError('the command goes after --: assay order measure -- COMMAND');
	}
	const answer = await measureFaults({
		command,
		program: parsed.value('elf') ?? null,
		inputFile: parsed.value('input') ?? null,
		runs: positiveInteger(parsed, 'runs') ?? 5,
		withCold: !parsed.isSet('no-cold'),
		workingDirectory: context.workingDirectory,
		progress: context.progress,
	});
	if (context.wantsJson) {
		context.json(answer.result(), answer.problems);
	} else {
		context.tell(answer.problems);
		writeMeasureText(context.writer, answer, context.terminal);
	}
	return answer.hasFailed ? EXIT.no : EXIT.done;
}
