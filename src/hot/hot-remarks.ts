/**
 * Samples × optimization remarks of native programs. A remark is about a place of source in a function after inlining; a sample is at an instruction whose debug
 * information tells the chain of inlined calls. They meet where a frame of the chain is at the remark's line and column: for what was inlined at the call, for loads at
 * the load, for loops where an instruction of the loop is at the loop's line.
 */
import type { ChainFrame } from '../model/debug-information.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { calleeOf, messageOf, NONE, REMARK_KINDS, type Remarks } from '../model/remarks.js';
import { wilsonInterval } from '../statistics/shares.js';
import type { CodeHeat, HotReport, Region } from './hot-results.js';

/** What remarks tell of a function. */
interface FunctionRemarks {
	readonly remarks: Remarks;
	/** In their order. */
	readonly own: readonly number[];
}

/** What remarks tell of the function of that linkage name; null: nothing. */
export type RemarksOf = (symbol: string) => FunctionRemarks | null;

export type ChainAt = (code: GeneratedCode, address: number) => readonly ChainFrame[];

/** What the compiler did not do in hot code. */
export interface HotRemark {
	readonly kind: 'not-vectorized' | 'not-hoisted' | 'spills' | 'cold-inlined';
	readonly compileId: string;
	readonly function: string;
	/** Of the remark, or of the hottest instruction; null where no line is told. */
	readonly file: string | null;
	readonly line: number;
	readonly column: number;
	/** Of remarks in LLVM's words. */
	readonly message: string;
	/** What writes what is loaded; null where it is not told. */
	readonly clobberedBy: string | null;
	/** In the loop, or at the load. */
	readonly samples: number;
	readonly percent: number;
	readonly halfInterval: number;
	/** `r3`: of a loop. */
	readonly region: string | null;
}

/** How many samples in inlined code find the remark that the call was inlined by. */
export interface RemarkMatch {
	readonly inlined: number;
	readonly found: number;
	/** In functions of which no remark file tells. */
	readonly untold: number;
	/** At calls that debug information gives no line, as where code of several calls was merged. */
	readonly lineless: number;
	/** Remarks about functions with samples, and all. */
	readonly remarks: number;
}

export interface HotRemarks {
	/** Most samples first. */
	readonly rows: readonly HotRemark[];
	readonly match: RemarkMatch;
}

const LEAST_PERCENT = 0.5;

export function hotRemarks(report: HotReport, chainAt: ChainAt, remarksOf: RemarksOf): HotRemarks {
	const calls = new InlinedCalls(remarksOf);
	const match = { inlined: 0, found: 0, untold: 0, lineless: 0, remarks: 0 };
	const rows: HotRemark[] = [];
	for (const heat of report.code) {
		const told = ofCode(remarksOf, heat.code);
		matchInlined(heat, chainAt, told !== null, calls, match);
		if (told !== null) {
			match.remarks += told.own.length;
			const places = placesOf(told);
			rows.push(...loadsOf(report, heat, chainAt, told, places));
		}
	}
	for (const region of report.regions) {
		const told = region.heat === null || region.loop === null ? null : ofCode(remarksOf, region.heat.code);
		if (told !== null && region.heat !== null) {
			rows.push(...loopRemarks(report, region, region.heat, chainAt, told));
		}
	}
	return { rows: distinct(rows).sort((a, b) => b.samples - a.samples), match };
}

/** A line is told once of a kind, with the most samples. */
function distinct(rows: readonly HotRemark[]): HotRemark[] {
	const best = new Map<string, HotRemark>();
	for (const row of rows) {
		const key = `${row.kind} ${row.compileId} ${row.file}:${row.line}:${row.column}`;
		if ((best.get(key)?.samples ?? 0) < row.samples) {
			best.set(key, row);
		}
	}
	return [...best.values()].filter(({ percent }) => percent >= LEAST_PERCENT);
}

function ofCode(remarksOf: RemarksOf, code: GeneratedCode): FunctionRemarks | null {
	return 'symbol' in code && typeof code.symbol === 'string' ? remarksOf(code.symbol) : null;
}

