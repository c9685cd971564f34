/** Lines of different forms that tell of one safepoint, and lists of late threads that are cut. */
import { describe, expect, test } from 'vitest';
import { textSource } from '../../../test/recordings.js';
import { readSafepointLog } from './read.js';

const read = (...lines: string[]) => readSafepointLog(textSource(lines.map((line) => `${line}\n`).join(''), 'safepoint.log'));

const OLD_HEAD = '         vmop                    [threads: total initially_running wait_to_block]    [time: spin block sync cleanup vmop] page_trap_count';
const old = (seconds: string, operation: string, times: string) => `${seconds}: ${operation}   [  12  3  1 ]    [  0  1  ${times} ]  0`;
const stopped = (seconds: string, total: string, reaching: string | null) =>
	`${seconds}Total time for which application threads were stopped: ${total} seconds${reaching === null ? '' : `, Stopping threads took: ${reaching} seconds`}`;

describe("JDK 8's statistics and lines of stops", () => {
	test('make one row where they end within 20 ms of each other', () => {
		const join = (uptime: string) =>
			read(OLD_HEAD, old('1.000', 'Deoptimize', '5  1  4'), stopped(`${uptime}: `, '0.0110000', null)).safepoints.map(
				({ operation, reachingNs, cleanupNs, atSafepointNs, totalNs, runningThreads, totalThreads }) => [
					operation,
					reachingNs,
					cleanupNs,
					atSafepointNs,
					totalNs,
					runningThreads,
					totalThreads,
				],
			);
		// The statistics put its end at 1.000 s and 5 + 1 + 4 ms.
		const one = ['Deoptimize', 5e6, 1e6, 4e6, 11e6, 3, 12];
		expect(join('1.010')).toEqual([one]);
		expect(join('1.030')).toEqual([one]);
		expect(join('0.990')).toEqual([one]);
		expect(join('1.031')).toHaveLength(2);
		expect(join('0.989')).toHaveLength(2);
	});

	test('what a stop tells exactly stays; rows stand by their ends', () => {
		const { safepoints } = read(
			OLD_HEAD,
			old('1.000', 'Deoptimize', '5  1  4'),
			old('1.500', 'no vm operation', '1  0  0'),
			stopped('1.010: ', '0.0110000', '0.0060000'),
			stopped('2.000: ', '0.0200000', '0.0150000'),
		);
		expect(safepoints.map(({ operation, reachingNs, atSafepointNs, end }) => [operation, reachingNs, atSafepointNs, end.uptimeNs])).toEqual([
			['Deoptimize', 6e6, 5e6, 1010e6],
			[null, 1e6, 0, 1501e6],
			[null, 15e6, 5e6, 2000e6],
		]);
	});

	test('without stamps they are joined in order, if there are as many', () => {
		const operations = (...stops: string[]) =>
			read(OLD_HEAD, old('1.000', 'First', '5  1  4'), old('2.000', 'Second', '5  1  4'), ...stops).safepoints.map(({ operation, totalNs }) => [
				operation,
				totalNs,
			]);
		expect(operations(stopped('', '0.0110000', null), stopped('', '0.0120000', null))).toEqual([
			['First', 11e6],
			['Second', 12e6],
		]);
		expect(operations(stopped('', '0.0110000', null))).toEqual([
			[null, 11e6],
			['First', 10e6],
			['Second', 10e6],
		]);
	});

	test('a row without its head is none, a damaged one is lost', () => {
		expect(read(old('1.000', 'X', '5  1  4'))).toMatchObject({ safepoints: [], lostLines: 0 });
		expect(read(OLD_HEAD, '1.000: X   [  12  3  1 ]    [  0  1  5')).toMatchObject({ safepoints: [], lostLines: 1 });
	});

	test('a stop whose time is cut is lost', () => {
		expect(read('1.0: Total time for which application threads were stopped: 0.0')).toMatchObject({ safepoints: [], lostLines: 1, problems: [{ line: 1 }] });
	});

	test('the time that ran before is of the next stop only', () => {
		const { safepoints } = read('1.0: Application time: 0.5000000 seconds', stopped('1.1: ', '0.1000000', null), stopped('1.3: ', '0.1000000', null));
		expect(safepoints.map(({ sinceLastNs, atSafepointNs }) => [sinceLastNs, atSafepointNs])).toEqual([
			[500e6, null],
			[null, null],
		]);
		expect(read(stopped('1.0: ', '0.0010000', '0.0020000')).safepoints[0]).toMatchObject({ atSafepointNs: 0 });
	});
});

