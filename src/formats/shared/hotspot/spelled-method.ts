/** Methods as HotSpot spells them in statistics and events of the compilers' memory. */

export interface SpelledMethod {
	readonly method: string;
	readonly signature: string | null;
}

/**
 * Splits HotSpot's spelling in these statistics, `java/util/HashMap::get((Ljava/lang/Object;)Ljava/lang/Object;)`: the descriptor stands in brackets of
 * its own. A spelling that was cut (HotSpot prints 1,023 characters) keeps what there is.
 */
export function splitSpelledMethod(spelling: string): SpelledMethod {
	const bracket = spelling.indexOf('((');
	// A LogFile escapes text; `;` is in no name, so nothing else is meant.
	const name = (bracket < 0 ? spelling : spelling.slice(0, bracket)).replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
	const colons = name.lastIndexOf('::');
	const method = colons < 0 ? name.replaceAll('/', '.') : `${name.slice(0, colons).replaceAll('/', '.')}.${name.slice(colons + 2)}`;
	if (bracket < 0) {
		return { method, signature: null };
	}
	const isWhole = spelling.endsWith(')') && spelling.indexOf(')', bracket) < spelling.length - 1;
	return { method, signature: spelling.slice(bracket + 1, isWhole ? -1 : undefined) };
}
