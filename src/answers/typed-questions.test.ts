/** Questions with typed requests: their results are the JSON of the commands. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { UsageError } from '../model/problem.js';
import { type Evidence, type EvidenceOptions, openEvidence } from '../recording/evidence.js';
import { answerDecisions } from './decisions.js';
import { answerDiff, DEFAULT_DIFF_REQUEST } from './diff.js';
import { answerDoctor } from './doctor.js';
import { answerProfile, answerTables } from './export.js';
import { answerReport } from './recording-report.js';
import { DEFAULT_REPORT_REQUEST, hotOfReport, openReport } from './report.js';
import { collected } from './streamed.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const DECISIONS = { name: 'examples/a', workingDirectory: root, force: false, limit: 10 };

async function withEvidence<T>(name: string, options: EvidenceOptions, use: (evidence: Evidence) => Promise<T>): Promise<T> {
	const evidence = await openEvidence([{ filePath: path.join(root, name), name }], options);
	try {
		return await use(evidence);
	} finally {
		evidence.close();
	}
}

async function resultOf(...argv: string[]): Promise<unknown> {
	return JSON.parse((await runAssay(argv, root)).stdout).result;
}

/** As it would be printed. */
function printed(result: unknown): unknown {
	return JSON.parse(JSON.stringify(result));
}

test.each(['examples/hot', 'examples/a', 'examples/memory'])('the report of %s; decisions are told where they are all there is', async (name) => {
	const request = { indexed: null, processId: null, withDecisions: false, decisions: { ...DECISIONS, name } };
	const result = await withEvidence(name, { details: 'threads' }, async (evidence) => {
		const answer = await answerReport(() => Promise.resolve(evidence), request);
		expect(answer.isExperiment).toBe(name === 'examples/a');
		expect(answer.decisions !== null).toBe(name === 'examples/a');
		return printed(collected(answer.whole()));
	});
	expect(result).toEqual(await resultOf('report', name, '--json'));
});

test('what a report computed is there for those who show a part of it', async () => {
	await withEvidence('examples/hot', { details: 'threads' }, async (evidence) => {
		const { parts, hot, delays } = await openReport(evidence, DEFAULT_REPORT_REQUEST);
		expect(parts.hot?.report).toBe(hot);
		// 71 others are of the JVM's own threads.
		expect({ counted: parts.bias?.counted, otherThreads: parts.bias?.otherThreads }).toEqual({ counted: 2055, otherThreads: 71 });
		expect({ delays: parts.delays, memory: parts.memory }).toEqual({ delays: null, memory: null });
		expect(delays).toEqual([]);
		expect(hotOfReport(7).processId).toBe(7);
	});
});

test('decisions of one compilation; a filter that leaves none; no such compilation', async () => {
	await withEvidence('examples/a', {}, async (evidence) => {
		const all = await answerDecisions(evidence, DECISIONS);
		const [first] = all.overview.compilations;
		const single = await answerDecisions(evidence, { ...DECISIONS, handle: `c${first?.unit.compileId}` });
		expect(single.overview.compilations.map(({ unit }) => unit.compileId)).toEqual([first?.unit.compileId]);
		expect([all.leavesNone, single.isSingle]).toEqual([false, true]);
		expect((await answerDecisions(evidence, { ...DECISIONS, method: 'nothing.of.it' })).leavesNone).toBe(true);
		await expect(answerDecisions(evidence, { ...DECISIONS, handle: 'c0' })).rejects.toThrow(UsageError);
	});
});

test('the difference of two runs, with a condition that holds', async () => {
	const conditions = [{ what: 'lost-inlining', threshold: 0 } as const];
	const result = await withEvidence('examples/a', {}, (a) =>
		withEvidence('examples/b', {}, async (b) => {
			const answer = await answerDiff({ a: [a], b: [b] }, { ...DEFAULT_DIFF_REQUEST, workingDirectory: root, conditions });
			expect(answer.report.failed).toBe(true);
			return printed(collected(answer.result()));
		}),
	);
	expect(result).toEqual(await resultOf('diff', 'examples/a', 'examples/b', '--fail-on', 'lost-inlining', '--json'));
});

test('what doctor finds', async () => {
	const result = await withEvidence('examples/hot', { details: 'threads' }, async (evidence) => printed(collected((await answerDoctor(evidence)).result())));
	expect(result).toEqual(await resultOf('doctor', 'examples/hot', '--json'));
});

test('tables, and what is missing of them; a profile in pieces', async () => {
	const request = { name: 'examples/hot', samples: hotOfReport(null) };
	const result = await withEvidence('examples/hot', { details: 'all' }, async (evidence) => {
		const answer = await answerTables(evidence, request, ['regions', 'safepoints']);
		expect(answer.missing).toEqual(['safepoints']);
		return printed(collected(answer.result()));
	});
	expect(result).toEqual(await resultOf('export', 'examples/hot', '--to', 'json', '--table', 'regions'));
	const pieces: string[] = [];
	await withEvidence('examples/hot', { details: 'all' }, async (evidence) => {
		const answer = await answerProfile(evidence, request, 'collapsed', false);
		expect([answer.isBinary, answer.samples]).toEqual([false, 2126]);
		expect(answer.write({ text: (text) => void pieces.push(text), bytes: () => {} })).toEqual([]);
	});
	expect(pieces.join('')).toBe((await runAssay(['export', 'examples/hot', '--to', 'collapsed'], root)).stdout);
});
