import { expect, test } from 'vitest';
import { DumpWriter } from '../../../test/jitdump.js';
import { memorySource } from '../../bytes/source.js';
import { describeName } from './names.js';
import { bytesOfCode, isJitdump, type Jitdump, readJitdump } from './read.js';
import { linesOfCode } from './read-lines.js';

const CODE = Uint8Array.of(0x48, 0x89, 0xe5, 0xc3);

function read(bytes: Uint8Array): Jitdump {
	return readJitdump(memorySource('jit-7.dump', bytes));
}

function everything(isLittleEndian: boolean): Uint8Array {
	return new DumpWriter({ isLittleEndian, processId: 7 })
		.lines(10, 0x1000, [
			[0x1040, 3, 9, '/app/fib.js'],
			[0x1042, 4, 0, '\xff'],
		])
		.unwinding(11)
		.load(20, 0x1000, 5, 'JS:*fib /app/fib.js:3:9', CODE)
		.load(30, 0x2000, 6, 'JS:^', CODE)
		.move(1_000_000_020, 0x1000, 0x3000, CODE.length, 5)
		.load(2_000_000_020, 0x1000, 7, 'Builtin:Call', CODE)
		.close(40).bytes;
}

test.each([true, false])('all records, little-endian %s', (isLittleEndian) => {
	const bytes = everything(isLittleEndian);
	const dump = read(bytes);
	expect(dump).toMatchObject({ processId: 7, machine: 'x86-64', isLittleEndian, firstSeconds: 20e-9, lastSeconds: 2.00000002, problems: [] });
	expect(
		dump.code.map(({ kind, name, compiler, compileId, start, end, installedSeconds }) => [kind, name, compiler, compileId, start, end, installedSeconds]),
	).toEqual([
		['compilation', 'fib /app/fib.js:3:9', 'turbofan', '5', 0x1000, 0x1004, 0],
		['compilation', '<anonymous>', 'sparkplug', '6', 0x2000, 0x2004, 10e-9],
		['compilation', 'fib /app/fib.js:3:9', 'turbofan', '5', 0x3000, 0x3004, 1],
		['stub', 'Builtin:Call', null, null, 0x1000, 0x1004, 2],
	]);
	const source = memorySource('jit-7.dump', bytes);
	expect(dump.code.map((code) => [...bytesOfCode(source, code)])).toEqual(dump.code.map(() => [...CODE]));
	const lines = (start: number) => [
		{ address: start, file: '/app/fib.js', line: 3, column: 9 },
		{ address: start + 2, file: '/app/fib.js', line: 4, column: null },
	];
	expect(dump.code.map((code) => linesOfCode(source, dump, code))).toEqual([lines(0x1000), [], lines(0x3000), []]);
});

test('only V8 gives addresses behind the header of an ELF file, and columns', () => {
	const bytes = new DumpWriter({})
		.lines(1, 0x1000, [
			[0x1000, 1, 2, 'a.wat'],
			[0x1003, 2, 0, 'a.wat'],
		])
		.load(2, 0x1000, 0, 'wasm::function[0]', CODE).bytes;
	const dump = read(bytes);
	expect(linesOfCode(memorySource('', bytes), dump, dump.code[0]!)).toEqual([
		{ address: 0x1000, file: 'a.wat', line: 1, column: null },
		{ address: 0x1003, file: 'a.wat', line: 2, column: null },
	]);
});

test('names of files that V8 had freed: those of the scripts that are as long and end the same', () => {
	const [path, other] = ['/app/node_modules/a/b.js', '/app/node_modules/longer/c.js'];
	const freed = (text: string) => `\xaa{\xb3\r\0\0\0\0\x40\x10\x01\0\0\0\0\x10${text.slice(16)}`;
	const bytes = new DumpWriter({})
		.lines(1, 0x1000, [
			[0x1040, 1, 1, freed(path)],
			[0x1041, 2, 1, freed(other)],
			[0x1042, 3, 1, path],
			[0x1043, 4, 1, freed('/app/node_modules/of-nobody.js')],
		])
		.load(2, 0x1000, 0, `JS:*f ${path}:1:1`, CODE)
		.load(3, 0x2000, 1, `JS:*get g ${other}:1:1`, CODE).bytes;
	const dump = read(bytes);
	expect(linesOfCode(memorySource('', bytes), dump, dump.code[0]!).map(({ file, line }) => [file, line])).toEqual([
		[path, 1],
		[other, 2],
		[path, 3],
		[null, 4],
	]);
});

test('a name may hold a NUL: the code is what the record ends with', () => {
	const bytes = new DumpWriter({}).load(1, 0x1000, 0, 'JS:*a\0b /x.js:1:1', CODE).bytes;
	const { code } = read(bytes);
	expect(code[0]?.name).toBe('a\0b /x.js:1:1');
	expect([...bytesOfCode(memorySource('', bytes), code[0]!)]).toEqual([...CODE]);
});

