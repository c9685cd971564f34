/**
 * Constant pools of a chunk: threads, stacks, methods, names. They stand in checkpoint events, of which a chunk has several; each entry is a key
 * and a value, and values name others by key. Stacks are read again at the end, when what they name is known, and only those that samples name.
 */
import { UNKNOWN_ROW } from '../../model/frame-rows.js';
import type { StackSamplesBuilder } from '../../model/stack-samples.js';
import { javaHolder, rowOfRecordedFrame } from '../shared/java/frame-spelling.js';
import { type ConstantKey, type JfrCursor, JfrDamage } from './cursor.js';
import { type JfrValue, type Layout, layoutOf, readValue, selectionOf, skipPart, skipValue } from './layout.js';
import type { JfrField, JfrType } from './metadata.js';

/** A pool of stacks inside a checkpoint event. */
export interface StackPool {
	/** Of its first entry, in the bytes of the event. */
	readonly at: number;
	readonly count: number;
	readonly layout: Layout;
}

export interface RecordedMethod {
	readonly holder: string;
	readonly name: string;
	readonly descriptor: string | null;
	/** The number of its class; 0 where there is none. */
	readonly classId: number;
}

interface RecordedThread {
	readonly name: string | null;
	readonly id: number;
}

interface Pool {
	readonly wanted: readonly string[];
	readonly values: Map<ConstantKey, JfrValue[]>;
	/** Those that were asked for, put together. */
	readonly methods: Map<ConstantKey, RecordedMethod>;
	readonly threads: Map<ConstantKey, RecordedThread>;
}

/** What of each kind of constant is kept, in the order of its values. */
const METHOD = ['type', 'name', 'descriptor'];
const THREAD = ['javaName', 'osName', 'osThreadId'];
const STRING_LAYOUT: Layout = [{ name: 'string', kind: 'string', sizeBytes: 0, elements: [], integers: 0 }];
const STRING_TYPE = 'java.lang.String';
/** Names are strings, or symbols that hold strings, or keys of either. */
const MAX_STEPS = 4;
const PC = /^0x[0-9a-f]{1,16}$/;

export class Constants {
	/** Constants that were named and are not there. */
	unresolved = 0;
	private readonly types: ReadonlyMap<number, JfrType>;
	private readonly layouts = new Map<number, Layout>();
	private readonly pools = new Map<number, Pool>();
	private readonly stackTypes = new Set<number>();
	private readonly strings: Pool = newPool(['string']);
	private readonly frameNumbers = new Map<ConstantKey, Map<number, number>>();
	private methodField: JfrField | undefined;
	private kindField: JfrField | undefined;

	/** `fields` are those of sampled events that name threads, stacks and states. */
	constructor(types: ReadonlyMap<number, JfrType>, fields: { threads: readonly JfrField[]; stacks: readonly JfrField[]; states: readonly JfrField[] }) {
		this.types = types;
		for (const type of types.values()) {
			if (type.name === STRING_TYPE) {
				this.pools.set(type.id, this.strings);
				this.layouts.set(type.id, STRING_LAYOUT);
			}
		}
		for (const field of fields.threads) {
			this.keepThread(field);
		}
		for (const { typeId } of fields.states) {
			this.keep(typeId, ['name']);
		}
		for (const { typeId } of fields.stacks) {
			this.stackTypes.add(typeId);
			const frame = types.get(fieldOf(types.get(typeId), 'frames')?.typeId ?? -1);
			this.methodField = fieldOf(frame, 'method') ?? this.methodField;
			this.kindField = fieldOf(frame, 'type') ?? this.kindField;
		}
		if (this.kindField !== undefined) {
			this.keep(this.kindField.typeId, ['description']);
		}
		if (this.methodField !== undefined) {
			this.keepMethod(this.methodField);
		}
	}

	/** Keeps the methods that a field names, with their holders. */
	keepMethod({ typeId }: JfrField): void {
		const method = this.keep(typeId, METHOD);
		const holder = this.keep(fieldOf(method, 'type')?.typeId ?? -1, ['name']);
		for (const field of [fieldOf(holder, 'name'), fieldOf(method, 'name'), fieldOf(method, 'descriptor')]) {
			if (field?.isConstant) {
				this.keep(field.typeId, ['string']);
			}
		}
	}

	keepThread({ typeId }: JfrField): void {
		this.keep(typeId, THREAD);
	}

	/** Keeps constants that are a word: reasons, actions, compilers. */
	keepText({ typeId }: JfrField): void {
		const first = this.types.get(typeId)?.fields[0];
		if (first !== undefined) {
			this.keep(typeId, [first.name]);
		}
	}

