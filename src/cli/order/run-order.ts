/** What the subcommands of `assay order` share: unusable input, JSON, terminal. */

import { VERSION } from '../../answers/version.js';
import { formatProblem, InputError, type Problem } from '../../model/problem.js';
import { beginEnvelope, endEnvelope } from '../../render/envelope.js';
import type { JsonStream } from '../../render/json-stream.js';
import { createTerminal, type Terminal } from '../../render/terminal.js';
import { TextWriter } from '../../render/text-writer.js';
import { visible } from '../../render/visible.js';
import type { CommandIo } from '../io.js';
import type { ParsedOptions } from '../options.js';
import { writeProblems } from '../problems.js';

export interface OrderResult {
	readonly problems: readonly Problem[];
	/** Exit status. */
	readonly status: number;
	writeJson(json: JsonStream): void;
	writeText(writer: TextWriter, terminal: Terminal): void;
}

/** Runs a subcommand and prints its result; unusable input is exit status 3. */
export async function runOrder(name: string, parsed: ParsedOptions, io: CommandIo, run: () => Promise<OrderResult>): Promise<number> {
	const writer = new TextWriter((block) => io.out(block));
	const command = `order ${name}`;
	try {
		const result = await run();
		if (parsed.isSet('json')) {
			const json = beginEnvelope(writer, VERSION, command);
			result.writeJson(json);
			endEnvelope(json, writer, result.problems);
		} else {
			writeProblems(result.problems, io);
			result.writeText(writer, createTerminal(io.isTerminal ? (io.columns ?? 80) : null, io.hasColour ?? false));
		}
		writer.flush();
		return result.status;
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		if (parsed.isSet('json')) {
			endEnvelope(beginEnvelope(writer, VERSION, command), writer, [error.problem]);
			writer.flush();
		}
		io.err(`assay ${command}: ${visible(formatProblem(error.problem))}\n`);
		return 3;
	}
}
