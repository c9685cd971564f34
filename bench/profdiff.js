/**
 * Time and memory of profdiff on a large log: the examples multiplied, each copy under names and ids of its own.
 *
 *   npm run bench:profdiff [-- MEGABYTES]      default 620; the log is made once in .cache/bench
 */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { countNewlines, median, renamedCopy, runAssay, runNode } from './measure.js';

const root = path.resolve(import.meta.dirname, '..');
const megabytes = Number(process.argv[2] ?? 620);
const folder = path.join(root, '.cache', 'bench', `profdiff-${megabytes}`);
const RUNS = 5;

const sides = ['a', 'b'].map((name) => ({
	name,
	log: gunzipSync(fs.readFileSync(path.join(root, 'examples', name, 'log', '0_16.gz'))).toString('latin1'),
	profile: JSON.parse(fs.readFileSync(path.join(root, 'examples', name, 'prof.json'), 'utf8')),
}));
const copies = Math.ceil((megabytes * 1e6) / sides.reduce((sum, side) => sum + side.log.length, 0));
const units = sides.reduce((sum, side) => sum + side.log.split('\n').length - 1, 0) * copies;
generate();

const paths = sides.flatMap(({ name }) => [path.join(folder, name, 'log'), path.join(folder, name, 'prof.json')]);
const [logA = '', profileA = '', logB = '', profileB = ''] = paths;
const logFiles = [path.join(logA, '0_16'), path.join(logB, '0_16')];

const yardstick = median(
	RUNS,
	() => countNewlines(logFiles),
	(run) => run.seconds,
);
const yardstickB = median(
	RUNS,
	() => countNewlines([path.join(logB, '0_16')]),
	(run) => run.seconds,
);
console.log(`${(yardstick.bytes / 1e6).toFixed(0)} MB, ${units} units, median of ${RUNS} runs of the whole process`);
const perGigabyte = (/** @type {number} */ seconds) => `${((seconds / yardstick.bytes) * 1e9).toFixed(3)} s a GB`;
console.log(
	`newline count           ${yardstick.seconds.toFixed(3)} s   ${perGigabyte(yardstick.seconds)} with reading, ${perGigabyte(yardstick.searchSeconds)} without`,
);
show(
	'node, doing nothing',
	median(
		RUNS,
		() => runNode(['-e', '0']),
		(run) => run.seconds,
	),
	undefined,
);
show('compare (jit-vs-jit)', compare(), yardstick);
show('report, with profile', measure(['profdiff', 'report', logB, profileB]), yardstickB);
show('report, all units', measure(['profdiff', 'report', logB]), yardstickB);
const small = ['a', 'b'].flatMap((name) => [path.join(root, 'examples', name, 'log'), path.join(root, 'examples', name, 'prof.json')]);
show('compare the examples', measure(['profdiff', 'jit-vs-jit', ...small]), undefined);

function compare() {
	return measure(['profdiff', 'jit-vs-jit', logA, profileA, logB, profileB]);
}

/** @param {readonly string[]} args */
function measure(args) {
	return median(
		RUNS,
		() => runAssay(args),
		(run) => run.seconds,
	);
}

/**
 * @param {string} what
 * @param {ReturnType<typeof runAssay>} run
 * @param {{ seconds: number, bytes: number } | undefined} base
 */
function show(what, run, base) {
	const ratio =
		base === undefined ? '' : `${(run.seconds / base.seconds).toFixed(1)} times the newline count, ${(base.bytes / 1e6 / run.seconds).toFixed(0)} MB/s`;
	console.log(`${what.padEnd(23)} ${run.seconds.toFixed(3)} s   ${run.peakMegabytes.toFixed(0).padStart(4)} MB peak   ${ratio}`);
}

/** Writes the multiplied logs, unless they are there. Copies past the first are colder, so that the same units stay hot. */
function generate() {
	if (fs.existsSync(path.join(folder, 'done'))) {
		return;
	}
	for (const { name, log, profile } of sides) {
		fs.mkdirSync(path.join(folder, name, 'log'), { recursive: true });
		const output = fs.openSync(path.join(folder, name, 'log', '0_16'), 'w');
		const code = [];
		for (let copy = 0; copy < copies; copy++) {
			const text = renamedCopy(log, copy);
			fs.writeSync(output, Buffer.from(text, 'latin1'));
			// The samples of a larger program spread over more compilations; stubs and lower tiers are there once.
			for (const entry of profile.code.filter((/** @type {{ level: number }} */ one) => copy === 0 || one.level === 4)) {
				const compileId = entry.compileId?.replace(/\d+/, (/** @type {string} */ id) => String(Number(id) + copy * 100000)) ?? null;
				code.push({ ...entry, compileId, period: copy === 0 ? entry.period * 100 : Math.ceil(entry.period / 1000) });
			}
		}
		fs.closeSync(output);
		const totalPeriod = code.reduce((sum, entry) => sum + entry.period, 0);
		fs.writeFileSync(path.join(folder, name, 'prof.json'), JSON.stringify({ ...profile, totalPeriod, code }));
	}
	fs.writeFileSync(path.join(folder, 'done'), '');
}
