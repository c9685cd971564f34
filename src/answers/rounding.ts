/** Numbers as results have them: four digits after the point, which of shares in percent is a sample in a million. */
import type { Share } from '../statistics/shares.js';

export function round(value: number): number {
	return Math.round(value * 10_000) / 10_000;
}

export function roundInterval({ low, high }: { readonly low: number; readonly high: number }): { low: number; high: number } {
	return { low: round(low), high: round(high) };
}

export function roundShare({ percent, low, high }: Share): { percent: number; low: number; high: number } {
	return { percent: round(percent), ...roundInterval({ low, high }) };
}

/** 0 of nothing. */
export function percentOf(count: number, counted: number): number {
	return counted === 0 ? 0 : round((100 * count) / counted);
}
