/** Compilations of a run put together by id and method, from evidence made by hand. */
import { describe, expect, test } from 'vitest';
import { piece } from '../../test/code.js';
import { inliningNode } from '../../test/experiments.js';
import { heatOf, logOf, memoryOf, NO_EVIDENCE, printedOf, unitOf } from '../../test/joined-runs.js';
import type { CallDecision, JitCompilation } from '../model/jit-compilation.js';
import type { JoinedCompilation } from '../model/joined-recording.js';
import { InputError } from '../model/problem.js';
import type { ProfileEntry } from '../model/profile.js';
import { joinCompilations } from './join-compilations.js';
import type { JoinInput } from './joined-run.js';

type Bias = NonNullable<JoinInput['bias']>;

const join = (more: Partial<JoinInput>) => joinCompilations({ ...NO_EVIDENCE, ...more });

function only(more: Partial<JoinInput>): JoinedCompilation {
	const { compilations } = join(more);
	expect(compilations).toHaveLength(1);
	return compilations[0]!;
}

const handles = (more: Partial<JoinInput>): string[] => join(more).compilations.map(({ handle }) => handle);

describe("the JVM's log", () => {
	test('tells all of a compilation', () => {
		const trap = { kind: 'uncommon trap', reason: 'r', action: null, method: null, bci: null, ms: null, threadId: null } as const;
		const log = logOf([
			{ compileId: '7%', kind: 'osr', osrBci: 5, level: 3, compiler: 'c1', notEntrant: { ms: 9, reason: 'not used' }, deoptimizations: [trap, trap] },
			{ compileId: '8', sizeBytes: null, failure: { reason: 'out of nodes', phase: 'x' } },
		]);
		const [first, second] = join({ log }).compilations;
		expect(first).toEqual({
			handle: 'c7%',
			compileId: '7%',
			kind: 'osr',
			method: 'a.B.f',
			signature: '()V',
			compiler: 'c1',
			level: 3,
			osrBci: 5,
			samples: 0,
			percent: 0,
			halfInterval: null,
			codeBytes: 100,
			memoryBytes: null,
			predictedBiasedPercent: null,
			loopsWithoutPoll: null,
			queuedMs: 1,
			startedMs: 2,
			doneMs: 3,
			installedMs: 4,
			notEntrantMs: 9,
			notEntrantReason: 'not used',
			failure: null,
			deoptimizations: 2,
			evidence: ['logCompilation'],
		});
		expect(second).toMatchObject({ codeBytes: 0, failure: 'out of nodes', notEntrantMs: null, notEntrantReason: null, deoptimizations: 0 });
	});

	test('the mark of on-stack replacement does not tell compilations apart', () => {
		expect(only({ log: logOf([{ compileId: '7%' }]), deoptimizations: new Map([['7', 3]]) })).toMatchObject({ deoptimizations: 3, handle: 'c7%' });
		// Only one behind the number is a mark.
		expect(handles({ log: logOf([{ compileId: '7%%' }, { compileId: '7' }]) })).toEqual(['c7%%', 'c7']);
		expect(handles({ log: logOf([{ compileId: '7%a' }, { compileId: '7a' }]) })).toEqual(['c7%a', 'c7a']);
	});
});

describe('PrintCompilation', () => {
	test('beside a log it is a witness of the same method only', () => {
		const printed = [printedOf({ compileId: '1', level: 1, timeMs: 77, signature: '(I)V' }), printedOf({ compileId: '2' }), printedOf({ compileId: '3' })];
		const { compilations } = join({
			log: logOf([
				{ compileId: '1', signature: null },
				{ compileId: '2', method: 'a.B.g' },
			]),
			printed,
		});
		expect(compilations.map(({ compileId, evidence, startedMs, signature }) => [compileId, evidence, startedMs, signature])).toEqual([
			['1', ['logCompilation', 'printCompilation'], 2, null],
			['2', ['logCompilation'], 2, '()V'],
		]);
	});

	test('alone it tells levels, times, ends and failures', () => {
		const printed = [
			printedOf({ compileId: '1', level: 3, timeMs: 10 }),
			printedOf({ compileId: '1', level: 3, timeMs: 30, event: 'made not entrant', reason: 'not used' }),
			printedOf({ compileId: '1', level: 3, timeMs: 40, event: 'made not entrant', reason: 'again' }),
			printedOf({ compileId: '2%', isOsr: true, osrBci: 6, level: 4, timeMs: 20 }),
			printedOf({ compileId: '3', isNative: true, level: null, timeMs: 25 }),
			printedOf({ compileId: '4', level: 1, timeMs: 26, event: 'skipped', reason: 'out of nodes' }),
			printedOf({ compileId: '5', level: 0, timeMs: 27, event: 'made zombie' }),
			printedOf({ compileId: '6', level: null, timeMs: 28 }),
		];
		const { compilations } = join({ printed });
		expect(
			compilations.map((row) => [
				row.compileId,
				row.kind,
				row.compiler,
				row.level,
				row.osrBci,
				row.startedMs,
				row.installedMs,
				row.notEntrantMs,
				row.notEntrantReason,
				row.failure,
			]),
		).toEqual([
			['1', 'standard', 'c1', 3, null, 10, null, 30, 'not used', null],
			['2%', 'osr', null, 4, 6, 20, null, null, null, null],
			['3', 'native wrapper', null, 0, null, null, 25, null, null, null],
			['4', 'standard', 'c1', 1, null, null, null, null, null, 'out of nodes'],
			['5', 'standard', null, 0, null, null, null, null, null, null],
			['6', 'standard', null, null, null, 28, null, null, null, null],
		]);
		expect(new Set(compilations.flatMap(({ evidence }) => evidence))).toEqual(new Set(['printCompilation']));
	});
});

