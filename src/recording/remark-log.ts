/**
 * Optimization remarks as a log of compilations: a function that remarks tell of is a method that was compiled, the inliner's remarks are its calls, the others an
 * optimization tree by pass. What stands for bytecode indices are lines counted from the function's first, as LLVM itself writes call sites (`f:3:10`).
 *
 * The inliner tells the chain of calls around what it inlined, and of what it refused only the line: that is laid to the function whose lines it is among.
 */
import type { CallDecision, CompilationRecord, JitCompilation } from '../model/jit-compilation.js';
import { unknownCompilation } from '../model/jit-compilation.js';
import type { OptimizationPhase } from '../model/optimization-tree.js';
import { UNKNOWN_BCI } from '../model/position.js';
import { argumentOf, calleeOf, linkageName, NONE, REMARK_KINDS, type Remarks } from '../model/remarks.js';
import type { CompilationLog } from './compilation-log.js';
import { type DraftNode, decide, draftNode } from './draft-node.js';
import { type FunctionStarts, functionAt, functionStarts, inlinerPasses } from './function-starts.js';
import type { RecordedRemarks, RemarkedFunction } from './remark-files.js';

type Meaning = (symbol: string) => string;

export function remarkLog(recorded: RecordedRemarks, meaning: Meaning, compiler: string | null): CompilationLog {
	const symbols = new Map<JitCompilation, RemarkedFunction>();
	const compilations = [...recorded.functions.values()].map((one): JitCompilation => {
		const compilation: JitCompilation = {
			...unknownCompilation(),
			compileId: String(recorded.numberOf(one.symbol)),
			kind: 'standard',
			method: meaning(one.symbol),
			signature: null,
			compiler,
		};
		symbols.set(compilation, one);
		return compilation;
	});
	let starts: FunctionStarts | null = null;
	const startsOf = (): FunctionStarts => {
		starts ??= functionStarts(recorded.remarks);
		return starts;
	};
	const read = (compilation: JitCompilation): CompilationRecord | null => {
		const one = symbols.get(compilation);
		if (one === undefined) {
			return null;
		}
		return new FunctionRecord(one, recorded.functions, meaning, startsOf()).record();
	};
	return {
		origin: 'remarks',
		history: {
			processId: null,
			version: null,
			startedEpochMs: null,
			arguments: null,
			command: null,
			isAheadOfTime: true,
			endMs: 0,
			compilations,
			threads: [],
			codeCache: [],
		},
		files: recorded.files,
		problems: recorded.problems,
		otherDeoptimizations: new Map(),
		read,
		get functionStarts() {
			return startsOf();
		},
		readDecisions(compilation) {
			const one = symbols.get(compilation);
			return one === undefined ? [] : new FunctionRecord(one, recorded.functions, meaning, startsOf()).callDecisions();
		},
	};
}

const INLINED: ReadonlySet<string> = new Set(['Inlined', 'AlwaysInline', 'AlwaysInlineAttribute']);
/** Not about what became of the code, or of no use one by one: they are counted, not shown. */
const UNTOLD: ReadonlySet<string> = new Set(['asm-printer', 'prologepilog', 'size-info', 'annotation-remarks', 'stack-frame-layout', 'gvn']);

/** What they did not do is of interest too. */
const VECTORIZERS: ReadonlySet<string> = new Set(['loop-vectorize', 'slp-vectorizer']);
/** Of a vectorizer what it did not do, and why: told behind what it did. */
const REFUSALS = ['missed', 'analysis', 'analysis-fp-commute', 'analysis-aliasing'];
/** Names of what was not done. `TTI` passes on the target's advice not to unroll. */
export const LLVM_REFUSALS: readonly string[] = ['TTI', ...[...VECTORIZERS].flatMap((pass) => REFUSALS.map((kind) => `${pass} ${kind}`))];
/** Behind what became of calls and of vectors, in a difference: passes that follow from these, and refusals. */
export const LLVM_CONSEQUENCES: readonly string[] = [...LLVM_REFUSALS, 'licm', 'loop-delete', 'loop-peel', 'loop-unroll', 'gvn'];

