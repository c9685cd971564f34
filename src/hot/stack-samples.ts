/**
 * Every counted sample with its stack: the compilations and native functions that the profiler's stack goes through, each expanded to what was
 * inlined there; without a stack the sampled instruction alone. The innermost frame is that of `assay hot`, so that sums agree.
 */
import { lastAtOrBelow } from '../model/binary-search.js';
import type { CodeMap } from '../model/code-map.js';
import type { GeneratedCode } from '../model/generated-code.js';
import type { Frame, Instructions } from '../model/instructions.js';
import type { SampleDetails, SamplePlace } from '../model/samples.js';
import type { StackedSamples, StackFrame } from '../model/stacked-samples.js';
import { type Attribution, CodeFinder, isCountedReason, REASONS, type Reason } from './attribute.js';
import { hasTimes } from './jvm-clock.js';

/** What was printed of a piece of code, by its position in the code map; null: nothing. */
export type InstructionsAt = (position: number) => Instructions | null;
/** The frames at an address of code that was not printed, the innermost first; empty: nothing tells. */
export type FramesAt = (code: GeneratedCode, address: number) => readonly Frame[];

export interface StackSource {
	readonly attribution: Attribution;
	readonly details: SampleDetails;
	readonly processId: number | null;
	readonly intervalNs: number | null;
	/** When the JVM started, in milliseconds since 1970; null where its log does not tell. */
	readonly startedEpochMs: number | null;
}

/** What of Java native code, a stub or the kernel works for, where no profiler recorded stacks. */
export interface SampleOwner {
	/** The native method that the code is of; null: none. */
	readonly method: string | null;
	/** Through which that is called; null where it was interpreted. */
	readonly wrapper: GeneratedCode | null;
	/** The instruction of compiled code that called, or at which the kernel took over; null where nothing tells. */
	readonly from: { readonly code: GeneratedCode; readonly address: number } | null;
}

/** Positions in the code map of all code that samples or their callers may lie in. */
export function stackedCode({ attribution, details: { stacks } }: StackSource): Set<number> {
	const result = new Set<number>(attribution.target);
	result.delete(-1);
	for (const address of stacks?.address ?? []) {
		for (const position of address > 0 ? attribution.map.at(address - 1) : []) {
			result.add(position);
		}
	}
	return result;
}

/** `ownerOf`: of a sample in no compilation, where its stack was not recorded. */
export function stackSamples(
	source: StackSource,
	instructionsAt: InstructionsAt,
	ownerOf: (sample: number) => SampleOwner | null = () => null,
	framesAt: FramesAt = () => [],
): StackedSamples {
	const { attribution, details, processId, intervalNs } = source;
	const { samples, reason, map, target, numbered } = attribution;
	const mappings = processId === null ? undefined : details.mappedCode?.get(processId);
	const tree = new StackTree();
	const leaves = new Leaves(source, tree, instructionsAt, framesAt);
	const callers = details.stacks === null ? null : new Callers(source, details.stacks, tree, leaves);
	const node = new Int32Array(attribution.counted);
	const thread = new Int32Array(attribution.counted);
	const timeSeconds = hasTimes(samples) ? new Float64Array(attribution.counted) : null;
	const periods = details.periods === null ? null : new Float64Array(attribution.counted);
	const isOwned = OWNED.map((why) => REASONS.indexOf(why));
	let row = 0;
	for (let i = 0; i < samples.length; i++) {
		if (!isCountedReason(reason[i]!)) {
			continue;
		}
		const position = target[i]!;
		const leaf =
			position >= 0
				? leaves.ofCode(position, numbered.addresses[numbered.of[i]!]!, REASONS[reason[i]!])
				: leaves.ofPlace(samples.place[i]!, REASONS[reason[i]!]!, numbered.addresses[numbered.of[i]!]!);
		const owner = callers === null && isOwned.includes(reason[i]!) ? ownerOf(i) : null;
		node[row] = callers === null ? tree.nodesOf(owner === null ? -1 : leaves.ofOwner(owner), leaf) : callers.withLeaf(i, leaf, map.code[position]);
		thread[row] = details.threads?.of[i] ?? 0;
		if (timeSeconds !== null) {
			timeSeconds[row] = samples.timeSeconds[i]!;
		}
		if (periods !== null) {
			periods[row] = details.periods?.[i] as number;
		}
		row++;
	}
	return {
		event: samples.events[attribution.event] ?? '',
		processId,
		frames: tree.frames,
		nodeFrame: Int32Array.from(tree.nodeFrame),
		nodeParent: Int32Array.from(tree.nodeParent),
		length: row,
		node,
		thread,
		threads: details.threads?.threads ?? [{ name: '', id: -1 }],
		timeSeconds,
		periods,
		intervalNs,
		...(mappings === undefined ? {} : { mappings }),
		...originOf(source, timeSeconds),
	};
}

