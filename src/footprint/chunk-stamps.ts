/**
 * Where each living chunk was allocated, so that its free is accounted there: bytes, arena, phase, and the instance of that phase. An address where a
 * chunk lives may be allocated again when the producer did not see a free, or saw it late: then both live, and a free takes the one that fits it best.
 */
import type { Address } from '../model/footprint-events.js';

export interface ChunkStamp {
	readonly bytes: number;
	readonly arena: number;
	readonly arenaAddress: Address | null;
	readonly phase: number;
	/** Of the phase instance. */
	readonly sequence: number;
	/** An older chunk at the same address. */
	below: ChunkStamp | null;
}

/** What a free tells of the chunk, besides its address. */
export interface FreedChunk {
	/** -1: not told. */
	readonly bytes: number;
	readonly arenaAddress: Address | null;
	/** -1: not told. */
	readonly arena: number;
	readonly phase: number;
}

const FREED: ChunkStamp = { bytes: 0, arena: 0, arenaAddress: null, phase: 0, sequence: 0, below: null };

export class ChunkStamps {
	private readonly byAddress = new Map<Address, ChunkStamp>();

	/** true when another one lives at the address. */
	add(address: Address, stamp: ChunkStamp): boolean {
		const living = this.byAddress.get(address);
		this.byAddress.set(address, stamp);
		if (living === undefined || living === FREED) {
			return false;
		}
		stamp.below = living;
		return true;
	}

	/** Takes the chunk out: `unknown` was never there, `freed` is gone already. */
	take(address: Address, freed: FreedChunk): ChunkStamp | 'unknown' | 'freed' {
		const top = this.byAddress.get(address);
		if (top === undefined) {
			return 'unknown';
		}
		if (top === FREED) {
			return 'freed';
		}
		if (top.below === null) {
			this.byAddress.set(address, FREED);
			return top;
		}
		let best: ChunkStamp = top;
		let bestScore = -1;
		for (let stamp: ChunkStamp | null = top; stamp !== null; stamp = stamp.below) {
			const score = likeness(stamp, freed);
			if (score > bestScore) {
				best = stamp;
				bestScore = score;
			}
		}
		this.unlink(address, top, best);
		return best;
	}

	private unlink(address: Address, top: ChunkStamp, stamp: ChunkStamp): void {
		if (stamp === top && stamp.below !== null) {
			this.byAddress.set(address, stamp.below);
			return;
		}
		for (let above: ChunkStamp | null = top; above !== null; above = above.below) {
			if (above.below === stamp) {
				above.below = stamp.below;
				return;
			}
		}
	}
}

/** The arena itself says most, then the size; the phase only between equals. Of two that fit alike the younger one is taken. */
function likeness(stamp: ChunkStamp, freed: FreedChunk): number {
	return (
		(stamp.arenaAddress === freed.arenaAddress ? 8 : 0) +
		(freed.bytes < 0 || stamp.bytes === freed.bytes ? 4 : 0) +
		(freed.arena < 0 || stamp.arena === freed.arena ? 2 : 0) +
		(stamp.phase === freed.phase ? 1 : 0)
	);
}
