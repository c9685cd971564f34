/** `assay export`: what a recording holds, in the form of other tools. */
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { type ExportSource, exportSource, openTable, samplesOf } from '../answers/export.js';
import type { HotRequest, OpenedHot } from '../answers/hot.js';
import { VERSION } from '../answers/version.js';
import { writeChromeTrace } from '../formats/chrome-trace/write.js';
import { writeCollapsedStacks } from '../formats/collapsed-stacks/write.js';
import { writeFirefoxProfile } from '../formats/firefox-profile/write.js';
import { proftoolJson } from '../formats/proftool-profile/write.js';
import { writeSpeedscope } from '../formats/speedscope/write.js';
import { profileOfSamples } from '../hot/sample-profile.js';
import { formatProblem, InputError, type Problem, UsageError } from '../model/problem.js';
import type { ProfileOrigin } from '../model/stacked-samples.js';
import type { Cell, Table } from '../model/table.js';
import { type Evidence, openEvidence } from '../recording/evidence.js';
import { writeCsv } from '../render/csv.js';
import { beginEnvelope, endEnvelope } from '../render/envelope.js';
import { TABLE_NAMES, type TableName } from '../render/export-tables.js';
import { TextWriter } from '../render/text-writer.js';
import { type ExportOutput, isFolderName, makeFolder, openOutput } from './export-output.js';
import type { CommandIo } from './io.js';
import { describeOptions, nonNegativeNumber, type OptionSpec, type ParsedOptions, parseOptions, positiveInteger } from './options.js';
import { writeProblems } from './problems.js';
import { createProgress } from './progress.js';
import { recordingFiles } from './recording-files.js';

const FORMATS = ['collapsed', 'speedscope', 'pprof', 'firefox', 'proftool', 'chrome-trace', 'json', 'csv', 'parquet'] as const;
type Format = (typeof FORMATS)[number];

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'to', value: 'FORMAT', help: 'the form, see above' },
	{ name: 'output', short: 'o', value: 'FILE', help: 'write into this file; - or nothing: standard output;\nFOLDER/ takes a file for each table' },
	{ name: 'table', value: 'NAME', help: `of json, csv and parquet only this one:\n${TABLE_NAMES.slice(0, 4).join(', ')},\n${TABLE_NAMES.slice(4).join(', ')}` },
	{ name: 'threads', help: 'collapsed: the thread as the outermost frame' },
	{ name: 'event', value: 'NAME', help: 'count this event (the first of the recording)' },
	{ name: 'delay', value: 'MS', help: 'leave out the first milliseconds of the samples' },
	{ name: 'length', value: 'MS', help: 'take the samples of so many milliseconds' },
	{ name: 'pid', value: 'PID', help: 'the JVM, where the files are of several' },
	{ name: 'help', help: 'print this' },
];

const EXPORT_HELP = `usage: assay export RECORDING... --to FORMAT [-o FILE] [options]

Writes what a recording holds for other programs. RECORDING is a folder or
files, as for assay hot. Samples belong to the methods that assay hot tells, and
add up to its counts; inlined methods are frames of their own, and callers are
there where the profiler recorded stacks. docs/export.md tells the rest.

  collapsed     stacks, a line each with their samples, for flame graphs
  speedscope    speedscope.app: a profile for each thread
  pprof         go tool pprof: gzip-compressed protobuf, for -o FILE.pb.gz
  firefox       profiler.firefox.com: the processed format
  proftool      the profile that mx profjson writes, for Graal's profdiff
  chrome-trace  ui.perfetto.dev: compiler threads, queues, code given up,
                deoptimizations and safepoints over time
  json          tables in the envelope of --json (docs/json.md)
  csv, parquet  tables: --table NAME, or all into -o FOLDER/

options:
${describeOptions(OPTIONS)}

examples, on the recordings that come with assay:
  assay export examples/hot --to collapsed
  assay export examples/hot --to csv --table regions

exit status: 0 written, 2 wrong use, 3 unusable input
`;

