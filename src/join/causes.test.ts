import { describe, expect, test } from 'vitest';
import { piece } from '../../test/code.js';
import { joinedCompilation } from '../../test/joined-runs.js';
import type { HotReport } from '../hot/hot-results.js';
import { slowAmong, slowInstructions } from '../hot/slow-instructions.js';
import type { Frame, Instructions } from '../model/instructions.js';
import type { Deoptimization, JitCompilation } from '../model/jit-compilation.js';
import { unknownCompilation } from '../model/jit-compilation.js';
import type { JoinedCompilation, RecordingFinding } from '../model/joined-recording.js';
import { SparseColumn } from '../model/sparse-column.js';
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
		interpreted: [],
		scalarLoops: [],
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

	test('the three that cost most; what each is worth, and what is shown of it', () => {
		const storms = [
			storm({ method: 'a.B.cheap', count: 20, compileIds: ['1', '2'] }),
			storm({ method: 'a.B.dear', count: 2000, compileIds: Array.from({ length: 30 }, (_, i) => String(100 + i)) }),
			storm({ method: 'a.B.mid', count: 60, compileIds: ['3', '4'] }),
			storm({ method: 'a.B.slow', count: 20, compileIds: ['5', '6'] }),
		];
		const compilations = [
			row({ compileId: '5', level: 3, percent: 4, method: 'a.B.slow' }),
			row({ compileId: '3', level: 3, percent: 0.04, method: 'a.B.mid' }),
		];
		const found = causes({ run: { summary: { storms, queues: [], codeHeap: null }, compilations } });
		expect(found.map(({ place, worth }) => [place?.method, worth])).toEqual([
			['a.B.dear', 5],
			['a.B.slow', 5],
			['a.B.mid', 3.04],
		]);
		expect(found[0]).toMatchObject({
			handles: ['c100', 'c101', 'c102', 'c103'],
			evidence: ['logCompilation'],
			command: `assay compilations run1 ${Array.from({ length: 24 }, (_, i) => `c${100 + i}`).join(' ')}`,
			text: 'a.B.dear is compiled, left and compiled again: 2000 deoptimizations (null_check) in 30 versions of its code. The code relies on what was seen so far: warm it up with all the kinds of input that it will see, or take the rare way out of the hot method',
		});
		expect([found[1]?.command, found[2]?.command]).toEqual(['assay compilations run1 c5 c6 && assay hot run1 c5', 'assay compilations run1 c3 c4']);
		expect(found[1]?.text).toContain('2 versions of its code; 4.0 % of all samples are in its slower code of C1 meanwhile. The code');
	});

	test('its place is the bytecode of its first trap of such a reason in the method itself', () => {
		const trap = (more: Partial<Deoptimization>): Deoptimization => ({
			kind: 'uncommon trap',
			reason: 'null_check',
			action: null,
			method: 'a.B.f',
			bci: 7,
			ms: 5,
			threadId: null,
			...more,
		});
		const [placed] = causes({
			logged: [
				logged({ compileId: '9', startedMs: 0, doneMs: 1, deoptimizations: [trap({ reason: 'unloaded', bci: 1 }), trap({ method: 'a.B.inner', bci: 2 })] }),
				logged({ compileId: '1', startedMs: 0, doneMs: 20, deoptimizations: [trap({ bci: 3 }), trap({ bci: 4 })] }),
				logged({ compileId: '2', startedMs: 0, doneMs: 30, deoptimizations: [trap({ bci: 5 })] }),
				logged({ compileId: '3', startedMs: 0, doneMs: 40 }),
			],
			code: [slowCode('mov %eax,%ebx', 1, { bci: 2, line: 42 })],
			run: { summary: { storms: [storm()], queues: [], codeHeap: null } },
		});
		expect(placed?.place).toEqual({ method: 'a.B.f', bci: 3, line: 42 });
		// Of the versions that were left, not of those that were not.
		expect(placed?.text).toMatch(/^a.B.f \(line 42\) is compiled, .* compiling these took 50 ms of/);
	});

	test('half of the time that compiled explains the compilers, the time of the interpreter goes to the storm by its part', () => {
		const log = [logged({ startedMs: 0, doneMs: 100 }), logged({ compileId: '9', method: 'a.X.x', startedMs: 0, doneMs: 300 })];
		const time = { java: { 'compiled code': 50 }, c1: { compiling: 10 }, c2: { compiling: 20 }, jvmci: { compiling: 10 }, gc: { work: 5 }, jvm: { work: 5 } };
		const found = causes({ time, interpreted: 4, logged: log, run: { summary: { storms: [storm()], queues: [], codeHeap: null } } });
		// A quarter of 40 % and of 4 %, and 40 / 20 for its traps.
		expect(found.map(({ kind, worth }) => [kind, worth])).toEqual([
			['deoptimization-storm', 13],
			['compilers', 10],
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

test('compilers: classes that are made anew under the same name', () => {
	const ofClass = (number: number, more: Partial<JitCompilation> = {}): JitCompilation =>
		logged({ compileId: String(number), method: 'Gen.f', signature: '()V', namesake: `class ${number}`, startedMs: 0, doneMs: 5, ...more });
	const saidOf = (classes: number, othersMs: number, more?: Partial<JitCompilation>): string =>
		only({
			time: { c2: { compiling: 300 }, java: { 'compiled code': 600 } },
			logged: [...Array.from({ length: classes }, (_, i) => ofClass(i, more)), logged({ compileId: '99', startedMs: 100, doneMs: 100 + othersMs })],
		}).text;
	expect(saidOf(10, 450)).toContain(
		" program's start. 10 of 11 compilations, 10.0 % of their time, are of classes that the program makes anew under the same name (Gen.f in 10): keep and share them. Measure",
	);
	expect(saidOf(9, 450)).not.toContain('anew');
	expect(saidOf(10, 1000)).not.toContain('anew');
	expect(saidOf(10, 450, { namesake: 'class 1' })).not.toContain('anew');
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

test('a method that is compiled again and again, since its code is given up', () => {
	const version = (number: number, reason: string | null, action = 'reinterpret'): JitCompilation =>
		logged({
			compileId: String(number),
			startedMs: number * 1000,
			doneMs: number * 1000 + 500,
			notEntrant: reason === null ? null : { ms: number * 1000 + 900, reason: null },
			deoptimizations: [{ kind: 'uncommon trap', reason: reason ?? 'unstable_if', action, method: 'a.B.f', bci: 3, ms: number * 1000 + 800, threadId: 7 }],
		});
	const said = (...versions: JitCompilation[]) => causes({ logged: versions }).find(({ kind }) => kind === 'slow-compilation')?.text;
	expect(
		said(version(1, 'unstable_if'), version(2, 'null_check'), version(3, 'unstable_if'), version(4, null), version(5, 'range_check', 'maybe_recompile')),
	).toContain(
		'meanwhile. 3 of these versions were given up when something came that they had not seen (unstable_if 2, null_check 1): warm it up with all the kinds of input that it will see. Split the method',
	);
	expect(said(version(1, 'unstable_if'), version(2, null))).toMatch(/meanwhile\. Split/);
	expect(said(version(1, 'unstable_if'), version(2, 'null_check'), version(3, null), version(4, null), version(5, null))).toMatch(/meanwhile\. Split/);
});

test('a compilation that takes long: its sentence, its worth, and what is shown', () => {
	const slow = (log: readonly JitCompilation[], more: object = {}) => causes({ logged: log, run: { seconds: 4, ...more } });
	const one = logged({ startedMs: 1000, doneMs: 1500, compiler: 'c1' });
	expect(slow([one], { compilations: [row({ level: 3, percent: 0.04 }), row({ compileId: '2', percent: 5 })] })).toEqual([
		{
			kind: 'slow-compilation',
			place: { method: 'a.B.f', bci: null, line: null },
			text: "C1 took 500 ms of the run's 4.0 s to compile c1 a.B.f; its thread could compile nothing else meanwhile. Split the method, or keep it from being inlined into larger ones",
			handles: ['c1'],
			evidence: ['logCompilation', 'samples'],
			command: 'assay compilations run1 c1 && assay hot run1 c1 c2',
			worth: 12.5 / 3,
		},
	]);
	expect(slow([{ ...one, doneMs: 1499 }])).toEqual([]);
	expect(slow([{ ...one, compiler: null }])[0]?.text).toMatch(/^The compiler took 500 ms/);
	expect(slow([one], { compilations: [row({ level: 3, percent: 0.05 })] })[0]?.text).toContain('; 0.1 % of all samples are in slower code of the method.');
	expect(slow([one], { seconds: null })).toEqual([]);
	expect(slow([one], { log: null })).toEqual([]);
	// A compilation that had no time to go on has taken none.
	expect(slow([logged({ startedMs: 5000, doneMs: null }), { ...one, compileId: '2' }])[0]?.handles).toEqual(['c2']);
	const many = Array.from({ length: 30 }, (_, i) => logged({ compileId: String(i), startedMs: 0, doneMs: 200 - i }));
	expect(slow(many)[0]).toMatchObject({
		handles: ['c0', 'c1', 'c2', 'c3'],
		command: `assay compilations run1 ${Array.from({ length: 24 }, (_, i) => `c${i}`).join(' ')}`,
	});
});

test('another method of the same name is another method', () => {
	const compilations = [row({ compileId: '8', signature: '(I)V', level: 3, percent: 20 }), row({ compileId: '9', signature: '()V', level: 3, percent: 4 })];
	const slow = causes({ logged: [logged({ startedMs: 1000, doneMs: 2000 })], run: { compilations } });
	expect(slow[0]).toMatchObject({ text: expect.stringContaining('; 4.0 % of all samples are in slower code'), command: expect.stringMatching(/hot run1 c9$/) });
	const storms = [{ method: 'a.B.f', reason: 'null_check', count: 40, fromMs: 10, toMs: 1510, compileIds: ['1', '2'] }];
	const versions = ['1', '2'].map((compileId) => logged({ compileId, startedMs: 0, doneMs: 100 }));
	const other = logged({ compileId: '3', signature: '(I)V', startedMs: 0, doneMs: 100 });
	const storm = causes({ logged: [...versions, other], run: { compilations, summary: { storms, queues: [], codeHeap: null } } });
	expect(storm.find(({ kind }) => kind === 'deoptimization-storm')).toMatchObject({
		text: expect.stringContaining('and 4.0 % of all samples are in its slower code'),
		command: expect.stringMatching(/hot run1 c9$/),
	});
});

describe('Graal as Java code', () => {
	const time: Time = { java: { 'compiled code': 700 }, jvmci: { compiling: 100, interpreter: 90, 'compiled code': 60, stubs: 10 }, c1: { compiling: 40 } };

	test('its own code is told from what it compiles', () => {
		const text = (of: Time): string => causes({ time: of }).find(({ kind }) => kind === 'compilers')?.text ?? '';
		expect(text(time)).toContain(
			'Graal is Java code here, which has to be loaded, interpreted and compiled by C1 itself: 9.0 % of all samples are of its own code in the interpreter, 6.0 % of it compiled. A JDK',
		);
		// Truffle uses it beside C2.
		expect(text({ ...time, c2: { compiling: 50 } })).toContain('interpreted and compiled by C1 and C2 itself: ');
		// Its modules keep the JVM from the archive.
		expect(text(time)).toMatch(/Measure later parts of a longer run$/);
		// A native library has none.
		expect(text({ ...time, jvmci: { compiling: 250, 'compiled code': 10 } })).not.toContain('Graal');
	});

	test('a small method that takes it long is not to be split', () => {
		const text = (more: Partial<JitCompilation>, of: Time = time): string =>
			causes({ time: of, logged: [logged({ compiler: 'jvmci', startedMs: 0, doneMs: 2000, bytecodeBytes: 7, inlinedBytes: 7, ...more })] }).find(
				({ kind }) => kind === 'slow-compilation',
			)?.text ?? '';
		expect(text({})).toMatch(
			/^Graal took 2.0 s .* It has only 14 bytes of bytecode, with what was inlined: Graal is Java code here, and was not compiled itself then\./,
		);
		expect(text({ inlinedBytes: 1993 })).toMatch(/Split the method/);
		expect(text({ bytecodeBytes: null, inlinedBytes: null })).toMatch(/Split the method/);
		expect(text({ compiler: 'c2' })).toMatch(/Split the method/);
		expect(text({}, { ...time, jvmci: { compiling: 260 } })).toMatch(/Split the method/);
	});

	test('what C1 made of it is not code that waits for it', () => {
		const queues = [{ compiler: 'jvmci', longest: 200, longestAtMs: 1000, longestWaitMs: 9000, tenthWaitMs: 3000, neverStarted: 0 }];
		const waiting = logged({ compiler: 'jvmci', queuedMs: 0, startedMs: 3000 });
		const compilations = [row({ level: 3, percent: 20 })];
		const run = { compilations, summary: { storms: [], codeHeap: null, queues } };
		const said = causes({ time, logged: [waiting, logged({ compileId: '2', level: 3, compiler: 'c1' })], run });
		expect(said.find(({ kind }) => kind === 'compile-queue')).toMatchObject({
			text: expect.stringContaining("; 20.0 % of all samples are in C1's code, 6.0 % of Graal itself. More"),
			command: 'assay compilations run1 && assay hot run1 --by library && assay hot run1 --by class',
		});
	});
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
		// Another method of the name is compiled.
		const overload = row({ compileId: '7', method: 'a.X.huge', signature: '(I)V' });
		const told = (target: string) => none({ compilations: [row({}), overload], refused: () => [{ ...huge, targets: [target] }] });
		expect([told('a.X.huge(int)'), told('a.X.huge')].flat()).toEqual([]);
		expect(told('a.X.huge(long)')).toMatchObject([{ kind: 'huge-method' }]);
		expect(none({ compilations: [row({}), row({ compileId: '2', method: 'a.X.huge' })] })).toEqual([]);
		expect(none({ jvm: { arguments: '-XX:-DontCompileHugeMethods' } })).toEqual([]);
		expect(none({}, 4.9)).toEqual([]);
	});

	test('where samples tell what is interpreted, it is that method, with its own time', () => {
		const time = (...methods: readonly (readonly [name: string, bytecodeBytes: number, samples: number])[]) =>
			causes({
				interpreted: 60,
				run: {
					compilations: [row({}), row({ compileId: '2', method: 'a.B.compiled' })],
					refused: () => [huge],
					interpreted: methods.map(([name, bytecodeBytes, samples]) => ({ name, bytecodeBytes, samples })),
				},
			});
		expect(time(['a.B.small', 7999, 40], ['a.B.compiled', 9000, 9], ['a.X.large', 8000, 5], ['a.X.huge', 8000, 4])).toEqual([
			{
				kind: 'huge-method',
				place: { method: 'a.X.large', bci: null, line: null },
				text: 'a.X.large is never compiled: it has 8,000 bytes of bytecode, and from 8,000 on (HugeMethodLimit) HotSpot leaves a method to the interpreter; 5.0 % of all samples are in it. Split it, or try -XX:-DontCompileHugeMethods, which costs compile time and memory',
				handles: [],
				evidence: ['samples'],
				command: 'assay hot run1 --by method',
				worth: 5,
			},
		]);
		expect([time(['a.B.small', 7999, 50]), time(['a.X.huge', 8000, 4])]).toEqual([[], []]);
	});

	test('its sentence has the place of the call; the hottest caller comes first', () => {
		const code = [slowCode('mov %eax,%ebx', 1, { method: 'a.B.g', bci: 2, line: 42 })];
		const compilations = [row({ compileId: '8' }), row({ compileId: '9' }), row({ compileId: '7' })];
		const refused = ({ compileId }: JoinedCompilation) =>
			compileId === '8'
				? [{ ...huge, callee: null }]
				: [
						{ ...huge, calleeBytes: null },
						{ ...huge, calleeBytes: 12_345, bci: Number(compileId) },
					];
		expect(only({ interpreted: 5, code, run: { compilations, refused } })).toEqual({
			kind: 'huge-method',
			place: { method: 'a.X.huge', bci: null, line: null },
			text: 'a.X.huge is never compiled: it has 12,345 bytes of bytecode, and from 8,000 on (HugeMethodLimit) HotSpot leaves a method to the interpreter, where 5.0 % of all samples are. a.B.g (line 42) calls it at bci 9. Split it, or try -XX:-DontCompileHugeMethods, which costs compile time and memory',
			handles: ['c9'],
			evidence: ['logCompilation', 'samples'],
			command: 'assay hot run1 --by method',
			worth: 5,
		});
		expect(only({ interpreted: 5, run: { compilations, refused: () => [{ ...huge, caller: null }] } }).text).toContain(' a.B.f calls it at bci 3.');
		const callers = Array.from({ length: 301 }, (_, i) => row({ compileId: String(i) }));
		const by = (id: string) =>
			causes({ interpreted: 5, run: { compilations: callers, refused: ({ compileId }: JoinedCompilation) => (compileId === id ? [huge] : []) } });
		expect([by('299').length, by('300').length]).toEqual([1, 0]);
	});

	test('each flag: its sentence, from five percent on', () => {
		const flags = (text: string | null, interpreted: number, compilations: readonly JoinedCompilation[] = []) =>
			causes({ interpreted, run: { jvm: { arguments: text }, compilations } });
		expect(flags('-Xint', 5)).toEqual([
			{
				kind: 'excluded',
				place: null,
				text: 'Nothing is compiled: the JVM was started with -Xint, and 5.0 % of all samples are in the interpreter. Leave the flag out',
				handles: [],
				evidence: ['samples'],
				command: 'assay hot run1 --by method',
				worth: 5,
			},
		]);
		expect(flags('-XX:CompileCommand=exclude,a.B::f', 5)).toMatchObject([
			{
				place: { method: 'a.B.f', line: null, bci: null },
				text: 'a.B::f is kept in the interpreter by -XX:CompileCommand=exclude: 5.0 % of all samples are there. Leave the command out',
				command: 'assay hot run1 --by method',
				worth: 5,
			},
		]);
		expect(flags('-XX:CompileCommand=exclude,a.B::f', 4.9)).toEqual([]);
		expect(flags('-XX:-TieredCompilation', 5)).toMatchObject([
			{
				place: null,
				text: 'C1 is switched off: the JVM was started with -XX:-TieredCompilation, and 5.0 % of all samples are in the interpreter, where methods stay until C2 has compiled them. Leave the flag out',
				command: 'assay hot run1 --by method',
				worth: 2.5,
			},
		]);
		const inC1 = (percent: number) => [
			row({ level: 1, percent }),
			row({ compileId: '2', level: 3, percent: 1 }),
			row({ compileId: '3', level: 0, percent: 20 }),
			row({ compileId: '4', level: 4, percent: 20 }),
		];
		expect(flags('-Xmx1g -XX:TieredStopAtLevel=3 -Xms1g', 0, inC1(4))).toMatchObject([
			{
				text: 'C2 is switched off: the JVM was started with -XX:TieredStopAtLevel=3, and 5.0 % of all samples are in code of C1. Leave the flag out',
				command: 'assay hot run1 --by library',
				worth: 2.5,
			},
		]);
		expect(flags('-XX:TieredStopAtLevel=3', 0, inC1(3.9))).toEqual([]);
		expect([flags('-XX:TieredStopAtLevel=30', 0, inC1(40)), flags(null, 50, inC1(40)), flags('-Xmx1g', 50, inC1(40))]).toEqual([[], [], []]);
		expect(flags('-Xint:x a-Xint', 50)).toEqual([]);
	});

	test('of an excluded pattern the method, where it is one', () => {
		const placeOf = (pattern: string) => causes({ interpreted: 30, run: { jvm: { arguments: `-XX:CompileCommand=exclude,${pattern}` } } })[0]?.place?.method;
		expect(['f', 'a.B::*', 'a/b/C.f', 'a.b.C::f(I)V', 'C.f,x'].map(placeOf)).toEqual([undefined, undefined, 'a.b.C.f', 'a.b.C.f', 'C.f']);
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

	test('the queue whose wait costs most; its sentence', () => {
		const queue = (more: object) => ({ compiler: 'c2', longest: 12_345, longestAtMs: 1234, longestWaitMs: 61_250, tenthWaitMs: 999, neverStarted: 0, ...more });
		const waiting = (queues: readonly object[], more: Facts = {}) =>
			causes({ interpreted: 5, ...more, run: { summary: { storms: [], codeHeap: null, queues }, ...more.run } });
		expect(waiting([queue({})])).toEqual([
			{
				kind: 'compile-queue',
				place: null,
				text: 'Methods wait for C2: a tenth of what was to be compiled stood in its queue for 999 ms or longer, up to 61.3 s, 12,345 at once at 1.23 s; 5.0 % of all samples are in the interpreter. More processors help, or -XX:CICompilerCount',
				handles: [],
				evidence: ['logCompilation', 'samples'],
				command: 'assay compilations run1 && assay hot run1 --by method',
				worth: 2.5,
			},
		]);
		const said = (more: object) => waiting([queue(more)])[0]?.text;
		expect(said({ neverStarted: 1 })).toContain(' at 1.23 s, and 1 was never compiled; 5.0 %');
		expect(said({ neverStarted: 4321 })).toContain(' at 1.23 s, and 4,321 were never compiled; 5.0 %');
		expect(said({ compiler: 'jvmci', tenthWaitMs: 1000 })).toMatch(/^Methods wait for Graal: .* in its queue for 1.0 s or longer/);
		expect(said({ compiler: 'other' })).toMatch(/^Methods wait for other: /);
		// With C1, whoever waits for it is in the interpreter, and whoever waits for C2 is in code of C1.
		const log = [
			logged({ method: 'a.B.f', queuedMs: 0, startedMs: 600, doneMs: 601 }),
			logged({ compileId: '2', method: 'a.B.f', compiler: 'c1', level: 3, queuedMs: null, startedMs: 1, doneMs: 2 }),
		];
		const both = (interpreted: number, inC1: number) =>
			waiting([queue({}), queue({ compiler: 'c1' })], { logged: log, interpreted, run: { compilations: [row({ level: 3, percent: inC1 })] } }).map(
				({ text, worth }) => [text.slice(0, 19), worth],
			);
		expect([both(6, 8), both(8, 6), both(4.9, 5), both(4.9, 4.9)]).toEqual([
			[['Methods wait for C2', 4]],
			[['Methods wait for C1', 4]],
			[['Methods wait for C2', 2.5]],
			[],
		]);
	});

	test('a queue is not the cause where a flag or the size of a method is', () => {
		const queues = [{ compiler: 'c2', longest: 10, longestAtMs: 0, longestWaitMs: 700, tenthWaitMs: 500, neverStarted: 0 }];
		const kinds = (text: string) =>
			causes({ interpreted: 30, run: { jvm: { arguments: text }, summary: { storms: [], codeHeap: null, queues } } }).map(({ kind }) => kind);
		expect([kinds(''), kinds('-Xint')]).toEqual([['compile-queue'], ['excluded']]);
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

test('OSR code alone: its sentence, over all versions of the method, and what shows it', () => {
	const code = [slowCode('mov %eax,%ebx', 1)];
	const versions = [
		row({ compileId: '1%', kind: 'osr', percent: 40, osrBci: 18 }),
		row({ compileId: '2%', kind: 'osr', percent: 5 }),
		row({ compileId: '3', percent: 0 }),
		row({ compileId: '4%', kind: 'osr', percent: 1 }),
		row({ compileId: '5%', kind: 'osr', percent: 1 }),
		row({ compileId: '6', method: 'a.B.g', percent: 39 }),
	];
	expect(causes({ code, run: { compilations: versions } })).toEqual([
		{
			kind: 'osr-only',
			place: { method: 'a.B.f', bci: 18, line: 42 },
			text: "a.B.f (line 42) runs as OSR code only, with 47.0 % of all samples: the method was entered once and its loop never left, so what was compiled begins in the middle of a loop, where C2 knows less of the values. Move the loop's body, or the inner loop, into a method of its own",
			handles: ['c1%', 'c2%', 'c3', 'c4%'],
			evidence: ['logCompilation', 'samples'],
			command: 'assay hot run1 c1% c2% c4% c5%',
			worth: 4.7,
		},
	]);
	// The order of rows does not say which is hottest.
	expect(causes({ run: { compilations: versions.toReversed() } })[0]?.kind).toBe('osr-only');
	const many = Array.from({ length: 13 }, (_, i) => row({ compileId: `${i}%`, kind: 'osr', percent: 30 }));
	expect(causes({ run: { compilations: many } })[0]?.command).toBe('assay hot run1');
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

	test('its sentence and its worth; room is little below 1.5 MB, or below a tenth of all', () => {
		const time = { java: { 'compiled code': 80 }, c1: { compiling: 4 }, c2: { compiling: 6 }, jvmci: { compiling: 2 }, gc: { work: 8 } };
		const say = (again: number, codeHeap: object = heap) =>
			causes({
				time,
				interpreted: 10,
				logged: Array.from({ length: 40 }, (_, i) => ({
					...gone(50, i < 20 ? 'not used' : 'made by a trap'),
					compileId: String(i),
					method: `a.B.m${i % 20}`,
					// Of the other twenty, which stay, as many were started after the first were thrown out.
					startedMs: i - 20 >= 0 && i - 20 < again ? 51 : 50,
					doneMs: 52,
				})),
				run: { summary: { storms: [], queues: [], codeHeap } },
			});
		expect(say(15)).toEqual([
			{
				kind: 'code-cache',
				place: null,
				text: "The code cache of 2.4 MB has no room for the program's code: the code of 20 compilations was thrown out because it had not been executed for a while, 15 of them were compiled again later; at times only 684 KB were free. The interpreter has 10.0 % of all samples, the compilers 12.0 %. Give it more: -XX:ReservedCodeCacheSize (240m by default)",
				handles: [],
				evidence: ['logCompilation'],
				command: 'assay compilations run1',
				// Half of the compilers' time at least.
				worth: 16,
			},
		]);
		expect(say(0, { ...heap, reservedBytes: null })[0]?.text).toMatch(/^The code cache has no room .*, 0 of them were compiled again later;/);
		const free = (leastFreeBytes: number, reservedBytes: number | null, firstFreeBytes = 2_000_000) =>
			say(0, { leastFreeBytes, reservedBytes, firstFreeBytes }).length;
		expect([free(1_572_864, 2_500_000), free(1_572_865, 2_500_000)]).toEqual([1, 0]);
		expect([free(24_000_000, 240_000_000), free(24_000_001, 240_000_000)]).toEqual([1, 0]);
		expect([free(24_000_000, null, 240_000_000), free(24_000_001, null, 240_000_000)]).toEqual([1, 0]);
	});

	test('that was compiled again is of the same signature and level', () => {
		const again = (more: Partial<JitCompilation>) =>
			full([...twenty, logged({ startedMs: 60, doneMs: 61, ...more })])[0]?.text.match(/(\d+) of them were compiled again/)?.[1];
		expect([
			again({}),
			again({ level: 3 }),
			again({ signature: '(I)V' }),
			again({ method: 'a.B.g' }),
			again({ startedMs: 50 }),
			again({ startedMs: null }),
		]).toEqual(['20', '0', '0', '0', '0', '0']);
	});

	test('before JDK 20: removed without a trap, and without another version', () => {
		const old = Array.from({ length: 20 }, (_, i) => ({ ...gone(50, null), method: `a.B.m${i}` }));
		expect(full(old)).toHaveLength(1);
		expect(full([...old.slice(1), { ...old[0]!, removedMs: null }])).toEqual([]);
		expect(full([...old, logged({ method: 'a.B.m0', installedMs: 49 })])).toEqual([]);
	});
});

/** Code with samples on its second instruction, behind a slow one. */
function slowCode(text: string, samples: number, more: object = {}) {
	const frame = { method: 'a.B.f', bci: 7, line: 42, ...more };
	const textAt = (i: number) => [text, 'mov %eax,%ebx', 'ret'][i] ?? '';
	const instructions = {
		length: 3,
		text: [text, 'mov %eax,%ebx', 'ret'],
		positions: [[frame]],
		position: Int32Array.of(0, 0, 0),
		frames: () => [frame],
		textAt: textAt,
		formAt: textAt,
	} as unknown as Instructions;
	const seenAt = SparseColumn.of(Float64Array.of(0, samples, 0));
	return { code: { compileId: '5', name: frame.method }, instructions, seenAt, analysedAt: null, slowAt: slowAmong(instructions, seenAt, null) };
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

test('slow instructions of one kind and method are one finding; each kind has its advice', () => {
	const slow = (kind: string, percent: number, more: object = {}) => ({ kind, text: 'x', compileId: '5', method: 'a.B.f', line: 42, bci: 7, percent, ...more });
	const say = (...slowInstructions: readonly object[]) => causes({ run: { slowInstructions } });
	const rows = [
		slow('atomic', 4),
		slow('atomic', 3, { compileId: '6', line: 50 }),
		slow('division', 50),
		slow('atomic', 3, { compileId: '5' }),
		slow('atomic', 50, { method: 'a.B.g' }),
	];
	expect(say(...rows)).toEqual([
		{
			kind: 'slow-instructions',
			place: { method: 'a.B.f', line: 42, bci: 7 },
			text: '10.0 % of all samples wait for a slow instruction in a.B.f (line 42): an atomic access, x. Count by thread (LongAdder), or do it less often',
			handles: ['c5', 'c6'],
			evidence: ['samples', 'assembly'],
			command: 'assay hot run1 c5 c6',
			worth: 5,
		},
	]);
	expect(say({ ...rows[0], percent: 3.9 }, ...rows.slice(1))).toEqual([]);
	const advice = (kind: string) => say(slow(kind, 10, { line: null }))[0]?.text.match(/ in (.*)$/)?.[1];
	expect(['division', 'atomic', 'barrier', 'other'].map(advice)).toEqual([
		'a.B.f: a division, x. Divide by constants, multiply by a reciprocal, or take powers of two',
		'a.B.f: an atomic access, x. Count by thread (LongAdder), or do it less often',
		'a.B.f: the barrier behind a write to a volatile field, x. Write the volatile field less often, once behind the loop',
		'a.B.f: x. Keep it out of the loop',
	]);
});

test('advice for native programs names nothing of Java', () => {
	const code = [{ ...slowCode('nop', 1), code: { compileId: '5', name: 'f', library: '/usr/bin/app' } }];
	const say = (kind: string) =>
		causes({ code, run: { slowInstructions: [{ kind, text: 'x', compileId: '5', method: 'f', line: 4, bci: null, percent: 20 }] } })[0]?.text;
	expect(['atomic', 'barrier', 'load'].map((kind) => say(kind)?.match(/ in (.*)$/)?.[1])).toEqual([
		'f (line 4): an atomic access, x. Count by thread, or do it less often',
		'f (line 4): a fence, x. Order memory less often, once behind the loop',
		expect.stringContaining('(arrays of values, not of pointers)'),
	]);
});

test('a load that is waited for is a finding of its own, beside slow instructions', () => {
	const slow = (kind: string, percent: number) => ({ kind, text: 'x', compileId: '5', method: 'a.B.f', line: 42, bci: 7, percent });
	const say = (...slowInstructions: readonly object[]) => causes({ run: { slowInstructions } });
	expect(say(slow('load', 30))).toEqual([
		{
			kind: 'slow-instructions',
			isLoad: true,
			place: { method: 'a.B.f', line: 42, bci: 7 },
			text: "30.0 % of all samples wait for a load in a loop of a.B.f (line 42): x. Most likely what is read there is in none of the processor's near caches: lay side by side what is read together (arrays of values, not of references), or read less of it",
			handles: ['c5'],
			evidence: ['samples', 'assembly'],
			command: 'assay hot run1 c5',
			worth: 10,
		},
	]);
	expect(say(slow('load', 9))).toEqual([]);
	expect(say(slow('division', 20), slow('load', 30)).map(({ worth }) => worth)).toEqual([10, 10]);
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

test('contention: its sentence and its worth, without the place where no instruction shows it', () => {
	const contended = (spun: number, slowInstructions: readonly object[] = []) =>
		causes({ time: { java: { 'compiled code': 9_980 - spun, monitors: 20, 'contended monitors': spun }, gc: { monitors: 0 } }, run: { slowInstructions } });
	expect(contended(100)).toEqual([
		{
			kind: 'contention',
			place: null,
			text: "Threads contend for monitors: 1.2 % of all samples are in the JVM's slow way to a lock; the time in which threads are blocked takes no samples and comes on top. Hold the lock for less, split it, or keep the data by thread",
			handles: [],
			evidence: ['samples'],
			command: 'assay hot run1 --by class --class java',
			worth: 5,
		},
	]);
	// Wilson's interval of 42 of 10,000 begins at 0.31 %, of 40 at 0.29 %.
	expect([contended(42).length, contended(40).length]).toEqual([1, 0]);
	const atomic = (percent: number, more: object = {}) => ({ kind: 'atomic', text: 'x', compileId: '5', method: 'a.B.f', line: 42, bci: 7, percent, ...more });
	expect(contended(100, [{ ...atomic(30), kind: 'division' }, atomic(4), atomic(3, { compileId: '6', method: 'a.B.g' })])).toMatchObject([
		{
			kind: 'contention',
			place: { method: 'a.B.f', line: 42, bci: 7 },
			text: expect.stringContaining(', and 7.0 % wait for atomic instructions, most in a.B.f (line 42); the time'),
			handles: ['c5'],
			worth: 12,
		},
	]);
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

test('exceptions: constructors of them count as much as what the JVM does for them', () => {
	const thrown = (inJvm: number, compilations: readonly JoinedCompilation[], more: object = {}) =>
		causes({ time: { java: { 'compiled code': 10_000 - inJvm, 'exceptions and stack walks': inJvm } }, run: { compilations, ...more } });
	const own = (method: string, percent: number) => row({ method, percent });
	expect(
		thrown(400, [own('java.lang.Throwable.fillInStackTrace', 1), own('a.MyException.<init>', 0.5), own('java.lang.Error.<init>', 0.5), own('a.B.f', 30)]),
	).toEqual([
		{
			kind: 'exceptions',
			place: null,
			text: 'Exceptions are control flow here: 6.0 % of all samples make exceptions and fill in their stack traces, and unwinding comes on top. Return a value, make one exception for all, or override fillInStackTrace (the constructor with writableStackTrace false)',
			handles: [],
			evidence: ['logCompilation', 'samples'],
			command: 'assay hot run1 --class java',
			worth: 12,
		},
	]);
	expect(thrown(0, [own('java.lang.Throwable.<init>', 5)])).toHaveLength(1);
	expect(thrown(0, [own('java.lang.Throwable.<init>', 4.99)])).toEqual([]);
	expect(thrown(0, [own('a.java.lang.Throwable.<init>', 50), own('a.MyException.<init>x', 50), own('a.MyExceptions.of', 50)])).toEqual([]);
});

test('exceptions: the hottest code that makes one, and at which line', () => {
	const decision = { bcis: [], callee: 'a.MyError.<init>', inlined: true, intrinsic: false, reason: '', receivers: [] };
	const log = [logged({ compileId: '2', method: 'a.B.g' }), logged({ compileId: '3' })];
	const decisions: Record<string, readonly object[]> = {
		2: [{ ...decision, callee: null }, { ...decision, callee: 'a.B.x' }, decision],
		3: [{ ...decision, bcis: [4, 9], caller: 'a.B.inlined', callee: 'a.Thrown.Throwable.<init>' }],
	};
	const thrown = (...ids: readonly string[]) =>
		causes({
			time: { java: { 'exceptions and stack walks': 100 } },
			code: [slowCode('mov %eax,%ebx', 1, { method: 'a.B.inlined', bci: 9, line: 42 }), slowCode('mov %eax,%ebx', 1, { method: 'a.B.g', bci: 0, line: 5 })],
			run: {
				compilations: ids.map((compileId) => row({ compileId, method: compileId === '2' ? 'a.B.g' : 'a.B.f' })),
				log: { history: { compilations: log }, readDecisions: ({ compileId }: JitCompilation) => decisions[compileId] ?? [] },
			},
		})[0];
	expect(thrown('8', '2', '3')).toMatchObject({
		place: { method: 'a.B.g', bci: 0, line: 5 },
		text: expect.stringContaining('on top; a.B.g (line 5) makes a.MyError. Return'),
		handles: ['c2'],
	});
	expect(thrown('3', '2')).toMatchObject({
		place: { method: 'a.B.inlined', bci: 9, line: 42 },
		text: expect.stringContaining('; a.B.inlined (line 42) makes a.Thrown.Throwable. Return'),
		handles: ['c3'],
		worth: 200,
	});
	const others = Array.from({ length: 299 }, (_, i) => String(1000 + i));
	expect([thrown(...others, '2')?.handles, thrown(...others, '1', '2')?.handles]).toEqual([['c2'], []]);
});

test('the collector: its threads, the VM thread of the serial one, allocation; its pauses', () => {
	const time: Time = {
		java: { 'compiled code': 800, allocation: 20 },
		gc: { 'garbage collection': 100, kernel: 30 },
		jvm: { 'garbage collection': 40, kernel: 10 },
	};
	const delays = [{ safepoint: { operation: 'G1PauseRemark', totalNs: 1e9, reachingNs: 0 }, isSlow: false, culprits: [] }];
	const collector = { counted: 'safepoints', count: 4, totalNs: 1e9, longestNs: 0.25e9, askedCount: 0, askedNs: 0, percentOfRun: 10 };
	const finding = only({ time, run: { delays, collector, compilations: [row({})] } });
	expect(finding.text).toMatch(
		/^Garbage collection and allocation take 19.0 % of all samples \(the collector's threads 13.0 %, the VM thread 4.0 %, Java threads 2.0 %\); its pauses stop the program for 10.0 % of the run\. Allocate less, or give more heap/,
	);
	expect(finding).toMatchObject({ kind: 'collector', evidence: ['samples', 'safepoints'] });
	expect(causes({ time: { java: { 'compiled code': 900 }, gc: { 'garbage collection': 100 } } })).toEqual([]);
});

test('the collector: from ten percent on, beyond chance; its worth, and what allocates most', () => {
	const time = (gc: number, vm: number, allocation: number): Time => ({
		java: { 'compiled code': 10_000 - gc - vm - allocation, allocation, 'garbage collection': 0 },
		gc: { work: gc },
		jvm: { 'garbage collection': vm, other: 0 },
	});
	const compilations = [row({ compileId: '2', method: 'a.B.g', percent: 1 }), row({ compileId: '1', percent: 3 })];
	const site = (compileId: string, percent: number, ...frames: Frame[]) => ({ frames, code: piece(0, 4, { compileId, name: `a.B.f${compileId}` }), percent });
	const allocations = [
		site('2', 60, { method: 'a.B.make', bci: 7, line: 42 }),
		site('1', 25),
		site('2', 10, { method: 'a.C.<init>', bci: 1, line: null }),
		site('2', 5),
	];
	expect(causes({ time: time(1200, 300, 500), run: { compilations, bias: { allocations } } })).toEqual([
		{
			kind: 'collector',
			place: { method: 'a.B.make', bci: 7, line: 42 },
			text: "Garbage collection and allocation take 20.0 % of all samples (the collector's threads 12.0 %, the VM thread 3.0 %, Java threads 5.0 %). Of the bytes that sampled code allocates, 60.0 % are made in a.B.make (line 42), 25.0 % in a.B.f1, 10.0 % in a.C.<init> (estimated). Allocate less there, or give more heap (-Xmx)",
			handles: ['c2'],
			evidence: ['samples'],
			command: 'assay hot run1 --by class && assay report run1 --section allocations',
			worth: 20,
		},
	]);
	expect(causes({ time: time(1200, 300, 500), run: { collector: { askedCount: 0, askedNs: 0, totalNs: 1, percentOfRun: null } } })[0]).toMatchObject({
		place: null,
		handles: [],
		text: expect.stringMatching(/Java threads 5.0 %\)\. Allocate less, or give more heap \(-Xmx\)$/),
	});
	expect(causes({ time: time(1200, 300, 500), run: { compilations: [row({ percent: 0 })] } })[0]).toMatchObject({ place: null, handles: [] });
	// The lower limits are 5.6, 2.7 and 1.8 %, or 5.5, 2.7 and 1.7 %.
	expect([causes({ time: time(600, 300, 210) }).length, causes({ time: time(590, 300, 200) }).length]).toEqual([1, 0]);
});

test('what the collector stops the program for counts from ten percent of the run on', () => {
	const stopped = (percentOfRun: number) =>
		causes({ run: { collector: { counted: 'safepoints', count: 1, totalNs: 1e9, longestNs: 1e9, askedCount: 0, askedNs: 0, percentOfRun } } });
	expect(stopped(10)).toMatchObject([{ worth: 10, place: null, handles: [] }]);
	expect(stopped(9.99)).toEqual([]);
});

test('collections that were asked for: not the hottest code, but the calls', () => {
	const collector = { counted: 'safepoints', count: 86, totalNs: 2e9, longestNs: 0.25e9, askedCount: 85, askedNs: 1.9e9, percentOfRun: 45 };
	const finding = only({ time: { gc: { work: 240 }, java: { 'compiled code': 760 } }, run: { collector, compilations: [row({})] } });
	expect(finding).toMatchObject({ place: null, handles: [], command: 'assay hot run1 --by class && assay bias --ttsp run1' });
	expect(finding.text).toContain(
		'stop the program for 45.0 % of the run. 85 of the 86 pauses, 1.90 s, are collections that were asked for: System.gc(), or jcmd and the like from outside. Call it less;',
	);
	const all = { ...collector, askedCount: 86, askedNs: 2e9 };
	expect(only({ run: { collector: all } }).text).toMatch(/in 86 safepoints, the longest 250 ms\. All pauses, 2\.00 s, are collections that were asked for/);
	const few = { ...collector, askedCount: 3, askedNs: 0.9e9 };
	expect(only({ run: { collector: few } }).text).toContain('Allocate less');
});

test('the collector without threads of samples: how long it stopped the program', () => {
	const collector = { counted: 'collections', count: 25, totalNs: 2.227e9, longestNs: 207.7e6, askedCount: 0, askedNs: 0, percentOfRun: 69.2 };
	expect(causes({ run: { collector } })).toMatchObject([
		{
			kind: 'collector',
			text: 'The garbage collector stops the program for 69.2 % of the run: 2.23 s in 25 collections, the longest 208 ms. Allocate less, or give more heap (-Xmx)',
			evidence: ['safepoints'],
			command: 'assay bias --ttsp run1',
			worth: 69.2,
		},
	]);
	// What is hot need not be what allocates.
	expect(only({ run: { collector, compilations: [row({})] } }).text).toContain('the longest 208 ms. Allocate less, or give');
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

test('class loading: its sentence, from five percent on, beyond chance', () => {
	const loading = (samples: number, interpreted = 0) =>
		causes({ time: { java: { 'compiled code': 10_000 - samples, 'class loading': samples } }, interpreted });
	expect(loading(600)).toEqual([
		{
			kind: 'class-loading',
			place: null,
			text: 'Java threads load, verify and link classes in 6.0 % of all samples. A program that only starts is helped by an archive of its classes (-XX:AOTCache from JDK 24 on, -XX:SharedArchiveFile before); a program that goes on makes classes as it runs (proxies, generated code): keep and share them',
			handles: [],
			evidence: ['samples'],
			command: 'assay hot run1 --by class --class java',
			worth: 6,
		},
	]);
	// Wilson's interval of 545 of 10,000 begins at 5.02 %, of 542 at 4.99 %.
	expect([loading(545).length, loading(542).length]).toEqual([1, 0]);
	expect(loading(600, 1)[0]?.text).toContain('of all samples; 1.0 % are in the interpreter, where new code begins. A program');
	expect(loading(600, 0.99)[0]?.text).toContain('of all samples. A program');
});

test('a loop that is not vectorized, with why and what helps', () => {
	const loop = { compileId: '7', method: 'a.B.f', line: 42, bci: 7, percent: 30, reason: 'bounds', boundsChecks: 2, sums: 1 };
	const say = (more: object) => causes({ run: { scalarLoops: [{ ...loop, ...more }] } });
	expect(say({})).toEqual([
		{
			kind: 'not-vectorized',
			place: { method: 'a.B.f', line: 42, bci: 7 },
			text: '30.0 % of all samples are in a loop over arrays in a.B.f (line 42) that C2 did not vectorize: it checks bounds 2 times on each way round. Count with an int from start to end by a constant step: C2 moves the checks out of such loops',
			handles: ['c7'],
			evidence: ['samples', 'assembly'],
			command: 'assay hot run1 c7',
			worth: 10,
		},
	]);
	expect(say({ percent: 9.9 })).toEqual([]);
	// One of ten samples.
	const few = { attribution: { counted: 10 }, reasons: new Map(), code: [] };
	expect(causes({ run: { scalarLoops: [{ ...loop, percent: 10 }], hot: few } })).toEqual([]);
	const why = (more: object) => /vectorize: (.*?)\. /.exec(say(more)[0]?.text ?? '')?.[1];
	expect(why({ boundsChecks: 1 })).toBe('it checks bounds once on each way round');
	expect(['exit', 'branch', 'reduction', 'recurrence'].map((reason) => why({ reason }))).toEqual([
		'it may be left in its middle',
		'its body branches',
		'each element goes into one value after the other',
		'each element needs the one before',
	]);
	expect(['uncounted', 'division', 'gaps', 'directions', 'alias'].map((reason) => why({ reason }))).toEqual([
		'C2 does not count its ways round',
		'it divides integers, for which there is no vector instruction',
		'it leaves out elements, or passes more of one array than of another',
		'it goes up in one array and down in the other',
		'what it writes may be what it reads later, in one array or in two that may be one; only from JDK 26 on C2 looks whether it is',
	]);
	const on = (version: string | null, reason: string) =>
		causes({
			run: {
				scalarLoops: [
					{ ...loop, reason },
					{ ...loop, compileId: '8' },
				],
				jvm: { version, arguments: '' },
			},
		})[0]?.handles;
	expect(['25.0.3+9-LTS', '26+30', null].map((version) => on(version, 'alias'))).toEqual([['c7'], ['c8'], ['c7']]);
	expect(['17.0.15+6', '25.0.3+9-LTS', null].map((version) => on(version, 'shifted'))).toEqual([['c7'], ['c8'], ['c8']]);
	// Who keeps four sums is not told to keep several.
	expect(say({ reason: 'reduction', sums: 4 })[0]?.text).toContain(
		'vectorize: elements go into 4 values, each in its order. The Vector API (jdk.incubator.vector) computes such values side by side',
	);
});
