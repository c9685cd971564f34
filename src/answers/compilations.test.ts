/** Questions about compilations, asked without a command line: typed request, the result that the command prints. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { openEvidence } from '../recording/evidence.js';
import { answerCompilations, type CompilationsAnswer, type CompilationsRequest, NO_FILTER } from './compilations.js';
import { collected } from './streamed.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const LOG = 'fixtures/jvm/inlining/jdk17/logcompilation.xml.gz';
const ALL: CompilationsRequest = { ...NO_FILTER, handles: null, order: null, withReasons: false };

async function ask<T>(request: CompilationsRequest, use: (answer: CompilationsAnswer) => T): Promise<T> {
	const evidence = await openEvidence([{ filePath: path.join(root, LOG), name: LOG }]);
	try {
		return use(await answerCompilations(evidence, request));
	} finally {
		evidence.close();
	}
}

test.each<[string, CompilationsRequest, string[]]>([
	['everything', ALL, []],
	[
		'a filter and reasons',
		{ ...ALL, method: 'app.*', level: 4, compiler: 'c2', withReasons: true },
		['--method=app.*', '--level=4', '--compiler=c2', '--reasons'],
	],
	['an order', { ...ALL, order: 'versions', deoptimized: true }, ['--sort=versions', '--deoptimized']],
	['handles', { ...ALL, handles: ['c481%', 'm2'] }, ['c481%', 'm2']],
])('%s: the result is the JSON of the command', async (_, request, argv) => {
	const { stdout } = await runAssay(['compilations', LOG, ...argv, '--json'], root);
	const whole = await ask(request, (answer) => collected(answer.result()));
	expect(JSON.parse(JSON.stringify(whole))).toEqual(JSON.parse(stdout).result);
});

test('without an order the recording says which, and nothing is left out without a filter', async () => {
	await ask(ALL, ({ order, isFiltered, methods, log, chosen }) => {
		expect({ order, isFiltered, chosen }).toEqual({ order: 'time', isFiltered: false, chosen: null });
		expect(methods.reduce((sum, { versions }) => sum + versions.length, 0)).toBe(log.history.compilations.length);
	});
	await ask({ ...ALL, osr: true }, ({ isFiltered, methods }) => {
		expect(isFiltered).toBe(true);
		expect(methods.every(({ versions }) => versions.some(({ compilation }) => compilation.kind === 'osr'))).toBe(true);
	});
});

test('a handle that is not there is wrong use', async () => {
	await expect(ask({ ...ALL, handles: ['c99999'] }, () => null)).rejects.toThrow('no method or compilation is called c99999');
});
