/**
 * Packing functions into pages. Only executed bytes cost: a page full of the cold inside or the cold end of a running function is free. So a function with much
 * code that no trace executes is placed at the offset in a page where it touches fewest pages: a hot head at the end of one page, the cold rest on the next
 * ones. Smaller functions of the same class are put before it so that it comes to lie there (a subset sum modulo the page), and the rest of the page
 * that its cold end begins is filled with what its traces do not run; otherwise the next hot function would touch it again.
 */
import type { TextLayout } from '../model/text-layout.js';
import type { HotCode } from './hot-code.js';
import { classMembers } from './order-classes.js';
import { WINDOW_BYTES } from './results.js';

export interface PackOptions {
	/** How many (weighted) pages the best offset of a function must save for it to be placed with care. */
	readonly leastSaving: number;
	/** How many pages must be lost for the rest of a page to be filled; more than none. */
	readonly leastFilling: number;
	/** Fill the rest of a page with what never ran, too; it moves all that stays in its old order. */
	readonly fillsWithCold: boolean;
	/** Begin the hot code at a multiple of 64 KiB, what never ran before it. */
	readonly hasPrefix: boolean;
}

/** How many of the next functions may be put before a special one. */
const REACH = 80;

interface Special {
	/** By offset in granules: weighted pages that it costs there. */
	readonly costs: Float64Array;
}

/** Sections in order; those that never ran and fill are negative, see `scoreOrder`. */
export function packPages(
	hot: HotCode,
	layout: TextLayout,
	region: TextLayout['regions'][number],
	classOrder: readonly number[],
	options: PackOptions,
): Int32Array {
	const packer = new Packer(hot, layout, region, options);
	if (options.hasPrefix) {
		packer.prefix();
	}
	packer.pack(classOrder, classMembers(hot));
	return Int32Array.from(packer.listed);
}

class Packer {
	readonly listed: number[] = [];
	private position: number;
	private readonly hot: HotCode;
	private readonly layout: TextLayout;
	private readonly options: PackOptions;
	/** Sizes are counted in these: the alignment that all sections have. */
	private readonly granuleBytes: number;
	private readonly pageGranules: number;
	private readonly isPlaced: Uint8Array;
	/** How many sections lie between one and the nearest that ran, as the program is linked: what lies beside code that runs is likelier to run. */
	private readonly remoteness: Float64Array;
	/** Sections that never ran, by size in granules, the remotest last. */
	private readonly coldBySize: Map<number, number[]>;

	constructor(hot: HotCode, layout: TextLayout, region: TextLayout['regions'][number], options: PackOptions) {
		this.hot = hot;
		this.layout = layout;
		this.options = options;
		this.position = hot.start;
		this.granuleBytes = commonAlignment(hot.alignments);
		this.pageGranules = layout.pageBytes / this.granuleBytes;
		this.isPlaced = new Uint8Array(hot.sections.length);
		this.remoteness = new Float64Array(layout.sectionStarts.length);
		this.coldBySize = this.coldSections(region);
	}

	/** What never ran, up to the next multiple of 64 KiB; nothing if no sum of sizes gives exactly that. */
	prefix(): void {
		const distance = (WINDOW_BYTES - (this.position % WINDOW_BYTES)) % WINDOW_BYTES;
		this.fill(Math.floor(distance / this.granuleBytes));
	}

	pack(classOrder: readonly number[], members: readonly (readonly number[])[]): void {
		classOrder.forEach((number, at) => {
			this.packClass(
				number,
				members[number]!,
				classOrder
					.slice(at + 1, at + 1 + LATER_CLASSES)
					.flatMap((later) => (this.hot.classes[later] === undefined ? [] : [{ later, members: members[later]! }])),
			);
		});
	}

