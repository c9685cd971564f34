/** Names of methods, as compilers and profilers spell them, and the one form in which assay gives them to programs. */

/** A method, its signature told apart. */
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

/**
 * The name without what differs from run to run: hidden classes (lambdas) are named after an address, `Poly$$Lambda/0x00000000b8246c48.test(int)`,
 * in older JDKs with a number before it. What is left names the class that wrote the lambda and the signature: two lambdas of one
 * class with the same signature become equal.
 */
export function stableMethodName(name: string): string {
	return name.includes('0x') ? name.replace(/(?:\$\d+)?[/.+]0x[0-9a-f]{6,}/g, '') : name;
}
