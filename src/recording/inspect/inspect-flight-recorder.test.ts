/** What the doctor says of recordings of Flight Recorder, and that the settings that are shipped leave nothing out. */
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { SETTINGS_FILE } from '../runtime-folder.js';
import { inspectFlightRecorder, missingEvents } from './inspect-flight-recorder.js';

const fixtures = path.resolve(import.meta.dirname, '..', '..', '..', 'fixtures', 'jvm');

function inspect(...parts: string[]): ReturnType<typeof inspectFlightRecorder> {
	return inspectFlightRecorder(memorySource('run.jfr', zlib.gunzipSync(fs.readFileSync(path.join(fixtures, ...parts)))));
}

describe.each(['jdk11', 'jdk17', 'jdk21', 'jdk25'])('%s', (jdk) => {
	test('the settings that are shipped leave out nothing that assay reads', () => {
		const counts = inspect('jfr-events', jdk, 'run.jfr.gz');
		expect(counts).toMatchObject({ chunks: 1, wholeChunks: 1, missing: [], debugNonSafepoints: true, problems: 0 });
		expect(counts.jvm?.command).toBe('Staller 200000000 3');
		expect(counts.firstSeconds).toBeGreaterThan(0.1);
		expect(counts.lastSeconds).toBeGreaterThan((counts.firstSeconds ?? 0) + 1);
		expect(counts.events.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(1500);
		expect(missingEvents([counts])).toEqual([]);
	});
});

test.each(['jdk17', 'jdk25'])('%s: a recording of samples only says what was off', (jdk) => {
	const counts = inspect('jfr', `${jdk}.jfr.gz`);
	// Its settings are not in it: what was off cannot be told.
	expect(counts.events.some(({ name }) => name === 'jdk.ActiveSetting')).toBe(false);
	expect(counts.missing).toEqual([]);
});

test('kinds that were off and thresholds are told, with the settings that give them', () => {
	const counts = inspect('jfr-events', 'jdk17', 'run.jfr.gz');
	const [missing, ...others] = missingEvents([
		{
			...counts,
			missing: [
				{ event: 'jdk.SafepointEnd', setting: 'enabled', value: 'false', gives: '' },
				{ event: 'jdk.SafepointBegin', setting: 'threshold', value: '10 ms', gives: '' },
			],
		},
	]);
	expect(others).toEqual([]);
	expect(missing?.without).toBe('jdk.SafepointEnd was off; a threshold left out short jdk.SafepointBegin');
	expect(missing?.remedy).toContain(`settings=${SETTINGS_FILE}`);
});

test('the file of settings has each event once', () => {
	const text = fs.readFileSync(SETTINGS_FILE, 'utf8');
	const events = [...text.matchAll(/<event name="([^"]+)">/g)].map(([, name]) => name);
	expect(events.length).toBeGreaterThan(20);
	expect(new Set(events).size).toBe(events.length);
});
