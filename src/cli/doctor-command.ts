/** `assay doctor`: which evidence is there, which is missing, and how to get it. */
import { answerDoctor, answerMachine } from '../answers/doctor.js';
import { FORMATS } from '../formats/registry.js';
import { UsageError } from '../model/problem.js';
import { writeMachineInspection, writeRecordingInspection } from '../render/doctor-text.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { RECORDING_INPUT } from './command-tool.js';
import { openNamed } from './open-named.js';
import type { OptionSpec, ParsedOptions } from './options.js';
import { createRecordRequest, RECORD_OPTIONS } from './record-command.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const doctorCommand: CommandDescription = {
	name: 'doctor',
	usage: ['[options] RECORDING...', '[options] [options of assay record] -- COMMAND...'],
	about: `Of a recording, a folder or files: which evidence it holds (compilations, code,
samples, clocks), whether they fit together, and for what is missing the flag
that gives it. Each file is told by what it holds. Of a command: which tools are
there, what they may do here, and what assay record would run.`,
	options: OPTIONS,
	commandOptions: RECORD_OPTIONS.filter(({ name }) => !OPTIONS.some((option) => option.name === name)),
	takesCommand: true,
	examples: ['assay doctor run1', 'assay doctor -- java -cp classes Main'],
	examplesTitle: 'examples:',
	exitStatus: '0 looked, 2 wrong use, 3 unusable input',
	completes: 'files',
	tools: [
		{
			name: 'doctor',
			question: 'Which evidence a recording holds, whether it fits together, what is missing and the exact flag that gives it.',
			inputs: [RECORDING_INPUT],
			options: [],
		},
	],
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const { positionals, command } = parsed;
	if (command === null ? positionals.length === 0 : command.length === 0 || positionals.length > 0) {
		throw new UsageError('a recording (a folder or files) is expected, or a program after --');
	}
	const { writer, terminal } = context;
	if (command !== null) {
		const answer = await answerMachine(createRecordRequest(parsed, context.io), command);
		if (context.wantsJson) {
			context.json(answer.result(), []);
		} else {
			writeMachineInspection(writer, answer.machine, terminal);
		}
		return EXIT.done;
	}
	context.progress.report(`reading ${positionals.join(', ')}`);
	const evidence = await openNamed(context, positionals, { details: 'threads' });
	const answer = await answerDoctor(evidence);
	if (context.wantsJson) {
		context.json(answer.result(), answer.problems);
	} else {
		context.tell(answer.problems);
		writeRecordingInspection(writer, answer.inspection, titleOf, terminal);
	}
	return EXIT.done;
}

function titleOf(kind: string): string {
	return FORMATS.find(({ name }) => name === kind)?.title ?? 'unknown';
}
