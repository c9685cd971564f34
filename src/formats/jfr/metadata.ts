/**
 * The metadata event of a chunk: strings, then a tree of elements (name, attributes, children, all numbers of strings), of which the `class`
 * elements describe types: name, id, super type, and fields in the order in which their values are written.
 */
import { type JfrCursor, JfrDamage } from './cursor.js';

export interface JfrField {
	readonly name: string;
	readonly typeId: number;
	/** The value is a key in the constant pool of the type. */
	readonly isConstant: boolean;
	readonly isArray: boolean;
}

export interface JfrType {
	readonly id: number;
	readonly name: string;
	readonly fields: readonly JfrField[];
}

let last: { readonly bytes: Uint8Array; readonly types: ReadonlyMap<number, JfrType> } | null = null;

/**
 * Types by id. Throws a {@link JfrDamage}. The cursor stands behind the head of the event: at the number of strings. The last ones are kept: a file is read
 * several times, each time for something else.
 */
export function metadataTypes(cursor: JfrCursor): ReadonlyMap<number, JfrType> {
	const bytes = cursor.bytes.subarray(cursor.at, cursor.end);
	if (last === null || Buffer.compare(last.bytes, bytes) !== 0) {
		last = { bytes, types: readMetadata(cursor) };
	}
	return last.types;
}

function readMetadata(cursor: JfrCursor): Map<number, JfrType> {
	const strings: string[] = [];
	for (let left = cursor.length(); left > 0; left--) {
		const text = cursor.string();
		strings.push(typeof text === 'string' ? text : '');
	}
	const string = (): string => {
		const text = strings[cursor.int()];
		if (text === undefined) {
			throw new JfrDamage('the metadata names a string that is not there');
		}
		return text;
	};
	const types = new Map<number, JfrType>();
	/** How many children are still to come, for each open element. */
	const left = [1];
	/** Fields of the type that is being read; its depth. */
	let fields: JfrField[] = [];
	let typeDepth = -1;
	while (left.length > 0) {
		const depth = left.length - 1;
		if (left[depth] === 0) {
			left.pop();
			continue;
		}
		left[depth] = left[depth]! - 1;
		const name = string();
		const attributes = new Map<string, string>();
		for (let count = cursor.length(); count > 0; count--) {
			attributes.set(string(), string());
		}
		if (name === 'class') {
			fields = [];
			typeDepth = depth;
			const id = idOf(attributes.get('id'));
			types.set(id, { id, name: attributes.get('name') ?? '', fields });
		} else if (name === 'field' && depth === typeDepth + 1) {
			fields.push({
				name: attributes.get('name') ?? '',
				typeId: idOf(attributes.get('class')),
				isConstant: attributes.get('constantPool') === 'true',
				isArray: Number(attributes.get('dimension') ?? '0') > 0,
			});
		}
		left.push(cursor.length());
	}
	return types;
}

function idOf(text: string | undefined): number {
	const id = Number(text);
	if (text === undefined || !Number.isSafeInteger(id)) {
		throw new JfrDamage('a type of the metadata has no id');
	}
	return id;
}
