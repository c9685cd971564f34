/** `assay report`: one recording, all that its files tell of it: where the time went, what the compiler did there, what is worth a look. */
import fs from 'node:fs';
import path from 'node:path';
import { decisionsView, hintAtOthers } from '../answers/decisions.js';
import { isOwnProfileName } from '../answers/observed-profiles.js';
import { DEFAULT_REPORT_REQUEST, openReport, type RecordingReport } from '../answers/report.js';
import { type IndexedReport, ReportIndex } from '../answers/report-index.js';
import { type OpenedStartup, openStartup } from '../answers/startup.js';
import { VERSION } from '../answers/version.js';
import { formatProblem, InputError, UsageError } from '../model/problem.js';
import type { Progress } from '../model/progress.js';
import { writePage } from '../page/file.js';
import { openEvidence } from '../recording/evidence.js';
import type { LogFile } from '../recording/log-file.js';
import { writeReportJson } from '../render/decisions-json.js';
import { writeReportText } from '../render/decisions-text.js';
import { beginEnvelope, endEnvelope } from '../render/envelope.js';
import { JsonStream } from '../render/json-stream.js';
import { writeSimulateText } from '../render/order-simulate-text.js';
import { writeRecordingReportJson } from '../render/report-json.js';
import { type RecordingResult, rankedCompilations } from '../render/report-result.js';
import { writeRecordingReportText } from '../render/report-text.js';
import { commandLine } from '../render/shell-words.js';
import { createTerminal, type Terminal } from '../render/terminal.js';
import { TextWriter } from '../render/text-writer.js';
import { visible } from '../render/visible.js';
import { runCommand } from './command.js';
import type { CommandIo } from './io.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions, positiveInteger } from './options.js';
import { writeProblems } from './problems.js';
import { createProgress } from './progress.js';

const SECTIONS = ['hot', 'compilations', 'memory', 'bias', 'safepoints', 'decisions', 'startup'] as const;
type Section = (typeof SECTIONS)[number];

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'top', value: 'N', help: 'rows of tables, and compilations looked into (10)' },
	{
		name: 'section',
		value: 'NAME',
		isMultiple: true,
		help: `also ${SECTIONS.slice(0, 5).join(', ')},\n${SECTIONS.slice(5).join(' or ')}; may be given several times`,
	},
	{ name: 'pid', value: 'PID', help: 'the JVM, where the files are of several' },
	{ name: 'no-index', help: "neither read nor write the recording's index" },
	{ name: 'origin', help: 'print from which files each row comes' },
	{ name: 'profile', value: 'FILE', help: 'decisions: the profile, if it does not lie in the folder' },
	{ name: 'force', help: 'decisions: take a profile that is not of the log' },
	{ name: 'all', help: 'decisions: look into all compilations' },
	{ name: 'method', value: 'PATTERN', help: 'decisions: only methods with this in their name; * is\nany text' },
	{ name: 'compilation', value: 'ID', help: 'decisions: only this compilation, c12 or 12' },
	{ name: 'decision', value: 'KIND', help: 'decisions: only calls that are inlined, direct,\nindirect, devirtualized or deleted' },
	{ name: 'phase', value: 'NAME', help: 'decisions: only optimizations of phases with this in\ntheir name' },
	{ name: 'output', short: 'o', value: 'FILE', help: 'write a page for the browser: one file, all in it' },
	{ name: 'sources', value: 'PATH', help: "for the page: a folder of Java sources, or a JDK's\nsrc.zip" },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

const DEFAULT_TOP = 10;
const DECISIONS = ['inlined', 'direct', 'indirect', 'devirtualized', 'deleted'];
const DECISION_OPTIONS = ['profile', 'force', 'all', 'method', 'compilation', 'decision', 'phase'];
const HANDLE = /^c\d[\w-]*%?$|^c[A-Z]\w*-\d+$/;

