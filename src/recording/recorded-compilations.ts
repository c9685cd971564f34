/**
 * The compilations of a JVM that Flight Recorder watched: those that ended while it did, what was decided about calls in them, and the traps that were hit
 * meanwhile. Other than a log it does not tell when a compilation was queued, when its code was installed (between its start and its end) or given up, where
 * on-stack replacement enters, how large bytecode is, what a profile has counted, nor of native wrappers.
 */
import { codeCacheStates } from '../formats/jfr/code-cache-events.js';
import type { JfrCompilation, JfrCompilationFailure, JfrInlining } from '../formats/jfr/compiler-events.js';
import type { JfrEvents } from '../formats/jfr/read.js';
import type { CallDecision, CompilationHistory, CompilationRecord, CompilerThread, Deoptimization, JitCompilation } from '../model/jit-compilation.js';
import type { CallCounts } from '../model/joined-recording.js';
import { type ClassRanks, ranksOfClasses } from '../model/namesakes.js';
import type { Problem } from '../model/problem.js';
import type { FlightRecorderFile } from './flight-recorder-file.js';
import { callCountsOf, inliningOf } from './recorded-inlining.js';
import { recordedPhases } from './recorded-phases.js';

export interface RecordedCompilations {
	readonly history: CompilationHistory;
	/** The file that it was read from. */
	readonly file: string;
	readonly problems: readonly Problem[];
	/** Classes of one name that have compiled methods. */
	readonly classRanks: ClassRanks;
	/** Traps in compilations that are not in the recording, most of them older than it: how many, by compile id. */
	readonly otherDeoptimizations: ReadonlyMap<string, number>;
	/** The decisions at the calls of a compilation. */
	decisionsOf(compilation: JitCompilation): CallDecision[];
	/** How many of these were inlined and how many not, without the tree; null where the recording does not have all of them. */
	countCalls(compilation: JitCompilation): CallCounts | null;
	/** null where the recording does not have all of its decisions. */
	recordOf(compilation: JitCompilation): CompilationRecord | null;
}

const MOST_KEPT_DECISIONS = 200_000;

/** null when no recording tells of a compilation. */
export function recordedCompilations(files: readonly FlightRecorderFile[]): RecordedCompilations | null {
	const all = files.filter(({ read }) => read.compilations.length > 0);
	const [first] = all;
	if (first === undefined) {
		return null;
	}
	const chosen = all.reduce((most, one) => (one.read.compilations.length > most.read.compilations.length ? one : most), first);
	const problems = [...chosen.read.problems];
	for (const { name, read } of all) {
		if (name !== chosen.name) {
			problems.push({
				severity: 'warning',
				file: name,
				message: `tells of ${read.compilations.length} compilations, ${chosen.name} of ${chosen.read.compilations.length}`,
				action: 'left out: give it alone if it is of another JVM, or of another time',
			});
		}
	}
	return recordedOf(chosen, problems);
}

