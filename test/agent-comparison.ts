/**
 * One run of a JVM, told twice: what assay's agent wrote of compiled code against what the JVM printed of it. `[MachCode]` attaches its notes to units of four bytes
 * (src/formats/hotspot-code/machine-code.ts), of several in one unit the first; the agent's are exact. So the agent's are laid on those units here.
 */
import { readRange, type Source } from '../src/bytes/source.js';
import { openDisassembler } from '../src/disassembly/disassembler.js';
import { MethodDetails, readLoadDetails, readRelocationBytes, relocationLayout } from '../src/formats/agent-log/details.js';
import { type AgentLoad, type AgentLog, readAgentLog } from '../src/formats/agent-log/read.js';
import { stackBangOf, withVerifiedEntry } from '../src/formats/agent-log/verified-entry.js';
import { type MachineCodeChunk, readCodeText } from '../src/formats/hotspot-code/read-text.js';
import { type LoggedCode, scanCode } from '../src/formats/hotspot-code/scan.js';
import { findPolls } from '../src/formats/shared/hotspot/polls.js';
import { relocationsIn } from './agent-log.js';

const UNIT_BYTES = 4;
/** Relocations that both name: others are of data. */
const CALL_OR_POLL = /^\{(virtual_call|optimized virtual_call|static_call|runtime_call|poll|poll_return)\b/;

export interface AgentComparison {
	/** How often both agree, by what was compared. */
	readonly agree: ReadonlyMap<string, number>;
	/** Instructions whose bytes the JVM changed between the two moments, by what they are. */
	readonly patched: ReadonlyMap<string, number>;
	/** What differs, a line each. */
	readonly differences: readonly string[];
}

interface Decoded {
	readonly address: number;
	readonly sizeBytes: number;
	readonly text: string;
}

export async function compareAgentWithPrint(agentSource: Source, logSource: Source): Promise<AgentComparison> {
	const agree = new Map<string, number>();
	const patched = new Map<string, number>();
	const differences: string[] = [];
	const log = readAgentLog(agentSource);
	const scan = scanCode(logSource);
	const disassembler = await openDisassembler('x86-64');
	const methods = new MethodDetails(agentSource, log);
	const stackBang = stackBangOf(agentSource, log);
	const loads = new Map(log.loads.map((load) => [`${load.compileId}${load.osrBci === null ? '' : '%'} ${load.start}`, load]));
	for (const printed of scan.code) {
		if (printed.kind !== 'compilation' && printed.kind !== 'native wrapper') {
			continue;
		}
		const title = `${printed.compileId} ${printed.name}`;
		const same = (what: string, times = 1): void => {
			agree.set(what, (agree.get(what) ?? 0) + times);
		};
		const differ = (what: string): void => {
			differences.push(`${title}: ${what}`);
		};
		const load = loads.get(`${printed.compileId} ${printed.start}`);
		if (load === undefined) {
			differ('the agent does not have it');
			continue;
		}
		loads.delete(`${printed.compileId} ${printed.start}`);
		same('compilations');
		compareHead(log, load, printed, differ);
		if (printed.textRanges.length === 0) {
			continue;
		}
		const text = readCodeText(logSource, printed, scan.form);
		const [chunk] = text.chunks;
		if (chunk === undefined || text.chunks.length > 1 || text.lostLines > 0) {
			// Another thread wrote into the middle of a line: such text says less than there is.
			same('texts that are not whole');
			continue;
		}
		const written = readRange(agentSource, load.code.offset, load.code.offset + load.code.sizeBytes);
		const own = withVerifiedEntry(written, load, log, stackBang);
		if (own !== written) {
			patched.set('entry of code that was made not entrant', (patched.get('entry of code that was made not entrant') ?? 0) + 1);
		}
		const decoded = disassembler.decode(own, load.start);
		const bytes = withVerifiedEntry(chunk.bytes, load, log, stackBang);
		compareBytes(decoded, disassembler.decode(bytes, chunk.address), own, bytes, load, patched, same, differ);
		compareNotes(log, load, agentSource, methods, chunk, printed, decoded, same, differ);
	}
	for (const [key] of loads) {
		differences.push(`${key}: the JVM did not print it`);
	}
	return { agree, patched, differences };
}

function compareHead(log: AgentLog, load: AgentLoad, printed: LoggedCode, differ: (what: string) => void): void {
	const method = log.methods[load.method];
	const told = [method?.holder, method?.name, load.level, load.osrBci, load.start + load.codeBytes];
	const wanted = [...splitName(printed.name), printed.level ?? 0, printed.osrBci, printed.end];
	// All method handle intrinsics have one number in JVMTI.
	const isIntrinsic = method?.holder === 'java.lang.invoke.MethodHandle' && printed.kind === 'native wrapper';
	if (JSON.stringify(isIntrinsic ? told.slice(2) : told) !== JSON.stringify(isIntrinsic ? wanted.slice(2) : wanted)) {
		differ(`${told.join(' ')} instead of ${wanted.join(' ')}`);
	}
	if (!isIntrinsic && printed.signature !== null && printed.signature !== method?.signature) {
		differ(`signature ${method?.signature} instead of ${printed.signature}`);
	}
}

function splitName(name: string): string[] {
	const dot = name.lastIndexOf('.');
	return [name.slice(0, dot), name.slice(dot + 1)];
}

/** What differs has to be a place that the JVM writes to after code was installed, or before. */
function compareBytes(
	decoded: readonly Decoded[],
	printed: readonly Decoded[],
	own: Uint8Array,
	bytes: Uint8Array,
	load: AgentLoad,
	patched: Map<string, number>,
	same: (what: string, times?: number) => void,
	differ: (what: string) => void,
): void {
	// Of a last group of less than four bytes HotSpot prints the address alone.
	if (own.length - bytes.length < 0 || own.length - bytes.length >= UNIT_BYTES) {
		differ(`${own.length} bytes instead of ${bytes.length}`);
	}
	for (const [i, instruction] of decoded.entries()) {
		const other = printed[i];
		const offset = instruction.address - load.start;
		if (offset + instruction.sizeBytes > bytes.length) {
			break;
		}
		const isSame =
			instruction.text === other?.text &&
			Buffer.compare(own.subarray(offset, offset + instruction.sizeBytes), bytes.subarray(offset, offset + instruction.sizeBytes)) === 0;
		if (isSame) {
			same('instructions');
			continue;
		}
		const why =
			other?.address === instruction.address && other.sizeBytes === instruction.sizeBytes ? patchOf(instruction.text, other.text, offset, load) : null;
		if (why === null) {
			differ(`${instruction.text} instead of ${other?.text} at +${offset}`);
		} else {
			patched.set(why, (patched.get(why) ?? 0) + 1);
		}
	}
}

function patchOf(text: string, other: string, offset: number, load: AgentLoad): string | null {
	const shape = (instruction: string): string => instruction.replace(/\$?-?0x[0-9a-f]+/, '#');
	if (shape(text) !== shape(other)) {
		return null;
	}
	if (/^call 0x/.test(text)) {
		return 'target of a call that was resolved';
	}
	const isInStubs = load.stubStart !== null && offset >= load.stubStart;
	if (isInStubs && /^(?:movabs \$|jmp 0x)/.test(text)) {
		return 'method and target of a static call stub';
	}
	if (/^movabs \$0x[0-9a-f]+,%rax$/.test(text)) {
		return 'class or data of an inline cache';
	}
	return /^cmpl \$0x[0-9a-f]+,0x20\(%r15\)$/.test(text) ? 'guard of the method entry barrier' : null;
}

function compareNotes(
	log: AgentLog,
	load: AgentLoad,
	source: Source,
	methods: MethodDetails,
	chunk: MachineCodeChunk,
	printed: LoggedCode,
	decoded: readonly Decoded[],
	same: (what: string, times?: number) => void,
	differ: (what: string) => void,
): void {
	const details = readLoadDetails(source, load);
	const unitOfEnd = (offset: number): number => Math.floor((offset - 1) / UNIT_BYTES) * UNIT_BYTES;
	const unitOfStart = (offset: number): number => Math.floor(offset / UNIT_BYTES) * UNIT_BYTES;
	const ends = new Set(decoded.map(({ address, sizeBytes }) => address + sizeBytes - load.start));
	const frames = new Map<number, string[]>();
	for (const { offset, frames: chain } of details.described) {
		if (!ends.has(offset) && offset !== 0) {
			// What stands in the place of instructions that C1 could not finish is followed by a copy of them and by data.
			if ((load.level ?? 0) < 4 && !isBehindPatch(decoded, load.start + offset)) {
				differ(`describes +${offset}, where no instruction ends`);
			}
			same('described addresses behind data among code');
		}
		const unit = unitOfEnd(offset);
		const lines = chain.map(({ method, bci }) => {
			const line = methods.lineOf(method, bci);
			const { holder, name } = log.methods[method] ?? { holder: '?', name: '?' };
			return `${holder}::${name}@${bci}${line === null ? '' : ` (line ${line})`}`;
		});
		if (!frames.has(unit)) {
			frames.set(unit, lines);
		}
	}
	const isNative = printed.kind === 'native wrapper';
	const maps = new Set(isNative ? [] : details.oopMaps.map(unitOfEnd));
	same('oop maps of native wrappers', isNative ? details.oopMaps.length : 0);
	const relocations = new Map<number, string[]>();
	const all = relocationsIn(readRelocationBytes(source, load), relocationLayout(log.vmVersion, 'x86-64'), 'x86-64', load.constantsBytes);
	for (const { offset, kind } of all.filter(({ offset }) => offset >= 0)) {
		relocations.set(unitOfStart(offset), [...(relocations.get(unitOfStart(offset)) ?? []), kind]);
	}
	const notes = new Map<number, readonly string[]>();
	for (const { address, comments } of chunk.notes) {
		notes.set(address - load.start, [...(notes.get(address - load.start) ?? []), ...comments]);
	}
	for (const unit of new Set([...frames.keys(), ...maps, ...relocations.keys(), ...notes.keys()])) {
		const comments = notes.get(unit) ?? [];
		const at = `+${unit}`;
		compareFrames(comments, frames.get(unit) ?? [], at, same, differ);
		const hasMap = comments.some((comment) => comment.includes('OopMap'));
		if (isNative) {
			same('oop maps of native wrappers that the JVM prints', hasMap ? 1 : 0);
		} else if (hasMap !== maps.has(unit)) {
			differ(`oop map at ${at}: ${maps.has(unit)} instead of ${hasMap}`);
		} else if (hasMap) {
			same('oop maps');
		}
		compareRelocations(comments, relocations.get(unit) ?? [], at, same, differ);
	}
	comparePolls(
		all.filter(({ kind }) => kind === 'poll' || kind === 'poll_return'),
		decoded,
		load,
		same,
		differ,
	);
}

/** A jump and the bytes of a `nop` of seven zeros and two more: PatchingStub::emit_code. */
function isBehindPatch(decoded: readonly Decoded[], address: number): boolean {
	const i = decoded.findIndex((instruction) => instruction.address > address);
	return decoded.slice(Math.max(0, i - 8), i).some(({ text }, at, all) => text.startsWith('jmp 0x') && all[at + 1]?.text === 'add %al,(%rax)');
}

function compareFrames(
	comments: readonly string[],
	own: readonly string[],
	at: string,
	same: (what: string, times?: number) => void,
	differ: (what: string) => void,
): void {
	const printed = comments.filter((comment) => /^- /.test(comment)).map((comment) => comment.replace(/^- +(?:\(reexecute\) +)?/, ''));
	if (JSON.stringify(printed) !== JSON.stringify(own)) {
		differ(`frames at ${at}: ${own.join(' < ')} instead of ${printed.join(' < ')}`);
	} else if (own.length > 0) {
		same('described addresses');
		same('frames', own.length);
	}
}

/** Of several relocations in a unit the JVM prints one. */
function compareRelocations(
	comments: readonly string[],
	own: readonly string[],
	at: string,
	same: (what: string) => void,
	differ: (what: string) => void,
): void {
	const [printed] = comments.filter((comment) => /^\{[a-z]/.test(comment));
	const kind = CALL_OR_POLL.exec(printed ?? '')?.[1];
	if (kind !== undefined && own.includes(kind)) {
		same(kind);
	} else if (kind !== undefined || (own.length > 0 && printed === undefined)) {
		differ(`relocation at ${at}: ${own.join()} instead of ${printed}`);
	} else if (own.length > 0) {
		same('calls in one unit with a relocation of data');
	}
}

/** What is told from the instructions alone is what relocations tell. */
function comparePolls(
	polls: readonly { readonly offset: number; readonly kind: string }[],
	decoded: readonly Decoded[],
	load: AgentLoad,
	same: (what: string, times: number) => void,
	differ: (what: string) => void,
): void {
	const main = decoded.filter(({ address }) => address < load.start + (load.stubStart ?? load.codeBytes));
	const found = findPolls(main).map(({ instruction, kind }) => `${kind} at +${main[instruction]!.address - load.start}`);
	const wanted = polls.map(({ kind, offset }) => `${kind} at +${offset}`);
	const lost = wanted.filter((poll) => !found.includes(poll));
	const invented = found.filter((poll) => !wanted.includes(poll));
	for (const poll of lost) {
		differ(`${poll} is not told from the instructions: ${main.find(({ address }) => address - load.start === Number(/\d+$/.exec(poll)?.[0]))?.text}`);
	}
	for (const poll of invented) {
		differ(`${poll} is none, but told from the instructions`);
	}
	same('polls told from the instructions', wanted.length - lost.length);
}
