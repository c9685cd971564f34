/**
 * Callers of native code from a copied stack (`perf record --call-graph dwarf`): each frame's return address and the registers that lead to the next one are where the
 * tables of the file tell. A copy has the top of a stack only: where it ends before the program's start, the outermost callers are not known.
 */
import {
	FRAME_POINTER,
	type FrameRule,
	RETURN_ADDRESS,
	type SavedRegister,
	STACK_POINTER,
	type UnwindTable,
	type UnwindTables,
} from '../../model/unwinding.js';
import { unsigned } from './bytes.js';
import { evaluate, type RegisterValue, type WordAt } from './dwarf-expression.js';
import type { AddressSpace, Library } from './processes.js';

/** As perf has it. */
const MOST_FRAMES = 127;
const WORD_BYTES = 8;

/** A stack from its pointer up, as far as it was copied. */
export interface StackCopy {
	readonly view: DataView;
	/** Of its first word in `view`. */
	readonly at: number;
	readonly sizeBytes: number;
	/** The most that would have been copied. */
	readonly roomBytes: number;
	readonly code: number;
	readonly stackPointer: number;
	/** null: it was not copied. */
	readonly framePointer: number | null;
}

export class StackUnwinder {
	/** Of the last stack, behind the sampled address: return addresses, and addresses at which signals interrupted. */
	readonly addresses = new Float64Array(MOST_FRAMES);
	/** Whether it is where a signal interrupted. */
	readonly isExact = new Uint8Array(MOST_FRAMES);
	/** How many there are. */
	length = 0;
	/** Of the last stack the file of which no table is at hand; null: it ended otherwise. */
	endedIn: Library | null = null;
	private readonly tables: UnwindTables;
	private readonly tableOf = new Map<Library, UnwindTable | null>();

	constructor(tables: UnwindTables) {
		this.tables = tables;
	}

	/** Ends at the program's or the thread's start, at the end of the copy, in code of which no table is at hand, and where a table leads nowhere. */
	unwind(stack: StackCopy, space: AddressSpace): void {
		this.length = 0;
		this.endedIn = null;
		let isExact = true;
		let { code, stackPointer, framePointer } = stack;
		const wordAt = (address: number): number | null => {
			const offset = address - stack.stackPointer;
			return offset >= 0 && offset + WORD_BYTES <= stack.sizeBytes ? unsigned(stack.view, stack.at + offset) : null;
		};
		const register = (number: number): number | null =>
			number === STACK_POINTER ? stackPointer : number === FRAME_POINTER ? framePointer : number === RETURN_ADDRESS ? code : null;
		while (this.length < MOST_FRAMES) {
			const rule = this.ruleAt(space, isExact ? code : code - 1);
			const frame = rule === null ? null : addressOf(rule.address, register, wordAt);
			if (rule === null || frame === null || !(frame > stackPointer)) {
				return;
			}
			const { returnAddress, framePointer: saved, isSignal } = rule;
			const at = savedPlace(returnAddress, frame, register, wordAt);
			const next = at === null ? null : wordAt(at);
			if (next === null || space.find(isSignal ? next : next - 1)?.isExecutable !== true) {
				return;
			}
			const place = savedPlace(saved, frame, register, wordAt);
			framePointer = saved.kind === 'same' ? framePointer : place === null ? null : wordAt(place);
			stackPointer = frame;
			code = next;
			isExact = isSignal;
			this.addresses[this.length] = code;
			this.isExact[this.length] = isExact ? 1 : 0;
			this.length++;
		}
	}

	private ruleAt(space: AddressSpace, address: number): FrameRule | null {
		const mapping = space.find(address);
		if (mapping === null || !mapping.isExecutable) {
			return null;
		}
		const { library, shift } = mapping;
		let table = this.tableOf.get(library);
		if (table === undefined) {
			table = this.tables.tableOf(library);
			this.tableOf.set(library, table);
		}
		if (table === null) {
			this.endedIn = library;
		}
		return table?.ruleAt(address + shift) ?? null;
	}
}

function addressOf(address: FrameRule['address'], register: RegisterValue, wordAt: WordAt): number | null {
	if ('expression' in address) {
		return evaluate(address.expression, register, wordAt);
	}
	const base = register(address.register);
	return base === null ? null : base + address.offset;
}

/** null: it is saved nowhere. */
function savedPlace(saved: SavedRegister, frame: number, register: RegisterValue, wordAt: WordAt): number | null {
	switch (saved.kind) {
		case 'saved':
			return frame + saved.offset;
		case 'savedAt':
			return evaluate(saved.expression, register, wordAt, [frame]);
		default:
			return null;
	}
}
