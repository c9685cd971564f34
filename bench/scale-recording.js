/**
 * A large recording: fixtures/joined/jdk25-c2 many times over, each copy with compile ids, addresses and packages of its own, all of them at the same times. So the log has as many
 * more compilations, none of them twice, and each sample lies in one of them.
 */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

const recorded = path.resolve(import.meta.dirname, '..', 'fixtures', 'joined', 'jdk25-c2');
/** Of the recording's code cache. */
const CODE_CACHE = '7f962';
const FIRST_COPY = 0x10000;
const IDS_A_COPY = 10_000;
const PACKAGES = ['java', 'jdk', 'sun'];

/** The folder, made once. @param {string} folder @param {number} copies */
export function scaleRecording(folder, copies) {
	const result = path.join(folder, `jdk25-c2-${copies}`);
	if (!fs.existsSync(result)) {
		const unfinished = `${result}.unfinished`;
		fs.rmSync(unfinished, { recursive: true, force: true });
		fs.mkdirSync(unfinished, { recursive: true });
		multipliedLog(path.join(unfinished, 'hotspot.log'), unpacked('hotspot.log.gz'), copies);
		multipliedSamples(path.join(unfinished, 'perf.script.txt'), unpacked('perf.script.txt.gz'), copies);
		fs.writeFileSync(path.join(unfinished, 'safepoint.log'), unpacked('safepoint.log.gz'), 'latin1');
		fs.renameSync(unfinished, result);
	}
	return result;
}

/** @param {string} name */
function unpacked(name) {
	return gunzipSync(fs.readFileSync(path.join(recorded, name))).toString('latin1');
}

/** What the JVM printed of all copies, then what its compilers wrote. @param {string} file @param {string} log @param {number} copies */
function multipliedLog(file, log, copies) {
	const begin = log.indexOf('<tty>\n') + '<tty>\n'.length;
	const compilers = log.indexOf('<compilation_log');
	const end = log.indexOf('<hotspot_log_done');
	if (begin < 6 || compilers < begin || end < compilers) {
		throw new Error('the recorded log is not as expected');
	}
	const output = fs.openSync(file, 'w');
	fs.writeSync(output, log.slice(0, begin), null, 'latin1');
	for (const part of [log.slice(begin, compilers), log.slice(compilers, end)]) {
		for (let copy = 0; copy < copies; copy++) {
			fs.writeSync(output, renamed(part, copy), null, 'latin1');
		}
	}
	fs.writeSync(output, log.slice(end), null, 'latin1');
	fs.closeSync(output);
}

/** @param {string} part of a log @param {number} copy */
function renamed(part, copy) {
	if (copy === 0) {
		return part;
	}
	const id = (/** @type {string} */ text) => String(Number(text) + copy * IDS_A_COPY);
	return part
		.replaceAll(`0x0000${CODE_CACHE}`, `0x0000${codeCacheOf(copy)}`)
		.replace(/\bcompile_id='(\d+)'/g, (_, text) => `compile_id='${id(text)}'`)
		.replace(/^(Compiled method \([^)]*\) +\d+ +)(\d+)/gm, (_, head, text) => head + id(text))
		.replace(new RegExp(`\\b(${PACKAGES.join('|')})(?=[./])`, 'g'), (name) => `${name}${copy.toString(36)}`);
}

/** @param {string} file @param {string} samples @param {number} copies */
function multipliedSamples(file, samples, copies) {
	const output = fs.openSync(file, 'w');
	let waiting = '';
	for (const line of samples.split('\n').filter((one) => one !== '')) {
		for (let copy = 0; copy < copies; copy++) {
			waiting += `${copy === 0 ? line : line.replace(` ${CODE_CACHE}`, ` ${codeCacheOf(copy)}`)}\n`;
		}
		if (waiting.length > 1 << 22) {
			fs.writeSync(output, waiting, null, 'latin1');
			waiting = '';
		}
	}
	fs.writeSync(output, waiting, null, 'latin1');
	fs.closeSync(output);
}

/** @param {number} copy */
function codeCacheOf(copy) {
	return copy === 0 ? CODE_CACHE : (FIRST_COPY + copy).toString(16);
}