	private packClass(number: number, members: readonly number[], later: readonly { later: number; members: readonly number[] }[]): void {
		const specials = new Map<number, Special>();
		for (const one of members) {
			const special = this.isPlaced[one] === 1 ? null : this.specialOf(one);
			if (special !== null) {
				specials.set(one, special);
			}
		}
		const plain = members.filter((one) => !specials.has(one));
		let next = 0;
		for (const [one, { costs }] of specials) {
			for (; next < plain.length && plain[next]! < one; next++) {
				this.place(plain[next]!);
			}
			for (const chosen of this.alignFor(one, costs, plain, next)) {
				this.place(chosen);
			}
			this.place(one);
			this.fillTail(one, number, later);
		}
		for (; next < plain.length; next++) {
			this.place(plain[next]!);
		}
	}

	private place(one: number): void {
		if (this.isPlaced[one] === 1) {
			return;
		}
		this.isPlaced[one] = 1;
		this.listed.push(one);
		this.position = alignUp(this.position, this.hot.alignments[one]!) + this.hot.sizes[one]!;
	}

	/** Null for functions whose offset does not matter enough. */
	private specialOf(one: number): Special | null {
		const { hot, pageGranules } = this;
		const size = hot.sizes[one]!;
		const own = hot.classes[hot.classOf[one]!]!;
		let possible = 0;
		for (let i = hot.firstInterval[one]!; i < hot.firstInterval[one + 1]!; i++) {
			possible -= (hot.intervalEnds[i]! - hot.intervalStarts[i]!) * hot.weights[hot.intervalTraces[i]!]!;
		}
		possible += own.weight * size;
		if (possible < this.options.leastSaving * this.layout.pageBytes) {
			return null;
		}
		const costs = new Float64Array(pageGranules);
		let least = Number.POSITIVE_INFINITY;
		let sum = 0;
		for (let offset = 0; offset < pageGranules; offset++) {
			const cost = this.costAt(one, offset * this.granuleBytes);
			costs[offset] = cost;
			least = Math.min(least, cost);
			sum += cost;
		}
		const usual = size > this.layout.pageBytes ? sum / pageGranules : (own.weight * alignUp(size, this.granuleBytes)) / this.layout.pageBytes;
		return usual - least >= this.options.leastSaving ? { costs } : null;
	}

	/** Of each page that a trace touches in the function the share that the function takes, weighted: what else is there pays for the rest. */
	private costAt(one: number, offset: number): number {
		const { hot } = this;
		const end = offset + alignUp(hot.sizes[one]!, this.granuleBytes);
		let cost = 0;
		let trace = -1;
		let donePage = -1;
		for (let i = hot.firstInterval[one]!; i < hot.firstInterval[one + 1]!; i++) {
			if (hot.intervalTraces[i] !== trace) {
				trace = hot.intervalTraces[i]!;
				donePage = -1;
			}
			const last = Math.floor((offset + hot.intervalEnds[i]! - 1) / this.layout.pageBytes);
			const first = Math.max(donePage + 1, Math.floor((offset + hot.intervalStarts[i]!) / this.layout.pageBytes));
			if (last >= first) {
				const bytes = Math.min(end, (last + 1) * this.layout.pageBytes) - Math.max(offset, first * this.layout.pageBytes);
				cost += bytes * hot.weights[trace]!;
				donePage = last;
			}
		}
		return cost / this.layout.pageBytes;
	}

	/** Some of the next functions, whose sizes bring the special one to an offset where it costs least. */
	private alignFor(one: number, costs: Float64Array, plain: readonly number[], next: number): number[] {
		const { pageGranules, hot } = this;
		const start = Math.ceil(alignUp(this.position, hot.alignments[one]!) / this.granuleBytes) % pageGranules;
		const candidates: number[] = [];
		for (let i = next; i < plain.length && candidates.length < REACH; i++) {
			if (this.isPlaced[plain[i]!] === 0) {
				candidates.push(plain[i]!);
			}
		}
		const sums = subsetSums(
			candidates.map((candidate) => this.granules(hot.sizes[candidate]!)),
			pageGranules,
			true,
		);
		let best = 0;
		let bestCost = Number.POSITIVE_INFINITY;
		for (let sum = 0; sum < pageGranules; sum++) {
			const count = sums.counts[sum]!;
			if (count < 0) {
				continue;
			}
			const cost = costs[(start + sum) % pageGranules]! + count * COST_OF_MOVING;
			if (cost < bestCost) {
				bestCost = cost;
				best = sum;
			}
		}
		return sums.subset(best).map((i) => candidates[i]!);
	}

