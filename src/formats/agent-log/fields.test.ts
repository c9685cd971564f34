/** Numbers of an agent's log one by one: places in code, mappings, relocations, positions, and where damaged records lie. */
import { describe, expect, test } from 'vitest';
import { agentLog, jvmRecord, Kind, loadRecord, methodRecord, record, relocationsIn, stubRecord } from '../../../test/agent-log.js';
import { memorySource } from '../../bytes/source.js';
import { MethodDetails, readLoadDetails, readRelocationBytes } from './details.js';
import { type AgentLog, readAgentLog } from './read.js';
import { withVerifiedEntry } from './verified-entry.js';

const HEADER_BYTES = 40;

const read = (bytes: Uint8Array): AgentLog => readAgentLog(memorySource('agent.bin', bytes));
const of = (...records: readonly Buffer[]): AgentLog => read(agentLog(records));

/** The words that a class file writes. */
const u2 = (...values: number[]): number[] => values.flatMap((value) => [value >> 8, value & 0xff]);

describe('compiled code', () => {
	test('has its places, and null for what the agent could not tell', () => {
		const told = { start: 0x7f00_1234_5678, method: 3, compileId: 0, level: 0, osrBci: 0, constantsBytes: 48, monotonicNs: 6_250_000_000 };
		const places = { stubStart: 1, exceptionStart: 2, deoptStart: 3, verifiedEntry: 4, osrEntry: 5 };
		const unknown = 0xffffffff;
		const first = loadRecord({ ...told, ...places, code: [1, 2, 3] });
		const { loads, problems } = of(first, loadRecord({ compileId: -1, level: -1, osrBci: -1, verifiedEntry: unknown }));
		expect(problems).toEqual([]);
		const codeAt = HEADER_BYTES + 16 + 32 + 24;
		const detailsAt = codeAt + 8;
		expect(loads).toEqual([
			{
				start: 0x7f00_1234_5678,
				codeBytes: 3,
				code: { offset: codeAt, sizeBytes: 3 },
				details: { offset: detailsAt, sizeBytes: HEADER_BYTES + first.length - detailsAt },
				seconds: 6.25,
				isEarlier: false,
				method: 3,
				compileId: 0,
				level: 0,
				osrBci: 0,
				...places,
				constantsBytes: 48,
			},
			expect.objectContaining({
				compileId: null,
				level: null,
				osrBci: null,
				stubStart: null,
				exceptionStart: null,
				deoptStart: null,
				verifiedEntry: null,
				osrEntry: null,
			}),
		]);
	});

	test('without a number is there as often as it is told; other code at the address is other code', () => {
		const { loads } = of(
			loadRecord({ compileId: -1 }),
			loadRecord({ compileId: -1 }),
			loadRecord(),
			loadRecord({ method: 1 }),
			loadRecord({ start: 1 }),
			loadRecord(),
		);
		expect(loads.map(({ compileId, method, start }) => [compileId, method, start === 1])).toEqual([
			[null, 0, false],
			[null, 0, false],
			[12, 0, false],
			[12, 1, false],
			[12, 0, true],
		]);
	});
});

describe('stubs', () => {
	const codelet = (name: string, start: number, size: number): Buffer => record(Kind.Codelet, [[8, start], [4, size], name]);

	test('have the bytes that stand with them; parts of the interpreter those of the interpreter, when it has them', () => {
		const bytes = [1, 2, 3, 4, 5, 6, 7, 8];
		const { stubs } = of(
			stubRecord('Interpreter', 0x2000, bytes),
			stubRecord('nothing', 0x3000, []),
			codelet('first', 0x2000, 3),
			codelet('last', 0x2005, 3),
			codelet('beyond', 0x2005, 4),
			codelet('before', 0x1fff, 2),
		);
		const codeAt = HEADER_BYTES + 16 + 16;
		expect(stubs).toEqual([
			{ name: 'Interpreter', start: 0x2000, end: 0x2008, isCodelet: false, code: { offset: codeAt, sizeBytes: 8 }, seconds: 5 },
			expect.objectContaining({ name: 'nothing', start: 0x3000, end: 0x3000, isCodelet: false }),
			{ name: 'first', start: 0x2000, end: 0x2003, isCodelet: true, code: { offset: codeAt, sizeBytes: 3 }, seconds: 5 },
			{ name: 'last', start: 0x2005, end: 0x2008, isCodelet: true, code: { offset: codeAt + 5, sizeBytes: 3 }, seconds: 5 },
			{ name: 'beyond', start: 0x2005, end: 0x2009, isCodelet: true, code: { offset: 0, sizeBytes: 0 }, seconds: 5 },
			{ name: 'before', start: 0x1fff, end: 0x2001, isCodelet: true, code: { offset: 0, sizeBytes: 0 }, seconds: 5 },
		]);
	});
});

