/**
 * perf.data as perf wrote it: the samples that `perf script` prints, in its order, without perf. Read are files and what was written to a pipe, compressed
 * or not, and files that perf could not complete. Format: the Linux kernel's tools/perf/Documentation/perf.data-file-format.txt and
 * include/uapi/linux/perf_event.h; what perf makes of it: tools/perf/util/{session,machine,map,event}.c.
 */
import type { Source } from '../../bytes/source.js';
import { type LibrarySymbols, type MappedLibrary, NO_SYMBOLS } from '../../model/native-symbols.js';
import type { FileMapping } from '../../model/page-faults.js';
import type { Problem } from '../../model/problem.js';
import { type DetailsWanted, NO_DETAILS, type SampleDetails, type SampledThread, type Samples, SamplesBuilder } from '../../model/samples.js';
import type { SampleHelp } from '../format.js';
import { nameOfMapped } from '../shared/deleted-file.js';
import { eventNumber } from '../shared/event-name.js';
import { hexadecimal, type Piece, secondsAt, signed, unsigned } from './bytes.js';
import { type PerfHeader, readAttributes, readEventNames, readHeader, readIds, type SampledEvent, skipReadFormat, textAt } from './header.js';
import { NativeMethods } from './native-methods.js';
import { AddressSpace, type Library, Processes } from './processes.js';
import { RecordQueue } from './record-queue.js';
import { readRecords } from './records.js';
import { SampledStacks } from './sampled-stacks.js';
import { copiedStack, StackTopsReader } from './stack-tops.js';
import { StackUnwinder } from './unwind.js';

const MMAP = 1;
const LOST = 2;
const COMM = 3;
const FORK = 7;
const SAMPLE = 9;
const MMAP2 = 10;
const LOST_SAMPLES = 13;
const KSYMBOL = 17;
/** Records from here on are perf's own: they have no time. */
const OWN = 64;
const HEADER_ATTR = 64;
const EVENT_UPDATE = 78;
const HEADER_FEATURE = 80;

const FEATURE_EVENT_DESC = 12;
const UPDATE_NAME = 2;

/** Bits of `misc`. */
const MODE = 7;
const KERNEL = 1;
const USER = 2;
const COMM_OF_EXEC = 1 << 13;
const FORK_OF_PERF = 1 << 13;
const MMAP_BUILD_ID = 1 << 14;
const MMAP_DATA = 1 << 13;
const PROT_EXEC = 4;

/** Marks in stacks that tell whose the frames behind them are: from here on to the greatest number. */
const CONTEXT_HYPERVISOR = -32;
const CONTEXT_KERNEL = -128;
const CONTEXT_USER = -512;
/** A power of two. */
const KNOWN_IDS = 64;
const UNKNOWN_EVENT = -2;
/** A sample without stack has so many bytes, or 8 or 16 more. */
const USUAL_SAMPLE_BYTES = 48;
/** Room for samples that a file's size lets expect. */
const MOST_AT_FIRST = 1 << 20;

const UNKNOWN = '[unknown]';
const KERNEL_NAME = '[kernel.kallsyms]';
/**
 * Memory of no file. What is executed there was generated, and perf looks its names up in the map of the process: as it does, by
 * the kernel's names of such memory, of which `[heap]` is all that lies around the program break (V8 puts its code there, near
 * the program's own).
 */
