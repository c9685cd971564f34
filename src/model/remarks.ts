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
			const larger = new Int32Array(this.values.length * 2);
			larger.set(this.values);
			this.values = larger;
		}
		this.values[this.length++] = value;
	}

	done(): Int32Array {
		return this.values.subarray(0, this.length);
	}
}

/** Collects remarks one after the other: first its arguments' places and arguments, then `add`. */
export class RemarksBuilder {
	private readonly kind = new Column();
	private readonly pass = new Column();
	private readonly name = new Column();
	private readonly function = new Column();
	private readonly place = new Column();
	private readonly firstArgument = new Column();
	private readonly keys = new Column();
	private readonly values = new Column();
	private readonly argumentPlaces = new Column();
	private readonly files = new Column();
	private readonly lines = new Column();
	private readonly columns = new Column();

	constructor() {
		this.firstArgument.push(0);
	}

	/** Remarks so far, and arguments, those of the next remark among them. */
	get size(): number {
		return this.kind.length;
	}

	get argumentCount(): number {
		return this.keys.length;
	}

	addPlace(file: number, line: number, column: number): number {
		this.files.push(file);
		this.lines.push(line);
		this.columns.push(column);
		return this.files.length - 1;
	}

	addArgument(key: number, value: number, place: number): void {
		this.keys.push(key);
		this.values.push(value);
		this.argumentPlaces.push(place);
	}

	add(kind: number, pass: number, name: number, ofFunction: number, place: number): void {
		this.kind.push(kind < REMARK_KINDS.length ? kind : 0);
		this.pass.push(pass);
		this.name.push(name);
		this.function.push(ofFunction);
		this.place.push(place);
		this.firstArgument.push(this.keys.length);
	}

	build(text: (number: number) => string): Remarks {
		return {
			length: this.kind.length,
			kind: Uint8Array.from(this.kind.done()),
			pass: this.pass.done(),
			name: this.name.done(),
			function: this.function.done(),
			place: this.place.done(),
			firstArgument: this.firstArgument.done(),
			arguments: { length: this.keys.length, key: this.keys.done(), value: this.values.done(), place: this.argumentPlaces.done() },
			places: { length: this.files.length, file: this.files.done(), line: this.lines.done(), column: this.columns.done() },
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
	const builder = new RemarksBuilder();
	const texts: string[] = [];
	const numbers = new Map<string, number>();
	for (const part of parts) {
		const known = new Map<number, number>([[NONE, NONE]]);
		const numberOf = (own: number): number => {
			let number = known.get(own);
			if (number === undefined) {
				const text = part.text(own);
				number = numbers.get(text) ?? texts.push(text) - 1;
				numbers.set(text, number);
				known.set(own, number);
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
