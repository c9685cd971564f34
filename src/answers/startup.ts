/**
 * The start-up of a native program: which of the traces in a recording are of which of the programs in it, and what orders would be worth. Numbers are those of
 * `assay order simulate` and `assay order optimize` on the same files.
 */
import { isClangOrderMap, readClangOrderMap } from '../formats/clang-order-buffer/read-map.js';
import { readOrderMap } from '../formats/order-map/read.js';
import type { ExecutionTrace } from '../model/executed-code.js';
import { InputError, type Problem } from '../model/problem.js';
import { FIRST_EXECUTION, OPTIMIZED } from '../model/startup-orders.js';
import type { TextLayout } from '../model/text-layout.js';
import type { FoundEvidence } from '../recording/find-evidence.js';
import { headOfFile, type LogFile, openLogFile } from '../recording/log-file.js';
import { OrderMaps } from '../recording/open-function-traces.js';
import { functionStarts } from '../startup/function-starts.js';
import { optimizeOrder } from '../startup/optimize-order.js';
import type { Simulation } from '../startup/results.js';
import { type CandidateOrder, simulate } from '../startup/simulate.js';
import { withStartUpCode } from '../startup/start-up-code.js';
import { type LaidTrace, layTrace } from '../startup/trace-on-layout.js';
import { placementProblems } from './order/open-layout.js';
import { readExecutionTraces } from './order/read-execution-traces.js';
import { readProgram } from './order/read-program.js';
import { shortName, withUniqueNames } from './order/trace-names.js';

/** A file of a start-up, for those who list files. */
export interface StartupFile {
	readonly name: string;
	readonly kind: 'program' | 'orderTrace' | 'instructionList' | 'orderMap';
	/** Functions of the program or the map, or that ran; of a list of instructions these. */
	readonly count: number;
}

interface StartupTrace {
	readonly name: string;
	readonly file: string;
}

interface StartupProgram {
	readonly file: string;
	readonly isElf: boolean;
	readonly functions: number;
	readonly isRelocatable: boolean;
}

/** By the addresses of the file. */
export interface RanFunction {
	readonly name: string;
	readonly start: number;
	readonly sizeBytes: number;
}

/** What the traces and programs of a recording tell. */
export interface OpenedStartup {
	/** null: there is no program, or no trace is of one. */
	readonly program: StartupProgram | null;
	/** That were simulated; without a program all that could be read. */
	readonly traces: readonly StartupTrace[];
	/** Functions that ran, summed over the traces; 0 where only instructions are known and no program tells whose they are. */
	readonly functions: number;
	/** As linked, in the order of first execution, and optimized; null without a program. */
	readonly simulation: Simulation | null;
	/** Functions of the program that ran, each once; empty without a program. */
	readonly ran: readonly RanFunction[];
	/** Code that ran before the traces began, which the orders have too. */
	readonly startUpCode: readonly string[];
	readonly maps: readonly string[];
	/** Whether commands can be given all of these files: members of archives cannot. */
	readonly isOnDisk: boolean;
	/** Traces and programs that are not in the simulation, and why. */
	readonly leftOut: readonly { readonly file: string; readonly why: string }[];
	readonly files: readonly StartupFile[];
	readonly problems: readonly Problem[];
}

export interface StartupRequest {
	/** Make orders and simulate: takes seconds where much runs. */
	readonly withOrders: boolean;
	readonly onProgress?: ((what: string) => void) | undefined;
}

/** Programs with more functions take too long to be optimized by the way. */
const MAX_OPTIMIZED_FUNCTIONS = 20_000;
/** A folder with more is an installation, not a recording. */
const MAX_PROGRAMS = 20;
/** Of what ran, that has to be in a program for the trace to be of it. */
const LEAST_SHARE = 0.5;
/**
 * Lists of executed instructions have those of libraries and of the loader too, nearly all of them where the program is small. What runs is entered at its first
 * byte, but for parts that the compiler split off: in another program, or another link of it, such addresses fall anywhere.
 */
const LEAST_SHARE_OF_ENTRIES = 0.5;
const LEAST_FUNCTIONS = 2;
/** Faults in libraries and in the loader are recorded too. */
const LEAST_SHARE_OF_FAULTS = 0.1;
/** No run executes nearly all functions of a program: a list of them is an order. */
const SHARE_OF_ORDER = 0.9;

