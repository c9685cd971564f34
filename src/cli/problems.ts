/** Problems of the input, for a person: on standard error, so that results stay results. */
import { formatProblem, type Problem } from '../model/problem.js';
import { visible } from '../render/visible.js';
import type { CommandIo } from './io.js';

const SHOWN = 10;
const LONGEST_LINE = 500;

/** Of more than are shown the errors are, before any warning: the exit status is of them. */
export function writeProblems(problems: readonly Problem[], io: CommandIo): void {
	const bySeverity = problems.length > SHOWN ? problems.toSorted((a, b) => rank(a) - rank(b)) : problems;
	for (const problem of bySeverity.slice(0, SHOWN)) {
		io.err(`${problem.severity}: ${visible(formatProblem(problem)).slice(0, LONGEST_LINE)}\n`);
	}
	if (problems.length > SHOWN) {
		io.err(`… and ${problems.length - SHOWN} more problems; --json lists all\n`);
	}
}

function rank({ severity }: Problem): number {
	return severity === 'error' ? 0 : 1;
}
