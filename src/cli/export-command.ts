/** `assay export`: what a recording holds, in the form of other tools. */
import path from 'node:path';
import { answerProfile, answerTables, type ExportRequest, PRODUCER, PROFILE_FORMATS, type ProfileFormat } from '../answers/export.js';
import type { HotRequest } from '../answers/hot.js';
import { TABLE_NAMES, type TableName } from '../answers/table-names.js';
import { VERSION } from '../answers/version.js';
import { UsageError } from '../model/problem.js';
import type { Evidence } from '../recording/evidence.js';
import { writeCsv } from '../render/csv.js';
import { writeEnvelope } from '../render/envelope.js';
import { TextWriter } from '../render/text-writer.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { RECORDING_INPUT } from './command-tool.js';
import { isFolderName, makeFolder, openOutput } from './export-output.js';
import { openNamed } from './open-named.js';
import { nonNegativeNumber, type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';
import { SAMPLE_OPTIONS, sampleFilterOf } from './sample-options.js';

const FORMATS = [...PROFILE_FORMATS, 'json', 'csv', 'parquet'] as const;

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'to', value: 'FORMAT', choices: FORMATS, help: 'the form, see above' },
	{
		name: 'output',
		short: 'o',
		value: 'FILE',
		isFile: true,
		help: 'write into this file; - or nothing: standard output;\nFOLDER/ takes a file for each table',
	},
	{
		name: 'table',
		value: 'NAME',
		choices: TABLE_NAMES,
		help: `of json, csv and parquet only this one:\n${TABLE_NAMES.slice(0, 4).join(', ')},\n${TABLE_NAMES.slice(4).join(', ')}`,
	},
	{ name: 'threads', help: 'collapsed: the thread as the outermost frame' },
	...SAMPLE_OPTIONS,
	{ name: 'event', value: 'NAME', help: 'count this event (the first of the recording)' },
	{ name: 'delay', value: 'MS', help: 'leave out the first milliseconds of the samples' },
	{ name: 'length', value: 'MS', help: 'take the samples of so many milliseconds' },
	{ name: 'pid', value: 'PID', help: 'the JVM, where the files are of several' },
	{ name: 'help', help: 'print this' },
];

export const exportCommand: CommandDescription = {
	name: 'export',
	usage: ['RECORDING... --to FORMAT [-o FILE] [options]'],
	about: `Writes what a recording holds for other programs. RECORDING is a folder or
files, as for assay hot. Samples belong to the methods that assay hot tells, and
add up to its counts; inlined methods are frames of their own, and callers are
there where the profiler recorded stacks. docs/export.md tells the rest.

  collapsed     stacks, a line each with their samples, for flame graphs
  speedscope    speedscope.app: a profile for each thread
  pprof         go tool pprof: gzip-compressed protobuf, for -o FILE.pb.gz
  otlp          the profiles of OpenTelemetry: protobuf (v1development)
  firefox       profiler.firefox.com: the processed format
  proftool      the profile that mx profjson writes, for Graal's profdiff
  chrome-trace  ui.perfetto.dev: compiler threads, queues, code given up,
                deoptimizations and safepoints over time
  sarif         findings of assay report with lines of the source, for code hosts
                and editors (SARIF 2.1.0)
  json          tables in the envelope of --json (docs/json.md)
  csv, parquet  tables: --table NAME, or all into -o FOLDER/`,
	options: OPTIONS,
	examples: ['assay export examples/hot --to collapsed', 'assay export examples/hot --to csv --table regions'],
	exitStatus: '0 written, 2 wrong use, 3 unusable input',
	completes: 'files',
	tools: [
		{
			name: 'export',
			question: 'Stacks (collapsed) or a table (csv, with its name) of a recording as text, for other programs. A part of it, with from for the rest.',
			inputs: [RECORDING_INPUT],
			options: ['to', 'table', 'threads', 'thread', 'class', 'window', 'event', 'pid'],
			choices: { to: ['collapsed', 'csv'] },
			isText: true,
		},
		{
			name: 'table',
			question: 'Rows of a table of a recording: compilations, inlining (call sites with reasons), samples, regions, safepoints, memory or arenas.',
			inputs: [RECORDING_INPUT],
			options: ['table', 'thread', 'class', 'window', 'event', 'pid'],
			always: ['--to', 'json'],
		},
	],
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const { io, progress } = context;
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
	const request = { name: parsed.positionals.join(', '), samples: requestOf(parsed) };
	progress.report(`reading ${request.name}`);
	const evidence = await openNamed(context, parsed.positionals, { processId: request.samples.processId, details: 'all' });
	const job: Job = { evidence, request, context, output: output === '-' ? null : output };
	const names = table === null ? TABLE_NAMES : [table];
	if (format === 'json') {
		await writeJsonTables(job, names);
	} else if (format === 'csv' || format === 'parquet') {
		await writeTables(job, format, names, isFolder);
	} else {
		await writeProfile(job, format, parsed.isSet('threads'));
	}
	return EXIT.done;
}

