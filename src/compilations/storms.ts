/**
 * Deoptimization storms: many traps of one kind in one method within a second. A trap that is hit once or twice before the method is compiled again is none, also
 * where the method was inlined into many others, whose code is then left all at once.
 */
import type { JitCompilation } from '../model/jit-compilation.js';
import type { DeoptimizationStorm } from './results.js';

const MANY = 10;
const WITHIN_MS = 1000;
/** Fewer hits in the code of one method are the usual course: a version is left when what it relied on changes. */
const AGAIN = 3;

interface Hit {
	readonly ms: number;
	readonly compileId: string;
	/** The method whose code was left. */
	readonly compiled: string;
}

export function findStorms(compilations: readonly JitCompilation[]): DeoptimizationStorm[] {
	const hits = new Map<string, { method: string; reason: string; hits: Hit[] }>();
	for (const { deoptimizations, compileId, method: name, namesake = '' } of compilations) {
		for (const { kind, reason, method, ms } of deoptimizations) {
			if (kind === 'uncommon trap' && ms !== null) {
				const key = `${method ?? name} ${reason}`;
				const row = hits.get(key) ?? { method: method ?? name, reason, hits: [] };
				row.hits.push({ ms, compileId, compiled: `${name} ${namesake}` });
				hits.set(key, row);
			}
		}
	}
	return [...hits.values()].flatMap(({ method, reason, hits: all }) => stormsOf(method, reason, all)).sort((a, b) => b.count - a.count);
}

/** Runs of hits in which any {@link MANY} follow each other within {@link WITHIN_MS}. */
function stormsOf(method: string, reason: string, hits: Hit[]): DeoptimizationStorm[] {
	const storms: DeoptimizationStorm[] = [];
	hits.sort((a, b) => a.ms - b.ms);
	let from = -1;
	let to = -1;
	const close = (): void => {
		if (from >= 0) {
			const own = ofCodeLeftAgain(hits.slice(from, to + 1));
			const [first] = own;
			if (first !== undefined && own.length >= MANY) {
				storms.push({
					method,
					reason,
					count: own.length,
					fromMs: first.ms,
					toMs: own.at(-1)!.ms,
					compileIds: [...new Set(own.map(({ compileId }) => compileId))],
				});
			}
		}
		from = -1;
	};
	for (let i = 0; i + MANY <= hits.length; i++) {
		const end = i + MANY - 1;
		if (hits[end]!.ms - hits[i]!.ms <= WITHIN_MS) {
			if (from >= 0 && i > to) {
				close();
			}
			from = from < 0 ? i : from;
			to = end;
		}
	}
	close();
	return storms;
}

function ofCodeLeftAgain(hits: readonly Hit[]): Hit[] {
	const times = new Map<string, number>();
	for (const { compiled } of hits) {
		times.set(compiled, (times.get(compiled) ?? 0) + 1);
	}
	return hits.filter(({ compiled }) => times.get(compiled)! >= AGAIN);
}
