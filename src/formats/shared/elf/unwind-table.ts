/**
 * How frames lead to their callers', of programs for x86-64: by the instructions in `.eh_frame` (DWARF 5, section 6.4.2; what of it GNU added: Linux Standard Base Core
 * 5.0, "DWARF Extensions"), and of Go's functions by what `.gopclntab` tells of the stack pointer.
 */
import type { Source } from '../../../bytes/source.js';
import { lastAtOrBelow } from '../../../model/binary-search.js';
import { FRAME_POINTER, type FrameRule, RETURN_ADDRESS, type SavedRegister, STACK_POINTER, type UnwindTable } from '../../../model/unwinding.js';
import { Cursor, DwarfError } from '../dwarf/cursor.js';
import { type CallFrames, callFrames, type DescribedFrame } from './call-frames.js';
import { type CodeLayout, readCodeLayout } from './code-layout.js';
import { type GoStackDepths, goStackDepths } from './go-functions.js';
import { readSectionTable } from './section-table.js';

const WORD_BYTES = 8;
const SAME: SavedRegister = { kind: 'same' };
const LOST: SavedRegister = { kind: 'lost' };
const ELSEWHERE: SavedRegister = { kind: 'elsewhere' };
/** States that are remembered within each other. */
const MOST_REMEMBERED = 64;

/** DW_CFA: the upper two bits of three instructions, whose lower six are an operand. */
const ADVANCE = 1;
const OFFSET = 2;
const RESTORE = 3;

/** null: it has none, or is for another processor. */
export function readUnwindTable(source: Source): UnwindTable | null {
	const table = readSectionTable(source);
	const layout = readCodeLayout(source);
	if (table.kind === 'unusable' || layout?.machine !== 'x86-64' || !table.is64) {
		return null;
	}
	const described = callFrames(table);
	const inGo = goStackDepths(table);
	return described.frames.length === 0 && inGo === null ? null : new FileUnwindTable(layout, described, inGo);
}

class FileUnwindTable implements UnwindTable {
	private readonly layout: CodeLayout;
	private readonly described: CallFrames;
	private readonly starts: Float64Array;
	private readonly inGo: GoStackDepths | null;
	private readonly known = new Map<number, FrameRule | null>();

	constructor(layout: CodeLayout, described: CallFrames, inGo: GoStackDepths | null) {
		this.layout = layout;
		this.described = described;
		this.starts = Float64Array.from(described.frames, ({ start }) => start);
		this.inGo = inGo;
	}

	ruleAt(offset: number): FrameRule | null {
		let rule = this.known.get(offset);
		if (rule === undefined) {
			rule = this.find(this.layout.addressOf(offset));
			this.known.set(offset, rule);
		}
		return rule;
	}

	private find(address: number): FrameRule | null {
		const frame = this.described.frames[lastAtOrBelow(this.starts, address)];
		if (frame !== undefined && address < frame.end) {
			return ruleOf(this.described.bytes, frame, address);
		}
		const depth = this.inGo?.depthAt(address) ?? null;
		return depth === null
			? null
			: {
					address: { register: STACK_POINTER, offset: depth + WORD_BYTES },
					returnAddress: { kind: 'saved', offset: -WORD_BYTES },
					// Go's own code is found without, and what calls it has another stack.
					framePointer: LOST,
					isSignal: false,
				};
	}
}

/** null: the instructions are damaged, or of a kind that is not known. */
function ruleOf(bytes: Uint8Array, frame: DescribedFrame, address: number): FrameRule | null {
	const { common } = frame;
	try {
		const machine = new FrameMachine(frame, address);
		machine.run(new Cursor(bytes.subarray(0, common.end), true, common.at));
		machine.keepInitial();
		const own = new Cursor(bytes.subarray(0, frame.bodyEnd), true, frame.body);
		if (common.hasData) {
			own.skip(own.uleb());
		}
		machine.run(own);
		return machine.rule();
	} catch (error) {
		if (error instanceof DwarfError) {
			return null;
		}
		throw error;
	}
}

interface State {
	/** null: not told yet. */
	address: FrameRule['address'] | null;
	returnAddress: SavedRegister;
	framePointer: SavedRegister;
}

/** Executes instructions up to an address. */
class FrameMachine {
	private readonly frame: DescribedFrame;
	private readonly wanted: number;
	private location: number;
	private state: State = { address: null, returnAddress: LOST, framePointer: SAME };
	private initial: State = this.state;
	private readonly remembered: State[] = [];

	constructor(frame: DescribedFrame, wanted: number) {
		this.frame = frame;
		this.wanted = wanted;
		this.location = frame.start;
	}

	keepInitial(): void {
		this.initial = { ...this.state };
	}

	rule(): FrameRule | null {
		const { address, returnAddress, framePointer } = this.state;
		return address === null ? null : { address, returnAddress, framePointer, isSignal: this.frame.common.isSignal };
	}

