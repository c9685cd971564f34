/** Every sample to the code that was executing, at the sample's own time, or to the reason why it belongs to no compilation. */
import { type AddressNumbers, numberAddresses } from '../model/address-numbers.js';
import type { CodeMap } from '../model/code-map.js';
import { type GeneratedCode, kindOfSymbol } from '../model/generated-code.js';
import { isJvmLibrary } from '../model/jvm-library.js';
import type { SamplePlace, Samples } from '../model/samples.js';
import { clockFromSamples, hasTimes, type JvmClock, NO_CLOCK } from './jvm-clock.js';

export const REASONS = [
	'kernel',
	'native library',
	'interpreter',
	'stub',
	'unknown',
	'named by the profiler only',
	"before the JVM's start",
	'outside the window',
	'other process',
	'other event',
	'other thread',
] as const;
/** Why a sample belongs to no compilation, or is not counted. */
export type Reason = (typeof REASONS)[number];
/** These are none of the JVM's time: percentages leave them out. */
const NOT_COUNTED: ReadonlySet<Reason> = new Set(["before the JVM's start", 'outside the window', 'other process', 'other event', 'other thread']);

/** Whether samples of this reason are none of the JVM's time in the window. */
export function isNotCounted(reason: Reason): boolean {
	return NOT_COUNTED.has(reason);
}

/** By position in REASONS; -1, a compilation, counts. */
export function isCountedReason(reason: number): boolean {
	return reason < 0 || !NOT_COUNTED.has(REASONS[reason]!);
}

/** Which samples count, and how their clock maps onto the JVM's. */
export interface AttributionOptions {
	/** The event that is counted: its number in `samples.events`. */
	readonly event: number;
	/** The JVM's process; null: told from the samples. */
	readonly processId: number | null;
	/** Seconds after the first sample, both ends inclusive. */
	readonly window: { readonly from: number; readonly to: number };
	/** When the JVM started on the samples' clock, if that was recorded. */
	readonly clock: JvmClock | null;
	/** Seconds of the samples' clock before which nothing counts; told from the samples where it is not given. */
	readonly startSeconds?: number;
}

/** Every sample with the code it belongs to, or the reason why to none. */
export interface Attribution {
	readonly samples: Samples;
	readonly numbered: AddressNumbers;
	readonly map: CodeMap;
	readonly event: number;
	readonly total: number;
	/** Samples of the JVM in the window: what is 100 %. */
	readonly counted: number;
	readonly byReason: ReadonlyMap<Reason, number>;
	/** For each sample the position in `map.code`, or -1 - the position in REASONS. For the interpreter and stubs also where their code is known. */
	readonly target: Int32Array;
	readonly reason: Int8Array;
	readonly clock: JvmClock;
	/** Seconds of the samples' clock before which nothing counts. */
	readonly startSeconds: number;
	/** Samples at addresses that several compilations used, so near to the change that the clocks do not tell which it was. */
	readonly ambiguous: number;
	/** Samples at addresses of code that came later, by a recorded clock: they are of none. */
	readonly early: number;
	/** What an address in no known code is, such as a caller's, from the position of its place. */
	reasonOfPlace(address: number, place: number): Reason;
}

/** Gives each sample the code that lay at its address at its time; never throws. A sample without code has a reason. */
export function attributeSamples(samples: Samples, map: CodeMap, options: AttributionOptions): Attribution {
	const numbered = numberAddresses(samples);
	const { addresses } = numbered;
	const jvm = options.processId ?? jvmProcess(samples, numbered, map);
	const places = samples.places.map((place) => classifyPlace(place, jvm));
	// Where samples have process ids, files need not tell: a perf map is called by the id inside a container, and any program can hold a JVM.
	const placesOfJvm = samples.places.map((place) => classifyPlace(place, null));
	const isOfJvm = (i: number): boolean => {
		const processId = samples.processId[i]!;
		return processId < 0 || jvm === null ? places[samples.place[i]!] !== 'other process' : processId === jvm;
	};
	const clock =
		(hasTimes(samples) ? options.clock : NO_CLOCK) ?? clockFromSamples(samples, numbered, map, (i) => samples.event[i] === options.event && isOfJvm(i));
	const start = options.startSeconds ?? startOfJvm(samples, places, isOfJvm, clock);
	const first = firstTime(samples);
	const from = first + options.window.from;
	const to = first + options.window.to;
	const finder = new CodeFinder(map, addresses, clock);
	const target = new Int32Array(samples.length).fill(-1);
	const reason = new Int8Array(samples.length).fill(-1);
	const byReason = new Map<Reason, number>();
	for (let i = 0; i < samples.length; i++) {
		const time = samples.timeSeconds[i]!;
		let why: Reason | null = null;
		if (samples.event[i] !== options.event) {
			why = 'other event';
		} else if (time < from || time > to) {
			why = 'outside the window';
		} else if (!isOfJvm(i)) {
			why = 'other process';
		} else {
			const number = numbered.of[i]!;
			const address = addresses[number]!;
			const found = address < 0 ? -1 : finder.find(number, time);
			target[i] = found;
			why = found >= 0 ? reasonOfCode(map.code[found]!) : time < start ? "before the JVM's start" : reasonOfPlace(address, placesOfJvm[samples.place[i]!]!);
		}
		if (why !== null) {
			reason[i] = REASONS.indexOf(why);
			byReason.set(why, (byReason.get(why) ?? 0) + 1);
		}
	}
	const notCounted = [...NOT_COUNTED].reduce((sum, key) => sum + (byReason.get(key) ?? 0), 0);
	return {
		samples,
		numbered,
		map,
		event: options.event,
		total: samples.length,
		counted: samples.length - notCounted,
		byReason,
		target,
		reason,
		clock,
		startSeconds: start,
		ambiguous: finder.ambiguous,
		early: finder.early,
		reasonOfPlace: (address, place) => reasonOfPlace(address, placesOfJvm[place]!),
	};
}

