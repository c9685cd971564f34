/**
 * What the page is made from: the results of the commands, as they print them with `--json`, taken apart so that a browser reads what it
 * shows. The main part comes first; details of compilations and whole views are parts of their own.
 */

import type { CompilationJson, CompilationRecordJson, CompilationsSummaryJson, MethodLifeJson } from '../answers/compilations-result.js';
import type { DiffChangeJson, DiffNoiseTestJson, DiffRunJson } from '../answers/diff-result.js';
import type { HotCodeJson, HotCompilationJson } from '../answers/hot-result.js';
import type { CompilationMemoryJson, CompilationMemorySummary } from '../answers/memory-result.js';
import type { InliningRowJson, OptimizationRowJson, TreePairJson } from '../answers/profdiff-result.js';
import type { RecordingResult } from '../answers/report-result.js';
import type { SafepointJson } from '../answers/time-to-safepoint-result.js';
import type { SampleColumns } from '../hot/sample-columns.js';
import type { Problem } from '../model/problem.js';
import type { Cell } from '../model/table.js';

/** Raised when a page cannot read the parts of another version. */
export const PAGE_VERSION = 5;

/** The first part: all that the overview and the tables need. */
export interface PageMain {
	readonly version: number;
	/** The version of assay that wrote it. */
	readonly assay: string;
	/** One recording, or two that are compared; none on the page of a store. */
	readonly sides: readonly PageSide[];
	/** The page of a store of many runs; else null. */
	readonly fleet: PageFleet | null;
	/** Names of further parts, by view. */
	readonly parts: PageParts;
	/** Whether parts that are not there can be asked for, and files be dropped. */
	readonly isServed: boolean;
	/** Whether the recording may grow: the page asks for its state. */
	readonly isFollowed: boolean;
	/** Raised when the served page becomes another one; 0 in a file. */
	readonly revision: number;
}

export interface PageParts {
	readonly diff: string | null;
	readonly hotPairs: string | null;
	readonly startup: string | null;
}

/** What the page of a store has at once; questions are asked when somebody wants them. */
export interface PageFleet {
	/** As the user called it. */
	readonly store: string;
	/** `2026-01-31`; null where there is no run. */
	readonly firstDay: string | null;
	readonly lastDay: string | null;
	readonly totalRuns: number;
	/** The newest ones first; some only where there are thousands. */
	readonly runs: readonly FleetRun[];
	/** Values of labels by which runs can be chosen. */
	readonly labels: readonly { readonly label: string; readonly values: readonly string[] }[];
	readonly questions: readonly { readonly name: string; readonly title: string; readonly about: string }[];
	/** Of files that were not read. */
	readonly problems: readonly Problem[];
}

export interface FleetRun {
	/** 16 hexadecimal digits. */
	readonly name: string;
	readonly day: string;
	readonly service: string | null;
	readonly build: string | null;
	readonly host: string | null;
	readonly runtime: string | null;
	readonly version: string | null;
	/** Since 1970. */
	readonly startedMs: number | null;
	readonly seconds: number | null;
	readonly samples: number | null;
	/** What it was called where it was collected. */
	readonly recording: string | null;
	/** Whether something of that name lies here. */
	readonly isAtHand: boolean;
}

interface FleetRefusal {
	readonly error: string;
}

export type FleetAnswer =
	| FleetRefusal
	| {
			readonly columns: readonly { readonly name: string; readonly isNumber: boolean; readonly unit: string | null; readonly meaning: string | null }[];
			readonly rows: readonly (readonly Cell[])[];
			/** That prints the same. */
			readonly command: string;
			readonly problems: readonly string[];
	  };

/** The address of the run's own page. */
export type FleetOpened = FleetRefusal | { readonly url: string };

