/**
 * The map of a module travels in its object: a section that the linker puts together from all objects, also through archives and partial links, and that
 * is not loaded, or with Mach-O is not touched. A line for each module: a mark and the packed JSON of it.
 */
import { deflateRawSync } from 'node:zlib';
import { writeOrderMap } from '../formats/order-map/write.js';
import type { OrderMap } from '../model/order-map.js';
import { EMBEDDED_MAP_MACHO, EMBEDDED_MAP_MARK, EMBEDDED_MAP_SECTION } from '../recording/embedded-order-map.js';

/** `module asm` lines of IR that hold the map of one module. */
export function embeddedMapText(map: OrderMap, isMachO: boolean): string {
	let json = '';
	writeOrderMap(map, (text) => {
		json += text;
	});
	const packed = deflateRawSync(Buffer.from(json), { level: 9 }).toString('base64');
	const pieces = packed.match(/.{1,4000}/g) ?? [];
	const ascii = (text: string): string => `module asm ".ascii \\22${text}\\22"\n`;
	const elfSection = `${EMBEDDED_MAP_SECTION},\\22\\22,%progbits`;
	const machOSection = `${EMBEDDED_MAP_MACHO.segment},${EMBEDDED_MAP_MACHO.section},regular,no_dead_strip`;
	return [
		`module asm ".pushsection ${isMachO ? machOSection : elfSection}"\n`,
		ascii(`\\5Cn${EMBEDDED_MAP_MARK}`),
		...pieces.map(ascii),
		ascii('\\5Cn'),
		'module asm ".popsection"\n',
	].join('');
}
