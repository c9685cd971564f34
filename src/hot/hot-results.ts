/** What `hotReport` results in. Shares are of the JVM's samples in the window; every sample is in a compilation or has a reason. */
import type { GeneratedCode } from '../model/generated-code.js';
import type { Instructions } from '../model/instructions.js';
import type { InterpretedMethod } from '../model/samples.js';
import type { SparseColumn } from '../model/sparse-column.js';
import type { Share } from '../statistics/shares.js';
import type { Attribution, Reason } from './attribute.js';
import type { RegionLoop } from './code-regions.js';
import type { LineRanges } from './line-ranges.js';

/** The code of a compilation, stub or codelet with its samples. */
export interface CodeHeat {
	readonly code: GeneratedCode;
	/** null: its text is not there. */
	readonly instructions: Instructions | null;
	readonly labels: ReadonlyMap<number, string>;
	readonly samples: number;
	/** Samples by instruction. */
	readonly seen: Float64Array;
	/** The same of those that have some, for those who look at much code. */
	readonly seenAt: SparseColumn;
	/** Seen, with what the skid rule moved; null where samples are not to be moved. */
	readonly analysed: Float64Array | null;
	/** The same of those that have some. */
	readonly analysedAt: SparseColumn | null;
	/** Of the instructions with samples, or with some behind them, those that are slow by themselves, ascending. */
	readonly slowAt: readonly number[];
	/** Samples in its address range where no instruction is known. */
	readonly outside: number;
	/** Samples in ten equal parts of the time that was sampled. */
	readonly timeline: readonly number[];
}

/** Instructions that belong together: a loop, or what lies close; or a native function. */
export interface Region {
	/** `r1` is the hottest. */
	readonly handle: string;
	/** null for native code. */
	readonly heat: CodeHeat | null;
	/** Holder and name, the symbol of native code in round brackets. */
	readonly method: string;
	readonly source: string;
	/** Of native code: the file's name. */
	readonly library: string | null;
	readonly start: number;
	/** Exclusive. */
	readonly end: number;
	readonly samples: number;
	readonly share: Share;
	/** Whether it has more samples than the next region beyond chance. */
	readonly isRankSure: boolean;
	/** Numbers of instructions, ascending; empty where there is no text. */
	readonly lines: readonly number[];
	readonly loop: RegionLoop | null;
	/** The inlined method that most of its samples belong to, and how many; null without debug information. */
	readonly owner: { readonly method: string; readonly samples: number } | null;
}

/** A region before it has a rank. */
export interface RegionDraft extends Omit<Region, 'handle' | 'share' | 'isRankSure' | 'lines' | 'owner'> {
	/** Its lines. */
	readonly ranges: LineRanges;
	/** Looked for where a region is shown: most are not. */
	findOwner(): Region['owner'];
}

export interface CountedRow {
	readonly samples: number;
	readonly share: Share;
}

/** A method by one compiler, or the kernel, a library and the like. */
export interface MethodRow extends CountedRow {
	readonly handle: string;
	readonly method: string;
	readonly source: string;
	/** Compilations of it with samples. */
	readonly versions: readonly CodeHeat[];
}

/** Samples by who made the code: a compiler, the kernel, a library. */
export interface SourceRow extends CountedRow {
	readonly source: string;
}

/** Whether samples were moved to the slow instruction before, and why. */
export interface SkidVerdict {
	readonly isShifted: boolean;
	/** Of the samples on slow instructions and right after them, the part on the slow ones; null where there are none. */
	readonly share: number | null;
	/** How many such samples there are. */
	readonly samples: number;
	/** Why samples are moved, or are not: a sentence. */
	readonly reason: string;
}

/** A call of a stub or of compiled code: the innermost frame at it. Of native code the native method that it is of, or the frame at which compiled code was left. */
export interface CodeCaller {
	readonly method: string;
	/** -1 where it is not told, and of native methods. */
	readonly bci: number;
	readonly line: number | null;
	/** Of the code that calls, or of a native method's wrapper. */
	readonly compileId: string | null;
	readonly samples: number;
	/** The method was interpreted; left out of others. */
	readonly isInterpreted?: true;
	/** Of the kernel, in native programs: the function of the runtime by which most of these samples came there; left out where there is none. */
	readonly through?: string;
	/** Of a native method the compilations that call it, as far as they were seen, most first; left out of others. */
	readonly callers?: readonly CallingCode[];
}

/** A compilation that calls. */
export interface CallingCode {
	readonly compileId: string | null;
	readonly method: string;
	readonly samples: number;
}

/** Who called a piece of code. */
export interface CodeCallers {
	/** Samples whose caller was seen. */
	readonly samples: number;
	/** Most first. */
	readonly rows: readonly CodeCaller[];
}

/** What the tops of stacks do not reach. */
export interface ShallowStacks {
	/** The most that was copied of one stack. */
	readonly copiedBytes: number;
	/** Samples in threads of Java of which no caller is known, by library; and those of them in whose copied stack no word lies in generated code. */
	readonly unknown: ReadonlyMap<string, number>;
	readonly unreached: ReadonlyMap<string, number>;
}

/** A method's time in the interpreter. */
export interface InterpretedTime extends InterpretedMethod {
	readonly samples: number;
}

/** The hottest code of a run. */
export interface HotReport {
	readonly attribution: Attribution;
	readonly event: string;
	readonly regions: readonly Region[];
	readonly methods: readonly MethodRow[];
	readonly sources: readonly SourceRow[];
	/** Hottest first; compilations, stubs and codelets with samples. */
	readonly code: readonly CodeHeat[];
	readonly skid: SkidVerdict;
	readonly reasons: ReadonlyMap<Reason, number>;
	/** Of stubs and hot compilations, as far as stacks were seen; left out: none were. */
	readonly codeCallers?: ReadonlyMap<GeneratedCode, CodeCallers>;
	/** The same by region, of native code and the kernel too. */
	readonly regionCallers?: ReadonlyMap<Region, CodeCallers>;
	/** Of libraries and the kernel, by the `source` of their regions. */
	readonly libraryCallers?: ReadonlyMap<string, CodeCallers>;
	/** What was interpreted, as far as the samples in the interpreter tell, most of them first; left out: nothing is told. */
	readonly interpreted?: readonly InterpretedTime[];
	/** Where no caller was found: left out where no tops of stacks were recorded. */
	readonly shallowStacks?: ShallowStacks;
	/** Seconds of the samples' clock that `timeline` spans. */
	readonly time: { readonly from: number; readonly to: number };
}
