/** `assay profdiff`: Graal's profdiff, command for command, with its grammar, its help and its exit statuses. */
import { answerProfdiff, type ProfdiffQuestion } from '../answers/profdiff.js';
import { formatProblem } from '../model/problem.js';
import { writeProfdiffReport } from '../render/profdiff-report.js';
import { visible } from '../render/visible.js';
import { type CommandContext, EXIT, type ForeignCommand } from './command.js';
import type { OptionSpec } from './options.js';
import { ArgumentError, COMMANDS, OPTIONS, type ProfdiffArguments, parseProfdiffArguments } from './profdiff-arguments.js';
import { commandHelp, explanation, generalHelp, unknownCommandHelp, valueName } from './profdiff-help.js';

export const profdiffCommand: ForeignCommand = {
	name: 'profdiff',
	help: generalHelp(),
	options: [
		...OPTIONS.map(
			({ name, type, help }): OptionSpec => ({
				name: name.slice(2),
				value: valueName(type),
				...(type === 'boolean' ? { choices: ['true', 'false'] } : {}),
				help,
			}),
		),
		{ name: 'json', help: 'print JSON (docs/json.md)' },
	],
	commands: COMMANDS.map((command) => ({
		name: command.name,
		summary: command.summary,
		help: commandHelp(command),
		takesFiles: command.name !== 'help',
	})),
	isVerbatim: true,
	runWords,
};

async function runWords(argv: readonly string[], context: CommandContext): Promise<number> {
	const { io, writer } = context;
	let args: ProfdiffArguments;
	try {
		args = parseProfdiffArguments(argv);
	} catch (error) {
		if (!(error instanceof ArgumentError)) {
			throw error;
		}
		if (context.wantsJson) {
			context.json({}, [{ severity: 'error', file: 'command line', message: error.message, action: 'see assay profdiff help' }]);
			io.err(`${error.message}\n`);
		} else {
			io.err(`${error.message}\n${generalHelp()}\n`);
		}
		return EXIT.no;
	}
	const { command } = args;
	const isReplay = command.name === 'compare-replayed';
	// What was recorded is what was replayed: no part of a compilation needs to stand for another.
	const options = isReplay ? { ...args.options, createFragments: false } : args.options;
	const question = questionOf(args);
	if (question === null) {
		return help(args, context);
	}
	const answer = await answerProfdiff({ question, options, workingDirectory: context.workingDirectory });
	context.atEnd(answer.close);
	if (args.json) {
		context.json(answer.result(), answer.problems, `profdiff ${command.name}`);
	} else {
		const isReport = question.command === 'report';
		writeProfdiffReport(writer, answer, options, {
			explanation: explanation(options, isReport ? 'none' : isReplay ? 'id' : 'hot', isReport ? question.profile !== undefined : !isReplay),
			emptyLineAfterExplanation: question.command !== 'aot-vs-aot',
			emptyLineBeforeSections: !isReport,
		});
	}
	const failure = answer.failure();
	if (failure === null) {
		return EXIT.done;
	}
	writer.flush();
	io.err(`${visible(formatProblem(failure))}\n`);
	return EXIT.no;
}

/** null: the help is asked for. */
function questionOf({ command: { name }, positionals }: ProfdiffArguments): ProfdiffQuestion | null {
	const [first = '', second, third = '', fourth] = positionals;
	switch (name) {
		case 'help':
			return null;
		case 'report':
			return { command: name, log: first, profile: second };
		case 'aot-vs-aot-jit-profile':
			return { command: name, jit: { log: first, profile: second }, a: { log: third }, b: { log: fourth ?? '' } };
		case 'compare-replayed':
			return { command: name, a: { log: first }, b: { log: second ?? '' } };
		default:
			return { command: name, a: { log: first, profile: second }, b: { log: third, profile: fourth } };
	}
}

function help({ positionals: [name], json }: ProfdiffArguments, { io, writer, ...context }: CommandContext): number {
	const command = COMMANDS.find((candidate) => candidate.name === name);
	const isUnknown = name !== undefined && command === undefined;
	const text = isUnknown ? unknownCommandHelp(name) : command === undefined ? generalHelp() : commandHelp(command);
	if (json) {
		context.json({ help: text }, [], 'profdiff help');
	} else if (isUnknown) {
		io.err(text);
	} else {
		writer.raw(`${text}\n`);
	}
	return EXIT.done;
}
