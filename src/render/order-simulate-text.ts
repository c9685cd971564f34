/** `assay order simulate` as text: layouts side by side, then their pages. */
import type { PageCounts, SimulatedLayout, Simulation, TraceSummary } from '../startup/results.js';
import { pageMapLines } from './order-page-map.js';
import { thousands } from './quantities.js';
import { columns, padEnd, padStart, shortenMiddle, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

export interface SimulateShown {
	readonly simulation: Simulation;
	/** The load address may be any page: windows hold on average only. */
	readonly isRelocatable: boolean;
	readonly hasMap: boolean;
}

const LONGEST_NAME_COLUMNS = 30;

export function writeSimulateText(writer: TextWriter, { simulation, isRelocatable, hasMap }: SimulateShown, terminal: Terminal): void {
	const { traces, layouts, recordedOn } = simulation;
	for (const trace of traces) {
		writer.line(0, shortenMiddle(traceLine(trace, recordedOn), terminal.width));
		const loaded = loadedLine(trace, recordedOn);
		if (loaded !== null) {
			writer.line(0, shortenMiddle(loaded, terminal.width));
		}
	}
	writer.line(0, '');
	writeCountsTable(
		writer,
		layouts.map(({ name, counts }) => ({ name, counts })),
		traces.length,
		terminal,
	);
	if (traces.length > 1) {
		traces.forEach((trace, i) => {
			writer.line(0, '');
			writer.line(0, terminal.paint('bold', visible(trace.name)));
			writeCountsTable(
				writer,
				layouts.flatMap(({ name, byTrace }) => (byTrace[i] === undefined ? [] : [{ name, counts: byTrace[i].counts }])),
				1,
				terminal,
			);
		});
	}
	for (const { name, byTrace } of layouts) {
		const lost = Math.max(0, ...byTrace.map((one) => one.lost));
		if (lost > 0) {
			writer.line(0, `${visible(name)}: ${thousands(lost)} of the functions that ran are not in it`);
		}
	}
	if (isRelocatable) {
		writer.line(0, terminal.paint('dim', '64 KiB windows: for a load address that is a multiple of 64 KiB'));
	}
	if (hasMap) {
		writeMaps(writer, layouts, traces, terminal);
	}
}

function traceLine({ name, functions, executedBytes, unplaced, ambiguous }: TraceSummary, recordedOn: string): string {
	return [
		`${visible(name)} on ${visible(recordedOn)}: ${thousands(functions)} functions`,
		...(executedBytes === null ? [] : [`${thousands(executedBytes)} bytes executed`]),
		...(unplaced > 0 ? [`${thousands(unplaced)} ${executedBytes === null ? 'functions' : 'instructions'} elsewhere`] : []),
		...(ambiguous > 0 ? [`${thousands(ambiguous)} names of several functions`] : []),
	].join(', ');
}

const TOLD_BY = { 'memory map': 'the memory map', entry: 'its entry', functions: 'starts of its functions' } as const;

/** Where a position-independent program was loaded; null where it lay as it is linked. */
export function loadedLine({ name, loaded }: TraceSummary, recordedOn: string): string | null {
	if (loaded === null || loaded.by === null || loaded.by === 'linked') {
		return null;
	}
	const { slide, by, share } = loaded;
	return `${visible(name)}: ${visible(recordedOn)} lay 0x${slide.toString(16)} above its link, as ${TOLD_BY[by]} tells; ${(100 * share).toFixed(1)} % of the trace is in its code`;
}

/** A row for each layout; the pages touched are those of executed bytes where these are known, of all that is executable where that is known, too. */
export function writeCountsTable(
	writer: TextWriter,
	rows: readonly { readonly name: string; readonly counts: PageCounts }[],
	traceCount: number,
	terminal: Terminal,
): void {
	const isNarrow = (terminal.width ?? 200) < 110;
	const hasExecuted = rows.every(({ counts }) => counts.execPages !== null);
	const hasCode = rows.every(({ counts }) => counts.codeExecPages !== null);
	const several = traceCount > 1 ? `, sum of ${traceCount}` : '';
	const heads = isNarrow
		? [hasExecuted ? 'touched' : 'of functions', 'windows', 'entries', ...(hasExecuted ? ['functions'] : []), 'fault curve']
		: [
				`${hasCode ? 'code' : 'text'} pages touched${several}`,
				'64 KiB windows',
				'pages with entries',
				...(hasExecuted ? ['pages of whole functions'] : []),
				'area under the fault curve',
			];
	const cells = rows.map(({ counts }, i) => {
		const pages = (hasCode ? counts.codeExecPages : counts.execPages) ?? counts.wholeFunctionPages;
		const of = i === 0 && traceCount === 1 ? ` of ${thousands((hasCode ? counts.codePages : null) ?? counts.textPages)}` : '';
		return [
			`${thousands(pages)}${of}`,
			thousands((hasCode ? counts.codeWindows64k : null) ?? counts.windows64k),
			thousands(counts.entryPages),
			...(hasExecuted ? [thousands(counts.wholeFunctionPages)] : []),
			thousands(counts.areaUnderCurve),
		];
	});
	const names = rows.map(({ name }) => shortenMiddle(visible(name), isNarrow ? 22 : LONGEST_NAME_COLUMNS));
	const nameWidth = Math.max(...names.map(columns));
	const widths = heads.map((head, i) => Math.max(columns(head), ...cells.map((row) => columns(row[i]!))));
	const line = (name: string, texts: readonly string[]): string =>
		`${padEnd(name, nameWidth)}  ${texts.map((text, i) => padStart(text, widths[i]!)).join('  ')}`;
	if (isNarrow) {
		writer.line(0, terminal.paint('dim', `${' '.repeat(nameWidth)}  ${hasCode ? 'code' : 'text'} pages${several}`));
	}
	writer.line(0, terminal.paint('dim', line('', heads)));
	cells.forEach((row, i) => {
		writer.line(0, line(names[i]!, row));
	});
}

function writeMaps(writer: TextWriter, layouts: readonly SimulatedLayout[], traces: readonly TraceSummary[], terminal: Terminal): void {
	const width = Math.min(terminal.width ?? 120, 300) - 2;
	traces.forEach((trace, i) => {
		for (const { name, byTrace } of layouts) {
			const one = byTrace[i];
			if (one === undefined) {
				continue;
			}
			writer.line(0, '');
			writer.line(0, terminal.paint('bold', shortenMiddle(`${visible(name)}${traces.length > 1 ? `, ${visible(trace.name)}` : ''}`, terminal.width)));
			for (const text of pageMapLines(one.map, width, terminal)) {
				writer.line(0, `  ${text}`);
			}
		}
	});
	writer.line(0, '');
	const pageKiB = (layouts[0]?.byTrace[0]?.map.pageBytes ?? 4096) / 1024;
	const legend = traces.some(({ executedBytes }) => executedBytes !== null)
		? ['▓ executed', '▒ not executed part', '░ not touched']
		: ['▓ functions that ran', '░ not touched'];
	writer.line(0, terminal.paint('dim', shortenMiddle(`${legend.join('   ')}   a cell is ${pageKiB} KiB, a group 64 KiB`, terminal.width)));
}
