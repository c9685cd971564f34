/**
 * Time and memory of `assay memory`: events replayed, print mode and verbose output multiplied to a gigabyte.
 *
 *   npm run bench:memory [-- MEGABYTES]
 */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { FootprintReplay, memorySource, readFootprintEvents } from '../dist/index.js';
import { countNewlines, median, runAssay } from './measure.js';

const root = path.resolve(import.meta.dirname, '..');
const megabytes = Number(process.argv[2] ?? 1000);
const recordings = path.join(root, 'fixtures', 'jvm', 'memstat');
const folder = path.join(root, '.cache', 'bench', `memory-${megabytes}`);
const RUNS = 3;

fs.mkdirSync(folder, { recursive: true });
replayOfCalls();
replayOfLines();
console.log(`median of ${RUNS} runs of the whole process`);
report('events', multiplied('events', 'events/events.ndjson.gz', megabytes), ['--events']);
report('verbose', multiplied('verbose', 'jcmd/verbose-minsize8M.txt.gz', megabytes), []);
report('print', multiplied('print', 'javac/memstat-print-javac.txt.gz', megabytes), []);

/** The engine alone: the calls of the recorded stream, again and again. */
function replayOfCalls() {
	/** @type {((replay: FootprintReplay) => void)[]} */
	const calls = [];
	/** @type {import('../dist/index.js').FootprintEventSink} */
	const keep = {
		compileStart: (...args) => calls.push((replay) => replay.compileStart(...args)),
		compileEnd: (...args) => calls.push((replay) => replay.compileEnd(...args)),
		phaseStart: (...args) => calls.push((replay) => replay.phaseStart(...args)),
		phaseEnd: (...args) => calls.push((replay) => replay.phaseEnd(...args)),
		allocate: (...args) => calls.push((replay) => replay.allocate(...args)),
		free: (...args) => calls.push((replay) => replay.free(...args)),
	};
	readFootprintEvents(memorySource('events', gunzipSync(fs.readFileSync(path.join(recordings, 'events/events.ndjson.gz')))), keep);
	const rounds = 100;
	const seconds = cpuSeconds(() => {
		const replay = new FootprintReplay();
		for (let round = 0; round < rounds; round++) {
			for (const call of calls) {
				call(replay);
			}
		}
		replay.finish();
	});
	console.log(`replay, calls only:    ${perSecond(rounds * calls.length, seconds)}`);
}

/** The engine and the reader of lines, in memory. */
function replayOfLines() {
	const one = gunzipSync(fs.readFileSync(path.join(recordings, 'events/events.ndjson.gz')));
	const bytes = Buffer.concat(Array(200).fill(one));
	let events = 0;
	const seconds = cpuSeconds(() => {
		events = readFootprintEvents(memorySource('events', bytes), new FootprintReplay()).events;
	});
	console.log(`replay, lines of JSON: ${perSecond(events, seconds)}, ${(bytes.length / 1e6 / seconds).toFixed(0)} MB/s`);
}

/**
 * Seconds of one core, the best of five runs.
 * @param {() => void} run
 */
function cpuSeconds(run) {
	let best = Number.POSITIVE_INFINITY;
	for (let i = 0; i < 5; i++) {
		const start = process.cpuUsage();
		run();
		const { user, system } = process.cpuUsage(start);
		best = Math.min(best, (user + system) / 1e6);
	}
	return best;
}

/** @param {number} events @param {number} seconds */
function perSecond(events, seconds) {
	return `${(events / seconds / 1e6).toFixed(2)} million events per second of one core`;
}

/** @param {string} what @param {string} file @param {readonly string[]} option */
function report(what, file, option) {
	const yardstick = median(
		RUNS,
		() => countNewlines([file]),
		(run) => run.seconds,
	);
	const run = median(
		RUNS,
		() => runAssay(['memory', ...option, file]),
		(one) => one.seconds,
	);
	const megabytesRead = yardstick.bytes / 1e6;
	console.log(
		`${what.padEnd(8)} ${megabytesRead.toFixed(0).padStart(5)} MB  ${run.seconds.toFixed(2)} s, CPU ${run.cpuSeconds.toFixed(2)} s  ` +
			`${(megabytesRead / run.seconds).toFixed(0)} MB/s  ${run.peakMegabytes.toFixed(0)} MB peak  ${(run.seconds / yardstick.seconds).toFixed(1)} times the newline count`,
	);
}

/** A recording as often as it takes, each copy one after the other. @param {string} name @param {string} source @param {number} size */
function multiplied(name, source, size) {
	const file = path.join(folder, `${name}.txt`);
	if (!fs.existsSync(file)) {
		const bytes = gunzipSync(fs.readFileSync(path.join(recordings, source)));
		const output = fs.openSync(file, 'w');
		for (let written = 0; written < size * 1e6; written += bytes.length) {
			fs.writeSync(output, bytes);
		}
		fs.closeSync(output);
	}
	return file;
}
