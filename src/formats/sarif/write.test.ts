import { expect, test } from 'vitest';
import { ORIGIN } from '../../../test/stacked-samples.js';
import type { RecordingFinding } from '../../model/joined-recording.js';
import { writeSarif } from './write.js';

const FINDING: RecordingFinding = {
	kind: 'not-inlined',
	text: 'a call of a.B.g in a.B$C.f was not inlined: too big',
	place: { method: 'a.B$C.f', line: 12, bci: 7 },
	handles: ['c12'],
	evidence: ['logCompilation', 'samples'],
	command: 'assay compilations run1 c12',
	worth: 12.5,
};

function written(...findings: readonly RecordingFinding[]) {
	const pieces: string[] = [];
	writeSarif(findings, ORIGIN, (piece) => void pieces.push(piece));
	const log = JSON.parse(pieces.join(''));
	expect(log).toMatchObject({ version: '2.1.0', runs: [{ tool: { driver: { name: 'assay', version: '1' } } }] });
	return log.runs[0];
}

test('a finding with its place, how much it is worth, and the command that shows more', () => {
	expect(written(FINDING).results).toEqual([
		{
			ruleId: 'not-inlined',
			ruleIndex: 0,
			level: 'warning',
			message: { text: 'a call of a.B.g in a.B$C.f was not inlined: too big\nassay compilations run1 c12' },
			rank: 12.5,
			locations: [
				{
					physicalLocation: { artifactLocation: { uri: 'a/B.java', uriBaseId: 'SRCROOT' }, region: { startLine: 12 } },
					logicalLocations: [{ fullyQualifiedName: 'a.B$C.f', kind: 'function' }],
					properties: { bci: 7 },
				},
			],
			partialFingerprints: { 'assayFinding/v1': 'not-inlined a.B$C.f' },
			properties: { handles: ['c12'], evidence: ['logCompilation', 'samples'], command: 'assay compilations run1 c12' },
		},
	]);
});

test('rules once, in the order of their first findings; ranks within bounds', () => {
	const run = written(FINDING, { ...FINDING, kind: 'memory', worth: 400 }, { ...FINDING, worth: 0.5 });
	expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(['not-inlined', 'memory']);
	expect(run.results.map(({ ruleIndex, rank, level }: Record<string, unknown>) => [ruleIndex, rank, level])).toEqual([
		[0, 12.5, 'warning'],
		[1, 100, 'warning'],
		[0, 0.5, 'note'],
	]);
});

test('without a line, without a file, without a place', () => {
	const place = { method: 'a.B.f', line: null, bci: -1 };
	const [line, native, nothing] = written(
		{ ...FINDING, place },
		{ ...FINDING, place: { ...place, method: '(kernel)' } },
		{ ...FINDING, place: null, command: null },
	).results;
	expect(line.locations).toEqual([
		{
			physicalLocation: { artifactLocation: { uri: 'a/B.java', uriBaseId: 'SRCROOT' } },
			logicalLocations: [{ fullyQualifiedName: 'a.B.f', kind: 'function' }],
		},
	]);
	expect(native.locations).toEqual([{ logicalLocations: [{ fullyQualifiedName: '(kernel)', kind: 'function' }] }]);
	expect(nothing).toEqual(expect.not.objectContaining({ locations: expect.anything() }));
	expect(nothing.message.text).toBe(FINDING.text);
	expect(written().results).toEqual([]);
});
