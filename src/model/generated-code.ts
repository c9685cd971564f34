/** Pieces of code that a JVM generated: where each lay, and from when to when. */

/** What a piece of generated code is. */
export type CodeKind = 'compilation' | 'native wrapper' | 'interpreter' | 'stub';

/** A piece of generated code: addresses, and seconds since the JVM's start. */
export interface GeneratedCode {
	readonly kind: CodeKind;
	/** Holder and name with dots (`java.util.HashMap.getNode`), or what a stub or codelet is called. */
	readonly name: string;
	/** `(Ljava/lang/Object;)Z`; null where it is not told. */
	readonly signature: string | null;
	/** Which of several methods of that name and signature it is of, as {@link namesakesOf} tells; left out where there is only one. */
	readonly namesake?: string;
	/** `12`, `12%` for on-stack replacement; null for what no compilation made. */
	readonly compileId: string | null;
	/** `c1`, `c2`, `jvmci`; null for native wrappers, the interpreter and stubs. */
	readonly compiler: string | null;
	readonly level: number | null;
	readonly osrBci: number | null;
	/** Addresses of the code, the end exclusive; data around it left out where the log tells. */
	readonly start: number;
	readonly end: number;
	/** Seconds since the start of the JVM; null where the log has no stamp. */
	readonly installedSeconds: number | null;
	/** When it was made not entrant: threads inside it go on, so it can still be executed. */
	readonly notEntrant: { readonly seconds: number; readonly reason: string | null } | null;
	/** False where nothing tells which instructions are safepoint polls of a JVM; told where it is left out. */
	readonly arePollsKnown?: boolean;
	/** The executable or library that it is of; left out of what was compiled while the program ran. */
	readonly library?: string;
}

/** `int java.lang.String.hashCode()`, as the JVM writes perf maps; `java.lang.String::hashCode`, `Ljava/lang/String;::hashCode`, as agents do. */
const METHOD_SYMBOL = /^\S+ \S*[^\s(]\(.*\)$|^(?=[^\s(]+?::\S)\S+$/;

/** What code is of which only the name in a perf map is known. */
export function kindOfSymbol(name: string): CodeKind {
	if (name.startsWith('Interpreter')) {
		return 'interpreter';
	}
	return METHOD_SYMBOL.test(name) && !name.startsWith('StubRoutines') ? 'compilation' : 'stub';
}

/** `c2, level 4`, `interpreter`: who made a piece of code, as JMH names it. */
export function sourceOfCode({ kind, compiler, level }: GeneratedCode): string {
	switch (kind) {
		case 'compilation':
			return (compiler ?? 'unknown compiler') + (level === null ? '' : `, level ${level}`);
		case 'stub':
			return 'runtime stub';
		default:
			return kind;
	}
}

/** Whether a stub looks up the method of a virtual call and jumps there: it makes no frame. */
export function isDispatchStub(name: string): boolean {
	return /^[iv]table stub\b/.test(name);
}

/** Whether a stub is reached by calls of Java methods alone: those that look up methods, and the adapters between interpreter and compiled code. */
export function isReachedByJavaCalls(name: string): boolean {
	return isDispatchStub(name) || name.startsWith('I2C/C2I adapters');
}
