/**
 * The map of a module travels in its object: a section that the linker puts together from all objects, also through archives and partial links, and that
 * is not loaded. A line for each module: a mark and the packed JSON of it.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Source } from '../bytes/source.js';
import { memorySource } from '../bytes/source.js';
import { readOrderMap } from '../formats/order-map/read.js';
import { writeOrderMap } from '../formats/order-map/write.js';
import { readElfSection } from '../formats/shared/elf/read-section.js';
import type { OrderMap } from '../model/order-map.js';

const SECTION = '.assay_order_map';
const MARK = 'assay-order-map-1 ';

/** `module asm` lines of IR that hold the map of one module. */
export function embeddedMapText(map: OrderMap): string {
	let json = '';
	writeOrderMap(map, (text) => {
		json += text;
	});
	const packed = deflateRawSync(Buffer.from(json), { level: 9 }).toString('base64');
	const pieces = packed.match(/.{1,4000}/g) ?? [];
	const ascii = (text: string): string => `module asm ".ascii \\22${text}\\22"\n`;
	return [
		`module asm ".pushsection ${SECTION},\\22\\22,%progbits"\n`,
		ascii(`\\5Cn${MARK}`),
		...pieces.map(ascii),
		ascii('\\5Cn'),
		'module asm ".popsection"\n',
	].join('');
}

/** The maps that a linked file holds; damaged ones are counted. */
export function readEmbeddedMaps(source: Source): { readonly maps: readonly OrderMap[]; readonly damaged: number } {
	const section = readElfSection(source, SECTION);
	const maps: OrderMap[] = [];
	let damaged = 0;
	const text = section === null ? '' : Buffer.from(section).toString('latin1');
	for (const line of text.split('\n')) {
		if (!line.startsWith(MARK)) {
			continue;
		}
		try {
			const json = inflateRawSync(Buffer.from(line.slice(MARK.length), 'base64'), { maxOutputLength: 1 << 28 });
			maps.push(readOrderMap(memorySource(source.name, json)));
		} catch {
			damaged++;
		}
	}
	return { maps, damaged };
}
