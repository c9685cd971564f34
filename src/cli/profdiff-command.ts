/** `assay profdiff`: Graal's profdiff, command for command. Strict as the reference is: the first unreadable input ends it with exit status 1. */
import path from 'node:path';
import { GRAAL_PHASES } from '../answers/graal-phases.js';
import { VERSION } from '../answers/version.js';
import type { CompilationKind } from '../model/compilation.js';
import { InputError } from '../model/problem.js';
import type { Profile } from '../model/profile.js';
import { createExperiment, type Experiment, type ExperimentNumber, withMethods } from '../profdiff/experiment.js';
import { type HotUnits, methodsIn, selectHotUnits, selectUnitsOf } from '../profdiff/hot.js';
import type { ProfdiffOptions } from '../profdiff/options.js';
import { runComparison, runReport } from '../profdiff/run.js';
import { summarize } from '../profdiff/summary.js';
import { TreeCache } from '../profdiff/tree-cache.js';
import { type Evidence, openEvidence } from '../recording/evidence.js';
import { openOptimizationLog } from '../recording/optimization-log.js';
import { openProftoolProfile } from '../recording/proftool-profile.js';
import { beginEnvelope, endEnvelope } from '../render/envelope.js';
import { jsonOutput, type ProfdiffOutput, textOutput } from '../render/profdiff-output.js';
import { TextWriter } from '../render/text-writer.js';
import { visible } from '../render/visible.js';
import type { CommandIo } from './io.js';
import { ArgumentError, COMMANDS, type ProfdiffArguments, parseProfdiffArguments } from './profdiff-arguments.js';
import { commandHelp, explanation, generalHelp, unknownCommandHelp } from './profdiff-help.js';

/** Runs the command; the result is the exit status. */
export async function profdiffCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	// Into a file or pipe goes what the reference prints; a terminal gets no control characters out of method names.
	const writer = new TextWriter((block) => io.out(io.isTerminal ? visible(block, false) : block));
	let args: ProfdiffArguments;
	try {
		args = parseProfdiffArguments(argv);
	} catch (error) {
		if (!(error instanceof ArgumentError)) {
			throw error;
		}
		if (argv.includes('--json')) {
			const problem = { severity: 'error', file: 'command line', message: error.message, action: 'see assay profdiff help' } as const;
			endEnvelope(beginEnvelope(writer, VERSION, 'profdiff'), writer, [problem]);
			writer.flush();
			io.err(`${error.message}\n`);
		} else {
			io.err(`${error.message}\n${generalHelp()}\n`);
		}
		return 1;
	}
	if (args.command.name === 'help') {
		return help(args, io, writer);
	}
	const output = createOutput(args, io, writer);
	try {
		await new Run(args, output, io).run();
		output.end(null);
		return 0;
	} catch (error) {
		if (!(error instanceof InputError)) {
			writer.flush();
			throw error;
		}
		output.end(error.problem);
		return 1;
	}
}

function createOutput({ command, options, json, positionals }: ProfdiffArguments, io: CommandIo, writer: TextWriter): ProfdiffOutput {
	const fail = (message: string): void => io.err(`${message}\n`);
	if (json) {
		return jsonOutput(writer, VERSION, `profdiff ${command.name}`, options, fail);
	}
	const isReport = command.name === 'report';
	const layout = {
		explanation: explanation(options, !isReport, !isReport || positionals.length > 1),
		emptyLineAfterExplanation: command.name !== 'aot-vs-aot',
		emptyLineBeforeSections: !isReport,
	};
	return textOutput(writer, options, layout, fail);
}

function help({ positionals, json }: ProfdiffArguments, io: CommandIo, writer: TextWriter): number {
	const [name] = positionals;
	const command = COMMANDS.find((candidate) => candidate.name === name);
	const isUnknown = name !== undefined && command === undefined;
	const text = isUnknown ? unknownCommandHelp(name) : command === undefined ? generalHelp() : commandHelp(command);
	if (json) {
		const envelope = beginEnvelope(writer, VERSION, 'profdiff help');
		envelope.field('help', text);
		endEnvelope(envelope, writer, []);
		writer.flush();
	} else if (isUnknown) {
		io.err(text);
	} else {
		io.out(`${text}\n`);
	}
	return 0;
}

class Run {
	private readonly args: ProfdiffArguments;
	private readonly options: ProfdiffOptions;
	private readonly output: ProfdiffOutput;
	private readonly io: CommandIo;
	/** A report looks at each compilation once. */
	private readonly kept: TreeCache | null;

