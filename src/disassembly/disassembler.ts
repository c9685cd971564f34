/** Machine code → text, by Capstone (WebAssembly). Nothing else in the project knows which disassembler it is. */
import { createRequire } from 'node:module';
import { flowOfInstruction, type InstructionFlow } from '../model/instruction-flow.js';
import { Flow } from '../model/instructions.js';
import { columnsOf, type DecodedCode, instructionsOf } from './decoded-code.js';
import type { DisassembledInstruction } from './disassembled-instruction.js';
import { gnuSyntax } from './gnu-syntax.js';
import { dataAddress, dataDistance, KnownInstructions, type ReadAgain } from './known-instructions.js';

export type Architecture = 'x86-64' | 'aarch64';

export interface Disassembler {
	/** Instructions of `bytes`, the first of which lies at `address`. What is no instruction becomes `.byte` or `.inst`: no byte is left out. */
	decode(bytes: Uint8Array, address: number): DisassembledInstruction[];
	/** The same in columns. `again`: where the bytes need not be kept. */
	decodeColumns(bytes: Uint8Array, address: number, again?: ReadAgain): DecodedCode;
}

/** What is used of Capstone's interface. */
interface Capstone {
	readonly ARCH_X86: number;
	readonly ARCH_ARM64: number;
	readonly MODE_64: number;
	readonly MODE_LITTLE_ENDIAN: number;
	readonly OPT_SYNTAX: number;
	readonly OPT_SYNTAX_ATT: number;
	readonly Capstone: new (
		architecture: number,
		mode: number,
	) => {
		option(option: number, value: number): void;
		/** `most`: 0 for all. */
		disasm(bytes: Uint8Array, address: number, most: number): CapstoneInstruction[];
	};
}

interface CapstoneInstruction {
	readonly address: number | bigint;
	readonly size: number;
	readonly mnemonic: string;
	readonly op_str: string;
}

/** Bytes for one call. */
const PIECE_BYTES = 1 << 16;
/** No instruction has more, with a byte to spare. */
const LONGEST_BYTES = 16;

let loading: Promise<Capstone> | null = null;

/** Takes some 50 ms the first time. */
export async function openDisassembler(architecture: Architecture): Promise<Disassembler> {
	loading ??= (createRequire(import.meta.url)('@alexaltea/capstone-js') as () => Promise<Capstone>)();
	const capstone = await loading;
	const isX86 = architecture === 'x86-64';
	const handle = isX86 ? new capstone.Capstone(capstone.ARCH_X86, capstone.MODE_64) : new capstone.Capstone(capstone.ARCH_ARM64, capstone.MODE_LITTLE_ENDIAN);
	if (isX86) {
		handle.option(capstone.OPT_SYNTAX, capstone.OPT_SYNTAX_ATT);
	}
	// Addresses are counted from that of the piece: beyond 2^53 those of Capstone are rounded.
	const decodePiece = (bytes: Uint8Array, address: number, most: number): DisassembledInstruction[] => {
		try {
			let offset = 0;
			return handle.disasm(bytes, address, most).map((instruction) => {
				const start = address + offset;
				offset += instruction.size;
				const text = isX86 ? x86Text(instruction) : armText(instruction.mnemonic, instruction.op_str);
				const { flow, target } = flowOfInstruction(text);
				return { address: start, sizeBytes: instruction.size, text, flow, target };
			});
		} catch {
			// It throws when not even the first bytes are an instruction.
			return [];
		}
	};
	const decodeUnknown = (bytes: Uint8Array, address: number): DisassembledInstruction[] => {
		const result: DisassembledInstruction[] = [];
		for (let at = 0; at < bytes.length; ) {
			const decoded = decodePiece(bytes.subarray(at, at + PIECE_BYTES), address + at, 0);
			// The last instruction of a piece may go on in the next one.
			const isLastPiece = at + PIECE_BYTES >= bytes.length;
			const end = at + PIECE_BYTES - LONGEST_BYTES;
			const start = at;
			for (const instruction of decoded) {
				if (!isLastPiece && at > end) {
					break;
				}
				result.push(instruction);
				at += instruction.sizeBytes;
			}
			if (at < bytes.length && (isLastPiece || at === start)) {
				const data = undecoded(bytes, at, address + at, isX86);
				result.push(data);
				at += data.sizeBytes;
			}
		}
		return result;
	};
	const known = new KnownInstructions((bytes, at, address) => {
		const [decoded] = decodePiece(bytes.subarray(at, at + LONGEST_BYTES), address, 1);
		return decoded === undefined ? { decoded: undecoded(bytes, at, address, isX86), isData: true } : { decoded, isData: false };
	});
	const isKnown = (bytes: Uint8Array, address: number): boolean => isX86 && Number.isSafeInteger(address + bytes.length);
	return {
		decode: (bytes, address) => (isKnown(bytes, address) ? instructionsOf(known.decode(bytes, address)) : decodeUnknown(bytes, address)),
		decodeColumns: (bytes, address, again) => (isKnown(bytes, address) ? known.decode(bytes, address, again) : columnsOf(decodeUnknown(bytes, address))),
	};
}

