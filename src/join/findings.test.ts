/** Findings at their limits: what is worth a sentence, its numbers, and what it is worth. */
import { describe, expect, test } from 'vitest';
import { joinedCompilation } from '../../test/joined-runs.js';
import type { JoinedCompilation, RecordingFinding, RefusedCall } from '../model/joined-recording.js';
import { SparseColumn } from '../model/sparse-column.js';
import { reportFindings } from './findings.js';

type Report = Parameters<typeof reportFindings>[0];

const CALL: RefusedCall = { bci: 7, callee: 'a.X.x', reason: 'too big', receivers: [], callShare: 1, targets: ['a.X.x'], calleePercent: 0 };
const seen = (...shares: readonly number[]): RefusedCall['receivers'] => shares.map((share, i) => ({ name: `a.R${i + 1}`, share }));
/** Samples that nothing more is known of. */
const SAMPLED = { code: [], reasons: new Map(), attribution: { counted: 100 } };

const row = (number: number, more: Partial<JoinedCompilation>): JoinedCompilation => joinedCompilation({ compileId: `${number}`, ...more });

/** Only what findings look at; the rest of a report is not there. */
function findings(more: object): RecordingFinding[] {
	const present = { present: true, files: [], records: 1 };
	const report = {
		name: 'run1',
		processId: null,
		chosen: {},
		compilations: [],
		refused: () => [],
		bias: null,
		delays: [],
		memory: [],
		summary: null,
		log: null,
		hot: null,
		collector: null,
		threadTime: null,
		slowInstructions: [],
		scalarLoops: [],
		stubWork: [],
		nativeWork: [],
		interpreted: [],
		callers: new Map(),
		startup: null,
		seconds: null,
		jvm: { version: null, processId: null, arguments: null, command: null, startedEpochMs: null },
		evidence: { samples: present, logCompilation: present },
		...more,
	};
	return reportFindings(report as unknown as Report);
}

function onlyFinding(more: object): RecordingFinding {
	const all = findings(more);
	expect(all).toHaveLength(1);
	return all[0]!;
}

test('nothing is there, nothing is said', () => {
	expect(findings({})).toEqual([]);
});

describe('libraries for nobody that is known', () => {
	const work = {
		kind: 'library',
		library: 'libdb.so',
		symbol: '(no symbol)',
		regions: ['r1', 'r3'],
		samples: 70,
		caller: null,
		share: 0,
		unknown: 70,
		unreached: 70,
	};
	const textOf = (copiedBytes: number, samples = 70): string | undefined =>
		findings({ nativeWork: [{ ...work, samples }], hot: { attribution: { counted: 100 }, reasons: new Map(), code: [], shallowStacks: { copiedBytes } } })[0]
			?.text;

	test('how much of stacks to copy to see it', () => {
		expect(textOf(1024)).toBe(
			'70.0 % of all samples are in libdb.so (no symbol); who in Java called most of that is not known: it lies further up the stack than the 1024 bytes that were copied of it; recorded with --stack 8192 more of it is seen',
		);
		expect(textOf(8192)).toMatch(/8192 bytes that were copied of it$/);
		expect(textOf(1024, 5)).toBeUndefined();
	});

	test('what is known is not said of what is not', () => {
		const caller = { method: 'a.B.get', bci: -1, line: null, compileId: null, callers: [], samples: 40 };
		const told = (unknown: number, unreached = unknown) =>
			findings({
				nativeWork: [{ ...work, caller, share: 0.8, unknown, unreached }],
				hot: { attribution: { counted: 100 }, reasons: new Map(), code: [], shallowStacks: { copiedBytes: 4096 } },
			})[0]?.text;
		expect(told(7)).toMatch(/in libdb\.so \(no symbol\), 80 % of that for the native method a\.B\.get.* decides$/);
		expect(told(21)).toMatch(
			/, 80 % of what is known of that for the native method a\.B\.get.* decides\. Of 30 % of it no caller is known: .* --stack 8192 more of it is seen$/,
		);
	});
});

