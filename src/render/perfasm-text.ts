/** The report of JMH 1.37's perfasm and dtraceasm, line for line; what is prose there is in our own words. */
import type { CountedCode, HotRegion, JmhReport } from '../hot/results.js';
import { javaFixed } from '../model/java-number.js';
import type { TextWriter } from './text-writer.js';

export type ShowCounts = 'raw' | 'norm' | 'percent_total';

export interface PerfasmTextOptions {
	/** The events of the report as they were asked for, with modifiers. */
	readonly requestedEvents: readonly string[];
	readonly showCounts: ShowCounts;
	/** Operations of the benchmark, for counts per call; at least 1. */
	readonly ops: number;
	/** What to say when there is no assembly. */
	readonly assembly: 'read' | 'skipped' | 'missing';
	readonly skippedMs: number;
	readonly hotThreshold: number;
	readonly top: number;
	readonly tooBigThreshold: number;
}

const LINE_WIDTH = 100;
/** Below this the original warns of too few samples. */
const FEW_SAMPLES = 1000;

const MODES: Record<ShowCounts, string> = {
	raw: ' Unaltered event counts are printed.',
	norm: ' Event counts are normalized per @Benchmark call.',
	percent_total: ' Event counts are percents of total event count.',
};

export function writePerfasmText(writer: TextWriter, report: JmhReport, options: PerfasmTextOptions): void {
	new PerfasmText(writer, report, options).write();
}

class PerfasmText {
	private readonly writer: TextWriter;
	private readonly report: JmhReport;
	private readonly options: PerfasmTextOptions;
	private readonly formatCount: (count: number, event: number) => string;
	private readonly sourceWidth: number;

	constructor(writer: TextWriter, report: JmhReport, options: PerfasmTextOptions) {
		this.writer = writer;
		this.report = report;
		this.options = options;
		this.formatCount = countFormat(report.totals, options);
		this.sourceWidth = report.regions.reduce((width, { source }) => Math.max(width, source.length), 0);
	}

	write(): void {
		this.header();
		this.hotRegions();
		this.table('Hottest Regions', this.report.regions, 'regions');
		this.table('Hottest Methods (after inlining)', this.report.methods, 'methods');
		this.sources();
		this.warnings();
	}

	private header(): void {
		const { report, options } = this;
		if (report.addressLines > 0) {
			this.line(`PrintAssembly processed: ${report.addressLines} total address lines.`);
		} else if (options.assembly === 'skipped') {
			this.paragraph('PrintAssembly skipped, Java methods are not resolved.');
		} else {
			this.paragraph(
				'ERROR: no line of the assembly has an address, so Java methods are not resolved.',
				options.assembly === 'missing'
					? 'Give the log of the JVM too (-XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:+PrintAssembly -XX:LogFile=FILE),'
					: 'The log was written without -XX:+PrintAssembly, or the JVM has no hsdis and is too old to print [MachCode] instead:',
				options.assembly === 'missing' ? 'or --skipAsm to do without.' : 'run it again with both, or give --skipAsm to do without.',
			);
		}
		if (report.totals.some((total) => total > 0)) {
			this.line(`Perf output processed (skipped ${javaFixed(options.skippedMs / 1000, 3)} seconds):`);
			report.events.forEach((event, i) => {
				const requested = options.requestedEvents[i];
				this.line(` Column ${i + 1}: ${event}${requested === event ? '' : ` (${requested})`} (${report.totals[i]} events)`);
			});
			this.line('');
		} else {
			this.paragraph(
				`ERROR: no sample of ${report.events.join(', ') || 'any event'} lies in the window.`,
				'--delay and --length say in milliseconds after the first sample where it lies.',
			);
		}
	}

	private hotRegions(): void {
		const { report, options } = this;
		const threshold = Math.trunc(options.hotThreshold * (report.totals[0] ?? 0));
		const percent = javaFixed(options.hotThreshold * 100, 2);
		const hot = report.regions.filter(({ counts }) => (counts[0] ?? 0) > threshold);
		if (hot.length === 0) {
			this.line(`WARNING: no region has more than ${percent}% of the samples, so no code is shown.`);
			this.line('--hotThreshold takes a lower share.');
			this.line('');
			return;
		}
		this.line(`Hottest code regions (>${percent}% "${report.events[0]}" events):`);
		this.line(MODES[options.showCounts]);
		this.line('');
		hot.forEach((region, i) => {
			this.dotted(`Hottest Region ${i + 1}`);
			this.line(`${region.source}, ${region.name} `);
			this.line('');
			this.code(region);
			this.dotted();
			this.line(`${this.columns(region.counts)}<total for region ${i + 1}>`);
			this.line('');
		});
	}