/** The same with the counted samples alone that are wanted; of the others the reason says that they are of another thread. */
export function onlyThreads(attribution: Attribution, isWanted: (sample: number) => boolean): Attribution {
	const reason = attribution.reason.slice();
	const other = REASONS.indexOf('other thread');
	const byReason = new Map<Reason, number>();
	let counted = 0;
	for (let i = 0; i < reason.length; i++) {
		if (isCountedReason(reason[i]!)) {
			reason[i] = isWanted(i) ? reason[i]! : other;
			counted += reason[i] === other ? 0 : 1;
		}
		const why = REASONS[reason[i]!];
		if (why !== undefined) {
			byReason.set(why, (byReason.get(why) ?? 0) + 1);
		}
	}
	return { ...attribution, reason, byReason, counted };
}

/** A sample that is so much before the first code at its address is of other code, even if the clocks are a little off. */
const EARLY_SECONDS = 0.01;

/** Looks code up by the number of an address and time; remembers what lies at each address. */
export class CodeFinder {
	ambiguous = 0;
	early = 0;
	private readonly map: CodeMap;
	private readonly clock: JvmClock;
	private readonly addresses: Float64Array;
	private readonly known: (readonly number[] | null)[];

	constructor(map: CodeMap, addresses: Float64Array, clock: JvmClock) {
		this.map = map;
		this.addresses = addresses;
		this.clock = clock;
		this.known = Array.from(addresses, () => null);
	}

	/** Positions in the map of what ever lay at the address. */
	candidates(number: number): readonly number[] {
		let candidates = this.known[number] ?? null;
		if (candidates === null) {
			candidates = this.map.at(this.addresses[number]!);
			this.known[number] = candidates;
		}
		return candidates;
	}

	/** Position of the code at that time, on the samples' clock; -1: none. */
	find(number: number, time: number): number {
		const candidates = this.candidates(number);
		const { uncertaintySeconds, source } = this.clock;
		const seconds = time - this.clock.startSeconds;
		const first = candidates[0];
		const earlySeconds = this.clock.isOfFirstCode === true ? 0 : EARLY_SECONDS;
		if (first === undefined || (source === 'recorded' && seconds < this.installed(first) - uncertaintySeconds - earlySeconds)) {
			// What lay there before is not told.
			this.early += first === undefined ? 0 : 1;
			return -1;
		}
		if (candidates.length === 1) {
			return first;
		}
		let result = first;
		if (Number.isNaN(seconds)) {
			this.ambiguous++;
			return candidates.at(-1)!;
		}
		let isNear = false;
		for (const candidate of candidates) {
			const installedSeconds = this.installed(candidate);
			if (installedSeconds > seconds) {
				isNear ||= candidate !== first && installedSeconds <= seconds + uncertaintySeconds;
				break;
			}
			// A clock from samples cannot have started later, only earlier; a recorded one is off to either side.
			isNear = source === 'recorded' && candidate !== first && installedSeconds > seconds - uncertaintySeconds;
			result = candidate;
		}
		this.ambiguous += isNear ? 1 : 0;
		return result;
	}

	private installed(candidate: number): number {
		return this.map.code[candidate]!.installedSeconds ?? Number.NEGATIVE_INFINITY;
	}
}

function reasonOfCode({ kind, compileId }: GeneratedCode): Reason | null {
	if (kind === 'interpreter' || kind === 'stub') {
		return kind;
	}
	return compileId === null ? 'named by the profiler only' : null;
}

