/**
 * The line with which HotSpot tells of a compilation (CompileTask::print in compileTask.cpp, JDK 17 to 25):
 *   163  251 % !   3       app.Mix::catching @ 4 (38 bytes)   made not entrant: not used
 * stamp in milliseconds, compile id, five attributes (% on-stack replacement, s synchronized, ! exception handlers, b blocking, n native), level,
 * method, bytecode index of an OSR entry, size, message. Unified logging writes it without the stamp; without tiers there is no level.
 */

export interface CompilationLine {
	/** Milliseconds since the JVM's start; null in the form without stamp. */
	readonly stampMs: number | null;
	/** As HotSpot prints it, with `%` behind that of an OSR compilation. */
	readonly compileId: string;
	readonly isOsr: boolean;
	readonly isSynchronized: boolean;
	readonly hasExceptionHandlers: boolean;
	/** Whether a thread waits for it. */
	readonly isBlocking: boolean;
	readonly isNative: boolean;
	readonly level: number | null;
	/** Holder and name with dots: `java.util.HashMap.getNode`. */
	readonly method: string;
	/** `(LLLL)L` of a signature-polymorphic method, null of all others: the line has no signatures. */
	readonly signature: string | null;
	readonly osrBci: number | null;
	/** Bytecodes of the method; null of a native one. */
	readonly sizeBytes: number | null;
	/** Where it stands in the text, without its message. */
	readonly start: number;
	readonly end: number;
}

const STAMP = '(?<!\\d)(\\d{1,10}) {1,8}';
const ID = '(\\d{1,9}) ([% ])([s ])([! ])([b ])([n ]) ';
const METHOD = '(?:([0-9-]) {3,12}| {3,16})(\\S{1,4000}?::\\S.{0,1000}?)(?: @ (-?\\d+))? \\((?:(\\d+) bytes|native)\\)';
const WITH_STAMP = new RegExp(`${STAMP}${ID}${METHOD}`, 'g');
const WITHOUT_STAMP = new RegExp(`^() {0,8}${ID}${METHOD}`);
/** The end of a text that may be the beginning of such a line. */
const BEGINNING = /(?<!\d)\d{1,10}(?: {1,8}(?:\d{1,9}(?: [% s!bn]{0,5}(?: (?:[0-9-]? {0,16}(?:[^\s\d].{0,4000})?)?)?)?)?)?$/;
/** A beginning that can hardly be anything else. */
const SURE_BEGINNING = /^\d{1,10} {1,8}\d{1,9} [% ][s ][! ][b ][n ] [0-4-] {5,9}[^\s\d][^\s]*/;
/** PrintAssembly repeats the line in a header of its own. */
const ASSEMBLY_HEADER = /Compiled method \([^)]{0,20}\) {1,8}$/;

/** The first line of a compilation at or after character `from`, with its stamp; null if there is none. */
export function findCompilationLine(text: string, from: number): CompilationLine | null {
	WITH_STAMP.lastIndex = from;
	for (let match = WITH_STAMP.exec(text); match !== null; match = WITH_STAMP.exec(text)) {
		if (!ASSEMBLY_HEADER.test(text.slice(Math.max(0, match.index - 40), match.index))) {
			return lineOf(match);
		}
	}
	return null;
}

/** The line that a text consists of, without stamp; null if it is none. */
export function compilationLineWithoutStamp(text: string): CompilationLine | null {
	const match = WITHOUT_STAMP.exec(text);
	return match === null ? null : lineOf(match);
}

/** Where a text ends with what may be the beginning of a line of a compilation, and whether it can hardly be anything else. */
export function cutCompilationLine(text: string): { readonly start: number; readonly isSure: boolean } | null {
	const match = BEGINNING.exec(text.length > 6000 ? text.slice(-6000) : text);
	if (match === null || ASSEMBLY_HEADER.test(text.slice(0, text.length - match[0].length))) {
		return null;
	}
	return { start: text.length - match[0].length, isSure: SURE_BEGINNING.test(match[0]) };
}

function lineOf(match: RegExpExecArray): CompilationLine {
	const [whole, stamp = '', id = '', osr, sync, handlers, blocking, native, level, name = '', osrBci, size] = match;
	const { method, signature } = dottedName(name);
	return {
		stampMs: stamp === '' ? null : Number(stamp),
		compileId: osr === '%' ? `${id}%` : id,
		isOsr: osr === '%',
		isSynchronized: sync === 's',
		hasExceptionHandlers: handlers === '!',
		isBlocking: blocking === 'b',
		isNative: native === 'n',
		level: level === undefined || level === '-' ? null : Number(level),
		method,
		signature,
		osrBci: osrBci === undefined ? null : Number(osrBci),
		sizeBytes: size === undefined ? null : Number(size),
		start: match.index,
		end: match.index + whole.length,
	};
}

/** `java.lang.invoke.MethodHandle::linkToStatic(LL)L`; of a class that is not loaded with slashes, `java/lang/StringUTF16::charAt`. */
export function dottedName(name: string): { readonly method: string; readonly signature: string | null } {
	const separator = name.lastIndexOf('::');
	const holder = name.slice(0, separator);
	const member = name.slice(separator + 2);
	const bracket = member.indexOf('(');
	return {
		method: `${dottedHolder(holder)}.${bracket < 0 ? member : member.slice(0, bracket)}`,
		signature: bracket < 0 ? null : member.slice(bracket),
	};
}

/** Slashes to dots, but not before the address of a hidden class: `app.Mix$$Lambda/0x00007f6cac00a210`. */
export function dottedHolder(holder: string): string {
	return holder.includes('/') ? holder.replace(/\/(?!0x)/g, '.') : holder;
}
