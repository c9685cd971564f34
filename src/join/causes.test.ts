import { describe, expect, test } from 'vitest';
import { joinedCompilation } from '../../test/joined-runs.js';
import type { HotReport } from '../hot/hot-results.js';
import { slowInstructions } from '../hot/slow-instructions.js';
import type { JitCompilation } from '../model/jit-compilation.js';
import { unknownCompilation } from '../model/jit-compilation.js';
import type { JoinedCompilation, RecordingFinding } from '../model/joined-recording.js';
import type { ThreadClass } from '../model/thread-class.js';
import { wilsonInterval } from '../statistics/shares.js';
import { causesOf } from './causes.js';
import type { JoinedRun } from './joined-run.js';

/** Samples by class and activity. */
type Time = Partial<Record<ThreadClass, Readonly<Record<string, number>>>>;

function timeOf(time: Time): JoinedRun['threadTime'] {
	const rows = Object.entries(time).map(([of, activities]) => ({
		class: of as ThreadClass,
		samples: Object.values(activities).reduce((sum, count) => sum + count, 0),
		activities: Object.entries(activities).map(([name, samples]) => ({ name, samples })),
	}));
	const counted = rows.reduce((sum, { samples }) => sum + samples, 0);
	return { counted, threads: [], libraries: [], classes: rows.map((row) => ({ ...row, threads: 1, share: wilsonInterval(row.samples, counted) })) };
}

function logged(more: Partial<JitCompilation>): JitCompilation {
	return { compileId: '1', kind: 'standard', method: 'a.B.f', signature: '()V', ...unknownCompilation(), compiler: 'c2', level: 4, ...more };
}

const row = (more: Partial<JoinedCompilation>): JoinedCompilation => joinedCompilation({ samples: 10, percent: 10, ...more });

interface Facts {
	readonly time?: Time;
	/** Of 100 samples. */
	readonly interpreted?: number;
	readonly logged?: readonly JitCompilation[];
	readonly code?: readonly object[];
	readonly run?: object;
}

/** Only what causes look at. */
function causes({ time, interpreted = 0, logged: compilations = [], code = [], run = {} }: Facts): RecordingFinding[] {
	const decisions = (run as { decisions?: readonly object[] }).decisions ?? [];
	const hot = { attribution: { counted: 100 }, reasons: new Map([['interpreter', interpreted]]), code };
	const joined = {
		name: 'run1',
		processId: null,
		chosen: {},
		seconds: 10,
		jvm: { arguments: '' },
		compilations: [],
		refused: () => [],
		delays: [],
		collector: null,
		summary: null,
		threadTime: time === undefined ? null : timeOf(time),
		hot,
		slowInstructions: slowInstructions(hot as unknown as HotReport),
		log: { history: { compilations }, readDecisions: () => decisions },
		...run,
	};
	return causesOf(joined as unknown as JoinedRun);
}

function only(facts: Facts): RecordingFinding {
	const all = causes(facts);
	expect(all.map(({ kind }) => kind)).toHaveLength(1);
	return all[0]!;
}

