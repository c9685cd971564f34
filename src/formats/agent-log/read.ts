/**
 * The log of assay's JVMTI agent (runtime/assay_agent.c; docs/formats/agent-log.md): a header of 40 bytes, then records that each say their size, kind and
 * time. One pass notes where everything is; code, positions and lines are read on demand (code.ts), so memory grows with the number of pieces.
 */
import { readRange, type Source } from '../../bytes/source.js';
import { decodeUtf8 } from '../../bytes/string-table.js';
import type { Problem } from '../../model/problem.js';

const MAGIC = 'ASSAYJVM';
const VERSION = 1;
const BYTE_ORDER_MARK = 0x01020304;
const HEADER_BYTES = 40;
const RECORD_HEADER_BYTES = 16;
/** No record that the agent writes is larger: code and relocations are bounded there. */
const LARGEST_RECORD = 1 << 28;

const Kind = { Jvm: 1, Method: 2, Load: 3, Unload: 4, Dynamic: 5, Codelet: 6, Mappings: 7, Class: 8, CaughtUp: 9, End: 10, Interpreted: 11 } as const;

/** The mark of a load that the JVM did not tell of by itself. */
const ASKED_FOR = 1;

/** A method that has code, or is inlined into some. */
export interface AgentMethod {
	/** With dots; what the JVM adds to a hidden class's name stands behind a slash, as in its other logs. */
	readonly holder: string;
	readonly name: string;
	readonly signature: string;
	/** Null where the class file does not say. */
	readonly sourceFile: string | null;
	/** Access flags of the class file. */
	readonly modifiers: number;
	/** Bytes of bytecode. */
	readonly bytecodeBytes: number;
	/** Of its class among `classes`. */
	readonly classNumber: number;
	readonly lineCount: number;
	/** Offset of its lines in the file: pairs of bytecode index and line, then the bytecode. */
	readonly linesOffset: number;
}

/** A piece of the file. */
export interface Extent {
	readonly offset: number;
	readonly sizeBytes: number;
}

/** Compiled code that was installed. Offsets within it count bytes from `start`; null where the agent could not tell. */
export interface AgentLoad {
	/** Address of the first instruction. */
	readonly start: number;
	/** Bytes of code with the stubs behind it. */
	readonly codeBytes: number;
	readonly code: Extent;
	/** Relocations, oop maps and positions. */
	readonly details: Extent;
	/** Seconds of CLOCK_MONOTONIC at which it was told: a little after the installation. */
	readonly seconds: number;
	/** It was there before the agent came: when it was installed is not known. */
	readonly isEarlier: boolean;
	/** By JVMCI, without a task of the JVM's compiler queues; `seconds` is before its installation. Left out of other code. */
	readonly isInstalledByJvmci?: true;
	readonly method: number;
	readonly compileId: number | null;
	readonly level: number | null;
	/** Bytecode index of an entry by on-stack replacement; null of others. */
	readonly osrBci: number | null;
	readonly stubStart: number | null;
	readonly exceptionStart: number | null;
	readonly deoptStart: number | null;
	readonly verifiedEntry: number | null;
	readonly osrEntry: number | null;
	/** Of constants before the code: relocations are counted from there. */
	readonly constantsBytes: number;
}

/** A stub, an adapter, the interpreter; or a part of the interpreter, whose bytes are in the interpreter's. */
export interface AgentStub {
	readonly name: string;
	readonly start: number;
	readonly end: number;
	readonly isCodelet: boolean;
	readonly code: Extent;
	/** Seconds of CLOCK_MONOTONIC at which it was told. */
	readonly seconds: number;
}

/** A row of /proc/PID/maps that can be executed. */
export interface AgentMapping {
	readonly start: number;
	readonly end: number;
	readonly fileOffset: number;
	readonly path: string;
	/** Its number in the file system: by it the same file is told from another of that name. */
	readonly inode: number;
}

