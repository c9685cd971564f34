/** Writes events as lines of JSON: what {@link readFootprintEvents} reads. A sink, so that whoever produces events can be given it. */
import type { Address, CompileStart, FootprintEventSink } from '../../model/footprint-events.js';

type Fields = Record<string, string | number | null>;

/** Gives each line, with its end, to `output`. Fields that were not told are left out. */
export function footprintEventWriter(output: (line: string) => void): FootprintEventSink {
	const write = (event: string, thread: string, compileId: string | null, fields: Fields): void => {
		const known = Object.entries({ thread, event, compileId, ...fields }).filter(([key, value]) => value !== null || key === 'chunk');
		output(`${JSON.stringify(Object.fromEntries(known))}\n`);
	};
	const told = (value: number): number | null => (value < 0 ? null : value);
	return {
		compileStart({ thread, compileId, compiler, level, osrBci, method, signature, limitBytes, seconds }: CompileStart) {
			write('compile-start', thread, compileId, { t: seconds, compiler, level, osrBci, method, signature, limitBytes });
		},
		compileEnd(thread, compileId, result, nodes, seconds) {
			write('compile-end', thread, compileId, { t: seconds, result, nodes: told(nodes) });
		},
		phaseStart(thread, compileId, phase, nodes) {
			write('phase-start', thread, compileId, { phase, nodes: told(nodes) });
		},
		phaseEnd(thread, compileId, phase, nodes) {
			write('phase-end', thread, compileId, { phase, nodes: told(nodes) });
		},
		allocate(thread, compileId, chunk, bytes, arena, arenaAddress, nodes) {
			write('chunk-alloc', thread, compileId, { bytes, chunk: spelled(chunk), arena, arenaAddress: spelled(arenaAddress), nodes: told(nodes) });
		},
		free(thread, compileId, chunk, bytes, arena, arenaAddress, phase, nodes) {
			write('chunk-free', thread, compileId, {
				bytes: told(bytes),
				chunk: spelled(chunk),
				arena,
				arenaAddress: spelled(arenaAddress),
				allocatedInPhase: phase,
				nodes: told(nodes),
			});
		},
	};
}

function spelled(address: Address | null): string | null {
	return typeof address === 'number' ? `0x${address.toString(16)}` : address;
}
