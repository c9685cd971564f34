import { expect, test } from 'vitest';
import { memorySource } from '../bytes/source.js';
import { readYamlRemarks } from '../formats/llvm-remarks/read-yaml.js';
import { type FunctionStarts, functionAt, functionStarts, shareFunctionStarts } from './function-starts.js';

const starts = (functions: Record<string, number>): FunctionStarts => ({
	files: new Map([['a.c', new Map(Object.entries(functions))]]),
	heads: new Map(),
	sorted: new Map(),
});

test('a line belongs to the function that begins before it', () => {
	const one = starts({ g: 20, f: 10 });
	expect(functionAt(one, 'a.c', 9)).toBeNull();
	expect(functionAt(one, 'a.c', 19)).toEqual({ symbol: 'f', line: 9 });
	expect(functionAt(one, 'a.c', 20)).toEqual({ symbol: 'g', line: 0 });
	expect(functionAt(one, 'b.c', 20)).toBeNull();
});

test('a function that only the other build tells of is where its neighbours lie', () => {
	const a = starts({ f: 10, h: 30, k: 50 });
	const b = starts({ f: 13, g: 23, h: 33, i: 40, k: 51 });
	expect(functionAt(a, 'a.c', 25)).toEqual({ symbol: 'f', line: 15 });
	shareFunctionStarts([a, b]);
	expect(functionAt(a, 'a.c', 25)).toEqual({ symbol: 'g', line: 5 });
	// Between h and k something changed: nobody knows where i lies.
	expect(functionAt(a, 'a.c', 40)).toEqual({ symbol: 'h', line: 10 });
	expect([...b.files.get('a.c')!.keys()]).toEqual(['f', 'g', 'h', 'i', 'k']);
});

test('at the ends of a file one neighbour is enough', () => {
	const a = starts({ f: 10 });
	shareFunctionStarts([a, starts({ e: 5, f: 11, g: 20 })]);
	expect(functionAt(a, 'a.c', 5)).toEqual({ symbol: 'e', line: 1 });
	expect(functionAt(a, 'a.c', 19)).toEqual({ symbol: 'g', line: 0 });
});

const remarks = (text: string): FunctionStarts => functionStarts(readYamlRemarks(memorySource('a.opt.yaml', Buffer.from(text))).remarks);
const REFUSED = `--- !Missed
Pass:            inline
Name:            TooCostly
DebugLoc:        { File: 'a.c', Line: 14, Column: 3 }
Function:        f
Args:
  - Callee:          g
  - String:          ' not inlined into '
  - Caller:          f
    DebugLoc:        { File: 'a.c', Line: 12, Column: 0 }
...
`;
const INLINED = `--- !Passed
Pass:            inline
Name:            Inlined
DebugLoc:        { File: 'a.c', Line: 16, Column: 3 }
Function:        f
Args:
  - Callee:          h
  - String:          ' inlined into '
  - Caller:          f
    DebugLoc:        { File: 'a.c', Line: 12, Column: 0 }
  - String:          ' at callsite '
  - String:          f
  - String:          ':'
  - Line:            '6'
  - String:          ':'
  - Column:          '3'
  - String:          ';'
...
`;

test('lines count from the name, as in call sites, not from the brace where remarks place functions', () => {
	expect(functionAt(remarks(REFUSED), 'a.c', 14)).toEqual({ symbol: 'f', line: 2 });
	expect(functionAt(remarks(REFUSED + INLINED), 'a.c', 14)).toEqual({ symbol: 'f', line: 4 });
});

test('a build in which nothing was inlined into a function has from the other how long its head is', () => {
	const a = remarks(REFUSED);
	shareFunctionStarts([a, remarks(INLINED)]);
	expect(functionAt(a, 'a.c', 14)).toEqual({ symbol: 'f', line: 4 });
});