describe('calls that were not inlined', () => {
	const refusing = (percent: number, call: Partial<RefusedCall>, more: Partial<JoinedCompilation> = {}) =>
		findings({ compilations: [row(1, { percent, ...more })], refused: () => [{ ...CALL, ...call }] });

	test('in hot code, of hot callees or of several receivers', () => {
		const hot = { calleePercent: 0.5 };
		expect(refusing(1, hot)).toHaveLength(1);
		expect(refusing(0.99, hot)).toEqual([]);
		expect(refusing(5, { calleePercent: 0.49 })).toEqual([]);
		expect(refusing(5, { calleePercent: 0, receivers: seen(0.5, 0.5) })).toHaveLength(1);
		expect(refusing(5, { calleePercent: 0, receivers: seen(1) })).toEqual([]);
		// What the other receivers call is inlined.
		expect(refusing(5, { calleePercent: 5, callShare: 0.1 })).toHaveLength(1);
		expect(refusing(5, { calleePercent: 5, callShare: 0.09 })).toEqual([]);
		expect(refusing(5, { calleePercent: 5, callShare: null })).toHaveLength(1);
		expect(refusing(5, hot, { level: 3 })).toEqual([]);
		expect(refusing(5, hot, { level: null })).toHaveLength(1);
	});

	test('the sentence', () => {
		const compilations = [row(1, { percent: 20 }), row(2, { method: 'a.X.x', percent: 6 }), row(3, { method: 'a.X.x', percent: 0 })];
		const say = (call: Partial<RefusedCall>) =>
			onlyFinding({ compilations, hot: SAMPLED, refused: (one: JoinedCompilation) => (one.handle === 'c1' ? [{ ...CALL, ...call }] : []) });
		expect(say({ calleePercent: 6 })).toEqual({
			kind: 'not-inlined',
			place: { method: 'a.B.f', line: null, bci: 7 },
			text: 'c1 a.B.f: 20.0 % of the samples; C2 did not inline a.X.x at bci 7: too big [MaxInlineSize 35]; 6.0 % of all samples are in its own code',
			handles: ['c1', 'c2'],
			evidence: ['logCompilation', 'samples'],
			command: 'assay report run1 c1 && assay hot run1 c1 c2',
			worth: 6,
		});
		expect(say({ callee: null, reason: '', receivers: seen(0.5, 0.25, 0.125, 0.125) })).toMatchObject({
			text: 'c1 a.B.f: 20.0 % of the samples; C2 did not inline a call at bci 7: no reason given; receivers: a.R1 50.0 %, a.R2 25.0 %, a.R3 12.5 % and others',
			handles: ['c1'],
			worth: 2,
		});
		expect(say({ reason: 'odd', receivers: seen(0.6, 0.4) }).text).toMatch(/: odd; receivers: a.R1 60.0 %, a.R2 40.0 %$/);
		expect(say({ reason: 'odd', receivers: seen(1), calleePercent: 6 }).text).toMatch(/: odd; receivers: a.R1 100.0 %; 6.0 % of all/);
	});

	test('whose compiler it was', () => {
		const by = (compiler: string | null) => refusing(5, { calleePercent: 5 }, { compiler })[0]?.text.match(/; (.*) did not/)?.[1];
		expect(['c1', 'c2', 'jvmci', 'graal', 'x', null].map(by)).toEqual(['C1', 'C2', 'Graal', 'Graal', 'the compiler', 'the compiler']);
	});

	test('a caller with little code of its own counts by what it calls, from five percent on', () => {
		const by = (percent: number, calleePercent: number, receivers: RefusedCall['receivers'] = []) =>
			refusing(percent, { calleePercent, receivers }).map(({ worth }) => worth);
		expect([by(0.1, 5), by(0.1, 4.99), by(0.09, 50), by(0.99, 4.99, seen(0.5, 0.5)), by(0.99, 5)]).toEqual([[0.625], [], [], [], [0.99]]);
	});

	test('natives and throwing methods stay calls: the next one counts', () => {
		const calls = [
			{ ...CALL, bci: 1, reason: 'native method', calleePercent: 30 },
			{ ...CALL, bci: 2, reason: 'exception method', calleePercent: 20 },
			{ ...CALL, bci: 3, calleePercent: 0.1 },
			{ ...CALL, bci: 4, calleePercent: 10 },
			{ ...CALL, bci: 5, calleePercent: 9 },
		];
		expect(onlyFinding({ compilations: [row(1, { percent: 5 })], refused: () => calls })).toMatchObject({ place: { bci: 4 }, worth: 5 });
		expect(findings({ compilations: [row(1, { percent: 5 })], refused: () => calls.slice(0, 2) })).toEqual([]);
	});

	test('of the two hundred hottest callers', () => {
		const compilations = Array.from({ length: 201 }, (_, i) => row(i, { percent: 2, method: `a.B.m${i}` }));
		const by = (handle: string) =>
			findings({ compilations, refused: (one: JoinedCompilation) => (one.handle === handle ? [{ ...CALL, calleePercent: 1 }] : []) });
		expect([by('c199').length, by('c200').length]).toEqual([1, 0]);
	});

	test('what virtual calls cost besides is told once: the stubs that look methods up', () => {
		const threadTime = (samples: number) => ({
			counted: 1000,
			classes: [],
			libraries: [
				{ library: 'libjvm.so', samples: 500, symbols: [{ symbol: 'itable stub', samples: 500 }] },
				{ library: 'runtime stub', samples, symbols: ['vtable stub', 'itable stub', 'jint_fill', null].map((symbol) => ({ symbol, samples })) },
			],
		});
		const endsOf = (reason: string, samples: number) =>
			findings({
				compilations: [1, 2].map((number) => row(number, { percent: 30, method: `a.B.m${number}` })),
				refused: () => [{ ...CALL, reason, receivers: seen(0.5, 0.5) }],
				threadTime: threadTime(samples),
			}).map(({ text }) => text.split('; ').at(-1));
		const said = 'stubs that look up the method of a virtual call (vtable, itable) take 8.0 % of all samples';
		const receivers = 'receivers: a.R1 50.0 %, a.R2 50.0 %';
		expect(endsOf('virtual call', 40)).toEqual([said, receivers]);
		expect(endsOf('no static binding', 40)).toEqual([said, receivers]);
		expect(endsOf('too big', 40)).toEqual([receivers, receivers]);
		expect(endsOf('virtual call', 30)).toEqual([receivers, receivers]);
	});

	test('in inlined code it stands at the line of the method that has the call; what it may be by all its receivers', () => {
		const positions = [[{ method: 'a.In.lined', bci: 7, line: 33 }]];
		const targets = ['a.Shape.area', 'a.Disc.area', 'a.Square.area'];
		const compilations = [
			row(1, { percent: 20 }),
			...[2, 3, 4, 5].map((number) => row(number, { method: 'a.Disc.area', percent: number })),
			row(6, { method: 'a.Square.area', percent: 1 }),
			row(7, { method: 'a.Other.area', percent: 1 }),
			row(8, { method: 'a.Shape.area', percent: 0 }),
		];
		const say = (call: Partial<RefusedCall>, more: object = {}) =>
			onlyFinding({
				compilations,
				hot: { ...SAMPLED, code: [{ code: { name: 'a.X.other' }, instructions: { length: 0, positions } }] },
				refused: (one: JoinedCompilation) => (one.handle === 'c1' ? [{ ...CALL, caller: 'a.In.lined', targets, calleePercent: 15, ...call }] : []),
				...more,
			});
		expect(say({ callee: 'a.Disc.area', reason: 'odd' })).toMatchObject({
			place: { method: 'a.In.lined', line: 33, bci: 7 },
			text: 'c1 a.B.f: 20.0 % of the samples; C2 did not inline a.Disc.area at bci 7 of a.In.lined (line 33): odd; 15.0 % of all samples are in the code of what it may be',
			handles: ['c1', 'c2', 'c3', 'c4'],
			command: 'assay report run1 c1 && assay hot run1 c1 c2 c3 c4 c5 c6',
			worth: 15,
		});
		expect(say({ callee: 'a.Shape.area', reason: 'odd', targets: targets.slice(0, 2) })).toMatchObject({
			text: expect.stringMatching(/: odd; 15.0 % of all samples are in its own code$/),
			handles: ['c1'],
			command: 'assay report run1 c1 && assay hot run1 c1 c2 c3 c4 c5',
		});
		// Threads were chosen, or a profile without samples tells shares.
		expect(say({ reason: 'odd' }, { chosen: { thread: 'main' } })).toMatchObject({
			text: expect.stringMatching(/^c1 a.B.f: 20.0 % of these samples; .*; 15.0 % of these samples are in the code of what it may be$/),
		});
		expect(say({ reason: 'odd' }, { hot: null })).toMatchObject({
			place: { method: 'a.In.lined', line: null, bci: 7 },
			text: 'c1 a.B.f: 20.0 % of the samples; C2 did not inline a.X.x at bci 7 of a.In.lined: odd',
			command: 'assay report run1 c1',
		});
	});

	test('flags as the run had them', () => {
		const flags = (text: string | null) =>
			onlyFinding({ compilations: [row(1, { percent: 5 })], refused: () => [{ ...CALL, calleePercent: 5 }], jvm: { arguments: text } }).text.match(
				/\[.*]/,
			)?.[0];
		expect([flags('-XX:MaxInlineSize=70 -Xmx1g'), flags('-Xmx1g'), flags(null)]).toEqual([
			'[MaxInlineSize 70, set]',
			'[MaxInlineSize 35]',
			'[MaxInlineSize 35]',
		]);
	});

	test('hidden classes are called without their addresses, and found by them', () => {
		const compilations = [row(1, { percent: 5 }), row(2, { percent: 3, method: 'a.B$$Lambda/0x00007f6cac00a210.run' })];
		const receivers = [
			{ name: 'a.B$$Lambda/0x00007f6cac00a210', share: 0.9996 },
			{ name: 'a.C', share: 0.0003 },
		];
		const finding = onlyFinding({
			compilations,
			hot: SAMPLED,
			refused: (one: JoinedCompilation) => (one.handle === 'c1' ? [{ ...CALL, reason: 'odd', receivers, targets: ['a.B$$Lambda.run'], calleePercent: 3 }] : []),
		});
		expect(finding.text).toMatch(/: odd; receivers: a.B\$\$Lambda 100.0 %, a.C 0.0 %; 3.0 % of all samples are in its own code$/);
		expect(finding.command).toBe('assay report run1 c1 && assay hot run1 c1 c2');
	});

	test('evidence is what tells of decisions and of heat', () => {
		const evidence = ['printCompilation', 'flightRecorder', 'graalLog', 'assembly', 'stacks', 'proftoolProfile', 'compilerMemory'] as const;
		expect(refusing(5, { calleePercent: 5 }, { evidence }).map((one) => one.evidence)).toEqual([['flightRecorder', 'graalLog', 'stacks', 'proftoolProfile']]);
	});

	test('three at most, each caller and callee once, most worth first', () => {
		const compilations = [1, 2, 3, 4, 5].map((number) => row(number, { percent: 10 * number, method: number === 4 ? 'a.B.m5' : `a.B.m${number}` }));
		const all = findings({ compilations, refused: () => [{ ...CALL, calleePercent: 100 }] });
		expect(all.map(({ handles, worth }) => [handles, worth])).toEqual([
			[['c5'], 50],
			[['c3'], 30],
			[['c2'], 20],
		]);
	});
});

