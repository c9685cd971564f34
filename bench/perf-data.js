/**
 * Time to have the samples of a recording: perf.data read as it is, against `perf script` and the reader of its text, in turn, of openssl computing: addresses only,
 * with callers, compressed, and of two events. What `assay record` leaves has the names of native code
 * beside it; without them both readers look them up on this machine, the 100,000 and more of the kernel too, whatever the size of the profile.
 *
 *   npm run bench:perf-data [-- SECONDS_TO_RECORD]      default 12, of each form; needs perf and openssl
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openSamplesAndCode } from '../dist/index.js';

const seconds = Number(process.argv[2] ?? 12);
const assay = path.join(import.meta.dirname, '..', 'bin', 'assay.js');
const RUNS = 7;
/** Runs before those that count: what reads is compiled by then. */
const WARM_UP = 3;
const FIELDS = 'comm,pid,tid,time,event,ip,sym,dso';
/** @type {readonly (readonly [string, string[]])[]} */
const FORMS = [
	['addresses', ['-e', 'cpu-clock']],
	['callers (-g)', ['-g', '-e', 'cpu-clock']],
	['compressed (-z)', ['-z', '-e', 'cpu-clock']],
	['two events', ['-e', 'cpu-clock', '-e', 'task-clock']],
];

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-perf-data-'));
try {
	await run();
} finally {
	fs.rmSync(folder, { recursive: true });
}

async function run() {
	const data = path.join(folder, 'perf.data');
	const names = path.join(folder, 'native-symbols.txt');
	const text = path.join(folder, 'perf.script.txt');
	const program = ['openssl', 'speed', '-seconds', String(Math.max(1, Math.round(seconds / 6))), 'sha256'];
	spawnSync(process.execPath, [assay, 'record', '--force', '--freq', '9999', '-o', folder, '--', ...program], { stdio: 'ignore' });
	for (const [form, options] of FORMS) {
		const recorder = ['record', '-k', 'CLOCK_MONOTONIC', '-F', '9999', ...options, '-o', data, '--', ...program];
		spawnSync('perf', recorder, { stdio: 'ignore' });
		/** @type {Record<string, number[]>} */
		const times = { named: [], bare: [], script: [], reader: [] };
		let count = 0;
		for (let i = -WARM_UP; i < RUNS; i++) {
			const marks = [performance.now()];
			const counts = [await read(data, names)];
			marks.push(performance.now());
			counts.push(await read(data));
			marks.push(performance.now());
			const output = fs.openSync(text, 'w');
			spawnSync('perf', ['script', '-i', data, '--fields', FIELDS], { stdio: ['ignore', output, 'ignore'] });
			fs.closeSync(output);
			marks.push(performance.now());
			counts.push(await read(text));
			marks.push(performance.now());
			if (counts.some((one) => one !== counts[0])) {
				throw new Error(`the samples are ${counts.join(', ')}`);
			}
			count = counts[0] ?? 0;
			if (i >= 0) {
				Object.values(times).forEach((column, k) => {
					column.push((marks[k + 1] ?? 0) - (marks[k] ?? 0));
				});
			}
		}
		const { named = [], bare = [], script = [], reader = [] } = times;
		const ratio = (/** @type {number[]} */ own) => {
			const sorted = own.map((one, i) => ((script[i] ?? 0) + (reader[i] ?? 0)) / one).sort((x, y) => x - y);
			return `${(sorted[RUNS >> 1] ?? 0).toFixed(1)} (${(sorted[0] ?? 0).toFixed(1)} to ${(sorted.at(-1) ?? 0).toFixed(1)})`;
		};
		const middle = (/** @type {number[]} */ column) => ([...column].sort((x, y) => x - y)[RUNS >> 1] ?? 0).toFixed(0);
		console.log(`${form}: ${count} samples, ${(fs.statSync(data).size / 1e6).toFixed(1)} MB, text ${(fs.statSync(text).size / 1e6).toFixed(1)} MB`);
		console.log(`  perf script ${middle(script)} ms, and ${middle(reader)} ms to read its text`);
		console.log(`  perf.data, names looked up when it was recorded ${middle(named)} ms, ratio ${ratio(named)}; here ${middle(bare)} ms, ratio ${ratio(bare)}`);
	}
}

/** @param {string[]} files */
async function read(...files) {
	const recording = await openSamplesAndCode(files.map((file) => ({ filePath: file, name: path.basename(file) })));
	recording.close();
	return recording.samples.length;
}
