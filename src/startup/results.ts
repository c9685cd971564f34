/** What the analyses of orders find, and constants that reports need. */

import type { LoadAddress } from '../model/load-address.js';

/** x86-64 and AArch64 Linux, and Macs with Intel's processors: see {@link TextLayout.pageBytes}. */
export const PAGE_BYTES = 4096;
/** What the kernel maps around a fault in a cached file (fault_around_bytes). */
export const WINDOW_BYTES = 65536;

/** The pages that a trace touches in a layout. Pages are absolute: address divided by the size of a page, so a page may hold other sections' bytes too. */
export interface PageCounts {
	/** Pages of the code that an order file moves. */
	readonly textPages: number;
	/** Pages with the first byte of an executed function. */
	readonly entryPages: number;
	/** Pages with a byte of an executed instruction; null when the trace tells functions only. */
	readonly execPages: number | null;
	/** Pages that the executed functions' bodies lie in. */
	readonly wholeFunctionPages: number;
	/** Aligned windows of 64 KiB with such pages: text faults of a cached file. From executed instructions where the trace tells them. */
	readonly windows64k: number;
	/** Sum over the executed functions, first to last, of the number of distinct entry pages so far. */
	readonly areaUnderCurve: number;
	/** Pages of all that is executable, with what no order moves (`.plt`, `.init`); null where the program's sections are not told. */
	readonly codePages: number | null;
	/** Of these the pages with a byte of an executed instruction; null too when the trace tells functions only. */
	readonly codeExecPages: number | null;
	readonly codeWindows64k: number | null;
}

/** How much of a page runs, 0 for nothing; as digits in a map. Part of an executed function, but none of its instructions ran there. */
export const PAGE_BODY = 1;
export const PAGE_TOUCHED = 2;

/** The touched pages of the code, one after the other. */
export interface PageMap {
	readonly pageBytes: number;
	/** Address of the first page divided by the size of a page. */
	readonly firstPage: number;
	/** 0, PAGE_BODY or PAGE_TOUCHED for each page. */
	readonly pages: Uint8Array;
	/** How many functions had run when the pages of entries were first touched, from 1: the fault curve. */
	readonly newPageAt: Int32Array;
	/** Of each page how many functions had run when it was first touched, from 1; 0 where it was not. Of executed instructions where the trace tells them. */
	readonly touchedAt: Int32Array;
	/** The first functions that ran, by their names, and the pages of their first bytes, counted from `firstPage`. */
	readonly firstFunctions: readonly { readonly name: string; readonly page: number }[];
}

/** So many are told of a map. */
export const FIRST_FUNCTIONS = 50;

export interface SimulatedLayout {
	readonly name: string;
	/** As it is linked, or the first binary under an order. */
	readonly kind: 'binary' | 'order';
	/** Of several traces the sums. */
	readonly counts: PageCounts;
	readonly byTrace: readonly {
		readonly name: string;
		/** Executed functions of the recording that this binary does not have. */
		readonly lost: number;
		readonly counts: PageCounts;
		readonly map: PageMap;
	}[];
	/** How many sections the order places; null for a binary. */
	readonly listedSections: number | null;
}

/** A trace as far as it could be laid on the binary it was recorded on. */
export interface TraceSummary {
	readonly name: string;
	readonly weight: number;
	readonly functions: number;
	/** Null when only functions are known. */
	readonly executedBytes: number | null;
	/** Instructions or functions outside of the code that an order file moves, or not found. */
	readonly unplaced: number;
	/** Functions whose name several have, and the trace does not say which. */
	readonly ambiguous: number;
	readonly unknownNames: readonly string[];
	/** Where the program was loaded, what told it, and the share of the trace's instructions (of functions alone: of these) that lie in its code then; null without addresses. */
	readonly loaded: (LoadAddress & { readonly share: number }) | null;
}

/** What each layout costs each trace. */
export interface Simulation {
	readonly recordedOn: string;
	readonly traces: readonly TraceSummary[];
	readonly layouts: readonly SimulatedLayout[];
}

/** How an order is made: `pages` by packing, `classes` and `first-execution` without looking at pages, `bp` by balanced partitioning. */
export type OptimizeMethod = 'pages' | 'classes' | 'bp' | 'first-execution';
/** What counts first: touched pages, or windows of 64 KiB (faults of a cached file). */
export type OptimizeObjective = 'pages' | 'windows';

export interface Score {
	/** Touched pages of all traces, each times its weight. */
	readonly pages: number;
	readonly windows: number;
}

/** The best order that was found, with the score of each that was tried. */
export interface OptimizedOrder {
	/** A symbol for each placed section; what is not named stays as it is, behind these. */
	readonly symbols: readonly string[];
	/** How many of them never ran in a trace: they fill pages. */
	readonly fillers: number;
	/** Sections that ran. */
	readonly sections: number;
	/** By set of traces. */
	readonly classes: number;
	/** How it was made. */
	readonly method: string;
	/** Weighted sums, as predicted; of functions without executed bytes the whole. */
	readonly score: Score;
	/** Of the order of first execution. */
	readonly unitedScore: Score;
	readonly tried: number;
	/** Of these, how many are better for the traces but were not taken, because they do not serve each trace that is left out. */
	readonly refused: number;
}

/** A function of which much was never executed. */
export interface ColdFunction {
	readonly symbol: string;
	readonly sizeBytes: number;
	/** In any trace. */
	readonly executedBytes: number;
}

