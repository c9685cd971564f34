/**
 * pprof's profile.proto (github.com/google/pprof/proto): a location is an instruction with the chain that was inlined there, the innermost line
 * first; samples of one stack and thread are one, with the thread as label. What files hold is this, gzip-compressed.
 */
import { Label, Line, Location, Mapping, Function as PprofFunction, Profile, Sample, StringTable, ValueType } from 'pprof-format';
import { isClockEvent, nanosecondsOf, type ProfileOrigin, type StackedSamples, type StackFrame, threadName, weightOf } from '../../model/stacked-samples.js';

/**
 * Sample types: `samples/count`; `cpu/nanoseconds` where the profile tells what a sample stands for; the event's own count where it is no clock.
 * Not compressed.
 */
export function pprofProfile(stacked: StackedSamples, { title, producer }: ProfileOrigin): Uint8Array {
	const strings = new StringTable();
	const text = (value: string): number => strings.dedup(value);
	const valueType = (type: string, unit: string): ValueType => new ValueType({ type: text(type), unit: text(unit) });
	const hasTime = stacked.length > 0 && nanosecondsOf(stacked, 0) !== null;
	const hasCount = stacked.periods !== null && !isClockEvent(stacked.event);
	const tables = new LocationTables(stacked, text);
	const sums = sumByNodeAndThread(stacked);
	const sample = Array.from(sums.values(), ({ node, thread, count, nanoseconds, period }) => {
		const { name, id } = stacked.threads[thread] ?? { name: '', id: -1 };
		return new Sample({
			locationId: tables.locationsOf(node),
			value: [count, ...(hasTime ? [Math.round(nanoseconds)] : []), ...(hasCount ? [Math.round(period)] : [])],
			label:
				name === '' && id < 0
					? []
					: [new Label({ key: text('thread'), str: text(threadName({ name, id })) }), ...(id < 0 ? [] : [new Label({ key: text('thread_id'), num: id })])],
		});
	});
	const profile = new Profile({
		sampleType: [
			valueType('samples', 'count'),
			...(hasTime ? [valueType('cpu', 'nanoseconds')] : []),
			...(hasCount ? [valueType(stacked.event, 'count')] : []),
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
		defaultSampleType: text(hasTime ? 'cpu' : 'samples'),
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

function durationNs({ timeSeconds, originSeconds }: StackedSamples): number {
	return timeSeconds === null ? 0 : Math.round(Math.max(0, timeSeconds.reduce((most, time) => Math.max(most, time), originSeconds) - originSeconds) * 1e9);
}

const CODE_CACHE = '[code cache]';

interface MappingDraft {
	readonly id: number;
	readonly name: string;
	start: number;
	end: number;
}

class LocationTables {
	readonly locations: Location[] = [];
	readonly functions: PprofFunction[] = [];
	private readonly stacked: StackedSamples;
	private readonly text: (value: string) => number;
	private readonly mappingDrafts = new Map<string, MappingDraft>();
	private readonly functionIds = new Map<string, number>();
	/** By the number of the innermost frame. */
	private readonly locationIds = new Map<number, number>();

	constructor(stacked: StackedSamples, text: (value: string) => number) {
		this.stacked = stacked;
		this.text = text;
		// The first one is the program's own.
		this.draftOf(CODE_CACHE);
	}

	/** The innermost first. */
	locationsOf(node: number): number[] {
		const { nodeFrame, nodeParent, frames } = this.stacked;
		const result: number[] = [];
		for (let at = node; at >= 0; ) {
			const innermost = nodeFrame[at]!;
			const chain: number[] = [innermost];
			// Frames that were inlined at one instruction are one location with as many lines.
			while (frames[nodeFrame[at]!]!.inlineDepth > 0 && nodeParent[at]! >= 0) {
				at = nodeParent[at]!;
				chain.push(nodeFrame[at]!);
			}
			result.push(this.locationOf(innermost, chain));
			at = nodeParent[at]!;
		}
		return result;
	}

	mappings(): Mapping[] {
		return Array.from(this.mappingDrafts.values(), ({ id, name, start, end }) => {
			const hasAddress = start <= end;
			return new Mapping({
				id,
				memoryStart: hasAddress ? unsigned(start) : 0,
				memoryLimit: hasAddress ? unsigned(end) : 0,
				filename: this.text(name),
				hasFunctions: true,
				hasFilenames: true,
				hasLineNumbers: true,
				hasInlineFrames: true,
			});
		});
	}

	private locationOf(innermost: number, chain: readonly number[]): number {
		let id = this.locationIds.get(innermost);
		if (id === undefined) {
			id = this.locations.length + 1;
			this.locationIds.set(innermost, id);
			const frames = chain.map((number) => this.stacked.frames[number]!);
			const { address } = frames[0]!;
			this.locations.push(
				new Location({
					id,
					mappingId: this.mappingOf(frames[0]!),
					address: Number.isNaN(address) ? 0 : unsigned(address),
					line: frames.map((frame) => new Line({ functionId: this.functionOf(frame), line: frame.line ?? 0 })),
				}),
			);
		}
		return id;
	}

	private mappingOf({ kind, library, address }: StackFrame): number {
		const draft = this.draftOf(library ?? (kind === 'kernel' ? '[kernel.kallsyms]' : kind === 'native' || kind === 'unknown' ? '[unknown]' : CODE_CACHE));
		if (!Number.isNaN(address)) {
			draft.start = Math.min(draft.start, address);
			draft.end = Math.max(draft.end, address + 1);
		}
		return draft.id;
	}

	private draftOf(name: string): MappingDraft {
		let draft = this.mappingDrafts.get(name);
		if (draft === undefined) {
			draft = { id: this.mappingDrafts.size + 1, name, start: Number.POSITIVE_INFINITY, end: Number.NEGATIVE_INFINITY };
			this.mappingDrafts.set(name, draft);
		}
		return draft;
	}

	/** pprof takes a name that is its system name for C++ to be demangled, and cuts what is in brackets. */
	private functionOf({ name, kind, library }: StackFrame): number {
		const key = `${library} ${name}`;
		let id = this.functionIds.get(key);
		if (id === undefined) {
			id = this.functions.length + 1;
			this.functionIds.set(key, id);
			this.functions.push(new PprofFunction({ id, name: this.text(name), systemName: this.text(systemName(name, kind)), filename: this.text(library ?? '') }));
		}
		return id;
	}
}

/** As the JVM writes methods, `java/util/HashMap::get`; of other code the symbol. */
function systemName(name: string, kind: StackFrame['kind']): string {
	const point = name.lastIndexOf('.');
	return kind === 'method' ? `${name.slice(0, Math.max(point, 0)).replaceAll('.', '/')}::${name.slice(point + 1)}` : name.replace(/^\((.*)\)$/, '$1');
}

/** Addresses of the kernel are negative here. */
function unsigned(address: number): bigint {
	return BigInt.asUintN(64, BigInt(address));
}
