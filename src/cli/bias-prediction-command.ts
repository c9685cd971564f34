/** `assay bias`: what a profiler that sees threads only at safepoints would have said of a recording. */
import fs from 'node:fs';
import path from 'node:path';
import type { BiasRequest } from '../answers/bias.js';
import { answerBias, BIAS_BY, DEFAULT_ROUNDS, isBiasBy } from '../answers/bias-prediction.js';
import { type Against, isOwnProfileName, OWN_PROFILE_NAMES } from '../answers/observed-profiles.js';
import { UsageError } from '../model/problem.js';
import type { LogFile } from '../recording/log-file.js';
import { writeBiasText, writeExplanations } from '../render/bias-text.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { RECORDING_INPUT } from './command-tool.js';
import { openNamed } from './open-named.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';
import { SAMPLE_OPTIONS, sampleFilterOf } from './sample-options.js';
import { SYNTAX_OPTION, syntaxOf } from './syntax-option.js';

const OPTIONS: readonly OptionSpec[] = [
	...SAMPLE_OPTIONS,
	{ name: 'pid', value: 'PID', help: 'the JVM, where the files are of several' },
	{ name: 'from', value: 'S', help: "leave out samples before, in seconds of the samples'\nclock" },
	{ name: 'to', value: 'S', help: 'leave out samples after' },
	{
		name: 'against',
		value: 'NAME=FILE',
		isMultiple: true,
		help: 'what another profiler said of the same run (JFR, thread\ndumps, collapsed stacks, …; FILE:cpu chooses a kind of\nsamples); may be given several times',
	},
	{
		name: 'by',
		value: 'WHAT',
		choices: BIAS_BY,
		help: 'method, line (rows are lines) or tree (call trees, from\nthe stacks of the samples, else from what is inlined)',
	},
	{
		name: 'explain',
		value: 'METHOD',
		help: 'the instructions between the samples of a method or line\nand the polls that others are blamed at, or it is; a\nhandle (m3, l3) of the table or a name',
	},
	{
		name: 'classes',
		value: 'PATH',
		isMultiple: true,
		isFile: true,
		help: 'class files, a folder or jar of them, or the output of\njavap -c -p: what the loops are in bytecode',
	},
	{ name: 'rounds', value: 'N', help: 'draws of the samples for the intervals of the prediction\n(20; 0: no intervals)' },
	SYNTAX_OPTION,
	{ name: 'top', value: 'N', help: 'rows of the tables (20)' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const biasPredictionCommand: CommandDescription = {
	name: 'bias',
	usage: ['RECORDING... [METHOD] [options]'],
	about: `Shows, method by method, where the time of a JVM went and what a profiler would
have printed that sees threads only at safepoints: each sample is followed
through the generated code to the polls that its thread reaches next. Predicted,
not measured. RECORDING is a folder or files: samples (perf script with comm and
tid) and the JVM's log with its code. docs/bias.md tells how.`,
	options: OPTIONS,
	examples: ['assay bias run1 --thread java --against dump=dump.collapsed'],
	examplesTitle: "example, on a recording that 'assay record' left in the folder run1:",
	exitStatus: '0 reported, 2 wrong use, 3 unusable input',
	completes: 'files',
	tools: [
		{
			name: 'bias',
			question:
				'How far a profiler at safepoints would have been from the truth on this run, who would have got whose blame, and why (predicted from the code).',
			inputs: [RECORDING_INPUT],
			first: ['methods'],
			options: ['thread', 'class', 'window', 'pid', 'by', 'explain', 'classes'],
		},
	],
	run,
};

const HANDLE = /^[ml][1-9]\d*$/;

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const { workingDirectory, progress, writer, terminal } = context;
	// A folder may be called m3: what is there is no handle.
	const isHandle = (argument: string, i: number): boolean => i > 0 && HANDLE.test(argument) && !fs.existsSync(path.resolve(workingDirectory, argument));
	const paths = parsed.positionals.filter((argument, i) => !isHandle(argument, i));
	const explained = parsed.value('explain');
	const asked = [...parsed.positionals.filter(isHandle), ...(explained === undefined ? [] : [explained])];
	if (asked.length > 1) {
		throw new UsageError('one method at a time is explained');
	}
	if (paths.length === 0) {
		throw new UsageError('a recording is expected: a folder, or samples and the log of the JVM');
	}
	const request: BiasRequest = {
		...sampleFilterOf(parsed),
		from: seconds(parsed, 'from', Number.NEGATIVE_INFINITY),
		to: seconds(parsed, 'to', Number.POSITIVE_INFINITY),
	};
	const by = parsed.value('by') ?? 'method';
	if (!isBiasBy(by)) {
		throw new UsageError(`--by takes ${BIAS_BY.join(', ')}, not "${by}"`);
	}
	const rounds = parsed.value('rounds') === '0' ? 0 : (positiveInteger(parsed, 'rounds') ?? DEFAULT_ROUNDS);
	const top = positiveInteger(parsed, 'top') ?? 20;
	const against = parsed.values('against').map((text) => againstOf(text, workingDirectory));
	progress.report(`reading ${paths.join(', ')}`);
	const evidence = await openNamed(context, paths, { processId: positiveInteger(parsed, 'pid') ?? null, details: by === 'tree' ? 'all' : 'threads' });
	const answer = await answerBias(evidence, {
		...request,
		against,
		by,
		rounds,
		method: asked[0] ?? null,
		syntax: syntaxOf(parsed),
		classes: parsed.values('classes').map((name) => fileOf(name, workingDirectory)),
	});
	if (context.wantsJson) {
		context.json(answer.result(), answer.problems);
		return EXIT.done;
	}
	context.tell(answer.problems);
	const { report, tree, otherThreads, window, profiles, method, explanations } = answer;
	if (method === null) {
		writeBiasText(writer, { report, tree, otherThreads, title: paths.join(', '), window, profiles, top }, terminal);
	} else {
		writeExplanations(writer, explanations, method, top, terminal);
	}
	return EXIT.done;
}

/** `jfr=rec.jfr`, `jfr=rec.jfr:cpu`; what is there is a file, whatever stands behind its colon. */
function againstOf(text: string, workingDirectory: string): Against {
	const at = text.indexOf('=');
	const name = text.slice(0, Math.max(at, 0));
	if (name === '' || at === text.length - 1 || isOwnProfileName(name)) {
		throw new UsageError(`--against takes NAME=FILE, NAME not one of ${[...OWN_PROFILE_NAMES].join(', ')}, not "${text}"`);
	}
	const file = text.slice(at + 1);
	const [, stem, kind] = /^(.+):([A-Za-z]\w*)$/.exec(file) ?? [];
	if (stem === undefined || kind === undefined || fs.existsSync(path.resolve(workingDirectory, file))) {
		return { name, file: fileOf(file, workingDirectory), kind: null };
	}
	return { name, file: fileOf(stem, workingDirectory), kind };
}

function fileOf(name: string, workingDirectory: string): LogFile {
	return { filePath: path.resolve(workingDirectory, name), name };
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
