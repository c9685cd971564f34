/** The rules that are a few lines only. */
import { expect, test } from 'vitest';
import { SamplesBuilder } from '../../model/samples.js';
import { eventNumber } from './event-name.js';
import { isFetch } from './page-fault.js';

test('a fault at most fifteen bytes behind the instruction fetched it', () => {
	expect([100, 101, 115, 116, 99, 0].map((touched) => isFetch(touched, 100))).toEqual([true, true, true, false, false, false]);
});

test('events with a modifier are the event without it', () => {
	const builder = new SamplesBuilder();
	expect(['cycles', 'cycles:u', 'cycles:k', 'page-faults:u', ':u', 'probe:a:b'].map((name) => eventNumber(builder, name))).toEqual([0, 0, 0, 1, 2, 3]);
	expect(builder.build().events).toEqual(['cycles', 'page-faults', ':u', 'probe:a']);
});