const REPORT_HELP = `usage: assay report RECORDING... [HANDLE] [options]

Shows on one screen what a recording tells: what ran, where its time went, what
the compiler did there, what is worth a look; then sections on request.
RECORDING is a folder or files, told by what they hold: the JVM's log, samples,
generated code, safepoints, statistics of compiler memory, Graal's optimization
log (in a .tar.gz too) and its profile, what other profilers said (Flight
Recorder, thread dumps, collapsed stacks, …); or a native program and what ran
of it first (docs/order.md). What is missing leaves its part out; assay doctor
tells what would give it. HANDLE is that of a compilation (c12): what the
compiler decided there.

options:
${describeOptions(OPTIONS)}

example, on the recordings that come with assay:
  assay report examples/hot

exit status: 0 reported, 2 wrong use, 3 unusable input
`;

export async function reportCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(REPORT_HELP);
		return 0;
	}
	const { paths, handle } = inputsOf(parsed, io);
	const decision = parsed.value('decision');
	if (decision !== undefined && !DECISIONS.includes(decision)) {
		throw new UsageError(`--decision takes one of ${DECISIONS.join(', ')}, not "${decision}"`);
	}
	const sections = sectionsOf(parsed);
	const writer = new TextWriter((block) => io.out(block));
	const progress = createProgress(io);
	try {
		const output = parsed.value('output');
		if (output !== undefined) {
			return await writeReportPage(output, paths, parsed, io, progress);
		}
		return await run({ paths, handle, decision, sections, parsed, io, progress }, writer);
	} catch (error) {
		progress.end();
		if (!(error instanceof InputError)) {
			throw error;
		}
		if (parsed.isSet('json')) {
			endEnvelope(beginEnvelope(writer, VERSION, 'report'), writer, [error.problem]);
			writer.flush();
		}
		io.err(`assay report: ${visible(formatProblem(error.problem))}\n`);
		return 3;
	}
}

async function writeReportPage(output: string, paths: readonly string[], parsed: ParsedOptions, io: CommandIo, progress: Progress): Promise<number> {
	if (parsed.isSet('json')) {
		throw new UsageError('--json and -o do not go together');
	}
	const main = await writePage(
		output,
		{ sides: [paths], processId: positiveInteger(parsed, 'pid') ?? null, sources: parsed.value('sources')?.split(path.delimiter) ?? [] },
		io,
		progress,
	);
	progress.end();
	writeProblems(
		main.sides.flatMap(({ problems }) => problems),
		io,
	);
	io.out(`${output}: open it in a browser\n`);
	return 0;
}

function inputsOf(parsed: ParsedOptions, io: CommandIo): { paths: readonly string[]; handle: string | undefined } {
	const paths: string[] = [];
	let handle: string | undefined;
	parsed.positionals.forEach((argument, i) => {
		if (i === 0 || fs.existsSync(path.resolve(io.workingDirectory, argument))) {
			paths.push(argument);
		} else if (HANDLE.test(argument) && handle === undefined) {
			handle = argument;
		} else {
			throw new UsageError(`"${argument}" is neither a file nor the handle of a compilation (c12)`);
		}
	});
	if (paths.length === 0) {
		throw new UsageError('a recording is expected: a folder or files');
	}
	return { paths, handle };
}

function sectionsOf(parsed: ParsedOptions): Section[] {
	return parsed.values('section').map((text) => {
		const section = SECTIONS.find((name) => name === text);
		if (section === undefined) {
			throw new UsageError(`--section takes one of ${SECTIONS.join(', ')}, not "${text}"`);
		}
		return section;
	});
}

interface ReportContext {
	readonly paths: readonly string[];
	readonly handle: string | undefined;
	readonly decision: string | undefined;
	readonly sections: readonly Section[];
	readonly parsed: ParsedOptions;
	readonly io: CommandIo;
	readonly progress: Progress;
}

