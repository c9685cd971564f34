/**
 * Recordings of Flight Recorder: CPU time of a report of one that is given, speed and memory of reading 500 MB, which are the chunks of that file (or of
 * fixtures/jvm/jfr-events) again and again, with `jfr summary` and `jfr print` of a JDK beside them. A file of repeated chunks has each compile id many times,
 * which no JVM writes: a report of it is measured where a file is given, which should have what fills real ones, as events of allocations.
 *
 *   npm run bench:jfr [-- [FILE.jfr] [MEGABYTES]]      JDK_HOME or JAVA_HOME names the JDK whose jfr is taken
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { median, runAssay, runNode } from './measure.js';

const root = path.resolve(import.meta.dirname, '..');
const folder = path.join(root, '.cache', 'bench', 'jfr');
const RUNS = 3;
const PRINTED_MEGABYTES = 20;
const PRINTED = 'jdk.ExecutionSample,jdk.Compilation,jdk.CompilerInlining,jdk.SafepointBegin,jdk.GarbageCollection';
const [mode, file] = process.argv.slice(2);

if (mode === '--read') {
	await read(file ?? '');
} else {
	const given = process.argv.slice(2).find((argument) => argument.endsWith('.jfr'));
	const megabytes = Number(process.argv.slice(2).find((argument) => /^\d+$/.test(argument)) ?? 500);
	fs.mkdirSync(folder, { recursive: true });
	const seed =
		given === undefined ? gunzipSync(fs.readFileSync(path.join(root, 'fixtures', 'jvm', 'jfr-events', 'jdk25', 'run.jfr.gz'))) : fs.readFileSync(given);
	const large = repeated(seed, megabytes);
	const printed = repeated(seed, PRINTED_MEGABYTES);
	console.log(`median of ${RUNS} runs of whole processes, files in the page cache`);
	if (given === undefined) {
		console.log('assay report         give a FILE.jfr, best of 5 MB');
	} else {
		report(given);
	}
	reading('samples, counts', large, () => runNode([fileURLToPath(import.meta.url), '--read', large]));
	if (given !== undefined) {
		reading('assay report', large, () => runAssay(['report', large]));
	}
	reading('assay bias --ttsp', large, () => runAssay(['bias', '--ttsp', large]));
	const jfr = jfrTool();
	if (jfr === null) {
		console.log('no jfr of a JDK: set JAVA_HOME');
	} else {
		reading('jfr summary', large, () => runTimed(jfr, ['summary', large]));
		reading('assay, the same', printed, () => runNode([fileURLToPath(import.meta.url), '--read', printed]));
		reading('jfr print, 5 kinds', printed, () => runTimed(jfr, ['print', '--events', PRINTED, printed]));
	}
	for (const name of [large, printed]) {
		fs.rmSync(name, { force: true });
	}
}

/** What is measured: a process that reads all samples and counts all events. @param {string} name */
async function read(name) {
	const { readJfr } = await import('../dist/index.js');
	const descriptor = fs.openSync(name, 'r');
	const source = {
		name,
		sizeBytes: fs.fstatSync(descriptor).size,
		/** @param {Uint8Array} target @param {number} offset @param {number} length @param {number} position */
		read: (target, offset, length, position) => fs.readSync(descriptor, target, offset, length, position),
		close: () => fs.closeSync(descriptor),
	};
	if (readJfr(source).samples.length === 0) {
		throw new Error(`${name} was not read`);
	}
}

/** @param {string} name */
function report(name) {
	const run = median(
		RUNS,
		() => runAssay(['report', name]),
		(one) => one.cpuSeconds,
	);
	const megabytes = fs.statSync(name).size / 1e6;
	console.log(
		`assay report         ${megabytes.toFixed(1)} MB  ${run.seconds.toFixed(2)} s, CPU ${run.cpuSeconds.toFixed(2)} s (${run.cpuSeconds <= 1.2 ? 'at most' : 'MORE than'} 1.2 s)  ${run.peakMegabytes.toFixed(0)} MB peak`,
	);
}

/** @param {string} what @param {string} name @param {() => { seconds: number, cpuSeconds: number, peakMegabytes: number, status: number | null }} once */
function reading(what, name, once) {
	const run = median(RUNS, once, (one) => one.seconds);
	if (run.status !== 0) {
		throw new Error(`${what} failed on ${name}`);
	}
	const megabytes = fs.statSync(name).size / 1e6;
	console.log(
		`${what.padEnd(20)} ${megabytes.toFixed(1)} MB  ${run.seconds.toFixed(2)} s, CPU ${run.cpuSeconds.toFixed(2)} s  ${(megabytes / run.seconds).toFixed(1)} MB/s  ${run.peakMegabytes.toFixed(0)} MB peak`,
	);
}

/** A program that is no node: CPU time and memory by /usr/bin/time. @param {string} program @param {readonly string[]} args */
function runTimed(program, args) {
	const usage = path.join(folder, 'usage.txt');
	const start = performance.now();
	const { status } = spawnSync('/usr/bin/time', ['-f', '%U %S %M', '-o', usage, program, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
	const seconds = (performance.now() - start) / 1000;
	const [user = 0, system = 0, kilobytes = 0] = fs.readFileSync(usage, 'utf8').trim().split(/\s+/).map(Number);
	return { seconds, cpuSeconds: user + system, peakMegabytes: kilobytes / 1000, status };
}

/** @param {Uint8Array} seed @param {number} megabytes */
function repeated(seed, megabytes) {
	const name = path.join(folder, `${megabytes}.jfr`);
	const descriptor = fs.openSync(name, 'w');
	for (let size = 0; size < megabytes * 1e6; size += seed.length) {
		fs.writeSync(descriptor, seed);
	}
	fs.closeSync(descriptor);
	return name;
}

function jfrTool() {
	const homes = [process.env.JDK_HOME, process.env.JAVA_HOME].filter((home) => home !== undefined);
	return homes.map((home) => path.join(home, 'bin', 'jfr')).find((name) => fs.existsSync(name)) ?? null;
}
