/**
 * CPU time and memory of `assay bias` with and without intervals on a recording of the size of a database's 43 seconds (17,000 samples of Java threads, a log of 46 MB,
 * made by scale-recording.js), beside counting the newlines of its files. Then time and memory of the profiles that `assay bias --against` reads, with a million
 * stacks each: Flight Recorder files of many chunks and of one, and collapsed stacks; beside plain reading of the bytes.
 *
 *   npm run bench:bias [-- STACKS]
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { countNewlines, median, runAssay, runNode } from './measure.js';
import { scaleRecording } from './scale-recording.js';

const root = path.resolve(import.meta.dirname, '..');
const stacks = Number(process.argv[2] ?? 1_000_000);
const recordings = path.join(root, 'fixtures', 'jvm', 'safepoint');
const folder = path.join(root, '.cache', 'bench', `bias-${stacks}`);
const RUNS = 5;
const HEADER_BYTES = 68;
/** Of a recording with 4,200 samples of Java threads. */
const COPIES = 4;
const MOST_SECONDS = 6;
const MOST_MEGABYTES = 500;

if (process.argv[3] === undefined) {
	fs.mkdirSync(folder, { recursive: true });
	prediction(scaleRecording(path.join(root, '.cache', 'bench', 'scale'), COPIES));
	console.log(`median of ${RUNS} runs of the whole process, the file in the page cache`);
	report('JFR, many chunks', manyChunks());
	report('JFR, one chunk', oneChunk());
	report('collapsed stacks', collapsed());
} else {
	await read(process.argv[3]);
}

/** What is measured: a process that opens the profile and sums it up. @param {string} file */
async function read(file) {
	const { observedProfile, openObservedFile } = await import('../dist/index.js');
	const { file: opened, problems } = await openObservedFile(file, file);
	const [kind] = opened?.kinds ?? [];
	const profile = opened === null || kind === undefined ? null : observedProfile(opened, kind, { thread: null, window: null });
	if (profile === null || profile.counted < stacks || problems.length > 0) {
		throw new Error(`${file}: ${profile?.counted} stacks, ${problems.length} problems`);
	}
}

/** @param {string} recording */
function prediction(recording) {
	const files = fs.readdirSync(recording).map((name) => path.join(recording, name));
	const plain = median(
		RUNS,
		() => countNewlines(files),
		({ seconds }) => seconds,
	);
	for (const command of [['bias', '--rounds', '0'], ['bias']]) {
		const { cpuSeconds, peakMegabytes, status } = median(
			RUNS,
			() => runAssay([...command, recording]),
			(run) => run.cpuSeconds,
		);
		if (status !== 0) {
			throw new Error(`${recording} was not read`);
		}
		const isMet = cpuSeconds <= MOST_SECONDS && peakMegabytes <= MOST_MEGABYTES;
		console.log(
			`${command.join(' ').padEnd(18)} ${(plain.bytes / 1e6).toFixed(0)} MB  CPU ${cpuSeconds.toFixed(2)} s  ${peakMegabytes.toFixed(0)} MB peak  ` +
				`${(cpuSeconds / plain.seconds).toFixed(0)} times the newline count  ${isMet ? '' : 'NOT '}within ${MOST_SECONDS} s, ${MOST_MEGABYTES} MB`,
		);
	}
}

/** @param {string} what @param {string} file */
function report(what, file) {
	const plain = median(
		RUNS,
		() => readPlainly(file),
		(seconds) => seconds,
	);
	const run = median(
		RUNS,
		() => runNode([fileURLToPath(import.meta.url), String(stacks), file]),
		(one) => one.seconds,
	);
	if (run.status !== 0) {
		throw new Error(`${file} was not read`);
	}
	const megabytes = fs.statSync(file).size / 1e6;
	console.log(
		`${what.padEnd(18)} ${stacks} stacks, ${megabytes.toFixed(0).padStart(3)} MB  ${run.seconds.toFixed(2)} s, CPU ${run.cpuSeconds.toFixed(2)} s  ` +
			`${run.peakMegabytes.toFixed(0)} MB peak  ${(run.seconds / plain).toFixed(0)} times plain reading  ${run.seconds < 2 ? 'under 2 s' : 'NOT under 2 s'}`,
	);
}

