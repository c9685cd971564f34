import { expect, test } from 'vitest';
import { isRecordingNote, readNote } from './read.js';

test('clocks of a recording of assay', () => {
	expect(readNote('{"assayRecording":1,"samples":{"frequencyHz":999},"clocks":{"monotonicMinusRealtimeSeconds":-12.5,"uncertaintySeconds":0.001}}')).toEqual({
		monotonicMinusRealtimeSeconds: -12.5,
		clockUncertaintySeconds: 0.001,
		frequencyHz: 999,
		window: null,
		isSilent: false,
		measured: [],
		startedEpochMs: null,
		machine: null,
	});
	expect(readNote('{"assayRecording":1,"clocks":null}')).toEqual({
		monotonicMinusRealtimeSeconds: null,
		clockUncertaintySeconds: 0,
		frequencyHz: null,
		window: null,
		isSilent: false,
		measured: [],
		startedEpochMs: null,
		machine: null,
	});
	expect(readNote('{"assayRecording":1,"clocks":{"monotonicMinusRealtimeSeconds":"x","uncertaintySeconds":[]}}')).toMatchObject({
		monotonicMinusRealtimeSeconds: null,
		clockUncertaintySeconds: 0,
	});
});

test('a JVM that did not answer', () => {
	expect(readNote('{"assayRecording":1,"isSilent":true}')?.isSilent).toBe(true);
	expect(readNote('{"assayRecording":1,"isSilent":"yes"}')?.isSilent).toBe(false);
});

test("the window of JMH's measurement", () => {
	expect(readNote('\n{"benchmark":"x","skipMs":4844,"lenMs":3036}')?.window).toEqual({ skipMs: 4844, lengthMs: 3036 });
	for (const bad of ['{"skipMs":-1,"lenMs":5}', '{"skipMs":1,"lenMs":0}', '{"skipMs":"1","lenMs":5}', '{"skipMs":1}']) {
		expect(readNote(bad)?.window).toBeNull();
	}
});

test("the measured iterations of JMH's forks, on the clock of the samples", () => {
	const fork = { benchmark: 'a.B.c', parameters: null, fork: '1 of 2', iterations: 5, fromSeconds: 1.5, toSeconds: 2.5 };
	const note = (measured: unknown, perf: string | null = 'CLOCK_MONOTONIC') =>
		readNote(JSON.stringify({ assayRecording: 1, clocks: { perf }, measured }))?.measured;
	expect(note([fork, { ...fork, toSeconds: 1.5 }, { ...fork, fromSeconds: '1' }, null, 7, { fromSeconds: 1, toSeconds: 2, benchmark: 3 }])).toEqual([
		fork,
		{ benchmark: null, parameters: null, fork: null, iterations: 0, fromSeconds: 1, toSeconds: 2 },
	]);
	expect([note(undefined), note({}), note([fork], null)]).toEqual([[], [], []]);
});

test('any other text is none', () => {
	for (const other of ['', '[]', '{}', 'null', '{"skipMs":', '{"other":1}', 'skipMs', '"assayRecording"']) {
		expect(readNote(other)).toBeNull();
	}
});

test('told as a note, also from the first moment on', () => {
	expect([isRecordingNote('{"skipMs":0,"lenMs":1}'), isRecordingNote('{"other":1}'), isRecordingNote('')]).toEqual([true, false, false]);
	expect(readNote('{"skipMs":0,"lenMs":1}')?.window).toEqual({ skipMs: 0, lengthMs: 1 });
	expect(readNote('{"skipMs":1,"lenMs":"5"}')?.window).toBeNull();
	expect(
		readNote('{"skipMs":1,"clocks":{"perf":"CLOCK_MONOTONIC"},"measured":[7,"x",{"fromSeconds":1},{"toSeconds":1},{"fromSeconds":-2,"toSeconds":-1}]}')
			?.measured,
	).toEqual([{ benchmark: null, parameters: null, fork: null, iterations: 0, fromSeconds: -2, toSeconds: -1 }]);
});

test('when and where it ran', () => {
	expect(readNote('{"assayRecording":1,"startTime":"2026-01-31T12:00:00.500Z","machine":{"host":"h1","cpu":null,"cpus":4}}')).toMatchObject({
		startedEpochMs: Date.UTC(2026, 0, 31, 12, 0, 0, 500),
		machine: { host: 'h1', cpu: null, cpus: 4 },
	});
	expect(readNote('{"assayRecording":1,"startTime":"yesterday","machine":{"host":7,"cpus":"x"}}')).toMatchObject({
		startedEpochMs: null,
		machine: { host: null, cpu: null, cpus: null },
	});
});
