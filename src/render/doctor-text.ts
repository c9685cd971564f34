/** What `assay doctor` prints for a person. */
import {
	type CodeCounts,
	type FlightRecorderCounts,
	type InspectedFile,
	type JitdumpCounts,
	type MachineInspection,
	type MissingEvidence,
	OTHER_KIND,
	type ProfileCounts,
	type RecordingInspection,
	type SampleCounts,
} from '../model/inspection.js';
import { commandLine, shellWord } from './shell-words.js';
import type { Terminal } from './terminal.js';
import { columns, padEnd, padStart } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';
import { wrapped } from './wrapped.js';

const KIND_WIDTH = 22;
const SHOWN_FILES = 30;
const SHOWN_EVENTS = 8;
const SHOWN_KINDS = 15;
/** Columns that a text needs beside its head. */
const LEAST_TEXT = 30;
const INDENT = '  ';

/** `titleOf`: the kind of a file in words. */
export function writeRecordingInspection(
	writer: TextWriter,
	{ name, files, manifest, joins, missing }: RecordingInspection,
	titleOf: (kind: string) => string,
	terminal: Terminal,
): void {
	const known = files.filter(({ kind }) => kind !== OTHER_KIND);
	const others = files.length - known.length;
	writer.line(0, terminal.paint('bold', visible(name)) + `   ${counted(known.length, 'file')} of evidence${others > 0 ? `, ${others} of no known kind` : ''}`);
	if (manifest !== null) {
		const jdk =
			manifest.jdk === null ? '' : `, JDK ${visible(manifest.jdk.runtimeVersion ?? manifest.jdk.version ?? '?')} (${visible(manifest.jdk.vendor ?? '?')})`;
		const command = manifest.command.length === 0 ? 'a process that ran already' : commandLine(manifest.command);
		writer.line(0, `recorded by assay record: ${command}${jdk}`);
	}
	const shown = known.slice(0, SHOWN_FILES);
	const width = Math.max(0, ...shown.map((file) => visible(file.name).length));
	const kindWidth = Math.max(KIND_WIDTH, ...shown.map(({ kind }) => titleOf(kind).length));
	writer.line(0, '');
	for (const file of shown) {
		const head = `  ${padEnd(visible(file.name), width)}  ${padStart(size(file.sizeBytes), 9)}  ${padEnd(titleOf(file.kind), kindWidth)}`;
		hanging(writer, `${head}  `, describe(file, titleOf), terminal);
	}
	if (known.length > shown.length) {
		writer.line(0, `  … and ${known.length - shown.length} more files; --json lists all`);
	}
	for (const { name: file, flightRecorder } of shown) {
		if (flightRecorder !== undefined) {
			writeFlightRecorder(writer, file, flightRecorder, terminal);
		}
	}
	writer.line(0, '');
	for (const { works, what, why } of joins) {
		hanging(writer, `${works ? terminal.paint('green', 'yes') : terminal.paint('red', 'no ')}  ${padEnd(what, 37)}`, visible(why), terminal, 42);
	}
	writeMissing(writer, missing, terminal);
}

/**
 * A text behind what stands before it, on lines of their own where the terminal is too narrow: below its begin, or below the head where that leaves little room.
 * Without a terminal one line. `headWidth`: of a head with colours.
 */
function hanging(writer: TextWriter, head: string, text: string, { width }: Terminal, headWidth = columns(head)): void {
	if (width === null || headWidth + columns(text) <= width) {
		writer.line(0, `${head}${text}`.trimEnd());
		return;
	}
	const isBelow = headWidth > width - LEAST_TEXT;
	const indent = isBelow ? 2 * INDENT.length : headWidth;
	const lines = wrapped(text, width - indent);
	if (isBelow) {
		writer.line(0, head.trimEnd());
	}
	for (const [i, line] of lines.entries()) {
		writer.line(0, `${i === 0 && !isBelow ? head : ' '.repeat(indent)}${line}`);
	}
}

