/** Libraries that a program unpacks, loads and deletes: of real JVMs, whose functions have to have their names when nothing is left of the file. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReportResult } from '../src/answers/results.js';
import { compileProgram, findJdk } from './jdks.js';

const root = path.resolve(import.meta.dirname, '..');
const assay = path.join(root, 'bin', 'assay.js');
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-held-'));
	const { home } = findJdk(17);
	compileProgram(findJdk(17), 'Held', folder);
	const include = path.join(home, 'include');
	const argv = [
		'-O2',
		'-shared',
		'-fPIC',
		'-Wl,--build-id',
		`-I${include}`,
		`-I${include}/linux`,
		'-o',
		'libheld.so',
		path.join(root, 'live', 'programs', 'held.c'),
	];
	execFileSync('clang-22', argv, { cwd: folder });
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test.each([
	[17, 'at-exit'],
	[25, 'at-exit'],
	[17, 'at-once'],
] satisfies [17 | 25, string][])('JDK %i, deleted %s', (major, deleted) => {
	const name = `${major}${deleted}`;
	const { status, stderr } = spawnSync(
		process.execPath,
		[assay, 'record', '-o', name, '--jdk', findJdk(major).home, '--', 'java', '-cp', '.', 'Held', 'libheld.so', deleted],
		{
			cwd: folder,
			encoding: 'utf8',
		},
	);
	expect([status, stderr]).toEqual([0, expect.stringContaining('samples of')]);
	const { otherTime } = (
		JSON.parse(execFileSync(process.execPath, [assay, 'report', name, '--no-index', '--json'], { cwd: folder, encoding: 'utf8' })) as { result: ReportResult }
	).result;
	const library = otherTime.find((row) => row.name.startsWith('(unpacked'));
	expect(library?.samples).toBeGreaterThan(500);
	expect(library?.callers?.rows[0]?.method).toBe('Held.work');
	// Of a file that is gone already the kernel lets the superuser alone open what is mapped.
	const isKnown = deleted === 'at-exit' || process.getuid?.() === 0;
	const hot = execFileSync(process.execPath, [assay, 'hot', name], { cwd: folder, encoding: 'utf8' });
	expect(hot).toMatch(isKnown ? /r1 .*\(mix_numbers\) +unpacked/ : /r1 .*\(no symbol\) +unpacked/);
});
