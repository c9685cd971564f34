/** What a diff of two sides found, and what of it is shown. */
import type { Change } from '../profdiff/changes.js';
import type { ComparedMethod, RunsComparison } from '../profdiff/compare-runs.js';
import type { DiffFilter } from '../profdiff/diff-filter.js';
import type { Finding } from '../profdiff/findings.js';
import type { Absence } from './diff-absence.js';
import type { DiffCause } from './diff-causes.js';
import type { MethodFacets, SidesFacets } from './diff-facets.js';
import type { RunEvidence } from './run-evidence.js';

/** Two sides of a store: all runs that have some labels. */
export interface StoreSides {
	readonly name: string;
	readonly a: StoreSide;
	readonly b: StoreSide;
	/** The false discovery rate: which part of the changes may be chance. */
	readonly rate: number;
	/** Calls that runs of both sides decided. */
	readonly calls: number;
	/** Of these, those that a side's runs did not all decide as the other's. */
	readonly differing: number;
	/** The rate at which a change would still be one. */
	readonly q: ReadonlyMap<Change, number>;
}

interface StoreSide {
	/** `build=1.3` */
	readonly where: readonly string[];
	readonly runs: number;
}

export interface DiffReport {
	readonly comparison: RunsComparison;
	readonly runsA: readonly RunEvidence[];
	readonly runsB: readonly RunEvidence[];
	/** Where the runs are of a store. */
	readonly store?: StoreSides;
	/** How many runs each side needs before anything is a difference. */
	readonly runsNeeded: number;
	readonly findings: readonly Finding[];
	readonly failed: boolean;
	readonly filter: DiffFilter;
	/** What decides about a reason of an inliner, in short; null where nothing is known of it. */
	readonly deciding: (reason: string) => string | null;
	/** Flags of each side's first run that the other's does not have so; null where a command line is not known. */
	readonly differentFlags: { readonly a: readonly string[]; readonly b: readonly string[] } | null;
	/** By rank: `m1` the first method, `d1` the first change. */
	readonly methodHandles: ReadonlyMap<string, string>;
	readonly changeHandles: ReadonlyMap<Change, string>;
	/** By method, of the first run of each side; empty where these are no recordings of a JVM. */
	readonly facets: ReadonlyMap<string, MethodFacets>;
	/** Time by class of thread in the first run of each side; null where one of them does not tell it. */
	readonly threadTime: SidesFacets['threadTime'];
	/** What went wrong on one side alone, most time first. */
	readonly causes: readonly DiffCause[];
	/** Of methods that only one side compiled at the top tier: why the other did not, where its logs tell. */
	readonly absences: ReadonlyMap<Change, Absence>;
	/** What the filters leave. */
	readonly isShownMethod: (method: ComparedMethod) => boolean;
	readonly isShownChange: (change: Change) => boolean;
}
