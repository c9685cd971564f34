/** The result of `assay report` as it stands in its JSON, and what its text shows besides: the text is made from the same numbers. */
import type { EvidenceKind, EvidenceOfKind } from '../model/evidence.js';
import type { CallCounts, RecordingFinding, RefusedCall } from '../model/joined-recording.js';
import type { PageCounts, SimulatedLayout } from '../startup/results.js';

/** What is missing was not told by any file. */
export interface CompilationResult {
	readonly handle: string;
	readonly compileId: string;
	readonly kind: 'standard' | 'osr' | 'native wrapper';
	readonly method: string;
	readonly compiler: string | null;
	readonly level: number | null;
	readonly percent: number;
	readonly halfInterval?: number;
	readonly codeBytes: number;
	readonly memoryBytes?: number;
	readonly inlinedCalls?: CallCounts['inlined'];
	readonly notInlinedCalls?: CallCounts['notInlined'];
	readonly predictedBiasedPercent?: number;
	readonly loopsWithoutPoll?: number;
	readonly notEntrantMs?: number;
	readonly failure?: string;
	readonly deoptimizations: number;
	readonly evidence: readonly EvidenceKind[];
}

/** The start-up of a native program, as linked and under orders. */
export interface StartupResult {
	/** null: none is there that the traces are of. */
	readonly program: { readonly file: string; readonly functions: number } | null;
	/** Numbers are null without the program. */
	readonly traces: readonly {
		readonly name: string;
		readonly file: string;
		readonly functions: number | null;
		readonly executedBytes: number | null;
		readonly unplaced: number | null;
		readonly ambiguous: number | null;
	}[];
	/** As linked first. Of several traces the sums. */
	readonly layouts: readonly (PageCounts & {
		readonly name: string;
		readonly kind: SimulatedLayout['kind'];
		readonly listedSections: number | null;
		readonly byTrace: readonly (PageCounts & { readonly trace: string; readonly lost: number })[];
	})[];
	readonly startUpCode: readonly string[];
	readonly maps: readonly string[];
	readonly leftOut: readonly { readonly file: string; readonly why: string }[];
}

export interface RecordingResult {
	readonly recording: {
		readonly name: string;
		readonly version: string | null;
		readonly processId: number | null;
		readonly arguments: string | null;
		readonly command: string | null;
		readonly seconds: number | null;
		readonly codeForm: 'MachCode' | 'hsdis' | null;
	};
	readonly evidence: Readonly<Record<EvidenceKind, EvidenceOfKind>>;
	readonly samples: { readonly total: number; readonly counted: number; readonly event: string | null };
	readonly otherTime: readonly { readonly name: string; readonly samples: number; readonly percent: number }[];
	readonly compilations: readonly CompilationResult[];
	readonly startup: StartupResult | null;
	readonly findings: readonly Pick<RecordingFinding, 'text' | 'command'>[];
}

/** By handle, of compilations that may be shown: the call that stayed and whose callee has most samples. */
export type RefusedCallOf = Readonly<Record<string, RefusedCall>>;

/** Those that a table of so many rows shows: by samples, where there are any, else by what they cost. */
export function rankedCompilations<T extends Pick<CompilationResult, 'percent' | 'codeBytes'> & { readonly memoryBytes?: number | null }>(
	compilations: readonly T[],
): { readonly ranked: readonly T[]; readonly hasHeat: boolean } {
	const sampled = compilations.filter(({ percent }) => percent > 0);
	if (sampled.length > 0) {
		return { ranked: sampled, hasHeat: true };
	}
	const weight = ({ memoryBytes, codeBytes }: T): number => (memoryBytes ?? 0) * 1000 + codeBytes;
	return { ranked: [...compilations].sort((a, b) => weight(b) - weight(a)), hasHeat: false };
}