describe('storms', () => {
	const storm = (more: object = {}) => ({ method: 'a.B.f', reason: 'null_check', count: 40, fromMs: 10, toMs: 1510, compileIds: ['1', '2'], ...more });

	test('methods whose names are lost are not one', () => {
		const time: Time = { java: { 'compiled code': 60 }, c2: { compiling: 40 } };
		const lost = Array.from({ length: 20 }, (_, i) => storm({ method: '?', compileIds: [String(i)] }));
		expect(causes({ time, run: { summary: { storms: lost } } }).filter(({ kind }) => kind === 'deoptimization-storm')).toEqual([]);
	});

	test('one finding a method, with all its reasons, what compiling and slower code cost', () => {
		const finding = only({
			time: { java: { 'compiled code': 60 }, c2: { compiling: 40 } },
			logged: [
				logged({ startedMs: 0, doneMs: 600 }),
				logged({ compileId: '2', startedMs: 600, doneMs: 900 }),
				logged({ compileId: '9', method: 'a.X.x', startedMs: 900, doneMs: 1200 }),
			],
			run: {
				summary: { storms: [storm(), storm({ reason: 'class_check', count: 2, toMs: 2010, compileIds: ['2', '3'] })], queues: [], codeHeap: null },
				compilations: [row({ level: 3, percent: 7 }), row({ compileId: '2', percent: 50 })],
				seconds: 100,
			},
		});
		expect(finding).toMatchObject({
			kind: 'deoptimization-storm',
			place: { method: 'a.B.f', line: null, bci: null },
			handles: ['c1', 'c2', 'c3'],
			command: 'assay compilations run1 c1 c2 c3 && assay hot run1 c1',
		});
		expect(finding.text).toMatch(
			/^a.B.f is compiled, left and compiled again: 42 deoptimizations \(null_check, class_check\) in 3 versions of its code; compiling these took 900 ms of the compilers' time, and 7.0 % of all samples are in its slower code of C1 meanwhile\./,
		);
		// 40 % of the samples compile, three quarters of that this method; the storm itself adds 42 / 20.
		expect(finding.worth).toBeCloseTo(30 + 7 + 2.1, 6);
	});

	test('of one version: it is left again and again; one of on-stack replacement is left at the end of its loop', () => {
		const one = (compileId: string) =>
			causes({
				logged: [logged({ compileId, startedMs: 0, doneMs: 600 })],
				run: { summary: { storms: [storm({ compileIds: [compileId] })], queues: [], codeHeap: null }, seconds: 100 },
			}).filter(({ kind }) => kind === 'deoptimization-storm');
		expect(one('940%')).toEqual([]);
		expect(one('7').map(({ text }) => text)).toEqual([
			expect.stringMatching(/^a.B.f is left again and again: 40 deoptimizations \(null_check\) in one version of its code; compiling it took 600 ms/),
		]);
	});

	test('compilers alone are no finding beside it', () => {
		const time = { java: { 'compiled code': 50 }, c2: { compiling: 50 } };
		expect(causes({ time }).map(({ kind }) => kind)).toEqual(['compilers']);
		const explained = { logged: [logged({ startedMs: 0, doneMs: 100 })], run: { summary: { storms: [storm()], queues: [], codeHeap: null } } };
		expect(causes({ time, ...explained }).map(({ kind }) => kind)).toEqual(['deoptimization-storm']);
		const other = logged({ compileId: '9', method: 'a.X.x', startedMs: 0, doneMs: 101 });
		expect(causes({ time, ...explained, logged: [...explained.logged, other] }).map(({ kind }) => kind)).toEqual(['deoptimization-storm', 'compilers']);
	});
});

