/** `assay lab bias` as text: the table of every profiler against the known truth. */
import type { LabBias } from '../answers/lab-bias-result.js';
import type { LabScenario } from '../bias/lab-accuracy.js';
import { padEnd, padStart, shortenMethod, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';
import { wrapped } from './wrapped.js';

const NAME_WIDTH = 10;

export function writeLabText(writer: TextWriter, view: LabBias, terminal: Terminal): void {
	const { javaPath, version, javaOptions, seconds, scenarios, profilers, missing } = view;
	const width = terminal.width ?? 80;
	const options = javaOptions.length === 0 ? '' : ` ${javaOptions.join(' ')}`;
	writer.line(0, terminal.paint('bold', visible(`JDK ${version ?? '(unknown)'}: ${javaPath}${options}, ${seconds} s each`)));
	for (const line of wrapped(
		'How far each profile by method is from the truth: 0 the same, 1 nothing in common; kernel and native code left out. * is farther than luck in sampling explains by more than 0.05.',
		width,
	)) {
		writer.line(0, line);
	}
	writer.line(0, '');
	const truthWidth = Math.max(...scenarios.map((scenario) => truthText(scenario).length), 5) + 1;
	const wide = NAME_WIDTH + truthWidth + profilers.length * 15 <= width;
	const cell = wide ? 15 : Math.max(7, Math.min(9, Math.floor((width - NAME_WIDTH - truthWidth) / Math.max(profilers.length, 1))));
	writer.line(0, terminal.paint('bold', padEnd('', NAME_WIDTH) + padEnd('truth', truthWidth) + profilers.map(({ name }) => padStart(name, cell)).join('')));
	for (const scenario of scenarios) {
		const cells = profilers.map(({ name }) => {
			const accuracy = scenario.profilers.find(({ profiler }) => profiler === name);
			if (accuracy === undefined || accuracy.totalVariation === null) {
				return padStart('– ', cell);
			}
			const luck = wide ? ` (${accuracy.expectedFromSampling.toFixed(2)})` : '';
			const off = accuracy.isOff;
			const text = padStart(`${accuracy.totalVariation.toFixed(2)}${off ? '*' : ' '}${luck}`, cell);
			return off ? terminal.paint(accuracy.isUnbiased ? 'red' : 'yellow', text) : text;
		});
		writer.line(0, padEnd(scenario.scenario, NAME_WIDTH) + padEnd(truthText(scenario), truthWidth) + cells.join(''));
	}
	writeLegend(writer, view, width);
	writeWrong(writer, scenarios, width, terminal);
	writeSamplers(writer, scenarios, width, terminal);
	writePredictions(writer, scenarios, terminal);
	for (const { sampler, why, remedy } of missing) {
		writer.line(0, '');
		for (const line of wrapped(`missing: ${sampler}: ${visible(why)}; ${visible(remedy)}`, width)) {
			writer.line(0, line);
		}
	}
}

function truthText({ truth }: LabScenario): string {
	if (truth === null) {
		return 'unknown';
	}
	if (truth.from === 'perf') {
		return 'by perf';
	}
	return truth.methods.map(({ percent }) => Math.round(percent)).join(':');
}

function writeLegend(writer: TextWriter, { scenarios, profilers }: LabBias, width: number): void {
	writer.line(0, '');
	const entries = [...scenarios.map(({ scenario, title }) => ({ name: scenario, what: title })), ...profilers.map(({ name, what }) => ({ name, what }))];
	for (const { name, what } of entries) {
		for (const [i, line] of wrapped(what, width - NAME_WIDTH - 1).entries()) {
			writer.line(0, `${padEnd(i === 0 ? name : '', NAME_WIDTH)} ${line}`);
		}
	}
}

/** Who is blamed most beyond what it has. */
function writeWrong(writer: TextWriter, scenarios: readonly LabScenario[], width: number, terminal: Terminal): void {
	const rows = scenarios.flatMap(({ scenario, truth, profilers }) =>
		profilers.flatMap((accuracy) => {
			const real = new Map(truth?.methods.map(({ method, percent }) => [method, percent]));
			const [worst] = [...accuracy.methods].sort((a, b) => b.percent - (real.get(b.method) ?? 0) - a.percent + (real.get(a.method) ?? 0));
			return accuracy.samples === null || worst === undefined || !accuracy.isOff
				? []
				: [{ scenario, profiler: accuracy.profiler, method: worst.method, percent: worst.percent, real: real.get(worst.method) ?? 0 }];
		}),
	);
	if (rows.length === 0) {
		return;
	}
	writer.line(0, '');
	writer.line(0, terminal.paint('bold', 'who is blamed wrongly'));
	for (const { scenario, profiler, method, percent, real } of rows) {
		const numbers = `${padStart(percent.toFixed(0), 4)} % for ${padStart(real.toFixed(0), 3)} %`;
		const room = width - NAME_WIDTH - 9 - numbers.length - 2;
		writer.line(0, `${padEnd(scenario, NAME_WIDTH)}${padEnd(profiler, 9)}${numbers}  ${shortenMethod(visible(method), room)}`);
	}
}

/** Flight Recorder's samplers by wall clock and by processor time, which JDK 25 has both. */
function writeSamplers(writer: TextWriter, scenarios: readonly LabScenario[], width: number, terminal: Terminal): void {
	const rows = scenarios.flatMap(({ scenario, samplers }) => samplers.map((row) => ({ scenario, ...row })));
	if (rows.length === 0) {
		return;
	}
	writer.line(0, '');
	writer.line(0, terminal.paint('bold', 'jdk.ExecutionSample against jdk.CPUTimeSample (what luck alone gives)'));
	writer.line(0, `${padEnd('', NAME_WIDTH)}${padEnd('', 24)}${padStart('biased', 9)}${padStart('all', 7)}${padStart('rest', 7)}  biased mostly at`);
	for (const { scenario, execution, cpu, totalVariation, expectedFromSampling, biasedPercent, biasedMethod, fromTruth, unbiasedFromTruth } of rows) {
		const pair = padEnd(`${execution} - ${cpu} ${totalVariation.toFixed(2)} (${expectedFromSampling.toFixed(2)})`, 24);
		const numbers = `${padStart(`${biasedPercent.toFixed(1)} %`, 9)}${padStart(fromTruth?.toFixed(2) ?? '–', 7)}${padStart(unbiasedFromTruth?.toFixed(2) ?? '–', 7)}`;
		const at = biasedMethod === null ? '' : `  ${shortenMethod(visible(biasedMethod), width - NAME_WIDTH - 24 - 23 - 2)}`;
		writer.line(0, `${padEnd(scenario, NAME_WIDTH)}${pair}${numbers}${at}`);
	}
	const what =
		'biased: of the samples by processor time those that the JVM marks so, because their code was left before the poll at which the stack was walked: they show the caller. jdk.ExecutionSample has the like, unmarked. all, rest: how far from the truth all samples by processor time are, and those without the mark.';
	for (const line of wrapped(what, width)) {
		writer.line(0, line);
	}
}

function writePredictions(writer: TextWriter, scenarios: readonly LabScenario[], terminal: Terminal): void {
	const pairs = [...new Set(scenarios.flatMap(({ predictions }) => predictions.map(({ prediction, observed }) => `${prediction} - ${observed}`)))];
	if (pairs.length === 0) {
		return;
	}
	writer.line(0, '');
	writer.line(0, terminal.paint('bold', 'predicted against observed (what luck alone gives)'));
	for (const scenario of scenarios) {
		const cells = pairs.map((pair) => {
			const found = scenario.predictions.find(({ prediction, observed }) => `${prediction} - ${observed}` === pair);
			return padEnd(found === undefined ? '' : `${pair} ${found.totalVariation.toFixed(2)} (${found.expectedFromSampling.toFixed(2)})`, 34);
		});
		writer.line(0, `${padEnd(scenario.scenario, NAME_WIDTH)}${cells.join('').trimEnd()}`);
	}
}
