/** For failing goldens: the first line that differs, with what stands around it. */
export function firstDifference(actual: string, expected: string): string | null {
	if (actual === expected) {
		return null;
	}
	const actualLines = actual.split('\n');
	const expectedLines = expected.split('\n');
	let line = 0;
	while (actualLines[line] === expectedLines[line]) {
		line++;
	}
	const context = expectedLines.slice(Math.max(line - 5, 0), line).map((text) => `      ${text}`);
	const shown = (text: string | undefined): string => (text === undefined ? '(end of the output)' : JSON.stringify(text));
	return [
		`line ${line + 1} differs:`,
		...context,
		`expected ${shown(expectedLines[line])}`,
		`found    ${shown(actualLines[line])}`,
		...expectedLines.slice(line + 1, line + 4).map((text) => `      ${text}`),
	].join('\n');
}