test('the JVM says its machine, its command and its flags', () => {
	expect(of(jvmRecord(false, '17', 183)).architecture).toBe('aarch64');
	expect(of(jvmRecord(false, '17', 40))).toMatchObject({ architecture: null, isAttached: false });
	expect(of(jvmRecord(true))).toMatchObject({ isAttached: true, command: ['java', '-cp', '.', 'Main'] });
	const said = record(Kind.Jvm, [[4, 0], [4, 62], 'VM', '25', 'java\0a b', 'A=1\nnothing\nB=\nC=x=y']);
	expect(of(said)).toMatchObject({ command: ['java', 'a b'], ended: 'killed' });
	expect([...of(said).flags]).toEqual([
		['A', '1'],
		['B', ''],
		['C', 'x=y'],
	]);
});

test('mappings with a path; the last table that is told counts', () => {
	const rows = [
		'1000-2000 r-xp 00000010 08:01 12   /a',
		'3000-4000 r-xp 00000000 00:00 0',
		'5000-6000 r-xp 00000000 00:00 0    [vdso]',
		'x1000-2000 r-xp 00000000 08:01 12   /b',
	];
	const { mappings } = of(record(Kind.Mappings, ['7000-8000 r-xp 00000000 08:01 1 /old']), record(Kind.Mappings, [rows.join('\n')]));
	expect(mappings).toEqual([{ start: 0x1000, end: 0x2000, fileOffset: 0x10, path: '/a', inode: 12 }]);
});

test('holders have dots, arrays and names of default packages stay', () => {
	const holders = ['La/b/C;', 'LMain;', '[I', 'La/b/C$$Lambda.0x01;'];
	expect(of(...holders.map((holder, number) => methodRecord({ number, holder }))).methods.map((method) => method?.holder)).toEqual([
		'a.b.C',
		'Main',
		'[I',
		'a.b.C$$Lambda/0x01',
	]);
});

describe('damaged records', () => {
	const sized = (length: number): Buffer => {
		const bytes = methodRecord({ number: 1 });
		bytes.writeUInt32LE(length, 0);
		return bytes;
	};
	const first = methodRecord();

	test.each([0, 8, 17, 2 ** 28 + 8])('that say they have %i bytes end what is read', (length) => {
		expect(of(first, sized(length), methodRecord({ number: 2 }))).toMatchObject({
			methods: [{ name: 'run' }],
			problems: [
				{
					severity: 'warning',
					file: 'agent.bin',
					offsetBytes: HEADER_BYTES + first.length,
					message: `a record of an agent log says that it has ${length} bytes`,
					action: 'what follows is left out',
				},
			],
		});
	});

	test('that are cut are said with what is there of them', () => {
		const second = methodRecord({ number: 1 });
		for (const rest of [1, 15, 16, second.length - 1]) {
			const { methods, problems } = read(agentLog([first, second]).subarray(0, HEADER_BYTES + first.length + rest));
			expect(methods).toHaveLength(1);
			expect(problems).toMatchObject([{ offsetBytes: HEADER_BYTES + first.length, message: `the last record of the agent log is cut after ${rest} bytes` }]);
		}
	});

	test('that hold less than they say are left out, and the next are read', () => {
		const short = record(Kind.Method, [[4, 7]]);
		const { methods, problems } = of(short, first);
		expect(methods.filter((method) => method !== undefined)).toHaveLength(1);
		expect(problems).toMatchObject([
			{ offsetBytes: HEADER_BYTES, message: 'a record of an agent log is shorter than what it says it holds', action: 'it is left out' },
		]);
		const largest = record(Kind.Class, [
			[4, 1 << 24],
			[4, 0],
			[4, 0],
		]);
		expect(of(largest).problems).toEqual([]);
		expect(
			of(
				record(Kind.Class, [
					[4, (1 << 24) + 1],
					[4, 0],
					[4, 0],
				]),
			).problems,
		).toHaveLength(1);
	});

	test('a record that is larger than what is read at once is whole', () => {
		const code = new Array<number>(1_200_000).fill(7);
		const { loads, stubs, problems } = of(stubRecord('large', 0x1000, code), loadRecord(), stubRecord('next', 0x9000, [1]));
		expect(problems).toEqual([]);
		expect(stubs.map(({ name, code: { sizeBytes } }) => [name, sizeBytes])).toEqual([
			['large', 1_200_000],
			['next', 1],
		]);
		expect(loads).toHaveLength(1);
	});

	test('a header that is cut, or of another byte order or version', () => {
		const whole = agentLog([]);
		expect(read(whole).problems).toEqual([]);
		expect(read(whole.subarray(0, 39))).toMatchObject({
			processId: null,
			monotonicSeconds: 0,
			problems: [{ offsetBytes: 0, message: 'the header of an agent log is cut' }],
		});
		expect(read(agentLog([], { byteOrder: 1 })).problems).toMatchObject([{ offsetBytes: 12 }]);
		expect(read(agentLog([], { version: 3 })).problems).toMatchObject([{ offsetBytes: 8 }]);
	});
});

