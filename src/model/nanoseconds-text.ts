/** Times as the analysis of safepoints prints them. */

/** `12.3 ms`: three digits. */
export function nanosecondsText(ns: number): string {
	if (ns < 999.5) {
		return `${Math.round(ns)} ns`;
	}
	const [value, unit] = ns < 999_500 ? [ns / 1e3, 'µs'] : ns < 999_500_000 ? [ns / 1e6, 'ms'] : [ns / 1e9, 's'];
	return `${value >= 99.95 ? value.toFixed(0) : value >= 9.995 ? value.toFixed(1) : value.toFixed(2)} ${unit}`;
}
