/** `assay hot`: the hottest code of a JVM, with its samples instruction by instruction. */
import fs from 'node:fs';
import path from 'node:path';
import { answerHot, compareHotspotsOf, type HotRequest, type OpenedHot } from '../answers/hot.js';
import { jumpsInside } from '../hot/code-regions.js';
import { alignRegions } from '../hot/compare-hot.js';
import { FOLDS, type FoldKind } from '../hot/fold.js';
import { shortVersion } from '../model/jvm-version.js';
import { UsageError } from '../model/problem.js';
import type { Evidence } from '../recording/evidence.js';
import { openSources } from '../recording/java-sources.js';
import { writeHotComparison } from '../render/hot-compare.js';
import { writeHotText } from '../render/hot-text.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { RECORDING_INPUT } from './command-tool.js';
import { openNamed } from './open-named.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';
import { SAMPLE_OPTIONS, sampleFilterOf } from './sample-options.js';
import { SYNTAX_OPTION, syntaxOf } from './syntax-option.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'by', value: 'WHAT', choices: FOLDS, help: `fold samples by ${FOLDS.slice(0, 4).join(', ')},\n${FOLDS.slice(4, -1).join(', ')} or ${FOLDS.at(-1)}` },
	{ name: 'top', value: 'N', help: 'rows of the tables (20)' },
	{ name: 'threshold', value: 'SHARE', help: 'show the code of regions with more than this share of\nthe samples (0.10)' },
	{ name: 'margin', value: 'N', help: 'instructions shown around those with samples (10)' },
	{ name: 'gap', value: 'BYTES', help: 'regions as JMH makes them: addresses with samples no\nfurther apart than this; without it by loops' },
	{ name: 'event', value: 'NAME', help: 'count this event (the first of the recording)' },
	{ name: 'delay', value: 'MS', help: 'leave out the first milliseconds of the samples' },
	{ name: 'length', value: 'MS', help: 'take the samples of so many milliseconds' },
	{ name: 'pid', value: 'PID', help: "the JVM's process (default: that of the log, or of most\nsamples in generated code)" },
	...SAMPLE_OPTIONS,
	{
		name: 'skid',
		value: 'HOW',
		choices: ['auto', 'on', 'off'],
		help: 'auto: add the analysed column if the recording shows\nthat its samples are late; on, off (auto)',
	},
	SYNTAX_OPTION,
	{ name: 'compare', value: 'B', isFile: true, help: 'a second recording: which regions changed,\ninstruction by instruction' },
	{ name: 'intervals', help: 'print half the 95 % interval behind each share' },
	{ name: 'sources', value: 'PATH', isFile: true, help: "a folder of Java sources, or a JDK's src.zip: show their\nlines too" },
	{ name: 'code', help: 'with --json: all instructions of the compilations that\nhandles choose (without handles: of all with samples)' },
	{ name: 'each-sample', help: 'with --json: time, thread and place of every sample' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const hotCommand: CommandDescription = {
	name: 'hot',
	usage: ['RECORDING... [HANDLE...] [options]'],
	about: `Shows where the time of a JVM went: the hottest regions of generated code, the
methods they belong to, then their instructions, each with its samples, inlining
and jumps. RECORDING is a folder or files: samples (perf script, DTrace's
profile probe, xctrace, xperf, async-profiler's collapsed stacks with pcaddr)
and the JVM's log (-XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation
-XX:+PrintAssembly; hsdis is not needed). HANDLE is that of a region (r3), a
method (m7) or a compilation (c12), or the name of a method or its end
(Words.count): only these, all of them.

Every sample belongs to a compilation or has a reason why not. Percentages are
of the JVM's samples; what other processes did is counted apart. docs/hot.md
tells how code is found, what a region is, and when samples are moved.`,
	options: OPTIONS,
	examples: ['assay hot examples/hot'],
	exitStatus: '0 reported, 2 wrong use, 3 unusable input',
	completes: 'files',
	tools: [
		{
			name: 'hot',
			question:
				'The hottest regions of generated code and the methods that they belong to, with shares, 95 % intervals and handles; what has no compilation, with the reason.',
			inputs: [RECORDING_INPUT],
			leavesOut: ['regions[].lines', 'threadTime', 'sources', 'compilations'],
			first: ['regions', 'methods'],
			options: ['by', 'event', 'delay', 'length', 'pid', 'thread', 'class', 'window', 'skid', 'compare'],
		},
		{
			name: 'hot_code',
			question: 'The machine code of a region, method or compilation around its hottest instructions: samples, bytecode, line and inlined frames of each.',
			inputs: [RECORDING_INPUT, { name: 'handles', kind: 'handles', help: 'a region (r3), a method (m7) or a compilation (c12), as hot and report name them' }],
			leavesOut: ['threadTime', 'methods', 'sources', 'clock', 'skid'],
			first: ['regions[].lines', 'regions', 'regions[].lines[].frames'],
			options: ['event', 'pid', 'thread', 'class', 'window', 'skid'],
		},
	],
	run,
};

const HANDLE = /^(?:[rm][1-9]\d*|c\d+%?)$/;
/** `Words.count`, `java.util.HashMap.getNode`, `a.B$C.<init>`, `HashMap.*`; the last part of a file's name is lower case and short. */
const METHOD = /^(?=[^/\\]*$)(?:[\p{L}_$][\p{L}\d_$]*\.)*[\p{L}_$*][\p{L}\d_$*]*(?:\.<(?:cl)?init>)?$/u;
const FILE_NAME = /\.(?:txt|log|gz|zst|data|bin|json|jfr|map|dump|xml|tar|tgz|zip|collapsed)$/;

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const { workingDirectory, progress, writer, terminal } = context;
	// A folder may be called r17: what is there is no handle. What looks like a file is none either.
	const isHandle = (argument: string, i: number): boolean =>
		i > 0 && (HANDLE.test(argument) || (METHOD.test(argument) && !FILE_NAME.test(argument))) && !fs.existsSync(path.resolve(workingDirectory, argument));
	const paths = parsed.positionals.filter((argument, i) => !isHandle(argument, i));
	const handles = parsed.positionals.filter(isHandle);
	if (paths.length === 0) {
		throw new UsageError('a recording is expected: a folder, or samples and the log of the JVM');
	}
	progress.report(`reading ${paths.join(', ')}`);
	const by = foldKind(parsed);
	const request = requestOf(parsed);
	const evidence = await openSide(paths, parsed, context);
	const second = parsed.value('compare');
	if (second !== undefined) {
		await compare(parsed, evidence, paths, second, context);
		return EXIT.done;
	}
	const answer = await answerHot(evidence, {
		...request,
		by,
		handles: handles.length === 0 ? null : handles,
		withCode: parsed.isSet('code'),
		withEachSample: parsed.isSet('each-sample'),
	});
	const sources = await openSources(
		parsed
			.value('sources')
			?.split(path.delimiter)
			.map((name) => path.resolve(workingDirectory, name)) ?? [],
	);
	if (context.wantsJson) {
		context.json(answer.result(), answer.problems);
		return EXIT.done;
	}
	context.tell(answer.problems);
	writeHotText(
		writer,
		{
			report: answer.report,
			threadTime: answer.threadTime,
			title: titleOf(answer, paths),
			window: answer.window,
			top: positiveInteger(parsed, 'top') ?? 20,
			threshold: number(parsed, 'threshold', 0.1, 1),
			margin: number(parsed, 'margin', 10),
			showIntervals: parsed.isSet('intervals'),
			folded: answer.folded,
			chosen: answer.chosen,
			jumps: jumpsInside,
			sourceLine: sources.line,
		},
		terminal,
	);
	return EXIT.done;
}

