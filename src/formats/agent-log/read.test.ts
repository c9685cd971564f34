import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentLog, jvmRecord, Kind, loadRecord, methodRecord, record, relocationsIn, stubRecord } from '../../../test/agent-log.js';
import { memorySource } from '../../bytes/source.js';
import { MethodDetails, readLoadDetails, readRelocationBytes, relocationLayout } from './details.js';
import { type AgentLog, isAgentLog, processOfAgentLog, readAgentLog } from './read.js';
import { stackBangOf, withVerifiedEntry } from './verified-entry.js';

const read = (bytes: Uint8Array): AgentLog => readAgentLog(memorySource('agent.bin', bytes));

const WHOLE = [
	jvmRecord(),
	record(Kind.Mappings, ['7f10a0000000-7f10a1000000 r-xp 00200000 08:01 123   /usr/lib/jvm/a b/libjvm.so\nnonsense\n']),
	record(Kind.Class, [[4, 0], [4, 3], [4, 5], Uint8Array.from([1, 0, 2, 0x68, 0x69])]),
	methodRecord({
		lines: [
			[0, 10],
			[4, 12],
		],
		bytecode: [0x03, 0xac],
	}),
	loadRecord({
		relocations: [0xa001],
		oopMaps: [1],
		described: [
			{
				offset: 1,
				frames: [
					[0, 4],
					[0, -1],
				],
			},
		],
	}),
	stubRecord('Interpreter', 0x7f0000002000, [1, 2, 3, 4, 5, 6, 7, 8]),
	record(Kind.Codelet, [[8, 0x7f0000002002], [4, 3], 'iload']),
	record(Kind.Unload, [[8, 0x7f0000001000]]),
	record(Kind.End, [
		[4, 0],
		[4, 0],
		[8, 0],
	]),
];

test('every field', () => {
	const bytes = agentLog(WHOLE);
	expect(isAgentLog(bytes.toString('latin1'))).toBe(true);
	expect(processOfAgentLog(bytes.toString('latin1', 0, 40))).toBe(4711);
	expect(processOfAgentLog(bytes.toString('latin1', 0, 39))).toBeNull();
	const log = read(bytes);
	expect(log).toMatchObject({ processId: 4711, isAttached: false, architecture: 'x86-64', vmName: 'OpenJDK 64-Bit Server VM', vmVersion: '17.0.15+6' });
	expect(log).toMatchObject({ monotonicSeconds: 3, realtimeSeconds: 1_700_000_003, ended: 'exit', problems: [] });
	expect(log.command).toEqual(['java', '-cp', '.', 'Main']);
	expect([...log.flags]).toEqual([
		['UseG1GC', '1'],
		['MaxInlineLevel', '15'],
	]);
	expect(log.mappings).toEqual([{ start: 0x7f10a0000000, end: 0x7f10a1000000, fileOffset: 0x200000, path: '/usr/lib/jvm/a b/libjvm.so', inode: 123 }]);
	expect(log.methods).toMatchObject([
		{ holder: 'a.b.Main', name: 'run', signature: '()V', sourceFile: 'Main.java', modifiers: 1, bytecodeBytes: 2, lineCount: 2 },
	]);
	expect(log.loads).toMatchObject([{ start: 0x7f0000001000, codeBytes: 2, seconds: 4.5, isEarlier: false, method: 0, compileId: 12, level: 4, osrBci: null }]);
	expect(log.loads).toMatchObject([{ stubStart: null, exceptionStart: null, deoptStart: null, verifiedEntry: 0, osrEntry: null, constantsBytes: 0 }]);
	const source = memorySource('agent.bin', bytes);
	const load = log.loads[0]!;
	const details = readLoadDetails(source, load);
	expect([...details.described]).toEqual([
		{
			offset: 1,
			frames: [
				{ method: 0, bci: 4 },
				{ method: 0, bci: -1 },
			],
		},
	]);
	expect(details.oopMaps).toEqual([1]);
	expect([...readRelocationBytes(source, load)]).toEqual([0x01, 0xa0]);
	const methods = new MethodDetails(source, log);
	expect([methods.lineOf(0, 0), methods.lineOf(0, 3), methods.lineOf(0, 4), methods.lineOf(0, -1), methods.lineOf(1, 0)]).toEqual([10, 10, 12, 10, null]);
	expect([methods.bytecodeAt(0, 0), methods.bytecodeAt(0, 1), methods.bytecodeAt(0, 2)]).toEqual(['iconst_0', 'ireturn', null]);
	const interpreter = log.stubs[0]!;
	const iload = log.stubs[1]!;
	expect(iload).toEqual({
		name: 'iload',
		start: 0x7f0000002002,
		end: 0x7f0000002005,
		isCodelet: true,
		code: { offset: interpreter.code.offset + 2, sizeBytes: 3 },
		seconds: 5,
	});
});

test('parts of the interpreter that are told before it', () => {
	const log = read(agentLog([jvmRecord(true), WHOLE[6]!, WHOLE[5]!]));
	expect(log.stubs.map(({ name, code }) => [name, code.sizeBytes])).toEqual([
		['Interpreter', 8],
		['iload', 3],
	]);
});

test('what is told twice is there once; what an attached agent finds was there before', () => {
	const twice = [stubRecord('a', 1, [1]), stubRecord('a', 1, [1]), loadRecord(), loadRecord(), loadRecord({ compileId: 13 })];
	const log = read(
		agentLog([
			jvmRecord(true),
			...twice,
			record(Kind.CaughtUp, []),
			loadRecord({ compileId: 14 }),
			record(Kind.End, [
				[4, 1],
				[4, 0],
				[8, 3],
			]),
		]),
	);
	expect(log.stubs).toHaveLength(1);
	expect(log.loads.map(({ compileId, isEarlier }) => [compileId, isEarlier])).toEqual([
		[12, true],
		[13, true],
		[14, false],
	]);
	expect(log.ended).toBe('stopped');
	expect(log.problems.map(({ message }) => message)).toEqual(['the agent could not write 3 records']);
});