export interface PageSide {
	/** As the user called it. */
	readonly name: string;
	/** What `assay report` says: docs/json.md. */
	readonly report: RecordingResult;
	readonly compilations: {
		readonly recording: { readonly files: readonly string[]; readonly jvm: string | null; readonly processId: number | null; readonly endMs: number };
		readonly summary: CompilationsSummaryJson;
		readonly methods: readonly MethodLifeJson[];
		readonly compilations: readonly LifeJson[];
	} | null;
	readonly hot: PageHot | null;
	readonly memory: {
		readonly compilations: readonly MemorySummaryJson[];
		readonly totalBytes: number;
		readonly omitted: number;
		readonly advice: readonly { readonly kind: string; readonly handle: string; readonly text: string; readonly flag: string | null }[];
	} | null;
	readonly ttsp: {
		readonly clock: { readonly source: string; readonly startSeconds: number | null };
		readonly slowNs: number;
		readonly safepoints: readonly SafepointJson[];
		readonly causes: readonly TtspCauseJson[];
	} | null;
	/** Parts of their own, null where there is no such evidence. */
	readonly biasPart: string | null;
	/** {@link PageInlined}. */
	readonly inlinedPart: string | null;
	/** What flame graphs can be drawn of; of calls before chains of inlining. */
	readonly stackSources: readonly PageStackSource[];
	/** The part that holds the details of a compilation, by handle. */
	readonly details: Readonly<Record<string, string>>;
	/** Compilations whose details were left out. */
	readonly omittedDetails: number;
	readonly problems: readonly Problem[];
}

interface TtspCauseJson {
	readonly method: string;
	readonly line?: number;
	readonly threads: readonly string[];
	readonly safepoints: number;
	readonly reachingNs: number;
	readonly why: string | null;
	readonly remedy: string | null;
	readonly cost: string | null;
}

/** A compilation as `assay compilations` prints it, without what its details hold. */
export type LifeJson = Omit<CompilationJson, 'callSites' | 'deoptimizations' | 'retries'> & {
	readonly traps: number;
	/** Why calls were not inlined, most frequent first: the reason and how often. */
	readonly refusals: readonly (readonly [string, number])[];
};

export type MemorySummaryJson = CompilationMemorySummary;

interface PageHot {
	readonly recording: { readonly samplesFile: string; readonly event: string; readonly jvm: string | null };
	readonly samples: { readonly total: number; readonly counted: number; readonly byReason: Readonly<Record<string, number>> };
	readonly clock: { readonly source: string; readonly startSeconds: number | null; readonly uncertaintySeconds: number | null };
	readonly skid: { readonly shifted: boolean; readonly share: number | null; readonly samples: number; readonly reason: string };
	readonly sources: readonly { readonly source: string; readonly samples: number; readonly percent: number }[];
	readonly compilations: readonly HotCompilationJson[];
	readonly sampleColumns: SampleColumns;
	/** Of each of these samples its class of threads, as a position in THREAD_CLASSES; null where the samples do not tell. */
	readonly sampleClasses: readonly number[] | null;
}

/** A source of stacks for flame graphs. */
export interface PageStackSource {
	/** The file, and which samples of it; or what else they were made from. */
	readonly name: string;
	/** Whether they are chains of inlining in compilations, not of calls. */
	readonly isInlining: boolean;
	/** Whether they are those of the samples that all views count. */
	readonly isOfSamples: boolean;
	/** Its {@link PageStacks}. */
	readonly part: string;
}

/** The stacks of one source. */
export interface PageStacks {
	readonly names: readonly string[];
	/** Positions in `names`, the outermost first. */
	readonly stacks: readonly { readonly frames: readonly number[]; readonly samples: number }[];
	/** In stacks that are not among these: they are too many. */
	readonly leftOutSamples: number;
	/** Of each of the side's samples its stack, -1 for one that was left out; null: these are other samples, and do not tell when. */
	readonly ofSample: readonly number[] | null;
}

/** Methods without a compilation of their own that were inlined into others. */
export interface PageInlined {
	readonly methods: readonly {
		readonly method: string;
		/** How many have it inside. */
		readonly compilations: number;
		/** Of those with most samples. */
		readonly handles: readonly string[];
	}[];
}

/** Everything of one compilation that only its own view shows; what its recording does not tell is missing. */
export interface PageDetail {
	readonly compilation?: Omit<CompilationJson, 'callSites'>;
	readonly record?: CompilationRecordJson;
	readonly inliningTree?: readonly InliningRowJson[];
	readonly optimizationTree?: readonly OptimizationRowJson[];
	readonly memory?: CompilationMemoryJson;
	readonly code?: HotCodeJson;
	/** By method and line, `java.util.HashMap.merge:1370`, of innermost frames in the code. */
	readonly sourceLines?: Readonly<Record<string, string>>;
}

/** A part with details: by handle. */
export type PageDetails = Readonly<Record<string, PageDetail>>;