describe('Flight Recorder', () => {
	const recorded = (...args: Parameters<typeof logOf>) => ({ ...logOf(...args), origin: 'flightRecorder' as const });

	test('saw only some compilations: PrintCompilation and code tell of the others, and fill what it does not know', () => {
		const { compilations } = join({
			log: recorded([
				{ compileId: '1', startedMs: 5 },
				{ compileId: '2', method: 'a.B.g', compiler: null, level: null, startedMs: null },
			]),
			printed: [
				printedOf({ compileId: '1', timeMs: 9, level: 2 }),
				printedOf({ compileId: '2', method: 'a.B.g', timeMs: 8, level: 3 }),
				printedOf({ compileId: '3', method: 'a.B.h', timeMs: 7, level: 1, signature: '()I' }),
			],
			code: [piece(0, 10, { compileId: '4', name: 'a.B.i' })],
		});
		expect(compilations.map((row) => [row.handle, row.method, row.compiler, row.level, row.startedMs, row.signature, row.evidence])).toEqual([
			['c1', 'a.B.f', 'c2', 4, 5, '()V', ['flightRecorder', 'printCompilation']],
			['c2', 'a.B.g', 'c1', 3, 8, '()V', ['flightRecorder', 'printCompilation']],
			['c3', 'a.B.h', 'c1', 1, 7, '()I', ['printCompilation']],
			['c4', 'a.B.i', 'c2', 4, null, null, ['assembly']],
		]);
	});

	test('traps in compilations that it did not see: as many as either tells', () => {
		const trap = { kind: 'uncommon trap', reason: 'r', action: null, method: null, bci: null, ms: null, threadId: null } as const;
		const log = {
			...recorded([{ compileId: '1', deoptimizations: [trap, trap, trap] }]),
			otherDeoptimizations: new Map([
				['1', 2],
				['2', 5],
				['9', 1],
			]),
		};
		const { compilations } = join({ log, printed: [printedOf({ compileId: '2%', isOsr: true })], deoptimizations: new Map([['2', 4]]) });
		expect(compilations.map(({ handle, deoptimizations, evidence }) => [handle, deoptimizations, evidence])).toEqual([
			['c1', 3, ['flightRecorder']],
			['c2%', 5, ['printCompilation', 'deoptimizations', 'flightRecorder']],
		]);
	});

	test('calls are told where it saw the compilation; none are none only where it recorded decisions', () => {
		const counts = (read: unknown, decisions: readonly CallDecision[] = []) => {
			const { compilations, calls } = join({ log: { ...recorded([{}], decisions), read: () => read } });
			return calls(compilations[0]!);
		};
		expect(counts(null)).toBeNull();
		expect(counts({})).toEqual({ inlined: 0, notInlined: 0 });
		expect(counts(null, [{ bcis: [1], callee: 'a.X.x', inlined: true, intrinsic: false, reason: '', receivers: [] }])).toEqual({ inlined: 1, notInlined: 0 });
	});
});

test('code of a JIT that wrote a jitdump; its kind is kept where the log knows better', () => {
	const dumped = { ...piece(0, 10, { compileId: '1', compiler: null, level: null }), bytesAt: 5 };
	expect(join({ code: [dumped] }).compilations.map(({ handle, evidence, codeBytes, compiler }) => [handle, evidence, codeBytes, compiler])).toEqual([
		['c1', ['jitdump'], 10, null],
	]);
	expect(only({ log: logOf([{ kind: 'osr' }]), code: [{ ...piece(0, 10), textRanges: [0, 1] }] }).kind).toBe('osr');
	expect(only({ log: logOf([{ installedMs: null }]), code: [piece(0, 10, { installedSeconds: 0.0004 })] })).toMatchObject({
		installedMs: 0,
		evidence: ['logCompilation'],
	});
});