describe('bias', () => {
	const LOW = { method: 'a.A.low', predictedPercent: 10, unbiasedPercent: 30, unbiasedInterval: { low: 28, high: 32 } };
	const HIGH = { method: 'a.A.high', predictedPercent: 30, unbiasedPercent: 10, unbiasedInterval: { low: 8, high: 12 } };
	const METHODS = [
		LOW,
		{ method: 'a.A.mid', predictedPercent: 20, unbiasedPercent: 20, unbiasedInterval: { low: 18, high: 22 } },
		// Not beyond chance.
		{ method: 'a.A.rare', predictedPercent: 25, unbiasedPercent: 10, unbiasedInterval: { low: 0, high: 25 } },
		{ method: 'a.A.dear', predictedPercent: 5, unbiasedPercent: 20, unbiasedInterval: { low: 5, high: 35 } },
		HIGH,
	];
	const biased = (totalVariation: number, expectedFromSampling: number, unknownPercent = 0, methods = METHODS) =>
		findings({
			compilations: [row(1, { percent: 0, method: 'a.A.low' }), row(2, { percent: 5, method: 'a.A.low' }), row(3, { percent: 5, method: 'a.A.high' })],
			bias: {
				unknownPercent,
				distance: { totalVariation, expectedFromSampling },
				methods,
			},
		});

	test('more than chance, and than five percent', () => {
		expect(biased(0.05, 0.025)).toHaveLength(1);
		expect(biased(0.049, 0)).toEqual([]);
		expect(biased(0.2, 0.1)).toHaveLength(1);
		expect(biased(0.2, 0.101)).toEqual([]);
	});

	test('who gets most, who loses most', () => {
		expect(biased(0.2, 0.04)).toEqual([
			{
				kind: 'biased',
				text: 'A profiler that sees threads only at safepoints would report a.A.high 30.0 % (true: 10.0 %) and a.A.low 10.0 % (true: 30.0 %): 20 % of its profile would be wrong, 4 % is chance',
				handles: ['c3', 'c2'],
				evidence: ['samples', 'assembly'],
				command: 'assay bias run1',
				// Below every cause of lost time.
				worth: 0.002,
			},
		]);
		// What is predicted is of the half of the time that is known: no more of it is blamed on this one than it has.
		const even = { method: 'a.A.even', predictedPercent: 60, unbiasedPercent: 30, unbiasedInterval: { low: 28, high: 32 } };
		const half = [even, { ...LOW, predictedPercent: 5, unbiasedPercent: 15, unbiasedInterval: { low: 13, high: 17 } }, { ...HIGH, unbiasedPercent: 5 }];
		expect(biased(0.2, 0, 50, half)[0]!.text).toContain('would report a.A.high 30.0 % (true: 5.0 %) and a.A.low 5.0 % (true: 15.0 %)');
		expect(biased(0.2, 0, 9.9)[0]!.text).toMatch(/wrong, 0 % is chance$/);
		expect(biased(0.2, 0, 10)[0]!.text).toMatch(/is chance; of 10 % of the samples no printed code tells$/);
		// Nothing is said of a program by the smaller part of its time.
		expect([biased(0.2, 0, 50).length, biased(0.2, 0, 50.1).length]).toEqual([1, 0]);
	});

	test('of Java threads, where threads are told apart; the first with samples of each method', () => {
		const methods = [
			{ method: 'a.A.low', predictedPercent: 10, unbiasedPercent: 30, unbiasedInterval: { low: 28, high: 32 } },
			{ method: 'a.A.lower', predictedPercent: 0, unbiasedPercent: 21, unbiasedInterval: { low: 0, high: 32 } },
			{ method: 'a.A.high', predictedPercent: 30, unbiasedPercent: 10, unbiasedInterval: { low: 8, high: 12 } },
		];
		const distance = { totalVariation: 0.2, expectedFromSampling: 0 };
		const finding = onlyFinding({
			threadTime: { counted: 10, classes: [] },
			compilations: [row(1, { percent: 5, method: 'a.A.low' }), row(2, { percent: 4, method: 'a.A.low' })],
			bias: { unknownPercent: 50, distance, methods },
		});
		expect(finding.text).toBe(
			'Of the time of Java threads, a profiler that sees threads only at safepoints would report a.A.high 30.0 % (true: 10.0 %) and a.A.low 10.0 % (true: 30.0 %): 20 % of its profile would be wrong, 0 % is chance; of 50 % of the samples no printed code tells',
		);
		expect(finding.handles).toEqual(['c1']);
	});

	test('one method alone cannot be confused', () => {
		const distance = { totalVariation: 0.5, expectedFromSampling: 0 };
		expect(
			findings({
				bias: {
					unknownPercent: 0,
					distance,
					methods: [{ method: 'a.A.f', predictedPercent: 1, unbiasedPercent: 2, unbiasedInterval: { low: 1.5, high: 2.5 } }],
				},
			}),
		).toEqual([]);
		expect(findings({ bias: { unknownPercent: 0, distance, methods: [] } })).toEqual([]);
	});
});

