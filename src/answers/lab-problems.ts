/** Whether the first screen names the cause: programs with one known fault each, and their twins without it, recorded under a JVM and reported. */
import path from 'node:path';
import type { SkidVerdict } from '../hot/hot-results.js';
import { ENOUGH_SAMPLES } from '../hot/skid.js';
import type { RecordingFinding } from '../model/joined-recording.js';
import type { Progress } from '../model/progress.js';
import { openEvidence } from '../recording/evidence.js';
import { openProblemsLab } from '../recording/lab/run-problems-lab.js';
import { type DiffCause, diffCauses } from './diff-causes.js';
import type { RecordingReport } from './joined-report.js';
import { inLabFolder, type LabRequest } from './lab-request.js';
import { DEFAULT_REPORT_REQUEST, openReport } from './report.js';
import type { LabProblemsResult } from './results.js';

/** A program of lab/ProblemsLab.java with a fault. */
export interface LabProblem {
	/** As the program is asked for it. */
	readonly cause: string;
	readonly title: string;
	/** What `assay report` should call it. */
	readonly kind: RecordingFinding['kind'];
	/** The method that has the fault; null where no method has. */
	readonly method: string | null;
	/** Flags that make the fault; the twin runs without them. */
	readonly flags?: readonly string[];
	/** Flags of both. */
	readonly commonFlags?: readonly string[];
	/** Collectors under which C2 gives such loops a poll: the fault is not there. */
	readonly notUnder?: readonly string[];
	/** It is told only where the samples show how far they skid. */
	readonly needsSkid?: boolean;
}

const LAB = 'ProblemsLab$';

export const LAB_PROBLEMS: readonly LabProblem[] = [
	{ cause: 'large-callee', title: 'a callee too large to be inlined', kind: 'not-inlined', method: `${LAB}LargeCallee.large` },
	{ cause: 'megamorphic', title: 'a call with four classes of receivers', kind: 'not-inlined', method: `${LAB}Megamorphic.total` },
	{ cause: 'recursion', title: 'recursion deeper than is inlined', kind: 'not-inlined', method: `${LAB}Recursion.recursive` },
	{ cause: 'storm', title: 'ways that are taken for the first time after each compilation', kind: 'deoptimization-storm', method: `${LAB}Storm.work` },
	{ cause: 'huge-method', title: 'a method of more than 8000 bytecodes', kind: 'huge-method', method: `${LAB}HugeMethod.huge` },
	{ cause: 'osr-only', title: 'all work in the loop of a method that is called once', kind: 'osr-only', method: `${LAB}OsrOnly.whole` },
	{
		cause: 'no-poll',
		title: 'a counted loop without a poll, while the collector waits',
		kind: 'safepoint',
		method: `${LAB}NoPoll.counted`,
		notUnder: ['UseG1GC', 'UseZGC', 'UseShenandoahGC'],
	},
	{
		cause: 'bailout',
		title: 'C2 gives up: out of nodes',
		kind: 'failed',
		method: `${LAB}SlowCompilation.tangle`,
		flags: ['-XX:MaxNodeLimit=8000', '-XX:NodeLimitFudgeFactor=400'],
	},
	{
		cause: 'slow-compilation',
		title: 'a compilation that takes seconds',
		kind: 'slow-compilation',
		method: `${LAB}SlowCompilation.tangle`,
		// Without them C2 gives up on it as well, in some runs.
		commonFlags: ['-XX:MaxNodeLimit=240000', '-XX:NodeLimitFudgeFactor=6000'],
	},
	{
		cause: 'code-cache',
		title: 'a code cache too small for the program',
		kind: 'code-cache',
		method: null,
		flags: ['-XX:ReservedCodeCacheSize=2500k', '-XX:InitialCodeCacheSize=2496k'],
	},
	{ cause: 'division', title: 'a division in the hottest loop', kind: 'slow-instructions', method: `${LAB}Division.divided` },
	{ cause: 'scalar-loop', title: 'a loop over arrays that C2 cannot vectorize', kind: 'not-vectorized', method: `${LAB}Scalar.byLong` },
	{
		cause: 'excluded',
		title: 'a method that a command keeps from being compiled',
		kind: 'excluded',
		method: `${LAB}Plain.work`,
		flags: ['-XX:CompileCommand=quiet', `-XX:CompileCommand=exclude,${LAB}Plain::work`],
	},
	{ cause: 'exceptions', title: 'exceptions as control flow', kind: 'exceptions', method: `${LAB}Exceptional.deep` },
	{ cause: 'allocation', title: 'more garbage than the collector likes', kind: 'collector', method: null, commonFlags: ['-Xmx96m'] },
	{ cause: 'contention', title: 'four threads and one lock', kind: 'contention', method: `${LAB}Contention.locked` },
	{
		cause: 'compile-queue',
		title: 'more hot methods at once than C2 can compile',
		kind: 'compile-queue',
		method: null,
		commonFlags: ['-XX:CICompilerCount=2'],
	},
	{ cause: 'class-loading', title: 'a class made for every call', kind: 'class-loading', method: null },
	{
		cause: 'scattered',
		title: 'objects that are read in another order than they lie in',
		kind: 'slow-instructions',
		method: `${LAB}Scattered.total`,
		needsSkid: true,
	},
];

