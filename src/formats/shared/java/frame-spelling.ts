/** Frames as profilers spell them → the one form: holder and name with dots; what is no Java method, as a row in round brackets. */
import { KERNEL_ROW, NATIVE_ROW, UNKNOWN_ROW } from '../../../model/frame-rows.js';

/**
 * The name of a holder with dots. Classes without a name of their own (lambdas) have an address behind it, which tools write after a dot, a
 * plus sign or a slash; here it is a slash, as in printed code: `Bias$$Lambda/0x000000003b047678`. Flight Recorder of JDK 17 adds a hash code.
 */
export function javaHolder(spelling: string): string {
	const hidden = /[/+.](0x[0-9a-f]+)(?:\/-?\d+)?$/i.exec(spelling);
	return hidden === null ? spelling.replaceAll('/', '.') : `${spelling.slice(0, hidden.index).replaceAll('/', '.')}/${hidden[1]}`;
}

/** The same of a holder and a name with a dot or `::` between them. */
function javaMethod(spelling: string): string {
	const text = spelling.replace('::', '.');
	const dot = text.lastIndexOf('.');
	return dot < 0 ? text : `${javaHolder(text.slice(0, dot))}${text.slice(dot)}`;
}

/** What async-profiler calls stacks that it could not walk. */
const FAILURES = new Set([
	'no_Java_frame',
	'no_class_load',
	'GC_active',
	'unknown_not_Java',
	'not_walkable_not_Java',
	'unknown_Java',
	'not_walkable_Java',
	'unknown_state',
	'thread_exit',
	'deoptimization',
	'safepoint',
	'skipped',
	'unknown',
]);
/** The descriptor that async-profiler gives to functions that are not of Java. */
const NO_DESCRIPTOR = '()L;';

/** The row of a frame that is no Java method, by what Flight Recorder's events say of it; null: it is one. */
export function rowOfRecordedFrame(kind: string, holder: string, name: string, descriptor: string | null): string | null {
	if (kind === 'Kernel') {
		return KERNEL_ROW;
	}
	if (kind !== 'C++' && kind !== 'Native') {
		return null;
	}
	if (holder !== '' && kind === 'Native' && descriptor !== null && descriptor !== NO_DESCRIPTOR) {
		return null;
	}
	return holder === '' && isFailedWalk(name) ? UNKNOWN_ROW : NATIVE_ROW;
}

function isFailedWalk(name: string): boolean {
	return FAILURES.has(name.replace(/^\[(.*)\]$/, '$1'));
}

/** What async-profiler puts behind frames: kinds of frames. */
const MARK = /_\[([ji01k])\]$/;

/**
 * A frame as text: Java methods have a holder, and maybe a signature and a line (`java/util/HashMap.getNode_[j]`, `a.B.c(int):588`); functions
 * of native code, the kernel and failures of the profiler are rows of their own. `line` is null where it is not told.
 */
export function frameOfSpelling(frame: string): { method: string; line: number | null } {
	const mark = MARK.exec(frame)?.[1];
	const text = frame.replace(MARK, '');
	if (mark === 'k') {
		return { method: KERNEL_ROW, line: null };
	}
	const [, beforeLine = text, lineText] = /^(.*?):(-?\d+)$/.exec(text) ?? [];
	const named = withoutSignature(beforeLine);
	const method = javaMethod(named);
	const isJava = mark !== undefined || (/^[^\s`:<[(]+\.(?:[^\s`:.[(]+|<init>|<clinit>)$/.test(method) && !/\.so(?:\.\d+)*(?:\.[^.]+)?$/.test(method));
	return isJava
		? { method, line: lineText === undefined ? null : Number(lineText) }
		: { method: text.startsWith('[') || text === '' || isFailedWalk(text) ? UNKNOWN_ROW : NATIVE_ROW, line: null };
}

/** How a frame of such a text is shown in a stack: Java methods with dots, without signature, mark and line; functions of native code as they are. */
export function shownFrame(spelling: string): string {
	const { method } = frameOfSpelling(spelling);
	return method.startsWith('(') ? spelling.replace(MARK, '').replace(/:-?\d+$/, '') : method;
}

/** `a.B.c(int, long)` and `a.B.c(I)Ljava/lang/Object;`: what comes before the brackets. */
function withoutSignature(text: string): string {
	const open = text.indexOf('(');
	return open > 0 ? text.slice(0, open) : text;
}

/**
 * A frame of a stack trace as Java prints it, without `at`: `java.base@25.0.3/java.lang.Thread.run(Thread.java:1474)`, `app//Mixer.map(Mixer.java:33)`,
 * `java.lang.Object.wait(java.base@17.0.15/Native Method)`. null: it is none. `line` is -1 where it is not told, and of native methods.
 */
export function frameOfStackTrace(text: string): { method: string; line: number } | null {
	const [, spelling, place] = /^([^\s()]+)\(([^()]*)\)$/.exec(text) ?? [];
	if (spelling === undefined || place === undefined) {
		return null;
	}
	// The names of a loader and a module stand before slashes; of a lambda an address stands behind one.
	let named = spelling;
	for (let slash = named.indexOf('/'); slash >= 0 && !/^0x[0-9a-f]/.test(named.slice(slash + 1)); slash = named.indexOf('/')) {
		named = named.slice(slash + 1);
	}
	const line = /:(\d{1,7})$/.exec(place)?.[1];
	return named.includes('.') ? { method: javaMethod(named), line: line === undefined ? -1 : Number(line) } : null;
}
