/** What each member of a line becomes, and what is said of one that is wrong: the same by both ways to read it. */
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import type { CompilationTrees } from '../../model/compilation.js';
import { isGraalOptimizationLog } from './detect.js';
import { splitMultiMethodName } from './multi-method.js';
import { TreeReader } from './read-trees.js';
import { scanOptimizationLog } from './scan.js';
import { TreeReadError } from './trees-of-json.js';

const INLINING = '{"methodName":"A.a()","callsiteBci":-1,"inlined":true,"indirect":false,"alive":false}';
const PHASE = '{"phaseName":"P","optimizations":[]}';

const line = (inlining: string, optimization = PHASE): Uint8Array => Buffer.from(`{"inliningTree":${inlining},"optimizationTree":${optimization}}`);

/** By both ways, which have to agree. */
function read(inlining: string, optimization = PHASE): CompilationTrees {
	const reader = new TreeReader();
	const bytes = line(inlining, optimization);
	const usual = reader.readUsualForm(bytes);
	expect(usual).toEqual(reader.readAnyForm(bytes));
	return reader.read(bytes);
}

/** Why a line is refused. */
function refusal(inlining: string, optimization = PHASE): string {
	const bytes = line(inlining, optimization);
	expect(() => new TreeReader().read(bytes)).toThrow(TreeReadError);
	try {
		new TreeReader().readAnyForm(bytes);
	} catch (error) {
		return (error as Error).message;
	}
	return 'it is read';
}

describe('calls', () => {
	test('have their place, how they were decided, and the calls inside of them', () => {
		const call = (name: string, bci: number, more: string): string =>
			`{"methodName":${name},"callsiteBci":${bci},"inlined":false,"reason":["too big","not hot"],"indirect":true,"alive":true${more}}`;
		const tree = INLINING.replace('}', `,"invokes":[${call('"B.b(int)"', 7, `,"invokes":[${call('null', 0, '')}]`)},${call('"C.c()"', 2147483647, '')}]}`);
		const decided = { inlined: false, indirect: true, alive: true, reasons: ['too big', 'not hot'], receiverTypes: null };
		expect(read(tree).inlining).toEqual({
			methodName: 'A.a()',
			bci: -1,
			inlined: true,
			indirect: false,
			alive: false,
			reasons: [],
			receiverTypes: null,
			children: [
				{ ...decided, methodName: 'B.b(int)', bci: 7, children: [{ ...decided, methodName: null, bci: 0, children: [] }] },
				{ ...decided, methodName: 'C.c()', bci: 2147483647, children: [] },
			],
		});
	});

	test('members behind the inner calls belong to the outer one', () => {
		const inner = INLINING.replace('A.a', 'B.b');
		const { inlining } = read(`{"methodName":"A.a()","callsiteBci":3,"invokes":[${inner}],"inlined":true,"reason":null,"indirect":true,"alive":true}`);
		expect(inlining).toMatchObject({ methodName: 'A.a()', bci: 3, indirect: true, alive: true, reasons: [] });
		expect(inlining.children).toMatchObject([{ methodName: 'B.b()', indirect: false, alive: false }]);
	});

	test('receivers have their types, probabilities and methods', () => {
		const types =
			'{"typeName":"X","probability":0.75,"concreteMethodName":"X.f()"},{"typeName":"Y","probability":1},{"typeName":"Z","probability":0,"concreteMethodName":null}';
		const profile = (mature: boolean, list: string): string => INLINING.replace('}', `,"receiverTypeProfile":{"mature":${mature},"profiledTypes":${list}}}`);
		expect(read(profile(true, `[${types}]`)).inlining.receiverTypes).toEqual({
			mature: true,
			types: [
				{ typeName: 'X', probability: 0.75, methodName: 'X.f()' },
				{ typeName: 'Y', probability: 1, methodName: null },
				{ typeName: 'Z', probability: 0, methodName: null },
			],
		});
		expect(read(profile(false, 'null')).inlining.receiverTypes).toEqual({ mature: false, types: [] });
		expect(read(INLINING.replace('}', ',"receiverTypeProfile":null}')).inlining.receiverTypes).toBeNull();
	});

	test.each([
		['"callsiteBci":-1', '"callsiteBci":2147483648', 'expected a 32-bit integer as callsiteBci, found 2147483648'],
		['"callsiteBci":-1', '"callsiteBci":-2147483649', 'expected a 32-bit integer as callsiteBci, found -2147483649'],
		['"callsiteBci":-1', '"callsiteBci":1.5', 'expected a 32-bit integer as callsiteBci, found 1.5'],
		['"callsiteBci":-1', '"callsiteBci":9007199254740993', 'expected a 32-bit integer as callsiteBci, found "9007199254740993"'],
		['"callsiteBci":-1', '"callsiteBci":null', 'expected a 32-bit integer as callsiteBci, found null'],
		['"inlined":true', '"inlined":"true"', 'expected true or false as inlined, found "true"'],
		['"alive":false', '"alive":null', 'expected true or false as alive, found null'],
		['"indirect":false', '"indirect":[]', 'expected true or false as indirect, found a list'],
		['"A.a()"', '7', 'expected a string as methodName, found 7'],
		['"A.a()"', '"A.a%%key"', `expected '(' after the multi-method key in the method name "A.a%%key"`],
		['"alive":false', '"alive":false,"reason":"hot"', 'expected a list as reason, found "hot"'],
		['"alive":false', '"alive":false,"reason":[1]', 'expected a string as an item of reason, found 1'],
		['"alive":false', '"alive":false,"invokes":{}', 'expected a list as invokes, found an object'],
		['"alive":false', '"alive":false,"invokes":[7]', 'expected an object as an item of invokes, found 7'],
		['"alive":false', '"alive":false,"receiverTypeProfile":[]', 'expected an object as receiverTypeProfile, found a list'],
		['"alive":false', '"alive":false,"receiverTypeProfile":{"profiledTypes":[]}', 'expected true or false as mature, found nothing'],
		['"alive":false', '"alive":false,"receiverTypeProfile":{"mature":true,"profiledTypes":[{}]}', 'expected a string as typeName, found nothing'],
		[
			'"alive":false',
			'"alive":false,"receiverTypeProfile":{"mature":true,"profiledTypes":[{"typeName":"X","probability":"1"}]}',
			'expected a number as probability, found "1"',
		],
	])('%s as %s is refused', (usual, wrong, message) => {
		expect(refusal(INLINING.replace(usual, wrong))).toBe(message);
	});

	test('a list of inner calls or of reasons may be empty', () => {
		expect(new TreeReader().read(line(INLINING.replace('}', ',"invokes":[],"reason":[]}'))).inlining).toMatchObject({ children: [], reasons: [] });
	});
});

