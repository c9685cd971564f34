/** Puts together what a log tells of the compilations of one JVM at different places: queue, compiler thread, code cache. */
import type { Source } from '../../bytes/source.js';
import {
	type CodeCacheState,
	type CompilationHistory,
	type CompilerThread,
	type Deoptimization,
	type JitCompilation,
	type JitCompilationKind,
	unknownCompilation,
} from '../../model/jit-compilation.js';
import type { Element } from '../shared/hotspot/element.js';

/** Where the record of a compilation's decisions stands: bytes [start, end) of a source. */
interface RecordPlace {
	readonly source: Source;
	readonly start: number;
	readonly end: number;
}

export interface LoggedJitCompilation extends JitCompilation {
	/** null where the log has none: the compilation was not started, or the JVM was killed. */
	readonly record: RecordPlace | null;
}

export interface LoggedHistory extends CompilationHistory {
	readonly compilations: readonly LoggedJitCompilation[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface Draft extends Mutable<LoggedJitCompilation> {
	retries: string[];
	deoptimizations: Deoptimization[];
}

/** `java.util.HashMap getNode (Ljava/lang/Object;)Ljava/util/HashMap$Node;` */
export interface LoggedMethod {
	readonly method: string;
	readonly signature: string | null;
}

export class JvmDraft {
	processId: number | null;
	version: string | null = null;
	arguments: string | null = null;
	command: string | null = null;
	startedEpochMs: number | null = null;
	endMs = 0;
	readonly compilations: Draft[] = [];
	readonly threads = new Map<number, Mutable<CompilerThread>>();
	readonly codeCache: CodeCacheState[] = [];
	/** Files that compiler threads write into until the JVM ends. */
	readonly threadFiles: string[] = [];
	hasRecords = false;
	isDone = false;
	/** By id; the method as it is written. */
	private readonly newest = new Map<string, { readonly draft: Draft; readonly text: string }>();

	constructor(processId: number | null) {
		this.processId = processId;
	}

	/** The compilation that an element tells of; a new one where `isTaken` says that the known one has such an element already. */
	find(element: Element, isTaken: (draft: Draft) => boolean): Draft | null {
		const id = element.text('compile_id');
		const text = element.word('method');
		if (id === null || id === '' || text === null) {
			return null;
		}
		const kind = kindOf(element.word('compile_kind'));
		const key = keyOf(id, kind);
		const known = this.newest.get(key);
		if (known !== undefined && known.text === text && !isTaken(known.draft)) {
			return known.draft;
		}
		const { method, signature } = methodOf(text);
		if (method === '') {
			return null;
		}
		const draft: Draft = {
			compileId: kind === 'osr' ? `${id}%` : id,
			kind,
			method,
			signature,
			...unknownCompilation(),
			bytecodeBytes: element.integerOrNull('bytes'),
			record: null,
		};
		this.compilations.push(draft);
		this.newest.set(key, { draft, text });
		return draft;
	}

	/** The compilation that an element without a method tells of. */
	known(element: Element): Draft | null {
		return this.newest.get(keyOf(element.text('compile_id') ?? '', kindOf(element.word('compile_kind'))))?.draft ?? null;
	}

	/** Taken out of the queue without being compiled. */
	dequeued(element: Element): void {
		const draft = this.known(element);
		if (draft !== null && draft.startedMs === null) {
			draft.failure ??= { reason: element.text('comment') ?? 'dequeued', phase: null };
		}
	}

	/** The thread, made known when it is not. */
	thread(id: number): Mutable<CompilerThread> {
		let thread = this.threads.get(id);
		if (thread === undefined) {
			thread = { id, name: null, startedMs: null };
			this.threads.set(id, thread);
		}
		return thread;
	}

	sawTime(ms: number | null): number | null {
		if (ms !== null && ms > this.endMs) {
			this.endMs = ms;
		}
		return ms;
	}

	finish(): LoggedHistory {
		// What Truffle compiles and installs by JVMCI is in no queue of the JVM.
		const queued = this.compilations.filter(({ compiler, queuedMs, startedMs }) => compiler !== null && (queuedMs !== null || startedMs !== null));
		const compilers = new Set((queued.length > 0 ? queued : this.compilations).map(({ compiler }) => compiler));
		const topCompiler = ['jvmci', 'c2', 'c1'].find((name) => compilers.has(name)) ?? 'c2';
		const levelFour = topCompiler === 'c1' ? 'c2' : topCompiler;
		for (const draft of this.compilations) {
			if (draft.kind !== 'native wrapper') {
				// The highest tier is not written; of what was never installed the compiler neither.
				draft.compiler ??=
					compilerOfThread(this.threads.get(draft.threadId ?? -1)?.name) ?? (draft.level === null ? topCompiler : draft.level > 3 ? levelFour : 'c1');
				draft.level ??= draft.compiler === 'c1' ? 1 : 4;
			}
		}
		return {
			processId: this.processId,
			version: this.version,
			startedEpochMs: this.startedEpochMs,
			arguments: this.arguments,
			command: this.command,
			endMs: this.endMs,
			compilations: this.compilations,
			threads: [...this.threads.values()],
			codeCache: this.codeCache.sort((a, b) => a.ms - b.ms),
		};
	}
}

/** Holder and name with dots, and the descriptor; an empty name when the text is none. */
export function methodOf(text: string | null): LoggedMethod {
	const [holder = '', name = '', signature = null] = (text ?? '').split(' ');
	return { method: name === '' ? '' : `${holder}.${name}`, signature };
}

function keyOf(id: string, kind: JitCompilationKind): string {
	return kind === 'standard' ? id : `${id}${kind === 'osr' ? '%' : 'n'}`;
}

/** `c2n` wraps a native method or a method handle's linker, `cnt` enters a continuation. */
function kindOf(text: string | null): JitCompilationKind {
	return text === null ? 'standard' : text === 'osr' ? 'osr' : 'native wrapper';
}

/** `C1 CompilerThread0`, `JVMCI-native CompilerThread0` */
function compilerOfThread(name: string | null | undefined): string | null {
	return /^(C1|C2|JVMCI)\b/.exec(name ?? '')?.[1]?.toLowerCase() ?? null;
}