/** A JVM's start that was told from samples is the latest possible: some may be earlier. */
function originOf(
	{ attribution: { clock }, startedEpochMs }: StackSource,
	times: Float64Array | null,
): Pick<StackedSamples, 'originSeconds' | 'originEpochMs'> {
	const first = times?.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY) ?? 0;
	if (times === null || Number.isNaN(clock.startSeconds)) {
		return { originSeconds: Number.isFinite(first) ? first : 0, originEpochMs: null };
	}
	const originSeconds = Math.min(first, clock.startSeconds);
	return { originSeconds, originEpochMs: startedEpochMs === null ? null : startedEpochMs + (originSeconds - clock.startSeconds) * 1000 };
}

/** Frames and nodes, each once. */
export class StackTree {
	readonly frames: StackFrame[] = [];
	readonly nodeFrame: number[] = [];
	readonly nodeParent: number[] = [];
	private readonly frameNumbers = new Map<string, number>();
	private readonly nodeNumbers = new Map<number, number>();

	frameNumber(frame: StackFrame, position: number): number {
		const { name, kind, library, line, bci, address, inlineDepth } = frame;
		const key = `${position} ${address} ${inlineDepth} ${line} ${bci} ${kind} ${library} ${name}`;
		let number = this.frameNumbers.get(key);
		if (number === undefined) {
			number = this.frames.push(frame) - 1;
			this.frameNumbers.set(key, number);
		}
		return number;
	}

	/** The node of frames, the outermost first, called from `parent`. */
	nodesOf(parent: number, frames: readonly number[]): number {
		let result = parent;
		for (const frame of frames) {
			const key = (result + 1) * 2 ** 26 + frame;
			let node = this.nodeNumbers.get(key);
			if (node === undefined) {
				node = this.nodeFrame.push(frame) - 1;
				this.nodeParent.push(result);
				this.nodeNumbers.set(key, node);
			}
			result = node;
		}
		return result;
	}
}

const OWNED: readonly Reason[] = ['native library', 'stub', 'kernel', 'interpreter'];

const NO_POSITION = { line: null, bci: null, code: null, address: Number.NaN, inlineDepth: 0 };

/** Frames of the sampled instruction, the outermost first. */
class Leaves {
	private readonly map: CodeMap;
	private readonly places: readonly SamplePlace[];
	private readonly tree: StackTree;
	private readonly instructionsAt: InstructionsAt;
	private readonly framesAt: FramesAt;
	private readonly ofCodes = new Map<number, Map<number, readonly number[]>>();
	private readonly ofPlaces = new Map<string, readonly number[]>();
	private readonly positions: ReadonlyMap<GeneratedCode, number>;

	constructor({ attribution }: StackSource, tree: StackTree, instructionsAt: InstructionsAt, framesAt: FramesAt) {
		this.map = attribution.map;
		this.places = attribution.samples.places;
		this.tree = tree;
		this.instructionsAt = instructionsAt;
		this.framesAt = framesAt;
		this.positions = new Map(attribution.map.code.map((code, position) => [code, position]));
	}

	/** The node of what of Java is worked for. */
	ofOwner({ method, wrapper, from }: SampleOwner): number {
		const position = from === null ? undefined : this.positions.get(from.code);
		const calling = from === null || position === undefined ? [] : this.ofCode(position, from.address, undefined);
		const own =
			method === null
				? []
				: [
						this.tree.frameNumber(
							{ ...NO_POSITION, name: method, kind: 'method', library: null, code: wrapper },
							this.positions.get(wrapper as GeneratedCode) ?? -1,
						),
					];
		return this.tree.nodesOf(-1, [...calling, ...own]);
	}