function writeFlightRecorder(
	writer: TextWriter,
	file: string,
	{ chunks, wholeChunks, jvm, firstSeconds, lastSeconds, events, missing }: FlightRecorderCounts,
	terminal: Terminal,
): void {
	const time = firstSeconds === null || lastSeconds === null ? '' : `, ${firstSeconds.toFixed(1)} s to ${lastSeconds.toFixed(1)} s of the JVM's time`;
	const whole = wholeChunks === chunks ? '' : `, ${number(wholeChunks)} of them whole`;
	writer.line(0, '');
	writer.line(0, `${terminal.paint('bold', visible(file))}: ${counted(chunks, 'chunk')}${whole}${time}`);
	const row = (name: string, value: string | null): void => {
		if (value !== null && value !== '') {
			writer.line(0, `  ${padEnd(name, 10)} ${visible(value)}`);
		}
	};
	if (jvm !== null) {
		row('JVM', [jvm.version, jvm.processId === null ? null : `process ${jvm.processId}`].filter((part) => part !== null).join(', '));
		row('arguments', jvm.arguments);
		row('program', jvm.command);
	}
	for (const { name, count } of events.slice(0, SHOWN_KINDS)) {
		writer.line(0, `  ${padStart(number(count), 10)} ${visible(name)}`);
	}
	if (events.length > SHOWN_KINDS) {
		writer.line(0, `  ${padStart('…', 10)} ${counted(events.length - SHOWN_KINDS, 'more kind')}; --json lists all`);
	}
	for (const { event, setting, value, gives } of missing) {
		const what = setting === 'enabled' ? 'was off' : `only from ${value} on`;
		writer.line(0, `  ${terminal.paint('yellow', padStart('not told', 10))} ${visible(event)} ${visible(what)}: ${gives}`);
	}
}

export function writeMachineInspection(writer: TextWriter, { java, perf, asyncProfiler, plan, missing }: MachineInspection, terminal: Terminal): void {
	const row = (name: string, value: string): void => writer.line(0, `${padEnd(name, 16)} ${value}`);
	const jdk =
		java.jdk === null
			? 'unknown'
			: `${visible(java.jdk.runtimeVersion ?? java.jdk.version ?? 'unknown version')} (${visible(java.jdk.vendor ?? '?')}), ${visible(java.jdk.home)}`;
	row('java', `${jdk}${java.path === null ? '; the command may start another' : ''}`);
	row('hsdis', java.hsdis === null ? 'none; not needed: code is recorded in hex' : visible(java.hsdis));
	row(
		'perf',
		perf === null
			? terminal.paint('red', 'none')
			: `${visible(perf.version)}, ${perf.failure === null ? 'works' : terminal.paint('red', `fails: ${visible(perf.failure)}`)}, perf_event_paranoid ${perf.paranoid ?? 'unknown'}`,
	);
	if (perf !== null) {
		row('counters', perf.hardwareCycles ? 'hardware cycles' : 'software only (cpu-clock)');
	}
	row('async-profiler', asyncProfiler === null ? `none${perf === null ? '' : '; not needed'}` : visible(asyncProfiler));
	writer.line(0, '');
	writer.line(0, 'assay record would run');
	const variables = Object.entries(plan.environment).map(([key, value]) => `${key}=${shellWord(value)}`);
	writer.line(1, [...variables, commandLine(plan.argv)].join(' '));
	if (plan.perfArgv !== null) {
		writer.line(0, 'and beside it');
		writer.line(1, `${commandLine(plan.perfArgv)} -p PID`);
	}
	writeMissing(writer, missing, terminal);
}

function writeMissing(writer: TextWriter, missing: readonly MissingEvidence[], terminal: Terminal): void {
	writer.line(0, '');
	if (missing.length === 0) {
		writer.line(0, 'nothing is missing');
	}
	for (const { what, without, remedy } of missing) {
		writer.line(0, `${terminal.paint('yellow', 'missing')}: ${what}: ${visible(without)}`);
		// A command is copied whole.
		writer.line(1, visible(remedy));
	}
}

