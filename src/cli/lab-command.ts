/** `assay lab bias`: how right each profiler is on this JVM, on programs of which it is known where their time goes. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { biasRequests, type OpenedBias } from '../answers/bias.js';
import { VERSION } from '../answers/version.js';
import { hasBroken, type LabProfiler, type LabTruth, labScenario } from '../bias/lab-accuracy.js';
import { behindLastDescription, nearestDebugInfo } from '../bias/nearest-debug-info.js';
import { observedProfile } from '../bias/observed.js';
import { predict } from '../bias/predict.js';
import { formatProblem, InputError, type Problem, UsageError } from '../model/problem.js';
import { openEvidence } from '../recording/evidence.js';
import { type BiasLabRun, type LabProfile, runBiasLab } from '../recording/lab/run-bias-lab.js';
import { openObservedFile } from '../recording/observed-file.js';
import { beginEnvelope, endEnvelope } from '../render/envelope.js';
import { type LabView, writeLabJson, writeLabText } from '../render/lab-text.js';
import { createTerminal } from '../render/terminal.js';
import { TextWriter } from '../render/text-writer.js';
import { visible } from '../render/visible.js';
import type { CommandIo } from './io.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions } from './options.js';
import { writeProblems } from './problems.js';
import { createProgress } from './progress.js';

/** The classes of lab/BiasLab.java. */
const SCENARIOS: readonly { readonly name: string; readonly title: string }[] = [
	{ name: 'S1Inline', title: 'three counted loops, inlined into one that polls' },
	{ name: 'S2Calls', title: 'the same three, called' },
	{ name: 'S3Gap', title: 'inlined work, then a cheap call' },
	{ name: 'S4Mixed', title: 'a counted loop without polls, a list with a poll each time' },
	{ name: 'S5Chain', title: 'a hot method that ends with a chain of cheap calls' },
	{ name: 'S6Long', title: 'a long index, and a stride that is no constant' },
	{ name: 'S7Objects', title: 'ordinary code: maps, strings, sorting. Beside perf, which leaves native code out, others count it for its caller' },
	{ name: 'S8Strip', title: 'inlined loops of many iterations: strip mining' },
];

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'java', value: 'HOME', help: "a JDK's folder or its java (JAVA_HOME, else PATH)" },
	{ name: 'only', value: 'S1,S3', help: 'these programs, by number or name' },
	{ name: 'seconds', value: 'N', help: 'how long each is measured (2), after as long a warm-up;\nall run twice' },
	{ name: 'keep', value: 'DIR', help: 'keep recordings and profiles in this folder' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

const LAB_HELP = `usage: assay lab bias [options] [-- JVM options]

Runs programs of which it is known where their time goes, under your JVM and
with every profiler that is there: perf with the printed code, Flight Recorder
(with and without -XX:+DebugNonSafepoints; CPU-time samples on JDK 25),
async-profiler, thread dumps. Prints how far each is from the truth, who is
blamed wrongly, and how well assay predicts the biased ones. It needs a JDK,
which compiles the programs; what else is missing is said.

options:
${describeOptions(OPTIONS)}

example:
  assay lab bias --only S1,S4 --seconds 1 -- -XX:+UseSerialGC

exit status: 0 measured, 1 a profiler that is not biased by construction was far
from the truth, 2 wrong use, 3 it cannot run
`;

const COMMAND = 'lab bias';

export async function labCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const [what, ...rest] = argv;
	const end = rest.indexOf('--');
	const javaOptions = end < 0 ? [] : rest.slice(end + 1);
	const parsed = parseOptions(what === 'bias' ? rest.slice(0, end < 0 ? rest.length : end) : argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(LAB_HELP);
		return 0;
	}
	if (what !== 'bias' || parsed.positionals.length > 0) {
		throw new UsageError('expected: assay lab bias [options]');
	}
	const chosen = chosenScenarios(parsed.value('only'));
	const seconds = secondsOf(parsed);
	const writer = new TextWriter((block) => io.out(block));
	const progress = createProgress(io);
	const keep = parsed.value('keep');
	const folder = keep === undefined ? fs.mkdtempSync(path.join(os.tmpdir(), 'assay-lab-')) : emptyFolder(path.resolve(io.workingDirectory, keep), keep);
	try {
		const run = await runBiasLab({
			java: parsed.value('java') ?? null,
			scenarios: chosen.map(({ name }) => name),
			warmMs: Math.max(1000, Math.round(seconds * 1000)),
			measuredMs: Math.round(seconds * 1000),
			javaOptions,
			workingDirectory: io.workingDirectory,
			environment: process.env,
			assayVersion: VERSION,
			folder,
			labFolder: labFolder(),
			say: (line) => progress.report(`running ${chosen.length} programs, ${seconds} s each: ${line}`),
		});
		progress.report('reading the profiles');
		const problems: Problem[] = [...run.problems];
		const view = await labView(run, chosen, seconds, javaOptions, problems);
		progress.end();
		if (parsed.isSet('json')) {
			const json = beginEnvelope(writer, VERSION, COMMAND);
			writeLabJson(json, view);
			endEnvelope(json, writer, problems);
		} else {
			writeProblems(problems, io);
			writeLabText(writer, view, createTerminal(io.isTerminal ? (io.columns ?? 80) : 80, io.hasColour ?? false));
		}
		writer.flush();
		return view.scenarios.some(hasBroken) ? 1 : 0;
	} catch (error) {
		progress.end();
		if (!(error instanceof InputError)) {
			throw error;
		}
		if (parsed.isSet('json')) {
			endEnvelope(beginEnvelope(writer, VERSION, COMMAND), writer, [error.problem]);
			writer.flush();
		}
		io.err(`assay ${COMMAND}: ${visible(formatProblem(error.problem))}\n`);
		return 3;
	} finally {
		if (keep === undefined) {
			fs.rmSync(folder, { recursive: true, force: true });
		}
	}
}