export interface AgentLog {
	readonly processId: number | null;
	/** Whether the agent was there from the start of the JVM, or came later. */
	readonly isAttached: boolean;
	readonly architecture: 'x86-64' | 'aarch64' | null;
	readonly vmName: string;
	readonly vmVersion: string;
	readonly command: readonly string[];
	/** Flags of the JVM by name. */
	readonly flags: ReadonlyMap<string, string>;
	/** The two clocks when the file was begun, in seconds. */
	readonly monotonicSeconds: number;
	readonly realtimeSeconds: number;
	/** By number; holes where a description is missing. */
	readonly methods: readonly (AgentMethod | undefined)[];
	/** Constant pools of classes, by number. */
	readonly classes: readonly (Extent | undefined)[];
	readonly loads: readonly AgentLoad[];
	readonly stubs: readonly AgentStub[];
	readonly mappings: readonly AgentMapping[];
	/** Where the records of methods are that ran in the interpreter (interpreted.ts). */
	readonly interpreted: readonly Extent[];
	/** How the file ends: `killed` where nothing says that it ends. */
	readonly ended: 'exit' | 'stopped' | 'killed';
	readonly problems: readonly Problem[];
}

/** `head`: the first bytes of a file, as Latin-1 text. */
export function isAgentLog(head: string): boolean {
	return head.startsWith(MAGIC);
}

/** The process that an agent log is of, from its first bytes; null where they end too early. */
export function processOfAgentLog(head: string): number | null {
	const bytes = Buffer.from(head.slice(0, HEADER_BYTES), 'latin1');
	return isAgentLog(head) && bytes.length === HEADER_BYTES ? bytes.readUInt32LE(32) : null;
}

/** Never throws on content. */
export function readAgentLog(source: Source): AgentLog {
	return new Reader(source).read();
}

class Reader {
	private readonly source: Source;
	private readonly problems: Problem[] = [];
	private readonly methods: (AgentMethod | undefined)[] = [];
	private readonly classes: (Extent | undefined)[] = [];
	private readonly loads: AgentLoad[] = [];
	private readonly stubs: AgentStub[] = [];
	private readonly codelets: Omit<AgentStub, 'isCodelet' | 'code'>[] = [];
	private mappings: AgentMapping[] = [];
	private readonly interpreted: Extent[] = [];
	/** Place among `loads`, by address, compilation and method. */
	private readonly loadAt = new Map<string, number>();
	private readonly known = new Set<string>();
	private processId: number | null = null;
	private isAttached = false;
	private isCaughtUp = true;
	private architecture: AgentLog['architecture'] = null;
	private vmName = '';
	private vmVersion = '';
	private command: string[] = [];
	private readonly flags = new Map<string, string>();
	/** By signature. */
	private readonly holders = new Map<string, string>();
	private readonly texts = new Map<string, string>();
	private ended: AgentLog['ended'] = 'killed';
	private unknownKinds = 0;

	constructor(source: Source) {
		this.source = source;
	}

	read(): AgentLog {
		const header = readRange(this.source, 0, HEADER_BYTES);
		const fields = new DataView(header.buffer, header.byteOffset, header.length);
		let monotonicSeconds = 0;
		let realtimeSeconds = 0;
		if (header.length < HEADER_BYTES) {
			this.problem(0, 'the header of an agent log is cut', 'nothing can be read of it');
		} else if (fields.getUint32(12, true) !== BYTE_ORDER_MARK) {
			this.problem(12, 'the agent log was written by a machine with the other byte order', 'such logs cannot be read');
		} else if (fields.getUint32(8, true) !== VERSION) {
			this.problem(8, `the agent log has version ${fields.getUint32(8, true)}, known is ${VERSION}`, 'read it with the assay that recorded it');
		} else {
			monotonicSeconds = seconds(fields, 16);
			realtimeSeconds = seconds(fields, 24);
			this.processId = fields.getUint32(32, true);
			this.records();
			this.addCodelets();
		}
		const { processId, isAttached, architecture, vmName, vmVersion, command, flags, methods, classes, loads, stubs, mappings, interpreted, ended, problems } =
			this;
		return {
			processId,
			isAttached,
			architecture,
			vmName,
			vmVersion,
			command,
			flags,
			monotonicSeconds,
			realtimeSeconds,
			methods,
			classes,
			loads,
			stubs,
			mappings,
			interpreted,
			ended,
			problems,
		};
	}

