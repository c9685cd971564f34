/** Callers from copied stacks: how they end, which processes have them, and what is told of those that lead nowhere. */
import { describe, expect, test } from 'vitest';
import { fork, type MadeEvent, mmap2, perfDataFile, sample, WITH_STACK, WITH_TOP, words } from '../../../test/perf-data-file.js';
import { memorySource } from '../../bytes/source.js';
import { type FrameRule, STACK_POINTER } from '../../model/unwinding.js';
import type { SampleHelp } from '../format.js';
import { type PerfData, readPerfData } from './read.js';

/** The frame and stack pointers and the program counter. */
const EVENT: MadeEvent = { name: 'cpu-clock', sampleType: 0b111 | WITH_STACK | WITH_TOP, registers: 0b1_1100_0000 };
const APP = 0x40_0000;
const LIBRARY = 0x7f00_0000_0000;
const SP = 0x7ffd_0000_0000;

const rule = (bytes: number, more: Partial<FrameRule> = {}): FrameRule => ({
	address: { register: STACK_POINTER, offset: bytes },
	returnAddress: { kind: 'saved', offset: -8 },
	framePointer: { kind: 'same' },
	isSignal: false,
	...more,
});
/** By offset: functions of 0x100 bytes. */
const RULES: Readonly<Record<number, FrameRule>> = {
	0: rule(16),
	1: rule(24),
	2: rule(32, { framePointer: { kind: 'saved', offset: -16 } }),
	3: rule(0, { returnAddress: { kind: 'lost' } }),
	4: rule(0, { address: { register: 6, offset: 16 } }),
	5: rule(8, { isSignal: true }),
	6: rule(8, { returnAddress: { kind: 'elsewhere' } }),
	7: rule(0, { address: { expression: Uint8Array.of(0x77, 16, 0x06) } }),
	8: rule(0),
};
const HELP: SampleHelp = {
	symbols: {
		symbolsOf: ({ name }) => ({
			find: (offset) => ({ start: offset & ~0xff, end: (offset & ~0xff) + 0x100, name: `${name === '/app' ? 'f' : 'g'}${offset >> 8}` }),
		}),
	},
	openZstd: null,
	tables: { tableOf: ({ name }) => (name === '/app' ? { ruleAt: (offset) => RULES[offset >> 8] ?? null } : null) },
};
const MAPPED = [mmap2(7, APP, 0x10_0000, 0, '/app'), mmap2(7, LIBRARY, 0x1000, 0, '/lib/libg.so')];

interface Top {
	readonly frame?: number;
	readonly copied?: number;
	readonly kernel?: readonly number[];
	readonly abi?: number;
}

/** The call chain, the registers, the stack, and how much of it was there. */
const top = (code: number, stack: readonly number[], { frame = 0, copied = 8 * stack.length, kernel = [], abi = 2 }: Top = {}): Buffer =>
	words(kernel.length, ...kernel, abi, frame, SP, code, 8 * stack.length, ...stack, copied);
const read = (records: readonly Uint8Array[], help = HELP, wanted: 'all' | 'threads' | 'none' = 'threads', made = EVENT): PerfData =>
	readPerfData(memorySource('perf.data', perfDataFile([made], [...MAPPED, ...records])), wanted, help);
const chains = ({ samples, unwound }: PerfData): (string | null)[][] =>
	Array.from(samples.address, (_, i) => {
		const result: (string | null)[] = [];
		for (let node = unwound?.of[i] ?? -1; node >= 0; node = unwound?.parent[node] ?? -1) {
			result.push(samples.places[unwound?.place[node] ?? -1]?.symbol ?? null);
		}
		return result;
	});
const chainOf = (code: number, stack: readonly number[], more: Top = {}): (string | null)[] =>
	chains(read([sample(code, 7, 7, 1, top(code, stack, more))]))[0] ?? [];
const app = (index: number, offset = 0x10): number => APP + 0x100 * index + offset;

describe('stacks end', () => {
	test('where nobody called', () => {
		expect(chainOf(app(0), [1, app(1), 2, 3, app(3)])).toEqual(['f0', 'f1', 'f3']);
		expect(chainOf(app(0), [1, 0])).toEqual(['f0']);
	});

	test('where the copy ends', () => {
		expect(chainOf(app(0), [1, app(1), 2])).toEqual(['f0', 'f1']);
		expect(chainOf(app(0), [1, app(1), 2, 3, app(3)], { copied: 32 })).toEqual(['f0', 'f1']);
		expect(chainOf(app(7), [1, 2], { copied: 8 })).toEqual(['f7']);
	});

	test('in a file whose frames nothing describes, and outside of all code', () => {
		expect(chainOf(app(0), [1, LIBRARY + 0x210, 1, 2])).toEqual(['f0', 'g2']);
		expect(chainOf(app(0), [1, 0x1234, 1, 2])).toEqual(['f0']);
		expect(chainOf(app(0x20), [1, 2, 3])).toEqual(['f32']);
	});

	test('where a frame does not lie above the one that it called, and where the return address is in no word', () => {
		expect(chainOf(app(8), [app(1), 2, 3])).toEqual(['f8']);
		expect(chainOf(app(6), [app(1), 2, 3])).toEqual(['f6']);
		expect(chainOf(app(4), [1, 2, 3], { frame: SP - 64 })).toEqual(['f4']);
	});
});

