/**
 * The evidence of one recording, opened once for all who ask: commands, sections of a report, the page, the library. Each kind is read when it is first asked
 * for, and kept.
 */
import path from 'node:path';
import type { Format } from '../formats/format.js';
import { FORMATS } from '../formats/registry.js';
import type { FileKind } from '../model/evidence.js';
import { InputError, type Problem } from '../model/problem.js';
import type { DetailsWanted } from '../model/samples.js';
import { type CompilationLog, findCompilationLog, openCompilationLog, type RecordedPart } from './compilation-log.js';
import { type EvidenceFile, type FoundEvidence, findEvidence } from './find-evidence.js';
import { withGraalDecisions } from './graal-decisions.js';
import type { LogFile } from './log-file.js';
import { type MemoryRecording, openMemoryRecording } from './memory-recording.js';
import { openNativeNames } from './native-names.js';
import { type OpenedObservedFile, openObserved } from './observed-file.js';
import { openRecording, type Recording, SAMPLES_MISSING } from './open-recording.js';
import { type OptimizationLog, openOptimizationLogFiles } from './optimization-log.js';
import { type RecordedRemarks, readRemarkFiles } from './remark-files.js';
import { remarkLog } from './remark-log.js';
import { type ChosenSamples, chooseSamplesOf } from './sampled-process.js';

/** Which JVM is meant, and what is read of samples. */
export interface EvidenceOptions {
	/** Chooses among several JVMs; null: the only one, or the one that was sampled. */
	readonly processId?: number | null;
	/** What is read of samples beside their times and addresses; `none` where it is left out. */
	readonly details?: DetailsWanted;
	/** Whether safepoints are read; with details they are, where this is left out. */
	readonly withSafepoints?: boolean;
	/** The formats that are known; others are for tests. */
	readonly formats?: readonly Format[];
}

/** Throws an {@link InputError} when a path that was named cannot be read; what is in the files never makes it throw. */
export async function openEvidence(paths: readonly LogFile[], options: EvidenceOptions = {}): Promise<Evidence> {
	return new Evidence(await findEvidence(paths, options.formats ?? FORMATS), options);
}

/** Files by kind, each opened once; what is read of them is kept. Close it when nothing is read any more. */
export class Evidence {
	private found: FoundEvidence;
	/** The process that was asked for; null: none. */
	readonly requestedProcess: number | null;
	private readonly details: DetailsWanted;
	private readonly withSafepoints: boolean;
	private readonly kept = new Map<string, Promise<unknown>>();

	constructor(found: FoundEvidence, { processId = null, details = 'none', withSafepoints = details !== 'none' }: EvidenceOptions) {
		this.found = found;
		this.requestedProcess = processId;
		this.details = details;
		this.withSafepoints = withSafepoints;
	}

	/** The paths as the user named them. */
	get name(): string {
		return this.found.name;
	}

	/** The folders and files themselves. */
	get paths(): FoundEvidence['paths'] {
		return this.found.paths;
	}

	/** Every file, of all JVMs. */
	get all(): FoundEvidence['all'] {
		return this.found.all;
	}

	get files(): FoundEvidence['files'] {
		return this.found.files;
	}

	get processIds(): readonly number[] {
		return this.found.processIds;
	}

	/** Of the finding; those of the reading are with what was read. */
	get problems(): readonly Problem[] {
		return this.found.problems;
	}

	/** Samples that turned out to be something else, by the names of their files. */
	leaveOutSamples(names: ReadonlySet<string>): void {
		const { files } = this.found;
		this.found = { ...this.found, files: { ...files, samples: files.samples.filter(({ name }) => !names.has(name)) } };
	}

	/** The JVM that is meant: its samples, and files without those of other JVMs. Throws an {@link InputError} that lists them when nothing chooses. */
	chosen(): Promise<ChosenSamples> {
		return this.once('chosen', () => chooseSamplesOf(this.found, this.requestedProcess));
	}

