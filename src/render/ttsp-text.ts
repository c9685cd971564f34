/** `assay bias --ttsp` as text: how long it took, the slow safepoints with their culprits, then what to do. */
import type { DelaySummary } from '../answers/time-to-safepoint-result.js';
import type { DelayCause, TimeClass } from '../bias/delay-summary.js';
import type { Culprit, SafepointDelay } from '../bias/safepoint-delay.js';
import { hexadecimal } from '../model/hexadecimal.js';
import { nanosecondsText } from '../model/nanoseconds-text.js';
import { neverReached } from '../model/never-reached.js';
import type { SafepointTimeout } from '../model/safepoint.js';
import { columns, cutLine, padEnd, padStart, shortenMethod, shortenMiddle, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

export interface TtspView extends DelaySummary {
	/** What was recorded. */
	readonly title: string;
	/** Rows of tables. */
	readonly top: number;
	/** Late threads of safepoints that are not in the log. */
	readonly otherTimeouts: readonly SafepointTimeout[];
	/** In the order of the log. */
	readonly delays: readonly SafepointDelay[];
}

/** Culprits of a safepoint that are shown. */
const MAX_CULPRITS = 3;

export function writeTtspText(writer: TextWriter, view: TtspView, terminal: Terminal): void {
	const text = new TtspText(writer, terminal);
	text.head(view);
	text.histogram(view.classes);
	text.operations(view);
	text.slowSafepoints(view);
	text.causes(view.causes.slice(0, view.top));
}

class TtspText {
	private readonly writer: TextWriter;
	private readonly terminal: Terminal;

	constructor(writer: TextWriter, terminal: Terminal) {
		this.writer = writer;
		this.terminal = terminal;
	}

	head({ title, delays, slowNs, otherTimeouts }: TtspView): void {
		this.line(this.terminal.paint('bold', visible(title)));
		for (const delay of delays) {
			this.wrapped('', neverReached(delay) ?? '');
		}
		for (const { time, threads } of otherTimeouts) {
			const at = time.uptimeNs === null ? '' : ` at ${(time.uptimeNs / 1e9).toFixed(2)} s`;
			const names = threads.map(({ name }) => visible(name)).join(', ');
			this.wrapped(
				'',
				`A safepoint was late${at}${names === '' ? '' : `, waiting for ${names}`}: the log tells neither of its begin nor of its end (-Xlog:safepoint=debug)`,
			);
		}
		const reaching = delays.reduce((sum, { safepoint }) => sum + (safepoint.reachingNs ?? 0), 0);
		const total = delays.reduce((sum, { safepoint }) => sum + safepoint.totalNs, 0);
		const slow = delays.filter(({ isSlow }) => isSlow).length;
		this.wrapped(
			'',
			delays.length > 0 && delays.every(({ safepoint }) => safepoint.reachingNs === null)
				? `${count(delays.length, 'safepoint')}, ${nanosecondsText(total)} in all; how long they were waited for is not told.`
				: `${count(delays.length, 'safepoint')}, ${nanosecondsText(total)} in all; ${nanosecondsText(reaching)} of it to reach them. ${slow === 0 ? 'None' : String(slow)} took ${nanosecondsText(slowNs)} or more to reach.`,
		);
	}

	histogram(classes: readonly TimeClass[]): void {
		if (classes.length === 0) {
			return;
		}
		this.heading('Time to safepoint');
		const most = Math.max(...classes.map(({ safepoints }) => safepoints));
		const width = Math.min(40, (this.terminal.width ?? 80) - 34);
		for (const { fromNs, toNs, safepoints } of classes) {
			const bar = safepoints === 0 ? '' : '█'.repeat(Math.max(1, Math.round((width * safepoints) / most)));
			this.line(
				`  ${padStart(fromNs === 0 ? '0' : nanosecondsText(fromNs), 8)} to ${padStart(nanosecondsText(toNs), 8)}  ${padStart(String(safepoints), 6)}  ${bar}`.trimEnd(),
			);
		}
	}

	operations({ operations, collector, runNs, top }: TtspView): void {
		if (collector !== null) {
			const share = collector.percentOfRun === null || runNs === null ? '' : `, ${collector.percentOfRun.toFixed(1)} % of the ${nanosecondsText(runNs)}`;
			const asked =
				collector.askedCount === 0
					? ''
					: ` ${collector.askedCount === collector.count ? 'All' : collector.askedCount} of these were asked for (System.gc(), or from outside): ${nanosecondsText(collector.askedNs)}.`;
			this.wrapped(
				'',
				`The garbage collector stopped the program for ${nanosecondsText(collector.totalNs)}${share}: ${count(collector.count, collector.counted === 'collections' ? 'collection' : 'safepoint')}, the longest ${nanosecondsText(collector.longestNs)}.${asked}`,
			);
		}
		if (operations.length === 0) {
			return;
		}
		this.heading(`What threads were stopped for${runNs === null ? '' : `, and its share of the run (${nanosecondsText(runNs)})`}`);
		for (const { operation, safepoints, totalNs, percentOfRun } of operations.slice(0, top)) {
			const share = percentOfRun === null ? '' : `${percentOfRun.toFixed(percentOfRun < 9.995 ? 2 : 1)} %`;
			const name = shortenMiddle(visible(operation ?? '(operation not logged)'), 30);
			this.line(`  ${padStart(nanosecondsText(totalNs), 8)}  ${padStart(share, 7)}  ${padStart(String(safepoints), 6)}  ${name}`);
		}
		const dumps = operations.filter(({ takesStacks }) => takesStacks);
		const sum = (of: 'safepoints' | 'totalNs' | 'percentOfRun'): number => dumps.reduce((all, row) => all + (row[of] ?? 0), 0);
		if (dumps.length > 0) {
			const share = runNs === null ? '' : `, ${sum('percentOfRun').toFixed(1)} % of the run`;
			this.wrapped(
				'  ',
				`${count(sum('safepoints'), 'thread dump')} took ${nanosecondsText(sum('totalNs'))}${share}: that is what being sampled by thread dumps cost`,
			);
		}
	}

	slowSafepoints({ delays, top }: TtspView): void {
		const slow = delays
			.filter(({ isSlow }) => isSlow)
			.sort(
				(a, b) =>
					Number(b.safepoint.unfinished !== null) - Number(a.safepoint.unfinished !== null) || (b.safepoint.reachingNs ?? 0) - (a.safepoint.reachingNs ?? 0),
			);
		if (slow.length === 0) {
			return;
		}
		this.heading('Slow safepoints: who made the others wait');
		for (const delay of slow.slice(0, top)) {
			this.slowSafepoint(delay);
		}
		if (slow.length > top) {
			this.line(`  ${slow.length - top} more  → --top ${top * 5}`);
		}
	}

	causes(causes: readonly DelayCause[]): void {
		if (causes.length === 0) {
			return;
		}
		this.heading('Causes, and what to do');
		let before = '';
		for (const { culprit, threads, safepoints, reachingNs } of causes) {
			const of =
				threads.length === 0
					? ''
					: `, ${threads.length === 1 ? 'thread' : 'threads'} ${shortenMiddle(visible(threads.slice(0, 3).join(', ')), 40)}${threads.length > 3 ? ` and ${threads.length - 3} more` : ''}`;
			this.line(`  ${this.place(culprit, 4)}`);
			this.wrapped('    ', `${nanosecondsText(reachingNs)} in ${count(safepoints, 'safepoint')}${of}`);
			// One reason is explained once where it repeats.
			if (culprit.why !== before) {
				this.wrapped('    ', `why: ${culprit.why}`);
				this.wrapped('    ', culprit.remedy === null ? '' : `what to do: ${culprit.remedy}`);
				this.wrapped('    ', culprit.cost === null ? '' : `what that costs: ${culprit.cost}`);
			}
			before = culprit.why;
		}
	}

	private slowSafepoint({ safepoint, startedNs, culprits, samples }: SafepointDelay): void {
		const at = startedNs === null ? '' : `  at ${(startedNs / 1e9).toFixed(3)} s`;
		const stood = safepoint.atSafepointNs === null ? '' : `, then ${nanosecondsText(safepoint.atSafepointNs)} at it`;
		const reaching = this.terminal.paint('red', padStart(nanosecondsText(safepoint.reachingNs ?? 0), 9));
		const ending = safepoint.unfinished === null ? 'to reach' : 'and not reached';
		this.line(`  ${reaching} ${ending}${stood}  ${shortenMiddle(visible(safepoint.operation ?? '(operation not logged)'), 30)}${at}`);
		for (const culprit of culprits.slice(0, MAX_CULPRITS)) {
			const share = culprit.evidence === 'samples' ? `${culprit.percent.toFixed(1)} %` : culprit.evidence === 'code' ? 'by code' : 'reported';
			const thread = padEnd(shortenMiddle(visible(culprit.thread ?? '(thread not known)'), 18), 12);
			this.line(`    ${padStart(share, 8)}  ${thread}  ${this.place(culprit, 30)}`);
		}
		if (culprits.length === 0) {
			this.line(
				`    ${samples === 0 ? 'no sample of the JVM in that time: its threads had no processor, or were not sampled' : 'no sample of a thread that it waited for'}`,
			);
		}
	}

	/** `Stall.kernel:5  c12 loop at 0x7f…`. */
	private place({ method, line, compileId, address, loop }: Culprit, used: number): string {
		const id = compileId === null ? '' : `  c${compileId}`;
		const where = address === null || method.startsWith('(') ? '' : `  ${loop === null ? '' : 'loop at '}${hexadecimal(address)}`;
		const rest = `${line === null ? '' : `:${line}`}${id}${where}`;
		const room = this.terminal.width === null ? null : Math.max(12, this.terminal.width - used - columns(rest));
		return `${shortenMethod(visible(method), room)}${visible(rest)}`;
	}

	private heading(text: string): void {
		this.line('');
		this.line(this.terminal.paint('bold', text));
	}

	private wrapped(indent: string, text: string): void {
		if (text === '') {
			return;
		}
		const width = this.terminal.width ?? Number.POSITIVE_INFINITY;
		let line = '';
		for (const word of text.split(' ')) {
			if (line !== '' && columns(line) + 1 + columns(word) > width) {
				this.line(line);
				line = `${indent}  ${word}`;
			} else {
				line = line === '' ? `${indent}${word}` : `${line} ${word}`;
			}
		}
		this.line(line);
	}

	private line(text: string): void {
		this.writer.line(0, cutLine(text, this.terminal.width));
	}
}

function count(number: number, what: string): string {
	return `${number} ${what}${number === 1 ? '' : 's'}`;
}