test('what V8 writes before a name', () => {
	const described = (text: string) => Object.values(describeName(text)).slice(0, 3);
	expect(described('JS:~f a.js:1:1')).toEqual(['compilation', 'f a.js:1:1', 'ignition']);
	expect(described('JS:+f a.js:1:1')).toEqual(['compilation', 'f a.js:1:1', 'maglev']);
	expect(described("JS:*'f a.js:1:1")).toEqual(['compilation', 'f a.js:1:1', 'turbofan']);
	expect(described('LazyCompile:*f a.js:1:1')).toEqual(['compilation', 'f a.js:1:1', 'turbofan']);
	expect(described('Eval:~ :1:1')).toEqual(['compilation', '<anonymous> :1:1', 'ignition']);
	expect(described('Function:g a.js:1:1')).toEqual(['compilation', 'g a.js:1:1', 'v8']);
	expect(described('JS:wasm-function[0]-0-liftoff')).toEqual(['compilation', 'wasm-function[0]', 'liftoff']);
	expect(described('RegExp:^(?:a|JS:*b)$')).toEqual(['compilation', 'RegExp:^(?:a|JS:*b)$', 'irregexp']);
	expect(described('BytecodeHandler:Add')).toEqual(['interpreter', 'BytecodeHandler:Add', null]);
	expect(described('Builtin:Call')).toEqual(['stub', 'Builtin:Call', null]);
	expect(described('julia_f_12')).toEqual(['compilation', 'julia_f_12', 'jit']);
	expect(described('')).toEqual(['compilation', '<anonymous>', 'jit']);
});

test('stamps of the processor, another version, another machine: told', () => {
	const dump = read(new DumpWriter({ flags: 1, version: 3, machine: 243 }).load(1, 0x1000, 0, 'f', CODE).load(2, 0x1000, 1, 'g', CODE).bytes);
	expect(dump.problems.map(({ message }) => message)).toEqual([
		'is version 3 of jitdump, expected 1 or 2',
		"the stamps are of the processor's counter, not of CLOCK_MONOTONIC",
		'is of machine 243 (ELF), expected x86-64 (62) or AArch64 (183)',
	]);
	expect(dump).toMatchObject({ machine: null, firstSeconds: null, lastSeconds: null });
	expect(dump.code.map(({ installedSeconds }) => installedSeconds)).toEqual([null, null]);
});

test('cut at any byte: what stands before is read, and the cut is told', () => {
	const bytes = everything(true);
	const whole = read(bytes).code;
	const ends = new DumpWriter({}).bytes.length;
	for (let length = 0; length < bytes.length; length++) {
		const dump = read(bytes.subarray(0, length));
		expect(dump.code.map(({ name }) => name)).toEqual(whole.slice(0, dump.code.length).map(({ name }) => name));
		expect(dump.problems.length).toBeLessThanOrEqual(1);
		if (length < ends) {
			expect(dump.problems[0]?.message).toBe('is no jitdump, or cut in its header');
		}
		for (const code of dump.code) {
			linesOfCode(memorySource('', bytes.subarray(0, length)), dump, code);
		}
	}
	const cut = read(bytes.subarray(0, bytes.length - 20));
	expect(cut.code).toHaveLength(3);
	expect(cut.problems).toMatchObject([
		{ message: expect.stringMatching(/^the last record is cut: \d+ bytes are left$/), action: 'what stands before is read' },
	]);
});

test('any bit flipped, any byte of 0 or 255: nothing is thrown', () => {
	// Told at the end: there are a hundred thousand pieces.
	const wrong: string[] = [];
	for (const isLittleEndian of [true, false]) {
		const bytes = everything(isLittleEndian);
		for (let at = 0; at < bytes.length; at++) {
			for (const value of [0, 0xff, ...Array.from({ length: 8 }, (_, bit) => bytes[at]! ^ (1 << bit))]) {
				const damaged = bytes.slice();
				damaged[at] = value;
				const dump = read(damaged);
				const source = memorySource('', damaged);
				for (const code of dump.code) {
					const isPlaced = Number.isSafeInteger(code.start) && Number.isSafeInteger(code.end) && code.end > code.start;
					const isWithin = bytesOfCode(source, code).length <= code.end - code.start;
					const hasOwnLines = linesOfCode(source, dump, code).every(({ address }) => address >= code.start && address < code.end);
					if (!isPlaced || !isWithin || !hasOwnLines) {
						wrong.push(`byte ${at} is ${value}: ${code.name}`);
					}
				}
			}
		}
	}
	expect(wrong).toEqual([]);
});

