/** Advice at its limits: which limit would have stopped a compilation and no smaller one, and which flags a shell must not read. */
import { describe, expect, test } from 'vitest';
import { type MemoryDetails, NO_DETAILS, type TimelineEntry } from '../model/compiler-memory.js';
import { type AdvisedCompilation, adviseOn, overBudget } from './advice.js';

const K = 1 << 10;
const M = 1 << 20;

function compilation(more: Partial<AdvisedCompilation>): AdvisedCompilation {
	return {
		handle: 'c1',
		compileId: '1',
		compiler: 'c2',
		level: 4,
		osrBci: null,
		method: 'a.B.f',
		signature: null,
		totalBytes: 10 * M,
		byArena: { arenas: [], bytes: [] },
		nodes: null,
		result: null,
		limitBytes: null,
		hitLimit: false,
		seconds: null,
		thread: null,
		timesCompiled: null,
		skipped: null,
		details: () => NO_DETAILS,
		...more,
	};
}

function entry(bytes: number, more: Partial<TimelineEntry> = {}): TimelineEntry {
	return { sequence: 3, depth: 1, phase: 'parse', isContinued: false, bytes, deltaBytes: 0, nodes: 0, deltaNodes: 0, temporaryPeakBytes: null, ...more };
}

const withDetails = (more: Partial<MemoryDetails>) => ({ details: () => ({ ...NO_DETAILS, ...more }) });

function advice(kind: string, more: Partial<AdvisedCompilation>, others: readonly Partial<AdvisedCompilation>[] = []) {
	const one = compilation(more);
	const all = adviseOn(one, [one, ...others.map(compilation)]).filter((row) => row.kind === kind);
	expect(all.length).toBeLessThan(2);
	return all[0];
}

const limit = (more: Partial<AdvisedCompilation>, others: readonly Partial<AdvisedCompilation>[] = []) => {
	const found = advice('limit', more, others);
	return found === undefined ? null : [found.flag?.match(/,(\d+[KM])~stop/)?.[1], found.text];
};

test('a compilation without memory has none', () => {
	expect(adviseOn(compilation({ totalBytes: 0 }), [])).toEqual([]);
});

describe('where the peak is', () => {
	const phase = (name: string, arenas: readonly string[], bytes: readonly number[]) => ({ name, totalBytes: 0, byArena: { arenas, bytes } });

	test('the largest cell, the first of equal ones', () => {
		const table = withDetails({ phases: [phase('parse', ['ra', 'node'], [1 * M, 4 * M]), phase('', ['ra', 'node'], [4 * M, 0])] });
		expect(advice('peak', table)).toEqual({
			kind: 'peak',
			handle: 'c1',
			text: 'phase parse, arena node: 4.00M of the 10.00M at the peak (40.0 %)',
			flag: null,
		});
		expect(advice('peak', withDetails({ phases: [phase('', ['ra'], [5 * M])] }))?.text).toMatch(/^phase \(without a name\), arena ra: 5.00M/);
	});

	test('by arena where there is no table; small sizes in KiB', () => {
		const byArena = { arenas: ['ra', 'node'], bytes: [50 * K, 20 * K] };
		expect(advice('peak', { byArena, totalBytes: M / 10 })?.text).toBe('arena ra: 50.0K of the 0.10M at the peak (48.8 %)');
		expect(advice('peak', { byArena, totalBytes: M / 10 - 1 })?.text).toBe('arena ra: 50.0K of the 102.4K at the peak (48.8 %)');
		expect(advice('peak', { byArena: { arenas: ['ra'], bytes: [0] } })).toBeUndefined();
	});
});

test('the temporary peak that is furthest above its own ends', () => {
	const timeline = [
		entry(9 * M, { temporaryPeakBytes: 10 * M, sequence: 1 }),
		// Began at 5 MiB: 2 MiB above.
		entry(1 * M, { deltaBytes: -4 * M, temporaryPeakBytes: 7 * M, sequence: 2 }),
		entry(3 * M, { deltaBytes: 2 * M, temporaryPeakBytes: 4.5 * M, sequence: 4, phase: 'gcm' }),
		entry(8 * M),
	];
	expect(advice('temporary-peak', withDetails({ timeline }))?.text).toBe('parse (number 2) held 2.00M for a while: 7.00M inside it, 1.00M after');
	expect(advice('temporary-peak', withDetails({ timeline: timeline.slice(3) }))).toBeUndefined();
});

test('compilations of one method, at most six by name', () => {
	expect(advice('recompiled', {})).toBeUndefined();
	expect(advice('recompiled', {}, [{ handle: 'c2', compiler: 'c1', totalBytes: M }, { signature: '()V' }, { method: 'a.B.g' }])?.text).toBe(
		'compiled 2 times: c1 c2 10.00M, c2 c1 1.00M',
	);
	const more = (count: number) => Array.from({ length: count }, (_, i) => ({ handle: `c${i + 2}`, totalBytes: M }));
	expect(advice('recompiled', {}, more(5))?.text).toMatch(/^compiled 6 times: .*, c6 c2 1.00M$/);
	expect(advice('recompiled', {}, more(6))?.text).toMatch(/^compiled 7 times: .*, c6 c2 1.00M, …$/);
});

