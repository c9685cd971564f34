/** One command from sources to what an order is worth: builds, runs, makes the order, builds with it, and measures before against after. */
import fs from 'node:fs';
import path from 'node:path';
import { blockListText } from '../../formats/block-list/write.js';
import { InputError, type Problem, UsageError } from '../../model/problem.js';
import type { Progress } from '../../model/progress.js';
import {
	type BuildCompilers,
	type BuildKind,
	blockFlags,
	type CheckedCompilers,
	COMPILE_FLAGS,
	checkCompilers,
	orderFlags,
	writeBuildTools,
} from '../../recording/build/build-tools.js';
import { type BuiltProgram, findBuiltPrograms, findDumps, type ProcessDump, takeProgramAway } from '../../recording/build/built-programs.js';
import { CommandFailed } from '../../recording/build/command-failed.js';
import { copySource, listSource, type SourceFiles } from '../../recording/build/copy-source.js';
import { LeftBehind } from '../../recording/build/left-behind.js';
import { runLogged } from '../../recording/build/run-logged.js';
import { type Dropped, mayDropEverything } from '../../recording/build/time-runs.js';
import { findValgrind, traceInstructions } from '../../recording/build/trace-instructions.js';
import { LEFT_OUT } from '../../recording/dump-traces.js';
import { asInputError } from '../../recording/file-source.js';
import { notStarted } from '../../recording/not-started.js';
import { createOutputFile } from '../../recording/output-file.js';
import type { PageCounts } from '../../startup/results.js';
import type { OrderRunResult } from '../results.js';
import { chooseByDumps, chooseEarly, withoutCopies } from './choose-program.js';
import { decodeOrder } from './decode.js';
import { lintOrderFile } from './lint.js';
import { type OptimizeAnswer, optimizeTraces } from './optimize.js';
import { checkLibrary, libraryNotes } from './run-libraries.js';
import { type MeasuredWorkload, measureFaultsOf, measureTimesOf, stillRunning } from './run-measure.js';
import { simulateOrders } from './simulate.js';

export interface RunOrderRequest {
	/** The program and arguments that build, in the folder of a copy that is called as the working directory in the source. */
	readonly build: readonly string[];
	/** Lines for a shell; none: the program without arguments. */
	readonly workloads: readonly string[];
	/** Which of several programs and shared libraries, relative to where the build runs; null: the program that is made, or that the workloads run. */
	readonly program: string | null;
	/** The folder that is copied. */
	readonly source: string;
	/** Copy also what git ignores. */
	readonly isAll: boolean;
	/** The only folder that is written to. */
	readonly folder: string;
	/** Split functions by their blocks, too: workloads run under valgrind, and one build more is made. */
	readonly hasBlocks: boolean;
	/** Pairs of timed runs, cold and warm each. */
	readonly pairs: number;
	readonly dropped: Dropped;
	readonly compilers: BuildCompilers;
	/** Relative paths start here. */
	readonly workingDirectory: string;
	readonly environment: NodeJS.ProcessEnv;
	readonly progress: Progress;
	/** Ends everything; its reason is thrown. */
	readonly signal: AbortSignal;
}

export interface RunOrderAnswer {
	readonly outcome: OrderRunResult;
	readonly problems: readonly Problem[];
}

/** So many runs of the program count in a workload: those that ran most functions. */
const MOST_PROCESSES = 8;
/** By this a folder is known as one that may be replaced. */
const MARKER = 'assay-order-run.txt';
const KINDS: readonly BuildKind[] = ['trace', 'plain', 'order', 'block'];

/** Throws a {@link CommandFailed} where a build or a workload fails, an InputError where nothing can be made of them. */
export function runOrder(request: RunOrderRequest): Promise<RunOrderAnswer> {
	return new OrderRun(request).run();
}

interface Build {
	readonly kind: BuildKind;
	/** The copy of the source. */
	readonly folder: string;
	/** Where the build ran, and workloads do. */
	readonly place: string;
	readonly log: string;
	readonly seconds: number;
}

