/** Questions about the compilers' memory, asked without a command line: typed request, the result that the command prints. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { openEvidence } from '../recording/evidence.js';
import { answerMemory, answerMemoryComparison, type MemoryRequest, memoryOf, memoryOfEvents, mostExpensive } from './memory.js';
import type { OpenedMemory } from './memory-result.js';
import { collected } from './streamed.js';

const recordings = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'jvm', 'memstat');
const HUGE = 'huge/memstat-print.txt.gz';
const C1_ONLY = 'huge/memstat-print-c1only.txt';
const ALL: MemoryRequest = { handles: null, budgetBytes: null };

const fileOf = (name: string): { filePath: string; name: string } => ({ filePath: path.join(recordings, name), name });

async function open(name: string): Promise<OpenedMemory> {
	return memoryOf(await openEvidence([fileOf(name)]), {}, 'all');
}

async function printed(...argv: string[]): Promise<unknown> {
	return JSON.parse((await runAssay(['memory', ...argv, '--json'], recordings)).stdout).result;
}

test.each<[string, MemoryRequest, string[]]>([
	[HUGE, ALL, []],
	[HUGE, { handles: ['c18', '12'], budgetBytes: null }, ['--compilation', 'c18', '--compilation', '12']],
	['stop/stop-20M.txt.gz', { handles: null, budgetBytes: 20 * 2 ** 20 }, ['--budget', '20M']],
	['events/events.ndjson.gz', ALL, []],
])('%s %j: the result is the JSON of the command', async (file, request, argv) => {
	const { result } = answerMemory(await open(file), request);
	expect(JSON.parse(JSON.stringify(collected(result())))).toEqual(await printed(file, ...argv));
});

test('a comparison gives what the command prints; its sides are opened in order, and only when there are not too many', async () => {
	const opened: string[] = [];
	const side = (name: string, files: readonly string[]) => ({
		name,
		runs: files.map((file) => () => {
			opened.push(file);
			return open(file);
		}),
	});
	const answer = await answerMemoryComparison(side(HUGE, [HUGE, C1_ONLY]), side(C1_ONLY, [C1_ONLY]), 20 * 2 ** 20);
	expect(opened).toEqual([HUGE, C1_ONLY, C1_ONLY]);
	expect(answer.isOverBudget).toBe(false);
	expect(JSON.parse(JSON.stringify(collected(answer.result())))).toEqual(await printed(HUGE, '--compare', C1_ONLY, '--repeat-a', C1_ONLY));
	expect((await answerMemoryComparison(side(C1_ONLY, [C1_ONLY]), side(HUGE, [HUGE]), 20 * 2 ** 20)).isOverBudget).toBe(true);
	opened.length = 0;
	await expect(answerMemoryComparison(side(HUGE, [HUGE]), side(HUGE, new Array(9).fill(HUGE)), null)).rejects.toThrow('at most 8 runs of a side');
	expect(opened).toEqual([]);
});

test('events come from a file; a standard input that is not there is said', async () => {
	const file = await memoryOfEvents(fileOf('events/events.ndjson.gz'), {}, { report: () => {}, step: () => Promise.resolve(), end: () => {} });
	expect(file.replay?.events).toBe(23_982);
	await expect(memoryOfEvents({ pieces: undefined }, {}, { report: () => {}, step: () => Promise.resolve(), end: () => {} })).rejects.toThrow('is not there');
});

test('the most expensive compilation is the first of equal ones', async () => {
	const { compilations } = await open(HUGE);
	const [most] = mostExpensive(compilations);
	expect(most?.totalBytes).toBe(Math.max(...compilations.map(({ totalBytes }) => totalBytes)));
	const same = compilations.map((one) => ({ ...one, totalBytes: 1 }));
	expect(mostExpensive(same)).toEqual([same[0]]);
	expect(mostExpensive([])).toEqual([]);
});
