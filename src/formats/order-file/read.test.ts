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

test("lines of ld64's order files: comments anywhere, architectures, object files", () => {
	const text = '# head\n_main # first\n arm64:_f\nx86_64:_g\narm64:b.o:_same\nlibx.a(c.o): _same \n\n-[Foo bar:baz:]\n_main\narm64e:_h\n';
	const read = (architecture: string) => readSymbolOrder(textSource(text), architecture).order;
	const common = ['libx.a(c.o):_same', '-[Foo bar:baz:]', 'arm64e:_h'];
	expect(read('arm64').names).toEqual(['_main', '_f', 'b.o:_same', ...common]);
	expect(read('x86_64').names).toEqual(['_main', '_g', ...common]);
	expect(read('arm64').repeated).toEqual([{ name: '_main', line: 9 }]);
});
