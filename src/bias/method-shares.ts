/** Profiles by name, and what of them is methods: rows in round brackets (kernel, native code) are none. */
import { totalOf, type Weights } from '../statistics/distances.js';

/** A profile: name → samples, or a weight of as many samples in all. */
export type Shares = Weights;

/** The rows of methods: what profiles are compared by, and what is 1 then. */
export function methodsOf(shares: Shares): Shares {
	return new Map([...shares].filter(([name]) => isMethod(name)));
}

export function methodsTotal(shares: Shares): number {
	return totalOf(methodsOf(shares));
}

export function isMethod(row: string): boolean {
	return !row.startsWith('(');
}

/** Of so many samples those that stop in no method that is known; parts that were divided add up to a little more or less. */
export function unknownPercent(predicted: Shares, counted: number): number {
	return counted === 0 ? 0 : Math.min(100, Math.max(0, 100 - (100 * methodsTotal(predicted)) / counted));
}
