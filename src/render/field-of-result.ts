/** A part of a result by its place: `regions[0].lines`. Lists that are made while they are taken are taken as far as needed. */

/** What is there, or which fields there are instead. */
export type FoundField = { readonly value: unknown } | { readonly missing: string; readonly known: readonly string[] };

const STEP = /^(?:\.?([^.[\]]+)|\[(\d{1,9})\])/;

export function fieldOfResult(result: unknown, field: string): FoundField {
	let value = result;
	let rest = field;
	while (rest !== '') {
		const [step = '', name, index] = STEP.exec(rest) ?? [];
		const isThere = name === undefined ? step !== '' && isList(value) : isFields(value) && Object.hasOwn(value, name);
		const next = !isThere ? undefined : name === undefined ? itemOf(value as Iterable<unknown>, Number(index)) : (value as Record<string, unknown>)[name];
		if (next === undefined) {
			return {
				missing: rest,
				known: isFields(value) ? Object.keys(value).filter((one) => value !== null && (value as Record<string, unknown>)[one] !== undefined) : [],
			};
		}
		value = next;
		rest = rest.slice(step.length);
	}
	return { value };
}

function isFields(value: unknown): value is object {
	return typeof value === 'object' && value !== null && !(Symbol.iterator in value);
}

function isList(value: unknown): value is Iterable<unknown> {
	return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function itemOf(list: Iterable<unknown>, index: number): unknown {
	let place = 0;
	for (const item of list) {
		if (place++ === index) {
			return item;
		}
	}
	return undefined;
}
