/** Units of `.debug_info`: their headers, abbreviations and attributes (DWARF 2 to 5, 7.5), as far as functions and their addresses are concerned. */
import { At, Form } from './constants.js';
import { Cursor, DwarfError, textAt } from './cursor.js';
import type { DebugSections } from './sections.js';

/** An entry's form in a unit. Attributes and forms in pairs. */
interface Abbreviation {
	readonly tag: number;
	readonly hasChildren: boolean;
	readonly attributes: readonly number[];
	readonly forms: readonly number[];
	readonly constants: readonly number[];
}

/** Where a unit lies, and what its indices are counted from. */
export interface Unit {
	readonly sections: DebugSections;
	/** Where it begins in its section. */
	readonly offset: number;
	readonly firstEntry: number;
	readonly end: number;
	readonly version: number;
	readonly offsetBytes: 4 | 8;
	readonly addressBytes: number;
	readonly abbreviations: ReadonlyMap<number, Abbreviation>;
	readonly dwoId: number | null;
	stringBase: number;
	addressBase: number;
	rangesBase: number;
	/** GNU's extension of DWARF 4: what the lists of the split part count from, not those of this unit. */
	splitRangesBase: number;
	/** Of the file that holds `.debug_addr`: another one where the unit is split off. */
	addresses: DebugSections;
}

/** An attribute's value: a number, and what kind of number it is. */
export interface Value {
	readonly form: number;
	readonly number: number;
	/** Of a text that stands in the entry itself. */
	readonly text: string | null;
}

/** Entries of a unit, read in order. */
export interface Entry {
	readonly offset: number;
	readonly tag: number;
	readonly hasChildren: boolean;
	readonly values: ReadonlyMap<number, Value>;
}

const UT_COMPILE = 1;
const UT_SKELETON = 4;
const UT_SPLIT_COMPILE = 5;
const UT_TYPES = [2, 6];

/** Headers of all units. What is damaged ends the list, and is told by `onDamage`. */
export function readUnits(sections: DebugSections, onDamage: (message: string) => void): Unit[] {
	const info = sections.section('info');
	const known = new Map<number, ReadonlyMap<number, Abbreviation>>();
	const units: Unit[] = [];
	let at = 0;
	try {
		while (at + 11 <= info.length) {
			const cursor = new Cursor(info, sections.isLittle, at);
			const { end, offsetBytes } = cursor.unitEnd();
			const unit = readHeader(sections, cursor, { offset: at, end, offsetBytes }, known);
			if (unit !== null) {
				units.push(unit);
			}
			if (end <= at) {
				break;
			}
			at = end;
		}
	} catch (error) {
		if (!(error instanceof DwarfError)) {
			throw error;
		}
		onDamage(`.debug_info is damaged at byte ${at}: ${error.message}`);
	}
	return units;
}

function readHeader(
	sections: DebugSections,
	cursor: Cursor,
	{ offset, end, offsetBytes }: { offset: number; end: number; offsetBytes: 4 | 8 },
	known: Map<number, ReadonlyMap<number, Abbreviation>>,
): Unit | null {
	const version = cursor.u16();
	if (version < 2 || version > 5) {
		return null;
	}
	const type = version >= 5 ? cursor.u8() : UT_COMPILE;
	const early = version >= 5 ? cursor.u8() : 0;
	const abbreviationOffset = cursor.sized(offsetBytes);
	const addressBytes = version >= 5 ? early : cursor.u8();
	if (UT_TYPES.includes(type)) {
		return null;
	}
	const dwoId = type === UT_SKELETON || type === UT_SPLIT_COMPILE ? cursor.u64() : null;
	let abbreviations = known.get(abbreviationOffset);
	if (abbreviations === undefined) {
		abbreviations = readAbbreviations(new Cursor(sections.section('abbrev'), sections.isLittle, abbreviationOffset));
		known.set(abbreviationOffset, abbreviations);
	}
	// Without a base the numbers count from behind the header of the only table.
	const headBytes = version >= 5 ? offsetBytes * 2 : 0;
	return {
		sections,
		offset,
		firstEntry: cursor.at,
		end,
		version,
		offsetBytes,
		addressBytes,
		abbreviations,
		dwoId,
		stringBase: headBytes,
		addressBase: headBytes,
		rangesBase: version >= 5 ? (offsetBytes === 8 ? 20 : 12) : 0,
		splitRangesBase: 0,
		addresses: sections,
	};
}

function readAbbreviations(cursor: Cursor): ReadonlyMap<number, Abbreviation> {
	const result = new Map<number, Abbreviation>();
	for (let code = cursor.uleb(); code !== 0; code = cursor.at < cursor.bytes.length ? cursor.uleb() : 0) {
		const tag = cursor.uleb();
		const hasChildren = cursor.u8() !== 0;
		const attributes: number[] = [];
		const forms: number[] = [];
		const constants: number[] = [];
		for (;;) {
			const attribute = cursor.uleb();
			const form = cursor.uleb();
			const constant = form === Form.ImplicitConst ? cursor.sleb() : 0;
			if (attribute === 0 && form === 0) {
				break;
			}
			attributes.push(attribute);
			forms.push(form);
			constants.push(constant);
		}
		result.set(code, { tag, hasChildren, attributes, forms, constants });
	}
	return result;
}

const WANTED: ReadonlySet<number> = new Set(Object.values(At));

