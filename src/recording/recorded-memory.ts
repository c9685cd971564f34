/**
 * Memory of compilations as Flight Recorder tells of it (jdk.Compilation#arenaBytes, JDK 25 and later): the most that all arenas of one held, where the JVM
 * counted it (-XX:CompileCommand=memstat,*.*), and when it was compiled.
 */
import type { JfrEvents } from '../formats/jfr/read.js';
import { NO_DETAILS } from '../model/compiler-memory.js';
import type { Problem } from '../model/problem.js';
import type { UnnamedCompilation } from './merge-memory.js';

/** In the order in which they were begun; empty where nothing was counted. */
export function recordedMemory({ compilations }: Pick<JfrEvents, 'compilations'>): UnnamedCompilation[] {
	return compilations.flatMap(memoryOf);
}

function memoryOf({
	compileId,
	compiler,
	level,
	method,
	arenaBytes,
	succeeded,
	ms,
	durationMs,
	threadName,
}: JfrEvents['compilations'][number]): UnnamedCompilation[] {
	if (arenaBytes === null || arenaBytes <= 0) {
		return [];
	}
	const span = ms === null || durationMs === null ? null : { startMs: ms, endMs: ms + durationMs };
	return [
		{
			compileId: String(compileId),
			compiler: compiler ?? 'unknown',
			level,
			osrBci: null,
			method: method.method,
			signature: method.descriptor,
			totalBytes: arenaBytes,
			byArena: { arenas: [], bytes: [] },
			nodes: null,
			result: succeeded ? 'ok' : 'err',
			limitBytes: null,
			hitLimit: false,
			seconds: span === null ? null : span.endMs / 1000,
			thread: threadName,
			timesCompiled: null,
			skipped: null,
			...(span === null ? {} : { span }),
			details: () => NO_DETAILS,
		},
	];
}

/**
 * Statistics with what a recording of the same run adds: when each was compiled, and compilations that the statistics do not list. A total is that of the
 * statistics, which has arenas and phases beside it.
 */
export function withRecorded(
	statistics: readonly UnnamedCompilation[],
	recorded: readonly UnnamedCompilation[],
	file: string,
): { readonly compilations: readonly UnnamedCompilation[]; readonly problems: readonly Problem[] } {
	if (statistics.length === 0) {
		return { compilations: recorded, problems: [] };
	}
	const keyOf = ({ compileId, compiler, method }: UnnamedCompilation): string => `${compiler} ${compileId} ${method}`;
	const byKey = new Map(recorded.map((one) => [keyOf(one), one]));
	const matched = new Set<UnnamedCompilation>();
	let others = 0;
	const compilations = statistics.map((one) => {
		const same = byKey.get(keyOf(one));
		if (same === undefined) {
			return one;
		}
		matched.add(same);
		others += same.totalBytes === one.totalBytes ? 0 : 1;
		return same.span === undefined ? one : { ...one, span: same.span };
	});
	// Ids and methods of another run agree by chance only.
	if (2 * matched.size < Math.min(statistics.length, recorded.length)) {
		return {
			compilations: statistics,
			problems:
				recorded.length === 0
					? []
					: [{ severity: 'warning', file, message: 'tells of the memory of other compilations', action: 'it is left out: it is of another run' }],
		};
	}
	const problems: Problem[] =
		others === 0
			? []
			: [
					{
						severity: 'warning',
						file,
						message: `tells another peak than the statistics of ${others} of ${matched.size} compilations`,
						action: 'those of the statistics are taken',
					},
				];
	return { compilations: [...compilations, ...recorded.filter((one) => !matched.has(one))], problems };
}
