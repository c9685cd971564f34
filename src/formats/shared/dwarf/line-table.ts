/** Lines of source by address: the line number program of a unit (DWARF 2 to 5, 6.2). */
import { lastAtOrBelow } from '../../../model/binary-search.js';
import { Form } from './constants.js';
import { Cursor, DwarfError, textAt } from './cursor.js';
import type { DebugSections } from './sections.js';

/** A line of source; 0 where the compiler names none. */
interface SourceLine {
	/** Position among the table's files; as the unit numbers them. */
	readonly file: number;
	readonly line: number;
	readonly column: number;
}

export interface LineTable {
	/** The path of a file by its number, as the compiler wrote it; null where there is none. */
	fileName(number: number): string | null;
	/** null: no line is told of the address. */
	at(address: number): SourceLine | null;
}

const MOST_ROWS = 1 << 26;
const LNS = {
	Copy: 1,
	AdvancePc: 2,
	AdvanceLine: 3,
	SetFile: 4,
	SetColumn: 5,
	NegateStmt: 6,
	SetBasicBlock: 7,
	ConstAddPc: 8,
	FixedAdvancePc: 9,
	SetPrologueEnd: 10,
	SetEpilogueBegin: 11,
	SetIsa: 12,
} as const;
const LNE = { EndSequence: 1, SetAddress: 2, DefineFile: 3 } as const;
const LNCT = { Path: 1, DirectoryIndex: 2 } as const;

interface LineHeader {
	readonly version: number;
	readonly addressBytes: number;
	readonly leastInstruction: number;
	readonly lineBase: number;
	readonly lineRange: number;
	readonly opcodeBase: number;
	readonly lengths: readonly number[];
	readonly directories: readonly string[];
	readonly files: { readonly name: string; readonly directory: number }[];
	readonly program: number;
	readonly end: number;
}

/** Throws a {@link DwarfError} on damage. `unitAddressBytes`: of addresses before version 5. */
export function readLineTable(sections: DebugSections, offset: number, unitAddressBytes: number, compilationFolder: string): LineTable {
	const cursor = new Cursor(sections.section('line'), sections.isLittle, offset);
	const header = readHeader(sections, cursor, unitAddressBytes);
	const rows = runProgram(cursor, header);
	const { sequences } = rows;
	sequences.sort((a, b) => a.start - b.start);
	const starts = Float64Array.from(sequences, ({ start }) => start);
	const address = Float64Array.from(rows.address);
	return {
		fileName: (number) => pathOf(header, number, compilationFolder),
		at(wanted) {
			const sequence = sequences[lastAtOrBelow(starts, wanted)];
			if (sequence === undefined || wanted >= sequence.end) {
				return null;
			}
			// The last row of those at or before the address is meant.
			const row = sequence.from + lastAtOrBelow(address.subarray(sequence.from, sequence.to), wanted);
			return { file: rows.file[row]!, line: rows.line[row]!, column: rows.column[row]! };
		},
	};
}

function readHeader(sections: DebugSections, cursor: Cursor, unitAddressBytes: number): LineHeader {
	const { end, offsetBytes } = cursor.unitEnd();
	const version = cursor.u16();
	if (version < 2 || version > 5) {
		throw new DwarfError(`a line table of version ${version}`);
	}
	const addressBytes = version >= 5 ? cursor.u8() : unitAddressBytes;
	if (version >= 5) {
		cursor.u8();
	}
	const headerLength = cursor.sized(offsetBytes);
	const program = cursor.at + headerLength;
	const leastInstruction = cursor.u8();
	if (version >= 4) {
		cursor.u8();
	}
	cursor.u8();
	const lineBase = (cursor.u8() << 24) >> 24;
	const lineRange = cursor.u8();
	const opcodeBase = cursor.u8();
	const lengths = [0];
	for (let i = 1; i < opcodeBase; i++) {
		lengths.push(cursor.u8());
	}
	const directories: string[] = [];
	const files: { name: string; directory: number }[] = [];
	if (version >= 5) {
		directories.push(...readEntries(sections, cursor, offsetBytes).map(({ name }) => name));
		files.push(...readEntries(sections, cursor, offsetBytes));
	} else {
		directories.push('');
		for (let name = cursor.text(); name !== ''; name = cursor.text()) {
			directories.push(name);
		}
		files.push({ name: '', directory: 0 });
		for (let name = cursor.text(); name !== ''; name = cursor.text()) {
			files.push({ name, directory: cursor.uleb() });
			cursor.uleb();
			cursor.uleb();
		}
	}
	if (lineRange === 0) {
		throw new DwarfError('a line table without a range of lines');
	}
	return { version, addressBytes, leastInstruction, lineBase, lineRange, opcodeBase, lengths, directories, files, program, end };
}

function readEntries(sections: DebugSections, cursor: Cursor, offsetBytes: 4 | 8): { name: string; directory: number }[] {
	const formats = Array.from({ length: cursor.u8() }, () => ({ content: cursor.uleb(), form: cursor.uleb() }));
	const count = cursor.uleb();
	const entries: { name: string; directory: number }[] = [];
	for (let i = 0; i < count; i++) {
		let name = '';
		let directory = 0;
		for (const { content, form } of formats) {
			const value = readEntryValue(sections, cursor, form, offsetBytes);
			if (content === LNCT.Path) {
				name = String(value);
			} else if (content === LNCT.DirectoryIndex) {
				directory = Number(value);
			}
		}
		entries.push({ name, directory });
		if (formats.length === 0) {
			break;
		}
	}
	return entries;
}

