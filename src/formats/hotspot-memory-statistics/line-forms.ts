/**
 * Single lines that tell of a compilation: heads of print mode, hits of a limit, PrintCompilation, LogCompilation. Forms of JDK 25, and those of JDK 22 to
 * 24 as OpenJDK's changes 8317683, 8318016, 8320682 and 8331087 describe them. They may follow other output on the same line.
 */
import { splitSpelledMethod } from '../shared/hotspot/spelled-method.js';

export interface PrintHead {
	readonly compiler: string;
	/** null in the forms before JDK 25. */
	readonly compileId: string | null;
	readonly result: string | null;
	readonly spelling: string;
	readonly totalBytes: number;
	readonly arenas: readonly string[];
	readonly bytes: readonly number[];
	/** Two tables follow. */
	readonly hasTables: boolean;
}

const PRINT_HEAD = /(?:^|[^\w-])(c1|c2|jvmci) \((\d+)\) \((\w+)\) Arena usage (.{0,8000}): Total Usage: (\d{1,15}) ?(?:\[([^\]:]{0,2000})\])?$/;
const OLD_PRINT_HEAD = /(?:^|[^\w-])(c1|c2|jvmci) Arena usage (.{0,8000}): (\d{1,15}) \[([^\]:]{0,2000})\](?: \(\d{1,15}->[^()]{0,200}\))?$/;

/** `c1 (7) (ok) Arena usage T::f(([I)I): Total Usage: 98184 [ra 98184]` */
export function printHead(line: string): PrintHead | null {
	const match = PRINT_HEAD.exec(line);
	if (match !== null) {
		const [, compiler = '', compileId = '', result = '', spelling = '', total, list] = match;
		const { arenas, bytes } = arenaList(list ?? '');
		return { compiler, compileId, result, spelling, totalBytes: Number(total), arenas, bytes, hasTables: list === undefined && compiler === 'c2' };
	}
	const old = OLD_PRINT_HEAD.exec(line);
	if (old === null) {
		return null;
	}
	const [, compiler = '', spelling = '', total, list = ''] = old;
	return { compiler, compileId: null, result: null, spelling, totalBytes: Number(total), ...arenaList(list), hasTables: false };
}

/** `ra 12016232, cienv 458544`; before JDK 25 without commas. */
function arenaList(text: string): { arenas: string[]; bytes: number[] } {
	const pairs = [...text.matchAll(/(\S{1,200}) (\d{1,15})(?:,|\s|$)/g)];
	return { arenas: pairs.map(([, arena = '']) => arena), bytes: pairs.map(([, , bytes]) => Number(bytes)) };
}

export interface LimitLine {
	readonly compiler: string;
	readonly compileId: string | null;
	readonly spelling: string;
	readonly isAgain: boolean;
	readonly limitBytes: number;
	readonly nowBytes: number;
	/** The JVM ended there. */
	readonly isFatal: boolean;
}

const LIMIT = /(fatal error: )?(c1|c2|jvmci) (?:\((\d+)\) )?(\S.{0,8000}): Hit MemLimit (again ?)? ?(?:- |\()limit: (\d{1,15}) now: (\d{1,15})\)?$/;

/** `c2 (17) Huge::big(([I[I)I): Hit MemLimit again - limit: 20971520 now: 23737552` */
export function limitLine(line: string): LimitLine | null {
	const match = LIMIT.exec(line);
	if (match === null) {
		return null;
	}
	const [, fatal, compiler = '', compileId = null, spelling = '', again, limit, now] = match;
	return { compiler, compileId, spelling, isAgain: again !== undefined, limitBytes: Number(limit), nowBytes: Number(now), isFatal: fatal !== undefined };
}

export interface TaskLine {
	readonly compileId: string;
	readonly level: number;
	readonly osrBci: number | null;
	/** Why there is no code; null when it is not said here. */
	readonly skipped: string | null;
}

const PRINT_COMPILATION =
	/^(?:C[12]:)? *\d+ +(\d+) ([ %])[ s][ !][ b][ n] +([0-4]) +(?=\S+?::.)\S.+?(?: @ (-?\d{1,10}))? \((?:\d{1,10} bytes|native)\)([\s\S]*)/;

/** `104   17 %  b  4       Huge::big @ 4100 (8204 bytes)`, also with `C2:` before it, in error reports. */
export function taskLine(line: string): TaskLine | null {
	const match = PRINT_COMPILATION.exec(line);
	if (match === null) {
		return null;
	}
	const [, compileId = '', osr, level, bci, rest = ''] = match;
	const skipped = /COMPILE SKIPPED: ([\s\S]*)/.exec(rest)?.[1] ?? null;
	return { compileId, level: Number(level), osrBci: osr === '%' && bci !== undefined ? Number(bci) : null, skipped };
}

/** `<nmethod compile_id='17' compile_kind='osr' compiler='c2' level='4' …/>` and tasks: the attributes that count. */
export function elementTask(line: string): TaskLine | null {
	const attribute = (name: string): string | undefined => new RegExp(` ${name}='([^']*)'`).exec(line)?.[1];
	const compileId = attribute('compile_id');
	const level = attribute('level');
	const bci = attribute('osr_bci');
	return compileId === undefined || !/^\d+$/.test(compileId)
		? null
		: { compileId, level: level === undefined ? 4 : Number(level), osrBci: bci === undefined ? null : Number(bci), skipped: null };
}

/** How problems name a compilation: by its number, or by its method where the number was not told. */
export function nameOf({ compileId, spelling }: { readonly compileId: string | null; readonly spelling: string }): string {
	return compileId === null ? splitSpelledMethod(spelling).method : `c${compileId}`;
}
