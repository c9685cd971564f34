/**
 * Which compilation a call goes to, and who called one: HotSpot prints code before calls are resolved, so that mostly only the name of the
 * method stands beside a call. Of methods with that name the one whose code the call goes to is meant, or of the same holder, or one that
 * is executed. A call that goes to code is not bound to it for ever: when that is made not entrant, the JVM sends the call to the version that
 * came after it, so of the versions of a method the one counts that was there for most of the time.
 */
import { appendTo } from '../model/append.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { type Frame, targetOf } from '../model/instructions.js';
import { sumOf } from '../statistics/sums.js';
import type { FittedChain } from './fitted-chain.js';
import type { PredictionInput, SampledCode } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';
import { framesAt, isJavaCall, Place } from './safepoint-places.js';
import type { SeenCallers } from './seen-callers.js';

interface CallSite {
	readonly method: PrintedMethod;
	readonly instruction: number;
}

export interface CalleeShare {
	readonly method: PrintedMethod;
	readonly share: number;
}

export interface CallerShare {
	readonly frames: readonly Frame[];
	readonly share: number;
	/** The share by the code that calls; null where no code is known. */
	readonly parts: ReadonlyMap<PrintedMethod | null, number>;
}

interface WeightedCaller {
	readonly frames: readonly Frame[];
	readonly parts: Map<PrintedMethod | null, number>;
}

export interface Candidate {
	readonly method: PrintedMethod;
	/** What speaks for it but its samples. */
	readonly score: number;
}

/** The first of those that most speaks for; null for none. */
export function likeliest(candidates: readonly Candidate[], samplesOf: (method: PrintedMethod) => number): PrintedMethod | null {
	let best: PrintedMethod | null = null;
	let highest = Number.NEGATIVE_INFINITY;
	for (const { method, score } of candidates) {
		const whole = score + Math.min(samplesOf(method), MOST_SAMPLES);
		if (whole > highest) {
			highest = whole;
			best = method;
		}
	}
	return best;
}

/** Samples never speak as much for a compilation as the class that is named. */
export const MOST_SAMPLES = 1e5;
/** What the address of a call says of the method whose code is there, and of that version of it. */
const SAME_METHOD = 1e9;
const SAME_CODE = 1.5 * MOST_SAMPLES;
/** Of a version that was there for no time beside one that was there for all of it. */
const SUPERSEDED = -4 * MOST_SAMPLES;
/** Of a caller of which nothing is told but that it names the method. */
const DOUBTFUL = 1e-3;
/** Executions of callers that tell nothing: calls in code that is as good as never reached. */
const HARDLY = 1e-4;
/** Weight of a place without samples where a method is inlined. */
const BARELY = 1e-6;

/** A method in a chain of inlining: the frames behind `depth` are its callers. */
interface InlinedAt {
	readonly method: PrintedMethod;
	readonly position: number;
	readonly depth: number;
}

export class Callers {
	private readonly chain: (method: PrintedMethod) => FittedChain;
	private readonly byName = new Map<string, PrintedMethod[]>();
	private readonly wrappers = new Map<string, GeneratedCode[]>();
	/** Of a method that was compiled more than once, all that is called: not what is entered in a loop. */
	private readonly versions = new Map<PrintedMethod, readonly PrintedMethod[]>();
	private readonly sites = new Map<string, CallSite[]>();
	private readonly samples: ReadonlyMap<PrintedMethod, SampledCode>;
	private readonly totals: ReadonlyMap<PrintedMethod, number>;
	private readonly samplesByPosition = new Map<PrintedMethod, Float64Array>();
	/** By name of a method the compilations that may inline it. */
	private inlining: Map<string, PrintedMethod[]> | null = null;
	private readonly inlinedAt = new Map<PrintedMethod, Map<string, number[]>>();
	private readonly methods: readonly PrintedMethod[];
	private readonly seen: SeenCallers;
	/** By caller and instruction those with samples that came from there, most first. */
	private readonly seenCallees: ReadonlyMap<PrintedMethod, ReadonlyMap<number, readonly SeenCallee[]>>;
	private readonly seenShares = new Map<readonly SeenCallee[], readonly CalleeShare[]>();
	private readonly known = new Map<PrintedMethod, CallerShare[]>();

