/**
 * The processed format of the Firefox Profiler (profiler.firefox.com), version 60: one frame, stack, function and symbol table for all threads, in
 * columns (src/types/profile.ts and docs-developer of github.com/firefox-devtools/profiler). The profiler upgrades older versions when it opens
 * them. Compiled Java code is a library of its own, `JIT`, whose symbols are the compilations: so its assembly view finds addresses and sizes.
 */
import {
	categoryOfFrame,
	nanosecondsOf,
	type ProfileOrigin,
	rowsByThread,
	type StackedSamples,
	type StackFrame,
	threadName,
	weightOf,
} from '../../model/stacked-samples.js';

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

/** Something that the JVM did. */
export interface ProfileMarker {
	readonly type: 'Compilation' | 'Deoptimization' | 'Collection' | 'Safepoint';
	readonly name: string;
	/** Milliseconds from the profile's origin. */
	readonly startMs: number;
	/** null: it is of one moment. */
	readonly endMs: number | null;
	/** By the keys of {@link MARKER_FIELDS}. */
	readonly details: Readonly<Record<string, string | number | null>>;
}

/** What is told of each type: key, label, and the profiler's name for how it is shown. */
const MARKER_FIELDS: Record<ProfileMarker['type'], readonly (readonly [key: string, label: string, format: string])[]> = {
	Compilation: [
		['compileId', 'Compile id', 'string'],
		['compiler', 'Compiler', 'string'],
		['level', 'Level', 'integer'],
		['bytes', 'Machine code', 'bytes'],
	],
	Deoptimization: [
		['compileId', 'Compile id', 'string'],
		['reason', 'Reason', 'string'],
		['action', 'Action', 'string'],
	],
	Collection: [['reaching', 'Time to safepoint', 'nanoseconds']],
	Safepoint: [['reaching', 'Time to safepoint', 'nanoseconds']],
};
/** The thread that has them. */
const MARKER_THREAD = 'JVM: compilations, safepoints';

/** Times are milliseconds since the JVM's start where that is known. */
export function writeFirefoxProfile(
	stacked: StackedSamples,
	origin: ProfileOrigin,
	write: (text: string) => void,
	markers: readonly ProfileMarker[] = [],
): void {
	const tables = new SharedTables(stacked);
	const markerColumns = markersOf(markers, (text) => tables.string(text));
	const threads = rowsByThread(stacked).sort((a, b) => b.rows.length - a.rows.length);
	const lastMs = stacked.timeSeconds === null ? 0 : stacked.timeSeconds.reduce((most, time) => Math.max(most, milliseconds(stacked, time)), 0);
	const markersEndMs = markers.reduce((most, { startMs, endMs }) => Math.max(most, endMs ?? startMs), 0);
	const meta = metaOf(stacked, origin, tables.categories, Math.max(lastMs, markersEndMs));
	const pid = String(stacked.processId ?? 0);
	const headOf = (name: string, tid: number, isMainThread: boolean, own: object): object => ({
		processType: 'default',
		processName: origin.title,
		processStartupTime: 0,
		processShutdownTime: null,
		registerTime: 0,
		unregisterTime: null,
		pausedRanges: [],
		name,
		isMainThread,
		pid,
		tid,
		markers: own,
	});
	write(`{"meta":${JSON.stringify(meta)},"libs":${JSON.stringify(tables.libraries)},"shared":${JSON.stringify(tables.shared())},"threads":[`);
	for (const [i, { thread, rows }] of threads.entries()) {
		const { name, id } = thread;
		const head = headOf(threadName(thread), id < 0 ? i : id, String(id) === pid || (name === 'main' && i === 0), NO_MARKERS);
		const columns = samplesOf(stacked, rows);
		write(`${i === 0 ? '' : ','}${JSON.stringify(head).slice(0, -1)},"samples":{"length":${columns.time.length},"weightType":"${weightType(stacked)}"`);
		for (const [column, values] of Object.entries(columns)) {
			write(`,"${column}":${values === null ? 'null' : '['}`);
			if (values !== null) {
				writeValues(values, write);
				write(']');
			}
		}
		write('}}');
	}
	if (markers.length > 0) {
		const samples = { length: 0, weightType: 'samples', stack: [], time: [], weight: null };
		const tid = 1 + threads.reduce((most, { thread }) => Math.max(most, thread.id), threads.length);
		write(`${threads.length === 0 ? '' : ','}${JSON.stringify({ ...headOf(MARKER_THREAD, tid, false, markerColumns), samples })}`);
	}
	write(']}\n');
}

