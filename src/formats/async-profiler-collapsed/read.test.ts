import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isAsyncProfilerCollapsed, readAsyncProfilerCollapsed } from './read.js';

function read(text: string): ReturnType<typeof readAsyncProfilerCollapsed> {
	return readAsyncProfilerCollapsed(memorySource('cpu.collapsed', Buffer.from(text)));
}

test('the innermost frame and its address, a row for each sample', () => {
	const { samples, problems } = read(
		'Hot.main;Hot.collatz;0x7fe1f3ecc741 2\n' +
			'[main tid=7];Hot.main_[j];java/util/HashMap.get_[i];0x7fe1f3ecda66 1\n' +
			'start_thread;libjvm.so`Parse::merge(int, bool);0x7f2bcc433cd0 1\r\n' +
			'Hot.main;exc_page_fault_[k];0x7f2bb3ecd9ec 1\n' +
			'0x7fe20a85bb5d 1\n[main tid=7];0x10 1\n',
	);
	expect(problems).toEqual([]);
	expect(samples.events).toEqual(['samples']);
	expect([...samples.address]).toEqual([0x7fe1f3ecc741n, 0x7fe1f3ecc741n, 0x7fe1f3ecda66n, 0x7f2bcc433cd0n, 0n, 0x7fe20a85bb5dn, 0x10n]);
	expect([...samples.timeSeconds]).toEqual([0, 0, 0, 0, 0, 0, 0]);
	expect([...samples.place].map((place) => samples.places[place])).toEqual([
		{ symbol: 'Hot.collatz', library: null },
		{ symbol: 'Hot.collatz', library: null },
		{ symbol: 'java/util/HashMap.get', library: null },
		{ symbol: 'Parse::merge(int, bool)', library: 'libjvm.so' },
		{ symbol: 'exc_page_fault', library: '[kernel]' },
		{ symbol: null, library: null },
		{ symbol: null, library: null },
	]);
});

test('lines without an address are problems', () => {
	const { samples, problems } = read('Hot.main;0x10 1\nHot.main;Hot.collatz 7\n\nHot.main;0x10\n');
	expect(samples.length).toBe(1);
	expect(problems.map(({ line }) => line)).toEqual([2, 4]);
});

test('counts that are none of samples', () => {
	const { samples, problems } = read('Hot.main;0x10 90000000000\nHot.main;0x11 2\nHot.main;0x12 90000000000\n');
	expect(samples.length).toBe(2);
	expect(problems).toMatchObject([{ severity: 'error', action: '2 lines are left out; record without total' }]);
});

test('told from other text', () => {
	expect(isAsyncProfilerCollapsed('Hot.main;Hot.collatz;0x7fe1f3ecc741 1\r\nHot.main;0x7fe1f3ecc741 1\n')).toBe(true);
	expect(isAsyncProfilerCollapsed('Hot.main;Hot.collatz 1\nHot.main 2\n')).toBe(false);
	expect(isAsyncProfilerCollapsed('  1.0: cpu-clock:  10 f (/a)\n')).toBe(false);
	expect(isAsyncProfilerCollapsed('')).toBe(false);
});

test('a recording of async-profiler 4.0', () => {
	const text = gunzipSync(fs.readFileSync(path.resolve(import.meta.dirname, '../../../fixtures/jvm/async-profiler/cpu.collapsed.gz'))).toString('utf8');
	expect(isAsyncProfilerCollapsed(text)).toBe(true);
	const { samples, problems } = read(text);
	expect(problems).toEqual([]);
	const counts = text
		.trim()
		.split('\n')
		.map((line) => Number(/\d+$/.exec(line)?.[0]));
	expect(samples.length).toBe(counts.reduce((sum, count) => sum + count, 0));
	expect(new Set(samples.places.map(({ library }) => library))).toContain('libjvm.so');
});

test('threads and whole stacks, for those who ask', () => {
	const text = '[main tid=7];a.B.main;a.B.f_[j];0x10 2\n[main tid=7];a.B.main;0x20 1\n[tid=0];a.B.main;a.B.f_[j];0x10 1\n0x30 1\na.B.main;0x40 1\n';
	const { samples, threads, stacks, periods } = readAsyncProfilerCollapsed(memorySource('a', Buffer.from(text)), 'all');
	expect(threads).toEqual({
		of: Int32Array.of(0, 0, 0, 1, 2, 2),
		threads: [
			{ name: 'main', id: 7 },
			{ name: '', id: 0 },
			{ name: '', id: -1 },
		],
	});
	expect(stacks?.of).toEqual(Int32Array.of(1, 1, 0, 1, -1, 0));
	expect(stacks?.parent).toEqual(Int32Array.of(-1, 0));
	expect(Array.from(stacks?.place ?? [], (place) => samples.places[place]?.symbol)).toEqual(['a.B.main', 'a.B.f']);
	expect(stacks?.address).toEqual(Float64Array.of(Number.NaN, Number.NaN));
	expect(periods).toBeNull();
});

test('without threads and stacks there are none', () => {
	const wanted = (text: string) => readAsyncProfilerCollapsed(memorySource('a', Buffer.from(text)), 'all');
	expect(wanted('a.B.main;0x10 1\n')).toMatchObject({ threads: null, stacks: { of: Int32Array.of(0) } });
	expect(wanted('[main tid=7];0x10 1\n')).toMatchObject({ threads: { threads: [{ name: 'main', id: 7 }] }, stacks: null });
	expect(read('[main tid=7];a.B.main;0x10 1\n')).toMatchObject({ threads: null, stacks: null });
});

test('a count that alone is too large is left out', () => {
	const { samples, problems } = read('a.B.c;0x10 10000001\na.B.c;0x10 2\n  \n');
	expect(samples.length).toBe(2);
	expect(problems).toEqual([
		expect.objectContaining({
			file: 'cpu.collapsed',
			message: expect.stringContaining('more than 10000000 in all'),
			action: expect.stringMatching(/^1 lines/),
		}),
	]);
});

test.each([
	['libc.so`', { symbol: null, library: 'libc.so' }],
	['`f', { symbol: 'f', library: null }],
	['f_[0]', { symbol: 'f', library: null }],
	['f_[x]', { symbol: 'f_[x]', library: null }],
	['f_[j]x', { symbol: 'f_[j]x', library: null }],
	['[a tid=1', { symbol: '[a tid=1', library: null }],
	['[a tid=12]', { symbol: null, library: null }],
	['', { symbol: null, library: null }],
])('the innermost frame %j', (frame, place) => {
	expect(read(`x;${frame};0x10 1\n`).samples.places).toEqual([place]);
});

test('half of the lines have to be such', () => {
	expect(isAsyncProfilerCollapsed('a;0x10 1\n\n  \nother\n')).toBe(true);
	expect(isAsyncProfilerCollapsed('a;0x10 1\nother\nother\n')).toBe(false);
	expect(isAsyncProfilerCollapsed('a;0x10 1 x\nxa0x10 1\n')).toBe(false);
});