	private code(region: HotRegion): void {
		if (region.lineRange === null) {
			this.line(' <no assembly is recorded, native region>');
			return;
		}
		const lines = region.lineRange.to - region.lineRange.from;
		if (lines > this.options.tooBigThreshold) {
			this.line(` <region is too big to display, has ${lines} lines, but threshold is ${this.options.tooBigThreshold}>`);
			return;
		}
		for (const { counts, arrows, text } of this.report.codeOf(region)) {
			this.line(this.columns(counts) + arrows + text);
		}
	}

	private table(title: string, rows: readonly CountedCode[], kind: string): void {
		this.dotted(title);
		for (const { name, source, counts } of rows.slice(0, this.options.top)) {
			this.line(`${this.columns(counts)}${source.padStart(this.sourceWidth)}  ${name} `);
		}
		const others = rows.slice(this.options.top);
		if (others.length > 0) {
			this.line(`${this.columns(this.sum(others))}<...other ${others.length} warm ${kind}...>`);
		}
		this.totals(rows);
	}

	private sources(): void {
		this.dotted('Distribution by Source');
		for (const { source, counts } of this.report.sources) {
			this.line(this.columns(counts) + source.padStart(this.sourceWidth));
		}
		this.totals(this.report.regions);
	}

	private totals(rows: readonly CountedCode[]): void {
		this.dotted();
		this.line(`${this.columns(this.sum(rows))}<totals>`);
		this.line('');
	}

	private sum(rows: readonly CountedCode[]): number[] {
		return this.report.events.map((_, event) => rows.reduce((total, { counts }) => total + (counts[event] ?? 0), 0));
	}

	private warnings(): void {
		const count = this.report.totals.reduce((total, value) => total + value, 0);
		if (count < FEW_SAMPLES) {
			this.line(`WARNING: The perf event count is suspiciously low (${count}).`);
			this.line('With so few samples the order of regions is partly chance: record longer, or sample more often.');
		}
	}

	private columns(counts: readonly number[]): string {
		return counts.map(this.formatCount).join('');
	}

	/** Dots over the whole width, after a title in square brackets when there is one. */
	private dotted(title?: string): void {
		this.line((title === undefined ? '' : `....[${title}]`).padEnd(LINE_WIDTH, '.'));
	}

	private paragraph(...lines: readonly string[]): void {
		for (const line of ['', ...lines, '']) {
			this.line(line);
		}
	}

	private line(text: string): void {
		this.writer.raw(`${text}\n`);
	}
}

/** A count in its column, blanks behind it included; none is blank. */
function countFormat(totals: readonly number[], { showCounts, ops }: PerfasmTextOptions): (count: number, event: number) => string {
	const [integerDigits, fractionDigits] = columnDigits(totals, showCounts, ops);
	const width = integerDigits + fractionDigits + 2;
	const blank = ' '.repeat(width + 3);
	const fixed = (value: number): string => javaFixed(value, fractionDigits).padStart(width);
	return (count, event) => {
		if (count === 0) {
			return blank;
		}
		switch (showCounts) {
			case 'raw':
				return `${fixed(count)}   `;
			case 'norm':
				return `${fixed((100 * count) / ops)}   `;
			case 'percent_total':
				return `${fixed((100 * count) / totals[event]!)}%  `;
		}
	};
}

/** Digits before and after the decimal point that the totals need. */
function columnDigits(totals: readonly number[], showCounts: ShowCounts, ops: number): [number, number] {
	switch (showCounts) {
		case 'raw':
			return [totals.reduce((digits, total) => Math.max(digits, Math.ceil(Math.log10(total))), 1), 0];
		case 'norm': {
			const magnitudes = totals.filter((total) => total > 0).map((total) => Math.log10(total / ops));
			const largest = magnitudes.reduce((digits, magnitude) => Math.max(digits, Math.ceil(magnitude)), 2);
			return [largest, magnitudes.reduce((digits, magnitude) => Math.max(digits, Math.ceil(-magnitude)), 1)];
		}
		case 'percent_total':
			return [3, 2];
	}
}