function recordedOf({ name, read }: FlightRecorderFile, problems: Problem[]): RecordedCompilations {
	const { information, codeCache, jvmStartEpochNs } = read;
	const failures = byId(read.failures);
	const traps = byId(read.deoptimizations);
	const inlinings = byId(read.inlinings);
	const phases = byId(read.phases);
	const compilations = read.compilations.map((one) => {
		const isCut = beganBefore(one, read.startMs, inlinings.get(one.compileId) ?? []);
		return compilationOf(one, isCut, failures.get(one.compileId) ?? [], trapsOf(traps.get(one.compileId)));
	});
	const events = new Map(read.compilations.map((one, i) => [compilations[i]!.compileId, one]));
	const otherDeoptimizations = new Map<string, number>();
	const known = new Set(read.compilations.map(({ compileId }) => compileId));
	for (const [compileId, own] of traps) {
		if (!known.has(compileId)) {
			otherDeoptimizations.set(String(compileId), own.length);
		}
	}
	const isUnknown = (id: number): boolean => !known.has(id);
	const unended = [...inlinings.keys()].filter(isUnknown).length;
	if (unended > 0) {
		problems.push({
			severity: 'warning',
			file: name,
			message: `${unended} ${unended === 1 ? 'compilation' : 'compilations'} had not ended when the recording did`,
			action: `what was decided in ${unended === 1 ? 'it' : 'them'} is left out`,
		});
	}
	const full = codeCache.filter(({ isFull }) => isFull);
	const [firstFull] = full;
	if (firstFull !== undefined) {
		problems.push({
			severity: 'warning',
			file: name,
			message: `the code cache was full ${full.length === 1 ? 'once' : `${full.length} times`}, first ${(firstFull.startMs / 1000).toFixed(1)} s after the JVM's start${firstFull.heap.startsWith('Code') ? ` (${firstFull.heap})` : ''}`,
			action: 'compilers then stop, or throw out code: give it more with -XX:ReservedCodeCacheSize',
		});
	}
	const ofLastAttempt = ({ compileId }: JitCompilation): { event: JfrCompilation; own: readonly JfrInlining[] } | null => {
		const event = events.get(compileId);
		return event === undefined ? null : { event, own: lastAttempt(inlinings.get(event.compileId) ?? [], event, failures.get(event.compileId) ?? []) };
	};
	// What was decided before the recording is not in it: a part would count too few.
	const isUntold = ({ isCut }: JitCompilation): boolean => isCut || read.inlinings.length === 0;
	const countCalls = (compilation: JitCompilation): CallCounts | null => {
		const found = ofLastAttempt(compilation);
		return found === null || isUntold(compilation) ? null : callCountsOf(found.event.method, found.own);
	};
	const recordOf = (compilation: JitCompilation): CompilationRecord | null => {
		const found = ofLastAttempt(compilation);
		if (found === null || isUntold(compilation)) {
			return null;
		}
		const { decisions, tree, lost } = inliningOf(found.event.method, found.own);
		return {
			decisions,
			phases: recordedPhases(phases.get(found.event.compileId) ?? []),
			plannedTraps: 0,
			inlining: tree,
			optimization: { kind: 'phase', name: compilation.compiler?.toUpperCase() ?? 'compiler', children: [] },
			lostElements: lost,
		};
	};
	/** Made again only where very many are asked for. */
	const kept = new Map<string, readonly CallDecision[]>();
	let keptDecisions = 0;
	const decisionsOf = (compilation: JitCompilation): CallDecision[] => {
		let decisions = kept.get(compilation.compileId);
		if (decisions === undefined) {
			decisions = recordOf(compilation)?.decisions ?? [];
			keptDecisions += decisions.length;
			if (keptDecisions <= MOST_KEPT_DECISIONS) {
				kept.set(compilation.compileId, decisions);
			}
		}
		return [...decisions];
	};
	return {
		history: {
			processId: information?.processId ?? null,
			version: information?.version ?? null,
			startedEpochMs: jvmStartEpochNs === null ? null : Math.round(Number(jvmStartEpochNs) / 1e6),
			arguments: information?.arguments ?? null,
			command: information?.command ?? null,
			watchedFromMs: Math.max(0, read.startMs ?? 0),
			endMs: Math.max(read.endMs ?? 0, lastTime(compilations)),
			compilations,
			threads: threadsOf(read.compilations),
			codeCache: codeCacheStates(codeCache),
		},
		file: name,
		problems,
		classRanks: ranksOf(read.compilations),
		otherDeoptimizations,
		decisionsOf,
		countCalls,
		recordOf,
	};
}

/** By compile id: classes are numbered as the JVM loads them. */
function ranksOf(compilations: readonly JfrCompilation[]): ClassRanks {
	const byHolder = new Map<string, Set<number>>();
	const holderOf = ({ method }: JfrCompilation): string => method.method.slice(0, Math.max(0, method.method.lastIndexOf('.')));
	for (const one of compilations) {
		if (one.classId > 0) {
			const holder = holderOf(one);
			byHolder.set(holder, (byHolder.get(holder) ?? new Set()).add(one.classId));
		}
	}
	const ranked = ranksOfClasses(byHolder);
	const ranks = new Map<string, number>();
	for (const one of compilations) {
		const rank = ranked.get(holderOf(one))?.get(one.classId);
		if (rank !== undefined) {
			ranks.set(`${one.compileId}`, rank);
		}
	}
	return ranks;
}

