/**
 * The profiles signal of OpenTelemetry, opentelemetry/proto/profiles/v1development/profiles.proto as PyPI has it in opentelemetry-proto 1.45, as the message ProfilesData:
 * a profile for each type of samples, over one dictionary whose tables begin with an empty entry. Threads are attributes of samples, what kind of code a location
 * is of one of locations, named as the semantic conventions have it.
 */
import { ProtobufWriter } from '../../bytes/protobuf.js';
import {
	isClockEvent,
	nanosecondsOf,
	type ProfileOrigin,
	type StackedSamples,
	type StackFrame,
	sourceFileOf,
	threadName,
	weightOf,
} from '../../model/stacked-samples.js';
import { CodeLocations, durationNs, systemName, unsignedAddress } from '../shared/code-locations.js';

interface SampleType {
	readonly type: string;
	readonly unit: string;
	readonly countOf: (row: number) => number;
}

/** Types are those of assay's pprof. Samples have their times where it is known when the recording was. Not compressed. */
export function otlpProfiles(stacked: StackedSamples, { title, producer }: ProfileOrigin): Uint8Array {
	const dictionary = new Dictionary(stacked);
	const [name = '', version = ''] = producer.split(' ');
	const output = new ProtobufWriter();
	output.message(1, (resource) => {
		resource.message(1, (attributes) => {
			attribute(attributes, 'service.name', { text: title });
			if (stacked.processId !== null) {
				attribute(attributes, 'process.pid', { number: stacked.processId });
			}
		});
		resource.message(2, (scope) => {
			scope.message(1, (own) => {
				own.text(1, name);
				own.text(2, version);
			});
			for (const type of typesOf(stacked)) {
				scope.message(2, (profile) => writeProfile(profile, stacked, type, dictionary));
			}
		});
	});
	output.message(2, (own) => dictionary.write(own));
	return output.build();
}

function typesOf(stacked: StackedSamples): SampleType[] {
	const { periods, event, unit = 'samples' } = stacked;
	const samples: SampleType = { type: 'samples', unit: 'count', countOf: (row) => weightOf(stacked, row) };
	const time: SampleType = { type: 'cpu', unit: 'nanoseconds', countOf: (row) => nanosecondsOf(stacked, row) ?? 0 };
	const hasTime = stacked.length > 0 && nanosecondsOf(stacked, 0) !== null;
	return [
		...(unit === 'samples' ? [samples] : []),
		...(hasTime ? [time] : []),
		...(periods !== null && !isClockEvent(event) ? [{ type: event, unit: 'count', countOf: (row: number) => periods[row]! }] : []),
		...(unit === 'samples' || hasTime ? [] : [{ ...samples, type: event, unit }]),
	];
}

function writeProfile(profile: ProtobufWriter, stacked: StackedSamples, { type, unit, countOf }: SampleType, dictionary: Dictionary): void {
	const valueType = (message: ProtobufWriter, own: string, ownUnit: string): void => {
		message.number(1, dictionary.string(own));
		message.number(2, dictionary.string(ownUnit));
	};
	const { originEpochMs, originSeconds, timeSeconds, intervalNs } = stacked;
	const originNs = originEpochMs === null ? 0n : BigInt(Math.round(originEpochMs)) * 1_000_000n;
	const hasTimes = timeSeconds !== null && originEpochMs !== null;
	profile.message(1, (message) => valueType(message, type, unit));
	for (const { node, thread, rows } of rowsByStack(stacked)) {
		profile.message(2, (sample) => {
			sample.number(1, dictionary.stackOf(node));
			sample.numbers(2, dictionary.threadOf(thread));
			const values = rows.map((row) => Math.round(countOf(row)));
			sample.numbers(4, hasTimes ? values : [values.reduce((sum, value) => sum + value, 0)]);
			if (hasTimes) {
				sample.fixed64s(
					5,
					rows.map((row) => originNs + BigInt(Math.round(Math.max(0, timeSeconds[row]! - originSeconds) * 1e9))),
				);
			}
		});
	}
	profile.fixed64(3, originNs);
	// The end is not part of it.
	profile.number(4, durationNs(stacked) + (hasTimes ? 1 : 0));
	if (intervalNs !== null) {
		profile.message(5, (message) => valueType(message, 'cpu', 'nanoseconds'));
		profile.number(6, Math.round(intervalNs));
	}
}

interface StackRows {
	readonly node: number;
	readonly thread: number;
	readonly rows: number[];
}

/** In the order of their first samples. */
function rowsByStack({ length, node, thread, threads }: StackedSamples): Iterable<StackRows> {
	const result = new Map<number, StackRows>();
	for (let row = 0; row < length; row++) {
		const key = node[row]! * threads.length + thread[row]!;
		const known = result.get(key) ?? { node: node[row]!, thread: thread[row]!, rows: [] };
		result.set(key, known);
		known.rows.push(row);
	}
	return result.values();
}

