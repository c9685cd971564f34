/**
 * `assay report` as text, one screen of a recording: what ran and what is known of it, the compilations that matter, where the rest of the time went, and
 * findings as sentences.
 */
import type { CompilationResult, RecordingResult, RefusedCallOf } from '../answers/report-result.js';
import type { StartupResult } from '../answers/startup-result.js';
import { isAheadOfTimeCompiler } from '../model/ahead-of-time.js';
import { EVIDENCE, EVIDENCE_KINDS, isOfOtherJit, isStartupOnly } from '../model/evidence.js';
import { simpleName } from '../model/method-name.js';
import { THREAD_CLASS_WORDS } from '../model/thread-class.js';
import { writeCountsTable } from './order-simulate-text.js';
import { thousands } from './quantities.js';
import { sampleWindowText } from './sample-window-text.js';
import { columns, cutLine, padEnd, padStart, shortenMethod, shortenMiddle, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { type ActivityShare, activityWords, functionShares, threadTimeLines } from './thread-time-lines.js';
import { visible } from './visible.js';

export interface RecordingTextView extends RecordingResult {
	readonly refused: RefusedCallOf;
	/** Those that the table shows, in its order. */
	readonly ranked: readonly CompilationResult[];
}

export interface RecordingTextOptions {
	/** Rows of tables. */
	readonly top: number;
	/** Names the files behind each row. */
	readonly showOrigin: boolean;
	/** The options that chose a part of the samples, `--class java`; empty: all are shown. */
	readonly samples: string;
}

export function writeRecordingReportText(writer: TextWriter, view: RecordingTextView, options: RecordingTextOptions, terminal: Terminal): void {
	new RecordingText(writer, view, options, terminal).write();
}

/** `, 1,200 more of other processes` */
function othersText({ 'other process': others = 0 }: RecordingTextView['samples']['byReason']): string {
	return others === 0 ? '' : `, ${thousands(others)} more of other processes`;
}

/** `, 12 more lost, 3 without stack` */
function lossText(ofStacks: RecordingTextView['samples']['ofStacks']): string {
	if (ofStacks === undefined) {
		return '';
	}
	const { lost, failed } = ofStacks;
	return `${failed === 0 ? '' : `, ${thousands(failed)} without stack`}${lost === 0 ? '' : `, ${thousands(lost)} more lost`}`;
}

/** Those that failed, and those that were still queued at the end. */
function isWithoutCode({ failure, queuedMs, startedMs, installedMs, codeBytes }: RecordingTextView['compilations'][number]): boolean {
	return failure !== undefined || (queuedMs !== undefined && startedMs === undefined && installedMs === undefined && codeBytes === 0);
}

/** Asked for where they are missing. */
const EXPECTED = EVIDENCE_KINDS.filter((kind) => EVIDENCE[kind].isExpected);
const NAMED = [...EXPECTED, ...EVIDENCE_KINDS.filter((kind) => !EVIDENCE[kind].isExpected)];
/** With less room beside the row they stand below its name. */
const LEAST_WHOM_WIDTH = 56;
const MAX_OTHERS = 4;
const MAX_FINDINGS = 5;
const DEFAULT_TOP = 10;
const MAX_WIDTH = 200;
const PIPE_WIDTH = 120;
const KIBIBYTE = 1 << 10;
const MEBIBYTE = 1 << 20;

class RecordingText {
	private readonly writer: TextWriter;
	private readonly view: RecordingTextView;
	private readonly options: RecordingTextOptions;
	private readonly terminal: Terminal;
	private readonly width: number;

	constructor(writer: TextWriter, view: RecordingTextView, options: RecordingTextOptions, terminal: Terminal) {
		this.writer = writer;
		this.view = view;
		this.options = options;
		this.terminal = terminal;
		this.width = Math.min(terminal.width ?? PIPE_WIDTH, MAX_WIDTH);
	}

	write(): void {
		this.head();
		this.evidence();
		this.line('');
		if (!isStartupOnly(this.view.evidence)) {
			this.classes();
			// Without compilations methods are all that samples with stacks tell of.
			const { hotMethods = [], compilations } = this.view;
			const isByMethod = hotMethods.length > 0 && compilations.length === 0;
			if (!isByMethod) {
				this.table();
			}
			if (hotMethods.length > 0) {
				this.hotMethods(hotMethods, isByMethod);
			}
		} else {
			this.startup();
		}
		this.findings();
	}

	private line(text: string): void {
		this.writer.line(0, cutLine(text, this.width));
	}

	/** Words that stay together, over as many lines as they need. */
	private wrapped(words: readonly string[], indent: number, separator = ' ', first = ' '.repeat(indent)): void {
		let line = first;
		let isEmpty = true;
		for (const word of words) {
			if (!isEmpty && columns(line) + columns(separator) + columns(word) > this.width) {
				this.line(line.trimEnd());
				line = ' '.repeat(indent);
				isEmpty = true;
			}
			line += isEmpty ? word : separator + word;
			isEmpty = false;
		}
		this.line(line.trimEnd());
	}

	private head(): void {
		const { recording: jvm, samples, evidence, startup } = this.view;
		const { name, seconds } = jvm;
		// async-profiler has the version alone.
		const version = /\((\d[^)]{0,200})\)/.exec(jvm.version ?? '')?.[1] ?? /^\d.{0,200}$/.exec(jvm.version ?? '')?.[0];
		const parts = [
			jvm.version === null ? '' : `HotSpot ${version ?? ''}${jvm.collector === null ? '' : ` (${jvm.collector})`}`,
			jvm.processId === null ? '' : `process ${jvm.processId}`,
			seconds === null ? '' : `${seconds.toFixed(1)} s`,
			samples.event === null
				? ''
				: `${thousands(samples.counted)} samples (${visible(samples.event)}${othersText(samples.byReason)}${lossText(samples.ofStacks)}${this.options.samples === '' ? '' : `, ${visible(this.options.samples)} alone`})`,
			evidence.proftoolProfile.present && samples.event === null ? 'profile of proftool' : '',
			startup === null || startup.traces.length === 0 ? '' : startupTitle(startup),
		].filter((part) => part !== '');
		const title = shortenMiddle(visible(name), this.width - 4);
		this.wrapped(
			parts.map((part, i) => part + (i < parts.length - 1 ? ',' : '')),
			3,
			' ',
			`${this.terminal.paint('bold', title)}   `,
		);
		if (jvm.command !== null && jvm.command !== '') {
			// The JVM tells what it ran without its options: a class, or an archive.
			const java = /^\S+\.jar(?: |$)/.test(jvm.command) ? 'java -jar' : 'java';
			this.line(`   ${java} ${shortenMiddle(visible(jvm.command), this.width - java.length - 4)}`);
		}
		if (samples.ofStacks !== undefined) {
			const { what, kinds } = samples.ofStacks;
			const others = kinds.filter(({ isCounted }) => !isCounted).map(({ event, samples: count }) => `${thousands(count)} ${visible(event)}`);
			const text = `samples: ${visible(what)}, by method and line${others.length === 0 ? '' : `; not counted: ${others.join(', ')}`}`;
			this.wrapped(text.split(' '), 3);
		}
		if (samples.window !== null) {
			this.wrapped(visible(sampleWindowText(samples.window)).split(' '), 3, ' ', '   ');
		}
	}

	private evidence(): void {
		const { evidence, recording } = this.view;
		const { codeForm } = recording;
		const { paint } = this.terminal;
		const isSampled = this.view.samples.event !== null;
		// A native program of which no code is at hand.
		const isUnreadProgram = !evidence.executables.present && evidence.executables.files.length > 0;
		const expected =
			isStartupOnly(this.view.evidence) || isOfOtherJit((kind) => evidence[kind].present) || isUnreadProgram
				? []
				: EXPECTED.filter((kind) => kind !== 'samples' || evidence.samples.present || !isSampled);
		const words = NAMED.filter((kind) => evidence[kind].present || expected.includes(kind)).map((kind) => {
			const word = EVIDENCE[kind].words;
			const form = kind === 'assembly' && codeForm !== null ? ` (${codeForm})` : '';
			return evidence[kind].present ? `${word} ${paint('green', '✓')}${form}` : `${word} ${paint('yellow', '✗')}`;
		});
		const isMissing = isUnreadProgram || expected.some((kind) => !evidence[kind].present) || this.view.startup?.program === null;
		this.wrapped([...words, ...(isMissing ? ['→ assay doctor'] : [])], 3, '  ', '   evidence: ');
		if (this.options.showOrigin) {
			for (const kind of NAMED) {
				const { present, files, records } = evidence[kind];
				if (present) {
					this.line(paint('dim', `   ${EVIDENCE[kind].words}: ${thousands(records)} from ${visible(files.join(', '))}`));
				}
			}
		}
	}

	/** Layouts of a native program, where there is nothing of a JVM. */
	private startup(): void {
		const { startup } = this.view;
		if (startup !== null && startup.layouts.length > 0) {
			const rows = startup.layouts.map((layout) => ({ name: layout.name, counts: layout }));
			writeCountsTable(this.writer, rows, startup.traces.length, this.terminal);
			this.line(this.terminal.paint('dim', '→ --section startup shows each trace, and the pages'));
		} else {
			this.wrapped('The program that ran is missing: its ELF file before strip, or the output of nm -n --print-size of it.'.split(' '), 0);
		}
		const leftOut = startup?.leftOut ?? [];
		for (const { file, why } of leftOut.slice(0, MAX_OTHERS)) {
			this.wrapped(`left out: ${visible(file)}: ${visible(why)}`.split(' '), 3, ' ', '');
		}
		if (leftOut.length > MAX_OTHERS) {
			this.line(`${leftOut.length - MAX_OTHERS} more files are left out; --json lists them`);
		}
	}

	/** Whose time it was, and of what it consisted. */
	private classes(): void {
		const classes = this.view.threadTime?.classes ?? [];
		const threads = (this.view.threadTime?.threads ?? []).map((row) => ({ ...row, name: row.name ?? '?' }));
		if (classes.length > 0) {
			this.line(this.terminal.paint('dim', 'Whose time it was'));
			for (const line of threadTimeLines(classes, threads, this.width)) {
				this.line(line);
			}
			this.line('');
		}
	}

	private table(): void {
		const { compilations, evidence, samples, ranked } = this.view;
		const hasHeat = samples.event !== null || evidence.proftoolProfile.present;
		const shown = hasHeat && compilations.every(({ percent }) => percent === 0) ? [] : ranked.slice(0, this.options.top);
		const cells = this.cellsOf(shown);
		const handleWidth = Math.max(5, ...shown.map(({ handle }) => columns(visible(handle)))) + 1;
		const fixed = cells.reduce((sum, { width }) => sum + width, 0) + handleWidth;
		const longest = Math.max(19, ...shown.map(({ method }) => columns(visible(method))));
		const room = this.width - fixed;
		const methodWidth = Math.max(12, Math.min(longest + 1, room < 50 ? room : Math.max(26, Math.floor(room * 0.45))));
		const title = hasHeat ? 'Where the time went' : shown.length > 0 ? 'Compilations' : 'No compilations';
		this.line(
			this.terminal.paint('dim', padEnd(padEnd(title, handleWidth + methodWidth) + cells.map(({ head, width }) => padStart(head, width)).join(''), 0)) +
				(room - methodWidth > 20 && (hasHeat || shown.length > 0) ? this.terminal.paint('dim', '  what the compiler did') : ''),
		);
		shown.forEach((row, i) => {
			const method = padEnd(shortenMethod(visible(row.method), methodWidth - 1), methodWidth);
			const values = cells.map(({ values: texts, width }) => padStart(texts[i] ?? '', width)).join('');
			const left = room - methodWidth - 2;
			const did = left > 18 ? `  ${this.whatItDid(row, left)}` : '';
			this.line((padEnd(visible(row.handle), handleWidth) + method + values + did).trimEnd());
			if (this.options.showOrigin) {
				this.line(this.terminal.paint('dim', `${' '.repeat(handleWidth)}from ${row.evidence.join(', ')}`));
			}
		});
		this.others(ranked.slice(shown.length), handleWidth, methodWidth, hasHeat);
	}

	/** Columns for which some row has a value. */
	private cellsOf(shown: readonly CompilationResult[]): { head: string; width: number; values: string[] }[] {
		// It is of the method, and stands at its hottest compilation.
		const firstOf = new Set(new Map([...shown].reverse().map((row) => [row.method, row])).values());
		const heads: readonly (readonly [string, (row: CompilationResult) => string])[] = [
			[shown.every(({ compiler }) => isAheadOfTimeCompiler(compiler)) ? 'compiler' : 'tier', tierText],
			['samples', ({ percent }) => (percent > 0 ? `${percent.toFixed(1)} %` : '')],
			['±', ({ halfInterval }) => halfInterval?.toFixed(1) ?? ''],
			['biased', (row) => (row.predictedBiasedPercent === undefined || !firstOf.has(row) ? '' : `${row.predictedBiasedPercent.toFixed(1)} %`)],
			['code', ({ codeBytes }) => (codeBytes === 0 ? '' : sizeText(codeBytes))],
			['memory', ({ memoryBytes }) => (memoryBytes === undefined ? '' : sizeText(memoryBytes))],
			[
				'inlined',
				({ inlinedCalls, notInlinedCalls }) =>
					inlinedCalls === undefined || notInlinedCalls === undefined ? '' : `${inlinedCalls} of ${inlinedCalls + notInlinedCalls}`,
			],
		];
		return heads
			.map(([head, value]) => {
				const values = shown.map(value);
				return { head, values, width: Math.max(columns(head), ...values.map(columns)) + (head === '±' ? 1 : 2) };
			})
			.filter(({ values }) => values.some((value) => value !== ''));
	}

	/** Methods whose own code was sampled, wherever it was compiled into. */
	private hotMethods(methods: NonNullable<RecordingTextView['hotMethods']>, isAll: boolean): void {
		const shown = methods.slice(0, this.options.top);
		const { counted } = this.view.samples;
		const share = (count: number): string => (count === 0 ? '' : `${((100 * count) / counted).toFixed(1)} %`);
		const columnsOf: readonly (readonly [string, (row: (typeof shown)[number]) => string])[] = [
			['samples', ({ percent }) => `${percent.toFixed(1)} %`],
			['±', ({ halfInterval }) => halfInterval.toFixed(1)],
			['compiled', ({ compiled }) => share(compiled)],
			['inlined', ({ inlined }) => share(inlined)],
			['interpreted', ({ interpreted }) => share(interpreted)],
			['native', ({ native }) => share(native)],
			['not told', ({ untold }) => share(untold)],
			['hottest line', ({ line }) => (line === null ? '' : String(line.line))],
		];
		const cells = columnsOf
			.map(([head, value]) => {
				const values = shown.map(value);
				return { head, values, width: Math.max(columns(head), ...values.map(columns)) + (head === '±' ? 1 : 2) };
			})
			.filter(({ values }) => values.some((value) => value !== ''));
		const room = Math.max(20, this.width - cells.reduce((sum, { width }) => sum + width, 0));
		const longest = Math.max(...shown.map(({ method }) => columns(visible(method))));
		const methodWidth = Math.min(longest + 1, room);
		if (!isAll) {
			this.line('');
		}
		this.line(
			this.terminal.paint(
				'dim',
				padEnd('Methods by their own code', Math.max(methodWidth, 26)) + cells.map(({ head, width }) => padStart(head, width)).join(''),
			),
		);
		shown.forEach(({ method }, i) => {
			const name = padEnd(shortenMethod(visible(method), methodWidth - 1), Math.max(methodWidth, 26));
			this.line(name + cells.map(({ values, width }) => padStart(values[i] ?? '', width)).join(''));
		});
		if (methods.length > shown.length) {
			this.line(`${thousands(methods.length - shown.length)} more   → --top 50`);
		}
		const others = isAll ? this.view.otherTime.filter((row) => row.name.startsWith('(') && row.name !== '(interpreter)') : [];
		const activities = this.activitiesByRow();
		for (const { name, percent } of others) {
			const head = `${padEnd(visible(name), Math.max(methodWidth, 26))}${padStart(`${percent.toFixed(1)} %`, cells[0]?.width ?? 0)}   `;
			this.line(`${head}${activityWords(activities.get(name) ?? [], this.width - columns(head))}`.trimEnd());
		}
	}

	/** What was done in libraries, the kernel, the interpreter and stubs, by their rows: activities where they tell of half of it, else functions. */
	private activitiesByRow(): ReadonlyMap<string, readonly ActivityShare[]> {
		return new Map(
			this.view.threadTime?.libraries.map(({ library, samples, activities, symbols }) => {
				const told = activities.reduce((sum, { samples: own }) => sum + own, 0);
				return [`(${library})`, 2 * told >= samples ? activities : functionShares(symbols)];
			}),
		);
	}

	/** Native methods and places in Java that a library or the kernel works for, and threads other than Java's; nothing where it is not known of most. */
	private whomFor({ name, callers, samples }: RecordingTextView['otherTime'][number]): readonly ActivityShare[] {
		const { counted } = this.view.samples;
		const percentOf = (own: number): number => (100 * own) / counted;
		const ofThreads = (this.view.threadTime?.classes ?? []).flatMap(({ class: of, activities }) => {
			// What the recording costs is done in threads of Java too, for callers that are told.
			const own = of === 'java' || of === 'recording' ? undefined : activities.find((activity) => `(${activity.name})` === name);
			return own === undefined ? [] : [{ name: `${THREAD_CLASS_WORDS[of]} threads`, samples: own.samples }];
		});
		const known = (callers?.samples ?? 0) + ofThreads.reduce((sum, one) => sum + one.samples, 0);
		return callers === undefined || 2 * known < samples
			? []
			: [...ofThreads, ...callers.rows.map(({ method, samples: own }) => ({ name: simpleName(method), samples: own }))]
					.sort((a, b) => b.samples - a.samples)
					.map((one) => ({ name: one.name, percent: percentOf(one.samples) }));
	}

	/** As many of the things to say as fit, the first one cut if it has to be. */
	private whatItDid(row: CompilationResult, width: number): string {
		const call = this.view.refused[row.handle];
		return [
			row.failure === undefined ? '' : `failed: ${row.failure}`,
			call === undefined || call.callee === null || isForeign(call)
				? ''
				: `${simpleName(call.callee)} not inlined${call.reason === '' ? '' : `: ${call.reason}`}${call.receivers.length > 1 ? ` (${call.receivers.length} receivers)` : ''}`,
			(row.loopsWithoutPoll ?? 0) > 0 ? `${row.loopsWithoutPoll === 1 ? 'a loop' : `${row.loopsWithoutPoll} loops`} without poll` : '',
			row.notEntrantMs === undefined || (row.level !== null && row.level < 4) ? '' : `thrown away at ${(row.notEntrantMs / 1000).toFixed(1)} s`,
			row.deoptimizations > 1 ? `deoptimized ${row.deoptimizations}×` : '',
		]
			.filter((text) => text !== '')
			.reduce((line, text) => {
				const next = line === '' ? cutLine(visible(text), width) : `${line}; ${visible(text)}`;
				return columns(next) <= width ? next : line;
			}, '');
	}

	private others(rest: readonly CompilationResult[], handleWidth: number, methodWidth: number, hasHeat: boolean): void {
		const { otherTime: others, compilations } = this.view;
		const indent = ' '.repeat(handleWidth);
		const cellWidth = methodWidth + 9;
		const row = (name: string, percent: number, end = ''): void =>
			this.line(`${indent}${padEnd(name, cellWidth)}${padStart(`${percent.toFixed(1)} %`, 8)}${end}`);
		if (rest.length > 0 && hasHeat) {
			const percent = rest.reduce((sum, one) => sum + one.percent, 0);
			row(
				`${thousands(rest.length)} more ${rest.length === 1 ? 'compilation' : 'compilations'}`,
				percent,
				`   → --top ${Math.min(50, rest.length + this.options.top)}`,
			);
		} else if (rest.length > 0) {
			this.line(`${indent}${thousands(rest.length)} more   → --top 50`);
		}
		const libraries = this.activitiesByRow();
		for (const other of others.slice(0, MAX_OTHERS)) {
			const { name, percent } = other;
			const room = this.width - columns(indent) - cellWidth - 11;
			row(shortenMiddle(visible(name), cellWidth - 1), percent, `   ${activityWords(libraries.get(name) ?? [], room)}`.trimEnd());
			const start = room < LEAST_WHOM_WIDTH ? `${indent}  for ` : `${indent}${' '.repeat(cellWidth + 8)}   for `;
			const whom = activityWords(this.whomFor(other), this.width - columns(start));
			if (whom !== '') {
				this.line(start + whom);
			}
		}
		const small = others.slice(MAX_OTHERS);
		if (small.length > 0) {
			row(
				`${small.length} more ${small.length === 1 ? 'place' : 'places'}`,
				small.reduce((sum, { percent }) => sum + percent, 0),
			);
		}
		const idle = compilations.length - rest.length - Math.min(this.options.top, compilations.length);
		if (hasHeat && idle > 0) {
			const made = compilations.filter((row) => row.percent > 0 || !isWithoutCode(row));
			const silent = made.filter(({ percent }) => percent === 0).length;
			this.line(this.terminal.paint('dim', `${indent}${thousands(silent)} of ${thousands(made.length)} compilations have no samples`));
		}
	}

	private findings(): void {
		const { findings } = this.view;
		this.line('');
		this.line(this.terminal.paint('bold', findings.length === 0 ? 'No findings' : 'Findings'));
		const shown = this.options.top > DEFAULT_TOP ? this.options.top : MAX_FINDINGS;
		findings.slice(0, shown).forEach((finding, i) => {
			this.finding(finding, i + 1);
		});
		if (findings.length > shown) {
			this.line(`    ${findings.length - shown} more   → --top 50`);
		}
	}

	/** One that does not fit on a line is taken apart: shortened, nobody could run it. */
	private commandWords(command: string): string[] {
		const { paint } = this.terminal;
		const whole = `→ ${visible(command)}`;
		const words = columns(whole) <= this.width - 6 ? [whole] : whole.split(/ (?=\S)(?<!→ )/);
		return words.map((word) => paint('dim', shortenMiddle(word, this.width - 6)));
	}

	private finding({ text, command }: RecordingResult['findings'][number], number: number): void {
		const words = visible(text)
			.split(/ (?!%)/)
			.map((word) => shortenMiddle(word, Math.max(20, this.width - 5)));
		this.wrapped([...words, ...(command === null ? [] : this.commandWords(command))], 4, ' ', `${padStart(String(number), 2)}  `);
	}
}

