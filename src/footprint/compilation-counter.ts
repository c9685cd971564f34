/**
 * The memory of one compilation, as HotSpot's ArenaStatCounter keeps it (JDK-8344009): a stack of phases, a stamp on each chunk, a table of bytes by
 * phase and arena with its state at the peak, a timeline, a limit.
 */
import type { CompilerMemory, PhaseMemory } from '../model/compiler-memory.js';
import type { Address, CompileStart } from '../model/footprint-events.js';
import { ArenaCounterTable } from './arena-counter-table.js';
import { type ChunkStamp, ChunkStamps, type FreedChunk } from './chunk-stamps.js';
import { FootprintTimeline } from './footprint-timeline.js';
import type { Names } from './names.js';
import type { ReplayedCompilation } from './results.js';

/** What lies outside of all phases: the names of its row in the table and in the timeline are HotSpot's. */
const ROOT_PHASE = 0;
export const ROOT_ROW = 'none';
const ROOT_ENTRY = '(outside)';

interface OpenPhase {
	readonly phase: number;
	readonly sequence: number;
	isContinued: boolean;
}

export class CompilationCounter {
	readonly start: CompileStart;
	readonly limitBytes: number | null;
	limitHits = 0;
	private readonly phaseNames: Names;
	private readonly arenaNames: Names;
	private readonly table = new ArenaCounterTable();
	private readonly timeline: FootprintTimeline;
	private readonly stamps = new ChunkStamps();
	private readonly phases: OpenPhase[] = [];
	private nextSequence = 1;
	private nodes = 0;
	private hasNodes = false;
	private nodesAtPeak = 0;

	constructor(start: CompileStart, limitBytes: number | null, phaseNames: Names, arenaNames: Names, maxEntries?: number) {
		this.start = start;
		this.limitBytes = limitBytes;
		this.phaseNames = phaseNames;
		this.arenaNames = arenaNames;
		this.timeline = new FootprintTimeline(maxEntries);
		this.phases.push({ phase: ROOT_PHASE, sequence: 0, isContinued: false });
		this.timeline.begin(0, 0);
	}

	get currentBytes(): number {
		return this.table.currentBytes;
	}

	get peakBytes(): number {
		return this.table.peakBytes;
	}

	/** Phases that are open, without what is around all of them. */
	get openPhases(): number {
		return this.phases.length - 1;
	}

	liveNodes(nodes: number): void {
		if (nodes >= 0) {
			this.nodes = nodes;
			this.hasNodes = true;
		}
	}

	phaseStart(phase: number): void {
		this.interrupt();
		this.phases.push({ phase, sequence: this.nextSequence++, isContinued: false });
		this.timeline.begin(this.table.currentBytes, this.nodes);
	}

	/** Ends phases up to the innermost one of this name, the innermost at all for null; the result is how many, 0 when none is open. */
	phaseEnd(phase: number | null): number {
		let depth = this.phases.length - 1;
		while (phase !== null && depth > 0 && this.phases[depth]?.phase !== phase) {
			depth--;
		}
		if (depth <= 0) {
			return 0;
		}
		const ended = this.phases.length - depth;
		while (this.phases.length > depth) {
			this.interrupt();
			this.phases.pop();
			this.top().isContinued = true;
			this.timeline.begin(this.table.currentBytes, this.nodes);
		}
		return ended;
	}

	/** Accounts a new chunk to the innermost phase. `true`: a limit was hit, or hit again. */
	allocate(address: Address, bytes: number, arena: number, arenaAddress: Address | null): { isReused: boolean; isOverLimit: boolean } {
		const { phase, sequence } = this.top();
		const isReused = this.stamps.add(address, { bytes, arena, arenaAddress, phase, sequence, below: null });
		const isPeak = this.table.add(phase, arena, bytes);
		this.timeline.footprint(this.table.currentBytes);
		if (isPeak) {
			this.nodesAtPeak = this.nodes;
		}
		const isOverLimit = isPeak && this.limitBytes !== null && this.table.peakBytes > this.limitBytes;
		if (isOverLimit) {
			this.limitHits++;
		}
		return { isReused, isOverLimit };
	}

	/** Accounts a free to where the chunk was allocated. */
	free(address: Address, freed: FreedChunk): ChunkStamp | 'unknown' | 'freed' {
		const stamp = this.stamps.take(address, freed);
		if (typeof stamp !== 'string') {
			this.table.add(stamp.phase, stamp.arena, -stamp.bytes);
		}
		return stamp;
	}

	/** The table as it is; for tests and for those who watch. */
	currentTable(): PhaseMemory[] {
		return this.rows(this.table.current());
	}

	/** Closes all phases and gives the result. */
	finish(result: string | null, seconds: number | null, isFinished: boolean): ReplayedCompilation {
		while (this.openPhases > 0) {
			this.phaseEnd(null);
		}
		this.interrupt();
		const { compileId, compiler, level, osrBci, method, signature, thread } = this.start;
		const phases = this.rows(this.table.atPeak());
		const arenas = phases[0]?.byArena.arenas ?? [];
		const bytes = arenas.map((_, i) => phases.reduce((sum, { byArena }) => sum + byArena.bytes[i]!, 0));
		const memory: CompilerMemory = {
			compileId,
			compiler,
			level,
			osrBci,
			method,
			signature,
			totalBytes: this.table.peakBytes,
			byArena: { arenas, bytes },
			nodes: this.hasNodes ? this.nodesAtPeak : null,
			result,
			limitBytes: this.limitBytes,
			hitLimit: this.limitHits > 0,
			seconds,
			thread,
			timesCompiled: null,
			skipped: null,
		};
		return {
			...memory,
			details: { phases, ...this.timeline.list() },
			heldAtEndBytes: this.table.currentBytes,
			limitHits: this.limitHits,
			isFinished,
		};
	}

	/** Ends the entry of the innermost phase. */
	private interrupt(): void {
		const { phase, sequence, isContinued } = this.top();
		const name = phase === ROOT_PHASE ? ROOT_ENTRY : this.phaseNames.list[phase]!;
		this.timeline.end(sequence, this.phases.length - 1, name, isContinued, this.table.currentBytes, this.nodes);
	}

	private top(): OpenPhase {
		return this.phases[this.phases.length - 1]!;
	}

	/** Rows and columns that hold something, in the order in which their names were first seen. */
	private rows(table: readonly (readonly number[] | undefined)[]): PhaseMemory[] {
		const used = new Set<number>();
		for (const row of table) {
			row?.forEach((bytes, arena) => {
				if (bytes !== 0) {
					used.add(arena);
				}
			});
		}
		const columns = [...used].sort((a, b) => a - b);
		const arenas = columns.map((arena) => this.arenaNames.list[arena]!);
		const result: PhaseMemory[] = [];
		table.forEach((row, phase) => {
			const bytes = columns.map((arena) => row?.[arena] ?? 0);
			const totalBytes = bytes.reduce((a, b) => a + b, 0);
			if (bytes.some((value) => value !== 0)) {
				result.push({ name: this.phaseNames.list[phase]!, totalBytes, byArena: { arenas, bytes } });
			}
		});
		return result;
	}
}