function describe({ kind, code, jitdump, samples, startup, profile }: InspectedFile, titleOf: (kind: string) => string): string {
	if (startup !== null) {
		return 'functions' in startup ? counted(startup.functions, 'function') : counted(startup.instructions, 'instruction');
	}
	if (profile !== null) {
		return `${profile.format === kind ? '' : `also ${titleOf(profile.format)}: `}${describeProfile(profile)}`;
	}
	if (jitdump !== null) {
		return describeJitdump(jitdump);
	}
	if (code !== null && kind === 'agent-log') {
		return describeAgentLog(code);
	}
	return code !== null ? describeCode(code) : samples !== null ? describeSamples(samples) : '';
}

function describeProfile({ format, isCounted, events, seconds, problems }: ProfileCounts): string {
	const isNamed = format === 'flight-recording' || format === 'jfr-print';
	const noun = format === 'thread-dumps' ? 'stack' : 'sample';
	const listed = events
		.slice(0, SHOWN_EVENTS)
		.map(({ name, count }) =>
			!isCounted ? `${counted(count, 'share')} of ${visible(name)}` : isNamed ? `${number(count)} ${visible(name)}` : counted(count, noun),
		);
	const parts = [
		events.length === 0 ? 'no sample' : listed.join(', ') + (events.length > SHOWN_EVENTS ? `, … (${events.length} kinds)` : ''),
		seconds === null ? '' : `${seconds.toFixed(1)} s`,
		problems === 0 ? '' : counted(problems, 'problem'),
	];
	return parts.filter((part) => part !== '').join(', ');
}

function describeCode({ nmethods, tasksQueued, machCodeBlocks, disassembledLines, printedMethods, codelets, isWhole, startMs, processId }: CodeCounts): string {
	const parts = [
		processId === null ? '' : `process ${processId}`,
		nmethods + tasksQueued === 0 ? 'no compilations' : `${number(nmethods)} nmethods, ${number(tasksQueued)} tasks queued`,
		disassembledLines > 0
			? `${number(disassembledLines)} instructions by hsdis`
			: machCodeBlocks > 0
				? `${number(machCodeBlocks)} blocks of [MachCode]`
				: printedMethods > 0
					? `${number(printedMethods)} methods printed without code`
					: 'no code',
		codelets > 0 ? `${number(codelets)} stubs and codelets` : 'no stubs',
		startMs !== null && !isWhole ? 'cut off' : '',
	];
	return parts.filter((part) => part !== '').join(', ');
}

function describeAgentLog({ nmethods, machCodeBlocks, codelets, isWhole, processId }: CodeCounts): string {
	const parts = [
		processId === null ? '' : `process ${processId}`,
		`code of ${counted(machCodeBlocks, 'compilation')}${machCodeBlocks < nmethods ? ` of ${number(nmethods)}` : ''}`,
		counted(codelets, 'stub'),
		isWhole ? '' : 'cut off',
	];
	return parts.filter((part) => part !== '').join(', ');
}

function describeJitdump({ processId, pieces, withLines, problems }: JitdumpCounts): string {
	const parts = [
		processId === null ? '' : `process ${processId}`,
		`${counted(pieces, 'piece')} of code${withLines === 0 ? '' : `, ${number(withLines)} with lines of source`}`,
		problems === 0 ? '' : counted(problems, 'problem'),
	];
	return parts.filter((part) => part !== '').join(', ');
}

function describeSamples({ total, events, firstSeconds, lastSeconds, inCompilations, problems }: SampleCounts): string {
	const listed = events.slice(0, SHOWN_EVENTS).map(({ name, count }) => `${number(count)} ${visible(name)}`);
	const parts = [
		total === 0 ? 'no sample' : listed.join(', ') + (events.length > SHOWN_EVENTS ? `, … (${events.length} events)` : ''),
		firstSeconds === null || lastSeconds === null ? '' : `${(lastSeconds - firstSeconds).toFixed(1)} s`,
		inCompilations === null ? '' : `${number(inCompilations)} in logged code`,
		problems === 0 ? '' : counted(problems, 'problem'),
	];
	return parts.filter((part) => part !== '').join(', ');
}

function number(value: number): string {
	return value.toLocaleString('en');
}

function counted(count: number, noun: string): string {
	return `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function size(bytes: number): string {
	return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