/** Traces of a native program, and nothing of a JVM. */
/** `start-up of app: 3 traces` */
function startupTitle({ program, traces }: StartupResult): string {
	const counted = `${thousands(traces.length)} ${traces.length === 1 ? 'trace' : 'traces'}`;
	const name =
		(program?.file ?? '')
			.split('/')
			.at(-1)
			?.replace(/\.(?:gz|zst)$/, '') ?? '';
	return program === null ? `${counted} of first executions, without the program` : `start-up of ${visible(name)}: ${counted}`;
}

const COMPILER_NAMES: Readonly<Record<string, string>> = {
	c1: 'C1',
	c2: 'C2',
	jvmci: 'Graal',
	graal: 'Graal',
	turbofan: 'TurboFan',
	maglev: 'Maglev',
	sparkplug: 'Sparkplug',
	ignition: 'Ignition',
	liftoff: 'Liftoff',
	irregexp: 'Irregexp',
	jit: 'JIT',
};

/** `C2`, `C1 3`, `C2 OSR`, `Graal`, `TurboFan`. */
function tierText({ compiler, level, kind }: CompilationResult): string {
	if (kind === 'native wrapper') {
		return 'native';
	}
	const name = compiler === null ? '' : (COMPILER_NAMES[compiler] ?? visible(compiler).slice(0, 8));
	const tier = level === null || (level === 4 && name !== '') ? '' : String(level);
	return [name, tier, kind === 'osr' ? 'OSR' : ''].filter((text) => text !== '').join(' ');
}

/** `552`, `12.3K`, `5.94M`: bytes in units of 1024, as HotSpot has them. */
function sizeText(bytes: number): string {
	if (bytes < KIBIBYTE) {
		return String(bytes);
	}
	return bytes < MEBIBYTE ? `${(bytes / KIBIBYTE).toFixed(bytes < 100 * KIBIBYTE ? 1 : 0)}K` : `${(bytes / MEBIBYTE).toFixed(2)}M`;
}

/** Of another module or library, and without a sample: nobody expects that it is inlined (`__assert_fail`). */
function isForeign({ reason, calleePercent }: RefusedCallOf[string]): boolean {
	return calleePercent === 0 && reason.startsWith('no definition in this module');
}