function readEntryValue(sections: DebugSections, cursor: Cursor, form: number, offsetBytes: 4 | 8): string | number {
	switch (form) {
		case Form.String:
			return cursor.text();
		case Form.LineStrp:
			return textAt(sections.section('line_str'), cursor.sized(offsetBytes));
		case Form.Strp:
			return textAt(sections.section('str'), cursor.sized(offsetBytes));
		case Form.Strx:
			return textAtIndex(sections, cursor.uleb(), offsetBytes);
		case Form.Strx1:
			return textAtIndex(sections, cursor.u8(), offsetBytes);
		case Form.Strx2:
			return textAtIndex(sections, cursor.u16(), offsetBytes);
		case Form.Udata:
			return cursor.uleb();
		case Form.Data1:
			return cursor.u8();
		case Form.Data2:
			return cursor.u16();
		case Form.Data4:
			return cursor.u32();
		case Form.Data8:
			return cursor.u64();
		case Form.Data16:
			cursor.skip(16);
			return 0;
		case Form.Block:
			cursor.skip(cursor.uleb());
			return 0;
		default:
			throw new DwarfError(`a line table with names of form ${form}`);
	}
}

/** Only split files have these: their only table of offsets is meant. */
function textAtIndex(sections: DebugSections, index: number, offsetBytes: 4 | 8): string {
	const offsets = sections.section('str_offsets');
	const at = 2 * offsetBytes + index * offsetBytes;
	return at + offsetBytes > offsets.length ? '' : textAt(sections.section('str'), new Cursor(offsets, sections.isLittle, at).sized(offsetBytes));
}

function pathOf({ version, files, directories }: LineHeader, number: number, folder: string): string | null {
	const file = files[number];
	if (file === undefined || (version < 5 && number === 0)) {
		return null;
	}
	const directory = directories[file.directory] ?? '';
	if (file.name.startsWith('/')) {
		return file.name;
	}
	const own = directory === '' ? file.name : `${directory}/${file.name}`;
	return own.startsWith('/') || folder === '' || (version >= 5 && file.directory === 0 && directory === folder) ? own : `${folder}/${own}`;
}

interface Rows {
	readonly address: number[];
	readonly file: number[];
	readonly line: number[];
	readonly column: number[];
	readonly sequences: { readonly start: number; readonly end: number; readonly from: number; readonly to: number }[];
}

function runProgram(cursor: Cursor, header: LineHeader): Rows {
	const rows: Rows = { address: [], file: [], line: [], column: [], sequences: [] };
	const { leastInstruction, lineBase, lineRange, opcodeBase, lengths } = header;
	let address = 0;
	let file = 1;
	let line = 1;
	let column = 0;
	let from = 0;
	const append = (): void => {
		rows.address.push(address);
		rows.file.push(file);
		rows.line.push(line);
		rows.column.push(column);
	};
	const endSequence = (): void => {
		const start = rows.address[from];
		if (start !== undefined && address > start) {
			rows.sequences.push({ start, end: address, from, to: rows.address.length });
		}
		from = rows.address.length;
		address = 0;
		file = 1;
		line = 1;
		column = 0;
	};
	cursor.at = header.program;
	while (cursor.at < header.end && rows.address.length < MOST_ROWS) {
		const opcode = cursor.u8();
		if (opcode >= opcodeBase) {
			const adjusted = opcode - opcodeBase;
			address += Math.floor(adjusted / lineRange) * leastInstruction;
			line += lineBase + (adjusted % lineRange);
			append();
			continue;
		}
		switch (opcode) {
			case 0: {
				const length = cursor.uleb();
				const next = cursor.at + length;
				const extended = length === 0 ? 0 : cursor.u8();
				if (extended === LNE.EndSequence) {
					endSequence();
				} else if (extended === LNE.SetAddress) {
					address = cursor.sized(length - 1);
				} else if (extended === LNE.DefineFile) {
					header.files.push({ name: cursor.text(), directory: cursor.uleb() });
				}
				cursor.at = next;
				break;
			}
			case LNS.Copy:
				append();
				break;
			case LNS.AdvancePc:
				address += cursor.uleb() * leastInstruction;
				break;
			case LNS.AdvanceLine:
				line += cursor.sleb();
				break;
			case LNS.SetFile:
				file = cursor.uleb();
				break;
			case LNS.SetColumn:
				column = cursor.uleb();
				break;
			case LNS.ConstAddPc:
				address += Math.floor((255 - opcodeBase) / lineRange) * leastInstruction;
				break;
			case LNS.FixedAdvancePc:
				address += cursor.u16();
				break;
			case LNS.SetIsa:
				cursor.uleb();
				break;
			case LNS.NegateStmt:
			case LNS.SetBasicBlock:
			case LNS.SetPrologueEnd:
			case LNS.SetEpilogueBegin:
				break;
			default:
				for (let i = 0; i < (lengths[opcode] ?? 0); i++) {
					cursor.uleb();
				}
		}
	}
	return rows;
}