/** What a build uses that was made of others. */
interface MadeFiles {
	readonly orderFile?: string;
	readonly blockFile?: string;
	/** In the folder of the build before, as it left that. */
	readonly isAgain?: boolean;
}

interface BlockStage {
	readonly source: SourceFiles;
	readonly compilers: CheckedCompilers;
	readonly program: BuiltProgram;
	readonly plainProgram: string;
	readonly orderProgram: string;
	/** Lists of executed instructions. */
	readonly executed: readonly string[];
	readonly measured: readonly MeasuredWorkload[];
}

interface BlockOutcome {
	readonly outcome: OrderRunResult['blocks'];
	readonly builds: readonly Build[];
	readonly notes: readonly string[];
}

interface TracedWorkload {
	readonly command: string;
	readonly log: string;
	/** Dumps by the programs that they may be of. */
	readonly dumps: readonly ProcessDump[];
}

class OrderRun {
	private readonly request: RunOrderRequest;
	private readonly source: string;
	private readonly folder: string;
	/** Of the build and the workloads, below the source. */
	private readonly place: string;
	/** What asks instrumented programs for dumps is left out: those that a build runs are not meant. */
	private readonly environment: NodeJS.ProcessEnv;
	private readonly problems: Problem[] = [];
	private readonly leftBehind: LeftBehind;

	constructor(request: RunOrderRequest) {
		this.request = request;
		this.leftBehind = new LeftBehind(request.signal);
		const { workingDirectory } = request;
		const { ASSAY_ORDER_FILE: _file, ASSAY_ORDER_STARTED: _started, ...environment } = request.environment;
		this.environment = environment;
		this.source = realFolder(path.resolve(workingDirectory, request.source), request.source);
		this.folder = path.resolve(workingDirectory, request.folder);
		const place = path.relative(this.source, fs.realpathSync(workingDirectory));
		this.place = place === '..' || place.startsWith(`..${path.sep}`) ? '' : place;
	}

