/** A run that LogCompilation and Flight Recorder both watched: fixtures/jvm/recorded-compilations. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { NOTHING_SAID } from '../../test/compilation-history.js';
import { runAssay } from '../../test/run-assay.js';
import { memorySource } from '../bytes/source.js';
import type { LoggedJitCompilation } from '../formats/hotspot-compilation-log/jvm-draft.js';
import { RecordReader } from '../formats/hotspot-compilation-log/read-record.js';
import { scanCompilations } from '../formats/hotspot-compilation-log/scan.js';
import { readJfrEvents } from '../formats/jfr/read.js';
import type { JitCompilation } from '../model/jit-compilation.js';
import { mergeCompilations } from './merged-compilations.js';
import { type RecordedCompilations, recordedCompilations } from './recorded-compilations.js';

const FOLDER = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'jvm', 'recorded-compilations', 'changed');
const bytesOf = (side: string, name: string): Buffer => gunzipSync(fs.readFileSync(path.join(FOLDER, side, `${name}.gz`)));

type Logged = Parameters<typeof mergeCompilations>[0];

function logged(bytes: Buffer): Logged {
	const [history] = scanCompilations([memorySource('hotspot.log', bytes)]).histories;
	if (history === undefined) {
		throw new Error('the log has no compilations');
	}
	const reader = new RecordReader();
	return {
		history,
		file: 'hotspot.log',
		read: (compilation) => reader.read(compilation as LoggedJitCompilation),
		readDecisions: (compilation) => reader.readDecisions(compilation as LoggedJitCompilation),
		readBranches: (compilation) => reader.readBranches(compilation as LoggedJitCompilation),
	};
}

function recorded(side: string): RecordedCompilations {
	const read = recordedCompilations([{ name: 'rec.jfr', read: readJfrEvents(memorySource('rec.jfr', bytesOf(side, 'rec.jfr')), 'compilers') }]);
	if (read === null) {
		throw new Error('the recording has no compilations');
	}
	return read;
}

test('the log tells of each compilation, the events of its times; nothing is there twice', () => {
	const log = logged(bytesOf('a', 'hotspot.log'));
	const { history, problems, inBoth, readDecisions } = mergeCompilations(log, recorded('a'));
	expect(problems).toEqual([]);
	expect(inBoth).toBe(79);
	expect(history.compilations).toHaveLength(log.history.compilations.length);
	history.compilations.forEach((one, i) => {
		const before = log.history.compilations[i]!;
		const { startedMs, doneMs, installedMs } = one;
		expect({ ...one, startedMs: 0, doneMs: 0, installedMs: 0 }).toEqual({ ...before, startedMs: 0, doneMs: 0, installedMs: 0 });
		expect(readDecisions(one)).toEqual(log.readDecisions(before));
		if (startedMs !== null && doneMs !== null) {
			expect(startedMs).toBeGreaterThanOrEqual(one.queuedMs ?? 0);
			expect(doneMs).toBeGreaterThanOrEqual(Math.max(startedMs, installedMs ?? 0));
			expect(Math.abs(startedMs - (before.startedMs ?? 0))).toBeLessThan(250);
		}
	});
	expect(history.compilations.filter(({ startedMs }) => startedMs !== null && !Number.isInteger(startedMs)).length).toBeGreaterThan(60);
});

test('compilations that a cut log has lost are taken from the events, with their decisions', () => {
	const whole = bytesOf('a', 'hotspot.log');
	const cut = logged(whole.subarray(0, whole.indexOf("compile_id='271'")));
	const events = recorded('a');
	const { history, problems, readDecisions } = mergeCompilations(cut, events);
	const added = history.compilations.filter(({ compileId }) => !cut.history.compilations.some((one) => one.compileId === compileId));
	expect(added.length).toBeGreaterThan(3);
	expect(problems.map(({ message }) => message)).toContainEqual(`${added.length} of its compilations are not in hotspot.log`);
	const settle = added.find(({ compileId }) => compileId === '271');
	expect(settle?.method).toBe('Ledger.settle');
	expect(settle === undefined ? 0 : readDecisions(settle).length).toBeGreaterThan(50);
	expect(new Set(history.compilations.map(({ compileId }) => compileId)).size).toBe(history.compilations.length);
});

test('a recording of another run is left out', () => {
	const other: RecordedCompilations = {
		...recorded('b'),
		history: { ...recorded('a').history, compilations: recorded('b').history.compilations.map((one) => ({ ...one, method: `x.${one.method}` })) },
	};
	const log = logged(bytesOf('a', 'hotspot.log'));
	const { history, inBoth, problems } = mergeCompilations(log, other);
	expect([inBoth, history]).toEqual([0, log.history]);
	expect(problems).toHaveLength(1);
	expect(problems[0]?.message).toMatch(/^of its \d+ compilations 0 are in hotspot\.log by id and method$/);
});

test('where they differ the log is taken, and each difference is counted', () => {
	const one: JitCompilation = { ...NOTHING_SAID, compiler: 'c2', level: 4, startedMs: 10, doneMs: 20 };
	const two = { ...one, compileId: '2' };
	const log: Logged = { ...logged(bytesOf('a', 'hotspot.log')), history: { ...recorded('a').history, compilations: [one, two] } };
	const events = {
		...recorded('a'),
		history: {
			...recorded('a').history,
			compilations: [
				{ ...one, level: 3, startedMs: 10.5, doneMs: 19.5 },
				{ ...two, doneMs: 900 },
			],
		},
	};
	const { history, problems } = mergeCompilations(log, events);
	expect(history.compilations).toEqual([{ ...one, startedMs: 10.5, doneMs: 19.5 }, two]);
	expect(problems.map(({ message }) => message)).toEqual([
		'of 2 compilations that hotspot.log tells of too some differ: level of 1, times, by more than 250 ms of 1',
	]);
});

test('samples of another run are no time of this one', async () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-merged-'));
	fs.copyFileSync(path.join(FOLDER, 'a', 'hotspot.log.gz'), path.join(folder, 'hotspot.log.gz'));
	fs.copyFileSync(path.join(FOLDER, 'b', 'rec.jfr.gz'), path.join(folder, 'rec.jfr.gz'));
	const { stdout } = await runAssay(['report', folder, '--json', '--no-index'], folder);
	const { result, problems } = JSON.parse(stdout) as { result: { samples: unknown; evidence: unknown }; problems: readonly { readonly action: string }[] };
	expect(result.samples).toMatchObject({ counted: 0, event: null });
	expect(result.evidence).toMatchObject({ logCompilation: { present: true }, flightRecorder: { present: false } });
	expect(problems.map(({ action }) => action)).toEqual(
		expect.arrayContaining(['it is of another run: its compilations are left out', 'its samples are left out: they are of another run']),
	);
	fs.rmSync(folder, { recursive: true });
});
