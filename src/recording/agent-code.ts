/**
 * The code in the log of assay's agent, in the form in which printed code is read: the JVM's notes beside the instructions are made from relocations, oop
 * maps, bytecodes and lines.
 */

import { readRange, type Source } from '../bytes/source.js';
import type { DisassembledInstruction } from '../disassembly/disassembled-instruction.js';
import { type Disassembler, openDisassembler } from '../disassembly/disassembler.js';
import { type LoadDetails, MethodDetails, type Relocation, readLoadDetails, readRelocations, relocationLayout } from '../formats/agent-log/details.js';
import type { AgentLoad, AgentLog, AgentStub, Extent } from '../formats/agent-log/read.js';
import { stackBangOf, withVerifiedEntry } from '../formats/agent-log/verified-entry.js';
import { inheritedPositions, type PrintedCode } from '../formats/hotspot-code/instructions.js';
import type { LoggedCode } from '../formats/hotspot-code/scan.js';
import { findPolls } from '../formats/shared/hotspot/polls.js';
import { firstWhere } from '../model/binary-search.js';
import { codeMap } from '../model/code-map.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { type Frame, instructionAt } from '../model/instructions.js';
import type { CodeSource } from './code-source.js';

const NATIVE = 0x100;
const NO_COMMENTS: readonly string[] = [];

/** What stands beside instructions and before them. */
interface Notes {
	readonly comments: (readonly string[])[];
	/** Of each instruction the position that is described beside it, -1 for none. */
	readonly own: Int32Array;
	readonly positions: readonly (readonly Frame[])[];
	readonly labels: ReadonlyMap<number, string>;
}

/** A bytecode that instructions belong to, as the JVM prints it and as a frame. */
interface Described {
	readonly comment: string;
	readonly frame: Frame;
}

type Piece = { readonly load: AgentLoad } | { readonly stub: AgentStub };

/** What names the address that native code calls; null where nothing does. */
export type NameAddress = (address: number) => string | null;

export interface AgentCode extends CodeSource {
	readonly code: readonly LoggedCode[];
	readonly log: AgentLog;
}

/** Seconds of the pieces count from the time at which the file was begun. */
export function agentCode(file: string, source: Source, log: AgentLog, nameNative: NameAddress = () => null): AgentCode {
	const pieces = new Map<LoggedCode, Piece>();
	for (const load of log.loads) {
		pieces.set(codeOfLoad(log, load), { load });
	}
	const hasCodelets = log.stubs.some(({ isCodelet }) => isCodelet);
	for (const stub of log.stubs) {
		if (!(hasCodelets && stub.name === 'Interpreter')) {
			pieces.set(codeOfStub(log, stub), { stub });
		}
	}
	const code = [...pieces.keys()];
	const reader = new AgentCodeReader(source, log, pieces, nameNative);
	const lastSeconds = log.loads.reduce((last, { seconds }) => Math.max(last, seconds), log.monotonicSeconds);
	return {
		file,
		log,
		code,
		processId: log.processId,
		monotonic: { startSeconds: log.monotonicSeconds, lastSeconds },
		problems: log.problems,
		read: (wanted) => reader.read(wanted),
		close: () => source.close(),
	};
}

function codeOfLoad(log: AgentLog, load: AgentLoad): LoggedCode {
	const method = log.methods[load.method];
	const isNative = ((method?.modifiers ?? 0) & NATIVE) !== 0;
	const isJvmci = log.flags.get('UseJVMCICompiler') === '1';
	const { level } = load;
	// All of these have one JVMTI number: which of them it is, and its signature, is not told.
	const isIntrinsic = isNative && method?.holder === 'java.lang.invoke.MethodHandle';
	return {
		kind: isNative ? 'native wrapper' : 'compilation',
		name: method === undefined ? 'a method that is not described' : isIntrinsic ? 'java.lang.invoke.MethodHandle intrinsic' : `${method.holder}.${method.name}`,
		signature: isIntrinsic ? null : (method?.signature ?? null),
		compileId: load.compileId === null ? null : `${load.compileId}${load.osrBci === null ? '' : '%'}`,
		compiler: isNative || level === null || level === 0 ? null : level < 4 ? 'c1' : isJvmci ? 'jvmci' : 'c2',
		level,
		osrBci: load.osrBci,
		start: load.start,
		end: load.start + load.codeBytes,
		installedSeconds: load.isEarlier ? null : load.seconds - log.monotonicSeconds,
		notEntrant: null,
		textRanges: rangesOf(load.code),
	};
}

function codeOfStub({ stubs }: AgentLog, { name, start, end, isCodelet, code }: AgentStub): LoggedCode {
	const isOfInterpreter = isCodelet || name === 'Interpreter' || stubs.some((stub) => stub.name === 'Interpreter' && start >= stub.start && end <= stub.end);
	return {
		kind: isOfInterpreter ? 'interpreter' : 'stub',
		name: name.replace(/^RuntimeStub - /, ''),
		...{ signature: null, compileId: null, compiler: null, level: null, osrBci: null },
		start,
		end,
		installedSeconds: null,
		notEntrant: null,
		textRanges: rangesOf(code),
	};
}

