/** `assay bias --profilers`: which profilers are biased by construction, in general or on the JVM of a recording. */
import { answerProfilers, answerProfilersOf, type ProfilersAnswer } from '../answers/profilers.js';
import { UsageError } from '../model/problem.js';
import { writeProfilersText } from '../render/profilers-text.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { RECORDING_INPUT } from './command-tool.js';
import { openNamed } from './open-named.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'profilers', help: 'the table of profilers' },
	{ name: 'for-jdk', value: 'N', help: 'only what holds for this version of the JDK (17); of a\nrecording its own is taken' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const biasProfilersCommand: CommandDescription = {
	name: 'bias --profilers',
	usage: ['[options] [RECORDING...]'],
	about: `Which profilers blame the wrong method by how they look at threads, by version
of the JDK and mode, why, and where that is said. With a recording: on its JVM.`,
	options: OPTIONS,
	examples: ['assay bias --profilers --for-jdk 25'],
	examplesTitle: 'example:',
	exitStatus: '0 reported, 2 wrong use, 3 unusable input',
	completes: 'files',
	tools: [
		{
			name: 'profilers',
			question: 'Which profilers blame the wrong method by how they look at threads, by version of the JDK, and where that is said.',
			inputs: [{ ...RECORDING_INPUT, isOptional: true }],
			options: ['for-jdk'],
			always: ['--profilers'],
		},
	],
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const paths = parsed.positionals;
	const jdk = positiveInteger(parsed, 'for-jdk') ?? null;
	if (jdk !== null && paths.length > 0) {
		throw new UsageError('--for-jdk goes without a recording: that has its own version');
	}
	const answer = paths.length === 0 ? answerProfilers(jdk) : await ofRecording(paths, context);
	if (context.wantsJson) {
		context.json(answer.result(), answer.problems);
		return EXIT.done;
	}
	context.tell(answer.problems);
	writeProfilersText(context.writer, answer, context.terminal);
	return EXIT.done;
}

async function ofRecording(paths: readonly string[], context: CommandContext): Promise<ProfilersAnswer> {
	const evidence = await openNamed(context, paths);
	return answerProfilersOf(evidence);
}
