/**
 * Instructions of x86-64 that were decoded before. Compiled code repeats a few thousand shapes of encodings: one that was seen tells the length, and where
 * execution goes, of all others like it. Their texts are made where somebody looks, and are kept by all of their bytes. What stands relative to the next
 * instruction is kept as a distance, so that nothing depends on where code lies.
 */
import { firstWhere } from '../model/binary-search.js';
import { type FlowColumns, LentColumns } from '../model/flow-columns.js';
import { Flow } from '../model/instructions.js';
import { RecentColumns } from '../model/recent-columns.js';
import { ByteTree } from './byte-tree.js';
import type { DecodedCode } from './decoded-code.js';
import type { DisassembledInstruction } from './disassembled-instruction.js';
import { shapeBytes } from './encoding-shape.js';

/** Decodes the instruction that begins at `at`; data, which is no encoding, where none does. */
export type DecodeOne = (bytes: Uint8Array, at: number, address: number) => { readonly decoded: DisassembledInstruction; readonly isData: boolean };

/** Where the distance to a target stands: nowhere, in the last byte, in the last four; or it is that of the shape, all of whose bytes are known. */
const Distance = { None: 0, Byte: 1, Word: 4, OfShape: 5, Exact: 6 } as const;

/** Who follows calls from one piece of code to the next comes back to the same ones. */
const MOST_BYTES_OF_COLUMNS = 1 << 26;

/** Bytes that need not be kept. */
export interface ReadAgain {
	/** The same bytes once more. */
	read(): Uint8Array;
	/** What is kept for a while of all that its owner reads, of the shapes of its instructions, and of columns made of both; nothing else keeps the owner. */
	readonly recent: RecentColumns;
	readonly recentShapes: RecentColumns;
	readonly recentColumns: RecentColumns;
}

export class KnownInstructions {
	private readonly decodeOne: DecodeOne;
	private readonly tree = new ByteTree();
	readonly shapes = new Shapes();
	readonly texts: KnownTexts;
	readonly recent = new RecentColumns(MOST_BYTES_OF_COLUMNS);
	readonly lent = new LentColumns();
	/** Of bytes that are no instruction. */
	private readonly data = new Int32Array(256).fill(-1);
	private found = new Int32Array(1 << 12);

	constructor(decodeOne: DecodeOne) {
		this.decodeOne = decodeOne;
		this.texts = new KnownTexts(decodeOne);
	}

	/** All of the bytes, the first of which lies at `address`; addresses have to be exact in a double. */
	decode(bytes: Uint8Array, address: number, again?: ReadAgain): DecodedCode {
		return new ShapedCode(bytes, this.shapesOf(bytes, address), address, this, again ?? null);
	}

	/** Of each instruction; kept by the thousand, they are as short as they can be. */
	shapesOf(bytes: Uint8Array, address: number): ShapeNumbers {
		const length = this.divide(bytes, address);
		const found = this.found.subarray(0, length);
		return this.shapes.length <= MOST_SHORT ? new Uint16Array(found) : found.slice();
	}

	/** The shape of each instruction. */
	private divide(bytes: Uint8Array, address: number): number {
		let count = 0;
		for (let at = 0; at < bytes.length; count++) {
			if (count === this.found.length) {
				const { found } = this;
				this.found = new Int32Array(2 * found.length);
				this.found.set(found);
			}
			let shape = this.tree.find(bytes, at);
			const end = at + (shape < 0 ? 0 : this.shapes.sizeBytes[shape]!);
			const isKnown =
				shape >= 0 && end <= bytes.length && (this.shapes.distanceAt[shape] === Distance.None || isAddress(this.shapes.target(shape, bytes, end, address)));
			if (!isKnown) {
				shape = this.decodeUnknown(bytes, at, address + at);
			}
			this.found[count] = shape;
			at += this.shapes.sizeBytes[shape]!;
		}
		return count;
	}

