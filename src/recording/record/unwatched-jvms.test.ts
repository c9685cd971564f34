import { expect, test } from 'vitest';
import { type MappedCode, SamplesBuilder } from '../../model/samples.js';
import { unwatchedJvms } from './unwatched-jvms.js';

const mapped = (name: string): MappedCode[] => [{ name, start: 0, end: 4096, offset: 0, buildId: null }];

test('JVMs of which only samples are there; no other programs, nor JVMs with next to none', () => {
	const builder = new SamplesBuilder();
	const place = builder.placeNumber('/x', () => ({ symbol: null, library: '/x' }));
	const add = (processId: number, count: number): void => {
		for (let i = 0; i < count; i++) {
			builder.add(1, 1n, builder.eventNumber('cpu-clock'), place, processId);
		}
	};
	add(7, 20);
	add(8, 300);
	add(9, 2);
	add(10, 100);
	const java = mapped('/opt/jdk/lib/server/libjvm.so');
	const sampled = {
		samples: builder.build(),
		mappedCode: new Map([
			[7, java],
			[8, java],
			[9, java],
			[10, mapped('/usr/bin/gcc')],
		]),
	};
	expect(unwatchedJvms(sampled, new Set([7]))).toEqual([{ processId: 8, samples: 300 }]);
	expect(unwatchedJvms(sampled, new Set([7, 8]))).toEqual([]);
	// In a container the logs number processes otherwise.
	expect(unwatchedJvms(sampled, new Set([1]))).toEqual([]);
});
