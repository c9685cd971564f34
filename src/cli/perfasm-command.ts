/** `assay perfasm`: what JMH's perfasm and dtraceasm print, from the files that they saved. */

import { type PerfasmEvidence, readPerfasmEvidence } from '../answers/perfasm.js';
import { jmhPerfasm } from '../hot/jmh-perfasm.js';
import { formatProblem, InputError, type Problem, UsageError } from '../model/problem.js';
import { type ShowCounts, writePerfasmText } from '../render/perfasm-text.js';
import { TextWriter } from '../render/text-writer.js';
import { visible } from '../render/visible.js';
import type { CommandIo } from './io.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions } from './options.js';
import { writeProblems } from './problems.js';
import { recordingFiles } from './recording-files.js';

const SWITCHES: readonly OptionSpec[] = [
	{ name: 'mergeMethods', value: 'BOOL', help: 'join neighbouring regions of one method (false)' },
	{ name: 'drawIntraJumps', value: 'BOOL', help: 'draw jumps inside the region (true)' },
	{ name: 'drawInterJumps', value: 'BOOL', help: 'draw jumps into the region and out of it (false)' },
	{ name: 'skipAsm', value: 'BOOL', help: 'leave the assembly aside: no Java method is resolved\n(false)' },
	{ name: 'skipInterpreter', value: 'BOOL', help: 'taken for compatibility: it decides what a JVM prints,\nnot how that is read' },
	{ name: 'skipVMStubs', value: 'BOOL', help: 'the same' },
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
	{ name: 'showCounts', value: 'HOW', help: 'percent_total, raw or norm (percent_total)' },
	{ name: 'ops', value: 'N', help: 'operations of the benchmark, for norm' },
	{ name: 'help', help: 'print this' },
];

const PERFASM_HELP = `usage: assay perfasm [options] FILES...

Prints what JMH 1.37's perfasm and dtraceasm print: the hottest regions of
generated code with their assembly, and where the time went by region, method
and kind of code. FILES are the samples and the log of the JVM, in any order,
compressed or not; each is told by what it holds:
  samples  perf script --fields time,event,ip,sym,dso (or its default form),
           output of DTrace's profile probe, or a table exported by xctrace
  log      LogFile or output of a JVM with -XX:+PrintAssembly;
           -XX:+LogCompilation names the methods

For JMH's own numbers give its window too: --delay is the time from the start
of the fork to the start of the measurement, --length that of the measurement.
JMH's weaknesses are kept: docs/perfasm.md lists them.

options (BOOL is true or false; alone it means true):
${describeOptions(OPTIONS)}

exit status: 0 reported, 2 wrong use, 3 unusable input
`;

export async function perfasmCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(withSwitchValues(argv), OPTIONS);
	if (parsed.isSet('help')) {
		io.out(PERFASM_HELP);
		return 0;
	}
	// Into a file or pipe goes what JMH prints; a terminal gets no control characters out of names.
	const writer = new TextWriter((block) => io.out(io.isTerminal ? visible(block, false) : block));
	try {
		await report(parsed, io, writer);
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		io.err(`assay perfasm: ${formatProblem(error.problem)}\n`);
		return 3;
	}
	writer.flush();
	return 0;
}

async function report(parsed: ParsedOptions, io: CommandIo, writer: TextWriter): Promise<void> {
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
	const evidence = await readPerfasmEvidence(recordingFiles(parsed.positionals, io.workingDirectory));
	const { samples, format } = evidence;
	const processId = format === 'dtrace' ? (evidence.assembly?.processId ?? null) : null;
	const requestedEvents = parsed
		.value('events')
		?.split(',')
		.map((event) => event.trim());
	// perf prints an event without its modifiers here: cycles:u is cycles.
	const events = requestedEvents?.map((event) => event.replace(/:.*/, '')) ?? samples.events;
	writeProblems([...evidence.problems, ...doubts(evidence, events, processId)], io);
	const assembly = skipAsm ? null : evidence.assembly;
	const result = jmhPerfasm(samples, assembly, { rule: format === 'async-profiler' ? 'perf' : format, delayMs, lengthMs, processId }, { ...options, events });
	writePerfasmText(writer, result, {
		...options,
		requestedEvents: requestedEvents ?? events,
		showCounts,
		ops: Math.max(count(parsed, 'ops', 1), 1),
		assembly: skipAsm ? 'skipped' : assembly === null ? 'missing' : 'read',
		skippedMs: delayMs,
	});
}

/** What may make the report another one than its reader thinks. */
function doubts({ samples, samplesFile, format }: PerfasmEvidence, events: readonly string[], processId: number | null): Problem[] {
	const result: Problem[] = [];
	const warn = (message: string, action: string): void => {
		result.push({ severity: 'warning', file: samplesFile, message, action });
	};
	for (const event of events.filter((name) => !samples.events.includes(name))) {
		warn(`has no sample of the event ${event}`, `its column stays empty; events of this file: ${samples.events.join(', ') || 'none'}`);
	}
	if (format === 'dtrace' && processId === null) {
		warn('holds samples of all processes, and no log says which is the JVM', "all are counted; give the JVM's LogFile to count its own only");
	}
	return result;
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
	if (text !== 'percent_total' && text !== 'raw' && text !== 'norm') {
		throw new UsageError(`--showCounts takes percent_total, raw or norm, not "${text}"`);
	}
	if (text === 'norm' && !parsed.isSet('ops')) {
		throw new UsageError('--showCounts norm needs the operations of the benchmark: --ops N');
	}
	return text;
}