test('what became of a compilation at its limit', () => {
	const stopped = (result: string | null) => advice('stopped', { hitLimit: true, result, limitBytes: 2 * M })?.text;
	expect(stopped('oom')).toBe('hit its limit of 2.00M and was stopped');
	expect(stopped('ok')).toBe('hit its limit of 2.00M and finished all the same: it was near its end');
	expect(stopped(null)).toBe('hit its limit of 2.00M and has no result');
	expect(advice('stopped', { result: 'oom' })).toBeUndefined();
});

describe('a limit that would have stopped it', () => {
	const alone = 'a limit for this method alone that would have stopped c1';

	test('is the largest whole size below its peak', () => {
		expect(limit({ totalBytes: 10 * M })).toEqual(['9M', `${alone} (10.00M)`]);
		expect(limit({ totalBytes: 10 * M + 1 })?.[0]).toBe('10M');
		expect(limit({ totalBytes: 1 * M + 1 })?.[0]).toBe('1M');
		expect(limit({ totalBytes: 1 * M })?.[0]).toBe('1023K');
		expect(limit({ totalBytes: K + 1 })?.[0]).toBe('1K');
		expect(limit({ totalBytes: K })).toBeNull();
	});

	test('and not below the smaller ones of the method', () => {
		const others = (bytes: number) => [{ handle: 'c2', totalBytes: bytes }];
		expect(limit({}, others(9 * M))).toEqual(['9M', `${alone} (10.00M); the other compilations of it (up to 9.00M) would go on`]);
		expect(limit({}, others(9 * M + 1))?.[0]).toBe('10239K');
		expect(limit({}, others(10 * M - 1))).toBeNull();
		// An equal one is neither smaller nor larger.
		expect(limit({}, others(10 * M))).toEqual(['9M', `${alone} (10.00M)`]);
		expect(limit({}, [{ totalBytes: 2 * M }, { totalBytes: 5 * M }, { totalBytes: 3 * M }])?.[1]).toMatch(/up to 5.00M/);
		expect(limit({}, [{ totalBytes: 11 * M }])?.[1]).toBe(`${alone} (10.00M); it stops the larger one of it too`);
		expect(limit({}, [{ totalBytes: 11 * M }, { totalBytes: 12 * M }])?.[1]).toBe(`${alone} (10.00M); it stops the 2 larger ones of it too`);
	});

	test('is passed early enough, where the timeline has such a moment', () => {
		const timeline = (...bytes: readonly number[]) => withDetails({ timeline: bytes.map((one) => entry(one)) });
		expect(limit(timeline(1 * M, 6 * M, 4 * M, 10 * M))).toEqual(['5M', `${alone} (10.00M)`]);
		// What is held in the last quarter only is seen too late.
		expect(limit(timeline(1 * M, 2 * M, 3 * M, 6 * M))?.[0]).toBe('2M');
		expect(limit(timeline(1 * M, 2 * M, 3 * M, 6 * M, 7 * M))?.[0]).toBe('2M');
		const late = `${alone} (10.00M); the other compilations of it (up to 4.00M) would go on; it is passed near the end, where C2 may finish all the same`;
		expect(limit(timeline(1 * M, 2 * M, 4 * M, 10 * M), [{ totalBytes: 4 * M }])).toEqual(['9M', late]);
		expect(limit(timeline(1 * M, 2 * M, 4 * M + 1, 10 * M), [{ totalBytes: 4 * M }])?.[0]).toBe('4M');
	});
});

describe('flags', () => {
	const flag = (method: string, signature: string | null = null, compiler = 'c2') => advice('reproduce', { method, signature, compiler });

	test('name the method as the JVM takes it, in quotes where a shell would read it', () => {
		expect(flag('a.B.f')).toEqual({
			kind: 'reproduce',
			handle: 'c1',
			text: 'to see it again, with its tables; -Xbatch keeps the order of compilations',
			flag: '-Xbatch -XX:CompileCommand=memstat,a/B.f,print',
		});
		expect(flag('a.B.f', null, 'c1')?.text).toBe('to see it again; -Xbatch keeps the order of compilations');
		expect(flag('a.B.f', '([I)V')?.flag).toBe("-Xbatch '-XX:CompileCommand=memstat,a/B.f([I)V,print'");
		expect(flag('a.B.<init>')?.flag).toBe("-Xbatch '-XX:CompileCommand=memstat,a/B.<init>,print'");
		expect(flag('a.B$C.f')?.flag).toBe("-Xbatch '-XX:CompileCommand=memstat,a/B$C.f,print'");
		expect(advice('limit', { method: 'a.B$C.f' })?.flag).toBe("'-XX:CompileCommand=memlimit,a/B$C.f,9M~stop'");
	});

	test('are not given for names that it does not take', () => {
		for (const method of ['f', '.f', 'a.B f.g', ' a.B.f', 'a.B.f ', 'a.B.f*', 'a.B$$Lambda/0x00000000b8246c48.f']) {
			expect(flag(method), method).toBeUndefined();
			expect(limit({ method }), method).toBeNull();
		}
	});
});

test('over a budget: more than it, most expensive first', () => {
	const all = [5, 10, 11, 30, 20].map((totalBytes) => compilation({ totalBytes }));
	expect(overBudget(all, 10).map(({ totalBytes }) => totalBytes)).toEqual([30, 20, 11]);
});