	private decodeUnknown(bytes: Uint8Array, at: number, address: number): number {
		const { decoded, isData } = this.decodeOne(bytes, at, address);
		const { sizeBytes, flow, target, text } = decoded;
		if (isData) {
			const byte = bytes[at]!;
			this.data[byte] = this.data[byte]! < 0 ? this.shapes.add(sizeBytes, flow, Distance.None, Number.NaN, text, text) : this.data[byte]!;
			return this.data[byte]!;
		}
		if (!isAddress(target)) {
			return this.shapes.add(sizeBytes, flow, Distance.Exact, target, text, text);
		}
		const known = shapeBytes(bytes, at, sizeBytes);
		const end = at + sizeBytes;
		const tail = sizeBytes - known;
		const distance = target - (address + sizeBytes);
		let shape = -1;
		if (Number.isNaN(target)) {
			shape = this.shapes.add(sizeBytes, flow, Distance.None, Number.NaN, null, text);
		} else if (tail === 0) {
			shape = this.shapes.add(sizeBytes, flow, Distance.OfShape, distance, withoutTarget(text), text);
		} else if ((tail === 1 || tail === 4) && distance === distanceBefore(bytes, end, tail)) {
			shape = this.shapes.add(sizeBytes, flow, tail, 0, withoutTarget(text), text);
		}
		if (shape < 0 || !this.tree.add(bytes, at, known, shape)) {
			return this.shapes.add(sizeBytes, flow, Distance.Exact, target, text, text);
		}
		return shape;
	}
}

type ShapeNumbers = Uint16Array | Int32Array;

const MOST_SHORT = 1 << 16;
const MARK_EVERY = 64;
const NO_BYTES = new Uint8Array(0);

/**
 * Of code its bytes and the shape of each instruction are kept, or, where they can be read once more, those of the code that was looked at last: shapes, which
 * take half of the room and most of the time, longer than bytes. The columns have six times their size, and are made of them; each by itself.
 */
class ShapedCode implements DecodedCode {
	readonly length: number;
	private content: Uint8Array | null;
	private shapes: ShapeNumbers | null;
	private readonly start: number;
	private readonly known: KnownInstructions;
	private readonly again: ReadAgain | null;
	private readonly recentColumns: RecentColumns;
	/** Of the ends, from the first byte on; for those who ask here and there. */
	private ends: Uint32Array | null = null;
	/** Where every {@link MARK_EVERY}th instruction begins, from the first byte on. */
	private marks: Uint32Array | null = null;
	private places: Places | null = null;
	private targets: Float64Array | null = null;
	private flows: Uint8Array | null = null;

	constructor(bytes: Uint8Array, shape: ShapeNumbers, start: number, known: KnownInstructions, again: ReadAgain | null) {
		this.content = bytes;
		this.shapes = shape;
		this.start = start;
		this.known = known;
		this.again = again;
		this.recentColumns = again?.recentColumns ?? known.recent;
		this.length = shape.length;
		this.keepBytes(bytes);
		this.keepShape(shape);
	}

	private get bytes(): Uint8Array {
		if (this.content === null) {
			this.content = this.again?.read() ?? NO_BYTES;
			this.keepBytes(this.content);
		}
		return this.content;
	}

	/** Of each instruction. */
	private get shape(): ShapeNumbers {
		if (this.shapes === null) {
			this.shapes = this.known.shapesOf(this.bytes, this.start);
			this.keepShape(this.shapes);
		}
		return this.shapes;
	}

	private keepBytes({ byteLength: sizeBytes }: Uint8Array): void {
		this.again?.recent.keep({
			sizeBytes,
			forget: () => {
				this.content = null;
				this.ends = null;
			},
		});
	}

	private keepShape({ byteLength: sizeBytes }: ShapeNumbers): void {
		this.again?.recentShapes.keep({
			sizeBytes,
			forget: () => {
				this.shapes = null;
				this.marks = null;
			},
		});
	}

	get address(): Float64Array {
		return (this.places ?? this.makePlaces()).address;
	}

	get end(): Float64Array {
		return (this.places ?? this.makePlaces()).end;
	}

	get target(): Float64Array {
		if (this.targets === null) {
			const target = new Float64Array(this.length);
			// Bytes that are read for it may take the room of what was kept before.
			this.fillTargets(target);
			this.targets = this.kept(target, 'targets');
		}
		return this.targets;
	}

	get flow(): Uint8Array {
		if (this.flows === null) {
			const flow = new Uint8Array(this.length);
			this.fillFlow(flow);
			this.flows = this.kept(flow, 'flows');
		}
		return this.flows;
	}

	endAt(i: number): number {
		if (this.ends === null) {
			const { sizeBytes } = this.known.shapes;
			const { shape } = this;
			const { length } = this;
			const ends = new Uint32Array(length);
			let at = 0;
			for (let k = 0; k < length; k++) {
				at += sizeBytes[shape[k]!]!;
				ends[k] = at;
			}
			this.ends = ends;
		}
		return this.start + this.ends[i]!;
	}