describe('safepoints', () => {
	const culprit = (more: object) => ({ compileId: '5', method: 'a.B.loop', line: null, thread: 'main', why: 'counted loop', ...more });
	const delay = (reachingNs: number | null, culprits: readonly object[], isSlow = true) => ({
		safepoint: { reachingNs, totalNs: 40e6, unfinished: null },
		isSlow,
		culprits,
	});

	test('slow ones: how many, the slowest, who was waited for most', () => {
		const delays = [
			delay(20e6, [culprit({ line: 7 }), culprit({ method: 'other' })]),
			delay(60e6, [culprit({ method: 'once' })]),
			delay(15e6, [culprit({})]),
			delay(9e6, [], false),
		];
		expect(onlyFinding({ delays, seconds: 10 })).toEqual({
			kind: 'safepoint',
			place: { method: 'a.B.loop', line: 7, bci: null },
			text: '3 of 4 safepoints took 10 ms or more to reach, the slowest 60.0 ms; 2 waited for c5 a.B.loop in thread main: counted loop',
			handles: ['c5'],
			evidence: ['safepoints', 'samples'],
			command: 'assay bias --ttsp run1',
			// 95 ms of 10 s are 0.95 %; the slowest weighs 60 ms / 100 ms.
			worth: 0.95,
		});
	});

	test('all waited for one, nobody knows for whom, or the log tells totals only', () => {
		expect(onlyFinding({ delays: [delay(30e6, [culprit({ compileId: null, thread: null })])] })).toMatchObject({
			place: { method: 'a.B.loop', line: null, bci: null },
			text: '1 of 1 safepoints took 10 ms or more to reach, the slowest 30.0 ms; all waited for a.B.loop: counted loop',
			handles: [],
			worth: 0.3,
		});
		expect(onlyFinding({ delays: [delay(null, [])], evidence: { samples: { present: false } } })).toMatchObject({
			place: null,
			text: expect.stringMatching(/slowest 40.0 ms; no sample tells who was waited for$/),
			handles: [],
			evidence: ['safepoints'],
			worth: 0.4,
		});
		expect(findings({ delays: [delay(9e6, [], false)] })).toEqual([]);
	});

	test('one that was never reached comes before everything else', () => {
		const end = { uptimeNs: 8.1e9 };
		const hangs = (unfinished: string, culprits: readonly object[], operation: string | null = 'SerialGCCollect (System.gc())') => ({
			safepoint: { operation, reachingNs: 5e9, totalNs: 5e9, unfinished, end },
			isSlow: true,
			culprits,
		});
		const loop = culprit({ line: 7, loop: { poll: 'none', callsMethods: false }, remedy: 'smaller chunks' });
		const found = findings({ delays: [delay(60e6, [culprit({})]), hangs('begun', [loop])] });
		expect(found.map(({ text, worth }) => [text, worth])).toEqual([
			[
				'A safepoint for SerialGCCollect (System.gc()) was begun at 3.10 s and never reached: thread main was in a loop of a.B.loop (line 7), c5, which has no poll because it counts with an int index by a constant step; what helps: smaller chunks',
				1000,
			],
			[expect.stringMatching(/^1 of 2 safepoints took 10 ms or more/), 0.6],
		]);
		expect(found[0]?.place).toEqual({ method: 'a.B.loop', line: 7, bci: null });
		const one = (...args: Parameters<typeof hangs>) => findings({ delays: [hangs(...args)] })[0];
		const text = (...args: Parameters<typeof hangs>) => one(...args)?.text;
		expect(text('begun', [], null)).toBe('A safepoint was begun at 3.10 s and did not end: nothing tells who was waited for');
		const unknown = culprit({ method: '(unknown)', line: null, compileId: null, loop: null, why: 'the thread was late' });
		expect(text('late', [unknown], null)).toBe(
			'A safepoint was still not reached at 3.10 s, and the log tells of no end: thread main was late, and no sample and no code tell where it was',
		);
		expect(one('late', [unknown], null)?.place).toBeNull();
	});

	test('a thread that was late only because it had no processor is no fault of code', () => {
		const late = (reachingNs: number, more: object = {}) => findings({ delays: [delay(reachingNs, [])], ...more }).map(({ worth }) => worth);
		expect([late(99_999_999), late(100e6)]).toEqual([[], [1]]);
		expect(late(50e6, { evidence: { samples: { present: false } } })).toEqual([0.5]);
		expect(onlyFinding({ delays: [delay(50e6, [culprit({ method: '(stub x)', compileId: null })])] })).toMatchObject({
			place: null,
			text: expect.stringMatching(/; all waited for \(stub x\) in thread main: counted loop$/),
			handles: [],
		});
	});

	test('one that never ended: by whose code, and by what evidence', () => {
		const hangs = (unfinished: string, culprits: readonly object[], present: boolean) =>
			onlyFinding({
				delays: [{ safepoint: { operation: null, reachingNs: 5e9, totalNs: 5e9, unfinished, end: { uptimeNs: 8.1e9 } }, isSlow: true, culprits }],
				evidence: { samples: { present } },
			});
		expect(hangs('begun', [culprit({ loop: null })], true)).toMatchObject({
			kind: 'safepoint',
			handles: ['c5'],
			evidence: ['safepoints', 'samples'],
			command: 'assay bias --ttsp run1',
		});
		expect(hangs('begun', [culprit({ loop: null, compileId: null })], false)).toMatchObject({ handles: [], evidence: ['safepoints'] });
		expect(hangs('silent', [], true)).toMatchObject({ handles: [], place: null, evidence: ['samples'] });
	});

	test('thread dumps that cost a percent of the run', () => {
		const dump = { safepoint: { operation: 'ThreadDump', reachingNs: 1e6, totalNs: 5e6, unfinished: null }, isSlow: false, culprits: [] };
		const delays = Array.from({ length: 400 }, () => dump);
		expect(onlyFinding({ delays, seconds: 20 })).toMatchObject({
			kind: 'safepoint',
			text: '400 thread dumps stopped all threads for 2.00 s, 10.0 % of the run: that is what being sampled by thread dumps cost',
			command: 'assay bias --ttsp run1',
			handles: [],
			evidence: ['safepoints', 'samples'],
			worth: 10,
		});
		expect(onlyFinding({ delays, seconds: 200, evidence: { samples: { present: false } } })).toMatchObject({ evidence: ['safepoints'], worth: 1 });
		expect(findings({ delays: delays.slice(1), seconds: 200 })).toEqual([]);
		expect(onlyFinding({ delays: [...delays, { ...dump, safepoint: { ...dump.safepoint, operation: 'PrintThreads' } }], seconds: 200 })).toMatchObject({
			text: expect.stringMatching(/^401 thread dumps stopped all threads for 2.00 s, 1.0 % of the run/),
		});
		expect(findings({ delays: delays.map((one) => ({ ...one, safepoint: { ...one.safepoint, operation: 'Cleanup' } })), seconds: 20 })).toEqual([]);
		expect(findings({ delays, seconds: null })).toEqual([]);
	});

	test('of more slow ones than a call takes arguments the slowest', () => {
		const delays = Array.from({ length: 300_000 }, (_, i) => delay(i === 7 ? 90e6 : 20e6, []));
		expect(onlyFinding({ delays, evidence: { samples: { present: false } } })).toMatchObject({
			text: expect.stringMatching(/^300000 of 300000 safepoints took 10 ms or more to reach, the slowest 90.0 ms/),
			worth: 0.9,
		});
	});

	test('no more than ten for the slowest', () => {
		expect(onlyFinding({ delays: [delay(5e9, [])] }).worth).toBe(10);
		expect(onlyFinding({ delays: [delay(5e9, [])], seconds: 10 }).worth).toBe(50);
	});
});

