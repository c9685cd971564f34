/**
 * Bytecode from class files (JVMS chapter 4): constants as far as names need them, methods and their Code attributes. What is damaged gives the
 * methods that can be read. The packages on npm for it were not kept up, or fail as a whole on one unknown constant.
 */
import type { Source } from '../../bytes/source.js';
import { type BytecodeInstruction, constantOf, localOf, type MethodBytecode } from '../../model/bytecode.js';
import type { Problem } from '../../model/problem.js';
import { ConstantPool } from '../shared/java/constant-pool.js';
import { OPCODES, OPERAND_BYTES } from '../shared/java/opcodes.js';

const MAGIC = 0xcafebabe;
const LARGEST_BYTES = 1 << 26;

export interface ClassFile {
	readonly methods: readonly MethodBytecode[];
	readonly problems: readonly Problem[];
}

export function isClassFile(head: Uint8Array): boolean {
	return head.length >= 10 && new DataView(head.buffer, head.byteOffset).getUint32(0) === MAGIC && head[6]! * 256 + head[7]! >= 45;
}

export function readClassFile(source: Source): ClassFile {
	const bytes = new Uint8Array(Math.min(source.sizeBytes, LARGEST_BYTES));
	const length = source.read(bytes, 0, bytes.length, 0);
	return readClassBytes(bytes.subarray(0, length), source.name);
}

export function readClassBytes(bytes: Uint8Array, name: string): ClassFile {
	const methods: MethodBytecode[] = [];
	const cursor = new Cursor(bytes);
	try {
		if (cursor.u4() !== MAGIC) {
			throw new Damage('is no class file');
		}
		cursor.skip(4);
		const constants = readConstants(cursor);
		cursor.skip(2);
		const holder = (constants.className(cursor.u2()) ?? '').replaceAll('/', '.');
		cursor.skip(2);
		cursor.skip(2 * cursor.u2());
		// Fields have the form of methods.
		readMembers(cursor, constants, () => {});
		readMembers(cursor, constants, (method, signature, code) => {
			methods.push({ method: `${holder}.${method}`, signature, code });
		});
		return { methods, problems: [] };
	} catch (error) {
		if (!(error instanceof Damage)) {
			throw error;
		}
		const message = `${error.message} (at byte ${cursor.at})`;
		return { methods, problems: [{ severity: 'warning', file: name, message, action: `${methods.length} methods were read` }] };
	}
}

class Damage extends Error {}

class Cursor {
	at = 0;
	private readonly bytes: Uint8Array;
	private readonly view: DataView;

	constructor(bytes: Uint8Array) {
		this.bytes = bytes;
		this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	}

	u1(): number {
		return this.view.getUint8(this.take(1));
	}

	u2(): number {
		return this.view.getUint16(this.take(2));
	}

	u4(): number {
		return this.view.getUint32(this.take(4));
	}

	s4(): number {
		return this.view.getInt32(this.take(4));
	}

	skip(count: number): void {
		this.take(count);
	}

	/** A cursor over the next bytes, which are passed. */
	part(count: number): Cursor {
		const at = this.take(count);
		return new Cursor(this.bytes.subarray(at, at + count));
	}

	/** A count, and the constants, which are passed. */
	constants(): ConstantPool {
		const count = this.u2();
		const pool = new ConstantPool(this.bytes, this.at, count);
		this.at = pool.end;
		return pool;
	}

	get isAtEnd(): boolean {
		return this.at >= this.bytes.length;
	}

	private take(count: number): number {
		const { at } = this;
		if (at + count > this.bytes.length) {
			throw new Damage('the file ends early');
		}
		this.at = at + count;
		return at;
	}
}

function readConstants(cursor: Cursor): ConstantPool {
	const pool = cursor.constants();
	if (pool.unread !== null) {
		const { index, tag } = pool.unread;
		throw new Damage(Number.isNaN(tag) ? 'the file ends early' : `constant ${index} has the unknown tag ${tag}`);
	}
	return pool;
}

function readMembers(cursor: Cursor, constants: ConstantPool, found: (name: string, signature: string, code: BytecodeInstruction[]) => void): void {
	for (let count = cursor.u2(); count > 0; count--) {
		cursor.skip(2);
		const name = constants.utf8(cursor.u2());
		const signature = constants.utf8(cursor.u2());
		for (let attributes = cursor.u2(); attributes > 0; attributes--) {
			const attribute = constants.utf8(cursor.u2());
			const content = cursor.part(cursor.u4());
			if (attribute === 'Code' && name !== null && signature !== null) {
				content.skip(4);
				found(name, signature, readCode(content.part(content.u4())));
			}
		}
	}
}

/** As far as it goes: an unknown instruction ends it. */
function readCode(cursor: Cursor): BytecodeInstruction[] {
	const code: BytecodeInstruction[] = [];
	while (!cursor.isAtEnd) {
		const bci = cursor.at;
		const opcode = OPCODES[cursor.u1()];
		if (opcode === undefined) {
			break;
		}
		code.push(readInstruction(cursor, bci, opcode));
	}
	return code;
}

function readInstruction(cursor: Cursor, bci: number, opcode: string): BytecodeInstruction {
	const plain = { bci, opcode, targets: [], local: -1, constant: Number.NaN };
	if (opcode === 'tableswitch' || opcode === 'lookupswitch') {
		return { ...plain, targets: readSwitch(cursor, bci, opcode) };
	}
	if (opcode === 'wide') {
		const name = OPCODES[cursor.u1()] ?? 'nop';
		const local = cursor.u2();
		return { ...plain, opcode: name, local, constant: name === 'iinc' ? signed(cursor.u2(), 16) : Number.NaN };
	}
	if (opcode === 'iinc') {
		return { ...plain, local: cursor.u1(), constant: signed(cursor.u1(), 8) };
	}
	const bytes = OPERAND_BYTES[opcode] ?? 0;
	const operand = bytes === 0 ? Number.NaN : bytes === 1 ? cursor.u1() : bytes === 2 ? cursor.u2() : bytes === 4 ? cursor.s4() : skipped(cursor, bytes);
	if (/^(?:if|goto|jsr)/.test(opcode)) {
		return { ...plain, targets: [bci + (bytes === 2 ? signed(operand, 16) : operand)] };
	}
	const value = opcode === 'bipush' ? signed(operand, 8) : opcode === 'sipush' ? signed(operand, 16) : Number.NaN;
	return { ...plain, local: localOf(opcode, operand), constant: constantOf(opcode, value) };
}

function readSwitch(cursor: Cursor, bci: number, opcode: string): number[] {
	cursor.skip((4 - (cursor.at % 4)) % 4);
	const targets = [bci + cursor.s4()];
	if (opcode === 'tableswitch') {
		const low = cursor.s4();
		for (let left = cursor.s4() - low + 1; left > 0; left--) {
			targets.push(bci + cursor.s4());
		}
	} else {
		for (let left = cursor.s4(); left > 0; left--) {
			cursor.skip(4);
			targets.push(bci + cursor.s4());
		}
	}
	return targets;
}

function skipped(cursor: Cursor, bytes: number): number {
	cursor.skip(bytes);
	return Number.NaN;
}

function signed(value: number, bits: 8 | 16): number {
	return value >= 2 ** (bits - 1) ? value - 2 ** bits : value;
}
