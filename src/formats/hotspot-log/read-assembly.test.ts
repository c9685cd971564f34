import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { readAssembly } from './read-assembly.js';

function read(text: string): ReturnType<typeof readAssembly> {
	return readAssembly(memorySource('hotspot.log', Buffer.from(text)));
}

test('address lines of both syntaxes, and what they may jump to', () => {
	const assembly = read(
		'[Verified Entry Point]\n' +
			'  0x00007f2565400ec0:   je     0x00007f2565400ed0           ;   {metadata({method} {0x00007f24fb4002d8})}\n' +
			'\n' +
			'  00007f2565400ec6h: mov eax, 0ffh\n' +
			'                                ; - T::f@28 (line 53)\n',
	);
	expect(assembly.lines).toHaveLength(4);
	expect([...assembly.addresses]).toEqual([Number.NaN, 0x7f2565400ec0, 0x7f2565400ec6, Number.NaN]);
	expect([...assembly.jumpSources]).toEqual([0x7f2565400ec0, 0x7f2565400ec0, 0x7f2565400ec6]);
	expect([...assembly.jumpTargets]).toEqual([0x7f2565400ed0, 0x7f24fb4002d8, 0xff]);
});

test('numbers of 63 bits are addresses, of 64 bits none, a word like push is passed over', () => {
	const assembly = read('0x10: movabs $0x7fffffffffffffff,%rax\n0x18: movabs $0xfffffffffffffff0,%rax\npush  80 push  [0x20, 0x28]  8 bytes\n');
	expect([...assembly.addresses]).toEqual([0x10, 0x18, 0x20]);
	expect([...assembly.jumpTargets]).toEqual([2 ** 63, 0x28]);
});

test('codelets, stubs and methods', () => {
	const assembly = read(
		"<hotspot_log version='160 1' process='11286' time_ms='1'>\n" +
			'----------------------------------------------------------------------\n' +
			'invokehandle  233 invokehandle  [0x00007f631d023100, 0x00007f631d0233c0]  704 bytes\n' +
			'StubRoutines::catch_exception [0x00007feb43fa7b27, 0x00007feb43fa7b46[ (31 bytes)\n' +
			"<nmethod compile_id='7' compiler='c1' level='3' entry='0x1000' size='64' method='java.lang.Object &lt;init&gt; ()V' stamp='1'/>\n" +
			"<writer thread='18658'/>\n" +
			"<nmethod compile_id='9' compile_kind='c2n' entry='0x2000' size='16' method='java.lang.Object &lt;init&gt; ()V' stamp='2'/>\n" +
			"<nmethod compile_id='10' compiler='c2' level='4' entry='0x3000' siz",
	);
	expect(assembly.processId).toBe(11286);
	expect(assembly.code).toEqual([
		{ name: 'invokehandle  233 invokehandle ', source: 'interpreter', start: 0x7f631d023100, end: 0x7f631d0233c0 },
		{ name: 'StubRoutines::catch_exception', source: 'runtime stub', start: 0x7feb43fa7b27, end: 0x7feb43fa7b46 },
		{ name: 'java.lang.Object::&lt;init&gt;, version 1, compile id 7', source: 'c1, level 3', start: 0x1000, end: 0x1040 },
		{ name: 'java.lang.Object::&lt;init&gt;, version 2, compile id 9', source: 'Unknown', start: 0x2000, end: 0x2010 },
	]);
	expect(assembly.lines.some((line) => line.includes('writer'))).toBe(false);
});
