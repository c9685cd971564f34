/** Writes results as JSON, piece by piece: no string holds more than an item of a list, so that a result may be larger than any string can be. */
import type { TextWriter } from './text-writer.js';

/** Numbers of a column are written so many at a time. */
const SLICE = 10_000;

/** Any value that JSON has, and lists that are given item by item. Fields that are undefined are left out. */
export function writeJsonValue(writer: TextWriter, value: unknown): void {
	if (typeof value !== 'object' || value === null) {
		writer.raw(JSON.stringify(value) ?? 'null');
	} else if (Array.isArray(value)) {
		writeList(writer, value);
	} else if (Symbol.iterator in value) {
		writeItems(writer, value as Iterable<unknown>);
	} else {
		writeFields(writer, value);
	}
}

function writeFields(writer: TextWriter, value: object): void {
	let separator = '{';
	for (const [name, field] of Object.entries(value)) {
		if (field !== undefined) {
			writer.raw(`${separator}${JSON.stringify(name)}:`);
			writeJsonValue(writer, field);
			separator = ',';
		}
	}
	writer.raw(separator === '{' ? '{}' : '}');
}

function writeList(writer: TextWriter, list: readonly unknown[]): void {
	if (list.length === 0 || typeof list[0] === 'object') {
		writeItems(writer, list);
		return;
	}
	for (let from = 0; from < list.length; from += SLICE) {
		writer.raw((from === 0 ? '[' : ',') + JSON.stringify(list.slice(from, from + SLICE)).slice(1, -1));
	}
	writer.raw(']');
}

function writeItems(writer: TextWriter, items: Iterable<unknown>): void {
	let separator = '[';
	for (const item of items) {
		writer.raw(separator);
		if (isSmall(item)) {
			writer.raw(JSON.stringify(item) ?? 'null');
		} else {
			writeJsonValue(writer, item);
		}
		separator = ',';
	}
	writer.raw(separator === '[' ? '[]' : ']');
}

/** Whether an item has few values, and all of them in memory: then the engine's own writer is the fastest. */
function isSmall(item: unknown): boolean {
	return valuesLeft(item, SLICE) > 0;
}

/** What is left of `count` when the values of the item are taken off; not above 0 where there are more, or lists that are made while they are taken. */
function valuesLeft(value: unknown, count: number): number {
	if (typeof value !== 'object' || value === null) {
		return count - 1;
	}
	if (Array.isArray(value) && typeof value[0] !== 'object') {
		return count - value.length - 1;
	}
	if (!Array.isArray(value) && Symbol.iterator in value) {
		return 0;
	}
	let left = count - 1;
	for (const field of Array.isArray(value) ? value : Object.values(value)) {
		left = left > 0 ? valuesLeft(field, left) : 0;
	}
	return left;
}