	/** After a special function: the rest of the page that its cold end lies in, if the traces of its class would touch that page again for nothing. */
	private fillTail(one: number, number: number, later: readonly { later: number; members: readonly number[] }[]): void {
		const { hot } = this;
		const used = this.position % this.layout.pageBytes;
		const pageStart = this.position - used;
		const touching = new Set<number>();
		const start = this.position - hot.sizes[one]!;
		for (let i = hot.firstInterval[one]!; i < hot.firstInterval[one + 1]!; i++) {
			if (start + hot.intervalEnds[i]! > pageStart) {
				touching.add(hot.intervalTraces[i]!);
			}
		}
		const idle = (hot.classes[number]?.traces ?? []).filter((trace) => !touching.has(trace));
		const loss = (idle.reduce((sum, trace) => sum + hot.weights[trace]!, 0) * used) / this.layout.pageBytes;
		if (loss < this.options.leastFilling) {
			return;
		}
		const room = Math.floor((this.layout.pageBytes - used) / this.granuleBytes);
		if (!this.fillWithLater(room, touching, later) && this.options.fillsWithCold) {
			this.fill(room);
		}
	}

	private fillWithLater(room: number, touching: ReadonlySet<number>, later: readonly { later: number; members: readonly number[] }[]): boolean {
		const { hot } = this;
		const candidates: number[] = [];
		for (const { later: number, members } of later) {
			if (hot.classes[number]?.traces.every((trace) => touching.has(trace)) !== true) {
				continue;
			}
			for (const one of members) {
				if (this.isPlaced[one] === 0 && this.granules(hot.sizes[one]!) <= room && candidates.length < REACH) {
					candidates.push(one);
				}
			}
		}
		const sums = subsetSums(
			candidates.map((candidate) => this.granules(hot.sizes[candidate]!)),
			room + 1,
			false,
		);
		if (sums.counts[room]! < 0) {
			return false;
		}
		for (const i of sums.subset(room)) {
			this.place(candidates[i]!);
		}
		return true;
	}

	/** Fills exactly `room` granules with as few sections that never ran as it takes; nothing when that cannot be. */
	private fill(room: number): void {
		for (const section of this.coldOfSum(room)) {
			this.listed.push(-1 - section);
			this.position = alignUp(this.position, this.layout.sectionAlignments[section]!) + this.layout.sectionSizes[section]!;
		}
	}

	/** Of the ways to get the sum by one section or two that whose sections are farthest from all that ran: the least likely to run in other uses. */
	private coldOfSum(room: number): number[] {
		const take = (size: number): number => this.coldBySize.get(size)!.pop()!;
		const remoteness = (size: number, fromEnd = 1): number => {
			const section = this.coldBySize.get(size)?.at(-fromEnd);
			return section === undefined ? -1 : this.remoteness[section]!;
		};
		let best = remoteness(room);
		let first = best >= 0 ? room : -1;
		for (let size = room - 1; size * 2 >= room; size--) {
			const value = Math.min(remoteness(size), remoteness(room - size, size * 2 === room ? 2 : 1)) / 2;
			if (value >= 0 && value > best) {
				best = value;
				first = size;
			}
		}
		if (first >= 0) {
			return first === room ? [take(room)] : [take(first), take(room - first)];
		}
		const sizes: number[] = [];
		for (const [size, sections] of this.coldBySize) {
			for (let i = 0; size <= room && i < Math.min(2, sections.length) && sizes.length < 400; i++) {
				sizes.push(size);
			}
		}
		const sums = subsetSums(sizes, room + 1, false);
		return sums.counts[room]! < 0 ? [] : sums.subset(room).map((i) => take(sizes[i]!));
	}