/** Of so much code one is kept: what it knows of instructions is bounded, and of other code it is something else. */
const MOST_SHARED_BYTES = 1 << 26;

const shared = new Map<Architecture, Disassembler>();

/** The same for all who read recordings one after another: it knows the instructions of those before. Decoded code does not tell who decoded it. */
export async function sharedDisassembler(architecture: Architecture): Promise<Disassembler> {
	const known = shared.get(architecture);
	if (known !== undefined) {
		return known;
	}
	const { decode, decodeColumns } = await openDisassembler(architecture);
	let left = MOST_SHARED_BYTES;
	const counted = (bytes: Uint8Array): Uint8Array => {
		left -= bytes.length;
		if (left < 0) {
			shared.delete(architecture);
		}
		return bytes;
	};
	const disassembler: Disassembler = {
		decode: (bytes, address) => decode(counted(bytes), address),
		decodeColumns: (bytes, address, again) => decodeColumns(counted(bytes), address, again),
	};
	shared.set(architecture, disassembler);
	return disassembler;
}

/** Data ends a path. */
const DATA: InstructionFlow = { flow: Flow.Stop, target: Number.NaN };

function undecoded(bytes: Uint8Array, at: number, address: number, isX86: boolean): DisassembledInstruction {
	if (isX86) {
		return { address, sizeBytes: 1, text: `.byte 0x${bytes[at]!.toString(16)}`, ...DATA };
	}
	const word = bytes.subarray(at, at + 4);
	return {
		address,
		sizeBytes: word.length,
		text: `.inst 0x${[...word]
			.reverse()
			.map((byte) => byte.toString(16).padStart(2, '0'))
			.join('')}`,
		...DATA,
	};
}

/** With what the text alone does not tell: the address that is relative to the next instruction, and how long a nop is. */
function x86Text({ address, size, mnemonic, op_str }: CapstoneInstruction): string {
	const text = gnuSyntax(mnemonic, op_str);
	if (text.startsWith('nop')) {
		return sizedNop(text, size);
	}
	const distance = dataDistance(text);
	if (distance === null) {
		return text;
	}
	return `${text}${dataAddress(Number(address) + size + distance)}`;
}

function sizedNop(text: string, sizeBytes: number): string {
	if (text === 'nop' && sizeBytes > 1) {
		return `${'data16 '.repeat(sizeBytes - 2)}xchg %ax,%ax`;
	}
	if (text === 'nopl (%rax)' && sizeBytes > 3) {
		return 'nopl 0x0(%rax)';
	}
	return text.startsWith('nopw 0x0(') && sizeBytes > 9 ? `${'data16 '.repeat(sizeBytes - 9)}${text}` : text;
}

/** binutils put no number sign before a jump's target. */
function armText(mnemonic: string, operands: string): string {
	return `${mnemonic} ${/^(?:b|bl|b\..*|cbn?z|tbn?z|adrp?)$/.test(mnemonic) ? operands.replace(/#(0x[0-9a-f]+)$/, '$1') : operands}`.trim();
}
