/** `assay bias --ttsp`: how long threads take to stop at safepoints, and which loop they wait for. */
import { openDelays } from '../answers/time-to-safepoint.js';
import { VERSION } from '../answers/version.js';
import { delayCauses, timeClasses } from '../bias/delay-summary.js';
import { formatProblem, InputError, UsageError } from '../model/problem.js';
import { openEvidence } from '../recording/evidence.js';
import { beginEnvelope, endEnvelope } from '../render/envelope.js';
import { createTerminal } from '../render/terminal.js';
import { TextWriter } from '../render/text-writer.js';
import { writeTtspJson } from '../render/ttsp-json.js';
import { type TtspView, writeTtspText } from '../render/ttsp-text.js';
import type { CommandIo } from './io.js';
import { describeOptions, type OptionSpec, parseOptions, positiveInteger } from './options.js';
import { writeProblems } from './problems.js';
import { createProgress } from './progress.js';
import { recordingFiles } from './recording-files.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'ttsp', help: 'time to safepoint: who delays safepoints' },
	{ name: 'slow', value: 'MS', help: 'look for the cause where it took so long (10)' },
	{ name: 'top', value: 'N', help: 'slow safepoints and causes shown (10)' },
	{ name: 'pid', value: 'PID', help: "the JVM's process (default: that of the log)" },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const TTSP_HELP = `usage: assay bias --ttsp RECORDING... [options]

Shows how long the threads of a JVM took to stop at its safepoints (time to
safepoint, TTSP), and for the slow ones who made the others wait: the thread,
the loop (method, line, address), why it has no poll, what to do and what that
costs. RECORDING is a folder or files: the log of safepoints
(-Xlog:safepoint*=info:file=safepoint.log:uptimenanos,timenanos,tags), samples
(perf script with comm and tid) and the JVM's log with its code. Without samples
late threads (-XX:+SafepointTimeout) and printed loops without a poll are named.
docs/bias.md tells how.

options:
${describeOptions(OPTIONS)}

example, on a recording that 'assay record' left in the folder run1:
  assay bias --ttsp run1

exit status: 0 reported, 2 wrong use, 3 unusable input
`;

const COMMAND = 'bias --ttsp';

export async function biasTtspCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(TTSP_HELP);
		return 0;
	}
	const paths = parsed.positionals;
	if (paths.length === 0) {
		throw new UsageError('a recording is expected: a folder, or the log of safepoints, samples and the log of the JVM');
	}
	const slowMs = parsed.value('slow') ?? '10';
	if (!/^\d{0,9}\.?\d{1,9}$/.test(slowMs)) {
		throw new UsageError(`--slow takes milliseconds, not "${slowMs}"`);
	}
	const slowNs = Number(slowMs) * 1e6;
	const top = positiveInteger(parsed, 'top') ?? 10;
	const processId = positiveInteger(parsed, 'pid') ?? null;
	const writer = new TextWriter((block) => io.out(block));
	const progress = createProgress(io);
	try {
		progress.report(`reading ${paths.join(', ')}`);
		const evidence = await openEvidence(recordingFiles(paths, io.workingDirectory), { processId, details: 'threads' });
		const opened = await openDelays(evidence, slowNs, processId);
		progress.end();
		const { recording, delays, clock, problems } = opened;
		const view: TtspView = { title: paths.join(', '), slowNs, top, delays, classes: timeClasses(delays), causes: delayCauses(delays) };
		if (parsed.isSet('json')) {
			const json = beginEnvelope(writer, VERSION, COMMAND);
			writeTtspJson(json, view, {
				safepointsFile: recording.safepoints?.file ?? null,
				samplesFile: recording.format === null ? null : recording.samplesFile,
				logFile: recording.logFile,
				timeouts: recording.safepoints?.timeouts ?? [],
				clock,
			});
			endEnvelope(json, writer, problems);
		} else {
			writeProblems(problems, io);
			writeTtspText(writer, view, createTerminal(io.isTerminal ? (io.columns ?? 80) : null, io.hasColour ?? false));
		}
	} catch (error) {
		progress.end();
		if (!(error instanceof InputError)) {
			throw error;
		}
		if (parsed.isSet('json')) {
			endEnvelope(beginEnvelope(writer, VERSION, COMMAND), writer, [error.problem]);
			writer.flush();
		}
		io.err(`assay ${COMMAND}: ${formatProblem(error.problem)}\n`);
		return 3;
	}
	writer.flush();
	return 0;
}
