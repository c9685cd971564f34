/**
 * The text of `perf script` read for the order of functions: samples, or page faults with the addresses that were touched (`perf record -e page-faults
 * -c 1 -d`, `perf script -F comm,event,addr,ip,sym`):
 *     base page-faults:           24e0a0 _start           24e0a0 _start
 *     base page-faults:           36e368 [unknown] ffffffff8175336a elf_load
 * that is, address and its symbol, then instruction and its symbol. Only faults at the instruction itself tell of code; data that code touched is left out.
 * A sample has one address: `1.5: cycles: 55b13b0b8687 f+0x1 (/app)`. Of a sample with a stack the callers ran before. Addresses are right-aligned in 16 columns.
 */
import { forEachLine } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import type { ListedFunction } from '../../model/listed-function.js';
import type { FileMapping } from '../../model/page-faults.js';
import { SkippedLines } from '../../model/problem.js';
import { mappingOfPerf } from '../shared/memory-map.js';
import { isFetch } from '../shared/page-fault.js';
import type { PerfOrder } from '../shared/perf-order.js';

/** The part of a line behind the event's name. */
interface Place {
	readonly symbol: string | null;
	readonly offset: number | null;
	readonly library: string | null;
	readonly address: number;
	readonly isKernel: boolean;
}

/** `comm 12/13 [001] 1.5:  250000 cycles:u: …`: all but the event may be missing. */
const HEAD =
	/^\s{0,100}(?:\S.{0,200}?\s{1,100})??(?:(\d{1,20}\.\d{1,20}):\s{1,100})?(?:\d{1,20}\s{1,100})?([A-Za-z_][\w./-]{0,200}(?::[\w./-]{1,200}){0,8}):(?=\s|$)\s*([\s\S]*)/;
const PLACE = /^([0-9a-f]{1,16})(?!\S)\s*([\s\S]*)/;
const ADDRESS = /^[0-9a-f]{1,16}(?:\s|$)/;
const FRAME = /^\s+([0-9a-f]{1,16} .*)$/;
const ADDRESS_COLUMNS = 16;

export function isPerfOrder(head: string): boolean {
	const lines = head.split(/\r?\n/, 200).filter((line) => !/^\s*(?:#.*)?$/.test(line) && !FRAME.test(line) && !line.includes(' PERF_RECORD_'));
	const samples = lines.filter((line) => {
		const [, , , rest] = HEAD.exec(line) ?? [];
		return rest !== undefined && (rest === '' || placesOf(rest) !== null);
	});
	return samples.length > 0 && 2 * samples.length >= lines.length;
}

/** Never throws on content. */
export function readPerfOrder(source: Source): PerfOrder {
	const skipped = new SkippedLines(source.name, 'expected a sample of perf script: event, address and symbol');
	const rows: ListedFunction[] = [];
	const mappings: FileMapping[] = [];
	/** Frames of a sample, the innermost first; null outside of one. */
	let stack: Place[] | null = null;
	const endStack = (): void => {
		rows.push(...(stack ?? []).reverse().flatMap(rowOf));
		stack = null;
	};
	forEachLine(source, (line, offset, number) => {
		if (/^\s*(?:#.*)?$/.test(line)) {
			endStack();
			return;
		}
		const [, frame] = FRAME.exec(line) ?? [];
		const place = stack !== null && frame !== undefined ? placeOf(frame) : null;
		if (stack !== null && place !== null) {
			stack.push(place);
			return;
		}
		endStack();
		if (line.includes('PERF_RECORD_')) {
			const mapping = mappingOfPerf(line);
			if (mapping !== null) {
				mappings.push(mapping);
			}
			return;
		}
		const [, , , rest] = HEAD.exec(line) ?? [];
		if (rest === '') {
			stack = [];
			return;
		}
		const places = rest === undefined ? null : placesOf(rest);
		if (places === null) {
			skipped.add(number, offset);
			return;
		}
		const [touched, instruction] = places;
		if (instruction === null || (!instruction.isKernel && isFetch(touched.address, instruction.address))) {
			rows.push(...rowOf(touched));
		}
	});
	endStack();
	return { rows, mappings, problems: skipped.problems() };
}

function rowOf({ symbol, offset, library, address, isKernel }: Place): ListedFunction[] {
	return isKernel || symbol?.endsWith('@plt') ? [] : [{ symbol, module: library, address, offset }];
}

/** The touched address, and the instruction where there is one. */
function placesOf(rest: string): [Place, Place | null] | null {
	for (let at = ADDRESS.test(rest) ? rest.indexOf(' ') : -1; at >= 0; at = rest.indexOf(' ', at + 1)) {
		const column = rest.slice(at + 1, at + 1 + ADDRESS_COLUMNS);
		if (column.length === ADDRESS_COLUMNS && /^ *[0-9a-f]+$/.test(column) && /^(?: |$)/.test(rest.slice(at + 1 + ADDRESS_COLUMNS))) {
			const touched = placeOf(rest.slice(0, at));
			const instruction = placeOf(rest.slice(at + 1).trimStart());
			if (touched !== null && instruction !== null) {
				return [touched, instruction];
			}
		}
	}
	const place = placeOf(rest);
	return place === null ? null : [place, null];
}

/** `55b13b0b8687 f+0x1 (/app/bin)` */
function placeOf(text: string): Place | null {
	const [, digits, named = ''] = PLACE.exec(text.trimEnd()) ?? [];
	if (digits === undefined) {
		return null;
	}
	const withLibrary = /^(?:(.*?)\s{1,100})?\(((?:\/|\[|\w)[^()]*)\)$/.exec(named);
	const before = withLibrary === null ? named : (withLibrary[1] ?? '');
	const [, symbol = before, offset] = /^(.*)\+0x([0-9a-f]+)$/.exec(before) ?? [];
	return {
		// Dynamic symbols have a version behind them.
		symbol: symbol === '' || symbol === '[unknown]' ? null : symbol.replace(/@@?[A-Z][\w.]*$/, ''),
		offset: offset === undefined ? null : Number.parseInt(offset, 16),
		library: withLibrary?.[2] ?? null,
		address: Number.parseInt(digits, 16),
		isKernel: digits.length === 16 && /^[89a-f]/.test(digits),
	};
}
