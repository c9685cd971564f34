/** Which functions are instrumented, and the numbers in the text that is put into a module. */
import { expect, test } from 'vitest';
import {
	type Candidate,
	CONTINUATION,
	DEFAULT_BUFFER_ENTRIES,
	globalsText,
	type InstrumentationOptions,
	type ModuleToInstrument,
	prologueText,
	whyOmitted,
} from './instrumentation.js';

const MODULE: ModuleToInstrument = { id: 7, hash: '00000000000000ff', functionCount: 17, isBigEndian: false, pointerBits: 64, isMachO: false };
const BYTES: InstrumentationOptions = { bufferEntries: DEFAULT_BUFFER_ENTRIES, isRing: false, bitmap: 'byte' };
const BITS: InstrumentationOptions = { ...BYTES, bitmap: 'bit' };

test('why a function is left out: the first reason counts', () => {
	const why = (more: Partial<Candidate>, only = true, skip = false) =>
		whyOmitted(
			{ symbol: 'f', linkage: 'external', allAttributes: new Set(), annotations: [], isResolver: false, ...more },
			() => only,
			() => skip,
		);
	expect(why({})).toBeNull();
	expect(why({ linkage: 'available_externally', isResolver: true })).toBe('available_externally');
	expect(why({ allAttributes: new Set(['naked', 'noprofile']) })).toBe('naked');
	expect(why({ isResolver: true, allAttributes: new Set(['noprofile']) })).toBe('ifunc-resolver');
	expect(why({ allAttributes: new Set(['noprofile']), annotations: ['assay_order_skip'] })).toBe('noprofile');
	expect(why({ allAttributes: new Set(['skipprofile']) })).toBe('noprofile');
	expect(why({ annotations: ['assay_order_skip'] }, true, true)).toBe('annotated');
	expect(why({}, false, true)).toBe('skipped');
	expect(why({}, false)).toBe('not-selected');
});

test("a module's record: bytes of the bitmap are whole words, its size is with the head", () => {
	const record = (module: Partial<ModuleToInstrument>, options: InstrumentationOptions) =>
		/\[(\d+) x i8\] } (.*?), \[/.exec(globalsText({ ...MODULE, ...module }, options))?.slice(1);
	expect(record({}, BYTES)).toEqual(['24', '{ i32 7, i32 17, i64 255, i32 48, i32 0']);
	expect(record({ functionCount: 16 }, BYTES)?.[0]).toBe('16');
	expect(record({}, BITS)).toEqual(['8', '{ i32 7, i32 17, i64 255, i32 32, i32 2']);
	expect(record({ functionCount: 64 }, BITS)?.[0]).toBe('8');
	expect(record({ functionCount: 65 }, BITS)?.[0]).toBe('16');
	expect(record({}, { ...BYTES, isRing: true })?.[1]).toMatch(/i32 1$/);
	expect(record({}, { ...BITS, isRing: true })?.[1]).toMatch(/i32 3$/);
});

test("a buffer of the default size is the runtime's, another end comes with the module, a larger buffer too", () => {
	const external = '@__assay_order_buffer = external';
	const sized = (bufferEntries: number, pointerBits: 32 | 64 = 64) => globalsText({ ...MODULE, pointerBits }, { ...BYTES, bufferEntries });
	expect(sized(DEFAULT_BUFFER_ENTRIES)).toContain('@__assay_order_end = external');
	expect(sized(DEFAULT_BUFFER_ENTRIES, 32)).toContain('@__assay_order_end = external hidden constant ptr, align 4');
	expect(sized(DEFAULT_BUFFER_ENTRIES - 1)).toContain(external);
	expect(sized(1000)).toContain('i64 8000), comdat, align 8');
	expect(sized(1000, 32)).toContain('i64 8000), comdat, align 4');
	expect(sized(DEFAULT_BUFFER_ENTRIES + 1)).not.toContain(external);
	expect(sized(DEFAULT_BUFFER_ENTRIES + 1)).toContain(`i64 ${8 * (DEFAULT_BUFFER_ENTRIES + 1)}), comdat`);
	// Whole pages of 64 KiB, the largest that there are.
	const reserved = (entries: number) => /hidden global \[(\d+) x i64\]/.exec(sized(entries))?.[1];
	const pages = Math.ceil((DEFAULT_BUFFER_ENTRIES + 1) / 8192);
	expect([DEFAULT_BUFFER_ENTRIES + 1, 8192 * pages, 8192 * pages + 1].map(reserved)).toEqual([8192 * pages, 8192 * pages, 8192 * (pages + 1)].map(String));
});

