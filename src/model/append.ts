/** Adds items to a list: `list.push(...items)` fails with some hundred thousand items, which all have to be on the stack. */
export function append<T>(list: T[], items: Iterable<T>): void {
	for (const item of items) {
		list.push(item);
	}
}
