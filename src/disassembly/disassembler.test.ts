import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flowOfInstruction } from '../model/instruction-flow.js';
import { type Disassembler, openDisassembler, sharedDisassembler } from './disassembler.js';

const x86 = await openDisassembler('x86-64');
const arm = await openDisassembler('aarch64');
const decoded = (disassembler: Disassembler, hex: string, address: number) =>
	disassembler.decode(Buffer.from(hex, 'hex'), address).map(({ address: start, sizeBytes, text }) => ({ address: start, sizeBytes, text }));
const textsOf = (disassembler: Disassembler, hex: string, address = 0x1000): string[] =>
	disassembler.decode(Buffer.from(hex, 'hex'), address).map(({ text }) => text);

/** As GNU objdump 2.40 prints them. */
const GNU = [
	['55', 'push %rbp'],
	['89842400c0feff', 'mov %eax,-0x14000(%rsp)'],
	['448d9100000080', 'lea -0x80000000(%rcx),%r10d'],
	['488b840100000080', 'mov -0x80000000(%rcx,%rax,1),%rax'],
	['488b042500000080', 'mov 0xffffffff80000000,%rax'],
	['4883ec10', 'sub $0x10,%rsp'],
	['4883c4f0', 'add $0xfffffffffffffff0,%rsp'],
	['41837f2001', 'cmpl $0x1,0x20(%r15)'],
	['493b6728', 'cmp 0x28(%r15),%rsp'],
	['c3', 'ret'],
	['c20800', 'ret $0x8'],
	['418b44d410', 'mov 0x10(%r12,%rdx,8),%eax'],
	['48bf300540fb247f0000', 'movabs $0x7f24fb400530,%rdi'],
	['488d0cc500000000', 'lea 0x0(,%rax,8),%rcx'],
	['418502', 'test %eax,(%r10)'],
	['f7c40f000000', 'test $0xf,%esp'],
	['0fb64610', 'movzbl 0x10(%rsi),%eax'],
	['0fbe441610', 'movsbl 0x10(%rsi,%rdx,1),%eax'],
	['4863d2', 'movslq %edx,%rdx'],
	['480f44542408', 'cmove 0x8(%rsp),%rdx'],
	['0f4cd8', 'cmovl %eax,%ebx'],
	['0f95c0', 'setne %al'],
	['6bc01f', 'imul $0x1f,%eax,%eax'],
	['f7f9', 'idiv %ecx'],
	['99', 'cltd'],
	['4899', 'cqto'],
	['4898', 'cltq'],
	['49c1e203', 'shl $0x3,%r10'],
	['d1e8', 'shr %eax'],
	['d3fa', 'sar %cl,%edx'],
	['6690', 'xchg %ax,%ax'],
	['f0480fb117', 'lock cmpxchg %rdx,(%rdi)'],
	['f0834424c000', 'lock addl $0x0,-0x40(%rsp)'],
	['f00fc1460c', 'lock xadd %eax,0xc(%rsi)'],
	['c5fe6f441610', 'vmovdqu 0x10(%rsi,%rdx,1),%ymm0'],
	['c5f5fe549710', 'vpaddd 0x10(%rdi,%rdx,4),%ymm1,%ymm2'],
	['c4c1797eca', 'vmovd %xmm1,%r10d'],
	['66480f6ec0', 'movq %rax,%xmm0'],
	['f30f104610', 'movss 0x10(%rsi),%xmm0'],
	['c5fb2ac0', 'vcvtsi2sd %eax,%xmm0,%xmm0'],
	['f20f2a4608', 'cvtsi2sdl 0x8(%rsi),%xmm0'],
	['c5f877', 'vzeroupper'],
	['f3aa', 'rep stos %al,%es:(%rdi)'],
	['f3a6', 'repz cmpsb %es:(%rdi),%ds:(%rsi)'],
	['f3a4', 'rep movsb %ds:(%rsi),%es:(%rdi)'],
	['f4', 'hlt'],
	['0f0b', 'ud2'],
	['cc', 'int3'],
	['66c74608ffff', 'movw $0xffff,0x8(%rsi)'],
	['41c78738030000ffffffff', 'movl $0xffffffff,0x338(%r15)'],
	['48c7442408ffffffff', 'movq $0xffffffffffffffff,0x8(%rsp)'],
	['83fb80', 'cmp $0xffffff80,%ebx'],
	['0d00000080', 'or $0x80000000,%eax'],
	['f710', 'notl (%rax)'],
	['ff4708', 'incl 0x8(%rdi)'],
	['ffe0', 'jmp *%rax'],
	['ff24c2', 'jmp *(%rdx,%rax,8)'],
	['ff90d8010000', 'call *0x1d8(%rax)'],
	['f3480fb806', 'popcnt (%rsi),%rax'],
	['c4e279f7cb', 'shlx %eax,%ebx,%ecx'],
	['9c', 'pushf'],
	['c9', 'leave'],
	['f20f38f106', 'crc32l (%rsi),%eax'],
	['f20f38f0c8', 'crc32 %al,%ecx'],
	['62f175c9fed0', 'vpaddd %zmm0,%zmm1,%zmm2{%k1}{z}'],
	['64488b042528000000', 'mov %fs:0x28,%rax'],
	['ff7008', 'push 0x8(%rax)'],
	['f30f1efa', 'endbr64'],
	['88e3', 'mov %ah,%bl'],
	['480fbec0', 'movsbq %al,%rax'],
	['488b4500', 'mov 0x0(%rbp),%rax'],
	['498b0424', 'mov (%r12),%rax'],
	['498b5c0500', 'mov 0x0(%r13,%rax,1),%rbx'],
	['48d320', 'shlq %cl,(%rax)'],
	['0f1f440000', 'nopl 0x0(%rax,%rax,1)'],
	['660f1f440000', 'nopw 0x0(%rax,%rax,1)'],
	['0f1f8000000000', 'nopl 0x0(%rax)'],
	['6666660f1f840000000000', 'data16 data16 nopw 0x0(%rax,%rax,1)'],
	['666690', 'data16 xchg %ax,%ax'],
] as const;

