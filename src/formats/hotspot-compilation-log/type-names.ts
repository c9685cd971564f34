/** Names of types and methods in HotSpot's log, in the spelling of the rest: `java.lang.String[]` for `[Ljava.lang.String;`. */

const PRIMITIVES: Record<string, string> = {
	B: 'byte',
	C: 'char',
	D: 'double',
	F: 'float',
	I: 'int',
	J: 'long',
	S: 'short',
	V: 'void',
	Z: 'boolean',
};

/** A class of the log (`java.lang.String`, `[B`, `[Ljava.lang.String;`) as Java writes it. */
export function typeName(name: string): string {
	let dimensions = 0;
	while (name[dimensions] === '[') {
		dimensions++;
	}
	if (dimensions === 0) {
		return name;
	}
	const element = name.slice(dimensions);
	const plain = element.startsWith('L') && element.endsWith(';') ? element.slice(1, -1).replaceAll('/', '.') : (PRIMITIVES[element] ?? element);
	return plain + '[]'.repeat(Math.min(dimensions, 255));
}

/** Without the package: `String[]`, as Graal's logs spell parameters. */
export function parameterName(name: string): string {
	return shortName(typeName(name));
}

/** The parameters of a descriptor, `(Ljava/lang/String;[I)Z`, in the same form: `(String, int[])`. What is no descriptor has none. */
export function parametersOf(descriptor: string): string {
	const end = descriptor.indexOf(')');
	if (!descriptor.startsWith('(') || end < 0) {
		return '()';
	}
	const types = [...splitTypes(descriptor.slice(1, end))];
	return `(${types.map((type) => shortName(type.startsWith('L') ? type.slice(1, -1).replaceAll('/', '.') : (PRIMITIVES[type] ?? typeName(type)))).join(', ')})`;
}

/** Each with its brackets; what is no type is passed over, also a name that nothing ends. */
function* splitTypes(descriptor: string): Generator<string> {
	let start = 0;
	for (let at = 0; at < descriptor.length; at++) {
		const char = descriptor[at]!;
		if (char === '[') {
			continue;
		}
		const end = char === 'L' ? descriptor.indexOf(';', at) : PRIMITIVES[char] === undefined ? -1 : at;
		if (end >= 0) {
			yield descriptor.slice(start, end + 1);
			at = end;
		} else if (char === 'L') {
			return;
		}
		start = at + 1;
	}
}

/** The address behind a hidden class' name has a slash, not a dot. */
function shortName(name: string): string {
	return name.slice(name.lastIndexOf('.') + 1);
}
