/**
 * The named questions: a file of SQL each in src/store/questions, with what it is about, its parameters and what its columns hold in comments at its head. What is put
 * into the text is the same for every engine: numbers, quoted literals, days.
 */
import fs from 'node:fs';
import path from 'node:path';
import { UsageError } from '../model/problem.js';
import { type Condition, type Days, daysPredicate, flagOfReason, runsPredicate } from './sql-text.js';

interface QuestionColumn {
	readonly unit: string | null;
	readonly meaning: string;
}

export interface Question {
	readonly name: string;
	/** A line. */
	readonly title: string;
	readonly about: string;
	readonly parameters: readonly { readonly name: string; readonly value: number; readonly meaning: string }[];
	readonly columns: ReadonlyMap<string, QuestionColumn>;
	/** With places for what {@link renderQuestion} puts in. */
	readonly sql: string;
}

/** Columns that most questions have. */
const COMMON: Readonly<Record<string, QuestionColumn>> = {
	service: { unit: null, meaning: 'label: what program it is' },
	build: { unit: null, meaning: 'label: which build of it' },
	compiler: { unit: null, meaning: 'c1, c2, jvmci' },
	jdk: { unit: null, meaning: 'major version of the JDK' },
};

/** In the order in which they are listed. */
export const QUESTION_NAMES = ['flips', 'moved', 'groups', 'memory', 'storms', 'refused', 'loops', 'warmup', 'order', 'profilers', 'new', 'compilers'] as const;

/** That assay diff --store asks: it needs two sides. */
const SIDES = 'diff';

const FOLDER = path.join('src', 'store', 'questions');

/** This file is src/store/… in a checkout and dist/… or dist/chunks/… in a package, which has the folder too. */
function findQuestions(): string {
	for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
		const questions = path.join(folder, FOLDER);
		if (fs.existsSync(questions) || path.dirname(folder) === folder) {
			return questions;
		}
	}
}

/** Throws a {@link UsageError} for a name that is none. */
export function readQuestion(name: string): Question {
	if (name !== SIDES && !QUESTION_NAMES.some((one) => one === name)) {
		throw new UsageError(`there is no question "${name}": ${QUESTION_NAMES.join(', ')}`);
	}
	const text = fs.readFileSync(path.join(findQuestions(), `${name}.sql`), 'utf8');
	const head: string[] = [];
	const body: string[] = [];
	for (const line of text.split('\n')) {
		(line.startsWith('-- ') && body.length === 0 ? head : body).push(line);
	}
	const of = (kind: string): string[] => head.filter((line) => line.startsWith(`-- ${kind}: `)).map((line) => line.slice(`-- ${kind}: `.length));
	return {
		name,
		title: of('question').join(' '),
		about: of('about').join(' '),
		parameters: of('parameter').map((line) => {
			const [definition = '', meaning = ''] = line.split('; ');
			const [parameter = '', value = ''] = definition.split(' = ');
			return { name: parameter, value: Number(value), meaning };
		}),
		columns: new Map([
			...Object.entries(COMMON),
			...of('column').map((line): [string, QuestionColumn] => {
				const [definition = '', meaning = ''] = line.split(/; ([\s\S]*)/);
				const [column = '', unit = null] = definition.split(/ ([\s\S]*)/);
				return [column, { unit, meaning }];
			}),
		]),
		sql: withParts(body.join('\n').trim()),
	};
}

/** `{part odds}`: text that several questions have, a file in `parts`. */
function withParts(sql: string): string {
	return sql.replace(/\{part (\w+)\}/g, (_, name: string) =>
		fs
			.readFileSync(path.join(findQuestions(), 'parts', `${name}.sql`), 'utf8')
			.split('\n')
			.filter((line) => !line.startsWith('-- '))
			.join('\n')
			.trim(),
	);
}

export interface QuestionRequest {
	readonly conditions: readonly Condition[];
	readonly days: Days;
	/** Of `diff`: which runs are on each side. */
	readonly sides?: { readonly a: readonly Condition[]; readonly b: readonly Condition[] };
	/** Values of parameters, by name; others have those of the file. */
	readonly parameters: ReadonlyMap<string, number>;
}

/** The text that an engine runs. Throws a {@link UsageError} for a parameter that the question does not have. */
export function renderQuestion({ name, sql, parameters }: Question, request: QuestionRequest): string {
	for (const parameter of request.parameters.keys()) {
		if (!parameters.some((one) => one.name === parameter)) {
			const known = parameters.map((one) => one.name).join(', ');
			throw new UsageError(`the question ${name} has no parameter "${parameter}"${known === '' ? '' : `: ${known}`}`);
		}
	}
	return sql.replace(/\{(\w+)(?: ([\w.]+))?\}/g, (place, what: string, of: string | undefined) => {
		switch (what) {
			case 'where':
				return runsPredicate(request.conditions, request.days);
			case 'side': {
				const side = of === 'a' ? request.sides?.a : request.sides?.b;
				if (side === undefined) {
					throw new UsageError(`the question ${name} compares two sides: assay diff --store STORE --a LABEL=VALUE --b LABEL=VALUE`);
				}
				return runsPredicate([...request.conditions, ...side], request.days);
			}
			case 'days':
				return daysPredicate(`${of}.dt`, request.days);
			case 'decided':
				return `${of}.pass <> 'c1' AND ${of}.verdict IN ('inlined', 'refused', 'direct', 'indirect')`;
			case 'outcome':
				// Where nothing is left out, and what was not decided is null, engines read twice as fast.
				return `CASE ${of}.verdict WHEN 'inlined' THEN 1 WHEN 'refused' THEN 0 WHEN 'direct' THEN 0 WHEN 'indirect' THEN 0 END`;
			case 'inlined':
				return `CASE WHEN ${of}.verdict = 'inlined' THEN 1 ELSE 0 END`;
			case 'flag':
				return flagOfReason(of ?? '');
			default: {
				const parameter = parameters.find((one) => one.name === what);
				return parameter === undefined ? place : numberText(request.parameters.get(what) ?? parameter.value);
			}
		}
	});
}

/** Without an exponent, which is another type to one engine than to the other. */
function numberText(value: number): string {
	return Number.isInteger(value) ? String(value) : value.toFixed(6);
}
