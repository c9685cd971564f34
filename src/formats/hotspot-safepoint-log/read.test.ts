import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RECORDINGS, textSource } from '../../../test/recordings.js';
import { isSafepointLog, readSafepointLog } from './read.js';

const FOLDER = path.join(RECORDINGS, '..', 'safepoint');
const LOGS = [
	...['jdk17-nopoll', 'jdk17-poll-every-iteration', 'jdk25-g1-stripmined', 'jdk25-nopoll', 'jdk25-serial'].map((name) => `ttsp/${name}`),
	'ttsp-sampled/jdk25-stall',
];

function recorded(name: string): string {
	return fs.readFileSync(path.join(FOLDER, name, 'safepoint.log'), 'utf8');
}

function read(text: string): ReturnType<typeof readSafepointLog> {
	return readSafepointLog(textSource(text, 'safepoint.log'));
}

test.each(LOGS)('%s: every line of a safepoint is read, and each timeout belongs to one', (name) => {
	const text = recorded(name);
	const { safepoints, timeouts, lostLines, problems } = read(text);
	expect([lostLines, problems, timeouts]).toEqual([0, [], []]);
	expect(isSafepointLog(text)).toBe(true);
	expect(safepoints.length).toBe(text.split('Safepoint "').length - 1);
	expect(safepoints.filter(({ timeout }) => timeout !== null).length).toBe(text.split('Timeout detected').length - 1);
	for (const { totalNs, reachingNs, cleanupNs, atSafepointNs, leavingNs, runningThreads, totalThreads } of safepoints) {
		expect((reachingNs ?? 0) + (cleanupNs ?? 0) + (atSafepointNs ?? 0) + (leavingNs ?? 0)).toBe(totalNs);
		expect([runningThreads, totalThreads].every((count) => count !== null)).toBe(true);
	}
});

test('JDK 17: cleanup, threads from the statistics, a stamp in seconds, the late thread', () => {
	expect(read(recorded('ttsp/jdk17-nopoll')).safepoints[0]).toEqual({
		operation: 'G1CollectFull',
		sinceLastNs: 716027512,
		reachingNs: 4466896309,
		cleanupNs: 84176,
		atSafepointNs: 7402085,
		leavingNs: null,
		totalNs: 4474382570,
		runningThreads: 1,
		totalThreads: 12,
		end: { uptimeNs: 5244e6, monotonicNs: null, epochNs: null },
		unfinished: null,
		timeout: { time: { uptimeNs: 1020e6, monotonicNs: null, epochNs: null }, threads: [{ name: 'long-loop-0', threadId: 0x33d, cpuMs: 163 }] },
		line: 14,
	});
});

test('JDK 25: both clocks', () => {
	expect(read(recorded('ttsp-sampled/jdk25-stall')).safepoints[0]).toMatchObject({
		operation: 'SerialGCCollect',
		leavingNs: 19489,
		runningThreads: 2,
		end: { uptimeNs: 1546798952, monotonicNs: 5432666539338 },
		timeout: { threads: [{ name: 'stall', threadId: 23341, cpuMs: 899.69 }] },
	});
});

describe('other forms', () => {
	test('statistics alone', () => {
		const text = recorded('ttsp/jdk25-nopoll')
			.split('\n')
			.filter((line) => !line.includes('Safepoint "'))
			.join('\n');
		const whole = read(recorded('ttsp/jdk25-nopoll')).safepoints;
		const { safepoints, lostLines } = read(text);
		expect(lostLines).toBe(0);
		expect(safepoints.map(({ operation, reachingNs, totalNs, totalThreads }) => [operation, reachingNs, totalNs, totalThreads])).toEqual(
			whole.map(({ operation, reachingNs, totalNs, totalThreads }) => [operation, reachingNs, totalNs, totalThreads]),
		);
	});

	test('-XX:+PrintGCApplicationStoppedTime, with and without the time to stop', () => {
		const { safepoints } = read(
			'0.100: Application time: 0.0500000 seconds\n' +
				'0.123: Total time for which application threads were stopped: 0.0200000 seconds, Stopping threads took: 0.0150000 seconds\n' +
				'2026-01-02T03:04:05.678+0000: 1.5: Total time for which application threads were stopped: 0,0010000 seconds\n',
		);
		expect(safepoints).toMatchObject([
			{ operation: null, sinceLastNs: 50e6, reachingNs: 15e6, atSafepointNs: 5e6, totalNs: 20e6, end: { uptimeNs: 123e6 } },
			{ reachingNs: null, totalNs: 1e6, end: { uptimeNs: 1.5e9 } },
		]);
	});

	test('timeouts alone, a thread with a quote in its name, a thread of the JVM', () => {
		const list = (name: string): string =>
			`# SafepointSynchronize::begin: Timeout detected:\n# SafepointSynchronize::begin: Threads which did not reach the safepoint:\n${name}\n   java.lang.Thread.State: RUNNABLE\n\n# SafepointSynchronize::begin: (End of list)\n`;
		const { timeouts, lostLines } = read(
			list('# "a" #1 "b" #12 prio=5 tid=0x1 nid=0x10 runnable') + list('# "VM X" os_prio=0 cpu=1,5ms tid=0x1 nid=7 runnable'),
		);
		expect(lostLines).toBe(0);
		expect(timeouts.flatMap(({ threads }) => threads)).toEqual([
			{ name: 'a" #1 "b', threadId: 16, cpuMs: null },
			{ name: 'VM X', threadId: 7, cpuMs: 1.5 },
		]);
	});
});