describe('code', () => {
	const printedCode = (start: number, end: number, more: Parameters<typeof piece>[2]) => ({ ...piece(start, end, more), textRanges: [0, 5] });

	test('fills what is not known, and is evidence only where it was printed', () => {
		const more = { signature: '(I)V', compiler: 'c1', level: 2, osrBci: 8, installedSeconds: 1.2345, notEntrant: { seconds: 2.0006, reason: 'unlink' } };
		expect(only({ code: [printedCode(100, 150, more)] })).toMatchObject({
			signature: '(I)V',
			compiler: 'c1',
			level: 2,
			osrBci: 8,
			kind: 'standard',
			codeBytes: 50,
			installedMs: 1235,
			notEntrantMs: 2001,
			notEntrantReason: 'unlink',
			evidence: ['assembly'],
		});
		expect(only({ log: logOf([{}]), code: [printedCode(100, 150, more)] })).toMatchObject({
			signature: '()V',
			compiler: 'c2',
			level: 4,
			codeBytes: 100,
			installedMs: 4,
			notEntrantMs: 2001,
			evidence: ['logCompilation', 'assembly'],
		});
		expect(only({ log: logOf([{ sizeBytes: 0, notEntrant: { ms: 5, reason: null } }]), code: [piece(100, 150, more)] })).toMatchObject({
			codeBytes: 50,
			notEntrantMs: 5,
			notEntrantReason: null,
			evidence: ['logCompilation'],
		});
		expect(only({ code: [piece(1, 2, { installedSeconds: null })] })).toMatchObject({ installedMs: null, notEntrantMs: null });
	});

	test('what no compilation made has no row; beside a log only printed code makes one', () => {
		const code = [
			piece(0, 1, { kind: 'stub', compileId: '2' }),
			piece(0, 1, { kind: 'interpreter', compileId: '3' }),
			piece(0, 1, { compileId: null }),
			piece(0, 1, { kind: 'native wrapper', compileId: '5' }),
			printedCode(0, 1, { compileId: '6' }),
			{ ...piece(0, 1, { compileId: '7' }), textRanges: [] },
		];
		expect(join({ code }).compilations.map(({ handle, kind }) => [handle, kind])).toEqual([
			['c5', 'native wrapper'],
			['c6', 'standard'],
			['c7', 'standard'],
		]);
		expect(handles({ code, log: logOf([]) })).toEqual(['c6']);
	});
});

test('samples are summed by compilation, shares are of all that count', () => {
	const heat = heatOf(200, [
		[{ compileId: '2' }, 10],
		[{ compileId: '3', name: 'a.B.g' }, 40],
		[{ compileId: '2' }, 20],
		[{ compileId: null }, 130],
	]);
	const { compilations } = join({ heat, log: logOf([{ compileId: '1' }, { compileId: '2' }]) });
	expect(compilations.map(({ handle, samples, percent }) => [handle, samples, percent])).toEqual([
		['c3', 40, 20],
		['c2', 30, 15],
		['c1', 0, 0],
	]);
	// Wilson's interval of 40 of 200: 15.04 to 26.09 %.
	expect(compilations[0]!.halfInterval).toBeCloseTo(5.523, 2);
	expect(compilations.map(({ evidence }) => evidence)).toEqual([['samples'], ['logCompilation', 'samples'], ['logCompilation']]);
	expect(compilations[2]!.halfInterval).toBeNull();
});

test('samples of stacks are evidence of their own kind; a compilation that only they tell of is called as they call it', () => {
	const heat = { ...heatOf(10, [[{ compileId: '5%', name: 'a.B.loop' }, 4]]), lines: { lineOf: () => null, hottestLine: () => null } };
	expect(only({ heat })).toMatchObject({
		handle: 'c5%',
		kind: 'osr',
		method: 'a.B.loop',
		samples: 4,
		percent: 40,
		level: null,
		compiler: null,
		codeBytes: 0,
		evidence: ['stacks'],
	});
	// Wilson's interval of 4 of 10: 16.8 to 68.7 %.
	expect(only({ heat }).halfInterval).toBeCloseTo(25.9, 0);
});

test('equal shares keep the order of the log', () => {
	expect(handles({ log: logOf([{ compileId: '3' }, { compileId: '1' }, { compileId: '2' }]) })).toEqual(['c3', 'c1', 'c2']);
});

