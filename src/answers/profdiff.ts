/** Graal's profdiff as a function: one experiment reported, or two compared. Strict as the reference is: the first unreadable input ends it. */
import path from 'node:path';
import type { CompilationKind } from '../model/compilation.js';
import { InputError, type Problem } from '../model/problem.js';
import type { Profile } from '../model/profile.js';
import { createExperiment, type Experiment, type ExperimentNumber, withMethods } from '../profdiff/experiment.js';
import { type HotUnits, methodsIn, selectHotUnits, selectUnitsOf } from '../profdiff/hot.js';
import type { ProfdiffOptions } from '../profdiff/options.js';
import type { ExperimentSummary, ProfdiffSink } from '../profdiff/results.js';
import { comparisonSections, type ReportSection, replayedSections, reportSections, tellSections } from '../profdiff/run.js';
import { summarize } from '../profdiff/summary.js';
import { TreeCache } from '../profdiff/tree-cache.js';
import type { Evidence } from '../recording/evidence.js';
import { openFirstLog, openOptimizationLog } from '../recording/optimization-log.js';
import { openProftoolProfile } from '../recording/proftool-profile.js';
import { GRAAL_PHASES } from './graal-phases.js';
import { experimentRow, partRow, sectionRow } from './profdiff-result.js';
import type { ProfdiffResult } from './results.js';
import { mapped, type Streamed } from './streamed.js';

/** A folder with an optimization log, or a recording of HotSpot, and a file of `mx profjson`. */
export interface ProfdiffRun {
	readonly log: string;
	/** Left out: that there is none, or the samples beside a log of HotSpot. */
	readonly profile?: string | undefined;
}

/** What is asked, by the names of profdiff's commands. */
export type ProfdiffQuestion =
	| ({ readonly command: 'report' } & ProfdiffRun)
	| { readonly command: 'jit-vs-jit' | 'jit-vs-aot' | 'aot-vs-aot'; readonly a: ProfdiffRun; readonly b: ProfdiffRun }
	| { readonly command: 'aot-vs-aot-jit-profile'; readonly jit: ProfdiffRun; readonly a: ProfdiffRun; readonly b: ProfdiffRun }
	| { readonly command: 'compare-replayed'; readonly a: Pick<ProfdiffRun, 'log'>; readonly b: Pick<ProfdiffRun, 'log'> };

export interface ProfdiffRequest {
	readonly question: ProfdiffQuestion;
	readonly options: ProfdiffOptions;
	/** Relative paths start here. */
	readonly workingDirectory: string;
}

/** What is told at the top of a report, in the order in which it was found. */
type ProfdiffStep = { readonly kind: 'warning'; readonly problem: Problem } | { readonly kind: 'experiment'; readonly summary: ExperimentSummary };

export interface ProfdiffAnswer {
	readonly steps: readonly ProfdiffStep[];
	/** Those of the sections; null: an input cannot be used, and there are none. */
	readonly experiments: readonly Experiment[] | null;
	/** Warnings, then what ended it; complete when the sections were taken. */
	readonly problems: readonly Problem[];
	/** What ended it early; known when the sections were taken. */
	failure(): Problem | null;
	/** Tells a sink the sections, up to the first with trees that cannot be read. */
	tell(sink: ProfdiffSink): void;
	/** Up to what ended it early: without `methods` where an input cannot be used. */
	result(): Streamed<Pick<ProfdiffResult, 'options' | 'experiments'> & Partial<Pick<ProfdiffResult, 'methods'>>>;
	close(): void;
}