	async run(): Promise<RunOrderAnswer> {
		const { request } = this;
		if (request.dropped === 'everything' && !mayDropEverything()) {
			throw new InputError({
				severity: 'error',
				file: '/proc/sys/vm/drop_caches',
				message: 'may not be written: dropping the whole page cache needs root',
				action: "leave --drop-caches out: the program's own file is dropped without it",
			});
		}
		this.prepareFolder();
		const tools = path.join(this.folder, 'tools');
		fs.mkdirSync(tools);
		const valgrind = request.hasBlocks ? findValgrind(request.workingDirectory) : null;
		const compilers = await checkCompilers(request.compilers, tools, request.hasBlocks);
		this.report('copying the source');
		const source = this.files();
		const trace = await this.build('trace', source, compilers);
		const wanted = { ...trace, named: this.request.program, workloads: this.request.workloads, log: this.shown(trace.log) };
		const programs = withoutCopies(await findBuiltPrograms(trace.folder), wanted);
		const early = chooseEarly(programs, wanted);
		if (early !== null) {
			checkLibrary(early, request);
		}
		const workloads = await this.trace(trace, programs, early);
		const program = early ?? chooseByDumps(programs, workloads);
		checkLibrary(program, request);
		const dumps = this.dumpsOf(program, programs, workloads);
		const counted = dumps.map((own) => own.map(({ file }) => file));
		const plain = await this.build('plain', source, compilers);
		const plainProgram = this.builtProgram(plain, program);
		const orderFile = path.join(this.folder, `${path.basename(program.file)}.order`);
		const inFolder = (file: string): string => path.relative(this.folder, file);
		const shared = { traces: counted.flat().map(inFolder), maps: [path.join('trace', program.file)], workingDirectory: this.folder, hasFunctionSections: true };
		const executed = valgrind === null ? null : await this.traceBlocks(valgrind, plain, plainProgram);
		this.report('making the order');
		const traced = executed === null ? shared : { ...shared, traces: executed.map(inFolder), maps: [] };
		const optimized = await optimizeTraces({ ...traced, program: inFolder(plainProgram), output: inFolder(orderFile) }).catch((error: unknown) => {
			throw this.ofStripped(error, plainProgram);
		});
		const isTold = dumps.flat().every(({ hasOthers }) => !hasOthers);
		this.problems.push(...optimized.problems.filter(({ action }) => !(isTold && action === LEFT_OUT)));
		writeOrder(orderFile, optimized);
		const order = await this.build('order', source, compilers, { orderFile });
		const orderProgram = this.builtProgram(order, program);
		const { simulation } = await simulateOrders({
			...traced,
			programs: [inFolder(plainProgram), inFolder(orderProgram)],
			orders: [inFolder(orderFile)],
		});
		const pages = pagesOf(simulation.layouts.map(({ counts }) => counts));
		this.checkOrderTaken(pages, order);
		const measured = workloads.map(({ command }, i): MeasuredWorkload => {
			const log = path.join(this.folder, `run-${i + 1}.log`);
			return { number: i + 1, command, sides: [this.side(plain, plainProgram), this.side(order, orderProgram)], log, logName: this.shown(log) };
		});
		const { times, notes } = await measureTimesOf(measured, { ...this.request, leftBehind: this.leftBehind });
		const { faults, problems } = await measureFaultsOf(measured, { ...this.request, leftBehind: this.leftBehind });
		const blocks = executed === null ? null : await this.blocks({ source, compilers, program, plainProgram, orderProgram, executed, measured });
		const united = await decodeOrder({ files: shared.traces, maps: shared.maps, workingDirectory: this.folder });
		const outcome: OrderRunResult = {
			program: program.file,
			folder: request.folder,
			build: [...request.build],
			compiler: compilers.version,
			source: { folder: request.source, files: source.files.length, from: source.from },
			builds: [trace, plain, order, ...(blocks === null ? [] : blocks.builds)].map(({ kind, folder, log, seconds }) => ({
				kind,
				folder: this.shown(folder),
				log: this.shown(log),
				seconds,
			})),
			workloads: await this.workloadsJson(workloads, counted, shared.maps),
			functions: { ran: united.functions.length, instrumented: program.map.modules.reduce((sum, { functions }) => sum + functions.length, 0) },
			order: { file: this.shown(orderFile), method: optimized.order.method, symbols: optimized.order.symbols.length },
			pages,
			faults,
			times,
			blocks: blocks?.outcome ?? null,
			dropped: request.dropped,
			flags: { compile: [...COMPILE_FLAGS], link: ['-fuse-ld=lld', ...orderFlags(orderFile)] },
			notes: [
				...notes,
				...(blocks?.notes ?? []),
				...(await libraryNotes({ program, programs, dumps: dumps.flat(), folder: trace.folder, place: trace.place })),
			],
		};
		return { outcome, problems: [...this.problems, ...problems] };
	}

	/** Runs each workload once in the plain build, under valgrind. */
	private async traceBlocks(valgrind: string, plain: Build, program: string): Promise<string[]> {
		const { workloads, signal } = this.request;
		const files: string[] = [];
		for (const [i, command] of (workloads.length === 0 ? ['"$PROGRAM"'] : workloads).entries()) {
			this.report(`tracing instructions of workload ${i + 1}`);
			const log = path.join(this.folder, `blocks-${i + 1}.log`);
			const { status, runs, hasGivenUp } = await traceInstructions(valgrind, {
				command: ['/bin/sh', '-c', command],
				folder: plain.place,
				environment: { ...this.environment, PROGRAM: program },
				program,
				traces: path.join(this.folder, 'traces', `blocks-${i + 1}`),
				logFile: log,
				name: `workload-${i + 1}`,
				signal,
			});
			if (status !== 0) {
				const hint = hasGivenUp
					? 'valgrind cannot read the debug information: let the build leave -g out, or say -gdwarf-4'
					: `it ran in ${this.shown(plain.place)}, some 50 times as long as alone`;
				throw new CommandFailed(`workload ${i + 1} (${command}) under valgrind`, status, log, this.shown(log), hint);
			}
			if (runs.length === 0) {
				throw new InputError({
					severity: 'error',
					file: `workload ${i + 1}`,
					message: `ran no instruction of ${path.basename(program)} under valgrind`,
					action: `see ${this.shown(log)}; leave --blocks out for an order of whole functions`,
				});
			}
			files.push(...runs.slice(0, MOST_PROCESSES).map(({ file }) => file));
		}
		return files;
	}

