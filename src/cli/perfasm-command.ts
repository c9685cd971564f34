/** `assay perfasm`: what JMH's perfasm and dtraceasm print, from the files that they saved. */

import { answerPerfasm, readPerfasmEvidence } from '../answers/perfasm.js';
import { UsageError } from '../model/problem.js';
import { type ShowCounts, writePerfasmText } from '../render/perfasm-text.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import type { OptionSpec, ParsedOptions } from './options.js';

const BOOL = ['true', 'false'];

const SHOWN_COUNTS: readonly ShowCounts[] = ['percent_total', 'raw', 'norm'];

const SWITCHES: readonly OptionSpec[] = [
	{ name: 'mergeMethods', value: 'BOOL', choices: BOOL, help: 'join neighbouring regions of one method (false)' },
	{ name: 'drawIntraJumps', value: 'BOOL', choices: BOOL, help: 'draw jumps inside the region (true)' },
	{ name: 'drawInterJumps', value: 'BOOL', choices: BOOL, help: 'draw jumps into the region and out of it (false)' },
	{ name: 'skipAsm', value: 'BOOL', choices: BOOL, help: 'leave the assembly aside: no Java method is resolved\n(false)' },
	{ name: 'skipInterpreter', value: 'BOOL', choices: BOOL, help: 'taken for compatibility: it decides what a JVM prints,\nnot how that is read' },
	{ name: 'skipVMStubs', value: 'BOOL', choices: BOOL, help: 'the same' },
];

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'hotThreshold', value: 'SHARE', help: 'show the code of regions with more than this share of\nthe first event (0.10)' },
	{ name: 'top', value: 'N', help: 'rows of the tables (20)' },
	{ name: 'tooBigThreshold', value: 'N', help: 'show no region of more lines than this (1000)' },
	{ name: 'printMargin', value: 'N', help: 'lines around a region (10)' },
	{ name: 'mergeMargin', value: 'N', help: 'bytes between sampled addresses of one region (32)' },
	...SWITCHES,
	{ name: 'delay', value: 'MS', help: 'leave out what was sampled in the first milliseconds (0)' },
	{ name: 'length', value: 'MS', help: 'take the samples of so many milliseconds (all)' },
	{ name: 'events', value: 'A,B', help: 'columns (the events of the recording, first seen first)' },
	{ name: 'showCounts', value: 'HOW', choices: SHOWN_COUNTS, help: 'percent_total, raw or norm (percent_total)' },
	{ name: 'ops', value: 'N', help: 'operations of the benchmark, for norm' },
	{ name: 'help', help: 'print this' },
];

export const perfasmCommand: CommandDescription = {
	name: 'perfasm',
	usage: ['[options] FILES...'],
	about: `Prints what JMH 1.37's perfasm and dtraceasm print: the hottest regions of
generated code with their assembly, and where the time went by region, method
and kind of code. FILES are the samples and the log of the JVM, in any order,
compressed or not; each is told by what it holds:
  samples  perf script --fields time,event,ip,sym,dso (or its default form),
           output of DTrace's profile probe, a table exported by xctrace, or
           the text of xperf -a dumper
  log      LogFile or output of a JVM with -XX:+PrintAssembly;
           -XX:+LogCompilation names the methods

For JMH's own numbers give its window too: --delay is the time from the start
of the fork to the start of the measurement, --length that of the measurement.
JMH's weaknesses are kept: docs/perfasm.md lists them.`,
	options: OPTIONS,
	optionsNote: 'BOOL is true or false; alone it means true',
	examples: [],
	exitStatus: '0 reported, 2 wrong use, 3 unusable input',
	completes: 'files',
	isVerbatim: true,
	words: withSwitchValues,
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	if (parsed.positionals.length === 0) {
		throw new UsageError('files are expected: samples, and the log of the JVM');
	}
	const options = {
		hotThreshold: share(parsed, 'hotThreshold', 0.1),
		top: count(parsed, 'top', 20),
		tooBigThreshold: count(parsed, 'tooBigThreshold', 1000),
		printMargin: count(parsed, 'printMargin', 10),
		mergeMargin: count(parsed, 'mergeMargin', 32),
		mergeMethods: isOn(parsed, 'mergeMethods', false),
		drawIntraJumps: isOn(parsed, 'drawIntraJumps', true),
		drawInterJumps: isOn(parsed, 'drawInterJumps', false),
	};
	const showCounts = parseShowCounts(parsed);
	const delayMs = count(parsed, 'delay', 0);
	const lengthMs = parsed.isSet('length') ? count(parsed, 'length', 0) : null;
	const skipAsm = isOn(parsed, 'skipAsm', false);
	isOn(parsed, 'skipInterpreter', false);
	isOn(parsed, 'skipVMStubs', false);
	const events = parsed
		.value('events')
		?.split(',')
		.map((event) => event.trim());
	const ops = Math.max(count(parsed, 'ops', 1), 1);
	const evidence = await readPerfasmEvidence(context.files(parsed.positionals));
	const { report, requestedEvents, assembly, problems } = answerPerfasm(evidence, { ...options, events: events ?? null, delayMs, lengthMs, skipAsm });
	context.tell(problems);
	writePerfasmText(context.writer, report, { ...options, requestedEvents, showCounts, ops, assembly, skippedMs: delayMs });
	return EXIT.done;
}

/** `--skipAsm`, `--skipAsm true` and `--skipAsm=true` are one. */
function withSwitchValues(argv: readonly string[]): string[] {
	const result: string[] = [];
	for (let i = 0; i < argv.length; i++) {
		const argument = argv[i]!;
		const value = argv[i + 1];
		if (!SWITCHES.some(({ name }) => argument === `--${name}`)) {
			result.push(argument);
		} else if (value === 'true' || value === 'false') {
			result.push(`${argument}=${value}`);
			i++;
		} else {
			result.push(`${argument}=true`);
		}
	}
	return result;
}

function isOn(parsed: ParsedOptions, name: string, byDefault: boolean): boolean {
	const text = parsed.value(name) ?? String(byDefault);
	if (text !== 'true' && text !== 'false') {
		throw new UsageError(`--${name} takes true or false, not "${text}"`);
	}
	return text === 'true';
}

function count(parsed: ParsedOptions, name: string, byDefault: number): number {
	const text = parsed.value(name) ?? String(byDefault);
	if (!/^[0-9]{1,15}$/.test(text)) {
		throw new UsageError(`--${name} takes a whole number from 0 on, not "${text}"`);
	}
	return Number(text);
}

function share(parsed: ParsedOptions, name: string, byDefault: number): number {
	const text = parsed.value(name) ?? String(byDefault);
	const value = Number(text);
	if (text.trim() === '' || Number.isNaN(value) || value < 0 || value > 1) {
		throw new UsageError(`--${name} takes a share between 0 and 1, not "${text}"`);
	}
	return value;
}

function parseShowCounts(parsed: ParsedOptions): ShowCounts {
	const text = parsed.value('showCounts') ?? 'percent_total';
	const found = SHOWN_COUNTS.find((one) => one === text);
	if (found === undefined) {
		throw new UsageError(`--showCounts takes percent_total, raw or norm, not "${text}"`);
	}
	if (found === 'norm' && !parsed.isSet('ops')) {
		throw new UsageError('--showCounts norm needs the operations of the benchmark: --ops N');
	}
	return found;
}
