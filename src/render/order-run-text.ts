/** `assay order run` as text: what was built and ran, pages, faults and milliseconds before and after, and what keeps the order. */
import type { OrderRunResult } from '../answers/results.js';
import { isSharedLibrary, linkedName } from '../model/shared-library.js';
import { thousands } from './quantities.js';
import { shellWord } from './shell-words.js';
import { padStart, shortenMiddle, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';
import { wrapped } from './wrapped.js';

const WIDTH = 80;
const LABEL_COLUMNS = 28;
const VALUE_COLUMNS = 8;

export function writeRunText(writer: TextWriter, outcome: OrderRunResult, terminal: Terminal): void {
	const width = Math.min(WIDTH, terminal.width ?? WIDTH);
	const line = (text: string): void => writer.line(0, shortenMiddle(text, terminal.width));
	const paragraph = (text: string): void => {
		for (const part of wrapped(text, width)) {
			writer.line(0, part);
		}
	};
	line(terminal.paint('bold', `${visible(outcome.program)}, built by ${visible(outcome.compiler)}`));
	writeBuilt(outcome, paragraph);
	writer.line(0, '');
	writeTable(outcome, line, terminal);
	writer.line(0, '');
	paragraph(howMeasured(outcome));
	for (const note of outcome.notes) {
		paragraph(`Note: ${visible(note)}.`);
	}
	writer.line(0, '');
	if (isWon(outcome)) {
		writeKeeping(outcome, writer, terminal);
		writeKeepingBlocks(outcome, writer, terminal);
	} else {
		paragraph(`Nothing was won in pages or milliseconds: for these runs ${visible(outcome.program)} needs no order.`);
	}
}

function isWon({ pages: { plain, order }, times, blocks }: OrderRunResult): boolean {
	const isFewer = order.wholeFunctionPages < plain.wholeFunctionPages || order.windows64k < plain.windows64k;
	return isFewer || times.some(({ verdict }) => verdict === 'faster') || (blocks !== null && blocks.pages.block.codePages < blocks.pages.plain.codePages);
}

function writeBuilt({ source, folder, builds, functions, workloads, order, blocks }: OrderRunResult, paragraph: (text: string) => void): void {
	const files = `${thousands(source.files)} ${source.from === 'git' ? 'files that git does not ignore' : 'files'}`;
	const seconds = builds
		.map(({ kind, folder: copy, seconds: time }, i) => `${builds[i - 1]?.folder === copy ? 'its link' : kind} ${time.toFixed(1)}`)
		.join(', ');
	const processes = workloads.reduce((sum, one) => sum + one.processes, 0);
	const times = new Set(builds.map(({ folder: copy }) => copy)).size === 4 ? 'four' : 'three';
	paragraph(`${files}, copied and built ${times} times in ${visible(folder)} (seconds: ${seconds})`);
	paragraph(
		`${counted(workloads.length, 'workload')}, ${counted(processes, 'process', 'processes')} traced: ${thousands(functions.ran)} of ${thousands(functions.instrumented)} functions ran; an order of ${thousands(order.symbols)} symbols (${order.method})`,
	);
	if (blocks !== null) {
		const { list } = blocks;
		paragraph(
			`blocks: ${counted(blocks.processes, 'process', 'processes')} under valgrind; ${counted(list.functions, 'function')} split, ${thousands(list.keptBytes)} bytes stay and ${thousands(list.coldBytes)} are put apart`,
		);
	}
}

function writeTable({ pages, faults, times, workloads, blocks }: OrderRunResult, line: (text: string) => void, terminal: Terminal): void {
	const narrower = blocks === null ? 0 : 1;
	const labelColumns = LABEL_COLUMNS - 4 * narrower;
	const inColumns = (cells: readonly string[]): string =>
		cells
			.slice(0, 2 + narrower)
			.map((cell) => padStart(cell, VALUE_COLUMNS - narrower))
			.join('');
	const row = (label: string, cells: readonly string[], rest = ''): void =>
		line(`${label.padEnd(labelColumns)}${inColumns(cells)}${rest === '' ? '' : `  ${rest}`}`.trimEnd());
	line(terminal.paint('dim', `${''.padEnd(labelColumns)}${inColumns(['plain', 'order', 'blocks'])}  difference`));
	const { plain, order, predicted } = pages;
	const asPredicted = (linked: number, expected: number): string => (linked === expected ? 'as predicted' : `predicted ${thousands(expected)}`);
	if (blocks === null) {
		row(
			'pages of functions that ran',
			[thousands(plain.wholeFunctionPages), thousands(order.wholeFunctionPages)],
			asPredicted(order.wholeFunctionPages, predicted.wholeFunctionPages),
		);
		row('64 KiB windows of these', [thousands(plain.windows64k), thousands(order.windows64k)], asPredicted(order.windows64k, predicted.windows64k));
	} else {
		const { pages: own } = blocks;
		const sides = [own.plain, own.order, own.block];
		row(
			'pages with executed code',
			sides.map(({ codePages }) => thousands(codePages)),
			asPredicted(own.block.codePages, own.predicted.codePages),
		);
		row(
			'64 KiB windows of these',
			sides.map(({ codeWindows64k }) => thousands(codeWindows64k)),
			asPredicted(own.block.codeWindows64k, own.predicted.codeWindows64k),
		);
	}
	if (faults !== null) {
		for (const kind of ['cold', 'warm'] as const) {
			const { plain: before, order: after } = faults[kind];
			const split = blocks?.faults?.[kind].order;
			row(`faults in its code, ${kind}`, [countText(before.code), countText(after.code), split === undefined ? '' : countText(split.code)]);
			row(`faults in all, ${kind}`, [countText(before.all), countText(after.all), split === undefined ? '' : countText(split.all)]);
		}
	}
	workloads.forEach(({ command }, i) => {
		line(shortenMiddle(`milliseconds${workloads.length === 1 ? '' : `, workload ${i + 1}`}: ${visible(command)}`, WIDTH));
		const ofWorkload = ({ workload }: OrderRunResult['times'][0]): boolean => workload === i + 1;
		for (const time of times.filter(ofWorkload)) {
			row(`  ${time.kind}`, [millis(time.plainMedianMs), millis(time.orderMedianMs), ''], differenceText(time, terminal));
		}
		for (const time of blocks?.times.filter(ofWorkload) ?? []) {
			row(`  ${time.kind}, plain and blocks`, [millis(time.plainMedianMs), '', millis(time.orderMedianMs)], differenceText(time, terminal));
		}
	});
}

function differenceText({ difference, verdict, plainMedianMs }: OrderRunResult['times'][0], terminal: Terminal): string {
	if (difference === null) {
		return 'none told';
	}
	const { medianMs, lowMs, highMs } = difference;
	const digits = digitsOf(Math.max(plainMedianMs, -lowMs, highMs));
	const signed = (value: number): string => `${value > 0 ? '+' : ''}${value.toFixed(digits)}`;
	const interval = `(${signed(lowMs)} to ${signed(highMs)})`;
	if (verdict === 'no difference told') {
		return `none told ${interval}`;
	}
	const percent = plainMedianMs === 0 ? 0 : (100 * Math.abs(medianMs)) / plainMedianMs;
	return terminal.paint(verdict === 'faster' ? 'green' : 'red', `${signed(medianMs)} ${interval}, ${percent.toFixed(percent < 10 ? 1 : 0)} %`);
}

function howMeasured({ program, times, dropped }: OrderRunResult): string {
	const pairs = times[0]?.plainMs.length ?? 0;
	const difference = times[0]?.difference ?? null;
	const what =
		dropped === 'everything'
			? 'the whole page cache was dropped before each run'
			: isSharedLibrary(program.slice(program.lastIndexOf('/') + 1))
				? "the library's file was dropped from the page cache before each run; programs, other libraries and data stayed"
				: "the program's own file was dropped from the page cache before each run; libraries and data stayed";
	return [
		`Pages and faults are sums over the workloads, milliseconds medians of ${counted(pairs, 'pair')} of runs, taken in turn`,
		...(difference === null ? [] : [`; in brackets the interval of the median difference of a pair (${(100 * difference.confidence).toFixed(1)} %)`]),
		`. Cold: ${what}.`,
	].join('');
}

/** Lines may be long here: they are there to be copied. */
function writeKeeping({ order, flags, program }: OrderRunResult, writer: TextWriter, terminal: Terminal): void {
	const name = order.file.slice(order.file.lastIndexOf('/') + 1);
	const compile = flags.compile.join(' ');
	const isOrder = (flag: string): boolean => flag === '-Xlinker' || flag.includes('--symbol-ordering-file=');
	const [lld = '', ...rest] = flags.link.filter((flag) => !isOrder(flag));
	const shown = visible(name);
	writer.line(0, terminal.paint('bold', `To keep it: copy ${shellWord(order.file)} into the source, and build with`));
	writer.line(0, `  CFLAGS   ${compile}   (CXXFLAGS too)`);
	writer.line(0, `  LDFLAGS  ${lld} -Wl,--symbol-ordering-file=FOLDER/${shown}`);
	for (const flag of rest) {
		writer.line(0, `           ${flag}`);
	}
	writer.line(0, 'FOLDER is where it lies, as an absolute path: the linker may run elsewhere.');
	writer.line(0, 'CMake:');
	writer.line(0, `  target_compile_options(${targetOf(program)} PRIVATE ${compile})`);
	writer.line(0, `  target_link_options(${targetOf(program)} PRIVATE ${lld}`);
	writer.line(0, `    -Wl,--symbol-ordering-file=\${CMAKE_SOURCE_DIR}/${shown}`);
	writer.line(0, `    ${rest.join(' ')})`);
	writer.line(0, 'gcc takes the same flags. After a change of the code run this again.');
}

/** Beside the order of whole functions: these take its place. */
function writeKeepingBlocks({ blocks }: OrderRunResult, writer: TextWriter, terminal: Terminal): void {
	if (blocks === null) {
		return;
	}
	const { list, order } = blocks;
	const base = (file: string): string => visible(file.slice(file.lastIndexOf('/') + 1));
	writer.line(0, '');
	writer.line(0, terminal.paint('bold', `Or, with blocks: copy ${shellWord(list.file)} and ${shellWord(order.file)}, and build with`));
	writer.line(0, `  CFLAGS   -ffunction-sections -fbasic-block-sections=list=FOLDER/${base(list.file)}`);
	writer.line(0, `  LDFLAGS  -fuse-ld=lld -Wl,--symbol-ordering-file=FOLDER/${base(order.file)}`);
	writer.line(0, '           -Wl,--no-warn-symbol-ordering');
	writer.line(0, `  with -flto also  -Wl,--lto-basic-block-sections=FOLDER/${base(list.file)}`);
	writer.line(0, 'The list is for this source, compiler and these flags: after a change of any of');
	writer.line(0, 'them run this again. assay order lint LIST --elf PROGRAM tells a stale list.');
}

/** Of CMake: what `libz.so.1.3` is made from is `z`. */
function targetOf(program: string): string {
	const name = program.slice(program.lastIndexOf('/') + 1);
	return visible(linkedName(name) ?? name);
}

function counted(count: number, one: string, many = `${one}s`): string {
	return `${thousands(count)} ${count === 1 ? one : many}`;
}

/** Medians of counts may lie half-way between two. */
function countText(count: number): string {
	return Number.isInteger(count) ? thousands(count) : count.toFixed(1);
}

function digitsOf(ms: number): number {
	return ms < 10 ? 3 : ms < 100 ? 2 : ms < 1000 ? 1 : 0;
}

function millis(ms: number): string {
	return ms < 1000 ? ms.toFixed(digitsOf(ms)) : thousands(ms);
}
