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

/** A thread, by the name that the system has of it. */
export interface ThreadShare extends ActivityShare {
	readonly class: ThreadClass;
}

/** Native threads are nobody's by their class: where they have this much, their names are told. */
const NAMED_PERCENT = 1;

export function threadTimeLines(rows: readonly ThreadTimeRow[], threads: readonly ThreadShare[], width: number): string[] {
	return rows.flatMap((row) => {
		const half = (row.high - row.low) / 2;
		const head = `  ${padEnd(THREAD_CLASS_WORDS[row.class], NAME_WIDTH)}${padStart(`${row.percent.toFixed(1)} ± ${half.toFixed(1)} %`, SHARE_WIDTH)}  `;
		const room = width - columns(head);
		const line = (head + activityWords(row.activities, room)).trimEnd();
		const names =
			row.class === 'native' && row.percent >= NAMED_PERCENT ? activityWords(byName(threads.filter((one) => one.class === 'native')), room - 8) : '';
		return names === '' ? [line] : [line, `${' '.repeat(columns(head))}threads ${names}`];
	});
}

/** Threads of one name are one, most first. */
function byName(shares: readonly ActivityShare[]): ActivityShare[] {
	const percents = new Map<string, number>();
	for (const { name, percent } of shares) {
		percents.set(name, (percents.get(name) ?? 0) + percent);
	}
	return [...percents].map(([name, percent]) => ({ name, percent })).sort((a, b) => b.percent - a.percent);
}

/** Functions as activities are told: each once, whatever it did, most first. */
export function functionShares(symbols: readonly { readonly symbol: string | null; readonly percent: number }[]): ActivityShare[] {
	const all = byName(symbols.map(({ symbol, percent }) => ({ name: symbol ?? 'no symbol', percent })));
	return all.map(({ name, percent }) => ({ name: shortenMiddle(name, FUNCTION_WIDTH), percent }));
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
