/**
 * Flight Recorder files (.jfr; JDK 9 and later, async-profiler, Mission Control's writer, native images): the samples in them, with stacks, threads
 * and times, and what they tell of the JVM's compilers. The format is not specified; this follows what HotSpot's reader and writers do
 * (jdk.jfr.internal.consumer, async-profiler's flightRecorder.cpp). Events are a size, a number of their type and their fields, as the chunk's metadata
 * describes them.
 *
 * Damage stays where it is: a chunk is walked from event to event; where that fails it goes on at the next checkpoint event that is known from the
 * chain of them. What is lost is told in problems.
 */
import { readRange, type Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';
import { type StackSamples, StackSamplesBuilder } from '../../model/stack-samples.js';
import { type Checkpoint, checkpointChain } from './checkpoint-chain.js';
import { endOfChunk } from './chunk-end.js';
import { type ChunkHeader, HEADER_BYTES, nextChunk, readChunkHeader } from './chunk-header.js';
import { COMPILER_FIELDS, CompilerEventLists, type JfrCompilerEvents } from './compiler-events.js';
import { Constants, type StackPool } from './constants.js';
import { type ConstantKey, JfrCursor, JfrDamage } from './cursor.js';
import { EventCounts, smallNumbers } from './event-counts.js';
import { CHECKPOINT_TYPE, eventHead, MAX_HEAD_BYTES, METADATA_TYPE, readEventHead } from './event-head.js';
import { type JfrJvmEvents, JVM_FIELDS, JvmEventLists } from './jvm-events.js';
import { type Layout, layoutOf, skipPart } from './layout.js';
import { type JfrField, type JfrType, metadataTypes } from './metadata.js';
import { Rows, Slot } from './rows.js';
import { keepConstants, type RawEvent, readWantedEvent, type WantedEventType, wantedEventType } from './wanted-events.js';
import { WINDOW_BYTES, Window } from './window.js';

/** A chunk of a recording; files are one or several. */
export interface JfrChunk {
	readonly offsetBytes: number;
	readonly sizeBytes: number;
	/** `2.1`. */
	readonly version: string;
	/** Nanoseconds since 1970. */
	readonly startEpochNs: bigint;
	readonly durationNs: number;
	readonly ticksPerSecond: number;
	/** Whether all of it could be read. */
	readonly isWhole: boolean;
}

/** Samples of a recording, and what else is in it. */
export interface JfrRecording {
	/** Events are called as in the file: `jdk.ExecutionSample`, `jdk.NativeMethodSample`, `jdk.CPUTimeSample`, `profiler.WallClockSample`. */
	readonly samples: StackSamples;
	readonly chunks: readonly JfrChunk[];
	/** How many events of each type there are, samples and others, by name. */
	readonly events: ReadonlyMap<string, number>;
	/** CPU-time samples that the JVM says it lost. */
	readonly lostCpuTimeSamples: number;
	/**
	 * When the JVM's clock stood at 0, in nanoseconds since 1970: HotSpot's ticks count from its start. null where another tool wrote the file:
	 * async-profiler counts from the machine's start.
	 */
	readonly jvmStartEpochNs: bigint | null;
	readonly problems: readonly Problem[];
}

/** Whether the first bytes of a file, as Latin-1, are those of this format. */
export function isJfr(head: string): boolean {
	return head.startsWith('FLR\0');
}

/** Never throws on content. */
export function readJfr(source: Source): JfrRecording {
	return new Reader(source, 'samples').read();
}

/**
 * What is read of a recording beside samples, each with all of the one before: of the JVM; its compilations; decisions, failures and traps; phases of the
 * compilers. The last two are most of a file.
 */
export const JFR_PARTS = ['jvm', 'compilations', 'compilers', 'phases'] as const;
export type JfrPart = (typeof JFR_PARTS)[number];

/** What a recording tells beside samples, and how many events of each kind it has. Lists of what was not asked for are empty. */
export interface JfrEvents extends JfrCompilerEvents, JfrJvmEvents, Pick<JfrRecording, 'chunks' | 'events' | 'jvmStartEpochNs' | 'problems'> {
	/** Kinds that the JVM has, whether there are events of them or not. */
	readonly declared: ReadonlySet<string>;
	/** When the recording begins and ends, in milliseconds since the JVM's start. */
	readonly startMs: number | null;
	readonly endMs: number | null;
}

/** Events that are no samples; those of no part are counted. Never throws on content. */
export function readJfrEvents(source: Source, part: JfrPart): JfrEvents {
	const reader = new Reader(source, part);
	const read = reader.read();
	const { chunks, events, jvmStartEpochNs, problems } = read;
	return { ...reader.compilers.build(), ...reader.jvm.build(), declared: reader.declared, chunks, events, jvmStartEpochNs, ...watched(read), problems };
}

function watched({ jvmStartEpochNs, chunks }: JfrRecording): { readonly startMs: number | null; readonly endMs: number | null } {
	const first = chunks[0];
	const last = chunks.at(-1);
	const msOf = (epochNs: bigint): number | null => (jvmStartEpochNs === null ? null : Number(epochNs - jvmStartEpochNs) / 1e6);
	return {
		startMs: first === undefined ? null : msOf(first.startEpochNs),
		endMs: last === undefined ? null : msOf(last.startEpochNs + BigInt(Math.round(last.durationNs))),
	};
}

/** Of events of the compilers; the others are decisions, failures and traps. */
const FIRST_PART: Readonly<Record<string, JfrPart>> = { 'jdk.Compilation': 'compilations', 'jdk.CompilerPhase': 'phases' };
const SAMPLE_EVENTS = new Set([
	'jdk.ExecutionSample',
	'jdk.NativeMethodSample',
	'jdk.CPUTimeSample',
	'profiler.WallClockSample',
	'datadog.ExecutionSample',
	'datadog.MethodSample',
]);
const LOST_EVENT = 'jdk.CPUTimeSamplesLost';
const MAX_LOADED_BYTES = 1 << 30;
const MAX_PROBLEMS = 100;
/** Of events that say nothing of a state; no constant has it. */
const NO_STATE = -1;

const SLOT_NAMES: Record<string, number> = {
	startTime: Slot.ticks,
	sampledThread: Slot.thread,
	eventThread: Slot.thread,
	stackTrace: Slot.stack,
	state: Slot.state,
	failed: Slot.failed,
	biased: Slot.biased,
	samples: Slot.weight,
	weight: Slot.weight,
	lostSamples: Slot.lost,
};

interface SampledEvent {
	readonly layout: Layout;
	/** For each part of the layout; -1: it is read over. */
	readonly slots: readonly number[];
	/** Number of the event's name. */
	readonly event: number;
	readonly isLost: boolean;
}

interface ChunkTypes {
	/** Events of the JVM's own that no other writer declares. */
	readonly isHotspot: boolean;
	readonly types: ReadonlyMap<number, JfrType>;
	readonly sampled: ReadonlyMap<number, SampledEvent>;
	/** Read by name: those of the compilers and of the JVM. */
	readonly named: ReadonlyMap<number, WantedEventType>;
	/** Whether a type is none of these; not told of all. */
	readonly isCountedOnly: (typeId: number) => boolean;
	readonly fields: { readonly threads: readonly JfrField[]; readonly stacks: readonly JfrField[]; readonly states: readonly JfrField[] };
}

class Reader {
	readonly compilers = new CompilerEventLists();
	readonly jvm = new JvmEventLists();
	readonly declared = new Set<string>();
	private readonly source: Source;
	private readonly wanted: 'samples' | JfrPart;
	private readonly builder = new StackSamplesBuilder();
	private readonly chunks: JfrChunk[] = [];
	private readonly events = new Map<string, number>();
	private readonly problems: Problem[] = [];
	private readonly window: Window;
	private lostCpuTimeSamples = 0;
	private jvmStartEpochNs: bigint | null = null;
	private moreProblems = 0;
	/** Of the last chunk with readable metadata, and the bytes that it was read from: chunks of a JVM mostly have the same. */
	private known: { readonly bytes: Uint8Array; readonly types: ChunkTypes } | null = null;

	constructor(source: Source, wanted: Reader['wanted']) {
		this.source = source;
		this.window = new Window(source);
		this.wanted = wanted;
	}

	read(): JfrRecording {
		const { source } = this;
		let before: ChunkHeader | null = null;
		for (let offset = 0; offset < source.sizeBytes; ) {
			const header: ChunkHeader | null = readChunkHeader(source, offset);
			if (header === null) {
				const next = nextChunk(source, offset + 1, before);
				this.problem(offset, `no chunk of Flight Recorder starts here (expected FLR and version 1 or 2)`, `${next - offset} bytes are read over`);
				offset = next;
				continue;
			}
			before = header;
			const { end, doubt } = endOfChunk(source, header);
			if (doubt !== null) {
				this.problem(offset, `the chunk does not end where its header says: ${doubt}`, 'its events are read as far as they are whole');
			} else if (!header.isFinished) {
				this.problem(
					offset,
					'the chunk is unfinished: the JVM was killed, or still writes it',
					'it is read up to what was flushed last, about a second before the end',
				);
			}
			if (this.chunks.length === 0) {
				this.builder.originEpochNs = header.startEpochNs;
			}
			const isWhole = this.readChunk(header, end);
			this.chunks.push({
				offsetBytes: offset,
				sizeBytes: end - offset,
				version: `${header.major}.${header.minor}`,
				startEpochNs: header.startEpochNs,
				durationNs: header.durationNs,
				ticksPerSecond: header.ticksPerSecond,
				isWhole: isWhole && doubt === null && header.isFinished,
			});
			offset = end;
		}
		if (this.moreProblems > 0) {
			this.problem(0, `${this.moreProblems} more places are damaged`, 'what can be read is read', true);
		}
		return {
			samples: this.builder.build(),
			chunks: this.chunks,
			events: this.events,
			lostCpuTimeSamples: this.lostCpuTimeSamples,
			jvmStartEpochNs: this.jvmStartEpochNs,
			problems: this.problems,
		};
	}

	/** Whether nothing was wrong with it. */
	private readChunk(header: ChunkHeader, end: number): boolean {
		const before = this.problems.length + this.moreProblems;
		const known = this.readTypes(header, end);
		if (known === null) {
			this.problem(header.offsetBytes, 'no metadata describes the events of the chunk', `its ${end - header.offsetBytes} bytes are not read`);
			return false;
		}
		if (this.jvmStartEpochNs === null && known.isHotspot && header.ticksPerSecond > 0 && header.startTicks >= 0) {
			this.jvmStartEpochNs = header.startEpochNs - BigInt(Math.round((header.startTicks / header.ticksPerSecond) * 1e9));
		}
		const rows = new Rows();
		const namedEvents: RawEvent[] = [];
		const { checkpoints, counts } = this.walk(header, end, known, rows, namedEvents);
		const constants = new Constants(known.types, known.fields);
		keepConstants(constants, known.named.values());
		const stackOf = this.readConstants(header, checkpoints, constants, rows);
		this.addRows(header, known, constants, rows, stackOf);
		const msPerTick = header.ticksPerSecond > 0 ? 1000 / header.ticksPerSecond : null;
		const msOf = (ticks: number): number | null => (msPerTick === null || !known.isHotspot ? null : ticks * msPerTick);
		for (const event of namedEvents) {
			const list = Object.hasOwn(COMPILER_FIELDS, event.type.name) ? this.compilers : this.jvm;
			list.add(event, { types: known.types, constants, msOf, msPerTick });
		}
		for (const [typeId, count] of counts.entries()) {
			const name =
				known.types.get(typeId)?.name ?? (typeId === METADATA_TYPE ? 'jdk.Metadata' : typeId === CHECKPOINT_TYPE ? 'jdk.Checkpoint' : `(unknown ${typeId})`);
			this.events.set(name, (this.events.get(name) ?? 0) + count);
		}
		if (constants.unresolved > 0) {
			this.problem(
				header.offsetBytes,
				`${constants.unresolved} references of ${this.wanted === 'samples' ? 'samples and stacks' : this.wanted === 'jvm' ? 'events of the JVM' : "the compilers' events"} name constants that the chunk does not hold`,
				'such threads have no name, such methods and stacks are (unknown)',
			);
		}
		return this.problems.length + this.moreProblems === before;
	}

	/** Where the header says, else wherever a metadata event is found, else those of the chunk before. */
	private readTypes(header: ChunkHeader, end: number): ChunkTypes | null {
		const said = header.offsetBytes + header.metadataOffset;
		const isSaid = header.metadataOffset >= HEADER_BYTES && said < end;
		const own = isSaid ? this.typesAt(header, said, end) : null;
		if (own !== null) {
			return own;
		}
		let found: ChunkTypes | null = null;
		const cursorAt = this.window.over(header, end);
		for (let at = header.offsetBytes + HEADER_BYTES; at < end; ) {
			const head = eventHead(cursorAt(at, MAX_HEAD_BYTES), end - at);
			if (head === null) {
				break;
			}
			found = (head.typeId === METADATA_TYPE ? this.typesAt(header, at, end) : null) ?? found;
			at += head.sizeBytes;
		}
		if (found === null && this.known !== null) {
			this.problem(said, 'the metadata of the chunk cannot be read', 'its events are read as the chunk before describes them');
			return this.known.types;
		}
		if (isSaid && found !== null) {
			this.problem(said, 'the metadata of the chunk cannot be read', 'older metadata of the chunk is taken');
		}
		return found;
	}

	private typesAt(header: ChunkHeader, at: number, end: number): ChunkTypes | null {
		const head = eventHead(new JfrCursor(readRange(this.source, at, Math.min(at + MAX_HEAD_BYTES, end)), header.isCompressed), end - at);
		if (head === null || head.typeId !== METADATA_TYPE || head.sizeBytes > MAX_LOADED_BYTES) {
			return null;
		}
		const bytes = readRange(this.source, at, at + head.sizeBytes);
		const cursor = new JfrCursor(bytes, header.isCompressed);
		try {
			eventHead(cursor, head.sizeBytes);
			cursor.long();
			cursor.long();
			cursor.long();
			const description = bytes.subarray(cursor.at);
			if (this.known !== null && Buffer.compare(this.known.bytes, description) === 0) {
				return this.known.types;
			}
			const types = this.sampledTypes(metadataTypes(cursor));
			this.known = { bytes: description, types };
			return types;
		} catch (error) {
			if (error instanceof JfrDamage) {
				return null;
			}
			throw error;
		}
	}

	private sampledTypes(types: ReadonlyMap<number, JfrType>): ChunkTypes {
		const names = new Set([...types.values()].map(({ name }) => name));
		const sampled = new Map<number, SampledEvent>();
		const named = new Map<number, WantedEventType>();
		const fields = { threads: [] as JfrField[], stacks: [] as JfrField[], states: [] as JfrField[] };
		for (const type of types.values()) {
			if (this.wanted !== 'samples') {
				this.declared.add(type.name);
				const wanted = this.fieldsWanted(type.name);
				if (wanted !== null) {
					named.set(type.id, wantedEventType(types, type, wanted));
				}
				continue;
			}
			const isLost = type.name === LOST_EVENT;
			if (!isLost && !SAMPLE_EVENTS.has(type.name)) {
				continue;
			}
			const layout = layoutOf(types, type);
			const slots = layout.map(({ name, kind }) => (kind === 'integer' || kind === 'byte' ? (SLOT_NAMES[name] ?? -1) : -1));
			sampled.set(type.id, { layout, slots, event: isLost ? 0 : this.builder.eventNumber(type.name), isLost });
			for (const field of isLost ? [] : type.fields) {
				const slot = field.isConstant ? SLOT_NAMES[field.name] : undefined;
				(slot === Slot.thread ? fields.threads : slot === Slot.stack ? fields.stacks : slot === Slot.state ? fields.states : []).push(field);
			}
		}
		return {
			isHotspot: names.has('jdk.SafepointBegin') && !names.has('profiler.WallClockSample') && !names.has('profiler.Log'),
			types,
			sampled,
			named,
			isCountedOnly: smallNumbers([...types.keys()].filter((id) => !sampled.has(id) && !named.has(id))),
			fields,
		};
	}

	/** null: the event is counted only. */
	private fieldsWanted(name: string): readonly string[] | null {
		const first = FIRST_PART[name] ?? 'compilers';
		const areWanted = this.wanted !== 'samples' && JFR_PARTS.indexOf(this.wanted) >= JFR_PARTS.indexOf(first);
		const fields = areWanted && Object.hasOwn(COMPILER_FIELDS, name) ? COMPILER_FIELDS : JVM_FIELDS;
		return Object.hasOwn(fields, name) ? fields[name]! : null;
	}

	/** Reads the samples, or the events that are read by name, and finds the checkpoints. */
	private walk(
		header: ChunkHeader,
		end: number,
		{ types, sampled, named, isCountedOnly }: ChunkTypes,
		rows: Rows,
		namedEvents: RawEvent[],
	): { checkpoints: Checkpoint[]; counts: EventCounts } {
		const boundaries = checkpointChain(this.source, header, end);
		const checkpoints: Checkpoint[] = [];
		const counts = new EventCounts();
		const head = { sizeBytes: 0, typeId: 0 };
		const cursorAt = this.window.over(header, end);
		let at = header.offsetBytes + HEADER_BYTES;
		/** How many samples were there before the first event since the last boundary that looks damaged; -1: none does. */
		let trusted = -1;
		let trustedEvents = 0;
		let boundary = 0;
		let badSamples = 0;
		while (at < end) {
			while (boundary < boundaries.length && boundaries[boundary]!.offset < at) {
				boundary++;
			}
			const next = boundaries[boundary];
			if (next?.offset === at) {
				trusted = -1;
			}
			const limit = next !== undefined && next.offset > at ? next.offset : end;
			const cursor = cursorAt(at, MAX_HEAD_BYTES);
			if (!readEventHead(cursor, limit - at, head)) {
				const lost = rows.length - (trusted < 0 ? rows.length : trusted);
				rows.length -= lost;
				const lostEvents = trusted < 0 ? 0 : namedEvents.length - trustedEvents;
				namedEvents.length -= lostEvents;
				trusted = -1;
				const untrusted = lost + lostEvents === 0 ? null : `${lost + lostEvents} ${this.eventsInWords}`;
				this.problem(
					at,
					`no event can be read here${untrusted === null ? '' : `, and ${untrusted} before it are not to be trusted`}`,
					limit === end ? `the last ${end - at} bytes of the chunk are lost` : `${limit - at} bytes are lost: it goes on at the next known event`,
				);
				at = limit;
				continue;
			}
			const { typeId, sizeBytes } = head;
			counts.add(typeId);
			if (typeId === CHECKPOINT_TYPE) {
				checkpoints.push({ offset: at, sizeBytes });
			} else if (typeId !== METADATA_TYPE && !isCountedOnly(typeId)) {
				const event = sampled.get(typeId);
				const byName = named.get(typeId);
				if (byName !== undefined) {
					const read = sizeBytes <= WINDOW_BYTES ? readWantedEvent(cursorAt(at, sizeBytes), sizeBytes, byName) : null;
					badSamples += read === null ? 1 : 0;
					if (read !== null) {
						namedEvents.push(read);
					}
				} else if (event !== undefined) {
					const isRead = sizeBytes <= WINDOW_BYTES && this.readSample(cursorAt(at, sizeBytes), sizeBytes, event, rows);
					badSamples += isRead ? 0 : 1;
				} else if (!types.has(typeId) && trusted < 0) {
					trusted = rows.length;
					trustedEvents = namedEvents.length;
				}
			}
			at += sizeBytes;
		}
		if (badSamples > 0) {
			this.problem(header.offsetBytes, `${badSamples} ${this.eventsInWords} are not as the metadata describes them`, 'they are left out');
		}
		return { checkpoints, counts };
	}

	/** The cursor stands at the event. */
	private readSample(cursor: JfrCursor, sizeBytes: number, { layout, slots, event, isLost }: SampledEvent, rows: Rows): boolean {
		const end = cursor.at + sizeBytes;
		const { values } = rows;
		values[Slot.ticks] = Number.NaN;
		values[Slot.failed] = 0;
		values[Slot.biased] = 0;
		values[Slot.weight] = 1;
		values[Slot.lost] = 0;
		let thread: ConstantKey = 0;
		let stack: ConstantKey = 0;
		let state: ConstantKey = NO_STATE;
		try {
			cursor.int();
			cursor.long();
			for (let i = 0; i < slots.length; i++) {
				const slot = slots[i]!;
				const part = layout[i]!;
				if (slot < 0) {
					skipPart(cursor, part);
				} else if (part.kind === 'byte') {
					values[slot] = cursor.byte();
				} else if (part.sizeBytes < 8 && !cursor.isCompressed) {
					values[slot] = part.sizeBytes === 4 ? cursor.int() : (cursor.byte() << 8) | cursor.byte();
				} else if (slot === Slot.thread) {
					thread = cursor.key();
				} else if (slot === Slot.stack) {
					stack = cursor.key();
				} else if (slot === Slot.state) {
					state = cursor.key();
				} else {
					values[slot] = cursor.long();
				}
			}
		} catch (error) {
			if (error instanceof JfrDamage) {
				return false;
			}
			throw error;
		}
		if (cursor.at > end) {
			return false;
		}
		if (isLost) {
			this.lostCpuTimeSamples += Math.max(0, values[Slot.lost]!);
		} else {
			rows.add(event, thread, values[Slot.failed] === 0 ? stack : 0, state);
		}
		return true;
	}

	/** Fills the constants; gives for each stack of the rows its number, -1 where it is not there. */
	private readConstants(header: ChunkHeader, checkpoints: readonly Checkpoint[], constants: Constants, rows: Rows): Int32Array {
		const stackOf = new Int32Array(rows.stacks.keys.length).fill(-1);
		const pools: { checkpoint: Checkpoint; pool: StackPool }[] = [];
		const isWanted = (key: ConstantKey): boolean => rows.stacks.numbers.has(key);
		const load = (checkpoint: Checkpoint): JfrCursor =>
			new JfrCursor(readRange(this.source, checkpoint.offset, checkpoint.offset + checkpoint.sizeBytes), header.isCompressed);
		const damaged = ({ offset }: Checkpoint, error: unknown): void => {
			if (!(error instanceof JfrDamage)) {
				throw error;
			}
			this.problem(offset, `constants cannot be read: ${error.message}`, 'those before it are kept');
		};
		let last: { checkpoint: Checkpoint; cursor: JfrCursor } | null = null;
		for (const checkpoint of checkpoints) {
			if (checkpoint.sizeBytes > MAX_LOADED_BYTES) {
				this.problem(checkpoint.offset, `a checkpoint event has ${checkpoint.sizeBytes} bytes`, 'its constants are not read');
				continue;
			}
			const cursor = load(checkpoint);
			last = { checkpoint, cursor };
			try {
				eventHead(cursor, checkpoint.sizeBytes);
				constants.readCheckpoint(cursor, (pool) => pools.push({ checkpoint, pool }));
			} catch (error) {
				damaged(checkpoint, error);
			}
		}
		for (const { checkpoint, pool } of pools) {
			const cursor: JfrCursor = last?.checkpoint === checkpoint ? last.cursor : load(checkpoint);
			last = { checkpoint, cursor };
			cursor.at = pool.at;
			try {
				constants.readStacks(cursor, pool, this.builder, isWanted, (key, stack) => {
					stackOf[rows.stacks.numbers.get(key)!] = stack;
				});
			} catch (error) {
				// The first reading told of it.
				if (!(error instanceof JfrDamage)) {
					throw error;
				}
			}
		}
		return stackOf;
	}

	private addRows(header: ChunkHeader, { fields }: ChunkTypes, constants: Constants, rows: Rows, stackOf: Int32Array): void {
		const { builder } = this;
		const [threadField] = fields.threads;
		const [stateField] = fields.states;
		const threads = rows.threads.keys.map((key) => {
			const thread = threadField === undefined ? null : constants.thread(threadField, key);
			return builder.threadNumber(thread?.name ?? null, thread?.id ?? -1);
		});
		const states = rows.states.keys.map((key) => builder.stateNumber(stateField === undefined || key === NO_STATE ? '' : constants.state(stateField, key)));
		const missing = new Set(rows.stacks.keys.flatMap((key, i) => (stackOf[i]! < 0 && key !== 0 ? [i] : [])));
		constants.unresolved += missing.size;
		const nsPerTick = header.ticksPerSecond > 0 ? 1e9 / header.ticksPerSecond : Number.NaN;
		if (Number.isNaN(nsPerTick)) {
			this.problem(header.offsetBytes, `the chunk has ${header.ticksPerSecond} ticks per second`, 'its samples have no times');
		}
		const startNs = Number(header.startEpochNs - builder.originEpochNs);
		for (let i = 0; i < rows.length; i++) {
			builder.add({
				timeNs: startNs + (rows.ticks[i]! - header.startTicks) * nsPerTick,
				event: rows.event[i]!,
				thread: threads[rows.thread[i]!]!,
				stack: stackOf[rows.stack[i]!]!,
				state: states[rows.state[i]!]!,
				weight: rows.weight[i]!,
				isBiased: rows.isBiased[i] === 1,
			});
		}
	}

	private get eventsInWords(): string {
		return this.wanted === 'samples' ? 'samples' : this.wanted === 'jvm' ? 'events of the JVM' : 'events of the compilers';
	}

	private problem(offsetBytes: number, message: string, action: string, isLast = false): void {
		if (this.problems.length >= MAX_PROBLEMS && !isLast) {
			this.moreProblems++;
			return;
		}
		this.problems.push({ severity: 'warning', file: this.source.name, offsetBytes, message, action });
	}
}
