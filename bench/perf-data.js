/**
 * Time to have the samples of a recording: perf.data read as it is, against `perf script` and the reader of its text. Both start from what `assay record` left of a
 * program that computes with openssl, and run in turn.
 *
 *   npm run bench:perf-data [-- SECONDS_TO_RECORD]      default 20; needs perf and openssl
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openSamplesAndCode } from '../dist/index.js';
import { runAssay } from './measure.js';

const seconds = Number(process.argv[2] ?? 20);
const RUNS = 5;
const FIELDS = 'comm,pid,tid,time,event,ip,sym,dso';
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-perf-data-'));
try {
	await run();
} finally {
	fs.rmSync(folder, { recursive: true });
}

async function run() {
	const recording = path.join(folder, 'run');
	runAssay(['record', '--freq', '9999', '-o', recording, '--', 'openssl', 'speed', '-seconds', String(Math.max(1, Math.round(seconds / 6))), 'sha256']);
	const data = path.join(recording, 'perf.data');
	const text = path.join(folder, 'perf.script.txt');
	/** @type {{ native: number, script: number, reader: number }[]} */
	const times = [];
	let count = 0;
	for (let i = 0; i <= RUNS; i++) {
		const start = performance.now();
		const native = await read([data, path.join(recording, 'native-symbols.txt')]);
		const between = performance.now();
		const output = fs.openSync(text, 'w');
		spawnSync('perf', ['script', '-i', data, '--fields', FIELDS], { stdio: ['ignore', output, 'ignore'] });
		fs.closeSync(output);
		const scripted = performance.now();
		const plain = await read([text]);
		const end = performance.now();
		if (native !== plain) {
			throw new Error(`${native} samples are not ${plain}`);
		}
		count = native;
		if (i > 0) {
			times.push({ native: between - start, script: scripted - between, reader: end - scripted });
		}
	}
	const ratios = times.map(({ native, script, reader }) => (script + reader) / native).sort((a, b) => a - b);
	const middle = (/** @type {'native' | 'script' | 'reader'} */ key) => times.map((one) => one[key]).sort((a, b) => a - b)[RUNS >> 1] ?? 0;
	console.log(`${count} samples, perf.data of ${(fs.statSync(data).size / 1e6).toFixed(1)} MB, text of ${(fs.statSync(text).size / 1e6).toFixed(1)} MB`);
	console.log(`perf.data   ${middle('native').toFixed(0)} ms`);
	console.log(`perf script ${middle('script').toFixed(0)} ms, and ${middle('reader').toFixed(0)} ms to read its text`);
	console.log(
		`ratio ${ratios[RUNS >> 1]?.toFixed(1)} (${ratios[0]?.toFixed(1)} to ${ratios.at(-1)?.toFixed(1)} in ${RUNS} runs, in turn, after one to warm up)`,
	);
}

/** @param {readonly string[]} files */
async function read(files) {
	const recording = await openSamplesAndCode(files.map((file) => ({ filePath: file, name: path.basename(file) })));
	recording.close();
	return recording.samples.length;
}