/** Never throws an {@link InputError}: what makes an input unusable is the answer's failure. */
export async function answerProfdiff(request: ProfdiffRequest): Promise<ProfdiffAnswer> {
	const { options } = request;
	const inputs = new Inputs(request);
	const { steps } = inputs;
	const problems: Problem[] = [];
	let failed: Problem | null = null;
	const fail = (error: unknown): void => {
		if (!(error instanceof InputError)) {
			throw error;
		}
		failed = error.problem;
		problems.push(error.problem);
	};
	let found: Found | null = null;
	try {
		found = await inputs.find(request.question);
	} catch (error) {
		fail(error);
	}
	problems.unshift(...steps.flatMap((step) => (step.kind === 'warning' ? [step.problem] : [])));
	function* shownOf({ parts }: ReportSection) {
		try {
			yield* mapped(parts, partRow);
		} catch (error) {
			fail(error);
		}
	}
	function* methodsOf({ sections }: Found) {
		try {
			for (const section of sections()) {
				yield sectionRow(section.section, shownOf(section));
				if (failed !== null) {
					return;
				}
			}
		} catch (error) {
			fail(error);
		}
	}
	return {
		steps,
		experiments: found?.experiments ?? null,
		problems,
		failure: () => failed,
		tell(sink) {
			try {
				tellSections(found?.sections() ?? [], sink);
			} catch (error) {
				fail(error);
			}
		},
		result: () => ({
			options,
			experiments: steps.flatMap((step) => (step.kind === 'experiment' ? [experimentRow(step.summary)] : [])),
			...(found === null ? {} : { methods: methodsOf(found) }),
		}),
		close: () => inputs.close(),
	};
}

interface Found {
	readonly experiments: readonly Experiment[];
	readonly sections: () => Iterable<ReportSection>;
}

/** Opens logs and profiles, and tells of them. */
class Inputs {
	readonly steps: ProfdiffStep[] = [];
	private readonly options: ProfdiffOptions;
	private readonly workingDirectory: string;
	/** A report looks at each compilation once. */
	private readonly kept: TreeCache | null;
	private readonly opened: Evidence[] = [];

	constructor({ question, options, workingDirectory }: ProfdiffRequest) {
		this.options = options;
		this.workingDirectory = workingDirectory;
		this.kept = question.command === 'report' ? null : new TreeCache();
	}

	find(question: ProfdiffQuestion): Promise<Found> {
		switch (question.command) {
			case 'report':
				return this.report(question);
			case 'jit-vs-jit':
				return this.compareProfiled('JIT', question.a, 'JIT', question.b);
			case 'jit-vs-aot':
				return this.compareProfiled('JIT', question.a, 'AOT', question.b);
			case 'aot-vs-aot':
				return this.compareProfiled('AOT', question.a, 'AOT', question.b);
			case 'aot-vs-aot-jit-profile':
				return this.compareImages(question.jit, question.a, question.b);
			case 'compare-replayed':
				return this.compareReplayed(question.a, question.b);
		}
	}

	close(): void {
		for (const evidence of this.opened) {
			evidence.close();
		}
	}

	private async report(run: ProfdiffRun): Promise<Found> {
		const experiment = await this.open(1, null, run);
		const hot = selectHotUnits(experiment, this.options);
		this.tellExperiment(experiment, hot);
		return { experiments: [experiment], sections: () => reportSections(experiment, hot, this.options, GRAAL_PHASES) };
	}

	private async compareProfiled(leftKind: CompilationKind, leftRun: ProfdiffRun, rightKind: CompilationKind, rightRun: ProfdiffRun): Promise<Found> {
		const left = await this.open(1, leftKind, leftRun);
		const leftHot = selectHotUnits(left, this.options);
		this.tellExperiment(left, leftHot);
		const right = await this.open(2, rightKind, rightRun);
		const ownHot: HotUnits = right.profile === null ? new Set() : selectHotUnits(right, this.options);
		this.tellExperiment(right, ownHot);
		if (right.profile !== null) {
			return this.comparison(left, right, new Set([...leftHot, ...ownHot]));
		}
		const hotMethods = methodsIn(left, leftHot);
		return this.comparison(left, withMethods(right, hotMethods), new Set([...leftHot, ...selectUnitsOf(right, hotMethods)]));
	}

	private async compareImages(jit: ProfdiffRun, leftRun: ProfdiffRun, rightRun: ProfdiffRun): Promise<Found> {
		const source = await this.open(0, 'JIT', jit);
		const sourceHot = selectHotUnits(source, this.options);
		this.tellExperiment(source, sourceHot);
		const left = await this.open(1, 'AOT', leftRun);
		this.tellExperiment(left, new Set());
		const right = await this.open(2, 'AOT', rightRun);
		this.tellExperiment(right, new Set());
		const hotMethods = methodsIn(source, sourceHot);
		const hot = new Set([...selectUnitsOf(left, hotMethods), ...selectUnitsOf(right, hotMethods)]);
		return this.comparison(withMethods(left, hotMethods), withMethods(right, hotMethods), hot);
	}

