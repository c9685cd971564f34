/** What a JVM that was killed leaves of its recording becomes a file that is read. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { readJfr } from '../../formats/jfr/read.js';
import { refuseUnnamable, rescueRepository } from './flight-recorder-files.js';
import type { RecordRequest } from './record-request.js';
import { Recorder } from './recorder.js';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-repository-'));
const fixture = path.resolve(import.meta.dirname, '..', '..', '..', 'fixtures', 'jvm', 'jfr-events', 'jdk17', 'run.jfr.gz');
let outputFolder = '';

beforeEach(() => {
	outputFolder = fs.mkdtempSync(path.join(root, 'run-'));
});

afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

function request(folder = outputFolder): RecordRequest {
	return {
		outputFolder: folder,
		outputName: 'run',
		force: false,
		event: null,
		frequencyHz: 999,
		durationSeconds: null,
		jdkHome: null,
		evidence: 'jfr',
		code: 'none',
		memory: false,
		withSafepoints: false,
		withDecisions: false,
		stackBytes: 1024,
		workingDirectory: root,
		environment: {},
		assayVersion: '0',
		say: () => {},
	};
}

function rescue(): Recorder {
	const recorder = new Recorder(request(), { command: [], executed: [], jdk: null, flags: [], flagsPassedBy: 'none' });
	rescueRepository(recorder, request());
	return recorder;
}

test('chunks of a killed JVM are put together, in the order of their names', () => {
	const run = path.join(outputFolder, 'flight-recorder-repository', '2026_11_23_01_16_34_5273');
	fs.mkdirSync(run, { recursive: true });
	const chunk = zlib.gunzipSync(fs.readFileSync(fixture));
	fs.writeFileSync(path.join(run, '2026_11_23_01_16_34.jfr'), chunk);
	fs.writeFileSync(path.join(run, '2026_11_23_01_16_44.jfr'), chunk);
	const { problems } = rescue().current;
	expect(problems.map(({ message, action }) => `${message}; ${action}`)).toEqual([
		'a JVM ended without writing its recording: it was killed; recording-5273.jfr has the 2 chunks that it had written until then',
	]);
	const file = fs.readFileSync(path.join(outputFolder, 'recording-5273.jfr'));
	expect(readJfr(memorySource('recording', file)).chunks.map(({ isWhole }) => isWhole)).toEqual([true, true]);
	expect(fs.readdirSync(outputFolder)).not.toContain('flight-recorder-repository');
});

test('of the only JVM the empty file is filled', () => {
	const run = path.join(outputFolder, 'flight-recorder-repository', '2026_11_23_01_16_34_7');
	fs.mkdirSync(run, { recursive: true });
	fs.writeFileSync(path.join(outputFolder, 'recording.jfr'), '');
	fs.writeFileSync(path.join(run, 'a.jfr'), 'FLR');
	rescue();
	expect(fs.readFileSync(path.join(outputFolder, 'recording.jfr'), 'utf8')).toBe('FLR');
});

test('a JVM that ended by itself leaves nothing to put together', () => {
	fs.mkdirSync(path.join(outputFolder, 'flight-recorder-repository', '2026_11_23_01_16_34_7'), { recursive: true });
	expect(rescue().current.problems).toEqual([]);
	expect(fs.readdirSync(outputFolder)).toEqual(['assay-recording.json']);
});

test('a name that Flight Recorder would cut is refused', () => {
	expect(() => refuseUnnamable(request('/tmp/a,b'))).toThrow('holds a comma');
	expect(() => refuseUnnamable(request('/tmp/a b'))).not.toThrow();
});

test('a chunk that was not finished is read, and is not whole', () => {
	const chunk = Uint8Array.from(zlib.gunzipSync(fs.readFileSync(fixture)));
	chunk[64] = 7;
	const { chunks, problems, events } = readJfr(memorySource('a.jfr', chunk));
	expect(chunks.map(({ isWhole }) => isWhole)).toEqual([false]);
	expect(problems.map(({ message }) => message)).toEqual(['the chunk is unfinished: the JVM was killed, or still writes it']);
	expect(events.get('jdk.SafepointBegin')).toBe(5);
});
