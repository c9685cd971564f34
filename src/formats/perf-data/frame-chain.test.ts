/** Frames of native code on a copied stack: which call left generated code, and where that cannot be told. */
import { describe, expect, test } from 'vitest';
import { words } from '../../../test/perf-data-file.js';
import { FrameChains, UNKNOWN } from './frame-chain.js';
import { AddressSpace } from './processes.js';

const SP = 0x7ffd_0000_0000;
const NATIVE = 0x7f10_0000_0010;
const GENERATED = 0x7f20_0000_0010;

const space = new AddressSpace();
space.add({
	start: NATIVE - 0x10,
	end: NATIVE + 0x1000,
	shift: 0,
	isExecutable: true,
	library: { name: 'libjvm.so', buildId: null, symbols: null, places: new Map() } as never,
});
const DATA = 0x7f11_0000_0010;
space.add({
	start: DATA - 0x10,
	end: DATA + 0x1000,
	shift: 0,
	isExecutable: false,
	library: { name: 'classes.jsa', buildId: null, symbols: null, places: new Map() } as never,
});
space.addGenerated(GENERATED - 0x10, GENERATED + 0x1000);
const chains = new FrameChains();

/** Where a frame lies whose saved frame pointer is in that slot. */
const frame = (slot: number): number => SP + 8 * slot;

/** A stack of 16 words with these in their slots; the frame pointer is null where it was not copied. */
function slotOfCall(framePointer: number | null, filled: Record<number, number>, stackPointer = SP): number {
	const stack = Array.from({ length: 16 }, (_, slot) => filled[slot] ?? 7);
	const bytes = words(...stack);
	return chains.slotOfCall({ view: new DataView(bytes.buffer, bytes.byteOffset), at: 0, words: stack.length, stackPointer, framePointer, space });
}

describe('from the frame pointer', () => {
	test('to the first return address into generated code, past words of calls that ended', () => {
		expect(slotOfCall(frame(2), { 1: GENERATED, 2: frame(6), 3: NATIVE, 4: frame(6), 5: GENERATED, 6: 99, 7: GENERATED, 9: GENERATED })).toBe(7);
	});

	test('to beyond what was copied', () => {
		expect(slotOfCall(frame(2), { 1: GENERATED, 2: frame(100), 3: NATIVE })).toBe(Number.POSITIVE_INFINITY);
		expect(slotOfCall(frame(20), { 1: GENERATED })).toBe(UNKNOWN);
	});

	test('not without a frame of native code: what generated code called may have none, and leaves the register alone', () => {
		expect(slotOfCall(frame(4), { 2: GENERATED, 4: frame(8), 5: GENERATED })).toBe(UNKNOWN);
	});

	test('not where a function has no frame yet', () => {
		expect(slotOfCall(frame(2), { 0: GENERATED, 2: frame(6), 3: NATIVE, 7: GENERATED })).toBe(UNKNOWN);
	});

	test('a function that keeps no chain breaks it, and it is taken up again behind', () => {
		expect(slotOfCall(frame(2), { 2: 0x1234, 3: NATIVE, 8: frame(12), 9: NATIVE, 12: 5, 13: GENERATED })).toBe(13);
		// What looks like a frame below is of a call that ended.
		expect(slotOfCall(frame(4), { 0: frame(2), 1: NATIVE, 2: 5, 3: GENERATED, 4: 0x1234, 5: NATIVE })).toBe(UNKNOWN);
	});
});

describe('without one the stack is looked through', () => {
	test.each([
		['it was not copied', null],
		['it is no place on the stack', 3],
		['it points below', SP - 16],
		['it is not aligned', frame(3)],
		['what lies there is no frame', frame(14)],
	])('where %s', (_, framePointer) => {
		expect(slotOfCall(framePointer, { 1: GENERATED, 4: frame(8), 5: NATIVE, 8: 99, 9: GENERATED })).toBe(9);
	});

	test('for a frame that generated code called, if that has the place of its own frame', () => {
		expect(slotOfCall(null, { 2: frame(8), 3: GENERATED })).toBe(3);
		// Frames of the interpreter are not aligned.
		expect(slotOfCall(null, { 2: frame(9), 3: GENERATED, 4: frame(8), 5: NATIVE, 8: 99, 9: GENERATED })).toBe(3);
		expect(slotOfCall(null, { 2: 99, 3: GENERATED })).toBe(UNKNOWN);
	});

	test('for two frames, where they lead beyond what was copied', () => {
		expect(slotOfCall(null, { 2: frame(4), 3: NATIVE, 4: frame(40), 5: NATIVE })).toBe(Number.POSITIVE_INFINITY);
		expect(slotOfCall(null, { 2: frame(40), 3: NATIVE })).toBe(UNKNOWN);
	});

	test('with the alignment that the stack pointer has', () => {
		expect(slotOfCall(null, { 3: SP + 8 + 8 * 7, 4: NATIVE, 7: 99, 8: GENERATED }, SP + 8)).toBe(8);
		expect(slotOfCall(null, { 2: frame(6), 3: NATIVE, 6: 99, 7: GENERATED }, SP + 8)).toBe(UNKNOWN);
	});
});

test('an address in data that is mapped is none of a function', () => {
	expect(slotOfCall(frame(2), { 2: frame(6), 3: DATA, 6: 99, 7: GENERATED })).toBe(UNKNOWN);
	expect(slotOfCall(null, { 2: frame(6), 3: DATA, 6: frame(12), 7: DATA, 12: 99, 13: GENERATED })).toBe(UNKNOWN);
});

test('a chain does not go down, nor round in circles', () => {
	expect(slotOfCall(frame(4), { 0: frame(4), 1: NATIVE, 4: frame(0), 5: NATIVE })).toBe(UNKNOWN);
	expect(slotOfCall(frame(4), { 4: frame(4), 5: NATIVE })).toBe(UNKNOWN);
});

test('many chains that lead nowhere are followed once', () => {
	const length = 8190;
	const filled = Array.from({ length }, (_, slot) => (slot % 2 === 0 ? frame(slot + 2) : NATIVE));
	filled[length - 1] = 5;
	const bytes = words(...filled);
	const stack = { view: new DataView(bytes.buffer, bytes.byteOffset), at: 0, words: length, stackPointer: SP, framePointer: null, space };
	const reader = new FrameChains();
	for (let round = 0; round < 200; round++) {
		expect(reader.slotOfCall(stack)).toBe(UNKNOWN);
	}
});

test('nothing was copied', () => {
	expect(chains.slotOfCall({ view: new DataView(new ArrayBuffer(0)), at: 0, words: 0, stackPointer: SP, framePointer: SP, space })).toBe(UNKNOWN);
});