type PlaceClass = 'kernel' | 'native library' | 'interpreter' | 'stub' | 'named by the profiler only' | 'unknown' | 'other process';

function reasonOfPlace(address: number, place: PlaceClass): Reason {
	// A program that is not the launcher of a JVM, in the JVM's process, holds one.
	return address < 0 ? 'kernel' : place === 'other process' ? 'native library' : place;
}

const PERF_MAP = /(?:^|\/)perf-(\d+)\.map$/;
const NO_FILE = /^(?:\[(?:unknown|anon|heap|stack)[^\]]*\]|\/\/anon|anon_inode:.*|\/memfd:.*|\/dev\/zero.*|unknown)(?: \(deleted\))?$/;
/** What JIT compilers leave for perf, `JIT` before the ending. */
const DUMP = /\.dump(?: \(deleted\))?$/;

function isDumpOfJit(library: string): boolean {
	const mark = library.indexOf('JIT');
	return mark >= 0 && (DUMP.exec(library)?.index ?? -1) >= mark + 3;
}

/** What a sample outside of all known code is, from what the profiler said. */
export function classifyPlace({ symbol, library }: SamplePlace, jvm: number | null): PlaceClass {
	const owner = library === null ? undefined : PERF_MAP.exec(library)?.[1];
	if (owner !== undefined) {
		return jvm !== null && Number(owner) !== jvm ? 'other process' : classifyMapSymbol(symbol);
	}
	if (library === '[unknown]' && symbol !== null && symbol !== '[unknown]') {
		// Xcode's tables up to 14.2 name the function, not its library.
		return 'native library';
	}
	if (library === null || NO_FILE.test(library) || isDumpOfJit(library)) {
		return 'unknown';
	}
	if (/^\[(?:kernel|guest\.kernel)/.test(library) || library === 'kernel') {
		return 'kernel';
	}
	// Without process ids only the file tells: a program that is not the launcher of a JVM.
	return /\/s?bin\/[^/]+$/.test(library) && !/\/java[^/]*$/.test(library) ? 'other process' : 'native library';
}

/** Names in a perf map, as the JVM's own (Compiler.perfmap) has them. */
function classifyMapSymbol(symbol: string | null): PlaceClass {
	const name = symbol?.replace(/\+0x[0-9a-f]+$/, '') ?? '[unknown]';
	if (name === '[unknown]') {
		return 'unknown';
	}
	const kind = kindOfSymbol(name);
	return kind === 'interpreter' || kind === 'stub' ? kind : 'named by the profiler only';
}

/** The process with the most samples in generated code or a perf map; null where samples name no process. */
function jvmProcess(samples: Samples, { of, addresses }: AddressNumbers, map: CodeMap): number | null {
	const counts = new Map<number, number>();
	const owners = samples.places.map(({ library }) => Number(PERF_MAP.exec(library ?? '')?.[1] ?? -1));
	const isCode = Uint8Array.from(addresses, (address) => (address >= 0 && map.at(address).length > 0 ? 1 : 0));
	for (let i = 0; i < samples.length; i++) {
		const owner = owners[samples.place[i]!]!;
		const sampled = samples.processId[i]!;
		const processId = sampled >= 0 ? sampled : owner;
		if (processId >= 0 && (owner >= 0 || isCode[of[i]!] === 1)) {
			counts.set(processId, (counts.get(processId) ?? 0) + 1);
		}
	}
	let result: number | null = null;
	for (const [processId, count] of counts) {
		result = result === null || count > counts.get(result)! ? processId : result;
	}
	return result;
}

/** The samples' time before which the JVM was not there: nothing of its library or of generated code was seen yet. */
function startOfJvm(samples: Samples, places: readonly PlaceClass[], isOfJvm: (i: number) => boolean, clock: JvmClock): number {
	const isLibjvm = samples.places.map(({ library }) => isJvmLibrary(library));
	if (clock.isOfFirstCode === true) {
		return Number.NEGATIVE_INFINITY;
	}
	let first = clock.source === 'none' ? Number.POSITIVE_INFINITY : clock.startSeconds;
	for (let i = 0; i < samples.length; i++) {
		if (isLibjvm[samples.place[i]!] && isOfJvm(i)) {
			first = Math.min(first, samples.timeSeconds[i]!);
		}
	}
	return Number.isFinite(first) && places.length > 0 ? first : Number.NEGATIVE_INFINITY;
}

/** Seconds; infinite without samples. */
export function firstTime({ timeSeconds, length }: Samples): number {
	let result = Number.POSITIVE_INFINITY;
	for (let i = 0; i < length; i++) {
		result = Math.min(result, timeSeconds[i]!);
	}
	return result;
}
