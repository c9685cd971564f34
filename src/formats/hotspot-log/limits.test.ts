/** Lines of a LogFile that are nearly code, and how the file is told. */
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isHotspotLog, isPrintAssembly, processOfLog } from './detect.js';
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

const DASHES = '-'.repeat(8);
const codelets = (line: string, before = DASHES) => read(before, line).code.map(({ name, source, start, end }) => `${name}|${source} ${start} ${end}`);

test.each<[string, string[]]>([
	['name [0x10, 0x20] 16 bytes', ['name|interpreter 16 32']],
	['a b  [0x10, 0x20]', ['a b |interpreter 16 32']],
	['a [b] [0x10, 0x20[ (16 bytes)', ['a [b]|interpreter 16 32']],
	['n [10h, 20h]', ['n|interpreter 16 32']],
	[' name [0x10, 0x20]', []],
	['[0x10, 0x20]', []],
	['name [0x10, 0x20, 0x30]', []],
	['name [0x10 0x20]', []],
	['name 0x10, 0x20', []],
	['name [0x10]', []],
	['name [x, y]', []],
	['StubRoutines::f [0x10, 0x20]', ['StubRoutines::f|runtime stub 16 32']],
])('the codelet %j', (line, expected) => {
	expect(codelets(line)).toEqual(expected);
	expect(codelets(line, '-'.repeat(7))).toEqual(line.startsWith('Stub') ? expected : []);
});

test('a capital S alone is no stub', () => {
	expect(codelets('Some name [0x10, 0x20]', 'output')).toEqual([]);
});

test('elements of methods: to their end, their entry is an address', () => {
	const code = (line: string) => read(line).code.map(({ name, start }) => [name.split(',')[0], start]);
	const attributes = "compile_id='7' entry='0x10' size='32' method='a/B f (I)V'";
	expect(code(`output method='x y' <nmethod ${attributes}/>`)).toEqual([['a.B::f', 16]]);
	expect(code(`<nmethod ${attributes.replace("'0x10'", "'x 0x10'")}/>`)).toEqual([]);
	expect(code(`<nmethod ${attributes}`)).toEqual([]);
	expect(code(`<nmethod/> ${attributes}/>`)).toEqual([]);
	expect(code(`/><nmethod ${attributes}/> method='x y'`)).toEqual([['a.B::f', 16]]);
});

test('blank lines are none; the process is told by the first line of a log', () => {
	expect(read('a', '   ', '\t', 'b').lines).toEqual(['a', 'b']);
	const processOf = (...lines: string[]) => [processOfLog(lines.join('\n')), read(...lines).processId];
	expect(processOf("<?xml version='1.0'?>", "<hotspot_log version='160 1' process='4711' time_ms='1'>")).toEqual([4711, 4711]);
	expect(processOf("<hotspot_log version='160 1'>", "process='4711'")).toEqual([null, null]);
	expect(processOf("process='4711'")).toEqual([null, null]);
	expect(processOfLog("<hotspot_log process='x1'>")).toBeNull();
	expect(isPrintAssembly(`x${'='.repeat(20)} C2-compiled nmethod ${'='.repeat(10)}`)).toBe(false);
});

test('words without digits, and numbers of any length', () => {
	const addresses = (line: string) => [...read(line).addresses];
	const targets = (line: string) => [...read(`0x10: ${line}`).jumpTargets];
	expect(targets('0x h 0xh x')).toEqual([]);
	expect(targets('0x0000000000000abc 0xfffffffffffff 0x10000000000000 0x00007fffffffffff 0x8000000000000000 0x00000000000000000001')).toEqual([
		...[0xabc, 2 ** 52 - 1, 2 ** 52, 2 ** 47 - 1, 1],
	]);
	expect([addresses('0x20'), addresses('x 0x20'), addresses('(0x20)')]).toEqual([[32], [Number.NaN], [Number.NaN]]);
});
