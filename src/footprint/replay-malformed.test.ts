/** Events that fit nothing, limits, and bounds of memory. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TimelineEntry } from '../model/compiler-memory.js';
import type { CompileStart } from '../model/footprint-events.js';
import { nestTimeline } from './nest-timeline.js';
import { FootprintReplay, type LimitHitEvent, type ReplayOptions } from './replay.js';
import type { MalformedEvents, Replay } from './results.js';

const NONE: MalformedEvents = {
	startWithoutEnd: 0,
	endWithoutStart: 0,
	outside: 0,
	otherThread: 0,
	phaseEndWithoutStart: 0,
	unclosedPhases: 0,
	freeOfUnknownChunk: 0,
	doubleFree: 0,
	reusedAddresses: 0,
	otherSize: 0,
	otherArena: 0,
	badSizes: 0,
	afterCrash: 0,
	unfinished: 0,
	unbalanced: 0,
};

const START: CompileStart = {
	thread: 'T',
	compileId: '7',
	compiler: 'c2',
	level: 4,
	osrBci: null,
	method: 'A.b',
	signature: '()V',
	limitBytes: null,
	seconds: 1,
};

describe('events that fit nothing', () => {
	function malformed(
		run: (replay: FootprintReplay) => void,
		options?: ReplayOptions,
	): { counts: Partial<MalformedEvents>; totals: (number | string | null)[][] } {
		const replay = new FootprintReplay(options);
		run(replay);
		const { malformed: all, compilations } = replay.finish();
		return {
			counts: Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0)),
			totals: compilations.map(({ compileId, totalBytes, heldAtEndBytes, result }) => [compileId, totalBytes, heldAtEndBytes, result]),
		};
	}
	const alloc = (replay: FootprintReplay, chunk: number, bytes: number, thread = 'T', id: string | null = null): void =>
		replay.allocate(thread, id, chunk, bytes, 'ra', null, -1);
	const free = (replay: FootprintReplay, chunk: number, bytes: number, thread = 'T', arena = 'ra'): void =>
		replay.free(thread, null, chunk, bytes, arena, null, null, -1);
	const cases: [string, (replay: FootprintReplay) => void, Partial<MalformedEvents>, (number | string | null)[][]][] = [
		['an end without a start', (r) => r.compileEnd('T', '7', null, -1, null), { endWithoutStart: 1 }, []],
		[
			'a start within a compilation',
			(r) => {
				r.compileStart(START);
				alloc(r, 1, 10);
				r.compileStart({ ...START, compileId: '8' });
				r.compileEnd('T', '8', null, -1, null);
			},
			{ startWithoutEnd: 1 },
			[
				['7', 10, 10, null],
				['8', 0, 0, 'ok'],
			],
		],
		[
			'chunks and phases outside of compilations',
			(r) => {
				alloc(r, 1, 10);
				free(r, 1, 10);
				r.phaseStart('T', null, 'p', -1);
				r.phaseEnd('T', null, 'p', -1);
			},
			{ outside: 4 },
			[],
		],
		[
			'a free of an unknown chunk, and one freed twice',
			(r) => {
				r.compileStart(START);
				alloc(r, 1, 10);
				free(r, 2, 10);
				free(r, 1, 10);
				free(r, 1, 10);
				r.compileEnd('T', null, null, -1, null);
			},
			{ freeOfUnknownChunk: 1, doubleFree: 1 },
			[['7', 10, 0, 'ok']],
		],
		[
			'a free of another size and of another arena: the allocation counts',
			(r) => {
				r.compileStart(START);
				alloc(r, 1, 10);
				free(r, 1, 11, 'T', 'node');
				r.compileEnd('T', null, null, -1, null);
			},
			{ otherSize: 1, otherArena: 1 },
			[['7', 10, 0, 'ok']],
		],
		[
			'phases that end without a start, are not closed, and close others',
			(r) => {
				r.compileStart(START);
				r.phaseEnd('T', null, 'p', -1);
				r.phaseStart('T', null, 'a', -1);
				r.phaseStart('T', null, 'b', -1);
				r.phaseEnd('T', null, 'x', -1);
				r.phaseEnd('T', null, 'a', -1);
				r.phaseStart('T', null, 'c', -1);
				r.compileEnd('T', null, null, -1, null);
			},
			{ phaseEndWithoutStart: 2, unclosedPhases: 2 },
			[['7', 0, 0, 'ok']],
		],
		[
			'threads that interleave stay apart; one may free what the other allocated',
			(r) => {
				r.compileStart(START);
				r.compileStart({ ...START, thread: 'U', compileId: '8' });
				alloc(r, 1, 10);
				alloc(r, 2, 20, 'U');
				alloc(r, 3, 1, 'U', '7');
				free(r, 1, 10, 'U');
				free(r, 2, 20, 'U');
				free(r, 3, 1);
				r.compileEnd('U', null, null, -1, null);
				r.compileEnd('T', null, null, -1, null);
			},
			{ otherThread: 2 },
			[
				['8', 20, 0, 'ok'],
				['7', 11, 0, 'ok'],
			],
		],
		[
			'sizes that are none',
			(r) => {
				r.compileStart(START);
				for (const bytes of [-5, 1.5, Number.NaN, 2 ** 60]) {
					alloc(r, 1, bytes);
				}
				r.compileEnd('T', null, null, -1, null);
			},
			{ badSizes: 4 },
			[['7', 0, 0, 'ok']],
		],
		[
			'an address that is allocated where a chunk lives',
			(r) => {
				r.compileStart(START);
				alloc(r, 1, 10);
				alloc(r, 1, 5);
				free(r, 1, 10);
				free(r, 1, 5);
				r.compileEnd('T', null, null, -1, null);
			},
			{ reusedAddresses: 1 },
			[['7', 15, 0, 'ok']],
		],
		[
			'compilations without an end, and one that keeps chunks',
			(r) => {
				r.compileStart(START);
				alloc(r, 1, 10);
				r.compileEnd('T', null, 'err', -1, null);
				r.compileStart({ ...START, compileId: '8' });
			},
			{ unfinished: 1, unbalanced: 1 },
			[
				['7', 10, 10, 'err'],
				['8', 0, 0, null],
			],
		],
	];
	test.each(cases)('%s', (_, run, counts, totals) => {
		expect(malformed(run)).toEqual({ counts, totals });
	});

	test('whatever comes, totals are sums of what was allocated and nothing is thrown', () => {
		const event = fc.tuple(fc.constantFrom('start', 'end', 'phase', 'unphase', 'alloc', 'free'), fc.constantFrom('T', 'U'), fc.nat(5), fc.nat(1000));
		fc.assert(
			fc.property(fc.array(event, { maxLength: 80 }), (events) => {
				const replay = new FootprintReplay();
				let allocated = 0;
				for (const [kind, thread, number, bytes] of events) {
					if (kind === 'start') {
						replay.compileStart({ ...START, thread, compileId: String(number) });
					} else if (kind === 'end') {
						replay.compileEnd(thread, null, null, -1, null);
					} else if (kind === 'phase') {
						replay.phaseStart(thread, null, `p${number}`, bytes);
					} else if (kind === 'unphase') {
						replay.phaseEnd(thread, null, number > 3 ? null : `p${number}`, bytes);
					} else if (kind === 'alloc') {
						allocated += bytes;
						alloc(replay, number, bytes, thread);
					} else {
						free(replay, number, bytes, thread);
					}
				}
				const { compilations } = replay.finish();
				expect(compilations.reduce((sum, { totalBytes }) => sum + totalBytes, 0)).toBeLessThanOrEqual(allocated);
				for (const { byArena, totalBytes, details, heldAtEndBytes } of compilations) {
					expect(byArena.bytes.reduce((a, b) => a + b, 0)).toBe(totalBytes);
					expect(details.timeline.at(-1)?.bytes).toBe(heldAtEndBytes);
					expect(heldAtEndBytes).toBeGreaterThanOrEqual(0);
				}
			}),
			{ numRuns: 300 },
		);
	});
});

describe('a limit', () => {
	const run = (options: ReplayOptions): { hits: LimitHitEvent[]; report: Replay } => {
		const hits: LimitHitEvent[] = [];
		const replay = new FootprintReplay({ ...options, onLimit: (hit) => hits.push(hit) });
		replay.compileStart(START);
		for (let chunk = 1; chunk <= 5; chunk++) {
			replay.allocate('T', null, chunk, 10, 'ra', null, chunk * 100);
		}
		replay.free('T', null, 5, 10, 'ra', null, null, -1);
		replay.allocate('T', null, 6, 10, 'ra', null, -1);
		for (const chunk of [1, 2, 3, 4, 6]) {
			replay.free('T', null, chunk, 10, 'ra', null, null, -1);
		}
		replay.compileEnd('T', null, null, -1, null);
		return { hits, report: replay.finish() };
	};

	test('that stops is hit again at each new peak until the compiler gives up', () => {
		const { hits, report } = run({ limit: { bytes: 25, reaction: 'stop' } });
		expect(hits.map(({ nowBytes, isAgain }) => [nowBytes, isAgain])).toEqual([
			[30, false],
			[40, true],
			[50, true],
		]);
		expect(report.compilations).toMatchObject([{ totalBytes: 50, limitBytes: 25, hitLimit: true, limitHits: 3, result: 'oom', nodes: 500 }]);
	});

	test('that crashes ends everything there', () => {
		const { hits, report } = run({ limit: { bytes: 25, reaction: 'crash' } });
		expect(hits).toMatchObject([{ nowBytes: 30, isAgain: false, reaction: 'crash' }]);
		expect(report).toMatchObject({ isCrashed: true, malformed: { ...NONE, afterCrash: 10 } });
		expect(report.compilations).toMatchObject([{ totalBytes: 30, isFinished: false }]);
	});

	test('is not hit by a peak that reaches it and goes no further', () => {
		expect(run({ limit: { bytes: 50, reaction: 'stop' } })).toMatchObject({ hits: [], report: { compilations: [{ hitLimit: false, result: 'ok' }] } });
	});
});

test('only the most expensive compilations are kept, in the order of their ends', () => {
	const replay = new FootprintReplay({ keep: 3 });
	for (let i = 0; i < 100; i++) {
		replay.compileStart({ ...START, compileId: String(i) });
		replay.allocate('T', null, 1, ((i * 37) % 100) + 1, 'ra', null, -1);
		replay.compileEnd('T', null, null, -1, null);
	}
	const { compilations, omitted } = replay.finish();
	expect(compilations.map(({ totalBytes }) => totalBytes)).toEqual([100, 99, 98]);
	expect(omitted).toBe(97);
});

test('temporary peaks well above both ends are noted, and older entries are let go', () => {
	const entries: TimelineEntry[] = [];
	const replay = new FootprintReplay({ maxEntries: 10, onEnd: ({ details }) => entries.push(...details.timeline) });
	replay.compileStart(START);
	for (let i = 0; i < 50; i++) {
		replay.phaseStart('T', null, 'p', -1);
		replay.allocate('T', null, 1, (1 << 20) + (i === 49 ? 1 : 0), 'ra', null, -1);
		replay.free('T', null, 1, -1, null, null, null, -1);
		replay.phaseEnd('T', null, 'p', -1);
	}
	replay.compileEnd('T', null, null, -1, null);
	expect(entries.length).toBeLessThan(20);
	expect(entries.filter(({ temporaryPeakBytes }) => temporaryPeakBytes !== null).map(({ temporaryPeakBytes }) => temporaryPeakBytes)).toEqual([1048577]);
	expect(nestTimeline(entries).length).toBeGreaterThan(3);
});