	run(cursor: Cursor): void {
		while (cursor.at < cursor.bytes.length) {
			const instruction = cursor.u8();
			const operand = instruction & 0x3f;
			switch (instruction >> 6) {
				case ADVANCE:
					this.advance(operand);
					break;
				case OFFSET:
					this.save(operand, cursor.uleb() * this.frame.common.dataAlignment);
					break;
				case RESTORE:
					this.restore(operand);
					break;
				default:
					this.execute(instruction, cursor);
			}
			if (this.location > this.wanted) {
				return;
			}
		}
	}

	private execute(instruction: number, cursor: Cursor): void {
		const { dataAlignment } = this.frame.common;
		switch (instruction) {
			case 0x00: // DW_CFA_nop
				return;
			case 0x02: // DW_CFA_advance_loc1
				this.advance(cursor.u8());
				return;
			case 0x03: // DW_CFA_advance_loc2
				this.advance(cursor.u16());
				return;
			case 0x04: // DW_CFA_advance_loc4
				this.advance(cursor.u32());
				return;
			case 0x05: // DW_CFA_offset_extended
				this.save(cursor.uleb(), cursor.uleb() * dataAlignment);
				return;
			case 0x06: // DW_CFA_restore_extended
				this.restore(cursor.uleb());
				return;
			case 0x07: // DW_CFA_undefined
				this.set(cursor.uleb(), LOST);
				return;
			case 0x08: // DW_CFA_same_value
				this.set(cursor.uleb(), SAME);
				return;
			case 0x09: // DW_CFA_register
				this.set(cursor.uleb(), ELSEWHERE);
				cursor.uleb();
				return;
			case 0x0a: // DW_CFA_remember_state
				if (this.remembered.push({ ...this.state }) > MOST_REMEMBERED) {
					throw new DwarfError('too many states are remembered');
				}
				return;
			case 0x0b: // DW_CFA_restore_state
				this.state = this.remembered.pop() ?? this.state;
				return;
			case 0x0c: // DW_CFA_def_cfa
				this.state.address = { register: cursor.uleb(), offset: cursor.uleb() };
				return;
			case 0x0d: // DW_CFA_def_cfa_register
				this.state.address = { register: cursor.uleb(), offset: this.offsetOfAddress() };
				return;
			case 0x0e: // DW_CFA_def_cfa_offset
				this.state.address = { register: this.registerOfAddress(), offset: cursor.uleb() };
				return;
			case 0x0f: // DW_CFA_def_cfa_expression
				this.state.address = { expression: block(cursor) };
				return;
			case 0x10: // DW_CFA_expression
				this.set(cursor.uleb(), { kind: 'savedAt', expression: block(cursor) });
				return;
			case 0x11: // DW_CFA_offset_extended_sf
				this.save(cursor.uleb(), cursor.sleb() * dataAlignment);
				return;
			case 0x12: // DW_CFA_def_cfa_sf
				this.state.address = { register: cursor.uleb(), offset: cursor.sleb() * dataAlignment };
				return;
			case 0x13: // DW_CFA_def_cfa_offset_sf
				this.state.address = { register: this.registerOfAddress(), offset: cursor.sleb() * dataAlignment };
				return;
			case 0x14: // DW_CFA_val_offset
			case 0x15: // DW_CFA_val_offset_sf
				this.set(cursor.uleb(), ELSEWHERE);
				cursor.uleb();
				return;
			case 0x16: // DW_CFA_val_expression
				this.set(cursor.uleb(), ELSEWHERE);
				block(cursor);
				return;
			case 0x2e: // DW_CFA_GNU_args_size
				cursor.uleb();
				return;
			case 0x2f: // DW_CFA_GNU_negative_offset_extended
				this.save(cursor.uleb(), -cursor.uleb() * dataAlignment);
				return;
			default:
				throw new DwarfError(`an instruction 0x${instruction.toString(16)}`);
		}
	}

	private advance(by: number): void {
		this.location += by * this.frame.common.codeAlignment;
	}

	private save(register: number, offset: number): void {
		this.set(register, { kind: 'saved', offset });
	}

	private restore(register: number): void {
		this.set(register, register === RETURN_ADDRESS ? this.initial.returnAddress : this.initial.framePointer);
	}

	/** Of other registers nobody asks. */
	private set(register: number, saved: SavedRegister): void {
		if (register === RETURN_ADDRESS) {
			this.state.returnAddress = saved;
		} else if (register === FRAME_POINTER) {
			this.state.framePointer = saved;
		}
	}

	private registerOfAddress(): number {
		const { address } = this.state;
		if (address === null || !('register' in address)) {
			throw new DwarfError('an offset without a register');
		}
		return address.register;
	}

	private offsetOfAddress(): number {
		const { address } = this.state;
		if (address === null || !('register' in address)) {
			throw new DwarfError('a register without an offset');
		}
		return address.offset;
	}
}

function block(cursor: Cursor): Uint8Array {
	const length = cursor.uleb();
	const from = cursor.at;
	cursor.skip(length);
	return cursor.bytes.subarray(from, from + length);
}
