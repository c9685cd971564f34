import { expect, test } from 'vitest';
import type { Problem } from '../model/problem.js';
import { writeProblems } from './problems.js';

function written(problems: readonly Problem[]): string[] {
	const lines: string[] = [];
	const io = { workingDirectory: '', isTerminal: false, out() {}, outBytes() {}, err: (text: string) => lines.push(text) };
	writeProblems(problems, io);
	return lines;
}

const warnings = (count: number): Problem[] =>
	Array.from({ length: count }, (_, i) => ({ severity: 'warning', file: 'a.txt', message: `line ${i} is cut`, action: 'it is skipped' }));
const ERROR: Problem = { severity: 'error', file: 'a.txt', message: 'nothing of it can be used', action: 'give another' };

test('of many problems the errors come first, and the rest is counted', () => {
	const lines = written([...warnings(20), ERROR]);
	expect(lines).toHaveLength(11);
	expect(lines[0]).toMatch(/^error: a.txt: nothing of it can be used/);
	expect(lines[1]).toMatch(/^warning: a.txt: line 0 is cut/);
	expect(lines[10]).toBe('… and 11 more problems; --json lists all\n');
});

test('few problems are told in their order', () => {
	expect(written([...warnings(9), ERROR]).map((line) => line.split(':')[0])).toEqual([...Array.from({ length: 9 }, () => 'warning'), 'error']);
});
