import { expect, test } from 'vitest';
import { textSource } from '../../../test/recordings.js';
import { isPerfMap, readPerfMap } from './read.js';

/** As JDK 17 and 25 write them. */
const MAP =
	'0x00007f2a0ced1a20 0x0000000000000358 int java.lang.String.hashCode()\n' +
	'0x00007f2a0ced20a0 0x0000000000000200 void java.lang.Module.addExports0(java.lang.Module, java.lang.String, java.lang.Module)\n' +
	'7f2a0ced0e20 d0 Ljava/util/Map$Entry;::getValue\n' +
	'7f2a0ced0f20 d0 java.lang.Object::<init>\n' +
	'0x00007f2a0c940b80 0x0000000000017de0 Interpreter\n' +
	'0x00007f2a0c938c00 0x0000000000007530 StubRoutines (1)\n' +
	'0x00007f2a0ca37700 0x0000000000000060 _new_array_Java\n' +
	'0x00007f8f6ba632e0 0x00000000000002e0 C1 Runtime deoptimize_blob\n' +
	'0x00007f2a0c958a00 0x00000000000001b0 I2C/C2I adapters\n';

test('methods and stubs', () => {
	const { code, problems } = readPerfMap(textSource(MAP));
	expect(problems).toEqual([]);
	expect(code.map(({ kind, name }) => [kind, name])).toEqual([
		['compilation', 'java.lang.String.hashCode'],
		['compilation', 'java.lang.Module.addExports0'],
		['compilation', 'Ljava/util/Map$Entry;.getValue'],
		['compilation', 'java.lang.Object.<init>'],
		['interpreter', 'Interpreter'],
		['stub', 'StubRoutines (1)'],
		['stub', '_new_array_Java'],
		['stub', 'C1 Runtime deoptimize_blob'],
		['stub', 'I2C/C2I adapters'],
	]);
	expect(code[0]).toMatchObject({ start: 0x7f2a0ced1a20, end: 0x7f2a0ced1d78, compileId: null, compiler: null, installedSeconds: null });
});

test('other lines are problems, at most a thousand each for itself', () => {
	const { code, problems } = readPerfMap(textSource(`7f2a0ced0e20 0 nothing\n\nhello\n${MAP}${'x\n'.repeat(1000)}`, 'perf-1.map'));
	expect(code).toHaveLength(9);
	expect(problems).toHaveLength(1001);
	expect(problems[0]).toMatchObject({ file: 'perf-1.map', line: 1, action: 'the line is skipped' });
});

test('told from other text, also by a part of the first line', () => {
	expect(isPerfMap(MAP)).toBe(true);
	expect(isPerfMap(MAP.slice(0, 200))).toBe(true);
	expect(isPerfMap(MAP.slice(0, 60))).toBe(true);
	expect(isPerfMap('')).toBe(false);
	expect(isPerfMap('  1.0: cpu-clock:  10 f (/a)\n')).toBe(false);
	expect(isPerfMap(`${MAP}hello\n`)).toBe(false);
	expect(isPerfMap(`${MAP}hel`)).toBe(true);
});