	private records(): void {
		const { sizeBytes } = this.source;
		const window = new Window(this.source);
		let offset = HEADER_BYTES;
		while (offset + RECORD_HEADER_BYTES <= sizeBytes) {
			const view = window.at(offset, RECORD_HEADER_BYTES);
			const length = view.getUint32(0, true);
			if (length < RECORD_HEADER_BYTES || length % 8 !== 0 || length > LARGEST_RECORD) {
				this.problem(offset, `a record of an agent log says that it has ${length} bytes`, 'what follows is left out');
				return;
			}
			if (offset + length > sizeBytes) {
				break;
			}
			const record = new RecordCursor(window.at(offset, length), offset);
			try {
				this.record(record);
			} catch (error) {
				if (!(error instanceof RangeError)) {
					throw error;
				}
				this.problem(offset, 'a record of an agent log is shorter than what it says it holds', 'it is left out');
			}
			offset += length;
		}
		if (offset < sizeBytes) {
			this.problem(offset, `the last record of the agent log is cut after ${sizeBytes - offset} bytes`, 'all before it is read');
		}
		if (this.unknownKinds > 0) {
			this.problem(undefined, `${this.unknownKinds} records of an agent log are of a kind that is not known`, 'they are left out');
		}
	}

	private record(record: RecordCursor): void {
		switch (record.kind) {
			case Kind.Jvm:
				this.jvm(record);
				break;
			case Kind.Method:
				this.method(record);
				break;
			case Kind.Load:
				this.load(record);
				break;
			case Kind.Unload:
				// When code went away, what comes to its address tells.
				break;
			case Kind.Dynamic:
				this.dynamic(record);
				break;
			case Kind.Codelet:
				this.codelet(record);
				break;
			case Kind.Mappings:
				this.mappings = mappingsOf(record.text());
				break;
			case Kind.Class:
				this.class(record);
				break;
			case Kind.CaughtUp:
				this.isCaughtUp = true;
				break;
			case Kind.End:
				this.end(record);
				break;
			case Kind.Interpreted:
				this.interpreted.push(record.rest());
				break;
			default:
				this.unknownKinds++;
		}
	}

	private class(record: RecordCursor): void {
		const number = boundedIndex(record.u4());
		record.u4();
		this.classes[number] = record.extent(record.u4());
	}

	private jvm(record: RecordCursor): void {
		this.isAttached = record.u4() === 1;
		this.isCaughtUp = !this.isAttached;
		const machine = record.u4();
		this.architecture = machine === 62 ? 'x86-64' : machine === 183 ? 'aarch64' : null;
		this.vmName = record.text();
		this.vmVersion = record.text();
		this.command = record.text().replace(/\0$/, '').split('\0');
		for (const line of record.text().split('\n')) {
			const equals = line.indexOf('=');
			if (equals >= 0) {
				this.flags.set(line.slice(0, equals), line.slice(equals + 1));
			}
		}
	}

	private method(record: RecordCursor): void {
		const number = boundedIndex(record.u4());
		const classNumber = record.u4();
		const modifiers = record.u4();
		const lineCount = record.u4();
		const bytecodeBytes = record.u4();
		const { offset } = record.extent(lineCount * 8 + bytecodeBytes);
		const holder = this.holder(record.text());
		const name = this.once(record.text());
		const signature = this.once(record.text());
		const sourceFile = this.once(record.text());
		this.methods[number] = {
			holder,
			name,
			signature,
			sourceFile: sourceFile === '' ? null : sourceFile,
			modifiers,
			bytecodeBytes,
			classNumber,
			lineCount,
			linesOffset: offset,
		};
	}

