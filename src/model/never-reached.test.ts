/** The sentence about a safepoint that hangs: since when, for whom, and why. */
import { expect, test } from 'vitest';
import { neverReached } from './never-reached.js';

type Given = Parameters<typeof neverReached>[0];

const said = (safepoint: object, ...culprits: readonly object[]) =>
	neverReached({
		safepoint: { unfinished: 'begun', operation: null, end: { uptimeNs: 8e9 }, totalNs: 3e9, ...safepoint },
		culprits: culprits.map((one) => ({ thread: 'main', method: 'a.B.f', line: null, compileId: null, loop: null, why: 'why', remedy: 'remedy', ...one })),
	} as unknown as Given);

test('one that ended is none', () => {
	expect(said({ unfinished: null }, {})).toBeNull();
});

test('when it began, and for what', () => {
	expect(said({})).toBe('A safepoint was begun at 5.00 s and did not end: nothing tells who was waited for');
	expect(said({ end: { uptimeNs: null } })).toBe('A safepoint was begun and did not end: nothing tells who was waited for');
	expect(said({ operation: 'G1Collect' }, {})).toBe('A safepoint for G1Collect was begun at 5.00 s and never reached: thread main was in a.B.f: why');
	expect(said({ unfinished: 'late' }, {})).toBe('A safepoint was still not reached at 5.00 s, and the log tells of no end: thread main was in a.B.f: why');
	expect(said({ unfinished: 'late', end: { uptimeNs: null } })).toBe(
		'A safepoint was still not reached, and the log tells of no end: nothing tells who was waited for',
	);
	expect(said({ unfinished: 'silent' })).toBe(
		'The JVM answered nobody while it was sampled, as one that waits for a safepoint or a handshake: no sample tells which thread',
	);
	expect(said({ unfinished: 'silent' }, { thread: null })).toMatch(/or a handshake: a thread was in a\.B\.f: why$/);
});

test('where the thread was: in a loop without a poll, in another loop, in code of no method, or nobody knows', () => {
	const where = (more: object) => said({}, more)?.replace(/^.* never reached: /, '');
	expect(where({ line: 7, compileId: '5', loop: { poll: 'none', callsMethods: false } })).toBe(
		'thread main was in a loop of a.B.f (line 7), c5, which has no poll because it counts with an int index by a constant step; what helps: remedy',
	);
	expect(where({ loop: { poll: 'none', callsMethods: true } })).toBe('thread main was in a loop of a.B.f: why');
	expect(where({ loop: { poll: 'strip', callsMethods: false } })).toBe('thread main was in a loop of a.B.f: why');
	expect(where({ line: 7, compileId: '5' })).toBe('thread main was in a.B.f (line 7), c5: why');
	expect(where({ method: '(unknown)' })).toBe('thread main was late, and no sample and no code tell where it was');
	expect(where({ method: '(not printed)' })).toBe('thread main ran compiled code of which nothing is known');
	expect(where({ method: '(stub x)' })).toBe('thread main was in stub x: why');
});
