/**
 * The profiles signal of OpenTelemetry, opentelemetry/proto/profiles/v1development/profiles.proto, as files of the message ProfilesData (the layout with a
 * dictionary that all profiles share and stacks by number). A sample has values, or times of which each counts 1, or both.
 */
import { addFixed64, addNumbers, forEachField, ProtobufError } from '../../bytes/protobuf.js';
import { readRange, type Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';
import type { ReadProfile } from '../format.js';
import { NamedStacks } from '../shared/named-stacks.js';

/** Whether the first bytes of a file are of ProfilesData: its first field is a message whose fields are those of resources or of the dictionary. */
export function isOtlpProfiles(head: string): boolean {
	const [first, start, end] = fieldAt(head, 0);
	if (first === 2) {
		// The dictionary: its tables begin with a message without content.
		return DICTIONARY_TABLES.has(head.charCodeAt(start)) && head.charCodeAt(start + 1) === 0 && end > start + 2;
	}
	if (first !== 1) {
		return false;
	}
	const [inner, innerStart] = fieldAt(head, start);
	// A resource has attributes, or else the profiles of a scope come.
	const isResource = inner === 1 && (innerStart >= end || head.charCodeAt(innerStart) === 0x0a || head.charCodeAt(innerStart) === 0x12);
	const isScope = inner === 2 && (head.charCodeAt(innerStart) === 0x0a || head.charCodeAt(innerStart) === 0x12);
	return (isResource || isScope) && (end >= head.length || head.charCodeAt(end) === 0x12 || head.charCodeAt(end) === 0x0a);
}

const DICTIONARY_TABLES = new Set([1, 2, 3, 4, 5, 6, 7].map((field) => field * 8 + 2));

/** Number, start and end of a field of bytes; the number is 0 where there is none. */
function fieldAt(head: string, at: number): readonly [field: number, start: number, end: number] {
	const key = head.charCodeAt(at);
	if (Number.isNaN(key) || key % 8 !== 2 || key >= 0x80) {
		return [0, at, at];
	}
	let length = 0;
	for (let i = 0; i < 5; i++) {
		const byte = head.charCodeAt(at + 1 + i);
		length += (byte & 0x7f) * 2 ** (7 * i);
		if (byte < 0x80) {
			return [key >> 3, at + 2 + i, at + 2 + i + length];
		}
	}
	return [0, at, at];
}

type Range = readonly [start: number, end: number];

/** Never throws on content. */
export function readOtlpProfiles(source: Source): ReadProfile {
	if (source.sizeBytes > 2 ** 31) {
		const message = `has ${source.sizeBytes} bytes, and at most 2 GB of OTLP profiles can be read`;
		return new NamedStacks().build([{ severity: 'error', file: source.name, message, action: 'record a shorter time' }]);
	}
	return new OtlpReader(source.name, readRange(source, 0, source.sizeBytes)).read();
}

class OtlpReader {
	private readonly file: string;
	private readonly bytes: Uint8Array;
	private readonly problems: Problem[] = [];
	private readonly stacks = new NamedStacks();
	private readonly strings: string[] = [];
	private readonly tables: Record<'mapping' | 'location' | 'function' | 'attribute' | 'stack', Range[]> = {
		mapping: [],
		location: [],
		function: [],
		attribute: [],
		stack: [],
	};
	private readonly frames = new Map<number, readonly number[]>();
	private readonly known = new Map<number, number>();
	private lost = 0;

	constructor(file: string, bytes: Uint8Array) {
		this.file = file;
		this.bytes = bytes;
	}

	read(): ReadProfile {
		const resources: Range[] = [];
		const { bytes } = this;
		this.within(0, bytes.length, (field, _, start, end) => {
			if (field === 1) {
				resources.push([start, end]);
			} else if (field === 2) {
				this.within(start, end, (table, __, from, to) => this.takeEntry(table, from, to));
			}
		});
		const profiles = this.inner(this.inner(resources, 2), 2);
		for (const [start, end] of profiles) {
			this.profile(start, end);
		}
		if (this.lost > 0) {
			const message = `${this.lost} samples have a stack that is not in the dictionary`;
			this.problems.push({ severity: 'warning', file: this.file, message, action: 'they are left out' });
		}
		return this.stacks.build(this.problems);
	}

	/** Fields of a message; of a damaged one those before the damage. Numbers of a field of bytes are left out by `start` < 0. */
	private within(start: number, end: number, take: (field: number, value: number, start: number, end: number) => void): void {
		try {
			forEachField(this.bytes, start, end, take);
		} catch (error) {
			if (!(error instanceof ProtobufError)) {
				throw error;
			}
			if (this.problems.length === 0) {
				const message = `expected a field of OTLP profiles: ${error.message}`;
				this.problems.push({
					severity: 'error',
					file: this.file,
					offsetBytes: error.offset,
					message,
					action: 'what stands behind it is lost; is the file cut off?',
				});
			}
		}
	}

	private inner(messages: readonly Range[], wanted: number): Range[] {
		const result: Range[] = [];
		for (const [start, end] of messages) {
			this.within(start, end, (field, _, from, to) => {
				if (field === wanted && from >= 0) {
					result.push([from, to]);
				}
			});
		}
		return result;
	}

	private takeEntry(table: number, start: number, end: number): void {
		const name = ([null, 'mapping', 'location', 'function', null, null, 'attribute', 'stack'] as const)[table] ?? null;
		if (start >= 0 && table === 5) {
			this.strings.push(this.textOf(start, end));
		} else if (start >= 0 && name !== null) {
			this.tables[name].push([start, end]);
		}
	}

	private profile(profileStart: number, profileEnd: number): void {
		let [event, unit] = ['samples', ''];
		const samples: Range[] = [];
		this.within(profileStart, profileEnd, (field, _, start, end) => {
			if (field === 1 && start >= 0) {
				const [type = 0, unitOf = 0] = this.numbersOf([start, end], 1, 2);
				event = this.strings[type] || 'samples';
				unit = this.strings[unitOf] ?? '';
			} else if (field === 2 && start >= 0) {
				samples.push([start, end]);
			}
		});
		const isCount = unit === '' || unit === 'count' || unit === '1';
		const number = this.stacks.event({ event, words: `${event} of OTLP profiles${isCount ? '' : `, in ${unit}`}`, ...(isCount ? {} : { unit }) });
		for (const sample of samples) {
			this.sample(sample, number);
		}
	}

	private sample([sampleStart, sampleEnd]: Range, event: number): void {
		let stackIndex = 0;
		const [attributes, values, times]: [number[], number[], number[]] = [[], [], []];
		this.within(sampleStart, sampleEnd, (field, value, start, end) => {
			if (field === 1 && start < 0) {
				stackIndex = value;
			} else if (field === 2) {
				addNumbers(attributes, this.bytes, value, start, end);
			} else if (field === 4) {
				addNumbers(values, this.bytes, value, start, end);
			} else if (field === 5) {
				addFixed64(times, this.bytes, value, start, end);
			}
		});
		const stack = this.stackOf(stackIndex);
		if (stack === null) {
			this.lost++;
			return;
		}
		const thread = this.threadOf(attributes);
		if (times.length === 0 || values.length > times.length) {
			const weight = values.reduce((sum, value) => sum + value, 0);
			this.stacks.add({ event, thread, stack, weight });
			return;
		}
		for (const [i, timeNs] of times.entries()) {
			this.stacks.add({ event, thread, stack, weight: values[i] ?? (values.length === 0 ? 1 : 0), timeNs });
		}
	}

	private threadOf(attributes: readonly number[]): number {
		let name: string | null = null;
		let id = -1;
		for (const index of attributes) {
			const entry = this.tables.attribute[index];
			if (entry === undefined) {
				continue;
			}
			const [key = 0] = this.numbersOf(entry, 1);
			for (const [start, end] of this.inner([entry], 2)) {
				this.within(start, end, (field, value, from, to) => {
					if (this.strings[key] === 'thread.name' && field === 1 && from >= 0) {
						name = this.textOf(from, to);
					} else if (this.strings[key] === 'thread.id' && field === 3) {
						id = value;
					}
				});
			}
		}
		return this.stacks.thread(name, id);
	}

	/** null: there is none. */
	private stackOf(index: number): number | null {
		const entry = this.tables.stack[index];
		if (entry === undefined) {
			return null;
		}
		let stack = this.known.get(index);
		if (stack === undefined) {
			const locations: number[] = [];
			this.within(entry[0], entry[1], (field, value, start, end) => {
				if (field === 1) {
					addNumbers(locations, this.bytes, value, start, end);
				}
			});
			stack = this.stacks.stack(locations.flatMap((location) => this.framesOf(location)));
			this.known.set(index, stack);
		}
		return stack;
	}

	private framesOf(index: number): readonly number[] {
		let frames = this.frames.get(index);
		if (frames === undefined) {
			const entry = this.tables.location[index];
			const [mapping = 0, address = 0] = entry === undefined ? [] : this.numbersOf(entry, 1, 2);
			const mapped = this.entryText(this.tables.mapping[mapping], 4);
			const lines = entry === undefined ? [] : this.inner([entry], 3);
			frames = lines.map((range) => {
				const [number = 0, line = 0] = this.numbersOf(range, 1, 2);
				const own = this.tables.function[number];
				const file = mapped.startsWith('[kernel') ? mapped : this.entryText(own, 3) || null;
				return this.stacks.frame({ name: this.entryText(own, 1) || '(unknown)', file, line });
			});
			if (frames.length === 0) {
				const name = mapped.replace(/^.*\//, '').replace(/^\[(.*)\]$/, '$1') || (address > 0 ? `0x${address.toString(16)}` : 'unknown');
				frames = [this.stacks.frame({ name: `(${name})` })];
			}
			this.frames.set(index, frames);
		}
		return frames;
	}

	private entryText(entry: Range | undefined, field: number): string {
		return entry === undefined ? '' : (this.strings[this.numbersOf(entry, field)[0] ?? 0] ?? '');
	}

	/** The values of these fields of a message; 0 where one is not there. */
	private numbersOf([start, end]: Range, ...fields: readonly number[]): number[] {
		const values = fields.map(() => 0);
		this.within(start, end, (field, value, from) => {
			const at = fields.indexOf(field);
			if (at >= 0 && from < 0) {
				values[at] = value;
			}
		});
		return values;
	}

	private textOf(start: number, end: number): string {
		return new TextDecoder().decode(this.bytes.subarray(start, end));
	}
}
