/** The action for code hosts: its script is run as the host runs it, with a fake `record`, so that no JVM is needed; the settings of action.yml reach it. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..', '..');
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-action-'));
	// Recording is copying; all else is assay itself.
	const fake = `#!/bin/sh
if [ "$1" = record ]; then shift 2; echo "$@" >> "${folder}/recorded"; exec cp -r "$RECORDED" "$1"; fi
exec "${process.execPath}" "${root}/bin/assay.js" "$@"
`;
	fs.writeFileSync(path.join(folder, 'assay'), fake, { mode: 0o755 });
	for (const run of [1, 2, 3]) {
		fs.cpSync(path.join(root, 'fixtures/jvm/ledger/jdk17'), path.join(folder, 'base', `run-${run}`), { recursive: true });
	}
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

function runAction(settings: Readonly<Record<string, string>>): { status: number | null; stdout: string; stderr: string; summary: string; outputs: string } {
	const [summary, outputs] = ['step-summary', 'outputs'].map((name) => path.join(folder, name)) as [string, string];
	fs.rmSync(summary, { force: true });
	fs.rmSync(outputs, { force: true });
	fs.rmSync(path.join(folder, 'new'), { recursive: true, force: true });
	const { status, stdout, stderr } = spawnSync('bash', ['-e', path.join(root, 'action', 'run.sh')], {
		cwd: folder,
		encoding: 'utf8',
		env: {
			PATH: process.env.PATH,
			ASSAY: path.join(folder, 'assay'),
			ASSAY_OUTPUT: 'new',
			GITHUB_STEP_SUMMARY: summary,
			GITHUB_OUTPUT: outputs,
			...settings,
		},
	});
	const textOf = (file: string): string => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '');
	return { status, stdout, stderr, summary: textOf(summary), outputs: textOf(outputs) };
}

test('compares with the base branch, fails on what is not wanted, writes summary and SARIF', () => {
	const { status, stdout, summary, outputs } = runAction({
		ASSAY_COMMAND: 'java -cp "a b" Ledger',
		ASSAY_BASE: 'base',
		ASSAY_FAIL_ON: 'lost-inlining:0.5\nnew-indirect:1',
		RECORDED: path.join(root, 'fixtures/jvm/ledger/jdk25'),
	});
	expect(status).toBe(1);
	expect(summary).toMatch(/^### assay diff/);
	expect(stdout).toContain(summary.trim());
	expect(outputs).toBe('status=1\nsummary=new/summary.md\nsarif=new/findings.sarif\n');
	expect(JSON.parse(fs.readFileSync(path.join(folder, 'new', 'findings.sarif'), 'utf8')).version).toBe('2.1.0');
	expect(fs.readFileSync(path.join(folder, 'recorded'), 'utf8').split('\n')).toEqual(
		[1, 2, 3].map((run) => `new/run-${run} -- java -cp a b Ledger`).concat(''),
	);
});

test('equal recordings fail nothing', () => {
	const settings = {
		ASSAY_COMMAND: 'java Ledger',
		ASSAY_BASE: 'base',
		ASSAY_FAIL_ON: 'any',
		ASSAY_RUNS: '1',
		RECORDED: path.join(root, 'fixtures/jvm/ledger/jdk17'),
	};
	expect(runAction(settings)).toMatchObject({ status: 0, outputs: expect.stringMatching(/^status=0\n/) });
});

test('without a base the report is the summary; wrong settings are told', () => {
	const RECORDED = path.join(root, 'fixtures/jvm/ledger/jdk25');
	const { status, summary } = runAction({ ASSAY_COMMAND: 'java Ledger', ASSAY_BASE: 'nothing', ASSAY_RUNS: '1', RECORDED });
	expect(status).toBe(0);
	expect(summary).toMatch(/no recordings of the base branch in `nothing`[\s\S]*Where the time went/);
	expect(runAction({ ASSAY_COMMAND: 'java Ledger', ASSAY_RUNS: 'x', RECORDED })).toMatchObject({ status: 2, stderr: expect.stringContaining('ASSAY_RUNS') });
	expect(runAction({ RECORDED }).status).not.toBe(0);
});

test('action.yml hands every input on', () => {
	const action = fs.readFileSync(path.join(root, 'action.yml'), 'utf8');
	const inputs = [...action.slice(0, action.indexOf('outputs:')).matchAll(/^ {2}([\w-]+):$/gm)].map(([, name]) => name);
	expect(inputs.length).toBe(6);
	for (const name of inputs) {
		expect(action).toContain(`: \${{ inputs.${name} }}`);
	}
	const variables = [...action.matchAll(/^ {8}(ASSAY\w*):/gm)].map(([, name]) => name).filter((name) => name !== 'ASSAY_ACTION');
	const guide = fs.readFileSync(path.join(root, 'docs', 'ci.md'), 'utf8');
	for (const name of variables) {
		expect(guide).toContain(`\`${name}\``);
	}
});
