/**
 * HotSpot's compiler memory statistic as a library: fed with events, it keeps the counters of the compilations that run and the results of the most
 * expensive ones that ended. An event that fits nothing before it is counted as such and changes no total. Method: JDK-8344009.
 */
import type { Address, CompileStart, FootprintEventSink } from '../model/footprint-events.js';
import type { FreedChunk } from './chunk-stamps.js';
import { CompilationCounter, ROOT_ROW } from './compilation-counter.js';
import { MostExpensive } from './most-expensive.js';
import { Names } from './names.js';
import type { MalformedEvents, Replay, ReplayedCompilation } from './results.js';

/** What the JVM does with a compilation over its limit: give it up, or end itself. */
export type LimitReaction = 'stop' | 'crash';

/** A compilation that went over its limit. */
export interface LimitHitEvent {
	readonly compilation: CompileStart;
	readonly limitBytes: number;
	readonly nowBytes: number;
	readonly isAgain: boolean;
	readonly reaction: LimitReaction;
}

/** What a replay keeps, and the limit that it tries. */
export interface ReplayOptions {
	/** How many of the compilations that ended are kept: the most expensive. */
	readonly keep?: number;
	/** A limit of all compilations that tell none of their own, in bytes, and what happens when one goes over it. */
	readonly limit?: { readonly bytes: number; readonly reaction: LimitReaction } | null;
	readonly onLimit?: (hit: LimitHitEvent) => void;
	readonly onEnd?: (compilation: ReplayedCompilation) => void;
	/** Entries of a timeline that are kept. */
	readonly maxEntries?: number;
}

const DEFAULT_KEEP = 1000;
type Counts = { -readonly [K in keyof MalformedEvents]: number };

/** Throws nothing on content. `finish` ends what still runs; more events may follow it. */
export class FootprintReplay implements FootprintEventSink {
	private readonly options: ReplayOptions;
	private readonly phaseNames = new Names([ROOT_ROW]);
	private readonly arenaNames = new Names();
	private readonly running = new Map<string, CompilationCounter>();
	private readonly done: MostExpensive<ReplayedCompilation>;
	private readonly counts: Counts = {
		startWithoutEnd: 0,
		endWithoutStart: 0,
		outside: 0,
		otherThread: 0,
		phaseEndWithoutStart: 0,
		unclosedPhases: 0,
		freeOfUnknownChunk: 0,
		doubleFree: 0,
		reusedAddresses: 0,
		otherSize: 0,
		otherArena: 0,
		badSizes: 0,
		afterCrash: 0,
		unfinished: 0,
		unbalanced: 0,
	};
	private isCrashed = false;
	private events = 0;
	private lastThread = '';
	private last: CompilationCounter | undefined;

	constructor(options: ReplayOptions = {}) {
		this.options = options;
		this.done = new MostExpensive(options.keep ?? DEFAULT_KEEP);
	}

	compileStart(start: CompileStart): void {
		if (this.isOver()) {
			return;
		}
		const open = this.running.get(start.thread);
		if (open !== undefined) {
			this.counts.startWithoutEnd++;
			this.end(open, null, start.seconds, false);
		}
		const limitBytes = start.limitBytes ?? this.options.limit?.bytes ?? null;
		const counter = new CompilationCounter(start, limitBytes, this.phaseNames, this.arenaNames, this.options.maxEntries);
		this.running.set(start.thread, counter);
		this.last = undefined;
		this.lastThread = '';
	}

	compileEnd(thread: string, compileId: string | null, result: string | null, nodes: number, seconds: number | null): void {
		if (this.isOver()) {
			return;
		}
		const counter = this.find(thread, compileId);
		if (counter === undefined) {
			this.counts.endWithoutStart++;
			return;
		}
		counter.liveNodes(nodes);
		this.end(counter, result, seconds, true);
	}

	phaseStart(thread: string, compileId: string | null, phase: string, nodes: number): void {
		const counter = this.counter(thread, compileId);
		if (counter !== undefined) {
			counter.liveNodes(nodes);
			counter.phaseStart(this.phaseNames.number(phase));
		}
	}

	phaseEnd(thread: string, compileId: string | null, phase: string | null, nodes: number): void {
		const counter = this.counter(thread, compileId);
		if (counter === undefined) {
			return;
		}
		counter.liveNodes(nodes);
		const ended = counter.phaseEnd(phase === null ? null : this.phaseNames.number(phase));
		if (ended === 0) {
			this.counts.phaseEndWithoutStart++;
		} else {
			this.counts.unclosedPhases += ended - 1;
		}
	}

	allocate(thread: string, compileId: string | null, chunk: Address | null, bytes: number, arena: string, arenaAddress: Address | null, nodes: number): void {
		const counter = this.counter(thread, compileId);
		if (counter === undefined) {
			return;
		}
		if (!Number.isSafeInteger(bytes) || bytes < 0) {
			this.counts.badSizes++;
			return;
		}
		counter.liveNodes(nodes);
		const arenaNumber = this.arenaNames.number(arena);
		const { isReused, isOverLimit } = counter.allocate(chunk ?? unseen(arenaAddress, arenaNumber), bytes, arenaNumber, arenaAddress);
		// Of one arena several chunks may be unseen.
		if (isReused && chunk !== null) {
			this.counts.reusedAddresses++;
		}
		if (isOverLimit) {
			this.limit(counter);
		}
	}