class FunctionRecord {
	private readonly one: RemarkedFunction;
	private readonly remarks: Remarks;
	private readonly meaning: Meaning;
	private readonly starts: FunctionStarts;
	private readonly functions: RecordedRemarks['functions'];
	private nodes = 0;
	private readonly decisions: CallDecision[] = [];
	private readonly root: DraftNode;
	/** Nodes that were inlined, by the symbol of the callee, with the calls around. */
	private readonly bodies = new Map<string, { readonly node: DraftNode; readonly bcis: readonly number[] }[]>();

	constructor(one: RemarkedFunction, functions: RecordedRemarks['functions'], meaning: Meaning, starts: FunctionStarts) {
		this.one = one;
		this.functions = functions;
		this.remarks = one.remarks;
		this.meaning = meaning;
		this.starts = starts;
		this.root = draftNode(meaning(one.symbol), UNKNOWN_BCI, true);
		this.bodies.set(one.symbol, [{ node: this.root, bcis: [] }]);
	}

	record(): CompilationRecord {
		const decisions = this.callDecisions();
		const isInliner = inlinerPasses(this.remarks);
		const others = this.one.own.filter((remark) => !isInliner(this.remarks.pass[remark]!));
		return { decisions, phases: [], plannedTraps: 0, inlining: this.root, optimization: this.optimizations(others), lostElements: 0 };
	}

	callDecisions(): CallDecision[] {
		const { remarks } = this;
		this.addInlined();
		this.addRefused(this.one.inliner.filter((remark) => !isInlined(remarks, remark)));
		return this.decisions;
	}

	private addInlined(): void {
		for (const site of inlinedSites(this.one)) {
			const { remark, callee, caller, reason } = site;
			const bcis = site.bcis;
			const around = (this.bodies.get(caller) ?? []).find((body) => body.bcis.length === bcis.length - 1 && body.bcis.every((bci, i) => bci === bcis[i]));
			const own = around ?? this.bodies.get(caller)?.[0] ?? { node: this.root, bcis: [] };
			const bci = bcis.at(-1) ?? UNKNOWN_BCI;
			const inside = [...own.bcis, bci];
			const node = this.addBody(own.node, callee, inside, reason, this.lineText(remark));
			this.decide(remark, inside, caller, callee, true, reason);
			this.graft(node, callee, inside);
		}
	}

	private addBody(parent: DraftNode, callee: string, bcis: readonly number[], reason: string, source: string | null): DraftNode {
		const node = childOf(parent, this.meaning(callee), bcis.at(-1) ?? UNKNOWN_BCI, true, source);
		decide(node, true, reason);
		const list = this.bodies.get(callee) ?? [];
		list.push({ node, bcis });
		this.bodies.set(callee, list);
		this.nodes++;
		return node;
	}

	/** Callees are compiled first: what was inlined into them then came with them, without a remark. */
	private graft(start: DraftNode, symbol: string, outer: readonly number[]): void {
		const work = [{ node: start, symbol, outer, around: [this.one.symbol] }];
		for (let next = work.pop(); next !== undefined; next = work.pop()) {
			const { node, symbol: own, outer: before, around } = next;
			const told = this.functions.get(own);
			if (told === undefined || around.includes(own)) {
				continue;
			}
			const inside = new Map([['', node]]);
			for (const { remark, callee, bcis, reason } of inlinedSites(told)) {
				const parent = inside.get(bcis.slice(0, -1).join());
				if (parent === undefined || this.nodes >= MOST_NODES) {
					continue;
				}
				const chain = [...before, ...bcis];
				const added = this.addBody(parent, callee, chain, reason, this.lineText(remark));
				inside.set(bcis.join(), added);
				work.push({ node: added, symbol: callee, outer: chain, around: [...around, own] });
			}
		}
	}