test('the frame pointer is followed, its own one or one that was saved', () => {
	expect(chainOf(app(4), [9, 9, 0, app(3)], { frame: SP + 16 })).toEqual(['f4', 'f3']);
	expect(chainOf(app(2), [9, 9, SP + 48, app(4), 9, 9, 0, app(3)])).toEqual(['f2', 'f4', 'f3']);
});

test('a return address is behind the call, of an interrupted instruction it is its own', () => {
	expect(chainOf(app(0), [1, app(2, 0), 2, 3, app(3)])).toEqual(['f0', 'f1', 'f3']);
	expect(chainOf(app(5), [app(2, 0), 1, 2, 3, app(3)])).toEqual(['f5', 'f2', 'f3']);
	expect(chainOf(app(7), [1, 2, SP + 32, app(1), 9, 9, app(3)])).toEqual(['f7', 'f1', 'f3']);
});

test('the kernel was entered from the program', () => {
	const kernel = -0x1000;
	const of = (record: Buffer, made = EVENT) => read([sample(kernel, 7, 7, 1, record, 1)], HELP, 'all', made);
	expect(chains(of(top(app(0), [1, app(3)])))[0]).toEqual(['[unknown]', 'f0', 'f3']);
	// Everything was asked for, the kernel's own callers too: the registers are six others, these three, and twelve more.
	const registers = [...new Array(6).fill(0), 0, SP, app(0), ...new Array(12).fill(0)];
	const whole = of(words(3, -128, kernel, kernel - 16, 2, ...registers, 16, 1, app(3), 16), { ...EVENT, registers: 0x1f_ffff });
	expect([chains(whole)[0], whole.stacks?.parent.length]).toEqual([['[unknown]', '[unknown]', 'f0', 'f3'], 4]);
});

describe('who has callers', () => {
	const one = sample(app(0), 7, 7, 1, top(app(0), [1, app(3)]));

	test('those who ask, where the tables are', () => {
		expect(read([one], HELP, 'none').unwound).toBeUndefined();
		expect(read([one], { symbols: HELP.symbols, openZstd: null }).unwound).toBeUndefined();
		expect(read([one]).stacks).toBeNull();
		expect(read([one]).unwound?.copiedBytes).toBe(16);
		expect(chains(read([one], HELP, 'all'))).toEqual([['f0', 'f3']]);
	});

	test('no program of another size, and none without a stack', () => {
		expect(read([sample(app(0), 7, 7, 1, top(app(0), [1, app(3)], { abi: 1 }))]).unwound).toBeUndefined();
		expect(read([sample(app(0), 7, 7, 1, top(app(0), [1, app(3)], { abi: 0 }))]).unwound).toBeUndefined();
	});

	test('no JVM, also of what ran before it was there; what it started has', () => {
		const jvm = mmap2(7, 0x7f11_0000_0000, 0x1000, 0, '/jdk/lib/server/libjvm.so', 2);
		const late = sample(app(0), 7, 7, 3, top(app(0), [1, app(3)]));
		expect(read([one, jvm, late]).unwound).toBeUndefined();
		expect(read([one, mmap2(7, 0x7f11_0000_0000, 0x1000, 0, '/usr/bin/node', 2), late]).unwound).toBeUndefined();
		const other = [fork(9, 9, 7, 7, 1), sample(app(1), 9, 9, 4, top(app(1), [1, 2, app(3)]))];
		expect(chains(read([one, jvm, late, ...other]))).toEqual([[], [], ['f1', 'f3']]);
	});

	test('a program that makes some code', () => {
		const generated = mmap2(7, 0x7f22_0000_0000, 0x1000, 0, '//anon', 2);
		const inside = sample(0x7f22_0000_0010, 7, 7, 3, top(0x7f22_0000_0010, [1, app(3)]));
		expect(chains(read([one, generated, inside]))).toEqual([['f0', 'f3'], ['g0']]);
	});
});

test('where many stacks end in a file that is not at hand, that is told', () => {
	const ending = sample(app(0), 7, 7, 1, top(app(0), [1, LIBRARY + 0x210, 1, 2]));
	expect(read([ending]).problems.map(({ message, action }) => [message, action])).toEqual([
		['1 of 1 stacks end in /lib/libg.so, whose frames nothing here describes', 'give that file too, as it was when the program ran'],
	]);
	const whole = sample(app(0), 7, 7, 2, top(app(0), [1, app(3)]));
	expect(read([ending, ...new Array(30).fill(whole)]).problems).toEqual([]);
});
