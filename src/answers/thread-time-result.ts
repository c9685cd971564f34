/** Time by class of thread, and native time by library and function, as results have it. */
import type { ActivityRow, ThreadTime } from '../hot/thread-time.js';
import type { HotspotsResult } from './results.js';
import { percentOf, roundShare } from './rounding.js';

export type ThreadTimeResult = HotspotsResult['threadTime'];

/** Functions of a library that a result names; of the others it says how many there are. */
const MOST_SYMBOLS = 50;

/** Shares in percent of the counted samples, rounded to a sample in a million. */
export function threadTimeResult(time: ThreadTime | null): ThreadTimeResult {
	if (time === null) {
		return null;
	}
	const { counted } = time;
	const percent = (samples: number): number => percentOf(samples, counted);
	const activity = ({ name, samples }: ActivityRow) => ({ name, samples, percent: percent(samples) });
	return {
		classes: time.classes.map(({ class: of, samples, share, threads, activities }) => ({
			class: of,
			samples,
			...roundShare(share),
			threads,
			activities: activities.map(activity),
		})),
		threads: time.threads.map(({ name, id, class: of, samples }) => ({ name, id, class: of, samples, percent: percent(samples) })),
		libraries: time.libraries.map(({ library, samples, activities, symbols }) => ({
			library,
			samples,
			percent: percent(samples),
			activities: activities.map(activity),
			symbols: symbols
				.slice(0, MOST_SYMBOLS)
				.map((row) => ({ symbol: row.symbol, activity: row.activity, samples: row.samples, percent: percent(row.samples) })),
			otherSymbols: Math.max(0, symbols.length - MOST_SYMBOLS),
		})),
	};
}