function rangesOf({ offset, sizeBytes }: Extent): number[] {
	return sizeBytes === 0 ? [] : [offset, offset + sizeBytes];
}

function noNotes(length: number): Notes {
	return { comments: new Array<readonly string[]>(length).fill(NO_COMMENTS), own: new Int32Array(length).fill(-1), positions: [], labels: new Map() };
}

class AgentCodeReader {
	private readonly source: Source;
	private readonly log: AgentLog;
	private readonly pieces: ReadonlyMap<GeneratedCode, Piece>;
	private readonly methods: MethodDetails;
	private readonly nameNative: NameAddress;
	private readonly known = new WeakMap<GeneratedCode, PrintedCode>();
	private disassembler: Disassembler | null = null;
	private nameOfCode: NameAddress | null = null;
	/** What stands beside instructions of a bytecode, by method and bytecode index. */
	private readonly positions = new Map<number, Described>();
	/** What stands beside calls into the JVM, by their target. */
	private readonly calls = new Map<number, string>();
	private stackBang: Uint8Array | null | undefined;

	constructor(source: Source, log: AgentLog, pieces: ReadonlyMap<GeneratedCode, Piece>, nameNative: NameAddress) {
		this.source = source;
		this.log = log;
		this.pieces = pieces;
		this.nameNative = nameNative;
		this.methods = new MethodDetails(source, log);
	}

	async read(wanted: Iterable<GeneratedCode>): Promise<Map<GeneratedCode, PrintedCode>> {
		const result = new Map<GeneratedCode, PrintedCode>();
		for (const code of wanted) {
			const piece = this.pieces.get(code);
			const extent = piece === undefined ? undefined : 'load' in piece ? piece.load.code : piece.stub.code;
			if (piece === undefined || extent === undefined || extent.sizeBytes === 0) {
				continue;
			}
			let printed = this.known.get(code);
			if (printed === undefined) {
				printed = await this.printed(code, piece, extent);
				this.known.set(code, printed);
			}
			result.set(code, printed);
		}
		return result;
	}

	private async printed(code: GeneratedCode, piece: Piece, extent: Extent): Promise<PrintedCode> {
		this.disassembler ??= await openDisassembler(this.log.architecture ?? 'x86-64');
		const bytes = readRange(this.source, extent.offset, extent.offset + extent.sizeBytes);
		const decoded = this.disassembler.decode('load' in piece ? this.withFirstInstruction(bytes, piece.load) : bytes, code.start);
		const { length } = decoded;
		const { comments, own, positions, labels } = 'load' in piece ? this.notesOfLoad(piece.load, decoded) : noNotes(length);
		const address = new Float64Array(length);
		const end = new Float64Array(length);
		const flow = new Uint8Array(length);
		const target = new Float64Array(length);
		const text = new Array<string>(length);
		for (let i = 0; i < length; i++) {
			const instruction = decoded[i]!;
			address[i] = instruction.address;
			end[i] = instruction.address + instruction.sizeBytes;
			flow[i] = instruction.flow;
			target[i] = instruction.target;
			text[i] = instruction.text;
		}
		return { instructions: { length, address, end, text, flow, target, position: inheritedPositions(own, labels), positions, comments }, labels };
	}

	private withFirstInstruction(bytes: Uint8Array, load: AgentLoad): Uint8Array {
		if (this.stackBang === undefined) {
			this.stackBang = stackBangOf(this.source, this.log);
		}
		return withVerifiedEntry(bytes, load, this.log, this.stackBang);
	}

	private notesOfLoad(load: AgentLoad, decoded: readonly DisassembledInstruction[]): Notes {
		const details = readLoadDetails(this.source, load);
		const isNative = ((this.log.methods[load.method]?.modifiers ?? 0) & NATIVE) !== 0;
		const { comments, own } = noNotes(decoded.length);
		const positions: (readonly Frame[])[] = [];
		const numbers = new Map<string, number>();
		const note = (i: number, ...more: readonly string[]): void => {
			comments[i] = comments[i] === NO_COMMENTS ? more : [...comments[i]!, ...more];
		};
		const places = new InstructionPlaces(decoded, load.start);
		for (const { offset, kind } of this.relocationsOf(load, details, decoded, places)) {
			const i = places.startingAt(offset);
			if (i >= 0) {
				note(i, kind === 'runtime_call' ? this.runtimeCall(decoded[i]!) : `{${kind}}`);
			}
		}
		for (const { offset, frames } of details.described) {
			const [innermost] = frames;
			const i = places.endingAt(offset);
			if (i < 0 || innermost === undefined) {
				continue;
			}
			const bytecode = innermost.bci < 0 ? 'synchronization entry' : this.methods.bytecodeAt(innermost.method, innermost.bci);
			const chain = frames.map(({ method, bci }) => this.describe(method, bci));
			note(i, ...(bytecode === null ? [] : [`*${bytecode}`]), ...chain.map(({ comment }) => comment));
			const before = own[i]!;
			const key = `${before} ${frames.map(({ method, bci }) => `${method}@${bci}`).join(' ')}`;
			let number = numbers.get(key);
			if (number === undefined) {
				// Where two addresses are described by one instruction, all that is said counts.
				number = positions.push([...(positions[before] ?? []), ...chain.map(({ frame }) => frame)]) - 1;
				numbers.set(key, number);
			}
			own[i] = number;
		}
		// Of native wrappers the JVM prints none either: their thread is stopped outside of Java.
		for (const offset of isNative ? [] : details.oopMaps) {
			const i = places.endingAt(offset);
			if (i >= 0) {
				note(i, 'ImmutableOopMap');
			}
		}
		const labels = new Map<number, string>();
		const label = (offset: number | null, name: string): void => {
			const i = offset === null ? -1 : places.startingAt(offset);
			if (i >= 0) {
				labels.set(i, name);
			}
		};
		label(load.verifiedEntry === 0 ? null : 0, 'Entry Point');
		label(load.verifiedEntry, 'Verified Entry Point');
		label(load.osrEntry, 'OSR Entry Point');
		label(load.exceptionStart, 'Exception Handler');
		label(load.stubStart, 'Stub Code');
		label(load.deoptStart, 'Deopt Handler Code');
		return { comments, own, positions, labels };
	}

