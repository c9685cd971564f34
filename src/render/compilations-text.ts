/** `assay compilations` as text: a run's compilations on one screen, then methods, or the life of those that were asked for. */

import type { ReasonRow } from '../answers/compilations-result.js';
import { type CompilationsSummary, type MethodLife, type ReasonCount, tellsEnds, tellsSizes } from '../compilations/results.js';
import { writeLife } from './compilation-life-text.js';
import type { CompilationsView } from './compilations-view.js';
import { bytesText, millisecondsText, sparkline, thousands } from './quantities.js';
import { columns, cutLine, padEnd, padStart, shortenMethod, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

export function writeCompilationsText(writer: TextWriter, view: CompilationsView, terminal: Terminal): void {
	new CompilationsText(writer, view, terminal).write();
}

const ORDER_TEXT = {
	time: 'time spent compiling them',
	size: 'size of their code',
	versions: 'number of versions',
	deoptimizations: 'deoptimizations',
} as const;

class CompilationsText {
	private readonly writer: TextWriter;
	private readonly view: CompilationsView;
	private readonly terminal: Terminal;

	constructor(writer: TextWriter, view: CompilationsView, terminal: Terminal) {
		this.writer = writer;
		this.view = view;
		this.terminal = terminal;
	}

	write(): void {
		const { chosen, reasons, summary, isFiltered, title } = this.view;
		this.line(this.terminal.paint('bold', visible(title)));
		if (reasons !== null) {
			this.reasonTable(reasons);
			return;
		}
		if (chosen !== null) {
			for (const life of chosen) {
				this.line('');
				writeLife((text) => this.line(text), life, summary, this.terminal);
			}
			return;
		}
		if (!isFiltered) {
			this.overview(summary);
		}
		this.methodTable();
	}

	private overview(summary: CompilationsSummary): void {
		if (summary.history.isAheadOfTime === true) {
			this.wrapped(`${thousands(summary.compilations)} functions with optimization remarks; --reasons lists why calls were inlined or not`);
			return;
		}
		const { compilations, osr, nativeWrappers, installed, started, waiting, notEntrant, failures, retries } = summary;
		const failed = failures.reduce((sum, { count }) => sum + count, 0);
		const unrecorded = compilations - started - waiting;
		const isWatched = summary.history.watchedFromMs !== undefined;
		this.wrapped(
			`${thousands(compilations)} compilations (${thousands(osr)} for on-stack replacement), ${tellsEnds(summary.history) ? `${thousands(installed)} installed, ` : ''}${thousands(failed)} failed` +
				(isWatched
					? ''
					: `, ${thousands(notEntrant)} made not entrant${waiting > 0 ? `, ${thousands(waiting)} still queued at the end` : ''}${unrecorded > 0 ? `, ${thousands(unrecorded)} without a record of the compiler` : ''}; ` +
						`${thousands(nativeWrappers)} native wrappers`),
		);
		if (isWatched) {
			this.wrapped(
				'Flight Recorder does not tell how large code is, nor when it was made not entrant, and not of native wrappers or what was compiled before → -XX:+LogCompilation',
			);
		}
		if (!tellsEnds(summary.history)) {
			this.wrapped('What was read does not tell when compilations were done, nor how large their code is → -XX:+LogCompilation');
		}
		this.levels(summary);
		this.line('');
		this.reasons('made not entrant', summary.notEntrantReasons, 'the log does not say why (before JDK 25)');
		this.reasons('failed', failures, 'unknown');
		this.reasons('repeated', retries, 'unknown');
		this.reasons(
			'deoptimized',
			summary.deoptimizations.map(({ kind, reason, action, count }) => ({
				reason: `${kind === 'invalidated' ? 'invalidated: ' : ''}${reason}${action === null ? '' : ` → ${action}`}`,
				count,
			})),
			'unknown',
		);
		for (const { method, reason, count, fromMs, toMs, compileIds } of summary.storms.slice(0, 3)) {
			this.wrapped(
				`storm: ${count} times ${reason} in ${method} within ${millisecondsText(toMs - fromMs)} from ${millisecondsText(fromMs)} on (${compileIds.map((id) => `c${id}`).join(' ')})`,
			);
		}
		this.machinery(summary);
	}

	private levels({ levels, history, queues }: CompilationsSummary): void {
		const hasQueues = queues.length > 0;
		const hasEnds = tellsEnds(history);
		const hasSizes = tellsSizes(history);
		const isWatched = history.watchedFromMs !== undefined;
		this.heading('  compiler         count    OSR  failed  queued  not entrant      time      code');
		for (const { compiler, level, compilations, osr, failed, waiting, notEntrant, compileMs, sizeBytes } of levels) {
			const name = compiler === null ? 'native wrappers' : `${compiler} level ${level}`;
			this.line(
				`  ${padEnd(visible(name), 15)} ${padStart(thousands(compilations), 6)} ${padStart(thousands(osr), 6)} ${padStart(thousands(failed), 7)} ${padStart(hasQueues ? thousands(waiting) : '–', 7)} ${padStart(isWatched ? '–' : thousands(notEntrant), 12)} ` +
					`${padStart(compiler === null ? '' : hasEnds ? millisecondsText(compileMs) : '–', 9)} ${padStart(hasSizes ? bytesText(sizeBytes) : '–', 9)}`,
			);
		}
		this.wrapped(legend(levels));
		if (!hasEnds) {
			this.wrapped(PRINTED_ATTRIBUTES);
		}
	}

	/** What was compiled by whom, how many waited, what the code takes. */
	private machinery({ threads, queues, codeHeap, history }: CompilationsSummary): void {
		const nameWidth = Math.max(0, ...threads.map(({ name, id }) => columns(visible(name ?? `thread ${id}`))));
		this.line('');
		for (const { name, id, compilations, busyMs, busyShare } of threads) {
			this.line(
				`${padEnd(visible(name ?? `thread ${id}`), nameWidth)}  ${padStart(thousands(compilations), 6)} compilations, busy ${millisecondsText(busyMs)} (${(100 * busyShare).toFixed(1)} %)`,
			);
		}
		for (const { compiler, longestOf, longest, longestAtMs, longestWaitMs, tenthWaitMs, neverStarted } of queues) {
			this.line(
				`${padEnd(visible(`queue of ${compiler}`), 12)} ${this.spark(longestOf, longest)}  longest ${thousands(longest)} at ${millisecondsText(longestAtMs)}, wait ≤ ${millisecondsText(longestWaitMs)}, tenth ≥ ${millisecondsText(tenthWaitMs)}` +
					(neverStarted > 0 ? `, ${thousands(neverStarted)} never compiled` : ''),
			);
		}
		if (codeHeap !== null) {
			const { leastFreeBytes, leastFreeAtMs, lastFreeBytes, firstFreeBytes, reservedBytes } = codeHeap;
			const whole = reservedBytes ?? firstFreeBytes;
			const used = codeHeap.leastFreeOf.map((free) => (free === null ? null : whole - free));
			this.line(
				`${padEnd('code heap', 12)} ${this.spark(used, Math.max(1, whole - leastFreeBytes))}  least free ${bytesText(leastFreeBytes)} at ${millisecondsText(leastFreeAtMs)}, ` +
					`at the end ${bytesText(lastFreeBytes)}${reservedBytes === null ? '' : ` of ${bytesText(reservedBytes)}`}`,
			);
		}
		if (queues.length > 0) {
			this.line(this.terminal.paint('dim', `${' '.repeat(13)}0 to ${millisecondsText(history.endMs)}`));
		}
	}

	/** In narrow terminals fewer characters, each for several. */
	private spark(values: readonly (number | null)[], highest: number): string {
		const width = this.terminal.width ?? 200;
		const group = width >= 140 ? 1 : width >= 100 ? 2 : 5;
		const grouped: (number | null)[] = [];
		for (let i = 0; i < values.length; i += group) {
			const known = values.slice(i, i + group).filter((value) => value !== null);
			grouped.push(known.length === 0 ? null : Math.max(...known));
		}
		return sparkline(grouped, highest);
	}

	private reasons(what: string, reasons: readonly ReasonCount[], unknown: string): void {
		if (reasons.length === 0) {
			return;
		}
		const shown = reasons.slice(0, 6).map(({ reason, count }) => `${reason === '' ? unknown : reason} ${thousands(count)}`);
		const rest = reasons.slice(6).reduce((sum, { count }) => sum + count, 0);
		this.wrapped(`${what}: ${shown.join(', ')}${rest > 0 ? `, others ${thousands(rest)}` : ''}`);
	}

	private methodTable(): void {
		const { methods, top, order, summary } = this.view;
		const hasEnds = tellsEnds(summary.history);
		const hasSizes = tellsSizes(summary.history);
		const isNative = summary.history.isAheadOfTime === true;
		this.heading(isNative ? 'Functions by name' : `Methods by ${ORDER_TEXT[order]}`);
		if (methods.length === 0) {
			this.line('  none');
			return;
		}
		const shown = methods.slice(0, top);
		const handleWidth = largest(shown.map(({ handle }) => handle.length));
		const width = this.terminal.width;
		const used = 2 + handleWidth + 2 + (isNative ? 0 : 9 + 1 + 9 + 2);
		const histories = shown.map((life) => visible(historyOf(life)));
		const historyWidth = Math.min(width === null ? 1000 : Math.max(16, Math.floor((width - used) * 0.4)), largest(histories.map(columns)));
		const names = shown.map(({ method }) => visible(method));
		const nameWidth = Math.min(width === null ? 1000 : Math.max(20, width - used - 2 - historyWidth), largest(names.map(columns)));
		shown.forEach(({ handle, compileMs, sizeBytes }, i) => {
			const name = shortenMethod(names[i]!, width === null ? null : nameWidth);
			const figures = `${padStart(hasEnds ? millisecondsText(compileMs) : '–', 9)} ${padStart(hasSizes ? bytesText(sizeBytes) : '–', 9)}  `;
			this.line(`  ${padEnd(handle, handleWidth)}  ${isNative ? '' : figures}${padEnd(name, nameWidth)}  ${histories[i]}`.trimEnd());
		});
		if (methods.length > top) {
			this.line(`  ${thousands(methods.length - top)} more ${isNative ? 'functions' : 'methods'}  → --top ${top * 5}`);
		}
	}

	private reasonTable(reasons: readonly ReasonRow[]): void {
		this.heading('Why calls were inlined or not');
		for (const { reason, count, compilers, explanation, flags } of reasons) {
			const colour = explanation === null ? 'bold' : explanation.isInlined ? 'green' : 'yellow';
			this.line(`${padStart(thousands(count), 9)}  ${this.terminal.paint(colour, visible(reason))}  (${compilers.join(', ')})`);
			this.wrapped(
				`${' '.repeat(11)}${explanation === null ? 'a reason that assay does not know' : explanation.meaning}${flags.length === 0 ? '' : ` [${flags.join('; ')}]`}`,
				11,
			);
		}
	}

	private heading(text: string): void {
		this.line('');
		this.line(this.terminal.paint('bold', text));
	}

	private wrapped(text: string, indent = 2): void {
		const width = this.terminal.width ?? Number.POSITIVE_INFINITY;
		const lead = /^ */.exec(text)?.[0] ?? '';
		let line = lead;
		let isEmpty = true;
		for (const word of text.slice(lead.length).split(' ')) {
			const shown = visible(word);
			if (!isEmpty && columns(line) + 1 + columns(shown) > width) {
				this.line(line);
				line = ' '.repeat(indent) + shown;
			} else {
				line = isEmpty ? line + shown : `${line} ${shown}`;
			}
			isEmpty = false;
		}
		this.line(line);
	}

	private line(text: string): void {
		this.writer.line(0, cutLine(text, this.terminal.width));
	}
}

/** `deoptimized 2×; c12 L3 → c40 L4`: what went wrong, and the versions of a method. */
function historyOf({ namesake, versions, deoptimizations, failures }: MethodLife): string {
	const shown = versions
		.slice(0, 8)
		.map(({ compilation: { compileId, level, kind } }) => `c${compileId}${kind === 'native wrapper' ? ' native' : level === null ? '' : ` L${level}`}`);
	const notes = [
		...(namesake === null ? [] : [namesake]),
		...(versions.length > 8 ? [`${versions.length} versions`] : []),
		...(deoptimizations > 0 ? [`deoptimized ${deoptimizations}×`] : []),
		...(failures > 0 ? [`failed ${failures}×`] : []),
	];
	return `${notes.length > 0 ? `${notes.join(', ')}; ` : ''}${shown.join(' → ')}${versions.length > 8 ? ' → …' : ''}`;
}

/** HotSpot's levels (compilationPolicy.hpp, compilerDefinitions.hpp; JDK 17 to 25). */
const LEVELS: ReadonlyMap<number, string> = new Map([
	[1, 'C1 without counters, final: trivial methods, where C2 would gain nothing'],
	[2, 'C1 that counts calls and loops: faster than 3, until C2 or its queue has room'],
	[3, 'C1 that profiles for C2'],
	[4, 'C2 or another top compiler'],
]);

/** The levels that a table has. */
function legend(levels: CompilationsSummary['levels']): string {
	const known = [...new Set(levels.flatMap(({ level }) => level ?? []))].sort((a, b) => a - b);
	// CompilationPolicy::force_comp_at_level_simple.
	const ofGraal = levels.some(({ compiler, compileMs }) => compiler === 'jvmci' && compileMs > 0) ? ', and the code of Graal itself where it is Java' : '';
	const parts = known.flatMap((level) => (LEVELS.has(level) ? `${level} ${LEVELS.get(level)}${level === 1 ? ofGraal : ''}` : []));
	const osr = levels.some(({ osr: count }) => count > 0) ? 'OSR on-stack replacement: entered in a running loop, c12%' : null;
	return parts.length === 0 ? '' : `level: ${[...parts, osr].filter((part) => part !== null).join('; ')}`;
}

/** The columns between id and level, CompileTask::print. */
const PRINTED_ATTRIBUTES =
	"PrintCompilation's columns: % on-stack replacement, s synchronized method, ! method with exception handlers, b a thread waits for it (blocking), n wrapper of a native method; then the level, the method, @ the bytecode that it is entered at, its size";

/** Of as many as the user asks for: more than a call takes as arguments. */
function largest(widths: readonly number[]): number {
	return widths.reduce((most, one) => Math.max(most, one), 0);
}