	constructor({ methods, sampled, callers, wrappers = [] }: PredictionInput, chain: (method: PrintedMethod) => FittedChain) {
		this.chain = chain;
		this.methods = methods;
		this.seen = callers ?? new Map();
		this.seenCallees = calleesOf(this.seen);
		this.samples = new Map(sampled.map((row) => [row.method, row]));
		this.totals = new Map(sampled.map(({ method, counts }) => [method, sumOf(counts)]));
		for (const versions of versionsByName(methods)) {
			for (const method of versions.length > 1 ? versions : []) {
				this.versions.set(method, versions);
			}
		}
		for (const wrapper of wrappers) {
			appendTo(this.wrappers, simpleName(wrapper.name), wrapper);
		}
		for (const method of methods) {
			appendTo(this.byName, simpleName(method.code.name), method);
			const { instructions } = method;
			for (let i = 0; i < instructions.length; i++) {
				if (isJavaCall(instructions, i)) {
					const name = instructions.calledName(i);
					if (name !== null) {
						appendTo(this.sites, name, { method, instruction: i });
					}
				}
			}
		}
	}

	/** Whether samples tell what this call goes to. */
	isSeen(caller: PrintedMethod, instruction: number): boolean {
		return this.seenCallees.get(caller)?.has(instruction) === true;
	}

	/** The native method that is called: a thread in it is seen at once. Null: none, or the call does not say. */
	nativeMethod(caller: PrintedMethod, instruction: number, from: number, to: number): string | null {
		const named = this.wrappers.get(caller.instructions.calledName(instruction) ?? '');
		if (named === undefined || this.isSeen(caller, instruction)) {
			return null;
		}
		const target = targetOf(caller.instructions, instruction);
		const bound = named.find(({ start, end }) => target >= start && target < end);
		if (bound !== undefined) {
			return bound.name;
		}
		const callees = this.candidates(caller, instruction, from, to);
		if (callees.some(({ score }) => score >= SAME_METHOD)) {
			return null;
		}
		const here = framesAt(caller.instructions, instruction, Place.JavaCall)[0]?.method ?? '';
		const ofHolder = named.find(({ name }) => holderOf(name) === holderOf(here))?.name;
		// A method that seems to call itself calls the native one that is called like it.
		if (ofHolder !== undefined && (ofHolder === here || !callees.some(({ method }) => method.code.name === ofHolder))) {
			return ofHolder;
		}
		const isOnlyOne = callees.length === 0 && named.every(({ name }) => name === named[0]?.name);
		return isOnlyOne ? (named[0]?.name ?? null) : null;
	}

	/** What a call goes to, and how often; shares add up to 1. None: not printed, or the call does not say. */
	callees(caller: PrintedMethod, instruction: number, from: number, to: number): readonly CalleeShare[] {
		const seen = this.seenCallees.get(caller)?.get(instruction);
		if (seen === undefined) {
			const method = this.calledBy(caller, instruction, from, to);
			return method === null ? [] : [{ method, share: 1 }];
		}
		let result = this.seenShares.get(seen);
		if (result === undefined) {
			// A callee that takes longer has more samples of as many calls: what counts is how often its entry is executed.
			const weights = seen.map(({ method, ofItsSamples }) => {
				const { graph, executions } = this.chain(method);
				return executions[graph.entry]! * ofItsSamples;
			});
			const all = sumOf(weights);
			result = seen.length === 1 || !(all > 0) ? [{ method: seen[0]!.method, share: 1 }] : seen.map(({ method }, i) => ({ method, share: weights[i]! / all }));
			this.seenShares.set(seen, result);
		}
		return result;
	}

	/** The likeliest; null: not printed, or the call does not say. */
	calledBy(caller: PrintedMethod, instruction: number, from: number, to: number): PrintedMethod | null {
		return likeliest(this.candidates(caller, instruction, from, to), (method) => this.samplesOf(method));
	}

	/** What a call may go to. */
	candidates(caller: PrintedMethod, instruction: number, from: number, to: number): Candidate[] {
		const seen = this.seenCallees.get(caller)?.get(instruction)?.[0];
		if (seen !== undefined) {
			return [{ method: seen.method, score: SAME_METHOD }];
		}
		const name = caller.instructions.calledName(instruction);
		const named = this.byName.get(name ?? '') ?? [];
		const target = targetOf(caller.instructions, instruction);
		const holder = holderOf(framesAt(caller.instructions, instruction, Place.JavaCall)[0]?.method ?? '');
		const there = named.filter((method) => method.code.osrBci === null && isThere(method, from, to));
		// Where one piece of code took the place of another, the one that was there for longer.
		const bound = there
			.filter(({ code }) => target >= code.start && target < code.end)
			.reduce<PrintedMethod | null>((most, one) => (most === null || secondsOf(one, from, to) > secondsOf(most, from, to) ? one : most), null);
		const longest = new Map<readonly PrintedMethod[], number>();
		return there.map((method) => {
			const { code } = method;
			const score =
				(code.name === bound?.code.name ? SAME_METHOD : 0) +
				(method === bound ? SAME_CODE : 0) +
				SUPERSEDED * (1 - this.presence(method, from, to, longest)) +
				(holderOf(code.name) === holder ? 1e6 : 0) +
				(code.level ?? 0) / 10 +
				(code.notEntrant === null ? 0.5 : 0);
			return { method, score };
		});
	}