	/** Functions split by what of them ran: one build with the list, and its link once more with the order that is made of that. */
	private async blocks({ source, compilers, program, plainProgram, orderProgram, executed, measured }: BlockStage): Promise<BlockOutcome> {
		const inFolder = (file: string): string => path.relative(this.folder, file);
		const base = path.basename(program.file);
		const listFile = path.join(this.folder, `${base}.blocks`);
		const orderFile = path.join(this.folder, `${base}.blocks.order`);
		const shared = { traces: executed.map(inFolder), recordedOn: inFolder(plainProgram), workingDirectory: this.folder, hasFunctionSections: true };
		this.report('making the list of blocks');
		const first = await optimizeTraces({ ...shared, program: inFolder(plainProgram), blocks: inFolder(listFile), output: inFolder(orderFile) });
		const split = first.blocks;
		if (split === null || split.leastColdBytes === null) {
			return {
				outcome: null,
				builds: [],
				notes: ['functions were not split: no way to do it served each run when it was left out, or there is nothing to put apart'],
			};
		}
		fs.writeFileSync(listFile, blockListText(split.list));
		const made = await this.build('block', source, compilers, { blockFile: listFile });
		const blockProgram = this.builtProgram(made, program);
		const { lint } = await lintOrderFile({ order: inFolder(listFile), program: inFolder(blockProgram), workingDirectory: this.folder });
		this.checkSplit(
			lint.findings.map(({ message }) => message),
			made,
			inFolder(listFile),
		);
		this.report('making the order with blocks');
		const second = await optimizeTraces({ ...shared, program: inFolder(blockProgram), output: inFolder(orderFile) });
		writeOrder(orderFile, second);
		const unordered = path.join(this.folder, `${base}.unordered`);
		await takeProgramAway(made.folder, blockProgram, unordered);
		const again = await this.build('block', source, compilers, { blockFile: listFile, orderFile, isAgain: true });
		const ordered = this.builtProgram(again, program);
		const { simulation } = await simulateOrders({
			...shared,
			programs: [unordered, plainProgram, orderProgram, ordered].map(inFolder),
			orders: [inFolder(orderFile)],
		});
		const [asBefore, , , linked, wanted] = simulation.layouts.map(({ counts }) => counts.areaUnderCurve);
		if (linked === asBefore && wanted !== asBefore) {
			fs.rmSync(unordered);
			const why = `the program that ${this.shown(again.log)} made lies as before: the build did not link it again`;
			return {
				outcome: null,
				builds: [made, again],
				notes: [`functions were split, and could not be put in order: ${why}, or not by its compiler ($CC, cc, gcc, clang)`],
			};
		}
		const [, ...counts] = simulation.layouts.map((layout) => touched(layout.counts));
		const [plainPages, orderPages, blockPages, predicted] = counts;
		if (plainPages === undefined || orderPages === undefined || blockPages === undefined || predicted === undefined) {
			throw new Error('five layouts are expected');
		}
		const split2 = measured.map((one): MeasuredWorkload => ({ ...one, sides: [one.sides[0], this.side(again, ordered)] }));
		const { times } = await measureTimesOf(split2, { ...this.request, leftBehind: this.leftBehind });
		const { faults } = await measureFaultsOf(split2, { ...this.request, leftBehind: this.leftBehind });
		const flags = blockFlags(listFile);
		const outcome: OrderRunResult['blocks'] = {
			list: {
				file: this.shown(listFile),
				functions: split.list.functions.length,
				keptBytes: split.list.functions.reduce((sum, one) => sum + one.keptBytes, 0),
				coldBytes: split.list.functions.reduce((sum, one) => sum + one.coldBytes, 0),
			},
			order: { file: this.shown(orderFile), method: second.order.method, symbols: second.order.symbols.length },
			processes: executed.length,
			pages: { plain: plainPages, order: orderPages, block: blockPages, predicted },
			faults,
			times,
			flags: { compile: [...COMPILE_FLAGS, ...flags.compile], link: ['-fuse-ld=lld', ...flags.link, ...orderFlags(orderFile)] },
		};
		fs.rmSync(unordered);
		return { outcome, builds: [made, again], notes: [] };
	}