	free(
		thread: string,
		compileId: string | null,
		chunk: Address | null,
		bytes: number,
		arena: string | null,
		arenaAddress: Address | null,
		phase: string | null,
		nodes: number,
	): void {
		const own = this.counter(thread, compileId);
		if (own === undefined) {
			return;
		}
		own.liveNodes(nodes);
		const arenaNumber = arena === null ? -1 : this.arenaNames.number(arena);
		const address = chunk ?? unseen(arenaAddress, arenaNumber);
		const freed: FreedChunk = { bytes, arenaAddress, arena: arenaNumber, phase: phase === null ? -1 : this.phaseNames.number(phase) };
		let stamp = own.free(address, freed);
		if (typeof stamp === 'string') {
			stamp = this.freeElsewhere(own, address, freed) ?? stamp;
		}
		if (stamp === 'freed') {
			this.counts.doubleFree++;
		} else if (stamp === 'unknown') {
			this.counts.freeOfUnknownChunk++;
		} else {
			this.counts.otherSize += bytes >= 0 && bytes !== stamp.bytes ? 1 : 0;
			this.counts.otherArena += arenaNumber >= 0 && arenaNumber !== stamp.arena ? 1 : 0;
		}
	}

	/** The counters of a thread's compilation, undefined when it compiles nothing. */
	runningIn(thread: string): CompilationCounter | undefined {
		return this.running.get(thread);
	}

	/** What there is so far; compilations that run are ended. */
	finish(): Replay {
		for (const counter of [...this.running.values()]) {
			this.counts.unfinished++;
			this.end(counter, null, null, false);
		}
		const { events, isCrashed } = this;
		return { compilations: this.done.list(), omitted: this.done.omitted, events, malformed: { ...this.counts }, isCrashed };
	}

	/** A thread may free what another one's compilation allocated. */
	private freeElsewhere(own: CompilationCounter, address: Address, freed: FreedChunk): ReturnType<CompilationCounter['free']> | null {
		for (const counter of this.running.values()) {
			if (counter !== own) {
				const stamp = counter.free(address, freed);
				if (typeof stamp !== 'string') {
					this.counts.otherThread++;
					return stamp;
				}
			}
		}
		return null;
	}

	private limit(counter: CompilationCounter): void {
		const { limitBytes } = counter;
		if (limitBytes === null) {
			return;
		}
		const reaction = this.options.limit?.reaction ?? 'stop';
		this.options.onLimit?.({
			compilation: counter.start,
			limitBytes,
			nowBytes: counter.peakBytes,
			isAgain: counter.limitHits > 1,
			reaction,
		});
		if (reaction === 'crash') {
			this.end(counter, null, null, false);
			this.isCrashed = true;
		}
	}

	private end(counter: CompilationCounter, result: string | null, seconds: number | null, isFinished: boolean): void {
		this.counts.unclosedPhases += counter.openPhases;
		const outcome = result ?? (isFinished ? (counter.limitHits > 0 ? 'oom' : 'ok') : null);
		const compilation = counter.finish(outcome, seconds, isFinished);
		if (isFinished && compilation.heldAtEndBytes !== 0) {
			this.counts.unbalanced++;
		}
		this.running.delete(counter.start.thread);
		this.last = undefined;
		this.lastThread = '';
		this.options.onEnd?.(compilation);
		this.done.add(compilation);
	}

	/** The compilation that an event is of; counts those that are of none. */
	private counter(thread: string, compileId: string | null): CompilationCounter | undefined {
		if (this.isOver()) {
			return undefined;
		}
		const { last } = this;
		if (last !== undefined && thread === this.lastThread && (compileId === null || compileId === last.start.compileId)) {
			return last;
		}
		const counter = this.find(thread, compileId);
		if (counter === undefined) {
			this.counts.outside++;
		} else if (counter.start.thread === thread) {
			this.last = counter;
			this.lastThread = thread;
		} else {
			this.counts.otherThread++;
		}
		return counter;
	}

	private find(thread: string, compileId: string | null): CompilationCounter | undefined {
		const own = this.running.get(thread);
		if (compileId === null || own?.start.compileId === compileId) {
			return own;
		}
		for (const counter of this.running.values()) {
			if (counter.start.compileId === compileId) {
				return counter;
			}
		}
		return undefined;
	}

	private isOver(): boolean {
		this.events++;
		if (this.isCrashed) {
			this.counts.afterCrash++;
		}
		return this.isCrashed;
	}
}

/** A key for chunks whose address was not seen: the arena that owns them. */
function unseen(arenaAddress: Address | null, arena: number): Address {
	return `unseen ${arenaAddress ?? `arena ${arena}`}`;
}
