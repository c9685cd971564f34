/** A section of a Mach-O file by its segment and name; what the compiler driver embeds of its map lies in one. <mach-o/loader.h>, <mach-o/fat.h>. */
import { readRange, type Source } from '../../../bytes/source.js';

const MAGIC_32 = 0xfeedface;
const MAGIC_64 = 0xfeedfacf;
const FAT_MAGIC = 0xcafebabe;
const LC_SEGMENT = 0x1;
const LC_SEGMENT_64 = 0x19;
const NAME_BYTES = 16;
const MAX_COMMANDS_BYTES = 1 << 24;
const MAX_SECTION_BYTES = 1 << 30;
/** Java's class files have the same magic, and a version where this count is. */
const MAX_ARCHITECTURES = 30;
const FAT_ARCH_BYTES = 20;

/** Whether the first bytes of a file, as Latin-1 text, are those of a Mach-O file, of one architecture or several. */
export function isMachO(head: string): boolean {
	const mark = head.slice(0, 4);
	return (
		mark === '\xcf\xfa\xed\xfe' ||
		mark === '\xce\xfa\xed\xfe' ||
		(mark === '\xca\xfe\xba\xbe' && head.startsWith('\0\0\0', 4) && head.charCodeAt(7) > 0 && head.charCodeAt(7) <= MAX_ARCHITECTURES)
	);
}

/** The section's bytes in each architecture that has it, as far as the file has them; empty when the file is no Mach-O file, is damaged, or has no such section. */
export function readMachOSections(source: Source, segment: string, section: string): Uint8Array[] {
	const head = viewOf(readRange(source, 0, 8));
	if (head.byteLength < 8 || head.getUint32(0) !== FAT_MAGIC) {
		return sectionOf(source, 0, segment, section);
	}
	const count = Math.min(head.getUint32(4), MAX_ARCHITECTURES);
	const architectures = viewOf(readRange(source, 8, 8 + FAT_ARCH_BYTES * count));
	const found: Uint8Array[] = [];
	for (let at = 0; at + FAT_ARCH_BYTES <= architectures.byteLength; at += FAT_ARCH_BYTES) {
		found.push(...sectionOf(source, architectures.getUint32(at + 8), segment, section));
	}
	return found;
}

/** Of the file of one architecture that begins at `start`; little-endian, as those of all Apple systems in use are. */
function sectionOf(source: Source, start: number, segment: string, section: string): Uint8Array[] {
	const header = viewOf(readRange(source, start, start + 32));
	const magic = header.byteLength < 32 ? 0 : header.getUint32(0, true);
	if (magic !== MAGIC_64 && magic !== MAGIC_32) {
		return [];
	}
	const is64 = magic === MAGIC_64;
	const commandsStart = start + (is64 ? 32 : 28);
	const commands = readRange(source, commandsStart, commandsStart + Math.min(header.getUint32(20, true), MAX_COMMANDS_BYTES));
	const view = viewOf(commands);
	const sectionBytes = is64 ? 80 : 68;
	for (let at = 0; at + 8 <= view.byteLength; ) {
		const command = view.getUint32(at, true);
		const end = at + view.getUint32(at + 4, true);
		if (end < at + 8 || end > view.byteLength) {
			return [];
		}
		if (command === (is64 ? LC_SEGMENT_64 : LC_SEGMENT)) {
			for (let own = at + (is64 ? 72 : 56); own + sectionBytes <= end; own += sectionBytes) {
				if (nameAt(commands, own) === section && nameAt(commands, own + NAME_BYTES) === segment) {
					const size = is64 ? view.getBigUint64(own + 40, true) : BigInt(view.getUint32(own + 36, true));
					const offset = start + view.getUint32(own + (is64 ? 48 : 40), true);
					return size > MAX_SECTION_BYTES ? [] : [readRange(source, offset, offset + Number(size))];
				}
			}
		}
		at = end;
	}
	return [];
}

function nameAt(bytes: Uint8Array, at: number): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset + at, NAME_BYTES)
		.toString('latin1')
		.replace(/\0[\s\S]*/, '');
}

function viewOf(bytes: Uint8Array): DataView {
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
