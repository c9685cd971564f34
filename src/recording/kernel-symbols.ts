/**
 * The symbols of a running kernel and its modules, as /proc/kallsyms lists them: 100,000 lines and more, of which a profile asks for a few. Kept are where the
 * names stand; which symbol an address belongs to is as perf has it (the Linux kernel's tools/perf/util/symbol.c).
 */
import { firstWhere } from '../model/binary-search.js';
import type { LibrarySymbols, NativeSymbol } from '../model/native-symbols.js';

const NEWLINE = 10;
const BLANK = 32;
const BRACKET = 0x5b;
const ADDRESS_DIGITS = 16;
const NAME_AT = 19;
const PAGE = 4096;
/** Types of symbols that perf looks at: functions, weak ones, data. */
const TYPES = new Set(Array.from('TWDBtwdb', (letter) => letter.charCodeAt(0)));

export class KernelSymbols implements LibrarySymbols {
	/** Where the kernel's code begins; null: this user may not see it. */
	readonly text: number | null;
	private readonly bytes: Uint8Array;
	/** In rising order; of several names of one address the last one holds. Addresses as signed numbers. */
	private readonly starts: Float64Array;
	private readonly nameAt: Int32Array;
	private readonly isOfModule: Uint8Array;

	/** `bytes` in the form of /proc/kallsyms: lines of other forms and types are passed over. */
	constructor(bytes: Uint8Array) {
		const most = Math.ceil(bytes.length / (NAME_AT + 2));
		const starts = new Float64Array(most);
		const nameAt = new Int32Array(most);
		const isOfModule = new Uint8Array(most);
		let count = 0;
		let text: number | null = null;
		for (let at = 0; at < bytes.length; ) {
			let end = at;
			while (end < bytes.length && bytes[end] !== NEWLINE) {
				end++;
			}
			if (end > at + NAME_AT && TYPES.has(bytes[at + ADDRESS_DIGITS + 1]!) && bytes[at + ADDRESS_DIGITS] === BLANK) {
				const high = hexadecimalWord(bytes, at);
				const low = hexadecimalWord(bytes, at + 8);
				if (high >= 0 && low >= 0) {
					const start = (high | 0) * 2 ** 32 + low;
					starts[count] = start;
					nameAt[count] = at + NAME_AT;
					isOfModule[count++] = bytes[end - 1] === BRACKET + 2 ? 1 : 0;
					text = isText(bytes, at + NAME_AT, end) ? start : text;
				}
			}
			at = end + 1;
		}
		const order = orderOf(starts, count);
		this.bytes = bytes;
		this.text = text === 0 ? null : text;
		this.starts = order === null ? starts.slice(0, count) : Float64Array.from(order, (i) => starts[i]!);
		this.nameAt = order === null ? nameAt.slice(0, count) : Int32Array.from(order, (i) => nameAt[i]!);
		this.isOfModule = order === null ? isOfModule.slice(0, count) : Uint8Array.from(order, (i) => isOfModule[i]!);
	}

	/** A symbol reaches to the next; the last of the kernel, or of all modules, to the end of its page and one behind it. */
	find(address: number): NativeSymbol | null {
		const { starts, isOfModule } = this;
		const next = firstWhere(starts.length, (i) => starts[i]! > address);
		const i = next - 1;
		if (i < 0) {
			return null;
		}
		const start = starts[i]!;
		const end = next < starts.length && isOfModule[next] === isOfModule[i] ? starts[next]! : Math.ceil((start + PAGE) / PAGE) * PAGE;
		return address < end ? { start, end, name: this.nameOf(i) } : null;
	}

	private nameOf(i: number): string {
		const at = this.nameAt[i]!;
		let end = at;
		while (end < this.bytes.length && this.bytes[end]! > BLANK) {
			end++;
		}
		return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + at, end - at).toString('latin1');
	}
}

/** Eight digits; -1: they are none. */
function hexadecimalWord(bytes: Uint8Array, start: number): number {
	let word = 0;
	for (let at = start; at < start + 8; at++) {
		const letter = bytes[at]!;
		const digit = letter >= 0x61 ? letter - 0x57 : letter - 0x30;
		if (digit < 0 || digit > 15 || (letter > 0x39 && letter < 0x61)) {
			return -1;
		}
		word = word * 16 + digit;
	}
	return word;
}

/** Whether the name is `_text`. */
function isText(bytes: Uint8Array, at: number, end: number): boolean {
	return end - at === 5 && bytes[at] === 0x5f && bytes[at + 1] === 0x74 && bytes[at + 2] === 0x65 && bytes[at + 3] === 0x78 && bytes[at + 4] === 0x74;
}

/** Positions by start, equal ones as they came; null: they are in order. The kernel's are, those of modules are not. */
function orderOf(starts: Float64Array, count: number): Int32Array | null {
	let sorted = 1;
	while (sorted < count && starts[sorted]! >= starts[sorted - 1]!) {
		sorted++;
	}
	if (sorted >= count) {
		return null;
	}
	const order = Int32Array.from({ length: count }, (_, i) => i);
	const least = starts.subarray(sorted, count).reduce((a, b) => Math.min(a, b));
	const from = firstWhere(sorted, (i) => starts[i]! > least);
	order.subarray(from).sort((a, b) => starts[a]! - starts[b]! || a - b);
	return order;
}
