/**
 * The main jobs on the recordings in examples/: what did switching partial escape analysis off change in the hot code, and which
 * instructions does a loop spend its time on, and what did its compilations cost in memory?
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

console.log('examples/a: a program compiled by Graal with its defaults');
console.log('examples/b: the same program with -Djdk.graal.PartialEscapeAnalysis=false');
console.log('examples/hot: live/programs/HotLoop.java, recorded by assay record on JDK 25');
console.log('examples/memory: live/programs/InlineTower.java with -XX:CompileCommand=memstat,*.*,print on JDK 25');
for (const args of [
	['report', 'examples/a', '--top', '1'],
	['diff', 'examples/a', 'examples/b'],
	['hot', 'examples/hot', '--top', '5', '--sources', 'live/programs'],
	['memory', 'examples/memory', '--top', '5'],
]) {
	console.log(`\n$ assay ${args.join(' ')}\n`);
	const { status } = spawnSync(process.execPath, [path.join('bin', 'assay.js'), ...args], { cwd: root, stdio: 'inherit' });
	process.exitCode ||= status ?? 1;
}
