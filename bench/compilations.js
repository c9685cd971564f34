/**
 * Time and memory of reading compilers' logs: all decisions with the library, and `assay compilations`, on a recorded log multiplied.
 *
 *   npm run bench:compilations [-- MEGABYTES]
 */
import fs from 'node:fs';
import path from 'node:path';
import { countNewlines, median, runAssay, runNode, unpackZstd } from './measure.js';

const root = path.resolve(import.meta.dirname, '..');
const megabytes = Number(process.argv[2] ?? 40);
const folder = path.join(root, '.cache', 'bench', `compilations-${megabytes}`);
const file = path.join(folder, 'hotspot.log');
const RUNS = 5;
const MOST_IDS = 100_000;

if (!fs.existsSync(file)) {
	generate();
}
const yardstick = median(
	RUNS,
	() => countNewlines([file]),
	(run) => run.seconds,
);
console.log(`${(yardstick.bytes / 1e6).toFixed(1)} MB, median of ${RUNS} runs of the whole process`);
console.log(`newline count                  ${yardstick.seconds.toFixed(3)} s`);
report('all decisions, library', () => runNode([path.join(root, 'bench', 'read-compilations.js'), file]));
report('assay compilations', () => runAssay(['compilations', file]));
report('assay compilations --reasons', () => runAssay(['compilations', file, '--reasons']));
report('assay compilations --json', () => runAssay(['compilations', file, '--json']));

/** @param {string} what @param {() => ReturnType<typeof runNode>} once */
function report(what, once) {
	const run = median(RUNS, once, (one) => one.cpuSeconds);
	console.log(
		`${what.padEnd(29)} ${run.seconds.toFixed(3)} s, CPU ${run.cpuSeconds.toFixed(3)} s  ${(yardstick.bytes / 1e6 / run.seconds).toFixed(0).padStart(4)} MB/s  ` +
			`${run.peakMegabytes.toFixed(0)} MB peak  ${(run.seconds / yardstick.seconds).toFixed(0)} times the newline count`,
	);
}

/** One log of one JVM: what its threads wrote, several times under other ids, then its compilers' records likewise. */
function generate() {
	const text = Buffer.from(unpackZstd(fs.readFileSync(path.join(root, 'fixtures', 'jvm', 'compilation', 'jdk17', 'logcompilation.xml.zst')))).toString(
		'latin1',
	);
	const records = text.indexOf('<compilation_log');
	const end = text.indexOf('<hotspot_log_done');
	const copies = Math.max(1, Math.ceil((megabytes * 1e6) / text.length));
	fs.mkdirSync(folder, { recursive: true });
	const output = fs.openSync(`${file}.part`, 'w');
	for (const [from, to] of [
		[0, records],
		[records, end],
	]) {
		const part = text.slice(from, to);
		for (let copy = 0; copy < copies; copy++) {
			const renumbered = copy === 0 ? part : part.replace(/ compile_id='(\d+)'/g, (_, id) => ` compile_id='${copy * MOST_IDS + Number(id)}'`);
			// The head of the log belongs to one JVM.
			fs.writeSync(output, Buffer.from(copy === 0 ? renumbered : renumbered.slice(from === 0 ? renumbered.indexOf('<tty>\n') + 6 : 0), 'latin1'));
		}
	}
	fs.writeSync(output, text.slice(end));
	fs.closeSync(output);
	fs.renameSync(`${file}.part`, file);
}