describe("Graal's log", () => {
	test('joins a compilation of the same method, hidden classes aside', () => {
		const log = logOf([{ compileId: '9', method: 'a.B$$Lambda/0x00000000b8246c48.f', signature: null, compiler: null, level: null }]);
		const result = join({ log, units: [unitOf({ compileId: '9', methodName: 'a.B$$Lambda/0x00000000c0000000.f(int)' })] });
		expect(result.problems).toEqual([]);
		expect(result.compilations).toMatchObject([{ signature: '(int)', compiler: 'jvmci', level: 4, evidence: ['logCompilation', 'graalLog'] }]);
	});

	test("of another run it is not joined to the JVM's log", () => {
		const result = join({ log: logOf([{ compileId: '9' }]), units: [unitOf({ compileId: '9', methodName: 'a.C.g()' })] });
		expect(result.compilations).toMatchObject([{ method: 'a.B.f', evidence: ['logCompilation'] }]);
		expect(result.problems).toMatchObject([{ severity: 'warning', message: expect.stringContaining('compilation 9 is a.C.g there and a.B.f') }]);
		// Without a log whose ids are sure the id is what counts.
		const guessed = join({ printed: [printedOf({ compileId: '9', method: 'a.X.x' })], units: [unitOf({ compileId: '9' })] });
		expect(guessed.problems).toEqual([]);
		expect(guessed.compilations).toMatchObject([{ evidence: ['printCompilation', 'graalLog'] }]);
	});

	test('tells what the log does not know, and makes a row where there is none', () => {
		const units = [unitOf({ compileId: '9' }), unitOf({ compileId: '10%', methodName: 'a.B.loop(long)' })];
		const { compilations, problems } = join({ log: logOf([{ compileId: '9', compiler: 'c1', level: 3, signature: '()V' }]), units });
		expect(
			compilations.map(({ handle, method, kind, signature, compiler, level, evidence }) => [handle, method, kind, signature, compiler, level, evidence]),
		).toEqual([
			['c9', 'a.B.f', 'standard', '()V', 'c1', 3, ['logCompilation', 'graalLog']],
			['c10%', 'a.B.loop', 'osr', '(long)', 'jvmci', 4, ['graalLog']],
		]);
		expect(problems).toEqual([]);
	});

	test('a compilation ahead of time has no level', () => {
		const { compilations } = join({
			units: ['HostedCompilation-77', '12', '12a', 'x12', '13%'].map((compileId) => unitOf({ compileId })),
		});
		expect(compilations.map(({ compiler, level }) => [compiler, level])).toEqual([
			['graal', null],
			['jvmci', 4],
			['graal', null],
			['graal', null],
			['jvmci', 4],
		]);
	});
});

describe("a profile of Graal's tools", () => {
	const entry = (more: Partial<ProfileEntry>): ProfileEntry => ({ compileId: '1', name: 'a.B.f(int)', level: 4, period: 10, ...more });
	const profile = (kind: 'JIT' | 'AOT', totalPeriod: number, entries: readonly ProfileEntry[]) => ({ kind, executionId: null, totalPeriod, entries });

	test('just in time: by compile id', () => {
		const entries = [
			entry({ period: 50, compileId: '1' }),
			entry({ period: 30, compileId: '2', level: 3 }),
			entry({ period: 5, compileId: '3', level: 0 }),
			entry({ period: 4, compileId: '4', level: 1, name: 'a.B.g' }),
			entry({ period: 3, compileId: '5', level: null }),
			entry({ period: 108, compileId: null }),
		];
		const { compilations } = join({ profile: profile('JIT', 200, entries) });
		expect(compilations.map(({ handle, percent, compiler, level, kind, signature }) => [handle, percent, compiler, level, kind, signature])).toEqual([
			['c1', 25, null, 4, 'standard', '(int)'],
			['c2', 15, 'c1', 3, 'standard', '(int)'],
			['c3', 2.5, null, 0, 'native wrapper', '(int)'],
			['c4', 2, 'c1', 1, 'standard', null],
			['c5', 1.5, null, null, 'standard', '(int)'],
		]);
		expect(compilations[0]).toMatchObject({ samples: 0, evidence: ['proftoolProfile'] });
	});

	test('what a log knows better stays', () => {
		const log = logOf([{ compileId: '1', compiler: 'c2', level: 4, signature: '()V' }]);
		expect(only({ log, profile: profile('JIT', 10, [entry({ level: 2 })]) })).toMatchObject({ compiler: 'c2', level: 4, signature: '()V', percent: 100 });
	});

	test('ahead of time: by the name in the log', () => {
		const units = [unitOf({ compileId: 'H-1', fullName: 'a.B.f%%key(int)' }), unitOf({ compileId: 'H-2', fullName: 'a.B.g(int)', methodName: 'a.B.g(int)' })];
		const { compilations } = join({
			units,
			profile: profile('AOT', 40, [entry({ name: 'a.B.f%%key(int)', period: 10 }), entry({ name: 'other', period: 30 })]),
		});
		expect(compilations.map(({ handle, percent, evidence }) => [handle, percent, evidence])).toEqual([
			['cH-1', 25, ['graalLog', 'proftoolProfile']],
			['cH-2', 0, ['graalLog']],
		]);
	});

	test('an empty one says nothing', () => {
		expect(handles({ profile: profile('JIT', 0, [entry({ period: 0 })]) })).toEqual([]);
	});
});

