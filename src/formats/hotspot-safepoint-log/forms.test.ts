/** What a line of a safepoint may look like, and what only looks like one. */
import { describe, expect, test } from 'vitest';
import { textSource } from '../../../test/recordings.js';
import { isSafepointLog, readSafepointLog } from './read.js';

const read = (...lines: readonly string[]) => readSafepointLog(textSource(lines.join('\n')));
const PLAIN = 'Safepoint "X", Time since last: 7 ns, Reaching safepoint: 4 ns, At safepoint: 2 ns, Total: 6 ns';

test.each<[string, boolean]>([
	[PLAIN, true],
	[`[0.1s][info][safepoint] ${PLAIN}`, true],
	[`said ${PLAIN}`, false],
	['Total time for which application threads were stopped: 0.1 seconds', true],
	['application threads were stopped', false],
	['Maximum sync time   12 ns', true],
	['Maximum sync time   12 ms', true],
	['Maximum sync time   12 s', false],
	['Maximum sync time   ns', false],
	['VM Operation                 [ threads: total running][ time: sync cleanup vmop total]', true],
	['a VM Operation                 [ threads: ', false],
	['# SafepointSynchronize::begin: Timeout detected:', true],
	[' # SafepointSynchronize::begin: Timeout detected:', false],
	['   vmop   [threads: total initially_running wait_to_block]    [time: spin block sync cleanup vmop] page_trap_count', true],
	['vmop [ threads: total initially_running wait_to_block ][ time: spin block sync cleanup vmop ]', true],
	['vmop [ threads: total initially_running wait_to_block ]', false],
	['nothing of it', false],
])('%s: %j', (line, isLog) => {
	expect(isSafepointLog(`first\n${line}\nlast`)).toBe(isLog);
});

describe('the plain line', () => {
	const row = (text: string) => {
		const { safepoints, lostLines } = read(text);
		const [one] = safepoints;
		return one === undefined
			? lostLines
			: [one.operation, one.sinceLastNs, one.reachingNs, one.cleanupNs, one.atSafepointNs, one.leavingNs, one.totalNs, one.runningThreads, one.totalThreads];
	};
	test.each<[string, readonly (string | number | null)[] | number]>([
		[PLAIN, ['X', 7, 4, null, 2, null, 6, null, null]],
		[`${PLAIN}  `, ['X', 7, 4, null, 2, null, 6, null, null]],
		[PLAIN.replace('At', 'Cleanup: 1 ns, At').replace('Total', 'Leaving safepoint: 3 ns, Total'), ['X', 7, 4, 1, 2, 3, 6, null, null]],
		[`${PLAIN}, Threads: 5 runnable, 12 total`, ['X', 7, 4, null, 2, null, 6, 5, 12]],
		[`${PLAIN}, Threads: 5 runnables, 12 totals`, ['X', 7, 4, null, 2, null, 6, null, null]],
		[PLAIN.replace('Time since last: 7 ns, ', ''), ['X', null, 4, null, 2, null, 6, null, null]],
		[PLAIN.replace('Reaching safepoint: 4 ns, ', ''), 1],
		[PLAIN.replace('At safepoint: 2 ns, ', ''), 1],
		[PLAIN.replace(', Total: 6 ns', ''), 1],
		[PLAIN.replace('6 ns', '6'), 1],
		[PLAIN.replace('6 ns', '-6 ns'), 1],
		[PLAIN.replace('"X", ', '"X'), 1],
		[PLAIN.replace('X', ''), ['', 7, 4, null, 2, null, 6, null, null]],
		[PLAIN.replace('6 ns', '999999999999999999 ns'), ['X', 7, 4, null, 2, null, 1e18, null, null]],
		[PLAIN.replace('6 ns', '1999999999999999999 ns'), 1],
		[` ${PLAIN}`, 0],
	])('%s', (text, expected) => {
		expect(row(text)).toEqual(expected);
	});

	test('the stamp before it, by its unit', () => {
		const end = (stamp: string) => read(`${stamp}${PLAIN}`).safepoints[0]?.end;
		expect(end('')).toEqual({ uptimeNs: null, monotonicNs: null, epochNs: null });
		expect(end('[1.234s] ')).toEqual({ uptimeNs: 1_234_000_000, monotonicNs: null, epochNs: null });
		expect(end('[9000000000ns][1500ns] ')).toEqual({ uptimeNs: 1500, monotonicNs: 9_000_000_000, epochNs: null });
		expect(end('[1795214096503ms][31ms] ')).toEqual({ uptimeNs: 31_000_000, monotonicNs: null, epochNs: 1_795_214_096_503_000_000 });
	});
});

