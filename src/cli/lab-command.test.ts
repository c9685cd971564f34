import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeTool } from '../../test/fake-tools.js';
import { runAssay } from '../../test/run-assay.js';
import { judged, LAB_PROBLEMS, type LabProblem, unlessUntold } from '../answers/lab-problems.js';
import type { RecordingFinding } from '../model/joined-recording.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const isValid = new Ajv2020({ allowUnionTypes: true }).compile(JSON.parse(fs.readFileSync(path.join(root, 'docs', 'schema', 'lab-bias.json'), 'utf8')));

let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-lab-test-'));
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

test('wrong use', async () => {
	for (const argv of [
		['lab'],
		['lab', 'x'],
		['lab', 'bias', 'x'],
		['lab', 'bias', '--only', 'S10'],
		['lab', 'bias', '--seconds', '0.1'],
		['lab', 'problems', 'x'],
		['lab', 'problems', '--only', 'x'],
	]) {
		expect(await runAssay(argv, folder), argv.join(' ')).toMatchObject({ exit: 2 });
	}
	fs.mkdirSync(path.join(folder, 'full', 'of'), { recursive: true });
	expect(await runAssay(['lab', 'bias', '--keep', 'full'], folder)).toMatchObject({ exit: 2 });
	for (const [argv, usage] of [
		[['lab', '--help'], 'usage: assay lab COMMAND'],
		[['lab', 'bias', '--help'], 'usage: assay lab bias'],
		[['lab', 'problems', '--help'], 'usage: assay lab problems'],
	] as const) {
		const { stdout } = await runAssay(argv, folder);
		expect(stdout).toContain(usage);
		expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
	}
});

test('without a JVM, and with one that has no compiler', async () => {
	const none = await runAssay(['lab', 'bias', '--json', '--java', 'nowhere'], folder);
	expect(none).toMatchObject({ exit: 3, stderr: expect.stringContaining('no java was found') });
	expect(isValid(JSON.parse(none.stdout))).toBe(true);
	fs.mkdirSync(path.join(folder, 'jre', 'bin'), { recursive: true });
	writeTool(path.join(folder, 'jre', 'bin'), 'java', '#!/bin/sh\necho "Module jdk.compiler not found" >&2; exit 1\n');
	expect(await runAssay(['lab', 'bias', '--java', 'jre'], folder)).toMatchObject({ exit: 3, stderr: expect.stringContaining('cannot be compiled') });
});

test('the table of programs and lab/BiasLab.java go together', async () => {
	const source = fs.readFileSync(path.join(root, 'lab', 'BiasLab.java'), 'utf8');
	const { stderr } = await runAssay(['lab', 'bias', '--only', 'x'], folder);
	const names = [...stderr.matchAll(/\bS\d\w+/g)].map(([name]) => name);
	expect(names).toHaveLength(9);
	for (const name of names) {
		expect(source).toContain(`final class ${name} implements BiasLab.Scenario`);
	}
});

test('the table of causes and lab/ProblemsLab.java go together', async () => {
	const source = fs.readFileSync(path.join(root, 'lab', 'ProblemsLab.java'), 'utf8');
	for (const { cause, method } of LAB_PROBLEMS) {
		expect(source).toContain(`"${cause}"`);
		const [holder = '', name = ''] = method?.replace('ProblemsLab$', '').split('.') ?? [];
		expect(method === null || source.includes(`final class ${holder} `)).toBe(true);
		expect(method === null || source.includes(` ${name}(`)).toBe(true);
	}
});

test('a fault is named at the rank of the first finding of its kind and method; the twin is accused by the same', () => {
	const [problem] = LAB_PROBLEMS.filter(({ cause }) => cause === 'division');
	const finding = (kind: RecordingFinding['kind'], method: string | null): RecordingFinding => ({
		kind,
		text: `${kind} ${method}`,
		place: method === null ? null : { method, line: 7, bci: 1 },
		handles: [],
		evidence: [],
		command: null,
		worth: 1,
	});
	const own = finding('slow-instructions', 'ProblemsLab$Division.divided');
	const other = finding('slow-instructions', 'a.B.f');
	const causes = [
		{ side: 'A' as const, finding: own },
		{ side: 'B' as const, finding: own },
	];
	expect(judged(problem as LabProblem, [finding('compilers', null), other, own], [other], causes)).toMatchObject({
		rank: 3,
		diffRank: 2,
		line: 7,
		text: own.text,
		falseAlarm: null,
	});
	expect(judged(problem as LabProblem, [other], [own], causes.slice(0, 1))).toMatchObject({
		rank: null,
		diffRank: null,
		text: other.text,
		falseAlarm: own.text,
	});
	const elsewhere = { ...other, text: `a.B.f waits for ${own.text} ` };
	expect(judged(problem as LabProblem, [elsewhere], [elsewhere], [])).toMatchObject({ rank: null, falseAlarm: null });
	expect(judged(problem as LabProblem, [], [], [])).toMatchObject({ rank: null, text: null, falseAlarm: null });
});

test('what samples that do not skid cannot tell is left out, what they could tell is not', () => {
	const problem = LAB_PROBLEMS.find(({ cause }) => cause === 'scattered')!;
	const row = judged(problem, [], [], []);
	const skid = { isShifted: false, share: 0.98, samples: 87, reason: '98 % of 87 samples lie on slow instructions' };
	expect(unlessUntold(row, skid).skipped).toBe('samples of this processor do not show how far they skid: 98 % of 87 samples lie on slow instructions');
	// They skid, or are too few to tell, or the fault was named, or the twin accused.
	for (const [judgement, verdict] of [
		[row, { ...skid, isShifted: true }],
		[row, { ...skid, samples: 49 }],
		[{ ...row, rank: 1 }, skid],
		[{ ...row, falseAlarm: 'x' }, skid],
	] as const) {
		expect(unlessUntold(judgement, verdict)).toBe(judgement);
	}
});
