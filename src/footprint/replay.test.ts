/** The engine against a slow reference that keeps every chunk and adds up everything at every event, on a recorded stream and on generated ones. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../bytes/source.js';
import { readFootprintEvents } from '../formats/footprint-events/read.js';
import type { PhaseMemory } from '../model/compiler-memory.js';
import type { CompileStart } from '../model/footprint-events.js';
import { nestTimeline } from './nest-timeline.js';
import { FootprintReplay, type ReplayOptions } from './replay.js';
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
		const chunks = this.chunks.get(id)!;
		const phases = this.phases.get(id)!;
		if (event.event === 'phase-start') {
			phases.push(event.phase);
		} else if (event.event === 'phase-end') {
			expect(phases.pop()).toBe(event.phase);
		} else if (event.event === 'chunk-alloc') {
			chunks.push({ bytes: event.bytes, chunk: event.chunk, arena: event.arena, arenaAddress: event.arenaAddress, phase: phases.at(-1)! });
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
			Object.fromEntries(byArena.arenas.map((arena, i) => [arena, byArena.bytes[i]!]).filter(([, bytes]) => bytes !== 0)),
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
	return { report, only: report.compilations[0]!, tree, states };
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
