/** Addresses of an entry: one range, or a list of them (DWARF 5, 2.17; `.debug_ranges` before). */
import { At, Form } from './constants.js';
import { Cursor } from './cursor.js';
import { addressOf, indexedAddress, type Unit, type Value } from './unit.js';

/** Starts and ends in turn, the ends exclusive. */
export type Ranges = readonly number[];

const NO_RANGES: Ranges = [];
const MOST_RANGES = 1 << 20;
const RLE = { EndOfList: 0, BaseAddressx: 1, StartxEndx: 2, StartxLength: 3, OffsetPair: 4, BaseAddress: 5, StartEnd: 6, StartLength: 7 } as const;

/** `base`: the address that lists count from, that of the unit. */
export function rangesOf(unit: Unit, values: ReadonlyMap<number, Value>, base: number): Ranges {
	const list = values.get(At.Ranges);
	if (list !== undefined) {
		return unit.version >= 5 ? rangeList(unit, list, base) : oldRangeList(unit, list.number, base);
	}
	const low = addressOf(unit, values.get(At.LowPc));
	const high = values.get(At.HighPc);
	if (low === null || high === undefined) {
		return NO_RANGES;
	}
	const end = addressOf(unit, high) ?? low + high.number;
	return end > low ? [low, end] : NO_RANGES;
}

function rangeList(unit: Unit, { form, number }: Value, unitBase: number): Ranges {
	const { sections, rangesBase, offsetBytes, addressBytes } = unit;
	const bytes = sections.section('rnglists');
	let at = number;
	if (form === Form.Rnglistx) {
		at = rangesBase + new Cursor(bytes, sections.isLittle, rangesBase + number * offsetBytes).sized(offsetBytes);
	}
	const cursor = new Cursor(bytes, sections.isLittle, at);
	const result: number[] = [];
	let base = unitBase;
	const add = (start: number | null, end: number | null): void => {
		if (start !== null && end !== null && end > start) {
			result.push(start, end);
		}
	};
	for (let count = 0; count < MOST_RANGES; count++) {
		switch (cursor.u8()) {
			case RLE.BaseAddressx:
				base = indexedAddress(unit, cursor.uleb()) ?? base;
				break;
			case RLE.StartxEndx:
				add(indexedAddress(unit, cursor.uleb()), indexedAddress(unit, cursor.uleb()));
				break;
			case RLE.StartxLength: {
				const start = indexedAddress(unit, cursor.uleb());
				const length = cursor.uleb();
				add(start, start === null ? null : start + length);
				break;
			}
			case RLE.OffsetPair:
				add(base + cursor.uleb(), base + cursor.uleb());
				break;
			case RLE.BaseAddress:
				base = cursor.sized(addressBytes);
				break;
			case RLE.StartEnd:
				add(cursor.sized(addressBytes), cursor.sized(addressBytes));
				break;
			case RLE.StartLength: {
				const start = cursor.sized(addressBytes);
				add(start, start + cursor.uleb());
				break;
			}
			default:
				return result;
		}
	}
	return result;
}

function oldRangeList(unit: Unit, offset: number, unitBase: number): Ranges {
	// A split unit's lists stay in the program (GNU's extension of DWARF 4).
	const { addresses, addressBytes, rangesBase } = unit;
	const cursor = new Cursor(addresses.section('ranges'), addresses.isLittle, rangesBase + offset);
	const largest = addressBytes === 8 ? 2 ** 64 : 2 ** 32 - 1;
	const result: number[] = [];
	let base = unitBase;
	for (let count = 0; count < MOST_RANGES; count++) {
		const start = cursor.sized(addressBytes);
		const end = cursor.sized(addressBytes);
		if (start === 0 && end === 0) {
			break;
		}
		if (start === largest) {
			base = end;
		} else if (end > start) {
			result.push(base + start, base + end);
		}
	}
	return result;
}

export function bytesWithin(ranges: Ranges, start: number, end: number): number {
	let bytes = 0;
	for (let i = 0; i < ranges.length; i += 2) {
		bytes += Math.max(0, Math.min(ranges[i + 1]!, end) - Math.max(ranges[i]!, start));
	}
	return bytes;
}
