/**
 * Which compilation a call goes to, and who called one: HotSpot prints code before calls are resolved, so that mostly only the name of the
 * method stands beside a call. Of methods with that name the one whose code the call goes to is meant, or of the same holder, or one that
 * is executed.
 */
import type { Frame } from '../model/instructions.js';
import type { FittedChain } from './fitted-chain.js';
import type { PredictionInput, SampledCode } from './prediction-input.js';
import type { PrintedMethod } from './printed-method.js';
import { calledName, framesAt, Place, placeOf } from './safepoint-places.js';

interface CallSite {
	readonly method: PrintedMethod;
	readonly instruction: number;
	readonly frames: readonly Frame[];
}

export interface CallerShare {
	readonly frames: readonly Frame[];
	readonly share: number;
}

/** Of a caller of which nothing is told but that it names the method. */
const DOUBTFUL = 1e-3;

export class Callers {
	private readonly chain: (method: PrintedMethod) => FittedChain;
	private readonly byName = new Map<string, PrintedMethod[]>();
	private readonly sites = new Map<string, CallSite[]>();
	private readonly samples: ReadonlyMap<PrintedMethod, SampledCode>;
	private readonly methods: readonly PrintedMethod[];
	private readonly known = new Map<PrintedMethod, CallerShare[]>();

	constructor({ methods, sampled }: PredictionInput, chain: (method: PrintedMethod) => FittedChain) {
		this.chain = chain;
		this.methods = methods;
		this.samples = new Map(sampled.map((row) => [row.method, row]));
		for (const method of methods) {
			push(this.byName, simpleName(method.code.name), method);
			const { instructions } = method;
			for (let i = 0; i < instructions.length; i++) {
				if (placeOf(instructions, i) === Place.JavaCall) {
					const name = calledName(instructions, i);
					if (name !== null) {
						push(this.sites, name, { method, instruction: i, frames: framesAt(instructions, i, Place.JavaCall) });
					}
				}
			}
		}
	}

	/** null: not printed, or the call does not say. */
	calledBy(caller: PrintedMethod, instruction: number, from: number, to: number): PrintedMethod | null {
		const name = calledName(caller.instructions, instruction);
		const target = caller.instructions.target[instruction]!;
		const holder = holderOf(framesAt(caller.instructions, instruction, Place.JavaCall)[0]?.method ?? '');
		let best: PrintedMethod | null = null;
		let highest = Number.NEGATIVE_INFINITY;
		for (const method of this.byName.get(name ?? '') ?? []) {
			const { code } = method;
			if (code.osrBci !== null || !isThere(method, from, to)) {
				continue;
			}
			const score =
				(target >= code.start && target < code.end ? 1e9 : 0) +
				(holderOf(code.name) === holder ? 1e6 : 0) +
				Math.min(this.samplesOf(method), 1e5) +
				(code.level ?? 0) / 10 +
				(code.notEntrant === null ? 0.5 : 0);
			if (score > highest) {
				highest = score;
				best = method;
			}
		}
		return best;
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
		const holder = holderOf(code.name);
		const rows: { frames: readonly Frame[]; weight: number }[] = [];
		for (const site of code.osrBci === null ? (this.sites.get(simpleName(code.name)) ?? []) : []) {
			if (!isThere(site.method, from, to)) {
				continue;
			}
			const target = site.method.instructions.target[site.instruction]!;
			const isDirect = target >= code.start && target < code.end;
			const isNear = isDirect || holderOf(site.frames[0]?.method ?? '') === holder || this.samplesOf(site.method) > 0;
			const { graph, executions } = this.chain(site.method);
			rows.push({ frames: site.frames, weight: executions[graph.blockOf[site.instruction]!]! * (isNear ? 1 : DOUBTFUL) });
		}
		return shares(rows) ?? shares(this.inlined(code.name)) ?? [{ frames: [], share: 1 }];
	}

	/** Nothing printed calls it, so the interpreter does: its callers are those of the same method where it was inlined. */
	private inlined(name: string): { frames: readonly Frame[]; weight: number }[] {
		const rows = new Map<string, { frames: readonly Frame[]; weight: number }>();
		for (const method of this.methods) {
			const { positions, position } = method.instructions;
			const counts = this.samples.get(method)?.counts;
			const weights = new Float64Array(positions.length).fill(1e-6);
			position.forEach((at, i) => {
				if (at >= 0) {
					weights[at] = weights[at]! + (counts?.[i] ?? 0);
				}
			});
			positions.forEach((chain, at) => {
				const inner = chain.findIndex((frame) => frame.method === name);
				const frames = inner < 0 ? [] : chain.slice(inner + 1);
				if (frames.length > 0) {
					const key = `${frames[0]?.method}:${frames[0]?.line}`;
					const row = rows.get(key) ?? { frames, weight: 0 };
					row.weight += weights[at]!;
					rows.set(key, row);
				}
			});
		}
		return [...rows.values()];
	}

	private samplesOf(method: PrintedMethod): number {
		return this.samples.get(method)?.counts.reduce((sum, count) => sum + count, 0) ?? 0;
	}
}

function shares(rows: readonly { frames: readonly Frame[]; weight: number }[]): CallerShare[] | null {
	const total = rows.reduce((sum, { weight }) => sum + weight, 0);
	return total > 0 ? rows.map(({ frames, weight }) => ({ frames, share: weight / total })) : null;
}

/** Whether code could be executed in that time; threads inside go on when it is made not entrant. */
function isThere({ code }: PrintedMethod, from: number, to: number): boolean {
	return (code.installedSeconds ?? Number.NEGATIVE_INFINITY) <= to && (code.notEntrant?.seconds ?? Number.POSITIVE_INFINITY) >= from;
}

function simpleName(name: string): string {
	return name.slice(name.lastIndexOf('.') + 1);
}

function holderOf(name: string): string {
	return name.slice(0, Math.max(0, name.lastIndexOf('.')));
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
	const list = map.get(key);
	if (list === undefined) {
		map.set(key, [value]);
	} else {
		list.push(value);
	}
}