/** `KeyValue` of a resource. */
function attribute(attributes: ProtobufWriter, key: string, value: AttributeValue): void {
	attributes.message(1, (own) => {
		own.text(1, key);
		own.message(2, (message) => anyValue(message, value));
	});
}

type AttributeValue = { readonly text: string } | { readonly number: number };

/** Of a choice, the default value is written too. */
function anyValue(message: ProtobufWriter, value: AttributeValue): void {
	if ('text' in value) {
		message.element(1, new TextEncoder().encode(value.text));
	} else {
		message.presentNumber(3, value.number);
	}
}

const FRAME_TYPES: Record<StackFrame['kind'], string> = {
	method: 'jvm',
	interpreter: 'jvm',
	stub: 'jvm',
	native: 'native',
	kernel: 'kernel',
	unknown: 'native',
};

/** Entries get their numbers as they are asked for; 0 is the empty one. */
class Dictionary {
	private readonly stacked: StackedSamples;
	private readonly code: CodeLocations;
	private readonly strings = new Map<string, number>([['', 0]]);
	private readonly attributes: ((message: ProtobufWriter) => void)[] = [];
	private readonly attributeNumbers = new Map<string, number>();
	private readonly functions: StackFrame[] = [];
	private readonly functionNumbers = new Map<string, number>();
	private readonly stacks: (readonly number[])[] = [];
	private readonly stackNumbers = new Map<number, number>();

	constructor(stacked: StackedSamples) {
		this.stacked = stacked;
		this.code = new CodeLocations(stacked);
	}

	string(text: string): number {
		let number = this.strings.get(text);
		if (number === undefined) {
			number = this.strings.size;
			this.strings.set(text, number);
		}
		return number;
	}

	stackOf(node: number): number {
		let number = this.stackNumbers.get(node);
		if (number === undefined) {
			number = this.stacks.push(this.code.of(node).map((location) => location + 1));
			this.stackNumbers.set(node, number);
		}
		return number;
	}

	/** Attributes of a sample. */
	threadOf(thread: number): number[] {
		const { name, id } = this.stacked.threads[thread] ?? { name: '', id: -1 };
		return [
			...(name === '' && id < 0 ? [] : [this.attribute('thread.name', { text: threadName({ name, id }) })]),
			...(id < 0 ? [] : [this.attribute('thread.id', { number: id })]),
		];
	}

	write(output: ProtobufWriter): void {
		const table = <T>(field: number, entries: readonly T[], fill: (message: ProtobufWriter, entry: T) => void): void => {
			output.element(field, new Uint8Array(0));
			for (const entry of entries) {
				output.message(field, (message) => fill(message, entry));
			}
		};
		table(1, this.code.mappings(), (message, { name, start, end, offset, buildId }) => {
			message.number(1, unsignedAddress(start));
			message.number(2, unsignedAddress(end));
			message.number(3, offset);
			message.number(4, this.string(name));
			message.numbers(5, buildId === null ? [] : [this.attribute('process.executable.build_id.gnu', { text: buildId })]);
		});
		table(2, this.code.locations, (message, { frames, mapping }) => {
			message.number(1, mapping + 1);
			message.number(2, unsignedAddress(frames[0]!.address));
			for (const frame of frames) {
				message.message(3, (line) => {
					line.number(1, this.functionOf(frame));
					line.number(2, frame.line ?? 0);
				});
			}
			message.numbers(4, [this.attribute('profile.frame.type', { text: FRAME_TYPES[frames[0]!.kind] })]);
		});
		table(3, this.functions, (message, frame) => {
			message.number(1, this.string(frame.name));
			message.number(2, this.string(systemName(frame)));
			message.number(3, this.string(frame.library ?? sourceFileOf(frame) ?? ''));
		});
		table(4, [], () => {});
		for (const text of this.strings.keys()) {
			output.element(5, new TextEncoder().encode(text));
		}
		table(6, this.attributes, (message, fill) => fill(message));
		table(7, this.stacks, (message, locations) => message.numbers(1, locations));
	}

	private functionOf(frame: StackFrame): number {
		const key = `${frame.library} ${frame.name}`;
		let number = this.functionNumbers.get(key);
		if (number === undefined) {
			number = this.functions.push(frame);
			this.functionNumbers.set(key, number);
		}
		return number;
	}

	private attribute(name: string, value: AttributeValue): number {
		const key = JSON.stringify([name, value]);
		let number = this.attributeNumbers.get(key);
		if (number === undefined) {
			const keyNumber = this.string(name);
			number = this.attributes.push((message) => {
				message.number(1, keyNumber);
				message.message(2, (any) => anyValue(any, value));
			});
			this.attributeNumbers.set(key, number);
		}
		return number;
	}
}
