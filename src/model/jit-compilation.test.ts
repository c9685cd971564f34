import { expect, test } from 'vitest';
import { compileMs, type JitCompilation, unknownCompilation, wasInstalled } from './jit-compilation.js';

const compilation = (more: Partial<JitCompilation>): JitCompilation => ({
	...unknownCompilation(),
	compileId: '1',
	kind: 'standard',
	method: 'a.B.f',
	signature: null,
	...more,
});

test('code was installed where the log says when, or Flight Recorder that it succeeded', () => {
	const failure = { reason: 'out of nodes', phase: null };
	const installed = (more: Partial<JitCompilation>) => wasInstalled(compilation(more));
	expect([installed({ installedMs: 0 }), installed({ installedMs: 5, sizeBytes: 10, failure })]).toEqual([true, true]);
	expect(installed({ doneMs: 5 })).toBe(true);
	expect([installed({}), installed({ doneMs: 5, failure }), installed({ doneMs: 5, sizeBytes: 10 })]).toEqual([false, false, false]);
});

test('how long the compiler worked, where both ends are told', () => {
	const took = (startedMs: number | null, doneMs: number | null) => compileMs(compilation({ startedMs, doneMs }));
	expect([took(5, 12), took(5, 5), took(12, 5), took(null, 5), took(5, null)]).toEqual([7, 0, 0, null, null]);
});

test('what nothing is known of has lists of its own', () => {
	const [one, other] = [unknownCompilation(), unknownCompilation()];
	one.retries.push('x');
	expect([other.retries, other.deoptimizations, other.movesToOsr, other.isCut, other.level]).toEqual([[], [], 0, false, null]);
});