	/** The inliner looks at a call again and again: the last look counts. */
	private addRefused(all: readonly number[]): void {
		const bySite = new Map<string, { remark: number; bcis: readonly number[]; body: DraftNode; caller: string; callee: string; reason: string }>();
		for (const remark of all) {
			const callee = calleeOf(this.remarks, remark) ?? '';
			const place = this.placeOf(remark);
			const body = place === null ? undefined : this.bodies.get(place.symbol)?.[0];
			const bcis = [...(body?.bcis ?? []), place === null || body === undefined ? UNKNOWN_BCI : place.line];
			const caller = body === undefined ? this.one.symbol : (place?.symbol ?? this.one.symbol);
			const reason = reasonOf(this.remarks, remark, false);
			bySite.set(`${bcis.join()} ${caller} ${callee}`, { remark, bcis, body: body?.node ?? this.root, caller, callee, reason });
		}
		for (const { remark, bcis, body, caller, callee, reason } of bySite.values()) {
			// A call that was inlined in the end was refused for a time only.
			const name = this.meaning(callee);
			const bci = bcis.at(-1) ?? UNKNOWN_BCI;
			if (body.children.some((child) => child.methodName === name && child.bci === bci && child.inlined)) {
				continue;
			}
			decide(childOf(body, name, bci, false, this.lineText(remark)), false, reason);
			this.decide(remark, bcis, caller, callee, false, reason);
		}
	}

	private decide(remark: number, bcis: readonly number[], caller: string, callee: string, inlined: boolean, reason: string): void {
		const names = { callee: this.meaning(callee), caller: this.meaning(caller) };
		this.decisions.push({ bcis, ...names, inlined, intrinsic: false, reason, receivers: [], place: this.placeText(remark) });
	}

	private placeText(remark: number): string | null {
		const line = this.lineText(remark);
		return line === null ? null : `${line}:${this.remarks.places.column[this.remarks.place[remark]!]}`;
	}

	/** null where none is told; code that the compiler made has line 0. */
	private lineText(remark: number): string | null {
		const { place, places, text } = this.remarks;
		const own = place[remark]!;
		const file = own === NONE ? '' : text(places.file[own]!);
		return own === NONE || places.line[own] === 0 ? null : `${file.slice(file.lastIndexOf('/') + 1)}:${places.line[own]}`;
	}

	/** The function whose lines a remark's line is among, and the line counted from its first. */
	private placeOf(remark: number): { readonly symbol: string; readonly line: number } | null {
		const { place, places, text } = this.remarks;
		const own = place[remark]!;
		return own === NONE ? null : functionAt(this.starts, text(places.file[own]!), places.line[own]!);
	}

	private optimizations(all: readonly number[]): OptimizationPhase {
		const { remarks } = this;
		const byPass = new Map<string, OptimizationPhase & { readonly children: OptimizationPhase['children'][number][] }>();
		for (const remark of all) {
			const pass = remarks.text(remarks.pass[remark]!);
			const isTold = REMARK_KINDS[remarks.kind[remark]!] === 'passed' || VECTORIZERS.has(pass);
			if (UNTOLD.has(pass) || !isTold) {
				continue;
			}
			const phase = byPass.get(pass) ?? { kind: 'phase', name: pass, children: [] };
			byPass.set(pass, phase);
			const place = this.placeOf(remark);
			const source = this.lineText(remark);
			phase.children.push({
				kind: 'optimization',
				name: REMARK_KINDS[remarks.kind[remark]!] === 'passed' ? pass : `${pass} ${REMARK_KINDS[remarks.kind[remark]!]}`,
				event: remarks.text(remarks.name[remark]!),
				position: place === null ? { methodNames: [], bcis: [] } : { methodNames: [this.meaning(place.symbol)], bcis: [place.line] },
				...(source === null ? {} : { source }),
				properties: propertiesOf(remarks, remark),
			});
		}
		return { kind: 'phase', name: 'RootPhase', children: [...byPass.values()] };
	}
}

