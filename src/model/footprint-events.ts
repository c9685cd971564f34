/**
 * What a compiler says of its memory while it works: compilations and phases that begin and end, arenas that get a chunk of memory or give one back. Any
 * compiler that has arenas and phases can say it; their names are data. Calls, not objects: there are millions.
 */

/** An address, or another name of a chunk or an arena that is the same as long as it lives. */
export type Address = number | string;

/** The event that begins a compilation. */
export interface CompileStart {
	readonly thread: string;
	readonly compileId: string;
	readonly compiler: string;
	readonly level: number | null;
	readonly osrBci: number | null;
	readonly method: string;
	readonly signature: string | null;
	readonly limitBytes: number | null;
	readonly seconds: number | null;
}

/**
 * Takes events in their order. `compileId` null: that which the thread is working on. `nodes`: live nodes of the compiler's graph at that
 * moment, -1 where they were not told.
 */
export interface FootprintEventSink {
	compileStart(start: CompileStart): void;
	/** `result` null: it was not told. */
	compileEnd(thread: string, compileId: string | null, result: string | null, nodes: number, seconds: number | null): void;
	phaseStart(thread: string, compileId: string | null, phase: string, nodes: number): void;
	/** `phase` null: the innermost one. */
	phaseEnd(thread: string, compileId: string | null, phase: string | null, nodes: number): void;
	/** `chunk` null: its address could not be seen; the arena tells it then. */
	allocate(thread: string, compileId: string | null, chunk: Address | null, bytes: number, arena: string, arenaAddress: Address | null, nodes: number): void;
	/** `bytes` -1: as it was allocated. `phase`: where it was, as the producer thinks; it decides only between chunks that are else alike. */
	free(
		thread: string,
		compileId: string | null,
		chunk: Address | null,
		bytes: number,
		arena: string | null,
		arenaAddress: Address | null,
		phase: string | null,
		nodes: number,
	): void;
}
