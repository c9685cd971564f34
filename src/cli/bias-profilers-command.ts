/** `assay bias --profilers`: which profilers are biased by construction, in general or on the JVM of a recording. */
import { VERSION } from '../answers/version.js';
import { majorVersion, profilersOf } from '../bias/profilers.js';
import { formatProblem, InputError, type Problem, UsageError } from '../model/problem.js';
import { openEvidence } from '../recording/evidence.js';
import { beginEnvelope, endEnvelope } from '../render/envelope.js';
import { type ProfilersView, writeProfilersJson, writeProfilersText } from '../render/profilers-text.js';
import { createTerminal } from '../render/terminal.js';
import { TextWriter } from '../render/text-writer.js';
import { visible } from '../render/visible.js';
import type { CommandIo } from './io.js';
import { describeOptions, type OptionSpec, parseOptions, positiveInteger } from './options.js';
import { writeProblems } from './problems.js';
import { recordingFiles } from './recording-files.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'profilers', help: 'the table of profilers' },
	{ name: 'for-jdk', value: 'N', help: 'only what holds for this version of the JDK (17); of a\nrecording its own is taken' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const PROFILERS_HELP = `usage: assay bias --profilers [options] [RECORDING...]

Which profilers blame the wrong method by how they look at threads, by version
of the JDK and mode, why, and where that is said. With a recording: on its JVM.

options:
${describeOptions(OPTIONS)}

example:
  assay bias --profilers --for-jdk 25

exit status: 0 reported, 2 wrong use, 3 unusable input
`;

const COMMAND = 'bias --profilers';

export async function biasProfilersCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(PROFILERS_HELP);
		return 0;
	}
	const paths = parsed.positionals;
	const chosen = positiveInteger(parsed, 'for-jdk') ?? null;
	if (chosen !== null && paths.length > 0) {
		throw new UsageError('--for-jdk goes without a recording: that has its own version');
	}
	const writer = new TextWriter((block) => io.out(block));
	const problems: Problem[] = [];
	let view: ProfilersView = { rows: profilersOf(chosen), jdk: chosen, version: null };
	try {
		if (paths.length > 0) {
			const evidence = await openEvidence(recordingFiles(paths, io.workingDirectory));
			const version = (await evidence.recording())?.log?.version ?? null;
			evidence.close();
			const jdk = version === null ? null : majorVersion(version);
			if (jdk === null) {
				problems.push({
					severity: 'warning',
					file: paths.join(', '),
					message: "no log tells the JVM's version",
					action: 'all versions are shown; --for-jdk N chooses one',
				});
			}
			view = { rows: profilersOf(jdk), jdk, version };
		}
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		if (parsed.isSet('json')) {
			endEnvelope(beginEnvelope(writer, VERSION, COMMAND), writer, [error.problem]);
			writer.flush();
		}
		io.err(`assay ${COMMAND}: ${visible(formatProblem(error.problem))}\n`);
		return 3;
	}
	if (parsed.isSet('json')) {
		const json = beginEnvelope(writer, VERSION, COMMAND);
		writeProfilersJson(json, view);
		endEnvelope(json, writer, problems);
	} else {
		writeProblems(problems, io);
		writeProfilersText(writer, view, createTerminal(io.isTerminal ? (io.columns ?? 80) : 80, io.hasColour ?? false));
	}
	writer.flush();
	return 0;
}
