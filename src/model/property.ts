/** Extra facts that a compiler attaches to an optimization (`peelings: 1`, `replacedNodeClass: ValuePhi`), in its order. */
import { javaDoubleToString } from './java-number.js';

/**
 * Values keep the difference between an integer and a floating-point number: compilers written in Java print and compare them
 * differently. A `bigint` is an integer past 2^53. A Map is a nested object.
 */
export type PropertyValue =
	| null
	| boolean
	| string
	| number
	| bigint
	| { readonly double: number }
	| readonly PropertyValue[]
	| ReadonlyMap<string, PropertyValue>;

/** A named value of an optimization. */
export interface Property {
	readonly key: string;
	readonly value: PropertyValue;
}

/** The value as a Java program prints it (String.valueOf): `1.0E-6`, `[1, 2]`, `null`. */
export function propertyText(value: PropertyValue): string {
	return render(value, (scalar) => (isDouble(scalar) ? javaDoubleToString(scalar.double) : String(scalar)));
}

/**
 * A text that is the same for two values exactly if Java's equals holds between them: the type counts (1 and 1.0 differ),
 * and nested objects equal nothing, not even themselves (they have no equals of their own).
 */
export function propertyIdentity(value: PropertyValue): string {
	return render(
		value,
		(scalar) => {
			if (scalar === null) {
				return 'n';
			}
			if (typeof scalar === 'string') {
				return `s${scalar.length}:${scalar}`;
			}
			if (isDouble(scalar)) {
				return `d${javaDoubleToString(scalar.double)}`;
			}
			return typeof scalar === 'boolean' ? `b${scalar}` : `i${scalar}`;
		},
		true,
	);
}

/** How many nested objects were given an identity so far. */
let objectIdentities = 0;

type Scalar = null | boolean | string | number | bigint | { readonly double: number };

/** Renders without recursion: a hostile log nests lists as deep as it likes. */
function render(root: PropertyValue, scalarText: (scalar: Scalar) => string, identity = false): string {
	if (isScalar(root)) {
		return scalarText(root);
	}
	const parts: string[] = [];
	const work: (PropertyValue | { readonly raw: string })[] = [root];
	while (work.length > 0) {
		const item = work.pop() as PropertyValue | { readonly raw: string };
		if (typeof item === 'object' && item !== null && 'raw' in item) {
			parts.push(item.raw);
		} else if (isScalar(item)) {
			parts.push(scalarText(item));
		} else if (item instanceof Map) {
			if (identity) {
				parts.push(`o${++objectIdentities}`);
				continue;
			}
			parts.push(`map(size=${item.size}, {`);
			work.push({ raw: '})' });
			[...item].reverse().forEach(([key, value], index) => {
				work.push({ raw: ')' }, value, { raw: `${index === item.size - 1 ? '' : ', '}(${key},` });
			});
		} else {
			const list = item as readonly PropertyValue[];
			parts.push(identity ? `l${list.length}[` : '[');
			work.push({ raw: ']' });
			for (let i = list.length - 1; i >= 0; i--) {
				work.push(list[i] as PropertyValue);
				if (i > 0) {
					work.push({ raw: identity ? ',' : ', ' });
				}
			}
		}
	}
	return parts.join('');
}

function isScalar(value: PropertyValue): value is Scalar {
	return typeof value !== 'object' || value === null || isDouble(value);
}

function isDouble(value: PropertyValue): value is { readonly double: number } {
	return typeof value === 'object' && value !== null && 'double' in value;
}
