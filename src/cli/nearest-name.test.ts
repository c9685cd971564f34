import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.js';

const NAMES = ['freq', 'event', 'output', 'no-index', 'help'];

test.each([
	['frequency', 'freq'],
	['out', 'output'],
	['evnet', 'event'],
	['hepl', null],
	['help!', 'help'],
	['noindex', 'no-index'],
	['top', null],
	['F', null],
	['', null],
])('%s: %s', (given, near) => {
	expect(nearestName(given, NAMES)).toBe(near);
});
