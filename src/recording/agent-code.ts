/**
 * The code in the log of assay's agent, in the form in which printed code is read: the JVM's notes beside the instructions are made from relocations, oop
 * maps, bytecodes and lines.
 */

import { readRange, type Source } from '../bytes/source.js';
import type { DecodedCode } from '../disassembly/decoded-code.js';
import { type Disassembler, sharedDisassembler } from '../disassembly/disassembler.js';
import { namesakesOfLoads } from '../formats/agent-log/class-ranks.js';
import {
	forEachRelocation,
	type LoadDetails,
	MethodDetails,
	type RelocationKind,
	readLoadDetails,
	readRelocationBytes,
	relocationLayout,
} from '../formats/agent-log/details.js';
import { interpretedMethods } from '../formats/agent-log/interpreted.js';
import type { AgentLoad, AgentLog, AgentStub, Extent } from '../formats/agent-log/read.js';
import { stackBangOf, withVerifiedEntry } from '../formats/agent-log/verified-entry.js';
import type { PrintedCode } from '../formats/hotspot-code/instructions.js';
import type { LoggedCode } from '../formats/hotspot-code/scan.js';
import { nameOfCall, traitOf } from '../formats/shared/hotspot/instruction-comments.js';
import { type CallPlace, isLateCall, withoutLateCalls } from '../formats/shared/hotspot/late-calls.js';
import { findPolls } from '../formats/shared/hotspot/polls.js';
import { firstWhere } from '../model/binary-search.js';
import { codeMap, installationOfStub } from '../model/code-map.js';
import type { FlowColumns } from '../model/flow-columns.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { Flow } from '../model/instructions.js';
import { InputError } from '../model/problem.js';
import { RecentColumns } from '../model/recent-columns.js';
import type { InterpretedMethod } from '../model/samples.js';
import { AgentInstructions, type CodeNotes, type Described, instructionsAlone, type PlacedRelocations, startingAt } from './agent-instructions.js';
import type { CodeSource } from './code-source.js';

const NATIVE = 0x100;
const UNKNOWN_METHOD = { holder: 'unknown', name: 'unknown' };

/** So much of what the log says beside the code is kept. */
const MOST_BYTES_OF_DETAILS = 1 << 26;

/** So much of the code that was looked at last is kept, and so much of its decoded form, which takes longer to make than to read the code once more. */
const MOST_BYTES_OF_CODE = 1 << 24;
const MOST_BYTES_OF_SHAPES = 3 << 24;
/** Who follows calls from one piece of code to the next comes back to the same ones. */
const MOST_BYTES_OF_COLUMNS = 1 << 26;

/** No method has more bytecodes. */
const LAST_BCI = 0xffff;

const Late = { Unknown: 0, Yes: 1, No: 2 } as const;

type Piece = { readonly load: AgentLoad } | { readonly stub: AgentStub };

/** What names the address that native code calls; null where nothing does. */
export type NameAddress = (address: number) => string | null;

/** The calls that C2 inlined late in a piece of code, which the JVM's own log tells. */
type LateInlinesOf = (code: GeneratedCode) => readonly CallPlace[];

export interface AgentCode extends CodeSource {
	read(wanted: Iterable<GeneratedCode>, lateInlinesOf?: LateInlinesOf): Promise<Map<GeneratedCode, PrintedCode>>;
	readonly code: readonly LoggedCode[];
	readonly log: AgentLog;
	/** Methods that ran in the interpreter, by where the JVM has its structures of them. */
	interpretedMethods(addresses: ReadonlySet<number>): ReadonlyMap<number, InterpretedMethod>;
}

