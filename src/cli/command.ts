/**
 * A command is a description: name, what it is for, arguments, options, examples, exit statuses, and the function that answers. Parser, help, completion and
 * docs/commands.md are made from it; one runner does what all have in common: errors, progress, problems, JSON, exit statuses.
 */

import type { Streamed } from '../answers/streamed.js';
import { VERSION } from '../answers/version.js';
import { formatProblem, InputError, type Problem, UsageError } from '../model/problem.js';
import type { Progress } from '../model/progress.js';
import type { LogFile } from '../recording/log-file.js';
import { writeEnvelope } from '../render/envelope.js';
import { createTerminal, type Terminal } from '../render/terminal.js';
import { TextWriter } from '../render/text-writer.js';
import { visible } from '../render/visible.js';
import type { CommandTool } from './command-tool.js';
import type { CommandIo } from './io.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions } from './options.js';
import { refuseOwnInput } from './own-input.js';
import { writeProblems } from './problems.js';
import { createProgress } from './progress.js';
import { recordingFiles } from './recording-files.js';

/** What help, completion and docs/commands.md say of a command. */
export interface CommandText {
	/** As it is called: `hot`, `order simulate`. */
	readonly name: string;
	/** What stands behind the name, a form each: `RECORDING... [HANDLE...] [options]`. */
	readonly usage: readonly string[];
	/** Programs of their own that do the same, with what stands behind their names. */
	readonly programs?: readonly string[];
	/** What it does and what it reads: paragraphs of at most 80 columns, a blank line between them. */
	readonly about: string;
	readonly options: readonly OptionSpec[];
	/** Behind `options`, above the list of them. */
	readonly optionsNote?: string;
	/** Lines that run in the folder of the package. */
	readonly examples: readonly string[];
	/** Above the examples; without it that they run on the recordings that come with assay. */
	readonly examplesTitle?: string;
	/** Behind `exit status:`, wrapped. */
	readonly exitStatus: string;
	/** What positional arguments are, for completion. */
	readonly completes?: 'files' | 'programs';
	/** The words that a positional argument may be. */
	readonly choices?: readonly string[];
	/** Takes a command line behind `--`, as `parsed.command`. */
	readonly takesCommand?: boolean;
	/** Options of another command, which are taken where there is a `--`; its help explains them. */
	readonly commandOptions?: readonly OptionSpec[];
	/** Prints names as a reference does, control characters and all; a terminal gets none of these. */
	readonly isVerbatim?: boolean;
}

export interface CommandDescription extends CommandText {
	/** The questions that it answers as tools of `assay mcp`; none where this is left out. */
	readonly tools?: readonly CommandTool[];
	/** The arguments as they are parsed, where that is not as they stand. */
	readonly words?: (argv: readonly string[]) => readonly string[];
	run(parsed: ParsedOptions, context: CommandContext): Promise<number>;
}

interface ForeignSubcommand {
	readonly name: string;
	readonly summary: string;
	readonly help: string;
	/** Otherwise it takes the names of the commands. */
	readonly takesFiles: boolean;
}

/** A command with the grammar and the help of another tool. */
export interface ForeignCommand extends Pick<CommandText, 'name' | 'options' | 'isVerbatim'> {
	/** Its commands, each with its help. */
	readonly commands: readonly ForeignSubcommand[];
	/** Its whole help. */
	readonly help: string;
	runWords(argv: readonly string[], context: CommandContext): Promise<number>;
}

/** Where the code of a command is; it is loaded when the command runs. */
export interface CommandEntry<Loaded = Command> {
	readonly name: string;
	/** What it is for: a line or two. */
	readonly summary: readonly string[];
	/** Known to `assay help NAME` and completion, but not among the commands of the general help. */
	readonly isHidden?: boolean;
	readonly load: () => Promise<Loaded>;
	/** Where that is a function: the commands that it chooses among. */
	readonly forms?: () => Promise<readonly CommandDescription[]>;
}

/** A command that only has commands: `order`. */
export interface CommandGroup {
	readonly name: string;
	/** Paragraphs, as of a command. */
	readonly about: string;
	readonly commands: readonly CommandEntry<CommandDescription>[];
	readonly examples: readonly string[];
	/** Above the examples; without it that they run on the recordings that come with assay. */
	readonly examplesTitle?: string;
}

/** Commands that are not described yet take their arguments as they are. */
export type Command = CommandDescription | ForeignCommand | CommandGroup | ((argv: readonly string[], io: CommandIo) => Promise<number>);