	targetAt(i: number): number {
		const end = this.endAt(i) - this.start;
		const { shapes } = this.known;
		const own = this.shape[i]!;
		return shapes.distanceAt[own] === Distance.None ? Number.NaN : shapes.target(own, this.bytes, end, this.start);
	}

	callEndingAt(address: number): number {
		const { shape } = this;
		const { sizeBytes, flow } = this.known.shapes;
		const end = address - this.start;
		this.marks ??= this.makeMarks();
		const { marks } = this;
		const mark = firstWhere(marks.length - 1, (k) => marks[k + 1]! >= end);
		let at = marks[mark] ?? 0;
		for (let i = mark * MARK_EVERY; at < end && i < shape.length; i++) {
			const own = shape[i]!;
			at += sizeBytes[own]!;
			if (at === end) {
				return flow[own] === Flow.Call ? i : -1;
			}
		}
		return -1;
	}

	private makeMarks(): Uint32Array {
		const { shape } = this;
		const { sizeBytes } = this.known.shapes;
		const marks = new Uint32Array(Math.ceil(shape.length / MARK_EVERY));
		let at = 0;
		for (let i = 0; i < shape.length; i++) {
			if (i % MARK_EVERY === 0) {
				marks[i / MARK_EVERY] = at;
			}
			at += sizeBytes[shape[i]!]!;
		}
		return marks;
	}

	look<T>(use: (columns: FlowColumns) => T): T {
		return this.known.lent.lend(this, this.length, (columns) => this.fill(columns), use);
	}

	form(i: number): string {
		return this.known.shapes.forms[this.shape[i]!]!;
	}

	text(i: number): string {
		const { shapes, texts } = this.known;
		const { bytes, shape } = this;
		const own = shape[i]!;
		const end = this.endAt(i);
		const begin = end - shapes.sizeBytes[own]!;
		return shapes.text(own, shapes.distanceAt[own] === Distance.None ? Number.NaN : this.targetAt(i)) ?? texts.at(bytes, begin - this.start, begin);
	}

	private makePlaces(): Places {
		const { start, length } = this;
		const { shape } = this;
		const { sizeBytes } = this.known.shapes;
		const all = new Float64Array(length + 1);
		let at = 0;
		for (let i = 0; i < length; i++) {
			all[i] = start + at;
			at += sizeBytes[shape[i]!]!;
		}
		all[length] = start + at;
		// Each begins where the one before ends.
		this.places = { address: all.subarray(0, length), end: all.subarray(1) };
		this.recentColumns.keep({ sizeBytes: all.byteLength, forget: () => this.forgetPlaces() });
		return this.places;
	}

	private forgetPlaces(): void {
		this.places = null;
	}

	private kept<T extends Float64Array | Uint8Array>(column: T, name: 'targets' | 'flows'): T {
		this.recentColumns.keep({
			sizeBytes: column.byteLength,
			forget: () => {
				this[name] = null;
			},
		});
		return column;
	}

	private fillTargets(target: Float64Array): void {
		const { start, length, bytes, shape } = this;
		const { shapes } = this.known;
		const { sizeBytes, distanceAt } = shapes;
		let at = 0;
		for (let i = 0; i < length; i++) {
			const own = shape[i]!;
			at += sizeBytes[own]!;
			target[i] = distanceAt[own] === Distance.None ? Number.NaN : shapes.target(own, bytes, at, start);
		}
	}

	private fillFlow(flow: Uint8Array): void {
		const { length } = this;
		const { shape } = this;
		const { flow: flows } = this.known.shapes;
		for (let i = 0; i < length; i++) {
			flow[i] = flows[shape[i]!]!;
		}
	}

	private fill({ address, end, target, flow }: FlowColumns): void {
		const { start, length } = this;
		const { shape } = this;
		const { sizeBytes } = this.known.shapes;
		let at = 0;
		for (let i = 0; i < length; i++) {
			address[i] = start + at;
			at += sizeBytes[shape[i]!]!;
			end[i] = start + at;
		}
		this.fillTargets(target);
		this.fillFlow(flow);
	}
}

type Places = Pick<FlowColumns, 'address' | 'end'>;

/** What is known of encodings that begin alike, in columns. */
class Shapes {
	sizeBytes = new Uint8Array(1 << 12);
	flow = new Uint8Array(1 << 12);
	/** {@link Distance}. */
	distanceAt = new Uint8Array(1 << 12);
	/** To the target from the end, or the target itself. */
	private distance = new Float64Array(1 << 12);
	/** Without the target that there may be at its end; null: not the same for all. */
	private readonly texts: (string | null)[] = [];
	/** The text of the first of each. */
	readonly forms: string[] = [];

