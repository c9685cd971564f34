/**
 * The processed format of the Firefox Profiler (profiler.firefox.com), version 60: one frame, stack, function and symbol table for all threads, in
 * columns (src/types/profile.ts and docs-developer of github.com/firefox-devtools/profiler). The profiler upgrades older versions when it opens
 * them. Compiled Java code is a library of its own, `JIT`, whose symbols are the compilations: so its assembly view finds addresses and sizes.
 */
import { categoryOfFrame, type ProfileOrigin, rowsByThread, type StackedSamples, type StackFrame, threadName } from '../../model/stacked-samples.js';

const PROCESSED_VERSION = 60;
/** Of Gecko's own format at that time. */
const GECKO_VERSION = 32;
const RESOURCE_LIBRARY = 1;

const COLOURS: Record<string, string> = {
	Java: 'blue',
	'Java, compiled by c1': 'lightblue',
	'Java, compiled by c2': 'blue',
	'Java, compiled by jvmci': 'purple',
	Interpreter: 'yellow',
	'Stub of the JVM': 'magenta',
	Native: 'green',
	Kernel: 'orange',
};

/** Times are milliseconds since the JVM's start where that is known. */
export function writeFirefoxProfile(stacked: StackedSamples, origin: ProfileOrigin, write: (text: string) => void): void {
	const tables = new SharedTables(stacked);
	const threads = rowsByThread(stacked).sort((a, b) => b.rows.length - a.rows.length);
	const lastMs = stacked.timeSeconds === null ? 0 : stacked.timeSeconds.reduce((most, time) => Math.max(most, milliseconds(stacked, time)), 0);
	const meta = metaOf(stacked, origin, tables.categories, lastMs);
	write(`{"meta":${JSON.stringify(meta)},"libs":${JSON.stringify(tables.libraries)},"shared":${JSON.stringify(tables.shared())},"threads":[`);
	for (const [i, { thread, rows }] of threads.entries()) {
		const { name, id } = thread;
		const pid = String(stacked.processId ?? 0);
		const head = {
			processType: 'default',
			processName: origin.title,
			processStartupTime: 0,
			processShutdownTime: null,
			registerTime: 0,
			unregisterTime: null,
			pausedRanges: [],
			name: threadName(thread),
			isMainThread: String(id) === pid || (name === 'main' && i === 0),
			pid,
			tid: id < 0 ? i : id,
			markers: { length: 0, data: [], name: [], startTime: [], endTime: [], phase: [], category: [] },
		};
		write(`${i === 0 ? '' : ','}${JSON.stringify(head).slice(0, -1)},"samples":{"length":${rows.length},"weightType":"samples","weight":null,"stack":[`);
		writeNumbers(rows, (row) => stacked.node[row]!, write);
		write('],"time":[');
		// Without times samples follow each other.
		writeNumbers(rows, (row, at) => (stacked.timeSeconds === null ? at : milliseconds(stacked, stacked.timeSeconds[row]!)), write);
		write(']}}');
	}
	write(']}\n');
}

function milliseconds({ originSeconds }: StackedSamples, seconds: number): number {
	return Math.round((seconds - originSeconds) * 1e6) / 1e3;
}

function writeNumbers(rows: Int32Array, numberOf: (row: number, at: number) => number, write: (text: string) => void): void {
	for (let from = 0; from < rows.length; from += 4096) {
		write(`${from === 0 ? '' : ','}${Array.from(rows.subarray(from, from + 4096), (row, i) => numberOf(row, from + i)).join(',')}`);
	}
}

function metaOf(
	{ intervalNs, originEpochMs, event }: StackedSamples,
	{ title, producer }: ProfileOrigin,
	categories: readonly object[],
	lastMs: number,
): object {
	return {
		interval: intervalNs === null ? 1 : intervalNs / 1e6,
		startTime: originEpochMs ?? 0,
		profilingStartTime: 0,
		// The end of a range is not part of it.
		profilingEndTime: lastMs + (intervalNs === null ? 1 : intervalNs / 1e6),
		processType: 0,
		product: title,
		importedFrom: producer,
		stackwalk: 1,
		version: GECKO_VERSION,
		preprocessedProfileVersion: PROCESSED_VERSION,
		categories,
		markerSchema: [],
		symbolicated: true,
		symbolicationNotSupported: true,
		usesOnlyOneStackType: true,
		sourceCodeIsNotOnSearchfox: true,
		sampleUnits: { time: 'ms', eventDelay: 'ms', threadCPUDelta: 'ns' },
		extra: [{ label: 'Recording', entries: [{ label: 'Sampled event', format: 'string', value: event }] }],
	};
}