	/**
	 * Reads the pools of a checkpoint event; the cursor stands behind its type. `stacks` takes the pools of stacks, which are read later. Throws
	 * a {@link JfrDamage}: what came before it is kept.
	 */
	readCheckpoint(cursor: JfrCursor, stacks: (pool: StackPool) => void): void {
		readCheckpointHead(cursor);
		for (let left = cursor.int(); left > 0; left--) {
			const typeId = Number(cursor.key());
			const layout = this.layout(typeId);
			const count = cursor.length();
			if (this.stackTypes.has(typeId)) {
				stacks({ at: cursor.at, count, layout });
			}
			const pool = this.pools.get(typeId);
			const selection = pool === undefined ? null : selectionOf(layout, pool.wanted);
			for (let i = 0; i < count; i++) {
				if (pool === undefined || selection === null) {
					cursor.key();
					skipValue(cursor, layout);
				} else {
					const key = cursor.key();
					pool.values.set(key, readValue(cursor, selection));
				}
			}
		}
	}

	/** Reads the stacks of a pool that somebody wants, and gives their numbers. Throws a {@link JfrDamage}. */
	readStacks(
		cursor: JfrCursor,
		{ count, layout }: StackPool,
		builder: StackSamplesBuilder,
		isWanted: (key: ConstantKey) => boolean,
		found: (key: ConstantKey, stack: number) => void,
	): void {
		const frames: number[] = [];
		const wanted = ['frames.method', 'frames.lineNumber', 'frames.bytecodeIndex', 'frames.type'];
		const selections = layout.map(({ elements }) => selectionOf(elements, wanted));
		for (let i = 0; i < count; i++) {
			const key = cursor.key();
			if (!isWanted(key)) {
				skipValue(cursor, layout);
				continue;
			}
			let isTruncated = false;
			frames.length = 0;
			for (const [at, part] of layout.entries()) {
				if (part.kind === 'byte' && part.name === 'truncated') {
					isTruncated = cursor.byte() !== 0;
				} else if (part.kind === 'array' && part.name === 'frames') {
					for (let left = cursor.length(); left > 0; left--) {
						const [method = 0, line, bci, kind] = readValue(cursor, selections[at]!);
						const frame = this.frame(builder, keyOf(method), integerOf(line), integerOf(bci), keyOf(kind));
						if (frame >= 0) {
							frames.push(frame);
						}
					}
				} else {
					skipPart(cursor, part);
				}
			}
			found(key, builder.stackNumber(frames, frames.length, isTruncated));
		}
	}

	/** null: there is no such thread. */
	thread(field: JfrField, key: ConstantKey): RecordedThread | null {
		const pool = this.pools.get(field.typeId);
		const kept = pool?.threads.get(key);
		if (kept !== undefined) {
			return kept;
		}
		const values = pool?.values.get(key);
		if (pool === undefined || values === undefined) {
			this.unresolved += isNull(key) ? 0 : 1;
			return null;
		}
		const type = this.types.get(field.typeId);
		const [javaName, osName, osThreadId] = values;
		const name = this.text(fieldOf(type, 'javaName'), javaName) || this.text(fieldOf(type, 'osName'), osName);
		const thread = { name, id: osThreadId === undefined ? -1 : integerOf(osThreadId) };
		pool.threads.set(key, thread);
		return thread;
	}

	/** Empty: unknown. */
	state(field: JfrField, key: ConstantKey): string {
		return this.named(field.typeId, key) ?? '';
	}

	/** A constant that is a word; null: there is no such constant. */
	constantText(field: JfrField, key: ConstantKey): string | null {
		return this.named(field.typeId, key);
	}

	/** A value that is a string, or names one. */
	string(value: JfrValue): string | null {
		return typeof value === 'number' || typeof value === 'bigint' ? null : this.text(undefined, value);
	}

	/** As the file spells it, each the same object; null: there is no such method. */
	method({ typeId }: JfrField, key: ConstantKey): RecordedMethod | null {
		const pool = this.pools.get(typeId);
		const kept = pool?.methods.get(key);
		if (kept !== undefined) {
			return kept;
		}
		const values = pool?.values.get(key);
		if (pool === undefined || values === undefined) {
			this.unresolved += isNull(key) ? 0 : 1;
			return null;
		}
		const type = this.types.get(typeId);
		const [typeKey, nameValue, descriptorValue] = values;
		const holderField = fieldOf(type, 'type');
		const method = {
			holder: holderField === undefined ? '' : (this.named(holderField.typeId, keyOf(typeKey)) ?? ''),
			name: this.text(fieldOf(type, 'name'), nameValue) ?? '',
			descriptor: this.text(fieldOf(type, 'descriptor'), descriptorValue) || null,
			classId: Number(keyOf(typeKey)),
		};
		pool.methods.set(key, method);
		return method;
	}

