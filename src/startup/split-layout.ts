/**
 * About where code lies when a list of blocks is compiled and linked: a function's listed blocks in its own section, the others behind it in one called `f.cold`, landing
 * pads that would be in both in `f.eh`. Sizes are estimated: which jumps the compiler adds, drops and lengthens is known when it has compiled.
 */
import { BLOCK_FALLS_THROUGH, BLOCK_IS_LANDING_PAD } from '../model/block-map.js';
import type { LayoutBlocks, TextLayout } from '../model/text-layout.js';
import type { ListedFunction } from './block-list.js';
import { blocksByFunction } from './layout-blocks.js';
import { placeOrder } from './place-order.js';

/** Of a jump that reaches other sections. */
const JUMP_BYTES: Record<string, number> = { X86_64: 5, '386': 5 };
const OTHER_JUMP_BYTES = 4;
/** The last bytes of most parts are not jumped over: of a section that is put apart nothing has to be aligned. */
const PART_ALIGNMENT = 1;

interface Part {
	/** What the name of the function is followed by. */
	readonly suffix: '' | '.eh' | '.cold';
	readonly blocks: readonly number[];
}

/** The layout with the parts as sections and functions of their own, as an order can move them. */
export function splitLayout(layout: TextLayout, blocks: LayoutBlocks, list: readonly ListedFunction[], name: string): TextLayout {
	const listed = new Map(list.map((one) => [one.function, one]));
	const byFunction = blocksByFunction(blocks);
	const inSection = functionsBySection(layout);
	const sections = { starts: [] as number[], sizes: [] as number[], alignments: [] as number[] };
	const functions = { sections: [] as number[], offsets: [] as number[], sizes: [] as number[], names: [] as string[] };
	/** Of each function of the layout its place in the new one. */
	const places = new Int32Array(layout.functionNames.length).fill(-1);
	const parts: { function: number; name: string; of: number }[] = [];
	const columns = { parts: Int32Array.from(blocks.parts), offsets: Float64Array.from(blocks.offsets), sizes: Float64Array.from(blocks.sizes) };
	const moved = new Set<number>();
	const regions = layout.regions.map((region) => {
		const firstSection = sections.starts.length;
		for (let section = region.firstSection; section < region.endSection; section++) {
			const own = inSection[section]!;
			const [f] = own;
			const split = own.length === 1 && f !== undefined ? listed.get(f) : undefined;
			if (split === undefined || f === undefined) {
				for (const one of own) {
					places[one] = functions.names.length;
					functions.names.push(layout.functionNames[one]!);
					functions.sections.push(sections.starts.length);
					functions.offsets.push(layout.functionOffsets[one]!);
					functions.sizes.push(layout.functionSizes[one]!);
				}
				push(sections, layout.sectionSizes[section]!, layout.sectionAlignments[section]!);
				continue;
			}
			for (const { suffix, blocks: members } of partsOf(blocks, byFunction.get(f) ?? [], split)) {
				const number = functions.names.length;
				if (suffix === '') {
					places[f] = number;
				} else {
					parts.push({ function: number, name: `${split.names[0]!}${suffix}`, of: f });
				}
				const size = laidOut(blocks, members, byFunction.get(f)!, layout.machine, (block, offset, bytes) => {
					moved.add(block);
					columns.parts[block] = number;
					columns.offsets[block] = offset;
					columns.sizes[block] = bytes;
				});
				functions.names.push(`${layout.functionNames[f]!}${suffix}`);
				functions.sections.push(sections.starts.length);
				functions.offsets.push(0);
				functions.sizes.push(size);
				push(sections, size, suffix === '' ? layout.sectionAlignments[section]! : PART_ALIGNMENT);
			}
		}
		const endSection = sections.starts.length;
		// Where the region ended: what follows it is moved by the difference.
		const last = region.endSection - 1;
		sections.starts[endSection - 1] = layout.sectionStarts[last]! + layout.sectionSizes[last]! - sections.sizes[endSection - 1]!;
		return { ...region, firstSection, endSection };
	});
	blocks.parts.forEach((part, block) => {
		if (!moved.has(block)) {
			columns.parts[block] = places[part]!;
		}
	});
	const split: TextLayout = {
		...layout,
		regions,
		sectionStarts: Float64Array.from(sections.starts),
		sectionSizes: Float64Array.from(sections.sizes),
		sectionAlignments: Float64Array.from(sections.alignments),
		functionSections: Int32Array.from(functions.sections),
		functionOffsets: Float64Array.from(functions.offsets),
		functionSizes: Float64Array.from(functions.sizes),
		functionNames: functions.names,
		symbolNames: [...layout.symbolNames, ...parts.map((part) => part.name)],
		symbolFunctions: Int32Array.from([...Array.from(layout.symbolFunctions, (f) => places[f]!), ...parts.map((part) => part.function)]),
		symbolIsLocal: Uint8Array.from([...layout.symbolIsLocal, ...parts.map(() => 1)]),
		symbolFiles: [...layout.symbolFiles, ...parts.map(() => null)],
		blocks: sortedBlocks(blocks, columns, places),
	};
	return placeOrder(split, [], name);
}

