import path from 'node:path';
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { writePerfasmText } from '../render/perfasm-text.js';
import { TextWriter } from '../render/text-writer.js';
import { answerPerfasm, readPerfasmEvidence } from './perfasm.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const REQUEST = {
	hotThreshold: 0.1,
	top: 20,
	tooBigThreshold: 1000,
	printMargin: 10,
	mergeMargin: 32,
	mergeMethods: false,
	drawIntraJumps: true,
	drawInterJumps: false,
	events: null,
	delayMs: 0,
	lengthMs: null,
	skipAsm: false,
};

test('the answer is what the command prints; an event that is not there is a problem', async () => {
	const evidence = await readPerfasmEvidence([{ filePath: path.join(root, 'examples', 'hot'), name: 'examples/hot' }]);
	const { report, requestedEvents, assembly, problems } = answerPerfasm(evidence, REQUEST);
	let text = '';
	const writer = new TextWriter((block) => {
		text += block;
	});
	writePerfasmText(writer, report, { ...REQUEST, requestedEvents, showCounts: 'percent_total', ops: 1, assembly, skippedMs: 0 });
	writer.flush();
	expect(text).toBe((await runAssay(['perfasm', 'examples/hot'], root)).stdout);
	expect(problems).toEqual([]);
	expect(assembly).toBe('read');
	expect(answerPerfasm(evidence, { ...REQUEST, events: ['cycles:u'], skipAsm: true })).toMatchObject({
		requestedEvents: ['cycles:u'],
		assembly: 'skipped',
		problems: [{ message: 'has no sample of the event cycles' }],
	});
});
