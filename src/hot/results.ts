/** What the analyses of hot code result in. */

/** JMH's options, by its names. */
export interface PerfasmOptions {
	readonly events: readonly string[];
	/** Share of the first event above which a region's code is printed. */
	readonly hotThreshold: number;
	/** How many regions and methods the tables list. */
	readonly top: number;
	/** More lines than this are not printed. */
	readonly tooBigThreshold: number;
	/** Lines around a region. */
	readonly printMargin: number;
	/** Bytes between sampled addresses of one region. */
	readonly mergeMargin: number;
	readonly mergeMethods: boolean;
	/** Jumps inside a region. */
	readonly drawIntraJumps: boolean;
	/** Jumps that leave it. */
	readonly drawInterJumps: boolean;
}

/** Code and its samples. */
export interface CountedCode {
	readonly name: string;
	/** Who made it: a compiler and its level, `interpreter`, a library. */
	readonly source: string;
	/** By event. */
	readonly counts: readonly number[];
}

/** A region as JMH makes it. */
export interface HotRegion extends CountedCode {
	readonly begin: bigint;
	readonly end: bigint;
	/** Lines of assembly, null for native code. */
	readonly lineRange: { readonly from: number; readonly to: number } | null;
}

/** A line of a region with its counts by event. */
export interface RegionLine {
	readonly counts: readonly number[];
	/** One character a jump. */
	readonly arrows: string;
	readonly text: string;
}

/** What JMH's perfasm reports. */
export interface JmhReport {
	/** Distinct addresses in the assembly. */
	readonly addressLines: number;
	readonly events: readonly string[];
	/** Samples by event. */
	readonly totals: readonly number[];
	/** Hottest first. */
	readonly regions: readonly HotRegion[];
	/** Regions of one name and source together. */
	readonly methods: readonly CountedCode[];
	/** Regions of one source together; without names. */
	readonly sources: readonly CountedCode[];
	/** The code of a region, when somebody wants to see it. */
	readonly codeOf: (region: HotRegion) => readonly RegionLine[];
}
