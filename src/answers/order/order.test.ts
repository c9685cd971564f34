import path from 'node:path';
import { expect, test } from 'vitest';
import { runAssay } from '../../../test/run-assay.js';
import { InputError, UsageError } from '../../model/problem.js';
import { collected, type Streamed } from '../streamed.js';
import { decodeOrder } from './decode.js';
import { lintOrderFile } from './lint.js';
import { mergeTraces } from './merge.js';
import { optimizeTraces } from './optimize.js';
import { simulateOrders } from './simulate.js';

const workingDirectory = path.resolve(import.meta.dirname, '..', '..', '..', 'examples', 'order');
const program = 'sqlite.nm.gz';

async function printed(...argv: string[]): Promise<unknown> {
	const { result, problems } = JSON.parse((await runAssay(['order', ...argv, '--json'], workingDirectory)).stdout);
	return { result, problems };
}

function given<T>({ result, problems }: { result(): Streamed<T>; readonly problems: readonly object[] }): unknown {
	return JSON.parse(JSON.stringify({ result: collected(result()), problems }));
}

test('decode gives what the command prints', async () => {
	const answer = await decodeOrder({ files: ['startup.profraw.gz'], demangle: true, workingDirectory });
	expect(given(answer)).toEqual(await printed('decode', 'startup.profraw.gz', '--demangle'));
	expect(answer.functions.length).toBeGreaterThan(10);
	await expect(decodeOrder({ files: ['startup.profraw.gz'], trace: 7, workingDirectory })).rejects.toThrow(UsageError);
});

test('merge gives what the command prints, weights and all; addresses need the program', async () => {
	const traces = [{ file: 'startup.gz', weight: 2 }, 'queries.gz'];
	expect(given(await mergeTraces({ traces, program, workingDirectory }))).toEqual(
		await printed('merge', 'startup.gz', 'queries.gz', '--weight', 'startup=2', '--nm', program),
	);
	await expect(mergeTraces({ traces, workingDirectory })).rejects.toThrow(InputError);
});

test('optimize gives what the command prints; how is chosen by name', async () => {
	expect(given(await optimizeTraces({ program, traces: ['startup.gz'], workingDirectory }))).toEqual(await printed('optimize', 'startup.gz', '--nm', program));
	expect(given(await optimizeTraces({ program, traces: ['startup.gz'], method: 'classes', objective: 'windows', workingDirectory }))).toEqual(
		await printed('optimize', 'startup.gz', '--nm', program, '--method', 'classes', '--objective', 'windows'),
	);
	await expect(optimizeTraces({ program, traces: [], workingDirectory })).rejects.toThrow(UsageError);
});

test('simulate gives what the command prints', async () => {
	const request = { programs: [program], traces: ['startup.gz', 'queries.gz'], orders: ['first-executed.order'], workingDirectory };
	expect(given(await simulateOrders(request))).toEqual(
		await printed('simulate', '--nm', program, '--trace', 'startup.gz', 'queries.gz', '--order', 'first-executed.order'),
	);
	await expect(simulateOrders({ ...request, programs: [] })).rejects.toThrow(UsageError);
});

test('lint gives what the command prints', async () => {
	const request = { order: 'first-executed.order', program, traces: ['startup.gz'], leastCoverage: 0.99, workingDirectory };
	expect(given(await lintOrderFile(request))).toEqual(
		await printed('lint', 'first-executed.order', '--nm', program, '--trace', 'startup.gz', '--min-coverage', '99'),
	);
});
