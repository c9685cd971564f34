/** The line above the table of arenas by phase, and what people put before it, and before all lines that follow, when they quote it. */

/** Part of the line. */
export const PHASE_TITLE = 'Arena Usage by Arena Type and compilation phase';

const TITLE = /^([ \t>]{0,200})(?:--- )?Arena Usage by Arena Type and compilation phase, at arena usage peak of (\d{1,15})(?: ---|:)\s{0,10}$/;

/** null: the line is none. */
export function phaseTitle(line: string): { readonly quote: string; readonly peakBytes: number } | null {
	const [, before, peak] = TITLE.exec(line) ?? [];
	return before === undefined ? null : { quote: /^(?:[ \t]{0,50}>)+ ?|^\t+|^/.exec(before)![0], peakBytes: Number(peak) };
}

/** The line as it was before it was quoted. */
export function unquoted(line: string, quote: string): string {
	if (line.startsWith(quote)) {
		return line.slice(quote.length);
	}
	// Mail programs cut blanks at the end of a line.
	return line.trimEnd() === quote.trimEnd() ? '' : line;
}
