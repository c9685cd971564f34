/** What main.ts and its workers say to each other. */
import type { Seed } from './seeds.js';

/** What a worker does next: the inputs of a reader from a number on, or one that is given. */
export interface Work {
	readonly reader: string;
	readonly seed: string;
	readonly from: number;
	/** First number that is not done. */
	readonly end: number;
	readonly seeds: readonly Seed[];
	/** An input that is given, in place of those that are made. */
	readonly given: Uint8Array | null;
	/** The number that is worked on, and how many are done. */
	readonly state: Int32Array;
	readonly root: string;
}

export type Report =
	| { readonly kind: 'ready' }
	| { readonly kind: 'failed'; readonly number: number; readonly message: string; readonly bytes: Uint8Array | null }
	| { readonly kind: 'done' };

export const AT = 0;
export const DONE = 1;
