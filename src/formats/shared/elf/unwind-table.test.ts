/** What the instructions of frame descriptions come to at each place, damaged ones, and Go's depths of stacks. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { elfFile } from '../../../../test/elf-file.js';
import { commonInformation, frameSection } from '../../../../test/frame-section.js';
import { GO_TEXT, type GoVersion, goTable } from '../../../../test/go-table.js';
import { memorySource, readRange } from '../../../bytes/source.js';
import type { FrameRule, SavedRegister } from '../../../model/unwinding.js';
import { readSectionTable } from './section-table.js';
import { readUnwindTable } from './unwind-table.js';

const TEXT = 0x1000;
const FRAMES = 0x3000;
/** DW_CFA_def_cfa rsp 8, DW_CFA_offset of the return address at -8. */
const AT_ENTRY = [0x0c, 7, 8, 0x90, 1];

function rulesOf(file: Uint8Array, addresses: readonly number[], from = TEXT): (FrameRule | null)[] {
	const source = memorySource('app', file);
	const table = readSectionTable(source);
	const text = table.kind === 'unusable' ? undefined : table.headers[table.names.indexOf('.text')];
	const unwinding = readUnwindTable(source);
	return addresses.map((address) => unwinding?.ruleAt(address - from + (text?.offset ?? 0)) ?? null);
}

function elf(instructions: readonly number[], augmentation = 'zR', length = 64, first = AT_ENTRY): Buffer {
	const frames = frameSection(commonInformation(augmentation, [0x1b], 1, first), FRAMES, [[TEXT, length, instructions]]);
	return elfFile({
		sections: [
			{ name: '.text', address: TEXT, bytes: Buffer.alloc(64, 0xcc) },
			{ name: '.eh_frame', address: FRAMES, bytes: frames, flags: 2 },
		],
		symbols: [],
	});
}

const saved = (register: SavedRegister): string | number => (register.kind === 'saved' ? register.offset : register.kind);
const short = (rule: FrameRule | null): unknown =>
	rule === null
		? null
		: [
				'register' in rule.address ? [rule.address.register, rule.address.offset] : [...rule.address.expression],
				saved(rule.framePointer),
				saved(rule.returnAddress),
			];
const at = (instructions: readonly number[], ...offsets: readonly number[]): unknown[] =>
	rulesOf(
		elf(instructions),
		offsets.map((offset) => TEXT + offset),
	).map(short);

describe('instructions', () => {
	test('a function that saves the frame pointer and takes it for its own frame', () => {
		// push %rbp; mov %rsp,%rbp; …; pop %rbp; ret
		const framed = [0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 40, 0x0c, 7, 8, 0xc6];
		expect(at(framed, 0, 1, 3, 4, 43, 44, 63)).toEqual([
			[[7, 8], 'same', -8],
			[[7, 16], -16, -8],
			[[7, 16], -16, -8],
			[[6, 16], -16, -8],
			[[6, 16], -16, -8],
			[[7, 8], 'same', -8],
			[[7, 8], 'same', -8],
		]);
	});

	test('a state is remembered, with where the frame is', () => {
		expect(at([0x44, 0x0e, 48, 0x86, 6, 0x0a, 0x44, 0x0e, 8, 0xc6, 0x44, 0x0b], 4, 8, 12)).toEqual([
			[[7, 48], -48, -8],
			[[7, 8], 'same', -8],
			[[7, 48], -48, -8],
		]);
	});

	test('long steps, registers with large numbers, factored offsets, expressions', () => {
		const all = [
			0x03, 8, 0, 0x12, 7, 0x7e, 0x04, 8, 0, 0, 0, 0x13, 0x7d, 0x05, 6, 3, 0x11, 16, 2, 0x02, 8, 0x0f, 3, 0x77, 8, 0x06, 0x10, 6, 2, 0x76, 0, 0x2e, 16,
		];
		expect(at(all, 0, 8, 16, 24)).toEqual([
			[[7, 8], 'same', -8],
			[[7, 16], 'same', -8],
			[[7, 24], -24, -16],
			[[0x77, 8, 0x06], 'savedAt', -16],
		]);
	});

	test('nobody called, nobody kept it, another register has it', () => {
		expect(at([0x07, 16], 0)).toEqual([[[7, 8], 'same', 'lost']]);
		expect(at([0x07, 6], 0)).toEqual([[[7, 8], 'lost', -8]]);
		expect(at([0x86, 2, 0x08, 6, 0x09, 16, 2], 0)).toEqual([[[7, 8], 'same', 'elsewhere']]);
		expect(at([0x14, 6, 1, 0x16, 16, 1, 0x30], 0)).toEqual([[[7, 8], 'elsewhere', 'elsewhere']]);
		// Of other registers nobody asks.
		expect(at([0x83, 3, 0x8c, 4, 0xc3, 0x06, 12], 0)).toEqual([[[7, 8], 'same', -8]]);
	});

	test('of what interrupts a function', () => {
		expect(rulesOf(elf([], 'zRS'), [TEXT])[0]?.isSignal).toBe(true);
		expect(rulesOf(elf([]), [TEXT])[0]?.isSignal).toBe(false);
	});
});

