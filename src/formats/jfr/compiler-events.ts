/**
 * What Flight Recorder's events tell of the JVM's compilers (JDK 9 and later): jdk.Compilation, jdk.CompilerInlining, jdk.CompilationFailure,
 * jdk.Deoptimization and jdk.CompilerPhase, with the fields that metadata.xml of HotSpot gives them. Compilers commit an event for each decision on inlining at the place where they
 * write it into LogCompilation; what C2 replaces by an intrinsic or leaves virtual has an element there and no event here. Of a call that stays C1 logs
 * the method as declared, and tells here the one that it found.
 */
import { javaHolder } from '../shared/java/frame-spelling.js';
import type { RecordedMethod } from './constants.js';
import { type ChunkFacts, EventValues, type RawEvent } from './wanted-events.js';

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
	/** The number of the method's class, the same in samples; 0 where it is not told. */
	readonly classId: number;
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

/**
 * A stretch of C2's work: from where it last told of itself (Compile::print_method) to here, the place that is named. Stretches follow each other without a gap,
 * whatever their levels.
 */
export interface JfrCompilerPhase extends CompilerEvent {
	readonly durationMs: number | null;
	readonly phase: string;
	/** 1: what is always told; the higher, the more detail (-XX:PrintIdealGraphLevel). */
	readonly level: number | null;
}

/** All of a file, each list in the order of time as far as the file tells it. */
export interface JfrCompilerEvents {
	readonly compilations: readonly JfrCompilation[];
	readonly inlinings: readonly JfrInlining[];
	readonly failures: readonly JfrCompilationFailure[];
	readonly deoptimizations: readonly JfrDeoptimization[];
	readonly phases: readonly JfrCompilerPhase[];
}

/** Fields that are read, by event. */
export const COMPILER_FIELDS: Readonly<Record<string, readonly string[]>> = {
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
	'jdk.CompilerPhase': ['startTime', 'eventThread', 'compileId', 'duration', 'phase', 'phaseLevel'],
};

/** Events of all chunks. */
export class CompilerEventLists {
	private readonly compilations: JfrCompilation[] = [];
	private readonly inlinings: JfrInlining[] = [];
	private readonly failures: JfrCompilationFailure[] = [];
	private readonly deoptimizations: JfrDeoptimization[] = [];
	private readonly phases: JfrCompilerPhase[] = [];
	/** By holder, name and descriptor. */
	private readonly methods = new Map<string, Map<string, Map<string | null, JfrMethod>>>();
	private readonly ofConstants = new WeakMap<RecordedMethod, JfrMethod>();

	add(raw: RawEvent, { constants, msOf, msPerTick }: ChunkFacts): void {
		const { name } = raw.type;
		const values = new EventValues(raw, constants);
		const thread = values.thread('eventThread');
		const ticks = values.number('startTime');
		const compileId = values.number('compileId') ?? -1;
		const ms = ticks === null ? null : msOf(ticks);
		const threadId = thread === null || thread.id < 0 ? null : thread.id;
		const threadName = thread?.name ?? null;
		if (name === 'jdk.CompilerInlining') {
			this.inlinings.push({
				compileId,
				ms,
				threadId,
				threadName,
				caller: this.methodOfConstant(values.method('caller')) ?? UNKNOWN_METHOD,
				bci: values.number('bci') ?? -1,
				callee: this.methodOf(values.text('callee.type') ?? '', values.text('callee.name') ?? '', values.text('callee.descriptor')),
				succeeded: values.number('succeeded') === 1,
				message: values.text('message') ?? '',
			});
		} else if (name === 'jdk.Compilation') {
			const duration = values.number('duration');
			const method = values.method('method');
			this.compilations.push({
				compileId,
				ms,
				threadId,
				threadName,
				durationMs: duration === null || msPerTick === null ? null : duration * msPerTick,
				compiler: values.text('compiler'),
				method: this.methodOfConstant(method) ?? UNKNOWN_METHOD,
				classId: method?.classId ?? 0,
				level: values.number('compileLevel'),
				// The JDK spells it without the second e.
				succeeded: (values.number('succeded') ?? values.number('succeeded')) === 1,
				isOsr: values.number('isOsr') === 1,
				inlinedBytes: values.number('inlinedBytes'),
				arenaBytes: values.number('arenaBytes'),
			});
		} else if (name === 'jdk.CompilerPhase') {
			const duration = values.number('duration');
			this.phases.push({
				compileId,
				ms,
				threadId,
				threadName,
				durationMs: duration === null || msPerTick === null ? null : duration * msPerTick,
				phase: values.text('phase') ?? '?',
				level: values.number('phaseLevel'),
			});
		} else if (name === 'jdk.CompilationFailure') {
			this.failures.push({ compileId, ms, threadId, threadName, message: values.text('failureMessage') ?? 'unknown' });
		} else {
			this.deoptimizations.push({
				compileId,
				ms,
				threadId,
				threadName,
				method: this.methodOfConstant(values.method('method')),
				bci: values.number('bci'),
				reason: values.text('reason') ?? 'unknown',
				action: values.text('action'),
			});
		}
	}

	private methodOfConstant(constant: RecordedMethod | null): JfrMethod | null {
		if (constant === null) {
			return null;
		}
		let method = this.ofConstants.get(constant);
		if (method === undefined) {
			method = this.methodOf(constant.holder, constant.name, constant.descriptor);
			this.ofConstants.set(constant, method);
		}
		return method;
	}

	/** Each once: millions of decisions name few methods. */
	private methodOf(holder: string, name: string, descriptor: string | null): JfrMethod {
		let ofHolder = this.methods.get(holder);
		if (ofHolder === undefined) {
			ofHolder = new Map();
			this.methods.set(holder, ofHolder);
		}
		let named = ofHolder.get(name);
		if (named === undefined) {
			named = new Map();
			ofHolder.set(name, named);
		}
		let method = named.get(descriptor);
		if (method === undefined) {
			method = { method: holder === '' ? name : `${javaHolder(holder)}.${name}`, descriptor };
			named.set(descriptor, method);
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
			phases: sorted(this.phases),
		};
	}
}

const UNKNOWN_METHOD: JfrMethod = { method: '?', descriptor: null };
