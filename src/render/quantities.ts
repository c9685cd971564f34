/** Numbers with their units, as tables and sentences show them. */

/** `12,345` */
export function thousands(count: number): string {
	return Math.round(count)
		.toString()
		.replace(/\B(?=(?:\d{3}){1,7}$)/g, ',');
}

/** `812 B`, `47.3 KB`, `1.25 MB`: three digits, decimal units. */
export function bytesText(bytes: number): string {
	if (bytes < 1000) {
		return `${bytes} B`;
	}
	const power = Math.min(3, Math.floor(Math.log10(bytes) / 3));
	const value = bytes / 1000 ** power;
	return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${['B', 'KB', 'MB', 'GB'][power]}`;
}

/** `12 ms`, `1.500 s` */
export function millisecondsText(ms: number): string {
	return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 100_000 ? 3 : 1)} s`;
}

/** A character for each value, `·` for none. */
export function sparkline(values: readonly (number | null)[], highest: number): string {
	return values.map((value) => (value === null || value <= 0 ? '·' : '▁▂▃▄▅▆▇█'[Math.min(7, Math.floor((8 * value) / Math.max(1e-9, highest)))]!)).join('');
}
