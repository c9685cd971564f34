import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { InputError } from '../../model/problem.js';
import { isInstructionList, readInstructionList } from './read.js';

const source = (text: string): ReturnType<typeof memorySource> => memorySource('run', Buffer.from(text));
const list = (text: string): [number, number][] => {
	const { addresses, sizes } = readInstructionList(source(text)).instructions;
	return Array.from(addresses, (address, i) => [address, sizes[i]!]);
};

test('address and size a line, each once', () => {
	expect(list('24e0a0 2\r\n# comment\n\n0x24e0a2 3\n24e0a0 2\n')).toEqual([
		[0x24e0a0, 2],
		[0x24e0a2, 3],
	]);
});

test('what lackey prints', () => {
	const text =
		'==9137== Lackey, an example Valgrind tool\n==9137== \nI  0401ab70,3\n S 1fff000738,8\n L 1fff000738,8\nI  0401ab73,5\n M 0401ab73,5\nI  0401ab70,3\n';
	expect(isInstructionList(text)).toBe(true);
	expect(list(text)).toEqual([
		[0x401ab70, 3],
		[0x401ab73, 5],
	]);
});

test('other lines are problems; nothing at all is refused', () => {
	const { problems } = readInstructionList(source('24e0a0 2\nmain\n24e0a0 x\nffffffffffffffff 2\n'));
	expect(problems.map(({ line }) => line)).toEqual([2, 3, 4]);
	expect(() => readInstructionList(source('# nothing\n'))).toThrow(InputError);
	expect([isInstructionList('main\nf\n'), isInstructionList('0 24e0a0 _start\n'), isInstructionList(''), isInstructionList('24e0a0 2')]).toEqual([
		false,
		false,
		false,
		true,
	]);
});

test('any text is read or refused', () => {
	fc.assert(
		fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('24e0a0 2', 'I  0401ab70,3', ' S 1f,8', 'I  ', '24e0a0', '0x 2'))), (lines) => {
			try {
				readInstructionList(source(lines.join('\n')));
			} catch (error) {
				expect(error).toBeInstanceOf(InputError);
			}
		}),
	);
});