async function run(context: ReportContext, writer: TextWriter): Promise<number> {
	const { paths, handle, decision, sections, parsed, io, progress } = context;
	const isJson = parsed.isSet('json');
	const isAboutDecisions = handle !== undefined || DECISION_OPTIONS.some((name) => parsed.isSet(name));
	const report = isAboutDecisions && !isJson ? null : await joinedReport(context);
	const wantsDecisions = isAboutDecisions || sections.includes('decisions') || (report !== null && isExperiment(report.result));
	const decisions = wantsDecisions ? await decisionsView(paths[0]!, handle, decision, parsed, io, progress) : null;
	progress.end();
	if (isJson && report !== null) {
		const json = beginEnvelope(writer, VERSION, 'report');
		for (const [name, value] of Object.entries(report.result)) {
			json.field(name, value);
		}
		if (decisions !== null) {
			json.beginObject('decisions');
			writeReportJson(json, decisions);
			json.closeTo(json.depth - 1);
		}
		endEnvelope(json, writer, [...report.problems, ...(decisions?.problems ?? [])]);
		writer.flush();
		return 0;
	}
	const terminal = createTerminal(io.isTerminal ? (io.columns ?? 80) : null, io.hasColour ?? false);
	const isRecording = report !== null && !isExperiment(report.result);
	if (isRecording) {
		writeProblems(report.problems, io);
		const options = { top: positiveInteger(parsed, 'top') ?? DEFAULT_TOP, showOrigin: parsed.isSet('origin') };
		writeRecordingReportText(writer, { ...report.result, refused: report.refused }, options, terminal);
		await writeSections(context, report, writer, terminal);
	}
	if (decisions !== null) {
		if (isRecording) {
			writer.line(0, '');
		}
		writeProblems(decisions.problems, io);
		writeReportText(writer, decisions, terminal);
	}
	writer.flush();
	if (decisions !== null) {
		hintAtOthers(decisions, io);
	}
	return 0;
}

/** Rows of which a table may show the call that was not inlined. */
const MOST_ROWS = 200;

interface JoinedReport extends IndexedReport {
	/** Left out where the report came from the index, which has no maps of pages. */
	readonly startup?: OpenedStartup | null;
}

/** From the index of the recording, where it is kept and still right. */
async function joinedReport({ paths, parsed, io, progress }: ReportContext): Promise<JoinedReport> {
	progress.report(`reading ${paths.join(', ')}`);
	const profile = parsed.value('profile');
	const processId = positiveInteger(parsed, 'pid') ?? null;
	const files = filesOf([...paths, ...(profile === undefined ? [] : [profile])], io);
	const [folder] = files;
	const isIndexed = files.length === 1 && folder !== undefined && !parsed.isSet('no-index');
	const index = isIndexed ? ReportIndex.of(folder.filePath, folder.name, processId) : null;
	const kept = index?.read() ?? null;
	if (kept !== null) {
		return kept;
	}
	const evidence = await openEvidence(files, { processId, details: 'threads' });
	const report = await openReport(evidence, { ...DEFAULT_REPORT_REQUEST, onProgress: (what) => progress.report(what) });
	try {
		const { ranked } = rankedCompilations(report.compilations);
		const refused = ranked.slice(0, MOST_ROWS).flatMap((row) => {
			const [first] = report.refused(row);
			return first === undefined ? [] : [[row.handle, first] as const];
		});
		const result = { result: resultOf(report), refused: Object.fromEntries(refused), problems: report.problems };
		index?.write(result);
		return { ...result, startup: report.startup };
	} finally {
		evidence.close();
	}
}

function filesOf(names: readonly string[], io: CommandIo): LogFile[] {
	return names.map((name) => ({ filePath: path.resolve(io.workingDirectory, name), name }));
}

function resultOf(report: RecordingReport): RecordingResult {
	const pieces: string[] = [];
	const writer = new TextWriter((block) => pieces.push(block));
	const json = new JsonStream(writer);
	json.beginObject();
	writeRecordingReportJson(json, report);
	json.closeTo(0);
	writer.flush();
	return JSON.parse(pieces.join('')) as RecordingResult;
}