class SharedTables {
	readonly categories: { name: string; color: string; subcategories: string[] }[] = [{ name: 'Other', color: 'grey', subcategories: ['Other'] }];
	readonly libraries: object[] = [];
	private readonly stacked: StackedSamples;
	private readonly strings: string[] = [];
	private readonly stringNumbers = new Map<string, number>();
	private readonly numbers = new Map<string, number>();
	private readonly frameTable = {
		address: [] as number[],
		inlineDepth: [] as number[],
		category: [] as number[],
		subcategory: [] as number[],
		func: [] as number[],
		nativeSymbol: [] as (number | null)[],
		innerWindowID: [] as null[],
		line: [] as (number | null)[],
		column: [] as null[],
		length: 0,
	};
	private readonly funcTable = {
		name: [] as number[],
		isJS: [] as boolean[],
		relevantForJS: [] as boolean[],
		resource: [] as number[],
		source: [] as null[],
		lineNumber: [] as null[],
		columnNumber: [] as null[],
		length: 0,
	};
	private readonly resourceTable = { lib: [] as number[], name: [] as number[], host: [] as null[], type: [] as number[], length: 0 };
	private readonly nativeSymbols = { libIndex: [] as number[], address: [] as number[], name: [] as number[], functionSize: [] as number[], length: 0 };
	/** The lowest address of generated code: what addresses of the library JIT are relative to. */
	private readonly codeStart: number;

	constructor(stacked: StackedSamples) {
		this.stacked = stacked;
		this.codeStart = stacked.frames.reduce((least, { code }) => (code === null ? least : Math.min(least, code.start)), Number.POSITIVE_INFINITY);
		for (const frame of stacked.frames) {
			this.addFrame(frame);
		}
	}

	shared(): object {
		const { nodeFrame, nodeParent } = this.stacked;
		return {
			stringArray: this.strings,
			stackTable: { frame: [...nodeFrame], prefix: Array.from(nodeParent, (parent) => (parent < 0 ? null : parent)), length: nodeFrame.length },
			frameTable: this.frameTable,
			funcTable: this.funcTable,
			resourceTable: this.resourceTable,
			nativeSymbols: this.nativeSymbols,
			sources: { length: 0, id: [], filename: [] },
		};
	}

	private addFrame(frame: StackFrame): void {
		const { code, address, inlineDepth, line } = frame;
		const table = this.frameTable;
		// The code cache reaches over 2 GB at most.
		const isRelative = code !== null && !Number.isNaN(address);
		table.address.push(isRelative ? address - this.codeStart : -1);
		table.inlineDepth.push(inlineDepth);
		table.category.push(this.categoryOf(frame));
		table.subcategory.push(0);
		table.func.push(this.functionOf(frame));
		table.nativeSymbol.push(isRelative ? this.symbolOf(code) : null);
		table.innerWindowID.push(null);
		table.line.push(line);
		table.column.push(null);
		table.length++;
	}

	private categoryOf(frame: StackFrame): number {
		const name = categoryOfFrame(frame);
		const known = this.categories.findIndex((category) => category.name === name);
		return known >= 0 ? known : this.categories.push({ name, color: COLOURS[name] ?? 'grey', subcategories: ['Other'] }) - 1;
	}

	private functionOf({ name, library, code }: StackFrame): number {
		return this.numbered(`function ${code === null} ${library} ${name}`, () => {
			const file = code === null ? library : 'JIT';
			this.funcTable.name.push(this.string(name));
			this.funcTable.isJS.push(false);
			this.funcTable.relevantForJS.push(false);
			this.funcTable.resource.push(file === null ? -1 : this.resourceOf(file));
			this.funcTable.source.push(null);
			this.funcTable.lineNumber.push(null);
			this.funcTable.columnNumber.push(null);
			return this.funcTable.length++;
		});
	}

	private resourceOf(file: string): number {
		return this.numbered(`resource ${file}`, () => {
			this.resourceTable.lib.push(this.libraryOf(file));
			this.resourceTable.name.push(this.string(file));
			this.resourceTable.host.push(null);
			this.resourceTable.type.push(RESOURCE_LIBRARY);
			return this.resourceTable.length++;
		});
	}

	private libraryOf(file: string): number {
		return this.numbered(
			`library ${file}`,
			() => this.libraries.push({ arch: '', name: file, path: file, debugName: file, debugPath: file, breakpadId: '', codeId: null }) - 1,
		);
	}

	private symbolOf(code: NonNullable<StackFrame['code']>): number {
		const { start, end, name, compileId, compiler, level } = code;
		return this.numbered(`symbol ${start} ${end} ${compileId} ${name}`, () => {
			const version = compileId === null ? '' : ` [c${compileId}${compiler === null ? '' : ` ${compiler}`}${level === null ? '' : ` level ${level}`}]`;
			this.nativeSymbols.libIndex.push(this.libraryOf('JIT'));
			this.nativeSymbols.address.push(start - this.codeStart);
			this.nativeSymbols.name.push(this.string(name + version));
			this.nativeSymbols.functionSize.push(end - start);
			return this.nativeSymbols.length++;
		});
	}

	private string(text: string): number {
		let number = this.stringNumbers.get(text);
		if (number === undefined) {
			number = this.strings.push(text) - 1;
			this.stringNumbers.set(text, number);
		}
		return number;
	}

	private numbered(key: string, create: () => number): number {
		let number = this.numbers.get(key);
		if (number === undefined) {
			number = create();
			this.numbers.set(key, number);
		}
		return number;
	}
}