	constructor(args: ProfdiffArguments, output: ProfdiffOutput, io: CommandIo) {
		this.args = args;
		this.options = args.options;
		this.output = output;
		this.io = io;
		this.kept = args.command.name === 'report' ? null : new TreeCache();
	}

	async run(): Promise<void> {
		const { command, positionals } = this.args;
		const [first = '', second, third = '', fourth] = positionals;
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
		const experiment = await this.open(1, null, log, profile);
		const hot = selectHotUnits(experiment, this.options);
		this.output.experiment(summarize(experiment, hot));
		runReport(experiment, hot, this.options, GRAAL_PHASES, this.output.beginSections([experiment]));
	}

	private async compareProfiled(
		leftKind: CompilationKind,
		leftLog: string,
		leftProfile: string | undefined,
		rightKind: CompilationKind,
		rightLog: string,
		rightProfile: string | undefined,
	): Promise<void> {
		const left = await this.open(1, leftKind, leftLog, leftProfile);
		const leftHot = selectHotUnits(left, this.options);
		this.output.experiment(summarize(left, leftHot));
		const right = await this.open(2, rightKind, rightLog, rightProfile);
		const ownHot: HotUnits = right.profile === null ? new Set() : selectHotUnits(right, this.options);
		this.output.experiment(summarize(right, ownHot));
		if (right.profile !== null) {
			this.compare(left, right, new Set([...leftHot, ...ownHot]));
			return;
		}
		const hotMethods = methodsIn(left, leftHot);
		this.compare(left, withMethods(right, hotMethods), new Set([...leftHot, ...selectUnitsOf(right, hotMethods)]));
	}

	private async compareImages(jitLog: string, jitProfile: string | undefined, leftLog: string, rightLog: string): Promise<void> {
		const source = await this.open(0, 'JIT', jitLog, jitProfile);
		const sourceHot = selectHotUnits(source, this.options);
		this.output.experiment(summarize(source, sourceHot));
		const left = await this.open(1, 'AOT', leftLog, undefined);
		this.output.experiment(summarize(left, new Set()));
		const right = await this.open(2, 'AOT', rightLog, undefined);
		this.output.experiment(summarize(right, new Set()));
		const hotMethods = methodsIn(source, sourceHot);
		const hot = new Set([...selectUnitsOf(left, hotMethods), ...selectUnitsOf(right, hotMethods)]);
		this.compare(withMethods(left, hotMethods), withMethods(right, hotMethods), hot);
	}

	private compare(left: Experiment, right: Experiment, hot: HotUnits): void {
		runComparison(left, right, hot, this.options, GRAAL_PHASES, this.output.beginSections([left, right]));
	}

	/** Of a recording of HotSpot the samples beside the log are the profile, if no other is given. */
	private async openHotspot(number: ExperimentNumber, evidence: Evidence, profile: string | undefined): Promise<Experiment> {
		const { openHotspotExperiment } = await import('../answers/hotspot-experiment.js');
		const { experiment, problems } = await openHotspotExperiment(number, evidence, { workingDirectory: this.io.workingDirectory, profile, kept: this.kept });
		for (const problem of problems) {
			this.output.warning(problem);
		}
		return experiment;
	}

	/** Opens a log and its profile. `kind` is what the command expects; null takes either. */
	private async open(number: ExperimentNumber, kind: CompilationKind | null, logPath: string, profilePath: string | undefined): Promise<Experiment> {
		const hotspot = await this.hotspotEvidence(logPath);
		if (hotspot !== null) {
			return this.openHotspot(number, hotspot, profilePath);
		}
		const log = await openOptimizationLog(this.resolve(logPath), {
			name: logPath,
			unitOffsets: 'reference',
			onProblem: (problem) => {
				if ('isFatalToReference' in problem && problem.isFatalToReference) {
					throw new InputError(problem);
				}
				this.output.warning(problem);
			},
		});
		const profile = profilePath === undefined ? null : await this.openProfile(number, kind, profilePath);
		const experiment = createExperiment(number, log.compilations, profile, kind, this.kept);
		for (const compileId of experiment.unknownCompileIds) {
			this.output.warning({
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

	/** null: no log of HotSpot's compilers lies there, or one of Graal; or nothing that can be read, of which the reader of Graal's logs will tell. */
	private async hotspotEvidence(logPath: string): Promise<Evidence | null> {
		try {
			const evidence = await openEvidence([{ filePath: this.resolve(logPath), name: logPath }]);
			const { graalLog, logCompilation, printCompilation } = evidence.files;
			if (graalLog.length === 0 && logCompilation.length + printCompilation.length > 0) {
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
		return path.resolve(this.io.workingDirectory, filePath);
	}
}
