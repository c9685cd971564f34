/** A shell reads the words that were meant, whatever the recording and its threads are called. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { joinedCompilation } from '../../test/joined-runs.js';
import {
	biasCommand,
	command,
	commandsOf,
	compilationsCommand,
	hotCommand,
	hotJavaCommand,
	regionsCommand,
	reportCommand,
	safepointsCommand,
} from './commands.js';

/** What the programs called `assay` are given. */
function wordsOf(line: string): string[][] {
	const output = execFileSync('sh', ['-c', `assay() { printf '%s\\0' "$@" END; }; ${line}`], { encoding: 'utf8' });
	return output
		.split('END\0')
		.slice(0, -1)
		.map((words) => words.split('\0').slice(0, -1));
}

const HOSTILE = ['a b', "it's", '$(touch x)', 'a && b', 'a;b', '`c`', '*', '"', 'a\nb', '\\', 'ä', '-x'];

test.each(HOSTILE)('a recording called %j', (name) => {
	const run = { name, processId: 7, chosen: { thread: `${name}*`, threadClass: 'java' as const } };
	const filter = ['--pid', '7', '--class', 'java', '--thread', `${name}*`];
	expect(wordsOf(command('memory', name))).toEqual([['memory', name]]);
	expect(wordsOf(commandsOf(reportCommand(run, 'c1'), compilationsCommand(run, 'c1'), safepointsCommand(run)))).toEqual([
		['report', name, 'c1', '--pid', '7'],
		['compilations', name, 'c1', '--pid', '7'],
		['bias', '--ttsp', name, '--pid', '7'],
	]);
	expect(wordsOf(commandsOf(biasCommand(run), null, hotCommand(run, '--by', 'method')))).toEqual([
		['bias', name, ...filter],
		['hot', name, '--by', 'method', ...filter],
	]);
});

test('threads of Java, or those that were chosen: a class once', () => {
	expect(hotJavaCommand({ name: 'run', processId: null, chosen: {} })).toBe('assay hot run --class java');
	expect(hotJavaCommand({ name: 'run', processId: null, chosen: { threadClass: 'java' } }, '--by', 'class')).toBe('assay hot run --by class --class java');
	expect(hotJavaCommand({ name: 'run', processId: null, chosen: { thread: 'main' } })).toBe('assay hot run --class java --thread main');
	expect(hotJavaCommand({ name: 'run', processId: null, chosen: { threadClass: 'gc' } })).toBe('assay hot run --class gc');
	expect(hotJavaCommand({ name: 'run', processId: null, chosen: { wholeRun: true } })).toBe('assay hot run --class java --window all');
});

test('regions of compilations that have samples', () => {
	const run = { name: 'run', processId: null, chosen: {}, hot: {} } as unknown as Parameters<typeof regionsCommand>[0];
	const row = (compileId: string, percent: number) => joinedCompilation({ compileId, percent });
	expect(regionsCommand(run, [row('1', 2), row('1', 1), row('2', 0), row('3', 1)])).toBe('assay hot run c1 c3');
	expect(regionsCommand(run, [row('2', 0)])).toBeNull();
	expect(regionsCommand({ ...run, hot: null }, [row('1', 2)])).toBeNull();
	// Stacks without addresses have no regions; two compilations of one id have one handle.
	expect(regionsCommand({ ...run, hot: { lines: new Map() } } as unknown as typeof run, [row('1', 2)])).toBeNull();
	expect(regionsCommand(run, [row('1@2', 2)])).toBeNull();
	const rows = Array.from({ length: 13 }, (_, index) => row(`${index}`, 1));
	expect(regionsCommand(run, rows.slice(1))).toMatch(/c12$/);
	expect(regionsCommand(run, rows)).toBeNull();
});
