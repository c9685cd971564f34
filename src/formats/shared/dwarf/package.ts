/** Packages of split debug information (`.dwp`, DWARF 5, 7.3.5; GNU's form before it has version 2): the sections of one unit are parts of those of the file. */
import type { DebugSections } from './sections.js';

const HEADER_BYTES = 16;
/** By their numbers; those that are not here belong to no unit alone, or are not read. */
const SECTIONS: ReadonlyMap<number, string> = new Map([
	[1, 'info'],
	[3, 'abbrev'],
	[4, 'line'],
	[6, 'str_offsets'],
	[8, 'rnglists'],
]);

/** Of the unit with that id; null: it is not in the package, or its index is damaged. */
export function packagedSections(whole: DebugSections, id: number): DebugSections | null {
	const index = whole.section('cu_index');
	const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
	const { isLittle } = whole;
	const word = (at: number): number => view.getUint32(at, isLittle);
	if (index.length < HEADER_BYTES) {
		return null;
	}
	const [columns, units, slots] = [word(4), word(8), word(12)];
	const rowsAt = HEADER_BYTES + 8 * slots;
	const namesAt = rowsAt + 4 * slots;
	const offsetsAt = namesAt + 4 * columns;
	const sizesAt = offsetsAt + 4 * columns * units;
	if (sizesAt + 4 * columns * units > index.length) {
		return null;
	}
	for (let slot = 0; slot < slots; slot++) {
		const at = HEADER_BYTES + 8 * slot;
		const own = word(at + (isLittle ? 4 : 0)) * 2 ** 32 + word(at + (isLittle ? 0 : 4));
		const row = word(rowsAt + 4 * slot);
		if (own === id && row > 0 && row <= units) {
			const parts = new Map<string, readonly [from: number, to: number]>();
			for (let column = 0; column < columns; column++) {
				const cell = 4 * (columns * (row - 1) + column);
				const name = SECTIONS.get(word(namesAt + 4 * column));
				if (name !== undefined) {
					parts.set(name, [word(offsetsAt + cell), word(offsetsAt + cell) + word(sizesAt + cell)]);
				}
			}
			return partsOf(whole, parts);
		}
	}
	return null;
}

function partsOf(whole: DebugSections, parts: ReadonlyMap<string, readonly [from: number, to: number]>): DebugSections {
	return {
		isLittle: whole.isLittle,
		unread: whole.unread,
		section(name) {
			const part = parts.get(name);
			return part === undefined ? whole.section(name) : whole.section(name).subarray(...part);
		},
	};
}
