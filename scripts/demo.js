/** The main job on the recordings in examples/: what did switching partial escape analysis off change in the hot code? */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

console.log('examples/a: a program compiled by Graal with its defaults');
console.log('examples/b: the same program with -Djdk.graal.PartialEscapeAnalysis=false');
for (const args of [
	['report', 'examples/a', '--top', '1'],
	['diff', 'examples/a', 'examples/b'],
]) {
	console.log(`\n$ assay ${args.join(' ')}\n`);
	const { status } = spawnSync(process.execPath, [path.join('bin', 'assay.js'), ...args], { cwd: root, stdio: 'inherit' });
	process.exitCode ||= status ?? 1;
}
