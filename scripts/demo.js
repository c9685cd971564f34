/**
 * The main jobs on the recordings in examples/: what did switching partial escape analysis off change in the hot code, and which
 * instructions does a loop spend its time on, what did its compilations cost in memory, and how many pages does a program touch at start-up? Then a page with all that a run tells.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

console.log('examples/a: a program compiled by Graal with its defaults');
console.log('examples/b: the same program with -Djdk.graal.PartialEscapeAnalysis=false');
console.log('examples/hot: live/programs/HotLoop.java, recorded by assay record on JDK 25');
console.log('examples/order: two runs of the sqlite3 shell as instructions that ran, one as a profile of LLVM, and the symbols of the program');
console.log('examples/memory: live/programs/InlineTower.java with -XX:CompileCommand=memstat,*.*,print on JDK 25');
for (const args of [
	['report', 'examples/a', '--top', '1'],
	['diff', 'examples/a', 'examples/b'],
	['hot', 'examples/hot', '--top', '5', '--sources', 'live/programs'],
	['memory', 'examples/memory', '--top', '5'],
	['report', 'examples/order'],
]) {
	console.log(`\n$ assay ${args.join(' ')}\n`);
	const { status } = spawnSync(process.execPath, [path.join('bin', 'assay.js'), ...args], { cwd: root, stdio: 'inherit' });
	process.exitCode ||= status ?? 1;
}

// All that one run of a JVM tells, on one page.
const page = path.join('.cache', 'demo', 'report.html');
fs.mkdirSync(path.join(root, '.cache', 'demo'), { recursive: true });
console.log(`\n$ assay report fixtures/joined/jdk25-c2 -o ${page}\n`);
const { status } = spawnSync(process.execPath, [path.join('bin', 'assay.js'), 'report', path.join('fixtures', 'joined', 'jdk25-c2'), '-o', page], {
	cwd: root,
	stdio: ['ignore', 'ignore', 'inherit'],
});
process.exitCode ||= status ?? 1;
console.log(`All that was recorded of 8 seconds of Words.java on JDK 25, as a page. Open in a browser

  ${path.join(root, page)}

What to look at: drag over the timeline, and everything is of that time. Open c355, HashMap.merge: its versions above
tell why C2 compiled it five times; choose "150 Object.equals" among its calls, and the code of it is marked. Press ? for the keys.`);
