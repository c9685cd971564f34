/** `assay profdiff`: Graal's profdiff, command for command. Strict as the reference is: the first unreadable input ends it with exit status 1. */
import path from 'node:path';
import { GRAAL_DETAILED_PHASES, GRAAL_UNORDERED_PHASES } from '../formats/graal-optimization-log/phases.js';
import { readProftoolProfile } from '../formats/proftool-profile/read.js';
import type { CompilationKind } from '../model/compilation.js';
import { formatProblem, InputError, type Problem } from '../model/problem.js';
import type { Profile } from '../model/profile.js';
import { deltaLines } from '../profdiff/delta-tree.js';
import { byPeriod, createExperiment, type Experiment, type ExperimentNumber, withMethods } from '../profdiff/experiment.js';
import { type HotUnits, methodsIn, selectHotUnits, selectUnitsOf } from '../profdiff/hot.js';
import type { PhaseKnowledge, ProfdiffOptions } from '../profdiff/options.js';
import { runComparison, runReport } from '../profdiff/run.js';
import { TreeCache } from '../profdiff/tree-cache.js';
import { openFile } from '../recording/file-source.js';
import { openOptimizationLog } from '../recording/optimization-log.js';
import { ProfdiffText, writeExperimentSummary } from '../report/profdiff-text.js';
import { TextWriter } from '../report/text-writer.js';
import type { CommandIo } from './io.js';
import { ArgumentError, COMMANDS, type ProfdiffArguments, parseProfdiffArguments } from './profdiff-arguments.js';
import { commandHelp, explanation, generalHelp, unknownCommandHelp } from './profdiff-help.js';

const GRAAL_PHASES: PhaseKnowledge = { detailed: GRAAL_DETAILED_PHASES, unordered: GRAAL_UNORDERED_PHASES };

/** Runs the command; the result is the exit status. */
export async function profdiffCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	let args: ProfdiffArguments;
	try {
		args = parseProfdiffArguments(argv);
	} catch (error) {
		if (error instanceof ArgumentError) {
			io.err(`${error.message}\n${generalHelp()}\n`);
			return 1;
		}
		throw error;
	}
	if (args.command.name === 'help') {
		return help(args.positionals[0], io);
	}
	const writer = new TextWriter((block) => io.out(block));
	try {
		await new Run(args, writer, io).run();
		return 0;
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		writer.flush();
		io.err(`${error.message}\n`);
		return 1;
	} finally {
		writer.flush();
	}
}

function help(commandName: string | undefined, io: CommandIo): number {
	const command = COMMANDS.find((candidate) => candidate.name === commandName);
	if (commandName === undefined) {
		io.out(`${generalHelp()}\n`);
	} else if (command === undefined) {
		io.err(`${unknownCommandHelp(commandName)}`);
	} else {
		io.out(`${commandHelp(command)}\n`);
	}
	return 0;
}

class Run {
	private readonly args: ProfdiffArguments;
	private readonly options: ProfdiffOptions;
	private readonly writer: TextWriter;
	private readonly io: CommandIo;
	/** A report looks at each compilation once. */
	private readonly kept: TreeCache | null;

	constructor(args: ProfdiffArguments, writer: TextWriter, io: CommandIo) {
		this.args = args;
		this.options = args.options;
		this.writer = writer;
		this.io = io;
		this.kept = args.command.name === 'report' ? null : new TreeCache();
	}

	async run(): Promise<void> {
		const { command, positionals } = this.args;
		const [first = '', second, third = '', fourth] = positionals;
		this.writer.raw(explanation(this.options, command.name !== 'report'));
		switch (command.name) {
			case 'report':
				return this.report(first, second);
			case 'jit-vs-jit':
				return this.compareProfiled('JIT', first, second, 'JIT', third, fourth);
			case 'jit-vs-aot':
				return this.compareProfiled('JIT', first, second, 'AOT', third, fourth);
			case 'aot-vs-aot':
				return this.compareProfiled('AOT', first, second, 'AOT', third, fourth);
			case 'aot-vs-aot-jit-profile':
				return this.compareImages(first, second, third, fourth ?? '');
			case 'help':
				return;
		}
	}

	private async report(log: string, profile: string | undefined): Promise<void> {
		this.writer.line(0, '');
		const experiment = await this.open(1, null, log, profile);
		const hot = selectHotUnits(experiment, this.options);
		this.summary(experiment, hot);
		runReport(experiment, hot, this.options, GRAAL_PHASES, this.text([experiment]));
	}