describe('compiler memory', () => {
	test('fills what is not known', () => {
		expect(only({ memory: [memoryOf({ compileId: '4', osrBci: 3, signature: '(J)V', level: 2, compiler: 'c1' })] })).toMatchObject({
			handle: 'c4',
			kind: 'osr',
			signature: '(J)V',
			level: 2,
			compiler: 'c1',
			memoryBytes: 1000,
			evidence: ['compilerMemory'],
		});
		expect(only({ log: logOf([{ signature: null }]), memory: [memoryOf({ signature: '(J)V', level: 1 })] })).toMatchObject({
			signature: '(J)V',
			level: 4,
			kind: 'standard',
			memoryBytes: 1000,
			evidence: ['logCompilation', 'compilerMemory'],
		});
	});

	test('beside PrintCompilation the id is what counts; the second one of an id has a row of its own', () => {
		const { compilations, problems } = join({
			printed: [printedOf({ compileId: '1', level: 3 }), printedOf({ compileId: '2', level: 3 }), printedOf({ compileId: '3', level: null })],
			memory: [
				memoryOf({ compileId: '1', compiler: 'c1', level: 3, totalBytes: 5 }),
				memoryOf({ compileId: '2', compiler: 'c1', totalBytes: 6, handle: 'c2@2' }),
				memoryOf({ compileId: '3', compiler: 'c2', totalBytes: 7, method: 'a.B$$Lambda/0x00007f6cac00a210.f' }),
			],
		});
		expect(compilations.map(({ handle, compiler, level, memoryBytes, evidence }) => [handle, compiler, level, memoryBytes, evidence])).toEqual([
			['c1', 'c1', 3, 5, ['printCompilation', 'compilerMemory']],
			['c2', 'c1', 3, null, ['printCompilation']],
			['c3', 'c2', 4, 7, ['printCompilation', 'compilerMemory']],
			['c2@2', 'c1', 4, 6, ['compilerMemory']],
		]);
		expect(problems).toEqual([]);
	});

	test('an attempt that the compiler repeated: the most that one of both took, not the sum', () => {
		const two = (first: number, second: number) =>
			only({ log: logOf([{}]), memory: [memoryOf({ totalBytes: first }), memoryOf({ totalBytes: second, handle: 'c1@2' })] }).memoryBytes;
		expect(two(1000, 1500)).toBe(1500);
		expect(two(1500, 1000)).toBe(1500);
	});

	test('without a log two of one id are two compilations', () => {
		const { compilations } = join({
			memory: [memoryOf({ totalBytes: 1 }), memoryOf({ totalBytes: 2, handle: 'c1@2' }), memoryOf({ totalBytes: 4, compileId: null, handle: 'm3' })],
		});
		expect(compilations.map(({ handle, memoryBytes }) => [handle, memoryBytes])).toEqual([
			['c1', 1],
			['c1@2', 2],
		]);
	});

	test('of another method or compiler it is of another run', () => {
		const memory = [
			memoryOf({ compileId: '1', method: 'a.B.g' }),
			memoryOf({ compileId: '2', compiler: 'c1' }),
			memoryOf({ compileId: '3', compiler: 'c1' }),
			memoryOf({ compileId: '4' }),
		];
		const result = join({ log: logOf([{ compileId: '1' }, { compileId: '2' }, { compileId: '3', compiler: null }]), memory });
		expect(result.compilations.map(({ compileId, memoryBytes }) => [compileId, memoryBytes])).toEqual([
			['1', null],
			['2', null],
			['3', 1000],
			['4', 1000],
		]);
		expect(result.problems).toMatchObject([{ severity: 'warning', message: expect.stringMatching(/^2 are of compilations/) }]);
		expect(join({ log: logOf([{}]), memory: [memoryOf({})] }).problems).toEqual([]);
	});
});

