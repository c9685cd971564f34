/**
 * LogCompilation and Flight Recorder beside each other: the log tells more of each compilation, the events have times in microseconds, and those of compilations that
 * a cut log has lost. Field by field the better one is taken; nothing is added up. Where they disagree the log is taken, and how often that was is told.
 */
import type { BranchProfile } from '../model/branch-profile.js';
import type { CallDecision, CompilationHistory, CompilationRecord, JitCompilation } from '../model/jit-compilation.js';
import { mayBeSameStart } from '../model/jvm-start.js';
import type { Problem } from '../model/problem.js';
import type { RecordedCompilations } from './recorded-compilations.js';

interface Logged {
	readonly history: CompilationHistory;
	/** The log, for messages. */
	readonly file: string;
	read(compilation: JitCompilation): CompilationRecord | null;
	readDecisions(compilation: JitCompilation): readonly CallDecision[];
	readBranches(compilation: JitCompilation): BranchProfile | null;
}

interface Merged extends Omit<Logged, 'file'> {
	readonly problems: readonly Problem[];
	/** Compilations that both tell of; 0: the recording is of another run, and left out. */
	readonly inBoth: number;
}

/** What both tell of a compilation, by the name that users know. */
const FIELDS = {
	method: ({ method, signature }: JitCompilation) => `${method}${signature ?? ''}`,
	compiler: ({ compiler }: JitCompilation) => compiler,
	level: ({ level }: JitCompilation) => level,
	thread: ({ threadId }: JitCompilation) => threadId,
	'inlined bytes': ({ inlinedBytes }: JitCompilation) => inlinedBytes ?? 0,
	failure: ({ failure }: JitCompilation) => failure?.reason ?? null,
} as const;
/** The log's stamps have whole milliseconds, and are taken some time after those of the event on a busy machine. */
const APART_MS = 250;

export function mergeCompilations(logged: Logged, recorded: RecordedCompilations): Merged {
	const events = new Map(recorded.history.compilations.map((one) => [one.compileId, one]));
	const pairs = logged.history.compilations.flatMap((log) => {
		const event = events.get(log.compileId);
		return event === undefined ? [] : [{ log, event }];
	});
	const same = pairs.filter(({ log, event }) => FIELDS.method(log) === FIELDS.method(event));
	const note = (message: string, action: string): Problem => ({ severity: 'warning', file: recorded.file, message, action });
	const [logStart, eventStart] = [logged.history.startedEpochMs, recorded.history.startedEpochMs];
	if (logStart !== null && eventStart !== null && !mayBeSameStart(logStart, eventStart)) {
		const message = `is of a JVM that started ${Math.round(Math.abs(logStart - eventStart) / 1000)} s ${eventStart > logStart ? 'after' : 'before'} that of ${logged.file}`;
		return { ...logged, problems: [note(message, 'it is of another run: its compilations are left out')], inBoth: 0 };
	}
	if (2 * same.length < recorded.history.compilations.length) {
		const message = `of its ${recorded.history.compilations.length} compilations ${same.length} are in ${logged.file} by id and method`;
		return { ...logged, problems: [note(message, 'it is of another run, or of another part of it, and left out')], inBoth: 0 };
	}
	const timed = new Map(same.filter(({ log, event }) => mayTakeTimes(log, event)).map(({ log, event }) => [log, event]));
	const known = new Set(logged.history.compilations.map(({ compileId }) => compileId));
	const added = recorded.history.compilations.filter(({ compileId }) => !known.has(compileId));
	const compilations = [...logged.history.compilations.map((log) => withTimes(log, timed.get(log))), ...added];
	const ofEvents = (compilation: JitCompilation): JitCompilation | null =>
		known.has(compilation.compileId) ? null : (events.get(compilation.compileId) ?? null);
	return {
		history: { ...logged.history, endMs: added.reduce((end, { doneMs }) => Math.max(end, doneMs ?? 0), logged.history.endMs), compilations },
		inBoth: same.length,
		problems: problemsOf(pairs, added.length, logged.file, note),
		read: (compilation) => {
			const own = ofEvents(compilation);
			return own === null ? logged.read(compilation) : recorded.recordOf(own);
		},
		readDecisions: (compilation) => {
			const own = ofEvents(compilation);
			return own === null ? logged.readDecisions(compilation) : recorded.decisionsOf(own);
		},
		readBranches: (compilation) => (ofEvents(compilation) === null ? logged.readBranches(compilation) : null),
	};
}

interface Pair {
	readonly log: JitCompilation;
	readonly event: JitCompilation;
}

function problemsOf(pairs: readonly Pair[], added: number, logFile: string, note: (message: string, action: string) => Problem): Problem[] {
	const counts = Object.entries(FIELDS).map(([name, of]) => ({ name, count: pairs.filter(({ log, event }) => of(log) !== of(event)).length }));
	const times = pairs.filter(({ log, event }) => areApart(log, event)).length;
	const differing = [...counts, { name: `times, by more than ${APART_MS} ms`, count: times }].filter(({ count }) => count > 0);
	return [
		...(differing.length === 0
			? []
			: [
					note(
						`of ${pairs.length} compilations that ${logFile} tells of too some differ: ${differing.map(({ name, count }) => `${name} of ${count}`).join(', ')}`,
						'what the log says is taken',
					),
				]),
		...(added === 0 ? [] : [note(`${added} of its compilations are not in ${logFile}`, 'they are taken from it')]),
	];
}

function areApart(log: JitCompilation, event: JitCompilation): boolean {
	const isFar = (a: number | null, b: number | null): boolean => a !== null && b !== null && Math.abs(a - b) > APART_MS;
	return isFar(log.startedMs, event.startedMs) || isFar(log.doneMs, event.doneMs);
}

/** Not where the log's own order of queueing, start and end would be broken. */
function mayTakeTimes(log: JitCompilation, event: JitCompilation): boolean {
	return log.startedMs !== null && log.doneMs !== null && event.startedMs !== null && event.doneMs !== null && !areApart(log, event);
}

function withTimes(log: JitCompilation, event: JitCompilation | undefined): JitCompilation {
	if (event === undefined) {
		return log;
	}
	const startedMs = Math.max(event.startedMs ?? 0, log.queuedMs ?? 0);
	const doneMs = Math.max(event.doneMs ?? 0, startedMs);
	return { ...log, startedMs, doneMs, installedMs: log.installedMs === null ? null : Math.min(log.installedMs, doneMs) };
}
