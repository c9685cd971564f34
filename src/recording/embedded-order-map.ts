/** The map of an instrumented program in the program itself: what the compiler driver put into each object, as the linker put it together. */
import { inflateRawSync } from 'node:zlib';
import { memorySource, type Source } from '../bytes/source.js';
import { readOrderMap } from '../formats/order-map/read.js';
import { readElfSection } from '../formats/shared/elf/read-section.js';
import { readMachOSections } from '../formats/shared/macho/read-section.js';
import { combineHashes, type OrderMap, type OrderMapModule } from '../model/order-map.js';
import { InputError } from '../model/problem.js';

/** Not loaded. A line for each module: the mark, and its map as JSON, deflated, in base 64. */
export const EMBEDDED_MAP_SECTION = '.assay_order_map';
/** Of Mach-O: segment and section. It is loaded, as all of a Mach-O file is, and nothing touches it. */
export const EMBEDDED_MAP_MACHO = { segment: '__ASSAY', section: '__order_map' };
export const EMBEDDED_MAP_MARK = 'assay-order-map-1 ';

export interface EmbeddedMap {
	/** Null where the file holds none: it was not made by the driver, or was stripped of the section. */
	readonly map: OrderMap | null;
	/** Modules whose maps cannot be read. */
	readonly damaged: number;
}

/** Of a linked ELF or Mach-O file. Throws an {@link InputError} when two modules that differ have one number. */
export function readEmbeddedMap(source: Source): EmbeddedMap {
	const section = readElfSection(source, EMBEDDED_MAP_SECTION);
	const { segment, section: name } = EMBEDDED_MAP_MACHO;
	const sections = section === null ? readMachOSections(source, segment, name) : [section];
	const maps: OrderMap[] = [];
	let damaged = 0;
	const text = Buffer.concat(sections).toString('latin1');
	for (const line of text.split('\n')) {
		if (!line.startsWith(EMBEDDED_MAP_MARK)) {
			continue;
		}
		try {
			const json = inflateRawSync(Buffer.from(line.slice(EMBEDDED_MAP_MARK.length), 'base64'), { maxOutputLength: 1 << 28 });
			maps.push(readOrderMap(memorySource(source.name, json)));
		} catch {
			damaged++;
		}
	}
	const [first] = maps;
	if (first === undefined) {
		return { map: null, damaged };
	}
	const modules = distinctModules(
		source.name,
		maps.flatMap((map) => map.modules),
	);
	return { map: { ...first, buildId: combineHashes(modules.map(({ hash }) => hash)), modules }, damaged };
}

function distinctModules(file: string, all: readonly OrderMapModule[]): OrderMapModule[] {
	const modules = new Map<number, OrderMapModule>();
	for (const module of all) {
		const other = modules.get(module.id);
		if (other !== undefined && other.hash !== module.hash) {
			throw new InputError({
				severity: 'error',
				file,
				message: `modules ${other.name} and ${module.name} have the same number`,
				action: 'leave one of them out with --skip: the numbers are made of what modules hold, by chance they are the same',
			});
		}
		modules.set(module.id, module);
	}
	return withDistinctNames([...modules.values()]);
}

function withDistinctNames(modules: readonly OrderMapModule[]): OrderMapModule[] {
	const counts = new Map<string, number>();
	return modules.map((module) => {
		const count = (counts.get(module.name) ?? 0) + 1;
		counts.set(module.name, count);
		return count === 1 ? module : { ...module, name: `${module.name} (${count})` };
	});
}
