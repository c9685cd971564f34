/** A section of an ELF file by its name; what assay order cc embeds of its map lies in one. Format: System V ABI, chapter 4. */
import { readRange, type Source } from '../../../bytes/source.js';

const MAX_HEADERS_BYTES = 64 << 20;
const MAX_SECTION_BYTES = 1 << 30;

/** The section's bytes; null when the file is no ELF file, is damaged, or has no such section. */
export function readElfSection(source: Source, name: string): Uint8Array | null {
	const head = readRange(source, 0, 64);
	if (head.length < 52 || head[0] !== 0x7f || head[1] !== 0x45 || head[2] !== 0x4c || head[3] !== 0x46) {
		return null;
	}
	const is64 = head[4] === 2;
	const isLittle = head[5] === 1;
	const file = new DataView(head.buffer, head.byteOffset, head.byteLength);
	const address = (view: DataView, at64: number, at32: number, base = 0): number =>
		is64 ? Number(view.getBigUint64(base + at64, isLittle)) : view.getUint32(base + at32, isLittle);
	if (is64 && head.length < 64) {
		return null;
	}
	const tableOffset = address(file, 40, 32);
	const headerBytes = file.getUint16(is64 ? 58 : 46, isLittle);
	let count = file.getUint16(is64 ? 60 : 48, isLittle);
	let namesIndex = file.getUint16(is64 ? 62 : 50, isLittle);
	if (tableOffset === 0 || headerBytes < (is64 ? 64 : 40)) {
		return null;
	}
	const at = (view: DataView, index: number): { name: number; offset: number; size: number; link: number } | null => {
		const base = index * headerBytes;
		return base + headerBytes > view.byteLength
			? null
			: {
					name: view.getUint32(base, isLittle),
					offset: address(view, 24, 16, base),
					size: address(view, 32, 20, base),
					link: view.getUint32(base + (is64 ? 40 : 24), isLittle),
				};
	};
	const read = (length: number): DataView => {
		const bytes = readRange(source, tableOffset, tableOffset + Math.min(length, MAX_HEADERS_BYTES));
		return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	};
	// More sections than 16 bits count: the first header tells.
	const first = at(read(headerBytes), 0);
	count = count === 0 ? (first?.size ?? 0) : count;
	namesIndex = namesIndex === 0xffff ? (first?.link ?? 0) : namesIndex;
	const table = read(count * headerBytes);
	const names = at(table, namesIndex);
	if (names === null) {
		return null;
	}
	const wanted = new TextEncoder().encode(`${name}\0`);
	for (let i = 0; i < count; i++) {
		const section = at(table, i);
		if (section === null) {
			return null;
		}
		const start = names.offset + section.name;
		const spelled = readRange(source, start, Math.min(start + wanted.length, names.offset + names.size));
		if (spelled.length === wanted.length && spelled.every((byte, j) => byte === wanted[j])) {
			return section.size > MAX_SECTION_BYTES ? null : readRange(source, section.offset, section.offset + section.size);
		}
	}
	return null;
}
