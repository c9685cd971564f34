/**
 * Where timer samples land on this machine, and whether the analysed column finds what they wait for: loops with one known slow
 * instruction each, sampled by perf. Wants Linux on x86-64 with perf, gcc and objdump; Java loops run on every JDK that is found.
 *
 *   npm run bench:skid [-- --only TEXT] [--seconds 1] [--frequency 997] [--event cpu-clock] [--cpu N] [--json FILE]
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { calibrateSkid } from '../../dist/index.js';
import { measureJava } from './java.js';
import { build, measure, successors } from './measure.js';
import { programs } from './programs.js';

/** @typedef {import('./measure.js').Measured} Measured */
/** @typedef {import('./java.js').JavaLoop} JavaLoop */

const { values } = parseArgs({
	options: {
		only: { type: 'string', default: '' },
		seconds: { type: 'string', default: '1' },
		frequency: { type: 'string', default: '997' },
		event: { type: 'string', default: 'cpu-clock' },
		cpu: { type: 'string', default: String(os.cpus().length - 1) },
		json: { type: 'string' },
	},
});
const chosen = programs().filter(({ name, kind }) => `${name} ${kind}`.includes(values.only));
const options = { seconds: Number(values.seconds), frequency: Number(values.frequency), event: values.event, cpu: Number(values.cpu) };
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-skid-'));
/** @type {Measured[]} */
const all = [];
/** @type {JavaLoop[]} */
const java = [];
try {
	await measure(build(chosen, folder), chosen, options, (measured) => {
		all.push(measured);
		if (process.stderr.isTTY) {
			process.stderr.write(`\r${all.length} of ${chosen.length}`);
		}
	});
	await measureJava(folder, options, values.only, (loop) => java.push(loop));
} finally {
	fs.rmSync(folder, { recursive: true });
}
console.log(`\n${os.cpus()[0].model}, Linux ${os.release()}, ${options.event} at ${options.frequency} Hz, ${options.seconds} s each`);
for (const [group, title] of [
	['basic', 'one slow instruction'],
	['hard', 'hard cases'],
]) {
	accuracy(
		title,
		all.filter(({ program }) => program.group === group),
	);
}
javaLoops();
controls(all.filter(({ program }) => program.group === 'control'));
if (values.json !== undefined) {
	fs.writeFileSync(values.json, JSON.stringify(all.map(plain), null, '\t'));
}

/** @param {string} title @param {readonly Measured[]} measured */
function accuracy(title, measured) {
	if (measured.length === 0) {
		return;
	}
	const kinds = [...new Set(measured.map(({ program }) => program.kind))];
	console.log(`\n${title.padEnd(25)}ranked first    % of samples on it   % seen, from the slow instruction on`);
	console.log(`${''.padEnd(25)}seen analysed   seen  analysed      itself  next  next+1  elsewhere`);
	for (const kind of kinds) {
		row(
			kind,
			measured.filter(({ program }) => program.kind === kind),
		);
	}
	row('all', measured);
	const { share, samples, verdict } = calibrateSkid(measured);
	console.log(`calibration: ${share?.toFixed(3) ?? 'none'} of ${samples} samples: ${verdict}`);
	for (const one of measured.filter(({ analysed, slow }) => topOf(analysed) !== slow)) {
		const { program, code, seen, analysed, slow } = one;
		const top = topOf(analysed);
		const what = top === one.twin ? 'its equal' : 'not it';
		console.log(
			`  ${what}: ${program.kind}, ${program.position}: ${code.text[top]} ${percent(analysed, top)} %, ` +
				`${code.text[slow]} ${percent(analysed, slow)} %; seen most: ${code.text[topOf(seen)]} ${percent(seen, topOf(seen))} %`,
		);
	}
}