describe('compiler memory', () => {
	const MIB = 1 << 20;
	const memory = (totalBytes: number, more: object = {}) => ({ handle: 'c1', method: 'a.B.f', totalBytes, byArena: { arenas: [], bytes: [] }, ...more });

	test('from a mebibyte on, the most expensive', () => {
		expect(findings({ memory: [memory(MIB - 1)] })).toEqual([]);
		expect(onlyFinding({ memory: [memory(MIB)] })).toMatchObject({
			text: 'c1 a.B.f took 1.00M of compiler memory, the most of 1 compilations and 100.0 % of their peaks together',
			handles: [],
			command: 'assay memory run1',
			worth: 1 / 64,
		});
		expect(onlyFinding({ memory: [memory(2000 * MIB)] }).worth).toBe(20);
	});

	test('what shows it, and its regions where it has samples', () => {
		const compilations = [row(1, { samples: 3, percent: 12 })];
		expect(onlyFinding({ memory: [memory(MIB)], compilations, hot: SAMPLED })).toEqual({
			kind: 'memory',
			text: 'c1 a.B.f took 1.00M of compiler memory, the most of 1 compilations and 100.0 % of their peaks together; it has 12.0 % of the samples',
			handles: ['c1'],
			evidence: ['compilerMemory'],
			command: 'assay memory run1 && assay hot run1 c1',
			worth: 1 / 64,
		});
	});

	test('its two largest arenas and its samples', () => {
		const byArena = { arenas: ['ra', 'type', 'node', 'none'], bytes: [MIB, 0, 2 * MIB] };
		const one = onlyFinding({
			memory: [memory(MIB, { handle: 'c9' }), memory(4 * MIB, { byArena }), memory(3 * MIB, { handle: 'c8' })],
			compilations: [row(1, { method: 'a.B.g', samples: 1 }), row(1, { handle: 'c1%', samples: 3, percent: 12 })],
		});
		expect(one.text).toBe(
			'c1% a.B.f took 4.00M of compiler memory, the most of 3 compilations and 50.0 % of their peaks together (node 50 %, ra 25 %); it has 12.0 % of the samples',
		);
		expect(one.handles).toEqual(['c1%']);
		expect(one.worth).toBe(4 / 64);
		expect(onlyFinding({ memory: [memory(4 * MIB)], compilations: [row(1, { samples: 0, percent: 3 })] }).text).toMatch(/together$/);
	});
});

