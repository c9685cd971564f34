/** What the commands print of a recording with `--json`, and its samples one by one: what the page's numbers are held against, by none of its code. */
import path from 'node:path';
import type { CompilationsResult, HotspotsResult, MemoryResult, ReportResult, TimeToSafepointResult } from '../../src/answers/results.js';
import type { CommandIo } from '../../src/cli/io.js';
import type { SampleColumns } from '../../src/hot/sample-columns.js';
import type { PageBias } from '../../src/page/data.js';
import { type Evidence, openEvidence } from '../../src/recording/evidence.js';
import { runAssay } from '../../test/run-assay.js';
import { root } from './rendered-page.js';

interface Sample {
	readonly ms: number;
	readonly compileId: string | null;
	/** In its compilation, -1 where none is known. */
	readonly instruction: number;
	/** The innermost first; empty outside of compilations. */
	readonly frames: readonly string[];
}

export interface Facts {
	readonly name: string;
	readonly report: ReportResult;
	readonly hot: (HotspotsResult & { readonly sampleColumns: SampleColumns }) | null;
	readonly compilations: CompilationsResult | null;
	readonly memory: MemoryResult | null;
	readonly bias: PageBias | null;
	readonly ttsp: TimeToSafepointResult | null;
	/** By time. */
	readonly samples: readonly Sample[];
	/** Stacks of calls, a line each; null: there are none. */
	readonly collapsed: string | null;
	/** Of Java threads, where there are others too. */
	readonly javaSamples: readonly Sample[];
}

/** null: the command finds nothing in the recording. */
type Ask = <T>(...argv: string[]) => Promise<T | null>;

/** Opens a recording once, with all that any command reads of it: for commands that leave it as it is. */
export function openedOnce(): Partial<CommandIo> & { close(): Promise<void> } {
	let evidence: Promise<Evidence> | null = null;
	return {
		keptEvidence: (files) => {
			evidence ??= openEvidence(files, { details: 'all' });
			return evidence;
		},
		close: async () => (await evidence)?.close(),
	};
}

export function asking(io: Partial<CommandIo>): Ask {
	return async (...argv) => {
		const { stdout, exit } = await runAssay([...argv, '--json'], root, io);
		return exit === 0 ? JSON.parse(stdout).result : null;
	};
}

export async function factsOf(recording: string, io: Partial<CommandIo>): Promise<Facts> {
	const resultOf = asking(io);
	const hot = await resultOf<NonNullable<Facts['hot']>>('hot', recording, '--each-sample', '--code');
	const hasClasses = (hot?.threadTime?.classes.length ?? 0) > 1;
	const java = hasClasses ? await resultOf<NonNullable<Facts['hot']>>('hot', recording, '--each-sample', '--code', '--class', 'java') : null;
	const report = (await resultOf<ReportResult>('report', recording, '--no-index'))!;
	const collapsed = await runAssay(['export', recording, '--to', 'collapsed'], root, io);
	return {
		name: recording,
		report,
		collapsed: collapsed.exit === 0 ? collapsed.stdout : null,
		hot,
		compilations: await resultOf('compilations', recording),
		memory: await resultOf('memory', recording),
		bias: hot === null ? null : await biasOf(recording, report, io),
		ttsp: await resultOf('bias', '--ttsp', recording),
		samples: hot === null ? [] : samplesOf(hot),
		javaSamples: java === null ? [] : samplesOf(java),
	};
}

/** What other profilers said lies beside the prediction; a file that is laid beside it is no evidence any more. */
async function biasOf(recording: string, { evidence }: ReportResult, io: Partial<CommandIo>): Promise<PageBias | null> {
	const against = evidence.stacks.files.slice(0, 4).flatMap((file) => ['--against', `${path.basename(file)}=${file}`]);
	const beside = against.length === 0 ? null : await asking({})<PageBias>('bias', recording, '--rounds', '0', ...against);
	return beside ?? asking(io)('bias', recording, '--rounds', '0');
}

