/** `assay hot`: the hottest code of a JVM, with its samples instruction by instruction. */
import fs from 'node:fs';
import path from 'node:path';
import { type HotRequest, type OpenedHot, openHot } from '../answers/hot.js';
import { VERSION } from '../answers/version.js';
import { type AnnotatedCode, annotateCode } from '../hot/annotated-code.js';
import { jumpsInside } from '../hot/code-regions.js';
import { alignRegions, compareHot } from '../hot/compare-hot.js';
import { FOLDS, type FoldKind, fold } from '../hot/fold.js';
import type { CodeHeat, HotReport, Region } from '../hot/hot-results.js';
import { sampleColumns } from '../hot/sample-columns.js';
import { formatProblem, InputError, UsageError } from '../model/problem.js';
import { type Evidence, openEvidence } from '../recording/evidence.js';
import { openSources } from '../recording/java-sources.js';
import { beginEnvelope, endEnvelope } from '../render/envelope.js';
import { type HotComparisonView, writeHotComparison, writeHotComparisonJson } from '../render/hot-compare.js';
import { writeHotJson } from '../render/hot-json.js';
import { type HotView, writeHotText } from '../render/hot-text.js';
import { createTerminal } from '../render/terminal.js';
import { TextWriter } from '../render/text-writer.js';
import type { CommandIo } from './io.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions, positiveInteger } from './options.js';
import { writeProblems } from './problems.js';
import { createProgress } from './progress.js';
import { recordingFiles } from './recording-files.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'by', value: 'WHAT', help: `fold samples by ${FOLDS.slice(0, 4).join(', ')},\n${FOLDS.slice(4).join(' or ')}` },
	{ name: 'top', value: 'N', help: 'rows of the tables (20)' },
	{ name: 'threshold', value: 'SHARE', help: 'show the code of regions with more than this share of\nthe samples (0.10)' },
	{ name: 'margin', value: 'N', help: 'instructions shown around those with samples (10)' },
	{ name: 'gap', value: 'BYTES', help: 'regions as JMH makes them: addresses with samples no\nfurther apart than this; without it by loops' },
	{ name: 'event', value: 'NAME', help: 'count this event (the first of the recording)' },
	{ name: 'delay', value: 'MS', help: 'leave out the first milliseconds of the samples' },
	{ name: 'length', value: 'MS', help: 'take the samples of so many milliseconds' },
	{ name: 'pid', value: 'PID', help: "the JVM's process (default: that of the log, or of most\nsamples in generated code)" },
	{ name: 'skid', value: 'HOW', help: 'auto: add the analysed column if the recording shows\nthat its samples are late; on, off (auto)' },
	{ name: 'compare', value: 'B', help: 'a second recording: which regions changed,\ninstruction by instruction' },
	{ name: 'intervals', help: 'print half the 95 % interval behind each share' },
	{ name: 'sources', value: 'PATH', help: "a folder of Java sources, or a JDK's src.zip: show their\nlines too" },
	{ name: 'code', help: 'with --json: all instructions of the compilations that\nhandles choose (without handles: of all with samples)' },
	{ name: 'each-sample', help: 'with --json: time, thread and place of every sample' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

const HOT_HELP = `usage: assay hot RECORDING... [HANDLE...] [options]

Shows where the time of a JVM went: the hottest regions of generated code, the
methods they belong to, then their instructions, each with its samples, inlining
and jumps. RECORDING is a folder or files: samples (perf script, DTrace's
profile probe, xctrace, async-profiler's collapsed stacks with features=pcaddr)
and the JVM's log (-XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation
-XX:+PrintAssembly; hsdis is not needed). HANDLE is that of a region (r3), a
method (m7) or a compilation (c12): only these, all of them.

Every sample belongs to a compilation or has a reason why not. Percentages are
of the JVM's samples; what other processes did is counted apart. docs/hot.md
tells how code is found, what a region is, and when samples are moved.

options:
${describeOptions(OPTIONS)}

example, on the recordings that come with assay:
  assay hot examples/hot

exit status: 0 reported, 2 wrong use, 3 unusable input
`;

const HANDLE = /^(?:[rm][1-9]\d*|c\d+%?)$/;

export async function hotCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(HOT_HELP);
		return 0;
	}
	const writer = new TextWriter((block) => io.out(block));
	const progress = createProgress(io);
	try {
		// A folder may be called r17: what is there is no handle.
		const isHandle = (argument: string, i: number): boolean => i > 0 && HANDLE.test(argument) && !fs.existsSync(path.resolve(io.workingDirectory, argument));
		const paths = parsed.positionals.filter((argument, i) => !isHandle(argument, i));
		const handles = parsed.positionals.filter(isHandle);
		if (paths.length === 0) {
			throw new UsageError('a recording is expected: a folder, or samples and the log of the JVM');
		}
		progress.report(`reading ${paths.join(', ')}`);
		const kind = foldKind(parsed);
		const opened = await openHot(await openSide(paths, parsed, io), requestOf(parsed));
		const { report, problems } = opened;
		const second = parsed.value('compare');
		if (second !== undefined) {
			await compare(parsed, opened, paths, second, writer, io);
			writer.flush();
			return 0;
		}
		const chosen = handles.length === 0 ? null : chooseRegions(report, handles);
		const sources = await openSources(
			parsed
				.value('sources')
				?.split(path.delimiter)
				.map((name) => path.resolve(io.workingDirectory, name)) ?? [],
		);
		progress.end();
		if (parsed.isSet('json')) {
			const json = beginEnvelope(writer, VERSION, 'hot');
			writeHotJson(json, report, hotSource(opened), {
				chosen,
				folded: kind === null ? null : { kind, rows: fold(report, kind) },
				code: parsed.isSet('code') ? annotatedCode(chosen?.flatMap(({ heat }) => heat ?? []) ?? report.code) : null,
				columns: parsed.isSet('each-sample') ? sampleColumns(report, opened.recording.threads) : null,
			});
			endEnvelope(json, writer, problems);
		} else {
			writeProblems(problems, io);
			const view: HotView = {
				report,
				title: titleOf(opened, paths),
				windowText: windowText(opened),
				top: positiveInteger(parsed, 'top') ?? 20,
				threshold: number(parsed, 'threshold', 0.1, 1),
				margin: number(parsed, 'margin', 10),
				showIntervals: parsed.isSet('intervals'),
				folded: kind === null ? null : { kind, rows: fold(report, kind) },
				chosen,
				jumps: jumpsInside,
				sourceLine: sources.line,
			};
			writeHotText(writer, view, createTerminal(io.isTerminal ? (io.columns ?? 80) : null, io.hasColour ?? false));
		}
	} catch (error) {
		progress.end();
		if (!(error instanceof InputError)) {
			throw error;
		}
		if (parsed.isSet('json')) {
			endEnvelope(beginEnvelope(writer, VERSION, 'hot'), writer, [error.problem]);
			writer.flush();
		}
		io.err(`assay hot: ${formatProblem(error.problem)}\n`);
		return 3;
	}
	writer.flush();
	return 0;
}