/** Every sample in an inlined frame: is there a remark of the call, at its line and column, with its callee? */
function matchInlined(
	{ code, instructions, seenAt }: CodeHeat,
	chainAt: ChainAt,
	isTold: boolean,
	calls: InlinedCalls,
	match: { inlined: number; found: number; untold: number; lineless: number },
): void {
	const { rows, values } = seenAt;
	for (let k = 0; k < rows.length; k++) {
		const seen = values[k]!;
		const chain = instructions === null ? [] : chainAt(code, instructions.address[rows[k]!]!);
		const [inner, outer] = chain;
		if (inner === undefined || outer === undefined) {
			continue;
		}
		match.inlined += seen;
		const site = callSite(inner.function ?? '', outer.line, outer.column);
		// What was inlined into a callee before that was inlined itself stands with the callee.
		if (chain.some(({ function: around }, k) => k > 0 && around !== null && calls.of(around).has(site))) {
			match.found += seen;
		} else if (!isTold) {
			match.untold += seen;
		} else if (outer.line === 0) {
			match.lineless += seen;
		}
	}
}

/** Calls that were inlined, by the function that remarks tell it of. */
class InlinedCalls {
	private readonly remarksOf: RemarksOf;
	private readonly known = new Map<string, ReadonlySet<string>>();

	constructor(remarksOf: RemarksOf) {
		this.remarksOf = remarksOf;
	}

	of(symbol: string): ReadonlySet<string> {
		let calls = this.known.get(symbol);
		if (calls === undefined) {
			const told = this.remarksOf(symbol);
			calls = told === null ? new Set() : inlinedCalls(told);
			this.known.set(symbol, calls);
		}
		return calls;
	}
}

function inlinedCalls({ remarks, own }: FunctionRemarks): ReadonlySet<string> {
	const result = new Set<string>();
	for (const remark of own) {
		const place = remarks.place[remark]!;
		const callee = place === NONE || REMARK_KINDS[remarks.kind[remark]!] !== 'passed' ? null : calleeOf(remarks, remark);
		if (callee !== null) {
			result.add(callSite(callee, remarks.places.line[place]!, remarks.places.column[place]!));
		}
	}
	return result;
}

/** Constructors and destructors of a class and those of it as a base are mostly one function, which remarks and debug information call by either name. */
function callSite(callee: string, line: number, column: number): string {
	return `${callee.replace(/([CD])1(?=[EI])/g, '$12')} ${line}:${column}`;
}

/** Remarks about loads, by line and column. */
function placesOf({ remarks, own }: FunctionRemarks): ReadonlyMap<string, number> {
	const result = new Map<string, number>();
	for (const remark of own) {
		const place = remarks.place[remark]!;
		if (place !== NONE && remarks.places.line[place]! > 0 && LOADS.has(remarks.text(remarks.name[remark]!))) {
			const key = `${remarks.places.line[place]}:${remarks.places.column[place]}`;
			// What moves out of loops says it of this loop; of others the first that names a writer.
			if (!result.has(key) || remarks.text(remarks.pass[remark]!) === 'licm') {
				result.set(key, remark);
			}
		}
	}
	return result;
}

const LOADS: ReadonlySet<string> = new Set(['LoadWithLoopInvariantAddressInvalidated', 'LoadWithLoopInvariantAddressCondExecuted']);

/** Loads that stayed in loops: samples at the place of the load. */
function loadsOf(report: HotReport, heat: CodeHeat, chainAt: ChainAt, told: FunctionRemarks, places: ReadonlyMap<string, number>): HotRemark[] {
	const { instructions, seenAt, code } = heat;
	const { rows, values } = seenAt;
	const counts = new Map<number, number>();
	for (let k = 0; k < rows.length; k++) {
		const inner = instructions === null || places.size === 0 ? undefined : chainAt(code, instructions.address[rows[k]!]!)[0];
		const remark = inner === undefined ? undefined : places.get(`${inner.line}:${inner.column}`);
		if (remark !== undefined) {
			counts.set(remark, (counts.get(remark) ?? 0) + values[k]!);
		}
	}
	return [...counts].map(([remark, samples]) => rowOf(report, 'not-hoisted', heat, told.remarks, remark, samples, null, clobbererOf(told, remark)));
}

