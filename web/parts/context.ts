/** What every view is given. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Loaded } from '../data.js';
import type { Router } from '../route.js';
import type { Filtered, Side } from '../side.js';

export interface PageContext {
	readonly loaded: Loaded;
	readonly router: Router;
	readonly sides: readonly Side[];
	/** The recording that the views of one recording show. */
	readonly sideNumber: number;
	readonly side: Side;
	readonly filtered: Filtered;
	/** Keys of the focused pane, for the line at the bottom. */
	setKeys(keys: readonly KeyHint[]): void;
	/** Where the selection comes from: at the right of that line. */
	setOrigin(text: string): void;
}

export type KeyHint = readonly [keys: string, what: string];

export const Context = createContext<PageContext | null>(null);

export function usePage(): PageContext {
	const page = useContext(Context);
	if (page === null) {
		throw new Error('no page around this view');
	}
	return page;
}
