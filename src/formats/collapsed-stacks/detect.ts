/**
 * Whether the first bytes of a file are those of collapsed stacks: nearly all of its first lines end in a number, and some have several frames. Profiles without
 * callers have one frame a line: then all lines have to be of methods or in round brackets, as assay writes them.
 */
export function isCollapsedStacks(head: string): boolean {
	const lines = head
		.split('\n', 200)
		.map((line) => line.trimEnd())
		.filter((line) => line !== '');
	const taken = lines.filter((line) => /^[^\s;].* \d{1,15}$/.test(line));
	if (taken.length === 0 || 10 * taken.length < 9 * lines.length - 10) {
		return false;
	}
	return taken.some((line) => line.includes(';')) || isWithoutCallers(lines);
}

/** The last line may be cut. */
function isWithoutCallers(lines: readonly string[]): boolean {
	const whole = lines.length > 1 ? lines.slice(0, -1) : lines;
	return whole.every((line) => /^(?:\(.+\)|[\w$/]+(?:\.[\w$<>/]+)+) \d{1,15}$/.test(line)) && whole.some((line) => line.startsWith('('));
}
