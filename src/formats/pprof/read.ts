/**
 * pprof's profile.proto (github.com/google/pprof/proto/profile.proto), unpacked: samples with a value for each type, over tables of locations, functions,
 * mappings and strings. A location has a line for each function that was inlined there, the innermost first.
 */
import { addNumbers, forEachField, ProtobufError } from '../../bytes/protobuf.js';
import { readRange, type Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';
import type { ReadProfile } from '../format.js';
import { NamedStacks } from '../shared/named-stacks.js';

/** Numbers of the fields of a Profile. */
const SAMPLE_TYPE = 1;
const SAMPLE = 2;
const MAPPING = 3;
const LOCATION = 4;
const FUNCTION = 5;
const STRINGS = 6;
const TIME_NANOS = 9;
const DEFAULT_SAMPLE_TYPE = 14;

/** Wire types of the fields of a Profile, by number: v a number, b bytes, x either. */
const WIRE = ' bbbbbbvvvvbvxvv';
/** Tell enough. */
const MOST_FIELDS = 64;

/**
 * Whether the first bytes of a file, unpacked, are of a Profile: fields as it has them, in any order, among them a type of values (two numbers of strings) and a
 * table or samples.
 */
export function isPprof(head: string): boolean {
	let hasType = false;
	let hasTable = false;
	for (let [at, count] = [0, 0]; at < head.length && count < MOST_FIELDS && !(hasType && hasTable); count++) {
		const key = head.charCodeAt(at);
		const field = key >> 3;
		const wire = WIRE[field] ?? ' ';
		const [number, next] = varintAt(head, at + 1);
		const isBytes = key % 8 === 2;
		if (next < 0 || !(isBytes ? wire === 'b' || wire === 'x' : key % 8 === 0 && (wire === 'v' || wire === 'x'))) {
			return false;
		}
		if (field === SAMPLE_TYPE) {
			if (!(number >= 2 && number <= 22) || head.charCodeAt(next) !== 8) {
				return false;
			}
			hasType = true;
		}
		hasTable ||= isBytes && field >= SAMPLE && field <= FUNCTION;
		at = isBytes ? next + number : next;
	}
	return hasType && hasTable;
}

/** The number, and where it ends; -1: there is none. */
function varintAt(head: string, at: number): readonly [number: number, next: number] {
	let number = 0;
	for (let i = 0; i < 10; i++) {
		const byte = head.charCodeAt(at + i);
		number += (byte & 0x7f) * 2 ** (7 * i);
		if (byte < 0x80) {
			return [number, at + i + 1];
		}
	}
	return [0, -1];
}

interface Location {
	readonly lines: readonly { readonly function: number; readonly line: number }[];
	readonly mapping: number;
	readonly address: number;
}

/** Never throws on content. */
export function readPprof(source: Source): ReadProfile {
	if (source.sizeBytes > 2 ** 31) {
		const message = `has ${source.sizeBytes} bytes, and at most 2 GB of a pprof profile can be read`;
		return new NamedStacks().build([{ severity: 'error', file: source.name, message, action: 'record a shorter time' }]);
	}
	const reader = new PprofReader(source.name, readRange(source, 0, source.sizeBytes));
	return reader.read();
}

class PprofReader {
	private readonly file: string;
	private readonly bytes: Uint8Array;
	private readonly problems: Problem[] = [];
	private readonly strings: string[] = [];
	private readonly types: { readonly type: number; readonly unit: number }[] = [];
	private readonly functions = new Map<number, { readonly name: number; readonly file: number }>();
	private readonly mappings = new Map<number, number>();
	private readonly locations = new Map<number, Location>();
	private readonly samples: number[] = [];
	private defaultType = 0;
	private timeNanos = 0;
	private lost = 0;
	private negative = 0;

	constructor(file: string, bytes: Uint8Array) {
		this.file = file;
		this.bytes = bytes;
	}

	read(): ReadProfile {
		const { bytes } = this;
		try {
			forEachField(bytes, 0, bytes.length, (field, value, start, end) => this.takeField(field, value, start, end));
		} catch (error) {
			this.cut(error);
		}
		const stacks = new NamedStacks(BigInt(Math.max(0, Math.round(this.timeNanos))));
		const kinds = this.kinds(stacks);
		const frames = new Map<number, readonly number[]>();
		for (let i = 0; i < this.samples.length; i += 2) {
			try {
				this.addSample(stacks, kinds, frames, this.samples[i]!, this.samples[i + 1]!);
			} catch (error) {
				this.cut(error);
			}
		}
		if (this.lost > 0) {
			const message = `${this.lost} frames of samples have a location that is not in the profile`;
			this.problems.push({ severity: 'warning', file: this.file, message, action: 'they are left out' });
		}
		if (this.negative > 0) {
			const message = `${this.negative} values are below zero, as in the difference of two profiles`;
			this.problems.push({ severity: 'warning', file: this.file, message, action: 'they are left out; assay diff A B compares the profiles themselves' });
		}
		return stacks.build(this.problems);
	}

	private cut(error: unknown): void {
		if (!(error instanceof ProtobufError)) {
			throw error;
		}
		if (this.problems.length === 0) {
			const message = `expected a field of a pprof profile: ${error.message}`;
			this.problems.push({
				severity: 'error',
				file: this.file,
				offsetBytes: error.offset,
				message,
				action: 'what stands behind it is lost; is the file cut off?',
			});
		}
	}

	private takeField(field: number, value: number, start: number, end: number): void {
		if (start < 0) {
			this.defaultType = field === DEFAULT_SAMPLE_TYPE ? value : this.defaultType;
			this.timeNanos = field === TIME_NANOS ? value : this.timeNanos;
			return;
		}
		if (field === STRINGS) {
			this.strings.push(new TextDecoder().decode(this.bytes.subarray(start, end)));
		} else if (field === SAMPLE) {
			this.samples.push(start, end);
		} else if (field === SAMPLE_TYPE) {
			const [type = 0, unit = 0] = this.numbersOf(start, end, 1, 2);
			this.types.push({ type, unit });
		} else if (field === MAPPING) {
			const [id = 0, file = 0] = this.numbersOf(start, end, 1, 5);
			this.mappings.set(id, file);
		} else if (field === FUNCTION) {
			const [id = 0, name = 0, file = 0] = this.numbersOf(start, end, 1, 2, 4);
			this.functions.set(id, { name, file });
		} else if (field === LOCATION) {
			const [id = 0, mapping = 0, address = 0] = this.numbersOf(start, end, 1, 2, 3);
			const lines: { function: number; line: number }[] = [];
			forEachField(this.bytes, start, end, (part, _, from, to) => {
				if (part === 4 && from >= 0) {
					const [number = 0, line = 0] = this.numbersOf(from, to, 1, 2);
					lines.push({ function: number, line });
				}
			});
			this.locations.set(id, { lines, mapping, address });
		}
	}

	/** The values of these fields of a message; 0 where one is not there. */
	private numbersOf(start: number, end: number, ...fields: readonly number[]): number[] {
		const values = fields.map(() => 0);
		forEachField(this.bytes, start, end, (field, value, from) => {
			const at = fields.indexOf(field);
			if (at >= 0 && from < 0) {
				values[at] = value;
			}
		});
		return values;
	}

	/** By position of the values: the number of the event. Samples come first, as they are counted everywhere, then what the file itself shows first. */
	private kinds(stacks: NamedStacks): number[] {
		const rank = ({ type, unit }: { type: number; unit: number }): number =>
			this.text(unit) === 'count' && /^samples?$/.test(this.text(type)) ? 0 : type === this.defaultType && type > 0 ? 1 : 2;
		const numbers = new Map<object, number>();
		for (const own of [...this.types].sort((a, b) => rank(a) - rank(b))) {
			const event = this.text(own.type) || 'samples';
			const unit = this.text(own.unit);
			numbers.set(
				own,
				stacks.event(unit === 'count' || unit === '' ? { event, words: `${event} of pprof` } : { event, unit, words: `${event} of pprof, in ${unit}` }),
			);
		}
		return this.types.map((own) => numbers.get(own)!);
	}

	private addSample(stacks: NamedStacks, kinds: readonly number[], known: Map<number, readonly number[]>, start: number, end: number): void {
		const locations: number[] = [];
		const values: number[] = [];
		let thread = '';
		let threadId = -1;
		forEachField(this.bytes, start, end, (field, value, from, to) => {
			if (field === 1) {
				addNumbers(locations, this.bytes, value, from, to);
			} else if (field === 2) {
				addNumbers(values, this.bytes, value, from, to);
			} else if (field === 3 && from >= 0) {
				const [key = 0, text = 0, number = 0] = this.numbersOf(from, to, 1, 2, 3);
				const label = this.text(key).replace(/[ _]/g, '.');
				if (label === 'thread' || label === 'thread.name') {
					thread = this.text(text);
				} else if (label === 'thread.id') {
					const id = text > 0 ? Number(this.text(text)) : number;
					threadId = Number.isSafeInteger(id) ? id : -1;
				}
			}
		});
		const frames = locations.flatMap((id) => {
			let own = known.get(id);
			if (own === undefined) {
				own = this.framesOf(stacks, this.locations.get(id));
				known.set(id, own);
			}
			this.lost += own.length === 0 ? 1 : 0;
			return own;
		});
		const stack = stacks.stack(frames);
		const number = stacks.thread(thread === '' ? null : thread, threadId);
		for (const [i, weight] of values.entries()) {
			this.negative += weight < 0 ? 1 : 0;
			if (weight > 0 && kinds[i] !== undefined) {
				stacks.add({ event: kinds[i], thread: number, stack, weight });
			}
		}
	}

	private framesOf(stacks: NamedStacks, location: Location | undefined): readonly number[] {
		if (location === undefined) {
			return [];
		}
		const mapped = this.text(this.mappings.get(location.mapping) ?? 0);
		if (location.lines.length === 0) {
			const name = mapped.replace(/^.*\//, '') || (location.address > 0 ? `0x${location.address.toString(16)}` : 'unknown');
			return [stacks.frame({ name: `(${name.replace(/^\[(.*)\]$/, '$1')})` })];
		}
		return location.lines.map(({ function: id, line }) => {
			const { name, file } = this.functions.get(id) ?? { name: 0, file: 0 };
			const isKernel = mapped.startsWith('[kernel');
			return stacks.frame({ name: this.text(name) || '(unknown)', file: isKernel ? mapped : this.text(file) || null, line });
		});
	}

	private text(number: number): string {
		return this.strings[number] ?? '';
	}
}
