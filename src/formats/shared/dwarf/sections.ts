/** The sections of debug information of an ELF file, unpacked where they are compressed (SHF_COMPRESSED with zlib or Zstandard, .zdebug). Those of split files end in `.dwo`. */
import { unzlibSync } from 'fflate';
import type { Source } from '../../../bytes/source.js';
import { long, readSectionTable, type SectionTable, tableBytes } from '../elf/section-table.js';

const SHF_COMPRESSED = 0x800;
const ZLIB = 1;
const ZSTD = 2;
/** Deflate makes a byte of at least a thousandth; what is packed tighter by Zstandard is no debug information. */
const MOST_RATIO = 1100;
const EMPTY = new Uint8Array(0);
/** Nobody has more; a damaged size is not believed. */
const MOST_BYTES = 2 ** 31 - 1;

/** null: it is damaged. */
export type UnpackZstd = (bytes: Uint8Array, sizeBytes: number) => Uint8Array | null;

export interface DebugSections {
	readonly isLittle: boolean;
	/** Names of sections that are packed in a way that is not read. */
	readonly unread: readonly string[];
	/** `info`: the bytes of `.debug_info`, or `.debug_info.dwo`; empty without. */
	section(name: string): Uint8Array;
}

/** null: it is no ELF file, or a damaged one. */
export function debugSections(source: Source, unpackZstd: UnpackZstd | null): DebugSections | null {
	const table = readSectionTable(source);
	if (table.kind === 'unusable') {
		return null;
	}
	const known = new Map<string, Uint8Array>();
	const unread: string[] = [];
	return {
		isLittle: table.isLittle,
		unread,
		section(name) {
			let bytes = known.get(name);
			if (bytes === undefined) {
				bytes = sectionBytes(table, name, unpackZstd, unread);
				known.set(name, bytes);
			}
			return bytes;
		},
	};
}

function sectionBytes(table: SectionTable, name: string, unpackZstd: UnpackZstd | null, unread: string[]): Uint8Array {
	const at = table.names.findIndex((own) => own === `.debug_${name}` || own === `.debug_${name}.dwo` || own === `.zdebug_${name}`);
	const header = table.headers[at];
	if (header === undefined || header.sizeBytes > MOST_BYTES) {
		return EMPTY;
	}
	const bytes = tableBytes(table.source, header);
	const isOld = table.names[at]!.startsWith('.z');
	if (!isOld && (header.flags & SHF_COMPRESSED) === 0) {
		return bytes;
	}
	const headBytes = isOld ? 12 : table.is64 ? 24 : 12;
	if (bytes.length < headBytes) {
		return EMPTY;
	}
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const kind = isOld ? ZLIB : view.getUint32(0, table.isLittle);
	const sizeBytes = isOld ? long(view, 4, false) : table.is64 ? long(view, 8, table.isLittle) : view.getUint32(4, table.isLittle);
	if (kind === ZSTD && unpackZstd !== null && sizeBytes <= Math.min(MOST_BYTES, bytes.length * MOST_RATIO)) {
		const unpacked = unpackZstd(bytes.subarray(headBytes), sizeBytes);
		if (unpacked === null) {
			unread.push(table.names[at]!);
		}
		return unpacked ?? EMPTY;
	}
	if (kind !== ZLIB || sizeBytes > bytes.length * MOST_RATIO) {
		unread.push(table.names[at]!);
		return EMPTY;
	}
	try {
		return unzlibSync(bytes.subarray(headBytes), { out: new Uint8Array(sizeBytes) });
	} catch {
		unread.push(table.names[at]!);
		return EMPTY;
	}
}
