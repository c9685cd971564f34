/**
 * What Flight Recorder's events tell of the JVM's compilers (JDK 9 and later): jdk.Compilation, jdk.CompilerInlining, jdk.CompilationFailure and
 * jdk.Deoptimization, with the fields that metadata.xml of HotSpot gives them. Compilers commit an event for each decision on inlining at the place where they
 * write it into LogCompilation; what C2 replaces by an intrinsic or leaves virtual has an element there and no event here. Of a call that stays C1 logs
 * the method as declared, and tells here the one that it found.
 */
import { javaHolder } from '../shared/java/frame-spelling.js';
import type { Constants } from './constants.js';
import { type ConstantKey, type JfrCursor, JfrDamage } from './cursor.js';
import { type JfrValue, type Layout, layoutOf, readValue } from './layout.js';
import type { JfrField, JfrType } from './metadata.js';

/** Holder and name with dots, and the descriptor. */
export interface JfrMethod {
	readonly method: string;
	readonly descriptor: string | null;
}

/** What all of these events have. Compile ids have no mark of on-stack replacement. */
interface CompilerEvent {
	readonly compileId: number;
	/** Milliseconds since the JVM's start; null where the file does not tell when that was. */
	readonly ms: number | null;
	/** The operating system's number of the thread. */
	readonly threadId: number | null;
	readonly threadName: string | null;
}

/** A compilation that has ended; `ms` is its start. Its `codeSize` counts scopes and tables with the machine code (nmethod::total_size): it is not read. */
export interface JfrCompilation extends CompilerEvent {
	readonly durationMs: number | null;
	/** `c1`, `c2`, `jvmci`. */
	readonly compiler: string | null;
	readonly method: JfrMethod;
	readonly level: number | null;
	readonly succeeded: boolean;
	readonly isOsr: boolean;
	readonly inlinedBytes: number | null;
	/** The most that the compiler's arenas held, of JDK 25 and later; 0: it was not counted (-XX:CompileCommand=memstat). */
	readonly arenaBytes: number | null;
}

export interface JfrInlining extends CompilerEvent {
	/** The method with the call: the compiled one, or one that was inlined. */
	readonly caller: JfrMethod;
	readonly bci: number;
	readonly callee: JfrMethod;
	readonly succeeded: boolean;
	readonly message: string;
}

export interface JfrCompilationFailure extends CompilerEvent {
	readonly message: string;
}

export interface JfrDeoptimization extends CompilerEvent {
	/** The innermost method that was executed. */
	readonly method: JfrMethod | null;
	readonly bci: number | null;
	readonly reason: string;
	readonly action: string | null;
}

/** All of a file, each list in the order of time as far as the file tells it. */
export interface JfrCompilerEvents {
	readonly compilations: readonly JfrCompilation[];
	readonly inlinings: readonly JfrInlining[];
	readonly failures: readonly JfrCompilationFailure[];
	readonly deoptimizations: readonly JfrDeoptimization[];
}

const FIELDS = {
	'jdk.Compilation': [
		'startTime',
		'eventThread',
		'compileId',
		'duration',
		'compiler',
		'method',
		'compileLevel',
		'succeded',
		'succeeded',
		'isOsr',
		'inlinedBytes',
		'arenaBytes',
	],
	'jdk.CompilerInlining': ['startTime', 'eventThread', 'compileId', 'caller', 'callee.type', 'callee.name', 'callee.descriptor', 'succeeded', 'message', 'bci'],
	'jdk.CompilationFailure': ['startTime', 'eventThread', 'compileId', 'failureMessage'],
	'jdk.Deoptimization': ['startTime', 'eventThread', 'compileId', 'method', 'bci', 'reason', 'action'],
} as const;
type CompilerEventName = keyof typeof FIELDS;

export interface CompilerEventType {
	readonly name: CompilerEventName;
	readonly layout: Layout;
	readonly fields: ReadonlyMap<string, JfrField>;
}

/** An event before its constants are known. */
export interface RawCompilerEvent {
	readonly type: CompilerEventType;
	readonly values: readonly JfrValue[];
}

/** null: a type of other events. Throws a {@link JfrDamage}. */
export function compilerEventType(types: ReadonlyMap<number, JfrType>, type: JfrType): CompilerEventType | null {
	return isCompilerEvent(type.name)
		? { name: type.name, layout: layoutOf(types, type), fields: new Map(type.fields.map((field) => [field.name, field])) }
		: null;
}

function isCompilerEvent(name: string): name is CompilerEventName {
	return name in FIELDS;
}

/** The cursor stands behind the head of the event; null: it is not as its type says. */
export function readCompilerEvent(cursor: JfrCursor, end: number, type: CompilerEventType): RawCompilerEvent | null {
	try {
		const values = readValue(cursor, type.layout, FIELDS[type.name]);
		return cursor.at <= end ? { type, values } : null;
	} catch (error) {
		if (error instanceof JfrDamage) {
			return null;
		}
		throw error;
	}
}

