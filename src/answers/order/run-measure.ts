/** What an order wins in runs: times of pairs of runs, and page faults. */
import os from 'node:os';
import { InputError, type Problem } from '../../model/problem.js';
import type { Progress } from '../../model/progress.js';
import { CommandFailed } from '../../recording/build/command-failed.js';
import type { LeftBehind } from '../../recording/build/left-behind.js';
import { type LoggedRun, runLogged } from '../../recording/build/run-logged.js';
import { type Dropped, type TimedPairs, type TimedSide, timePairs } from '../../recording/build/time-runs.js';
import type { MeasuredRun } from '../../startup/results.js';
import { medianInterval, medianOf } from '../../statistics/median-interval.js';
import type { OrderRunResult } from '../results.js';
import { round } from '../rounding.js';
import { measureFaults } from './measure.js';

/** A workload with the program as it was, and with the order. */
export interface MeasuredWorkload {
	/** From 1. */
	readonly number: number;
	/** A line for a shell. */
	readonly command: string;
	readonly sides: readonly [Omit<TimedSide, 'command'>, Omit<TimedSide, 'command'>];
	/** Gets what a run says that fails; and what it is called. */
	readonly log: string;
	readonly logName: string;
}

interface MeasureOptions {
	readonly pairs: number;
	readonly progress: Progress;
	readonly leftBehind: LeftBehind;
	readonly signal: AbortSignal;
}

const SIDE_NAMES = ['plain', 'order'] as const;
/** Faults hardly differ from run to run. */
const MOST_FAULT_RUNS = 3;
/** Runs one after the other leave more than this idle, where there are several processors. */
const BUSY = 0.75;

/** Each workload in pairs of cold and of warm runs. Throws a {@link CommandFailed} where a run fails. */
export async function measureTimesOf(
	workloads: readonly MeasuredWorkload[],
	{ dropped, pairs, progress, leftBehind, signal }: MeasureOptions & { readonly dropped: Dropped },
): Promise<{ times: OrderRunResult['times']; notes: string[] }> {
	const times: OrderRunResult['times'] = [];
	let resident: number | null = null;
	const before = processorTimes();
	for (const workload of workloads) {
		const command = ['/bin/sh', '-c', workload.command];
		const [plain, order] = workload.sides;
		const sides = [
			{ ...plain, command },
			{ ...order, command },
		] as const;
		const failed = async (side: TimedSide, { status }: LoggedRun): Promise<never> => {
			// Timed runs say nothing; once more, to be heard.
			await runLogged(side.command, { ...side, logFile: workload.log, signal });
			throw new CommandFailed(
				`workload ${workload.number} (${workload.command}) of the ${SIDE_NAMES[side.program === plain.program ? 0 : 1]} build`,
				status,
				workload.log,
				workload.logName,
				'it has to succeed each time that it is run',
			);
		};
		const run = (kind: 'cold' | 'warm', count: number): Promise<TimedPairs> =>
			timePairs(sides, {
				pairs: count,
				dropped: kind === 'cold' ? dropped : null,
				signal,
				settle: ({ program }) => leftBehind.wait([program]),
				onPair: (pair) => progress.step(`timing workload ${workload.number}: ${kind} pair ${pair + 1} of ${count}`),
				failed,
			});
		const cold = await run('cold', pairs);
		resident = cold.residentPages === null ? resident : Math.max(cold.residentPages, resident ?? 0);
		// The first warm pair would be half a cold one.
		await run('warm', 1);
		const warm = await run('warm', pairs);
		times.push(timesJson(workload.number, 'cold', cold), timesJson(workload.number, 'warm', warm));
	}
	const busy = busyShare(before, processorTimes());
	const notes = [
		...(busy > BUSY
			? [`the processors were busy for ${Math.round(100 * busy)} % of the time, the timed runs included: on a quiet machine the intervals are narrower`]
			: []),
		...((resident ?? 0) > 0 ? [`up to ${resident} pages of the program's file stayed in the page cache: cold runs were not fully cold`] : []),
		...(times.some(({ difference }) => difference === null) ? ['fewer than six pairs of runs give no interval: take more with --runs'] : []),
	];
	return { times, notes };
}

