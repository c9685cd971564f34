/**
 * Opens the compilers' log of one run of a JVM: its LogFile (-XX:+LogCompilation), and what its compiler threads left when it was killed; without these what
 * Flight Recorder watched, or what the JVM printed, whichever tells of more compilations. Decisions are read where somebody asks for them.
 */
import type { Source } from '../bytes/source.js';
import { classRanks } from '../formats/agent-log/class-ranks.js';
import type { LoggedHistory, LoggedJitCompilation } from '../formats/hotspot-compilation-log/jvm-draft.js';
import { RecordReader } from '../formats/hotspot-compilation-log/read-record.js';
import { scanCompilations } from '../formats/hotspot-compilation-log/scan.js';
import type { BranchProfile } from '../model/branch-profile.js';
import type { CompilationOrigin } from '../model/evidence.js';
import type { CallDecision, CompilationHistory, CompilationRecord, JitCompilation } from '../model/jit-compilation.js';
import type { CallCounts } from '../model/joined-recording.js';
import { type ClassRanks, namesakesOf } from '../model/namesakes.js';
import { InputError, type Problem } from '../model/problem.js';
import { agentLogOf } from './agent-log-file.js';
import type { EvidenceFile, FoundEvidence } from './find-evidence.js';
import { readFlightRecorders } from './flight-recorder-file.js';
import type { FunctionStarts } from './function-starts.js';
import { openLogFile } from './log-file.js';
import { mergeCompilations } from './merged-compilations.js';
import { readPrintedCompilations } from './printed-compilations.js';
import { recordedCompilations } from './recorded-compilations.js';

/** What is read of Flight Recorder's files: all that concerns decisions, or the phases of compilers too, of which there are more than of all else. */
export type RecordedPart = 'compilers' | 'phases';

/** The compilers' log of a run; decisions are read from it until it is closed. */
export interface CompilationLog {
	readonly origin: CompilationOrigin;
	readonly history: CompilationHistory;
	/** Files with compilations. */
	readonly files: readonly string[];
	readonly problems: readonly Problem[];
	/** What tells of the same compilations, and gave what the files do not have: how many both have. Left out where nothing does. */
	readonly beside?: { readonly origin: 'flightRecorder'; readonly file: string; readonly compilations: number };
	/** Traps in compilations that are not in the history: how many, by compile id. */
	readonly otherDeoptimizations: ReadonlyMap<string, number>;
	/** Classes of one name, where no agent tells of them. */
	readonly classRanks?: ClassRanks;
	/** Of remarks: which functions lines belong to. */
	readonly functionStarts?: FunctionStarts;
	/** What was decided in a compilation of the history; null where the log does not say. */
	read(compilation: JitCompilation): CompilationRecord | null;
	/** Only the decisions at its calls, which is faster; none where the log does not say. */
	readDecisions(compilation: JitCompilation): readonly CallDecision[];
	/** How many calls were inlined; null where the log does not say. Left out where it has to be counted in the decisions. */
	countCalls?(compilation: JitCompilation): CallCounts | null;
	/** What the profile told C2 of branches; null where the log does not say. Left out where it never does. */
	readBranches?(compilation: JitCompilation): BranchProfile | null;
}

/**
 * `processId` chooses among several JVMs. Throws an {@link InputError} when no file holds compilations, or those of several JVMs that
 * nobody chose from.
 */
export async function openCompilationLog(
	found: Pick<FoundEvidence, 'name' | 'files'>,
	processId: number | null = null,
	part: RecordedPart = 'compilers',
): Promise<CompilationLog> {
	return (await findCompilationLog(found, processId, part)) ?? failWithout(found.name);
}

/** The same; null when no file holds compilations. */
export async function findCompilationLog(
	found: Pick<FoundEvidence, 'name' | 'files'>,
	processId: number | null = null,
	part: RecordedPart = 'compilers',
): Promise<CompilationLog | null> {
	const log = await findLog(found, processId, part);
	if (log === null) {
		return null;
	}
	const ranks = await ranksOf(log.history, found.files.agentLog);
	return { ...log, history: withNamesakes(log.history, ranks.size > 0 ? ranks : (log.classRanks ?? ranks)) };
}

/** Of this JVM's compilations. What is wrong with an agent's log is told to those who ask for code. */
async function ranksOf({ processId }: CompilationHistory, agentLogs: readonly EvidenceFile[]): Promise<ClassRanks> {
	for (const file of agentLogs) {
		try {
			const { source } = await openLogFile(file);
			const log = agentLogOf(source);
			source.close();
			if (processId !== null && log.processId === processId) {
				return classRanks(log);
			}
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
		}
	}
	return new Map();
}

/** Methods of one name told apart. */
function withNamesakes(history: CompilationHistory, ranks: ClassRanks): CompilationHistory {
	const namesakes = namesakesOf(history.compilations, ranks);
	const named = (compilation: JitCompilation, at: number): JitCompilation => {
		const namesake = namesakes[at];
		return namesake == null ? compilation : { ...compilation, namesake };
	};
	return namesakes.every((namesake) => namesake === null) ? history : { ...history, compilations: history.compilations.map(named) };
}

