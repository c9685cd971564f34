/** How many samples of each kind a file of another profiler holds. */
import { expect, test } from 'vitest';
import { type ObservedFile, recordsByKind } from './observed-profile.js';

const kind = (event: string, number: number) => ({ kind: event, event, number });
const leaf = (samples: number, of?: string) => ({ thread: null, method: 'a.B.f', line: null, samples, ...(of === undefined ? {} : { kind: of }) });
const file = (more: object) => ({ kinds: [], stacks: null, leaves: [], isCounted: true, ...more }) as unknown as ObservedFile;

test('of stacks by their weights', () => {
	const stacks = { length: 4, event: Uint8Array.of(0, 1, 0, 2), weight: Float64Array.of(1, 10, 2.4, 100) };
	expect(recordsByKind(file({ kinds: [kind('cpu', 0), kind('wall', 1), kind('none', 7)], stacks }))).toEqual([
		{ event: 'cpu', records: 3 },
		{ event: 'wall', records: 10 },
		{ event: 'none', records: 0 },
	]);
});

test('of sums what they say, of shares how many rows', () => {
	const given = { kinds: [kind('cpu', -1), kind('wall', -1)], leaves: [leaf(40.4, 'cpu'), leaf(50, 'wall'), leaf(3)] };
	const records = (isCounted: boolean) => recordsByKind(file({ ...given, isCounted })).map((one) => one.records);
	expect([records(true), records(false)]).toEqual([
		[43, 53],
		[2, 2],
	]);
});
