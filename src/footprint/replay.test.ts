/** The engine against a slow reference that keeps every chunk and adds up everything at every event, on a recorded stream and on generated ones. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../bytes/source.js';
import { readFootprintEvents } from '../formats/footprint-events/read.js';
import type { PhaseMemory, TimelineEntry } from '../model/compiler-memory.js';
import type { CompileStart } from '../model/footprint-events.js';
import { nestTimeline } from './nest-timeline.js';
import { FootprintReplay, type LimitHitEvent, type ReplayOptions } from './replay.js';
import type { MalformedEvents, Replay, ReplayedCompilation } from './results.js';

const folder = path.resolve(import.meta.dirname, '../../fixtures/jvm/memstat/events');
const stream = gunzipSync(fs.readFileSync(path.join(folder, 'events.ndjson.gz')));

interface Json {
	readonly event: string;
	readonly thread: string;
	readonly compileId: number;
	readonly phase: string;
	readonly bytes: number;
	readonly chunk: string | null;
	readonly arena: string;
	readonly arenaAddress: string;
	readonly allocatedInPhase: string | null;
}

/** Phase, then arena, to bytes; nothing that is zero. */
type Table = Record<string, Record<string, number>>;

interface Chunk {
	readonly bytes: number;
	readonly chunk: string | null;
	readonly arena: string;
	readonly arenaAddress: string;
	readonly phase: string;
}

/** Every living chunk in a list; each table is added up anew. */
class Reference {
	readonly peaks = new Map<number, { bytes: number; table: Table }>();
	readonly current = new Map<number, Table>();
	private readonly chunks = new Map<number, Chunk[]>();
	private readonly phases = new Map<number, string[]>();

	take(event: Json): void {
		const { compileId: id } = event;
		if (event.event === 'compile-start') {
			this.chunks.set(id, []);
			this.phases.set(id, ['none']);
			this.peaks.set(id, { bytes: 0, table: {} });
			this.current.set(id, {});
			return;
		}
		const chunks = this.chunks.get(id) as Chunk[];
		const phases = this.phases.get(id) as string[];
		if (event.event === 'phase-start') {
			phases.push(event.phase);
		} else if (event.event === 'phase-end') {
			expect(phases.pop()).toBe(event.phase);
		} else if (event.event === 'chunk-alloc') {
			chunks.push({ bytes: event.bytes, chunk: event.chunk, arena: event.arena, arenaAddress: event.arenaAddress, phase: phases.at(-1) as string });
		} else if (event.event === 'chunk-free') {
			chunks.splice(this.find(chunks, event), 1);
		}
		if (event.event.startsWith('chunk')) {
			const table: Table = {};
			for (const { phase, arena, bytes } of chunks) {
				table[phase] ??= {};
				table[phase][arena] = (table[phase][arena] ?? 0) + bytes;
			}
			const sum = chunks.reduce((a, { bytes }) => a + bytes, 0);
			this.current.set(id, table);
			if (sum > (this.peaks.get(id)?.bytes ?? 0)) {
				this.peaks.set(id, { bytes: sum, table });
			}
		}
	}

	/** The youngest chunk at that address that is most like what is freed. */
	private find(chunks: readonly Chunk[], event: Json): number {
		const phase = event.allocatedInPhase;
		const tries: ((chunk: Chunk) => boolean)[] = [
			(one) => one.arenaAddress === event.arenaAddress && one.bytes === event.bytes && one.arena === event.arena && one.phase === phase,
			(one) => one.arenaAddress === event.arenaAddress && one.bytes === event.bytes && one.arena === event.arena,
			(one) => one.arenaAddress === event.arenaAddress && one.bytes === event.bytes && one.phase === phase,
			(one) => one.arenaAddress === event.arenaAddress && one.bytes === event.bytes,
			(one) => one.arenaAddress === event.arenaAddress,
			() => true,
		];
		const sameAddress = (one: Chunk): boolean => one.chunk === event.chunk && (event.chunk !== null || one.arenaAddress === event.arenaAddress);
		for (const like of tries) {
			const at = chunks.findLastIndex((one) => sameAddress(one) && like(one));
			if (at >= 0) {
				return at;
			}
		}
		throw new Error('a free of nothing');
	}
}