async function compare(parsed: ParsedOptions, first: Evidence, paths: readonly string[], second: string, context: CommandContext): Promise<void> {
	const answer = await compareHotspotsOf(first, await openSide([second], parsed, context), requestOf(parsed));
	if (context.wantsJson) {
		context.json(answer.result(), answer.problems);
		return;
	}
	context.tell(answer.problems);
	const view = {
		nameA: paths.join(', '),
		nameB: second,
		a: answer.a.report,
		b: answer.b.report,
		pairs: answer.pairs,
		top: positiveInteger(parsed, 'top') ?? 20,
		threshold: number(parsed, 'threshold', 0.1, 1),
		align: alignRegions,
	};
	writeHotComparison(context.writer, view, context.terminal);
}

function openSide(paths: readonly string[], parsed: ParsedOptions, context: CommandContext): Promise<Evidence> {
	return openNamed(context, paths, { processId: positiveInteger(parsed, 'pid') ?? null, details: 'threads', withSafepoints: false });
}

function requestOf(parsed: ParsedOptions): HotRequest {
	const skid = parsed.value('skid') ?? 'auto';
	if (skid !== 'auto' && skid !== 'on' && skid !== 'off') {
		throw new UsageError(`--skid takes auto, on or off, not "${skid}"`);
	}
	const hasWindow = parsed.isSet('delay') || parsed.isSet('length');
	return {
		event: parsed.value('event') ?? null,
		processId: positiveInteger(parsed, 'pid') ?? null,
		window: hasWindow ? { delayMs: number(parsed, 'delay', 0), lengthMs: parsed.isSet('length') ? number(parsed, 'length', 0) : null, measured: null } : null,
		gapBytes: number(parsed, 'gap', 32),
		byDistance: parsed.isSet('gap'),
		skid,
		syntax: syntaxOf(parsed),
		...sampleFilterOf(parsed),
	};
}

function foldKind(parsed: ParsedOptions): FoldKind | null {
	const text = parsed.value('by');
	const kind = FOLDS.find((name) => name === text);
	if (text !== undefined && kind === undefined) {
		throw new UsageError(`--by takes one of ${FOLDS.join(', ')}, not "${text}"`);
	}
	return kind ?? null;
}

/** A number from 0 on, up to `limit`. */
function number(parsed: ParsedOptions, name: string, byDefault: number, limit = 1e12): number {
	const text = parsed.value(name) ?? String(byDefault);
	const value = Number(text);
	if (!/^(?:\d+|\d*\.\d+)$/.test(text) || value > limit) {
		throw new UsageError(`--${name} takes a number from 0 ${limit === 1 ? 'to 1' : 'on'}, not "${text}"`);
	}
	return value;
}

export function titleOf({ recording: { log, sources, native } }: OpenedHot, paths: readonly string[]): string {
	const jvm = log?.version == null ? null : shortVersion(log.version);
	const processId = log === null ? sources[0]?.processId : log.processId;
	const others = (native?.processes ?? 1) - 1;
	const process = processId == null ? '' : `, process ${processId}${others === 0 ? '' : ` and ${others} more of the program`}`;
	return `${paths.join(', ')}${jvm == null ? '' : `: ${jvm}`}${process}`;
}