function chosenScenarios(only: string | undefined): typeof SCENARIOS {
	if (only === undefined) {
		return SCENARIOS;
	}
	return only.split(',').map((wanted) => {
		const found = SCENARIOS.find(({ name }) => name === wanted || name.slice(0, 2) === wanted.toUpperCase());
		if (found === undefined) {
			throw new UsageError(`--only takes ${SCENARIOS.map(({ name }) => name).join(', ')} or their numbers, not "${wanted}"`);
		}
		return found;
	});
}

function secondsOf(parsed: ParsedOptions): number {
	const text = parsed.value('seconds') ?? '2';
	if (!/^\d{1,4}(?:\.\d{1,3})?$/.test(text) || Number(text) < 0.2) {
		throw new UsageError(`--seconds takes seconds from 0.2 on, not "${text}"`);
	}
	return Number(text);
}

function emptyFolder(folder: string, name: string): string {
	fs.mkdirSync(folder, { recursive: true });
	if (fs.readdirSync(folder).length > 0) {
		throw new UsageError(`--keep ${name}: the folder holds something already`);
	}
	return folder;
}

/** lab/ lies at the root of the package, above the bundle and above the sources. */
function labFolder(): string {
	for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
		const lab = path.join(folder, 'lab');
		if (fs.existsSync(path.join(lab, 'BiasLab.java')) || folder === path.dirname(folder)) {
			return lab;
		}
	}
}

interface Column {
	readonly name: string;
	readonly what: string;
	readonly isUnbiased: boolean;
	readonly isPredicted: boolean;
	readonly predicts?: string;
	sharesOf(thread: string): ReadonlyMap<string, number>;
}

async function labView(run: BiasLabRun, chosen: typeof SCENARIOS, seconds: number, javaOptions: readonly string[], problems: Problem[]): Promise<LabView> {
	const columns: Column[] = [];
	const isCooperative = Number.parseInt(run.version ?? '0', 10) >= 25;
	let opened: ((thread: string) => OpenedBias) | null = null;
	if (run.recordingFolder !== null) {
		const evidence = await openEvidence([{ filePath: run.recordingFolder, name: 'recording' }], { details: 'threads' });
		const request = await biasRequests(await evidence.sampled());
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
		columns.push(...(await observedColumns(profile, problems)));
	}
	if (opened !== null) {
		const of = opened;
		const inputOf = (thread: string): OpenedBias['input'] | null => (of(thread).input.sampled.length > 0 ? of(thread).input : null);
		columns.push({
			name: 'pred',
			what: 'what assay predicts of thread dumps, from perf and code (docs/bias.md)',
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
	const truths = readTruth(run.truthFile);
	return {
		javaPath: run.javaPath,
		version: run.version,
		javaOptions,
		seconds,
		profilers: columns.map(({ name, what }) => ({ name, what })),
		missing: run.missing,
		scenarios: chosen.map(({ name, title }) => {
			const profilers = columns.map(
				({ name: profiler, sharesOf, isPredicted, isUnbiased, predicts }): LabProfiler => ({
					name: profiler,
					isPredicted,
					isUnbiased,
					shares: sharesOf(name),
					...(predicts === undefined ? {} : { predicts }),
				}),
			);
			const sampled = profilers.find((profiler) => profiler.name === 'perf');
			const truth = truths.get(name) ?? (sampled === undefined ? null : { from: 'perf' as const, shares: sampled.shares });
			return { title, ...labScenario(name, truth, truth?.from === 'perf' ? profilers.filter((profiler) => profiler !== sampled) : profilers) };
		}),
	};
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
async function observedColumns({ sampler, isDescribed, file }: LabProfile, problems: Problem[]): Promise<Column[]> {
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
				what: describe(sampler, isDescribed, isCpu),
				isUnbiased: sampler !== 'thread dumps' && isDescribed,
				isPredicted: false,
				sharesOf: (thread: string) => observedProfile(opened, kind, { thread, window: null }).blame.byMethod,
			};
		});
}

function describe(sampler: LabProfile['sampler'], isDescribed: boolean, isCpu: boolean): string {
	switch (sampler) {
		case 'JFR':
			return isDescribed
				? `Flight Recorder, ${isCpu ? 'jdk.CPUTimeSample' : 'jdk.ExecutionSample'}, with -XX:+DebugNonSafepoints`
				: `the same without that flag: as the JVM comes`;
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
