/** Tops of stacks: which words are kept, of which samples, and what is damaged. */
import { describe, expect, test } from 'vitest';
import { fork, type MadeEvent, mmap2, perfDataFile, sample, WITH_STACK, WITH_TOP, words } from '../../../test/perf-data-file.js';
import { memorySource } from '../../bytes/source.js';
import { LEFT_FOR_KERNEL } from '../../model/samples.js';
import { type PerfData, readPerfData } from './read.js';

/** The stack pointer and the program counter. */
const SP_IP = 0b1_1000_0000;
const BP_SP_IP = 0b1_1100_0000;
const ALL_OF_X86 = 0xff0fff;
const CODE = 0x7f00_0000_1000;
const event = (registers = SP_IP): MadeEvent => ({ name: 'cpu-clock', sampleType: 0b111 | WITH_STACK | WITH_TOP, registers });
const GENERATED = mmap2(7, CODE - 0x1000, 0x10_0000, 0, '//anon');

/** Call chain, registers, the stack with these words, and how much of it was there. */
const top = (stack: readonly number[], { registers = [0x7ffd_0000, CODE], abi = 2, copied = 8 * stack.length, bytes = 8 * stack.length } = {}): Buffer =>
	words(1, -512, abi, ...registers, bytes, ...stack, copied);
const read = (records: readonly Uint8Array[], made = event(), wanted: 'all' | 'threads' | 'none' = 'all'): PerfData =>
	readPerfData(memorySource('perf.data', perfDataFile([made], [GENERATED, ...records])), wanted);
const rows = ({ tops }: PerfData): number[][] => Array.from(tops?.sample ?? [], (of, i) => [of, tops?.slot[i] ?? -1, tops?.address[i] ?? -1]);