/** What of the functions that ran was executed. */
export interface ColdCode {
	/** Of the functions that ran. */
	readonly sizeBytes: number;
	/** Of these, what was executed in any trace. */
	readonly executedBytes: number;
	/** So many pages it would fill, if nothing else lay between: no order of functions needs fewer for all traces together. */
	readonly executedPages: number;
	/** Those with 256 bytes or more that were not executed, the most first. */
	readonly functions: readonly ColdFunction[];
}

export type LintKind =
	| 'missing'
	| 'inlined'
	| 'ambiguous'
	| 'folded'
	| 'shared-section'
	| 'outside-text'
	| 'repeated'
	| 'coverage'
	| 'compiler'
	| 'stale'
	| 'unsplit';

export interface LintFinding {
	readonly kind: LintKind;
	/** Null for what concerns the whole file. */
	readonly symbol: string | null;
	readonly message: string;
}

/** How much of a run the order's sections hold. */
export interface OrderCoverage {
	readonly trace: string;
	readonly functions: number;
	readonly listedFunctions: number;
	/** Null when only functions are known. */
	readonly executedBytes: number | null;
	readonly listedBytes: number | null;
	/** 0 to 1, of bytes where they are known, else of functions. */
	readonly share: number;
	readonly isOfBytes: boolean;
}

export interface OrderLint {
	readonly symbols: number;
	/** Symbols that functions have. */
	readonly found: number;
	/** Whether debug information tells what was inlined from what never was. */
	readonly hasDebugNames: boolean;
	readonly sections: number;
	readonly coverage: readonly OrderCoverage[];
	readonly findings: readonly LintFinding[];
}

/** One run, or use, of a program among those that are merged. */
interface MergedScenario {
	readonly name: string;
	readonly weight: number;
	readonly functions: number;
	/** Functions that no other scenario runs. */
	readonly own: number;
}

export interface ScenarioPair {
	readonly a: string;
	readonly b: string;
	readonly common: number;
	readonly onlyA: number;
	readonly onlyB: number;
	/** Kendall's tau of the functions that both run: 1 for the same order, -1 for the reverse; null with fewer than two. */
	readonly tau: number | null;
}

/** A function that runs early in one scenario and late in another. Places are 0 for the first to 1 for the last of the functions that both run. */
export interface Disagreement {
	readonly symbol: string;
	readonly earlyIn: string;
	readonly earlyPlace: number;
	readonly lateIn: string;
	readonly latePlace: number;
	/** Difference of the places. */
	readonly spread: number;
}

/** A function of a merged order. */
interface MergedFunction {
	readonly symbol: string;
	/** How many run it. */
	readonly runs: number;
	/** Their share of the weight of all runs, 0 to 1. */
	readonly share: number;
	/** Its place among the functions of a run, from 0: the mean over the runs that have it, weighted. */
	readonly meanPlace: number;
}

/** A page of the program under a merged order. */
export interface ServedPage {
	readonly address: number;
	/** Functions of the order that lie in it, whole or in part. */
	readonly functions: number;
	/** Of the weight of all runs, those that run one of them, 0 to 1. */
	readonly share: number;
}

export interface MergedOrder {
	readonly symbols: readonly string[];
	/** In the order that was made. */
	readonly functions: readonly MergedFunction[];
	readonly scenarios: readonly MergedScenario[];
	/** Functions that all scenarios run. */
	readonly inAll: number;
	/** What each scenario is compared with: of many, with the order that was made. */
	readonly comparedWith: 'each other' | 'merged order';
	readonly pairs: readonly ScenarioPair[];
	/** Largest spread first. */
	readonly disagreements: readonly Disagreement[];
}

/** Page faults of one run. */
export interface TextFaults {
	readonly allFaults: number;
	readonly majorFaults: number;
	/** In the code that an order file moves. */
	readonly textFaults: number;
	readonly textMajorFaults: number;
	/** Distinct aligned windows of 64 KiB among them. */
	readonly windows64k: number;
	/** Addresses of the pages, as linked, in the order of the faults. */
	readonly pages: readonly number[];
	/** Whether the recording says where the program was mapped; without, no fault can be told to be in its code. */
	readonly isMapped: boolean;
}

/** Faults of a run in one kind of memory of one file. */
export interface FaultPlace {
	/** `relro`: data that is relocated, and read-only after that; `bss`: data of a file that begins as zeros; `kernel`: pages that the kernel gives to every process. */
	readonly kind: 'code' | 'read-only data' | 'relro' | 'data' | 'bss' | 'heap' | 'stack' | 'anonymous' | 'kernel' | 'unknown';
	/** Null for memory of no file. */
	readonly file: string | null;
	readonly faults: number;
	readonly majorFaults: number;
}

/** All faults of a run, and those in anything executable of the program: also what no order moves, such as `.plt`. */
export interface FaultPlaces {
	readonly codeFaults: number;
	readonly codeMajorFaults: number;
	readonly codeWindows64k: number;
	/** Most faults first. */
	readonly places: readonly FaultPlace[];
}

export interface MeasuredRun extends TextFaults, FaultPlaces {
	/** `cold`: the program's file was dropped from the page cache before. */
	readonly kind: 'cold' | 'warm';
	/** Pages of the program's file in the page cache before the run; null where it cannot be told. */
	readonly residentPages: number | null;
	readonly exitStatus: number | null;
}