function tableOf(phases: readonly PhaseMemory[]): Table {
	return Object.fromEntries(
		phases.map(({ name, byArena }) => [
			name,
			Object.fromEntries(byArena.arenas.map((arena, i) => [arena, byArena.bytes[i] as number]).filter(([, bytes]) => bytes !== 0)),
		]),
	);
}

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

describe('the recorded stream', () => {
	const replay = new FootprintReplay();
	const { problems, events } = readFootprintEvents(memorySource('events', stream), replay);
	const report = replay.finish();

	test('gives the peaks of its conversion, and nothing is held at any end', () => {
		const summary = fs.readFileSync(path.join(folder, 'conversion-summary.txt'), 'utf8');
		const expected = [...summary.matchAll(/compileId (\d+) level (\d) (\S+) peak (\d+) left 0 openPhases 0/g)].map(([, id, level, method, peak]) => [
			id,
			Number(level),
			method?.replace('::', '.'),
			Number(peak),
			0,
		]);
		expect(expected).toHaveLength(14);
		const found = report.compilations.map(({ compileId, level, method, totalBytes, heldAtEndBytes }) => [compileId, level, method, totalBytes, heldAtEndBytes]);
		expect(found.sort((a, b) => Number(a[0]) - Number(b[0]))).toEqual(expected);
		expect({ problems, events, replayed: report.events }).toEqual({ problems: [], events: 23_982, replayed: 23_982 });
		// A chunk whose free was seen late lives beside the next one at its address.
		expect(report.malformed).toEqual({ ...NONE, reusedAddresses: report.malformed.reusedAddresses });
	});

	test('has the same tables at the peak as the reference', () => {
		const reference = new Reference();
		for (const line of stream.toString('utf8').split('\n')) {
			if (line !== '') {
				reference.take(JSON.parse(line) as Json);
			}
		}
		for (const { compileId, details, totalBytes, byArena } of report.compilations) {
			const peak = reference.peaks.get(Number(compileId));
			expect([totalBytes, tableOf(details.phases)]).toEqual([peak?.bytes, peak?.table]);
			expect(byArena.bytes.reduce((a, b) => a + b, 0)).toBe(totalBytes);
			let bytes = 0;
			for (const entry of details.timeline) {
				expect(entry.bytes).toBe(bytes + entry.deltaBytes);
				bytes = entry.bytes;
			}
		}
	});
});

/** A tree of phases with allocations and frees between them. */
interface Phase {
	readonly name: string;
	readonly steps: readonly (Phase | { readonly allocate: number; readonly arena: string } | { readonly free: number })[];
}
const { phase } = fc.letrec<{ phase: Phase }>((tie) => ({
	phase: fc.record({
		name: fc.constantFrom('', 'parse', 'optimizer', 'idealLoop'),
		steps: fc.array(
			fc.oneof(
				{ depthSize: 'small', withCrossShrink: true },
				fc.record({ allocate: fc.oneof(fc.nat(5000), fc.nat(4 << 20)), arena: fc.constantFrom('ra', 'node', 'comp') }),
				fc.record({ free: fc.nat(20) }),
				tie('phase'),
			),
			{ maxLength: 8 },
		),
	}),
}));

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

interface Walk {
	readonly report: Replay;
	readonly only: ReplayedCompilation;
	/** Phases in preorder with their depth and their bytes at begin and end. */
	readonly tree: { depth: number; name: string; start: number; end: number }[];
	readonly states: { readonly bytes: number; readonly table: Table }[];
}

