/** Which formats a file is of: by its first bytes, and where it is text, by what stands behind any amount of other output. */
import { MarkFinder } from '../bytes/mark-finder.js';
import { newBytes, readRange, type Source } from '../bytes/source.js';
import type { Format } from '../formats/format.js';

export interface ToldFormats {
	/** In the order of the registry; empty: nothing known. */
	readonly formats: readonly Format[];
	/** Byte at which the text was seen that told the first of them. */
	readonly at: number;
}

/** So much of a file is looked at first. */
export const HEAD_BYTES = 1 << 20;
const BLOCK_BYTES = 1 << 20;
/** Around a mark: the lines that it may be of. */
const WINDOW_BYTES = 4 << 10;
const LONGEST_MARK_BYTES = 64;

/** `head` is the beginning of the file as Latin-1, `baseName` its name without folders. Without a source only the beginning is looked at. */
export function tellFormats(rows: readonly Format[], baseName: string, head: string, source: Source | null): ToldFormats {
	const named = rows.filter(({ isNamed }) => isNamed?.(baseName, head));
	if (named.length > 0 || head === '') {
		return { formats: named, at: 0 };
	}
	const whole = rows.find(({ place, is }) => place === 'file' && is(head));
	const isText = !head.includes('\0');
	// What begins with output has more of it behind.
	const rest = source !== null && isText && source.sizeBytes > head.length ? source : null;
	if (whole !== undefined) {
		const beside = rows.filter(({ alongside, place }) => place !== 'file' && alongside?.includes(whole.name));
		const near = beside.filter(({ is }) => is(head));
		const isMixed = whole.marks !== undefined && !/^\s*</.test(head);
		const far = rest !== null && isMixed ? foundBehind(rest, head.length, without(beside, near)) : new Map<Format, number>();
		return { formats: [whole, ...beside.filter((row) => near.includes(row) || far.has(row))], at: 0 };
	}
	const near = rows.filter(({ place, is }) => place === 'output' && is(head));
	const wanted = rows.filter(({ place, marks }) => marks !== undefined && (place === 'output' || place === 'file'));
	const far = rest === null ? new Map<Format, number>() : foundBehind(rest, head.length, without(wanted, near));
	const wholeBehind = [...far.keys()].find(({ place }) => place === 'file');
	const found = (row: Format): boolean => near.includes(row) || far.has(row);
	if (wholeBehind !== undefined) {
		return { formats: [wholeBehind, ...rows.filter((row) => row.alongside?.includes(wholeBehind.name) && found(row))], at: far.get(wholeBehind)! };
	}
	// A file tells of stacks in one way.
	const stacks = rows.find((row) => row.stacks !== undefined && found(row));
	const output = rows.filter((row) => found(row) && (row.stacks === undefined || row === stacks));
	const text = output.length > 0 ? undefined : rows.find(({ place, is }) => place === 'text' && is(head));
	if (text !== undefined) {
		return { formats: [text], at: 0 };
	}
	const weak = output.length > 0 ? undefined : rows.find(({ place, is }) => place === 'weak' && is(head));
	const anywhere = rows.filter(({ place, is }) => place === 'anywhere' && is(head));
	return { formats: [...output, ...anywhere, ...(weak === undefined ? [] : [weak])], at: 0 };
}

function without(rows: readonly Format[], others: readonly Format[]): Format[] {
	return rows.filter((row) => row.marks !== undefined && !others.includes(row));
}

/** The formats whose marks stand from `start` on, in lines that are of them, and where. One pass over the bytes for all of them. */
function foundBehind(source: Source, start: number, rows: readonly Format[]): Map<Format, number> {
	const found = new Map<Format, number>();
	const next = new Map(rows.map((row) => [row, 0]));
	const block = newBytes(BLOCK_BYTES);
	let search = searchFor(rows);
	for (let at = Math.max(0, start - LONGEST_MARK_BYTES); found.size < rows.length; at += BLOCK_BYTES - LONGEST_MARK_BYTES) {
		const length = source.read(block, 0, BLOCK_BYTES, at);
		const before = found.size;
		search.finder.find(block.subarray(0, length), (hit, mark) => {
			const row = search.rows[mark]!;
			const place = at + hit;
			if (found.has(row) || place < next.get(row)!) {
				return false;
			}
			if (row.is(linesAround(source, place))) {
				found.set(row, place);
			} else {
				next.set(row, place + WINDOW_BYTES);
			}
			return found.size === rows.length;
		});
		if (at + length >= source.sizeBytes || length === 0) {
			break;
		}
		// What was found may be on every line.
		search = found.size === before ? search : searchFor(rows.filter((row) => !found.has(row)));
	}
	return found;
}

function searchFor(rows: readonly Format[]): { readonly finder: MarkFinder; readonly rows: readonly Format[] } {
	const all = rows.flatMap((row) => (row.marks ?? []).map((mark) => ({ row, mark })));
	return { finder: new MarkFinder(all.map(({ mark }) => mark)), rows: all.map(({ row }) => row) };
}

/** Whole lines, as Latin-1. */
function linesAround(source: Source, place: number): string {
	const start = Math.max(0, place - WINDOW_BYTES);
	const text = Buffer.from(readRange(source, start, place + WINDOW_BYTES)).toString('latin1');
	const firstEnd = start === 0 ? -1 : text.lastIndexOf('\n', place - start);
	const lastEnd = text.lastIndexOf('\n');
	const before = firstEnd < 0 ? 0 : text.indexOf('\n') + 1;
	return text.slice(Math.min(before, place - start), lastEnd > place - start ? lastEnd + 1 : undefined);
}