	/** -1: an address that async-profiler puts in as a frame of its own. */
	private frame(builder: StackSamplesBuilder, method: ConstantKey, line: number, bci: number, kind: ConstantKey): number {
		let ofMethod = this.frameNumbers.get(method);
		if (ofMethod === undefined) {
			ofMethod = new Map();
			this.frameNumbers.set(method, ofMethod);
		}
		const place = ((line & 0xfffff) * 0x10000 + (bci & 0xffff)) * 0x100 + (Number(kind) & 0xff);
		let number = ofMethod.get(place);
		if (number === undefined) {
			number = this.newFrame(builder, method, line, bci, kind);
			ofMethod.set(place, number);
		}
		return number;
	}

	private newFrame(builder: StackSamplesBuilder, method: ConstantKey, line: number, bci: number, kind: ConstantKey): number {
		const kindName = this.kindField === undefined ? '' : (this.named(this.kindField.typeId, kind) ?? '');
		const found = this.methodField === undefined ? null : this.method(this.methodField, method);
		if (found === null) {
			return builder.frameNumber(builder.methodNumber('?', null, UNKNOWN_ROW), -1, -1, kindName);
		}
		const { holder, name, descriptor, classId } = found;
		const row = rowOfRecordedFrame(kindName, holder, name, descriptor);
		if (row === null) {
			const full = holder === '' ? name : `${javaHolder(holder)}.${name}`;
			return builder.frameNumber(builder.methodNumber(full, descriptor, full, classId), line > 0 ? line : -1, bci, kindName);
		}
		if (PC.test(name)) {
			return -1;
		}
		return builder.frameNumber(builder.methodNumber(holder === '' ? name : `${holder}\`${name}`, null, row), -1, -1, kindName);
	}

	/** The first value that is kept of a constant, as text. */
	private named(typeId: number, key: ConstantKey): string | null {
		const pool = this.pools.get(typeId);
		const values = pool?.values.get(key);
		if (pool === undefined || values === undefined) {
			this.unresolved += isNull(key) ? 0 : 1;
			return null;
		}
		return this.text(fieldOf(this.types.get(typeId), pool.wanted[0]!), values[0]);
	}

	private text(field: JfrField | undefined, value: JfrValue): string | null {
		let at: JfrField | undefined = field;
		let current = value;
		for (let step = 0; step < MAX_STEPS; step++) {
			if (typeof current === 'string') {
				return current;
			}
			if (current === undefined || current === null) {
				return null;
			}
			const isKeyOfString = typeof current === 'object';
			const key: ConstantKey = typeof current === 'object' ? current.key : current;
			const pool: Pool | undefined = isKeyOfString ? this.strings : at?.isConstant ? this.pools.get(at.typeId) : undefined;
			const values = pool?.values.get(key);
			if (pool === undefined || values === undefined) {
				this.unresolved += isNull(key) ? 0 : 1;
				return null;
			}
			at = isKeyOfString ? undefined : fieldOf(this.types.get(at?.typeId ?? -1), pool.wanted[0]!);
			current = values[0];
		}
		return null;
	}

	private keep(typeId: number, wanted: readonly string[]): JfrType | undefined {
		const type = this.types.get(typeId);
		if (type !== undefined && !this.pools.has(typeId)) {
			this.pools.set(typeId, newPool(wanted));
		}
		return type;
	}

	private layout(typeId: number): Layout {
		let layout = this.layouts.get(typeId);
		if (layout === undefined) {
			const type = this.types.get(typeId);
			if (type === undefined) {
				throw new JfrDamage(`a pool holds constants of an unknown type ${typeId}`);
			}
			layout = layoutOf(this.types, type);
			this.layouts.set(typeId, layout);
		}
		return layout;
	}
}

function newPool(wanted: readonly string[]): Pool {
	return { wanted, values: new Map(), methods: new Map(), threads: new Map() };
}

/** What comes before the pools; the result is the way to the checkpoint before, 0 where there is none. */
export function readCheckpointHead(cursor: JfrCursor): number {
	cursor.long();
	cursor.long();
	const delta = cursor.long();
	cursor.byte();
	return delta;
}

function fieldOf(type: JfrType | undefined, name: string): JfrField | undefined {
	return type?.fields.find((field) => field.name === name);
}

function keyOf(value: JfrValue): ConstantKey {
	return typeof value === 'number' || typeof value === 'bigint' ? value : 0;
}

function integerOf(value: JfrValue): number {
	return Number(keyOf(value)) | 0;
}

function isNull(key: ConstantKey): boolean {
	return key === 0;
}