describe('statistics', () => {
	const head = (cleanup: boolean) =>
		`VM Operation                 [ threads: total initial_running ][ time:       sync ${cleanup ? '   cleanup ' : ''}      vmop      total ] page_trap_count`;
	const row = (times: string) => `G1CollectFull    [     12    3 ][ ${times} ]               0`;
	const numbers = (...lines: string[]) => {
		const { safepoints, lostLines } = read(...lines);
		return [
			...safepoints.map(({ reachingNs, cleanupNs, atSafepointNs, totalNs, totalThreads, runningThreads }) => [
				reachingNs,
				cleanupNs,
				atSafepointNs,
				totalNs,
				totalThreads,
				runningThreads,
			]),
			lostLines,
		];
	};

	test('with and without cleanup, as their head says', () => {
		expect(numbers(head(true), row('5 1 4 10'))).toEqual([[5, 1, 4, 10, 12, 3], 0]);
		expect(numbers(head(false), row('5 4 9'))).toEqual([[5, null, 4, 9, 12, 3], 0]);
		expect(numbers(head(true), row('5 4 9'))).toEqual([1]);
		expect(numbers(head(false), row('5 1 4 10'))).toEqual([1]);
	});

	test('without a head they are told by their tags only', () => {
		expect(numbers(row('5 1 4 10'))).toEqual([0]);
		expect(numbers(`[1.000s][debug][safepoint,stats] ${row('5 1 4 10')}`)).toEqual([[5, 1, 4, 10, 12, 3], 0]);
		expect(numbers(`[1.000s][debug][gc] ${row('5 1 4 10')}`)).toEqual([0]);
		expect(numbers(`[1.000s][debug][safepoint,stats] ${row('5 1')}`)).toEqual([1]);
	});

	test('the plain line of the same safepoint takes their threads; another one stands beside', () => {
		const plain = (total: number) =>
			`Safepoint "G1CollectFull", Time since last: 7 ns, Reaching safepoint: 5 ns, Cleanup: 1 ns, At safepoint: 4 ns, Total: ${total} ns`;
		expect(numbers(head(true), row('5 1 4 10'), plain(10))).toEqual([[5, 1, 4, 10, 12, 3], 0]);
		expect(numbers(head(true), row('5 1 4 10'), plain(11))).toEqual([[5, 1, 4, 10, 12, 3], [5, 1, 4, 11, null, null], 0]);
		expect(numbers(plain(10).replace(' ns, At', ', At'))).toEqual([[5, null, 4, 10, null, null], 0]);
		expect(numbers(plain(10).replace('Total: 10 ns', 'Total: 10'))).toEqual([1]);
		expect(numbers(plain(10).replace('Reaching safepoint: 5 ns', 'Reaching safepoint: 5 nsx'))).toEqual([1]);
		expect(numbers(plain(10).replace('"G1', 'G1'))).toEqual([0]);
	});
});

describe('late threads', () => {
	const begin = '# SafepointSynchronize::begin: Timeout detected:';
	const thread = (name: string) => `# "${name}" #12 [99] prio=5 os_prio=0 cpu=12,5ms elapsed=1s nid=0x10 runnable`;
	const end = '# SafepointSynchronize::begin: (End of list)';
	const plain = 'Safepoint "Cleanup", Reaching safepoint: 5 ns, At safepoint: 4 ns, Total: 9 ns';

	test('stand between the lines around them', () => {
		const { safepoints, timeouts, lostLines } = read(
			begin,
			'# SafepointSynchronize::begin: Threads which did not reach the safepoint:',
			thread('a "b"'),
			'# "cut" #1',
			end,
			thread('after'),
			plain,
		);
		expect([safepoints.map(({ timeout }) => timeout?.threads), timeouts, lostLines]).toEqual([[[{ name: 'a "b"', threadId: 16, cpuMs: 12.5 }]], [], 1]);
	});

	test('a list without an end goes to the safepoint that follows, a second one begins another', () => {
		const { safepoints, timeouts } = read(begin, thread('first'), begin, thread('second'), plain, plain, begin, thread('third'));
		expect(safepoints.map(({ timeout, unfinished }) => [timeout?.threads.map(({ name }) => name) ?? null, unfinished])).toEqual([
			[['second'], null],
			[null, null],
			[['third'], 'late'],
		]);
		expect(timeouts.map(({ threads }) => threads.map(({ name }) => name))).toEqual([['first']]);
	});
});
