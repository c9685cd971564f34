/** A command of the user ended with a status that is not 0: a build, or a program that was to be measured. */
import { InputError } from '../../model/problem.js';
import { lastLines } from './run-logged.js';

const SHOWN_LINES = 20;

export class CommandFailed extends InputError {
	/** What it said last. */
	readonly lines: readonly string[];

	/** `what` it was, for the message; `log` has what it said, and is called `logName`. `hint`: what to do, where that is not told by what it said. */
	constructor(what: string, status: number, log: string, logName: string, hint: string | null) {
		const lines = lastLines(log, SHOWN_LINES);
		const said = lines.length === 0 ? 'it said nothing' : 'its last lines are below';
		super({ severity: 'error', file: logName, message: `${what} ended with status ${status}`, action: hint === null ? said : `${said}; ${hint}` });
		this.name = 'CommandFailed';
		this.lines = lines;
	}
}
