/** What the built command line does when nobody takes what it prints. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..', '..');
const program = path.join(root, 'bin', 'assay.js');

const LINES: readonly (readonly string[])[] = [
	['hot', 'examples/hot'],
	['hot', 'examples/hot', '--json'],
	['compilations', 'examples/hot'],
	['compilations', 'examples/hot', '--json'],
	['hot', '--help'],
	['order', '--help'],
	['--help'],
	['--version'],
];

describe.runIf(fs.existsSync('/dev/full'))('standard output on a full disk', () => {
	test.each(LINES.map((words) => ({ line: words.join(' '), words })))('assay $line: one line, and exit status 4', ({ words }) => {
		const full = fs.openSync('/dev/full', 'w');
		try {
			const { status, stderr } = spawnSync(process.execPath, [program, ...words], { cwd: root, stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
			const name = words[0]?.startsWith('-') ? 'assay' : `assay ${words[0]}`;
			expect({ status, stderr }).toEqual({ status: 4, stderr: `${name}: standard output cannot be written (No space left on device)\n` });
		} finally {
			fs.closeSync(full);
		}
	});
});

test.each(LINES.map((words) => ({ line: words.join(' '), words })))('assay $line ends well when its reader is gone', ({ words }) => {
	// The shell's true closes its end at once, or has closed it by the time the second line is written.
	const script = '{ "$0" "$@"; echo $? >&2; } | true';
	const { stderr } = spawnSync('bash', ['-c', script, process.execPath, program, ...words], { cwd: root, encoding: 'utf8' });
	expect(stderr).toBe('0\n');
});

test('an error that is none of ours shows its stack', () => {
	const code = `import { main } from ${JSON.stringify(path.join(root, 'dist', 'index.js'))};
const io = { workingDirectory: '/', isTerminal: false, out() { throw new TypeError('broken'); }, err() {} };
process.exitCode = await main(['--help'], io);`;
	const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root, encoding: 'utf8' });
	expect(status).toBe(1);
	expect(stderr).toMatch(/TypeError: broken\n\s+at /);
});
