/** `assay query`: questions about a store. */
import path from 'node:path';
import { PRODUCER } from '../answers/export.js';
import { UsageError } from '../model/problem.js';
import { writeCsv } from '../render/csv.js';
import { writeQueryMarkdown, writeQueryText } from '../render/query-text.js';
import { applyDdl, DDL_KINDS, ddlStatements } from '../store/ddl.js';
import type { Engine } from '../store/engine/result.js';
import { openTrino } from '../store/engine/trino.js';
import { listStore } from '../store/files.js';
import { ALL_DAYS, answerQuery, type QueryAnswer, type QueryRequest } from '../store/query.js';
import { QUESTION_NAMES, readQuestion } from '../store/questions.js';
import { type Days, parseConditions } from '../store/sql-text.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { openOutput } from './export-output.js';
import { askHidden } from './hidden-prompt.js';
import { nonNegativeNumber, type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';

const FORMS = ['text', 'json', 'csv', 'markdown', 'parquet'] as const;
type Form = (typeof FORMS)[number];

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'where', value: 'LABEL=VALUE', isMultiple: true, help: 'only runs with this label; LABEL!=VALUE without it' },
	{ name: 'since', value: 'DAY', help: 'only runs from this day on, 2026-01-31' },
	{ name: 'until', value: 'DAY', help: 'only runs up to this day' },
	{ name: 'set', value: 'NAME=NUMBER', isMultiple: true, help: 'a parameter of the question; --list QUESTION tells them' },
	{ name: 'list', help: 'list the questions; with one its parameters, columns\nand SQL' },
	{ name: 'to', value: 'FORM', choices: FORMS, help: 'text, json, csv, markdown, parquet' },
	{ name: 'output', short: 'o', value: 'FILE', isFile: true, help: 'write into this file' },
	{ name: 'engine', value: 'NAME', choices: ['duckdb', 'trino'], help: 'duckdb, which is inside assay, or trino' },
	{ name: 'server', value: 'URL', help: 'of Trino: its coordinator' },
	{ name: 'catalog', value: 'NAME', help: 'of Trino (hive)' },
	{ name: 'schema', value: 'NAME', help: 'of Trino (assay)' },
	{
		name: 'user',
		value: 'NAME',
		help: 'of Trino; the password comes from TRINO_PASSWORD,\nelse it is asked for on the terminal; a token from\nTRINO_ACCESS_TOKEN',
	},
	{
		name: 'ddl',
		value: 'KIND',
		choices: DDL_KINDS,
		help: 'print what Trino needs to see the store: tables of a Hive\ncatalog (trino), and of Iceberg too (iceberg)',
	},
	{ name: 'location', value: 'URL', help: 'of --ddl: where the engine finds the store' },
	{ name: 'iceberg-catalog', value: 'NAME', help: 'of --ddl iceberg (iceberg)' },
	{ name: 'apply', help: 'run the statements of --ddl on --server' },
	{ name: 'limit', value: 'SECONDS', help: 'give up after so long' },
	{ name: 'memory', value: 'MB', help: 'what DuckDB may take (2000)' },
	{ name: 'json', help: 'print JSON: --to json' },
	{ name: 'help', help: 'print this' },
];