describe('optimizations', () => {
	const phase = (...children: string[]): string => `{"phaseName":"P","optimizations":[${children.join(',')}]}`;

	test('have their event, their place and their properties, in phases that may hold others', () => {
		const one =
			'{"optimizationName":"O","eventName":"E","position":{"A.a()":3,"B.b%%key(int)":-1},"count":7,"big":9007199254740993,"list":[1,null],"map":{"a":1},"no":false}';
		const tree = phase(one, '{"phaseName":"Q","optimizations":[{"optimizationName":"R","eventName":"S","position":null}]}', PHASE.replace('P', 'T'));
		expect(read(INLINING, tree).optimization).toEqual({
			kind: 'phase',
			name: 'P',
			children: [
				{
					kind: 'optimization',
					name: 'O',
					event: 'E',
					position: { methodNames: ['A.a()', 'B.b(int)'], bcis: [3, -1] },
					properties: [
						{ key: 'count', value: 7 },
						{ key: 'big', value: 9007199254740993n },
						{ key: 'list', value: [1, null] },
						{ key: 'map', value: new Map([['a', 1]]) },
						{ key: 'no', value: false },
					],
				},
				{
					kind: 'phase',
					name: 'Q',
					children: [{ kind: 'optimization', name: 'R', event: 'S', position: { methodNames: [], bcis: [] }, properties: [] }],
				},
				{ kind: 'phase', name: 'T', children: [] },
			],
		});
	});

	test('members of an optimization may come in any order; those of a call are properties here', () => {
		const { optimization } = read(INLINING, phase('{"eventName":"E","callsiteBci":5,"position":{},"optimizationName":"O","inlined":true}'));
		const properties = [
			{ key: 'callsiteBci', value: 5 },
			{ key: 'inlined', value: true },
		];
		expect(optimization.children).toEqual([{ kind: 'optimization', name: 'O', event: 'E', position: { methodNames: [], bcis: [] }, properties }]);
	});

	test('positions that differ in the multi-method key only are two', () => {
		const tree = phase('{"optimizationName":"O","eventName":"E","position":{"A.a%%x()":1,"A.a%%y()":2}}');
		expect(new TreeReader().read(line(INLINING, tree)).optimization.children).toMatchObject([{ position: { methodNames: ['A.a()', 'A.a()'], bcis: [1, 2] } }]);
	});

	test.each([
		['{"phaseName":7}', 'expected a string as phaseName, found 7'],
		['{"optimizations":[]}', 'expected a string as phaseName, found nothing'],
		['{"phaseName":"P","optimizations":{}}', 'expected a list as optimizations, found an object'],
		[phase('1'), 'expected an object as an item of optimizations, found 1'],
		[phase('{"optimizationName":"O"}'), 'expected a string as eventName, found nothing'],
		[phase('{"eventName":"E"}'), 'expected a string as optimizationName, found nothing'],
		[phase('{"optimizationName":"O","eventName":"E","position":[]}'), 'expected an object as position, found a list'],
		[phase('{"optimizationName":"O","eventName":"E","position":{"A.a()":"1"}}'), 'expected a 32-bit integer as a bytecode index of position, found "1"'],
		[phase('{"optimizationName":"O","eventName":"E","position":{"A.a%%x":1}}'), `expected '(' after the multi-method key in the method name "A.a%%x"`],
	])('%s is refused', (tree, message) => {
		expect(refusal(INLINING, tree)).toBe(message);
	});

	test('a long value is shown shortened', () => {
		expect(refusal(INLINING.replace('"inlined":true', `"inlined":"${'x'.repeat(200)}"`))).toBe(`expected true or false as inlined, found "${'x'.repeat(79)}`);
	});

	test('what is wrong with the text is said with its place', () => {
		const reader = new TreeReader();
		try {
			reader.read(Buffer.from('{"a":1}x'));
			expect.unreachable();
		} catch (error) {
			expect(error).toMatchObject({ message: 'expected the end of the object, found "x"', offset: 7 });
		}
	});
});