	/** The list is of the plain build: another build of the same source has to have the same blocks, and to be split. */
	private checkSplit(findings: readonly string[], { log }: Build, list: string): void {
		const [why] = findings;
		if (why !== undefined) {
			throw new InputError({
				severity: 'error',
				file: this.shown(log),
				message: `the build with the list of blocks does not fit the list: ${why}${findings.length > 1 ? `, and ${findings.length - 1} more` : ''}`,
				action: `assay order lint ${list} --elf PROGRAM says all; the build has to compile everything anew by its compiler, with the same flags each time`,
			});
		}
	}

	private report(text: string): void {
		this.request.signal.throwIfAborted();
		this.request.progress.report(text);
	}

	/** As the user named the folder. */
	private shown(file: string): string {
		return path.join(this.request.folder, path.relative(this.folder, file));
	}

	private prepareFolder(): void {
		const { folder: name } = this.request;
		if (this.source === this.folder || this.source.startsWith(`${this.folder}${path.sep}`)) {
			throw new UsageError(`-o ${name} holds the source: name a folder of its own`);
		}
		if (this.folder.includes(path.delimiter)) {
			throw new UsageError(`-o ${name}: a path with "${path.delimiter}" cannot stand in PATH, by which the build finds its compilers; name another folder`);
		}
		try {
			fs.mkdirSync(this.folder, { recursive: true });
			const entries = fs.readdirSync(this.folder);
			if (entries.length > 0 && !entries.includes(MARKER)) {
				throw new InputError({
					severity: 'error',
					file: name,
					message: 'is not empty, and not of an earlier assay order run',
					action: 'name another folder with -o',
				});
			}
			for (const entry of entries) {
				fs.rmSync(path.join(this.folder, entry), { recursive: true, force: true });
			}
			fs.writeFileSync(path.join(this.folder, MARKER), 'Made by assay order run, which replaces everything in this folder when it is run again.\n');
			// Nobody wants to see it among the changes of the project.
			fs.writeFileSync(path.join(this.folder, '.gitignore'), '*\n');
		} catch (error) {
			throw asInputError(error, name);
		}
	}

	private files(): SourceFiles {
		const { source, isAll } = this.request;
		let files: SourceFiles;
		try {
			files = listSource(this.source, isAll, fs.realpathSync(this.folder));
		} catch (error) {
			throw asInputError(error, source);
		}
		if (files.files.length === 0) {
			throw new InputError({ severity: 'error', file: source, message: 'has no files to build', action: 'name the folder of the source with --source' });
		}
		return files;
	}