describe('words near the code are kept', () => {
	test('with their places, by sample', () => {
		const data = read([
			sample(CODE, 7, 7, 1, top([5, CODE + 0x20, 0x7ffd_0010, CODE - 0x10])),
			sample(CODE, 7, 7, 2, top([0])),
			sample(CODE, 7, 7, 3, top([CODE])),
		]);
		expect([data.problems, data.stacks, data.samples.length]).toEqual([[], null, 3]);
		expect(data.tops?.copiedBytes).toBe(32);
		expect(rows(data)).toEqual([
			[0, 1, CODE + 0x20],
			[0, 3, CODE - 0x10],
			[2, 0, CODE],
		]);
	});

	test('and those in other generated code, however far: a code cache of 1 GiB has what C1 made 500 MiB from what C2 did', () => {
		const far = CODE + 2 ** 29;
		const reserved = far + 0x20_0000;
		const data = read([
			mmap2(7, far - 0x1000, 0x10_0000, 0, '//anon'),
			sample(CODE, 7, 7, 1, top([far + 8, reserved, CODE + 8])),
			sample(far, 7, 7, 1, top([CODE + 8])),
		]);
		expect(rows(data).map(([number, slot]) => [number, slot])).toEqual([
			[0, 0],
			[0, 2],
			[1, 0],
		]);
	});

	test('where somebody asks, and of no hypervisor', () => {
		expect(read([sample(-4096, 7, 7, 1, top([CODE]), 3)]).tops).toBeUndefined();
		expect(read([sample(CODE, 7, 7, 1, top([CODE]))], event(), 'none').tops).toBeUndefined();
		expect(rows(read([sample(CODE, 7, 7, 1, top([CODE]))], event(), 'threads'))).toEqual([[0, 0, CODE]]);
	});

	test('of native code those that lie in generated code, of whichever piece', () => {
		const far = CODE + 2 ** 40;
		const registers = [0, 0x40_0000];
		const data = read([
			sample(0x40_0000, 7, 7, 1, top([0x40_0010, CODE + 8, far], { registers })),
			mmap2(7, far, 0x1000, 0, '//anon', 2),
			mmap2(7, CODE + 0x10_0000, 0x1000, 0, '//anon', 2),
			sample(0x40_0000, 7, 7, 3, top([CODE - 0x1001, far, CODE + 0x10_0ffe, CODE + 0x10_1000], { registers })),
		]);
		expect(rows(data)).toEqual([
			[0, 1, CODE + 8],
			[1, 1, far],
			[1, 2, CODE + 0x10_0ffe],
		]);
	});

	test('of native code none of calls that ended: the frame pointer leads to the one that left generated code', () => {
		const [stackPointer, native] = [0x7ffd_0000, 0x40_0000];
		const stack = [0, CODE + 4, stackPointer + 48, native + 8, CODE + 8, CODE + 12, 0, CODE + 16, CODE + 20];
		const of = (framePointer: number) => top(stack, { registers: [framePointer, stackPointer, native] });
		const library = mmap2(7, native, 0x1000, 0, '/usr/lib/libjvm.so');
		const data = read([library, sample(native, 7, 7, 1, of(stackPointer + 16)), sample(native, 7, 7, 2, of(stackPointer + 48))], event(BP_SP_IP));
		expect([data.problems, data.stacks]).toEqual([[], null]);
		expect(rows(data).map(([number, slot]) => [number, slot])).toEqual([[0, 7], [0, 8], ...[1, 4, 5, 7, 8].map((slot) => [1, slot])]);
	});

	test('of native code no numbers that lie where generated code only may come to lie', () => {
		const native = 0x40_0000;
		const reserved = 2 ** 32 * 0x7f01;
		const pieces = [mmap2(7, reserved - 0x100_0000, 0x1000, 0, '//anon'), mmap2(7, reserved + 0x500_0000, 0x1000, 0, '//anon')];
		// perf may have lost what lies between pieces that are nearer to each other.
		const near = mmap2(7, reserved - 0x100_0000 + 0x9_0000, 0x1000, 0, '//anon');
		const stack = [reserved + 5, reserved + 0x500_0004, reserved - 0x100_0000 + 0x5_0000];
		const data = read([...pieces, near, sample(native, 7, 7, 1, top(stack, { registers: [0x7ffd_0000, native] }))]);
		expect(rows(data).map(([, slot]) => slot)).toEqual([1, 2]);
	});

	test('and which native method was called from there, of each word that may be a return address', () => {
		const [stackPointer, native, method] = [0x7ffd_0000_0000, 0x40_0000, 0x7f11_2233_4458];
		const symbols = {
			symbolsOf: ({ name }: { readonly name: string }) => (name.endsWith('libzip.so') ? { find: () => ({ name: 'Java_a_B_packed', start: 0, end: 9 }) } : null),
		};
		const stackOf = (between: number): number[] => [
			CODE + 2,
			0,
			native + 8,
			...Array<number>(between).fill(0),
			stackPointer + 8 * (between + 8),
			CODE + 8,
			method,
			0,
			0,
			0,
		];
		const mappings = [GENERATED, mmap2(7, native, 0x1000, 0, '/usr/lib/libzip.so'), mmap2(7, 2 * native, 0x1000, 0, '/usr/lib/libz.so')];
		const of = (between: number): unknown => {
			const taken = sample(2 * native, 7, 7, 1, top(stackOf(between), { registers: [3, stackPointer, 2 * native] }));
			const { tops } = readPerfData(memorySource('perf.data', perfDataFile([event(BP_SP_IP)], [...mappings, taken])), 'all', { symbols } as never);
			return [
				rows({ tops } as PerfData).map(([, slot]) => slot),
				[...(tops?.nativeMethods ?? [])],
				Array.from(tops?.methodWords?.row ?? []),
				tops?.methodWords?.address[0],
			];
		};
		expect(of(1)).toEqual([[0, 5], [[1, 'a.B.packed']], [1], method]);
		expect(of(60)).toEqual([[0, 64], [], [1], method]);
	});

	test('and where the interpreter has its method, three words below its frame', () => {
		const [stackPointer, native, method] = [0x7ffd_0000_0000, 0x40_0000, 0x7f11_2233_4458];
		const wordsOf = (...samples: readonly [code: number, framePointer: number, stack: readonly number[]][]) => {
			const records = samples.map(([code, framePointer, stack], i) => sample(code, 7, 7, i + 1, top(stack, { registers: [framePointer, stackPointer, code] })));
			const { methodWords } = read([mmap2(7, native, 0x1000, 0, '/usr/lib/libjvm.so'), ...records], event(BP_SP_IP)).tops ?? {};
			return Array.from(methodWords?.sample ?? [], (of, i) => [of, methodWords?.address[i]]);
		};
		const frame = stackPointer + 32;
		const interpreted = [0, method, 0, 0, stackPointer + 4096, CODE + 8];
		expect(wordsOf([CODE, frame, interpreted])).toEqual([[0, method]]);
		// Of native code the frame is that of the interpreter that called it: by the chain, and where it has no frame yet.
		const called = [0, stackPointer + 16, stackPointer + 72, native + 8, 0, 0, 0, 0, 0, stackPointer + 104, CODE + 4];
		expect(wordsOf([native, stackPointer + 16, [...called, method, 0, 0, CODE + 8]])).toEqual([]);
		expect(wordsOf([native, stackPointer + 16, [...called.slice(0, 9), stackPointer + 112, CODE + 4, method, 0, 0, CODE + 8]])).toEqual([[0, method]]);
		expect(wordsOf([native, frame, [CODE + 4, method, 0, 0, 0, 0]])).toEqual([[0, method]]);
		// No address that the JVM could have its methods at, no frame on what was copied.
		for (const word of [method + 4, 8, CODE + 16, stackPointer + 64, 2 ** 60]) {
			expect(wordsOf([CODE, frame, interpreted.with(1, word)])).toEqual([]);
		}
		for (const framePointer of [frame + 4, stackPointer + 16, stackPointer + 4096, 0]) {
			expect(wordsOf([CODE, framePointer, interpreted])).toEqual([]);
		}
	});

	test('of the kernel those of the program that it works for, and at which instruction generated code was left', () => {
		const data = read([
			sample(-4096, 7, 7, 1, top([CODE + 8]), 1),
			sample(-4096, 7, 7, 2, top([5, CODE + 8], { registers: [0, 0x40_0000] }), 1),
			sample(-4096, 7, 7, 3, words(0, 0), 1),
		]);
		expect(rows(data)).toEqual([
			[0, LEFT_FOR_KERNEL, CODE],
			[0, 0, CODE + 8],
			[1, 1, CODE + 8],
		]);
	});

	test('pieces of generated code without end do not fill the memory, and a child has those of its parent', () => {
		const many = Array.from({ length: 40 }, (_, i) => mmap2(7, (i + 1) * 2 ** 32, 0x1000, 0, '//anon'));
		const native = (address: number, processId: number): Buffer => sample(0x40_0000, processId, processId, 9, top([address], { registers: [0, 0x40_0000] }));
		const data = read([...many, fork(8, 8, 7, 7, 2), native(2 ** 32, 7), native(40 * 2 ** 32, 7), native(2 ** 32, 8), native(2 ** 32, 9)]);
		expect(rows(data).map(([of]) => of)).toEqual([0, 2]);
	});

	test('no more of them than the stack had', () => {
		expect(rows(read([sample(CODE, 7, 7, 1, top([CODE, CODE + 8], { copied: 8 }))]))).toEqual([[0, 0, CODE]]);
	});

	test('behind all registers too, where the callers of the kernel are kept and it is said', () => {
		const registers = Array.from({ length: 20 }, (_, i) => (i === 8 ? CODE : i));
		const data = read([sample(CODE, 7, 7, 1, top([1, CODE + 4], { registers }))], event(ALL_OF_X86));
		expect(rows(data)).toEqual([[0, 1, CODE + 4]]);
		expect(data.problems.map(({ message }) => message)).toEqual(['1 samples have copies of stacks (--call-graph dwarf), which only perf unwinds']);
	});
});

test('damaged ones tell nothing: a program of 32 bits, sizes that do not fit, registers of another processor', () => {
	const damaged = [top([CODE], { abi: 1 }), top([CODE], { bytes: 1 << 20 }), top([CODE], { bytes: 12 }), words(1 << 20), words(1, -512, 2), Buffer.alloc(0)];
	const data = read(damaged.map((more) => sample(CODE, 7, 7, 1, more)));
	expect([rows(data), data.samples.length]).toEqual([[], damaged.length]);
	expect(rows(read([sample(CODE, 7, 7, 1, top([CODE]))], event(2 ** 32 + 2 ** 31)))).toEqual([]);
});
