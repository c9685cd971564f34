/** Libraries of which no stack shows for whom they work, because too little of it was copied. */
import { describe, expect, test } from 'vitest';
import type { HotReport, Region, ShallowStacks } from './hot-results.js';
import { nativeWork } from './native-work.js';

const region = (handle: string, source: string, samples: number, method = '(no symbol)'): Region =>
	({ handle, source, library: source, method, samples, heat: null }) as unknown as Region;
const reportOf = (parts: object): HotReport => parts as unknown as HotReport;
const CALLER = { method: 'a.B.get', bci: -1, line: null, compileId: null, callers: [] };
const REGIONS = [region('r1', 'libdb.so', 60), region('r2', 'libc.so.6', 20), region('r3', 'libdb.so', 10), region('r4', 'libjvm.so', 9)];

function found(unreached: Record<string, number>, known: Record<string, number> = {}) {
	const shallowStacks: ShallowStacks = { copiedBytes: 1024, unknown: new Map(), unreached: new Map(Object.entries(unreached)) };
	const libraryCallers = new Map(Object.entries(known).map(([library, samples]) => [library, { samples, rows: [{ ...CALLER, samples }] }]));
	return nativeWork(reportOf({ regions: REGIONS, libraryCallers, shallowStacks })).map(({ library, samples, caller, regions }) => [
		library,
		samples,
		caller?.method ?? null,
		...regions,
	]);
}

describe('what the copied part of stacks does not reach', () => {
	test('is told of the library with most of it, where it is more than half', () => {
		expect(found({ 'libdb.so': 36, 'libc.so.6': 20, 'libjvm.so': 9 })).toEqual([['libdb.so', 70, null, 'r1', 'r3']]);
		expect(found({ 'libdb.so': 35, 'libc.so.6': 20 })).toEqual([['libc.so.6', 20, null, 'r2']]);
		expect(found({ 'libdb.so': 35 })).toEqual([]);
	});

	test('beside those whose callers are known', () => {
		expect(found({ 'libdb.so': 1, 'libc.so.6': 20 }, { 'libdb.so': 69 })).toEqual([
			['libdb.so', 70, 'a.B.get', 'r1', 'r3'],
			['libc.so.6', 20, null, 'r2'],
		]);
	});

	test('is not told where nothing was copied', () => {
		expect(nativeWork(reportOf({ regions: REGIONS, libraryCallers: new Map() }))).toEqual([]);
	});
});

describe('of a native program', () => {
	const inLibrary = (handle: string, library: string, method: string, samples: number): Region =>
		({ handle, source: 'gcc', library: null, method, samples, heat: { code: { library, name: method } } }) as unknown as Region;
	const caller = (method: string, line: number, samples: number) => ({ method, bci: -1, line, compileId: method, samples });
	const regions = [
		inLibrary('r1', '/usr/lib/libc.so.6', 'malloc', 30),
		inLibrary('r2', '/usr/bin/app', 'main', 20),
		inLibrary('r3', '/usr/lib/libc.so.6', 'memmove', 10),
		region('r4', 'kernel', 12, '(clear_page_erms)'),
	];

	test("each of the runtime's libraries with the function that most of it is for, all its lines together", () => {
		const rows = [caller('parse', 7, 15), caller('print', 9, 14), caller('print', 4, 3), caller('parse', 8, 6)];
		const pages = { samples: 12, rows: [caller('parse', 7, 12)] };
		const libraryCallers = new Map([
			['libc.so.6', { samples: 38, rows }],
			['kernel', pages],
		]);
		const found = nativeWork(reportOf({ regions, libraryCallers, regionCallers: new Map([[regions[3], pages]]) }));
		expect(found).toEqual([
			{
				kind: 'runtime',
				library: 'libc.so.6',
				symbol: 'malloc',
				regions: ['r1', 'r3'],
				samples: 40,
				caller: { ...caller('parse', 7, 21) },
				share: 21 / 38,
				unknown: 0,
				unreached: 0,
			},
			expect.objectContaining({ kind: 'pages', library: 'kernel', samples: 12, share: 1 }),
		]);
	});

	test('the kernel with the function that most of it is for, of all its regions together, without clearing pages', () => {
		const inKernel = [region('r5', 'kernel', 9, '(vfs_read)'), region('r6', 'kernel', 8, '(do_syscall_64)')];
		const regionCallers = new Map([
			[regions[3], { samples: 12, rows: [caller('parse', 7, 12)] }],
			[inKernel[0], { samples: 9, rows: [{ ...caller('load', 3, 9), through: 'read' }] }],
			[
				inKernel[1],
				{
					samples: 7,
					rows: [
						{ ...caller('print', 4, 5), through: 'write' },
						{ ...caller('load', 5, 2), through: 'read' },
					],
				},
			],
		]);
		const found = nativeWork(reportOf({ regions: [...regions, ...inKernel], libraryCallers: new Map([['kernel', { samples: 0, rows: [] }]]), regionCallers }));
		expect(found.filter(({ kind }) => kind === 'kernel')).toEqual([
			{
				kind: 'kernel',
				library: 'kernel',
				symbol: '(vfs_read)',
				regions: ['r5', 'r6'],
				samples: 17,
				caller: { ...caller('load', 3, 11), through: 'read' },
				share: 11 / 16,
				unknown: 0,
				unreached: 0,
			},
		]);
	});
});
