/**
 * Hidden classes: lambdas and forms of method handles, which the JVM makes at run time. Their names hold what differs from run to run: an address, before it
 * the number of the lambda in older JDKs (`Mix$$Lambda$12/0x0000000800c03000`, `Mix$$Lambda/0x00007f6cac00a210`, `LambdaForm$MH/0x00007f6cac00c800`), in
 * JDK 8 the number and a hash code (`Mix$$Lambda$14/1234567890`, `LambdaForm$MH/1418481495`). Tools write the slash also as a dot or a plus sign, Flight
 * Recorder of JDK 17 adds a hash code. Source: ClassFileParser::mangle_hidden_class_name, InnerClassLambdaMetafactory.
 */

/** Addresses are printed with eight or sixteen digits; `+0x1f` behind a symbol is an offset. */
const ADDRESS = /(?:\$\d+)?[/.+]0x[0-9a-f]{6,}(?:\/-?\d+(?![\w$]))?/gi;
/** Java's compilers make no such names; digits alone cannot begin a name, so nothing else is meant. */
const NUMBER = /(\$\$Lambda)(?:\$\d+)?(?:[/.]\d+)?(?![\w$])/g;
const FORM = /(\bLambdaForm\$[A-Za-z]\w*)[/.]\d+(?![\w$])/g;

/**
 * The name of a class or method without what differs from run to run: what is the same of the same code in two recordings. What is left names the class that
 * wrote the lambda, and the signature: two lambdas of one class with the same signature become equal.
 */
export function withoutHiddenAddress(name: string): string {
	const plain = name.includes('0x') ? name.replace(ADDRESS, '') : name;
	return plain.includes('Lambda') ? plain.replace(NUMBER, '$1').replace(FORM, '$1') : plain;
}