describe('lines', () => {
	const unit = (name: string, id = '1'): string => `{"methodName":"${name}","compilationId":"${id}"}`;
	const scan = (text: string, chunkBytes?: number) =>
		scanOptimizationLog(memorySource('log', Buffer.from(text)), chunkBytes === undefined ? {} : { chunkBytes });

	test('have numbers, places, and how many ended as on Windows before them', () => {
		const { units, problems } = scan(`${unit('a')}\r\n${unit('b', '22')}\n${unit('c')}\r${unit('d')}\r\n${unit('e')}`);
		const length = unit('a').length;
		expect(problems).toEqual([]);
		expect(units).toEqual([
			{ fullName: 'a', compileId: '1', line: 1, crlfBefore: 0, startByte: 0, endByte: length },
			{ fullName: 'b', compileId: '22', line: 2, crlfBefore: 1, startByte: length + 2, endByte: 2 * length + 3 },
			{ fullName: 'c', compileId: '1', line: 3, crlfBefore: 1, startByte: 2 * length + 4, endByte: 3 * length + 4 },
			{ fullName: 'd', compileId: '1', line: 4, crlfBefore: 1, startByte: 3 * length + 5, endByte: 4 * length + 5 },
			{ fullName: 'e', compileId: '1', line: 5, crlfBefore: 2, startByte: 4 * length + 7, endByte: 5 * length + 7 },
		]);
	});

	test.each([1, 37, 38, 39, 40, 41])('are the same in chunks of %i bytes, also where these end between \\r and \\n', (chunkBytes) => {
		const text = `${unit('a')}\r\n${unit('b')}\r\n\r\n${unit('c')}\r${unit('d')}\n`;
		const parts = scan(text, chunkBytes);
		expect(parts).toEqual(scan(text));
		expect(parts.units.map(({ crlfBefore }) => crlfBefore)).toEqual([0, 1, 3, 3]);
		expect(parts.problems).toMatchObject([{ line: 3 }]);
	});

	test('an empty line at the start of a chunk is one, whatever ended the lines before', () => {
		const first = `${unit('a')}\r${unit('b')}\n`;
		expect(scan(`${first}\n${unit('c')}`, first.length)).toMatchObject({ units: [{ line: 1 }, { line: 2 }, { line: 4 }], problems: [{ line: 3 }] });
	});

	test('whose fields come late are read as far as it takes', () => {
		for (const filler of [4000, 4096, 5000, 40_000]) {
			const late = `{"filler":"${'x'.repeat(filler)}","methodName":"a","compilationId":"1"}`;
			expect(scan(`${late}\n${unit('b')}`, 100).units.map(({ fullName, endByte }) => [fullName, endByte])).toEqual([
				['a', late.length],
				['b', late.length + 1 + unit('b').length],
			]);
		}
	});

	test('that are none are skipped with the place of the fault, and whether Graal’s own tools stop there', () => {
		const { units, problems } = scan(`${unit('a')}\n{"x":1,"y":tru}\n{"x":123456789012345678901}\n{"methodName":"b","compilationId":["c"]}\n${unit('d')}`);
		const start = unit('a').length + 1;
		expect(units.map(({ fullName, line: number }) => [fullName, number])).toEqual([
			['a', 1],
			['d', 5],
		]);
		expect(problems).toEqual([
			{
				severity: 'warning',
				file: 'log',
				line: 2,
				offsetBytes: start + '{"x":1,"y":'.length,
				message: expect.stringContaining('this line is no compilation unit: expected '),
				action: 'the line is skipped',
				isFatalToReference: false,
			},
			expect.objectContaining({ line: 3, offsetBytes: start + 16 + '{"x":'.length, isFatalToReference: true }),
			expect.objectContaining({
				line: 4,
				offsetBytes: start + 16 + 28,
				message: 'this line is no compilation unit: expected a string as compilationId, found a list',
				isFatalToReference: false,
			}),
		]);
	});

	test.each([
		['{}', 'expected a string as methodName, found none'],
		['{"methodName":null,"compilationId":"1"}', 'expected a string as methodName, found null'],
		['{"methodName":{},"compilationId":"1"}', 'expected a string as methodName, found an object'],
		['{"methodName":1.5,"compilationId":"1"}', 'expected a string as methodName, found a number'],
		['{"methodName":true,"compilationId":"1"}', 'expected a string as methodName, found true'],
	])('%s is no unit', (text, message) => {
		expect(scan(text).problems.map((problem) => problem.message)).toEqual([`this line is no compilation unit: ${message}`]);
	});
});

