/** Samples and their stacks, collected row by row. */
import { describe, expect, test } from 'vitest';
import { SampleStacksBuilder } from './sample-stacks-builder.js';
import { SamplesBuilder } from './samples.js';

describe('samples', () => {
	test('in columns; events and places once', () => {
		const builder = new SamplesBuilder();
		const [clock, cycles] = [builder.eventNumber('cpu-clock', ':u'), builder.eventNumber('cycles')];
		expect([builder.eventNumber('cpu-clock', ':pp'), clock, cycles]).toEqual([0, 0, 1]);
		const made: string[] = [];
		const place = (key: string) =>
			builder.placeNumber(key, (of) => {
				made.push(of);
				return { symbol: of, library: null };
			});
		expect([place('f'), place('g'), place('f')]).toEqual([0, 1, 0]);
		builder.add(1.5, 0x7f00_1234_5678_9abcn, clock, 0, 7);
		builder.add(2.5, -5n, cycles, 1);
		builder.addWords(3.5, -1, 0, clock, 1, 8);
		const samples = builder.build();
		expect([builder.size, samples.length, made]).toEqual([3, 3, ['f', 'g']]);
		expect([[...samples.timeSeconds], [...samples.address], [...samples.event], [...samples.place], [...samples.processId]]).toEqual([
			[1.5, 2.5, 3.5],
			[0x7f00_1234_5678_9abcn, -5n, 0xffff_ffffn],
			[0, 1, 0],
			[0, 1, 1],
			[7, -1, 8],
		]);
		expect([samples.events, samples.modifiers, samples.places.map(({ symbol }) => symbol)]).toEqual([
			['cpu-clock', 'cycles'],
			[':u', ''],
			['f', 'g'],
		]);
	});

	test('as many as there are', () => {
		const builder = new SamplesBuilder();
		for (let i = 0; i < 10_000; i++) {
			builder.add(i, BigInt(i) << 20n, i % 3, i % 5, i % 7);
		}
		const { length, timeSeconds, address, event, place, processId } = builder.build();
		expect([length, timeSeconds.length]).toEqual([10_000, 10_000]);
		expect([0, 4095, 4096, 8192, 9999].map((i) => [timeSeconds[i], address[i], event[i], place[i], processId[i]])).toEqual(
			[0, 4095, 4096, 8192, 9999].map((i) => [i, BigInt(i) << 20n, i % 3, i % 5, i % 7]),
		);
	});
});

describe('stacks', () => {
	test('share what they have in common from the outermost frame on', () => {
		const builder = new SampleStacksBuilder();
		const frame = (key: string) => builder.frameNumber(key, (of) => ({ place: of.charCodeAt(0), address: of === 'a' ? Number.NaN : of.charCodeAt(0) * 16 }));
		const [a, b, c] = [frame('a'), frame('b'), frame('c')];
		expect([a, b, c, frame('b')]).toEqual([0, 1, 2, 1]);
		builder.add([a, b]);
		builder.add([a, c]);
		builder.repeat();
		builder.add([]);
		builder.repeat();
		builder.add([b]);
		builder.add([a, b]);
		const stacks = builder.build()!;
		expect([[...stacks.of], [...stacks.parent], [...stacks.place], [...stacks.address]]).toEqual([
			[1, 2, 2, -1, -1, 3, 1],
			[-1, 0, 0, -1],
			[97, 98, 99, 98],
			[Number.NaN, 1568, 1584, 1568],
		]);
	});

	test('where no sample has one there are none', () => {
		const builder = new SampleStacksBuilder();
		builder.repeat();
		builder.add([]);
		expect(builder.build()).toBeNull();
	});
});