describe('details of code', () => {
	const described = [
		{ offset: 9, frames: [[1, 4]] as const },
		{
			offset: 3,
			frames: [
				[0, -1],
				[1, 7],
			] as const,
		},
	];
	const bytes = agentLog([loadRecord({ relocations: [0xa001, 0x4005, 0xb002], oopMaps: [3, 9], described })]);
	const source = memorySource('agent.bin', bytes);
	const load = readAgentLog(source).loads[0]!;

	test('described addresses ascend', () => {
		const { oopMaps, described } = readLoadDetails(source, load);
		expect(oopMaps).toEqual([3, 9]);
		expect([...described]).toEqual([
			{
				offset: 3,
				frames: [
					{ method: 0, bci: -1 },
					{ method: 1, bci: 7 },
				],
			},
			{ offset: 9, frames: [{ method: 1, bci: 4 }] },
		]);
		expect(described).toMatchObject({ length: 2, offset: Uint32Array.of(3, 9), firstFrame: Uint32Array.of(0, 2, 3) });
		expect([...readRelocationBytes(source, load)]).toEqual([0x01, 0xa0, 0x05, 0x40, 0x02, 0xb0]);
	});

	test('that are cut are as many as are there', () => {
		const cut = (sizeBytes: number) => ({ ...load, details: { ...load.details, sizeBytes } });
		expect([0, 3, 4, 6, 10].map((size) => readRelocationBytes(source, cut(size)).length)).toEqual([0, 0, 0, 2, 6]);
		expect(readLoadDetails(source, cut(0))).toMatchObject({ oopMaps: [], described: { length: 0 } });
		// Six bytes of relocations behind their length, then blanks up to 16.
		expect(readLoadDetails(source, cut(16 + 8)).oopMaps).toEqual([3]);
		expect(readLoadDetails(source, cut(16 + 12))).toMatchObject({ oopMaps: [3, 9], described: { length: 0 } });
		expect([...readLoadDetails(source, cut(16 + 16 + 4)).described]).toMatchObject([{ offset: 9 }]);
	});
});