function push(sections: { starts: number[]; sizes: number[]; alignments: number[] }, size: number, alignment: number): void {
	sections.starts.push(0);
	sections.sizes.push(size);
	sections.alignments.push(alignment);
}

function functionsBySection({ sectionStarts, functionSections }: TextLayout): number[][] {
	const functions: number[][] = Array.from(sectionStarts, () => []);
	functionSections.forEach((section, f) => {
		functions[section]!.push(f);
	});
	return functions;
}

/** In the order in which the compiler writes them. */
function partsOf({ ids, flags }: LayoutBlocks, own: readonly number[], { blocks }: ListedFunction): Part[] {
	const isListed = new Set(blocks);
	const isPad = (block: number): boolean => (flags[block]! & BLOCK_IS_LANDING_PAD) !== 0;
	const pads = own.filter(isPad);
	const isParted = new Set(pads.map((block) => isListed.has(ids[block]!))).size > 1;
	const inEh = (block: number): boolean => isParted && isPad(block);
	const parts: Part[] = [
		{ suffix: '', blocks: own.filter((block) => isListed.has(ids[block]!) && !inEh(block)) },
		{ suffix: '.eh', blocks: own.filter(inEh) },
		{ suffix: '.cold', blocks: own.filter((block) => !isListed.has(ids[block]!) && !inEh(block)) },
	];
	return parts.filter((part) => part.blocks.length > 0);
}

/** Calls back with where each block lies in its part; gives the size of that. */
function laidOut(
	{ offsets, sizes, flags }: LayoutBlocks,
	members: readonly number[],
	own: readonly number[],
	machine: string | null,
	place: (block: number, offset: number, bytes: number) => void,
): number {
	const behind = new Map(own.map((block, i) => [block, own[i + 1]]));
	let position = 0;
	members.forEach((block, i) => {
		const next = members[i + 1];
		const isAsBefore = behind.get(block) === next && next !== undefined;
		const falls = (flags[block]! & BLOCK_FALLS_THROUGH) !== 0;
		const bytes = sizes[block]! + (falls && !isAsBefore ? (JUMP_BYTES[machine ?? ''] ?? OTHER_JUMP_BYTES) : 0);
		place(block, position, bytes);
		position += bytes;
		// Filling in front of a loop stays where its neighbour does.
		position += isAsBefore ? offsets[next]! - offsets[block]! - sizes[block]! : 0;
	});
	return position;
}

function sortedBlocks(
	{ functions, ids, flags, calls, compilers }: LayoutBlocks,
	{ parts, offsets, sizes }: Pick<LayoutBlocks, 'parts' | 'offsets' | 'sizes'>,
	places: Int32Array,
): LayoutBlocks {
	const rows = Uint32Array.from(ids.keys()).sort((a, b) => parts[a]! - parts[b]! || offsets[a]! - offsets[b]! || sizes[a]! - sizes[b]! || a - b);
	return {
		functions: Int32Array.from(rows, (row) => places[functions[row]!]!),
		ids: Int32Array.from(rows, (row) => ids[row]!),
		parts: Int32Array.from(rows, (row) => parts[row]!),
		offsets: Float64Array.from(rows, (row) => offsets[row]!),
		sizes: Float64Array.from(rows, (row) => sizes[row]!),
		flags: Uint8Array.from(rows, (row) => flags[row]!),
		calls: Array.from(rows, (row) => calls[row]!),
		compilers,
	};
}
