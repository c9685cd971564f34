import { expect, test } from 'vitest';
import { textSource } from '../../../test/recordings.js';
import { readSymbolOrder } from './read.js';

test('names in the order of the file; comments and empty lines are none', () => {
	const { order, problems } = readSymbolOrder(textSource('# made by hand\n  main\t\n\n \nstart\n#start\nmain\nmain\n a b\nstart'));
	expect(order).toEqual({
		names: ['main', 'start', 'a b'],
		repeated: [
			{ name: 'main', line: 7 },
			{ name: 'main', line: 8 },
			{ name: 'start', line: 10 },
		],
	});
	expect(problems).toEqual([]);
});

test.each(['', '\n \n', '# main\n'])('%j names no symbol', (text) => {
	expect(readSymbolOrder(textSource(text, 'order.txt'))).toEqual({
		order: { names: [], repeated: [] },
		problems: [{ severity: 'warning', file: 'order.txt', message: 'names no symbol', action: expect.stringContaining('a symbol a line') }],
	});
});
