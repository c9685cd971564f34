/** Whether the first bytes of a file are those of collapsed stacks: nearly all of its first lines end in a number, and some have several frames. */
export function isCollapsedStacks(head: string): boolean {
	const lines = head
		.split('\n', 200)
		.map((line) => line.trimEnd())
		.filter((line) => line !== '');
	const taken = lines.filter((line) => /^[^\s;].* \d{1,15}$/.test(line));
	return taken.length > 0 && 10 * taken.length >= 9 * lines.length - 10 && taken.some((line) => line.includes(';'));
}