test('compilers: from a fifth of the samples on, beyond chance; by whom', () => {
	const time = (c2: number, java: number): Time => ({ c2: { compiling: c2 }, java: { 'compiled code': java } });
	expect(causes({ time: time(200, 800) })).toEqual([]);
	expect(causes({ time: time(3, 7) })).toEqual([]);
	expect(causes({ time: time(226, 774) })).toHaveLength(1);
	const finding = only({ time: { c1: { compiling: 100 }, ...time(300, 600) } });
	expect(finding).toMatchObject({ kind: 'compilers', command: 'assay hot run1 --by class', worth: 10 });
	expect(finding.text).toMatch(/^The JVM's compilers take 40.0 % of all samples \(C1 10.0 %, C2 30.0 %\)\. Measure later parts/);
	const saidOf = (...logs: [startedMs: number, doneMs: number][]): string =>
		only({ time: time(300, 600), logged: logs.map(([startedMs, doneMs], i) => logged({ compileId: String(i), startedMs, doneMs })) }).text;
	expect(saidOf([0, 400], [4950, 5050])).toContain("(C2 33.3 %), nearly all of it in the run's first half: the program's start. Measure");
	expect(saidOf([0, 400], [5000, 5100])).toContain("nearly all of it in the run's first half");
	expect(saidOf([0, 399], [5000, 5100])).toContain("until the run's end");
	expect(saidOf([0, 290], [4900, 5100])).toContain("(C2 33.3 %), until the run's end: it is too short to have warmed up, or new code keeps coming. Measure");
});

test('a compilation that takes long, or never ends', () => {
	const slow = (more: Partial<JitCompilation>) =>
		causes({ logged: [logged({ startedMs: 1000, doneMs: 2000, ...more })], run: { compilations: [row({ level: 3, percent: 20 })] } });
	expect(slow({})[0]).toMatchObject({
		kind: 'slow-compilation',
		handles: ['c1'],
		worth: 20,
		text: expect.stringMatching(/^C2 took 1.0 s of the run's 10.0 s to compile c1 a.B.f; .*; 20.0 % of all samples are in slower code of the method/),
	});
	// At least half a second, and a tenth of the run.
	expect(slow({ doneMs: 1999 })).toEqual([]);
	expect(slow({ doneMs: null })[0]?.text).toMatch(/took 9.0 s of the run's 10.0 s to compile c1 a.B.f, and had not ended when the log did;/);
	expect(slow({ doneMs: null, failure: { reason: 'x', phase: null } })).toEqual([]);
	// Of several methods whose names are lost.
	expect(slow({ method: '?' })).toEqual([]);
});

test('several long compilations of one method are one that takes long', () => {
	const compiled = (compileId: string, startedMs: number, doneMs: number | null, more: Partial<JitCompilation> = {}) =>
		logged({ compileId, startedMs, doneMs, ...more });
	const slow = (...log: JitCompilation[]) => causes({ logged: log, run: { compilations: [row({ level: 3, percent: 2 })] } });
	const rest = [compiled('5', 0, 99), compiled('6', 0, 700, { method: 'a.B.g' }), compiled('7', 0, 700, { compiler: 'C1' })];
	const [finding] = slow(compiled('1%', 1000, 1400), compiled('2%', 2000, 2600), compiled('3', 3000, 3100), ...rest);
	expect(finding).toMatchObject({
		kind: 'slow-compilation',
		handles: ['c2%', 'c1%', 'c3'],
		command: expect.stringMatching(/^assay compilations run1 c2% c1% c3 && /),
		text: expect.stringMatching(/^C2 took 1.1 s of the run's 10.0 s to compile a.B.f 3 times, for 600 ms at the longest \(c2%\); its thread/),
	});
	expect(finding?.worth).toBeCloseTo(11 / 3);
	expect(slow(compiled('1', 0, 500), compiled('2', 500, 999), ...rest)).toEqual([]);
	expect(slow(compiled('1', 0, 500), compiled('2', 9500, null))[0]?.text).toMatch(
		/a.B.f 2 times, for .* \(c1\), and the last of them had not ended when the log did;/,
	);
});

describe('code in the interpreter', () => {
	const huge = {
		bci: 3,
		callee: 'a.X.huge',
		caller: 'a.B.g',
		calleeBytes: 8000,
		reason: 'hot method too big',
		receivers: [],
		targets: [],
		calleePercent: 0,
	};

	test('a method that is too large to be compiled, told by its caller', () => {
		const finding = only({ interpreted: 60, run: { compilations: [row({})], refused: () => [huge] } });
		expect(finding).toMatchObject({ kind: 'huge-method', place: { method: 'a.X.huge' }, worth: 60, command: 'assay hot run1 --by method' });
		expect(finding.text).toMatch(/^a.X.huge is never compiled: it has 8,000 bytes of bytecode, .* where 60.0 % of all samples are\. a.B.g calls it at bci 3/);
		const none = (more: object, interpreted = 60) => causes({ interpreted, run: { compilations: [row({})], refused: () => [huge], ...more } });
		expect(none({ refused: () => [{ ...huge, calleeBytes: 7999 }] })).toEqual([]);
		expect(none({ compilations: [row({}), row({ compileId: '2', method: 'a.X.huge' })] })).toEqual([]);
		expect(none({ jvm: { arguments: '-XX:-DontCompileHugeMethods' } })).toEqual([]);
		expect(none({}, 4.9)).toEqual([]);
	});

	test('flags that keep code from being compiled', () => {
		const flags = (text: string, more: Facts = { interpreted: 30 }) => causes({ ...more, run: { jvm: { arguments: text }, ...more.run } });
		expect(flags('-Xmx1g -Xint')[0]).toMatchObject({ kind: 'excluded', text: expect.stringContaining('started with -Xint, and 30.0 %'), worth: 30 });
		expect(flags('-Xinternalversion')).toEqual([]);
		expect(flags('-XX:CompileCommand=exclude,a.B::f -XX:CompileCommand=exclude,a.B::g')[0]).toMatchObject({
			place: { method: 'a.B.f' },
			text: expect.stringMatching(/^a.B::f, a.B::g is kept in the interpreter/),
		});
		const placeOf = (text: string) => flags(text)[0]?.place?.method ?? null;
		expect(placeOf('-XX:CompileCommand=exclude,java/lang/String.indexOf(I)I')).toBe('java.lang.String.indexOf');
		expect(placeOf('-XX:CompileCommand=exclude,java.lang.String::indexOf,true')).toBe('java.lang.String.indexOf');
		expect(placeOf('-XX:CompileCommand=exclude,*::indexOf')).toBeNull();
		expect(placeOf('-XX:CompileCommand=exclude,a.B::f -Xint')).toBeNull();
		expect(flags('-Xint', { interpreted: 4.9 })).toEqual([]);
		const inC1 = { run: { compilations: [row({ level: 1, percent: 40 }), row({ level: null, percent: 10 })] } };
		expect(flags('-XX:TieredStopAtLevel=1', inC1)[0]).toMatchObject({ text: expect.stringContaining('40.0 % of all samples are in code of C1'), worth: 20 });
		expect(flags('-XX:TieredStopAtLevel=4', inC1)).toEqual([]);
	});

	test('a queue that is long, and in which a tenth waits long', () => {
		const queue = { compiler: 'c2', longest: 10, longestAtMs: 500, longestWaitMs: 700, tenthWaitMs: 500, meanWaitMs: 20, neverStarted: 3, longestOf: [] };
		const waiting = (more: object = {}, { interpreted = 20, ...facts }: Facts = {}) =>
			causes({ interpreted, ...facts, run: { summary: { storms: [], codeHeap: null, queues: [{ ...queue, ...more }] }, ...facts.run } });
		expect(waiting()[0]).toMatchObject({
			kind: 'compile-queue',
			worth: 10,
			command: 'assay compilations run1 && assay hot run1 --by method',
			text: expect.stringMatching(
				/^Methods wait for C2: a tenth of what was to be compiled stood in its queue for 500 ms or longer, up to 700 ms, 10 at once at 0.50 s, and 3 were never compiled; 20.0 % of all samples are in the interpreter\./,
			),
		});
		expect([waiting({ tenthWaitMs: 499 }), waiting({ longest: 9 }), waiting({}, { interpreted: 4.9 })]).toEqual([[], [], []]);
		// Where C1 compiles too, its code runs meanwhile: what counts is that of methods that waited, at whatever compiler they did.
		const log = [
			logged({ compileId: '1', method: 'a.B.long', queuedMs: 0, startedMs: 100, doneMs: 110 }),
			logged({ compileId: '2', method: 'a.B.never', queuedMs: 0, startedMs: null, doneMs: null }),
			logged({ compileId: '3', method: 'a.B.gone', queuedMs: 0, startedMs: null, doneMs: null, failure: { reason: 'x', phase: null } }),
			logged({ compileId: '4', method: 'a.B.short', queuedMs: 0, startedMs: 99, doneMs: 110 }),
			logged({ compileId: '5', method: 'a.B.long', level: 3, compiler: 'c1', queuedMs: 0, startedMs: 500, doneMs: 510 }),
			logged({ compileId: '6', method: 'a.B.short', level: 3, compiler: 'c1', queuedMs: 0, startedMs: 500, doneMs: 510 }),
		];
		const inC1 = (percent: number) =>
			['long', 'never', 'gone', 'short'].map((name, i) => row({ compileId: `${10 + i}`, method: `a.B.${name}`, level: 3, percent }));
		expect(waiting({}, { logged: log, interpreted: 0, run: { compilations: inC1(3) } })[0]).toMatchObject({
			worth: 3,
			command: 'assay compilations run1 && assay hot run1 --by library',
			text: expect.stringContaining("never compiled; 12.0 % of all samples are in C1's code."),
		});
		expect(waiting({}, { logged: log, interpreted: 20, run: { compilations: inC1(2) } })).toEqual([]);
	});

	test('C1 switched off', () => {
		const flags = (text: string, interpreted = 30) => causes({ interpreted, run: { jvm: { arguments: text } } });
		expect(flags('-XX:-TieredCompilation')[0]).toMatchObject({
			kind: 'excluded',
			worth: 15,
			text: expect.stringMatching(/^C1 is switched off: .* 30.0 % of all samples are in the interpreter/),
		});
		expect(flags('-XX:-TieredCompilation -XX:+TieredCompilation')).toEqual([]);
		expect(flags('-XX:-TieredCompilation', 4.9)).toEqual([]);
	});
});

test('OSR code alone: the hottest row, no samples in any other version', () => {
	const osr = row({ kind: 'osr', percent: 30, osrBci: 18 });
	const found = (...compilations: JoinedCompilation[]) => causes({ run: { compilations } });
	expect(found(osr)[0]).toMatchObject({ kind: 'osr-only', place: { method: 'a.B.f', bci: 18 }, worth: 3 });
	expect(found(osr, row({ compileId: '2', percent: 0 }))).toHaveLength(1);
	expect(found(osr, row({ compileId: '2', percent: 0.1 }))).toEqual([]);
	expect(found({ ...osr, percent: 29.9 })).toEqual([]);
	expect(found({ ...osr, level: 3 })).toEqual([]);
	expect(found(row({ percent: 30 }))).toEqual([]);
});

describe('a code cache without room', () => {
	const heap = { reservedBytes: 2_500_000, leastFreeBytes: 700_000, firstFreeBytes: 2_000_000 };
	const gone = (ms: number, reason: string | null) => logged({ notEntrant: { ms, reason }, installedMs: 1, removedMs: reason === null ? ms + 5 : null });
	const full = (compilations: readonly JitCompilation[], codeHeap: object | null = heap) =>
		causes({ logged: compilations, interpreted: 10, run: { summary: { storms: [], queues: [], codeHeap } } });
	const twenty = Array.from({ length: 20 }, () => gone(50, 'not used'));

	test('much code was thrown out for not being used', () => {
		const [finding] = full([...twenty, logged({ startedMs: 60, doneMs: 61 })]);
		expect(finding).toMatchObject({ kind: 'code-cache', command: 'assay compilations run1' });
		expect(finding?.text).toMatch(
			/^The code cache of 2.4 MB has .* the code of 20 compilations was thrown out .*, 20 of them were compiled again later; at times only 684 KB were free/,
		);
		expect(full(twenty.slice(1))).toEqual([]);
		expect(full(twenty, null)).toEqual([]);
		expect(full(twenty, { ...heap, leastFreeBytes: 200e6, reservedBytes: 240e6 })).toEqual([]);
	});

	test('before JDK 20: removed without a trap, and without another version', () => {
		const old = Array.from({ length: 20 }, (_, i) => ({ ...gone(50, null), method: `a.B.m${i}` }));
		expect(full(old)).toHaveLength(1);
		expect(full([...old.slice(1), { ...old[0]!, removedMs: null }])).toEqual([]);
		expect(full([...old, logged({ method: 'a.B.m0', installedMs: 49 })])).toEqual([]);
	});
});

/** Code with samples on its second instruction, behind a slow one. */
function slowCode(text: string, samples: number) {
	const frame = { method: 'a.B.f', bci: 7, line: 42 };
	const textAt = (i: number) => [text, 'mov %eax,%ebx', 'ret'][i] ?? '';
	return {
		code: { compileId: '5', name: 'a.B.f' },
		instructions: {
			length: 3,
			text: [text, 'mov %eax,%ebx', 'ret'],
			positions: [[frame]],
			position: Int32Array.of(0, 0, 0),
			frames: () => [frame],
			textAt: textAt,
			formAt: textAt,
		},
		seen: Float64Array.of(0, samples, 0),
		analysed: null,
	};
}

test('slow instructions: the sample behind one waited for it', () => {
	expect(causes({ code: [slowCode('idiv %ecx', 10)] })[0]).toMatchObject({
		kind: 'slow-instructions',
		place: { method: 'a.B.f', line: 42, bci: 7 },
		text: expect.stringMatching(/^10.0 % of all samples wait for a slow instruction in a.B.f \(line 42\): a division, idiv %ecx\. Divide by constants/),
		handles: ['c5'],
		worth: 5,
	});
	expect(causes({ code: [slowCode('idiv %ecx', 9)] })).toEqual([]);
	expect(causes({ code: [slowCode('add %ecx,%eax', 50)] })).toEqual([]);
	expect(causes({ code: [slowCode('lock addl $0x0,-0x40(%rsp)', 50)] })[0]?.text).toContain('the barrier behind a write to a volatile field');
	expect(causes({ code: [slowCode('lock cmpxchg %r10,(%r14)', 50)] })[0]?.text).toContain('an atomic access');
});

test('contention: time in monitors, and the atomic instructions that are waited for', () => {
	const contended = (spun: number) =>
		causes({
			time: { java: { 'compiled code': 980 - spun, monitors: 20, 'contended monitors': spun } },
			code: [slowCode('lock cmpxchg %r10,(%r14)', 40)],
		});
	expect(contended(20)[0]).toMatchObject({
		kind: 'contention',
		place: { method: 'a.B.f', line: 42 },
		text: expect.stringMatching(/^Threads contend for monitors: 4.0 % of all samples .*, and 40.0 % wait for atomic instructions, most in a.B.f \(line 42\)/),
		worth: 50,
	});
	// Locks that nobody else wants.
	expect(contended(3).map(({ kind }) => kind)).toEqual(['slow-instructions']);
});

test('exceptions: time in making them, and who does', () => {
	const decision = { bcis: [4, 9], callee: 'a.MyException.<init>', caller: 'a.B.g', inlined: false, intrinsic: false, reason: '', receivers: [] };
	const thrown = (count: number, decisions: readonly object[] = [decision]) =>
		causes({
			time: { java: { 'compiled code': 1000 - count, 'exceptions and stack walks': count } },
			logged: [logged({})],
			run: { compilations: [row({})], decisions },
		});
	expect(thrown(100)[0]).toMatchObject({
		kind: 'exceptions',
		place: { method: 'a.B.g', bci: 9 },
		text: expect.stringMatching(/^Exceptions are control flow here: 10.0 % .*; a.B.g makes a.MyException\./),
		handles: ['c1'],
	});
	expect(thrown(50)).toEqual([]);
	// A constructor of an exception that calls another one is not who makes it.
	expect(thrown(100, [{ ...decision, caller: 'a.MyException.<init>' }])[0]).toMatchObject({ place: null, handles: [] });
});

test('the collector: its threads, the VM thread of the serial one, allocation; its pauses', () => {
	const time: Time = {
		java: { 'compiled code': 800, allocation: 20 },
		gc: { 'garbage collection': 100, kernel: 30 },
		jvm: { 'garbage collection': 40, kernel: 10 },
	};
	const delays = [{ safepoint: { operation: 'G1PauseRemark', totalNs: 1e9, reachingNs: 0 }, isSlow: false, culprits: [] }];
	const collector = { counted: 'safepoints', count: 4, totalNs: 1e9, longestNs: 0.25e9, percentOfRun: 10 };
	const finding = only({ time, run: { delays, collector, compilations: [row({})] } });
	expect(finding.text).toMatch(
		/^Garbage collection and allocation take 19.0 % of all samples \(the collector's threads 13.0 %, the VM thread 4.0 %, Java threads 2.0 %\); its pauses stop the program for 10.0 % of the run\. The hottest code is a.B.f/,
	);
	expect(finding).toMatchObject({ kind: 'collector', evidence: ['samples', 'safepoints'] });
	expect(causes({ time: { java: { 'compiled code': 900 }, gc: { 'garbage collection': 100 } } })).toEqual([]);
});

test('the collector without threads of samples: how long it stopped the program', () => {
	const collector = { counted: 'collections', count: 25, totalNs: 2.227e9, longestNs: 207.7e6, percentOfRun: 69.2 };
	expect(causes({ run: { collector } })).toMatchObject([
		{
			kind: 'collector',
			text: 'The garbage collector stops the program for 69.2 % of the run: 2.23 s in 25 collections, the longest 208 ms. Allocate less, or give more heap (-Xmx)',
			evidence: ['safepoints'],
			command: 'assay bias --ttsp run1',
			worth: 69.2,
		},
	]);
	expect(only({ run: { collector, compilations: [row({})] } }).text).toContain('The hottest code is a.B.f. Allocate less there');
	expect(causes({ run: { collector: { ...collector, percentOfRun: 9.9 } } })).toEqual([]);
	expect(causes({ run: { collector: { ...collector, percentOfRun: null } } })).toEqual([]);
	// Samples of threads tell more.
	expect(causes({ time: { java: { 'compiled code': 900 } }, run: { collector } })).toEqual([]);
});

test('class loading in Java threads only: compilers look classes up, too', () => {
	expect(causes({ time: { java: { 'compiled code': 900, 'class loading': 100 } } })[0]).toMatchObject({ kind: 'class-loading', worth: 10 });
	expect(causes({ time: { java: { 'compiled code': 900 }, jvm: { 'class loading': 100 } } })).toEqual([]);
	// As all other findings have it: what libjvm does for interpreted code is not in the interpreter.
	const [finding] = causes({ time: { java: { 'compiled code': 700, 'class loading': 100, interpreter: 120, 'interpreter and calls': 80 } }, interpreted: 12 });
	expect(finding?.text).toContain('; 12.0 % are in the interpreter, where new code begins');
});
