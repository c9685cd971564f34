/** Phases of compilations that Flight Recorder watched. */
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../bytes/source.js';
import type { JfrCompilerPhase } from '../formats/jfr/compiler-events.js';
import { readJfrEvents } from '../formats/jfr/read.js';
import { recordedPhases } from './recorded-phases.js';

function told(phase: string, level: number | null, ms: number | null, durationMs: number | null): JfrCompilerPhase {
	return { compileId: 1, ms, threadId: null, threadName: null, durationMs, phase, level };
}

const rows = (events: readonly JfrCompilerPhase[]): (string | number | null)[][] =>
	recordedPhases(events).map(({ name, depth, startMs, endMs }) => [depth, name, startMs, endMs]);

test('a phase is what is told at the levels that are always told, with the detail before it inside', () => {
	expect(
		rows([
			told('Before RemoveUseless', 3, 10, 4),
			told('After Parsing', 1, 14, 1),
			told('Iter GVN 1', 2, 15, 2),
			told('Split-If', 4, 17, 3),
			told('End', 1, 20, 0),
		]),
	).toEqual([
		[0, 'Parsing', 10, 15],
		[1, 'Before RemoveUseless', 10, 14],
		[0, 'Iter GVN 1', 15, 17],
		[0, 'End', 17, 20],
		[1, 'Split-If', 17, 20],
	]);
	// A compilation that was given up; a file without times or levels.
	expect(rows([told('After Parsing', 1, 1, 1), told('Split-If', 3, 2, 1)])).toEqual([
		[0, 'Parsing', 1, 2],
		[1, 'Split-If', 2, 3],
	]);
	expect(rows([told('End', null, null, null)])).toEqual([[0, 'End', null, null]]);
	expect(rows([])).toEqual([]);
});

describe.each(['jdk17', 'jdk25'])('%s', (jdk) => {
	const file = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'jvm', 'jfr-events', jdk, 'run.jfr.gz');
	const source = memorySource('run.jfr', zlib.gunzipSync(fs.readFileSync(file)));

	test('the phases of each compilation by C2 fill it', () => {
		const { compilations, phases } = readJfrEvents(source, 'phases');
		expect(readJfrEvents(source, 'compilers').phases).toEqual([]);
		const byC2 = compilations.filter(({ compiler, succeeded, durationMs }) => compiler === 'c2' && succeeded && (durationMs ?? 0) > 1);
		expect(byC2.length).toBeGreaterThan(0);
		for (const { compileId, ms, durationMs } of byC2) {
			const outer = recordedPhases(phases.filter((phase) => phase.compileId === compileId)).filter(({ depth }) => depth === 0);
			const filled = outer.reduce((sum, { startMs, endMs }) => sum + (endMs ?? 0) - (startMs ?? 0), 0);
			expect(outer[0]?.name).toBe('Parsing');
			expect(outer.at(-1)?.name).toBe('End');
			expect(outer[0]?.startMs).toBeGreaterThanOrEqual(ms ?? 0);
			expect(filled).toBeGreaterThan(0.7 * (durationMs ?? 0));
			expect(filled).toBeLessThanOrEqual(durationMs ?? 0);
		}
	});
});