describe('deoptimizations', () => {
	const slower = (number: number, percent: number, more: Partial<JoinedCompilation> = {}) => row(number, { level: 3, startedMs: 60_000, percent, ...more });

	test('hot code that was thrown away: what ran in slower code after that', () => {
		const lost = (more: Partial<JoinedCompilation>, others: readonly JoinedCompilation[] = []) =>
			findings({ compilations: [row(1, { notEntrantMs: 1230, percent: 0.5, ...more }), slower(90, 3), ...others] });
		expect(lost({})).toMatchObject([
			{
				kind: 'recompiled-hot',
				text: 'c1 a.B.f was thrown away at 1.23 s after 0.5 % of the samples; 3.0 % of the samples are in its slower code after that',
				handles: ['c1'],
				evidence: ['logCompilation', 'samples'],
				command: 'assay compilations run1 c1',
				worth: 3,
			},
		]);
		expect(lost({ percent: 0.49 })).toEqual([]);
		expect(lost({ level: 3 })).toEqual([]);
		expect(lost({ notEntrantMs: null })).toEqual([]);
		const versions = [
			row(2, { percent: 3 }),
			row(3, { notEntrantMs: 5, percent: 2 }),
			row(4, { level: 3, startedMs: 1 }),
			row(5, { kind: 'osr' }),
			row(6, { method: 'a.B.g' }),
		];
		expect(lost({ notEntrantReason: 'not used' }, versions)).toMatchObject([
			{ text: expect.stringMatching(/: not used; the method was compiled 3 times at this tier; 3.0 % of/), handles: ['c1', 'c2', 'c3'] },
		]);
		const many = [1, 2, 3, 4].flatMap((number) => [
			row(number, { notEntrantMs: 1, percent: 5, method: `m${number}` }),
			slower(10 + number, number, { method: `m${number}` }),
		]);
		expect(findings({ compilations: many }).map(({ handles }) => handles)).toEqual([['c4'], ['c3'], ['c2']]);
	});

	test('hot code that the same tier replaced is no loss; nor what was not needed any more', () => {
		const lost = (later: readonly JoinedCompilation[], interpreted = 0) =>
			findings({
				hot: { ...SAMPLED, reasons: new Map([['interpreter', interpreted]]) },
				compilations: [row(1, { notEntrantMs: 1230, percent: 40 }), ...later],
			}).filter(({ kind }) => kind === 'recompiled-hot');
		expect(lost([row(2, { startedMs: 2000, percent: 50 }), slower(3, 0.4)])).toEqual([]);
		expect(lost([row(2, { startedMs: 2000, percent: 50 }), slower(3, 9, { startedMs: 1000 })], 50)).toEqual([]);
		expect(lost([row(2, { startedMs: 2000, percent: 50 }), slower(3, 0.3), slower(4, 0.3)])).toMatchObject([
			{ worth: 0.6, command: 'assay compilations run1 c1 c2 && assay hot run1 c1 c3 c4' },
		]);
		expect(lost([])).toEqual([]);
		expect(lost([], 20)).toMatchObject([{ text: 'c1 a.B.f was thrown away at 1.23 s after 40.0 % of the samples; it was not compiled again', worth: 20 }]);
	});

	test('code of Truffle that its second tier took over from is no loss', () => {
		const lost = (installedMs: number) =>
			findings({
				hot: { ...SAMPLED, reasons: new Map([['interpreter', 20]]) },
				compilations: [row(1, { startedMs: null, installedMs: 100, notEntrantMs: 1230, percent: 40 }), row(2, { startedMs: null, installedMs, percent: 5 })],
			}).filter(({ kind }) => kind === 'recompiled-hot');
		expect(lost(1220)).toEqual([]);
		expect(lost(50)).toMatchObject([{ text: expect.stringMatching(/it was not compiled again$/) }]);
	});

	test('a method once, with its versions of the same kind at that tier; four are named and all are in the command', () => {
		const compilations = [
			row(1, { notEntrantMs: 1230, percent: 5 }),
			row(2, { notEntrantMs: 900, percent: 4 }),
			row(3, { percent: 3 }),
			row(4, {}),
			row(5, {}),
			slower(7, 2.5),
			row(6, { notEntrantMs: 12_005, percent: 2, method: 'a.B.g', notEntrantReason: 'not used' }),
			slower(8, 1, { method: 'a.B.g' }),
		];
		expect(findings({ compilations, hot: SAMPLED })).toMatchObject([
			{
				text: expect.stringMatching(/^c1 a.B.f was thrown away at 1.23 s after 5.0 % of the samples; the method was compiled 5 times at this tier; 2.5 %/),
				handles: ['c1', 'c2', 'c3', 'c4'],
				command: 'assay compilations run1 c1 c2 c3 c4 c5 && assay hot run1 c1 c7',
				worth: 2.5,
			},
			{
				text: expect.stringMatching(/^c6 a.B.g was thrown away at 12.0[01] s after 2.0 % of the samples: not used; 1.0 %/),
				handles: ['c6'],
				command: 'assay compilations run1 c6 && assay hot run1 c6 c8',
				worth: 1,
			},
		]);
		const named = findings({ compilations: [row(2, { percent: 1 }), row(1, { notEntrantMs: 1, percent: 5 }), slower(3, 1)] });
		expect(named).toMatchObject([{ handles: ['c1', 'c2'], command: 'assay compilations run1 c1 c2' }]);
	});

	test('code of a loop that was left at its end; a normal one has no end of that kind', () => {
		const lost = (kind: 'osr' | 'standard', later: Partial<JoinedCompilation> | null) =>
			findings({
				hot: { ...SAMPLED, reasons: new Map([['interpreter', 3]]) },
				compilations: [
					row(1, { kind, percent: 5, samples: 100, notEntrantMs: 50 }),
					...(later === null ? [] : [row(2, { level: 3, samples: 9, percent: 1, ...later })]),
				],
			}).length;
		expect([lost('osr', null), lost('standard', null)]).toEqual([0, 1]);
		expect([
			lost('osr', { startedMs: 51 }),
			lost('osr', { startedMs: 50 }),
			lost('osr', { startedMs: null }),
			lost('osr', { startedMs: 51, samples: 5 }),
		]).toEqual([1, 0, 0, 0]);
		expect(lost('osr', { startedMs: 51, method: 'a.B.g' })).toBe(0);
	});

	test('hot code that is left again and again', () => {
		const left = (deoptimizations: number, percent: number) => findings({ compilations: [row(1, { deoptimizations, percent })] });
		expect(left(10, 1)).toEqual([
			{
				kind: 'deoptimized-hot',
				text: 'c1 a.B.f has 1.0 % of the samples and was deoptimized 10 times',
				handles: ['c1'],
				evidence: ['logCompilation', 'samples'],
				command: 'assay compilations run1 c1',
				worth: 0.5,
			},
		]);
		expect(left(9, 1)).toEqual([]);
		// Forty threads that each leave the code of one loop at its end, of which a few were compiled for once more.
		const endOfLoop = { kind: 'osr', deoptimizations: 38, percent: 12, samples: 120, notEntrantMs: 17_110 } as const;
		const later = (samples: number) => [row(1, endOfLoop), row(2, { kind: 'osr', level: 3, startedMs: 17_120, samples, percent: 1 })];
		expect(findings({ compilations: [row(1, endOfLoop)] })).toEqual([]);
		expect(findings({ compilations: later(6) })).toEqual([]);
		expect(findings({ compilations: later(7) }).map(({ kind }) => kind)).toEqual(['deoptimized-hot', 'recompiled-hot']);
		expect(findings({ compilations: later(7) }).map(({ worth }) => worth)).toEqual([1.9, 1]);
		expect(left(10, 0.99)).toEqual([]);
		expect(findings({ compilations: [1, 2, 3, 4].map((number) => row(number, { deoptimizations: 10, percent: 5 })) })).toHaveLength(3);
	});
});

