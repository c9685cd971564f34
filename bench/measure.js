/** Runs assay as a whole process and measures it. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ZSTDDecoder } from 'zstddec/stream';

const root = path.resolve(import.meta.dirname, '..');

/**
 * @param {readonly string[]} args
 * @returns {{ seconds: number, cpuSeconds: number, peakMegabytes: number, status: number | null }} of one run, its output thrown away
 */
export function runAssay(args) {
	return runNode([path.join(root, 'bin', 'assay.js'), ...args]);
}

/** @param {readonly string[]} args */
export function runNode(args) {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'));
	const usageFile = path.join(folder, 'usage.json');
	const sink = fs.openSync('/dev/null', 'w');
	const start = performance.now();
	const child = spawnSync(process.execPath, ['--import', path.join(root, 'bench', 'report-usage.js'), ...args], {
		stdio: ['ignore', sink, 'inherit'],
		env: { ...process.env, ASSAY_BENCH_USAGE: usageFile },
	});
	const seconds = (performance.now() - start) / 1000;
	fs.closeSync(sink);
	const usage = JSON.parse(fs.readFileSync(usageFile, 'utf8'));
	fs.rmSync(folder, { recursive: true });
	return { seconds, cpuSeconds: usage.cpuSeconds, peakMegabytes: usage.peakMegabytes, status: child.status };
}

/**
 * @template T
 * @param {number} times
 * @param {() => T} run
 * @param {(result: T) => number} value
 * @returns {T} the run with the median value
 */
export function median(times, run, value) {
	const runs = Array.from({ length: times }, run).sort((a, b) => value(a) - value(b));
	return /** @type {T} */ (runs[times >> 1]);
}

/**
 * The yardstick: counts the line ends of files through one buffer of 1 MiB, with indexOf. `seconds` counts reading (from the
 * page cache), `searchSeconds` only the search.
 * @param {readonly string[]} files
 * @returns {{ seconds: number, searchSeconds: number, bytes: number }}
 */
export function countNewlines(files) {
	const buffer = Buffer.allocUnsafeSlow(1 << 20);
	let bytes = 0;
	let lines = 0;
	let searchSeconds = 0;
	const start = performance.now();
	for (const file of files) {
		const descriptor = fs.openSync(file, 'r');
		for (let count = fs.readSync(descriptor, buffer); count > 0; count = fs.readSync(descriptor, buffer)) {
			bytes += count;
			const searchStart = performance.now();
			const chunk = buffer.subarray(0, count);
			for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) {
				lines++;
			}
			searchSeconds += (performance.now() - searchStart) / 1000;
		}
		fs.closeSync(descriptor);
	}
	const seconds = (performance.now() - start) / 1000;
	if (lines === 0) {
		throw new Error('the files have no lines');
	}
	return { seconds, searchSeconds, bytes };
}

/**
 * A log of the same program under names and ids of its own, so that a multiplied log is one of a larger program.
 * @param {string} log
 * @param {number} copy
 */
export function renamedCopy(log, copy) {
	return log
		.replaceAll('"java.', `"j${copy.toString(36)}.`)
		.replaceAll('"Escape', `"E${copy}scape`)
		.replace(/"compilationId":"(\d+)"/g, (_, id) => `"compilationId":"${Number(id) + copy * 100000}"`);
}

const zstd = new ZSTDDecoder();
await zstd.init();

/** @param {Uint8Array} bytes of a Zstandard file */
export function unpackZstd(bytes) {
	return zstd.decode(bytes);
}