test.each(GNU)('%s is %s', (hex, text) => {
	expect(textsOf(x86, hex)).toEqual([text]);
});

describe('x86-64', () => {
	test('targets of jumps and addresses relative to the instruction', () => {
		expect(textsOf(x86, '0f87dc000000e9d7000000e8ccffffff', 0x1020)).toEqual(['ja 0x1102', 'jmp 0x1102', 'call 0xffc']);
		expect(textsOf(x86, '803daf95661600488b05f0ffffff', 0x7f0000001000)).toEqual([
			'cmpb $0x0,0x166695af(%rip) # 0x00007f001666a5b6',
			'mov -0x10(%rip),%rax # 0x00007f0000000ffe',
		]);
	});

	test('bytes that are no instruction, in the middle and at the end', () => {
		expect(decoded(x86, '9006c348', 0x7f0000001000)).toEqual([
			{ address: 0x7f0000001000, sizeBytes: 1, text: 'nop' },
			{ address: 0x7f0000001001, sizeBytes: 1, text: '.byte 0x6' },
			{ address: 0x7f0000001002, sizeBytes: 1, text: 'ret' },
			{ address: 0x7f0000001003, sizeBytes: 1, text: '.byte 0x48' },
		]);
		expect(x86.decode(new Uint8Array(0), 0)).toEqual([]);
	});

	test('more than 64 KiB give what the parts give', () => {
		const unit = Buffer.from('48b80102030405060708488b0589000000c36690', 'hex');
		const long = Buffer.concat([Buffer.from('90', 'hex'), ...Array.from({ length: 7000 }, () => unit)]);
		const rows = x86.decode(long, 0);
		const texts = rows.map(({ text }) => text.replace(/ # .*/, ''));
		expect(rows).toHaveLength(1 + 4 * 7000);
		expect(new Set(texts)).toEqual(new Set(['nop', 'movabs $0x807060504030201,%rax', 'mov 0x89(%rip),%rax', 'ret', 'xchg %ax,%ax']));
	});
});

test('x86-64: what was decoded before reads as when it is decoded for the first time, wherever it lies', async () => {
	const opcodes = GNU.map(([hex]) => Buffer.from(hex, 'hex'));
	const jump = fc.tuple(
		fc.constantFrom('e8', 'e9', '0f84', '0f8d', 'eb', '74', 'e3', 'e2', '488d05', '803d', '662e0fba25'),
		fc.uint8Array({ minLength: 5, maxLength: 9 }),
	);
	const encoding = fc
		.tuple(
			fc.constantFrom('', '66', 'f2', 'f3', 'f0', '67', '66f2'),
			fc.constantFrom('', '48', '41', '4e'),
			fc.oneof(
				fc.nat(255).map((byte) => [byte]),
				fc.nat(255).map((byte) => [0x0f, byte]),
				fc.tuple(fc.constant(0xc5), fc.nat(255), fc.nat(255)),
			),
			fc.uint8Array({ minLength: 1, maxLength: 8 }),
		)
		.map(([prefixes, rex, opcode, rest]) => Buffer.concat([Buffer.from(prefixes + rex, 'hex'), Buffer.from(opcode), rest]));
	const piece = fc.oneof(
		fc.constantFrom(...opcodes),
		encoding,
		jump.map(([hex, rest]) => Buffer.concat([Buffer.from(hex, 'hex'), rest])),
		fc.uint8Array({ maxLength: 16 }),
	);
	const address = fc.oneof(fc.constantFrom(0, 5, 0x7ffffff0, 0x7f0000001000, 2 ** 53 - 300), fc.maxSafeNat());
	await fc.assert(
		fc.asyncProperty(fc.array(piece, { maxLength: 12 }), address, async (pieces, start) => {
			const bytes = Buffer.concat(pieces);
			const first = await openDisassembler('x86-64');
			expect(x86.decode(bytes, start)).toEqual(first.decode(bytes, start));
			expect(first.decode(bytes, start)).toEqual(x86.decode(bytes, start));
		}),
		{ numRuns: 300 },
	);
});

test('the shared one decodes as a new one, and another takes its place after 64 MiB of code', async () => {
	const shared = await sharedDisassembler('x86-64');
	expect(await sharedDisassembler('x86-64')).toBe(shared);
	const code = Buffer.from('e8fbffffff488b0510000000c3', 'hex');
	for (const start of [0x1000, 0x7f0000001000]) {
		expect(shared.decode(code, start)).toEqual((await openDisassembler('x86-64')).decode(code, start));
	}
	const nops = Buffer.alloc(1 << 22, 0x90);
	for (let i = 0; i < 16; i++) {
		shared.decodeColumns(nops, 0);
	}
	expect(await sharedDisassembler('x86-64')).not.toBe(shared);
	expect(shared.decode(code, 0x1000)).toEqual(x86.decode(code, 0x1000));
});

test('x86-64: data below the first address lie at the other end of the address space', async () => {
	const bytes = Buffer.from('660fba250000008101', 'hex');
	const first = await openDisassembler('x86-64');
	for (const start of [0, 0x1000, 0]) {
		const address = BigInt.asUintN(64, BigInt(start + bytes.length) - 0x7f000000n);
		expect(first.decode(bytes, start)[0]?.text).toMatch(new RegExp(`# 0x${address.toString(16).padStart(16, '0')}$`));
	}
});

describe('AArch64', () => {
	test('instructions', () => {
		expect(textsOf(arm, 'fd7bbfa9fd030091e00f1ff8000040b9c0035fd61f2003d5')).toEqual([
			'stp x29, x30, [sp, #-0x10]!',
			'mov x29, sp',
			'str x0, [sp, #-0x10]!',
			'ldr w0, [x0]',
			'ret',
			'nop',
		]);
		expect(textsOf(arm, '01000014ffffff9761000054400000b4')).toEqual(['b 0x1004', 'bl 0x1000', 'b.ne 0x1014', 'cbz x0, 0x1014']);
	});

	test('words that are no instruction, and a part of one', () => {
		expect(decoded(arm, 'ffffffff1f2003d5ab01', 0x1000)).toEqual([
			{ address: 0x1000, sizeBytes: 4, text: '.inst 0xffffffff' },
			{ address: 0x1004, sizeBytes: 4, text: 'nop' },
			{ address: 0x1008, sizeBytes: 2, text: '.inst 0x01ab' },
		]);
	});
});

test.each([
	['x86-64', x86],
	['AArch64', arm],
] as const)('%s: of any bytes none is left out, and none is decoded twice', (_, disassembler) => {
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
			let at = 0x7f0000001000;
			for (const { address, sizeBytes, text, ...goes } of disassembler.decode(bytes, at)) {
				expect(goes).toEqual(flowOfInstruction(text));
				expect(address).toBe(at);
				expect(text).not.toBe('');
				at += sizeBytes;
			}
			expect(at).toBe(0x7f0000001000 + bytes.length);
		}),
	);
});

describe('addresses that no number holds exactly', () => {
	test.each([2 ** 53 + 2, 2 ** 63, 2 ** 64, 2 ** 1000])('%d: every byte is decoded once, in its order', (address) => {
		for (const disassembler of [x86, arm]) {
			const bytes = Buffer.from('55'.repeat(70_000), 'hex');
			const decoded = disassembler.decode(bytes, address);
			expect(decoded.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBe(bytes.length);
		}
	});
});
