/** How the page spells numbers: those of the JSON, grouped and cut. */
const GROUPED = new Intl.NumberFormat('en-US');

export function count(value: number): string {
	return GROUPED.format(value);
}

/** `1 sample`, `2,126 samples`. */
export function counted(value: number, what: string): string {
	return `${count(value)} ${what}${value === 1 ? '' : 's'}`;
}

export function percent(value: number, digits = 1): string {
	return value.toFixed(digits);
}

/** Unknown is a dash, never 0. */
export const UNKNOWN = '–';

export function countOr(value: number | null | undefined): string {
	return value == null ? UNKNOWN : count(value);
}

/** `1.4 s`, `26 ms`. */
export function milliseconds(ms: number): string {
	return ms >= 1000 ? `${(ms / 1000).toFixed(ms >= 10_000 ? 0 : 1)} s` : `${Math.round(ms)} ms`;
}

/** `26 ms – 1.4 s`. */
export function rangeText({ from, to }: { readonly from: number; readonly to: number }): string {
	return `${milliseconds(from)} – ${milliseconds(to)}`;
}

/** `619 µs`, `1.3 ms`. */
export function nanoseconds(ns: number): string {
	if (ns < 1e3) {
		return `${Math.round(ns)} ns`;
	}
	if (ns < 1e6) {
		return `${(ns / 1e3).toFixed(ns < 1e4 ? 1 : 0)} µs`;
	}
	return ns < 1e9 ? `${(ns / 1e6).toFixed(ns < 1e7 ? 2 : 0)} ms` : `${(ns / 1e9).toFixed(2)} s`;
}

/** The stop of the heat scale, 1 to 6: at 5, 15, 30, 50 and 75 % of the largest value; 0 for nothing. */
export function heatStop(value: number, largest: number): number {
	if (value <= 0 || largest <= 0) {
		return 0;
	}
	const share = value / largest;
	return 1 + [0.05, 0.15, 0.3, 0.5, 0.75].filter((limit) => share > limit).length;
}
