/** Where samples were, as pprof and OTLP have it: a location is an instruction with the chain of methods that was inlined there, in a mapping of code. */
import type { MappedCode } from '../../model/samples.js';
import type { StackedSamples, StackFrame } from '../../model/stacked-samples.js';

interface CodeLocation {
	/** The innermost first. */
	readonly frames: readonly StackFrame[];
	/** Position in the mappings. */
	readonly mapping: number;
}

/** Generated code of a JVM. */
const CODE_CACHE = '[code cache]';

interface Draft {
	readonly name: string;
	start: number;
	end: number;
	readonly offset: number;
	readonly buildId: string | null;
}

/** Locations and mappings get their numbers as they are asked for, from 0 on. */
export class CodeLocations {
	readonly locations: CodeLocation[] = [];
	private readonly stacked: StackedSamples;
	private readonly drafts: Draft[] = [];
	private readonly numbers = new Map<string, number>();
	/** By the number of the innermost frame. */
	private readonly known = new Map<number, number>();

	constructor(stacked: StackedSamples) {
		this.stacked = stacked;
		// The first one is the program's own.
		this.seenMapping(CODE_CACHE);
	}

	/** The innermost first. */
	of(node: number): number[] {
		const { nodeFrame, nodeParent, frames } = this.stacked;
		const result: number[] = [];
		for (let at = node; at >= 0; ) {
			const innermost = nodeFrame[at]!;
			const chain: number[] = [innermost];
			// Frames that were inlined at one instruction are one location with as many lines.
			while (frames[nodeFrame[at]!]!.inlineDepth > 0 && nodeParent[at]! >= 0) {
				at = nodeParent[at]!;
				chain.push(nodeFrame[at]!);
			}
			result.push(this.locationOf(innermost, chain));
			at = nodeParent[at]!;
		}
		return result;
	}

	/** Of those whose place nobody recorded, from the first to behind the last address that was seen; without an address both ends are 0. */
	mappings(): readonly MappedCode[] {
		return this.drafts.map((draft) => (draft.start <= draft.end ? draft : { ...draft, start: 0, end: 0 }));
	}

	private locationOf(innermost: number, chain: readonly number[]): number {
		let number = this.known.get(innermost);
		if (number === undefined) {
			const frames = chain.map((frame) => this.stacked.frames[frame]!);
			number = this.locations.push({ frames, mapping: this.mappingOf(frames[0]!) }) - 1;
			this.known.set(innermost, number);
		}
		return number;
	}

	private mappingOf({ kind, library, address }: StackFrame): number {
		const recorded = library === null || Number.isNaN(address) ? undefined : this.stacked.mappings?.find(({ start, end }) => start <= address && address < end);
		if (recorded !== undefined) {
			const { name, start, end } = recorded;
			return this.numbered(`${start} ${end} ${name}`, recorded);
		}
		const number = this.seenMapping(library ?? (kind === 'kernel' ? '[kernel.kallsyms]' : kind === 'native' || kind === 'unknown' ? '[unknown]' : CODE_CACHE));
		const draft = this.drafts[number]!;
		if (!Number.isNaN(address)) {
			draft.start = Math.min(draft.start, address);
			draft.end = Math.max(draft.end, address + 1);
		}
		return number;
	}

	private seenMapping(name: string): number {
		return this.numbered(name, { name, start: Number.POSITIVE_INFINITY, end: Number.NEGATIVE_INFINITY, offset: 0, buildId: null });
	}

	private numbered(key: string, mapping: MappedCode): number {
		let number = this.numbers.get(key);
		if (number === undefined) {
			number = this.drafts.push({ ...mapping }) - 1;
			this.numbers.set(key, number);
		}
		return number;
	}
}

/** As the JVM writes methods, `java/util/HashMap::get`; of other code the symbol. */
export function systemName({ name, kind }: StackFrame): string {
	const point = name.lastIndexOf('.');
	return kind === 'method' ? `${name.slice(0, Math.max(point, 0)).replaceAll('.', '/')}::${name.slice(point + 1)}` : name.replace(/^\((.*)\)$/, '$1');
}

/** Addresses of the kernel are negative here; 0: none is known. */
export function unsignedAddress(address: number): bigint {
	return Number.isNaN(address) ? 0n : BigInt.asUintN(64, BigInt(address));
}

/** From the origin to the last sample. */
export function durationNs({ timeSeconds, originSeconds }: StackedSamples): number {
	return timeSeconds === null ? 0 : Math.round(Math.max(0, timeSeconds.reduce((most, time) => Math.max(most, time), originSeconds) - originSeconds) * 1e9);
}
