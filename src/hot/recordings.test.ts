/** Samples and logs of real runs, against the totals that JMH printed of them. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { RECORDINGS } from '../../test/recordings.js';
import { openSamplesAndCode } from '../answers/open-parts.js';
import { codeMap } from '../model/code-map.js';
import { attributeSamples } from './attribute.js';
import { CODE_FOLDS, fold } from './fold.js';
import { hotReport } from './hot.js';

/** JMH's events, and those in code of C2. */
function goldenCounts(recording: string): { total: number; c2: number } {
	const golden = fs.readFileSync(path.join(RECORDINGS, recording, 'golden.perfasm.txt'), 'utf8');
	const total = Number(/Column 1: \S+ \((\d+) events\)/.exec(golden)?.[1]);
	const percent = Number(/ (\d+\.\d\d)% +c2, level 4$/m.exec(golden)?.[1]);
	return { total, c2: (percent / 100) * total };
}

test.each(['jdk17-arraySum', 'jdk17-nanoTime', 'jdk25-arraySum-nohsdis', 'jdk25-mapGet', 'dtrace-jdk25-stringConcatHash'])('%s', async (name) => {
	const recording = await openSamplesAndCode([{ filePath: path.join(RECORDINGS, name), name }]);
	const { samples, note, log, code } = recording;
	const window = note?.window;
	if (window == null) {
		throw new Error('the recording has no window');
	}
	const map = codeMap(code);
	const seconds = { from: window.skipMs / 1000, to: (window.skipMs + window.lengthMs) / 1000 };
	const attribution = attributeSamples(samples, map, { event: 0, processId: log?.processId ?? null, window: seconds, clock: null });
	const wanted = [...new Set(attribution.target)].filter((position) => position >= 0).map((position) => map.code[position]!);
	const printed = await recording.readCode(wanted);
	recording.close();
	const report = hotReport(attribution, (position) => printed.get(map.code[position]!) ?? null, {
		gapBytes: 32,
		byDistance: false,
		skid: 'auto',
	});
	const golden = goldenCounts(name);
	// DTrace samples all processes; of its output JMH takes the JVM's alone, and counts time from the first of those.
	const isDTrace = name.startsWith('dtrace');
	const notOurs = isDTrace ? (attribution.byReason.get('other process') ?? 0) : 0;
	const inWindow = samples.length - (attribution.byReason.get('outside the window') ?? 0) - notOurs;
	expect(Math.abs(inWindow - golden.total)).toBeLessThanOrEqual(isDTrace ? golden.total / 50 : 1);
	const c2 = report.sources.find(({ source }) => source === 'c2, level 4')?.samples ?? 0;
	expect(Math.abs(c2 - golden.c2)).toBeLessThanOrEqual(2 + golden.total / 100);
	expect(attribution.ambiguous).toBe(0);
	expect(attribution.clock.source).toBe('samples');
	// Every sample in a compilation lies on an instruction of its text.
	expect(report.code.filter(({ outside: lost, code: { compileId } }) => lost > 0 && compileId !== null)).toEqual([]);
	for (const kind of CODE_FOLDS) {
		expect(fold(report, kind).reduce((sum, { samples: count }) => sum + count, 0)).toBe(attribution.counted);
	}
	expect(report.regions.some(({ loop }) => loop !== null)).toBe(true);
});
