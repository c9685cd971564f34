/**
 * What Flight Recorder tells of the JVM beside samples and compilers (JDK 9 and later): the JVM and its flags, the settings of the recording, safepoints,
 * operations of the JVM's thread, collections, the code cache. Fields are those of HotSpot's metadata.xml, as far as the file's own metadata has them.
 */
import { type CodeCacheEvent, codeCacheEvent } from './code-cache-events.js';
import { type ChunkFacts, EventValues, type RawEvent } from './wanted-events.js';

/** How the JVM was started, as the last chunk tells it. */
export interface JfrJvmInformation {
	/** `OpenJDK 64-Bit Server VM (25+36-LTS) for linux-amd64 …` */
	readonly version: string | null;
	/** What was given to the JVM on its command line and in variables of the environment. */
	readonly arguments: string | null;
	/** Main class or archive, and its arguments. */
	readonly command: string | null;
	readonly startedEpochMs: number | null;
	readonly processId: number | null;
}

/** Milliseconds since the JVM's start. */
interface TimedEvent {
	readonly startMs: number;
	readonly durationMs: number;
}

/** `begin` from its begin until it is reached, or, up to JDK 21, cleaned up; `synchronization` the end of that; `end` while threads are let go. */
export interface JfrSafepointPart extends TimedEvent {
	readonly part: 'begin' | 'synchronization' | 'cleanup' | 'end';
	readonly safepointId: number;
	/** Of the begin all threads, of the synchronization those that were running when it began. */
	readonly threads: number | null;
}

/** An operation of the JVM's own thread. */
export interface JfrVmOperation extends TimedEvent {
	readonly operation: string | null;
	/** 0: it needed none. */
	readonly safepointId: number;
}

export interface JfrCollection extends TimedEvent {
	readonly gcId: number;
	/** `G1New`, and why: `G1 Evacuation Pause`. */
	readonly name: string | null;
	readonly cause: string | null;
	readonly sumOfPausesMs: number;
	readonly longestPauseMs: number;
}

export interface JfrFlag {
	readonly name: string;
	readonly value: string;
	/** `Default`, `Command line`, `Ergonomic`. */
	readonly origin: string | null;
}

/** Of a kind of event: `enabled`, `threshold`, `period`, `throttle`. */
type JfrSettings = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** All of a file, each list in the order of time. */
export interface JfrJvmEvents {
	readonly information: JfrJvmInformation | null;
	readonly flags: ReadonlyMap<string, JfrFlag>;
	/** By name of the event; as the last chunk has them. */
	readonly settings: JfrSettings;
	readonly safepoints: readonly JfrSafepointPart[];
	readonly operations: readonly JfrVmOperation[];
	readonly collections: readonly JfrCollection[];
	readonly codeCache: readonly CodeCacheEvent[];
}

const TIMED = ['startTime', 'duration'];
const FLAG = ['name', 'value', 'origin'];
/** Fields that are read, by event. */
export const JVM_FIELDS: Readonly<Record<string, readonly string[]>> = {
	'jdk.JVMInformation': ['jvmVersion', 'jvmArguments', 'javaArguments', 'jvmStartTime', 'pid'],
	'jdk.ActiveSetting': ['id', 'name', 'value'],
	'jdk.BooleanFlag': FLAG,
	'jdk.IntFlag': FLAG,
	'jdk.UnsignedIntFlag': FLAG,
	'jdk.LongFlag': FLAG,
	'jdk.UnsignedLongFlag': FLAG,
	'jdk.StringFlag': FLAG,
	'jdk.SafepointBegin': [...TIMED, 'safepointId', 'totalThreadCount'],
	'jdk.SafepointStateSynchronization': [...TIMED, 'safepointId', 'initialThreadCount'],
	'jdk.SafepointCleanup': [...TIMED, 'safepointId'],
	'jdk.SafepointEnd': [...TIMED, 'safepointId'],
	'jdk.ExecuteVMOperation': [...TIMED, 'safepointId', 'operation'],
	'jdk.GarbageCollection': [...TIMED, 'gcId', 'name', 'cause', 'sumOfPauses', 'longestPause'],
	'jdk.CodeCacheStatistics': ['startTime', 'codeBlobType', 'entryCount', 'methodCount', 'unallocatedCapacity', 'fullCount'],
	'jdk.CodeCacheFull': ['startTime', 'codeBlobType', 'entryCount', 'methodCount', 'unallocatedCapacity', 'fullCount'],
};