interface Job {
	readonly evidence: Evidence;
	readonly request: ExportRequest;
	readonly context: CommandContext;
	/** null: standard output. */
	readonly output: string | null;
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
		window: hasWindow ? { delayMs: nonNegativeNumber(parsed, 'delay') ?? 0, lengthMs: nonNegativeNumber(parsed, 'length') ?? null, measured: null } : null,
		gapBytes: 32,
		byDistance: false,
		skid: 'auto',
		...sampleFilterOf(parsed),
	};
}

async function writeProfile({ evidence, request, context, output }: Job, format: ProfileFormat, withThreads: boolean): Promise<void> {
	const answer = await answerProfile(evidence, request, format, withThreads);
	const out = openOutput(output, answer.isBinary, context.io);
	context.atEnd(() => out.discard());
	if (answer.samples !== null) {
		context.progress.report(`writing ${answer.samples} samples`);
	}
	const leftOut = answer.write(out);
	out.end();
	context.tell(leftOut);
	context.tell(answer.problems);
}

async function writeTables(
	{ evidence, request, context, output }: Job,
	format: 'csv' | 'parquet',
	names: readonly TableName[],
	isFolder: boolean,
): Promise<void> {
	const { tables, missing, problems } = await answerTables(evidence, request, names);
	tellMissing(missing, context);
	const parquet = format === 'parquet' ? (await import('../formats/parquet/write.js')).writeParquet : null;
	const folder = isFolder ? output : null;
	if (folder !== null) {
		makeFolder(folder, context.io);
	}
	for (const table of tables) {
		context.progress.report(`writing ${table.name}`);
		const out = openOutput(folder === null ? output : path.join(folder, `${table.name}.${format}`), parquet !== null, context.io);
		context.atEnd(() => out.discard());
		if (parquet === null) {
			writeCsv(table, out.text);
		} else {
			parquet(table, PRODUCER, out.bytes);
		}
		out.end();
	}
	context.tell(problems);
}

async function writeJsonTables({ evidence, request, context, output }: Job, names: readonly TableName[]): Promise<void> {
	const answer = await answerTables(evidence, request, names);
	tellMissing(answer.missing, context);
	if (context.io.takeResult !== undefined) {
		context.json(answer.result(), answer.problems);
		return;
	}
	const out = openOutput(output, false, context.io);
	context.atEnd(() => out.discard());
	const writer = new TextWriter(out.text);
	writeEnvelope(writer, VERSION, 'export', answer.result(), answer.problems);
	writer.flush();
	out.end();
	context.tell(answer.problems);
}

function tellMissing(missing: readonly TableName[], { io }: CommandContext): void {
	if (missing.length > 0) {
		io.err(`assay export: the recording holds nothing of ${missing.join(', ')}\n`);
	}
}
