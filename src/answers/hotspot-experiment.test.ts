/** Which compilations of a HotSpot log stand for a run. */
import { expect, test } from 'vitest';
import { type JitCompilation, unknownCompilation } from '../model/jit-compilation.js';
import { summed, topTierCompilations } from './hotspot-experiment.js';

const compilation = (level: number, more: Partial<JitCompilation> = {}): JitCompilation => ({
	...unknownCompilation(),
	compileId: '1',
	kind: 'standard',
	method: 'a.B.f',
	signature: '()V',
	level,
	installedMs: 1,
	...more,
});

test('what was installed at the highest level, of however many', () => {
	const c2 = compilation(4);
	const many = new Array<JitCompilation>(300_000).fill(compilation(3));
	expect(topTierCompilations([...many, c2, compilation(4, { failure: { reason: 'out of nodes', phase: null } })])).toEqual([c2]);
	expect(topTierCompilations(many).length).toBe(300_000);
	expect(topTierCompilations([])).toEqual([]);
});

test('pieces of code that share an id are one entry with all of their samples', () => {
	const entry = (compileId: string, period: number) => ({ compileId, name: 'count', level: 4, period });
	expect(summed([entry('33', 600), entry('7', 5), entry('33', 65)])).toEqual([entry('33', 665), entry('7', 5)]);
});
