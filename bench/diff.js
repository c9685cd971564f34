/**
 * Time and memory of `assay diff` on a large pair: the examples multiplied to 400 MB, with 100 hot compilations on each side.
 *
 *   npm run bench:diff [-- MEGABYTES]
 */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { countNewlines, median, renamedCopy, runAssay } from './measure.js';

const root = path.resolve(import.meta.dirname, '..');
const megabytes = Number(process.argv[2] ?? 400);
const folder = path.join(root, '.cache', 'bench', `diff-${megabytes}`);
const RUNS = 5;
const HOT = 100;

const sides = ['a', 'b'].map((name) => ({ name, log: gunzipSync(fs.readFileSync(path.join(root, 'examples', name, 'log', '0_16.gz'))).toString('latin1') }));
const copies = Math.ceil((megabytes * 1e6) / sides.reduce((sum, side) => sum + side.log.length, 0));
generate();

const paths = sides.map(({ name }) => path.join(folder, name));
const yardstick = median(
	RUNS,
	() => countNewlines(paths.map((side) => path.join(side, 'log', '0_16'))),
	(run) => run.seconds,
);
console.log(`${(yardstick.bytes / 1e6).toFixed(0)} MB, ${HOT} hot compilations a side, median of ${RUNS} runs of the whole process`);
console.log(`newline count       ${yardstick.seconds.toFixed(3)} s`);
for (const [what, args] of /** @type {[string, string[]][]} */ ([
	['assay diff', ['diff', ...paths]],
	['assay diff --json', ['diff', ...paths, '--json']],
	['assay report a', ['report', paths[0]]],
])) {
	const run = median(
		RUNS,
		() => runAssay(args),
		(one) => one.seconds,
	);
	const ratio = (run.seconds / yardstick.seconds).toFixed(1);
	console.log(`${what.padEnd(19)} ${run.seconds.toFixed(3)} s   ${run.peakMegabytes.toFixed(0)} MB peak   ${ratio} times the newline count`);
}

/** Copies of the examples' logs under names and ids of their own; the first compilations of the log are the sampled ones. */
function generate() {
	if (fs.existsSync(path.join(folder, 'done'))) {
		return;
	}
	for (const { name, log } of sides) {
		fs.mkdirSync(path.join(folder, name, 'log'), { recursive: true });
		const output = fs.openSync(path.join(folder, name, 'log', '0_16'), 'w');
		/** @type {{ compileId: string, name: string, level: number, period: number }[]} */
		const code = [];
		for (let copy = 0; copy < copies; copy++) {
			const text = renamedCopy(log, copy);
			fs.writeSync(output, Buffer.from(text, 'latin1'));
			for (const [, method = '', compileId = ''] of text.matchAll(/^\{"methodName":"([^"]*)","compilationId":"(\d+)"/gm)) {
				if (code.length < HOT) {
					code.push({ compileId, name: `${compileId}: ${method}`, level: 4, period: 1000 + code.length });
				}
			}
		}
		fs.closeSync(output);
		fs.writeFileSync(path.join(folder, name, 'prof.json'), JSON.stringify({ compilationKind: 'JIT', totalPeriod: 1e6, executionId: '1', code }));
	}
	fs.writeFileSync(path.join(folder, 'done'), '');
}
