/** What a profiler that sees threads only at safepoints would have said of a recording, beside what others said of it. */

import { type BiasReport, biasReport } from '../bias/bias-report.js';
import { type BiasTree, biasTree } from '../bias/bias-tree.js';
import type { BlameKey } from '../bias/blame.js';
import { Walks } from '../bias/walks.js';
import { type Syntax, spelledText } from '../disassembly/spelled-instructions.js';
import { lateCallDoubts } from '../model/late-calls.js';
import { MOST_UNKNOWN_PERCENT } from '../model/prediction-coverage.js';
import { InputError, type Problem, UsageError } from '../model/problem.js';
import type { SampleWindow } from '../model/sample-window.js';
import type { SampleThreads } from '../model/samples.js';
import { SparseColumn } from '../model/sparse-column.js';
import type { Evidence } from '../recording/evidence.js';
import type { LogFile } from '../recording/log-file.js';
import { openClasses } from '../recording/open-classes.js';
import { type BiasRequest, coldDoubts, type OpenedBias, openBias } from './bias.js';
import { biasResult, type ShownExplanation } from './bias-result.js';
import { type Against, type NamedProfile, readObservedProfiles } from './observed-profiles.js';
import type { BiasResult } from './results.js';
import type { Streamed } from './streamed.js';

export interface BiasPredictionRequest extends BiasRequest {
	/** What other profilers said of the same run. */
	readonly against: readonly Against[];
	/** Draws of the samples for the intervals of the prediction, up to 1000; 0: no intervals. */
	readonly rounds: number;
	/** What rows are: methods, where nothing is said. Of a tree the evidence has to be opened with all details. */
	readonly by?: BiasBy | undefined;
	/** Explain only this method or line: a handle of the table (`m3`, `l3`), a name or the end of one; null: what is largest. */
	readonly method: string | null;
	/** Class files, folders or archives of them, texts of `javap -c -p`: what the loops are in bytecode. */
	readonly classes: readonly LogFile[];
	/** Of instructions in explanations; left out: AT&T's. */
	readonly syntax?: Syntax;
}

/** What rows can be. */
export type BiasBy = BlameKey | 'tree';

export const BIAS_BY: readonly BiasBy[] = ['method', 'line', 'tree'];

export function isBiasBy(text: string): text is BiasBy {
	return BIAS_BY.some((by) => by === text);
}

export const DEFAULT_ROUNDS = 20;
const MOST_ROUNDS = 1000;

export interface BiasAnswer {
	readonly report: BiasReport;
	/** null: not asked for. */
	readonly tree: BiasTree | null;
	/** Samples of that time in threads that are not Java's; null where the samples do not tell threads. */
	readonly otherThreads: number | null;
	/** What was measured and is looked at; null: the chosen time, or all. */
	readonly window: SampleWindow | null;
	readonly profiles: readonly NamedProfile[];
	/** The method or line that is explained; null: what is largest. */
	readonly method: string | null;
	readonly explanations: readonly ShownExplanation[];
	readonly problems: readonly Problem[];
	result(): Streamed<BiasResult>;
}

/**
 * Throws an InputError without samples or when a file cannot be read, a UsageError when the table has no such method. The evidence has to be opened with
 * threads. `known`: what was opened for the same thread and time.
 */
export async function answerBias(evidence: Evidence, request: BiasPredictionRequest, known: OpenedBias | null = null): Promise<BiasAnswer> {
	const opened = known ?? (await openBias(evidence, request));
	const { samplesFile, logFile, log, sources } = opened.recording;
	const [source] = log === null ? sources : [];
	if (source !== undefined) {
		// A native program's code is called after the program, of which nobody gave the file.
		const where =
			opened.recording.native === source
				? { file: evidence.name, message: `is of a native program (${source.file}): its threads stop at no safepoints` }
				: { file: source.file, message: 'does not tell where threads stop for a safepoint' };
		throw new InputError({ severity: 'error', ...where, action: 'give the LogFile of a JVM with -XX:+PrintAssembly, and samples of it' });
	}
	const problems: Problem[] = [...opened.recording.problems];
	const profiles = await readObservedProfiles(request.against, request, opened, problems, request.by === 'tree');
	const observed = new Map(profiles.map(({ name, profile }) => [name, profile]));
	const classes = await openClasses(request.classes);
	problems.push(...classes.problems);
	const rounds = Math.min(request.rounds, MOST_ROUNDS);
	const walks = new Walks(opened.input);
	const by = request.by === 'tree' ? 'method' : request.by;
	const report = biasReport(opened.input, opened.unbiased, opened.counted, observed, rounds, (name) => classes.byMethod.get(name) ?? [], by, walks);
	const tree = request.by === 'tree' ? biasTree(opened.stacks(), walks, opened.counted, observed) : null;
	problems.push(
		...coldDoubts(opened),
		...doubts(report, samplesFile, request, opened.recording.threads),
		...debugInfoDoubts(report, logFile),
		...lateDoubts(opened, logFile ?? samplesFile),
	);
	const method = request.method === null ? null : nameOf(report, request.method);
	const explanations = report.explain(method).map((one) => spelledExplanation(one, request.syntax ?? 'att'));
	return {
		report,
		tree,
		otherThreads: opened.otherThreads,
		window: opened.window,
		profiles,
		method,
		explanations,
		problems,
		result: () => biasResult(report, tree, explanations, { samplesFile, logFile }, profiles, opened),
	};
}