	/** Samples, code and safepoints of the chosen JVM, these of Flight Recorder, too; null where no file holds any of these. */
	recording(): Promise<Recording | null> {
		return this.once('recording', async () => {
			const { found, samples, processId } = await this.chosen();
			const { assembly, agentLog, jitdump, perfMap, safepoints, flightRecorder } = found.files;
			const isOfRecorder = samples.length + assembly.length + agentLog.length + jitdump.length + perfMap.length + safepoints.length === 0;
			if (isOfRecorder && (flightRecorder.length === 0 || !this.withSafepoints)) {
				return null;
			}
			const recording = await openRecording(found, samples, processId, {
				details: this.details,
				withSafepoints: this.withSafepoints,
				observed: (file) => this.observed(file, false),
				remarks: await this.remarks(),
			});
			return isOfRecorder && recording.safepoints === null ? null : recording;
		});
	}

	/** Of a native program; null where a JVM tells of its compilations, or no file has remarks. */
	private remarkLog(): Promise<CompilationLog | null> {
		return this.once('remarkLog', async () => {
			const { remarks, logCompilation, flightRecorder, printCompilation } = this.found.files;
			return remarks.length === 0 || logCompilation.length + flightRecorder.length + printCompilation.length > 0
				? null
				: remarkLog(await this.remarks(), await openNativeNames(), 'llvm');
		});
	}

	/** Optimization remarks of all files; none where there are none. */
	remarks(): Promise<RecordedRemarks> {
		return this.once('remarks', () => readRemarkFiles(this.found.files.remarks));
	}

	/** The same; throws an {@link InputError} without samples. */
	async sampled(): Promise<Recording> {
		this.refuseStrangers();
		const { samples } = await this.chosen();
		const recording = samples.length === 0 ? null : await this.recording();
		if (recording === null) {
			const stacked =
				samples.length > 0 ? undefined : this.found.all.find(({ isNamed, formats }) => isNamed && formats.some(({ name }) => name === 'flight-recording'));
			const why = stacked === undefined ? { file: this.name, message: SAMPLES_MISSING, action: SAMPLES_WANTED } : { file: stacked.name, ...WITHOUT_ADDRESSES };
			throw this.withUnreadable(new InputError({ severity: 'error', ...why }));
		}
		return recording;
	}

	/** Throws an {@link InputError} when no file tells of compilations. */
	compilationLog(part: RecordedPart = 'compilers'): Promise<CompilationLog> {
		return this.once(`compilationLog ${part}`, async () => {
			const chosen = await this.chosenOrAll();
			const remarked = await this.remarkLog();
			return (
				remarked ??
				openCompilationLog({ ...chosen.found, name: this.name }, chosen.processId ?? this.requestedProcess, part).then(
					(log) => this.withGraal(log, 'told'),
					(error: unknown) => {
						throw this.withUnreadable(error);
					},
				)
			);
		});
	}

	/** The same; null when no file tells of compilations. */
	compilationLogIfAny(): Promise<CompilationLog | null> {
		return this.once('compilationLogIfAny', async () => {
			const chosen = await this.chosenOrAll();
			const log = (await this.remarkLog()) ?? (await findCompilationLog({ ...chosen.found, name: this.name }, chosen.processId ?? this.requestedProcess));
			// Who asks so opens Graal's log too, and tells what is wrong with it.
			return log === null ? null : this.withGraal(log, 'untold');
		});
	}

	/** With Graal's decisions, where its log is of one run. */
	private async withGraal(log: CompilationLog, problems: 'told' | 'untold'): Promise<CompilationLog> {
		const { graalLog } = this.found.files;
		const folders = new Set(graalLog.map(({ name }) => path.dirname(name)));
		if (folders.size !== 1 || !log.history.compilations.some(({ compiler }) => compiler === 'jvmci')) {
			return log;
		}
		try {
			const logged = await this.optimizationLog(graalLog);
			const joined = withGraalDecisions(log, logged.compilations);
			const found = [...logged.problems, ...logged.malformedNames].map((one) => ({ ...one, severity: 'warning' as const }));
			return problems === 'untold' ? joined : { ...joined, problems: [...joined.problems, ...found] };
		} catch (error) {
			if (error instanceof InputError) {
				return problems === 'untold' ? log : { ...log, problems: [...log.problems, { ...error.problem, severity: 'warning' }] };
			}
			throw error;
		}
	}