test('names of hidden classes, and hostile ones', () => {
	const holders = ['Lx/Foo$$Lambda.0x0001;', 'L\u001b[31m;', '', '<script>'];
	const log = read(agentLog(holders.map((holder, number) => methodRecord({ number, holder, sourceFile: '' }))));
	expect(log.methods.map((method) => method?.holder)).toEqual(['x.Foo$$Lambda/0x0001', '\u001b[31m', '', '<script>']);
	expect(log.methods[0]?.sourceFile).toBeNull();
});

test('other versions, byte orders and kinds are told', () => {
	const messages = (bytes: Buffer): string[] => read(bytes).problems.map(({ message }) => message);
	expect(messages(agentLog(WHOLE, { version: 2 }))).toEqual(['the agent log has version 2, known is 1']);
	expect(messages(agentLog(WHOLE, { byteOrder: 0x04030201 }))).toEqual(['the agent log was written by a machine with the other byte order']);
	expect(messages(agentLog([record(99, []), record(98, ['x'])]))).toEqual(['2 records of an agent log are of a kind that is not known']);
	expect(messages(agentLog([methodRecord({ number: 0x7fffffff })]))).toEqual(['a record of an agent log is shorter than what it says it holds']);
});

describe('damage', () => {
	const bytes = agentLog(WHOLE);

	test('cut at any byte', () => {
		for (let length = 0; length <= bytes.length; length++) {
			const log = read(bytes.subarray(0, length));
			expect(log.problems.length).toBeLessThanOrEqual(1);
			expect(log.ended).toBe(length === bytes.length ? 'exit' : 'killed');
		}
	});

	test('flipped bits', () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(7)), { minLength: 1, maxLength: 20 }), (flips) => {
				const damaged = Buffer.from(bytes);
				for (const [at, bit] of flips) {
					damaged[at] = damaged[at]! ^ (1 << bit);
				}
				const source = memorySource('agent.bin', damaged);
				const log = readAgentLog(source);
				const methods = new MethodDetails(source, log);
				for (const load of log.loads) {
					for (const { frames } of readLoadDetails(source, load).described) {
						for (const { method, bci } of frames) {
							methods.lineOf(method, bci);
							methods.bytecodeAt(method, bci);
						}
					}
				}
			}),
			{ numRuns: 2000 },
		);
	});
});

describe('relocations', () => {
	test.each([
		['17.0.15+6-Debian-1deb12u1', 4, 2],
		['25.412-b08', 4, 2],
		['19+36', 5, 2],
		['21.0.2+13-LTS', 5, 3],
		['25.0.3+9-LTS', 5, 3],
		['', 4, 2],
	])('of JDK %s', (version, typeBits, formatBits) => {
		expect(relocationLayout(version, 'x86-64')).toEqual({ typeBits, formatBits });
		expect(relocationLayout(version, 'aarch64')).toEqual({ typeBits, formatBits: formatBits - 1 });
	});

	test('distances add up, words of data are passed', () => {
		const words = (...all: number[]): Uint8Array => Uint8Array.from(all.flatMap((word) => [word & 0xff, word >>> 8]));
		// static_call at 5, one word of data before optimized virtual_call at 15, a short datum before poll_return at 16.
		const bytes = words(0x4005, 0xf801, 0x1234, 0x300a, 0xf001, 0xb001);
		expect(relocationsIn(bytes, { typeBits: 4, formatBits: 2 }, 'x86-64')).toEqual([
			{ offset: 5, kind: 'static_call' },
			{ offset: 15, kind: 'optimized virtual_call' },
			{ offset: 16, kind: 'poll_return' },
		]);
		expect(relocationsIn(bytes, { typeBits: 4, formatBits: 2 }, 'aarch64', 4)[0]).toEqual({ offset: 16, kind: 'static_call' });
	});
});

describe('the first instruction of code that was made not entrant', () => {
	const bang = [0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff];

	test('is what other code begins with', () => {
		const bytes = agentLog([
			jvmRecord(),
			loadRecord({ compileId: 1, code: [0xe9, 1, 2, 3, 4, 0xfe, 0xff, 0xc3] }),
			loadRecord({ compileId: 2, code: [0x90, ...bang], verifiedEntry: 1 }),
		]);
		const source = memorySource('agent.bin', bytes);
		const log = readAgentLog(source);
		const found = stackBangOf(source, log);
		expect([...(found ?? [])]).toEqual(bang);
		const patched = log.loads[0]!;
		const other = log.loads[1]!;
		expect([...withVerifiedEntry(Uint8Array.from([0xe9, 1, 2, 3, 4, 0xfe, 0xff, 0xc3]), patched, log, found)]).toEqual([...bang, 0xc3]);
		const whole = Uint8Array.from([0xe9, 1, 2, 3, 4, 0x90, 0x90, 0xc3]);
		expect(withVerifiedEntry(whole, patched, log, found)).toBe(whole);
		expect(withVerifiedEntry(whole, other, log, null)).toBe(whole);
	});

	test('on AArch64 is a nop', () => {
		const log = read(agentLog([jvmRecord(false, '17', 183)]));
		expect([...withVerifiedEntry(Uint8Array.from([9, 0, 0, 0x14]), { verifiedEntry: 0 }, log, null)]).toEqual([0x1f, 0x20, 0x03, 0xd5]);
	});
});