/** Of a load at the same place, where another pass names what writes it. */
function clobbererOf({ remarks, own }: FunctionRemarks, load: number): string | null {
	const { place, places, text, firstArgument, arguments: all } = remarks;
	const at = place[load]!;
	for (const remark of own) {
		const other = place[remark]!;
		if (
			other === NONE ||
			text(remarks.name[remark]!) !== 'LoadClobbered' ||
			places.line[other] !== places.line[at] ||
			places.column[other] !== places.column[at]
		) {
			continue;
		}
		for (let n = firstArgument[remark]!; n < firstArgument[remark + 1]!; n++) {
			const where = all.place[n]!;
			if (text(all.key[n]!) === 'ClobberedBy' && where !== NONE) {
				return `${text(all.value[n]!)} at ${baseName(text(places.file[where]!))}:${places.line[where]}:${places.column[where]}`;
			}
		}
	}
	return null;
}

/** Why the loop was not vectorized: remarks at a line that the loop's instructions are of. */
function loopRemarks(report: HotReport, region: Region, heat: CodeHeat, chainAt: ChainAt, { remarks, own }: FunctionRemarks): HotRemark[] {
	const percent = (100 * region.samples) / report.attribution.counted;
	if (percent < LEAST_PERCENT || heat.instructions === null) {
		return [];
	}
	const addresses = heat.instructions.address;
	const lines = new Set<string>();
	for (const i of region.lines) {
		for (const { file, line } of chainAt(heat.code, addresses[i]!)) {
			lines.add(`${baseName(file ?? '')}:${line}`);
		}
	}
	const isVector = region.lines.some((i) => VECTOR.test(heat.instructions?.textAt(i) ?? ''));
	const result: HotRemark[] = [];
	for (const remark of own) {
		const place = remarks.place[remark]!;
		const pass = remarks.text(remarks.pass[remark]!);
		if (
			pass !== 'loop-vectorize' ||
			isVector ||
			place === NONE ||
			remarks.places.line[place] === 0 ||
			!lines.has(`${baseName(remarks.text(remarks.places.file[place]!))}:${remarks.places.line[place]}`)
		) {
			continue;
		}
		const name = remarks.text(remarks.name[remark]!);
		if (REMARK_KINDS[remarks.kind[remark]!] === 'passed' || name === 'MissedDetails') {
			continue;
		}
		result.push(rowOf(report, 'not-vectorized', heat, remarks, remark, region.samples, region.handle, null));
	}
	// Of several reasons the last one is where the compiler gave up.
	return result.slice(-1);
}

/** Arithmetic of several elements at once, in AT&T syntax or AArch64's. */
const VECTOR =
	/^v?(?:padd|psub|pmul|pmadd|pcmp|paddus|pmin|pmax|pand|por|pxor|addp[sd]|subp[sd]|mulp[sd]|divp[sd]|fmadd\d+p[sd]|minp[sd]|maxp[sd])|\bv\d+\.\d+[bhsd]/;

function rowOf(
	report: HotReport,
	kind: HotRemark['kind'],
	heat: CodeHeat,
	remarks: Remarks,
	remark: number,
	samples: number,
	region: string | null,
	clobberedBy: string | null,
): HotRemark {
	const at = remarks.place[remark]!;
	const place = { file: remarks.text(remarks.places.file[at]!), line: remarks.places.line[at]!, column: remarks.places.column[at]! };
	return { ...placedRow(report, kind, heat, place, messageOf(remarks, remark).replace(/\s+/g, ' ').trim(), samples, region), clobberedBy };
}

/** What the code itself tells, at a place of its source. */
export function placedRow(
	report: HotReport,
	kind: HotRemark['kind'],
	{ code }: CodeHeat,
	place: { readonly file: string | null; readonly line: number; readonly column: number } | undefined,
	message: string,
	samples: number,
	region: string | null,
): HotRemark {
	const share = wilsonInterval(samples, report.attribution.counted);
	const { file = null, line = 0, column = 0 } = place ?? {};
	return {
		kind,
		compileId: code.compileId ?? '',
		function: code.name,
		file: file === null ? null : baseName(file),
		line,
		column,
		message,
		clobberedBy: null,
		samples,
		percent: share.percent,
		halfInterval: (share.high - share.low) / 2,
		region,
	};
}

function baseName(file: string): string {
	return file.slice(file.lastIndexOf('/') + 1);
}