	/** Graal's log of one run, from these of the files. */
	optimizationLog(files: readonly LogFile[]): Promise<OptimizationLog> {
		return this.once(`optimizationLog ${files.map(({ name }) => name).join('\n')}`, () => openOptimizationLogFiles(files, { isOutput: true }));
	}

	/** What another profiler wrote of the run, read once for all who ask the same. Throws an {@link InputError} when it cannot be read. */
	observed(file: EvidenceFile, withWholeStacks: boolean): Promise<OpenedObservedFile> {
		const isReadWhole = this.kept.has(`stacks true ${file.name}`);
		return this.once(`stacks ${withWholeStacks || isReadWhole} ${file.name}`, () => openObserved(file, withWholeStacks));
	}

	/** Of the chosen JVM, or of all. Throws an {@link InputError} when nothing tells of the compilers' memory. */
	memory(of: 'chosen' | 'all'): Promise<MemoryRecording> {
		return this.once(`memory of ${of}`, async () => {
			const { compilerMemory } = this.found.files;
			const found = of === 'all' ? this.found : (await this.chosen()).found;
			// Of one JVM the same files.
			return of === 'chosen' && found.files.compilerMemory === compilerMemory
				? this.memory('all')
				: openMemoryRecording(found).catch((error: unknown) => {
						throw this.withUnreadable(error);
					});
		});
	}

	/** Throws an {@link InputError} for a file that was named itself, and holds neither samples nor code nor what goes with them. */
	refuseStrangers(): void {
		const stranger = this.found.all.find(
			({ isNamed, isArchived, formats }) => isNamed && !isArchived && !formats.some(({ kinds }) => kinds.some((kind) => OF_A_RUN.includes(kind))),
		);
		if (stranger !== undefined) {
			throw new InputError({ severity: 'error', file: stranger.name, message: NEITHER, action: 'give the text that these tools print, or perf.data' });
		}
	}

	/** The same samples with their callers. */
	recordingWithStacks(): Promise<Recording | null> {
		const isRead = this.details === 'all';
		return isRead ? this.recording() : new Evidence(this.found, { processId: this.requestedProcess, details: 'all', withSafepoints: false }).recording();
	}

	close(): void {
		this.found.close();
	}

	/** Where the samples do not choose, the logs may. */
	private async chosenOrAll(): Promise<Pick<ChosenSamples, 'found' | 'processId'>> {
		const all = { found: this.found, processId: null };
		if (this.found.files.samples.length === 0) {
			return all;
		}
		try {
			return await this.chosen();
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
			return all;
		}
	}

	/** What is missing may stand in a file that could not be read. */
	private withUnreadable(error: unknown): unknown {
		const [unreadable] = this.found.unreadable;
		return error instanceof InputError && unreadable !== undefined
			? new InputError({ ...error.problem, action: `${unreadable.file} ${unreadable.message}: mend that, or ${error.problem.action}` })
			: error;
	}

	private once<T>(what: string, read: () => Promise<T>): Promise<T> {
		const known = this.kept.get(what) ?? read();
		this.kept.set(what, known);
		return known as Promise<T>;
	}
}

const OF_A_RUN: readonly FileKind[] = [
	'samples',
	'assembly',
	'agentLog',
	'safepoints',
	'flightRecorder',
	'jitdump',
	'remarks',
	'program',
	'perfMap',
	'nativeSymbols',
	'manifest',
	'samplesStart',
];
const WITHOUT_ADDRESSES = {
	message: 'has samples of methods and lines, and none of instructions',
	action: 'assay report tells where the time went; for instructions record with assay record, or give perf.data and the log of the JVM',
};
const NEITHER =
	'holds neither samples (perf.data, perf script, DTrace profile-… output, an exported table of xctrace, collapsed stacks of async-profiler with features=pcaddr) nor code (LogFile or output of a JVM with -XX:+PrintAssembly, log of the JVM agent, jitdump)';
const SAMPLES_WANTED =
	'give perf.data, or the output of perf script --fields comm,pid,tid,time,event,ip,sym,dso, of DTrace, of xctrace export or of async-profiler (collapsed, features=pcaddr) too';
