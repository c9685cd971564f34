/** The sections of `assay report`: what the commands print that show one kind of evidence, of the same evidence, and where the report computed it already, of that. */
import fs from 'node:fs';
import path from 'node:path';
import { answerBias, DEFAULT_ROUNDS } from '../answers/bias-prediction.js';
import { answerCompilations, NO_FILTER } from '../answers/compilations.js';
import { openHot } from '../answers/hot.js';
import type { ReportParts } from '../answers/joined-report.js';
import { memoryOf } from '../answers/memory.js';
import { memoryTotals } from '../answers/memory-result.js';
import { isOwnProfileName } from '../answers/observed-profiles.js';
import type { ReportAnswer } from '../answers/recording-report.js';
import { biasOfReport, DEFAULT_REPORT_REQUEST, hotOfReport } from '../answers/report.js';
import { inSyntax } from '../answers/shown-syntax.js';
import { openStartup } from '../answers/startup.js';
import { answerTimeToSafepoint } from '../answers/time-to-safepoint.js';
import { delaySummary } from '../answers/time-to-safepoint-result.js';
import type { Syntax } from '../disassembly/spelled-instructions.js';
import { adviseOn } from '../footprint/advice.js';
import { nestTimeline } from '../footprint/nest-timeline.js';
import { jumpsInside } from '../hot/code-regions.js';
import { formatProblem, InputError } from '../model/problem.js';
import type { SampleFilter } from '../model/sample-filter.js';
import type { Evidence } from '../recording/evidence.js';
import { writeAllocationsText } from '../render/allocations-text.js';
import { writeBiasText } from '../render/bias-text.js';
import { writeCompilationsText } from '../render/compilations-text.js';
import { writeHotText } from '../render/hot-text.js';
import { writeMemoryText } from '../render/memory-text.js';
import { writeSimulateText } from '../render/order-simulate-text.js';
import { commandLine } from '../render/shell-words.js';
import { createTerminal } from '../render/terminal.js';
import { writeTtspText } from '../render/ttsp-text.js';
import { visible } from '../render/visible.js';
import type { CommandContext } from './command.js';
import { titleOf as compilationsTitle } from './compilations-command.js';
import { titleOf as hotTitle } from './hot-command.js';

export const SECTIONS = ['hot', 'compilations', 'memory', 'bias', 'safepoints', 'allocations', 'decisions', 'startup'] as const;
export type Section = (typeof SECTIONS)[number];

export interface SectionSource {
	readonly evidence: Evidence;
	readonly report: ReportAnswer;
	/** Of which samples the report is. */
	readonly samples: SampleFilter;
	/** As the user called them. */
	readonly paths: readonly string[];
	/** Rows of tables. */
	readonly top: number;
	/** Of instructions. */
	readonly syntax: Syntax;
}

/** The names of the commands that tell what keeps a section from being shown. */
const COMMANDS: Readonly<Record<Section, string>> = {
	hot: 'hot',
	compilations: 'compilations',
	memory: 'memory',
	bias: 'bias',
	safepoints: 'bias --ttsp',
	allocations: 'report',
	decisions: 'report',
	startup: 'report',
};

const WRITERS: Readonly<Record<Section, (source: SectionSource, context: CommandContext) => Promise<void>>> = {
	hot: writeHot,
	compilations: writeCompilations,
	memory: writeMemory,
	bias: writeBias,
	safepoints: writeSafepoints,
	allocations: (source, context) => Promise.resolve(writeAllocations(source, context)),
	// Stands behind all others, and without them.
	decisions: () => Promise.resolve(),
	startup: writeStartup,
};

/** What is not there, or cannot be read, is told, and the section left out. */
export async function writeSection(section: Section, source: SectionSource, context: CommandContext): Promise<void> {
	try {
		await WRITERS[section](source, context);
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		context.progress.end();
		context.io.err(`assay ${COMMANDS[section]}: ${visible(formatProblem(error.problem))}\n`);
	}
}

function partsOf({ report: { joined } }: SectionSource): ReportParts {
	return joined?.parts ?? { hot: null, bias: null, delays: null, memory: null };
}

async function writeHot(source: SectionSource, { tell, writer, terminal }: CommandContext): Promise<void> {
	const { evidence, paths, top } = source;
	evidence.refuseStrangers();
	const found = partsOf(source).hot ?? (await openHot(evidence, hotOfReport(evidence.requestedProcess, source.samples)));
	const opened = inSyntax(found, source.syntax);
	tell(opened.problems);
	writeHotText(
		writer,
		{
			report: opened.report,
			threadTime: opened.threadTime,
			title: hotTitle(opened, paths),
			window: opened.window,
			top,
			threshold: 0.1,
			margin: 10,
			showIntervals: false,
			folded: null,
			chosen: null,
			jumps: jumpsInside,
			sourceLine: () => null,
		},
		terminal,
	);
}