/** What a command works with. */
export interface CommandContext {
	readonly io: CommandIo;
	readonly workingDirectory: string;
	readonly progress: Progress;
	/** Results as text; flushed when the command ends. */
	readonly writer: TextWriter;
	readonly terminal: Terminal;
	readonly wantsJson: boolean;
	/** The files that a user named; `-` is standard input. */
	files(names: readonly string[]): LogFile[];
	/** Problems of the input, on standard error. */
	tell(problems: readonly Problem[]): void;
	/** The result as JSON, in its envelope; `command` where it is called otherwise than the command. */
	json<T>(result: Streamed<T>, problems: readonly Problem[], command?: string): void;
	/** Runs when the command has ended, however. */
	atEnd(close: () => void): void;
}

export const EXIT = { done: 0, no: 1, wrongUse: 2, unusableInput: 3, outputFailed: 4 } as const;

/** The text of `--help`. */
export function helpOf({ name, usage, programs = [], about, options, optionsNote, examples, examplesTitle, exitStatus }: CommandText): string {
	const all = [...usage.map((form) => `assay ${name} ${form}`), ...programs];
	const forms = all.map((form, i) => `${i === 0 ? 'usage:' : '      '} ${form}`.trimEnd()).join('\n');
	const title = examplesTitle ?? `example${examples.length === 1 ? '' : 's'}, on the recordings that come with assay:`;
	const shown = examples.length === 0 ? '' : `\n${title}\n${examples.map((example) => `  ${example}`).join('\n')}\n`;
	return `${forms}\n\n${about}\n\noptions${optionsNote === undefined ? '' : ` (${optionsNote})`}:\n${describeOptions(options)}\n${shown}\nexit status: ${exitStatus}\n`;
}

/** The result is the exit status. */
export function runCommand(description: CommandDescription | ForeignCommand, argv: readonly string[], io: CommandIo): Promise<number> {
	return guarded(description, io, async (contextFor) => {
		if ('runWords' in description) {
			return description.runWords(argv, contextFor(argv.includes('--json')));
		}
		const { options, commandOptions = [], takesCommand, words } = description;
		const parsed = parseOptions(words?.(argv) ?? argv, argv.includes('--') ? [...options, ...commandOptions] : options, takesCommand);
		if (parsed.isSet('help')) {
			io.out(helpOf(description));
			return EXIT.done;
		}
		await refuseOwnInput(parsed, options, io.workingDirectory);
		return description.run(parsed, contextFor(parsed.isSet('json')));
	});
}

/** What commands have in common: how they end, also by an error. */
async function guarded(
	{ name, isVerbatim = false }: Pick<CommandText, 'name' | 'isVerbatim'>,
	io: CommandIo,
	run: (contextFor: (wantsJson: boolean) => CommandContext) => Promise<number>,
): Promise<number> {
	const writer = new TextWriter((block) => io.out(isVerbatim && io.isTerminal ? visible(block, false) : block));
	const progress = createProgress(io);
	const atEnd: (() => void)[] = [];
	let isJson = false;
	const contextFor = (wantsJson: boolean): CommandContext => {
		isJson = wantsJson;
		return {
			io,
			workingDirectory: io.workingDirectory,
			progress,
			writer,
			terminal: createTerminal(io.isTerminal ? (io.columns ?? 80) : null, io.hasColour ?? false),
			wantsJson,
			files: (names) => recordingFiles(names, io.workingDirectory),
			tell: (problems) => {
				progress.end();
				writeProblems(problems, io);
			},
			json: (result, problems, command = name) => {
				progress.end();
				if (io.takeResult === undefined) {
					writeEnvelope(writer, VERSION, command, result, problems);
				} else {
					io.takeResult(result, problems);
				}
			},
			atEnd: (close) => void atEnd.push(close),
		};
	};
	try {
		const status = await run(contextFor);
		progress.end();
		writer.flush();
		return status;
	} catch (error) {
		progress.end();
		if (error instanceof UsageError) {
			io.err(`assay ${name}: ${visible(error.message)}${error.message.endsWith('?') ? '' : '.'} See assay ${name} --help.\n`);
			return EXIT.wrongUse;
		}
		if (!(error instanceof InputError)) {
			throw error;
		}
		if (io.takeResult !== undefined) {
			io.takeResult({}, [error.problem]);
		} else if (isJson) {
			writeEnvelope(writer, VERSION, name, {}, [error.problem]);
			writer.flush();
		}
		io.err(`assay ${name}: ${visible(formatProblem(error.problem))}\n`);
		return EXIT.unusableInput;
	} finally {
		for (const close of atEnd) {
			close();
		}
	}
}
