/** A <task> while the scanner passes over it: how it began and how it ended. */
import type { Source } from '../../bytes/source.js';
import type { CompilationFailure, Deoptimization } from '../../model/jit-compilation.js';
import type { Element } from '../shared/hotspot/element.js';
import type { Draft, JvmDraft } from './jvm-draft.js';

export class OpenTask {
	private readonly draft: Draft;
	private readonly jvm: JvmDraft;
	private readonly source: Source;
	private readonly start: number;
	private readonly failures: CompilationFailure[] = [];
	private cacheState: { freeBytes: number; nmethods: number; blobs: number } | null = null;

	/** `start` is the offset of its first byte. */
	constructor(draft: Draft, jvm: JvmDraft, source: Source, start: number) {
		this.draft = draft;
		this.jvm = jvm;
		this.source = source;
		this.start = start;
	}

	begin(element: Element, threadId: number | null): void {
		this.draft.startedMs = element.milliseconds('stamp');
		this.draft.threadId = threadId;
		countsOf(element, this.draft);
	}

	failed(element: Element): void {
		this.failures.push({ reason: element.word('reason') ?? '', phase: element.word('phase') });
	}

	codeCache(element: Element): void {
		this.cacheState = { freeBytes: element.integer('free_code_cache'), nmethods: element.integer('nmethods'), blobs: element.integer('total_blobs') };
	}

	/** An attempt that is repeated is noted as a failure too; what ended the compilation is the last one. */
	done(element: Element): void {
		const { draft, failures } = this;
		draft.doneMs = this.jvm.sawTime(element.milliseconds('stamp'));
		draft.sizeBytes = element.integerOrNull('nmsize');
		draft.inlinedBytes = element.integerOrNull('inlined_bytes');
		const others = failures.filter(({ reason }) => !reason.startsWith('retry'));
		draft.retries.push(...failures.filter((failure) => !others.includes(failure)).map(({ reason }) => reason));
		if (element.is('success', '0')) {
			const last = (others.length > 0 ? others : failures).at(-1);
			const phase = failures.map((failure) => failure.phase).filter((name) => name !== null);
			draft.failure = { reason: last?.reason ?? 'unknown', phase: last?.phase ?? phase.at(-1) ?? null };
		}
		if (this.cacheState !== null && draft.doneMs !== null) {
			this.jvm.codeCache.push({ ms: draft.doneMs, ...this.cacheState });
		}
	}

	close(end: number, isWhole: boolean): void {
		this.draft.record = { source: this.source, start: this.start, end };
		this.draft.isCut = !isWhole;
	}
}

/** What <task_queued> and <task> both say of the method. */
export function countsOf(element: Element, draft: Draft): void {
	draft.level ??= element.integerOrNull('level');
	draft.osrBci ??= element.integerOrNull('osr_bci');
	draft.bytecodeBytes ??= element.integerOrNull('bytes');
	draft.invocations = element.integerOrNull('count') ?? draft.invocations;
	draft.backedges = element.integerOrNull('backedge_count') ?? draft.backedges;
}

/** <uncommon_trap thread=…> and <deoptimized>; where it happened is told behind it. */
export function deoptimizationOf(element: Element, kind: Deoptimization['kind'], ms: number | null): Deoptimization {
	const reason = element.word('reason') ?? '?';
	return { kind, reason, action: element.word('action'), method: null, bci: null, ms, threadId: element.integerOrNull('thread') };
}
