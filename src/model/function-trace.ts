/** The order in which the functions of a program first ran, as far as a recording tells it. */
import type { Problem } from './problem.js';

/** A function as a recording names it. */
export interface TracedFunction {
	/** The name in the object file: mangled, without the file of a local function. Of a Mach-O program with the underscore in front only where {@link isMachO}. */
	readonly symbol: string;
	/** The module whose copy ran, mostly a source file (`tsrc/mem1.c`); null where it is not told. Profiles tell it of local functions only. */
	readonly module: string | null;
	/** Whether the name is spelled as the linker of a Mach-O program sees it (`_main`, `-[Foo bar:]`); left out: no, or not known. */
	readonly isMachO?: boolean;
	/** Whether other modules may have other functions of this name. */
	readonly isLocal: boolean;
	/** Where it is defined, as far as the recording knows: a source file. */
	readonly file: string | null;
	/** From 1. */
	readonly line: number | null;
}

/** What a recording of first executions is called, in messages and in JSON. */
export type TraceFormat =
	| 'assay dump'
	| 'clang order buffer'
	| 'LLVM raw profile'
	| 'LLVM indexed profile'
	| 'LLVM text profile'
	| 'llvm-profdata traces'
	| 'perf.data'
	| 'perf script'
	| 'simpleperf samples'
	| 'dtrace'
	| 'uftrace text'
	| 'uftrace data'
	| 'GCC profile'
	| 'XRay log'
	| 'executed instructions'
	| 'function list';

/** One run, or one of several that were merged into a file. */
export interface FunctionTrace {
	/** What to call it: the file, and its number where the file holds several. */
	readonly name: string;
	/** How many runs it stands for; 1 unless a profile says otherwise. */
	readonly weight: number;
	/** Positions in {@link FunctionTraces.functions}, the first to run first; each once. */
	readonly order: Int32Array;
}

/** Functions, and in which order they first ran in each run. */
export interface FunctionTraces {
	/** Each function once. */
	readonly functions: readonly TracedFunction[];
	readonly traces: readonly FunctionTrace[];
}

/** What a reader gives. */
export interface ReadTraces extends FunctionTraces {
	readonly problems: readonly Problem[];
}

/** What is left out is not known; a function with a module is local unless it is said that it is not. */
type FunctionToAdd = Pick<TracedFunction, 'symbol'> & Partial<TracedFunction>;

/** Collects traces of one file or of many. Functions of the same symbol are one; local ones only if their modules are the same too. */
export class FunctionTracesBuilder {
	private readonly functions: TracedFunction[] = [];
	private readonly numbers = new Map<string, number>();
	private readonly traces: FunctionTrace[] = [];

	/** The position of a function. Of several places for one function the first is kept. */
	functionNumber({ symbol, module = null, isLocal = module !== null, file = null, line = null, isMachO = false }: FunctionToAdd): number {
		const key = isLocal ? `${symbol}\0${module}` : symbol;
		const known = this.numbers.get(key);
		if (known !== undefined) {
			return known;
		}
		const number = this.functions.length;
		this.functions.push({ symbol, module, isLocal, file, line, ...(isMachO ? { isMachO } : {}) });
		this.numbers.set(key, number);
		return number;
	}

	/** Adds a trace; of a function that comes again the first place counts. */
	addTrace(name: string, weight: number, order: Iterable<number>): void {
		this.traces.push({ name, weight, order: Int32Array.from(new Set(order)) });
	}

	/** Adds what was read before, elsewhere. */
	addTraces(read: FunctionTraces): void {
		const numbers = read.functions.map((traced) => this.functionNumber(traced));
		for (const { name, weight, order } of read.traces) {
			this.traces.push({ name, weight, order: order.map((position) => numbers[position]!) });
		}
	}

	build(): FunctionTraces {
		return { functions: this.functions, traces: this.traces };
	}
}

/** What profiles and mapping files put before the name of a symbol that is to be taken as it stands. */
const VERBATIM = '\u0001';

/** The symbol of a name in LLVM IR: `\01_foo` is the symbol `_foo`. */
export function symbolOfIrName(name: string): string {
	return name.startsWith(VERBATIM) ? name.slice(1) : name;
}