test('a prediction is of the method, loops of the compilation', () => {
	const bias = {
		unknownPercent: 50,
		methods: [
			{ method: 'a.B.f', predictedPercent: 12 },
			{ method: 'a.B.h', predictedPercent: 0 },
		],
		loops: [
			{ code: piece(0, 1, { compileId: '2%' }), poll: 'none' },
			{ code: piece(0, 1, { compileId: '2%' }), poll: 'none' },
			{ code: piece(0, 1, { compileId: '2%' }), poll: 'iteration' },
			{ code: piece(0, 1, { compileId: '3' }), poll: 'strip' },
			{ code: piece(0, 1, { compileId: null }), poll: 'none' },
		],
	} as unknown as Bias;
	const text = { textRanges: [0, 1] };
	const input = {
		bias,
		log: logOf([{ compileId: '1' }, { compileId: '2%' }, { compileId: '3', method: 'a.B.g' }, { compileId: '4', method: 'a.B.h' }, { compileId: '5' }]),
		code: [
			{ ...piece(0, 1, { compileId: '1' }), ...text },
			{ ...piece(0, 1, { compileId: '5' }), ...text },
		],
		heat: heatOf(10, [
			[{ compileId: '1' }, 3],
			[{ compileId: '4', name: 'a.B.h' }, 1],
		]),
	};
	const { compilations } = join(input);
	expect(compilations.map(({ compileId, predictedBiasedPercent, loopsWithoutPoll }) => [compileId, predictedBiasedPercent, loopsWithoutPoll])).toEqual([
		// Its code was printed and has samples, and no loop stands among those of such code: none.
		['1', 12, 0],
		['4', 0, null],
		['2%', 12, 2],
		['3', null, 0],
		['5', 12, null],
	]);
	// Of the smaller part of the time: loops are told, and nothing of the prediction.
	const unsure = join({ ...input, bias: { ...bias, unknownPercent: 50.1 } }).compilations;
	expect(unsure.map(({ predictedBiasedPercent, loopsWithoutPoll }) => [predictedBiasedPercent, loopsWithoutPoll])).toEqual([
		[null, 0],
		[null, null],
		[null, 2],
		[null, 0],
		[null, null],
	]);
});

test('deoptimizations of a log of their own: as many as either tells', () => {
	const trap = { kind: 'invalidated', reason: 'r', action: null, method: null, bci: null, ms: null, threadId: null } as const;
	const log = logOf([
		{ compileId: '1', deoptimizations: [trap, trap] },
		{ compileId: '2', deoptimizations: [trap, trap] },
	]);
	const { compilations } = join({
		log,
		deoptimizations: new Map([
			['1', 5],
			['2', 1],
			['3', 9],
		]),
	});
	expect(compilations.map(({ compileId, deoptimizations, evidence }) => [compileId, deoptimizations, evidence])).toEqual([
		['1', 5, ['logCompilation', 'deoptimizations']],
		['2', 2, ['logCompilation', 'deoptimizations']],
	]);
});

