/**
 * Time to have the samples of a recording: perf.data read as it is, against `perf script` and the reader of its text, in turn, of openssl computing: addresses only,
 * with callers, compressed, and of two events. Both look names up on this machine, the 100,000 and more of the kernel too, whatever the size of the profile.
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
/** @type {readonly (readonly [string, string[] | null])[]} */
const FORMS = [
	['addresses', ['-e', 'cpu-clock']],
	['of assay record, which looked names up when it ended', null],
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
	for (const [form, options] of FORMS) {
		const each = String(Math.max(1, Math.round(seconds / 6)));
		const recorder = ['record', '-k', 'CLOCK_MONOTONIC', '-F', '9999', ...(options ?? []), '-o', data, '--', 'openssl', 'speed', '-seconds', each, 'sha256'];
		if (options === null) {
			const argv = [assay, 'record', '--force', '--freq', '9999', '-o', folder, '--', 'openssl', 'speed', '-seconds', each, 'sha256'];
			spawnSync(process.execPath, argv, { stdio: 'ignore' });
		} else {
			spawnSync('perf', recorder, { stdio: 'ignore' });
		}
		/** @type {{ native: number, script: number, reader: number }[]} */
		const times = [];
		let count = 0;
		for (let i = -WARM_UP; i < RUNS; i++) {
			const start = performance.now();
			const native = await read(...(options === null ? [data, names] : [data]));
			const between = performance.now();
			const output = fs.openSync(text, 'w');
			spawnSync('perf', ['script', '-i', data, '--fields', FIELDS], { stdio: ['ignore', output, 'ignore'] });
			fs.closeSync(output);
			const scripted = performance.now();
			const plain = await read(text);
			const end = performance.now();
			if (native !== plain) {
				throw new Error(`${native} samples are not ${plain}`);
			}
			count = native;
			if (i >= 0) {
				times.push({ native: between - start, script: scripted - between, reader: end - scripted });
			}
		}
		const ratios = times.map(({ native, script, reader }) => (script + reader) / native).sort((a, b) => a - b);
		const middle = (/** @type {'native' | 'script' | 'reader'} */ key) => times.map((one) => one[key]).sort((a, b) => a - b)[RUNS >> 1] ?? 0;
		const sizes = `perf.data of ${(fs.statSync(data).size / 1e6).toFixed(1)} MB, text of ${(fs.statSync(text).size / 1e6).toFixed(1)} MB`;
		console.log(`${form}: ${count} samples, ${sizes}`);
		console.log(
			`  perf.data ${middle('native').toFixed(0)} ms; perf script ${middle('script').toFixed(0)} ms, and ${middle('reader').toFixed(0)} ms to read its text`,
		);
		console.log(`  ratio ${ratios[RUNS >> 1]?.toFixed(1)} (${ratios[0]?.toFixed(1)} to ${ratios.at(-1)?.toFixed(1)} in ${RUNS} runs in turn)`);
	}
}

/** @param {string[]} files */
async function read(...files) {
	const recording = await openSamplesAndCode(files.map((file) => ({ filePath: file, name: path.basename(file) })));
	recording.close();
	return recording.samples.length;
}
