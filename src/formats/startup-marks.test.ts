import { expect, test } from 'vitest';
import { isLinkedElf, isPageFaultScript, isSurelyInstructionList, mayBeFunctionList, mayBeOrderBuffer, ofListing } from './startup-marks.js';

test.each([
	[1, false],
	[2, true],
	[3, true],
	[4, false],
])('ELF of type %d is a linked program: %s', (type, is) => {
	const elf = (order: number, bytes: string): string => `\u007fELF\u0002${String.fromCharCode(order)}\u0001${'\0'.repeat(9)}${bytes}`;
	const letter = String.fromCharCode(type);
	expect([isLinkedElf(elf(1, `${letter}\0`)), isLinkedElf(elf(2, `\0${letter}`))]).toEqual([is, is]);
	expect(isLinkedElf(elf(1, `${letter}\0`).replace('ELF', 'ELG'))).toBe(false);
});

test('only addresses of some length with sizes of instructions surely are instructions', () => {
	const lines = (count: number, line = '401000 4'): string => `${line}\n`.repeat(count);
	const surely = (text: string): boolean => isSurelyInstructionList(text);
	expect([surely(lines(16)), surely(lines(15)), surely(`${lines(15)}401000 4`)]).toEqual([true, false, false]);
	expect([surely(lines(16, '401000 15')), surely(lines(16, '401000 16')), surely(`${lines(16)}401000 0\n`), surely(`${lines(16)}401000 16\n`)]).toEqual([
		true,
		false,
		false,
		false,
	]);
	expect([surely(lines(16, '0x4010 1\r')), surely(lines(16, '401 4')), surely(lines(16, '401000 123'))]).toEqual([true, false, false]);
	expect([surely('I  0401ab70,3\nI  0401ab70,3\n'), surely(' L 1fff000738,8\n S 1fff000738,8\n')]).toEqual([true, false]);
	expect(surely(`main\nf\n${lines(20)}`)).toBe(false);
});

test('the script of a recording of page faults and of nothing else', () => {
	const fault = (event: string, address = '401000'): string => `app 1/2 1.5: ${event}: ${address} f (/a)\n`;
	for (const event of ['page-faults', 'minor-faults', 'major-faults', 'page-faults:u', 'page-faults:uk']) {
		expect(isPageFaultScript(fault(event))).toBe(true);
	}
	for (const event of ['cycles', 'page-faults:u:k', 'xpage-faults', 'page-faultsx', 'page-faults:-']) {
		expect(isPageFaultScript(fault(event))).toBe(false);
		expect(isPageFaultScript(fault('page-faults') + fault(event))).toBe(false);
	}
	expect(isPageFaultScript('app page-faults: 401000')).toBe(true);
	expect(isPageFaultScript('')).toBe(false);
	expect(isPageFaultScript(`${fault('page-faults')}${'other\n'.repeat(2)}`)).toBe(false);
	// What lies behind the first 64 KiB is not looked at.
	expect(isPageFaultScript(`${fault('page-faults').repeat(2500)}${fault('cycles').repeat(10)}`)).toBe(true);
});

test('listings are texts', () => {
	const is = ofListing((head) => head.length === 1 << 16);
	expect([is('a'.repeat(1 << 16)), is('a'.repeat(1 << 17)), is('a'.repeat((1 << 16) - 1)), is(`${'a'.repeat(1 << 16)}\0`)]).toEqual([true, true, false, false]);
});

test('lists of functions, and buffers of numbers', () => {
	expect([mayBeFunctionList('main\nf\n'), mayBeFunctionList('no function here\n')]).toEqual([true, false]);
	expect([mayBeOrderBuffer('1234567\0'), mayBeOrderBuffer('12345678'), mayBeOrderBuffer('1234567\0a')]).toEqual([true, false, false]);
});