	private holder(signature: string): string {
		let holder = this.holders.get(signature);
		if (holder === undefined) {
			holder = holderOf(signature);
			this.holders.set(signature, holder);
		}
		return holder;
	}

	/** Many methods have the same names. */
	private once(text: string): string {
		const known = this.texts.get(text);
		if (known === undefined) {
			this.texts.set(text, text);
		}
		return known ?? text;
	}

	private load(record: RecordCursor): void {
		const start = record.u8();
		const size = record.u4();
		const bytes = record.u4();
		const method = record.u4();
		const compileId = record.s4();
		const level = record.s4();
		const osrBci = record.s4();
		const [stubStart, exceptionStart, verifiedEntry, osrEntry] = [record.offset4(), record.offset4(), record.offset4(), record.offset4()];
		const constantsBytes = record.u4();
		const deoptStart = record.offset4();
		const code = record.extent(bytes);
		record.align();
		const key = `${start} ${compileId} ${method}`;
		// JVMTI tells of code a second time when an agent asks for all of it while some is being installed.
		const before = compileId < 0 ? undefined : this.loadAt.get(key);
		if (before !== undefined) {
			const { isInstalledByJvmci, ...load } = this.loads[before]!;
			// An event was on its way when the agent asked.
			if (isInstalledByJvmci === true && record.mark !== ASKED_FOR) {
				this.loads[before] = { ...load, seconds: record.seconds };
			}
			return;
		}
		this.loadAt.set(key, this.loads.length);
		this.loads.push({
			start,
			codeBytes: Math.max(size, bytes),
			code,
			details: record.rest(),
			seconds: record.seconds,
			isEarlier: !this.isCaughtUp,
			...(record.mark === ASKED_FOR ? { isInstalledByJvmci: true } : {}),
			method,
			compileId: compileId < 0 ? null : compileId,
			level: level < 0 ? null : level,
			osrBci: osrBci < 0 ? null : osrBci,
			...{ stubStart, exceptionStart, deoptStart, verifiedEntry, osrEntry, constantsBytes },
		});
	}

	private dynamic(record: RecordCursor): void {
		const start = record.u8();
		const size = record.u4();
		const code = record.extent(record.u4());
		const name = record.text();
		this.stub({ name, start, end: start + size, isCodelet: false, code, seconds: record.seconds });
	}

	private codelet(record: RecordCursor): void {
		const start = record.u8();
		const size = record.u4();
		const name = record.text();
		this.codelets.push({ name, start, end: start + size, seconds: record.seconds });
	}

	/** The interpreter, whose bytes they are parts of, is told before or after them. */
	private addCodelets(): void {
		const whole = this.stubs.filter(({ code }) => code.sizeBytes > 0);
		for (const { name, start, end, seconds } of this.codelets) {
			const around = whole.find((stub) => start >= stub.start && end <= stub.start + stub.code.sizeBytes);
			const code = around === undefined ? { offset: 0, sizeBytes: 0 } : { offset: around.code.offset + start - around.start, sizeBytes: end - start };
			this.stub({ name, start, end, isCodelet: true, code, seconds });
		}
	}

	private stub(stub: AgentStub): void {
		const key = `${stub.start} ${stub.end} ${stub.name}`;
		if (!this.known.has(key)) {
			this.known.add(key);
			this.stubs.push(stub);
		}
	}

	private end(record: RecordCursor): void {
		this.ended = record.u4() === 0 ? 'exit' : 'stopped';
		record.u4();
		const lost = record.u8();
		if (lost > 0) {
			this.problem(undefined, `the agent could not write ${lost} records`, 'was the disk full? Their code is missing');
		}
	}

	private problem(offsetBytes: number | undefined, message: string, action: string): void {
		this.problems.push({ severity: 'warning', file: this.source.name, ...(offsetBytes === undefined ? {} : { offsetBytes }), message, action });
	}
}

/** Bytes of a source around where it is being read. */
export class Window {
	private readonly source: Source;
	private bytes: Uint8Array = new Uint8Array(0);
	private from = 0;

