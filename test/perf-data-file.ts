/** Small perf.data files, made up record by record. */

const IP_TID_TIME = 0b111;
export const WITH_STACK = 1 << 5;
export const WITH_PERIOD = 1 << 8;
/** Registers and a copy of the stack. */
export const WITH_TOP = (1 << 12) | (1 << 13);
export const WITH_ID = 1 << 16;

export interface MadeEvent {
	/** As `sample_type` has it; ip, pid, tid and time where it is left out. */
	readonly sampleType?: number;
	readonly readFormat?: number;
	readonly type?: number;
	readonly config?: number;
	readonly flags?: number;
	readonly period?: number;
	readonly ids?: readonly bigint[];
	readonly name?: string;
	/** As `sample_regs_user` has it. */
	readonly registers?: number;
}

const SAMPLE_ID_ALL = 1 << 18;

export function record(type: number, misc: number, body: Uint8Array): Buffer {
	const padded = Math.ceil(body.length / 8) * 8;
	const bytes = Buffer.alloc(8 + padded);
	bytes.writeUInt32LE(type, 0);
	bytes.writeUInt16LE(misc, 4);
	bytes.writeUInt16LE(bytes.length, 6);
	bytes.set(body, 8);
	return bytes;
}

export function words(...values: readonly (bigint | number)[]): Buffer {
	return Buffer.from(BigUint64Array.from(values, (value) => BigInt.asUintN(64, BigInt(value))).buffer);
}

export function halves(...values: readonly number[]): Buffer {
	return Buffer.from(Int32Array.from(values).buffer);
}

export function text(value: string): Buffer {
	return Buffer.from(`${value}\0`);
}

/** In the program (`misc` 2) or the kernel (1). */
export function sample(ip: bigint | number, pid: number, tid: number, time: bigint | number, more: Uint8Array = Buffer.alloc(0), misc = 2): Buffer {
	return record(9, misc, Buffer.concat([words(ip), halves(pid, tid), words(time), more]));
}

/** What stands behind other records, of an event without more than ip, pid, tid and time. */
export function trailer(pid: number, tid: number, time: bigint | number): Buffer {
	return Buffer.concat([halves(pid, tid), words(time)]);
}

function padded(bytes: Uint8Array): Buffer {
	return Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8)]);
}

export function mmap2(pid: number, start: bigint | number, length: number, offset: number, file: string, time: bigint | number = 0): Buffer {
	return record(10, 2, Buffer.concat([halves(pid, pid), words(start, length, offset, 0, 7, 0, 5), padded(text(file)), trailer(pid, pid, time)]));
}

export function comm(pid: number, tid: number, name: string, time: bigint | number = 0, isExec = false): Buffer {
	return record(3, isExec ? 1 << 13 : 0, Buffer.concat([halves(pid, tid), padded(text(name)), trailer(pid, tid, time)]));
}

export function fork(pid: number, tid: number, parent: number, parentThread: number, time: bigint | number = 0): Buffer {
	return record(7, 0, Buffer.concat([halves(pid, parent, tid, parentThread), words(time), trailer(pid, tid, time)]));
}

export const finishedRound = record(68, 0, Buffer.alloc(0));

function attributes({ sampleType = IP_TID_TIME, readFormat = 0, type = 1, config = 0, flags = 0, period = 0, registers = 0 }: MadeEvent): Buffer {
	const bytes = Buffer.alloc(128);
	bytes.writeUInt32LE(type, 0);
	bytes.writeUInt32LE(bytes.length, 4);
	bytes.writeBigUInt64LE(BigInt(config), 8);
	bytes.writeBigUInt64LE(BigInt(period), 16);
	bytes.writeBigUInt64LE(BigInt(sampleType), 24);
	bytes.writeBigUInt64LE(BigInt(readFormat), 32);
	bytes.writeBigUInt64LE(BigInt((SAMPLE_ID_ALL | flags) >>> 0), 40);
	bytes.writeBigUInt64LE(BigInt(registers), 80);
	return bytes;
}

/** The whole file; `isUnfinished`: as perf leaves it when it is killed. */
export function perfDataFile(events: readonly MadeEvent[], records: readonly Uint8Array[], isUnfinished = false): Buffer {
	const header = Buffer.alloc(104);
	const ids = events.map((event) => words(...(event.ids ?? [])));
	const idsAt = (i: number): number => 104 + ids.slice(0, i).reduce((sum, of) => sum + of.length, 0);
	const attributesAt = idsAt(events.length);
	const table = Buffer.concat(events.map((event, i) => Buffer.concat([attributes(event), words(idsAt(i), ids[i]!.length)])));
	const dataAt = attributesAt + table.length;
	const data = Buffer.concat(records);
	header.write('PERFILE2', 0, 'latin1');
	words(104, 144, attributesAt, table.length, dataAt, isUnfinished ? 0 : data.length).copy(header, 8);
	const body = Buffer.concat([header, ...ids, table, data]);
	if (isUnfinished || events.every(({ name }) => name === undefined)) {
		return body;
	}
	// The feature of names alone.
	body.writeUInt32LE(1 << 12, 72);
	const names = events.map((event) => {
		const name = padded(text(event.name ?? ''));
		return Buffer.concat([attributes(event), halves(event.ids?.length ?? 0, name.length), name, words(...(event.ids ?? []))]);
	});
	const section = Buffer.concat([halves(events.length, 128), ...names]);
	return Buffer.concat([body, words(body.length + 16, section.length), section]);
}
