/** The first function of a page: what to call a page that was touched. */
import type { TextLayout } from '../model/text-layout.js';
import { functionStarts } from './function-starts.js';

/** Gives the name of the function that the first byte of a page belongs to, or of the first that begins in it; null where there is none. */
export function functionAt(layout: TextLayout): (pageAddress: number) => string | null {
	const starts = functionStarts(layout);
	const order = Array.from(starts.keys()).sort((a, b) => starts[a]! - starts[b]!);
	return (pageAddress) => {
		const next = order.findIndex((f) => starts[f]! > pageAddress);
		const covering = order[next < 0 ? order.length - 1 : next - 1];
		if (covering !== undefined && pageAddress < starts[covering]! + Math.max(1, layout.functionSizes[covering]!)) {
			return layout.functionNames[covering]!;
		}
		const first = order[next];
		return first !== undefined && starts[first]! < pageAddress + layout.pageBytes ? layout.functionNames[first]! : null;
	};
}
