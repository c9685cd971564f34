/** What an ahead-of-time compiler said of its decisions: LLVM's optimization remarks, in columns. A module has hundreds of thousands of them. */

/** As LLVM numbers them in bitstreams (remarks::Type): the position is the number. */
export const REMARK_KINDS = ['unknown', 'passed', 'missed', 'analysis', 'analysis-fp-commute', 'analysis-aliasing', 'failure'] as const;

/** Where nothing is told. */
export const NONE = -1;

/** The arguments of all remarks, one after the other: put together, their values are the message. Positions of places are those of {@link Remarks.places}. */
interface RemarkArguments {
	readonly length: number;
	/** Text: `Callee`, `Cost`, `String`. */
	readonly key: Int32Array;
	/** Text. */
	readonly value: Int32Array;
	/** NONE where it has none. */
	readonly place: Int32Array;
}

/** Lines of source that remarks and arguments point to; line and column as LLVM tells them, 0 for none. */
interface RemarkPlaces {
	readonly length: number;
	/** Text. */
	readonly file: Int32Array;
	readonly line: Int32Array;
	readonly column: Int32Array;
}

/** Numbers of texts are told by `text`. */
export interface Remarks {
	readonly length: number;
	/** Positions in {@link REMARK_KINDS}. */
	readonly kind: Uint8Array;
	readonly pass: Int32Array;
	readonly name: Int32Array;
	/** Linkage names. */
	readonly function: Int32Array;
	readonly place: Int32Array;
	/** Of remark `i` those from `firstArgument[i]` up to `firstArgument[i + 1]`. */
	readonly firstArgument: Int32Array;
	readonly arguments: RemarkArguments;
	readonly places: RemarkPlaces;
	text(number: number): string;
}

/** The value of the first argument of that key; null where there is none. */
export function argumentOf(remarks: Remarks, remark: number, key: string): string | null {
	const { firstArgument, arguments: all, text } = remarks;
	for (let at = firstArgument[remark]!; at < firstArgument[remark + 1]!; at++) {
		if (text(all.key[at]!) === key) {
			return text(all.value[at]!);
		}
	}
	return null;
}

/** The linkage name of the function that a call goes to; null where none is told. */
export function calleeOf(remarks: Remarks, remark: number): string | null {
	const callee = argumentOf(remarks, remark, 'Callee');
	return callee === null ? null : linkageName(callee);
}

/** As debug information has it: ThinLTO calls a function of one module that another one needs `f.llvm.1166`. */
export function linkageName(symbol: string): string {
	return symbol.replace(/\.llvm\.\d+$/, '');
}

/** The whole message, as LLVM prints it. */
export function messageOf({ firstArgument, arguments: all, text }: Remarks, remark: number): string {
	let message = '';
	for (let at = firstArgument[remark]!; at < firstArgument[remark + 1]!; at++) {
		message += text(all.value[at]!);
	}
	return message;
}

/** A column of numbers that grows. */
class Column {
	private values = new Int32Array(1 << 12);
	length = 0;

	push(value: number): void {
		if (this.length === this.values.length) {
			this.values = larger(this.values);
		}
		this.values[this.length++] = value;
	}

	done(): Int32Array {
		return this.values.subarray(0, this.length);
	}
}

/** Three columns that grow together. */
class Triples {
	private first: Int32Array;
	private second: Int32Array;
	private third: Int32Array;
	length = 0;

	constructor(capacity: number) {
		this.first = new Int32Array(capacity);
		this.second = new Int32Array(capacity);
		this.third = new Int32Array(capacity);
	}

	/** Returns its position. */
	push(first: number, second: number, third: number): number {
		const at = this.length++;
		if (at === this.first.length) {
			this.first = larger(this.first);
			this.second = larger(this.second);
			this.third = larger(this.third);
		}
		this.first[at] = first;
		this.second[at] = second;
		this.third[at] = third;
		return at;
	}

	done(): [Int32Array, Int32Array, Int32Array] {
		return [this.first.subarray(0, this.length), this.second.subarray(0, this.length), this.third.subarray(0, this.length)];
	}
}

function larger(column: Int32Array): Int32Array<ArrayBuffer> {
	const result = new Int32Array(column.length * 2);
	result.set(column);
	return result;
}

/** Collects remarks one after the other: first its arguments' places and arguments, then `add`. */
export class RemarksBuilder {
	private readonly kind = new Column();
	private readonly pass = new Column();
	private readonly name = new Column();
	private readonly function = new Column();
	private readonly place = new Column();
	private readonly firstArgument = new Column();
	private readonly arguments: Triples;
	private readonly places: Triples;

	/** With room for so many arguments at first. */
	constructor(capacity = 1 << 12) {
		this.arguments = new Triples(capacity);
		this.places = new Triples(1 + Math.floor(capacity / 3));
		this.firstArgument.push(0);
	}

	/** Remarks so far, and arguments, those of the next remark among them. */
	get size(): number {
		return this.kind.length;
	}

	get argumentCount(): number {
		return this.arguments.length;
	}

	addPlace(file: number, line: number, column: number): number {
		return this.places.push(file, line, column);
	}

	addArgument(key: number, value: number, place: number): void {
		this.arguments.push(key, value, place);
	}

	add(kind: number, pass: number, name: number, ofFunction: number, place: number): void {
		this.kind.push(kind < REMARK_KINDS.length ? kind : 0);
		this.pass.push(pass);
		this.name.push(name);
		this.function.push(ofFunction);
		this.place.push(place);
		this.firstArgument.push(this.arguments.length);
	}

	build(text: (number: number) => string): Remarks {
		const [key, value, place] = this.arguments.done();
		const [file, line, column] = this.places.done();
		return {
			length: this.kind.length,
			kind: Uint8Array.from(this.kind.done()),
			pass: this.pass.done(),
			name: this.name.done(),
			function: this.function.done(),
			place: this.place.done(),
			firstArgument: this.firstArgument.done(),
			arguments: { length: key.length, key, value, place },
			places: { length: file.length, file, line, column },
			text,
		};
	}
}

/** One table of several, one behind the other. */
export function joinedRemarks(parts: readonly Remarks[]): Remarks {
	const [only] = parts;
	if (parts.length === 1 && only !== undefined) {
		return only;
	}
	const builder = new RemarksBuilder(parts.reduce((sum, { arguments: all }) => sum + all.length, 1));
	const texts: string[] = [];
	const numbers = new Map<string, number>();
	for (const part of parts) {
		/** By number; readers count some texts downwards from -2. */
		const known: number[] = [];
		const knownBelow: number[] = [NONE, NONE];
		const numberOf = (own: number): number => {
			const list = own < 0 ? knownBelow : known;
			const at = Math.abs(own);
			let number = list[at];
			if (number === undefined) {
				const text = part.text(own);
				number = numbers.get(text) ?? texts.push(text) - 1;
				numbers.set(text, number);
				list[at] = number;
			}
			return number;
		};
		const { places, arguments: all, firstArgument } = part;
		const placeOf = (own: number): number => (own === NONE ? NONE : builder.addPlace(numberOf(places.file[own]!), places.line[own]!, places.column[own]!));
		for (let i = 0; i < part.length; i++) {
			for (let at = firstArgument[i]!; at < firstArgument[i + 1]!; at++) {
				builder.addArgument(numberOf(all.key[at]!), numberOf(all.value[at]!), placeOf(all.place[at]!));
			}
			builder.add(part.kind[i]!, numberOf(part.pass[i]!), numberOf(part.name[i]!), numberOf(part.function[i]!), placeOf(part.place[i]!));
		}
	}
	return builder.build((number) => texts[number] ?? '');
}