	private async compareReplayed(leftRun: ProfdiffRun, rightRun: ProfdiffRun): Promise<Found> {
		const left = await this.open(1, null, leftRun);
		this.tellExperiment(left, new Set());
		const right = await this.open(2, null, rightRun);
		this.tellExperiment(right, new Set());
		return { experiments: [left, right], sections: () => replayedSections(left, right, this.options, GRAAL_PHASES) };
	}

	private comparison(left: Experiment, right: Experiment, hot: HotUnits): Found {
		return { experiments: [left, right], sections: () => comparisonSections(left, right, hot, this.options, GRAAL_PHASES) };
	}

	private tellExperiment(experiment: Experiment, hot: HotUnits): void {
		this.steps.push({ kind: 'experiment', summary: summarize(experiment, hot) });
	}

	private warn(problem: Problem): void {
		this.steps.push({ kind: 'warning', problem });
	}

	/** Of a recording of HotSpot the samples beside the log are the profile, if no other is given. */
	private async openHotspot(number: ExperimentNumber, evidence: Evidence, profile: string | undefined): Promise<Experiment> {
		const { workingDirectory, kept } = this;
		const { openHotspotExperiment } = await import('./hotspot-experiment.js');
		const { experiment, problems } = await openHotspotExperiment(number, evidence, { workingDirectory, profile, kept });
		for (const problem of problems) {
			this.warn(problem);
		}
		return experiment;
	}

	/** Opens a log and its profile. `kind` is what the command expects; null takes either. */
	private async open(number: ExperimentNumber, kind: CompilationKind | null, { log: logPath, profile: profilePath }: ProfdiffRun): Promise<Experiment> {
		const first = await openFirstLog(this.resolve(logPath), logPath);
		const hotspot = first === null ? await this.hotspotEvidence(logPath) : null;
		if (hotspot !== null) {
			return this.openHotspot(number, hotspot, profilePath);
		}
		const log = await openOptimizationLog(this.resolve(logPath), {
			name: logPath,
			unitOffsets: 'reference',
			first: first ?? undefined,
			onProblem: (problem) => {
				if ('isFatalToReference' in problem && problem.isFatalToReference) {
					throw new InputError(problem);
				}
				this.warn(problem);
			},
		});
		const profile = profilePath === undefined ? null : await this.openProfile(number, kind, profilePath);
		const experiment = createExperiment(number, log.compilations, profile, kind, this.kept);
		for (const compileId of experiment.unknownCompileIds) {
			this.warn({
				severity: 'warning',
				file: profilePath ?? '',
				message: `compilation ${compileId} was sampled at the top tier, but the log ${logPath} does not have it`,
				action: "its samples are not counted as Graal's",
			});
		}
		for (const problem of log.malformedNames) {
			throw new InputError(problem);
		}
		return experiment;
	}

	/** null: no log of HotSpot's compilers lies there, or one of Graal behind other files; or nothing that can be read, of which the reader of Graal's logs will tell. */
	private async hotspotEvidence(logPath: string): Promise<Evidence | null> {
		// What reads all other formats is loaded where it is needed only: a small comparison takes less time than that.
		const { openEvidence } = await import('../recording/evidence.js');
		try {
			const evidence = await openEvidence([{ filePath: this.resolve(logPath), name: logPath }]);
			const { graalLog, logCompilation, flightRecorder, printCompilation } = evidence.files;
			if (graalLog.length === 0 && logCompilation.length + flightRecorder.length + printCompilation.length > 0) {
				this.opened.push(evidence);
				return evidence;
			}
			evidence.close();
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
		}
		return null;
	}

	private async openProfile(number: ExperimentNumber, kind: CompilationKind | null, profilePath: string): Promise<Profile> {
		const profile = await openProftoolProfile({ filePath: this.resolve(profilePath), name: profilePath });
		if (kind !== null && profile.kind !== kind) {
			throw new InputError({
				severity: 'error',
				file: profilePath,
				message: `mismatched experiment kind: expected a profile of ${kind} code for experiment ${number}, found one of ${profile.kind} code`,
				action: 'give the profile of the same run as the log, or use the command for this kind',
			});
		}
		return profile;
	}

	private resolve(filePath: string): string {
		return path.resolve(this.workingDirectory, filePath);
	}
}
