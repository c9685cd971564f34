/** Descriptors of methods (JVM specification, 4.3.3) → types as Java writes them. */

const PRIMITIVES: Record<string, string> = { B: 'byte', C: 'char', D: 'double', F: 'float', I: 'int', J: 'long', S: 'short', Z: 'boolean', V: 'void' };

/**
 * The parameter types of `(Ljava/lang/Object;I[B)V`: `java.lang.Object`, `int`, `byte[]`. What is no descriptor gives null.
 */
export function parameterTypes(descriptor: string): string[] | null {
	if (!descriptor.startsWith('(')) {
		return null;
	}
	const result: string[] = [];
	let at = 1;
	while (descriptor[at] !== ')') {
		let dimensions = 0;
		while (descriptor[at] === '[') {
			dimensions++;
			at++;
		}
		let name = PRIMITIVES[descriptor[at] ?? ''];
		if (descriptor[at] === 'L') {
			const end = descriptor.indexOf(';', at);
			name = end < 0 ? undefined : descriptor.slice(at + 1, end).replaceAll('/', '.');
			at = end;
		}
		if (name === undefined) {
			return null;
		}
		at++;
		result.push(name + '[]'.repeat(dimensions));
	}
	return result;
}

/** `(Object, byte[])` of a descriptor, or of what Graal's logs have in its place; null where there is none. */
export function parametersOfSignature(signature: string | null): string | null {
	return signature === null || signature.endsWith(')') ? signature : methodWithParameters('', signature, false) || null;
}

/** `java.util.HashMap.getNode` with `(Ljava/lang/Object;)…` is `java.util.HashMap.getNode(Object)`, as Graal's logs have it; `qualified` with packages, as proftool's profiles. */
export function methodWithParameters(method: string, descriptor: string | null, qualified: boolean): string {
	const types = descriptor === null ? null : parameterTypes(descriptor);
	if (types === null) {
		return method;
	}
	return `${method}(${types.map((type) => (qualified ? type : type.replace(/^.*\./, ''))).join(', ')})`;
}
