/** What was wrong with an input. Readers collect problems and go on; nothing is dropped without one. */
export interface Problem {
	readonly severity: 'error' | 'warning';
	/** The file, as the user named it. */
	readonly file: string;
	/** Line in the file, from 1. */
	readonly line?: number;
	/** Byte offset in the file, from 0. */
	readonly offsetBytes?: number;
	/** What was found and what was expected. */
	readonly message: string;
	/** What was done instead, or what the user can do. */
	readonly action: string;
}

/** The place a problem is at: `file:line (byte N)`. */
function problemPlace(problem: Pick<Problem, 'file' | 'line' | 'offsetBytes'>): string {
	const line = problem.line === undefined ? '' : `:${problem.line}`;
	const offset = problem.offsetBytes === undefined ? '' : ` (byte ${problem.offsetBytes})`;
	return `${problem.file}${line}${offset}`;
}

/** One line for a person: place, what is wrong, what was done. */
export function formatProblem(problem: Problem): string {
	return `${problemPlace(problem)}: ${problem.message}; ${problem.action}`;
}

/** An input that leaves nothing useful to go on with, or a request that cannot be met. The message is for the user. */
export class InputError extends Error {
	readonly problem: Problem;
	constructor(problem: Problem) {
		super(formatProblem(problem));
		this.name = 'InputError';
		this.problem = problem;
	}
}

/** A request that makes no sense, whatever the input; the message is for the user. Exit status 2 of a command. */
export class UsageError extends Error {}

/** Problems of one kind in one file: the first thousand each for itself, the rest as a number. */
export class SkippedLines {
	private static readonly MAX = 1000;
	private readonly first: Problem[] = [];
	private readonly file: string;
	private readonly message: string;
	private count = 0;

	constructor(file: string, message: string) {
		this.file = file;
		this.message = message;
	}

	add(line: number, offsetBytes: number): void {
		this.count++;
		if (this.first.length < SkippedLines.MAX) {
			this.first.push({ severity: 'warning', file: this.file, line, offsetBytes, message: this.message, action: 'the line is skipped' });
		}
	}

	problems(): Problem[] {
		const more = this.count - this.first.length;
		if (more === 0) {
			return this.first;
		}
		return [...this.first, { severity: 'warning', file: this.file, message: `${more} more lines: ${this.message}`, action: 'they are skipped' }];
	}
}