	get length(): number {
		return this.texts.length;
	}

	add(sizeBytes: number, flow: number, distanceAt: number, distance: number, text: string | null, form: string): number {
		const shape = this.texts.push(text) - 1;
		this.forms.push(form);
		if (shape === this.sizeBytes.length) {
			this.sizeBytes = twice(this.sizeBytes, new Uint8Array(2 * shape));
			this.flow = twice(this.flow, new Uint8Array(2 * shape));
			this.distanceAt = twice(this.distanceAt, new Uint8Array(2 * shape));
			this.distance = twice(this.distance, new Float64Array(2 * shape));
		}
		this.sizeBytes[shape] = sizeBytes;
		this.flow[shape] = flow;
		this.distanceAt[shape] = distanceAt;
		this.distance[shape] = distance;
		return shape;
	}

	text(shape: number, target: number): string | null {
		const text = this.texts[shape]!;
		const distanceAt = this.distanceAt[shape]!;
		return distanceAt === Distance.None || distanceAt === Distance.Exact ? text : `${text}0x${target.toString(16)}`;
	}

	/** Of an instruction that ends before `end`, in bytes that lie at `address`; it has one. */
	target(shape: number, bytes: Uint8Array, end: number, address: number): number {
		const distanceAt = this.distanceAt[shape]!;
		if (distanceAt === Distance.Exact) {
			return this.distance[shape]!;
		}
		return address + end + (distanceAt === Distance.OfShape ? this.distance[shape]! : distanceBefore(bytes, end, distanceAt));
	}
}

interface KnownText {
	readonly text: string;
	readonly sizeBytes: number;
	/** To the data whose address is behind the text; null where there is none. */
	readonly distance: number | null;
}

/** Texts by all bytes of an instruction that goes nowhere. */
class KnownTexts {
	private readonly decodeOne: DecodeOne;
	private readonly tree = new ByteTree();
	private readonly known: KnownText[] = [];

	constructor(decodeOne: DecodeOne) {
		this.decodeOne = decodeOne;
	}

	/** Of the instruction that begins at `at`, which lies at `address` and is no data. */
	at(bytes: Uint8Array, at: number, address: number): string {
		const number = this.tree.find(bytes, at);
		if (number >= 0) {
			const { text, sizeBytes, distance } = this.known[number]!;
			return distance === null ? text : `${text}${dataAddress(address + sizeBytes + distance)}`;
		}
		const { text, sizeBytes } = this.decodeOne(bytes, at, address).decoded;
		const data = text.indexOf(DATA);
		if (this.tree.add(bytes, at, sizeBytes, this.known.length)) {
			this.known.push(data < 0 ? { text, sizeBytes, distance: null } : { text: text.slice(0, data), sizeBytes, distance: dataDistance(text) });
		}
		return text;
	}
}

function withoutTarget(text: string): string {
	return text.slice(0, text.lastIndexOf('0x'));
}

function twice<T extends Uint8Array | Float64Array>(from: T, to: T): T {
	to.set(from);
	return to;
}

/** NaN, no address, is none that could be wrong. */
function isAddress(target: number): boolean {
	return !(target < 0 || target > Number.MAX_SAFE_INTEGER);
}

const DATA = ' # 0x';

/** What is behind the text of an instruction that reads relative to the next one. Below zero it goes on at the other end of the address space. */
export function dataAddress(address: number): string {
	const digits = address < 0 ? BigInt.asUintN(64, BigInt(address)).toString(16) : address.toString(16);
	return `${DATA}${digits.padStart(16, '0')}`;
}

/** From the next instruction to the data; null: nothing is read relative to it. */
export function dataDistance(text: string): number | null {
	const [, sign, digits = ''] = /(-?)0x([0-9a-f]+)\(%rip\)/.exec(text) ?? [];
	return sign === undefined ? null : Number.parseInt(digits, 16) * (sign === '-' ? -1 : 1);
}

/** The number with a sign in the last byte or four bytes before `end`. */
function distanceBefore(bytes: Uint8Array, end: number, sizeBytes: number): number {
	return sizeBytes === 1 ? (bytes[end - 1]! << 24) >> 24 : bytes[end - 4]! | (bytes[end - 3]! << 8) | (bytes[end - 2]! << 16) | (bytes[end - 1]! << 24);
}