test('compilations that failed: the hottest method first; stale tasks are none, nor code that the world had changed under', () => {
	expect(
		findings({ compilations: [row(1, { failure: 'Jvmti state change invalidated dependencies' }), row(2, { failure: 'concurrent class loading' })] }),
	).toEqual([]);
	expect(findings({ compilations: [row(1, { failure: 'stale task' }), row(2, {})] })).toEqual([]);
	const compilations = [
		row(1, { failure: 'out of nodes' }),
		row(2, { failure: 'too large', method: 'a.B.g', evidence: ['printCompilation', 'samples'] }),
		row(3, { method: 'a.B.g', percent: 4 }),
		row(4, { method: 'a.B.g', percent: 3 }),
	];
	expect(onlyFinding({ compilations, hot: SAMPLED })).toEqual({
		kind: 'failed',
		place: { method: 'a.B.g', line: null, bci: null },
		text: '2 compilations failed; c2 a.B.g: too large, a method with 7.0 % of the samples. Make the method smaller, or keep calls out of it',
		handles: ['c2', 'c1'],
		evidence: ['printCompilation'],
		command: 'assay compilations run1 --failed && assay hot run1 c3 c4',
		worth: 7,
	});
	expect(onlyFinding({ compilations: [row(1, { failure: 'out of nodes' })], log: { history: { compilations: [] } } })).toMatchObject({
		text: '1 compilation failed; c1 a.B.f: out of nodes',
		evidence: ['logCompilation'],
		command: 'assay compilations run1 --failed',
		worth: 0.2,
	});
	expect(onlyFinding({ compilations: [1, 2, 3, 4, 5].map((number) => row(number, { failure: 'x' })) }).handles).toEqual(['c1', 'c2', 'c3', 'c4']);
});

test('a method that failed to compile: how hot it is, at which line, and whether it stays in slower code', () => {
	const code = [
		{
			code: { name: 'a.B.f' },
			instructions: { length: 1, frames: () => [{ method: 'a.B.f', bci: 1, line: 17 }] },
			seenAt: SparseColumn.of(Float64Array.of(3)),
		},
	];
	const say = (...own: readonly Partial<JoinedCompilation>[]) =>
		onlyFinding({
			compilations: [row(1, { failure: 'out of nodes' }), ...own.map((more, i) => row(2 + i, more)), row(9, { method: 'a.B.other', level: 1, percent: 9 })],
			hot: { ...SAMPLED, code },
		});
	expect(say({ level: 3, percent: 0.99 })).toMatchObject({
		place: { method: 'a.B.f', line: 17, bci: null },
		text: '1 compilation failed; c1 a.B.f: out of nodes, a method with 1.0 % of the samples, most at line 17, which stays in slower code',
		worth: 0.99,
	});
	expect(say({ level: 4, percent: 1 }).text).toBe(
		'1 compilation failed; c1 a.B.f: out of nodes, a method with 1.0 % of the samples, most at line 17. Make the method smaller, or keep calls out of it',
	);
	expect(say({ level: 3, percent: 0 }, { level: null, percent: 0.5 })).toMatchObject({
		text: '1 compilation failed; c1 a.B.f: out of nodes, a method with 0.5 % of the samples, most at line 17',
		worth: 0.5,
	});
	// Next to no samples in code that it has, or without any code and next to none in the interpreter: nothing is lost.
	const ofInterpreter = (samples: number, ...own: readonly Partial<JoinedCompilation>[]) =>
		findings({
			compilations: [row(1, { failure: 'out of nodes' }), ...own.map((more, i) => row(2 + i, more))],
			hot: { ...SAMPLED, reasons: new Map([['interpreter', samples]]), code },
		}).filter(({ kind }) => kind === 'failed');
	expect(ofInterpreter(0, { level: 3, percent: 0.4 })).toEqual([]);
	expect(ofInterpreter(50, { level: 3, percent: 0.4 })).toEqual([]);
	expect(ofInterpreter(0)).toEqual([]);
	expect(ofInterpreter(50)).toMatchObject([{ place: { line: null }, text: '1 compilation failed; c1 a.B.f: out of nodes', worth: 0.2 }]);
});

test('what the JVM took back by itself is no failure', () => {
	const reasons = ['stale task', 'concurrent class loading', 'Jvmti state change invalidated dependencies', 'DTrace flags change invalidated dependencies'];
	expect(findings({ compilations: reasons.map((failure, i) => row(i, { failure })) })).toEqual([]);
	expect(onlyFinding({ compilations: [...reasons, 'recursive inlining too deep'].map((failure, i) => row(i, { failure })) })).toMatchObject({
		text: '1 compilation failed; c4 a.B.f: recursive inlining too deep',
		handles: ['c4'],
	});
});