function javaLoops() {
	for (const jdk of new Set(java.map((loop) => loop.jdk))) {
		const loops = java.filter((loop) => loop.jdk === jdk);
		console.log(`\nJava ${jdk}`.padEnd(26) + 'ranked first    % of samples on such');
		console.log(`${''.padEnd(25)}seen analysed   seen  analysed      top line seen, analysed`);
		for (const { name, expected, code, seen, analysed } of loops) {
			const mark = (/** @type {Float64Array} */ column) => (expected.test(code.text[topOf(column)]) ? 'yes' : 'no');
			const share = (/** @type {Float64Array} */ column) =>
				code.text.reduce((sum, text, i) => sum + (expected.test(text) ? percent(column, i) : 0), 0).toFixed(1);
			const tops = `${code.text[topOf(seen)]}, ${code.text[topOf(analysed)]}`;
			console.log(
				`${name.padEnd(25)}${mark(seen).padStart(4)}${mark(analysed).padStart(9)}${share(seen).padStart(11)}${share(analysed).padStart(10)}      ${tops}`,
			);
		}
		const { share, samples, verdict } = calibrateSkid(loops);
		console.log(`calibration: ${share?.toFixed(3) ?? 'none'} of ${samples} samples: ${verdict}`);
	}
}

/** @param {string} name @param {readonly Measured[]} measured */
function row(name, measured) {
	const first = (/** @type {'seen' | 'analysed'} */ column) => measured.filter((one) => topOf(one[column]) === one.slow).length;
	const mean = (/** @type {(one: Measured) => number} */ value) => measured.reduce((sum, one) => sum + value(one), 0) / measured.length;
	const figure = (/** @type {(one: Measured) => number} */ value, /** @type {number} */ width) => mean(value).toFixed(1).padStart(width);
	console.log(
		`${name.padEnd(25)}${String(first('seen')).padStart(4)}${String(first('analysed')).padStart(9)} of ${String(measured.length).padEnd(4)}` +
			`${figure((one) => percent(one.seen, one.slow), 4)}${figure((one) => percent(one.analysed, one.slow), 10)}` +
			`${figure((one) => landings(one)[0], 12)}${figure((one) => landings(one)[1], 6)}${figure((one) => landings(one)[2], 8)}${figure((one) => landings(one)[3], 11)}`,
	);
}

/** Percent seen on the slow instruction, on the next in control flow, on the next but one, and elsewhere. @param {Measured} measured */
function landings({ code, seen, slow }) {
	const next = successors(code, slow);
	const second = next.flatMap((at) => successors(code, at)).filter((at) => at !== slow && !next.includes(at));
	const shares = [[slow], next, [...new Set(second)]].map((positions) => positions.reduce((sum, at) => sum + percent(seen, at), 0));
	return [...shares, 100 - shares.reduce((sum, share) => sum + share, 0)];
}

/** @param {readonly Measured[]} measured */
function controls(measured) {
	if (measured.length === 0) {
		return;
	}
	console.log('\ncontrols: nothing slow     largest share seen    analysed');
	for (const { program, code, seen, analysed } of measured) {
		const show = (/** @type {Float64Array} */ column) => `${percent(column, topOf(column)).toFixed(1).padStart(5)} % ${code.text[topOf(column)]}`.padEnd(34);
		console.log(`${`${program.kind}, ${program.position}`.padEnd(27)}${show(seen)}${show(analysed)}`);
	}
}

/** @param {Float64Array} column */
function topOf(column) {
	return column.indexOf(Math.max(...column));
}

/** @param {Float64Array} column @param {number} at */
function percent(column, at) {
	const total = column.reduce((sum, weight) => sum + weight, 0);
	return total === 0 ? 0 : Math.round((1000 * column[at]) / total) / 10;
}

/** @param {Measured} measured */
function plain({ program, code, slow, twin, seen, analysed }) {
	const { name, group, kind, position } = program;
	return { name, group, kind, position, slow, twin, lines: code.text.map((text, i) => ({ text, seen: seen[i], analysed: analysed[i] })) };
}
