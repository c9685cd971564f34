/** What a program or shared library asks the dynamic linker for (System V ABI, "Dynamic Section"). */
import { readRange, type Source } from '../../../bytes/source.js';
import { long, readSectionTable, stringAt, tableBytes } from './section-table.js';

const SHT_DYNAMIC = 6;
const DT_NULL = 0;
const DT_NEEDED = 1;
const DT_SONAME = 14;
const MOST_BYTES = 1 << 20;

export interface DynamicNames {
	/** Libraries, as they are asked for. */
	readonly needed: readonly string[];
	/** By which a library is asked for; null: by its file. */
	readonly soname: string | null;
}

/** Empty where there is none, or it cannot be read. */
export function readDynamicNames(source: Source): DynamicNames {
	const table = readSectionTable(source);
	const header = table.kind === 'unusable' ? undefined : table.headers.find(({ type }) => type === SHT_DYNAMIC);
	if (table.kind === 'unusable' || header === undefined) {
		return { needed: [], soname: null };
	}
	const { headers, is64, isLittle } = table;
	const linked = headers[header.link];
	const strings = linked === undefined ? new Uint8Array(0) : tableBytes(source, linked);
	const bytes = readRange(source, header.offset, header.offset + Math.min(header.sizeBytes, MOST_BYTES));
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const half = is64 ? 8 : 4;
	const needed: string[] = [];
	let soname: string | null = null;
	for (let at = 0; at + 2 * half <= bytes.length; at += 2 * half) {
		const tag = is64 ? long(view, at, isLittle) : view.getUint32(at, isLittle);
		const value = is64 ? long(view, at + half, isLittle) : view.getUint32(at + half, isLittle);
		if (tag === DT_NULL) {
			break;
		}
		if (tag === DT_NEEDED) {
			needed.push(stringAt(strings, value));
		} else if (tag === DT_SONAME) {
			soname = stringAt(strings, value);
		}
	}
	return { needed, soname };
}
