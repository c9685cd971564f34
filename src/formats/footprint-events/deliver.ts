/** From the fields of a line to the call that it means. */

import type { FootprintEventSink } from '../../model/footprint-events.js';
import { splitSpelledMethod } from '../shared/hotspot/spelled-method.js';
import type { EventFields } from './event-fields.js';

/** false: the fields are no event, or lack what it needs. */
export function deliver(fields: EventFields, sink: FootprintEventSink): boolean {
	const { thread, compileId, nodes } = fields;
	switch (fields.event) {
		case 'chunk-alloc':
			if (fields.bytes === -1) {
				return false;
			}
			sink.allocate(thread, compileId, fields.chunk, fields.bytes, fields.arena ?? 'other', fields.arenaAddress, nodes);
			return true;
		case 'chunk-free':
			sink.free(thread, compileId, fields.chunk, fields.bytes, fields.arena, fields.arenaAddress, fields.allocatedInPhase, nodes);
			return true;
		case 'phase-start':
			sink.phaseStart(thread, compileId, fields.phase ?? '', nodes);
			return true;
		case 'phase-end':
			sink.phaseEnd(thread, compileId, fields.phase, nodes);
			return true;
		case 'compile-end':
			sink.compileEnd(thread, compileId, fields.result, nodes, fields.seconds);
			return true;
		case 'compile-start': {
			if (compileId === null) {
				return false;
			}
			const { level, osrBci, limitBytes, seconds } = fields;
			const spelled = splitSpelledMethod(fields.method);
			sink.compileStart({
				thread,
				compileId,
				compiler: fields.compiler ?? compilerOfLevel(level),
				level,
				osrBci: osrBci === null || osrBci < 0 ? null : osrBci,
				method: spelled.method,
				signature: fields.signature ?? spelled.signature,
				limitBytes,
				seconds,
			});
			return true;
		}
		default:
			return false;
	}
}

/** HotSpot's tiers: 1 to 3 are C1's, 4 is C2's. */
function compilerOfLevel(level: number | null): string {
	return level === null ? 'unknown' : level >= 4 ? 'c2' : 'c1';
}
