/** Which names a user means. */

/** `*` stands for any text; without one, the pattern may stand anywhere in the name. */
export function nameMatches(pattern: string, name: string): boolean {
	if (!pattern.includes('*')) {
		return name.includes(pattern);
	}
	const [first = '', ...rest] = pattern.split('*');
	const last = rest.pop() ?? '';
	if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) {
		return false;
	}
	let at = first.length;
	const end = name.length - last.length;
	for (const part of rest) {
		const found = name.indexOf(part, at);
		if (found < 0 || found + part.length > end) {
			return false;
		}
		at = found + part.length;
	}
	return true;
}