	/** `reason`: why it is no compilation's, if it is none. */
	ofCode(position: number, address: number, reason: Reason | undefined): readonly number[] {
		let known = this.ofCodes.get(position);
		if (known === undefined) {
			known = new Map();
			this.ofCodes.set(position, known);
		}
		let frames = known.get(address);
		if (frames === undefined) {
			const code = this.map.code[position]!;
			const instructions = this.instructionsAt(position);
			const chain = instructions === null ? this.framesAt(code, address) : [];
			frames = framesOfCode(code, instructions, chain, address, reason).map((frame) => this.tree.frameNumber(frame, position));
			known.set(address, frames);
		}
		return frames;
	}

	ofPlace(place: number, reason: Reason, address: number): readonly number[] {
		const key = `${place} ${reason} ${address}`;
		let frames = this.ofPlaces.get(key);
		if (frames === undefined) {
			frames = [this.tree.frameNumber(frameOfReason(this.places[place], reason, address), -1)];
			this.ofPlaces.set(key, frames);
		}
		return frames;
	}
}

/** The outermost first. */
function framesOfCode(
	code: GeneratedCode,
	instructions: Instructions | null,
	told: readonly Frame[],
	address: number,
	reason: Reason | undefined,
): StackFrame[] {
	if (reason === 'interpreter' || reason === 'stub') {
		return [{ ...NO_POSITION, name: reason === 'interpreter' ? '(interpreter)' : `(${code.name})`, kind: reason, library: null, code, address }];
	}
	const at = instructions === null ? -1 : lastAtOrBelow(instructions.address, address);
	const isInside = instructions !== null && at >= 0 && address < instructions.end[at]!;
	const chain: readonly Frame[] = (isInside ? instructions.positions[instructions.position[at]!] : undefined) ?? told;
	const start = isInside ? instructions.address[at]! : address;
	const common = { kind: 'method' as const, library: null, code, address: start };
	if (chain.length === 0) {
		return [{ ...NO_POSITION, ...common, name: code.name }];
	}
	return chain.toReversed().map(({ method, line, bci }, inlineDepth) => ({ ...common, name: method, line, bci, inlineDepth }));
}

