/**
 * The table of lines of a piece in a jitdump (JIT_CODE_DEBUG_INFO): from which address on its code is of which line of source.
 *
 * V8 gives addresses of the ELF file that perf makes of a piece, whose header lies before the code, and in some versions names of files that were freed
 * before they were written: the C library has put two words in place of their first bytes, in which are NULs. So an entry ends at the first NUL behind which
 * the next one can begin, and such a name is that of the one script that is as long and ends the same.
 */
import { readRange, type Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import { type DumpedCode, type Jitdump, wide } from './read.js';

/** A line of source from an address on. */
export interface LineEntry {
	readonly address: number;
	/** null: its name was lost. */
	readonly file: string | null;
	readonly line: number;
	/** null: not told. */
	readonly column: number | null;
}

const RECORD_BYTES = 32;
const ENTRY_BYTES = 16;
/** Records are filled up to this. */
const ALIGNMENT_BYTES = 8;
/** Nothing is read of a longer table. */
const LONGEST_TABLE_BYTES = 1 << 26;
const LONGEST_PATH_BYTES = 4096;
const ELF_HEADER_BYTES = 0x40;
/** Of a name that was freed. */
const OVERWRITTEN_BYTES = 16;
/** Entries that do not end where another begins: with more of them a table is read just as the specification says. */
const MOST_LOST = 16;

/** By ascending address. Never throws on content. */
export function linesOfCode(source: Source, dump: Jitdump, code: DumpedCode): LineEntry[] {
	if (code.linesAt === null) {
		return [];
	}
	const record = readRange(source, code.linesAt, code.linesAt + RECORD_BYTES);
	const fixed = new DataView(record.buffer, record.byteOffset, record.byteLength);
	const sizeBytes = record.length < RECORD_BYTES ? 0 : fixed.getUint32(4, dump.isLittleEndian);
	if (sizeBytes < RECORD_BYTES || sizeBytes > LONGEST_TABLE_BYTES) {
		return [];
	}
	const table = new Table(readRange(source, code.linesAt + RECORD_BYTES, code.linesAt + sizeBytes), dump, code);
	const entries = table.read(wide(fixed, 24, dump.isLittleEndian));
	const isShifted = code.isV8 && entries.every(({ address }) => address >= code.loadedAt + ELF_HEADER_BYTES);
	const move = code.start - code.loadedAt - (isShifted ? ELF_HEADER_BYTES : 0);
	return entries
		.map((entry) => ({ ...entry, address: entry.address + move }))
		.filter(({ address }) => address >= code.start && address < code.end)
		.sort((a, b) => a.address - b.address);
}

class Table {
	private readonly bytes: Uint8Array;
	private readonly view: DataView;
	private readonly dump: Jitdump;
	private readonly code: DumpedCode;
	private lost = 0;

	constructor(bytes: Uint8Array, dump: Jitdump, code: DumpedCode) {
		this.bytes = bytes;
		this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		this.dump = dump;
		this.code = code;
	}

	read(count: number): LineEntry[] {
		const result: LineEntry[] = [];
		let file: string | null = null;
		for (let i = 0, at = 0; i < count && at + ENTRY_BYTES < this.bytes.length; i++) {
			const start = at + ENTRY_BYTES;
			const end = this.endOfName(start, i + 1 === count);
			if (end < 0) {
				break;
			}
			// One byte FF stands for the file of the entry before.
			const isRepeated = end === start + 1 && this.bytes[start] === 0xff;
			file = isRepeated ? file : this.fileName(start, end);
			const discriminator = this.view.getUint32(at + 12, this.dump.isLittleEndian);
			result.push({
				address: wide(this.view, at, this.dump.isLittleEndian),
				file,
				line: this.view.getUint32(at + 8, this.dump.isLittleEndian),
				// Of other compilers it may be a discriminator of DWARF.
				column: this.code.isV8 && discriminator > 0 ? discriminator : null,
			});
			at = end + 1;
		}
		return result;
	}

	/** The NUL behind a name; -1: there is none. */
	private endOfName(start: number, isLast: boolean): number {
		const first = this.bytes.indexOf(0, start);
		if (this.lost > MOST_LOST) {
			return first;
		}
		for (let end = first; end >= 0 && end <= start + LONGEST_PATH_BYTES; end = this.bytes.indexOf(0, end + 1)) {
			if (isLast ? this.bytes.length - end <= ALIGNMENT_BYTES : this.mayBegin(end + 1)) {
				return end;
			}
		}
		this.lost++;
		return first;
	}

	/** Whether an entry of this code may stand there. */
	private mayBegin(at: number): boolean {
		if (at + ENTRY_BYTES > this.bytes.length) {
			return false;
		}
		const address = wide(this.view, at, this.dump.isLittleEndian);
		const { loadedAt, start, end } = this.code;
		return address >= loadedAt && address <= loadedAt + (end - start) + ELF_HEADER_BYTES;
	}

	private fileName(start: number, end: number): string | null {
		const name = decodeUtf8(this.bytes, start, end);
		if (!this.code.isV8 || end - start <= OVERWRITTEN_BYTES) {
			return name.includes('\0') ? null : name;
		}
		const alike = scriptsOf(this.dump).get(end - start) ?? [];
		const rest = Buffer.from(this.bytes.buffer, this.bytes.byteOffset + start + OVERWRITTEN_BYTES, end - start - OVERWRITTEN_BYTES);
		const scripts = alike.includes(name) ? [name] : alike.filter((script) => Buffer.from(script).subarray(OVERWRITTEN_BYTES).equals(rest));
		return scripts.length === 1 ? scripts[0]! : name.includes('\0') ? null : name;
	}
}

/** `fib /app/fib.js:1:13`: where the function stands begins behind one of the blanks. */
const PLACE = /:\d{1,10}:\d{1,10}$/;
/** Names with more blanks are hardly those of functions. */
const MOST_BLANKS = 16;
const scripts = new WeakMap<Jitdump, ReadonlyMap<number, readonly string[]>>();

/** What may be the name of a script in the names of the functions, by its length in bytes. */
function scriptsOf(dump: Jitdump): ReadonlyMap<number, readonly string[]> {
	const known = scripts.get(dump);
	if (known !== undefined) {
		return known;
	}
	const names = new Set<string>();
	for (const { name, isV8 } of dump.code) {
		if (isV8 && PLACE.test(name)) {
			const place = name.replace(PLACE, '');
			for (let i = 0, blank = place.indexOf(' '); i < MOST_BLANKS && blank >= 0; i++, blank = place.indexOf(' ', blank + 1)) {
				names.add(place.slice(blank + 1));
			}
		}
	}
	const result = new Map<number, string[]>();
	for (const name of names) {
		const length = Buffer.byteLength(name);
		const alike = result.get(length);
		if (alike === undefined) {
			result.set(length, [name]);
		} else {
			alike.push(name);
		}
	}
	scripts.set(dump, result);
	return result;
}