	/** The part of the time for which it was there; 1 for the version of its method that was there for longest, which is kept. */
	private presence(method: PrintedMethod, from: number, to: number, longest: Map<readonly PrintedMethod[], number>): number {
		const versions = this.versions.get(method);
		if (versions === undefined || !Number.isFinite(to - from) || to <= from) {
			return 1;
		}
		let most = longest.get(versions);
		if (most === undefined) {
			most = versions.reduce((highest, version) => Math.max(highest, secondsOf(version, from, to)), 0);
			longest.set(versions, most);
		}
		return most > 0 ? secondsOf(method, from, to) / most : 1;
	}

	/** Shares add up to 1. */
	of(method: PrintedMethod, from: number, to: number): readonly CallerShare[] {
		let result = this.known.get(method);
		if (result === undefined) {
			result = this.find(method, from, to);
			this.known.set(method, result);
		}
		return result;
	}

	private find(method: PrintedMethod, from: number, to: number): CallerShare[] {
		const { code } = method;
		const seen = shares((this.seen.get(method) ?? []).map((site) => ({ frames: framesOf(site), parts: new Map([[site.method, site.count]]) })));
		if (seen !== null) {
			return seen;
		}
		const holder = holderOf(code.name);
		const sites = (code.osrBci === null ? (this.sites.get(simpleName(code.name)) ?? []) : []).filter((site) => isThere(site.method, from, to));
		const sampled = sites.filter((site) => this.samplesOf(site.method) > 0).map((site) => this.callerAt(site, 1));
		// In a run of many samples the callers that matter have some: chains of the others are made only where nothing else tells.
		if (total(sampled) > HARDLY) {
			return shares(sampled)!;
		}
		const isNear = (site: CallSite): boolean => {
			const target = targetOf(site.method.instructions, site.instruction);
			return (target >= code.start && target < code.end) || holderOf(framesOf(site)[0]?.method ?? '') === holder;
		};
		const others = sites.filter((site) => this.samplesOf(site.method) === 0);
		const near = [...sampled, ...others.filter(isNear).map((site) => this.callerAt(site, 1))];
		// Most of the code with a call of that name means another method.
		const rows = total(near) > HARDLY ? near : [...near, ...others.filter((site) => !isNear(site)).map((site) => this.callerAt(site, DOUBTFUL))];
		return shares(rows) ?? shares(this.inlined(code.name)) ?? [{ frames: [], share: 1, parts: new Map([[null, 1]]) }];
	}

	private callerAt(site: CallSite, trust: number): WeightedCaller {
		const { method, instruction } = site;
		const { graph, executions } = this.chain(method);
		return { frames: framesOf(site), parts: new Map([[method, executions[graph.blockOf[instruction]!]! * trust]]) };
	}

	/** Nothing printed calls it, so the interpreter does: its callers are those of the same method where it was inlined. */
	private inlined(name: string): WeightedCaller[] {
		const rows = new Map<string, WeightedCaller>();
		for (const { method, position, depth } of this.whereInlined(name)) {
			const frames = method.instructions.positions[position]!.slice(depth + 1);
			if (frames.length > 0) {
				const key = `${frames[0]?.method}:${frames[0]?.line}`;
				const row = rows.get(key) ?? { frames, parts: new Map<PrintedMethod | null, number>() };
				row.parts.set(method, (row.parts.get(method) ?? 0) + this.samplesAt(method)[position]! + BARELY);
				rows.set(key, row);
			}
		}
		return [...rows.values()];
	}

	private *whereInlined(name: string): Iterable<InlinedAt> {
		if (this.inlining === null) {
			this.inlining = new Map();
			for (const method of this.methods) {
				for (const inlined of method.instructions.methods()) {
					appendTo(this.inlining, inlined, method);
				}
			}
		}
		for (const method of this.inlining.get(name) ?? []) {
			const places = this.inlinedIn(method).get(name) ?? [];
			for (let k = 0; k < places.length; k += 2) {
				yield { method, position: places[k]!, depth: places[k + 1]! };
			}
		}
	}

