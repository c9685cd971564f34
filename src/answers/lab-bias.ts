/** How right each profiler is on a JVM: runs programs of which it is known where their time goes, and lays what every profiler says beside that. */
import fs from 'node:fs';
import path from 'node:path';
import { hasBroken, type LabProfiler, type LabTruth, labScenario } from '../bias/lab-accuracy.js';
import { behindLastDescription, nearestDebugInfo } from '../bias/nearest-debug-info.js';
import { observedProfile } from '../bias/observed.js';
import { predict } from '../bias/predict.js';
import type { Problem } from '../model/problem.js';
import type { Progress } from '../model/progress.js';
import { type Evidence, openEvidence } from '../recording/evidence.js';
import { type BiasLabRun, type LabProfile, runBiasLab } from '../recording/lab/run-bias-lab.js';
import { openObservedFile } from '../recording/observed-file.js';
import { biasRequests, logOfBranches, type OpenedBias } from './bias.js';
import { type LabBias, labBiasResult } from './lab-bias-result.js';
import { inLabFolder, type LabRequest } from './lab-request.js';
import type { LabBiasResult } from './results.js';
import type { Streamed } from './streamed.js';

interface LabProgram {
	readonly name: string;
	readonly title: string;
}

/** The classes of lab/BiasLab.java. */
export const LAB_PROGRAMS: readonly LabProgram[] = [
	{ name: 'S1Inline', title: 'three counted loops, inlined into one that polls' },
	{ name: 'S2Calls', title: 'the same three, called' },
	{ name: 'S3Gap', title: 'inlined work, then a cheap call' },
	{ name: 'S4Mixed', title: 'a counted loop without polls, a list with a poll each time' },
	{ name: 'S5Chain', title: 'a hot method that ends with a chain of cheap calls' },
	{ name: 'S6Long', title: 'a long index, and a stride that is no constant' },
	{ name: 'S7Objects', title: 'ordinary code: maps, strings, sorting. Beside perf, which leaves native code out, others count it for its caller' },
	{ name: 'S8Strip', title: 'inlined loops of many iterations: strip mining' },
	{ name: 'S9Calls', title: 'short methods of several classes, which have returned before the next poll' },
];

export interface LabBiasRequest extends LabRequest {
	/** Each is measured after as long a warm-up. */
	readonly scenarios: readonly LabProgram[];
}

export interface LabBiasAnswer {
	readonly lab: LabBias;
	/** Whether a profiler that is not biased by construction was far from the truth. */
	readonly isBroken: boolean;
	readonly problems: readonly Problem[];
	result(): Streamed<LabBiasResult>;
}

/** Throws an InputError when there is no JVM, no compiler, or the programs do not run. */
export async function answerLabBias(request: LabBiasRequest, progress: Progress): Promise<LabBiasAnswer> {
	const { scenarios, seconds } = request;
	return await inLabFolder(request, async (common) => {
		const run = await runBiasLab({
			...common,
			scenarios: scenarios.map(({ name }) => name),
			warmMs: Math.max(1000, Math.round(seconds * 1000)),
			measuredMs: Math.round(seconds * 1000),
			say: (line) => progress.report(`running ${scenarios.length} programs, ${seconds} s each: ${line}`),
		});
		progress.report('reading the profiles');
		const problems: Problem[] = [...run.problems];
		const lab = await measured(run, request, problems);
		return { lab, isBroken: lab.scenarios.some(hasBroken), problems, result: () => labBiasResult(lab) };
	});
}

interface Column {
	readonly name: string;
	readonly what: string;
	readonly isUnbiased: boolean;
	readonly isPredicted: boolean;
	readonly predicts?: string;
	sharesOf(thread: string): ReadonlyMap<string, number>;
	/** Of them those that the JVM itself calls biased. */
	biasedOf?(thread: string): ReadonlyMap<string, number>;
}

async function measured(run: BiasLabRun, { scenarios, seconds, javaOptions }: LabBiasRequest, problems: Problem[]): Promise<LabBias> {
	const evidence = run.recordingFolder === null ? null : await openEvidence([{ filePath: run.recordingFolder, name: 'recording' }], { details: 'threads' });
	try {
		const columns = await columnsOf(run, evidence, problems);
		const truths = readTruth(run.truthFile);
		return {
			javaPath: run.javaPath,
			version: run.version,
			javaOptions,
			seconds,
			profilers: columns.map(({ name, what }) => ({ name, what })),
			missing: run.missing,
			scenarios: scenarios.map((scenario) => measuredScenario(scenario, columns, truths)),
		};
	} finally {
		evidence?.close();
	}
}

function measuredScenario({ name, title }: LabProgram, columns: readonly Column[], truths: ReadonlyMap<string, LabTruth>): LabBias['scenarios'][number] {
	const profilers = columns.map(
		({ name: profiler, sharesOf, biasedOf, isPredicted, isUnbiased, predicts }): LabProfiler => ({
			name: profiler,
			isPredicted,
			isUnbiased,
			shares: sharesOf(name),
			...(predicts === undefined ? {} : { predicts }),
			...(biasedOf === undefined ? {} : { biased: biasedOf(name) }),
		}),
	);
	const sampled = profilers.find((profiler) => profiler.name === 'perf');
	const truth = truths.get(name) ?? (sampled === undefined ? null : { from: 'perf' as const, shares: sampled.shares });
	return { title, ...labScenario(name, truth, truth?.from === 'perf' ? profilers.filter((profiler) => profiler !== sampled) : profilers) };
}