describe('statistics of JDK 8', () => {
	const head = '         vmop                    [threads: total initially_running wait_to_block]    [time: spin block sync cleanup vmop] page_trap_count\n';
	const row = (stamp: string, name: string, times: string): string =>
		`${stamp}: ${name.padEnd(30)} [      18          2              1    ]      [ ${times}    ]  0   \n`;

	test('alone: the stamp is that of the begin, times are milliseconds', () => {
		const text = `${head}${row('1.234', 'RevokeBias', '    1     0     2     3     40')}${row('2.500', 'no vm operation', '    0     0     0     1     0')}\nPolling page always armed\nMaximum sync time      2 ms\n`;
		expect(isSafepointLog(text)).toBe(true);
		const { safepoints, lostLines } = read(text);
		expect(lostLines).toBe(0);
		expect(safepoints).toMatchObject([
			{
				operation: 'RevokeBias',
				totalThreads: 18,
				runningThreads: 2,
				reachingNs: 2e6,
				cleanupNs: 3e6,
				atSafepointNs: 40e6,
				totalNs: 45e6,
				end: { uptimeNs: 1.279e9 },
				line: 2,
			},
			{ operation: null, totalNs: 1e6, end: { uptimeNs: 2.501e9 } },
		]);
	});

	test('the columns of JDK 9 to 12, and rows that are cut', () => {
		const { safepoints, lostLines } = read(
			'         vmop                            [ threads:    total initially_running wait_to_block ][ time:    spin   block    sync cleanup    vmop ] page_trap_count\n' +
				'   0.061: Deoptimize                      [             10                 0              1 ][             0       0       5       0       1 ]                0\n' +
				'   0.070: Deoptimize                      [             10                 0              1 ][             0    \n',
		);
		expect(safepoints).toMatchObject([{ operation: 'Deoptimize', reachingNs: 5e6, totalNs: 6e6 }]);
		expect(lostLines).toBe(1);
	});

	test('beside the lines of stops: one row a safepoint, with exact times and a name', () => {
		const stop = (stamp: string, total: string, reaching: string): string =>
			`${stamp}: Total time for which application threads were stopped: ${total} seconds, Stopping threads took: ${reaching} seconds\n`;
		const { safepoints } = read(
			`${stop('1.279', '0.0451230', '0.0020110')}${stop('1.900', '0.0001000', '0.0000300')}${stop('2.501', '0.0010010', '0.0000220')}` +
				`${head}${row('1.234', 'RevokeBias', '    1     0     2     3     40')}${row('2.500', 'GenCollectForAllocation', '    0     0     0     1     0')}${row('3.000', 'Exit', '    0     0     0     0     0')}`,
		);
		expect(safepoints.map(({ operation, totalNs, reachingNs }) => [operation, totalNs, reachingNs])).toEqual([
			['RevokeBias', 45123000, 2011000],
			[null, 100000, 30000],
			['GenCollectForAllocation', 1001000, 22000],
			['Exit', 0, 0],
		]);
	});
});