test('records that do not hold what they say', () => {
	const damaged = new DumpWriter({}).load(1, 0x1000, 0, 'f', CODE).bytes;
	// The size of the code.
	damaged.set([0xff, 0xff], 40 + 40);
	expect(read(damaged)).toMatchObject({ code: [], problems: [{ message: '1 records do not hold what they say' }] });
	const lost = read(new DumpWriter({}).move(1, 0x1000, 0x2000, 4, 9).record(77, 2, new Uint8Array(3)).load(3, 0x1000, 0, 'f', CODE).bytes);
	expect(lost.problems.map(({ message }) => message)).toEqual(['1 records move code that no record loaded', '1 records are of an unknown kind']);
	expect(lost.code).toHaveLength(1);
	const zeros = read(new Uint8Array([...new DumpWriter({}).load(1, 0x1000, 0, 'f', CODE).bytes, ...new Uint8Array(100)]));
	expect(zeros.code).toHaveLength(1);
	expect(zeros.problems).toMatchObject([{ message: 'a record of 0 bytes, expected 16 or more', action: 'the 100 bytes from there on are left out' }]);
});

test('told from other files by its first bytes', () => {
	const latin1 = (isLittleEndian: boolean) => Buffer.from(everything(isLittleEndian)).toString('latin1');
	expect(isJitdump(latin1(true))).toBe(true);
	expect(isJitdump(latin1(false))).toBe(true);
	expect(isJitdump('PERFILE2')).toBe(false);
	expect(isJitdump('')).toBe(false);
});

test('a record that is a byte too short does not hold what it says', () => {
	const problems = (id: number, payload: number): string[] =>
		read(new DumpWriter({}).record(id, 1, new Uint8Array(payload)).bytes).problems.map(({ message }) => message);
	const damaged = ['1 records do not hold what they say'];
	expect([problems(0, 39), problems(0, 40)]).toEqual([damaged, []]);
	expect([problems(1, 47), problems(1, 48)]).toEqual([damaged, ['1 records move code that no record loaded']]);
	expect([problems(2, 15), problems(2, 16)]).toEqual([damaged, []]);
});

test('the last stamp is the latest, wherever it stands; a name may be of NULs only', () => {
	const dump = read(new DumpWriter({}).load(3e9, 0x1000, 0, '\0\0', CODE).load(2e9, 0x2000, 1, 'g', CODE).bytes);
	expect(dump).toMatchObject({ firstSeconds: 3, lastSeconds: 3 });
	expect(dump.code.map(({ name, installedSeconds }) => [name, installedSeconds])).toEqual([
		['<anonymous>', 0],
		['g', -1],
	]);
});

test('files of several blocks, of which a read gives a part only', () => {
	const code = new Uint8Array(400_000).fill(7);
	const bytes = [1, 2, 3, 4].reduce((writer, i) => writer.load(i, i * 0x100000, i, `f${i}`, code), new DumpWriter({})).bytes;
	const whole = memorySource('a', bytes);
	const source = {
		...whole,
		read: (target: Uint8Array, offset: number, length: number, position: number) => whole.read(target, offset, Math.min(length, 100_000), position),
	};
	const dump = readJitdump(source);
	expect(dump.problems).toEqual([]);
	expect(dump.code.map(({ name, start, end }) => [name, start, end - start])).toEqual([1, 2, 3, 4].map((i) => [`f${i}`, i * 0x100000, 400_000]));
	expect(dump.code.map((one) => bytesOfCode(source, one)).every((one) => one.length === 400_000 && one.every((byte) => byte === 7))).toBe(true);
});

test('nothing is shown of more than 64 MiB of code', () => {
	const bytes = new DumpWriter({}).load(1, 0x1000, 0, 'f', CODE).bytes;
	const [code] = read(bytes).code;
	const lengthOf = (sizeBytes: number): number =>
		code === undefined ? -1 : bytesOfCode(memorySource('', bytes), { ...code, end: code.start + sizeBytes }).length;
	expect([lengthOf(4), lengthOf(2 ** 26), lengthOf(2 ** 26 + 1)]).toEqual([4, 4, 0]);
});

test('lines: a table that is cut or longer than 64 MiB has none; those of V8 may be shifted or not', () => {
	const linesAfter = (change: (bytes: Uint8Array, at: number) => Uint8Array, first = 0x1000) => {
		const entries = [[first, 1, 1, '/a.js'] as const, [0x1041, 2, 1, '/a.js'] as const];
		const bytes = new DumpWriter({}).lines(1, 0x1000, entries).load(2, 0x1000, 0, 'JS:*f /a.js:1:1', new Uint8Array(0x80)).bytes;
		const dump = read(bytes);
		const [code] = dump.code;
		return code === undefined ? [] : linesOfCode(memorySource('', change(bytes, code.linesAt ?? 0)), dump, code).map(({ address, line }) => [address, line]);
	};
	expect(linesAfter((bytes) => bytes)).toEqual([
		[0x1000, 1],
		[0x1041, 2],
	]);
	expect(linesAfter((bytes) => bytes, 0x1040)).toEqual([
		[0x1000, 1],
		[0x1001, 2],
	]);
	expect(linesAfter((bytes, at) => bytes.subarray(0, at + 31))).toEqual([]);
	const withSize = (size: number) =>
		linesAfter((bytes, at) => {
			new DataView(bytes.buffer).setUint32(at + 4, size, true);
			return bytes;
		});
	expect([withSize(31).length, withSize(2 ** 26).length, withSize(2 ** 26 + 1).length]).toEqual([0, 2, 0]);
});
