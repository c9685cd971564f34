/** At which lines of source functions begin, by what remarks say: of a call that was refused they tell only the line, which is laid to the function that begins before it. */
import { lastAtOrBelow } from '../model/binary-search.js';
import { linkageName, NONE, type Remarks } from '../model/remarks.js';

/** The inliner's passes. */
const INLINERS: ReadonlySet<string> = new Set(['inline', 'always-inline', 'module-inline', 'sample-profile-inline']);

export interface FunctionStarts {
	/** Of each file the line of the body (`{`) of each linkage name. */
	readonly files: ReadonlyMap<string, Map<string, number>>;
	/** Of linkage names how many lines the name stands before the body; call sites are counted from the name. Left out where no call site tells. */
	readonly heads: Map<string, number>;
	/** By the line of the name; made when it is asked for. */
	readonly sorted: Map<string, { readonly lines: Float64Array; readonly symbols: readonly string[] }>;
}

/** Of longer ones something else is wrong. */
const MOST_HEAD_LINES = 1000;

/** Callers and callees stand with the lines of their bodies, but for callees that clang 19 had already thrown away; so does the size of the stack of all that have code. */
export function functionStarts(remarks: Remarks): FunctionStarts {
	const { length, name, place, firstArgument, function: functions, arguments: all, places, text } = remarks;
	const files = new Map<string, Map<string, number>>();
	const note = (at: number, symbol: string): void => {
		const line = places.line[at] ?? 0;
		if (line > 0) {
			const file = text(places.file[at]!);
			const own = files.get(file) ?? new Map<string, number>();
			own.set(linkageName(symbol), line);
			files.set(file, own);
		}
	};
	const tellsSize = remembered((number) => text(number) === 'StackSize');
	for (let i = 0; i < length; i++) {
		if (place[i] !== NONE && tellsSize(name[i]!)) {
			note(place[i]!, text(functions[i]!));
		}
	}
	const isFunction = remembered((key) => text(key) === 'Callee' || text(key) === 'Caller');
	const inliner = inlinersOf(remarks);
	for (const i of inliner) {
		for (let at = firstArgument[i]!; at < firstArgument[i + 1]!; at++) {
			if (all.place[at] !== NONE && isFunction(all.key[at]!)) {
				note(all.place[at]!, text(all.value[at]!));
			}
		}
	}
	return { files, heads: headsOf(remarks, inliner, files), sorted: new Map() };
}

/** `… at callsite g:2:5 @ …`, told at line 14, says that the name of g stands at line 12. */
function headsOf(
	{ place, firstArgument, arguments: all, places, text }: Remarks,
	inliner: readonly number[],
	files: FunctionStarts['files'],
): Map<string, number> {
	const heads = new Map<string, number>();
	const isCallSite = remembered((value) => text(value) === ' at callsite ');
	for (const i of inliner) {
		const own = place[i]!;
		for (let at = firstArgument[i]!; own !== NONE && at + 3 < firstArgument[i + 1]!; at++) {
			if (isCallSite(all.value[at]!)) {
				const symbol = linkageName(text(all.value[at + 1]!));
				const body = files.get(text(places.file[own]!))?.get(symbol);
				const head = body === undefined ? -1 : body - (places.line[own]! - Number(text(all.value[at + 3]!)));
				if (head >= 0 && head <= MOST_HEAD_LINES) {
					heads.set(symbol, head);
				}
				break;
			}
		}
	}
	return heads;
}

const PASSES = new WeakMap<Remarks, (pass: number) => boolean>();

/** Whether a pass, by the number of its name, is the inliner. */
export function inlinerPasses(remarks: Remarks): (pass: number) => boolean {
	let is = PASSES.get(remarks);
	if (is === undefined) {
		is = remembered((number) => INLINERS.has(remarks.text(number)));
		PASSES.set(remarks, is);
	}
	return is;
}

/** Only the inliner tells callers and callees. */
function inlinersOf(remarks: Remarks): number[] {
	const isInliner = inlinerPasses(remarks);
	const result: number[] = [];
	for (let i = 0; i < remarks.length; i++) {
		if (isInliner(remarks.pass[i]!)) {
			result.push(i);
		}
	}
	return result;
}

export function remembered(is: (number: number) => boolean): (number: number) => boolean {
	const known = new Map<number, boolean>();
	return (number) => {
		let answer = known.get(number);
		if (answer === undefined) {
			answer = is(number);
			known.set(number, answer);
		}
		return answer;
	};
}

/** The function whose name stands at or before a line of a file, and the line counted from it; null before the first. */
export function functionAt({ files, heads, sorted }: FunctionStarts, file: string, line: number): { readonly symbol: string; readonly line: number } | null {
	let starts = sorted.get(file);
	if (starts === undefined) {
		const rows = [...(files.get(file) ?? [])].map(([symbol, body]) => [symbol, body - (heads.get(symbol) ?? 0)] as const).sort((a, b) => a[1] - b[1]);
		starts = { lines: Float64Array.from(rows, ([, own]) => own), symbols: rows.map(([symbol]) => symbol) };
		sorted.set(file, starts);
	}
	const at = lastAtOrBelow(starts.lines, line);
	return at < 0 ? null : { symbol: starts.symbols[at]!, line: line - starts.lines[at]! };
}

/**
 * What remarks of one build tell and those of another do not: each takes the other's functions whose neighbours in the file, known to both, lie equally far from where
 * they lie in the other's. So that a line belongs to the same function on both sides.
 */
export function shareFunctionStarts(all: readonly FunctionStarts[]): void {
	for (const one of all) {
		for (const other of all) {
			for (const [symbol, head] of other.heads) {
				if (!one.heads.has(symbol)) {
					one.heads.set(symbol, head);
					one.sorted.clear();
				}
			}
			for (const [file, theirs] of other === one ? [] : other.files) {
				const own = one.files.get(file);
				if (own !== undefined) {
					takeMissing(own, theirs);
					one.sorted.delete(file);
				}
			}
		}
	}
}

function takeMissing(own: Map<string, number>, theirs: ReadonlyMap<string, number>): void {
	const rows = [...theirs].sort((a, b) => a[1] - b[1]);
	const shiftOf = ([symbol, theirLine]: readonly [string, number]): number => (own.get(symbol) ?? 0) - theirLine;
	const known = new Set(own.keys());
	/** Of each row that of the next one below that both know. */
	const below: (number | null)[] = [];
	let next: number | null = null;
	for (let i = rows.length - 1; i >= 0; i--) {
		below[i] = next;
		next = known.has(rows[i]![0]) ? shiftOf(rows[i]!) : next;
	}
	let above: number | null = null;
	rows.forEach(([symbol, line], i) => {
		if (known.has(symbol)) {
			above = shiftOf([symbol, line]);
			return;
		}
		const shift = above ?? below[i]!;
		if (shift !== null && (above === null || below[i] === null || above === below[i])) {
			own.set(symbol, line + shift);
		}
	});
}
