/** Small Flight Recorder files, made up chunk by chunk: types are named, their numbers and the metadata follow. */

/** A field as `long`, `java.lang.String`, `jdk.types.StackFrame[]`; with `@` before it the key of a constant of that type. */
type MadeTypes = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** In the order of the fields; a constant by its key, a nested value or an array as an array. */
export type MadeValue = number | bigint | string | null | Uint8Array | readonly MadeValue[];

/** What a chunk is made of: an event with its values, a checkpoint with constants by type and key, or bytes as they are. */
export type MadePart =
	| { readonly event: string; readonly values: readonly MadeValue[] }
	| { readonly constants: Readonly<Record<string, readonly (readonly [key: number | bigint, ...values: MadeValue[]])[]>> }
	| { readonly bytes: Uint8Array };

export interface MadeChunk {
	readonly types?: MadeTypes;
	readonly parts: readonly MadePart[];
	/** Integers of fixed size instead of LEB128. */
	readonly isFixed?: boolean;
	readonly hasMetadata?: boolean;
	/** Fields of the header that are not as they should be, by their offset. */
	readonly header?: Readonly<Record<number, number | bigint>>;
}

export const SIZE_AT = 8;
export const METADATA_AT = 24;
export const START_EPOCH_AT = 32;
export const DURATION_AT = 40;
export const START_TICKS_AT = 48;
export const TICKS_PER_SECOND_AT = 56;
const HEADER_BYTES = 68;

const PRIMITIVES = ['boolean', 'byte', 'short', 'char', 'int', 'long', 'float', 'double', 'java.lang.String'];

/** What samples name, as HotSpot declares it. */
export const SAMPLE_TYPES = {
	'java.lang.Thread': { osName: 'java.lang.String', osThreadId: 'long', javaName: 'java.lang.String' },
	'jdk.types.Symbol': { string: 'java.lang.String' },
	'java.lang.Class': { name: '@jdk.types.Symbol' },
	'jdk.types.Method': { type: '@java.lang.Class', name: '@jdk.types.Symbol', descriptor: '@jdk.types.Symbol', hidden: 'boolean' },
	'jdk.types.FrameType': { description: 'java.lang.String' },
	'jdk.types.StackFrame': { method: '@jdk.types.Method', lineNumber: 'int', bytecodeIndex: 'int', type: '@jdk.types.FrameType' },
	'jdk.types.StackTrace': { truncated: 'boolean', frames: 'jdk.types.StackFrame[]' },
	'jdk.types.ThreadState': { name: 'java.lang.String' },
	'jdk.ExecutionSample': {
		startTime: 'long',
		sampledThread: '@java.lang.Thread',
		stackTrace: '@jdk.types.StackTrace',
		state: '@jdk.types.ThreadState',
	},
} as const satisfies MadeTypes;

/** The JVM's own: with it the clock of the events is that of the JVM. */
export const SAFEPOINT_TYPE = {
	'jdk.SafepointBegin': { startTime: 'long', duration: 'long', safepointId: 'long', totalThreadCount: 'int' },
} as const satisfies MadeTypes;

/** A chunk that starts at 1 s since 1970 and at 500 ticks of 1000 a second, and lasts 2 s, unless its header says otherwise. */
export function jfrChunk({ types = SAMPLE_TYPES, parts, isFixed = false, hasMetadata = true, header = {} }: MadeChunk): Buffer {
	const ids = new Map([...PRIMITIVES, ...Object.keys(types)].map((name, i) => [name, i + 100]));
	const written: Buffer[] = [Buffer.alloc(HEADER_BYTES)];
	let at = HEADER_BYTES;
	let lastCheckpoint = 0;
	const put = (bytes: Uint8Array): void => {
		written.push(Buffer.from(bytes));
		at += bytes.length;
	};
	for (const part of parts) {
		if ('bytes' in part) {
			put(part.bytes);
		} else if ('event' in part) {
			const body = new Bytes(isFixed);
			const fields = Object.values(types[part.event] ?? {});
			for (const [i, value] of part.values.entries()) {
				body.value(types, fields[i] ?? 'long', value);
			}
			put(jfrEvent(ids.get(part.event) ?? 0, body.all(), isFixed));
		} else {
			const body = new Bytes(isFixed);
			body.long(0).long(0);
			body.long(lastCheckpoint === 0 ? 0 : lastCheckpoint - at).byte(0);
			const pools = Object.entries(part.constants);
			body.int(pools.length);
			for (const [type, constants] of pools) {
				body.long(ids.get(type) ?? 0).int(constants.length);
				for (const [key, ...values] of constants) {
					body.long(key);
					const fields = type === 'java.lang.String' ? [type] : Object.values(types[type] ?? {});
					for (const [i, value] of values.entries()) {
						body.value(types, fields[i] ?? 'long', value);
					}
				}
			}
			lastCheckpoint = at;
			put(jfrEvent(1, body.all(), isFixed));
		}
	}
	const metadataAt = at;
	if (hasMetadata) {
		put(jfrEvent(0, metadata(types, ids, isFixed), isFixed));
	}
	const bytes = Buffer.concat(written);
	bytes.write('FLR\0', 0, 'latin1');
	bytes.writeUInt16BE(2, 4);
	bytes.writeUInt16BE(1, 6);
	const usual = [at, lastCheckpoint, hasMetadata ? metadataAt : 0, 1_000_000_000, 2_000_000_000, 500, 1000];
	for (const [i, value] of usual.entries()) {
		bytes.writeBigInt64BE(BigInt(header[SIZE_AT + 8 * i] ?? value), SIZE_AT + 8 * i);
	}
	bytes[64] = Number(header[64] ?? 0);
	bytes[67] = isFixed ? 0 : 1;
	return bytes;
}