/** Plays a tree, and looks at the sums after each step. */
function play(root: Phase, options: ReplayOptions = {}): Walk {
	const replay = new FootprintReplay(options);
	replay.compileStart(START);
	const living: { address: number; bytes: number; phase: string; arena: string }[] = [];
	const states: Walk['states'] = [{ bytes: 0, table: {} }];
	const tree: Walk['tree'] = [{ depth: 0, name: '(outside)', start: 0, end: 0 }];
	let next = 1;
	const sum = (): number => living.reduce((a, { bytes }) => a + bytes, 0);
	const check = (): void => {
		const table: Table = {};
		for (const { phase: owner, arena, bytes } of living.filter((one) => one.bytes > 0)) {
			table[owner] ??= {};
			table[owner][arena] = (table[owner][arena] ?? 0) + bytes;
		}
		const counter = replay.runningIn('T');
		expect(counter?.currentBytes).toBe(sum());
		expect(tableOf(counter?.currentTable() ?? [])).toEqual(table);
		states.push({ bytes: sum(), table });
	};
	const walk = ({ steps }: Phase, owner: string, depth: number): void => {
		for (const step of steps) {
			if ('allocate' in step) {
				replay.allocate('T', '7', next, step.allocate, step.arena, null, -1);
				living.push({ address: next++, bytes: step.allocate, phase: owner, arena: step.arena });
				check();
			} else if ('free' in step) {
				const [chunk] = living.splice(step.free, 1);
				if (chunk !== undefined) {
					replay.free('T', null, chunk.address, chunk.bytes, chunk.arena, null, null, -1);
					check();
				}
			} else {
				const row = { depth, name: step.name, start: sum(), end: 0 };
				tree.push(row);
				replay.phaseStart('T', '7', step.name, -1);
				walk(step, step.name, depth + 1);
				replay.phaseEnd('T', '7', step.name, -1);
				row.end = sum();
			}
		}
	};
	walk(root, 'none', 1);
	(tree[0] as { end: number }).end = sum();
	replay.compileEnd('T', '7', null, -1, 2);
	const report = replay.finish();
	return { report, only: report.compilations[0] as ReplayedCompilation, tree, states };
}

describe('generated streams', () => {
	test('sums agree at every event, and the snapshot is the state at the first maximum', () => {
		fc.assert(
			fc.property(phase, (root) => {
				const { only, states, report } = play(root);
				const highest = Math.max(...states.map(({ bytes }) => bytes));
				const first = states.find(({ bytes }) => bytes === highest);
				expect(only.totalBytes).toBe(highest);
				expect(tableOf(only.details.phases)).toEqual(first?.table);
				expect(report.malformed).toEqual({ ...NONE, unbalanced: only.heldAtEndBytes > 0 ? 1 : 0 });
				expect(only.heldAtEndBytes).toBe(states.at(-1)?.bytes);
			}),
			{ numRuns: 300 },
		);
	});

	test('the flattened timeline nests again to the tree that it was made of', () => {
		fc.assert(
			fc.property(phase, (root) => {
				const { only, tree } = play(root);
				const { timeline } = only.details;
				const nested = nestTimeline(timeline).map(({ depth, phase: name, startBytes, endBytes }) => ({ depth, name, start: startBytes, end: endBytes }));
				expect(nested).toEqual(tree);
				let bytes = 0;
				for (const entry of timeline) {
					expect(entry.bytes).toBe(bytes + entry.deltaBytes);
					bytes = entry.bytes;
				}
				const own = nestTimeline(timeline).reduce((sum, { ownDeltaBytes }) => sum + ownDeltaBytes, 0);
				expect(own).toBe(only.heldAtEndBytes);
			}),
			{ numRuns: 300 },
		);
	});

	test('many changes below the peak do not lose the peak', () => {
		const replay = new FootprintReplay();
		replay.compileStart(START);
		replay.allocate('T', null, 1, 1000, 'ra', null, -1);
		replay.free('T', null, 1, 1000, 'ra', null, null, -1);
		for (let i = 0; i < 10_000; i++) {
			replay.phaseStart('T', null, `p${i % 50}`, -1);
			replay.allocate('T', null, 2, 999, 'node', null, -1);
			replay.free('T', null, 2, 999, 'node', null, null, -1);
			replay.phaseEnd('T', null, `p${i % 50}`, -1);
		}
		replay.compileEnd('T', null, 'ok', -1, null);
		expect(tableOf(replay.finish().compilations[0]?.details.phases ?? [])).toEqual({ none: { ra: 1000 } });
	});
});

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