const PARTS: Readonly<Record<string, JfrSafepointPart['part']>> = {
	'jdk.SafepointBegin': 'begin',
	'jdk.SafepointStateSynchronization': 'synchronization',
	'jdk.SafepointCleanup': 'cleanup',
	'jdk.SafepointEnd': 'end',
};

/** Events of all chunks. */
export class JvmEventLists {
	private information: JfrJvmInformation | null = null;
	private readonly flags = new Map<string, JfrFlag>();
	private readonly settings = new Map<string, Map<string, string>>();
	private readonly safepoints: JfrSafepointPart[] = [];
	private readonly operations: JfrVmOperation[] = [];
	private readonly collections: JfrCollection[] = [];
	private readonly codeCache: CodeCacheEvent[] = [];

	/** Without times, where the file does not tell when the JVM started, there are no events with times. */
	add(raw: RawEvent, { constants, types, msOf, msPerTick }: ChunkFacts): void {
		const { type } = raw;
		const values = new EventValues(raw, constants);
		if (type.name === 'jdk.JVMInformation') {
			this.information = {
				version: values.text('jvmVersion'),
				arguments: values.text('jvmArguments'),
				command: values.text('javaArguments'),
				startedEpochMs: values.number('jvmStartTime'),
				processId: values.number('pid'),
			};
			return;
		}
		if (type.name === 'jdk.ActiveSetting') {
			this.addSetting(types.get(values.number('id') ?? -1)?.name, values.text('name'), values.text('value'));
			return;
		}
		if (type.wanted === FLAG) {
			const name = values.text('name');
			const value =
				type.name === 'jdk.StringFlag'
					? values.text('value')
					: type.name === 'jdk.BooleanFlag'
						? String(values.number('value') === 1)
						: String(values.value('value'));
			if (name !== null) {
				this.flags.set(name, { name, value: value ?? '', origin: values.text('origin') });
			}
			return;
		}
		const startMs = msOf(values.number('startTime') ?? Number.NaN);
		if (startMs === null || Number.isNaN(startMs) || msPerTick === null) {
			return;
		}
		const durationOf = (name: string): number => (values.number(name) ?? 0) * msPerTick;
		const timed: TimedEvent = { startMs, durationMs: durationOf('duration') };
		const part = PARTS[type.name];
		if (part !== undefined) {
			const threads = values.number('totalThreadCount') ?? values.number('initialThreadCount');
			this.safepoints.push({ ...timed, part, safepointId: values.number('safepointId') ?? -1, threads });
		} else if (type.name === 'jdk.ExecuteVMOperation') {
			this.operations.push({ ...timed, operation: values.text('operation'), safepointId: values.number('safepointId') ?? 0 });
		} else if (type.name === 'jdk.GarbageCollection') {
			this.collections.push({
				...timed,
				gcId: values.number('gcId') ?? -1,
				name: values.text('name'),
				cause: values.text('cause'),
				sumOfPausesMs: durationOf('sumOfPauses'),
				longestPauseMs: durationOf('longestPause'),
			});
		} else {
			this.codeCache.push(codeCacheEvent(startMs, type.name === 'jdk.CodeCacheFull', values.text('codeBlobType'), (name) => values.number(name)));
		}
	}

	/** Buffers of threads may stand in the file in another order than that of time. */
	build(): JfrJvmEvents {
		const sorted = <T extends { readonly startMs: number }>(events: T[]): T[] => events.sort((a, b) => a.startMs - b.startMs);
		const { information, flags, settings } = this;
		return {
			information,
			flags,
			settings,
			safepoints: sorted(this.safepoints),
			operations: sorted(this.operations),
			collections: sorted(this.collections),
			codeCache: sorted(this.codeCache),
		};
	}

	private addSetting(event: string | undefined, name: string | null, value: string | null): void {
		if (event === undefined || name === null || value === null) {
			return;
		}
		const own = this.settings.get(event) ?? new Map<string, string>();
		own.set(name, value);
		this.settings.set(event, own);
	}
}