/** Size, number of the type, and what is behind them. */
export function jfrEvent(typeId: number, body: Uint8Array, isFixed = false): Buffer {
	const type = new Bytes(isFixed).long(typeId).all();
	const size = 4 + type.length + body.length;
	// Four bytes of LEB128 also for a small size, as HotSpot writes it.
	const head = isFixed
		? Buffer.from(Int32Array.of(size).buffer).reverse()
		: Buffer.of((size & 0x7f) | 0x80, ((size >> 7) & 0x7f) | 0x80, ((size >> 14) & 0x7f) | 0x80, size >> 21);
	return Buffer.concat([head, type, body]);
}

function metadata(types: MadeTypes, ids: ReadonlyMap<string, number>, isFixed: boolean): Buffer {
	const strings: string[] = [];
	const tree = new Bytes(isFixed);
	const string = (text: string): number => (strings.includes(text) ? strings.indexOf(text) : strings.push(text) - 1);
	const element = (name: string, attributes: Record<string, string>, children: number): void => {
		const pairs = Object.entries(attributes);
		tree.int(string(name)).int(pairs.length);
		for (const [key, value] of pairs) {
			tree.int(string(key)).int(string(value));
		}
		tree.int(children);
	};
	element('root', {}, 1);
	element('metadata', {}, ids.size);
	for (const [name, id] of ids) {
		const fields = Object.entries(types[name] ?? {});
		element('class', { name, id: String(id) }, fields.length);
		for (const [field, spelled] of fields) {
			const { type, isConstant, isArray } = fieldType(spelled);
			const attributes = { name: field, class: String(ids.get(type) ?? 999), ...(isConstant ? { constantPool: 'true' } : {}) };
			element('field', isArray ? { ...attributes, dimension: '1' } : attributes, 0);
		}
	}
	const body = new Bytes(isFixed).long(0).long(0).long(1).int(strings.length);
	for (const text of strings) {
		body.string(text);
	}
	return Buffer.concat([body.all(), tree.all()]);
}

function fieldType(spelled: string): { readonly type: string; readonly isConstant: boolean; readonly isArray: boolean } {
	return { type: spelled.replace(/^@|\[\]$/g, ''), isConstant: spelled.startsWith('@'), isArray: spelled.endsWith('[]') };
}

/** Numbers and strings one behind the other. */
export class Bytes {
	private readonly bytes: number[] = [];
	private readonly isFixed: boolean;

	constructor(isFixed = false) {
		this.isFixed = isFixed;
	}

	all(): Buffer {
		return Buffer.from(this.bytes);
	}

	byte(value: number): this {
		this.bytes.push(value & 0xff);
		return this;
	}

	long(value: number | bigint): this {
		return this.integer(BigInt(value), 8);
	}

	int(value: number): this {
		return this.integer(BigInt(value), 4);
	}

	/** As UTF-8; null is a string that is not there. */
	string(text: string | null): this {
		if (text === null) {
			return this.byte(0);
		}
		const utf8 = Buffer.from(text);
		this.byte(3).int(utf8.length);
		this.bytes.push(...utf8);
		return this;
	}

	value(types: MadeTypes, spelled: string, value: MadeValue): void {
		const { type, isConstant, isArray } = fieldType(spelled);
		if (value instanceof Uint8Array) {
			this.bytes.push(...value);
		} else if (isArray && Array.isArray(value)) {
			this.int(value.length);
			for (const element of value) {
				this.value(types, isConstant ? `@${type}` : type, element);
			}
		} else if (Array.isArray(value)) {
			const fields = Object.values(types[type] ?? {});
			for (const [i, part] of value.entries()) {
				this.value(types, fields[i] ?? 'long', part);
			}
		} else if (typeof value === 'string' || value === null) {
			this.string(value);
		} else if (type === 'boolean' || type === 'byte') {
			this.byte(Number(value));
		} else {
			this.integer(BigInt(value as number | bigint), isConstant ? 8 : ({ short: 2, char: 2, int: 4 }[type] ?? 8));
		}
	}

	private integer(value: bigint, fixedBytes: number): this {
		if (this.isFixed) {
			for (let shift = 8 * (fixedBytes - 1); shift >= 0; shift -= 8) {
				this.byte(Number((value >> BigInt(shift)) & 0xffn));
			}
			return this;
		}
		let left = BigInt.asUintN(64, value);
		for (let i = 0; i < 8 && left >= 0x80n; i++) {
			this.byte(Number(left & 0x7fn) | 0x80);
			left >>= 7n;
		}
		return this.byte(Number(left));
	}
}