/** A handle of the table, a name or the end of one. */
function nameOf({ by, methods, lines }: BiasReport, asked: string): string {
	const [, kind, number] = HANDLE.exec(asked) ?? [];
	const namesOfMethods = methods.map(({ method }) => method);
	const names = by === 'line' && kind !== 'm' ? [...lines.map(({ line }) => line), ...namesOfMethods] : namesOfMethods;
	const named = (): string | undefined => names.find((name) => name === asked) ?? names.find((name) => name.endsWith(`.${asked}`));
	const found = kind === 'm' || (kind === 'l' && by === 'line') ? names[Number(number) - 1] : named();
	if (found === undefined) {
		throw new UsageError(kind === 'l' && by !== 'line' ? `${asked} is a line of the table by line: --by line` : `no ${by} of the table is called ${asked}`);
	}
	return found;
}

const HANDLE = /^([ml])([1-9]\d*)$/;

function lateDoubts({ input, counted }: OpenedBias, file: string): Problem[] {
	return lateCallDoubts(
		input.sampled.map(({ method, counts }) => ({ code: method.code, instructions: method.instructions, seenAt: SparseColumn.of(counts) })),
		counted,
		file,
	);
}

function debugInfoDoubts({ described }: BiasReport, logFile: string | null): Problem[] {
	const warn = (message: string, action: string): Problem[] => [{ severity: 'warning', file: logFile ?? '', message, action }];
	switch (described) {
		case 'safepoints only':
			return warn(
				'the code describes safepoints only (-XX:-DebugNonSafepoints), so each sample counts for the method of the next one',
				'record with -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints to see where the time is',
			);
		case 'no oop maps':
			return warn('no oop maps are printed beside the code', 'what a profiler without DebugNonSafepoints would say is not told');
		default:
			return [];
	}
}

const MOST_NAMED = 4;
const TOLD_UNKNOWN_PERCENT = 10;

/** Of the threads the names with most samples first; the system calls the main thread of a JVM `java`. */
function mostSampled({ of, threads }: SampleThreads): string[] {
	const counts = new Map<string, number>();
	for (const number of of) {
		const name = threads[number]?.name;
		if (name !== undefined) {
			counts.set(name, (counts.get(name) ?? 0) + 1);
		}
	}
	return [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)!);
}

function doubts({ counted, unknownPercent, methods }: BiasReport, file: string, { thread = null }: BiasRequest, threads: SampleThreads | null): Problem[] {
	if (counted === 0) {
		return [
			{
				severity: 'warning',
				file,
				message: `no samples${thread === null ? '' : ` of a thread ${thread}`} in that time`,
				action: `check --thread, --from and --to${thread === null || threads === null ? '' : `; most samples are of ${mostSampled(threads).slice(0, MOST_NAMED).join(', ')}`}`,
			},
		];
	}
	if (!methods.some(({ predictedPercent }) => predictedPercent > 0)) {
		return [
			{ severity: 'warning', file, message: 'no sample lies in code that was printed', action: 'nothing can be predicted; record with -XX:+PrintAssembly' },
		];
	}
	return unknownPercent < TOLD_UNKNOWN_PERCENT
		? []
		: [
				{
					severity: 'warning',
					file,
					message: `of ${unknownPercent.toFixed(0)} % of the samples (native code, interpreter, kernel) no printed code tells where they stop`,
					action: `they are left out of the prediction${unknownPercent <= MOST_UNKNOWN_PERCENT ? '' : ', which is of the smaller part of the time'}`,
				},
			];
}

function spelledExplanation<T extends ShownExplanation>(explanation: T, syntax: Syntax): T {
	return { ...explanation, steps: explanation.steps.map((step) => (step.kind === 'skipped' ? step : { ...step, text: spelledText(step.text, syntax) })) };
}
