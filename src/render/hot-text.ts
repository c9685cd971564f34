/** `assay hot` as text: the answer on the first screen, then the code of the hottest regions. */

import type { FoldKind, FoldRow } from '../hot/fold.js';
import type { CallingCode, CodeCallers, CodeHeat, CountedRow, HotReport, Region } from '../hot/hot-results.js';
import type { ThreadTime } from '../hot/thread-time.js';
import { appendTo } from '../model/append.js';
import { isOfRuntime } from '../model/c-runtime.js';
import { hexadecimal } from '../model/hexadecimal.js';
import type { Frame, Instructions } from '../model/instructions.js';
import type { SampleWindow } from '../model/sample-window.js';
import { placeOfComments } from '../model/source-comment.js';
import { chainText, sameLines } from './inlining-chain.js';
import { jumpArrows } from './jump-arrows.js';
import { sampleWindowText } from './sample-window-text.js';
import { columns, cutLine, padEnd, padStart, shortenMethod, shortenMiddle, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { threadTimeLines } from './thread-time-lines.js';
import { versionsText } from './versions-text.js';
import { visible } from './visible.js';

export interface HotView {
	readonly report: HotReport;
	/** null where the samples do not tell threads, or are not those of a JVM. */
	readonly threadTime: ThreadTime | null;
	/** What was recorded, and of which JVM. */
	readonly title: string;
	/** What part of it is counted; null: all. */
	readonly window: SampleWindow | null;
	/** Rows of tables. */
	readonly top: number;
	/** Share of the counted samples from which on a region's code is shown, 0 to 1. */
	readonly threshold: number;
	/** Instructions shown around those with samples. */
	readonly margin: number;
	readonly showIntervals: boolean;
	/** A table of this instead of regions. */
	readonly folded: { readonly kind: FoldKind; readonly rows: readonly FoldRow[] } | null;
	/** Only these regions, and all of their code; null: by the threshold. */
	readonly chosen: readonly Region[] | null;
	/** Jumps between instructions of a region, as pairs of rows. */
	readonly jumps: (code: Instructions, lines: readonly number[]) => readonly (readonly [number, number])[];
	/** Text of a line of source. */
	readonly sourceLine: (method: string, line: number) => string | null;
}

const PIPE_WIDTH = 120;
/** A row has room for the name of a caller. */
const WITH_CALLERS_WIDTH = 120;
const MOST_CALLERS = 4;
const MOST_CALLING = 2;
const MOST_INTERPRETED = 10;
const NOT_COUNTED = ["before the JVM's start", 'outside the window', 'other process', 'other event', 'other thread'];

export function writeHotText(writer: TextWriter, view: HotView, terminal: Terminal): void {
	new HotText(writer, view, terminal).write();
}

class HotText {
	private readonly writer: TextWriter;
	private readonly view: HotView;
	private readonly terminal: Terminal;

	constructor(writer: TextWriter, view: HotView, terminal: Terminal) {
		this.writer = writer;
		this.view = view;
		this.terminal = terminal;
	}

	write(): void {
		const { chosen, folded, report } = this.view;
		this.head();
		if (folded !== null) {
			this.foldTable(folded.kind, folded.rows);
			return;
		}
		if (chosen === null) {
			this.classes();
			this.regionTable();
			this.methodTable();
			this.sourceTable();
			this.versions();
		}
		const shown = chosen ?? report.regions.filter(({ samples, lines }) => lines.length > 0 && samples > this.view.threshold * report.attribution.counted);
		for (const region of shown) {
			this.region(region);
		}
	}

	private head(): void {
		const { report, title, window } = this.view;
		const { attribution, reasons, skid } = report;
		this.line(this.terminal.paint('bold', visible(title)));
		if (window !== null) {
			this.wrapped(sampleWindowText(window));
		}
		const compilations = attribution.counted - [...reasons].reduce((sum, [reason, count]) => sum + (NOT_COUNTED.includes(reason) ? 0 : count), 0);
		const parts = [`compilations ${this.percent(compilations)}`];
		const left: string[] = [];
		for (const [reason, count] of [...reasons].sort((a, b) => b[1] - a[1])) {
			if (NOT_COUNTED.includes(reason)) {
				left.push(`${thousands(count)} ${reason}`);
			} else {
				parts.push(`${reason} ${this.percent(count)}`);
			}
		}
		this.wrapped(attribution.counted === 0 ? 'no samples' : `${thousands(attribution.counted)} samples of ${visible(report.event)}: ${parts.join(', ')}`);
		if (left.length > 0) {
			this.wrapped(`not counted of ${thousands(attribution.total)}: ${left.join(', ')}`);
		}
		this.wrapped(`${skid.isShifted ? 'analysed: samples moved to the instruction that was waited for' : 'no analysed column'} (${skid.reason})`);
	}

	/** Whose time it was, and of what it consisted. */
	private classes(): void {
		const { threadTime } = this.view;
		if (threadTime === null || threadTime.classes.length === 0) {
			return;
		}
		this.heading('Whose time it was');
		for (const line of threadTimeLines(classShares(threadTime), threadShares(threadTime), this.terminal.width ?? PIPE_WIDTH)) {
			this.line(line);
		}
	}

	private regionTable(): void {
		const { regions } = this.view.report;
		const shown = regions.slice(0, this.view.top);
		this.heading('Hottest regions');
		this.rows(
			shown,
			({ handle, isRankSure }) => (isRankSure ? handle : `${handle} ≈`),
			(region) => [
				region.method,
				`${region.heat?.code.compileId == null ? '' : `c${region.heat.code.compileId}  `}${region.source}${loopText(region)}${this.callerText(region)}`,
			],
		);
		this.rest(regions.slice(this.view.top), 'regions');
		if (shown.some(({ isRankSure }) => !isRankSure)) {
			this.line(this.terminal.paint('dim', '≈ could as well be behind the next one: the difference is within chance'));
		}
	}

	private methodTable(): void {
		const { methods } = this.view.report;
		this.heading('Methods, with what was inlined into them');
		this.rows(
			methods.slice(0, this.view.top),
			({ handle }) => handle,
			({ method, source, versions }) => [method, `${source}${versionsText(versions)}`],
		);
		this.rest(methods.slice(this.view.top), 'methods');
	}

	private sourceTable(): void {
		const { sources } = this.view.report;
		this.heading('Kinds of code');
		this.rows(
			sources.slice(0, this.view.top),
			() => '',
			({ source }) => [source, ''],
		);
		this.rest(sources.slice(this.view.top), 'kinds');
	}

	/** Methods that were compiled again while they were hot. */
	private versions(): void {
		const { code, attribution } = this.view.report;
		const byName = new Map<string, CodeHeat[]>();
		for (const heat of code) {
			if (heat.code.compileId !== null) {
				const key = `${heat.code.name}${heat.code.signature ?? ''} ${heat.code.namesake ?? ''}`;
				appendTo(byName, key, heat);
			}
		}
		const several = [...byName.values()]
			.map((heats) => ({ heats, samples: heats.reduce((sum, { samples }) => sum + samples, 0) }))
			.filter(({ heats, samples }) => heats.length > 1 && samples >= attribution.counted / 100)
			.sort((a, b) => b.samples - a.samples)
			.slice(0, this.view.top);
		if (several.length === 0) {
			return;
		}
		const { from, to } = this.view.report.time;
		const hasTimes = from < to;
		this.heading(`Compiled more than once${hasTimes ? ': samples over time' : ''}`);
		for (const { heats, samples } of several) {
			const { name = '', namesake } = heats[0]?.code ?? {};
			const which = namesake === undefined ? '' : `  ${namesake}`;
			this.line(`  ${shortenMethod(visible(name), this.room(14 + which.length))}${which}  ${this.percent(samples)}`);
			const highest = Math.max(...heats.flatMap(({ timeline }) => timeline));
			for (const heat of [...heats].sort((a, b) => (a.code.installedSeconds ?? 0) - (b.code.installedSeconds ?? 0))) {
				const { compileId, compiler, level, osrBci, installedSeconds, notEntrant } = heat.code;
				const life = `${installedSeconds === null ? '' : `${installedSeconds.toFixed(2)} s`}${notEntrant === null ? '' : ` to ${notEntrant.seconds.toFixed(2)} s${notEntrant.reason === null ? '' : `, ${notEntrant.reason}`}`}`;
				this.line(
					`    ${padEnd(`c${compileId}`, 7)}${hasTimes ? ` ${sparkline(heat.timeline, highest)}` : ''} ${padStart(this.percent(heat.samples), 8)}  ${padEnd(`${compiler ?? 'native wrapper'}${level === null ? '' : ` ${level}`}${osrBci === null ? '' : ` OSR at ${osrBci}`}`, 6)}  ${visible(life)}`,
				);
			}
		}
	}

	private foldTable(kind: FoldKind, rows: readonly FoldRow[]): void {
		this.heading(`Samples by ${kind}`);
		// Of threads, and what else no code tells, nothing was moved.
		const isShifted = this.view.report.skid.isShifted && rows.some(({ analysed }) => analysed !== null);
		if (isShifted) {
			this.line(`  ${padStart('seen', 8)}  ${padStart('analysed', 8)}`);
		}
		const shown = rows.slice(0, this.view.top);
		for (const row of shown) {
			const analysed = isShifted ? `  ${padStart(row.analysed === null ? '' : this.percent(row.analysed), 8)}` : '';
			const interval = this.interval(row);
			const text = row.line === null || row.method === null ? null : this.view.sourceLine(row.method, row.line);
			const source = text === null ? '' : `  ${text.trim()}`;
			const name = visible(row.name);
			const whom = kind === 'library' ? this.whomText(this.view.report.libraryCallers?.get(row.name), row.samples) : '';
			this.line(
				`  ${padStart(this.percent(row.samples), 8)}${interval}${analysed}  ${kind === 'instruction' ? shortenMiddle(name, this.room(24)) : shortenMethod(name, this.room(24))}${visible(source)}${whom}`,
			);
			if (kind === 'method' && row.name === '(interpreter)') {
				this.interpreted(isShifted ? 10 : 0);
			}
		}
		this.rest(rows.slice(this.view.top), 'rows');
	}

	/** What was interpreted most, below the row of the interpreter. */
	private interpreted(indent: number): void {
		const { interpreted = [] } = this.view.report;
		const shown = interpreted.slice(0, MOST_INTERPRETED);
		const row = (samples: number, what: string): void => this.line(`${' '.repeat(2 + indent)}${padStart(this.percent(samples), 8)}    ${what}`);
		for (const { name, samples } of shown) {
			row(samples, shortenMethod(visible(name), this.room(26)));
		}
		if (interpreted.length > shown.length) {
			const samples = interpreted.slice(shown.length).reduce((sum, row) => sum + row.samples, 0);
			row(samples, `${thousands(interpreted.length - shown.length)} more`);
		}
	}

	private region(region: Region): void {
		const { heat, lines, handle, method, source, start, end, owner, samples } = region;
		const code = heat?.code;
		this.line('');
		const id = code?.compileId == null ? '' : `c${code.compileId}  `;
		this.line(this.terminal.paint('bold', `── ${handle}  ${id}${shortenMethod(visible(method), this.room(40))}  ${visible(source)}  ${this.percent(samples)}`));
		const of =
			owner === null || owner.method === method
				? ''
				: `; ${Math.round((100 * owner.samples) / samples)} % of it is ${shortenMethod(visible(owner.method), 50)}`;
		this.wrapped(`${hexadecimal(start)} to ${hexadecimal(end)}, ${thousands(samples)} samples${loopText(region)}${of}`);
		this.callers(region);
		if (heat?.instructions == null || lines.length === 0) {
			this.line('no assembly of it is there');
			return;
		}
		this.listing(region, heat, heat.instructions);
	}

	/** Of a stub, the interpreter, the runtime of C and other native code whom it works for, where there is room. */
	private callerText(region: Region): string {
		const code = region.heat?.code;
		const isMeant = code === undefined || code.kind === 'stub' || code.kind === 'interpreter' || isOfRuntime(code.library ?? null, code.name);
		return isMeant ? this.whomText(this.view.report.regionCallers?.get(region), samplesWithCallers(region)) : '';
	}

	/** Whom code with so many samples works for most. */
	private whomText(callers: CodeCallers | undefined, samples: number): string {
		const [first] = callers?.rows ?? [];
		// Few callers may be those that are seen best, not those that call most.
		if (callers === undefined || 2 * callers.samples < samples || first === undefined || (this.terminal.width ?? PIPE_WIDTH) < WITH_CALLERS_WIDTH) {
			return '';
		}
		const share = shareText(first.samples, callers.samples);
		return `, for ${shortenMethod(visible(first.method), 50)}${share === '100 %' ? '' : ` ${share}`}`;
	}

	private callers(region: Region): void {
		const callers = this.view.report.regionCallers?.get(region);
		// The Java frame lies deep below native code: the few stacks that reach it may be of another kind than the rest.
		if (callers === undefined || (region.heat === null && 10 * callers.samples < region.samples)) {
			return;
		}
		const shown = callers.rows
			.filter((row, i) => i < MOST_CALLERS && (i === 0 || 100 * row.samples >= callers.samples))
			.map(({ method, line, compileId, samples, callers: calling = [] }) => {
				const id = compileId === null ? '' : `, c${compileId}`;
				return `${shareText(samples, callers.samples)} ${visible(method)}${line === null ? '' : `:${line}`}${id}${callingText(calling, samples)}`;
			});
		const more = callers.rows.length - shown.length;
		const told = `the stacks of ${thousands(callers.samples)} of the code's ${thousands(samplesWithCallers(region))} samples tell`;
		const verb = region.heat?.code.kind === 'interpreter' ? 'interprets' : region.heat === null && region.source === 'kernel' ? 'entered from' : 'called from';
		this.wrapped(`${verb} ${shown.join('; ')}${more > 0 ? `; ${thousands(more)} more` : ''} (${told})`);
	}

	private listing({ lines }: Region, heat: CodeHeat, code: NonNullable<CodeHeat['instructions']>): void {
		const near = nearSampled(lines, heat, this.view.margin);
		const arrows = jumpArrows(lines.length, this.view.jumps(code, lines));
		const counted = this.view.report.attribution.counted;
		const { analysed } = heat;
		const isNarrow = (this.terminal.width ?? 200) < 120;
		// The first digits are the same for a whole compilation, and stand above.
		const addressDigits = isNarrow ? -5 : 2;
		const textWidth = isNarrow ? 30 : 40;
		this.line(this.terminal.paint('dim', `  ${padStart('seen', 8)}${analysed === null ? '' : `  ${padStart('analysed', 8)}`}`));
		const indent = analysed === null ? 10 : 20;
		let chain = -1;
		let hidden = 0;
		let lastPlace: string | null = null;
		const showHidden = (): void => {
			if (hidden > 0) {
				this.line(this.terminal.paint('dim', `${' '.repeat(indent)}  … ${hidden} instruction${hidden === 1 ? '' : 's'} without samples`));
			}
			hidden = 0;
		};
		lines.forEach((i, row) => {
			if (near[row] === 0) {
				hidden++;
				return;
			}
			showHidden();
			const before = lines[row - 1];
			if (before !== undefined && near[row - 1] === 1 && code.end[before] !== code.address[i]) {
				this.line(this.terminal.paint('dim', `${' '.repeat(indent)}  … code of other regions`));
			}
			const label = heat.labels.get(i);
			if (label !== undefined) {
				this.line(`${' '.repeat(indent)}  [${visible(label)}]`);
			}
			const position = code.position[i]!;
			if (position >= 0 && !sameLines(code.positions[position], code.positions[chain])) {
				this.frames(code.positions[position]!, code.positions[chain] ?? [], indent);
			}
			chain = position >= 0 ? position : chain;
			const seen = heat.seen[i]!;
			const percent = padStart(seen === 0 ? '' : percentText(seen, counted), 8);
			const moved = analysed === null ? '' : `  ${padStart(analysed[i]! < 0.005 ? '' : percentText(analysed[i]!, counted), 8)}`;
			const share = seen / Math.max(1, counted);
			const text = visible(code.textAt(i).replace(/0x0{2,}/g, '0x'));
			const place = placeOfComments(code.comments[i] ?? []);
			const note = noteOf(code.comments[i] ?? [], place === lastPlace ? null : place);
			lastPlace = place ?? lastPlace;
			const body =
				`  ${percent}${moved}  ${arrows[row]} ${hexadecimal(code.address[i]!).slice(addressDigits)}  ${padEnd(text, textWidth)}${note === '' ? '' : `  ${visible(note)}`}`.trimEnd();
			this.line(share >= 0.01 ? this.terminal.paint(share >= 0.05 ? 'red' : 'yellow', cutLine(body, this.terminal.width)) : body);
		});
		showHidden();
		const outside = heat.outside;
		if (outside > 0) {
			this.line(`${thousands(outside)} more samples lie between the instructions that are known`);
		}
	}

	/** The chain of inlining, once for each change. */
	private frames(chain: readonly Frame[], before: readonly Frame[], indent: number): void {
		const first = chain[0];
		const source = first?.line == null ? null : this.view.sourceLine(first.method, first.line);
		const text = `${' '.repeat(indent)}  ${visible(chainText(chain, before))}${source === null ? '' : `   ${visible(source.trim())}`}`;
		this.line(this.terminal.paint('cyan', cutLine(text, this.terminal.width)));
	}

	private rows<T extends CountedRow>(rows: readonly T[], handle: (row: T) => string, names: (row: T) => [string, string]): void {
		const handles = rows.map(handle);
		const handleWidth = Math.max(0, ...handles.map(columns));
		const texts = rows.map(names);
		const secondWidth = Math.max(0, ...texts.map(([, second]) => columns(visible(second))));
		const used = 2 + handleWidth + 2 + 8 + (this.view.showIntervals ? 8 : 0) + 9 + 2;
		const width = this.terminal.width;
		const nameWidth = Math.min(
			width === null ? 1000 : Math.max(20, width - used - 2 - Math.min(secondWidth, 24)),
			Math.max(1, ...texts.map(([name]) => columns(visible(name)))),
		);
		rows.forEach((row, i) => {
			const [name, second] = texts[i]!;
			const head = `  ${padEnd(handles[i]!, handleWidth)}  ${padStart(this.percent(row.samples), 8)}${this.interval(row)}${padStart(thousands(row.samples), 9)}  `;
			this.line(`${head}${padEnd(shortenMethod(visible(name), width === null ? null : nameWidth), nameWidth)}  ${visible(second)}`.trimEnd());
		});
	}

	private interval({ share }: CountedRow): string {
		return this.view.showIntervals ? padStart(` ±${((share.high - share.low) / 2).toFixed(2)}`, 8) : '';
	}

	private rest(rows: readonly CountedRow[], what: string): void {
		if (rows.length > 0) {
			this.line(`  ${thousands(rows.length)} more ${what}: ${this.percent(rows.reduce((sum, { samples }) => sum + samples, 0))}  → --top ${this.view.top * 5}`);
		}
	}

	private heading(text: string): void {
		this.line('');
		this.line(this.terminal.paint('bold', text));
	}

	private percent(count: number): string {
		return percentText(count, this.view.report.attribution.counted);
	}

	/** Columns that are left for a name. */
	private room(used: number): number | null {
		return this.terminal.width === null ? null : Math.max(20, this.terminal.width - used);
	}

	private wrapped(text: string): void {
		const width = this.terminal.width ?? Number.POSITIVE_INFINITY;
		let line = '';
		for (const word of visible(text).split(' ')) {
			if (line !== '' && columns(line) + 1 + columns(word) > width) {
				this.line(line);
				line = `  ${word}`;
			} else {
				line = line === '' ? word : `${line} ${word}`;
			}
		}
		this.line(line);
	}

	private line(text: string): void {
		this.writer.line(0, cutLine(text, this.terminal.width));
	}
}

/** Which lines are within `margin` of one with samples. */
function nearSampled(lines: readonly number[], { seen, analysed }: CodeHeat, margin: number): Uint8Array {
	const result = new Uint8Array(lines.length);
	lines.forEach((i, row) => {
		if (seen[i]! > 0 || (analysed?.[i] ?? 0) >= 0.5) {
			result.fill(1, Math.max(0, row - margin), row + margin + 1);
		}
	});
	return result;
}

/** Of what the JVM printed the bytecode, polls, calls and implicit checks: oop maps and addresses are in the JSON. Of a place of the source the file's name. */
function noteOf(comments: readonly string[], place: string | null): string {
	const bytecode = comments.find((comment) => comment.startsWith('*'))?.replace(/^\*(.*?) ?\{[\s\S]*/, '$1');
	const others = comments.filter((comment) => /^\{(?:poll|.*call)/.test(comment) || comment.startsWith('implicit exception'));
	return [...(place === null ? [] : [place.replace(/^.*[/\\]/, '')]), ...(bytecode === undefined ? [] : [bytecode]), ...others].join('  ');
}

/** In which compilations a native method is called that has so many samples. */
function callingText(calling: readonly CallingCode[], samples: number): string {
	if (calling.length === 0) {
		return '';
	}
	const shown = calling
		.slice(0, MOST_CALLING)
		.map(({ compileId, method, samples: own }) => `${compileId === null ? '' : `c${compileId} `}${visible(method)} ${shareText(own, samples)}`);
	return ` (in ${shown.join(', ')}${calling.length > shown.length ? `, ${thousands(calling.length - shown.length)} more` : ''})`;
}

function shareText(part: number, whole: number): string {
	return `${Math.round((100 * part) / whole)} %`;
}

function loopText({ loop, heat }: Region): string {
	if (loop === null) {
		return '';
	}
	const hasNoPoll = !loop.hasPoll && heat?.code.arePollsKnown !== false;
	return `, loop${loop.depth > 1 ? ` ${loop.depth} deep` : ''}${hasNoPoll ? ', no poll' : ''}`;
}

function sparkline(parts: readonly number[], highest: number): string {
	return parts.map((count) => (count === 0 ? '·' : '▁▂▃▄▅▆▇█'[Math.min(7, Math.floor((8 * count) / Math.max(1, highest)))]!)).join('');
}

function percentText(count: number, counted: number): string {
	return `${(counted === 0 ? 0 : (100 * count) / counted).toFixed(2)} %`;
}

function thousands(count: number): string {
	return Math.round(count)
		.toString()
		.replace(/\B(?=(?:\d{3}){1,7}$)/g, ',');
}

function classShares({ classes, counted }: ThreadTime) {
	return classes.map(({ class: of, share, activities }) => ({
		...share,
		class: of,
		activities: activities.map(({ name, samples }) => ({ name, percent: (100 * samples) / counted })),
	}));
}

function threadShares({ threads, counted }: ThreadTime) {
	return threads.map(({ name, class: of, samples }) => ({ name: name ?? '?', class: of, percent: (100 * samples) / counted }));
}

/** What callers are a part of: of a compilation and a stub they are those of all of its regions. */
function samplesWithCallers({ heat, samples }: Region): number {
	return heat === null || heat.code.kind === 'interpreter' ? samples : heat.samples;
}
