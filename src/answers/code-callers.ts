/** Whom code works for: which calls samples in stubs, in hot compilations, in native code and in the kernel came by, as the tops of their stacks tell. */
import type { PrintedMethod } from '../bias/printed-method.js';
import { interpretedOwner, type NativeOwner, STUB_SLOTS, TopsOfStacks, WRAPPER_SLOTS } from '../bias/seen-callers.js';
import type { PrintedCode } from '../formats/hotspot-code/instructions.js';
import { type Attribution, isCountedReason, REASONS, type Reason } from '../hot/attribute.js';
import type { CodeCaller, CodeCallers, InterpretedTime, Region } from '../hot/hot-results.js';
import { nativePlace, regionsByPlace } from '../hot/native-regions.js';
import type { SampleOwner } from '../hot/stack-samples.js';
import { appendTo } from '../model/append.js';
import { lastAtOrBelow } from '../model/binary-search.js';
import type { CodeKind, GeneratedCode } from '../model/generated-code.js';
import { lookAt } from '../model/instructions.js';
import { LEFT_FOR_KERNEL, type StackTops } from '../model/samples.js';

const NO_TOPS: StackTops = { sample: new Int32Array(), slot: new Uint16Array(), address: new Float64Array(), copiedBytes: 0 };

/** Of compilations that call native code, or are left for the kernel, seldomer than in this share of the samples, nobody reads the code. */
const LEAST_SHARE = 1e-4;