test('names are split at the multi-method key, which ends at the last bracket', () => {
	expect(splitMultiMethodName('A.a(int)')).toEqual({ methodName: 'A.a(int)', key: null });
	expect(splitMultiMethodName('A.a%%key(int)')).toEqual({ methodName: 'A.a(int)', key: 'key' });
	expect(splitMultiMethodName('A.a%%k(x)e(int)')).toEqual({ methodName: 'A.a(int)', key: 'k(x)e' });
	expect(splitMultiMethodName('A.a%%(int)')).toEqual({ methodName: 'A.a(int)', key: '' });
	expect(splitMultiMethodName('A.a%%key')).toBeNull();
	expect(splitMultiMethodName('A(.a%%key')).toBeNull();
});

test('a log is known by the head of any of its lines', () => {
	expect(isGraalOptimizationLog('{"methodName":"A.a()","compilationId":"1","inliningTree":')).toBe(true);
	expect(isGraalOptimizationLog('\n  \n { "compilationId" : "1" , "methodName" : "a\\"b" ,')).toBe(true);
	expect(isGraalOptimizationLog('damaged\n{"methodName":"","compilationId":')).toBe(true);
	for (const other of [
		'',
		'\n\n',
		'x {"methodName":"A","compilationId":"1"}',
		'{"methodName":"A"',
		'{"methodName":"A","other":"1"}',
		'{"methodName":1,"compilationId":"1"}',
		'{"methodName":"A\n","compilationId":"1"}',
		'["methodName":"A","compilationId":"1"]',
	]) {
		expect(isGraalOptimizationLog(other), other).toBe(false);
	}
});
