/** Writes agents' logs for tests, as runtime/assay_agent.c does (docs/formats/agent-log.md). */
import { forEachRelocation, type RelocationKind } from '../src/formats/agent-log/details.js';

const UNKNOWN = 0xffffffff;
const RECORD_HEADER_BYTES = 16;

/** A field: its bytes and its value; text has its length in front. */
type Field = readonly [4 | 8, number] | string | Uint8Array | 'align';

/** Kinds as the agent numbers them. */
export const Kind = { Jvm: 1, Method: 2, Load: 3, Unload: 4, Dynamic: 5, Codelet: 6, Mappings: 7, Class: 8, CaughtUp: 9, End: 10, Interpreted: 11 } as const;

export function record(kind: number, fields: readonly Field[], monotonicNs = 5_000_000_000): Buffer {
	let bytes = Buffer.alloc(RECORD_HEADER_BYTES);
	const align = (): void => {
		bytes = Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8)]);
	};
	for (const field of fields) {
		if (field === 'align') {
			align();
		} else {
			bytes = Buffer.concat([bytes, typeof field === 'string' ? text(field) : field instanceof Uint8Array ? field : number(field)]);
		}
	}
	align();
	bytes.writeUInt32LE(bytes.length, 0);
	bytes.writeUInt16LE(kind, 4);
	bytes.writeBigUInt64LE(BigInt(monotonicNs), 8);
	return bytes;
}

function number([size, value]: readonly [4 | 8, number]): Buffer {
	const bytes = Buffer.alloc(size);
	if (size === 8) {
		bytes.writeBigUInt64LE(BigInt(value));
	} else {
		bytes.writeUInt32LE(value >>> 0);
	}
	return bytes;
}

function text(value: string): Buffer {
	const bytes = Buffer.from(value);
	return Buffer.concat([number([4, bytes.length]), bytes]);
}

interface HeaderFields {
	readonly version?: number;
	readonly byteOrder?: number;
	readonly processId?: number;
}

export function agentLog(records: readonly Buffer[], { version = 1, byteOrder = 0x01020304, processId = 4711 }: HeaderFields = {}): Buffer {
	const fields: Field[] = [
		[4, version],
		[4, byteOrder],
		[8, 3_000_000_000],
		[8, 1_700_000_003_000_000_000],
		[4, processId],
		[4, 0],
	];
	return Buffer.concat([Buffer.from('ASSAYJVM'), ...fields.map((field) => number(field as readonly [4 | 8, number])), ...records]);
}

export function jvmRecord(isAttached = false, vmVersion = '17.0.15+6', machine = 62): Buffer {
	return record(Kind.Jvm, [
		[4, isAttached ? 1 : 0],
		[4, machine],
		'OpenJDK 64-Bit Server VM',
		vmVersion,
		'java\0-cp\0.\0Main\0',
		'UseG1GC=1\nMaxInlineLevel=15\n',
	]);
}

interface MethodFields {
	readonly number?: number;
	readonly classNumber?: number;
	readonly modifiers?: number;
	readonly holder?: string;
	readonly name?: string;
	readonly signature?: string;
	readonly sourceFile?: string;
	/** Pairs of bytecode index and line. */
	readonly lines?: readonly (readonly [number, number])[];
	readonly bytecode?: readonly number[];
}

export function methodRecord(fields: MethodFields = {}): Buffer {
	const { number: own = 0, classNumber = 0, modifiers = 1, lines = [], bytecode = [] } = fields;
	const { holder = 'La/b/Main;', name = 'run', signature = '()V', sourceFile = 'Main.java' } = fields;
	const rows: Field[] = lines.flatMap(([bci, line]): Field[] => [
		[4, bci],
		[4, line],
	]);
	const head: Field[] = [
		[4, own],
		[4, classNumber],
		[4, modifiers],
		[4, lines.length],
		[4, bytecode.length],
	];
	return record(Kind.Method, [...head, ...rows, Uint8Array.from(bytecode), holder, name, signature, sourceFile]);
}

interface LoadFields {
	readonly start?: number;
	readonly method?: number;
	readonly compileId?: number;
	readonly level?: number;
	readonly osrBci?: number;
	readonly code?: readonly number[];
	readonly stubStart?: number;
	readonly exceptionStart?: number;
	readonly verifiedEntry?: number;
	readonly osrEntry?: number;
	readonly constantsBytes?: number;
	readonly deoptStart?: number;
	readonly relocations?: readonly number[];
	readonly oopMaps?: readonly number[];
	readonly described?: readonly { readonly offset: number; readonly frames: readonly (readonly [method: number, bci: number])[] }[];
	readonly monotonicNs?: number;
	readonly isAskedFor?: boolean;
}

export function loadRecord(fields: LoadFields = {}): Buffer {
	const { start = 0x7f0000001000, method = 0, compileId = 12, level = 4, osrBci = -1, code = [0x90, 0xc3], constantsBytes = 0 } = fields;
	const { stubStart = UNKNOWN, exceptionStart = UNKNOWN, verifiedEntry = 0, osrEntry = UNKNOWN, deoptStart = UNKNOWN } = fields;
	const { relocations = [], oopMaps = [], described = [], monotonicNs = 4_500_000_000, isAskedFor = false } = fields;
	const words = Uint8Array.from(relocations.flatMap((word) => [word & 0xff, word >>> 8]));
	const pcs: Field[] = described.flatMap(({ offset, frames }): Field[] => [
		[4, offset],
		[4, frames.length],
		...frames.flatMap(([number, bci]): Field[] => [
			[4, number],
			[4, bci],
		]),
	]);
	const head: Field[] = [
		[8, start],
		[4, code.length],
		[4, code.length],
		[4, method],
		[4, compileId],
		[4, level],
		[4, osrBci],
	];
	const places: Field[] = [
		[4, stubStart],
		[4, exceptionStart],
		[4, verifiedEntry],
		[4, osrEntry],
		[4, constantsBytes],
		[4, deoptStart],
	];
	const maps: Field[] = [[4, oopMaps.length], ...oopMaps.map((offset): Field => [4, offset])];
	const rest: Field[] = ['align', [4, words.length], words, 'align', ...maps, [4, described.length], ...pcs];
	const bytes = record(Kind.Load, [...head, ...places, Uint8Array.from(code), ...rest], monotonicNs);
	bytes.writeUInt16LE(Number(isAskedFor), 6);
	return bytes;
}

export function stubRecord(name: string, start: number, code: readonly number[], monotonicNs?: number): Buffer {
	return record(Kind.Dynamic, [[8, start], [4, code.length], [4, code.length], Uint8Array.from(code), name], monotonicNs);
}

type Parameter<N extends number> = Parameters<typeof forEachRelocation>[N];

/** All relocations of some bytes. */
export function relocationsIn(
	bytes: Parameter<0>,
	layout: Parameter<1>,
	architecture: Parameter<2>,
	codeOffset = 0,
): { offset: number; kind: RelocationKind }[] {
	const result: { offset: number; kind: RelocationKind }[] = [];
	forEachRelocation(bytes, layout, architecture, codeOffset, (offset, kind) => result.push({ offset, kind }) > 0);
	return result;
}