	private async build(kind: BuildKind, { files, from }: SourceFiles, compilers: CheckedCompilers, made: MadeFiles = {}): Promise<Build> {
		const { environment } = this;
		const { build, signal } = this.request;
		this.report(`building ${KINDS.indexOf(kind) + 1} of ${KINDS.length - (this.request.hasBlocks ? 0 : 1)}: ${kind}${made.isAgain === true ? ', again' : ''}`);
		const folder = path.join(this.folder, kind);
		const place = path.join(folder, this.place);
		const log = path.join(this.folder, `build-${kind}${made.isAgain === true ? '-again' : ''}.log`);
		let variables: Readonly<Record<string, string>>;
		try {
			if (made.isAgain !== true) {
				copySource(this.source, files, folder);
			}
			fs.mkdirSync(place, { recursive: true });
			const { orderFile = null, blockFile = null } = made;
			const options = { kind, compilers, orderFile, blockFile, tellsBlocks: this.request.hasBlocks };
			variables = writeBuildTools(path.join(this.folder, 'tools', kind), options, environment.PATH ?? '');
		} catch (error) {
			throw asInputError(error, this.request.source);
		}
		const { status, milliseconds } = await runLogged(build, { folder: place, environment: { ...environment, ...variables }, logFile: log, signal }).catch(
			(error: unknown) => {
				const { code = '' } = error as NodeJS.ErrnoException;
				throw ['ENOENT', 'EACCES'].includes(code) ? notStarted(build[0] ?? '') : asInputError(error, build[0] ?? '');
			},
		);
		if (status !== 0) {
			const isFirst = kind === 'trace' && from === 'git';
			const hint = isFirst ? 'files that git ignores were not copied: --all-files copies them' : null;
			throw new CommandFailed(`the ${kind} build`, status, log, this.shown(log), hint);
		}
		return { kind, folder, place, log, seconds: Math.round(milliseconds) / 1000 };
	}

	private side({ place }: Build, program: string): MeasuredWorkload['sides'][0] {
		return { folder: place, program, environment: { ...this.environment, PROGRAM: program } };
	}

	/** Runs each workload once, instrumented. */
	private async trace(build: Build, programs: readonly BuiltProgram[], program: BuiltProgram | null): Promise<TracedWorkload[]> {
		const { workloads, signal } = this.request;
		const traced: TracedWorkload[] = [];
		for (const [i, command] of (workloads.length === 0 ? ['"$PROGRAM"'] : workloads).entries()) {
			this.report(`tracing workload ${i + 1}`);
			const folder = path.join(this.folder, 'traces', String(i + 1));
			const log = path.join(this.folder, `trace-${i + 1}.log`);
			fs.mkdirSync(folder, { recursive: true });
			if (process.getuid?.() === 0) {
				// Servers give up the rights of root before they do their work.
				fs.chmodSync(folder, 0o1777);
			}
			const { status } = await runLogged(['/bin/sh', '-c', command], {
				folder: build.place,
				environment: {
					...this.environment,
					...(program === null ? {} : { PROGRAM: path.join(build.folder, program.file) }),
					ASSAY_ORDER_FILE: path.join(folder.replaceAll('%', '%%'), `workload-${i + 1}.%p.dump`),
				},
				logFile: log,
				signal,
			});
			if (status !== 0) {
				throw new CommandFailed(
					`workload ${i + 1} (${command})`,
					status,
					log,
					this.shown(log),
					`it ran in ${this.shown(build.place)}; a workload that is to end so ends with "|| true"`,
				);
			}
			this.problems.push(...stillRunning(i + 1, await this.leftBehind.wait(programs.map(({ file }) => path.join(build.folder, file)))));
			traced.push({ command, log, dumps: await findDumps(folder, programs) });
		}
		return traced;
	}