describe('calls', () => {
	const decision = (more: Partial<CallDecision>): CallDecision => ({
		bcis: [1],
		callee: 'a.X.x',
		inlined: false,
		intrinsic: false,
		reason: 'too big',
		receivers: [],
		...more,
	});
	const decisions = [
		decision({ inlined: true }),
		decision({ inlined: true, intrinsic: true }),
		decision({ intrinsic: true }),
		decision({ bcis: [4, 9] }),
		decision({
			bcis: [],
			callee: 'a.Shape.area',
			reason: 'virtual call',
			receivers: [
				{ typeName: 'a.Square', count: 2, probability: 0.2 },
				{ typeName: 'a.Disc', count: 5, probability: 0.5 },
				{ typeName: 'a.Star', count: 3, probability: 0.3 },
			],
		}),
		decision({ callee: null }),
	];

	test("of the JVM's log", () => {
		const { compilations, calls, refused } = join({
			log: logOf(
				[{}, { compileId: '2', method: 'a.Disc.area', level: 3 }, { compileId: '3', method: 'a.Disc.area' }, { compileId: '4', method: 'a.X.x' }],
				decisions,
			),
			heat: heatOf(100, [
				[{ compileId: '1' }, 40],
				[{ compileId: '2' }, 10],
				[{ compileId: '3' }, 5],
				[{ compileId: '4' }, 15],
			]),
		});
		expect(calls(compilations[0]!)).toEqual({ inlined: 2, notInlined: 3 });
		expect(refused(compilations[0]!)).toEqual([
			// As hot as the other, and with receivers.
			{
				bci: -1,
				bcis: [],
				callee: 'a.Shape.area',
				caller: null,
				calleeBytes: null,
				reason: 'virtual call',
				receivers: [
					{ name: 'a.Disc', share: 0.5 },
					{ name: 'a.Star', share: 0.3 },
					{ name: 'a.Square', share: 0.2 },
				],
				callShare: 1,
				targets: ['a.Shape.area', 'a.Square.area', 'a.Disc.area', 'a.Star.area'],
				calleePercent: 15,
			},
			{
				bci: 9,
				bcis: [4, 9],
				callee: 'a.X.x',
				caller: null,
				calleeBytes: null,
				reason: 'too big',
				receivers: [],
				callShare: 1,
				targets: ['a.X.x'],
				calleePercent: 15,
			},
			{ bci: 1, bcis: [1], callee: null, caller: null, calleeBytes: null, reason: 'too big', receivers: [], callShare: null, targets: [], calleePercent: 0 },
		]);
	});

	test('of methods of one name: the time of the one that is called', () => {
		const compiled = (compileId: string, signature: string) => ({ compileId, method: 'a.X.x', signature });
		const { compilations, refused } = join({
			log: logOf(
				[{}, compiled('2', '(I)V'), compiled('3', '(Ljava/lang/String;[I)V')],
				[
					decision({ bcis: [1], callee: 'a.X.x', calleeParameters: '(String, int[])' }),
					decision({ bcis: [2], callee: 'a.X.x', calleeParameters: '(int)' }),
					decision({ bcis: [3], callee: 'a.X.x', calleeParameters: '(long)' }),
					decision({ bcis: [4], callee: 'a.X.x' }),
					decision({ bcis: [5], callee: 'a.I.x', calleeParameters: '(int)', receivers: [{ typeName: 'a.X', count: 1, probability: 1 }] }),
					// Through a bridge, it may be.
					decision({ bcis: [6], callee: 'a.I.x', calleeParameters: '(Object)', receivers: [{ typeName: 'a.X', count: 1, probability: 1 }] }),
				],
			),
			heat: heatOf(100, [
				[{ compileId: '1' }, 40],
				[{ compileId: '2', name: 'a.X.x' }, 20],
				[{ compileId: '3', name: 'a.X.x' }, 10],
			]),
		});
		const told = refused(compilations[0]!).map(({ bci, targets, calleePercent }) => [bci, targets, calleePercent]);
		expect(told.sort((a, b) => Number(a[0]) - Number(b[0]))).toEqual([
			[1, ['a.X.x(String, int[])'], 10],
			[2, ['a.X.x(int)'], 20],
			[3, ['a.X.x(long)'], 0],
			[4, ['a.X.x'], 30],
			[5, ['a.I.x', 'a.X.x(int)'], 20],
			[6, ['a.I.x', 'a.X.x'], 30],
		]);
	});

	test('of a call whose other receiver calls what was inlined', () => {
		const receivers = [
			{ typeName: 'a.Square', count: 97, probability: 0.97 },
			{ typeName: 'a.Disc', count: 3, probability: 0.03 },
		];
		const at = { bcis: [4], caller: 'a.B.f' };
		const refusedOf = (...rows: readonly Partial<CallDecision>[]) => {
			const { compilations, refused } = join({
				log: logOf(
					[{}],
					rows.map((one) => decision({ ...at, receivers, ...one })),
				),
			});
			return refused(compilations[0]!).map(({ callee, callShare, receivers, targets }) => [callee, callShare, receivers.map(({ name }) => name), targets]);
		};
		const disc = ['a.Round.area', expect.closeTo(0.03), ['a.Disc'], ['a.Round.area', 'a.Disc.area']];
		expect(refusedOf({ callee: 'a.Square.area', inlined: true }, { callee: 'a.Round.area' })).toEqual([disc]);
		expect(refusedOf({ callee: 'a.Square.area', intrinsic: true }, { callee: 'a.Round.area' })).toEqual([disc]);
		expect(refusedOf({ callee: 'a.Square.area', inlined: true }, { callee: 'a.Round.area' }, { callee: 'a.X.x', bcis: [5], receivers: [] })).toEqual([
			['a.X.x', 1, [], ['a.X.x']],
			disc,
		]);
		// Other calls of the same index, in the callers' code.
		expect(refusedOf({ callee: 'a.Square.area', inlined: true, caller: 'a.C.f' }, { callee: 'a.Round.area' })).toEqual([
			['a.Round.area', 1, ['a.Square', 'a.Disc'], ['a.Round.area', 'a.Square.area', 'a.Disc.area']],
		]);
		expect(refusedOf({ callee: 'a.Square.area' }, { callee: 'a.Round.area', inlined: true })).toEqual([
			['a.Square.area', expect.closeTo(0.97), ['a.Square'], ['a.Square.area']],
		]);
		// Late inlining that failed.
		expect(refusedOf({ callee: 'a.Square.area', inlined: true }, { callee: 'a.Square.area' })).toEqual([
			['a.Square.area', 1, ['a.Square', 'a.Disc'], ['a.Square.area', 'a.Disc.area']],
		]);
		const uncounted = { receivers: [] };
		expect(refusedOf({ callee: 'a.Square.area', inlined: true, ...uncounted }, { callee: 'a.Round.area', ...uncounted })).toEqual([
			['a.Round.area', null, [], ['a.Round.area']],
		]);
	});

	test('the callee with most samples comes first, a receiver that is the callee counts once', () => {
		const { compilations, refused } = join({
			log: logOf(
				[{}, { compileId: '2', method: 'a.Y.y' }],
				[decision({}), decision({ callee: 'a.Y.y', receivers: [{ typeName: 'a.Y', count: 1, probability: 1 }] })],
			),
			heat: heatOf(100, [
				[{ compileId: '1' }, 40],
				[{ compileId: '2' }, 10],
			]),
		});
		expect(refused(compilations[0]!)).toMatchObject([
			{ callee: 'a.Y.y', calleePercent: 10, receivers: [{ name: 'a.Y', share: 1 }] },
			{ callee: 'a.X.x', calleePercent: 0 },
		]);
	});

	test('are not told of what was never started, of wrappers, and of compilers without a log', () => {
		const counts = (more: Partial<JitCompilation>, all: readonly CallDecision[] = decisions) => {
			const { compilations, calls } = join({ log: logOf([more], all) });
			return calls(compilations[0]!);
		};
		expect(counts({ startedMs: null })).toBeNull();
		expect(counts({ kind: 'native wrapper' })).toBeNull();
		expect(counts({ compiler: 'jvmci' }, [])).toBeNull();
		expect(counts({ compiler: 'jvmci' })).toEqual({ inlined: 2, notInlined: 3 });
		expect(counts({}, [])).toEqual({ inlined: 0, notInlined: 0 });
		const { compilations, calls, refused } = join({ printed: [printedOf({})] });
		expect(calls(compilations[0]!)).toBeNull();
		expect(refused(compilations[0]!)).toEqual([]);
	});

	test("of Graal's log", () => {
		const tree = [
			inliningNode({
				inlined: true,
				alive: false,
				children: [inliningNode({ bci: 3, methodName: 'a.Y.y(int)', reasons: ['first', 'last'] }), inliningNode({ alive: false })],
			}),
			inliningNode({
				bci: 8,
				methodName: null,
				indirect: true,
				receiverTypes: {
					mature: true,
					types: [
						{ typeName: 'a.P', probability: 0.25, methodName: 'a.P.p(int)' },
						{ typeName: 'a.Q', probability: 0.5, methodName: null },
						{ typeName: 'a.R', probability: 0.125, methodName: 'a.R.p(int)' },
					],
				},
			}),
		];
		const { compilations, calls, refused } = join({
			units: [unitOf({}, tree), unitOf({ compileId: '2', methodName: 'a.P.p(int)' }), unitOf({ compileId: '3', methodName: 'a.R.p(int)' })],
			heat: heatOf(100, [
				[{ compileId: '1', name: 'a.B.f' }, 40],
				[{ compileId: '2', name: 'a.P.p' }, 10],
				[{ compileId: '3', name: 'a.R.p' }, 20],
			]),
		});
		const compilation = compilations[0]!;
		expect(calls(compilation)).toEqual({ inlined: 1, notInlined: 2 });
		expect(refused(compilation)).toEqual([
			{
				bci: 8,
				bcis: [8],
				callee: null,
				caller: null,
				reason: '',
				receivers: [
					{ name: 'a.Q', share: 0.5 },
					{ name: 'a.P', share: 0.25 },
					{ name: 'a.R', share: 0.125 },
				],
				targets: ['a.P.p', 'a.R.p'],
				callShare: 1,
				calleePercent: 30,
			},
			{ bci: 3, bcis: [0, 3], callee: 'a.Y.y', caller: 'a.X.x', reason: 'last', receivers: [], callShare: 1, targets: ['a.Y.y'], calleePercent: 0 },
		]);
	});

	test('of trees that cannot be read nothing is told; what is no fault of the file goes on', () => {
		const broken = (error: Error) => {
			const throws = () => {
				throw error;
			};
			const { compilations, calls, refused } = join({ units: [unitOf({ readTrees: throws })] });
			return { calls: () => calls(compilations[0]!), refused: () => refused(compilations[0]!) };
		};
		const cut = broken(new InputError({ severity: 'error', file: 'f', message: 'm', action: 'a' }));
		expect(cut.calls()).toBeNull();
		expect(cut.refused()).toEqual([]);
		const fault = broken(new TypeError('a fault of the program'));
		expect(fault.calls).toThrow('a fault of the program');
		expect(fault.refused).toThrow('a fault of the program');
	});
});
