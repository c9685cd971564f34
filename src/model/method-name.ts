/** The one form in which assay has names of methods, `java.util.HashMap.getNode(Object)`, and how two of them compare. */

/** A method, its signature told apart. */
export interface MethodName {
	/** Holder and name with dots: `java.util.HashMap.getNode`. */
	readonly method: string;
	/** Parameter types in round brackets, as far as the spelling has them; null when it has none. */
	readonly signature: string | null;
}

/** Holder and name, and the parameter types, which stand behind the first bracket. */
export function splitMethodName(name: string): MethodName {
	const bracket = name.indexOf('(');
	return bracket < 0 ? { method: name, signature: null } : { method: name.slice(0, bracket), signature: name.slice(bracket) };
}

/**
 * A form in which different spellings of a method are the same: profiles qualify parameter types (`print(java.lang.StringBuilder)`), logs
 * do not (`print(StringBuilder)`). Two methods that differ only in the packages of parameter types become equal.
 */
export function comparableMethodName(name: string): string {
	const { method, signature } = splitMethodName(name);
	if (signature === null) {
		return method;
	}
	const end = signature.lastIndexOf(')');
	const parameters = signature.slice(1, end < 0 ? undefined : end).split(',');
	return `${method}(${parameters.map((parameter) => parameter.trim().replace(/^.*\./, '')).join(',')})`;
}