/** null: there is nothing of a start-up. Throws nothing on content: what cannot be read stands among the problems. */
export async function openStartup(found: FoundEvidence['files'], request: StartupRequest): Promise<OpenedStartup | null> {
	const { orderTraces, instructionList, program, orderMap, functionList, orderBuffer, faultScript } = found;
	const hasTraces = orderTraces.length + instructionList.length > 0;
	const mayHaveTraces = program.length > 0 && functionList.length + orderBuffer.length + faultScript.length > 0;
	// Libraries may lie beside any recording: they alone are no start-up.
	if (!hasTraces && !mayHaveTraces && (request.withOrders || program.length + orderMap.length === 0)) {
		return null;
	}
	return new Startup(found, request).run();
}

interface Program {
	readonly file: LogFile;
	readonly layout: TextLayout;
	readonly isElf: boolean;
}

interface ReadTrace {
	readonly file: LogFile;
	readonly trace: ExecutionTrace;
}

/** How much of a trace is in a program. */
interface Fit {
	readonly isOf: boolean;
	/** Share of what ran that is in it, less where addresses do not meet the starts of functions. */
	readonly score: number;
}

class Startup {
	private readonly found: FoundEvidence['files'];
	private readonly request: StartupRequest;
	private readonly problems: Problem[] = [];
	private readonly leftOut: { file: string; why: string }[] = [];
	private readonly files: StartupFile[] = [];
	private readonly maps: OrderMaps;
	private readonly fits = new Map<ExecutionTrace, Map<Program, Fit>>();

	constructor(found: FoundEvidence['files'], request: StartupRequest) {
		this.found = found;
		this.request = request;
		this.maps = new OrderMaps(found.orderMap);
	}

	async run(): Promise<OpenedStartup> {
		const { found, request } = this;
		request.onProgress?.('reading traces of first executions');
		await this.countMaps();
		const programs = await this.readPrograms();
		const sure = await this.readTraces([...found.orderTraces, ...found.instructionList]);
		const possible = await this.confirmed(programs, sure.length > 0);
		const traces = [...sure, ...possible].sort((a, b) => (a.file.name < b.file.name ? -1 : a.file.name > b.file.name ? 1 : 0));
		const program = this.bestProgram(programs, traces);
		const placed = program === null ? traces : this.placedOn(program, programs, traces);
		const named = withUniqueNames(placed);
		const isOnDisk = [...named.map(({ file }) => file), ...(program === null ? [] : [program.file])].every(({ isArchived }) => isArchived !== true);
		const empty = {
			isOnDisk,
			startUpCode: [],
			maps: found.orderMap.map(({ name }) => name),
			leftOut: this.leftOut,
			files: this.files,
			problems: this.problems,
		};
		const shown = named.map(({ file, trace }) => ({ name: trace.name, file: file.name }));
		if (program === null || named.length === 0) {
			this.tellWhatIsMissing(programs, traces);
			const functions = traces.reduce((sum, { trace }) => sum + (trace.functions?.length ?? 0), 0);
			return { ...empty, program: null, traces: shown, functions, simulation: null, ran: [] };
		}
		const { simulation, startUpCode } = this.simulated(
			program,
			named.map(({ trace }) => trace),
		);
		this.problems.push(...simulation.traces.flatMap(placementProblems));
		return {
			...empty,
			program: {
				file: program.file.name,
				isElf: program.isElf,
				functions: program.layout.functionNames.length,
				isRelocatable: program.layout.isRelocatable === true,
			},
			traces: shown,
			functions: simulation.traces.reduce((sum, { functions }) => sum + functions, 0),
			simulation,
			ran: ranFunctions(
				program.layout,
				named.map(({ trace }) => trace),
			),
			startUpCode,
		};
	}

	private async countMaps(): Promise<void> {
		for (const file of this.found.orderMap) {
			await this.attempt(file, async () => {
				const { source } = await openLogFile(file);
				const count = isClangOrderMap(await headOfFile(file, HEAD_BYTES))
					? readClangOrderMap(source).symbols.size
					: readOrderMap(source).modules.reduce((sum, { functions }) => sum + functions.length, 0);
				this.files.push({ name: file.name, kind: 'orderMap', count });
			});
		}
	}

	private async readPrograms(): Promise<Program[]> {
		const programs: Program[] = [];
		const hasTraces = this.found.orderTraces.length + this.found.instructionList.length > 0;
		for (const [i, file] of this.found.program.entries()) {
			if (i >= MAX_PROGRAMS) {
				this.leftOut.push({ file: file.name, why: `only ${MAX_PROGRAMS} programs are looked into` });
				continue;
			}
			await this.attempt(
				file,
				async () => {
					const { layout, isElf, problems } = await readProgram(file, shortName(file.name));
					this.problems.push(...problems);
					this.files.push({ name: file.name, kind: 'program', count: layout.functionNames.length });
					programs.push({ file, layout, isElf });
				},
				!hasTraces,
			);
		}
		return programs;
	}