/** The clock of an event that was not enabled when it began starts at its end. */
function beganBefore({ ms, durationMs }: JfrCompilation, startMs: number | null, inlinings: readonly JfrInlining[]): boolean {
	return ms !== null && ((startMs !== null && ms < startMs) || durationMs === 0 || inlinings.some((decision) => decision.ms !== null && decision.ms < ms));
}

/** The compiler tells of each attempt that it gives up and repeats; the failure of the last one is that of the compilation. */
function compilationOf(
	event: JfrCompilation,
	isCut: boolean,
	failures: readonly JfrCompilationFailure[],
	deoptimizations: readonly Deoptimization[],
): JitCompilation {
	const { compileId, ms, durationMs, isOsr, method, classId, succeeded } = event;
	const reasons = failures.map(({ message }) => message);
	// Each field by name: with a spread this would take several times as long.
	return {
		compileId: isOsr ? `${compileId}%` : String(compileId),
		kind: isOsr ? 'osr' : 'standard',
		method: method.method,
		signature: method.descriptor,
		classId,
		compiler: event.compiler ?? compilerOfThread(event.threadName),
		level: event.level,
		osrBci: null,
		bytecodeBytes: null,
		invocations: null,
		backedges: null,
		queuedMs: null,
		queueComment: null,
		startedMs: isCut ? null : ms,
		doneMs: ms === null || durationMs === null ? null : ms + durationMs,
		installedMs: null,
		sizeBytes: succeeded ? null : 0,
		nmethodBytes: null,
		inlinedBytes: event.inlinedBytes,
		threadId: event.threadId,
		failure: succeeded ? null : { reason: reasons.at(-1) ?? 'unknown', phase: null },
		retries: succeeded ? reasons : reasons.slice(0, -1),
		notEntrant: null,
		removedMs: null,
		deoptimizations,
		movesToOsr: 0,
		isCut,
	};
}

/** Before JDK 14 the event does not name the compiler; its threads are called `C2 CompilerThread0`. */
function compilerOfThread(name: string | null): string | null {
	return /^(C1|C2|JVMCI) CompilerThread/.exec(name ?? '')?.[1]?.toLowerCase() ?? null;
}

/** Decisions of attempts before the last are not those of the code. */
function lastAttempt(all: readonly JfrInlining[], { succeeded }: JfrCompilation, failures: readonly JfrCompilationFailure[]): readonly JfrInlining[] {
	const since = (succeeded ? failures : failures.slice(0, -1)).at(-1)?.ms ?? null;
	return since === null ? all : all.filter(({ ms }) => ms === null || ms > since);
}

function trapsOf(events: JfrEvents['deoptimizations'] = []): Deoptimization[] {
	return events.map(({ reason, action, method, bci, ms, threadId }) => ({
		kind: 'uncommon trap',
		reason,
		action,
		method: method?.method ?? null,
		bci,
		ms,
		threadId,
	}));
}

function byId<T extends { readonly compileId: number }>(events: readonly T[]): Map<number, T[]> {
	const groups = new Map<number, T[]>();
	for (const event of events) {
		const own = groups.get(event.compileId) ?? [];
		own.push(event);
		groups.set(event.compileId, own);
	}
	return groups;
}

function threadsOf(events: readonly JfrCompilation[]): CompilerThread[] {
	const names = new Map(events.flatMap(({ threadId, threadName }) => (threadId === null ? [] : [[threadId, threadName] as const])));
	return [...names].map(([id, name]) => ({ id, name, startedMs: null }));
}

function lastTime(compilations: readonly JitCompilation[]): number {
	return compilations.reduce((last, { startedMs, doneMs, deoptimizations }) => {
		const traps = deoptimizations.reduce((latest, { ms }) => Math.max(latest, ms ?? 0), 0);
		return Math.max(last, startedMs ?? 0, doneMs ?? 0, traps);
	}, 0);
}