async function findLog(
	{ name: all, files: found }: Pick<FoundEvidence, 'name' | 'files'>,
	processId: number | null,
	part: RecordedPart,
): Promise<CompilationLog | null> {
	const files = found.logCompilation;
	if (files.length === 0) {
		return fullerOf(await openRecorded(found.flightRecorder, part), await openPrinted(found));
	}
	const problems: Problem[] = [];
	const sources = await openAll(files, problems);
	const scan = scanCompilations(sources);
	problems.push(...scan.problems);
	const history = chooseHistory(scan.histories, processId, all);
	const reader = new RecordReader();
	const logged = {
		history,
		read: (compilation: JitCompilation) => reader.read(compilation as LoggedJitCompilation),
		readDecisions: (compilation: JitCompilation) => reader.readDecisions(compilation as LoggedJitCompilation),
		countCalls: (compilation: JitCompilation) => reader.countCalls(compilation as LoggedJitCompilation),
		readBranches: (compilation: JitCompilation) => reader.readBranches(compilation as LoggedJitCompilation),
	};
	const known = { origin: 'logCompilation' as const, otherDeoptimizations: NO_DEOPTIMIZATIONS, files: files.map(({ name }) => name) };
	const recorded = recordedCompilations(await readFlightRecorders(found.flightRecorder, part, problems));
	if (recorded === null) {
		return { ...known, ...logged, problems };
	}
	const { inBoth, problems: differing, ...merged } = mergeCompilations({ ...logged, file: files[0]?.name ?? all }, recorded);
	const beside = inBoth === 0 ? {} : { beside: { origin: 'flightRecorder' as const, file: recorded.file, compilations: inBoth } };
	return { ...known, ...merged, ...beside, problems: [...problems, ...differing] };
}

const NO_DEOPTIMIZATIONS: ReadonlyMap<string, number> = new Map();

/** The events of one compilation tell more than its printed line. */
function fullerOf(recorded: CompilationLog | null, printed: CompilationLog | null): CompilationLog | null {
	if (recorded === null || printed === null) {
		return recorded ?? printed;
	}
	const isRecorded = recorded.history.compilations.length >= printed.history.compilations.length;
	const [more, less] = isRecorded ? [recorded, printed] : [printed, recorded];
	const problem: Problem = {
		severity: 'warning',
		file: less.files[0] ?? '',
		message: `tells of ${less.history.compilations.length} compilations, ${more.files[0]} of ${more.history.compilations.length}`,
		action: 'its compilations are left out: give it alone to see them',
	};
	return { ...more, problems: [...more.problems, problem] };
}

/** What Flight Recorder watched; null when it did not watch the compilers. */
async function openRecorded(files: readonly EvidenceFile[], part: RecordedPart): Promise<CompilationLog | null> {
	const problems: Problem[] = [];
	const recorded = recordedCompilations(await readFlightRecorders(files, part, problems));
	return recorded === null
		? null
		: {
				origin: 'flightRecorder',
				history: recorded.history,
				otherDeoptimizations: recorded.otherDeoptimizations,
				classRanks: recorded.classRanks,
				files: [recorded.file],
				problems: [...problems, ...recorded.problems],
				read: recorded.recordOf,
				readDecisions: recorded.decisionsOf,
				countCalls: recorded.countCalls,
			};
}

/** What the JVM printed, where there is no LogCompilation; null when it did not print of compilations. */
async function openPrinted(found: FoundEvidence['files']): Promise<CompilationLog | null> {
	const { printCompilation, printInlining, deoptimizations } = found;
	const files = [...new Set([...printCompilation, ...printInlining, ...deoptimizations])].sort((a, b) => (a.name < b.name ? -1 : 1));
	const problems: Problem[] = [];
	const sources = await openAll(files, problems);
	const printed = readPrintedCompilations(
		files.map((file, i) => ({
			source: sources[i]!,
			kinds: { compilations: printCompilation.includes(file), inlining: printInlining.includes(file), traps: deoptimizations.includes(file) },
		})),
	);
	return printed === null
		? null
		: {
				origin: 'printCompilation',
				history: printed.history,
				otherDeoptimizations: NO_DEOPTIMIZATIONS,
				files: printed.files,
				problems: [...problems, ...printed.problems],
				read: printed.recordOf,
				readDecisions: printed.decisionsOf,
			};
}

async function openAll(files: readonly EvidenceFile[], problems: Problem[]): Promise<Source[]> {
	const sources: Source[] = [];
	for (const file of files) {
		const opened = await openLogFile(file);
		problems.push(...opened.problems);
		sources.push(opened.source);
	}
	return sources;
}

function failWithout(all: string): never {
	throw problem(
		all,
		'no file holds the compilations of a JVM',
		'record with -XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:LogFile=FILE, or with assay record; -XX:+PrintCompilation tells less',
	);
}

/** A copy of a log, such as the one that JMH annotates, counts once: the one that has more. */
function chooseHistory(histories: readonly LoggedHistory[], processId: number | null, all: string): LoggedHistory {
	const runs = new Map<string, LoggedHistory>();
	for (const history of histories) {
		const key = `${history.processId} ${history.startedEpochMs}`;
		if ((runs.get(key)?.compilations.length ?? 0) < history.compilations.length) {
			runs.set(key, history);
		}
	}
	const chosen = [...runs.values()].filter((history) => processId === null || history.processId === processId);
	const [only] = chosen;
	if (chosen.length === 1 && only !== undefined) {
		return only;
	}
	if (histories.length === 0) {
		throw problem(all, 'the log has no compilations', 'was it recorded with -XX:+LogCompilation?');
	}
	const list = [...runs.values()].map((history) => `process ${history.processId ?? 'unknown'} (${history.compilations.length} compilations)`).join(', ');
	throw problem(all, `the files are of several JVMs: ${list}`, 'say which one is meant: --pid, or give the files of one');
}

function problem(file: string, message: string, action: string): InputError {
	return new InputError({ severity: 'error', file, message, action });
}
