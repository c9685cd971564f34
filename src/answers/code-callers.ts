/** Whom code works for: which calls samples in stubs, in hot compilations, in native code and in the kernel came by, as the tops of their stacks tell. */
import type { PrintedMethod } from '../bias/printed-method.js';
import { type Call, type NativeOwner, STUB_SLOTS, TopsOfStacks, WRAPPER_SLOTS } from '../bias/seen-callers.js';
import type { PrintedCode } from '../formats/hotspot-code/instructions.js';
import { type Attribution, isCountedReason, REASONS } from '../hot/attribute.js';
import type { CodeCaller, CodeCallers, Region } from '../hot/hot-results.js';
import { nameOfNative, nativePlace } from '../hot/native-regions.js';
import { appendTo } from '../model/append.js';
import { lastAtOrBelow } from '../model/binary-search.js';
import type { CodeKind, GeneratedCode } from '../model/generated-code.js';
import { LEFT_FOR_KERNEL, type StackTops } from '../model/samples.js';

const NO_TOPS: StackTops = { sample: new Int32Array(), slot: new Uint16Array(), address: new Float64Array() };

/** Compilations that may have called the stubs, the native methods and the kernel that samples are in: those may have no samples of their own. */
export function codeAbove({ map, reason }: Attribution, tops: StackTops | undefined): Set<GeneratedCode> {
	const result = new Set<GeneratedCode>();
	const { sample, slot, address } = tops ?? NO_TOPS;
	const known = new Set<number>();
	const take = (row: number): void => {
		const after = slot[row] === LEFT_FOR_KERNEL ? 0 : 1;
		if (known.has(address[row]! - after)) {
			return;
		}
		known.add(address[row]! - after);
		for (const position of map.at(address[row]! - after)) {
			const code = map.code[position]!;
			if (code.kind === 'compilation') {
				result.add(code);
			}
		}
	};
	const kinds = new Map<number, CodeKind | undefined>();
	const kindAt = (of: number): CodeKind | undefined => {
		if (!kinds.has(of)) {
			kinds.set(of, map.code[map.at(of - 1).at(-1) ?? -1]?.kind);
		}
		return kinds.get(of);
	};
	/** Up to which slot callers of what was met may stand. */
	let last = -1;
	for (let row = 0; row < sample.length; row++) {
		const i = sample[row]!;
		if (!isCountedReason(reason[i]!)) {
			continue;
		}
		const why = REASONS[reason[i]!];
		const isFirst = row === 0 || sample[row - 1] !== i;
		if (why === 'stub') {
			last = STUB_SLOTS - 1;
		} else if (isFirst) {
			last = slot[row] === LEFT_FOR_KERNEL ? LEFT_FOR_KERNEL : -1;
		}
		if (slot[row]! <= last) {
			take(row);
		} else if (why === 'native library' || why === 'kernel') {
			const kind = kindAt(address[row]!);
			last = kind === 'native wrapper' ? slot[row]! + WRAPPER_SLOTS : kind === 'stub' ? slot[row]! + STUB_SLOTS : last;
		}
	}
	return result;
}

/** Of a compilation with a smaller share of the samples nobody asks who called it. */
const HOT_SHARE = 0.005;

/** Who called stubs, and the compilations that have much of the time; of others, and of what no stack tells, nothing. */
export class CodeCallersOf {
	private readonly attribution: Attribution;
	private readonly tops: StackTops;
	/** In compilations that have much of the time, and in stubs. */
	private readonly meant: readonly number[];

	constructor(attribution: Attribution, tops: StackTops = NO_TOPS) {
		this.attribution = attribution;
		this.tops = tops;
		const { map, target, reason, counted } = attribution;
		const counts = new Map<number, number>();
		const inCode = tops.sample.filter((i, row) => (row === 0 || tops.sample[row - 1] !== i) && isCountedReason(reason[i]!));
		for (const i of inCode) {
			counts.set(target[i]!, (counts.get(target[i]!) ?? 0) + 1);
		}
		this.meant = Array.from(inCode).filter((i) => {
			const kind = map.code[target[i]!]?.kind;
			return kind === 'stub' || (kind === 'compilation' && (counts.get(target[i]!) ?? 0) >= HOT_SHARE * counted);
		});
	}

	/** Compilations that may have called these: they may have no samples of their own. `printed` has the code of those with samples. */
	wanted(printed: ReadonlyMap<GeneratedCode, PrintedCode>): Set<GeneratedCode> {
		const { map } = this.attribution;
		const result = codeAbove(this.attribution, this.tops);
		const methods = methodsOf(printed);
		const seen = topsOfStacks(this.attribution, this.tops, methods);
		for (const i of this.meant) {
			const place = this.placeOf(i, methods);
			const address = place === null ? null : seen.returnAddressOf(i, place.method, place.instruction);
			for (const position of address === null ? [] : map.at(address - 1)) {
				const code = map.code[position]!;
				if (code.kind === 'compilation') {
					result.add(code);
				}
			}
		}
		return result;
	}

	/** By the code that was called. `printed` has the code of those that called, too. */
	callers(printed: ReadonlyMap<GeneratedCode, PrintedCode>): ReadonlyMap<GeneratedCode, CodeCallers> {
		const { map, target } = this.attribution;
		const result = new Map<GeneratedCode, CallerCounts>();
		const methods = methodsOf(printed);
		const seen = topsOfStacks(this.attribution, this.tops, methods);
		for (const i of this.meant) {
			const code = map.code[target[i]!]!;
			const place = this.placeOf(i, methods);
			const inCompilation = place === null ? null : seen.callerOf(i, place.method, place.instruction);
			const call = code.kind === 'stub' ? seen.callerOfStub(i, code) : inCompilation;
			if (call === null) {
				continue;
			}
			addOwner(result, code, { method: null, wrapper: null, call });
		}
		return results(result);
	}