	private async compareProfiled(
		leftKind: CompilationKind,
		leftLog: string,
		leftProfile: string | undefined,
		rightKind: CompilationKind,
		rightLog: string,
		rightProfile: string | undefined,
	): Promise<void> {
		// The reference leaves no line after its explanation here.
		if (leftKind === 'JIT') {
			this.writer.line(0, '');
		}
		const left = await this.open(1, leftKind, leftLog, leftProfile);
		const leftHot = selectHotUnits(left, this.options);
		this.summary(left, leftHot);
		this.writer.line(0, '');
		const right = await this.open(2, rightKind, rightLog, rightProfile);
		const ownHot: HotUnits = right.profile === null ? new Set() : selectHotUnits(right, this.options);
		this.summary(right, ownHot);
		this.writer.line(0, '');
		if (right.profile !== null) {
			this.compare(left, right, new Set([...leftHot, ...ownHot]));
			return;
		}
		const hotMethods = methodsIn(left, leftHot);
		this.compare(left, withMethods(right, hotMethods), new Set([...leftHot, ...selectUnitsOf(right, hotMethods)]));
	}

	private async compareImages(jitLog: string, jitProfile: string | undefined, leftLog: string, rightLog: string): Promise<void> {
		this.writer.line(0, '');
		const source = await this.open(0, 'JIT', jitLog, jitProfile);
		const sourceHot = selectHotUnits(source, this.options);
		this.summary(source, sourceHot);
		this.writer.line(0, '');
		const left = await this.open(1, 'AOT', leftLog, undefined);
		this.summary(left, new Set());
		this.writer.line(0, '');
		const right = await this.open(2, 'AOT', rightLog, undefined);
		this.summary(right, new Set());
		this.writer.line(0, '');
		const hotMethods = methodsIn(source, sourceHot);
		const hot = new Set([...selectUnitsOf(left, hotMethods), ...selectUnitsOf(right, hotMethods)]);
		this.compare(withMethods(left, hotMethods), withMethods(right, hotMethods), hot);
	}

	private compare(left: Experiment, right: Experiment, hot: HotUnits): void {
		runComparison(left, right, hot, this.options, GRAAL_PHASES, this.text([left, right]));
	}

	private text(experiments: readonly Experiment[]): ProfdiffText {
		return new ProfdiffText(this.writer, { options: this.options, experiments, deltaLines, byPeriod });
	}

	private summary(experiment: Experiment, hot: HotUnits): void {
		writeExperimentSummary(this.writer, experiment, hot, byPeriod);
	}

	/** Opens a log and its profile. `kind` is what the command expects; null takes either. */
	private async open(number: ExperimentNumber, kind: CompilationKind | null, logPath: string, profilePath: string | undefined): Promise<Experiment> {
		const log = await openOptimizationLog(this.resolve(logPath), { name: logPath, unitOffsets: 'reference' });
		for (const problem of log.problems) {
			if ('isFatalToReference' in problem && problem.isFatalToReference) {
				throw new InputError(problem);
			}
			this.warn(formatProblem(problem));
		}
		const profile = profilePath === undefined ? null : await this.openProfile(number, kind, profilePath);
		const experiment = createExperiment(number, log.compilations, profile, kind, this.kept);
		for (const compileId of experiment.unknownCompileIds) {
			this.warn(`the profile ${profilePath} has compilation ${compileId} at the top tier, the log ${logPath} has not; its period is not counted as Graal's`);
		}
		const malformed = log.malformedNames[0] as Problem | undefined;
		if (malformed !== undefined) {
			throw new InputError(malformed);
		}
		return experiment;
	}

	private async openProfile(number: ExperimentNumber, kind: CompilationKind | null, profilePath: string): Promise<Profile> {
		const { source } = await openFile(this.resolve(profilePath), profilePath);
		try {
			const profile = readProftoolProfile(source);
			if (kind !== null && profile.kind !== kind) {
				throw new InputError({
					severity: 'error',
					file: profilePath,
					message: `mismatched experiment kind: expected a profile of ${kind} code for experiment ${number}, found one of ${profile.kind} code`,
					action: 'give the profile of the same run as the log, or use the command for this kind',
				});
			}
			return profile;
		} finally {
			source.close();
		}
	}

	private warn(text: string): void {
		this.writer.line(0, `Warning: ${text}`);
	}

	private resolve(filePath: string): string {
		return path.resolve(this.io.workingDirectory, filePath);
	}
}