export interface PageBias {
	readonly samples: number;
	readonly unknownPercent: number;
	readonly methods: readonly {
		readonly method: string;
		readonly unbiasedPercent: number;
		readonly unbiasedSamples: number;
		readonly unbiasedInterval: { readonly low: number; readonly high: number };
		readonly predictedPercent: number;
		readonly predictedInterval: { readonly low: number; readonly high: number } | null;
		readonly observed: Readonly<Record<string, number>>;
	}[];
	readonly lines: readonly { readonly line: string; readonly unbiasedPercent: number; readonly predictedPercent: number }[];
	readonly distances: readonly { readonly a: string; readonly b: string; readonly totalVariation: number; readonly expectedFromSampling: number | null }[];
	readonly transfers: readonly { readonly from: string; readonly to: string; readonly percent: number }[];
	readonly loops: readonly {
		readonly method: string;
		readonly compileId: string | null;
		readonly header: string;
		readonly line: number | null;
		readonly poll: string;
		readonly reason: string;
	}[];
}

/** The part of `assay diff`: docs/json.md, and where the trees of methods are. */
export interface PageDiff {
	readonly runsA: readonly DiffRunJson[];
	readonly runsB: readonly DiffRunJson[];
	readonly summary: {
		readonly changed: number;
		readonly inTheirOwnRight: number;
		readonly noise: number;
		readonly noiseTest: DiffNoiseTestJson | null;
		readonly runsNeeded: number;
		readonly methodsCompared: number;
		readonly hasProfiles: boolean;
	};
	readonly methods: readonly {
		readonly handle: string;
		readonly method: string;
		readonly signature: string | null;
		readonly namesake?: string;
		readonly periodShareA: number | null;
		readonly periodShareB: number | null;
		readonly periodSharesA: readonly (number | null)[];
		readonly periodSharesB: readonly (number | null)[];
		readonly compileIdsA: readonly string[];
		readonly compileIdsB: readonly string[];
	}[];
	readonly changes: readonly DiffChangeJson[];
	/** By the handle of the method the part that holds its trees. */
	readonly trees: Readonly<Record<string, string>>;
}

/** A pair of compilations of one method, by its handle in a part. */
export interface PageTreePair extends TreePairJson {
	readonly left: string;
	readonly right: string;
}

/** The part of `assay hot --compare`. */
export interface PageHotPairs {
	readonly samples: { readonly a: number; readonly b: number };
	readonly pairs: readonly PageHotPair[];
}

export interface PageHotPair {
	readonly method: string;
	readonly a: PageHotRegion | null;
	readonly b: PageHotRegion | null;
	readonly difference: { readonly points: number; readonly low: number; readonly high: number };
	readonly isSure: boolean;
	readonly likeness: number;
	readonly lines: readonly { readonly a: PageHotLine | null; readonly b: PageHotLine | null }[];
}

interface PageHotRegion {
	readonly handle: string;
	readonly compileId: string | null;
	readonly source: string;
	readonly samples: number;
	readonly percent: number;
}

interface PageHotLine {
	readonly address: string;
	readonly text: string;
	readonly samples: number;
}

/** The result of `assay order simulate`, as far as the page shows it: docs/json.md. */
export interface PageStartup {
	readonly recordedOn: string;
	readonly traces: readonly { readonly name: string; readonly functions: number }[];
	readonly layouts: readonly (PageLayoutCounts & {
		readonly kind: string;
		readonly listedSections: number | null;
		readonly byTrace: readonly (Omit<PageLayoutCounts, 'name'> & { readonly trace: string; readonly map?: PagePageMap })[];
	})[];
}

interface PageLayoutCounts {
	readonly name: string;
	readonly textPages: number;
	readonly entryPages: number;
	readonly execPages: number | null;
	readonly wholeFunctionPages: number;
	readonly windows64k: number;
	readonly areaUnderCurve: number;
}

interface PagePageMap {
	readonly firstPage: number;
	/** A digit a page: 0 not touched, 1 part of a function that ran, 2 touched. */
	readonly pages: string;
	/** How many functions had run when each page was first touched. */
	readonly newPageAt: readonly number[];
	/** Of each page how many functions had run when it was first touched, 0: not touched. Results of older versions have neither this nor what follows. */
	readonly touchedAt?: readonly number[];
	readonly firstFunctions?: readonly { readonly name: string; readonly page: number }[];
	readonly pageBytes?: number;
}
