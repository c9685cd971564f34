/** Safepoints of Flight Recorder beside the log of safepoints of the same run. */
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource, type Source } from '../bytes/source.js';
import { readSafepointLog } from '../formats/hotspot-safepoint-log/read.js';
import { readJfrEvents } from '../formats/jfr/read.js';
import type { Safepoint } from '../model/safepoint.js';
import { recordedSafepoints } from './recorded-safepoints.js';

const fixtures = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'jvm');

function unpacked(...parts: string[]): Source {
	return memorySource(parts.join('/'), zlib.gunzipSync(fs.readFileSync(path.join(fixtures, ...parts))));
}

function beginOf({ end, totalNs }: Safepoint): number {
	return (end.uptimeNs ?? Number.NaN) - totalNs;
}

const safepointsOf = (...parts: string[]) => recordedSafepoints({ name: parts.join('/'), read: readJfrEvents(unpacked(...parts), 'jvm') });

/** The recording begins and ends in operations of its own. */
const OWN_ENDS = {
	jdk11: ['JFRCheckpoint'],
	jdk17: ['JFRCheckpoint'],
	jdk21: ['JFRSafepointWrite'],
	jdk25: ['JFRInitializeCPUTimeSampler', 'JFRSafepointWrite'],
};

// Its log counts other threads, and takes its stamps elsewhere.
test('jdk11: the slow ones are those of the log, with its times', () => {
	const slow = (all: readonly Safepoint[] = []) => all.filter(({ totalNs }) => totalNs > 100e6);
	const own = slow(safepointsOf('jfr-events', 'jdk11', 'run.jfr.gz')?.safepoints);
	const logged = slow(readSafepointLog(unpacked('jfr-events', 'jdk11', 'safepoint.log.gz')).safepoints);
	expect(own.map(({ operation }) => operation)).toEqual(['GenCollectFull', 'GenCollectFull', 'GenCollectFull']);
	expect(logged).toHaveLength(3);
	own.forEach(({ reachingNs, totalNs }, i) => {
		expect(Math.abs((reachingNs ?? 0) - (logged[i]?.reachingNs ?? 0))).toBeLessThan(100_000);
		expect(Math.abs(totalNs - (logged[i]?.totalNs ?? 0))).toBeLessThan(500_000);
	});
});

describe.each(['jdk17', 'jdk21', 'jdk25'] as const)('%s', (jdk) => {
	const recorded = safepointsOf('jfr-events', jdk, 'run.jfr.gz');
	const logged = readSafepointLog(unpacked('jfr-events', jdk, 'safepoint.log.gz')).safepoints;
	// The log's stamp is taken microseconds after its total.
	const pairs = (recorded?.safepoints ?? []).map((own) => ({ own, log: logged.find((one) => Math.abs(beginOf(one) - beginOf(own)) < 1e6) as Safepoint }));

	test('each is one of the log, with its times', () => {
		expect(recorded?.problems).toEqual([]);
		expect(pairs.length).toBeGreaterThanOrEqual(5);
		expect(pairs.filter(({ log }) => log === undefined)).toEqual([]);
		for (const { own, log } of pairs) {
			expect(Math.abs((own.reachingNs ?? 0) - (log.reachingNs ?? 0))).toBeLessThan(5000);
			expect(own.totalThreads).toBe(log.totalThreads);
			expect(own.runningThreads).toBe(log.runningThreads);
			expect(Math.abs((own.cleanupNs ?? 0) - (log.cleanupNs ?? 0))).toBeLessThan(5000);
			if (own.operation === null) {
				expect(OWN_ENDS[jdk]).toContain(log.operation);
				expect(own.totalNs).toBeLessThan(log.totalNs);
			} else {
				expect(own.operation).toBe(log.operation);
				// The log is written while threads are let go.
				expect(own.totalNs).toBeGreaterThanOrEqual(log.totalNs - 1000);
				expect(own.totalNs - log.totalNs).toBeLessThan(200_000);
				const atAndLeaving = (one: Safepoint): number => (one.atSafepointNs ?? 0) + (one.leavingNs ?? 0);
				expect(Math.abs(atAndLeaving(own) - atAndLeaving(log))).toBeLessThan(200_000);
			}
		}
	});

	test('all of the log since the recording began are there', () => {
		const first = Math.min(...pairs.map(({ own }) => beginOf(own)));
		const last = Math.max(...pairs.map(({ own }) => beginOf(own)));
		const between = logged.filter((one) => beginOf(one) >= first - 1e6 && beginOf(one) <= last + 1e6);
		expect(between.map(({ operation }) => operation)).toEqual(pairs.map(({ log }) => log.operation));
	});

	test('the time since the last one is told where that was told, too', () => {
		for (const { own, log } of pairs.filter(({ own: { sinceLastNs } }) => sinceLastNs !== null)) {
			expect(Math.abs((own.sinceLastNs ?? 0) - (log.sinceLastNs ?? 0))).toBeLessThan(200_000);
		}
		expect(pairs.filter(({ own }) => own.sinceLastNs !== null).length).toBeGreaterThan(2);
	});
});

test('a recording without events of safepoints tells of none', () => {
	expect(safepointsOf('jfr', 'jdk17.jfr.gz')).toBeNull();
	expect(safepointsOf('jfr', 'async-profiler.jfr.gz')).toBeNull();
});
