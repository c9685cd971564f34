/**
 * pprof's profile.proto (github.com/google/pprof/proto): a location is an instruction with the chain that was inlined there, the innermost line
 * first; samples of one stack and thread are one, with the thread as label. What files hold is this, gzip-compressed.
 */
import { Label, Line, Location, Mapping, Function as PprofFunction, Profile, Sample, StringTable, ValueType } from 'pprof-format';
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

/**
 * Sample types: `samples/count`; `cpu/nanoseconds` where the profile tells what a sample stands for; the event's own count where it is no clock.
 * Not compressed.
 */
export function pprofProfile(stacked: StackedSamples, { title, producer }: ProfileOrigin): Uint8Array {
	const strings = new StringTable();
	const text = (value: string): number => strings.dedup(value);
	const valueType = (type: string, unit: string): ValueType => new ValueType({ type: text(type), unit: text(unit) });
	const hasTime = stacked.length > 0 && nanosecondsOf(stacked, 0) !== null;
	const { unit = 'samples' } = stacked;
	const isCounted = unit === 'samples';
	const hasCount = stacked.periods !== null && !isClockEvent(stacked.event);
	const tables = new LocationTables(stacked, text);
	const sums = sumByNodeAndThread(stacked);
	const sample = Array.from(sums.values(), ({ node, thread, count, nanoseconds, period }) => {
		const { name, id } = stacked.threads[thread] ?? { name: '', id: -1 };
		return new Sample({
			locationId: tables.locationsOf(node),
			value: [
				...(isCounted ? [Math.round(count)] : []),
				...(hasTime ? [Math.round(nanoseconds)] : []),
				...(hasCount ? [Math.round(period)] : []),
				...(isCounted || hasTime ? [] : [Math.round(count)]),
			],
			label:
				name === '' && id < 0
					? []
					: [new Label({ key: text('thread'), str: text(threadName({ name, id })) }), ...(id < 0 ? [] : [new Label({ key: text('thread_id'), num: id })])],
		});
	});
	const profile = new Profile({
		sampleType: [
			...(isCounted ? [valueType('samples', 'count')] : []),
			...(hasTime ? [valueType('cpu', 'nanoseconds')] : []),
			...(hasCount ? [valueType(stacked.event, 'count')] : []),
			...(isCounted || hasTime ? [] : [valueType(stacked.event, unit)]),
		],
		sample,
		mapping: tables.mappings(),
		location: tables.locations,
		function: tables.functions,
		timeNanos: stacked.originEpochMs === null ? 0 : BigInt(Math.round(stacked.originEpochMs)) * 1_000_000n,
		durationNanos: durationNs(stacked),
		periodType: stacked.intervalNs === null ? valueType('samples', 'count') : valueType('cpu', 'nanoseconds'),
		period: stacked.intervalNs ?? 1,
		comment: [text(title), text(producer)],
		defaultSampleType: text(hasTime ? 'cpu' : isCounted ? 'samples' : stacked.event),
		stringTable: strings,
	});
	return profile.encode();
}

interface Sum {
	readonly node: number;
	readonly thread: number;
	count: number;
	nanoseconds: number;
	period: number;
}

function sumByNodeAndThread(stacked: StackedSamples): Map<number, Sum> {
	const result = new Map<number, Sum>();
	for (let i = 0; i < stacked.length; i++) {
		const node = stacked.node[i]!;
		const thread = stacked.thread[i]!;
		const key = node * stacked.threads.length + thread;
		let sum = result.get(key);
		if (sum === undefined) {
			sum = { node, thread, count: 0, nanoseconds: 0, period: 0 };
			result.set(key, sum);
		}
		sum.count += weightOf(stacked, i);
		sum.nanoseconds += nanosecondsOf(stacked, i) ?? 0;
		sum.period += stacked.periods?.[i] ?? 0;
	}
	return result;
}

class LocationTables {
	readonly locations: Location[] = [];
	readonly functions: PprofFunction[] = [];
	private readonly code: CodeLocations;
	private readonly text: (value: string) => number;
	private readonly functionIds = new Map<string, number>();

	constructor(stacked: StackedSamples, text: (value: string) => number) {
		this.code = new CodeLocations(stacked);
		this.text = text;
	}

	/** Ids, the innermost first. */
	locationsOf(node: number): number[] {
		const numbers = this.code.of(node);
		for (let number = this.locations.length; number < this.code.locations.length; number++) {
			const { frames, mapping } = this.code.locations[number]!;
			const line = frames.map((frame) => new Line({ functionId: this.functionOf(frame), line: frame.line ?? 0 }));
			this.locations.push(new Location({ id: number + 1, mappingId: mapping + 1, address: unsignedAddress(frames[0]!.address), line }));
		}
		return numbers.map((number) => number + 1);
	}

	mappings(): Mapping[] {
		return this.code.mappings().map(
			({ name, start, end, offset, buildId }, i) =>
				new Mapping({
					id: i + 1,
					memoryStart: unsignedAddress(start),
					memoryLimit: unsignedAddress(end),
					fileOffset: offset,
					filename: this.text(name),
					buildId: this.text(buildId ?? ''),
					hasFunctions: true,
					hasFilenames: true,
					hasLineNumbers: true,
					hasInlineFrames: true,
				}),
		);
	}

	/** pprof takes a name that is its system name for C++ to be demangled, and cuts what is in brackets. */
	private functionOf(frame: StackFrame): number {
		const { name, library } = frame;
		const key = `${library} ${name}`;
		let id = this.functionIds.get(key);
		if (id === undefined) {
			id = this.functions.length + 1;
			this.functionIds.set(key, id);
			const filename = this.text(library ?? sourceFileOf(frame) ?? '');
			this.functions.push(new PprofFunction({ id, name: this.text(name), systemName: this.text(systemName(frame)), filename }));
		}
		return id;
	}
}