	private granules(bytes: number): number {
		return Math.ceil(bytes / this.granuleBytes);
	}

	private coldSections({ firstSection, endSection }: TextLayout['regions'][number]): Map<number, number[]> {
		const { sectionSizes, sectionAlignments } = this.layout;
		const isHot = new Uint8Array(sectionSizes.length);
		for (const section of this.hot.sections) {
			isHot[section] = 1;
		}
		const isNamed = new Uint8Array(sectionSizes.length);
		for (const section of this.layout.functionSections) {
			isNamed[section] = 1;
		}
		const { remoteness } = this;
		let lastHot = Number.NEGATIVE_INFINITY;
		for (let section = firstSection; section < endSection; section++) {
			lastHot = isHot[section] === 1 ? section : lastHot;
			remoteness[section] = section - lastHot;
		}
		let nextHot = Number.POSITIVE_INFINITY;
		for (let section = endSection - 1; section >= firstSection; section--) {
			nextHot = isHot[section] === 1 ? section : nextHot;
			remoteness[section] = Math.min(remoteness[section]!, nextHot - section);
		}
		const bySize = new Map<number, number[]>();
		for (let section = firstSection; section < endSection; section++) {
			const size = this.granules(sectionSizes[section]!);
			if (isHot[section] === 0 && isNamed[section] === 1 && size > 0 && sectionAlignments[section]! <= this.granuleBytes) {
				const known = bySize.get(size);
				if (known === undefined) {
					bySize.set(size, [section]);
				} else {
					known.push(section);
				}
			}
		}
		for (const sections of bySize.values()) {
			sections.sort((a, b) => remoteness[a]! - remoteness[b]!);
		}
		return bySize;
	}
}

/** Pages; keeps functions in the order of their execution where nothing is gained. */
const COST_OF_MOVING = 0.002;
const LATER_CLASSES = 64;

/**
 * Sums of subsets of `sizes`, below `modulus` or modulo it: `counts[sum]` is the least number of items, -1 where there is no such sum; `subset` gives the
 * indexes.
 */
function subsetSums(sizes: readonly number[], modulus: number, wraps: boolean): { counts: Int16Array; subset: (sum: number) => number[] } {
	let counts = new Int16Array(modulus).fill(-1);
	let before = new Int16Array(modulus);
	counts[0] = 0;
	/** By item, whether the best way to a sum takes it. */
	const takes = new Uint8Array(sizes.length * modulus);
	for (let item = 0; item < sizes.length; item++) {
		[counts, before] = [before, counts];
		counts.set(before);
		const size = sizes[item]!;
		const step = wraps ? size % modulus : size;
		const row = item * modulus;
		const end = wraps ? modulus : modulus - step;
		for (let from = 0, to = step; from < end; from++, to++) {
			to = to === modulus ? 0 : to;
			const count = before[from]!;
			if (count >= 0) {
				const known = before[to]!;
				if (known < 0 || count + 1 < known) {
					counts[to] = count + 1;
					takes[row + to] = 1;
				}
			}
		}
	}
	const subset = (sum: number): number[] => {
		const chosen: number[] = [];
		let left = sum;
		for (let item = sizes.length - 1; item >= 0; item--) {
			if (takes[item * modulus + left] === 1) {
				chosen.push(item);
				const step = sizes[item]! % modulus;
				left = wraps ? (left - step + modulus) % modulus : left - sizes[item]!;
			}
		}
		return chosen.reverse();
	};
	return { counts, subset };
}

function commonAlignment(alignments: Float64Array): number {
	let common = 4096;
	for (const alignment of alignments) {
		common = Math.min(common, alignment);
	}
	return Math.max(1, Math.min(64, common));
}

function alignUp(position: number, alignment: number): number {
	const over = position % alignment;
	return over === 0 ? position : position + alignment - over;
}
