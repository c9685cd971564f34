import { expect, test } from 'vitest';
import { codeMap } from '../model/code-map.js';
import { SamplesBuilder } from '../model/samples.js';
import { attributeSamples } from './attribute.js';
import { otherProcesses } from './other-processes.js';

test('processes that are not looked at, by their threads with most samples', () => {
	const builder = new SamplesBuilder();
	const rows: readonly (readonly [processId: number, thread: string])[] = [
		[7, 'node'],
		[8, 'tsc'],
		[8, 'tsc'],
		[8, 'worker'],
		[9, ''],
	];
	for (const [processId] of rows) {
		const place = builder.placeNumber('/opt/x', () => ({ symbol: null, library: '/opt/x' }));
		builder.add(1, 4096n, builder.eventNumber('cpu-clock'), place, processId);
	}
	const names = ['node', 'tsc', 'worker', ''];
	const threads = { of: Int32Array.from(rows, ([, name]) => names.indexOf(name)), threads: names.map((name, id) => ({ name, id })) };
	const window = { from: 0, to: Number.POSITIVE_INFINITY };
	const attribution = attributeSamples(builder.build(), codeMap([]), { event: 0, processId: 7, window, clock: null });
	expect(otherProcesses(attribution, threads)).toEqual([
		{ processId: 8, name: 'tsc (8)', samples: 3 },
		{ processId: 9, name: 'process 9', samples: 1 },
	]);
	expect(otherProcesses(attribution, null).map(({ name }) => name)).toEqual(['process 8', 'process 9']);
});
