/**
 * Lists of executed instructions: a line `ADDRESS SIZE` each (hexadecimal, decimal) in the order of first execution; addresses as linked or as loaded. Also the
 * output of `valgrind --tool=lackey --trace-mem=yes` itself, lines `I  ADDRESS,SIZE`: every execution in it, of all code that ran.
 */
import { forEachLineOfBytes } from '../../bytes/lines.js';
import type { Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import type { ExecutedInstructions } from '../../model/executed-code.js';
import type { FileMapping } from '../../model/page-faults.js';
import { InputError, type Problem, SkippedLines } from '../../model/problem.js';
import { isMapsLine, mappingOfMaps } from '../shared/memory-map.js';

const LIST_LINE = /^(?:0x)?[0-9a-f]+ \d{1,3}\r?$/;
/** What valgrind says itself: `==PID==`, and `--PID--` with -v. */
const VALGRIND_LINE = /^(?:==\d{1,20}==|--\d{1,20}--)/;
const LACKEY_LINE = /^(?:I {2}| [LSM] )[0-9a-f]+,\d+\r?$/;
/** Addresses of one byte's difference are told apart; more distinct ones than this are no program. */
const MAX_INSTRUCTIONS = 50_000_000;

export function isInstructionList(head: string): boolean {
	const lines = head.split('\n', 200);
	const mayTell = (line: string): boolean => line !== '' && !line.startsWith('#') && !isMapsLine(line);
	// The head may end within its last line.
	const whole = lines.slice(0, -1).filter(mayTell);
	const checked = whole.length > 0 ? whole : lines.filter(mayTell);
	return (checked.length > 0 && checked.every((line) => LIST_LINE.test(line))) || isLackey(checked);
}

function isLackey(lines: readonly string[]): boolean {
	const traced = lines.filter((line) => !VALGRIND_LINE.test(line));
	return traced.length > 0 && traced.filter((line) => LACKEY_LINE.test(line)).length >= 0.9 * traced.length;
}

/** Throws an {@link InputError} when there is no instruction in it. */
export function readInstructionList(source: Source): {
	instructions: ExecutedInstructions;
	/** Of lines of `/proc/PID/maps` in it. */
	mappings: FileMapping[];
	problems: Problem[];
} {
	const skipped = new SkippedLines(source.name, 'expected an executed instruction: address (hexadecimal) and size in bytes');
	const addresses: number[] = [];
	const sizes: number[] = [];
	const seen = new Set<number>();
	const mappings: FileMapping[] = [];
	forEachLineOfBytes(source, (bytes, start, end, offset, number) => {
		let at = start;
		const first = bytes[at];
		if (end === start || (first === 0x20 && end - start > 3)) {
			return;
		}
		if (first === 0x23 || first === 0x3d || first === 0x2d) {
			const text = decodeUtf8(bytes, start, end);
			const mapping = mappingOfMaps(text);
			if (mapping !== null) {
				mappings.push(mapping);
			} else if (first !== 0x23 && !VALGRIND_LINE.test(text)) {
				skipped.add(number, offset);
			}
			return;
		}
		const isLackeyLine = first === 0x49;
		at += isLackeyLine ? 3 : bytes[at] === 0x30 && bytes[at + 1] === 0x78 ? 2 : 0;
		let address = 0;
		const digits = at;
		for (; at < end; at++) {
			const digit = hexValue(bytes[at]!);
			if (digit < 0) {
				break;
			}
			address = address * 16 + digit;
		}
		const separator = bytes[at];
		if (separator === 0x2d && !isLackeyLine) {
			const text = decodeUtf8(bytes, start, end);
			const mapping = mappingOfMaps(text);
			if (mapping !== null) {
				mappings.push(mapping);
			} else if (!isMapsLine(text)) {
				skipped.add(number, offset);
			}
			return;
		}
		if (at === digits || !(separator === 0x20 || separator === 0x2c) || !Number.isSafeInteger(address)) {
			skipped.add(number, offset);
			return;
		}
		const size = Number(decodeUtf8(bytes, at + 1, end));
		if (!(Number.isInteger(size) && size > 0 && size < 256)) {
			skipped.add(number, offset);
			return;
		}
		if (!seen.has(address) && seen.size < MAX_INSTRUCTIONS) {
			seen.add(address);
			addresses.push(address);
			sizes.push(size);
		}
	});
	if (addresses.length === 0) {
		throw new InputError({
			severity: 'error',
			file: source.name,
			message: 'holds no executed instruction',
			action: 'lines of an address and a size are expected; docs/order.md says how to record them',
		});
	}
	return { mappings, instructions: { addresses: Float64Array.from(addresses), sizes: Uint8Array.from(sizes) }, problems: skipped.problems() };
}

function hexValue(byte: number): number {
	if (byte >= 0x30 && byte <= 0x39) {
		return byte - 0x30;
	}
	return byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
}