	/** By native region and library, the kernel among them. `printed` has the code of those that called. */
	nativeCallers(printed: ReadonlyMap<GeneratedCode, PrintedCode>, regions: readonly Region[]): NativeCallers {
		const { map, target, reason, samples, numbered } = this.attribution;
		const { sample } = this.tops;
		const methods = methodsOf(printed);
		const seen = topsOfStacks(this.attribution, this.tops, methods);
		const places = new Map<string, Region[]>();
		for (const region of regions) {
			if (region.heat === null) {
				appendTo(places, `${region.source}\0${region.method}`, region);
			}
		}
		const byRegion = new Map<Region, CallerCounts>();
		const byLibrary = new Map<string, CallerCounts>();
		for (let row = 0; row < sample.length; row++) {
			const i = sample[row]!;
			const why = REASONS[reason[i]!];
			if ((row > 0 && sample[row - 1] === i) || (why !== 'native library' && why !== 'kernel')) {
				continue;
			}
			const left = seen.leftForKernel(i);
			const method = left?.code === undefined ? undefined : methods.get(left.code);
			const at = left === null || method === undefined ? null : { method, instruction: Math.max(0, lastAtOrBelow(method.instructions.address, left.address)) };
			const owner = at === null ? seen.ownerOf(i, left?.code ?? map.code[target[i]!]) : { method: null, wrapper: null, call: at };
			if (owner !== null) {
				const { source, symbol } = nativePlace(why, samples.places[samples.place[i]!]);
				const address = numbered.addresses[numbered.of[i]!]!;
				const region = places.get(`${source}\0${nameOfNative(symbol)}`)?.find(({ start, end }) => start <= address && address < end);
				addOwner(byLibrary, source, owner);
				if (region !== undefined) {
					addOwner(byRegion, region, owner);
				}
			}
		}
		return { byRegion: results(byRegion), byLibrary: results(byLibrary) };
	}

	/** Of a sample in a compilation that was printed; null of others. */
	private placeOf(i: number, methods: Methods): { readonly method: PrintedMethod; readonly instruction: number } | null {
		const { map, target, numbered } = this.attribution;
		const code = map.code[target[i]!]!;
		const method = code.kind === 'compilation' ? methods.get(code) : undefined;
		return method === undefined ? null : { method, instruction: lastAtOrBelow(method.instructions.address, numbered.addresses[numbered.of[i]!]!) };
	}
}

interface NativeCallers {
	readonly byRegion: ReadonlyMap<Region, CodeCallers>;
	/** By the `source` of regions. */
	readonly byLibrary: ReadonlyMap<string, CodeCallers>;
}

class CallerCounts {
	private samples = 0;
	private readonly rows = new Map<string, { row: Omit<CodeCaller, 'samples'>; samples: number; readonly callers: Map<GeneratedCode, number> }>();

	add({ method, wrapper, call }: NativeOwner): void {
		const frame = method === null && call !== null ? frameAt(call) : { method: method ?? '', bci: -1, line: null };
		const compileId = method === null ? (call?.method.code.compileId ?? null) : (wrapper?.compileId ?? null);
		// A native method is called by the interpreter first, and later through its wrapper.
		const key = method ?? `${frame.method} ${frame.bci} ${compileId}`;
		const of = this.rows.get(key) ?? { row: { ...frame, compileId }, samples: 0, callers: new Map<GeneratedCode, number>() };
		of.row = { ...of.row, compileId: of.row.compileId ?? compileId };
		this.rows.set(key, of);
		of.samples++;
		this.samples++;
		if (method !== null && call !== null) {
			of.callers.set(call.method.code, (of.callers.get(call.method.code) ?? 0) + 1);
		}
	}

	result(): CodeCallers {
		const rows = [...this.rows.values()].map(({ row, samples, callers }): CodeCaller => {
			const calling = [...callers].map(([{ compileId, name }, count]) => ({ compileId, method: name, samples: count })).sort((a, b) => b.samples - a.samples);
			return { ...row, samples, ...(calling.length === 0 ? {} : { callers: calling }) };
		});
		return { samples: this.samples, rows: rows.sort((a, b) => b.samples - a.samples) };
	}
}

function addOwner<K>(counts: Map<K, CallerCounts>, key: K, owner: NativeOwner): void {
	const known = counts.get(key) ?? new CallerCounts();
	counts.set(key, known);
	known.add(owner);
}

function results<K>(counts: ReadonlyMap<K, CallerCounts>): ReadonlyMap<K, CodeCallers> {
	return new Map([...counts].map(([key, of]) => [key, of.result()]));
}

function frameAt({ method, instruction }: Call): Pick<CodeCaller, 'method' | 'bci' | 'line'> {
	const [frame = { method: method.code.name, bci: -1, line: null }] = method.instructions.frames(instruction);
	return { method: frame.method, bci: frame.bci, line: frame.line };
}

type Methods = ReadonlyMap<GeneratedCode, PrintedMethod>;

/** For questions about the samples of an attribution; `methods` has the code that may have called. */
export function topsOfStacks({ samples, map, clock }: Attribution, tops: StackTops, methods: Methods): TopsOfStacks {
	return new TopsOfStacks({ tops, map, methods, secondsOf: (i) => samples.timeSeconds[i]! - clock.startSeconds });
}

function methodsOf(printed: ReadonlyMap<GeneratedCode, PrintedCode>): Methods {
	return new Map([...printed].map(([code, { instructions, labels }]) => [code, { code, instructions, labels }]));
}