export const queryCommand: CommandDescription = {
	name: 'query',
	usage: ['STORE [QUESTION|"SELECT..."] [options]'],
	about: `Asks a store that assay collect filled: one of the questions below, or SQL of your
own over its tables (docs/store.md). Questions are portable SQL: DuckDB, which
runs inside assay, and a Trino that sees the same files run the same text.

${QUESTION_NAMES.map((name) => `  ${name}`).join('\n')}`,
	options: OPTIONS,
	examplesTitle: 'examples, after assay collect examples/a examples/hot --into /tmp/store',
	examples: [
		'assay query /tmp/store --list',
		'assay query /tmp/store refused --where service=shop',
		'assay query /tmp/store "SELECT runtime, count(*) FROM runs GROUP BY runtime"',
	],
	exitStatus: '0 answered, 2 wrong use, 3 unusable store, or the engine refused',
	completes: 'files',
	tools: [
		{
			name: 'query',
			question: `A question about many runs in a store that assay collect filled: ${QUESTION_NAMES.join(', ')}.`,
			inputs: [
				{ name: 'store', kind: 'path', help: 'the folder of the store' },
				{ name: 'question', kind: 'choice', choices: QUESTION_NAMES, help: 'which question' },
			],
			options: ['where', 'since', 'until', 'set'],
		},
	],
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const [storeName, question, ...rest] = parsed.positionals;
	if (parsed.isSet('list')) {
		list(question, context);
		return EXIT.done;
	}
	if (storeName === undefined || rest.length > 0) {
		throw new UsageError('a store is expected, and a question or SQL in quotes');
	}
	if (parsed.isSet('ddl')) {
		await ddl(path.resolve(context.workingDirectory, storeName), parsed, context);
		return EXIT.done;
	}
	const form = formOf(parsed, context);
	if (question === undefined) {
		list(undefined, context);
		return EXIT.done;
	}
	const store = { filePath: path.resolve(context.workingDirectory, storeName), name: storeName };
	const seconds = nonNegativeNumber(parsed, 'limit');
	const limit = seconds === undefined ? undefined : AbortSignal.timeout(seconds * 1000);
	const trino = trinoOf(parsed, context);
	context.atEnd(() => trino?.close());
	const request: QueryRequest = {
		question: /^\s*\w+\s*$/.test(question) ? { name: question.trim() } : { sql: question },
		conditions: parseConditions(parsed.values('where'), '--where'),
		days: daysOf(parsed),
		parameters: parametersOf(parsed),
		duckDb: { threads: 2, memoryBytes: (positiveInteger(parsed, 'memory') ?? 2000) * 1e6 },
		signal: limit,
		onProgress: told(context, `asking ${trino === null ? 'DuckDB' : 'Trino'}`),
	};
	let answer: QueryAnswer;
	try {
		answer = await answerQuery(store, request, trino);
	} catch (error) {
		if (limit?.aborted === true) {
			throw new UsageError(`no answer within ${seconds} s: ask about fewer days or runs, or give it longer with --limit`);
		}
		throw error;
	}
	await write(answer, form, parsed.value('output') ?? null, context);
	return EXIT.done;
}

/** How far it is, or how long it takes. */
export function told({ progress }: CommandContext, what: string): (percent: number | null) => void {
	const startedMs = performance.now();
	return (percent) => progress.report(`${what}: ${percent === null ? `${Math.round((performance.now() - startedMs) / 1000)} s` : `${Math.round(percent)} %`}`);
}

function formOf(parsed: ParsedOptions, { wantsJson }: CommandContext): Form {
	const text = parsed.value('to') ?? (wantsJson ? 'json' : 'text');
	const form = FORMS.find((one) => one === text);
	if (form === undefined) {
		throw new UsageError(`--to takes one of ${FORMS.join(', ')}, not "${text}"`);
	}
	return form;
}

function trinoOf(parsed: ParsedOptions, { progress }: Pick<CommandContext, 'progress'>): Engine | null {
	const engine = parsed.value('engine') ?? (parsed.isSet('server') ? 'trino' : 'duckdb');
	if (engine === 'duckdb') {
		return null;
	}
	const server = parsed.value('server');
	if (engine !== 'trino' || server === undefined) {
		throw new UsageError(engine === 'trino' ? '--engine trino needs --server URL' : `--engine takes duckdb or trino, not "${engine}"`);
	}
	const { TRINO_PASSWORD: password = null, TRINO_ACCESS_TOKEN: accessToken = null, USER: user = 'assay' } = process.env;
	return openTrino({
		server,
		catalog: parsed.value('catalog') ?? 'hive',
		schema: parsed.value('schema') ?? 'assay',
		user: parsed.value('user') ?? user,
		password,
		accessToken,
		askPassword: () => {
			progress.end();
			const error = { isTerminal: process.stderr.isTTY === true, write: (text: string) => void process.stderr.write(text) };
			return askHidden(`password of ${parsed.value('user') ?? user} at ${server}`, process.stdin, error);
		},
	});
}

function daysOf(parsed: ParsedOptions): Days {
	const day = (name: string, otherwise: string): string => {
		const text = parsed.value(name);
		if (text !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(text)) {
			throw new UsageError(`--${name} takes a day such as 2026-01-31, not "${text}"`);
		}
		return text ?? otherwise;
	};
	return { from: day('since', ALL_DAYS.from), to: day('until', ALL_DAYS.to) };
}