export async function exportCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(EXPORT_HELP);
		return 0;
	}
	const format = oneOf(parsed.value('to'), FORMATS, '--to');
	const table = parsed.value('table') === undefined ? null : oneOf(parsed.value('table'), TABLE_NAMES, '--table');
	const output = parsed.value('output') ?? '-';
	if (parsed.positionals.length === 0) {
		throw new UsageError('a recording is expected: a folder, or samples and the log of the JVM');
	}
	const isOfTables = format === 'json' || format === 'csv' || format === 'parquet';
	if (table !== null && !isOfTables) {
		throw new UsageError(`--table is for json, csv and parquet, not ${format}`);
	}
	const isFolder = output !== '-' && isFolderName(output, io);
	if (isFolder && (!isOfTables || format === 'json')) {
		throw new UsageError(`${format} is one file, and ${output} a folder`);
	}
	if ((format === 'csv' || format === 'parquet') && table === null && !isFolder) {
		throw new UsageError(`${format} holds one table a file: --table NAME, or all of them with -o FOLDER/`);
	}
	const request = requestOf(parsed);
	const progress = createProgress(io);
	let evidence: Evidence | null = null;
	try {
		progress.report(`reading ${parsed.positionals.join(', ')}`);
		evidence = await openEvidence(recordingFiles(parsed.positionals, io.workingDirectory), { processId: request.processId, details: 'all' });
		const source = await exportSource(evidence, request);
		const job: Job = { parsed, io, source, output: output === '-' ? null : output, report: progress.report };
		if (format === 'json') {
			await writeJsonTables(job, table === null ? TABLE_NAMES : [table]);
		} else if (format === 'csv' || format === 'parquet') {
			await writeTables(job, format, table === null ? TABLE_NAMES : [table], isFolder);
		} else {
			await writeProfile(job, format);
		}
		progress.end();
		writeProblems(source.problems(), io);
		return 0;
	} catch (error) {
		progress.end();
		if (!(error instanceof InputError)) {
			throw error;
		}
		io.err(`assay export: ${formatProblem(error.problem)}\n`);
		return 3;
	} finally {
		evidence?.close();
	}
}

interface Job {
	readonly parsed: ParsedOptions;
	readonly io: CommandIo;
	readonly source: ExportSource;
	/** null: standard output. */
	readonly output: string | null;
	readonly report: (text: string) => void;
}

function oneOf<T extends string>(text: string | undefined, values: readonly T[], option: string): T {
	const value = values.find((one) => one === text);
	if (value === undefined) {
		const list = values.join(', ');
		throw new UsageError(text === undefined ? `${option} FORMAT is missing: ${list}` : `${option} takes one of ${list}, not "${text}"`);
	}
	return value;
}

function requestOf(parsed: ParsedOptions): HotRequest {
	const hasWindow = parsed.isSet('delay') || parsed.isSet('length');
	return {
		event: parsed.value('event') ?? null,
		processId: positiveInteger(parsed, 'pid') ?? null,
		window: hasWindow ? { delayMs: nonNegativeNumber(parsed, 'delay') ?? 0, lengthMs: nonNegativeNumber(parsed, 'length') ?? null } : null,
		gapBytes: 32,
		byDistance: false,
		skid: 'auto',
	};
}

async function writeProfile({ parsed, io, source, output, report }: Job, format: Exclude<Format, 'json' | 'csv' | 'parquet'>): Promise<void> {
	if (format === 'chrome-trace') {
		await writeTrace(parsed, io, source, output);
		return;
	}
	const opened = await samplesOf(source, parsed.positionals.join(', '));
	const stacks = opened.stacks!;
	const origin = originOf(parsed, opened);
	// Loaded only where they are needed: these writers come from packages.
	const pprof = format === 'pprof' ? (await import('../formats/pprof/write.js')).pprofProfile : null;
	const out = openOutput(output, pprof !== null, io);
	report(`writing ${stacks.length} samples`);
	const write = (text: string): void => out.text(text);
	switch (format) {
		case 'collapsed':
			writeCollapsedStacks(stacks, parsed.isSet('threads'), write);
			break;
		case 'speedscope':
			writeSpeedscope(stacks, origin, write);
			break;
		case 'firefox':
			writeFirefoxProfile(stacks, origin, write);
			break;
		case 'proftool':
			out.text(proftool(opened));
			break;
		default:
			out.bytes(gzipSync(pprof?.(stacks, origin) ?? new Uint8Array(0)));
	}
	out.end();
}

