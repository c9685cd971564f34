/**
 * CPU time and memory of whole commands on whole recordings, beside counting the newlines of their files in Node.
 *
 *   npm run bench:scale [-- RECORDING...]
 *
 * Without arguments a small recording of the examples and two large ones, which are made of one of the fixtures (scale-recording.js; 0.6 GB in .cache/bench) and are
 * one four times the other: the last column should not grow.
 */
import fs from 'node:fs';
import path from 'node:path';
import { median, runAssay } from './measure.js';
import { scaleRecording } from './scale-recording.js';

const root = path.resolve(import.meta.dirname, '..');
const given = process.argv.slice(2);
const made = path.join(root, '.cache', 'bench', 'scale');
const recordings = given.length > 0 ? given : [path.join(root, 'examples', 'hot'), scaleRecording(made, 10), scaleRecording(made, 40)];
const COMMANDS = [['hot'], ['compilations'], ['bias', '--rounds', '0'], ['bias'], ['report', '--no-index']];
const RUNS = 3;
/** Of larger ones a run each. */
const LARGE_MEGABYTES = 100;

for (const recording of recordings) {
	const files = fs
		.readdirSync(recording, { recursive: true, withFileTypes: true })
		.flatMap((file) => (file.isFile() ? [path.join(file.parentPath, file.name)] : []));
	const megabytes = files.reduce((sum, file) => sum + fs.statSync(file).size, 0) / 1e6;
	const runs = megabytes > LARGE_MEGABYTES ? 1 : RUNS;
	const plain = median(
		RUNS,
		() => countNewlines(files),
		(seconds) => seconds,
	);
	console.log(`${recording}: ${megabytes.toFixed(0)} MB, newlines counted in ${plain.toFixed(2)} s`);
	for (const command of COMMANDS) {
		const run = median(
			runs,
			() => runAssay([...command, recording]),
			({ cpuSeconds }) => cpuSeconds,
		);
		const { cpuSeconds, peakMegabytes, status } = run;
		const times = (cpuSeconds / plain).toFixed(0).padStart(5);
		console.log(
			`  ${command.join(' ').padEnd(18)} CPU ${cpuSeconds.toFixed(2).padStart(6)} s ${times} times the count  ${peakMegabytes.toFixed(0).padStart(5)} MB  status ${status}`,
		);
	}
}

/** Seconds of CPU. @param {readonly string[]} files */
function countNewlines(files) {
	const start = process.cpuUsage();
	const buffer = Buffer.allocUnsafeSlow(1 << 20);
	for (const file of files) {
		const descriptor = fs.openSync(file, 'r');
		for (let size = fs.readSync(descriptor, buffer); size > 0; size = fs.readSync(descriptor, buffer)) {
			const bytes = buffer.subarray(0, size);
			let at = bytes.indexOf(10);
			while (at >= 0) {
				at = bytes.indexOf(10, at + 1);
			}
		}
		fs.closeSync(descriptor);
	}
	const { user, system } = process.cpuUsage(start);
	return (user + system) / 1e6;
}
