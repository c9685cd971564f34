/** What the compilers of a JVM did: its compilations, those that were asked for, the methods that cost most, and why calls were inlined or not. */
import { methodLives } from '../compilations/methods.js';
import { type CompilationsSummary, type MethodLife, tellsEnds } from '../compilations/results.js';
import { summarize } from '../compilations/summarize.js';
import { explainReason, flagTextOfRuns } from '../model/inlining-reasons.js';
import type { JitCompilation } from '../model/jit-compilation.js';
import { jvmFlags } from '../model/jvm-flags.js';
import { explainLlvmReason } from '../model/llvm-inlining-reasons.js';
import { nameMatches } from '../model/name-pattern.js';
import { type Problem, UsageError } from '../model/problem.js';
import type { CompilationLog } from '../recording/compilation-log.js';
import type { Evidence } from '../recording/evidence.js';
import { type ChosenLife, compilationsResult, type ReasonRow } from './compilations-result.js';
import type { CompilationsResult } from './results.js';
import type { Streamed } from './streamed.js';

export const METHOD_ORDERS = ['time', 'size', 'versions', 'deoptimizations'] as const;
export type MethodOrder = (typeof METHOD_ORDERS)[number];

export const COMPILERS = ['c1', 'c2', 'jvmci'] as const;

/** Which compilations are meant: those of which all of this holds. */
export interface CompilationsFilter {
	/** A part of the method's name; `*` is any text. */
	readonly method: string | null;
	/** 0 to 4. */
	readonly level: number | null;
	readonly compiler: (typeof COMPILERS)[number] | null;
	/** Only those for on-stack replacement, that failed, that were deoptimized. */
	readonly osr: boolean;
	readonly failed: boolean;
	readonly deoptimized: boolean;
}

export const NO_FILTER: CompilationsFilter = { method: null, level: null, compiler: null, osr: false, failed: false, deoptimized: false };

export interface CompilationsRequest extends CompilationsFilter {
	/** Only these compilations (`c12`, `c12%`) or methods (`m3`), with their trees; null: all. Handles take precedence over the filter. */
	readonly handles: readonly string[] | null;
	/** Of the methods; null: the order that the recording has figures for. */
	readonly order: MethodOrder | null;
	/** Why calls were inlined or not, which reads the decisions of all compilations. */
	readonly withReasons: boolean;
}

export interface CompilationsAnswer {
	readonly log: CompilationLog;
	readonly summary: CompilationsSummary;
	/** Methods with a compilation that the filter leaves, in the order asked for. */
	readonly methods: readonly MethodLife[];
	/** Whether the filter leaves any out. */
	readonly isFiltered: boolean;
	readonly order: MethodOrder;
	/** Only these; null: all. */
	readonly chosen: readonly ChosenLife[] | null;
	/** Most frequent first; null unless asked for. */
	readonly reasons: readonly ReasonRow[] | null;
	readonly problems: readonly Problem[];
	result(): Streamed<CompilationsResult>;
}

/** Throws an InputError when no file tells of compilations, a UsageError when there is no such handle. */
export async function answerCompilations(evidence: Evidence, request: CompilationsRequest): Promise<CompilationsAnswer> {
	const log = await evidence.compilationLog(request.handles === null ? 'compilers' : 'phases');
	const { history } = log;
	const isMeant = filterOf(request);
	const order = request.order ?? (tellsEnds(history) ? 'time' : 'versions');
	const lives = methodLives(history);
	const chosen = request.handles?.map((handle) => choose(log, lives, handle)) ?? null;
	const compilations = chosen?.flatMap(({ shown }) => shown) ?? (isMeant === null ? history.compilations : history.compilations.filter(isMeant));
	const methods = sorted(isMeant === null ? lives : lives.filter(({ versions }) => versions.some(({ compilation }) => isMeant(compilation))), order);
	const summary = summarize(history);
	const reasons = request.withReasons ? reasonRows(log, compilations) : null;
	return {
		log,
		summary,
		methods,
		isFiltered: isMeant !== null,
		order,
		chosen,
		reasons,
		problems: log.problems,
		result: () => compilationsResult(log, { summary, methods: chosen?.map(({ life }) => life) ?? methods, compilations, chosen, reasons }),
	};
}