async function writeCompilations({ evidence, paths, top }: SectionSource, { tell, writer, terminal }: CommandContext): Promise<void> {
	const answer = await answerCompilations(evidence, { ...NO_FILTER, handles: null, order: null, withReasons: false });
	tell(answer.problems);
	writeCompilationsText(writer, { ...answer, title: compilationsTitle(answer.log, paths), top }, terminal);
}

async function writeMemory(source: SectionSource, { tell, writer, terminal }: CommandContext): Promise<void> {
	const { evidence, paths, top } = source;
	const { compilations, omitted, nativeMemory, replay, problems } = partsOf(source).memory ?? (await memoryOf(evidence, { limit: null }));
	const [most] = [...compilations].sort((a, b) => b.totalBytes - a.totalBytes);
	const advice = most === undefined ? [] : adviseOn(most, compilations);
	tell(problems);
	writeMemoryText(
		writer,
		{
			title: paths.join(', '),
			compilations,
			omitted,
			nativeMemory,
			replay,
			...memoryTotals(compilations),
			budget: null,
			advice,
			chosen: null,
			top,
			all: false,
			nest: nestTimeline,
		},
		terminal,
	);
}

/** The prediction of the report, with intervals. */
async function writeBias(source: SectionSource, context: CommandContext): Promise<void> {
	const { evidence, paths, top } = source;
	evidence.refuseStrangers();
	const request = { ...biasOfReport(source.samples), against: [], rounds: DEFAULT_ROUNDS, method: null, classes: [] };
	const { report, otherThreads, window, profiles, problems } = await answerBias(evidence, request, partsOf(source).bias);
	context.tell(problems);
	const { io, writer } = context;
	writeBiasText(
		writer,
		{ report, tree: null, otherThreads, title: paths.join(', '), window, profiles, top },
		createTerminal(io.isTerminal ? (io.columns ?? 80) : 80, io.hasColour ?? false),
	);
	hintAtProfiles(source, context);
}

async function writeSafepoints(source: SectionSource, { tell, writer, terminal }: CommandContext): Promise<void> {
	const { evidence, paths } = source;
	const slowNs = DEFAULT_REPORT_REQUEST.slowSafepointNs;
	const known = partsOf(source).delays;
	const opened = known ?? (await answerTimeToSafepoint(evidence, { slowNs, processId: evidence.requestedProcess }));
	const { delays, problems, recording } = opened;
	tell(problems);
	const otherTimeouts = recording.safepoints?.timeouts ?? [];
	writeTtspText(writer, { title: paths.join(', '), top: 10, delays, otherTimeouts, ...delaySummary(opened, slowNs) }, terminal);
}

function writeAllocations({ paths, top, report: { result } }: SectionSource, { io, writer, terminal }: CommandContext): void {
	const rows = result.allocations ?? [];
	if (rows.length === 0) {
		io.err('assay report: no compiled code with samples allocates; what it allocates is told from samples with addresses and generated code (assay doctor)\n');
		return;
	}
	writeAllocationsText(writer, { title: paths.join(', '), rows, top }, terminal);
}

/** A report that came from the index has no maps of pages. */
async function writeStartup({ evidence, report: { joined } }: SectionSource, { io, progress, writer, terminal }: CommandContext): Promise<void> {
	const startup = joined === null ? await openStartup(evidence.files, { withOrders: true, onProgress: (what) => progress.report(what) }) : joined.startup;
	progress.end();
	if (startup?.simulation == null) {
		io.err('assay report: no trace of first executions lies here with its program (docs/order.md); assay doctor tells what each file holds\n');
		return;
	}
	const { simulation, program } = startup;
	writeSimulateText(writer, { simulation, isRelocatable: program?.isRelocatable === true, hasMap: true }, terminal);
}

/** Other profilers' profiles beside a prediction: the command that compares them. */
function hintAtProfiles({ paths, report: { result } }: SectionSource, { workingDirectory, writer }: CommandContext): void {
	// What lies in an archive cannot be named.
	const files = result.evidence.stacks.files.filter((file) => fs.existsSync(path.resolve(workingDirectory, file)));
	const [file] = files;
	if (file === undefined || result.compilations.every(({ predictedBiasedPercent }) => predictedBiasedPercent === undefined)) {
		return;
	}
	const more = files.length === 1 ? '' : `; ${files.length - 1} more ${files.length === 2 ? 'profile is' : 'profiles are'} there`;
	const command = commandLine(['assay', 'bias', ...paths, '--against', `${profileName(file)}=${file}`]);
	writer.raw(`\nWhat another profiler said of this run, beside the prediction${more}:\n  ${command}\n`);
}

/** `rec` of `run1/rec.jfr.gz`. */
function profileName(file: string): string {
	const name = path
		.basename(file)
		.replace(/\.[\s\S]*/, '')
		.replace(/[^\w-]/g, '_');
	return name === '' || isOwnProfileName(name) ? 'other' : name;
}
