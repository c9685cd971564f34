/** How long a command takes with either of two programs: in turn, so that what else the machine does hits both; the files in the page cache, or dropped from it. */
import fs from 'node:fs';
import { dropFromCache } from '../measure-faults.js';
import { runTool } from '../record/run-tool.js';
import { type LoggedRun, runLogged } from './run-logged.js';

/** What a cold run finds dropped from the page cache: the program's file, or everything on the machine. */
export type Dropped = 'program' | 'everything';

export interface TimedSide {
	readonly command: readonly string[];
	readonly folder: string;
	readonly environment: NodeJS.ProcessEnv;
	/** The program's file. */
	readonly program: string;
}

export interface TimedPairs {
	/** Milliseconds of each run, in the order of the pairs. */
	readonly times: readonly [readonly number[], readonly number[]];
	/** Pages of the programs' files that stayed in the page cache though they were dropped, at most; null where that cannot be told, or nothing was dropped. */
	readonly residentPages: number | null;
}

export interface TimeOptions {
	readonly pairs: number;
	/** Null: nothing is dropped. */
	readonly dropped: Dropped | null;
	readonly signal: AbortSignal;
	readonly onPair: (pair: number) => Promise<void>;
	/** After each run. */
	readonly settle: (side: TimedSide) => Promise<unknown>;
	/** Told of a run that failed; throws. */
	readonly failed: (side: TimedSide, run: LoggedRun) => Promise<never>;
}

/** Which side goes first changes from pair to pair. Output is thrown away. */
export async function timePairs(sides: readonly [TimedSide, TimedSide], { pairs, dropped, signal, onPair, settle, failed }: TimeOptions): Promise<TimedPairs> {
	const times: [number[], number[]] = [[], []];
	let residentPages: number | null = null;
	const run = async (side: TimedSide): Promise<number> => {
		if (dropped !== null) {
			const left = await drop(side.program, dropped);
			residentPages = left === null ? residentPages : Math.max(left, residentPages ?? 0);
		}
		const done = await runLogged(side.command, { ...side, logFile: null, signal });
		await settle(side);
		return done.status === 0 ? done.milliseconds : failed(side, done);
	};
	for (let pair = 0; pair < pairs; pair++) {
		await onPair(pair);
		for (const which of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
			times[which].push(await run(sides[which]));
		}
	}
	return { times, residentPages };
}

const DROP_CACHES = '/proc/sys/vm/drop_caches';

/** Whether we may drop everything from the page cache: on Linux, as root. */
export function mayDropEverything(): boolean {
	try {
		fs.accessSync(DROP_CACHES, fs.constants.W_OK);
		return true;
	} catch {
		return false;
	}
}

async function drop(program: string, dropped: Dropped): Promise<number | null> {
	if (dropped === 'everything') {
		await runTool(['sync']);
		fs.writeFileSync(DROP_CACHES, '1\n');
	}
	return dropFromCache(program);
}