describe('late threads', () => {
	const late = (...lines: readonly string[]) => {
		const { timeouts, lostLines } = read('# SafepointSynchronize::begin: Timeout detected:', ...lines);
		return [timeouts[0]?.threads.map(({ name, threadId, cpuMs }) => [name, threadId, cpuMs]), lostLines];
	};
	test.each<[string, readonly unknown[]]>([
		['# "loop" #12 prio=5 cpu=163.00ms tid=0x00007fca nid=0x33d runnable', [[['loop', 829, 163]], 0]],
		['# "loop" #12 [345] prio=5 cpu=163ms tid=0x00007fca nid=345 runnable', [[['loop', 345, 163]], 0]],
		['# "loop" prio=5 cpu=1,5ms nid=7', [[['loop', 7, 1.5]], 0]],
		['# "loop" prio=5 nid=7', [[['loop', 7, null]], 0]],
		['# "loop" xcpu=5ms nid=7', [[['loop', 7, null]], 0]],
		['# "loop" prio=5 tid=7', [[], 1]],
		['# "loop', [[], 1]],
		['# something else', [[], 0]],
		['"loop" nid=7', [[], 0]],
	])('%s', (line, expected) => {
		expect(late(line)).toEqual(expected);
	});

	test('behind the end of the list there are none', () => {
		expect(late('# SafepointSynchronize::begin: (End of list)', '# "loop" nid=7')).toEqual([[], 0]);
	});
});

test('JDK 11: the operation, the threads and the cleanup stand in lines of their own', () => {
	const ended = 'Total time for which application threads were stopped: 0.0001083 seconds, Stopping threads took: 0.0000048 seconds';
	const cleanup = 'safepoint cleanup tasks, 0.0000796 secs';
	const shown = (...lines: readonly string[]) =>
		read(...lines).safepoints.map((one) => [one.operation, one.totalThreads, one.reachingNs, one.cleanupNs, one.atSafepointNs, one.totalNs, one.sinceLastNs]);
	const all = [
		'[66ns][102ns][vmthread        ] Evaluating safepoint VM operation: RevokeBias',
		'[67ns][103ns][safepoint       ] Safepoint synchronization initiated. (9 threads)',
		'[68ns][104ns][safepoint       ] Application time: 0.0115674 seconds',
		'[69ns][105ns][safepoint       ] Waiting for 2 thread(s) to block',
		'[70ns][106ns][safepoint       ] Entering safepoint region: RevokeBias',
		'[71ns][107ns][safepoint,cleanup] updating inline caches, 0.0000005 secs',
		`[72ns][108ns][safepoint,cleanup] ${cleanup}`,
		'[73ns][109ns][safepoint       ] Leaving safepoint region',
		`[74ns][110ns][safepoint       ] ${ended}`,
	];
	expect(shown(...all, ended)).toEqual([
		['RevokeBias', 9, 4800, 79_600, 23_900, 108_300, 11_567_400],
		[null, null, 4800, null, 103_500, 108_300, null],
	]);
	// Without the lines of vmthread and of debug, as -Xlog:safepoint prints.
	expect(shown('Entering safepoint region: G1CollectForAllocation', 'Leaving safepoint region', ended)).toEqual([
		['G1CollectForAllocation', null, 4800, null, 103_500, 108_300, null],
	]);
	expect(shown(...all.slice(0, 3), ended).map(([operation]) => operation)).toEqual(['RevokeBias']);
});

test('the JVM of before: its stamp with and without a date, and what it needs to be a row', () => {
	const head = 'vmop [ threads: total initially_running wait_to_block ] [ time: spin block sync cleanup vmop ] page_trap_count';
	const rows = (line: string) => {
		const { safepoints, lostLines } = read(head, line);
		return [
			...safepoints.map(({ operation, totalNs, end, totalThreads, runningThreads }) => [operation, totalNs, end.uptimeNs, totalThreads, runningThreads]),
			lostLines,
		];
	};
	const numbers = '[ 18 2 1 ] [ 0 0 5 1 40 ] 0';
	expect(rows(`1.234: Revoke Bias   ${numbers}`)).toEqual([['Revoke Bias', 46e6, 1.28e9, 18, 2], 0]);
	expect(rows(`2026-01-02T03:04:05.678+0000: 1,234: X ${numbers}`)).toEqual([['X', 46e6, 1.28e9, 18, 2], 0]);
	expect(rows(`1.234: X ${numbers.slice(0, -2)}`)).toEqual([1]);
	expect(rows(`1.234: X ${numbers} more`)).toEqual([1]);
	expect(rows(`X ${numbers}`)).toEqual([0]);
	expect(rows(`at 1.234: X ${numbers}`)).toEqual([0]);
});
