/** Instructions in Intel's syntax, as GNU objdump prints them. */
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDisassembler } from './disassembler.js';
import { intelSyntax } from './intel-syntax.js';

const fixture = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'disassembly', 'intel-syntax.tsv.gz');
const x86 = await openDisassembler('x86-64');

test('each kind of instruction and operands is as objdump -M intel prints it', () => {
	const rows = zlib.gunzipSync(fs.readFileSync(fixture)).toString('utf8').trim().split('\n');
	expect(rows.length).toBeGreaterThan(2000);
	const wrong = rows.map((row) => row.split('\t') as [string, string]).filter(([att, intel]) => intelSyntax(att) !== intel);
	expect(wrong).toEqual([]);
});

test.each([
	['mov 0x10(%r12,%rdx,8),%eax', 'mov eax,DWORD PTR [r12+rdx*8+0x10]'],
	['movslq %ebp,%r9', 'movsxd r9,ebp'],
	['movzbl 0x10(%rsi),%eax', 'movzx eax,BYTE PTR [rsi+0x10]'],
	['cmpl $0x1,0x20(%r15)', 'cmp DWORD PTR [r15+0x20],0x1'],
	['lock cmpxchg %rdx,(%rdi)', 'lock cmpxchg QWORD PTR [rdi],rdx'],
	['test %eax,(%r10)', 'test DWORD PTR [r10],eax'],
	['vaddsd 0x8(%rax),%xmm1,%xmm2', 'vaddsd xmm2,xmm1,QWORD PTR [rax+0x8]'],
	['cvtss2sd 0xc(%rsi),%xmm0', 'cvtss2sd xmm0,DWORD PTR [rsi+0xc]'],
	['cvtsi2sdl 0x8(%rsi),%xmm0', 'cvtsi2sd xmm0,DWORD PTR [rsi+0x8]'],
	['vpaddd (%rax){1to16},%zmm1,%zmm2{%k1}{z}', 'vpaddd zmm2{k1}{z},zmm1,DWORD BCST [rax]'],
	['movabs $0x7f24fb400530,%rdi', 'movabs rdi,0x7f24fb400530'],
	['mov -0x8(%rip),%rax # 0x00007f0000001000', 'mov rax,QWORD PTR [rip+0xfffffffffffffff8] # 0x00007f0000001000'],
	['jmp *(%rdx,%rax,8)', 'jmp QWORD PTR [rdx+rax*8]'],
	['call 0x7f29c3ec87e0', 'call 0x7f29c3ec87e0'],
	['shr %eax', 'shr eax,1'],
	['data16 data16 xchg %ax,%ax', 'data16 data16 xchg ax,ax'],
	['rep stos %al,%es:(%rdi)', 'rep stos BYTE PTR es:[rdi],al'],
	['fsubrp %st,%st(1)', 'fsubp st(1),st'],
	['cltq', 'cdqe'],
])('%s', (att, intel) => {
	expect(intelSyntax(att)).toBe(intel);
});

test('what is no text in the syntax of AT&T stays: of AArch64, of Intel, data', () => {
	for (const text of [
		'ldr x0, [x1, #16]',
		'b.eq 0x1000',
		'ret',
		'mov rax,QWORD PTR [rsi+0x8]',
		'xor eax,eax',
		'movsx eax,bl',
		'.byte 0x6',
		'.inst 0x00000000',
	]) {
		expect(intelSyntax(text)).toBe(text);
	}
});

test('of any bytes something is printed, without a register or a number in the spelling of AT&T', () => {
	fc.assert(
		fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (bytes) => {
			for (const { text } of x86.decode(bytes, 0x7f0000001000)) {
				expect(intelSyntax(text)).not.toMatch(/[%$]/);
			}
		}),
		{ numRuns: 500 },
	);
});

test('of any text it makes one, in linear time', () => {
	fc.assert(fc.property(fc.string(), (text) => typeof intelSyntax(text) === 'string'));
	for (const run of ['(', ',', '%', '{', 'lock ', ' ', '0', '(%a,', '$0x0,']) {
		intelSyntax(`mov ${run.repeat(200_000)}`);
		intelSyntax(run.repeat(200_000));
	}
});
