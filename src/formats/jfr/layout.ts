/** How values of a type are written, flattened: nested types are put in place of the fields that hold them. */
import { type JfrCursor, JfrDamage, type JfrString } from './cursor.js';
import type { JfrType } from './metadata.js';

/** `integer` short, char, int, long and keys; `string` a string with its encoding. */
type PartKind = 'integer' | 'byte' | 'fixed' | 'string' | 'array';

interface Part {
	/** Name of the field of the outermost type; of nested ones with dots. */
	readonly name: string;
	readonly kind: PartKind;
	/** Of fixed parts, and of integers of chunks without LEB128. */
	readonly sizeBytes: number;
	/** Of an array: the parts of an element. */
	readonly elements: Layout;
	/** Of an array: how many integers an element is, where it is nothing else; 0. */
	readonly integers: number;
}

export type Layout = readonly Part[];

const SIZES: Record<string, { kind: PartKind; sizeBytes: number }> = {
	boolean: { kind: 'byte', sizeBytes: 1 },
	byte: { kind: 'byte', sizeBytes: 1 },
	short: { kind: 'integer', sizeBytes: 2 },
	char: { kind: 'integer', sizeBytes: 2 },
	int: { kind: 'integer', sizeBytes: 4 },
	long: { kind: 'integer', sizeBytes: 8 },
	float: { kind: 'fixed', sizeBytes: 4 },
	double: { kind: 'fixed', sizeBytes: 8 },
	'java.lang.String': { kind: 'string', sizeBytes: 0 },
};
/** Types may hold each other; a damaged description may do so without end. */
const MAX_PARTS = 2000;
const MAX_DEPTH = 12;

/** Throws a {@link JfrDamage} where a type is not described, or holds itself. */
export function layoutOf(types: ReadonlyMap<number, JfrType>, type: JfrType): Layout {
	let count = 0;
	const flatten = ({ name: typeName, fields }: JfrType, prefix: string, depth: number): Part[] => {
		const parts: Part[] = [];
		for (const { name, typeId, isConstant, isArray } of fields) {
			if (++count > MAX_PARTS || depth > MAX_DEPTH) {
				throw new JfrDamage(`the type ${type.name} holds too many others`);
			}
			const path = prefix + name;
			const own = isConstant ? [integer(path)] : valueParts(typeId, typeName, path, depth);
			if (isArray) {
				// An element without any bytes could be there a billion times.
				if (own.length === 0) {
					throw new JfrDamage(`the type ${typeName} has an array of nothing`);
				}
				const integers = own.every(({ kind }) => kind === 'integer') ? own.length : 0;
				parts.push({ name: path, kind: 'array', sizeBytes: 0, elements: own, integers });
			} else {
				parts.push(...own);
			}
		}
		return parts;
	};
	const valueParts = (typeId: number, holder: string, path: string, depth: number): Part[] => {
		const valueType = types.get(typeId);
		if (valueType === undefined) {
			throw new JfrDamage(`the type ${holder} has a field of an unknown type ${typeId}`);
		}
		const primitive = valueType.fields.length === 0 ? SIZES[valueType.name] : undefined;
		return primitive === undefined ? flatten(valueType, `${path}.`, depth + 1) : [{ name: path, ...primitive, elements: [], integers: 0 }];
	};
	return flatten(type, '', 0);
}

function integer(name: string): Part {
	return { name, kind: 'integer', sizeBytes: 8, elements: [], integers: 0 };
}

/** Reads over a value. */
export function skipValue(cursor: JfrCursor, layout: Layout): void {
	for (let i = 0; i < layout.length; i++) {
		skipPart(cursor, layout[i]!);
	}
}

export function skipPart(cursor: JfrCursor, part: Layout[number]): void {
	if (part.kind === 'integer') {
		if (cursor.isCompressed) {
			cursor.skipIntegers(1);
		} else {
			cursor.skip(part.sizeBytes);
		}
	} else if (part.kind === 'string') {
		cursor.skipString();
	} else if (part.kind === 'array' && part.integers > 0 && cursor.isCompressed) {
		cursor.skipIntegers(cursor.length() * part.integers);
	} else if (part.kind === 'array') {
		for (let left = cursor.length(); left > 0; left--) {
			skipValue(cursor, part.elements);
		}
	} else {
		cursor.skip(part.sizeBytes);
	}
}

/** An integer part: a number of the size that it has in this chunk. An int below 0 is written as LEB128 of 32 bits. */
function readInteger(cursor: JfrCursor, { sizeBytes }: Layout[number]): ReturnType<JfrCursor['key']> {
	if (sizeBytes === 4) {
		return cursor.int();
	}
	if (cursor.isCompressed || sizeBytes === 8) {
		return cursor.key();
	}
	return (cursor.byte() << 8) | cursor.byte();
}

export type JfrValue = ReturnType<JfrCursor['key']> | JfrString | undefined;

/** Which parts of a layout are wanted, and the place of each among the values: -1 of the others. */
export interface Selection {
	readonly layout: Layout;
	readonly places: readonly number[];
	readonly length: number;
}

/** Arrays and floating point cannot be wanted. */
export function selectionOf(layout: Layout, wanted: readonly string[]): Selection {
	const places = layout.map(({ name, kind }) => (kind === 'array' || kind === 'fixed' ? -1 : wanted.indexOf(name)));
	return { layout, places, length: wanted.length };
}

/** The values of the wanted parts; the others are read over. */
export function readValue(cursor: JfrCursor, { layout, places, length }: Selection): JfrValue[] {
	const values: JfrValue[] = new Array(length);
	for (let i = 0; i < layout.length; i++) {
		const part = layout[i]!;
		const place = places[i]!;
		if (place < 0) {
			skipPart(cursor, part);
		} else if (part.kind === 'integer') {
			values[place] = readInteger(cursor, part);
		} else {
			values[place] = part.kind === 'string' ? cursor.string() : cursor.byte();
		}
	}
	return values;
}
