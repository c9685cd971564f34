/** Lines of a LogFile that are nearly code, and how the file is told. */
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isHotspotLog, isPrintAssembly } from './detect.js';
import { readAssembly } from './read-assembly.js';

const read = (...lines: string[]) => readAssembly(memorySource('hotspot.log', Buffer.from(lines.map((line) => `${line}\n`).join(''))));

test('told by their first lines', () => {
	expect([isHotspotLog("<?xml ?>\n<hotspot_log version='160 1'>"), isHotspotLog('hotspot_log')]).toEqual([true, false]);
	const told = (line: string) => isPrintAssembly(`output\n${line}\n`);
	expect(told(`${'='.repeat(20)} C2-compiled nmethod ${'='.repeat(10)}`)).toBe(true);
	expect(told(`${'='.repeat(19)} C2-compiled nmethod ${'='.repeat(10)}`)).toBe(false);
	expect(told(`${'='.repeat(20)} C1-compiled nmethod ${'='.repeat(9)}`)).toBe(false);
	expect(told(`${'='.repeat(20)} C3-compiled nmethod ${'='.repeat(10)}`)).toBe(false);
	expect([told('Compiled method (c1) 7'), told('Compiled method (c3) 7'), told(' Compiled method (c1) 7')]).toEqual([true, false, false]);
	expect([told('[MachCode]'), told(' [MachCode]')]).toEqual([true, false]);
	expect([told('  0x00007f25:   je'), told('  0x7f25:   je'), told(' 0x00007f25:   je'), told('  0x00007f25:    je'), told('  0x00007f25:  je')]).toEqual([
		true,
		false,
		false,
		false,
		false,
	]);
	expect(told('  0x00007f2565400ec00:   je')).toBe(false);
});

test('methods without a name, an entry or a size are passed over', () => {
	const code = (attributes: string) => read(`<nmethod ${attributes}/>`).code.map(({ name, source, start, end }) => `${name} ${source} ${start} ${end}`);
	const whole = "compile_id='7' compiler='c2' level='4' entry='0x10' size='32' method='a/B f (I)V'";
	expect(code(whole)).toEqual(['a.B::f, version 1, compile id 7 c2, level 4 16 48']);
	expect(code(whole.replace("method='a/B f (I)V'", ''))).toEqual([]);
	expect(code(whole.replace("entry='0x10'", ''))).toEqual([]);
	expect(code(whole.replace("size='32'", ''))).toEqual([]);
	expect(code(whole.replace("size='32'", "size='x'"))).toEqual([]);
	expect(code(whole.replace("compiler='c2' level='4'", ''))).toEqual(['a.B::f, version 1, compile id 7 Unknown 16 48']);
	expect(read(`<nmethod ${whole}/>`, `<nmethod ${whole}/>`).code.map(({ name }) => name)).toEqual([
		'a.B::f, version 1, compile id 7',
		'a.B::f, version 2, compile id 7',
	]);
});

test('words are addresses where they begin with 0x or end with h, and have digits only', () => {
	const targets = (line: string) => [...read(`0x10: ${line}`).jumpTargets];
	expect(targets('jmp 0xAf 0x0 0xz 12h 12 gh zh 0x_1 9fH')).toEqual([0xaf, 0, 0x12]);
	expect(targets('a0x20 0x30-0x40 Z0h')).toEqual([0x30, 0x40]);
	expect([...read('jmp 0x20').addresses]).toEqual([Number.NaN]);
	expect([...read('10h').addresses]).toEqual([16]);
});