async function writeTrace(parsed: ParsedOptions, io: CommandIo, source: ExportSource, output: string | null): Promise<void> {
	const log = await source.compilations();
	const safepoints = (await source.safepoints()) ?? [];
	const hot = await source.hot();
	const name = parsed.positionals.join(', ');
	if (log === null && safepoints.length === 0) {
		throw new InputError({
			severity: 'error',
			file: name,
			message: 'holds neither compilations nor safepoints of a JVM',
			action: 'record with -XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:LogFile=FILE, or with assay record',
		});
	}
	const isAligned = hot?.stacks != null && !Number.isNaN(hot.report.attribution.clock.startSeconds);
	const out = openOutput(output, false, io);
	const content = {
		history: log?.history ?? null,
		safepoints,
		samples: isAligned ? hot.stacks : null,
		processId: log?.history.processId ?? hot?.stacks?.processId ?? null,
	};
	const origin = hot === null ? { title: log === null ? name : titleOf(name, log.history.version), producer: producer() } : originOf(parsed, hot);
	const counts = writeChromeTrace(content, origin, (text) => out.text(text));
	out.end();
	const note = (message: string, action: string): Problem => ({ severity: 'warning', file: name, message, action });
	writeProblems(
		[
			...(counts.safepointsLeftOut > 0
				? [
						note(
							`${counts.safepointsLeftOut} safepoints have no time since the JVM's start`,
							"they are left out; record with uptimenanos among -Xlog's decorations",
						),
					]
				: []),
			...(hot !== null && !isAligned ? [note("nothing tells when the JVM started on the samples' clock", 'the samples are left out')] : []),
		],
		io,
	);
}

function originOf(parsed: ParsedOptions, { recording: { log } }: OpenedHot): ProfileOrigin {
	return { title: titleOf(parsed.positionals.join(', '), log?.version ?? null), producer: producer() };
}

function titleOf(name: string, version: string | null): string {
	const jvm = version?.replace(/,? built on .*$/, '').replace(/ JRE \(.*$/, '');
	return `${name}${jvm === undefined ? '' : `: ${jvm}`}`;
}

function producer(): string {
	return `assay ${VERSION}`;
}

function proftool({ report, recording: { log, note } }: OpenedHot): string {
	const frequencyHz = note?.frequencyHz ?? null;
	const profile = profileOfSamples(report, log?.processId == null ? null : String(log.processId), frequencyHz === null ? 1 : Math.round(1e9 / frequencyHz));
	const osrIds = new Set(report.code.map(({ code }) => code.compileId).filter((id) => id?.endsWith('%')));
	return proftoolJson(profile, (id) => osrIds.has(`${id}%`));
}

async function writeTables(
	{ io, source, output, report, parsed }: Job,
	format: 'csv' | 'parquet',
	names: readonly TableName[],
	isFolder: boolean,
): Promise<void> {
	const tables = await openTables(source, names, parsed, io);
	const parquet = format === 'parquet' ? (await import('../formats/parquet/write.js')).writeParquet : null;
	if (isFolder) {
		makeFolder(output!, io);
	}
	for (const table of tables) {
		report(`writing ${table.name}`);
		const out = openOutput(isFolder ? path.join(output!, `${table.name}.${format}`) : output, parquet !== null, io);
		if (parquet === null) {
			writeCsv(table, (text) => out.text(text));
		} else {
			parquet(table, producer(), (bytes) => out.bytes(bytes));
		}
		out.end();
	}
}

async function writeJsonTables({ parsed, io, source, output }: Job, names: readonly TableName[]): Promise<void> {
	const tables = await openTables(source, names, parsed, io);
	const out: ExportOutput = openOutput(output, false, io);
	const writer = new TextWriter((block) => out.text(block));
	const json = beginEnvelope(writer, VERSION, 'export');
	json.beginObject('tables');
	for (const { name, columns, rows } of tables) {
		json.beginList(name);
		for (const row of rows()) {
			json.item(Object.fromEntries(columns.map((column, i): [string, Cell] => [column.name, row[i] ?? null])));
		}
		json.closeTo(json.depth - 1);
	}
	json.closeTo(json.depth - 1);
	endEnvelope(json, writer, source.problems());
	writer.flush();
	out.end();
}

/** What was asked for by name has to be there; of all tables those that are. */
async function openTables(source: ExportSource, names: readonly TableName[], parsed: ParsedOptions, io: CommandIo): Promise<Table[]> {
	const result: Table[] = [];
	const missing: TableName[] = [];
	for (const name of names) {
		const table = await openTable(source, name);
		if (table === null) {
			missing.push(name);
		} else {
			result.push(table);
		}
	}
	if (result.length === 0) {
		throw new InputError({
			severity: 'error',
			file: parsed.positionals.join(', '),
			message: `holds nothing of the ${names.length === 1 ? `table ${names[0]}` : 'tables'}`,
			action: 'assay doctor says which evidence is there, and the flag for the rest',
		});
	}
	if (missing.length > 0) {
		io.err(`assay export: the recording holds nothing of ${missing.join(', ')}\n`);
	}
	return result;
}