const NO_FILE = /^(?:\/\/anon|\/dev\/zero|\/anon_hugepage|\[anon|\[stack|\/SYSV|\[heap\]$)/;

export interface PerfData extends SampleDetails {
	readonly samples: Samples;
	readonly problems: readonly Problem[];
}

/** What was touched, and where files with code lay. */
interface Addresses {
	/** For each sample; NaN where perf was not asked for it. */
	readonly touched: number[];
	readonly mappings: FileMapping[];
}

const NO_HELP: SampleHelp = { symbols: NO_SYMBOLS, openZstd: null };

/** Never throws on content. */
export function readPerfData(source: Source, wanted: DetailsWanted = 'none', help: SampleHelp = NO_HELP): PerfData {
	return readWith(source, wanted, help, null);
}

/** The same with stacks, with the addresses that samples touched (`perf record -d`), and with the mappings of code of all processes, in the order of their times. */
export function readPerfAddresses(source: Source): PerfData & Readonly<Addresses> {
	const addresses: Addresses = { touched: [], mappings: [] };
	return { ...readWith(source, 'all', NO_HELP, addresses), ...addresses };
}

function readWith(source: Source, wanted: DetailsWanted, help: SampleHelp, addresses: Addresses | null): PerfData {
	const header = readHeader(source);
	if ('unusable' in header) {
		const action = header.unusable.includes('endian') ? 'run perf script on that machine, and give its text' : 'copy the file again';
		return {
			...NO_DETAILS,
			samples: new SamplesBuilder().build(),
			problems: [{ severity: 'error', file: source.name, message: header.unusable, action }],
		};
	}
	return new Reader(source, header, wanted, help, addresses).read();
}

class Reader {
	private readonly source: Source;
	private readonly header: PerfHeader;
	private readonly wanted: DetailsWanted;
	private readonly help: SampleHelp;
	private readonly addresses: Addresses | null;
	private readonly events: SampledEvent[];
	private readonly eventOfId = new Map<number, number>();
	/** Ids that were looked up, by their last bits. */
	private readonly known = { low: new Int32Array(KNOWN_IDS), high: new Int32Array(KNOWN_IDS), event: new Int32Array(KNOWN_IDS).fill(UNKNOWN_EVENT) };
	/** Numbers of the events in the builder. */
	private eventNumbers: number[] = [];
	private readonly builder: SamplesBuilder;
	private readonly processes = new Processes();
	/** Of hypervisors and guests nothing is known. */
	private readonly outside = new AddressSpace();
	private readonly libraries = new Map<string, Library>();
	private readonly queue = new RecordQueue((piece, at, type, size) => this.take(piece, at, type, size));
	private readonly threads: SampledThread[] = [];
	private readonly threadNumbers = new Map<string, number>();
	private readonly threadOf: number[] = [];
	private readonly periods: number[] = [];
	private readonly stacks = new SampledStacks({
		placeAt: (space, address) => this.placeAt(space, address),
		symbolAt: (space, address) => this.symbolAt(space, address),
	});
	private readonly tops = new StackTopsReader(new NativeMethods((library) => this.symbolsOf(library)));
	private readonly unwinder: StackUnwinder | null;
	/** Where the kernel's `_text` lay. */
	private kernelText: number | null = null;
	private firstHigh = -1;
	private firstLow = 0;
	private lost = 0;
	private damaged = 0;
	private withoutAddress = 0;
	private withCopiedStacks = 0;

	constructor(source: Source, header: PerfHeader, wanted: DetailsWanted, help: SampleHelp, addresses: Addresses | null) {
		this.source = source;
		this.header = header;
		this.wanted = wanted;
		this.help = help;
		this.addresses = addresses;
		this.unwinder = help.tables === undefined ? null : new StackUnwinder(help.tables);
		this.builder = new SamplesBuilder(Math.max(1 << 10, Math.min(MOST_AT_FIRST, Math.ceil(source.sizeBytes / USUAL_SAMPLE_BYTES))));
		this.events = [...header.events];
		this.numberIds();
	}

	read(): PerfData {
		const { source, header, builder, wanted } = this;
		const read = readRecords(source, header.dataStart, header.dataEnd, this.help.openZstd, {
			take: (piece, at, type, size) => this.enqueue(piece, at, type, size),
			endRound: () => this.queue.endRound(),
		});
		this.queue.end();
		const problems: Problem[] = [];
		const problem = (severity: Problem['severity'], message: string, action: string, offsetBytes?: number): void => {
			problems.push({ severity, file: source.name, ...(offsetBytes === undefined ? {} : { offsetBytes }), message, action });
		};
		if (header.isUnfinished) {
			problem('warning', 'was not completed: perf was killed, or still runs', 'what it had written is read');
		}
		if (read.stopped !== null) {
			problem('warning', read.stopped.message, 'the records before are read', read.stopped.offsetBytes);
		}
		if (header.isCut && read.stopped === null) {
			problem(
				'warning',
				'ends within what perf noted behind the samples',
				'names of events are made from their numbers, and libraries told by their paths',
				source.sizeBytes,
			);
		}
		if (this.events.length === 0) {
			problem('error', 'tells of no event that was sampled', 'copy the file again');
		}
		if (read.notUnpacked > 0) {
			problem('error', `${read.notUnpacked} compressed records could not be unpacked`, 'the samples in them are missing');
		}
		if (this.lost > 0) {
			problem('warning', `perf lost ${this.lost} records while it recorded`, 'the samples that were written are used');
		}
		if (this.damaged > 0) {
			problem('warning', `${this.damaged} records are damaged`, 'they are left out');
		}
		if (this.withoutAddress > 0) {
			problem('warning', `${this.withoutAddress} samples have no address`, 'they are left out');
		}
		if (this.withCopiedStacks > 0 && wanted === 'all') {
			problem(
				'warning',
				`${this.withCopiedStacks} samples have copies of stacks (--call-graph dwarf), which only perf unwinds`,
				"their callers are the kernel's only; perf script tells the others",
			);
		}
		for (const { message, action } of this.stacks.problems()) {
			problem('warning', message, action);
		}
		if (read.traces > 0) {
			problem('warning', `${read.traces} records hold the trace of a processor`, 'they are left out; perf script tells what is in them');
		}
		if (this.processes.leftOut > 0) {
			problem('warning', `${this.processes.leftOut} mappings are more than processes have`, 'they are left out');
		}
		const mappedCode = this.processes.mappedCode();
		const { stacks, ...unwound } = this.stacks.build();
		const details: SampleDetails =
			wanted === 'none'
				? { ...NO_DETAILS, mappedCode }
				: {
						threads: { of: Int32Array.from(this.threadOf), threads: this.threads },
						stacks: wanted === 'all' ? stacks : null,
						...unwound,
						periods: this.periods.some((period) => period > 0) ? Float64Array.from(this.periods) : null,
						mappedCode,
						...(this.tops.isEmpty ? {} : { tops: this.tops.build() }),
					};
		return { ...details, samples: builder.build(), problems };
	}

	/** perf's own records at once, all others when their time has come. */
	private enqueue(piece: Piece, at: number, type: number, size: number): void {
		if (type >= OWN) {
			this.takeOwn(piece, at, type, size);
			return;
		}
		const time = this.timeOfRecord(piece.view, at, type, size);
		if (time < 0) {
			this.take(piece, at, type, size);
		} else if (type <= LOST_SAMPLES || type === KSYMBOL) {
			this.queue.add(time, piece, at);
		}
	}

	/** Nanoseconds since the first; -1: it has none. */
	private timeOfRecord(view: DataView, at: number, type: number, size: number): number {
		const event = this.eventOf(view, at, type, size);
		if (event < 0) {
			return -1;
		}
		const { timeAt, timeFromEnd } = this.events[event]!;
		const position = type === SAMPLE ? timeAt : timeFromEnd < 0 ? -1 : size - timeFromEnd;
		if (position < 8 || position + 8 > size) {
			return -1;
		}
		const high = view.getUint32(at + position + 4, true);
		const low = view.getUint32(at + position, true);
		if ((high === 0 && low === 0) || (high === 0xffffffff && low === 0xffffffff)) {
			return -1;
		}
		if (this.firstHigh < 0) {
			this.firstHigh = high;
			this.firstLow = low;
		}
		// Relative to the first record, so that nanoseconds since 1970 are exact too. Those before the first are in its order.
		return Math.max(0, (high - this.firstHigh) * 2 ** 32 + (low - this.firstLow) + 2 ** 52);
	}

	/** The event that a record is of; -1: none that is known. */
	private eventOf(view: DataView, at: number, type: number, size: number): number {
		const [first] = this.events;
		if (first === undefined) {
			return -1;
		}
		if (this.events.length === 1) {
			return 0;
		}
		const position = type === SAMPLE ? first.idAt : first.idFromEnd < 0 ? -1 : size - first.idFromEnd;
		if (position < 8 || position + 8 > size) {
			return 0;
		}
		const low = view.getInt32(at + position, true);
		const high = view.getInt32(at + position + 4, true);
		// The kernel numbers events one after the other.
		const slot = low & (KNOWN_IDS - 1);
		const { known } = this;
		if (known.low[slot] !== low || known.high[slot] !== high || known.event[slot] === UNKNOWN_EVENT) {
			const id = high * 2 ** 32 + (low >>> 0);
			known.event[slot] = id === 0 ? 0 : (this.eventOfId.get(id) ?? -1);
			known.low[slot] = low;
			known.high[slot] = high;
		}
		return known.event[slot]!;
	}

	private take(piece: Piece, at: number, type: number, size: number): void {
		const { view, bytes } = piece;
		const misc = view.getUint16(at + 4, true);
		switch (type) {
			case SAMPLE:
				this.takeSample(view, at, size, misc);
				return;
			case MMAP:
			case MMAP2:
				if (size > (type === MMAP ? 40 : 72)) {
					this.takeMapping(piece, at, size, misc, type === MMAP2);
				}
				return;
			case COMM:
				if (size > 16) {
					this.processes.name(view.getInt32(at + 8, true), view.getInt32(at + 12, true), textAt(bytes, at + 16, at + size), (misc & COMM_OF_EXEC) !== 0);
				}
				return;
			case FORK:
				if (size >= 24) {
					const number = (offset: number): number => view.getInt32(at + offset, true);
					this.processes.fork(number(8), number(16), number(12), number(20), (misc & FORK_OF_PERF) !== 0);
				}
				return;
			case LOST:
				this.lost += size >= 24 ? unsigned(view, at + 16) : 0;
				return;
			case LOST_SAMPLES:
				this.lost += size >= 16 ? unsigned(view, at + 8) : 0;
				return;
			case KSYMBOL:
				if (size > 24) {
					this.takeKernelSymbol(piece, at, size);
				}
				return;
			default:
		}
	}

	private takeSample(view: DataView, at: number, size: number, misc: number): void {
		const number = this.eventOf(view, at, SAMPLE, size);
		const event = this.events[number];
		if (event === undefined || event.restAt > size) {
			this.damaged++;
			return;
		}
		const { ipAt, tidAt, timeAt, addressAt, periodAt } = event;
		const processId = tidAt < 0 ? -1 : view.getInt32(at + tidAt, true);
		const threadId = tidAt < 0 ? -1 : view.getInt32(at + tidAt + 4, true);
		const space = this.processes.spaceOf(processId);
		this.stacks.begin();
		if (this.wanted === 'all' && event.hasStacks && !this.takeStack(view, at, size, event, space)) {
			this.damaged++;
			return;
		}
		if (ipAt < 0) {
			this.withoutAddress++;
			return;
		}
		const low = view.getInt32(at + ipAt, true);
		const high = view.getInt32(at + ipAt + 4, true);
		const code = this.spaceOfMode(misc & MODE, space);
		const known = this.know(code, low, high);
		const place = code.known.place[known]!;
		const time = timeAt < 0 ? 0 : secondsAt(view, at + timeAt);
		this.builder.addWords(time, low, high, this.eventNumber(number), place, processId);
		this.addresses?.touched.push(addressAt < 0 ? Number.NaN : signed(view, at + addressAt));
		if (this.wanted === 'none') {
			return;
		}
		this.threadOf.push(this.threadNumber(processId, threadId));
		this.periods.push(periodAt < 0 ? event.fixedPeriod : unsigned(view, at + periodAt));
		const mode = misc & MODE;
		const copy = event.registers > 0 && (mode === USER || mode === KERNEL) ? copiedStack(view, at, size, event) : null;
		if (copy !== null && (space.hasGenerated || this.unwinder === null)) {
			this.tops.take(copy, this.periods.length - 1, space, mode === KERNEL);
		}
		if (copy === null || space.isOfRuntime || this.unwinder === null) {
			this.withCopiedStacks += event.hasCopiedStacks ? 1 : 0;
		} else {
			const sampled = mode === KERNEL ? { known: code.known, at: known, address: high * 2 ** 32 + (low >>> 0) } : null;
			this.stacks.unwind(this.unwinder, copy, space, this.periods.length - 1, sampled);
		}
		this.stacks.end();
	}

	/** False where it does not fit into the record. */
	private takeStack(view: DataView, at: number, size: number, event: SampledEvent, space: AddressSpace): boolean {
		const start = event.hasRead ? skipReadFormat(view, at + event.restAt, at + size, event.readFormat) - at : event.restAt;
		if (!(start + 8 <= size)) {
			return false;
		}
		const count = unsigned(view, at + start);
		const end = start + 8 + 8 * count;
		if (!(end <= size)) {
			return false;
		}
		let code = space;
		for (let position = at + start + 8; position < at + end; position += 8) {
			const high = view.getInt32(position + 4, true);
			const low = view.getUint32(position, true);
			if (high === -1 && low >= 0xfffff001) {
				const context = low - 2 ** 32;
				if (context === CONTEXT_KERNEL) {
					code = this.processes.kernel;
				} else if (context === CONTEXT_USER) {
					code = space;
				} else if (context === CONTEXT_HYPERVISOR) {
					code = this.outside;
				} else {
					// What the kernel took for a return address was none: perf shows nothing of such a stack.
					this.stacks.begin();
					return true;
				}
				continue;
			}
			this.stacks.push({ known: code.known, at: this.know(code, low | 0, high), address: high * 2 ** 32 + low });
		}
		return true;
	}

	/** The position of an address among those that are known of the code in `of`. */
	private know(of: AddressSpace, low: number, high: number): number {
		const { known } = of;
		const position = known.find(low, high);
		return position >= 0 ? position : known.add(low, high, this.placeAt(of, high * 2 ** 32 + (low >>> 0)));
	}

	private spaceOfMode(mode: number, space: AddressSpace): AddressSpace {
		return mode === USER ? space : mode === KERNEL ? this.processes.kernel : this.outside;
	}

	private placeAt(space: AddressSpace, address: number): number {
		const mapping = space.find(address);
		if (mapping === null) {
			const name = space === this.processes.kernel ? KERNEL_NAME : UNKNOWN;
			return this.builder.placeNumber(`${UNKNOWN}\t${name}`, () => ({ symbol: UNKNOWN, library: name }));
		}
		const { library } = mapping;
		const symbol = this.symbolAt(space, address);
		let place = library.places.get(symbol);
		if (place === undefined) {
			place = this.builder.placeNumber(`${symbol}\t${library.name}`, () => ({ symbol, library: library.name }));
			library.places.set(symbol, place);
		}
		return place;
	}

	private symbolAt(space: AddressSpace, address: number): string {
		const mapping = space.find(address);
		return (mapping === null ? undefined : this.symbolsOf(mapping.library)?.find(address + mapping.shift)?.name) ?? UNKNOWN;
	}

	private symbolsOf(library: Library): LibrarySymbols | null {
		if (library.symbols === undefined) {
			library.symbols = this.help.symbols.symbolsOf(library);
		}
		return library.symbols;
	}

	private takeMapping({ view, bytes }: Piece, at: number, size: number, misc: number, isSecond: boolean): void {
		const processId = view.getInt32(at + 8, true);
		const start = signed(view, at + 16);
		const end = start + unsigned(view, at + 24);
		const offset = signed(view, at + 32);
		const fileName = textAt(bytes, at + (isSecond ? 72 : 40), at + size);
		const mode = misc & MODE;
		if (!(end > start)) {
			return;
		}
		if (mode === KERNEL) {
			const [name] = /^\[[^\]]*\]/.exec(fileName) ?? [];
			const isKernel = name?.startsWith('[kernel') === true;
			this.kernelText = isKernel ? offset : this.kernelText;
			const library = this.library({
				name: name ?? moduleName(fileName),
				buildId: this.header.buildIds.get(name ?? fileName) ?? null,
				inode: null,
				kernelText: this.kernelText,
			});
			this.processes.map(this.processes.kernel, { start, end: isKernel ? Math.max(end, 0) : end, shift: 0, library, isExecutable: true });
		} else if (mode === USER) {
			const hasBuildId = isSecond && (misc & MMAP_BUILD_ID) !== 0;
			const recorded = hasBuildId ? hexadecimal(bytes.subarray(at + 44, at + 44 + Math.min(bytes[at + 40]!, 20))) : null;
			const isExecutable = isSecond ? (view.getUint32(at + 64, true) & PROT_EXEC) !== 0 : (misc & MMAP_DATA) === 0;
			const isOfFile = !NO_FILE.test(fileName);
			const isGenerated = isExecutable && !isOfFile;
			const name = isGenerated ? `/tmp/perf-${processId}.map` : nameOfMapped(fileName);
			const library = this.library({
				name,
				buildId: recorded ?? this.header.buildIds.get(fileName) ?? null,
				inode: isSecond && !hasBuildId ? unsigned(view, at + 48) : null,
				kernelText: null,
			});
			if (isExecutable && isOfFile) {
				this.addresses?.mappings.push({ processId, start, sizeBytes: end - start, fileOffset: offset, isExecutable, file: name });
			}
			const shift = name === '[vdso]' ? -start : !isOfFile || name.startsWith('[') ? 0 : offset - start;
			const space = this.processes.spaceOf(processId);
			this.processes.map(space, { start, end, shift, library, isExecutable });
			if (isGenerated) {
				space.addGenerated(start, end);
			}
		}
	}

	/** Programs that were loaded into the kernel (BPF), and other code of it that comes and goes. */
	private takeKernelSymbol({ view, bytes }: Piece, at: number, size: number): void {
		const start = signed(view, at + 8);
		const end = start + view.getUint32(at + 16, true);
		const name = textAt(bytes, at + 24, at + size);
		const isGone = (view.getUint16(at + 22, true) & 1) !== 0;
		if (end > start && !isGone) {
			const library = this.library({ name, buildId: null, inode: null, kernelText: null });
			library.symbols = { find: () => ({ start: 0, end: end - start, name }) };
			this.processes.map(this.processes.kernel, { start, end, shift: -start, library, isExecutable: true });
		}
	}

	private library(told: MappedLibrary): Library {
		const key = `${told.name}\t${told.buildId}\t${told.inode}\t${told.kernelText}`;
		let library = this.libraries.get(key);
		if (library === undefined) {
			library = { ...told, symbols: undefined, places: new Map() };
			this.libraries.set(key, library);
		}
		return library;
	}

	private threadNumber(processId: number, threadId: number): number {
		const task = this.processes.task(processId, threadId);
		if (task.number < 0) {
			const key = `${threadId} ${task.name}`;
			const number = this.threadNumbers.get(key);
			task.number = number ?? this.threads.push({ name: task.name, id: threadId }) - 1;
			this.threadNumbers.set(key, task.number);
		}
		return task.number;
	}

	private eventNumber(number: number): number {
		this.eventNumbers[number] ??= eventNumber(this.builder, this.events[number]!.name);
		return this.eventNumbers[number]!;
	}

	/** What a pipe's records tell of events, which a file has in its header. */
	private takeOwn(piece: Piece, at: number, type: number, size: number): void {
		const { view, bytes } = piece;
		if (!this.header.isPipe || size < 16) {
			return;
		}
		const end = at + size;
		if (type === HEADER_ATTR) {
			const attributeBytes = view.getUint32(at + 12, true);
			if (attributeBytes >= 64 && 8 + attributeBytes <= size) {
				this.events.push(readAttributes(piece, at + 8, null, readIds(piece, at + 8 + attributeBytes, end)));
			}
		} else if (type === HEADER_FEATURE && unsigned(view, at + 8) === FEATURE_EVENT_DESC) {
			const names = readEventNames({ bytes: bytes.subarray(0, end), view }, at + 16);
			for (const [i, event] of this.events.entries()) {
				this.events[i] = { ...event, name: names[i] ?? event.name };
			}
		} else if (type === EVENT_UPDATE && size > 24 && unsigned(view, at + 8) === UPDATE_NAME) {
			const id = signed(view, at + 16);
			const i = this.events.findIndex(({ ids }) => ids.includes(id));
			if (i >= 0) {
				this.events[i] = { ...this.events[i]!, name: textAt(bytes, at + 24, end) };
			}
		} else {
			return;
		}
		this.eventNumbers = [];
		this.numberIds();
	}

	private numberIds(): void {
		this.known.event.fill(UNKNOWN_EVENT);
		for (const [number, { ids }] of this.events.entries()) {
			for (const id of ids) {
				this.eventOfId.set(id, number);
			}
		}
	}
}

/** `/lib/modules/…/nf-tables.ko.xz` is `[nf_tables]`. */
function moduleName(file: string): string {
	const [, name] = /^(.+?)\.ko(?:\.\w+)?$/.exec(file.slice(file.lastIndexOf('/') + 1)) ?? [];
	return name === undefined ? file : `[${name.replaceAll('-', '_')}]`;
}
