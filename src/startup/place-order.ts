/**
 * Where lld puts the sections of a program under a symbol ordering file: in each output section those that are named first, by the place of the first of their
 * symbols in the list, then the others as they were; each at the next multiple of its alignment. Checked against linked programs: live/order-layout.test.ts, and
 * for ld64.lld, whose sort keeps sections of equal places as they were, live/order-macho.test.ts.
 */
import type { TextLayout } from '../model/text-layout.js';
import { linkerSort } from './linker-sort.js';

/**
 * On machines whose branches do not reach far, lld puts the named sections into the middle of the others once there is more code than this. Bytes.
 */
const BRANCH_REACH: Record<string, number> = { AARCH64: 0x8000000 - 0x30000, ARM: 0x1000000 - 0x30000, PPC64: 0x2000000 };

/** The same program under another order. */
export function placeOrder(layout: TextLayout, order: readonly string[], name: string): TextLayout {
	const { regions, sectionStarts, sectionSizes, sectionAlignments } = layout;
	const priorities = sectionPriorities(layout, order);
	const starts = new Float64Array(sectionStarts.length);
	const placedRegions = [...regions];
	const ends = new Float64Array(regions.length);
	let shift = { oldEnd: 0, newEnd: 0 };
	regions.forEach((region, i) => {
		const { endSection } = region;
		// What follows a region moves with its end, unless it lies elsewhere for reasons of its own.
		const start = i > 0 && startAfter(shift.oldEnd, region) === region.start ? startAfter(shift.newEnd, region) : region.start;
		let position = start;
		for (const section of sectionOrder(layout, region, priorities)) {
			position = alignUp(position, sectionAlignments[section]!);
			starts[section] = position;
			position += sectionSizes[section]!;
		}
		shift = { oldEnd: sectionStarts[endSection - 1]! + sectionSizes[endSection - 1]!, newEnd: position };
		ends[i] = position;
		placedRegions[i] = { ...region, start };
	});
	return { ...layout, name, regions: placedRegions, code: placeCode(layout, placedRegions, ends), sectionStarts: starts };
}

/** Sections of code that no order moves: what follows another without more than alignment between them moves with its end. */
function placeCode({ code, regions }: TextLayout, placed: TextLayout['regions'], ends: Float64Array): TextLayout['code'] {
	let before = { oldEnd: Number.NaN, newEnd: Number.NaN };
	return code.map((section) => {
		const { address, sizeBytes, alignment } = section;
		const region = regions.findIndex(({ start }) => start === address);
		const follows = alignUp(before.oldEnd, alignment) === address;
		const newAddress = placed[region]?.start ?? (follows ? alignUp(before.newEnd, alignment) : address);
		const newSize = region < 0 ? sizeBytes : ends[region]! - newAddress;
		before = { oldEnd: address + sizeBytes, newEnd: newAddress + newSize };
		return { ...section, address: newAddress, sizeBytes: newSize };
	});
}

function startAfter(end: number, { precededBy, alignment }: TextLayout['regions'][number]): number {
	let position = end;
	for (const between of precededBy) {
		position = alignUp(position, between.alignment) + between.sizeBytes;
	}
	return alignUp(position, alignment);
}

/** Of each section the first place of one of its symbols in the order; -1 for none. */
export function sectionPriorities({ symbolNames, symbolFunctions, functionSections, sectionStarts }: TextLayout, order: readonly string[]): Int32Array {
	const places = new Map<string, number>();
	order.forEach((symbol, i) => {
		if (!places.has(symbol)) {
			places.set(symbol, i);
		}
	});
	const priorities = new Int32Array(sectionStarts.length).fill(-1);
	for (let i = 0; i < symbolNames.length; i++) {
		const place = places.get(symbolNames[i]!);
		if (place !== undefined) {
			const section = functionSections[symbolFunctions[i]!]!;
			const known = priorities[section]!;
			priorities[section] = known < 0 ? place : Math.min(known, place);
		}
	}
	return priorities;
}

function sectionOrder(
	{ machine, machOArchitecture, sectionSizes }: TextLayout,
	{ firstSection, endSection }: TextLayout['regions'][number],
	priorities: Int32Array,
): Int32Array {
	const listed: number[] = [];
	const others: number[] = [];
	let totalBytes = 0;
	let otherBytes = 0;
	for (let section = firstSection; section < endSection; section++) {
		const size = sectionSizes[section]!;
		totalBytes += size;
		if (priorities[section]! >= 0) {
			listed.push(section);
		} else {
			others.push(section);
			otherBytes += size;
		}
	}
	const sorted = Int32Array.from(listed);
	if (machOArchitecture === null) {
		linkerSort(sorted, priorities);
	} else {
		sorted.sort((a, b) => priorities[a]! - priorities[b]! || a - b);
	}
	let insertAt = 0;
	if (machOArchitecture === null && sorted.length > 0 && totalBytes >= (BRANCH_REACH[machine ?? ''] ?? Number.POSITIVE_INFINITY)) {
		let position = 0;
		for (; insertAt < others.length; insertAt++) {
			position += sectionSizes[others[insertAt]!]!;
			if (position > otherBytes / 2) {
				break;
			}
		}
	}
	const order = new Int32Array(endSection - firstSection);
	order.set(others.slice(0, insertAt));
	order.set(sorted, insertAt);
	order.set(others.slice(insertAt), insertAt + sorted.length);
	return order;
}

function alignUp(position: number, alignment: number): number {
	const over = position % alignment;
	return over === 0 ? position : position + alignment - over;
}