/** perf, every profile that was written, then what is predicted of some. */
async function columnsOf(run: BiasLabRun, evidence: Evidence | null, problems: Problem[]): Promise<Column[]> {
	const columns: Column[] = [];
	const isCooperative = isCooperativeIn(run);
	let opened: ((thread: string) => OpenedBias) | null = null;
	if (evidence !== null) {
		const request = await biasRequests(await evidence.sampled(), await logOfBranches(evidence));
		const known = new Map<string, OpenedBias>();
		opened = (thread) => {
			const one = known.get(thread) ?? request({ thread, from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY });
			known.set(thread, one);
			return one;
		};
		const of = opened;
		columns.push({
			name: 'perf',
			what: 'perf with the printed code (assay)',
			isUnbiased: true,
			isPredicted: false,
			sharesOf: (thread) => of(thread).unbiased.byMethod,
		});
	}
	for (const profile of run.profiles) {
		columns.push(...(await observedColumns(profile, isCooperativeIn(run), problems)));
	}
	if (opened !== null) {
		const of = opened;
		const inputOf = (thread: string): OpenedBias['input'] | null => (of(thread).input.sampled.length > 0 ? of(thread).input : null);
		columns.push({
			name: 'pred',
			what: 'what assay predicts of thread dumps, from perf and code (docs/bias-reference.md)',
			isUnbiased: false,
			isPredicted: true,
			predicts: 'dumps',
			sharesOf: (thread) => {
				const input = inputOf(thread);
				return input === null ? new Map() : predict(input).blame.byMethod;
			},
		});
		columns.push({
			name: 'near',
			what: 'what it predicts of JFR-, from the nearest debug information',
			isUnbiased: false,
			isPredicted: true,
			predicts: 'JFR-',
			sharesOf: (thread) => {
				const input = inputOf(thread);
				return input === null ? new Map() : nearestOfJfr(input, isCooperative);
			},
		});
	}
	return columns;
}

/** Of what is described behind no more, JFR shows the next poll (cooperative sampling, JDK 25) or nothing. */
function nearestOfJfr(input: OpenedBias['input'], isCooperative: boolean): Map<string, number> {
	const behind = behindLastDescription(input.sampled);
	const described = input.sampled.map((row, i) => ({ ...row, counts: row.counts.map((count, at) => count - (behind[i]?.counts[at] ?? 0)) }));
	const shares = nearestDebugInfo(described).blame.byMethod;
	for (const [method, amount] of isCooperative ? predict(input).blameOf(behind).byMethod : []) {
		shares.set(method, (shares.get(method) ?? 0) + amount);
	}
	return shares;
}

/** One for each kind of samples in a file. */
async function observedColumns({ sampler, isDescribed, file }: LabProfile, isCooperative: boolean, problems: Problem[]): Promise<Column[]> {
	const { file: opened, problems: found } = await openObservedFile(file, path.basename(file));
	problems.push(...found);
	if (opened === null) {
		return [];
	}
	return opened.kinds
		.filter(({ kind }) => kind !== 'native')
		.map((kind) => {
			const isCpu = kind.kind === 'cpu';
			const name = sampler === 'JFR' ? `${isCpu ? 'cpu' : 'JFR'}${isDescribed ? '' : '-'}` : sampler === 'thread dumps' ? 'dumps' : 'async';
			return {
				name,
				what: describe(sampler, isDescribed, isCpu, isCooperative),
				isUnbiased: sampler !== 'thread dumps' && isDescribed,
				isPredicted: false,
				sharesOf: (thread: string) => observedProfile(opened, kind, { thread, window: null }).blame.byMethod,
				...(isCpu ? { biasedOf: (thread: string) => observedProfile(opened, kind, { thread, window: null }).biasedByMethod } : {}),
			};
		});
}

/** JFR's cooperative sampling: JEP 518. */
function isCooperativeIn({ version }: BiasLabRun): boolean {
	return Number.parseInt(version ?? '0', 10) >= 25;
}

function describe(sampler: LabProfile['sampler'], isDescribed: boolean, isCpu: boolean, isCooperative: boolean): string {
	switch (sampler) {
		case 'JFR':
			return isDescribed
				? `Flight Recorder, ${isCpu ? 'jdk.CPUTimeSample (JEP 509)' : `jdk.ExecutionSample${isCooperative ? ' (JEP 518)' : ''}`}, with -XX:+DebugNonSafepoints`
				: `${isCpu ? 'jdk.CPUTimeSample' : 'jdk.ExecutionSample'} without that flag: as the JVM comes`;
		case 'thread dumps':
			return 'Thread.getAllStackTraces in the same JVM';
		case 'async-profiler':
			return 'async-profiler, ctimer, agent loaded at start';
	}
}

/** `S1Inline	S1Inline.inlineMost	650.000000	steps` */
function readTruth(file: string): Map<string, LabTruth> {
	const result = new Map<string, { from: LabTruth['from']; shares: Map<string, number> }>();
	for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
		const [scenario, method, weight, from] = line.trimEnd().split('\t');
		if (scenario === undefined || method === undefined || weight === undefined) {
			continue;
		}
		const truth = result.get(scenario) ?? { from: from === 'timed' ? 'timed' : 'steps', shares: new Map<string, number>() };
		truth.shares.set(method, Number(weight));
		result.set(scenario, truth);
	}
	return result;
}
