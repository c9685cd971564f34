/**
 * Time and memory of `assay perfasm`: a recording as it is, its log multiplied, its samples multiplied.
 *
 *   npm run bench:perfasm [-- MEGABYTES]
 */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { countNewlines, median, runAssay, unpackZstd } from './measure.js';

const root = path.resolve(import.meta.dirname, '..');
const megabytes = Number(process.argv[2] ?? 100);
const recording = path.join(root, 'fixtures', 'jvm', 'perfasm', 'jdk17-arraySum');
const folder = path.join(root, '.cache', 'bench', `perfasm-${megabytes}`);
const RUNS = 5;

const log = unpackZstd(fs.readFileSync(path.join(recording, 'hotspot.log.zst')));
const samples = gunzipSync(fs.readFileSync(path.join(recording, 'perf.script.txt.gz')));
fs.mkdirSync(folder, { recursive: true });
const files = {
	log: write('hotspot.log', log, 1),
	samples: write('perf.txt', samples, 1),
	longLog: write('long.log', log, Math.ceil((megabytes * 1e6) / log.length)),
	manySamples: write('long.txt', samples, Math.ceil((megabytes * 1e6) / samples.length)),
};

console.log(`median of ${RUNS} runs of the whole process`);
report('one recording', [files.log, files.samples]);
report('long log', [files.longLog, files.samples]);
report('many samples', [files.log, files.manySamples]);

/** @param {string} what @param {string[]} inputs */
function report(what, inputs) {
	const yardstick = median(
		RUNS,
		() => countNewlines(inputs),
		(run) => run.seconds,
	);
	const run = median(
		RUNS,
		() => runAssay(['perfasm', ...inputs]),
		(one) => one.seconds,
	);
	const ratio = (run.seconds / yardstick.seconds).toFixed(0);
	const speed = (yardstick.bytes / 1e6 / run.seconds).toFixed(0);
	console.log(
		`${what.padEnd(14)} ${(yardstick.bytes / 1e6).toFixed(0).padStart(4)} MB  ${run.seconds.toFixed(2)} s, CPU ${run.cpuSeconds.toFixed(2)} s  ` +
			`${speed} MB/s  ${run.peakMegabytes.toFixed(0)} MB peak  ${ratio} times the newline count`,
	);
}

/** @param {string} name @param {Uint8Array} bytes @param {number} copies */
function write(name, bytes, copies) {
	const file = path.join(folder, name);
	if (!fs.existsSync(file)) {
		const output = fs.openSync(file, 'w');
		for (let copy = 0; copy < copies; copy++) {
			fs.writeSync(output, bytes);
		}
		fs.closeSync(output);
	}
	return file;
}