/** Seconds. @param {string} file */
function readPlainly(file) {
	const buffer = Buffer.allocUnsafeSlow(1 << 20);
	const descriptor = fs.openSync(file, 'r');
	const start = performance.now();
	while (fs.readSync(descriptor, buffer) > 0) {}
	const seconds = (performance.now() - start) / 1000;
	fs.closeSync(descriptor);
	return seconds;
}

/** A recording of 185 kB with 3,800 samples, one after the other. */
function manyChunks() {
	return made('chunks.jfr', () => {
		const one = gunzipSync(fs.readFileSync(path.join(recordings, 'jdk25-serial', 'rec.jfr.gz')));
		const samples = samplesOf(one).length;
		return { bytes: one, times: Math.ceil(stacks / samples) };
	});
}

/** The same recording, its samples again and again behind the header. */
function oneChunk() {
	return made('chunk.jfr', () => {
		const one = gunzipSync(fs.readFileSync(path.join(recordings, 'jdk25-serial', 'rec.jfr.gz')));
		const events = samplesOf(one);
		const block = Buffer.concat(events);
		const times = Math.ceil(stacks / events.length);
		const header = Buffer.from(one.subarray(0, HEADER_BYTES));
		// Size, and the places of the last constants and the metadata.
		for (const at of [8, 16, 24]) {
			header.writeBigInt64BE(header.readBigInt64BE(at) + BigInt(block.length * times), at);
		}
		return { bytes: Buffer.concat([header, ...Array(times).fill(block), one.subarray(HEADER_BYTES)]), times: 1 };
	});
}

function collapsed() {
	return made('stacks.collapsed', () => {
		const lines = gunzipSync(fs.readFileSync(path.join(root, 'fixtures', 'jvm', 'async-profiler', 'cpu.collapsed.gz')))
			.toString()
			.split('\n')
			.filter((line) => line !== '');
		return { bytes: Buffer.from(lines.map((line) => `${line.replace(/ \d+$/, '')} 1\n`).join('')), times: Math.ceil(stacks / lines.length) };
	});
}

/** @param {string} name @param {() => { bytes: Buffer, times: number }} make */
function made(name, make) {
	const file = path.join(folder, name);
	if (!fs.existsSync(file)) {
		const { bytes, times } = make();
		const output = fs.openSync(file, 'w');
		for (let i = 0; i < times; i++) {
			fs.writeSync(output, bytes);
		}
		fs.closeSync(output);
	}
	return file;
}

/**
 * The bytes of all events of the most frequent type: the recording holds samples, metadata and checkpoints only.
 * @param {Buffer} bytes @returns {Buffer[]}
 */
function samplesOf(bytes) {
	/** @type {Map<number, Buffer[]>} */
	const byType = new Map();
	for (let at = HEADER_BYTES; at < bytes.length; ) {
		const size = varint(bytes, at);
		const type = varint(bytes, size.end);
		const ofType = byType.get(type.value) ?? [];
		ofType.push(bytes.subarray(at, at + size.value));
		byType.set(type.value, ofType);
		at += size.value;
	}
	const [largest] = [...byType.values()].sort((a, b) => b.length - a.length);
	return largest ?? [];
}

/** @param {Buffer} bytes @param {number} at */
function varint(bytes, at) {
	let value = 0;
	let shift = 1;
	for (;;) {
		const byte = /** @type {number} */ (bytes[at++]);
		value += (byte & 0x7f) * shift;
		shift *= 128;
		if (byte < 0x80) {
			return { value, end: at };
		}
	}
}
