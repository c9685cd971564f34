/** A command of the user that cannot be started. */
import { InputError } from '../model/problem.js';

export const CANNOT_START = 'cannot be started: there is no such program, or it may not be executed';

export function notStarted(program: string): InputError {
	const action = /\s/.test(program) ? 'it was given as one word: leave out the quotes, or put sh -c before it' : 'give the command as it is given to a shell';
	return new InputError({ severity: 'error', file: program, message: CANNOT_START, action });
}
