import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KernelSymbols } from './kernel-symbols.js';

const TEXT = `ffffffff81000000 T startup
ffffffff81000000 T _text
ffffffff81000040 t schedule
ffffffff81000040 T schedule_alias
ffffffff81000080 r not_code
ffffffff810000c0 A absolute
a line of another form
ffffffff81000100 W last_of_kernel
ffffffffc0201000 t in_module\t[nf_tables]
ffffffffc0200000 t before_it\t[nf_tables]
ffffffffc0300000 T of_other\t[bpf]`;
const symbols = new KernelSymbols(Buffer.from(TEXT));
const BASE = -0x7f000000;

test('an address is of the last symbol of those that begin last before it', () => {
	expect(symbols.text).toBe(BASE);
	expect([0, 0x3f, 0x40, 0xff].map((offset) => symbols.find(BASE + offset))).toEqual([
		{ start: BASE, end: BASE + 0x40, name: '_text' },
		{ start: BASE, end: BASE + 0x40, name: '_text' },
		{ start: BASE + 0x40, end: BASE + 0x100, name: 'schedule_alias' },
		{ start: BASE + 0x40, end: BASE + 0x100, name: 'schedule_alias' },
	]);
	expect(symbols.find(BASE - 1)).toBeNull();
});

test('the last of the kernel ends behind the next page; modules come in any order', () => {
	expect(symbols.find(BASE + 0x1fff)).toMatchObject({ name: 'last_of_kernel', end: BASE + 0x2000 });
	expect(symbols.find(BASE + 0x2000)).toBeNull();
	const modules = 0xc0200000 - 2 ** 32;
	expect(symbols.find(modules + 0xfff)).toMatchObject({ name: 'before_it', start: modules });
	expect(symbols.find(modules + 0x1000)).toMatchObject({ name: 'in_module' });
	expect(symbols.find(modules + 0x100fff)).toMatchObject({ name: 'of_other', end: modules + 0x101000 });
});

test('without rights all addresses are zero, and nothing is known', () => {
	expect(new KernelSymbols(Buffer.from('0000000000000000 T _text\n0000000000000000 T f\n')).text).toBeNull();
	expect(new KernelSymbols(Buffer.from('')).text).toBeNull();
});

test('the same as looking through all lines', () => {
	const line = fc.record({ page: fc.nat(40), type: fc.constantFrom('T', 't', 'W', 'd', 'B', 'r', 'A'), isModule: fc.boolean() });
	fc.assert(
		fc.property(fc.array(line, { minLength: 1, maxLength: 30 }), fc.nat(0x30000), (lines, offset) => {
			const text = lines.map(({ page, type, isModule }, i) => `ffffffff${(0x81000000 + page * 0x1000).toString(16)} ${type} f${i}${isModule ? '\t[m]' : ''}\n`);
			const code = lines.map((one, i) => ({ ...one, name: `f${i}` })).filter(({ type }) => /[twdb]/i.test(type));
			code.sort((a, b) => a.page - b.page);
			const holds = code.filter(({ page }) => page * 0x1000 <= offset).at(-1);
			const next = code.find(({ page }) => page * 0x1000 > offset);
			const isOpen = next === undefined || next.isModule !== holds?.isModule;
			const expected = holds === undefined || (isOpen && offset >= (holds.page + 1) * 0x1000) ? null : holds.name;
			expect(new KernelSymbols(Buffer.from(text.join(''))).find(BASE + offset)?.name ?? null).toBe(expected);
		}),
	);
});