/** Compilations that may have called the stubs, the native methods and the kernel that samples are in: those may have no samples of their own. */
export function codeAbove({ map, reason, counted }: Attribution, tops: StackTops | undefined): Set<GeneratedCode> {
	const result = new Set<GeneratedCode>();
	const { sample, slot, address } = tops ?? NO_TOPS;
	const known = new Map<number, readonly GeneratedCode[]>();
	const counts = new Map<GeneratedCode, number>();
	const take = (row: number, why: Reason | undefined): void => {
		const at = address[row]! - (slot[row] === LEFT_FOR_KERNEL ? 0 : 1);
		let there = known.get(at);
		if (there === undefined) {
			there = map.at(at).flatMap((position) => {
				const code = map.code[position]!;
				return code.kind === 'compilation' || code.kind === 'native wrapper' ? [code] : [];
			});
			known.set(at, there);
		}
		for (const code of there) {
			const count = (counts.get(code) ?? 0) + 1;
			counts.set(code, count);
			if (why === 'stub' || count >= LEAST_SHARE * counted) {
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
			take(row, why);
		} else if (why === 'native library' || why === 'kernel') {
			const kind = kindAt(address[row]!);
			if (kind === 'native wrapper') {
				take(row, why);
			}
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
		return results(result, framesOf(sitesOf(result.values()), Number.POSITIVE_INFINITY));
	}

	/** By region and library: native ones, the kernel, the interpreter. `printed` has the code of those that called; `isJava`: whether a sample is of a thread of Java. */
	nativeCallers(printed: ReadonlyMap<GeneratedCode, PrintedCode>, regions: readonly Region[], isJava: (sample: number) => boolean): NativeCallers {
		const { reason, samples, numbered } = this.attribution;
		const { sample } = this.tops;
		const ownerOf = this.owners(printed);
		const known = new Set<number>();
		const regionAt = regionsByPlace(regions);
		const byRegion = new Map<Region, CallerCounts>();
		const byLibrary = new Map<string, CallerCounts>();
		for (let row = 0; row < sample.length; row++) {
			const i = sample[row]!;
			const why = REASONS[reason[i]!];
			if ((row > 0 && sample[row - 1] === i) || (why !== 'native library' && why !== 'kernel')) {
				continue;
			}
			const owner = ownerOf(i);
			if (owner !== null) {
				known.add(i);
				const { source, symbol } = nativePlace(why, samples.places[samples.place[i]!]);
				const address = numbered.addresses[numbered.of[i]!]!;
				const region = regionAt(source, symbol, address);
				addOwner(byLibrary, source, owner);
				if (region !== undefined) {
					addOwner(byRegion, region, owner);
				}
			}
		}
		const interpreted = this.interpreted(regions, byRegion, byLibrary);
		const frameOf = framesOf(sitesOf(byLibrary.values()), MOST_DESCRIBED);
		return { byRegion: results(byRegion, frameOf), byLibrary: results(byLibrary, frameOf), interpreted, ...this.unknown(known, isJava) };
	}

	/** Of the interpreter the methods that it interpreted. */
	private interpreted(regions: readonly Region[], byRegion: Map<Region, CallerCounts>, byLibrary: Map<string, CallerCounts>): InterpretedTime[] {
		const { map, target, reason, samples, numbered } = this.attribution;
		const ofCode = new Map<GeneratedCode, Region[]>();
		for (const region of regions) {
			if (region.heat?.code.kind === 'interpreter') {
				appendTo(ofCode, region.heat.code, region);
			}
		}
		const times = new Map<string, InterpretedTime>();
		for (const [i, method] of this.tops.interpretedMethods?.bySample ?? []) {
			if (REASONS[reason[i]!] !== 'interpreter') {
				continue;
			}
			const { name, bytecodeBytes } = method;
			const before = times.get(name);
			times.set(name, { name, bytecodeBytes: Math.max(before?.bytecodeBytes ?? 0, bytecodeBytes), samples: (before?.samples ?? 0) + 1 });
			const owner = interpretedOwner(method);
			addOwner(byLibrary, nativePlace('interpreter', samples.places[samples.place[i]!]).source, owner);
			const address = numbered.addresses[numbered.of[i]!]!;
			const region = ofCode.get(map.code[target[i]!]!)?.find(({ start, end }) => start <= address && address < end);
			if (region !== undefined) {
				addOwner(byRegion, region, owner);
			}
		}
		return [...times.values()].sort((a, b) => b.samples - a.samples);
	}

	/** Of samples in libraries that are in threads of Java. */
	private unknown(known: ReadonlySet<number>, isJava: (sample: number) => boolean): Pick<NativeCallers, 'unknown' | 'unreached'> {
		const { reason, samples } = this.attribution;
		const reached = new Set(this.tops.sample);
		const unknown = new Map<string, number>();
		const unreached = new Map<string, number>();
		const count = (counts: Map<string, number>, source: string): Map<string, number> => counts.set(source, (counts.get(source) ?? 0) + 1);
		for (let i = 0; i < samples.length; i++) {
			const why = REASONS[reason[i]!];
			if (why === 'native library' && !known.has(i) && isJava(i)) {
				const { source } = nativePlace(why, samples.places[samples.place[i]!]);
				count(unknown, source);
				if (!reached.has(i)) {
					count(unreached, source);
				}
			}
		}
		return { unknown, unreached };
	}

	/** Of samples in no compilation: in native code, stubs and the kernel. `printed` has the code of those that called. */
	private owners(printed: ReadonlyMap<GeneratedCode, PrintedCode>): (sample: number) => NativeOwner | null {
		const { map, target } = this.attribution;
		const seen = topsOfStacks(this.attribution, this.tops, methodsOf(printed));
		return (i) => seen.ownerOf(i, map.code[target[i]!]);
	}

	/** The same as frames below which a stack has those of what was sampled. */
	stackOwners(printed: ReadonlyMap<GeneratedCode, PrintedCode>): (sample: number) => SampleOwner | null {
		const ownerOf = this.owners(printed);
		return (i) => {
			const owner = ownerOf(i);
			if (owner === null) {
				return null;
			}
			const { method, wrapper, call } = owner;
			return { method, wrapper, from: call === null ? null : { code: call.method.code, address: call.method.instructions.address[call.instruction]! } };
		};
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
	readonly interpreted: readonly InterpretedTime[];
	readonly byRegion: ReadonlyMap<Region, CodeCallers>;
	/** By the `source` of regions. */
	readonly byLibrary: ReadonlyMap<string, CodeCallers>;
	/** Samples in threads of Java of which no caller is known, by the `source` of libraries; and those of them in whose copied stack no word lies in generated code. */
	readonly unknown: ReadonlyMap<string, number>;
	readonly unreached: ReadonlyMap<string, number>;
}

type Frame = Pick<CodeCaller, 'method' | 'bci' | 'line'>;
/** By compilation and instruction. */
type Sites = ReadonlyMap<PrintedMethod, ReadonlyMap<number, number>>;
type FrameOf = (method: PrintedMethod, instruction: number) => Frame;

interface NativeCounts {
	wrapper: GeneratedCode | null;
	readonly isInterpreted: boolean;
	samples: number;
	readonly callers: Map<GeneratedCode, number>;
}

class CallerCounts {
	private samples = 0;
	private readonly natives = new Map<string, NativeCounts>();
	private readonly calls = new Map<PrintedMethod, Map<number, number>>();

	get sites(): Sites {
		return this.calls;
	}

	add({ method, wrapper, call, isInterpreted }: NativeOwner): void {
		this.samples++;
		if (method === null && call !== null) {
			const known = this.calls.get(call.method) ?? new Map<number, number>();
			this.calls.set(call.method, known.set(call.instruction, (known.get(call.instruction) ?? 0) + 1));
		} else if (method !== null) {
			// It is called by the interpreter first, and later through its wrapper.
			const of = this.natives.get(method) ?? { wrapper, isInterpreted: isInterpreted === true, samples: 0, callers: new Map<GeneratedCode, number>() };
			this.natives.set(method, of);
			of.wrapper ??= wrapper;
			of.samples++;
			if (call !== null) {
				of.callers.set(call.method.code, (of.callers.get(call.method.code) ?? 0) + 1);
			}
		}
	}

	result(frameOf: FrameOf): CodeCallers {
		const rows = new Map<string, CodeCaller & { samples: number }>();
		for (const [method, instructions] of this.calls) {
			const { compileId } = method.code;
			for (const [instruction, samples] of instructions) {
				const frame = frameOf(method, instruction);
				const key = `${frame.method} ${frame.bci} ${compileId}`;
				const row = rows.get(key) ?? { ...frame, compileId, samples: 0 };
				rows.set(key, row);
				row.samples += samples;
			}
		}
		const natives = [...this.natives].map(([method, { wrapper, isInterpreted, samples, callers }]): CodeCaller => {
			const calling = [...callers].map(([{ compileId, name }, count]) => ({ compileId, method: name, samples: count })).sort((a, b) => b.samples - a.samples);
			return {
				method,
				bci: -1,
				line: null,
				compileId: wrapper?.compileId ?? null,
				samples,
				...(isInterpreted ? { isInterpreted } : {}),
				...(calling.length === 0 ? {} : { callers: calling }),
			};
		});
		return { samples: this.samples, rows: [...natives, ...rows.values()].sort((a, b) => b.samples - a.samples) };
	}
}

/** So many places in code are described, those with most samples; others are told by their compilation. */
const MOST_DESCRIBED = 500;

/** A piece of code is looked at once for all of its places. */
function framesOf(sites: Sites, most: number): FrameOf {
	const all = [...sites].flatMap(([method, instructions]) => [...instructions].map(([instruction, samples]) => ({ method, instruction, samples })));
	const chosen = all.length <= most ? all : all.sort((a, b) => b.samples - a.samples).slice(0, most);
	const wanted = new Map<PrintedMethod, number[]>();
	for (const { method, instruction } of chosen) {
		appendTo(wanted, method, instruction);
	}
	const frames = new Map<PrintedMethod, ReadonlyMap<number, Frame>>();
	for (const [method, instructions] of wanted) {
		const found = lookAt(method.instructions, () => new Map(instructions.map((instruction) => [instruction, frameAt(method, instruction)])));
		frames.set(method, found);
	}
	return (method, instruction) => frames.get(method)?.get(instruction) ?? { method: method.code.name, bci: -1, line: null };
}

function sitesOf(counts: Iterable<CallerCounts>): Sites {
	const result = new Map<PrintedMethod, Map<number, number>>();
	for (const { sites } of counts) {
		for (const [method, instructions] of sites) {
			const known = result.get(method) ?? new Map<number, number>();
			result.set(method, known);
			for (const [instruction, samples] of instructions) {
				known.set(instruction, (known.get(instruction) ?? 0) + samples);
			}
		}
	}
	return result;
}

function addOwner<K>(counts: Map<K, CallerCounts>, key: K, owner: NativeOwner): void {
	const known = counts.get(key) ?? new CallerCounts();
	counts.set(key, known);
	known.add(owner);
}

function results<K>(counts: ReadonlyMap<K, CallerCounts>, frameOf: FrameOf): ReadonlyMap<K, CodeCallers> {
	return new Map([...counts].map(([key, of]) => [key, of.result(frameOf)]));
}

function frameAt({ code, instructions }: PrintedMethod, instruction: number): Frame {
	const [frame = { method: code.name, bci: -1, line: null }] = instructions.frames(instruction);
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
