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
import { type CommandIo, OutputFailed } from './io.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions } from './options.js';
import { writeProblems } from './problems.js';
import { createProgress } from './progress.js';
import { recordingFiles } from './recording-files.js';

export interface CommandDescription {
	/** As it is called: `hot`, `order simulate`. */
	readonly name: string;
	/** What stands behind the name, a form each: `RECORDING... [HANDLE...] [options]`. */
	readonly usage: readonly string[];
	/** What it does and what it reads: paragraphs of at most 80 columns, a blank line between them. */
	readonly about: string;
	readonly options: readonly OptionSpec[];
	/** Lines that run in the folder of the package. */
	readonly examples: readonly string[];
	/** Above the examples; without it that they run on the recordings that come with assay. */
	readonly examplesTitle?: string;
	/** Behind `exit status:`, wrapped. */
	readonly exitStatus: string;
	/** What positional arguments are, for completion. */
	readonly completes?: 'files' | 'programs';
	/** Takes a command line behind `--`, as `parsed.command`. */
	readonly takesCommand?: boolean;
	/** Options of another command, which are taken where there is a `--`; its help explains them. */
	readonly commandOptions?: readonly OptionSpec[];
	run(parsed: ParsedOptions, context: CommandContext): Promise<number>;
}

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
export function helpOf({ name, usage, about, options, examples, examplesTitle, exitStatus }: CommandDescription): string {
	const forms = usage.map((form, i) => `${i === 0 ? 'usage:' : '      '} assay ${name} ${form}`.trimEnd()).join('\n');
	const title = examplesTitle ?? `example${examples.length === 1 ? '' : 's'}, on the recordings that come with assay:`;
	const shown = examples.length === 0 ? '' : `\n${title}\n${examples.map((example) => `  ${example}`).join('\n')}\n`;
	return `${forms}\n\n${about}\n\noptions:\n${describeOptions(options)}\n${shown}\nexit status: ${exitStatus}\n`;
}

/** The result is the exit status. */
export async function runCommand(description: CommandDescription, argv: readonly string[], io: CommandIo): Promise<number> {
	const { name } = description;
	const writer = new TextWriter((block) => io.out(block));
	const progress = createProgress(io);
	const atEnd: (() => void)[] = [];
	let wantsJson = false;
	try {
		const { options, commandOptions = [], takesCommand } = description;
		const parsed = parseOptions(argv, argv.includes('--') ? [...options, ...commandOptions] : options, takesCommand);
		if (parsed.isSet('help')) {
			io.out(helpOf(description));
			return EXIT.done;
		}
		wantsJson = parsed.isSet('json');
		const status = await description.run(parsed, {
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
				writeEnvelope(writer, VERSION, command, result, problems);
			},
			atEnd: (close) => void atEnd.push(close),
		});
		progress.end();
		writer.flush();
		return status;
	} catch (error) {
		progress.end();
		if (error instanceof UsageError) {
			io.err(`assay ${name}: ${visible(error.message)}. See assay ${name} --help.\n`);
			return EXIT.wrongUse;
		}
		if (error instanceof OutputFailed) {
			io.err(`assay ${name}: ${visible(error.message)}\n`);
			return EXIT.outputFailed;
		}
		if (!(error instanceof InputError)) {
			throw error;
		}
		if (wantsJson) {
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
