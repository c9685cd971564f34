/**
 * Names of code in a jitdump. V8 writes a category, for JavaScript the compiler's mark, the function, and where it stands: `JS:*fib /app/fib.js:1:13`.
 * Source: LogEventListener's tags and CodeKindToMarker of V8. Names of other compilers are taken as they are.
 */
import type { CodeKind } from '../../model/generated-code.js';

export interface DescribedName {
	readonly kind: CodeKind;
	readonly name: string;
	/** Who compiled it; null of what no compiler made. */
	readonly compiler: string | null;
	readonly isV8: boolean;
}

/** V8's compilers by their marks; `'` behind one: for one closure only. */
const COMPILERS: Readonly<Record<string, string>> = { '~': 'ignition', '^': 'sparkplug', '+': 'maglev', '*': 'turbofan' };
/** `LazyCompile`, `Function` and the like: V8 before 10. */
const SCRIPT = /^(?:JS|LazyCompile|NativeLazyCompile|Function|NativeFunction|Script|NativeScript|Eval):(?:([~^+*])'?)?/;
const STUB = /^(?:Builtin|Stub|Callback|Handler|LoadIC|StoreIC):/;
/** `fib-3-turbofan`, `wasm-function[3]-3-liftoff`: the number is that of the function in its module. */
const WASM = /-\d{1,10}-(liftoff|turbofan)$/;

/** Takes any text. */
export function describeName(text: string): DescribedName {
	const script = SCRIPT.exec(text);
	if (script !== null) {
		const name = text.slice(script[0].length);
		const wasm = script[1] === undefined ? WASM.exec(name) : null;
		if (wasm !== null) {
			return { kind: 'compilation', name: name.slice(0, wasm.index), compiler: wasm[1] ?? null, isV8: true };
		}
		return { kind: 'compilation', name: named(name), compiler: COMPILERS[script[1] ?? ''] ?? 'v8', isV8: true };
	}
	if (text.startsWith('RegExp:')) {
		return { kind: 'compilation', name: text, compiler: 'irregexp', isV8: true };
	}
	if (text.startsWith('BytecodeHandler:')) {
		return { kind: 'interpreter', name: text, compiler: null, isV8: true };
	}
	if (STUB.test(text)) {
		return { kind: 'stub', name: text, compiler: null, isV8: true };
	}
	return { kind: 'compilation', name: named(text), compiler: 'jit', isV8: false };
}

/** What stands before the place is empty for a function without a name. */
function named(name: string): string {
	return name === '' || name.startsWith(' ') ? `<anonymous>${name}` : name;
}