/** What all processors did since they were started. */
function processorTimes(): { readonly idle: number; readonly all: number } {
	const times = os.cpus().map((processor) => processor.times);
	const idle = times.reduce((sum, one) => sum + one.idle, 0);
	return { idle, all: times.reduce((sum, { user, nice, sys, idle: rest, irq }) => sum + user + nice + sys + rest + irq, 0) };
}

/** 0 to 1. */
function busyShare(from: ReturnType<typeof processorTimes>, to: ReturnType<typeof processorTimes>): number {
	return to.all <= from.all ? 0 : 1 - (to.idle - from.idle) / (to.all - from.all);
}

/** Differences are taken pair by pair: what slows both runs of a pair down is not in them. */
function timesJson(workload: number, kind: 'cold' | 'warm', { times: [plain, order] }: TimedPairs): OrderRunResult['times'][0] {
	const interval = medianInterval(order.map((time, i) => time - plain[i]!));
	return {
		workload,
		kind,
		plainMs: plain.map(round),
		orderMs: order.map(round),
		plainMedianMs: round(medianOf(plain) ?? 0),
		orderMedianMs: round(medianOf(order) ?? 0),
		difference:
			interval === null
				? null
				: { medianMs: round(interval.median), lowMs: round(interval.low), highMs: round(interval.high), confidence: round(interval.confidence) },
		verdict: interval !== null && interval.high < 0 ? 'faster' : interval !== null && interval.low > 0 ? 'slower' : 'no difference told',
	};
}

/** Medians of the runs, summed over the workloads; null, with the reason among the problems, where perf cannot count them. */
export async function measureFaultsOf(
	workloads: readonly MeasuredWorkload[],
	{ pairs, progress, leftBehind, signal }: MeasureOptions,
): Promise<{ faults: OrderRunResult['faults']; problems: Problem[] }> {
	const none = (): { code: number; all: number } => ({ code: 0, all: 0 });
	const faults = { cold: { plain: none(), order: none() }, warm: { plain: none(), order: none() } };
	try {
		for (const { command, sides } of workloads) {
			for (const [i, { folder, program }] of sides.entries()) {
				const { runs } = await measureFaults({
					command: ['/usr/bin/env', `PROGRAM=${program}`, '/bin/sh', '-c', command],
					program,
					inputFile: null,
					runs: Math.min(pairs, MOST_FAULT_RUNS),
					withCold: true,
					workingDirectory: folder,
					settle: () => leftBehind.wait([program]),
					progress,
					signal,
				});
				for (const kind of ['cold', 'warm'] as const) {
					const own = runs.filter((run) => run.kind === kind);
					const sum = faults[kind][SIDE_NAMES[i]!];
					const median = (of: (run: MeasuredRun) => number): number => medianOf(own.map(of)) ?? 0;
					sum.code += median(({ codeFaults }) => codeFaults);
					sum.all += median(({ allFaults }) => allFaults);
				}
			}
		}
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		return { faults: null, problems: [{ ...error.problem, severity: 'warning', message: `page faults are not counted: ${error.problem.message}` }] };
	}
	return { faults, problems: [] };
}

/** What the trace of a workload lacks: servers that it started and that go on. */
export function stillRunning(workload: number, processes: readonly number[]): Problem[] {
	if (processes.length === 0) {
		return [];
	}
	const list = processes.join(', ');
	const message =
		processes.length === 1
			? `left a process behind that still runs (${list}): what only it ran is in no trace, and it is there in all timed runs`
			: `left ${processes.length} processes behind that still run (${list}): what only they ran is in no trace, and they are there in all timed runs`;
	return [{ severity: 'warning', file: `workload ${workload}`, message, action: 'end them in the workload' }];
}