/** A log of Graal, perhaps with its profile, and nothing of a JVM: its decisions are all there is. */
function isExperiment({ evidence }: RecordingResult): boolean {
	return evidence.graalLog.present && !evidence.logCompilation.present && !evidence.samples.present && !evidence.assembly.present;
}

/** By the commands that show one kind of evidence. */
async function writeSections(context: ReportContext, { result, startup }: JoinedReport, writer: TextWriter, terminal: Terminal): Promise<void> {
	const { paths, sections, parsed, io } = context;
	const chosen = parsed.value('pid');
	const pid = chosen === undefined ? [] : ['--pid', chosen];
	const top = ['--top', parsed.value('top') ?? String(DEFAULT_TOP)];
	for (const section of new Set(sections)) {
		writer.line(0, '');
		writer.flush();
		switch (section) {
			case 'hot':
				await runCommand((await import('./hot-command.js')).hotCommand, [...paths, ...pid, ...top], io);
				break;
			case 'compilations':
				await runCommand((await import('./compilations-command.js')).compilationsCommand, [...paths, ...pid, ...top], io);
				break;
			case 'memory':
				await runCommand((await import('./memory-command.js')).memoryCommand, [...paths, ...top], io);
				break;
			case 'bias':
				await runCommand((await import('./bias-prediction-command.js')).biasPredictionCommand, [...paths, ...top], io);
				hintAtProfiles(paths, result, io);
				break;
			case 'safepoints':
				await runCommand((await import('./bias-ttsp-command.js')).biasTtspCommand, [...paths, '--ttsp', ...pid], io);
				break;
			case 'startup':
				await writeStartup(context, startup, writer, terminal);
				break;
			case 'decisions':
		}
	}
}

/** `opened` is left out where the report came from the index, which has no maps of pages. */
async function writeStartup(
	{ paths, io, progress }: ReportContext,
	opened: OpenedStartup | null | undefined,
	writer: TextWriter,
	terminal: Terminal,
): Promise<void> {
	const startup = opened === undefined ? await readStartup(filesOf(paths, io), progress) : opened;
	if (startup?.simulation == null) {
		io.err('assay report: no trace of first executions lies here with its program (docs/order.md); assay doctor tells what each file holds\n');
		return;
	}
	const { simulation, program } = startup;
	writeSimulateText(writer, { simulation, isRelocatable: program?.isRelocatable === true, hasMap: true }, terminal);
}

async function readStartup(files: readonly LogFile[], progress: Progress): Promise<OpenedStartup | null> {
	const found = await openEvidence(files);
	try {
		return await openStartup(found.files, { withOrders: true, onProgress: (what) => progress.report(what) });
	} finally {
		progress.end();
		found.close();
	}
}

/** Other profilers' profiles beside a prediction: the command that compares them. */
function hintAtProfiles(paths: readonly string[], { evidence, compilations }: RecordingResult, io: CommandIo): void {
	// What lies in an archive cannot be named.
	const files = evidence.stacks.files.filter((file) => fs.existsSync(path.resolve(io.workingDirectory, file)));
	const [file] = files;
	if (file === undefined || compilations.every(({ predictedBiasedPercent }) => predictedBiasedPercent === undefined)) {
		return;
	}
	const more = files.length === 1 ? '' : `; ${files.length - 1} more ${files.length === 2 ? 'profile is' : 'profiles are'} there`;
	const command = commandLine(['assay', 'bias', ...paths, '--against', `${profileName(file)}=${file}`]);
	io.out(`\nWhat another profiler said of this run, beside the prediction${more}:\n  ${command}\n`);
}

/** `rec` of `run1/rec.jfr.gz`. */
function profileName(file: string): string {
	const name = path
		.basename(file)
		.replace(/\..*$/, '')
		.replace(/[^\w-]/g, '_');
	return name === '' || isOwnProfileName(name) ? 'other' : name;
}