type Condition = (compilation: JitCompilation) => boolean;

/** null: all. */
function filterOf({ method, level, compiler, osr, failed, deoptimized }: CompilationsFilter): Condition | null {
	const conditions: Condition[] = [
		...(method === null ? [] : [(compilation: JitCompilation) => nameMatches(method, compilation.method)]),
		...(level === null ? [] : [(compilation: JitCompilation) => (compilation.level ?? 0) === level]),
		...(compiler === null ? [] : [(compilation: JitCompilation) => compilation.compiler === compiler]),
		...(osr ? [({ kind }: JitCompilation) => kind === 'osr'] : []),
		...(failed ? [({ failure }: JitCompilation) => failure !== null] : []),
		...(deoptimized ? [({ deoptimizations }: JitCompilation) => deoptimizations.length > 0] : []),
	];
	return conditions.length === 0 ? null : (compilation) => conditions.every((holds) => holds(compilation));
}

function sorted(methods: readonly MethodLife[], order: MethodOrder): readonly MethodLife[] {
	const value: Record<MethodOrder, (life: MethodLife) => number> = {
		time: () => 0,
		size: ({ sizeBytes }) => sizeBytes,
		versions: ({ versions }) => versions.length,
		deoptimizations: ({ deoptimizations }) => deoptimizations,
	};
	return [...methods].sort((a, b) => value[order](b) - value[order](a));
}

/** Of a method the tree of the newest version that has calls is shown, of a compilation its own. */
function choose(log: CompilationLog, lives: readonly MethodLife[], handle: string): ChosenLife {
	const ofCompilation = (id: string): MethodLife | undefined =>
		lives.find(({ versions }) => versions.some(({ compilation }) => `c${compilation.compileId}` === id));
	// Who does not tell of on-stack replacement leaves its mark away: statistics of memory.
	const id = ofCompilation(handle) === undefined ? `${handle}%` : handle;
	const life = handle.startsWith('m') ? lives.find((one) => one.handle === handle) : ofCompilation(id);
	if (life === undefined) {
		throw new UsageError(`no method or compilation is called ${handle}`);
	}
	const all = life.versions.map(({ compilation }) => compilation);
	const shown = handle.startsWith('m') ? all : all.filter(({ compileId }) => `c${compileId}` === id);
	const read = handle.startsWith('m') ? all.filter(({ failure, startedMs }) => failure === null && startedMs !== null).slice(-1) : shown;
	return { life, shown, records: new Map(read.map((compilation) => [compilation, log.read(compilation)])) };
}

/** Most frequent first. */
function reasonRows(log: CompilationLog, compilations: readonly JitCompilation[]): ReasonRow[] {
	const set = jvmFlags(log.history.arguments);
	const counts = new Map<string, { count: number; compilers: Set<string> }>();
	const isLlvm = log.origin === 'remarks';
	for (const compilation of compilations) {
		for (const { reason: told } of log.readDecisions(compilation)) {
			// Figures of single calls.
			const reason = isLlvm ? told.replace(/: cost=[^:]*$/, '') : told;
			const row = counts.get(reason) ?? { count: 0, compilers: new Set() };
			row.count++;
			row.compilers.add(compilation.compiler ?? '?');
			counts.set(reason, row);
		}
	}
	return [...counts]
		.sort((a, b) => b[1].count - a[1].count)
		.map(([reason, { count, compilers }]) => {
			const explanation = isLlvm ? explainLlvmReason(reason) : explainReason(reason);
			return { reason, count, compilers: [...compilers].sort(), explanation, flags: explanation?.flags.map((flag) => flagTextOfRuns(flag, [set])) ?? [] };
		});
}