export interface LabProblemsRequest extends LabRequest {
	readonly problems: readonly LabProblem[];
}

type Row = LabProblemsResult['causes'][number];

/** Throws an InputError when there is no JVM, no compiler, no perf, or a program does not run. */
export async function answerLabProblems(request: LabProblemsRequest, progress: Progress): Promise<LabProblemsResult> {
	const { problems, seconds, javaOptions } = request;
	return await inLabFolder(request, async (common) => {
		const jvm = await openProblemsLab({ ...common, seconds });
		const causes: Row[] = [];
		for (const [i, problem] of problems.entries()) {
			progress.report(`${i + 1} of ${problems.length}: ${problem.title}`);
			const { cause, commonFlags = [], flags = [], notUnder = [] } = problem;
			if (jvm.collector !== null && notUnder.includes(jvm.collector)) {
				const skipped = `C2 gives the loop a poll with -XX:+${jvm.collector}`;
				causes.push({ ...rowOf(problem), skipped, rank: null, diffRank: null, text: null, line: null, falseAlarm: null });
				continue;
			}
			const bad = await reportOf(await jvm.record(cause, 'bad', [...commonFlags, ...flags]));
			const good = await reportOf(await jvm.record(cause, 'good', commonFlags));
			const row = judged(problem, bad.findings, good.findings, await diffCauses([], [], good, bad));
			const skid = bad.hot !== null && 'skid' in bad.hot ? bad.hot.skid : null;
			causes.push(problem.needsSkid === true && skid !== null ? unlessUntold(row, skid) : row);
		}
		return { javaPath: jvm.javaPath, version: jvm.version, javaOptions: [...javaOptions], seconds, causes };
	});
}

function rowOf({ cause, title, kind, method }: LabProblem): Pick<Row, 'cause' | 'title' | 'kind' | 'method'> {
	return { cause, title, kind, method };
}

/** The rank of the finding that names the cause, in the report and in the diff with the twin, and whether the twin is accused of the same. */
export function judged(problem: LabProblem, bad: readonly RecordingFinding[], good: readonly RecordingFinding[], causes: readonly DiffCause[]): Row {
	const names = ({ kind, place }: RecordingFinding): boolean => kind === problem.kind && (problem.method === null || place?.method === problem.method);
	const at = bad.findIndex(names);
	const found = bad[at];
	const inDiff = causes.findIndex(({ side, finding }) => side === 'B' && names(finding));
	const alarm = good.find(names);
	return {
		...rowOf(problem),
		skipped: null,
		rank: found === undefined ? null : at + 1,
		diffRank: inDiff < 0 ? null : inDiff + 1,
		text: found?.text ?? bad[0]?.text ?? null,
		line: found?.place?.line ?? null,
		falseAlarm: alarm?.text ?? null,
	};
}

/** Left out where enough samples show that they do not skid as those do from which it can be told, and nothing wrong was said. */
export function unlessUntold(row: Row, { isShifted, samples, reason }: SkidVerdict): Row {
	const isUntold = row.rank === null && row.falseAlarm === null && !isShifted && samples >= ENOUGH_SAMPLES;
	return isUntold ? { ...row, skipped: `samples of this processor do not show how far they skid: ${reason}` } : row;
}

async function reportOf(recording: string): Promise<RecordingReport> {
	const evidence = await openEvidence([{ filePath: recording, name: path.basename(recording) }], { details: 'threads' });
	try {
		return await openReport(evidence, DEFAULT_REPORT_REQUEST);
	} finally {
		evidence.close();
	}
}
