/** A list of two sides in which what is equal is folded, and the keys from change to change. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { count } from '../numbers.js';
import type { VirtualProps } from '../parts/virtual.js';
import { type FoldedLine, foldedLines, nextChange } from './equal-folds.js';

/** To the next change, or to the previous one. */
export type GoToChange = (direction: 1 | -1) => void;

interface Folds {
	readonly lines: readonly FoldedLine[];
	readonly list: Pick<VirtualProps, 'count' | 'active' | 'reveal' | 'onActive' | 'onEnter' | 'onKey'>;
	readonly go: GoToChange;
	unfold(line: number): void;
}

/** A list that opens at its first change, with what is equal folded, and keys from change to change. */
export function useFolds(isKept: readonly boolean[], isChanged: readonly boolean[], isAll: boolean): Folds {
	const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
	const [cursor, setCursor] = useState(-1);
	const lines = useMemo(() => foldedLines(isKept, isAll ? 'all' : unfolded), [isKept, isAll, unfolded]);
	// Keys may come faster than the list is drawn.
	const go: GoToChange = (direction) =>
		setCursor((from) => {
			const next = nextChange(isChanged, from, direction);
			return next >= 0 ? next : from;
		});
	useEffect(() => {
		setUnfolded(new Set());
		setCursor(isChanged.indexOf(true));
	}, [isChanged]);
	const active = cursor < 0 ? -1 : lines.findIndex((line) => (line.kind === 'row' ? line.at === cursor : line.from <= cursor && cursor <= line.to));
	const unfold = (position: number): void => {
		const line = lines[position];
		if (line?.kind === 'fold') {
			setUnfolded(new Set([...unfolded, line.from]));
			setCursor(line.from);
		}
	};
	return {
		lines,
		go,
		unfold,
		list: {
			count: lines.length,
			active,
			reveal: active,
			onActive: (position) => {
				const line = lines[position];
				if (line !== undefined) {
					setCursor(line.kind === 'row' ? line.at : line.from);
				}
			},
			onEnter: unfold,
			onKey: ({ key }) => {
				if (key === 'n' || key === 'N') {
					go(key === 'n' ? 1 : -1);
					return true;
				}
				return false;
			},
		},
	};
}

export function equalText({ from, to }: { readonly from: number; readonly to: number }, what: string): string {
	return `${count(to - from + 1)} equal ${what}`;
}