	constructor(source: Source) {
		this.source = source;
	}

	at(offset: number, length: number): DataView<ArrayBufferLike> {
		if (offset < this.from || offset + length > this.from + this.bytes.length) {
			this.bytes = readRange(this.source, offset, offset + Math.max(length, 1 << 20));
			this.from = offset;
		}
		return new DataView(this.bytes.buffer, this.bytes.byteOffset + offset - this.from, Math.min(length, this.bytes.length));
	}
}

/** Reads the fields of a record; a RangeError where it ends early. */
class RecordCursor {
	readonly kind: number;
	readonly mark: number;
	readonly seconds: number;
	private readonly view: DataView;
	private readonly fileOffset: number;
	private at = RECORD_HEADER_BYTES;

	constructor(view: DataView, fileOffset: number) {
		this.view = view;
		this.fileOffset = fileOffset;
		this.kind = view.getUint16(4, true);
		this.mark = view.getUint16(6, true);
		this.seconds = seconds(view, 8);
	}

	u4(): number {
		this.at += 4;
		return this.view.getUint32(this.at - 4, true);
	}

	s4(): number {
		return this.u4() | 0;
	}

	/** An offset within code; null where it is not told. */
	offset4(): number | null {
		const value = this.u4();
		return value === 0xffffffff ? null : value;
	}

	/** Addresses and counts: below 2^53. */
	u8(): number {
		const low = this.u4();
		return this.u4() * 0x1_0000_0000 + low;
	}

	text(): string {
		const { offset, sizeBytes } = this.extent(this.u4());
		const start = this.view.byteOffset + offset - this.fileOffset;
		return decodeUtf8(new Uint8Array(this.view.buffer), start, start + sizeBytes);
	}

	/** Where the next bytes are in the file; they are passed. */
	extent(sizeBytes: number): Extent {
		if (this.at + sizeBytes > this.view.byteLength) {
			throw new RangeError('the record ends early');
		}
		this.at += sizeBytes;
		return { offset: this.fileOffset + this.at - sizeBytes, sizeBytes };
	}

	rest(): Extent {
		return this.extent(this.view.byteLength - this.at);
	}

	/** Goes to the next multiple of 8. */
	align(): void {
		this.at = (this.at + 7) & ~7;
	}
}

/** Methods and classes are numbered from 0: a number far above the others is damage. */
function boundedIndex(number: number): number {
	if (number > 1 << 24) {
		throw new RangeError('the number is too large');
	}
	return number;
}

function seconds(view: DataView, offset: number): number {
	return (view.getUint32(offset + 4, true) * 0x1_0000_0000 + view.getUint32(offset, true)) / 1e9;
}

/** `Ljava/util/HashMap;` → `java.util.HashMap`; `LFoo$$Lambda.0x0001;`, a hidden class, → `Foo$$Lambda/0x0001`. */
export function holderOf(signature: string): string {
	const name = signature.replace(/^L(.*);$/s, '$1');
	const suffix = name.lastIndexOf('.');
	return suffix < 0 ? name.replaceAll('/', '.') : `${name.slice(0, suffix).replaceAll('/', '.')}/${name.slice(suffix + 1)}`;
}

/** `7f10a0000000-7f10a1000000 r-xp 00200000 08:01 123   /usr/lib/jvm/…/libjvm.so` */
function mappingsOf(text: string): AgentMapping[] {
	return text.split('\n').flatMap((line) => {
		const [, start, end, fileOffset, inode, path] = /^([0-9a-f]{1,13})-([0-9a-f]{1,13}) \S+ ([0-9a-f]{1,13}) \S+ (\d{1,15}) +(\/.*)$/.exec(line) ?? [];
		return start === undefined || end === undefined || fileOffset === undefined || inode === undefined || path === undefined
			? []
			: [{ start: Number.parseInt(start, 16), end: Number.parseInt(end, 16), fileOffset: Number.parseInt(fileOffset, 16), path, inode: Number(inode) }];
	});
}