	private describe(number: number, bci: number): Described {
		const key = number * 2 ** 32 + bci;
		let described = this.positions.get(key);
		if (described === undefined) {
			const { holder, name } = this.log.methods[number] ?? { holder: 'unknown', name: 'unknown' };
			const line = this.methods.lineOf(number, bci);
			described = {
				comment: `- ${holder}::${name}@${bci}${line === null ? '' : ` (line ${line})`}`,
				frame: { method: `${holder}.${name}`, bci, line },
			};
			this.positions.set(key, described);
		}
		return described;
	}

	/** Where the agent could not read relocations, polls are told from the instructions, and calls are left without a kind. */
	private relocationsOf(load: AgentLoad, { relocations }: LoadDetails, decoded: readonly DisassembledInstruction[], places: InstructionPlaces): Relocation[] {
		const architecture = this.log.architecture ?? 'x86-64';
		const read = readRelocations(relocations, relocationLayout(this.log.vmVersion, architecture), architecture, load.constantsBytes);
		if (relocations.length > 0 && read.every((relocation) => isPlausible(relocation, decoded, places))) {
			return read;
		}
		// Stubs behind the code stop no thread.
		const end = load.start + (load.stubStart ?? load.codeBytes);
		const main = decoded.filter(({ address }) => address < end);
		return findPolls(main).map(({ instruction, kind }) => ({ offset: main[instruction]!.address - load.start, kind }));
	}

	private runtimeCall({ text }: DisassembledInstruction): string {
		const target = Number.parseInt(/0x([0-9a-f]{4,16})/.exec(text)?.[1] ?? '', 16);
		let comment = this.calls.get(target);
		if (comment === undefined) {
			const name = Number.isNaN(target) ? null : (this.nameOf(target) ?? this.nameNative(target));
			comment = name === null ? '{runtime_call}' : `{runtime_call ${name}}`;
			this.calls.set(target, comment);
		}
		return comment;
	}

	/** Of a stub or compilation that begins at the address or holds it. */
	private nameOf(address: number): string | null {
		if (this.nameOfCode === null) {
			const map = codeMap([...this.pieces.keys()]);
			this.nameOfCode = (wanted) => map.code[map.at(wanted).at(-1) ?? -1]?.name ?? null;
		}
		return this.nameOfCode(address);
	}
}

/** Polls read memory or compare, and calls call: in a JVM that lays them out differently relocations point anywhere. */
function isPlausible({ offset, kind }: Relocation, decoded: readonly DisassembledInstruction[], places: InstructionPlaces): boolean {
	const instruction = decoded[places.startingAt(offset)];
	if (instruction === undefined) {
		return false;
	}
	const { text } = instruction;
	if (kind === 'poll' || kind === 'poll_return') {
		return /^(?:test|cmp|ldr|j|b|ld)/.test(text);
	}
	return kind === 'runtime_call' || /^(?:call|bl|b |nop)/.test(text);
}

/** Instructions of one piece by where they begin and end. */
class InstructionPlaces {
	private readonly starts: Float64Array;
	private readonly ends: Float64Array;

	constructor(decoded: readonly DisassembledInstruction[], start: number) {
		this.starts = new Float64Array(decoded.length);
		this.ends = new Float64Array(decoded.length);
		for (let i = 0; i < decoded.length; i++) {
			const { address, sizeBytes } = decoded[i]!;
			this.starts[i] = address - start;
			this.ends[i] = address - start + sizeBytes;
		}
	}

	/** -1 where none begins. */
	startingAt(offset: number): number {
		return instructionAt(this.starts, offset);
	}

	/** The first that ends there or behind: C1 keeps data among its code, in which ends are not known. -1 behind the last. */
	endingAt(offset: number): number {
		const at = firstWhere(this.ends.length, (i) => this.ends[i]! >= offset);
		return at < this.ends.length && offset > 0 ? at : -1;
	}
}
