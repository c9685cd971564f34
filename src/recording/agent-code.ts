/**
 * The code in the log of assay's agent, in the form in which printed code is read: the JVM's notes beside the instructions are made from relocations, oop
 * maps, bytecodes and lines.
 */
import { readRange, type Source } from '../bytes/source.js';
import { type Disassembler, openDisassembler } from '../disassembly/disassembler.js';
import { type LoadDetails, MethodDetails, type Relocation, readLoadDetails, readRelocations, relocationLayout } from '../formats/agent-log/details.js';
import type { AgentLoad, AgentLog, AgentStub, Extent } from '../formats/agent-log/read.js';
import { stackBangOf, withVerifiedEntry } from '../formats/agent-log/verified-entry.js';
import { instructionsOfRows, type ParsedFrames, type PrintedCode, type Row } from '../formats/hotspot-code/instructions.js';
import type { LoggedCode } from '../formats/hotspot-code/scan.js';
import { findPolls } from '../formats/shared/hotspot/polls.js';
import { codeMap } from '../model/code-map.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { instructionAt } from '../model/instructions.js';
import type { CodeSource } from './code-source.js';

const NATIVE = 0x100;
const NO_COMMENTS: readonly string[] = [];

interface DecodedInstruction {
	readonly address: number;
	readonly sizeBytes: number;
	readonly text: string;
}

/** What stands beside instructions and before them, by their number. */
interface Notes {
	readonly comments: readonly (readonly string[] | undefined)[];
	readonly labels: ReadonlyMap<number, string>;
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

class AgentCodeReader {
	private readonly source: Source;
	private readonly log: AgentLog;
	private readonly pieces: ReadonlyMap<GeneratedCode, Piece>;
	private readonly methods: MethodDetails;
	private readonly nameNative: NameAddress;
	private readonly known = new WeakMap<GeneratedCode, PrintedCode>();
	private disassembler: Disassembler | null = null;
	private readonly frames: ParsedFrames = new Map();
	private nameOfCode: NameAddress | null = null;
	/** What stands beside instructions of a bytecode, by method and bytecode index. */
	private readonly positions = new Map<number, string>();
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
				const rows = await this.rows(code, piece, extent);
				printed = instructionsOfRows(rows, code.start + extent.sizeBytes, this.frames);
				this.known.set(code, printed);
			}
			result.set(code, printed);
		}
		return result;
	}

	private async rows(code: GeneratedCode, piece: Piece, extent: Extent): Promise<Row[]> {
		this.disassembler ??= await openDisassembler(this.log.architecture ?? 'x86-64');
		const bytes = readRange(this.source, extent.offset, extent.offset + extent.sizeBytes);
		const decoded = this.disassembler.decode('load' in piece ? this.withFirstInstruction(bytes, piece.load) : bytes, code.start);
		const notes = 'load' in piece ? this.notesOfLoad(piece.load, decoded) : { comments: [], labels: new Map<number, string>() };
		return decoded.map(({ address, sizeBytes, text }, i) => ({
			address,
			end: address + sizeBytes,
			text,
			comments: notes.comments[i] ?? NO_COMMENTS,
			label: notes.labels.get(i) ?? null,
		}));
	}

	private withFirstInstruction(bytes: Uint8Array, load: AgentLoad): Uint8Array {
		if (this.stackBang === undefined) {
			this.stackBang = stackBangOf(this.source, this.log);
		}
		return withVerifiedEntry(bytes, load, this.log, this.stackBang);
	}

	private notesOfLoad(load: AgentLoad, decoded: readonly DecodedInstruction[]): Notes {
		const details = readLoadDetails(this.source, load);
		const isNative = ((this.log.methods[load.method]?.modifiers ?? 0) & NATIVE) !== 0;
		const comments = new Array<string[] | undefined>(decoded.length);
		const note = (i: number, comment: string): void => {
			const list = comments[i];
			if (list === undefined) {
				comments[i] = [comment];
			} else {
				list.push(comment);
			}
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
			if (bytecode !== null) {
				note(i, `*${bytecode}`);
			}
			for (const { method, bci } of frames) {
				note(i, this.frame(method, bci));
			}
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
		return { comments, labels };
	}

	private frame(number: number, bci: number): string {
		const key = number * 2 ** 32 + bci;
		let comment = this.positions.get(key);
		if (comment === undefined) {
			const method = this.log.methods[number];
			const line = this.methods.lineOf(number, bci);
			comment = `- ${method === undefined ? 'unknown::unknown' : `${method.holder}::${method.name}`}@${bci}${line === null ? '' : ` (line ${line})`}`;
			this.positions.set(key, comment);
		}
		return comment;
	}

	/** Where the agent could not read relocations, polls are told from the instructions, and calls are left without a kind. */
	private relocationsOf(load: AgentLoad, { relocations }: LoadDetails, decoded: readonly DecodedInstruction[], places: InstructionPlaces): Relocation[] {
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

	private runtimeCall({ text }: DecodedInstruction): string {
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
function isPlausible({ offset, kind }: Relocation, decoded: readonly DecodedInstruction[], places: InstructionPlaces): boolean {
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

	constructor(decoded: readonly DecodedInstruction[], start: number) {
		this.ends = Float64Array.from(decoded, ({ address, sizeBytes }) => address + sizeBytes - start);
		this.starts = Float64Array.from(decoded, ({ address }) => address - start);
	}

	/** -1 where none begins. */
	startingAt(offset: number): number {
		return instructionAt(this.starts, offset);
	}

	/** The first that ends there or behind: C1 keeps data among its code, in which ends are not known. -1 behind the last. */
	endingAt(offset: number): number {
		let low = 0;
		let high = this.ends.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.ends[middle]! < offset) {
				low = middle + 1;
			} else {
				high = middle;
			}
		}
		return low < this.ends.length && offset > 0 ? low : -1;
	}
}
