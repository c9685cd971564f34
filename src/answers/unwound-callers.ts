/** Whom functions of native programs and the kernel work for: which calls samples in them came by, as stacks that were unwound tell. */
import { type Attribution, isCountedReason, REASONS } from '../hot/attribute.js';
import type { CodeCaller, CodeCallers, Region } from '../hot/hot-results.js';
import { nativePlace, regionsByPlace } from '../hot/native-regions.js';
import { isOfRuntime } from '../model/c-runtime.js';
import type { GeneratedCode } from '../model/generated-code.js';
import type { SampleStacks } from '../model/samples.js';
import type { NativeCode } from '../recording/native-code.js';

export interface UnwoundCallers {
	readonly byRegion: ReadonlyMap<Region, CodeCallers>;
	/** Of the kernel and of the runtime's libraries, by the `source` of regions. */
	readonly byLibrary: ReadonlyMap<string, CodeCallers>;
}

/** A call, by where it is. */
type Call = Omit<CodeCaller, 'samples' | 'through'>;

/**
 * Of the kernel, and of what {@link isOfRuntime}, the callers are the innermost functions outside of these; where none is known, as of all others the innermost ones.
 * Of regions in functions they are those of the whole function.
 */
export function unwoundCallers(attribution: Attribution, unwound: SampleStacks, native: NativeCode, regions: readonly Region[]): UnwoundCallers {
	const { samples, target, reason, map, numbered } = attribution;
	const byCode = new Map<GeneratedCode, CallCounts>();
	const byPlace = new Map<Region, CallCounts>();
	const byLibrary = new Map<string, CallCounts>();
	const regionAt = regionsByPlace(regions);
	const calls = new Calls(attribution, unwound, native);
	for (let i = 0; i < samples.length; i++) {
		const call = isCountedReason(reason[i]!) ? calls.of(i) : null;
		if (call === null) {
			continue;
		}
		const why = REASONS[reason[i]!]!;
		const { source, library, symbol } = nativePlace(why, samples.places[samples.place[i]!]);
		const code = map.code[target[i]!];
		const region = code === undefined ? regionAt(source, symbol, numbered.addresses[numbered.of[i]!]!) : undefined;
		if (code !== undefined) {
			add(byCode, code, call);
		} else if (region !== undefined) {
			add(byPlace, region, call, why === 'kernel' ? calls.through(i) : null);
		}
		if (code === undefined || isOfRuntime(library, symbol)) {
			add(byLibrary, code === undefined ? source : (library ?? source), call);
		}
	}
	const ofCode = regions.flatMap((region): [Region, CallCounts][] => {
		const counts = region.heat === null ? undefined : byCode.get(region.heat.code);
		return counts === undefined ? [] : [[region, counts]];
	});
	return { byRegion: results(new Map([...ofCode, ...byPlace])), byLibrary: results(byLibrary) };
}

class Calls {
	private readonly attribution: Attribution;
	private readonly unwound: SampleStacks;
	private readonly native: NativeCode;
	/** By innermost node: the node of the call; -1: none. */
	private readonly nodes = new Map<number, number>();
	private readonly known = new Map<number, Call>();

	constructor(attribution: Attribution, unwound: SampleStacks, native: NativeCode) {
		this.attribution = attribution;
		this.unwound = unwound;
		this.native = native;
	}

	of(sample: number): Call | null {
		const innermost = this.unwound.of[sample]!;
		if (innermost < 0) {
			return null;
		}
		let node = this.nodes.get(innermost);
		if (node === undefined) {
			node = this.nodeOfCall(innermost);
			this.nodes.set(innermost, node);
		}
		return node < 0 ? null : this.callAt(node);
	}

	/** The function of the runtime that a sample in the kernel is below; null: none. */
	through(sample: number): string | null {
		const { of, parent, address } = this.unwound;
		let node = of[sample]!;
		while (node >= 0 && !(address[node]! > 0)) {
			node = parent[node]!;
		}
		if (node < 0) {
			return null;
		}
		const { symbol, library } = this.placeOf(node);
		return isOfRuntime(library, symbol) ? symbol : null;
	}

	private nodeOfCall(innermost: number): number {
		const { address, parent } = this.unwound;
		let first = -1;
		const isSkipping = this.isSkipped(innermost);
		for (let node = parent[innermost]!; node >= 0; node = parent[node]!) {
			if (address[node]! > 0) {
				if (!isSkipping || !this.isSkipped(node)) {
					return node;
				}
				first = first < 0 ? node : first;
			}
		}
		return first;
	}

	/** In the kernel or the runtime. */
	private isSkipped(node: number): boolean {
		const { symbol, library } = this.placeOf(node);
		return this.unwound.address[node]! < 0 || isOfRuntime(library, symbol);
	}

	private placeOf(node: number): { readonly symbol: string | null; readonly library: string | null } {
		return nativePlace('native library', this.attribution.samples.places[this.unwound.place[node]!]);
	}

	private callAt(node: number): Call {
		const known = this.known.get(node);
		if (known !== undefined) {
			return known;
		}
		const { map } = this.attribution;
		const before = this.unwound.address[node]! - 1;
		const [code] = map.at(before).map((position) => map.code[position]!);
		const { symbol, library } = this.placeOf(node);
		const [inner] = code === undefined ? [] : this.native.framesAt(code, before);
		const call = { method: inner?.method ?? code?.name ?? symbol ?? library ?? '?', bci: -1, line: inner?.line ?? null, compileId: code?.compileId ?? null };
		this.known.set(node, call);
		return call;
	}
}

class CallCounts {
	private samples = 0;
	private readonly rows = new Map<string, { readonly call: Call; samples: number; readonly ways: Map<string, number> }>();

	add(call: Call, through: string | null): void {
		this.samples++;
		const key = `${call.compileId} ${call.line} ${call.method}`;
		const row = this.rows.get(key) ?? { call, samples: 0, ways: new Map<string, number>() };
		this.rows.set(key, row);
		row.samples++;
		if (through !== null) {
			row.ways.set(through, (row.ways.get(through) ?? 0) + 1);
		}
	}

	result(): CodeCallers {
		const rows = [...this.rows.values()].map(({ call, samples, ways }): CodeCaller => {
			const [through] = [...ways].sort((a, b) => b[1] - a[1])[0] ?? [];
			return { ...call, samples, ...(through === undefined ? {} : { through }) };
		});
		return { samples: this.samples, rows: rows.sort((a, b) => b.samples - a.samples) };
	}
}

function add<K>(counts: Map<K, CallCounts>, key: K, call: Call, through: string | null = null): void {
	const known = counts.get(key) ?? new CallCounts();
	counts.set(key, known);
	known.add(call, through);
}

function results<K>(counts: ReadonlyMap<K, CallCounts>): ReadonlyMap<K, CodeCallers> {
	return new Map([...counts].map(([key, of]) => [key, of.result()]));
}