/** A call that was inlined, lines counted from the functions' first. */
interface InlinedSite {
	readonly remark: number;
	readonly bcis: readonly number[];
	readonly caller: string;
	readonly callee: string;
	readonly reason: string;
}

/** Of no function more are shown. */
const MOST_NODES = 4000;
const SITES = new WeakMap<RemarkedFunction, readonly InlinedSite[]>();

/** The calls around first: they have the shorter chains. */
function inlinedSites(one: RemarkedFunction): readonly InlinedSite[] {
	let sites = SITES.get(one);
	if (sites === undefined) {
		const { remarks } = one;
		sites = one.inliner
			.filter((remark) => isInlined(remarks, remark))
			.map((remark) => {
				const chain = callSites(remarks, remark);
				return {
					remark,
					bcis: chain.map(({ line }) => line),
					caller: chain.at(-1)?.function ?? one.symbol,
					callee: calleeOf(remarks, remark) ?? '',
					reason: reasonOf(remarks, remark, true),
				};
			})
			.sort((a, b) => a.bcis.length - b.bcis.length);
		SITES.set(one, sites);
	}
	return sites;
}

function isInlined({ kind, name, text }: Remarks, remark: number): boolean {
	return REMARK_KINDS[kind[remark]!] === 'passed' || INLINED.has(text(name[remark]!));
}

function childOf(parent: DraftNode, name: string, bci: number, inlined: boolean, source: string | null): DraftNode {
	const fresh = draftNode(name, bci, inlined, source);
	parent.children.push(fresh);
	return fresh;
}

/** Values with a name of their own; `String` ones are words of the message. */
function propertiesOf({ firstArgument, arguments: all, text }: Remarks, remark: number): { key: string; value: string }[] {
	const result: { key: string; value: string }[] = [];
	for (let at = firstArgument[remark]!; at < firstArgument[remark + 1]!; at++) {
		const key = text(all.key[at]!);
		if (key !== 'String' && !result.some((one) => one.key === key)) {
			result.push({ key, value: text(all.value[at]!) });
		}
	}
	return result;
}

/** `… at callsite g:2:5 @ f:7:3;`: the calls from the compiled function inwards, lines counted from the functions' first. */
function callSites({ firstArgument, arguments: all, text }: Remarks, remark: number): { readonly function: string; readonly line: number }[] {
	const result: { function: string; line: number }[] = [];
	let isInside = false;
	let name = '';
	for (let at = firstArgument[remark]!; at < firstArgument[remark + 1]!; at++) {
		const key = text(all.key[at]!);
		const value = text(all.value[at]!);
		if (key === 'Line' && isInside) {
			result.push({ function: name, line: Number(value) });
		} else if (key === 'String' && value === ' at callsite ') {
			isInside = true;
		} else if (key === 'String' && !/^[ :.;@]*$/.test(value)) {
			name = linkageName(value);
		}
	}
	return result.reverse();
}

/** `cost=605, threshold=562`; without a cost what LLVM says. */
function reasonOf(remarks: Remarks, remark: number, isInlined: boolean): string {
	const cost = argumentOf(remarks, remark, 'Cost');
	const threshold = argumentOf(remarks, remark, 'Threshold');
	const why = argumentOf(remarks, remark, 'Reason');
	const name = remarks.text(remarks.name[remark]!);
	const figures = cost === null ? '' : `cost=${cost}${threshold === null ? '' : `, threshold=${threshold}`}`;
	const said = name === 'AlwaysInline' || cost === 'always' ? 'always inline' : (WORDS[name] ?? (isInlined ? '' : name));
	return [said, why ?? '', cost === 'always' || cost === 'never' ? '' : figures].filter((part) => part !== '').join(': ');
}

const WORDS: Readonly<Record<string, string>> = {
	Inlined: 'inlined',
	TooCostly: 'too costly',
	NeverInline: 'never inline',
	NoDefinition: 'no definition in this module',
	NotInlined: 'not inlined',
	IncreaseCostInOtherContexts: 'inlining the caller is better',
};