function parametersOf(parsed: ParsedOptions): ReadonlyMap<string, number> {
	return new Map(
		parsed.values('set').map((text): [string, number] => {
			const [, name, value] = /^(\w{1,40})=(\d{1,12}(?:\.\d{1,6})?)$/.exec(text) ?? [];
			if (name === undefined) {
				throw new UsageError(`--set takes NAME=NUMBER, not "${text}"`);
			}
			return [name, Number(value)];
		}),
	);
}

async function write({ question, table, problems, result }: QueryAnswer, form: Form, output: string | null, context: CommandContext): Promise<void> {
	context.tell(problems);
	if (form === 'json' && output === null) {
		context.json(result(), problems);
		return;
	}
	const head = { title: question?.title ?? null, about: question?.about ?? null };
	if (output === null && (form === 'text' || form === 'markdown')) {
		context.progress.end();
		form === 'text' ? writeQueryText(context.writer, head, table, context.terminal) : writeQueryMarkdown(context.writer, head, table);
		return;
	}
	const out = openOutput(output, form === 'parquet', context.io);
	context.atEnd(() => out.discard());
	switch (form) {
		case 'csv':
			writeCsv(table, out.text);
			break;
		case 'parquet':
			(await import('../formats/parquet/write.js')).writeParquet(table, PRODUCER, out.bytes);
			break;
		default:
			throw new UsageError(`--to ${form} goes to standard output: redirect it`);
	}
	out.end();
}

/** Printed, or run. */
async function ddl(store: string, parsed: ParsedOptions, { writer, progress, atEnd }: CommandContext): Promise<void> {
	const kind = DDL_KINDS.find((one) => one === parsed.value('ddl'));
	const location = parsed.value('location');
	if (kind === undefined || location === undefined) {
		throw new UsageError(kind === undefined ? `--ddl takes one of ${DDL_KINDS.join(', ')}` : '--ddl needs --location URL: where the engine finds the store');
	}
	const [catalog, schema] = [parsed.value('catalog') ?? 'hive', parsed.value('schema') ?? 'assay'];
	const days = kind === 'iceberg' ? daysOfTables(store, daysOf(parsed)) : new Map<string, readonly string[]>();
	const statements = ddlStatements({ kind, location, catalog, schema, icebergCatalog: parsed.value('iceberg-catalog') ?? 'iceberg', days });
	if (!parsed.isSet('apply')) {
		for (const statement of statements) {
			writer.line(0, `${statement};`);
		}
		return;
	}
	const engine = trinoOf(parsed, { progress });
	if (engine === null) {
		throw new UsageError('--apply needs --server URL');
	}
	atEnd(() => engine.close());
	const known = await applyDdl(engine, statements, (done) => progress.report(`${done} of ${statements.length} statements`));
	writer.line(0, `${statements.length - known} statements are done${known === 0 ? '' : `; ${known} days of tables were there before`}`);
}

function daysOfTables(store: string, { from, to }: Days): ReadonlyMap<string, readonly string[]> {
	const days = new Map<string, string[]>();
	for (const { table, day } of listStore(store, store, from, to).files) {
		const known = days.get(table) ?? [];
		if (known.at(-1) !== day) {
			known.push(day);
		}
		days.set(table, known);
	}
	return days;
}

function list(name: string | undefined, { writer }: CommandContext): void {
	if (name === undefined) {
		const width = Math.max(...QUESTION_NAMES.map(({ length }) => length));
		for (const one of QUESTION_NAMES) {
			writer.line(0, `${one.padEnd(width)}  ${readQuestion(one).title}`);
		}
		return;
	}
	const { title, about, parameters, columns, sql } = readQuestion(name);
	writer.line(0, `${name}: ${title}`);
	writer.line(0, about);
	for (const { name: parameter, value, meaning } of parameters) {
		writer.line(0, `--set ${parameter}=${value}: ${meaning}`);
	}
	for (const [column, { unit, meaning }] of columns) {
		writer.line(0, `${column}${unit === null ? '' : ` (${unit})`}: ${meaning}`);
	}
	writer.line(0, '');
	writer.line(0, sql);
}
