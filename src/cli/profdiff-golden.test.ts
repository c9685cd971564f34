/**
 * Every recorded case of the reference: standard output byte for byte, a message on standard error exactly where the reference
 * has one, the same exit status. Prose is ours and left out of the comparison: see normalise().
 */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { firstDifference } from '../../test/first-difference.js';
import { GRAAL_FIXTURES } from '../../test/fixtures.js';
import { runAssay } from '../../test/run-assay.js';

interface Case {
	readonly id: string;
	readonly argv: readonly string[];
	readonly stdout: string;
	readonly stderr: string;
	readonly exit: number;
}

const cases = JSON.parse(fs.readFileSync(path.join(GRAAL_FIXTURES, 'cases.json'), 'utf8')) as Case[];

/**
 * The reference ends with a null-pointer exception when it has to print a fragment with `--diff-compilations=false`; we print
 * the fragment. Everything before that is compared.
 */
function isReferenceCrash(golden: string, item: Case): boolean {
	const lastLine = golden.trimEnd().split('\n').pop() ?? '';
	return item.exit === 1 && item.argv.includes('--diff-compilations=false') && lastLine.startsWith('    Compilation fragment ');
}

describe('profdiff prints what the reference prints', () => {
	test('there are cases', () => {
		expect(cases.length).toBe(244);
	});

	test.each(cases.map((item) => [item.id, item] as const))('%s', async (_id, item) => {
		const { stdout: printed, stderr, exit } = await runAssay(['profdiff', ...item.argv], GRAAL_FIXTURES);
		const stdout = normalise(printed);
		const golden = read(item.stdout);
		const isCrash = isReferenceCrash(golden, item);
		const comparable = isCrash ? stdout.slice(0, golden.length) : stdout;
		const difference = firstDifference(comparable, golden);
		if (difference !== null) {
			expect.fail(`assay profdiff ${item.argv.join(' ')}\n${difference}`);
		}
		if (isCrash) {
			expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
		} else {
			expect({ exit, hasMessage: stderr !== '' }).toEqual({ exit: item.exit, hasMessage: read(item.stderr) !== '' });
		}
	});
});

/** Puts marks for the explanation, help texts and the words of warnings. */
function normalise(text: string): string {
	const lines = text.split('\n');
	const result: string[] = [];
	for (let i = 0; i < lines.length; i++) {
		const line = lines[i]!;
		if (i === 0 && line === 'How to read the output') {
			while ((lines[i + 1] ?? '').startsWith(' ')) {
				i++;
			}
			result.push('@EXPLANATION@');
		} else if (line.startsWith('usage: ')) {
			result.push('@HELP@');
			break;
		} else {
			result.push(line.startsWith('Warning: ') ? 'Warning: @WORDS@' : line);
		}
	}
	return result.join('\n');
}

function read(file: string): string {
	const bytes = fs.readFileSync(path.join(GRAAL_FIXTURES, file));
	return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}