async function compare(parsed: ParsedOptions, first: OpenedHot, paths: readonly string[], second: string, writer: TextWriter, io: CommandIo): Promise<void> {
	const other = await openHot(await openSide([second], parsed, io), requestOf(parsed));
	const problems = [...first.problems, ...other.problems];
	const view: HotComparisonView = {
		nameA: paths.join(', '),
		nameB: second,
		a: first.report,
		b: other.report,
		pairs: compareHot(first.report, other.report),
		top: positiveInteger(parsed, 'top') ?? 20,
		threshold: number(parsed, 'threshold', 0.1, 1),
		align: alignRegions,
	};
	if (parsed.isSet('json')) {
		const json = beginEnvelope(writer, VERSION, 'hot');
		writeHotComparisonJson(json, view);
		endEnvelope(json, writer, problems);
	} else {
		writeProblems(problems, io);
		writeHotComparison(writer, view, createTerminal(io.isTerminal ? (io.columns ?? 80) : null, io.hasColour ?? false));
	}
}

function openSide(paths: readonly string[], parsed: ParsedOptions, io: CommandIo): Promise<Evidence> {
	const details = parsed.isSet('each-sample') ? 'threads' : 'none';
	return openEvidence(recordingFiles(paths, io.workingDirectory), { processId: positiveInteger(parsed, 'pid') ?? null, details });
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
		window: hasWindow ? { delayMs: number(parsed, 'delay', 0), lengthMs: parsed.isSet('length') ? number(parsed, 'length', 0) : null } : null,
		gapBytes: number(parsed, 'gap', 32),
		byDistance: parsed.isSet('gap'),
		skid,
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
	if (!/^\d*\.?\d+$/.test(text) || value > limit) {
		throw new UsageError(`--${name} takes a number from 0 ${limit === 1 ? 'to 1' : 'on'}, not "${text}"`);
	}
	return value;
}

function chooseRegions({ regions, methods }: HotReport, handles: readonly string[]): Region[] {
	return handles.flatMap((handle) => {
		const method = methods.find((row) => row.handle === handle);
		const result = regions.filter(
			(region) =>
				region.handle === handle ||
				(region.heat?.code.compileId != null && `c${region.heat.code.compileId}` === handle) ||
				(method !== undefined && region.method === method.method && region.source === method.source),
		);
		if (result.length === 0) {
			throw new UsageError(`no region, method or compilation with samples is called ${handle}`);
		}
		return result;
	});
}

export function hotSource({ recording: { samplesFile, logFile, log } }: Pick<OpenedHot, 'recording'>): Parameters<typeof writeHotJson>[2] {
	return { samplesFile, logFile, jvm: log?.version ?? null, processId: log?.processId ?? null };
}

/** Of compilations whose text is there, each once. */
function* annotatedCode(heats: Iterable<CodeHeat>): Generator<AnnotatedCode> {
	for (const heat of new Set(heats)) {
		const annotated = heat.code.compileId === null ? null : annotateCode(heat);
		if (annotated !== null) {
			yield annotated;
		}
	}
}

function titleOf({ recording: { log } }: OpenedHot, paths: readonly string[]): string {
	const jvm = log?.version?.replace(/,? built on .*$/, '').replace(/ JRE \(.*$/, '');
	return `${paths.join(', ')}${jvm == null ? '' : `: ${jvm}`}${log?.processId == null ? '' : `, process ${log.processId}`}`;
}

function windowText({ window }: OpenedHot): string | null {
	if (window === null) {
		return null;
	}
	return `the window from ${window.delayMs} ms after the first sample${window.lengthMs === null ? ' on' : `, ${window.lengthMs} ms long`}`;
}
