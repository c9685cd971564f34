/**
 * Processes while they were sampled: names of threads, and which file lay where. What perf makes of the records that tell of it is in the Linux kernel's
 * tools/perf/util/machine.c, thread.c and map.c.
 */
import { firstWhere } from '../../model/binary-search.js';
import type { LibrarySymbols, MappedLibrary } from '../../model/native-symbols.js';
import type { MappedCode } from '../../model/samples.js';
import { KnownAddresses } from './known-addresses.js';

/** A file of code with what was found of it so far. */
export interface Library extends MappedLibrary {
	symbols: LibrarySymbols | null | undefined;
	/** Numbers of places by symbol. */
	readonly places: Map<string, number>;
}

export interface Mapping {
	readonly start: number;
	readonly end: number;
	/** What is added to an address for an offset in the file. */
	readonly shift: number;
	readonly library: Library;
	readonly isExecutable: boolean;
}

interface SampledTask {
	readonly processId: number;
	readonly name: string;
	/** Its number among the sampled threads; -1: none yet. */
	number: number;
}

/** So many mappings of one process, and of all: a kernel allows 65,530, and a file could be made up to hold endless ones. */
const MOST_OF_ONE = 1 << 17;
const MOST_OF_ALL = 1 << 22;

/** What lies so near to generated code may be of it too: a JVM reserves 240 MB for its code unless it is told otherwise. */
export const NEAR_BYTES = 2 ** 28;
/** Between pieces that lie so near perf may have lost one: a JVM asks for more of its code cache in steps of 64 KiB, and begins with 2.4 MiB. */
const GAP_BYTES = 2 ** 20;
/** Of one process; more than that become one with another that is near. */
const MOST_PIECES = 16;

const RUNTIME = /\/(?:libjvm\.so|node(?:js)?)$/;

export class AddressSpace {
	/** Until the mappings change. */
	readonly known = new KnownAddresses();
	/** The same of return addresses: what is called ends before them. */
	readonly calls = new KnownAddresses();
	/** Where generated code lies: from, to, from, to. */
	private generated: readonly number[] = [];
	/** The upper 32 bits of generated code's addresses lie in [lowestHigh, highestHigh]. */
	lowestHigh = Number.POSITIVE_INFINITY;
	highestHigh = -1;
	private mappings: Mapping[] = [];
	/** Where each of them ends, of ascending addresses; null until it is asked for. */
	private ends: Float64Array | null = null;
	private isShared = false;
	/** A runtime that makes code of its own is in it: a JVM or Node. */
	private isManaged = false;
	/** What was mapped since the process began to run another program; null: it did not. */
	private since: Set<Library> | null = null;

	get size(): number {
		return this.mappings.length;
	}

	/** What lay where the new one lies is cut. */
	add(added: Mapping): void {
		if (this.isShared) {
			this.mappings = [...this.mappings];
			this.isShared = false;
		}
		const { mappings } = this;
		const first = firstWhere(mappings.length, (i) => mappings[i]!.end > added.start);
		let end = first;
		const kept: Mapping[] = [];
		for (; end < mappings.length && mappings[end]!.start < added.end; end++) {
			const old = mappings[end]!;
			if (old.start < added.start) {
				kept.push({ ...old, end: added.start });
			}
			if (old.end > added.end) {
				kept.push({ ...old, start: added.end });
			}
		}
		kept.push(added);
		kept.sort((a, b) => a.start - b.start);
		mappings.splice(first, end - first, ...kept);
		this.ends = null;
		this.known.clear();
		this.calls.clear();
		this.isManaged ||= RUNTIME.test(added.library.name);
		this.since?.add(added.library);
	}

	/** Generated code lies there. What only is reserved for it does not count: a number of 32 bits with the upper half of an address may lie in that. */
	addGenerated(start: number, end: number): void {
		const { generated } = this;
		const near = (bytes: number): number => generated.findIndex((from, i) => i % 2 === 0 && start < generated[i + 1]! + bytes && end > from - bytes);
		const gap = near(GAP_BYTES);
		const at = gap < 0 && generated.length === 2 * MOST_PIECES ? near(NEAR_BYTES) : gap;
		if (at >= 0) {
			this.generated = generated.with(at, Math.min(start, generated[at]!)).with(at + 1, Math.max(end, generated[at + 1]!));
		} else if (generated.length < 2 * MOST_PIECES) {
			this.generated = [...generated, start, end];
		} else {
			return;
		}
		this.lowestHigh = Math.min(this.lowestHigh, Math.floor(start / 2 ** 32));
		this.highestHigh = Math.max(this.highestHigh, Math.floor(end / 2 ** 32));
	}

	get isOfRuntime(): boolean {
		return this.isManaged;
	}

	get hasGenerated(): boolean {
		return this.generated.length > 0;
	}

	/** Whether an address lies among generated code. */
	isGenerated(address: number): boolean {
		const { generated } = this;
		for (let i = 0; i < generated.length; i += 2) {
			if (address >= generated[i]! && address < generated[i + 1]!) {
				return true;
			}
		}
		return false;
	}

