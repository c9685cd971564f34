/** `assay order merge -o FILE` as text: what was merged, and where the runs disagree. */
import type { MergedOrder, ServedPage } from '../startup/results.js';
import { thousands } from './quantities.js';
import { columns, padEnd, padStart, shortenMiddle, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

export interface MergeShown {
	readonly merged: MergedOrder;
	readonly pages: readonly ServedPage[] | null;
	readonly output: string;
	/** How many disagreements are shown. */
	readonly top: number;
}

/** Pairs are many when scenarios are. */
const MAX_PAIRS = 15;
const MAX_SCENARIOS = 40;

export function writeMergeText(writer: TextWriter, { merged, pages, output, top }: MergeShown, terminal: Terminal): void {
	const { symbols, functions, scenarios, inAll, comparedWith, pairs, disagreements } = merged;
	const line = (text: string): void => writer.line(0, shortenMiddle(text, terminal.width));
	const heading = (text: string): void => {
		writer.line(0, '');
		line(terminal.paint('bold', text));
	};
	line(
		`${visible(output)}: ${thousands(symbols.length)} symbols of ${scenarios.length} run${scenarios.length === 1 ? '' : 's'}; ${thousands(inAll)} in all of them`,
	);
	const nameWidth = scenarios.reduce(
		(width, { name }) => Math.min(30, Math.max(width, columns(visible(name)))),
		comparedWith === 'each other' ? 0 : comparedWith.length,
	);
	const name = (text: string): string => padEnd(shortenMiddle(visible(text), nameWidth), nameWidth);
	writer.line(0, '');
	line(terminal.paint('dim', `${' '.repeat(nameWidth)}  functions  only here  weight`));
	for (const { name: scenario, weight, functions, own } of scenarios.slice(0, MAX_SCENARIOS)) {
		line(`${name(scenario)}  ${padStart(thousands(functions), 9)}  ${padStart(thousands(own), 9)}  ${padStart(`${weight}`, 6)}`);
	}
	if (scenarios.length > MAX_SCENARIOS) {
		line(terminal.paint('dim', `… ${thousands(scenarios.length - MAX_SCENARIOS)} more (--json)`));
	}
	if (scenarios.length > 1) {
		heading('How many of the runs have a function, or one on a page of this order');
		const ofFunctions = bySteps(functions);
		const ofPages = pages === null ? null : bySteps(pages);
		line(terminal.paint('dim', `share of runs  functions${ofPages === null ? '' : '  pages'}`));
		STEPS.forEach(({ words }, i) => {
			line(`${padEnd(words, 13)}  ${padStart(thousands(ofFunctions[i]!), 9)}${ofPages === null ? '' : `  ${padStart(thousands(ofPages[i]!), 5)}`}`);
		});
	}
	if (pairs.length > 0) {
		heading(
			comparedWith === 'each other'
				? 'How far they agree: tau 1 is the same order, -1 the reverse'
				: 'How far they agree with the merged order: tau 1 is the same, -1 the reverse',
		);
		const least = [...pairs].sort((a, b) => (a.tau ?? 1) - (b.tau ?? 1));
		for (const { a, b, common, onlyA, onlyB, tau } of least.slice(0, MAX_PAIRS)) {
			line(
				`${name(a)}  ${name(b)}  tau ${padStart(tau === null ? '–' : tau.toFixed(3), 6)}  ${thousands(common)} in both, ${thousands(onlyA)} and ${thousands(onlyB)} in one`,
			);
		}
		if (pairs.length > MAX_PAIRS) {
			line(terminal.paint('dim', `… ${thousands(pairs.length - MAX_PAIRS)} pairs that agree better (--json)`));
		}
	}
	if (disagreements.length > 0 && top > 0) {
		heading('Early in one, late in another (% of the functions that both run)');
		for (const { symbol, earlyIn, earlyPlace, lateIn, latePlace } of disagreements.slice(0, top)) {
			line(`${percent(earlyPlace)} ${name(earlyIn)}  ${percent(latePlace)} ${name(lateIn)}  ${visible(symbol)}`);
		}
		if (disagreements.length > top) {
			line(terminal.paint('dim', `… ${thousands(disagreements.length - top)} more (--top)`));
		}
	}
}

/** Each is of what the one before has not. */
const STEPS = [
	{ least: 1, words: 'all' },
	{ least: 0.9, words: '90 % and more' },
	{ least: 0.5, words: '50 % and more' },
	{ least: 0.1, words: '10 % and more' },
	{ least: 0, words: 'less' },
];

function bySteps(rows: readonly { readonly share: number }[]): number[] {
	const counts = STEPS.map(() => 0);
	for (const { share } of rows) {
		// Sums of weights may fall short of all by a rounding.
		const step = STEPS.findIndex(({ least }) => share >= least - 1e-9);
		counts[step]!++;
	}
	return counts;
}

function percent(place: number): string {
	return padStart(`${Math.round(100 * place)}%`, 4);
}
