import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flowOfInstruction, mnemonicStart } from './instruction-flow.js';
import { Flow } from './instructions.js';

/** Text, flow, target (none: NaN). */
const X86: [string, number, number?][] = [
	['mov 0x10(%r12,%rdx,8),%eax', Flow.Next],
	['lock addl $0x0,-0x40(%rsp)', Flow.Next],
	['rep movsq %ds:(%rsi),%es:(%rdi)', Flow.Next],
	['jmp 0x00007f9c1f938606', Flow.Jump, 0x7f9c1f938606],
	['jmpq   7f9c1f938606 <main+0x10>', Flow.Jump, 0x7f9c1f938606],
	['jmp short 0x10', Flow.Jump, 0x10],
	['jmp 7f9c1f938606h', Flow.Jump, 0x7f9c1f938606],
	['jmp *%rax', Flow.Jump],
	['jmp *0x8(%rax)', Flow.Jump],
	['notrack jmp *%rax', Flow.Jump],
	['bnd jmp 0x10', Flow.Jump, 0x10],
	['jmp rax', Flow.Jump],
	['jmp eax', Flow.Jump],
	['jmp QWORD PTR [rip+0x8]', Flow.Jump],
	['jmp qword ptr [rip + 0x10]', Flow.Jump],
	['jmp QWORD PTR [rax 0x10]', Flow.Jump],
	['jmp Stub::method_entry_barrier', Flow.Jump],
	['je 0x00007f9c1f938075', Flow.Branch, 0x7f9c1f938075],
	['jne,pt 0x10', Flow.Branch, 0x10],
	['jo Stub::<unknown> 0x00007f61b496fbf2', Flow.Branch, 0x7f61b496fbf2],
	['jrcxz 1f0', Flow.Branch, 0x1f0],
	['loopne 0x1f0', Flow.Branch, 0x1f0],
	['xbegin 0x1f0', Flow.Branch, 0x1f0],
	['call 0x00007f9c35d504e0 = SharedRuntime::exception_handler_for_return_address(JavaThread*, unsigned char*)', Flow.Call, 0x7f9c35d504e0],
	['callq *%r10', Flow.Call],
	['call 1129 <main>', Flow.Call, 0x1129],
	['addr32 call 0x20', Flow.Call, 0x20],
	['lcall *(%rdx)', Flow.Call],
	['ret', Flow.Return],
	['repz ret', Flow.Return],
	['retq $0x8', Flow.Return],
	['iretq', Flow.Return],
	['hlt', Flow.Stop],
	['ud2', Flow.Stop],
	['int3', Flow.Stop],
	['int $0x3', Flow.Stop],
	['int 0x80', Flow.Next],
	['.byte 0xff', Flow.Stop],
	['(bad)', Flow.Stop],
	['rex.W (bad)', Flow.Stop],
	['btr %rax,%rbx', Flow.Next],
	['lock', Flow.Next],
	['', Flow.Next],
];

const AARCH64: [string, number, number?][] = [
	['b 0x0000ffff8c1a2b40', Flow.Jump, 0xffff8c1a2b40],
	['b #0x1234', Flow.Jump, 0x1234],
	['br x8', Flow.Jump],
	['b.ne 0x1234', Flow.Branch, 0x1234],
	['bl 1234 <f>', Flow.Call, 0x1234],
	['blr x8', Flow.Call],
	['cbz x0, 0x1234', Flow.Branch, 0x1234],
	['cbnz w0, 1234 <f(int, int)>', Flow.Branch, 0x1234],
	['tbz w0, #3, #0x1234', Flow.Branch, 0x1234],
	['tbnz x0, #0, 0x1234', Flow.Branch, 0x1234],
	['ret', Flow.Return],
	['ret x30', Flow.Return],
	['retaa', Flow.Return],
	['brk #0x1', Flow.Stop],
	['udf #0', Flow.Stop],
	['.inst 0x00000000 ; undefined', Flow.Stop],
	['bic x0, x1, x2', Flow.Next],
	['bfi w0, w1, #3, #4', Flow.Next],
	['bti c', Flow.Next],
	['ldr x0, [x1, #0x10]', Flow.Next],
];

describe('the flow of an instruction', () => {
	test.each([...X86, ...AARCH64])('%s', (text, flow, target = Number.NaN) => {
		expect(flowOfInstruction(text)).toEqual({ flow, target });
	});

	test('any address is read, however it is written', () => {
		fc.assert(
			fc.property(fc.nat(Number.MAX_SAFE_INTEGER), fc.constantFrom('jmp', 'jne', 'call', 'b', 'bl', 'b.eq'), (address, mnemonic) => {
				const digits = address.toString(16);
				for (const operand of [`0x${digits}`, digits, `${digits}h`, `0x${digits.padStart(16, '0')}`, `#0x${digits}`, `${digits} <f+0x10>`]) {
					expect(flowOfInstruction(`${mnemonic} ${operand}`).target).toBe(address);
				}
			}),
		);
	});

	test('any text is taken', () => {
		fc.assert(
			fc.property(fc.string({ unit: fc.constantFrom('lock', 'rep', 'jmp', ' ', '0x', '[', '%', '*', ',', 'b', 'ret', 'ÿ') }), (text) => {
				expect(flowOfInstruction(text).flow).toBeGreaterThanOrEqual(Flow.Next);
				expect(mnemonicStart(text)).toBeLessThanOrEqual(text.length);
			}),
		);
	});
});