const NO_MARKERS = { length: 0, data: [], name: [], startTime: [], endTime: [], phase: [], category: [] };
/** Of markers: an instant, an interval. */
const INSTANT = 0;
const INTERVAL = 1;

function markersOf(markers: readonly ProfileMarker[], string: (text: string) => number): object {
	const sorted = [...markers].sort((a, b) => a.startMs - b.startMs);
	return {
		length: sorted.length,
		data: sorted.map(({ type, details }) => ({ type, ...Object.fromEntries(Object.entries(details).filter(([, value]) => value !== null)) })),
		name: sorted.map(({ name }) => string(name)),
		startTime: sorted.map(({ startMs }) => rounded(startMs)),
		endTime: sorted.map(({ endMs }) => (endMs === null ? null : rounded(endMs))),
		phase: sorted.map(({ endMs }) => (endMs === null ? INSTANT : INTERVAL)),
		category: sorted.map(() => 0),
	};
}

function markerSchema(): object[] {
	return Object.entries(MARKER_FIELDS).map(([name, fields]) => ({
		name,
		tooltipLabel: '{marker.name}',
		tableLabel: '{marker.name}',
		chartLabel: '{marker.name}',
		display: ['marker-chart', 'marker-table', 'timeline-overview'],
		fields: fields.map(([key, label, format]) => ({ key, label, format })),
	}));
}

/** To nanoseconds. */
function rounded(ms: number): number {
	return Math.round(ms * 1e6) / 1e6;
}

function milliseconds({ originSeconds }: StackedSamples, seconds: number): number {
	return Math.round((seconds - originSeconds) * 1e6) / 1e3;
}

/** Without samples for so many intervals a thread did nothing. */
const IDLE_INTERVALS = 2;

interface SampleColumns {
	readonly stack: (number | null)[];
	readonly time: number[];
	readonly weight: number[] | null;
	/** Processor time since the sample before, in nanoseconds. */
	readonly threadCPUDelta: number[] | null;
}

/**
 * The profiler draws a thread busy from one sample to the next, as far as its processor time says so: where samples are apart, one without a stack, which counts
 * for nothing, stands an interval before the next, with no processor time.
 */
function samplesOf(stacked: StackedSamples, rows: Int32Array): SampleColumns {
	const { timeSeconds, intervalNs, weights } = stacked;
	const hasTime = rows.length > 0 && nanosecondsOf(stacked, rows[0]!) !== null && weights === undefined;
	const columns: SampleColumns = { stack: [], time: [], weight: weights === undefined ? null : [], threadCPUDelta: hasTime ? [] : null };
	const add = (stack: number | null, time: number, weight: number, nanoseconds: number): void => {
		columns.stack.push(stack);
		columns.time.push(time);
		columns.weight?.push(weight);
		columns.threadCPUDelta?.push(Math.round(nanoseconds));
	};
	const intervalMs = hasTime && timeSeconds !== null && intervalNs !== null ? intervalNs / 1e6 : Number.POSITIVE_INFINITY;
	let last = 0;
	for (const [i, row] of rows.entries()) {
		// Without times samples follow each other.
		const time = timeSeconds === null ? i : milliseconds(stacked, timeSeconds[row]!);
		if (time - last > IDLE_INTERVALS * intervalMs) {
			add(null, Math.round((time - intervalMs) * 1e3) / 1e3, 0, 0);
		}
		const weight = weightOf(stacked, row);
		add(stacked.node[row]!, time, stacked.unit === 'nanoseconds' ? weight / 1e6 : weight, nanosecondsOf(stacked, row) ?? 0);
		last = time;
	}
	if (Number.isFinite(intervalMs) && rows.length > 0) {
		// What a thread did last does not go on until the end.
		add(null, Math.round((last + intervalMs) * 1e3) / 1e3, 0, 0);
	}
	return columns;
}

function weightType({ unit = 'samples' }: StackedSamples): string {
	return unit === 'nanoseconds' ? 'tracing-ms' : unit === 'bytes' ? 'bytes' : 'samples';
}

function writeValues(values: readonly (number | null)[], write: (text: string) => void): void {
	for (let from = 0; from < values.length; from += 4096) {
		write(
			`${from === 0 ? '' : ','}${values
				.slice(from, from + 4096)
				.map(String)
				.join(',')}`,
		);
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
		markerSchema: markerSchema(),
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

	string(text: string): number {
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
