/** Names of methods, as compilers and profilers spell them, and the one form in which assay gives them to programs. */

export interface MethodName {
	/** Holder and name with dots: `java.util.HashMap.getNode`. */
	readonly method: string;
	/** Parameter types in round brackets, as far as the spelling has them; null when it has none. */
	readonly signature: string | null;
}

/** Splits the spelling of Graal's logs, `java.util.HashMap.getNode(Object)`: parameter types stand behind the first bracket. */
export function splitMethodName(name: string): MethodName {
	const bracket = name.indexOf('(');
	return bracket < 0 ? { method: name, signature: null } : { method: name.slice(0, bracket), signature: name.slice(bracket) };
}
