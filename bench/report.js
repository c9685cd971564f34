/** What the index of a recording saves: the first opening of a folder with all kinds of evidence against the second. Prints a ratio of times in one run. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const ROUNDS = 3;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'));
try {
	for (const name of ['jdk25-c2']) {
		const recording = path.join(folder, name);
		fs.cpSync(path.join(root, 'fixtures', 'joined', name), recording, { recursive: true });
		fs.rmSync(path.join(recording, '.assay-index'), { force: true });
		const without = best(() => report(recording, '--no-index'));
		report(recording);
		const withIndex = best(() => report(recording));
		const { size } = fs.statSync(path.join(recording, '.assay-index'));
		console.log(`${name}: ${without.toFixed(2)} s, with its index ${withIndex.toFixed(2)} s: ${(without / withIndex).toFixed(1)} times as fast; ${size} bytes`);
	}
} finally {
	fs.rmSync(folder, { recursive: true });
}

function report(...argv) {
	const start = performance.now();
	const { status } = spawnSync(process.execPath, [path.join(root, 'bin', 'assay.js'), 'report', '--json', ...argv], { stdio: 'ignore' });
	if (status !== 0) {
		throw new Error(`assay report ended with status ${status}`);
	}
	return (performance.now() - start) / 1000;
}

function best(run) {
	return Math.min(...Array.from({ length: ROUNDS }, run));
}