test('a prologue: the mark of its function, the entry as it lies in memory', () => {
	const text = prologueText(MODULE, 13, BYTES);
	expect(text).toContain('@__assay_order_module, i64 37)');
	expect(text).toContain(`store i64 ${(13n << 32n) | 7n}, ptr`);
	expect(text).toContain('store i8 1, ptr');
	expect(text).toContain('icmp ult i64');
	expect(text.trimEnd().endsWith(`${CONTINUATION}:`)).toBe(true);
	expect(prologueText({ ...MODULE, isBigEndian: true }, 13, BYTES)).toContain(`store i64 ${(7n << 32n) | 13n}, ptr`);
	const bits = prologueText(MODULE, 13, BITS);
	expect(bits).toContain('@__assay_order_module, i64 25)');
	expect(bits).toContain('%assay.order.bit = and i8 %assay.order.mark, 32');
	expect(bits).toContain('%assay.order.first = icmp eq i8 %assay.order.bit, 0');
	expect(bits).toContain('atomicrmw or');
	const ring = prologueText({ ...MODULE, pointerBits: 32 }, 2 ** 31, { ...BYTES, isRing: true });
	expect(ring).toContain('urem i32');
	expect(ring).toContain('align 4');
	expect(ring).not.toContain('icmp ult');
	expect(ring).toContain('ptr @__assay_order_end, align 4');
	// As LLVM writes a number of 64 bits: with a sign.
	expect(ring).toContain(`store i64 ${BigInt.asIntN(64, ((2n ** 31n) << 32n) | 7n)}, ptr`);
});

test('Mach-O: the record tells the size of the buffer, which is a common symbol where it is larger, and its end is a constant', () => {
	const machO = { ...MODULE, isMachO: true };
	const text = globalsText(machO, BYTES);
	expect(text).toContain('@__assay_order_module = internal global { i32, i32, i64, i32, i32, i32, i32, [24 x i8] }');
	expect(text).toContain('{ i32 7, i32 17, i64 255, i32 56, i32 0, i32 131072, i32 0, [24 x i8] zeroinitializer }, section "__DATA,__assay_modules"');
	expect(text).toContain('@__assay_order_buffer = external hidden global');
	expect(globalsText(machO, { ...BYTES, bufferEntries: 100 })).toContain('@__assay_order_buffer = external hidden global');
	expect(globalsText(machO, { ...BYTES, bufferEntries: DEFAULT_BUFFER_ENTRIES + 1 })).toContain(
		`@__assay_order_buffer = common hidden global [${DEFAULT_BUFFER_ENTRIES + 2048} x i64] zeroinitializer, align 16384`,
	);
	for (const options of [BYTES, { ...BYTES, bufferEntries: 1_000_000 }, { ...BYTES, isRing: true }]) {
		const all = globalsText(machO, options) + prologueText(machO, 13, options);
		expect(all).not.toContain('comdat');
		expect(all).not.toContain('@__assay_order_end');
		expect(all).toContain(`ptrtoint (ptr getelementptr (i8, ptr @__assay_order_buffer, i64 ${8 * options.bufferEntries}) to i64)`);
		expect(all).toContain('@__assay_order_module, i64 45)');
	}
});