describe('nothing is told', () => {
	test('outside of described code, of unknown instructions, without a frame, of states beyond reason', () => {
		expect(rulesOf(elf([], 'zR', 32), [TEXT - 1, TEXT + 31, TEXT + 32, TEXT + 64]).map((rule) => rule !== null)).toEqual([false, true, false, false]);
		expect(at([0x3d], 0)).toEqual([null]);
		expect(at([0x0f, 0x20, 1], 0)).toEqual([null]);
		expect(rulesOf(elf([], 'zR', 64, [0x90, 1]), [TEXT])).toEqual([null]);
		expect(rulesOf(elf([], 'zR', 64, [0x0e, 16]), [TEXT])).toEqual([null]);
		expect(at(new Array(100).fill(0x0a), 0)).toEqual([null]);
	});

	test('of another processor, and without descriptions', () => {
		const file = elf([]);
		file.writeUInt16LE(183, 18);
		expect(readUnwindTable(memorySource('arm', file))).toBeNull();
		expect(readUnwindTable(memorySource('none', elfFile({ sections: [{ name: '.text', address: TEXT, bytes: Buffer.alloc(8) }], symbols: [] })))).toBeNull();
		expect(readUnwindTable(memorySource('text', Buffer.from('no program')))).toBeNull();
	});
});

test.each(['1.2', '1.16', '1.18', '1.20'] satisfies GoVersion[])('of functions of Go %s the depth of the stack is told', (version) => {
	const file = elfFile({
		sections: [
			{ name: '.text', address: GO_TEXT, bytes: Buffer.alloc(256, 0xcc) },
			{ name: '.gopclntab', address: 0x500000, bytes: goTable({ version }), flags: 2 },
		],
		symbols: [],
	});
	const work = GO_TEXT + 32;
	const main = GO_TEXT + 48;
	const depths = rulesOf(file, [GO_TEXT, work + 3, work + 4, work + 13, work + 14, main + 7, main + 8, main + 47, main + 48], GO_TEXT).map((rule) =>
		rule !== null && 'register' in rule.address ? rule.address.offset : null,
	);
	expect(depths).toEqual([8, 8, 32, 32, 8, 8, 8 + 600, 8 + 600, null]);
});

test('whatever is damaged, an answer comes', () => {
	const file = elf([0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x0f, 3, 0x77, 8, 0x06]);
	fc.assert(
		fc.property(fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { maxLength: 8 }), (changes) => {
			const damaged = Buffer.from(readRange(memorySource('app', file), 0, file.length));
			for (const [place, value] of changes) {
				damaged[place] = value;
			}
			expect(rulesOf(damaged, [TEXT, TEXT + 8, TEXT + 63])).toHaveLength(3);
		}),
	);
});
