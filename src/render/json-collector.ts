/** The same report as objects instead of text: for those who take it apart, such as the page. */
import type { JsonSink } from './json-stream.js';

/** Looks at each item of a list of the result; what it returns is kept, undefined keeps nothing. */
export type TakeItem = (list: string, item: unknown) => unknown;

/** The object that `write` writes the fields of. Items of long lists can be taken away one by one. */
export function collectJson(write: (json: JsonSink) => void, take: TakeItem = (_, item) => item): Record<string, unknown> {
	const result: Record<string, unknown> = {};
	const open: { readonly name: string; readonly value: Record<string, unknown> | unknown[] }[] = [{ name: '', value: result }];
	const top = (): (typeof open)[number] => open[open.length - 1]!;
	const add = (key: string | undefined, value: unknown): void => {
		const container = top().value;
		if (Array.isArray(container)) {
			container.push(value);
		} else {
			container[key ?? ''] = value;
		}
	};
	const begin = (key: string | undefined, value: Record<string, unknown> | unknown[]): void => {
		add(key, value);
		open.push({ name: key ?? '', value });
	};
	write({
		get depth() {
			return open.length;
		},
		field: (key, value) => add(key, value),
		item(value) {
			const kept = take(top().name, value);
			if (kept !== undefined) {
				add(undefined, kept);
			}
		},
		beginObject: (key) => begin(key, {}),
		beginList: (key) => begin(key, []),
		closeTo(depth) {
			open.length = Math.max(1, Math.min(open.length, depth));
		},
	});
	return result;
}
