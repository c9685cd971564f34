/** A run at a glance: what is counted, whose the rest of the time is, what is worth a look. */
import { describe, expect, test } from 'vitest';
import { experiment, inliningNode, loggedCompilation, optimization, phase, profileEntry, profileOf, treesOf } from '../../test/experiments.js';
import type { InliningNode } from '../model/inlining-tree.js';
import { InputError } from '../model/problem.js';
import { createExperiment } from './experiment.js';
import { overview } from './overview.js';

describe('a run at a glance', () => {
	test('calls and optimizations are counted, shares are of the whole profile', async () => {
		const calls = [
			inliningNode({ inlined: true, children: [inliningNode({ indirect: true }), inliningNode({ alive: false }), inliningNode()] }),
			inliningNode({ indirect: true, alive: false, children: [inliningNode({ inlined: true })] }),
		];
		const one = experiment(
			1,
			[
				['A.a()', 20],
				['B.b()', 30],
				['C.c()', 0],
			],
			{
				readTrees: () => treesOf(calls, phase('P', optimization(), phase('Q', optimization(), optimization())), optimization()),
			},
		);
		const result = await overview(one, { limit: 1 });
		expect(result.compilations).toMatchObject([
			{ unit: { compileId: '2' }, share: 0.3, calls: { inlined: 2, indirect: 1, deleted: 1, direct: 1, devirtualized: 1 }, optimizations: 4 },
		]);
		expect(result).toMatchObject({ otherCompilations: 2, otherShare: 0.2, otherTime: [{ label: 'outside compiled code', share: 0.5 }] });
		expect((await overview(one, { limit: 5 })).compilations).toHaveLength(2);
		expect((await overview(one, { limit: null })).compilations).toHaveLength(3);
		expect((await overview(one, { limit: 1, compileId: '3' })).compilations).toMatchObject([{ unit: { compileId: '3' }, share: 0 }]);
	});

	test('without a profile the largest records, and no shares', async () => {
		const one = createExperiment(
			1,
			[loggedCompilation('1', 'A', { sizeBytes: 5 }), loggedCompilation('2', 'B', { sizeBytes: 9 }), loggedCompilation('3', 'C', { sizeBytes: 7 })],
			null,
			null,
		);
		const result = await overview(one, { limit: 2 });
		expect(result.compilations.map(({ unit, share }) => [unit.compileId, share])).toEqual([
			['2', null],
			['3', null],
		]);
		expect(result).toMatchObject({ otherCompilations: 1, otherShare: null, otherTime: [] });
		expect(await overview(createExperiment(1, [], profileOf([], 0), null), { limit: 1 })).toMatchObject({ otherShare: null, otherTime: [] });
	});

	test('whose the rest of the time is', async () => {
		const one = createExperiment(
			1,
			[loggedCompilation('1', 'A.a()')],
			profileOf([
				profileEntry('1', 10),
				profileEntry('2', 15),
				profileEntry(null, 5, { level: 1 }),
				profileEntry('7', 5, { level: 3 }),
				profileEntry(null, 7, { level: null, name: 'Interpreter' }),
				profileEntry(null, 3, { level: null, name: 'stub' }),
				profileEntry(null, 2, { level: 0, name: 'wrapper' }),
			]),
			null,
		);
		expect((await overview(one, { limit: null })).otherTime).toEqual([
			{ label: 'lower tiers', share: 0.1 },
			{ label: 'interpreter', share: 0.07 },
			{ label: 'stubs and native wrappers', share: 0.05 },
			{ label: 'top tier, not in the log', share: 0.15 },
			{ label: 'outside compiled code', share: 0.53 },
		]);
		const image = createExperiment(
			1,
			[loggedCompilation('1', 'A.a()')],
			profileOf([profileEntry(null, 30, { level: null }), profileEntry(null, 70, { level: null, name: 'libc' })], 100, 'AOT'),
			null,
		);
		expect((await overview(image, { limit: null })).otherTime).toEqual([{ label: 'top tier, not in the log', share: 0.7 }]);
	});

	test('one finding a compilation: dispatched to few receivers, else refused after thought; five at most', async () => {
		const types = (...probabilities: number[]) => ({
			mature: true,
			types: probabilities.map((probability) => ({ typeName: 'T', probability, methodName: null })),
		});
		const found = async (...calls: InliningNode[]) =>
			(await overview(experiment(1, [['A.a()', 20]], { readTrees: () => treesOf(calls) }), { limit: null })).findings;
		const two = inliningNode({ indirect: true, bci: 5, receiverTypes: types(0.125, 0.5, 0.25) });
		const refused = inliningNode({ bci: 3, reasons: ['first', 'last'] });
		expect(
			await found(refused, inliningNode({ indirect: true, bci: 4, receiverTypes: types(0.7) }), inliningNode({ inlined: true, children: [two] })),
		).toMatchObject([{ kind: 'dispatched-call', share: 0.2, node: two, receivers: 3, topTwo: 0.75 }]);
		// As probable: the first in the bytecode, then by name.
		expect(await found(two, { ...two, bci: 4 })).toMatchObject([{ node: { bci: 4 } }]);
		expect(await found({ ...two, methodName: 'b' }, { ...two, methodName: 'a' })).toMatchObject([{ node: { methodName: 'a' } }]);
		expect(
			await found(inliningNode({ indirect: true, receiverTypes: types() }), inliningNode({ reasons: ['only'] }), { ...refused, bci: 9 }, refused),
		).toMatchObject([{ kind: 'not-inlined', node: { bci: 3 }, reason: 'last' }]);
		expect(await found(inliningNode({ inlined: true, reasons: ['a', 'b'] }))).toEqual([]);
		const many = experiment(
			1,
			Array.from({ length: 7 }, (_, i): [string, number] => [`M${i}`, 1]),
			{ readTrees: () => treesOf([refused]) },
		);
		expect((await overview(many, { limit: null })).findings).toHaveLength(5);
	});

	test('what cannot be read is left out and told; faults of the program are not hidden', async () => {
		const broken = (error: Error) =>
			experiment(1, [['A.a()', 20]], {
				readTrees: () => {
					throw error;
				},
			});
		const seen: number[][] = [];
		const onProgress = async (done: number, total: number) => {
			seen.push([done, total]);
		};
		const result = await overview(broken(new InputError({ severity: 'error', file: 'f', message: 'cut', action: 'x' })), { limit: null, onProgress });
		expect(result).toMatchObject({ compilations: [], problems: [{ severity: 'warning', message: 'cut', action: 'the compilation is left out' }] });
		expect(seen).toEqual([[0, 1]]);
		await expect(overview(broken(new TypeError('bug')), { limit: null })).rejects.toThrow('bug');
	});
});