/** Seconds of the pieces count from the time at which the file was begun. */
export function agentCode(file: string, source: Source, log: AgentLog, nameNative: NameAddress = () => null): AgentCode {
	const pieces = new Map<LoggedCode, Piece>();
	const namesakes = namesakesOfLoads(log);
	log.loads.forEach((load, at) => {
		const namesake = namesakes[at];
		pieces.set({ ...codeOfLoad(log, load), ...(namesake == null ? {} : { namesake }) }, { load });
	});
	const loaded = codeMap([...pieces.keys()]);
	const interpreters = log.stubs.filter(({ name }) => name === 'Interpreter');
	const hasCodelets = log.stubs.some(({ isCodelet }) => isCodelet);
	for (const stub of log.stubs) {
		if (!(hasCodelets && stub.name === 'Interpreter')) {
			pieces.set({ ...codeOfStub(interpreters, stub), installedSeconds: installationOfStub(loaded, stub, stub.seconds - log.monotonicSeconds) }, { stub });
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
		read: (wanted, lateInlinesOf = () => []) => reader.read(wanted, lateInlinesOf),
		interpretedMethods: (addresses) => interpretedMethods(source, log, addresses),
		close: () => source.close(),
	};
}

function codeOfLoad(log: AgentLog, load: AgentLoad): LoggedCode {
	const method = log.methods[load.method];
	const isNative = ((method?.modifiers ?? 0) & NATIVE) !== 0;
	const { level } = load;
	// All of these have one JVMTI number: which of them it is, and its signature, is not told.
	const isIntrinsic = isNative && method?.holder === 'java.lang.invoke.MethodHandle';
	return {
		kind: isNative ? 'native wrapper' : 'compilation',
		name: method === undefined ? 'a method that is not described' : isIntrinsic ? 'java.lang.invoke.MethodHandle intrinsic' : `${method.holder}.${method.name}`,
		signature: isIntrinsic ? null : (method?.signature ?? null),
		compileId: load.compileId === null ? null : `${load.compileId}${load.osrBci === null ? '' : '%'}`,
		compiler: isNative ? null : compilerOf(log, load),
		level,
		osrBci: load.osrBci,
		start: load.start,
		end: load.start + load.codeBytes,
		installedSeconds: load.isEarlier ? null : load.seconds - log.monotonicSeconds,
		notEntrant: null,
		textRanges: rangesOf(load.code),
	};
}

function compilerOf({ flags }: AgentLog, { level, isInstalledByJvmci }: AgentLoad): string | null {
	return level === null || level === 0 ? null : level < 4 ? 'c1' : isInstalledByJvmci === true || flags.get('UseJVMCICompiler') === '1' ? 'jvmci' : 'c2';
}

function codeOfStub(interpreters: readonly AgentStub[], { name, start, end, isCodelet, code }: AgentStub): LoggedCode {
	const isOfInterpreter = isCodelet || interpreters.some((stub) => start >= stub.start && end <= stub.end);
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

/** Code that is read and decoded when somebody looks at it: of much code a pass looks at one piece after the other. */
class LazyCode implements PrintedCode {
	private readonly make: () => PrintedCode;
	private made: PrintedCode | null = null;

	constructor(make: () => PrintedCode) {
		this.make = make;
	}

	get instructions(): PrintedCode['instructions'] {
		this.made ??= this.make();
		return this.made.instructions;
	}

	get labels(): PrintedCode['labels'] {
		this.made ??= this.make();
		return this.made.labels;
	}
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
	private readonly positions: (Map<number, Described> | undefined)[];
	private described = 0;
	/** What stands beside calls into the JVM, by their target. */
	private readonly calls = new Map<number, string>();
	private readonly placed: Room = { length: 0, instruction: [], kind: [] };
	private layout: ReturnType<typeof relocationLayout> | null = null;
	private readonly traitsOfCalls = new Map<number, number>();
	private readonly names: (string | undefined)[];
	/** The same for all code. */
	private readonly elsewhere: Omit<CodeNotes, 'details' | 'detailsOnce' | 'relocations' | 'labels' | 'hasOopMaps'> = {
		runtimeCall: (target, text) => this.runtimeCall(target, text),
		traitOfRuntimeCall: (target, text) => this.traitOfRuntimeCall(target, text),
		nameOf: (method) => this.nameOfMethod(method),
		describe: (method, bci) => this.describe(method, bci),
		bytecodeAt: (method, bci) => this.methods.bytecodeAt(method, bci),
		calledAt: (method, bci) => this.calledAt(method, bci),
		isLateCall: (method, bci) => this.isLateCall(method, bci),
	};
	private readonly recent = new RecentColumns(MOST_BYTES_OF_CODE);
	private readonly recentShapes = new RecentColumns(MOST_BYTES_OF_SHAPES);
	private readonly recentColumns = new RecentColumns(MOST_BYTES_OF_COLUMNS);
	/** Of the method that is called, by method and bytecode index. */
	private readonly called = new Map<number, string | null>();
	/** Whether a bytecode is a call that C2 inlines late, by method and bytecode index. */
	private readonly lateCalls: (Uint8Array | undefined)[] = [];
	private readonly details = new Map<AgentLoad, LoadDetails>();
	private bytesOfDetails = 0;
	private stackBang: Uint8Array | null | undefined;

	constructor(source: Source, log: AgentLog, pieces: ReadonlyMap<GeneratedCode, Piece>, nameNative: NameAddress) {
		this.source = source;
		this.log = log;
		this.pieces = pieces;
		this.nameNative = nameNative;
		this.names = new Array<string | undefined>(log.methods.length).fill(undefined);
		this.positions = new Array<Map<number, Described> | undefined>(log.methods.length).fill(undefined);
		this.methods = new MethodDetails(source, log);
	}

	async read(wanted: Iterable<GeneratedCode>, lateInlinesOf: LateInlinesOf): Promise<Map<GeneratedCode, PrintedCode>> {
		const result = new Map<GeneratedCode, PrintedCode>();
		this.disassembler ??= await sharedDisassembler(this.log.architecture ?? 'x86-64');
		const { disassembler } = this;
		for (const code of wanted) {
			const piece = this.pieces.get(code);
			const extent = piece === undefined ? undefined : 'load' in piece ? piece.load.code : piece.stub.code;
			if (piece === undefined || extent === undefined || extent.sizeBytes === 0) {
				continue;
			}
			let printed = this.known.get(code);
			if (printed === undefined) {
				printed = new LazyCode(() => this.printed(disassembler, code, piece, extent, lateInlinesOf));
				this.known.set(code, printed);
			}
			result.set(code, printed);
		}
		return result;
	}

	private printed(disassembler: Disassembler, code: GeneratedCode, piece: Piece, extent: Extent, lateInlinesOf: LateInlinesOf): PrintedCode {
		const read = (): Uint8Array => readRange(this.source, extent.offset, extent.offset + extent.sizeBytes);
		if ('stub' in piece) {
			return { instructions: instructionsAlone(disassembler.decodeColumns(read(), code.start)), labels: new Map() };
		}
		const { load } = piece;
		const bytes = this.withFirstInstruction(read(), load);
		const { length } = bytes;
		const decoded = disassembler.decodeColumns(bytes, code.start, {
			read: () => this.readAgain(read, load, length),
			recent: this.recent,
			recentShapes: this.recentShapes,
			recentColumns: this.recentColumns,
		});
		const instructions = decoded.look((columns) => new AgentInstructions(decoded, columns, load.start, this.notesOfLoad(load, decoded, columns)));
		const { labels } = instructions;
		return { instructions: compilerOf(this.log, load) === 'c2' ? withoutLateCalls(instructions, labels, () => lateInlinesOf(code)) : instructions, labels };
	}

	private readAgain(read: () => Uint8Array, load: AgentLoad, length: number): Uint8Array {
		const bytes = this.withFirstInstruction(read(), load);
		if (bytes.length !== length) {
			throw new InputError({
				severity: 'error',
				file: this.source.name,
				message: 'became shorter while it was read',
				action: 'look at it when it is complete',
			});
		}
		return bytes;
	}

	private withFirstInstruction(bytes: Uint8Array, load: AgentLoad): Uint8Array {
		if (this.stackBang === undefined) {
			this.stackBang = stackBangOf(this.source, this.log);
		}
		return withVerifiedEntry(bytes, load, this.log, this.stackBang);
	}

	private notesOfLoad(load: AgentLoad, decoded: DecodedCode, columns: FlowColumns): CodeNotes {
		const labels = new Map<number, string>();
		const label = (offset: number | null, name: string): void => {
			const i = offset === null ? -1 : startingAt(columns, load.start + offset);
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
		return {
			details: () => this.detailsOf(load),
			detailsOnce: () => this.details.get(load) ?? readLoadDetails(this.source, load),
			relocations: () => decoded.look((current) => this.relocationsOf(load, decoded, current)),
			labels,
			hasOopMaps: ((this.log.methods[load.method]?.modifiers ?? 0) & NATIVE) === 0,
			...this.elsewhere,
		};
	}

	private isLateCall(number: number, bci: number): boolean {
		if (bci < 0 || bci > LAST_BCI) {
			return false;
		}
		let known = this.lateCalls[number];
		if (known === undefined || bci >= known.length) {
			const larger = new Uint8Array(Math.max(32, 2 * bci));
			larger.set(known ?? []);
			known = larger;
			this.lateCalls[number] = known;
		}
		if (known[bci] === Late.Unknown) {
			known[bci] = this.methods.callsDirectly(number, bci) && isLateCall(this.methods.bytecodeAt(number, bci) ?? '') ? Late.Yes : Late.No;
		}
		return known[bci] === Late.Yes;
	}

	/** Of the code that is looked at they are asked for again and again. */
	private detailsOf(load: AgentLoad): LoadDetails {
		let details = this.details.get(load);
		if (details === undefined) {
			this.bytesOfDetails += load.details.sizeBytes;
			if (this.bytesOfDetails > MOST_BYTES_OF_DETAILS) {
				this.details.clear();
				this.bytesOfDetails = load.details.sizeBytes;
			}
			details = readLoadDetails(this.source, load);
			this.details.set(load, details);
		}
		return details;
	}

	private describe(number: number, bci: number): Described {
		let ofMethod = this.positions[number];
		if (ofMethod === undefined) {
			ofMethod = new Map();
			this.positions[number] = ofMethod;
		}
		let described = ofMethod.get(bci);
		if (described === undefined) {
			const { holder, name } = this.log.methods[number] ?? UNKNOWN_METHOD;
			const line = this.methods.lineOf(number, bci);
			described = {
				number: this.described++,
				comment: `- ${holder}::${name}@${bci}${line === null ? '' : ` (line ${line})`}`,
				frame: { method: this.nameOfMethod(number), bci, line },
			};
			ofMethod.set(bci, described);
		}
		return described;
	}

	private nameOfMethod(number: number): string {
		let known = this.names[number];
		if (known === undefined) {
			const { holder, name } = this.log.methods[number] ?? UNKNOWN_METHOD;
			known = `${holder}.${name}`;
			if (number < this.log.methods.length) {
				this.names[number] = known;
			}
		}
		return known;
	}

	private calledAt(method: number, bci: number): string | null {
		const key = method * 2 ** 32 + bci;
		let name = this.called.get(key);
		if (name === undefined) {
			const bytecode = this.methods.bytecodeAt(method, bci);
			name = bytecode === null ? null : nameOfCall(`*${bytecode}`);
			this.called.set(key, name);
		}
		return name;
	}

	/** Where the agent could not read relocations, polls are told from the instructions, and calls are left without a kind. */
	private relocationsOf(load: AgentLoad, decoded: DecodedCode, columns: FlowColumns): PlacedRelocations {
		const architecture = this.log.architecture ?? 'x86-64';
		const { placed } = this;
		const bytes = readRelocationBytes(this.source, load);
		this.layout ??= relocationLayout(this.log.vmVersion, architecture);
		const places = new RelocationPlaces(placed, decoded, columns, load.start);
		if (bytes.length > 0 && forEachRelocation(bytes, this.layout, architecture, load.constantsBytes, (offset, kind) => places.add(offset, kind))) {
			return placed;
		}
		// Stubs behind the code stop no thread.
		const end = load.start + (load.stubStart ?? load.codeBytes);
		const main = Array.from({ length: firstWhere(decoded.length, (i) => columns.address[i]! >= end) }, (_, i) => ({ text: decoded.text(i) }));
		placed.length = 0;
		for (const { instruction, kind } of findPolls(main)) {
			note(placed, instruction, kind);
		}
		return placed;
	}

	private traitOfRuntimeCall(called: number, text: () => string): number {
		const target = targetOfCall(called, text);
		let trait = this.traitsOfCalls.get(target);
		if (trait === undefined) {
			trait = traitOf(this.runtimeCall(target, text), Flow.Call);
			this.traitsOfCalls.set(target, trait);
		}
		return trait;
	}

	private runtimeCall(called: number, text: () => string): string {
		const target = targetOfCall(called, text);
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

/** Where its flow does not tell it, the first address in its text; NaN where there is none. */
function targetOfCall(called: number, text: () => string): number {
	return Number.isNaN(called) ? Number.parseInt(/0x([0-9a-f]{4,16})/.exec(text())?.[1] ?? '', 16) : called;
}

interface Room {
	length: number;
	readonly instruction: number[];
	readonly kind: RelocationKind[];
}

function note(room: Room, instruction: number, kind: RelocationKind): void {
	room.instruction[room.length] = instruction;
	room.kind[room.length++] = kind;
}

/** Polls read memory or compare, and calls call: in a JVM that lays them out differently relocations point anywhere. */
class RelocationPlaces {
	private readonly room: Room;
	private readonly decoded: DecodedCode;
	private readonly columns: FlowColumns;
	private readonly start: number;
	private at = 0;

	constructor(room: Room, decoded: DecodedCode, columns: FlowColumns, start: number) {
		this.room = room;
		this.decoded = decoded;
		this.columns = columns;
		this.start = start;
		room.length = 0;
	}

	/** False where it is none. */
	add(offset: number, kind: RelocationKind): boolean {
		const { address, flow } = this.columns;
		const wanted = this.start + offset;
		while (this.at < address.length && address[this.at]! < wanted) {
			this.at++;
		}
		const { at } = this;
		if (address[at] !== wanted) {
			return false;
		}
		const isPoll = kind === 'poll' || kind === 'poll_return';
		if (isPoll ? !POLLS.test(this.decoded.form(at)) : kind !== 'runtime_call' && flow[at] !== Flow.Call && !CALLS.test(this.decoded.form(at))) {
			return false;
		}
		note(this.room, at, kind);
		return true;
	}
}

const POLLS = /^(?:test|cmp|ldr|j|b|ld)/;
const CALLS = /^(?:call|bl|b |nop)/;