describe('safepoints without end', () => {
	const stamp = (seconds: number, tags: string, message: string): string => `[${(100 + seconds) * 1e9}ns][${seconds * 1e9}ns][${tags}] ${message}\n`;
	const begin = (seconds: number, operation: string | null): string =>
		(operation === null ? '' : stamp(seconds, 'vmthread', operation)) +
		stamp(seconds, 'safepoint', 'Safepoint synchronization initiated using futex wait barrier. (11 threads)');
	const late = (seconds: number): string =>
		stamp(seconds, 'safepoint', '# SafepointSynchronize::begin: Timeout detected:') +
		stamp(seconds, 'safepoint', '# "counter" #12 daemon prio=5 os_prio=0 cpu=1352.11ms elapsed=1.50s tid=0x00007f8d nid=0x7826 runnable') +
		stamp(seconds, 'safepoint', '# SafepointSynchronize::begin: (End of list)');
	const ended = (seconds: number): string =>
		stamp(
			seconds,
			'safepoint,stats',
			'VM Operation                 [ threads: total initial_running ][ time:       sync    vmop      total ] page_trap_count',
		) +
		stamp(seconds, 'safepoint,stats', 'ThreadDump                 [      9               1 ][             4         2         6 ]               0') +
		stamp(seconds, 'safepoint', 'Safepoint "ThreadDump", Time since last: 1 ns, Reaching safepoint: 4 ns, At safepoint: 2 ns, Total: 6 ns');
	const summary = stamp(9, 'safepoint,stats', 'Maximum sync time  71000 ns');
	const threads = [{ name: 'counter', threadId: 0x7826, cpuMs: 1352.11 }];

	test('a begin and late threads: the operation as JDK 17 and 25 name it, how long it was waited for', () => {
		const of = (operation: string) => read(begin(1, `${operation} safepoint VM operation: SerialGCCollect (System.gc())`) + late(3)).safepoints;
		for (const safepoints of [of('Evaluating '), of('Executing')]) {
			expect(safepoints).toMatchObject([
				{
					operation: 'SerialGCCollect (System.gc())',
					unfinished: 'begun',
					reachingNs: 2e9,
					totalNs: 2e9,
					totalThreads: 11,
					atSafepointNs: null,
					end: { uptimeNs: 3e9, monotonicNs: 103e9 },
					timeout: { threads },
				},
			]);
		}
		expect(isSafepointLog(begin(1, null))).toBe(true);
	});

	test('those before ended; an operation outside of safepoints is not taken for one', () => {
		const { safepoints, timeouts } = read(begin(1, null) + ended(2) + begin(3, 'Executing non-safepoint VM operation: HandshakeAllThreads') + late(5));
		expect(safepoints.map(({ operation, unfinished, timeout }) => [operation, unfinished, timeout?.threads ?? null])).toEqual([
			['ThreadDump', null, null],
			[null, 'begun', threads],
		]);
		expect(timeouts).toEqual([]);
	});

	test("the last begin of a JVM that ended is its end's; without a summary the JVM was killed", () => {
		expect(read(begin(1, null) + ended(2) + begin(3, null) + summary).safepoints).toHaveLength(1);
		expect(read(begin(1, null) + ended(2) + begin(3, null)).safepoints.map(({ unfinished }) => unfinished)).toEqual([null, 'begun']);
		// Without statistics only an operation tells, other than the JVM's end.
		expect(read(begin(3, null)).safepoints).toEqual([]);
		expect(read(begin(3, 'Executing safepoint VM operation: Exit')).safepoints).toEqual([]);
		expect(read(begin(3, 'Executing safepoint VM operation: G1CollectFull')).safepoints).toMatchObject([{ operation: 'G1CollectFull', unfinished: 'begun' }]);
	});

	test('late threads without a begin, where ends are logged', () => {
		expect(read(ended(2) + late(5)).safepoints).toMatchObject([
			{ unfinished: null },
			{ unfinished: 'late', reachingNs: null, totalNs: 0, timeout: { threads } },
		]);
		expect(read(late(5))).toMatchObject({ safepoints: [], timeouts: [{ threads }] });
	});
});

test('cut and damaged lines are counted and located', () => {
	const { safepoints, lostLines, problems } = read(
		'Safepoint "A", Time since last: 5 ns, Reaching safepoint: 1 ns, At safepoint: 2 ns, Total: 3\nSafepoint "B\nSafepoint "C", Reaching safepoint: 1 ns, At safepoint: 2 ns, Total: 3 ns\n',
	);
	expect(safepoints.map(({ operation }) => operation)).toEqual(['C']);
	expect(lostLines).toBe(2);
	expect(problems.map(({ line }) => line)).toEqual([1, 2]);
});

test('cut anywhere and with bits flipped it never throws', () => {
	const bytes = Buffer.from(LOGS.map(recorded).join(''));
	fc.assert(
		fc.property(fc.nat(bytes.length), fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 20 }), (end, flips) => {
			const damaged = Buffer.from(bytes);
			for (const [at, value] of flips) {
				damaged[at] = value;
			}
			const { safepoints } = read(damaged.subarray(0, end).toString('latin1'));
			expect(safepoints.every(({ totalNs }) => Number.isFinite(totalNs))).toBe(true);
		}),
		{ numRuns: 50 },
	);
});

test('told from other text', () => {
	expect(isSafepointLog('[0.010s][info][gc] Using G1: yes\n')).toBe(false);
	expect(isSafepointLog('the program printed Safepoint "x"\n')).toBe(false);
});