	/** Runs a part; what cannot be read is told and left out, or only left out. */
	private async attempt(file: LogFile, run: () => Promise<void>, isSilent = false): Promise<void> {
		try {
			await run();
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
			if (!isSilent) {
				this.problems.push({ ...error.problem, severity: 'warning' });
				this.leftOut.push({ file: file.name, why: error.problem.message });
			}
		}
	}

	private async readTraces(files: readonly LogFile[]): Promise<ReadTrace[]> {
		const read: ReadTrace[] = [];
		for (const file of files) {
			await this.attempt(file, async () => {
				const { traces, problems } = await this.readOne(file);
				this.problems.push(...problems);
				read.push(...traces.map((trace) => ({ file, trace })));
				this.count(file, traces);
			});
		}
		return read;
	}

	private readOne(file: LogFile): ReturnType<typeof readExecutionTraces> {
		return readExecutionTraces(file, shortName(file.name), 1, this.maps, null);
	}

	private count(file: LogFile, traces: readonly ExecutionTrace[]): void {
		const instructions = traces.reduce((sum, { instructions: own }) => sum + (own?.addresses.length ?? 0), 0);
		const functions = traces.reduce((sum, { functions: own }) => sum + (own?.length ?? 0), 0);
		this.files.push(
			instructions > 0 ? { name: file.name, kind: 'instructionList', count: instructions } : { name: file.name, kind: 'orderTrace', count: functions },
		);
	}

	/**
	 * Traces among the files that may be something else: most of what they name is in a program. Orders are lists of symbols as well: beside other traces, and
	 * where it has nearly all functions of the program, such a list is not taken for a trace.
	 */
	private async confirmed(programs: readonly Program[], hasSure: boolean): Promise<ReadTrace[]> {
		const { functionList: functionLists, orderBuffer: orderBuffers, faultScript: faultScripts } = this.found;
		const confirmed: ReadTrace[] = [];
		const plainLists: { readonly own: readonly ReadTrace[]; readonly owner: Program; take(): void }[] = [];
		for (const file of [...orderBuffers, ...(hasJvm(this.found) ? [] : faultScripts), ...functionLists]) {
			const read = programs.length === 0 ? null : await this.readPossible(file);
			const own = read?.traces.map((trace) => ({ file, trace })) ?? [];
			const owner = programs.find((program) => own.length > 0 && own.every((one) => this.fit(one, program).isOf));
			if (read === null || owner === undefined) {
				continue;
			}
			const take = (): void => {
				this.problems.push(...read.problems);
				this.count(file, read.traces);
				confirmed.push(...own);
			};
			if (functionLists.some((one) => one === file) && own.every(({ trace }) => trace.functions?.every(({ address }) => address === null))) {
				plainLists.push({ own, owner, take });
			} else {
				take();
			}
		}
		const hasOthers = hasSure || confirmed.length > 0;
		for (const { own, owner, take } of plainLists) {
			const [first] = own;
			const functions = own.reduce((sum, { trace }) => sum + (trace.functions?.length ?? 0), 0);
			if (first !== undefined && (hasOthers || functions >= SHARE_OF_ORDER * owner.layout.functionNames.length)) {
				this.leftOut.push({ file: first.file.name, why: 'a list of symbols, which may be an order: give it to assay order simulate, with --order or --trace' });
			} else {
				take();
			}
		}
		return confirmed;
	}

	/** null: it is none. */
	private async readPossible(file: LogFile): Promise<Awaited<ReturnType<typeof readExecutionTraces>> | null> {
		try {
			return await this.readOne(file);
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
			return null;
		}
	}

	/** That most of the traces are of; of several links of one program an ELF file, then the first. */
	private bestProgram(programs: readonly Program[], traces: readonly ReadTrace[]): Program | null {
		let best: { program: Program; score: number } | null = null;
		for (const program of [...programs].sort((a, b) => Number(b.isElf) - Number(a.isElf))) {
			const score = traces.reduce((sum, one) => sum + (this.fit(one, program).isOf ? this.fit(one, program).score : 0), 0);
			if (score > (best?.score ?? 0)) {
				best = { program, score };
			}
		}
		return best?.program ?? null;
	}

	private placedOn(program: Program, programs: readonly Program[], traces: readonly ReadTrace[]): ReadTrace[] {
		for (const { file } of programs.filter((other) => other !== program)) {
			this.leftOut.push({ file: file.name, why: `the traces are of ${program.file.name}, or of more of it` });
		}
		return traces.filter((one) => {
			const { file } = one;
			const { isOf } = this.fit(one, program);
			if (!isOf) {
				const owner = programs.find((other) => this.fit(one, other).isOf);
				const why =
					owner === undefined ? `too little of it is in ${program.file.name}` : `it is of ${owner.file.name}; most others are of ${program.file.name}`;
				this.leftOut.push({ file: file.name, why });
			}
			return isOf;
		});
	}