/** The constants that these events name have to be kept before the chunk's are read. */
export function keepConstants(constants: Constants, types: Iterable<CompilerEventType>): void {
	for (const { fields } of types) {
		for (const [name, field] of fields) {
			if (field.isConstant && name === 'eventThread') {
				constants.keepThread(field);
			} else if (field.isConstant && (name === 'method' || name === 'caller')) {
				constants.keepMethod(field);
			} else if (field.isConstant && (name === 'compiler' || name === 'reason' || name === 'action')) {
				constants.keepText(field);
			}
		}
	}
}

/** Events of all chunks. */
export class CompilerEventLists {
	private readonly compilations: JfrCompilation[] = [];
	private readonly inlinings: JfrInlining[] = [];
	private readonly failures: JfrCompilationFailure[] = [];
	private readonly deoptimizations: JfrDeoptimization[] = [];
	private readonly methods = new Map<string, JfrMethod>();

	/** `msOf` makes milliseconds since the JVM's start of ticks, `msPerTick` of a duration; both null where the file does not tell. */
	add({ type, values }: RawCompilerEvent, constants: Constants, msOf: (ticks: number) => number | null, msPerTick: number | null): void {
		const wanted: readonly string[] = FIELDS[type.name];
		const valueAt = (name: string): JfrValue => values[wanted.indexOf(name)];
		const methodOf = (holder: string, name: string, descriptor: string | null): JfrMethod => this.methodOf(holder, name, descriptor);
		const number = (name: string): number | null => numberOf(valueAt(name));
		const text = (name: string): string | null => {
			const value = valueAt(name);
			const field = type.fields.get(name);
			return field?.isConstant ? constants.constantText(field, keyOf(value)) : constants.string(value);
		};
		const method = (name: string): JfrMethod | null => {
			const field = type.fields.get(name);
			const found = field === undefined ? null : constants.method(field, keyOf(valueAt(name)));
			return found === null ? null : methodOf(found.holder, found.name, found.descriptor);
		};
		const threadField = type.fields.get('eventThread');
		const thread = threadField === undefined ? null : constants.thread(threadField, keyOf(valueAt('eventThread')));
		const ticks = number('startTime');
		const event: CompilerEvent = {
			compileId: number('compileId') ?? -1,
			ms: ticks === null ? null : msOf(ticks),
			threadId: thread === null || thread.id < 0 ? null : thread.id,
			threadName: thread?.name ?? null,
		};
		if (type.name === 'jdk.Compilation') {
			const duration = number('duration');
			this.compilations.push({
				...event,
				durationMs: duration === null || msPerTick === null ? null : duration * msPerTick,
				compiler: text('compiler'),
				method: method('method') ?? UNKNOWN_METHOD,
				level: number('compileLevel'),
				// The JDK spells it without the second e.
				succeeded: (number('succeded') ?? number('succeeded')) === 1,
				isOsr: number('isOsr') === 1,
				inlinedBytes: number('inlinedBytes'),
				arenaBytes: number('arenaBytes'),
			});
		} else if (type.name === 'jdk.CompilerInlining') {
			this.inlinings.push({
				...event,
				caller: method('caller') ?? UNKNOWN_METHOD,
				bci: number('bci') ?? -1,
				callee: methodOf(text('callee.type') ?? '', text('callee.name') ?? '', text('callee.descriptor')),
				succeeded: number('succeeded') === 1,
				message: text('message') ?? '',
			});
		} else if (type.name === 'jdk.CompilationFailure') {
			this.failures.push({ ...event, message: text('failureMessage') ?? 'unknown' });
		} else {
			this.deoptimizations.push({ ...event, method: method('method'), bci: number('bci'), reason: text('reason') ?? 'unknown', action: text('action') });
		}
	}

	/** Each once: millions of decisions name few methods. */
	private methodOf(holder: string, name: string, descriptor: string | null): JfrMethod {
		const key = `${holder} ${name}${descriptor ?? ''}`;
		let method = this.methods.get(key);
		if (method === undefined) {
			method = { method: holder === '' ? name : `${javaHolder(holder)}.${name}`, descriptor };
			this.methods.set(key, method);
		}
		return method;
	}

	/** Buffers of threads may stand in the file in another order than that of time. */
	build(): JfrCompilerEvents {
		const sorted = <T extends CompilerEvent>(events: T[]): T[] => events.sort((a, b) => (a.ms ?? 0) - (b.ms ?? 0));
		return {
			compilations: sorted(this.compilations),
			inlinings: sorted(this.inlinings),
			failures: sorted(this.failures),
			deoptimizations: sorted(this.deoptimizations),
		};
	}
}

const UNKNOWN_METHOD: JfrMethod = { method: '?', descriptor: null };

function numberOf(value: JfrValue): number | null {
	return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null;
}

function keyOf(value: JfrValue): ConstantKey {
	return typeof value === 'number' || typeof value === 'bigint' ? value : 0;
}
