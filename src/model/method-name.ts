/** The one form in which assay has names of methods, `java.util.HashMap.getNode(Object)`, and how two of them compare. */

import { isUnnamedFunction } from './native-symbols.js';

/** A method, its signature told apart. */
export interface MethodName {
	/** Holder and name with dots: `java.util.HashMap.getNode`. */
	readonly method: string;
	/** Parameter types in round brackets, as far as the spelling has them; null when it has none. */
	readonly signature: string | null;
}

/** Of a function that GCC or LLVM divided or copied, and the version of a library's symbol. A name of Java has no part of digits alone. */
const NATIVE_TAIL = /(?:(?:\.[a-z_]{1,20})?\.\d{1,20}){1,4}(?:\.cold)?$|@@?[A-Z][\w.]{1,60}$/;
const COLD = '.cold';

/**
 * What linkers' names have behind the name, with dots that part nothing: `.constprop.0` of `unlink_chunk.constprop.0`, `@GLIBC_2.2.5`; all of `libz.so.1@0x4830`, a function
 * without a name. Empty for others.
 */
export function nativeTail(name: string): string {
	if (isUnnamedFunction(name)) {
		return name;
	}
	const [tail = ''] = NATIVE_TAIL.exec(name) ?? [];
	return tail === '' && name.indexOf('.') === name.length - COLD.length && name.endsWith(COLD) ? COLD : tail;
}

/**
 * Where the parameter types begin; -1 where none stand. Names of C++, Rust and Go have brackets that are of the name: `a::(anonymous namespace)::f`, `operator()`,
 * `f<void (int)>`, `net/http.(*conn).serve`, `f[func(int)]`.
 */
export function parametersAt(name: string): number {
	const first = name.indexOf('(');
	if (first < 0) {
		return first;
	}
	if (!name.includes('::')) {
		return parametersBehindReceiver(name);
	}
	let inside = 0;
	let open = -1;
	let angles = 0;
	for (let at = 0; at < name.length; at++) {
		const character = name[at];
		if (character === '(' && inside++ === 0 && angles === 0) {
			open = at;
		} else if (character === ')' && --inside === 0 && open >= 0) {
			const isOfName = name.startsWith('::', at + 1) || (at === open + 1 && name.endsWith('operator', open));
			if (!isOfName) {
				return open;
			}
			open = -1;
		} else if (inside === 0 && (character === '<' || character === '{')) {
			angles++;
		} else if (inside === 0 && (character === '}' || (character === '>' && name[at - 1] !== '-'))) {
			angles = Math.max(0, angles - 1);
		}
	}
	return open;
}

/** The same of a name with dots: what a dot follows, or what stands in square brackets, is of the name. */
function parametersBehindReceiver(name: string): number {
	let inside = 0;
	let square = 0;
	let open = -1;
	for (let at = 0; at < name.length; at++) {
		const character = name[at];
		if (character === '(' && square === 0 && inside++ === 0) {
			open = at;
		} else if (character === ')' && square === 0 && inside > 0 && --inside === 0) {
			if (name[at + 1] !== '.') {
				return open;
			}
			open = -1;
		} else if (inside === 0 && (character === '[' || character === ']')) {
			square = Math.max(0, square + (character === '[' ? 1 : -1));
		}
	}
	return open;
}

/** The method that all functions of a guest language are compiled as: Truffle specializes it for each. */
const CALL_TARGET = /(?:^|\.)OptimizedCallTarget\.profiledPERoot$/;

/**
 * What a compilation is of: `Truffle: parser.next` where Truffle compiled a function of a guest language, of which the JVM knows the method of its runtime and the
 * name that the code was installed under, with the tier of Truffle behind it (`parser.next#1`); otherwise the method.
 */
export function compiledName(method: string, installedName: string | null): string {
	return installedName === null || installedName === '' || !CALL_TARGET.test(method) ? method : `Truffle: ${installedName.replace(/#\d{1,9}$/, '')}`;
}

/** Holder and name, and the parameter types, which stand in the last bracket; without the {@link namesakeIn} the name. */
export function splitMethodName(name: string): MethodName {
	const bracket = parametersAt(name);
	if (bracket < 0) {
		return { method: name, signature: null };
	}
	const namesake = namesakeIn(name);
	return { method: name.slice(0, bracket), signature: name.slice(bracket, namesake === null ? undefined : -` [${namesake}]`.length) };
}

/** `154 bytes` of `a.B.c(int) [154 bytes]`: which of several methods of a name comparisons mean; null in other names. */
export function namesakeIn(name: string): string | null {
	return / \[(\d{1,9} bytes)\]$/.exec(name)?.[1] ?? null;
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
	return `${method}(${parameters.map((parameter) => parameter.trim().replace(/^.*\./, '')).join(',')})${namesakeIn(name) ?? ''}`;
}

/** `github.com/user/` of `github.com/user/net.(*T).f`: where a package of Go lies; empty for other names. A hidden class of Java has its address behind a slash. */
export function goFolders(name: string): string {
	return /^[\w.~-]+\/(?:[\w.~-]+\/)*(?!0x)/.exec(name)?.[0] ?? '';
}

/**
 * `core.(*Store[…]).Get` for `core.(*Store[go.shape.*a.com/b/ast.Symbol]).Get`: type arguments of Go, whose dots and slashes part nothing. The same of names without them.
 */
export function withoutTypeArguments(name: string): string {
	if (!name.includes('[go.shape.')) {
		return name;
	}
	let result = '';
	let inside = 0;
	for (const character of name) {
		if (character === '[' && inside++ === 0) {
			result += '[…';
		}
		inside -= character === ']' ? 1 : 0;
		result += inside > 0 ? '' : character;
	}
	return result;
}

/** Simple name of a class and method: `HashMap.getNode` of `java.util.HashMap.getNode`. */
export function simpleName(method: string): string {
	return withoutTypeArguments(method).split('.').slice(-2).join('.');
}
