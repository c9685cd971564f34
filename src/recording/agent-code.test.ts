/** A JVM's log and the log of the agent that watched it. */
import { describe, expect, test } from 'vitest';
import { agentLog, jvmRecord, Kind, loadRecord, methodRecord, record, stubRecord } from '../../test/agent-log.js';
import { memorySource } from '../bytes/source.js';
import { readAgentLog } from '../formats/agent-log/read.js';
import { agentCode } from './agent-code.js';

const START = 0x7f0000001000;

test('the agent alone: names, kinds, and notes beside the instructions', async () => {
	const bytes = agentLog([
		jvmRecord(),
		methodRecord({ lines: [[0, 10]], bytecode: [0x03, 0xac] }),
		methodRecord({ number: 1, holder: 'Ljava/lang/Thread;', name: 'yield0', modifiers: 0x109 }),
		methodRecord({ number: 2, holder: 'Ljava/lang/invoke/MethodHandle;', name: 'invokeBasic', modifiers: 0x110 }),
		// cmp 0x340(%r15),%rsp; ja; ret, and a call without a relocation of JDK 17 that fits.
		loadRecord({ code: [0x49, 0x3b, 0xa7, 0x40, 0x03, 0, 0, 0x77, 0x00, 0xc3], described: [{ offset: 10, frames: [[0, 1]] }], oopMaps: [9], osrBci: 4 }),
		loadRecord({ start: START + 64, compileId: 13, method: 1, level: 0 }),
		loadRecord({ start: START + 96, compileId: 14, method: 2, level: 0 }),
		loadRecord({ start: START + 128, compileId: 0xffffffff, method: 9, level: 0xffffffff }),
		stubRecord('RuntimeStub - wrong_method_stub', START + 4096, [0xc3]),
	]);
	const source = memorySource('agent.bin', bytes);
	const { code, read, processId } = agentCode('agent.bin', source, readAgentLog(source));
	expect(processId).toBe(4711);
	expect(
		code.map(({ kind, name, signature, compileId, compiler, level, osrBci, installedSeconds }) => [
			kind,
			name,
			signature,
			compileId,
			compiler,
			level,
			osrBci,
			installedSeconds,
		]),
	).toEqual([
		['compilation', 'a.b.Main.run', '()V', '12%', 'c2', 4, 4, 1.5],
		['native wrapper', 'java.lang.Thread.yield0', '()V', '13', null, 0, null, 1.5],
		['native wrapper', 'java.lang.invoke.MethodHandle intrinsic', null, '14', null, 0, null, 1.5],
		['compilation', 'a method that is not described', null, null, null, null, null, 1.5],
		['stub', 'wrong_method_stub', null, null, null, null, null, null],
	]);
	const first = code[0]!;
	const stub = code[4]!;
	const printed = (await read([first, stub])).get(first)!;
	expect(printed.instructions.text).toEqual(['cmp 0x340(%r15),%rsp', `ja 0x${(START + 9).toString(16)}`, 'ret']);
	expect(printed.instructions.comments).toEqual([['{poll_return}'], ['ImmutableOopMap'], ['*ireturn', '- a.b.Main::run@1 (line 10)']]);
	expect(printed.instructions.positions).toEqual([[{ method: 'a.b.Main.run', bci: 1, line: 10 }]]);
	expect([...printed.labels]).toEqual([[0, 'Verified Entry Point']]);
});

test('a stub that came to where code had been was not there before', () => {
	const bytes = agentLog([
		jvmRecord(),
		stubRecord('StubRoutines::early', START + 8, [0xc3, 0xc3, 0xc3, 0xc3], 4_000_000_000),
		methodRecord({}),
		loadRecord({ start: START, compileId: 12, code: Array.from({ length: 32 }, () => 0x90) }),
		stubRecord('I2C/C2I adapters(0xbbb)', START + 16, [0xc3, 0xc3], 5_500_000_000),
		stubRecord('I2C/C2I adapters(0xbb)', START + 32, [0xc3, 0xc3], 5_500_000_000),
	]);
	const source = memorySource('agent.bin', bytes);
	const { code } = agentCode('agent.bin', source, readAgentLog(source));
	expect(code.map(({ name, installedSeconds }) => [name, installedSeconds])).toEqual([
		['a.b.Main.run', 1.5],
		['StubRoutines::early', null],
		['I2C/C2I adapters(0xbbb)', 2.5],
		['I2C/C2I adapters(0xbb)', null],
	]);
});

describe('instructions that C2 describes as a call that it inlined late', () => {
	const u2 = (value: number): number[] => [value >>> 8, value & 0xff];
	// #1 "valueOf", #2 "()V", #3 NameAndType, #4 Class, #5 Methodref
	const pool = [1, ...u2(7), ...Buffer.from('valueOf'), 1, ...u2(3), ...Buffer.from('()V'), 12, ...u2(1), ...u2(2), 7, ...u2(1), 10, ...u2(4), ...u2(3)];
	const codeWith = (fields: Parameters<typeof loadRecord>[0]): Buffer =>
		agentLog([
			jvmRecord(),
			record(Kind.Class, [[4, 0], [4, 6], [4, pool.length], Uint8Array.from(pool)]),
			methodRecord({
				lines: [
					[0, 10],
					[3, 20],
				],
				bytecode: [0xb8, 0, 5, 0x2a, 0xb1],
			}), // invokestatic #5, aload_0, return
			loadRecord({ code: [0x90, 0x90, 0x90, 0xc3], described: [1, 2, 3, 4].map((offset) => ({ offset, frames: [[0, offset === 3 ? 3 : 0]] })), ...fields }),
		]);
	const linesOf = async (fields: Parameters<typeof loadRecord>[0]): Promise<(number | null | undefined)[]> => {
		const source = memorySource('agent.bin', codeWith(fields));
		const { code, read } = agentCode('agent.bin', source, readAgentLog(source));
		const { instructions } = (await read(code)).get(code[0]!)!;
		return Array.from({ length: instructions.length }, (_, i) => instructions.frames(i)[0]?.line);
	};

	test('belong to what is described behind them', async () => {
		expect(await linesOf({})).toEqual([20, 20, 20, 20]);
	});

	test('are the call where threads can stop there', async () => {
		expect(await linesOf({ oopMaps: [2] })).toEqual([10, 10, 20, 10]);
	});

	test('C1 tells the truth', async () => {
		expect(await linesOf({ level: 3 })).toEqual([10, 10, 20, 10]);
	});
});

test('code that the agent had to ask for was installed by JVMCI; not what the JVM told of by itself, before or after that', () => {
	const other = { compileId: 13, start: START + 64 };
	const third = { compileId: 14, start: START + 128 };
	const asked = { isAskedFor: true, monotonicNs: 4_000_000_000 };
	const loads = [asked, { ...other, ...asked }, other, third, { ...third, ...asked }];
	const source = memorySource('agent.bin', agentLog([jvmRecord(), methodRecord(), ...loads.map((load) => loadRecord(load))]));
	const { code } = agentCode('agent.bin', source, readAgentLog(source));
	expect(code.map(({ compileId, compiler, installedSeconds }) => [compileId, compiler, installedSeconds])).toEqual([
		['12', 'jvmci', 1],
		['13', 'c2', 1.5],
		['14', 'c2', 1.5],
	]);
});
