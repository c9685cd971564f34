/** Several processes of one program: whose samples are moved, where to, and their stacks. */
import { expect, test } from 'vitest';
import { type MappedCode, NO_DETAILS, type SampleDetails, type Samples, SamplesBuilder } from '../model/samples.js';
import { asOneProcess } from './same-program.js';

const file = (name: string, start: number, more: Partial<MappedCode> = {}): MappedCode => ({
	name,
	start,
	end: start + 0x1000,
	offset: 0x100,
	buildId: name,
	...more,
});
const FIRST = [file('/bin/app', 0x5000_0000), file('/lib/c.so', 0x7f00_0000), file('[vdso]', 0x7fff_0000)];
const SECOND = [file('/bin/app', 0x5500_0000), file('/lib/c.so', 0x7e00_0000), file('/lib/own.so', 0x7d00_0000)];
const OTHER = [file('/bin/sh', 0x5000_0000), file('/lib/c.so', 0x7f00_0000)];

function samplesOf(rows: readonly (readonly [process: number, address: number])[]): Samples {
	const builder = new SamplesBuilder();
	const event = builder.eventNumber('cpu-clock');
	const place = builder.placeNumber('x', () => ({ symbol: 'x', library: null }));
	for (const [process, address] of rows) {
		builder.add(0, BigInt(address), event, place, process);
	}
	return builder.build();
}

const merged = (rows: readonly (readonly [number, number])[], details: Partial<SampleDetails> = {}) => {
	const mappedCode = new Map([
		[1, FIRST],
		[2, SECOND],
		[3, OTHER],
	]);
	return asOneProcess({ ...NO_DETAILS, samples: samplesOf(rows), mappedCode, ...details }, 1, FIRST);
};
const rowsOf = ({ samples }: { samples: Samples }): [number, number][] => Array.from(samples.address, (address, i) => [samples.processId[i]!, Number(address)]);

test('addresses are moved to where the file lies in the first; the kernel is the same for all', () => {
	const { read, processes } = merged([
		[1, 0x5000_0010],
		[2, 0x5500_0010],
		[2, 0x7e00_0020],
		[2, -4096],
	]);
	expect([rowsOf(read), processes]).toEqual([
		[
			[1, 0x5000_0010],
			[1, 0x5000_0010],
			[1, 0x7f00_0020],
			[1, -4096],
		],
		2,
	]);
});

test('files that only lie in the others come to it, where there is room', () => {
	const { read, mappings } = merged([[2, 0x7d00_0030]]);
	expect(rowsOf(read)).toEqual([[1, 0x7d00_0030]]);
	expect(mappings.map(({ name }) => name)).toEqual(['/bin/app', '/lib/c.so', '[vdso]', '/lib/own.so']);
	const crowded = asOneProcess(
		{ ...NO_DETAILS, samples: samplesOf([[2, 0x7f00_0040]]), mappedCode: new Map([[2, [SECOND[0]!, file('/lib/own.so', 0x7f00_0000)]]]) },
		1,
		FIRST,
	);
	const added = crowded.mappings.at(-1)!;
	expect([added.name, added.start % 4096, added.end - added.start]).toEqual(['/lib/own.so', 0, 0x1000]);
	expect(FIRST.every(({ end }) => end <= added.start)).toBe(true);
	expect(rowsOf(crowded.read)).toEqual([[1, added.start + 0x40]]);
});

test('pieces of a file are told apart by where in the file they begin', () => {
	const own = [FIRST[0]!, file('/lib/c.so', 0x7f00_0000), file('/lib/c.so', 0x7f10_0000, { offset: 0x8000 })];
	const others = [SECOND[0]!, file('/lib/c.so', 0x7e00_0000, { offset: 0x8100 })];
	const { read } = asOneProcess({ ...NO_DETAILS, samples: samplesOf([[2, 0x7e00_0004]]), mappedCode: new Map([[2, others]]) }, 1, own);
	expect(rowsOf(read)).toEqual([[1, 0x7f10_0104]]);
});

test('other programs stay, another build of it, and what lies in no file', () => {
	const rows: [number, number][] = [
		[1, 0x5000_0010],
		[3, 0x5000_0010],
		[4, 0x5000_0010],
	];
	const { read, mappings, processes } = merged(rows);
	expect([rowsOf(read), mappings, processes]).toEqual([rows, FIRST, 1]);
	expect(rowsOf(merged([[2, 0x1234_0000]]).read)).toEqual([[2, 0x1234_0000]]);
	const rebuilt = new Map([[2, [file('/bin/app', 0x5500_0000, { buildId: 'other' })]]]);
	expect(asOneProcess({ ...NO_DETAILS, samples: samplesOf([[2, 0x5500_0010]]), mappedCode: rebuilt }, 1, FIRST).processes).toBe(1);
});

test('stacks are moved too; the return address of the last instruction of a file is its own', () => {
	const stacks = {
		of: Int32Array.of(1, 2, -1),
		parent: Int32Array.of(-1, 0, 0),
		place: Int32Array.of(0, 0, 0),
		address: Float64Array.of(0x5500_1000, 0x7f00_0008, 0x7e00_0008),
	};
	const rows: [number, number][] = [
		[1, 0x7f00_0008],
		[2, 0x7e00_0008],
		[2, -4096],
	];
	const { read } = merged(rows, { stacks, unwound: { ...stacks, copiedBytes: 8 } });
	const chains = [0, 1, 2].map((i) => {
		const result: number[] = [];
		for (let node = read.stacks?.of[i] ?? -1; node >= 0; node = read.stacks?.parent[node] ?? -1) {
			result.push(read.stacks?.address[node] ?? Number.NaN);
		}
		return result;
	});
	expect(chains).toEqual([[0x7f00_0008, 0x5500_1000], [0x7f00_0008, 0x5000_1000], []]);
	expect([read.unwound?.copiedBytes, read.unwound?.of.length]).toEqual([8, 3]);
});
