/** `assay bias`: what a profiler that sees threads only at safepoints would have said of a recording. */
import fs from 'node:fs';
import path from 'node:path';
import { type BiasRequest, openBias } from '../answers/bias.js';
import { readObservedProfiles, splitAgainst } from '../answers/observed-profiles.js';
import { VERSION } from '../answers/version.js';
import { type BiasReport, biasReport } from '../bias/bias-report.js';
import { formatProblem, InputError, type Problem, UsageError } from '../model/problem.js';
import { openEvidence } from '../recording/evidence.js';
import { openClasses } from '../recording/open-classes.js';
import { writeBiasJson } from '../render/bias-json.js';
import { writeBiasText, writeExplanations } from '../render/bias-text.js';
import { beginEnvelope, endEnvelope } from '../render/envelope.js';
import { createTerminal } from '../render/terminal.js';
import { TextWriter } from '../render/text-writer.js';
import type { CommandIo } from './io.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions, positiveInteger } from './options.js';
import { writeProblems } from './problems.js';
import { createProgress } from './progress.js';
import { recordingFiles } from './recording-files.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'thread', value: 'PATTERN', help: 'only threads with such names; * stands for any text' },
	{ name: 'from', value: 'S', help: "leave out samples before, in seconds of the samples'\nclock" },
	{ name: 'to', value: 'S', help: 'leave out samples after' },
	{
		name: 'against',
		value: 'NAME=FILE',
		isMultiple: true,
		help: 'what another profiler said of the same run (JFR, thread\ndumps, collapsed stacks, …; FILE:cpu chooses a kind of\nsamples); may be given several times',
	},
	{
		name: 'explain',
		value: 'METHOD',
		help: 'the instructions between the samples of a method and the\npolls that others are blamed at, or it is; a handle (m3)\nof the table or a name',
	},
	{
		name: 'classes',
		value: 'PATH',
		isMultiple: true,
		help: 'class files, a folder or jar of them, or the output of\njavap -c -p: what the loops are in bytecode',
	},
	{ name: 'rounds', value: 'N', help: 'draws of the samples for the intervals of the prediction\n(20; 0: no intervals)' },
	{ name: 'top', value: 'N', help: 'rows of the tables (20)' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const PREDICTION_HELP = `usage: assay bias RECORDING... [METHOD] [options]

Shows, method by method, where the time of a JVM went and what a profiler would
have printed that sees threads only at safepoints: each sample is followed
through the generated code to the polls that its thread reaches next. Predicted,
not measured. RECORDING is a folder or files: samples (perf script with comm and
tid) and the JVM's log with its code. docs/bias.md tells how.

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
	// A folder may be called m3: what is there is no handle.
	const isHandle = (argument: string, i: number): boolean => i > 0 && HANDLE.test(argument) && !fs.existsSync(path.resolve(io.workingDirectory, argument));
	const paths = parsed.positionals.filter((argument, i) => !isHandle(argument, i));
	const asked = [...parsed.positionals.filter(isHandle), ...(parsed.value('explain') === undefined ? [] : [parsed.value('explain')!])];
	if (asked.length > 1) {
		throw new UsageError('one method at a time is explained');
	}
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
	const against = parsed.values('against').map((text) => splitAgainst(text, io.workingDirectory));
	const writer = new TextWriter((block) => io.out(block));
	const progress = createProgress(io);
	try {
		progress.report(`reading ${paths.join(', ')}`);
		const evidence = await openEvidence(recordingFiles(paths, io.workingDirectory), { details: 'threads' });
		const opened = await openBias(evidence, request);
		const problems: Problem[] = [...opened.recording.problems];
		const profiles = await readObservedProfiles(against, io.workingDirectory, request, opened, problems);
		const observed = new Map(profiles.map(({ name, profile }) => [name, profile]));
		const classes = await openClasses(parsed.values('classes'), io.workingDirectory);
		problems.push(...classes.problems);
		const report = biasReport(opened.input, opened.unbiased, opened.counted, observed, rounds, (name) => classes.byMethod.get(name) ?? []);
		problems.push(...doubts(report, opened.recording.samplesFile, request), ...debugInfoDoubts(report, opened.recording.logFile));
		progress.end();
		const method = asked[0] === undefined ? null : methodOf(report, asked[0]);
		const explanations = report.explain(method);
		if (parsed.isSet('json')) {
			const json = beginEnvelope(writer, VERSION, 'bias');
			writeBiasJson(json, report, explanations, { samplesFile: opened.recording.samplesFile, logFile: opened.recording.logFile }, profiles);
			endEnvelope(json, writer, problems);
		} else {
			writeProblems(problems, io);
			const terminal = createTerminal(io.isTerminal ? (io.columns ?? 80) : 80, io.hasColour ?? false);
			if (method !== null) {
				writeExplanations(writer, explanations, method, top, terminal);
				writer.flush();
				return 0;
			}
			writeBiasText(writer, { report, title: paths.join(', '), profiles, top }, terminal);
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

/** A handle of the table, a name or the end of one. */
function methodOf({ methods }: BiasReport, asked: string): string {
	const found = HANDLE.test(asked)
		? methods[Number(asked.slice(1)) - 1]
		: (methods.find(({ method }) => method === asked) ?? methods.find(({ method }) => method.endsWith(`.${asked}`)));
	if (found === undefined) {
		throw new UsageError(`no method of the table is called ${asked}`);
	}
	return found.method;
}

const HANDLE = /^m[1-9]\d*$/;

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

export function debugInfoDoubts({ described }: BiasReport, logFile: string | null): Problem[] {
	const warn = (message: string, action: string): Problem[] => [{ severity: 'warning', file: logFile ?? '', message, action }];
	switch (described) {
		case 'safepoints only':
			return warn(
				'the code describes safepoints only (-XX:-DebugNonSafepoints), so each sample counts for the method of the next one',
				'record with -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints to see where the time is',
			);
		case 'no oop maps':
			return warn('no oop maps are printed beside the code', 'what a profiler without DebugNonSafepoints would say is not told');
		default:
			return [];
	}
}

export function doubts({ counted, unknownPercent, methods }: BiasReport, file: string, { thread }: BiasRequest): Problem[] {
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