describe('relocations', () => {
	const words = (...all: number[]): Uint8Array => Uint8Array.from(all.flatMap((word) => [word & 0xff, word >>> 8]));
	const JDK17 = { typeBits: 4, formatBits: 2 };

	test('of each kind that says where calls go and threads stop', () => {
		const all = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].map((type) => (type << 12) | 1);
		expect(relocationsIn(words(...all), JDK17, 'x86-64')).toEqual([
			{ offset: 2, kind: 'virtual_call' },
			{ offset: 3, kind: 'optimized virtual_call' },
			{ offset: 4, kind: 'static_call' },
			{ offset: 6, kind: 'runtime_call' },
			{ offset: 10, kind: 'poll' },
			{ offset: 11, kind: 'poll_return' },
			{ offset: 14, kind: 'runtime_call' },
		]);
	});

	test('distances have the bits that the format leaves, in units of the architecture', () => {
		expect(relocationsIn(words(0x43ff), JDK17, 'x86-64')).toEqual([{ offset: 0x3ff, kind: 'static_call' }]);
		expect(relocationsIn(words(0x47ff), { typeBits: 4, formatBits: 1 }, 'aarch64')).toEqual([{ offset: 4 * 0x7ff, kind: 'static_call' }]);
		expect(relocationsIn(words(0x20ff, 0x2001), { typeBits: 5, formatBits: 3 }, 'x86-64')).toEqual([
			{ offset: 0xff, kind: 'static_call' },
			{ offset: 0x100, kind: 'static_call' },
		]);
	});

	test('words of data count for nothing, as many as are said; half a word is none', () => {
		expect(relocationsIn(words(0xf802, 0x4001, 0x4002, 0x4003), JDK17, 'x86-64')).toEqual([{ offset: 3, kind: 'static_call' }]);
		expect(relocationsIn(words(0xf7ff, 0x4003), JDK17, 'x86-64')).toEqual([{ offset: 3, kind: 'static_call' }]);
		expect(relocationsIn(words(0x4003, 0x4003).subarray(0, 3), JDK17, 'x86-64')).toHaveLength(1);
	});

	test('those of constants lie before the code', () => {
		expect(relocationsIn(words(0x4002, 0x4008), JDK17, 'x86-64', 8)).toEqual([
			{ offset: -6, kind: 'static_call' },
			{ offset: 2, kind: 'static_call' },
		]);
	});
});

describe('lines and bytecodes', () => {
	const method = methodRecord({
		lines: [
			[6, 30],
			[0, 10],
			[3, 20],
		],
		// invokevirtual #5, aload_0, invokevirtual #99, 0xff is none
		bytecode: [0xb6, 0, 5, 0x2a, 0xb6, 0, 99, 0xff],
	});
	// #1 "run", #2 "()V", #3 NameAndType, #4 Class, #5 Methodref
	const pool = Uint8Array.from([1, ...u2(3), 0x72, 0x75, 0x6e, 1, ...u2(3), 0x28, 0x29, 0x56, 12, ...u2(1, 2), 7, ...u2(1), 10, ...u2(4, 3)]);
	const bytes = agentLog([
		record(Kind.Class, [[4, 0], [4, 6], [4, pool.length], pool]),
		method,
		methodRecord({ number: 2, classNumber: 9, bytecode: [0xb6, 0, 5] }),
	]);
	const source = memorySource('agent.bin', bytes);
	const methods = new MethodDetails(source, readAgentLog(source));

	test('a line counts from its bytecode to the next, in whatever order they stand', () => {
		expect([-1, 0, 2, 3, 5, 6, 1000].map((bci) => methods.lineOf(0, bci))).toEqual([10, 10, 10, 20, 20, 30, 30]);
		expect([methods.lineOf(1, 0), methods.lineOf(2, 0), methods.lineOf(7, 0)]).toEqual([null, null, null]);
	});

	test('calls have the name of what they call, where the constants are known', () => {
		expect([0, 3, 4, 7, 8].map((bci) => methods.bytecodeAt(0, bci))).toEqual(['invokevirtual run', 'aload_0', 'invokevirtual', null, null]);
		expect([methods.bytecodeAt(1, 0), methods.bytecodeAt(2, 0)]).toEqual([null, 'invokevirtual']);
	});
});

test('a jump is taken for one that the JVM wrote only where all of the rest of the first instruction follows', () => {
	const log = of(jvmRecord());
	const bang = Uint8Array.of(0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe, 0xff);
	const begin = (...code: number[]) => [...withVerifiedEntry(Uint8Array.from(code), { verifiedEntry: 1 }, log, bang)];
	expect(begin(0x90, 0xe9, 1, 2, 3, 4, 0xfe, 0xff, 0xc3)).toEqual([0x90, ...bang, 0xc3]);
	for (const rest of [[0xfe, 0x90], [0x90, 0xff], [0xfe], []]) {
		const code = [0x90, 0xe9, 1, 2, 3, 4, ...rest];
		expect(begin(...code)).toEqual(code);
	}
});
