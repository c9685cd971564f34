import { describe, expect, test } from 'vitest';
import { formatProblem, InputError, SkippedLines } from './problem.js';

describe('a line for a person', () => {
	const problem = { severity: 'warning', file: 'a.log', message: 'is cut', action: 'the rest is left out' } as const;

	test('place, what is wrong, what was done', () => {
		expect(formatProblem(problem)).toBe('a.log: is cut; the rest is left out');
		expect(formatProblem({ ...problem, line: 7 })).toBe('a.log:7: is cut; the rest is left out');
		expect(formatProblem({ ...problem, offsetBytes: 0 })).toBe('a.log (byte 0): is cut; the rest is left out');
		expect(formatProblem({ ...problem, line: 7, offsetBytes: 123 })).toBe('a.log:7 (byte 123): is cut; the rest is left out');
	});

	test('is the message of an error', () => {
		const error = new InputError({ ...problem, line: 7 });
		expect([error.message, error.name, error.problem.line]).toEqual(['a.log:7: is cut; the rest is left out', 'InputError', 7]);
	});
});

test('of lines that were skipped the first thousand each for itself', () => {
	const problems = (count: number) => {
		const lines = new SkippedLines('a.log', 'is no line');
		for (let i = 1; i <= count; i++) {
			lines.add(i, 10 * i);
		}
		return lines.problems();
	};
	expect(problems(0)).toEqual([]);
	expect(problems(2)).toEqual([
		{ severity: 'warning', file: 'a.log', line: 1, offsetBytes: 10, message: 'is no line', action: 'the line is skipped' },
		{ severity: 'warning', file: 'a.log', line: 2, offsetBytes: 20, message: 'is no line', action: 'the line is skipped' },
	]);
	expect(problems(1000).map(({ line }) => line)).toEqual(Array.from({ length: 1000 }, (_, i) => i + 1));
	expect(problems(1003).slice(999)).toEqual([
		expect.objectContaining({ line: 1000 }),
		{ severity: 'warning', file: 'a.log', message: '3 more lines: is no line', action: 'they are skipped' },
	]);
});