/** The entry at the cursor; null: the end of a list of children. Values are read where `wants` the tag. */
export function readEntry(unit: Unit, cursor: Cursor, wants: (tag: number) => boolean): Entry | null {
	const offset = cursor.at;
	const code = cursor.uleb();
	if (code === 0) {
		return null;
	}
	const abbreviation = unit.abbreviations.get(code);
	if (abbreviation === undefined) {
		throw new DwarfError(`the entry at ${offset} has no abbreviation`);
	}
	const { tag, hasChildren, attributes, forms, constants } = abbreviation;
	const isWanted = wants(tag);
	const values = isWanted ? new Map<number, Value>() : NO_VALUES;
	for (let i = 0; i < attributes.length; i++) {
		const form = forms[i]!;
		if (isWanted && WANTED.has(attributes[i]!)) {
			(values as Map<number, Value>).set(
				attributes[i]!,
				form === Form.ImplicitConst ? { form, number: constants[i]!, text: null } : readValue(unit, cursor, form),
			);
		} else {
			skipValue(unit, cursor, form);
		}
	}
	return { offset, tag, hasChildren, values };
}

const NO_VALUES: ReadonlyMap<number, Value> = new Map();

function readValue(unit: Unit, cursor: Cursor, form: number): Value {
	if (form === Form.String) {
		return { form, number: 0, text: cursor.text() };
	}
	if (form === Form.Indirect) {
		return readValue(unit, cursor, cursor.uleb());
	}
	return { form, number: numberOf(unit, cursor, form), text: null };
}

function numberOf(unit: Unit, cursor: Cursor, form: number): number {
	switch (form) {
		case Form.Addr:
			return cursor.sized(unit.addressBytes);
		case Form.Data1:
		case Form.Flag:
		case Form.Ref1:
		case Form.Strx1:
		case Form.Addrx1:
			return cursor.u8();
		case Form.Data2:
		case Form.Ref2:
		case Form.Strx2:
		case Form.Addrx2:
			return cursor.u16();
		case Form.Strx3:
		case Form.Addrx3:
			return cursor.u24();
		case Form.Data4:
		case Form.Ref4:
		case Form.Strx4:
		case Form.Addrx4:
		case Form.RefSup4:
			return cursor.u32();
		case Form.Data8:
		case Form.Ref8:
		case Form.RefSig8:
		case Form.RefSup8:
			return cursor.u64();
		case Form.Sdata:
			return cursor.sleb();
		case Form.Udata:
		case Form.RefUdata:
		case Form.Strx:
		case Form.Addrx:
		case Form.Loclistx:
		case Form.Rnglistx:
		case Form.GnuAddrIndex:
		case Form.GnuStrIndex:
			return cursor.uleb();
		case Form.Strp:
		case Form.SecOffset:
		case Form.StrpSup:
		case Form.LineStrp:
		case Form.GnuRefAlt:
		case Form.GnuStrpAlt:
			return cursor.sized(unit.offsetBytes);
		case Form.RefAddr:
			return cursor.sized(unit.version === 2 ? unit.addressBytes : unit.offsetBytes);
		case Form.FlagPresent:
			return 1;
		default:
			skipValue(unit, cursor, form);
			return 0;
	}
}

function skipValue(unit: Unit, cursor: Cursor, form: number): void {
	switch (form) {
		case Form.Block1:
			cursor.skip(cursor.u8());
			return;
		case Form.Block2:
			cursor.skip(cursor.u16());
			return;
		case Form.Block4:
			cursor.skip(cursor.u32());
			return;
		case Form.Block:
		case Form.Exprloc:
			cursor.skip(cursor.uleb());
			return;
		case Form.Data16:
			cursor.skip(16);
			return;
		case Form.String:
			cursor.text();
			return;
		case Form.Indirect:
			skipValue(unit, cursor, cursor.uleb());
			return;
		case Form.ImplicitConst:
			return;
		default:
			if (!NUMBERS.has(form)) {
				throw new DwarfError(`an attribute of form ${form}`);
			}
			numberOf(unit, cursor, form);
	}
}

const BLOCKS: ReadonlySet<number> = new Set([Form.Block, Form.Block1, Form.Block2, Form.Block4, Form.Exprloc, Form.Data16, Form.String, Form.Indirect]);
const NUMBERS: ReadonlySet<number> = new Set(Object.values(Form).filter((form) => !BLOCKS.has(form)));

/** The text that a value stands for; null where it is none. */
export function textOf(unit: Unit, value: Value | undefined): string | null {
	if (value === undefined) {
		return null;
	}
	const { form, number, text } = value;
	switch (form) {
		case Form.String:
			return text;
		case Form.Strp:
			return textAt(unit.sections.section('str'), number);
		case Form.LineStrp:
			return textAt(unit.sections.section('line_str'), number);
		case Form.Strx:
		case Form.Strx1:
		case Form.Strx2:
		case Form.Strx3:
		case Form.Strx4:
		case Form.GnuStrIndex: {
			const offsets = unit.sections.section('str_offsets');
			const at = unit.stringBase + number * unit.offsetBytes;
			return at + unit.offsetBytes > offsets.length
				? null
				: textAt(unit.sections.section('str'), new Cursor(offsets, unit.sections.isLittle, at).sized(unit.offsetBytes));
		}
		default:
			return null;
	}
}

/** The address that a value stands for; null where it is none. */
export function addressOf(unit: Unit, value: Value | undefined): number | null {
	switch (value?.form) {
		case Form.Addr:
			return value.number;
		case Form.Addrx:
		case Form.Addrx1:
		case Form.Addrx2:
		case Form.Addrx3:
		case Form.Addrx4:
		case Form.GnuAddrIndex:
			return indexedAddress(unit, value.number);
		default:
			return null;
	}
}

export function indexedAddress({ addresses, addressBase, addressBytes }: Unit, index: number): number | null {
	const table = addresses.section('addr');
	const at = addressBase + index * addressBytes;
	return at + addressBytes > table.length ? null : new Cursor(table, addresses.isLittle, at).sized(addressBytes);
}