	/** Files of each workload; of many processes those that ran most. */
	private dumpsOf(program: BuiltProgram, programs: readonly BuiltProgram[], workloads: readonly TracedWorkload[]): ProcessDump[][] {
		const number = programs.indexOf(program);
		const ran = ({ functions }: ProcessDump): number => functions.get(number) ?? 0;
		return workloads.map(({ dumps }, i) => {
			const own = dumps.filter(({ functions }) => functions.has(number));
			const most = own.toSorted((a, b) => ran(b) - ran(a)).slice(0, MOST_PROCESSES);
			if (own.length === 0) {
				throw new InputError({
					severity: 'error',
					file: `workload ${i + 1}`,
					message: `left no trace of ${program.file}`,
					action: program.isLibrary
						? 'what it runs has to load the library of the build (LD_LIBRARY_PATH), and to end by itself: what is killed writes nothing'
						: 'it has to run the program in the folder of the build (by a relative path, or as "$PROGRAM"), and let it end: what is killed writes nothing',
				});
			}
			if (own.length > most.length) {
				this.problems.push({
					severity: 'warning',
					file: `workload ${i + 1}`,
					message: `ran the program ${own.length} times`,
					action: `the ${MOST_PROCESSES} runs with most functions count`,
				});
			}
			return own.filter((dump) => most.includes(dump));
		});
	}

	private builtProgram({ kind, folder }: Build, { file }: BuiltProgram): string {
		const program = path.join(folder, file);
		if (!fs.existsSync(program)) {
			throw new InputError({
				severity: 'error',
				file: this.shown(program),
				message: `is missing: the ${kind} build did not make it`,
				action: `see ${this.shown(path.join(this.folder, `build-${kind}.log`))}`,
			});
		}
		return program;
	}

	/** Without symbols nothing tells where its functions lie. */
	private ofStripped(error: unknown, program: string): unknown {
		if (!(error instanceof InputError) || error.problem.file !== path.relative(this.folder, program)) {
			return error;
		}
		return new InputError({
			...error.problem,
			file: this.shown(program),
			action: 'is it stripped? Let the build leave its symbols in: without strip, and without -s',
		});
	}

	/** A program that lies as without the order was linked by something that we do not reach. */
	private checkOrderTaken({ plain, order, predicted }: OrderRunResult['pages'], { log }: Build): void {
		if (order.areaUnderCurve === plain.areaUnderCurve && predicted.areaUnderCurve !== plain.areaUnderCurve) {
			throw new InputError({
				severity: 'error',
				file: this.shown(log),
				message: 'the linker did not take the order: the functions lie as before',
				action: 'the build has to link by its compiler ($CC, cc, gcc, clang), not by ld, gold or another program',
			});
		}
	}

	private async workloadsJson(
		workloads: readonly TracedWorkload[],
		files: readonly (readonly string[])[],
		maps: readonly string[],
	): Promise<OrderRunResult['workloads']> {
		const described: OrderRunResult['workloads'] = [];
		for (const [i, { command, log }] of workloads.entries()) {
			const own = files[i]!;
			const { functions } = await decodeOrder({ files: own, maps, workingDirectory: this.folder });
			described.push({ command, log: this.shown(log), processes: own.length, functions: functions.length });
		}
		return described;
	}
}

function realFolder(folder: string, name: string): string {
	try {
		return fs.realpathSync(folder);
	} catch (error) {
		throw asInputError(error, name);
	}
}

function pagesOf([plain, order, predicted]: readonly PageCounts[]): OrderRunResult['pages'] {
	if (plain === undefined || order === undefined || predicted === undefined) {
		throw new Error('three layouts are expected');
	}
	const counted = ({ wholeFunctionPages, windows64k, textPages, areaUnderCurve }: PageCounts): OrderRunResult['pages']['plain'] => ({
		wholeFunctionPages,
		windows64k,
		textPages,
		areaUnderCurve,
	});
	return { plain: counted(plain), order: counted(order), predicted: counted(predicted) };
}

function touched({ codeExecPages, codeWindows64k, execPages, windows64k }: PageCounts): { codePages: number; codeWindows64k: number } {
	return { codePages: codeExecPages ?? execPages ?? 0, codeWindows64k: codeWindows64k ?? windows64k };
}

function writeOrder(file: string, { order }: OptimizeAnswer): void {
	const output = createOutputFile(file);
	output.write(Buffer.from(order.symbols.map((symbol) => `${symbol}\n`).join('')));
	output.end();
}
