/** Memory of the compilers: rows of the table `arenas`. */
import type { RecordingReport } from '../../answers/joined-report.js';
import { withoutHiddenAddress } from '../../model/hidden-class.js';
import { methodId } from './compilation-facts.js';
import type { Facts } from './rows.js';

/** What a compilation held at its peak: by arena and phase where the table is there, else by arena. */
export function addArenas(facts: Facts, { memory }: RecordingReport): void {
	for (const compilation of memory) {
		const { handle, compileId, compiler, method, signature, totalBytes, byArena } = compilation;
		const row = {
			// Output of several JVMs has ids twice: the handle tells them apart.
			compilation: handle.includes('@') ? handle.replace(/^c/, '') : (compileId ?? handle),
			method: methodId(method, signature),
			name: withoutHiddenAddress(method),
			compiler,
			peak_bytes: totalBytes,
		};
		const { phases } = compilation.details();
		const parts = phases.length > 0 ? phases.map((phase) => ({ phase: phase.name, ...phase.byArena })) : [{ phase: null, ...byArena }];
		for (const { phase, arenas, bytes } of parts) {
			for (const [i, arena] of arenas.entries()) {
				if ((bytes[i] ?? 0) > 0) {
					facts.add('arenas', { ...row, arena, phase, bytes: bytes[i]! });
				}
			}
		}
	}
}