	/** It begins to run another program: what it had mapped is found until something else lies there, and is no part of it. */
	beginsAnew(): void {
		this.isManaged = false;
		this.since = new Set();
	}

	/** Of the program that is run now, in the order of their starts. */
	all(): readonly Mapping[] {
		const { since } = this;
		return since === null ? this.mappings : this.mappings.filter(({ library }) => since.has(library));
	}

	/** Whether an address lies in code of a file. */
	isOfFile(address: number): boolean {
		return !this.isGenerated(address) && this.find(address)?.isExecutable === true;
	}

	find(address: number): Mapping | null {
		const mapping = this.mappings[this.firstBehind(address)];
		return mapping !== undefined && mapping.start <= address ? mapping : null;
	}

	/** What a process begins with that was forked. */
	fork(): AddressSpace {
		const child = new AddressSpace();
		this.isShared = true;
		child.mappings = this.mappings;
		child.ends = this.ends;
		child.isShared = true;
		child.generated = this.generated;
		child.lowestHigh = this.lowestHigh;
		child.highestHigh = this.highestHigh;
		child.isManaged = this.isManaged;
		child.since = this.since === null ? null : new Set(this.since);
		return child;
	}

	/** The first mapping that ends behind an address. Written out: it is asked for every word of a stack. */
	private firstBehind(address: number): number {
		this.ends ??= Float64Array.from(this.mappings, ({ end }) => end);
		const { ends } = this;
		let low = 0;
		let high = ends.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (ends[middle]! > address) {
				high = middle;
			} else {
				low = middle + 1;
			}
		}
		return low;
	}
}

export class Processes {
	readonly kernel = new AddressSpace();
	/** Mappings that were too many. */
	leftOut = 0;
	private readonly spaces = new Map<number, AddressSpace>();
	private readonly tasks = new Map<number, SampledTask>();
	private held = 0;
	/** The process that was asked for last, as most samples are of the one before. */
	private lastId = Number.NaN;
	private lastSpace = new AddressSpace();

	/** Files that lay in the memory of each process. */
	mappedCode(): Map<number, MappedCode[]> {
		return new Map(
			Array.from(this.spaces, ([processId, space]) => [
				processId,
				space
					.all()
					.filter(({ library: { name } }) => /^\/(?!\/anon|dev\/zero|memfd:)|^\[vdso\]/.test(name) && !/\/perf-\d{1,10}\.map$/.test(name))
					.map(({ start, end, shift, library: { name, buildId, inode } }) => ({
						name,
						start,
						end,
						offset: Math.max(0, start + shift),
						buildId,
						...(inode === null ? {} : { inode }),
					})),
			]),
		);
	}

	spaceOf(processId: number): AddressSpace {
		if (processId === this.lastId) {
			return this.lastSpace;
		}
		let space = this.spaces.get(processId);
		if (space === undefined) {
			space = new AddressSpace();
			this.spaces.set(processId, space);
		}
		this.lastId = processId;
		this.lastSpace = space;
		return space;
	}

	map(space: AddressSpace, mapping: Mapping): void {
		if (space.size >= MOST_OF_ONE || this.held >= MOST_OF_ALL) {
			this.leftOut++;
			return;
		}
		this.held++;
		space.add(mapping);
	}

	/** As perf names a thread that nothing told the name of: by its number. */
	task(processId: number, threadId: number): SampledTask {
		let task = this.tasks.get(threadId);
		if (task === undefined || (task.processId !== processId && processId >= 0 && task.processId >= 0)) {
			task = { processId, name: threadId === 0 ? 'swapper' : `:${threadId}`, number: -1 };
			this.tasks.set(threadId, task);
		}
		return task;
	}

	/**
	 * `isOfExec`: the process begins to run another program. What it had mapped stays until something else lies there, as it does for perf: until the kernel is
	 * done with `execve`, stacks still end in the code that called it.
	 */
	name(processId: number, threadId: number, name: string, isOfExec: boolean): void {
		this.tasks.set(threadId, { processId, name, number: -1 });
		if (isOfExec) {
			this.spaceOf(processId).beginsAnew();
		}
	}

	/** Threads and processes begin with the name of the one that started them, processes with its mappings too. */
	fork(processId: number, threadId: number, parentId: number, parentThread: number, isOfPerf: boolean): void {
		const parent = this.task(parentId, parentThread);
		const name = parent.name === `:${parentThread}` ? `:${threadId}` : parent.name;
		this.tasks.set(threadId, { processId, name, number: -1 });
		this.lastId = Number.NaN;
		if (processId !== parentId && !isOfPerf) {
			const parentSpace = this.spaceOf(parentId);
			// Where all are held that may be, a copy that is made later would be too much.
			if (this.held + parentSpace.size < MOST_OF_ALL) {
				this.held += parentSpace.size;
				this.spaces.set(processId, parentSpace.fork());
			} else {
				this.leftOut += parentSpace.size;
				this.spaces.delete(processId);
			}
		} else if (processId !== parentId) {
			this.spaces.delete(processId);
		}
	}
}
