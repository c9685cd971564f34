/** Events of the JVM in recordings of real JVMs: as many as `jfr summary` counts, and what they say of the JVM. */
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { once } from '../../../test/once.js';
import { memorySource } from '../../bytes/source.js';
import { type JfrEvents, readJfrEvents } from './read.js';

const folder = path.resolve(import.meta.dirname, '..', '..', '..', 'fixtures', 'jvm', 'jfr-events');

function unpacked(...parts: string[]): Buffer {
	return zlib.gunzipSync(fs.readFileSync(path.join(folder, ...parts)));
}

function read(bytes: Uint8Array): JfrEvents {
	return readJfrEvents(memorySource('run.jfr', bytes), 'jvm');
}

const VERSIONS = { jdk11: '(11.0.13+8)', jdk17: '(17.0.15+6-Debian', jdk21: '(21.0.8+9-LTS)', jdk25: '(25.0.3+9-LTS)' };

describe.each(['jdk11', 'jdk17', 'jdk21', 'jdk25'] as const)('%s', (jdk) => {
	const jvm = once(() => read(unpacked(jdk, 'run.jfr.gz')));

	test('the events of each kind are as many as jfr summary says', () => {
		const summary = unpacked(jdk, 'summary.txt.gz').toString('utf8');
		const rows = [...summary.matchAll(/^ (jdk\.\S+) +(\d+) +\d+\s*$/gm)].map(
			([, name = '', count]) => [name.replace('CheckPoint', 'Checkpoint'), Number(count)] as const,
		);
		const counted = rows.filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1));
		expect(counted.length).toBeGreaterThan(25);
		expect([...jvm().events].sort(([a], [b]) => (a < b ? -1 : 1))).toEqual(counted);
		expect(jvm().problems).toEqual([]);
	});

	test('say which JVM it was, and its flags', () => {
		expect(jvm().information).toMatchObject({
			version: expect.stringContaining(VERSIONS[jdk]),
			arguments: expect.stringMatching(/^-XX:\+UseSerialGC -Xmx64m .*,tags$/),
			command: 'Staller 200000000 3',
		});
		expect(jvm().flags.get('UseSerialGC')).toEqual({ name: 'UseSerialGC', value: 'true', origin: 'Command line' });
		expect(jvm().flags.get('MaxHeapSize')).toEqual({ name: 'MaxHeapSize', value: String(64 << 20), origin: 'Command line' });
		expect(jvm().flags.get('JavaPriority1_To_OSPriority')?.value).toBe('-1');
		expect(jvm().flags.get('DebugNonSafepoints')?.value).toBe('true');
		// The clock of the events is that of the JVM's own start.
		expect(Math.abs(Number(jvm().jvmStartEpochNs) / 1e6 - (jvm().information?.startedEpochMs ?? 0))).toBeLessThan(1000);
	});

	test('tell the settings that were in force', () => {
		expect(jvm().settings.get('jdk.SafepointBegin')).toEqual(
			new Map([
				['enabled', 'true'],
				['threshold', '0 ms'],
			]),
		);
		expect(jvm().settings.get('jdk.ThreadPark')?.get('enabled')).toBe('false');
	});

	test('tell of collections and the code cache', () => {
		const serial = jvm().collections.filter(({ cause }) => cause === 'System.gc()');
		expect(serial).toHaveLength(3);
		for (const { name, sumOfPausesMs, durationMs, longestPauseMs } of serial) {
			expect(name).toBe('SerialOld');
			expect(sumOfPausesMs).toBeGreaterThan(0);
			expect(sumOfPausesMs).toBeLessThanOrEqual(durationMs);
			expect(longestPauseMs).toBeLessThanOrEqual(sumOfPausesMs);
		}
		expect(jvm().codeCache.length).toBeGreaterThan(0);
		expect(jvm().codeCache.every(({ isFull, freeBytes, blobs, nmethods }) => !isFull && freeBytes > 0 && blobs >= nmethods)).toBe(true);
	});
});

test('cut anywhere or damaged, what is whole is read', () => {
	const bytes = unpacked('jdk17', 'run.jfr.gz');
	const whole = read(bytes);
	fc.assert(
		fc.property(fc.nat(bytes.length), fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 5 }), (end, changes) => {
			const damaged = Uint8Array.from(bytes.subarray(0, end));
			for (const [at, value] of changes) {
				damaged.fill(value, at, Math.min(at + 1, damaged.length));
			}
			const { safepoints, flags } = read(damaged);
			expect(changes.length === 0 ? safepoints.length : 0).toBeLessThanOrEqual(whole.safepoints.length);
			expect(changes.length === 0 ? flags.size : 0).toBeLessThanOrEqual(whole.flags.size);
		}),
		{ numRuns: 60 },
	);
});
