/** What comparing and reporting decisions of compilers works on. */

import type { Problem } from '../model/problem.js';
import type { Experiment } from '../profdiff/experiment.js';
import type { ProfileMatch } from '../profdiff/profile-match.js';
import type { TreeCache } from '../profdiff/tree-cache.js';
import type { CompilationLog } from '../recording/compilation-log.js';
import type { Evidence } from '../recording/evidence.js';
import type { NamesApart } from './names-apart.js';

/** What a profile of stacks counts. */
export interface SampledStacks {
	/** In the words of the profiler. */
	readonly event: string;
	/** That the profiler says it lost. */
	readonly lost: number;
	/** Counted, without a stack. */
	readonly failed: number;
}

/** An experiment with what was found and what is doubtful. */
export interface OpenedExperiment {
	/** As the user called it. */
	readonly name: string;
	/** What it was found in, open. */
	readonly evidence: Evidence;
	/** Whose log it is. */
	readonly logKind: 'Graal' | 'HotSpot' | 'LLVM';
	/** Whether a log of a JVM lies there: heat, code and memory can be told. */
	readonly hasJvmLog: boolean;
	/** Whether the log tells only of a part of the run: a method that is not in it may have been compiled before. */
	readonly isPart?: boolean;
	/** What tells of it: only a log tells all; others tell of inlining, not of optimizations, and each not of the same calls. */
	readonly toldBy?: CompilationLog['origin'];
	/** On the command line of the JVM; null where it is not known. */
	readonly flags: ReadonlyMap<string, string> | null;
	readonly experiment: Experiment;
	readonly logFiles: number;
	readonly otherFiles: number;
	/** Compile ids that several compilations have: runs were merged, or a file was read twice. */
	readonly duplicateIds: number;
	readonly profileName: string | null;
	/** Where the profile is one of samples with stacks and no addresses. */
	readonly ofStacks?: SampledStacks | undefined;
	readonly match: ProfileMatch | null;
	/** How methods of one name were told apart. */
	readonly apart: NamesApart;
	readonly problems: readonly Problem[];
}

/** Where an experiment lies, and which profile belongs to it. */
export interface OpenExperimentOptions {
	/** Relative paths start here. */
	readonly workingDirectory: string;
	/** A profile that lies elsewhere. */
	readonly profile?: string | undefined;
	/** Take a profile that does not belong to the log. */
	readonly force?: boolean | undefined;
	readonly kept?: TreeCache | null;
	/** For comparisons; left out: methods are what they are called. */
	readonly apart?: NamesApart | undefined;
}
