/** Kinds of evidence are listed in one place; what repeats them for readers has all of them. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { byEvidenceKind, EVIDENCE_KINDS, isOfOtherJit, isStartupOnly, tellsCompilations } from './evidence.js';

const docs = path.resolve(import.meta.dirname, '..', '..', 'docs');

function codeIn(text: string): string[] {
	return [...text.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
}

test('docs and schema have each kind', () => {
	const { evidence } = JSON.parse(fs.readFileSync(path.join(docs, 'schema', 'report.json'), 'utf8')).properties.result.properties;
	expect(Object.keys(evidence.properties)).toEqual(EVIDENCE_KINDS);
	expect(evidence.required).toEqual(EVIDENCE_KINDS);
	const [, inJson = ''] = /^\| `evidence` \| by kind \((.*?)\)/m.exec(fs.readFileSync(path.join(docs, 'json.md'), 'utf8')) ?? [];
	expect(codeIn(inJson)).toEqual(EVIDENCE_KINDS);
	const [, rows = ''] = /^\| evidence \| where it comes from .*\n.*\n((?:\|.*\n)+)/m.exec(fs.readFileSync(path.join(docs, 'report.md'), 'utf8')) ?? [];
	const inReport = rows.split('\n').flatMap((row) => codeIn(row.split(' | ', 1)[0]!));
	expect(inReport.toSorted()).toEqual(EVIDENCE_KINDS.toSorted());
});

test('what kinds tell of', () => {
	expect(EVIDENCE_KINDS.filter(tellsCompilations)).toEqual(['logCompilation', 'flightRecorder', 'printCompilation', 'remarks']);
	expect(isOfOtherJit((kind) => kind === 'jitdump' || kind === 'samples' || kind === 'stacks')).toBe(true);
	expect(isOfOtherJit((kind) => kind === 'jitdump' || kind === 'safepoints')).toBe(false);
	expect(isOfOtherJit((kind) => kind === 'samples')).toBe(false);
	const only = (...kinds: string[]) => isStartupOnly(byEvidenceKind((kind) => ({ present: kinds.includes(kind) })));
	expect([only('orderTraces'), only('orderTraces', 'samples'), only(), only('samples')]).toEqual([true, false, false, false]);
});
