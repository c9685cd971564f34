/** Time by class of thread, a line a class: its share, and what was executed. */
import { THREAD_CLASS_WORDS, type ThreadClass } from '../model/thread-class.js';
import { columns, padEnd, padStart, shortenMiddle } from './terminal.js';
import { visible } from './visible.js';

/** Shares in percent. */
export interface ThreadTimeRow {
	readonly class: ThreadClass;
	readonly percent: number;
	readonly low: number;
	readonly high: number;
	readonly activities: readonly ActivityShare[];
}

export interface ActivityShare {
	readonly name: string;
	readonly percent: number;
}

const NAME_WIDTH = 22;
const SHARE_WIDTH = 14;
const FUNCTION_WIDTH = 40;
/** Shares below this are not worth a word. */
const LEAST_PERCENT = 0.05;

export function threadTimeLines(rows: readonly ThreadTimeRow[], width: number): string[] {
	return rows.map((row) => {
		const half = (row.high - row.low) / 2;
		const head = `  ${padEnd(THREAD_CLASS_WORDS[row.class], NAME_WIDTH)}${padStart(`${row.percent.toFixed(1)} ± ${half.toFixed(1)} %`, SHARE_WIDTH)}  `;
		return (head + activityWords(row.activities, width - columns(head))).trimEnd();
	});
}

/** Functions as activities are told: each once, whatever it did, most first. */
export function functionShares(symbols: readonly { readonly symbol: string | null; readonly percent: number }[]): ActivityShare[] {
	const percents = new Map<string, number>();
	for (const { symbol, percent } of symbols) {
		const name = symbol ?? 'no symbol';
		percents.set(name, (percents.get(name) ?? 0) + percent);
	}
	return [...percents].map(([name, percent]) => ({ name: shortenMiddle(name, FUNCTION_WIDTH), percent })).sort((a, b) => b.percent - a.percent);
}

/** `compiling 35.1 %, kernel 1.2 %`: as many as fit, the rest as a number. */
export function activityWords(activities: readonly ActivityShare[], width: number): string {
	const words = activities.filter(({ percent }) => percent >= LEAST_PERCENT).map(({ name, percent }) => `${visible(name)} ${percent.toFixed(1)} %`);
	let line = '';
	for (const [i, word] of words.entries()) {
		const left = words.length - i - 1;
		const next = line === '' ? word : `${line}, ${word}`;
		const end = left === 0 ? '' : `, ${left} more`;
		if (columns(next + end) > width) {
			const more = `${line === '' ? '' : `${line}, `}${left + 1} more`;
			return line === '' || columns(more) > width ? line : more;
		}
		line = next;
	}
	return line;
}