describe('time outside of compiled code', () => {
	const outside = (interpreter: number, unknown: number, more: object = {}) =>
		findings({
			hot: {
				attribution: { counted: 100_000 },
				reasons: new Map([
					['interpreter', 1000 * interpreter],
					['unknown', 1000 * unknown],
				]),
			},
			...more,
		});

	test('from five percent on, as far as chance tells', () => {
		expect(outside(5.2, 0)).toEqual([
			{
				kind: 'interpreter',
				text: '5.2 % of the samples are in the interpreter: code that was not compiled, or not yet',
				handles: [],
				evidence: ['samples'],
				command: 'assay hot run1 --by method',
				worth: 2.6,
			},
		]);
		expect(outside(4, 4)).toEqual([]);
		expect(outside(5, 0)).toEqual([]);
		// One sample of ten.
		expect(findings({ hot: { attribution: { counted: 10 }, reasons: new Map([['interpreter', 1]]) } })).toEqual([]);
		expect(outside(6, 6)[0]!.text).toMatch(/in the interpreter/);
		expect(findings({ hot: { attribution: { counted: 0 }, reasons: new Map() } })).toEqual([]);
	});

	test('with the methods that most of it is in', () => {
		const text = (...samples: number[]) =>
			outside(6, 0, { interpreted: samples.map((own, i) => ({ name: `a.B.m${i}`, bytecodeBytes: 9, samples: own })) })[0]!.text;
		const start = '6.0 % of the samples are in the interpreter: code that was not compiled, or not yet';
		expect(text(3000, 1000, 500, 400, 100)).toBe(`${start}; most in a.B.m0 (3.0 %), a.B.m1 (1.0 %), a.B.m2 (0.5 %)`);
		expect(text(4000, 150, 150)).toBe(`${start}; most in a.B.m0 (4.0 %)`);
		expect(text(...Array<number>(30).fill(200))).toBe(`${start}; of 30 methods none has more than 0.2 %`);
	});

	test("the program's, not that of Graal's own code", () => {
		const interpreted = (name: 'jvmci' | 'java', samples: number) => ({ class: name, samples, activities: [{ name: 'interpreter', samples }] });
		const graal = (samples: number) => ({ threadTime: { counted: 100_000, classes: [interpreted('jvmci', samples), interpreted('java', 9000 - samples)] } });
		expect(outside(9, 0, graal(3000))[0]).toMatchObject({
			text: "6.0 % of the samples are in the interpreter: code that was not compiled, or not yet; Graal's own 3.0 % are not among them",
			command: 'assay hot run1 --by class',
			worth: 3,
		});
		expect(outside(9, 0, graal(7000)).filter(({ kind }) => kind === 'interpreter')).toEqual([]);
	});

	test('stacks that could not be walked', () => {
		const lines = { lineOf: () => null, hottestLine: () => null };
		const hot = { lines, attribution: { counted: 1000 }, reasons: new Map([['unknown', 100]]) };
		expect(findings({ hot })).toEqual([
			{
				kind: 'interpreter',
				text: '10.0 % of the samples have no stack: the profiler could not walk it',
				handles: [],
				evidence: ['stacks'],
				command: 'assay report run1',
				worth: 5,
			},
		]);
		expect(findings({ hot, chosen: { threadClass: 'java' } })[0]!.text).toMatch(/^10.0 % of these samples have no stack/);
	});

	test('is said once: a method that is too large to be compiled explains it, and a flag does', () => {
		const kinds = (more: object) => outside(20, 0, more).map(({ kind }) => kind);
		expect(kinds({})).toEqual(['interpreter']);
		expect(kinds({ jvm: { arguments: '-Xint' } })).toEqual(['excluded']);
		expect(kinds({ compilations: [row(1, {})], refused: () => [{ ...CALL, callee: 'a.X.huge', calleeBytes: 9000 }] })).toEqual(['huge-method']);
	});

	test('code that no file names, and what would name it', () => {
		const hint = (more: object) => outside(5, 6, more)[0];
		expect(hint({})).toMatchObject({
			text: '6.0 % of the samples lie in code that no file names: interpreter and stubs are told only with -XX:+PrintInterpreter -XX:+PrintStubCode',
			command: 'assay hot run1 --by method',
			worth: 3,
		});
		expect(hint({ jvm: { arguments: '-Xmx1g -XX:+PrintInterpreter' } })?.text).toMatch(/no file names$/);
		expect(hint({ jvm: { arguments: '-Xmx1g' } })?.text).toMatch(/PrintStubCode$/);
		expect(hint({ evidence: { logCompilation: { present: false } } })?.text).toMatch(/there is no log of the code that the JVM generated$/);
	});
});

test('findings stand in order of their worth', () => {
	const slower = row(3, { level: 3, startedMs: 2, percent: 15 });
	const all = findings({
		compilations: [row(1, { percent: 30, notEntrantMs: 1 }), slower, row(2, { method: 'a.C.c', failure: 'x' })],
		memory: [{ handle: 'c1', method: 'a.B.f', totalBytes: 128 << 20, byArena: { arenas: [], bytes: [] } }],
	});
	expect(all.map(({ kind, worth }) => [kind, worth])).toEqual([
		['recompiled-hot', 15],
		['memory', 2],
		['failed', 0.2],
	]);
});

describe('of the threads that were chosen', () => {
	const threadTime = {
		counted: 1000,
		classes: [
			{ class: 'gc', samples: 300, activities: [], share: { percent: 30 } },
			{ class: 'c2', samples: 400, activities: [], share: { percent: 40 } },
		],
	};
	const kinds = (chosen: object) =>
		findings({ threadTime, chosen, collector: null, compilations: [row(2, { failure: 'x' })] }).map(({ kind, worth }) => [kind, worth]);

	test('nothing is said of what weighs threads of several classes', () => {
		expect(kinds({})).toEqual([
			['collector', 30],
			['compilers', 10],
			['failed', 0.2],
		]);
		expect(kinds({ wholeRun: true })).toHaveLength(3);
		expect(kinds({ threadClass: 'java' })).toEqual([['failed', 0.2]]);
		expect(kinds({ thread: 'main' })).toEqual([['failed', 0.2]]);
	});
});

describe('the evidence of a finding', () => {
	const evidence = (more: object, own: JoinedCompilation['evidence'] = ['logCompilation', 'samples', 'deoptimizations']) =>
		onlyFinding({ compilations: [row(1, { deoptimizations: 10, percent: 2, evidence: own })], ...more }).evidence;
	const log = (origin: string) => ({ log: { origin, history: { compilations: [] } } });

	test('is called what the run has: stacks stand for samples, a Flight Recorder recording for the log', () => {
		const stacks = { hot: { ...SAMPLED, lines: { lineOf: () => null, hottestLine: () => null } } };
		expect(evidence({})).toEqual(['logCompilation', 'samples', 'deoptimizations']);
		expect(evidence({ ...log('logCompilation'), hot: SAMPLED })).toEqual(['logCompilation', 'samples', 'deoptimizations']);
		expect(evidence(stacks)).toEqual(['logCompilation', 'stacks', 'deoptimizations']);
		expect(evidence(log('flightRecorder'))).toEqual(['flightRecorder', 'samples', 'deoptimizations']);
	});

	test('is named once', () => {
		expect(evidence(log('flightRecorder'), ['flightRecorder', 'logCompilation'])).toEqual(['flightRecorder']);
	});
});
