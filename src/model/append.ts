/** Adds items to a list: `list.push(...items)` fails with some hundred thousand items, which all have to be on the stack. */
export function append<T>(list: T[], items: Iterable<T>): void {
	for (const item of items) {
		list.push(item);
	}
}

/** Adds an item to the list of a key: copying the list for each makes work grow with its square. */
export function appendTo<K, V>(lists: Map<K, V[]>, key: K, item: V): void {
	const list = lists.get(key);
	if (list === undefined) {
		lists.set(key, [item]);
	} else {
		list.push(item);
	}
}
