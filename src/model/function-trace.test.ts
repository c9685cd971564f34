import { expect, test } from 'vitest';
import { FunctionTracesBuilder, symbolOfIrName } from './function-trace.js';

const spelled = ({ functions, traces }: ReturnType<FunctionTracesBuilder['build']>) =>
	traces.map(({ name, weight, order }) => `${name} ${weight}: ${[...order].map((number) => functions[number]!.symbol).join(' ')}`);

test('functions of one symbol are one; local ones only of one module', () => {
	const builder = new FunctionTracesBuilder();
	const numbers = [
		builder.functionNumber({ symbol: 'main' }),
		builder.functionNumber({ symbol: 'init', module: 'a.c', line: 7, file: 'a.c' }),
		builder.functionNumber({ symbol: 'init', module: 'b.c' }),
		builder.functionNumber({ symbol: 'init' }),
		builder.functionNumber({ symbol: 'main', file: 'main.c', line: 3 }),
		builder.functionNumber({ symbol: 'init', module: 'a.c', line: 9 }),
		builder.functionNumber({ symbol: 'main', module: 'm.c', isLocal: false }),
		builder.functionNumber({ symbol: 'shared', module: 'm.c', isLocal: false }),
	];
	expect(numbers).toEqual([0, 1, 2, 3, 0, 1, 0, 4]);
	expect(builder.build().functions).toEqual([
		{ symbol: 'main', module: null, isLocal: false, file: null, line: null },
		{ symbol: 'init', module: 'a.c', isLocal: true, file: 'a.c', line: 7 },
		{ symbol: 'init', module: 'b.c', isLocal: true, file: null, line: null },
		{ symbol: 'init', module: null, isLocal: false, file: null, line: null },
		{ symbol: 'shared', module: 'm.c', isLocal: false, file: null, line: null },
	]);
});

test('each function once, where it ran first; traces of other files by their functions', () => {
	const one = new FunctionTracesBuilder();
	const [a, b] = [one.functionNumber({ symbol: 'a' }), one.functionNumber({ symbol: 'b' })];
	one.addTrace('run 1', 1, [b, a, b, a]);
	const all = new FunctionTracesBuilder();
	all.addTrace('run 0', 3, [all.functionNumber({ symbol: 'c' }), all.functionNumber({ symbol: 'b' })]);
	all.addTraces(one.build());
	expect(spelled(one.build())).toEqual(['run 1 1: b a']);
	expect(spelled(all.build())).toEqual(['run 0 3: c b', 'run 1 1: b a']);
	expect(all.build().functions.map(({ symbol }) => symbol)).toEqual(['c', 'b', 'a']);
});

test('names that are to be taken as they stand', () => {
	expect([symbolOfIrName('\u0001_foo'), symbolOfIrName('foo'), symbolOfIrName('f\u0001oo'), symbolOfIrName('')]).toEqual(['_foo', 'foo', 'f\u0001oo', '']);
});