function frameOfReason(place: SamplePlace | undefined, reason: Reason, address: number): StackFrame {
	const symbol = symbolOf(place);
	const library = place?.library?.replace(/^.*\//, '') ?? null;
	switch (reason) {
		case 'kernel':
			return { ...NO_POSITION, name: `(${symbol ?? 'kernel'})`, kind: 'kernel', library: null, address };
		case 'native library':
			return { ...NO_POSITION, name: `(${symbol ?? library ?? 'native'})`, kind: 'native', library, address };
		case 'interpreter':
			return { ...NO_POSITION, name: '(interpreter)', kind: 'interpreter', library: null, address };
		case 'stub':
			return { ...NO_POSITION, name: `(${symbol ?? 'stub'})`, kind: 'stub', library: null, address };
		case 'named by the profiler only':
			return { ...NO_POSITION, name: symbol ?? '(unknown)', kind: 'method', library: null, address };
		default:
			return { ...NO_POSITION, name: '(unknown)', kind: 'unknown', library: null, address };
	}
}

function symbolOf(place: SamplePlace | undefined): string | null {
	const symbol = place?.symbol?.replace(/\+0x[0-9a-f]+$/, '') ?? null;
	return symbol === '[unknown]' || symbol === '' ? null : symbol;
}

const JAVA_METHOD = /^[^\s`:<>[(.]+(?:\.[^\s`:<>[(.]+)*\.(?:[^\s`:<>[(.]+|<init>|<clinit>)$/;
/** What C compilers put behind names of functions, and files of libraries. */
const NATIVE_SUFFIX = /\.(?:part|isra|cold|constprop|llvm|lto_priv|clone|so|dylib|dll)(?:\.|$)/;

/** A frame that the profiler told by name only. */
function frameOfName(place: SamplePlace | undefined): StackFrame {
	const symbol = symbolOf(place);
	const library = place?.library ?? null;
	if (library !== null && /^\[(?:guest\.)?kernel/.test(library)) {
		return { ...NO_POSITION, name: `(${symbol ?? 'kernel'})`, kind: 'kernel', library: null };
	}
	const dotted = symbol?.replaceAll('/', '.') ?? '';
	if (library === null && JAVA_METHOD.test(dotted) && !NATIVE_SUFFIX.test(dotted)) {
		return { ...NO_POSITION, name: dotted, kind: 'method', library: null };
	}
	const file = library?.replace(/^.*\//, '') ?? null;
	const name = symbol?.replace(/^\[(.*)\]$/, '$1') ?? file;
	return { ...NO_POSITION, name: `(${name ?? 'unknown'})`, kind: name === null ? 'unknown' : 'native', library: file };
}

/** Stacks of the profiler, its addresses looked up in the code of the sample's own time. */
class Callers {
	private readonly attribution: Attribution;
	private readonly stacks: NonNullable<SampleDetails['stacks']>;
	private readonly tree: StackTree;
	private readonly leaves: Leaves;
	private readonly finder: CodeFinder;
	/** By node of the profiler's tree: the node in ours of what is the same at all times; -2: not asked yet, -3: depends on the time. */
	private readonly known: Int32Array;
	private readonly isNameOnly: boolean;

	constructor(source: StackSource, stacks: NonNullable<SampleDetails['stacks']>, tree: StackTree, leaves: Leaves) {
		this.attribution = source.attribution;
		this.stacks = stacks;
		this.tree = tree;
		this.leaves = leaves;
		// A return address is that of the instruction after the call.
		this.finder = new CodeFinder(
			source.attribution.map,
			stacks.address.map((address) => address - 1),
			source.attribution.clock,
		);
		this.known = new Int32Array(stacks.parent.length).fill(-2);
		this.isNameOnly = stacks.address.every((address) => Number.isNaN(address));
	}

	/** Our node of the sample's stack with these innermost frames. */
	withLeaf(sample: number, leaf: readonly number[], code: GeneratedCode | undefined): number {
		const innermost = this.stacks.of[sample]!;
		if (innermost < 0) {
			return this.tree.nodesOf(-1, leaf);
		}
		const time = this.attribution.samples.timeSeconds[sample]!;
		if (!this.isNameOnly) {
			return this.tree.nodesOf(this.nodeOf(this.stacks.parent[innermost]!, time), leaf);
		}
		const named = this.nodeOf(innermost, time);
		const { tree } = this;
		const first = tree.frames[leaf[0]!]!;
		const last = tree.frames[tree.nodeFrame[named]!]!;
		if (first.kind === 'interpreter' || first.kind === 'stub') {
			return tree.nodesOf(named, leaf);
		}
		if (code === undefined) {
			// What was sampled outside of generated code, the profiler named itself.
			return last.kind === 'method' || (last.kind === 'kernel') !== (first.kind === 'kernel') ? tree.nodesOf(named, leaf) : named;
		}
		return tree.nodesOf(this.callerOf(named, first.name), leaf);
	}

	/** The profiler names the frames of the sampled compilation too: from the innermost frame of its method on, ours are taken. */
	private callerOf(named: number, method: string): number {
		const { nodeFrame, nodeParent, frames } = this.tree;
		for (let at = named; at >= 0; at = nodeParent[at]!) {
			const frame = frames[nodeFrame[at]!]!;
			if (frame.kind !== 'method') {
				break;
			}
			if (frame.name === method) {
				return nodeParent[at]!;
			}
		}
		return named;
	}

	private nodeOf(node: number, time: number): number {
		const path: number[] = [];
		let at = node;
		while (at >= 0 && this.known[at]! < 0) {
			path.push(at);
			at = this.stacks.parent[at]!;
		}
		let result = at < 0 ? -1 : this.known[at]!;
		let isTimeless = true;
		for (const one of path.reverse()) {
			isTimeless &&= this.known[one] !== -3 && this.finder.candidates(one).length <= 1;
			result = this.tree.nodesOf(result, this.framesOf(one, time));
			this.known[one] = isTimeless ? result : -3;
		}
		return result;
	}

	private framesOf(node: number, time: number): readonly number[] {
		const place = this.stacks.place[node]!;
		const address = this.stacks.address[node]!;
		if (Number.isNaN(address)) {
			return [this.tree.frameNumber(frameOfName(this.attribution.samples.places[place]), -1)];
		}
		const { map } = this.attribution;
		const position = address < 0 ? -1 : this.finder.find(node, time);
		if (position < 0) {
			return this.leaves.ofPlace(place, this.attribution.reasonOfPlace(address, place), address);
		}
		const { kind } = map.code[position]!;
		return this.leaves.ofCode(position, address - 1, kind === 'interpreter' || kind === 'stub' ? kind : undefined);
	}
}
