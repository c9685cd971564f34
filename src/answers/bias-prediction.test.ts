/** Questions about safepoints and profilers, asked without a command line: typed request, the result that the command prints. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { type Evidence, openEvidence } from '../recording/evidence.js';
import { answerBias, type BiasPredictionRequest } from './bias-prediction.js';
import { answerProfilers, answerProfilersOf } from './profilers.js';
import { collected } from './streamed.js';
import { answerTimeToSafepoint } from './time-to-safepoint.js';

const runs = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'jvm', 'safepoint');
const RUN = 'strip-jdk25-g1';
const ALL: BiasPredictionRequest = {
	thread: null,
	from: Number.NEGATIVE_INFINITY,
	to: Number.POSITIVE_INFINITY,
	against: [],
	rounds: 0,
	method: null,
	classes: [],
};

const fileOf = (name: string): { filePath: string; name: string } => ({ filePath: path.join(runs, name), name });

function open(name: string): Promise<Evidence> {
	return openEvidence([fileOf(name)], { details: 'threads' });
}

async function printed(...argv: string[]): Promise<unknown> {
	return JSON.parse((await runAssay(['bias', ...argv, '--json'], runs)).stdout).result;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('a prediction beside a profile, with intervals: the result is the JSON of the command', async () => {
	const file = `${RUN}/dump.collapsed`;
	const { result } = await answerBias(await open(RUN), {
		...ALL,
		thread: 'S8Strip',
		from: 1982.113221942,
		to: 1986.113386842,
		rounds: 2,
		method: 'm1',
		against: [{ name: 'dump', file: fileOf(file), kind: null }],
	});
	const argv = [RUN, 'm1', '--thread', 'S8Strip', '--from', '1982.113221942', '--to', '1986.113386842', '--rounds', '2', '--against', `dump=${file}`];
	expect(plain(collected(result()))).toEqual(await printed(...argv));
});

test('a profile cannot be called as what assay calls its own, a method has to be in the table', async () => {
	const against = [{ name: 'predicted', file: fileOf(`${RUN}/dump.collapsed`), kind: null }];
	await expect(answerBias(await open(RUN), { ...ALL, against })).rejects.toThrow('a profile cannot be called predicted');
	await expect(answerBias(await open(RUN), { ...ALL, method: 'm99999' })).rejects.toThrow('no method of the table is called m99999');
});

test('a recording without samples is no input, whatever else is in it', async () => {
	await expect(answerBias(await open('ttsp/jdk17-nopoll'), ALL)).rejects.toThrow('samples are missing');
	const { exit, stdout, stderr } = await runAssay(['bias', 'ttsp/jdk17-nopoll', '--json'], runs);
	expect({ exit, stderr }).toEqual({ exit: 3, stderr: expect.stringContaining('assay bias: ttsp/jdk17-nopoll: samples are missing') });
	expect(JSON.parse(stdout)).toMatchObject({ command: 'bias', result: {}, problems: [{ severity: 'error', message: 'samples are missing' }] });
});

test('time to safepoint: the result is the JSON of the command', async () => {
	const name = 'ttsp-sampled/jdk25-stall';
	const answer = await answerTimeToSafepoint(await open(name), { slowNs: 10e6, processId: null });
	expect(plain(collected(answer.result()))).toEqual(await printed('--ttsp', name));
	expect(answer.delays.filter(({ isSlow }) => isSlow)).toHaveLength(6);
	await expect(answerTimeToSafepoint(await open(`${name}/perf.script.txt.gz`), { slowNs: 10e6, processId: null })).rejects.toThrow(
		'no file tells of safepoints',
	);
});

test('profilers, of a version of the JDK or of a recording', async () => {
	expect(plain(collected(answerProfilers(17).result()))).toEqual(await printed('--profilers', '--for-jdk', '17'));
	const hot = path.join('..', '..', '..', 'examples', 'hot');
	const recorded = await answerProfilersOf(await open(hot));
	expect(recorded).toMatchObject({ jdk: 25, problems: [] });
	expect(plain(collected(recorded.result()))).toEqual(await printed('--profilers', hot));
	expect(await answerProfilersOf(await open('ttsp/jdk17-nopoll/safepoint.log'))).toMatchObject({
		jdk: null,
		problems: [{ message: "no log tells the JVM's version" }],
	});
});