	private fit({ trace, file }: ReadTrace, program: Program): Fit {
		let fits = this.fits.get(trace);
		if (fits === undefined) {
			fits = new Map();
			this.fits.set(trace, fits);
		}
		const known =
			fits.get(program) ??
			fitOf(
				trace,
				program.layout,
				this.found.faultScript.some((one) => one.name === file.name),
			);
		fits.set(program, known);
		return known;
	}

	private simulated({ layout, file }: Program, traces: readonly ExecutionTrace[]): { simulation: Simulation; startUpCode: readonly string[] } {
		if (!this.request.withOrders) {
			return { simulation: simulate([layout], [], traces, layout), startUpCode: [] };
		}
		this.request.onProgress?.('ordering functions by first execution');
		const completed = withStartUpCode(
			traces.map((trace) => layTrace(trace, layout)),
			layout,
		);
		const orders: CandidateOrder[] = [
			{ name: FIRST_EXECUTION, symbols: optimizeOrder(layout, completed.traces, { method: 'first-execution', objective: 'pages' }).symbols },
		];
		if (layout.functionNames.length > MAX_OPTIMIZED_FUNCTIONS) {
			this.problems.push({
				severity: 'warning',
				file: file.name,
				message: `has ${layout.functionNames.length} functions: an optimized order takes a while`,
				action: 'only that of first execution was tried; assay order optimize makes the other',
			});
		} else {
			this.request.onProgress?.(`optimizing the order of ${layout.functionNames.length} functions`);
			orders.push({ name: OPTIMIZED, symbols: optimizeOrder(layout, completed.traces, { method: 'pages', objective: 'pages' }).symbols });
		}
		return { simulation: simulate([layout], orders, traces, layout), startUpCode: completed.added };
	}

	private tellWhatIsMissing(programs: readonly Program[], traces: readonly ReadTrace[]): void {
		const [first] = traces;
		if (first === undefined) {
			return;
		}
		this.problems.push({
			severity: 'warning',
			file: first.file.name,
			message: programs.length === 0 ? 'is a trace of a program that is not here' : `is no trace of ${programs.map(({ file }) => file.name).join(', ')}`,
			action: 'put the program beside it that ran, before strip, or the output of nm -n --print-size of it',
		});
	}
}

const HEAD_BYTES = 1 << 16;

function ranFunctions(layout: TextLayout, traces: readonly ExecutionTrace[]): RanFunction[] {
	const starts = functionStarts(layout);
	const ran = new Set(traces.flatMap((trace) => [...layTrace(trace, layout).functions]));
	return [...ran].map((f) => ({ name: layout.functionNames[f] ?? '', start: starts[f]!, sizeBytes: layout.functionSizes[f]! }));
}

function hasJvm({ logCompilation, assembly, agentLog, perfMap, manifest, graalLog, proftoolProfile }: FoundEvidence['files']): boolean {
	return [logCompilation, assembly, agentLog, perfMap, manifest, graalLog, proftoolProfile].some(({ length }) => length > 0);
}

function fitOf(trace: ExecutionTrace, layout: TextLayout, hasLibraries: boolean): Fit {
	const laid = layTrace(trace, layout);
	const total = trace.instructions?.addresses.length ?? laid.functions.length + laid.unplaced;
	const share = total === 0 ? 0 : 1 - laid.unplaced / total;
	const entries = shareOfEntries(trace, laid, layout);
	const isOf =
		laid.loaded?.by !== null &&
		(trace.instructions === null
			? laid.functions.length > 0 && share >= (hasLibraries ? LEAST_SHARE_OF_FAULTS : LEAST_SHARE)
			: laid.functions.length >= LEAST_FUNCTIONS && entries >= LEAST_SHARE_OF_ENTRIES);
	return { isOf, score: share * (1 + entries) };
}

/** Of the functions that ran, those that were entered at their first byte: in another link of the program addresses lie anywhere. 0 without addresses. */
function shareOfEntries({ instructions, functions }: ExecutionTrace, laid: LaidTrace, layout: TextLayout): number {
	const addresses = instructions?.addresses ?? (functions ?? []).flatMap(({ address }) => (address === null ? [] : [address]));
	if (addresses.length === 0 || laid.functions.length === 0) {
		return 0;
	}
	const slide = laid.loaded?.slide ?? 0;
	const executed = new Set(addresses);
	const starts = functionStarts(layout);
	return laid.functions.reduce((sum, f) => sum + (executed.has(starts[f]! + slide) ? 1 : 0), 0) / laid.functions.length;
}
