/** What orders of functions would be worth to a program's start-up, as a sentence. */

import type { RecordingFinding } from '../model/joined-recording.js';
import { FIRST_EXECUTION, OPTIMIZED } from '../model/startup-orders.js';
import type { SimulatedLayout } from '../startup/results.js';
import { command, reportCommand } from './commands.js';
import type { JoinedRun, JoinedStartup } from './joined-run.js';

/** Of the run's time, that a start-up without any page fault would save: a guess that puts the finding among the others. */
const MOST_WORTH = 10;

const MOST_FILES = 6;

/** null: no program is there with a trace of it. */
type Run = Pick<JoinedRun, 'name' | 'processId' | 'chosen' | 'startup'>;

export function startupFinding(run: Run): RecordingFinding | null {
	const { startup } = run;
	const linked = startup?.simulation?.layouts[0];
	if (startup?.simulation == null || startup.program === null || linked === undefined) {
		return null;
	}
	const { traces, layouts } = startup.simulation;
	const first = layouts.find(({ name, kind }) => kind === 'order' && name === FIRST_EXECUTION);
	const optimized = layouts.find(({ name, kind }) => kind === 'order' && name === OPTIMIZED);
	const { textPages } = linked.counts;
	const [trace] = traces;
	const ran =
		traces.length === 1 && trace !== undefined
			? `start-up runs ${count(trace.functions)} functions on ${count(touchedPages(linked))} of ${count(textPages)} text pages`
			: `${traces.length} traces of start-up run on ${count(touchedPages(linked))} text pages, summed over the traces (the program has ${count(textPages)})`;
	const others = [
		...(first === undefined ? [] : [`in order of first execution on ${place(first)}`]),
		...(optimized === undefined ? [] : [`optimized on ${place(optimized)}`]),
	];
	const best = Math.min(...layouts.map(touchedPages));
	return {
		kind: 'startup',
		text: `${ran}, in ${count(linked.counts.windows64k)} ${linked.counts.windows64k === 1 ? 'window' : 'windows'} of 64 KiB${others.length === 0 ? '' : `; ${others.join(', ')}`}`,
		handles: [],
		evidence: ['orderTraces'],
		command: commandOf(startup, run),
		worth: (MOST_WORTH * (touchedPages(linked) - best)) / Math.max(1, touchedPages(linked)),
	};
}

/** Makes the order, where a line can name all the files and all can be named: members of archives cannot. */
function commandOf({ traces, program, maps, isOnDisk }: JoinedStartup, run: Run): string {
	const files = [...new Set(traces.map(({ file }) => file))];
	if (!isOnDisk || files.length > MOST_FILES) {
		return reportCommand(run, '--section', 'startup');
	}
	const words = [...files, program?.isElf === true ? '--elf' : '--nm', program?.file ?? '', ...maps.flatMap((map) => ['--map', map]), '-o', 'app.order'];
	return command('order', 'optimize', ...words);
}

/** What made the code of the start-up large; null where nothing tells. */
export function startupInliningFinding(run: Run): RecordingFinding | null {
	const inlining = run.startup?.inlining ?? null;
	if (inlining === null || inlining.inlinedBytes === 0) {
		return null;
	}
	const { functions, codeBytes, inlinedBytes, most } = inlining;
	const parts = most.parts.map(({ callee, bytes, place: at, reason }) => `${callee} (${count(bytes)}) at ${at}${reason === null ? '' : `: ${reason}`}`);
	const name = `${most.handle === null ? '' : `${most.handle} `}${most.function}`;
	return {
		kind: 'startup-inlining',
		text:
			`${count(inlinedBytes)} of the ${count(codeBytes)} bytes of the ${count(functions)} functions that start-up runs were inlined; most in ${name}, ` +
			`${count(most.inlinedBytes)} of ${count(most.codeBytes)}: ${parts.join('; ')}`,
		handles: most.handle === null ? [] : [most.handle],
		evidence: ['orderTraces', ...(most.handle === null ? [] : (['remarks'] as const))],
		command: most.handle === null ? reportCommand(run, '--section', 'startup') : reportCommand(run, most.handle),
		worth: MOST_WORTH * 0.1,
	};
}

function place(layout: SimulatedLayout): string {
	return `${count(touchedPages(layout))} in ${count(layout.counts.windows64k)}`;
}

/** As the tables of `assay order`: of executed bytes where these are known. */
function touchedPages({ counts }: SimulatedLayout): number {
	return counts.execPages ?? counts.wholeFunctionPages;
}

function count(value: number): string {
	return value.toLocaleString('en');
}
