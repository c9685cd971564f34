/**
 * Several processes of one native program as one: workers of a server, compilers that a build starts. Their files lie elsewhere in memory, so that addresses are moved to
 * where the file lies in the process with most samples.
 */
import { lastAtOrBelow } from '../model/binary-search.js';
import type { MappedCode, SampleDetails, SampleStacks, Samples } from '../model/samples.js';

export interface SameProgram<T> {
	/** As `read` with the samples and stacks of all of them in one process. */
	readonly read: T;
	/** What lay in its memory, and what only lay in that of others. */
	readonly mappings: readonly MappedCode[];
	/** How many processes they are. */
	readonly processes: number;
}

const PAGE = 4096;
/** Between what is put behind all else. */
const GAP_BYTES = 1 << 28;

/** `processId`: that with most samples; `mappings`: its own. */
export function asOneProcess<T extends SampleDetails & { readonly samples: Samples }>(
	read: T,
	processId: number,
	mappings: readonly MappedCode[],
): SameProgram<T> {
	const { samples, mappedCode } = read;
	const program = programOf(mappings);
	const place = new Layout(mappings);
	const movers = new Map<number, Mover | null>();
	const moverOf = (id: number): Mover | null => {
		let mover = movers.get(id);
		if (mover === undefined) {
			const others = mappedCode?.get(id);
			mover = id === processId || others === undefined || program === null || programOf(others) !== program ? null : new Mover(others, place);
			movers.set(id, mover);
		}
		return mover;
	};
	const address = samples.address.slice();
	const ids = samples.processId.slice();
	for (let i = 0; i < samples.length; i++) {
		const mover = moverOf(ids[i]!);
		if (mover !== null) {
			const own = Number(address[i]!);
			const by = own < 0 ? 0 : mover.distanceAt(own);
			if (!Number.isNaN(by)) {
				address[i] = address[i]! + BigInt(by);
				ids[i] = processId;
			}
		}
	}
	const found = [...movers.values()].filter((mover) => mover !== null);
	if (found.length === 0) {
		return { read, mappings, processes: 1 };
	}
	const stacks = read.stacks === null ? null : movedStacks(read.stacks, samples, moverOf);
	const unwound = read.unwound === undefined ? undefined : { ...movedStacks(read.unwound, samples, moverOf), copiedBytes: read.unwound.copiedBytes };
	return {
		read: { ...read, samples: { ...samples, address, processId: ids }, stacks, ...(unwound === undefined ? {} : { unwound }) },
		mappings: place.mappings,
		processes: 1 + found.length,
	};
}

/** The file that lies lowest is the program, libraries lie high; null where nothing tells. */
function programOf(mappings: readonly MappedCode[]): string | null {
	let first: MappedCode | null = null;
	for (const mapping of mappings) {
		if (mapping.name.startsWith('/') && (first === null || mapping.start < first.start)) {
			first = mapping;
		}
	}
	return first === null ? null : keyOf(first);
}

const keyOf = ({ name, buildId, inode }: MappedCode): string => `${name} ${buildId} ${inode}`;

/** Where files lie, and those that come to it. */
class Layout {
	readonly mappings: MappedCode[];

	constructor(mappings: readonly MappedCode[]) {
		this.mappings = [...mappings];
	}

	/** The address of the first byte of a mapping of another process. */
	startOf(mapping: MappedCode): number {
		const key = keyOf(mapping);
		const known = this.mappings.find((one) => keyOf(one) === key && mapping.offset >= one.offset && mapping.offset < one.offset + one.end - one.start);
		if (known !== undefined) {
			return known.start + mapping.offset - known.offset;
		}
		const length = mapping.end - mapping.start;
		const isFree = this.mappings.every(({ start, end }) => mapping.start >= end || mapping.end <= start);
		const behind = Math.ceil((Math.max(...this.mappings.map(({ end }) => end)) + GAP_BYTES) / PAGE) * PAGE;
		const start = isFree ? mapping.start : behind;
		this.mappings.push({ ...mapping, start, end: start + length });
		return start;
	}
}

/** Moves addresses of a process. */
class Mover {
	private readonly sorted: readonly MappedCode[];
	private readonly starts: Float64Array;
	private readonly distances: Float64Array;
	private readonly to: Layout;

	constructor(mappings: readonly MappedCode[], to: Layout) {
		this.sorted = [...mappings].sort((a, b) => a.start - b.start);
		this.starts = Float64Array.from(this.sorted, ({ start }) => start);
		this.distances = new Float64Array(this.sorted.length).fill(Number.NaN);
		this.to = to;
	}

	/** What is added to an address; NaN of what lies in no file. */
	distanceAt(address: number): number {
		const at = lastAtOrBelow(this.starts, address);
		const mapping = this.sorted[at];
		if (mapping === undefined || address >= mapping.end) {
			return Number.NaN;
		}
		if (Number.isNaN(this.distances[at]!)) {
			this.distances[at] = this.to.startOf(mapping) - mapping.start;
		}
		return this.distances[at]!;
	}
}

function movedStacks({ of, parent, place, address }: SampleStacks, { processId, length }: Samples, moverOf: (id: number) => Mover | null): SampleStacks {
	const parents = [...parent];
	const places = [...place];
	const addresses = [...address];
	const innermost = of.slice();
	const known = new Map<Mover, Map<number, number>>();
	for (let i = 0; i < length; i++) {
		const mover = innermost[i]! < 0 ? null : moverOf(processId[i]!);
		if (mover === null) {
			continue;
		}
		const nodes = known.get(mover) ?? new Map<number, number>();
		known.set(mover, nodes);
		const path: number[] = [];
		let node = innermost[i]!;
		for (; node >= 0 && !nodes.has(node); node = parent[node]!) {
			path.push(node);
		}
		let above = node < 0 ? -1 : nodes.get(node)!;
		for (const one of path.reverse()) {
			const own = address[one]!;
			const by = own > 0 ? mover.distanceAt(own - 1) : 0;
			above = parents.push(above) - 1;
			places.push(place[one]!);
			addresses.push(Number.isNaN(by) ? own : own + by);
			nodes.set(one, above);
		}
		innermost[i] = above;
	}
	return { of: innermost, parent: Int32Array.from(parents), place: Int32Array.from(places), address: Float64Array.from(addresses) };
}