	/** By name of what is inlined there, positions and the depth in each; of a method that is inlined into itself the innermost counts. */
	private inlinedIn(method: PrintedMethod): ReadonlyMap<string, readonly number[]> {
		let result = this.inlinedAt.get(method);
		if (result === undefined) {
			result = new Map();
			const { positions } = method.instructions;
			for (let position = 0; position < positions.length; position++) {
				const frames = positions[position]!;
				for (let depth = 0; depth < frames.length; depth++) {
					const name = frames[depth]!.method;
					const places = result.get(name);
					if (places === undefined) {
						result.set(name, [position, depth]);
					} else if (places.at(-2) !== position) {
						places.push(position, depth);
					}
				}
			}
			this.inlinedAt.set(method, result);
		}
		return result;
	}

	/** Samples of each of the method's positions. */
	private samplesAt(method: PrintedMethod): Float64Array {
		let result = this.samplesByPosition.get(method);
		if (result === undefined) {
			const { positions, position } = method.instructions;
			const weights = new Float64Array(positions.length);
			const counts = this.samples.get(method)?.counts ?? [];
			for (let i = 0; i < counts.length; i++) {
				const at = position[i]!;
				if (at >= 0) {
					weights[at] = weights[at]! + counts[i]!;
				}
			}
			result = weights;
			this.samplesByPosition.set(method, result);
		}
		return result;
	}

	private samplesOf(method: PrintedMethod): number {
		return this.totals.get(method) ?? 0;
	}
}

interface SeenCallee {
	readonly method: PrintedMethod;
	/** Samples of it that came by the call. */
	readonly count: number;
	/** The part that they are of all whose caller was seen. */
	readonly ofItsSamples: number;
}

function calleesOf(seen: SeenCallers): ReadonlyMap<PrintedMethod, ReadonlyMap<number, readonly SeenCallee[]>> {
	const result = new Map<PrintedMethod, Map<number, SeenCallee[]>>();
	for (const [callee, calls] of seen) {
		const all = calls.reduce((sum, { count }) => sum + count, 0);
		for (const { method, instruction, count } of calls) {
			let callees = result.get(method);
			if (callees === undefined) {
				callees = new Map();
				result.set(method, callees);
			}
			appendTo(callees, instruction, { method: callee, count, ofItsSamples: count / all });
		}
	}
	for (const callees of result.values()) {
		for (const ofCall of callees.values()) {
			ofCall.sort((a, b) => b.count - a.count);
		}
	}
	return result;
}

function shares(rows: readonly WeightedCaller[]): CallerShare[] | null {
	const all = total(rows);
	return all > 0
		? rows.map(({ frames, parts }) => ({
				frames,
				share: weightOf(parts) / all,
				parts: new Map([...parts].map(([caller, weight]) => [caller, weight / all])),
			}))
		: null;
}

function total(rows: readonly WeightedCaller[]): number {
	return rows.reduce((sum, { parts }) => sum + weightOf(parts), 0);
}

function weightOf(parts: ReadonlyMap<unknown, number>): number {
	let sum = 0;
	for (const weight of parts.values()) {
		sum += weight;
	}
	return sum;
}

/** Whether code could be executed in that time; threads inside go on when it is made not entrant. */
function isThere({ code }: PrintedMethod, from: number, to: number): boolean {
	return (code.installedSeconds ?? Number.NEGATIVE_INFINITY) <= to && (code.notEntrant?.seconds ?? Number.POSITIVE_INFINITY) >= from;
}

function versionsByName(methods: readonly PrintedMethod[]): Iterable<readonly PrintedMethod[]> {
	const byName = new Map<string, PrintedMethod[]>();
	for (const method of methods) {
		if (method.code.osrBci === null) {
			appendTo(byName, method.code.name, method);
		}
	}
	return byName.values();
}

/** For which it was there. */
function secondsOf({ code }: PrintedMethod, from: number, to: number): number {
	return Math.min(code.notEntrant?.seconds ?? to, to) - Math.max(code.installedSeconds ?? from, from);
}

function framesOf({ method, instruction }: CallSite): readonly Frame[] {
	return framesAt(method.instructions, instruction, Place.JavaCall);
}

function simpleName(name: string): string {
	return name.slice(name.lastIndexOf('.') + 1);
}

function holderOf(name: string): string {
	return name.slice(0, Math.max(0, name.lastIndexOf('.')));
}