function samplesOf({ sampleColumns: columns, clock, code, compilations }: NonNullable<Facts['hot']>): Sample[] {
	const codeOf = new Map<string | null, NonNullable<typeof code>[number]>(code?.map((one) => [one.compileId, one]));
	const methodOf = new Map<string | null, string>(compilations.map(({ compileId, method }) => [compileId, method]));
	let us = (columns.startSeconds - (clock.startSeconds ?? columns.startSeconds)) * 1e6;
	return columns.deltaUs.map((delta, i) => {
		us += delta;
		const { compileId } = columns.places[columns.place[i]!]!;
		const own = codeOf.get(compileId);
		const frames = own?.positions[own.position[columns.instruction[i]!] ?? -1]?.map(({ method }) => method);
		const name = own?.method ?? methodOf.get(compileId);
		return {
			ms: us / 1000,
			compileId,
			instruction: columns.instruction[i]!,
			frames: frames ?? (name === undefined ? [] : [name]),
		};
	});
}

/** What is chosen on the page, and what is left then. */
export interface Choice {
	/** Of the address. */
	readonly query: string;
	/** Milliseconds; null: the whole run. */
	readonly range: readonly [from: number, to: number] | null;
	readonly inside: readonly Sample[];
	/** Whether all samples are inside because nothing leaves any out. */
	readonly isWhole: boolean;
}

/** All; and where there are times, a third of them from where a fifth is over. */
export function choicesOf({ samples, javaSamples, report }: Facts): Choice[] {
	const whole: Choice = { query: '', range: null, inside: samples, isWhole: true };
	const starts = report.compilations.flatMap(({ startedMs, installedMs }) => startedMs ?? installedMs ?? []);
	const times = (samples.length > 0 ? samples.map(({ ms }) => ms) : starts).sort((a, b) => a - b);
	const at = (share: number): number => Math.round(times[Math.floor(share * (times.length - 1))] ?? 0);
	const range = [Math.max(0, at(0.2)), at(0.54)] as const;
	if (range[0] >= range[1]) {
		return [whole];
	}
	const hasTimes = samples.length > 0 && samples.at(-1)!.ms > samples[0]!.ms;
	const inside = hasTimes ? samples.filter(({ ms }) => ms >= range[0] && ms <= range[1]) : samples;
	const choices: Choice[] = [whole, { query: `t=${range[0]}-${range[1]}`, range, inside, isWhole: !hasTimes }];
	return javaSamples.length > 0 ? [...choices, { query: 'class=java', range: null, inside: javaSamples, isWhole: false }] : choices;
}

export function isCompiledIn({ startedMs, doneMs, installedMs }: ReportResult['compilations'][number], range: Choice['range']): boolean {
	const to = doneMs ?? installedMs ?? startedMs;
	const from = startedMs ?? to;
	return range === null || (from !== undefined && to !== undefined && from <= range[1] && to >= range[0]);
}

export function counted<T>(values: Iterable<T>): Map<T, number> {
	const counts = new Map<T, number>();
	for (const value of values) {
		counts.set(value, (counts.get(value) ?? 0) + 1);
	}
	return counts;
}

export const grouped = (value: number): string => value.toLocaleString('en-US');
export const share = (part: number, whole: number, digits = 1): string => (whole === 0 ? 0 : (100 * part) / whole).toFixed(digits);

/** Rows of a table of the page that are drawn: the text of each cell by its head, and what stands there when it is pointed at. */
export function rowsOf(box: Element, id: string): Map<string, { readonly text: string; readonly titles: readonly string[] }>[] {
	const table = box.querySelector(`#${id}`);
	const heads = [...(table?.querySelectorAll('[role=columnheader]') ?? [])].map((head) => textOf(head).replace(/ [▾▴]$/, ''));
	return [...(table?.querySelectorAll('.rows > [role=row]') ?? [])].map((row) => {
		const cells = [...row.querySelectorAll('[role=gridcell]')];
		return new Map(
			cells.map((cell, i) => [heads[i]!, { text: textOf(cell), titles: [...cell.querySelectorAll('[title]')].map((one) => one.getAttribute('title') ?? '') }]),
		);
	});
}

export function textOf(element: Element | null | undefined): string {
	return (element?.textContent ?? '').replace(/\s+/g, ' ').trim();
}
