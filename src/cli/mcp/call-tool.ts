/** A call of a tool: its command runs in this process, and its result is taken before it becomes text. Programs are run in a process of their own. */
import path from 'node:path';
import { listRecordings } from '../../answers/recordings.js';
import { type Problem, UsageError } from '../../model/problem.js';
import { type CommandEntry, EXIT } from '../command.js';
import { runAssay } from '../own-process.js';
import { runEntry } from '../run-entry.js';
import { type AnswerRequest, DEFAULT_BYTES, refusal, type ToolResult, textAnswer, toolAnswer } from './answer.js';
import type { KeptRecordings } from './kept-recordings.js';
import type { Roots } from './roots.js';
import { ANSWER_PROPERTIES, type AnsweringTool, type ToolArguments } from './tools.js';

/** What the calls of a server share. */
export interface Serving {
	readonly roots: Roots;
	readonly commands: readonly CommandEntry[];
	readonly keptEvidence: KeptRecordings;
}

/** Lines of text that are kept, from the first that is wanted. */
const MOST_LINES = 20_000;
const DEFAULT_SECONDS = 60;

export async function callTool(answering: AnsweringTool, given: ToolArguments, serving: Serving): Promise<ToolResult> {
	const { roots } = serving;
	const request = { ...requestOf(given), shape: answering.tool };
	let words: string[];
	try {
		words = answering.words(given, roots);
	} catch (error) {
		if (error instanceof UsageError) {
			return refusal({ message: error.message }, { ...request, words: null });
		}
		throw error;
	}
	const known = { ...request, words };
	return answering.tool.isRun === true ? recorded(words, given, known, roots) : answered(words, answering.tool.isText === true, known, serving);
}

/** The tool that no command has: which recordings there are. */
export async function callRecordings(given: ToolArguments, roots: Roots): Promise<ToolResult> {
	const other = Object.keys(given).find((name) => !Object.hasOwn(ANSWER_PROPERTIES, name));
	if (other !== undefined) {
		return refusal({ message: `recordings has no argument "${other}"; it takes ${Object.keys(ANSWER_PROPERTIES).join(', ')}` }, requestOf({}));
	}
	const { recordings, isPart } = await listRecordings(roots.folders);
	// As the other tools take them.
	const named = recordings.map(({ root, path: name, ...rest }) => ({ recording: root === 0 ? name : path.join(roots.folders[root] ?? '', name), ...rest }));
	return toolAnswer({ roots: roots.folders, recordings: named, isPart }, [], requestOf(given));
}

async function answered(words: readonly string[], isText: boolean, request: AnswerRequest, { roots, commands, keptEvidence }: Serving): Promise<ToolResult> {
	const errors: string[] = [];
	const text = new KeptLines(request.from);
	let answer: ToolResult | null = null;
	const [name, ...rest] = words;
	const entry = commands.find((command) => command.name === name)!;
	const status = await runEntry(entry, rest, {
		workingDirectory: roots.folders[0]!,
		isTerminal: false,
		keptEvidence,
		out: (piece) => text.add(piece),
		err: (piece) => void errors.push(piece),
		takeResult: (result, problems) => {
			const failed = problems.find(({ severity }) => severity === 'error');
			answer = Object.keys(result).length === 0 && failed !== undefined ? refusalOf(failed, request) : toolAnswer(result, problems, request);
		},
	});
	if (answer !== null) {
		return answer;
	}
	if (isText && status === EXIT.done) {
		const { lines, total } = text.end();
		return textAnswer(withTotal(lines, total, request.from), [], request);
	}
	return refusal(
		{
			message: errors
				.join('')
				.trim()
				.replace(/^assay [^:]*: /, ''),
		},
		request,
	);
}

/** Its lists give no more than these lines, and count all. */
function withTotal(lines: readonly string[], total: number, from: number): readonly string[] {
	const all: string[] = [];
	all.length = total;
	lines.forEach((line, i) => {
		all[from + i] = line;
	});
	return all;
}

/** The lines of a text from one on, as far as an answer may show them; the others are counted. */
class KeptLines {
	private readonly from: number;
	private readonly lines: string[] = [];
	private total = 0;
	private rest = '';

	constructor(from: number) {
		this.from = from;
	}

	add(piece: string): void {
		const lines = `${this.rest}${piece}`.split('\n');
		this.rest = lines.pop() ?? '';
		for (const line of lines) {
			// CSV ends lines with both.
			this.line(line.endsWith('\r') ? line.slice(0, -1) : line);
		}
	}

	end(): { readonly lines: readonly string[]; readonly total: number } {
		if (this.rest !== '') {
			this.line(this.rest);
			this.rest = '';
		}
		return { lines: this.lines, total: this.total };
	}

	private line(line: string): void {
		if (this.total >= this.from && this.lines.length < MOST_LINES) {
			this.lines.push(line);
		}
		this.total++;
	}
}

/** `assay record` in a process of its own: the program's output is no part of the protocol. */
async function recorded(words: readonly string[], given: ToolArguments, request: AnswerRequest, roots: Roots): Promise<ToolResult> {
	const output = given.output;
	if (typeof output !== 'string') {
		return refusal({ message: '"output" is missing: the new folder of the recording' }, request);
	}
	const limited = given.duration === undefined ? [...words.slice(0, 1), `--duration=${DEFAULT_SECONDS}`, ...words.slice(1)] : words;
	const { status, said, printed } = await runAssay(limited, roots.folders[0]!);
	const result = { recording: output, exitStatus: status, said: said.split('\n').filter((line) => line !== ''), printed: printed.split('\n') };
	const hasRecording = (await listRecordings([roots.folders[0]!])).recordings.some((one) => one.path === output);
	return hasRecording ? toolAnswer(result, [], { ...request, words: limited }) : refusal({ message: said || `assay record ended with ${status}` }, request);
}

function refusalOf({ file, message, action }: Problem, request: AnswerRequest): ToolResult {
	return refusal({ file, message, action }, request);
}

function requestOf({ field, from, bytes }: ToolArguments): AnswerRequest {
	return {
		words: null,
		field: typeof field === 'string' && field !== '' ? field : null,
		from: typeof from === 'number' ? from : 0,
		bytes: typeof bytes === 'number' ? bytes : DEFAULT_BYTES,
		shape: { first: ['recordings'] },
	};
}
