import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilationTrees, graalLine } from '../../../test/arbitraries.js';
import { GRAAL_FIXTURES } from '../../../test/fixtures.js';
import { memorySource, type Source } from '../../bytes/source.js';
import { formatProblem } from '../../model/problem.js';
import { TreeReader } from './read-trees.js';
import { scanOptimizationLog, UnitHeadReader } from './scan.js';
import { TreeReadError } from './trees-of-json.js';

const encode = (text: string): Uint8Array => Buffer.from(text);

describe('the trees of a unit', () => {
	test('are those that were written', () => {
		const reader = new TreeReader();
		fc.assert(
			fc.property(compilationTrees, (trees) => {
				expect(reader.read(encode(graalLine('A.a()', '1', trees)))).toEqual(trees);
			}),
		);
	});

	test('are the same by the short way and by the plain one', () => {
		const reader = new TreeReader();
		fc.assert(
			fc.property(compilationTrees, (trees) => {
				const line = encode(graalLine('A.a()', '1', trees));
				expect(reader.readUsualForm(line)).toEqual(reader.readAnyForm(line));
			}),
		);
		for (const name of ['mix-a', 'mix-aot1', 'poly-a']) {
			const folder = path.join(GRAAL_FIXTURES, 'inputs', name, 'log');
			const file = path.join(folder, fs.readdirSync(folder)[0]!);
			for (const line of fs.readFileSync(file, 'utf8').trimEnd().split('\n').slice(0, 60)) {
				expect(reader.readUsualForm(encode(line))).toEqual(reader.readAnyForm(encode(line)));
			}
		}
	});

	test('of the short way are of lines as Graal writes them', () => {
		const inlining = '"inliningTree":{"methodName":"A.a()","callsiteBci":-1,"inlined":true,"indirect":false,"alive":false}';
		const phase = (children: string): string => `"optimizationTree":{"phaseName":"P","optimizations":[${children}]}`;
		const usual = (line: string): unknown => new TreeReader().readUsualForm(encode(line));
		expect(usual(`{${inlining},${phase('')}}`)).not.toBeNull();
		// Two of a tree, none of one, two of a property or of a position, an optimization where a phase has to be, no event.
		for (const line of [
			`{${inlining},${inlining},${phase('')}}`,
			`{${inlining},${phase('')},${phase('')}}`,
			`{${inlining}}`,
			`{${phase('')}}`,
			`{${inlining},"optimizationTree":{"optimizationName":"O","eventName":"E"}}`,
			`{${inlining},${phase('{"optimizationName":"O","eventName":"E","k":1,"k":2}')}}`,
			`{${inlining},${phase('{"optimizationName":"O","eventName":"E","position":{"A.a()":1,"A.a()":2}}')}}`,
			`{${inlining},${phase('{"optimizationName":"O"}')}}`,
			`{${inlining.replace('true', '1')},${phase('')}}`,
			`{${inlining.replace('-1', '1.5')},${phase('')}}`,
			`{${inlining.replace(',"alive":false', '')},${phase('')}}`,
		]) {
			expect(usual(line), line).toBeNull();
		}
	});

	test('do not depend on white space, the order of keys or keys that come twice', () => {
		const reader = new TreeReader();
		const tree =
			'"inliningTree": { "alive":false, "inlined":true , "indirect":false,"callsiteBci":7,"callsiteBci":-1,"methodName":"A.a()","unknown":[{"x":1}]}';
		const line = `{ "optimizationTree" : {"optimizations":[ {"k":1.0,"eventName":"E","k":2, "optimizationName":"O"} , {"optimizations":null,"phaseName":"P"}],"phaseName":"RootPhase"}, ${tree} }`;
		const { inlining, optimization } = reader.read(encode(line));
		expect(inlining).toMatchObject({ methodName: 'A.a()', bci: -1, inlined: true, reasons: [], children: [] });
		expect(optimization).toEqual({
			kind: 'phase',
			name: 'RootPhase',
			children: [
				{ kind: 'optimization', name: 'O', event: 'E', position: { methodNames: [], bcis: [] }, properties: [{ key: 'k', value: 2 }] },
				{ kind: 'phase', name: 'P', children: [] },
			],
		});
	});

	test.each([
		['{"inliningTree":{},"optimizationTree":{}}', /expected a 32-bit integer as callsiteBci, found nothing/],
		['{"optimizationTree":{}}', /expected an object as inliningTree, found null/],
		['[]', /expected an object as the line, found a list/],
		['{"inliningTree":', /the text ends/],
		['{"a":1}x', /expected the end of the object, found "x"/],
		['{"a":1e5}', /integer with an exponent/],
		['{"a":123456789012345678901}', /does not fit 64 bits/],
		['{"a":01}', /expected '}', found "1}"/],
		['{"a":[1,]}', /expected a value, found "\]}"/],
		['{"a":"\\x"}', /expected an escape sequence/],
	])('%s is refused with the reason', (line, message) => {
		expect(() => new TreeReader().read(encode(line))).toThrow(TreeReadError);
		expect(() => new TreeReader().read(encode(line))).toThrow(message);
	});

	test('may be nested 5,000 deep, and are refused beyond', () => {
		const nested = (depth: number): Uint8Array => {
			const phases = `${'{"phaseName":"P","optimizations":['.repeat(depth)}{"phaseName":"Q","optimizations":[]}${']}'.repeat(depth)}`;
			const node = '{"methodName":"A.a()","callsiteBci":1,"inlined":true,"reason":null,"indirect":false,"alive":false';
			const calls = `${`${node},"invokes":[`.repeat(depth)}${node}}${']}'.repeat(depth)}`;
			return encode(`{"methodName":"A.a()","compilationId":"1","inliningTree":${calls},"optimizationTree":${phases}}`);
		};
		for (const trees of [new TreeReader().read(nested(5000)), new TreeReader().readAnyForm(nested(5000))]) {
			let levels = 0;
			for (let call = trees.inlining; call.children[0] !== undefined; call = call.children[0]) {
				levels++;
			}
			expect(levels).toBe(5000);
		}
		for (const depth of [5001, 100_000]) {
			expect(() => new TreeReader().read(nested(depth))).toThrow(/nested at most 5000 deep/);
		}
		const depth = 100_000;
		const lists = encode(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`);
		expect(() => new TreeReader().read(lists)).toThrow(TreeReadError);
	});
});

describe('the units of a log', () => {
	const unitLine = (name: string, id: string): string => `{"methodName":${JSON.stringify(name)},"compilationId":"${id}","inliningTree":{}}`;

	test.each([1, 2, 7, 100, 1 << 20])('are the same in chunks of %d bytes', (chunkBytes) => {
		for (const name of ['simple', 'mixed', 'crlf', 'utf8', 'dup', 'truncated', 'multi']) {
			const file = path.join(GRAAL_FIXTURES, 'inputs', 'edge', name, '0_1');
			const source = memorySource('0_1', fs.readFileSync(file));
			expect(scanOptimizationLog(source, { chunkBytes })).toEqual(scanOptimizationLog(source));
		}
	});

	test('are told by the short way where both fields come first, and by the plain one', () => {
		const head = (line: string): unknown[] =>
			(['readUsualForm', 'readAnyForm'] as const).map((way) => {
				const reader = new UnitHeadReader();
				const bytes = encode(`x${line}x`);
				const outcome = reader[way](bytes, 1, bytes.length - 1);
				return outcome === true || outcome === reader ? [reader.fullName, reader.compileId] : null;
			});
		const both = (name: string, id: string): unknown[] => [
			[name, id],
			[name, id],
		];
		expect(head(unitLine('A.a()', '7'))).toEqual(both('A.a()', '7'));
		expect(head(unitLine('', ''))).toEqual(both('', ''));
		expect(head(unitLine('a b ~ \u00e9', '1'))).toEqual(both('a b ~ \u00e9', '1'));
		for (const [line, name] of [
			[unitLine('a\\b', '1'), 'a\\b'],
			[unitLine('a\u0001', '1'), 'a\u0001'],
			['{"methodName": "A","compilationId":"1"}', 'A'],
			['{"methodName":"A", "compilationId":"1"}', 'A'],
			['{"x":{},"methodName":"A","compilationId":"1"}', 'A'],
		] as const) {
			expect(head(line), line).toEqual([null, [name, '1']]);
		}
		for (const line of ['{"methodName":"A', '{"methodName":"A"', '{"methodName":"A","compilationId":"1', '{"methodName":"A","compilationId":1}', '{', 'x']) {
			expect(head(line), line).toEqual([null, null]);
		}
	});

	test('do not depend on how much a read gives', () => {
		const bytes = fs.readFileSync(path.join(GRAAL_FIXTURES, 'inputs', 'edge', 'mixed', '0_1'));
		const whole = memorySource('0_1', bytes);
		const piecemeal: Source = { ...whole, read: (target, offset, length, position) => whole.read(target, offset, Math.min(length, 13), position) };
		expect(scanOptimizationLog(piecemeal)).toEqual(scanOptimizationLog(whole));
	});

	test('have the byte ranges of their lines, whatever ends the lines', () => {
		const end = fc.constantFrom('\n', '\r\n', '\r');
		fc.assert(
			fc.property(
				fc.array(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 20 }), end), { maxLength: 8 }),
				fc.integer({ min: 1, max: 300 }),
				(lines, chunkBytes) => {
					const bytes = encode(lines.map(([name, lineEnd], index) => unitLine(name, String(index)) + lineEnd).join(''));
					const { units, problems } = scanOptimizationLog(memorySource('log', bytes), { chunkBytes });
					expect(problems).toEqual([]);
					expect(units.map((unit) => unit.fullName)).toEqual(lines.map(([name]) => name));
					expect(units.map((unit) => Buffer.from(bytes.subarray(unit.startByte, unit.endByte)).toString())).toEqual(
						lines.map(([name], index) => unitLine(name, String(index))),
					);
				},
			),
		);
	});

	test('and problems account for every line', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
				const { units, problems } = scanOptimizationLog(memorySource('log', bytes), { chunkBytes: 50 });
				const lines = Buffer.from(bytes)
					.toString('latin1')
					.split(/\r\n|\n|\r/);
				const lineCount = lines.length - (lines[lines.length - 1] === '' ? 1 : 0);
				expect(units.length + problems.length).toBe(lineCount);
			}),
		);
	});

	test('survive truncation at any byte and flipped bits', () => {
		const bytes = fs.readFileSync(path.join(GRAAL_FIXTURES, 'inputs', 'edge', 'devirt', '0_1'));
		const reader = new TreeReader();
		const readAll = (damaged: Uint8Array): void => {
			for (const unit of scanOptimizationLog(memorySource('log', damaged)).units) {
				try {
					reader.read(damaged.subarray(unit.startByte, unit.endByte));
				} catch (error) {
					expect(error).toBeInstanceOf(TreeReadError);
				}
			}
		};
		for (let length = 0; length <= bytes.length; length++) {
			readAll(bytes.subarray(0, length));
		}
		for (let bit = 0; bit < bytes.length * 8; bit++) {
			const damaged = Uint8Array.from(bytes);
			damaged[bit >> 3] = damaged[bit >> 3]! ^ (1 << (bit & 7));
			readAll(damaged);
		}
	});

	test('a line of 100 MB, with its fields first and last', () => {
		const filler = `"filler":"${'x'.repeat(100_000_000)}"`;
		const first = scanOptimizationLog(memorySource('log', encode(`{"methodName":"a()","compilationId":"1",${filler}}\n${unitLine('b()', '2')}\n`)));
		expect(first.units.map((unit) => unit.fullName)).toEqual(['a()', 'b()']);
		const last = scanOptimizationLog(memorySource('log', encode(`{${filler},"methodName":"a()","compilationId":"1"}\n${unitLine('b()', '2')}\n`)));
		expect(last.units.map((unit) => unit.fullName)).toEqual(['a()', 'b()']);
	});

	test('a line that nests 100,000 deep before its fields', () => {
		const nested = `{"x":${'{"x":'.repeat(100_000)}1${'}'.repeat(100_000)},"methodName":"a()","compilationId":"1"}`;
		expect(scanOptimizationLog(memorySource('log', encode(nested))).units.map((unit) => unit.fullName)).toEqual(['a()']);
	});

	test('problems say where and what was expected', () => {
		const text = `${unitLine('a()', '1')}\n\nnot json\n{"methodName":"x()"}\n{"compilationId":8,"methodName":"y()"}\n{"methodName":"z(`;
		const { problems } = scanOptimizationLog(memorySource('dir/0_1', encode(text)));
		expect(problems.map(({ file, line, message }) => `${file}:${line} ${message}`)).toEqual([
			"dir/0_1:2 this line is no compilation unit: expected '{', but the text ends",
			`dir/0_1:3 this line is no compilation unit: expected '{', found "not json"`,
			'dir/0_1:4 this line is no compilation unit: expected a string as compilationId, found none',
			'dir/0_1:5 this line is no compilation unit: expected a string as compilationId, found 8',
			'dir/0_1:6 this line is no compilation unit: expected a closing quote, but the text ends',
		]);
	});

	test('a log that was printed among the output of the program', () => {
		const first = unitLine('a()', '1');
		const second = unitLine('b(int)', '2');
		const text = `hello\n${first}\n\n{"not": "a unit"}\r\n42 % done ${second}\r\n${'x'.repeat(200)}${first}\nbye`;
		const bytes = encode(text);
		for (const chunkBytes of [7, 64, 1 << 16]) {
			const { units, problems } = scanOptimizationLog(memorySource('out.txt', bytes), { chunkBytes, isOutput: true });
			expect(units.map(({ fullName, line }) => [fullName, line])).toEqual([
				['a()', 2],
				['b(int)', 5],
				['a()', 6],
			]);
			expect(units.map(({ startByte, endByte }) => Buffer.from(bytes.subarray(startByte, endByte)).toString())).toEqual([first, second, first]);
			expect(problems.map(formatProblem)).toEqual([
				'out.txt:4 (byte ' +
					String(text.indexOf('{"not"')) +
					'): this line is no compilation unit: expected a string as methodName, found none; the line is skipped',
				'out.txt:1: 3 lines from this one on are no compilation units (output of the program?); they are skipped',
			]);
		}
		const alone = scanOptimizationLog(memorySource('out.txt', encode(`hello\n${first}\n`)), { isOutput: true });
		expect(alone.problems.map(formatProblem)).toEqual(['out.txt:1: this line is no compilation unit (output of the program?); it is skipped']);
	});
});
