/** What commands print of a native program has no word that only JVMs have: what a program does not have is left out, not empty. */
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';

const DEMO = 'fixtures/native/demo';
const GROWN = 'fixtures/native/grown';
const WORDS = /\b(?:tiers?|jit|safepoints?|jdk|jvm|java|hotspot|bytecodes?|interpret\w*|level|versions?|null)\b|@ ?-1|\b0\.0 s|– {2,}–/i;

test.each([
	['report', DEMO],
	['report', DEMO, '--section', 'hot', '--section', 'compilations'],
	['report', DEMO, 'c4'],
	['hot', DEMO],
	['hot', DEMO, 'c4'],
	['hot', DEMO, '--by', 'line'],
	['hot', DEMO, '--compare', GROWN],
	['compilations', DEMO],
	['compilations', DEMO, 'c4'],
	['compilations', DEMO, '--reasons'],
	['diff', DEMO, GROWN, '--all'],
	['diff', DEMO, GROWN, '--markdown'],
	['doctor', DEMO],
])('%s %s %s %s', async (...argv) => {
	const { stdout, stderr, exit } = await runAssay(
		argv.filter((word) => word !== undefined),
		'.',
		{ width: 80 } as never,
	);
	expect(exit).toBe(0);
	const found = `${stdout}${stderr}`.split('\n').filter((line) => WORDS.test(line));
	expect(found).toEqual([]);
});

test('a function that only one side has code of its own of', async () => {
	const { stdout } = await runAssay(['diff', 'fixtures/native/vectorized', DEMO, '--all'], '.');
	expect(stdout).toContain('has code of its own only in A');
	expect(stdout).not.toMatch(WORDS);
});

test('samples by library are by executable', async () => {
	const { stdout } = await runAssay(['hot', DEMO, '--by', 'library'], '.');
	expect(stdout).toMatch(/99\.66 % {2}demo\n/);
});

test('of a native program no bias is predicted: the message names the recording', async () => {
	const { stdout, stderr, exit } = await runAssay(['bias', DEMO], '.');
	expect([stdout, exit]).toEqual(['', 3]);
	expect(stderr).toMatch(/^assay bias: fixtures\/native\/demo: is of a native program \(demo\): its threads stop at no safepoints; give the LogFile/);
});
