/** `assay bias`: what a profiler that sees threads only at safepoints would have said of a recording. */
import path from 'node:path';
import { type BiasReport, biasReport } from '../bias/bias-report.js';
import { readCollapsedStacks } from '../formats/collapsed-stacks/read.js';
import { nameMatches } from '../model/name-pattern.js';
import { formatProblem, InputError, type Problem } from '../model/problem.js';
import { openFile } from '../recording/file-source.js';
import { writeBiasJson } from '../report/bias-json.js';
import { writeBiasText } from '../report/bias-text.js';
import { beginEnvelope, endEnvelope } from '../report/envelope.js';
import { createTerminal } from '../report/terminal.js';
import { TextWriter } from '../report/text-writer.js';
import type { CommandIo } from './io.js';
import { type BiasRequest, openBias } from './open-bias.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions, positiveInteger, UsageError } from './options.js';
import { writeProblems } from './problems.js';
import { createProgress } from './progress.js';
import { VERSION } from './version.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'thread', value: 'PATTERN', help: 'only threads with such names; * stands for any text' },
	{ name: 'from', value: 'S', help: "leave out samples before, in seconds of the samples'\nclock" },
	{ name: 'to', value: 'S', help: 'leave out samples after' },
	{ name: 'against', value: 'NAME=FILE', isMultiple: true, help: 'collapsed stacks of another profiler of the same run;\nmay be given several times' },
	{ name: 'rounds', value: 'N', help: 'draws of the samples for the intervals of the prediction\n(20; 0: no intervals)' },
	{ name: 'top', value: 'N', help: 'rows of the tables (20)' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const PREDICTION_HELP = `usage: assay bias RECORDING... [options]

Shows, method by method, where the time of a JVM went and what a profiler would
have printed that sees threads only at safepoints: each sample is followed through
the generated code to the polls that its thread reaches next. Predicted, not
measured. RECORDING is a folder or files: samples (perf script with comm and tid)
and the JVM's log with its code. docs/bias.md tells how.

options:
${describeOptions(OPTIONS)}

example, on a recording that 'assay record' left in the folder run1:
  assay bias run1 --thread main --against dump=dump.collapsed

exit status: 0 reported, 2 wrong use, 3 unusable input
`;

export async function biasPredictionCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(PREDICTION_HELP);
		return 0;
	}
	const paths = parsed.positionals;
	if (paths.length === 0) {
		throw new UsageError('a recording is expected: a folder, or samples and the log of the JVM');
	}
	const request: BiasRequest = {
		thread: parsed.value('thread') ?? null,
		from: seconds(parsed, 'from', Number.NEGATIVE_INFINITY),
		to: seconds(parsed, 'to', Number.POSITIVE_INFINITY),
	};
	const rounds = parsed.value('rounds') === '0' ? 0 : Math.min(positiveInteger(parsed, 'rounds') ?? 20, 1000);
	const top = positiveInteger(parsed, 'top') ?? 20;
	const against = parsed.values('against').map(splitAgainst);
	const writer = new TextWriter((block) => io.out(block));
	const progress = createProgress(io);
	try {
		progress.report(`reading ${paths.join(', ')}`);
		const opened = await openBias(
			paths.map((name) => ({ filePath: path.resolve(io.workingDirectory, name), name })),
			request,
		);
		const problems: Problem[] = [...opened.recording.problems];
		const observed = new Map<string, Map<string, number>>();
		for (const { name, file } of against) {
			observed.set(name, await readProfile(path.resolve(io.workingDirectory, file), file, request.thread, problems));
		}
		const report = biasReport(opened.input, opened.unbiased, opened.counted, observed, rounds);
		problems.push(...doubts(report, opened.recording.samplesFile, request));
		progress.end();
		if (parsed.isSet('json')) {
			const json = beginEnvelope(writer, VERSION, 'bias');
			writeBiasJson(json, report, { samplesFile: opened.recording.samplesFile, logFile: opened.recording.logFile });
			endEnvelope(json, writer, problems);
		} else {
			writeProblems(problems, io);
			const terminal = createTerminal(io.isTerminal ? (io.columns ?? 80) : 80, io.hasColour ?? false);
			writeBiasText(writer, { report, title: paths.join(', '), observed: [...observed.keys()], top }, terminal);
		}
	} catch (error) {
		progress.end();
		if (!(error instanceof InputError)) {
			throw error;
		}
		if (parsed.isSet('json')) {
			endEnvelope(beginEnvelope(writer, VERSION, 'bias'), writer, [error.problem]);
			writer.flush();
		}
		io.err(`assay bias: ${formatProblem(error.problem)}\n`);
		return 3;
	}
	writer.flush();
	return 0;
}

/** Samples by innermost method; of the chosen threads where the profile names threads. */
async function readProfile(filePath: string, name: string, thread: string | null, problems: Problem[]): Promise<Map<string, number>> {
	const opened = await openFile(filePath, name);
	const { leaves, samples, problems: found } = readCollapsedStacks(opened.source);
	opened.source.close();
	problems.push(...opened.problems, ...found);
	const result = new Map<string, number>();
	for (const leaf of leaves) {
		if (thread === null || leaf.thread === null || nameMatches(thread, leaf.thread)) {
			result.set(leaf.method, (result.get(leaf.method) ?? 0) + leaf.samples);
		}
	}
	if (samples > 0 && result.size === 0) {
		problems.push({ severity: 'warning', file: name, message: `no stack is of a thread ${thread}`, action: 'the profile counts as empty' });
	}
	if (samples === 0) {
		problems.push({
			severity: 'error',
			file: name,
			message: 'holds no collapsed stacks',
			action: 'expected lines as a;b;c 12: frames with semicolons, then a number of samples',
		});
	}
	return result;
}

function splitAgainst(text: string): { name: string; file: string } {
	const at = text.indexOf('=');
	const name = text.slice(0, Math.max(at, 0));
	if (name === '' || at === text.length - 1 || name === 'unbiased' || name === 'predicted') {
		throw new UsageError(`--against takes NAME=FILE, NAME neither unbiased nor predicted, not "${text}"`);
	}
	return { name, file: text.slice(at + 1) };
}

function seconds(parsed: ParsedOptions, name: string, byDefault: number): number {
	const text = parsed.value(name);
	if (text === undefined) {
		return byDefault;
	}
	if (!/^\d{1,12}(?:\.\d{1,12})?$/.test(text)) {
		throw new UsageError(`--${name} takes seconds on the samples' clock, not "${text}"`);
	}
	return Number(text);
}

function doubts({ counted, unknownPercent, methods }: BiasReport, file: string, { thread }: BiasRequest): Problem[] {
	if (counted === 0) {
		return [
			{
				severity: 'warning',
				file,
				message: `no samples${thread === null ? '' : ` of a thread ${thread}`} in that time`,
				action: 'check --thread, --from and --to',
			},
		];
	}
	if (!methods.some(({ predictedPercent }) => predictedPercent > 0)) {
		return [
			{ severity: 'warning', file, message: 'no sample lies in code that was printed', action: 'nothing can be predicted; record with -XX:+PrintAssembly' },
		];
	}
	return unknownPercent < 5
		? []
		: [
				{
					severity: 'warning',
					file,
					message: `of ${unknownPercent.toFixed(0)} % of the samples no printed code tells where they stop`,
					action: 'they are left out of the prediction',
				},
			];
}
