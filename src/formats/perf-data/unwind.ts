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

/** How it ended: at the program's or the thread's start, at the end of the copy, in code of which no table is at hand, or where a table leads nowhere. */
export type UnwoundTo = 'start' | 'copied' | 'no table' | 'lost';

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

	unwind(stack: StackCopy, space: AddressSpace): UnwoundTo {
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
			const found = this.ruleAt(space, isExact ? code : code - 1);
			if (found === null || found === 'no table') {
				return found ?? 'lost';
			}
			const { address, returnAddress, framePointer: saved, isSignal } = found;
			if (returnAddress.kind === 'lost') {
				return 'start';
			}
			const frame = addressOf(address, register, wordAt);
			if (frame === null || !(frame > stackPointer)) {
				return frame === null && 'expression' in address ? 'copied' : 'lost';
			}
			const at = savedPlace(returnAddress, frame, register, wordAt);
			const next = at === null ? null : wordAt(at);
			if (next === null) {
				return at === null ? 'lost' : 'copied';
			}
			if (next === 0) {
				return 'start';
			}
			const place = savedPlace(saved, frame, register, wordAt);
			framePointer = saved.kind === 'same' ? framePointer : place === null ? null : wordAt(place);
			stackPointer = frame;
			code = next;
			isExact = isSignal;
			if (!(space.find(isExact ? code : code - 1)?.isExecutable ?? false)) {
				return 'lost';
			}
			this.addresses[this.length] = code;
			this.isExact[this.length] = isExact ? 1 : 0;
			this.length++;
		}
		return 'lost';
	}

	private ruleAt(space: AddressSpace, address: number): FrameRule | 'no table' | null {
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
			return 'no table';
		}
		return table.ruleAt(address + shift);
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
