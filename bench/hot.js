/**
 * Time and memory of `assay hot`: a recording as it is, ten million samples, and a log of 1.5 GB, made in a temporary folder from the
 * fixtures and removed again.
 *
 *   npm run bench:hot [-- MEGABYTES_OF_LOG [MILLIONS_OF_SAMPLES]]      default 1500 and 10: needs 4 GB of free disk
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { countNewlines, median, runAssay, runNode, unpackZstd } from './measure.js';

const megabytes = Number(process.argv[2] ?? 1500);
const sampleCount = Number(process.argv[3] ?? 10) * 1e6;
const recordings = path.resolve(import.meta.dirname, '..', 'fixtures', 'jvm', 'perfasm');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-hot-'));
const RUNS = 5;

try {
	run();
} finally {
	fs.rmSync(folder, { recursive: true });
}

function run() {
	const [log, samples] = recording('jdk25-arraySum');
	const [mapLog, mapSamples] = recording('jdk25-mapGet');
	const tenThousand = multipliedSamples('samples.txt', samples, 1e4);

	console.log('CPU time (user and system) and peak memory of the whole process, and the ratio to the CPU time of reading and counting lines');
	show('node, doing nothing', RUNS, [], () => runNode(['-e', '0']));
	show('one recording, text', RUNS, [log, tenThousand], hot);
	show('one recording, --json', RUNS, [log, tenThousand], hotJson);
	const many = multipliedSamples('many.txt', mapSamples, sampleCount);
	show(`${sampleCount / 1e6} million samples`, 1, [mapLog, many], hot);
	fs.rmSync(many);
	const manyDefault = multipliedSamples('many-default.txt', mapSamples, sampleCount / 10, defaultForm);
	show(`${sampleCount / 1e7} million in perf's default form`, 1, [mapLog, manyDefault], hot);
	fs.rmSync(manyDefault);
	for (const [name, change] of /** @type {const} */ ([
		['one log repeated', (/** @type {string} */ text) => text],
		['log of many pieces', otherCode],
	])) {
		const longLog = multipliedLog('long.log', mapLog, change);
		show(name, 1, [longLog, mapSamples], hotJson);
		fs.rmSync(longLog);
	}
}

/** @typedef {ReturnType<typeof runAssay>} Run */

/** @param {readonly string[]} files @returns {Run} */
function hot(files) {
	return runAssay(['hot', ...files]);
}

/** @param {readonly string[]} files @returns {Run} */
function hotJson(files) {
	return runAssay(['hot', ...files, '--json']);
}

/** @param {string} what @param {number} runs @param {readonly string[]} files @param {(files: readonly string[]) => Run} measured */
function show(what, runs, files, measured) {
	const result = median(
		runs,
		() => measured(files),
		(one) => one.cpuSeconds,
	);
	const usage = `${what.padEnd(34)} CPU ${result.cpuSeconds.toFixed(2).padStart(5)} s  ${result.peakMegabytes.toFixed(0).padStart(5)} MB peak`;
	if (files.length === 0) {
		console.log(usage);
		return;
	}
	const yardstick = median(
		runs,
		() => lineCount(files),
		(one) => one.cpuSeconds,
	);
	const megabytesRead = yardstick.bytes / 1e6;
	const speed = (megabytesRead / result.cpuSeconds).toFixed(0);
	const ratio = (result.cpuSeconds / yardstick.cpuSeconds).toFixed(1);
	console.log(`${usage}  ${megabytesRead.toFixed(0).padStart(5)} MB at ${speed.padStart(4)} MB/s  ${ratio} times the line count`);
}

/** @param {readonly string[]} files */
function lineCount(files) {
	const before = process.cpuUsage();
	const { bytes } = countNewlines(files);
	const { user, system } = process.cpuUsage(before);
	return { bytes, cpuSeconds: (user + system) / 1e6 };
}

/** @param {string} name @returns {[string, string]} its log and its samples, unpacked */
function recording(name) {
	const [log, samples] = [path.join(folder, `${name}-hotspot.log`), path.join(folder, `${name}-perf.script.txt`)];
	fs.writeFileSync(log, unpackZstd(fs.readFileSync(path.join(recordings, name, 'hotspot.log.zst'))));
	fs.writeFileSync(samples, gunzipSync(fs.readFileSync(path.join(recordings, name, 'perf.script.txt.gz'))));
	return [log, samples];
}

/**
 * The recording's samples over and over, each time later.
 * @param {string} name
 * @param {string} from
 * @param {number} count
 * @param {(time: string, rest: string) => string} form of a line
 */
function multipliedSamples(name, from, count, form = (time, rest) => `${time}${rest}`) {
	const lines = fs
		.readFileSync(from, 'latin1')
		.split('\n')
		.flatMap((line) => {
			const [, time, rest = ''] = /^ *([\d.]+)(:.*)$/.exec(line) ?? [];
			return time === undefined ? [] : [{ time: Number(time), rest }];
		});
	const span = Number(lines.at(-1)?.time) - Number(lines[0]?.time) + 0.001;
	return write(name, (append) => {
		for (let i = 0; i < count; i++) {
			const { time = 0, rest = '' } = lines[i % lines.length] ?? {};
			append(`${form((time + span * Math.floor(i / lines.length)).toFixed(6).padStart(12), rest)}\n`);
		}
	});
}

/** @param {string} time @param {string} rest */
function defaultForm(time, rest) {
	return `C2 CompilerThre 27644/27683 [001] ${time}:    1000000 ${rest
		.slice(2)
		.replace(/^([\w-]+):/, '$1:u:')
		.replace(/ \(([^ ]*)\)$/, '+0x1f ($1)')}`;
}

/** @param {string} name @param {string} from @param {(log: string, copy: number) => string} change */
function multipliedLog(name, from, change) {
	const log = fs.readFileSync(from, 'latin1');
	return write(name, (append) => {
		for (let copy = 0; copy * log.length < megabytes * 1e6; copy++) {
			append(change(log, copy));
		}
	});
}

/** The log of another JVM: no compile id and no address of the first one, whose samples are looked at. @param {string} log @param {number} copy */
function otherCode(log, copy) {
	const prefix = /main code +\[0x0000([0-9a-f]{4})/.exec(log)?.[1];
	const id = (/** @type {string} */ text) => String(Number(text) + copy * 10_000);
	return copy === 0
		? log
		: log
				.replaceAll(`0x0000${prefix}`, `0x0000${(0x1000 + copy).toString(16)}`)
				.replace(/compile_id='(\d+)'/g, (_, text) => `compile_id='${id(text)}'`)
				.replace(/^(Compiled method \([^)]*\) +\d+ +)(\d+)/gm, (_, head, text) => head + id(text));
}

/** @param {string} name @param {(append: (text: string) => void) => void} fill */
function write(name, fill) {
	const file = path.join(folder, name);
	const output = fs.openSync(file, 'w');
	let waiting = '';
	fill((text) => {
		waiting += text;
		if (waiting.length > 1 << 22) {
			fs.writeSync(output, waiting, null, 'latin1');
			waiting = '';
		}
	});
	fs.writeSync(output, waiting, null, 'latin1');
	fs.closeSync(output);
	return file;
}
