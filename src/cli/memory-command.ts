/** `assay memory`: what compilations cost their compiler in memory. */

import { type OpenedMemory, type OpenMemoryOptions, openEvents, openMemory } from '../answers/memory.js';
import { VERSION } from '../answers/version.js';
import { adviseOn, overBudget } from '../footprint/advice.js';
import { compareMemory, MAX_RUNS_PER_SIDE } from '../footprint/compare-memory.js';
import { nestTimeline } from '../footprint/nest-timeline.js';
import type { LimitReaction } from '../footprint/replay.js';
import { formatProblem, InputError, UsageError } from '../model/problem.js';
import type { Progress } from '../model/progress.js';
import type { OpenedCompilation } from '../recording/merge-memory.js';
import { beginEnvelope, endEnvelope } from '../render/envelope.js';
import { writeMemoryComparison } from '../render/memory-compare-text.js';
import { writeMemoryComparisonCsv, writeMemoryCsv } from '../render/memory-csv.js';
import { writeMemoryComparisonJson, writeMemoryJson } from '../render/memory-json.js';
import { writeMemoryText } from '../render/memory-text.js';
import type { MemoryComparisonView, MemoryView } from '../render/memory-view.js';
import { createTerminal, type Terminal } from '../render/terminal.js';
import { TextWriter } from '../render/text-writer.js';
import { visible } from '../render/visible.js';
import type { CommandIo } from './io.js';
import { watchMemory } from './memory-watch.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions, positiveInteger } from './options.js';
import { writeProblems } from './problems.js';
import { createProgress } from './progress.js';

const OPTIONS: readonly OptionSpec[] = [
	{
		name: 'compilation',
		value: 'ID',
		isMultiple: true,
		help: 'one compilation: arenas by phase at its peak, curve and\ntree of its phases; c12, 12, or c12@2 for a second one',
	},
	{ name: 'all', help: 'with --compilation: every phase of the tree' },
	{ name: 'top', value: 'N', help: 'rows of tables (20)' },
	{ name: 'compare', value: 'B', help: 'a second run: which methods cost more or less' },
	{ name: 'repeat-a', value: 'PATH', isMultiple: true, help: 'another run of the first side; may be given several\ntimes' },
	{ name: 'repeat-b', value: 'PATH', isMultiple: true, help: 'another run of B' },
	{ name: 'show-noise', help: 'show also what varies within a side' },
	{ name: 'budget', value: 'SIZE', help: 'exit 1 when a compilation needed more: 64M, 512K' },
	{ name: 'events', value: 'FILE', help: 'replay events of a compiler; - is standard input\n(docs/memory.md)' },
	{ name: 'limit', value: 'SIZE[~HOW]', help: 'with events: what a limit would have done; HOW is stop\nor crash (stop)' },
	{ name: 'watch', value: 'PID', help: 'ask a JVM again and again until it ends' },
	{ name: 'interval', value: 'SECONDS', help: 'how often (2)' },
	{ name: 'duration', value: 'SECONDS', help: 'how long to watch' },
	{ name: 'jdk', value: 'HOME', help: 'the JDK whose jcmd asks (that of the process)' },
	{ name: 'csv', help: 'print CSV: compilations, phases of one, or changes' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

const MEMORY_HELP = `usage: assay memory FILE|RECORDING|PID... [HANDLE...] [options]
       assay memory --events FILE|- [options]
       assay memory --watch PID [options]

Shows what compilations cost the JVM's compilers in memory: the most expensive
ones, in which arenas, and of one the arenas by phase at its peak and the way it
got there. Reads what a JVM (22 or later, best 25) prints with
-XX:CompileCommand=memstat,*.*,print, also between other output; the answers of
jcmd PID Compiler.memory; error reports (hs_err) of a memory limit; recordings
of assay record --memory. PID asks a JVM that runs with memstat.

options:
${describeOptions(OPTIONS)}

example, on the recordings that come with assay:
  assay memory examples/memory

exit status: 0 reported, 1 a compilation went over the --budget, 2 wrong use,
             3 unusable input
`;

const HANDLE = /^(?:c\d+%?(?:@\d+)?|m\d+)$/;

export async function memoryCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(MEMORY_HELP);
		return 0;
	}
	checkOptions(parsed);
	const writer = new TextWriter((block) => io.out(block));
	const progress = createProgress(io);
	try {
		const status = parsed.isSet('compare') ? await compare(parsed, writer, io, progress) : await show(parsed, writer, io, progress);
		writer.flush();
		return status;
	} catch (error) {
		progress.end();
		if (!(error instanceof InputError)) {
			throw error;
		}
		if (parsed.isSet('json')) {
			endEnvelope(beginEnvelope(writer, VERSION, 'memory'), writer, [error.problem]);
			writer.flush();
		}
		io.err(`assay memory: ${visible(formatProblem(error.problem))}\n`);
		return 3;
	}
}

async function show(parsed: ParsedOptions, writer: TextWriter, io: CommandIo, progress: Progress): Promise<number> {
	const { names, handles } = inputsOf(parsed);
	const opened = await open(parsed, names, io, progress);
	const { compilations, omitted, replay, problems } = opened;
	const wanted = [...parsed.values('compilation'), ...handles];
	const chosen = wanted.length === 0 ? null : wanted.map((handle) => choose(compilations, handle));
	const [most] = [...compilations].sort((a, b) => b.totalBytes - a.totalBytes);
	const advised = chosen ?? (most === undefined ? [] : [most]);
	const budgetBytes = sizeOption(parsed, 'budget');
	const view: MemoryView = {
		title: parsed.value('watch') !== undefined ? `process ${parsed.value('watch')}` : (parsed.value('events') ?? names.join(', ')),
		compilations,
		omitted,
		replay,
		budget: budgetBytes === null ? null : { bytes: budgetBytes, over: overBudget(compilations, budgetBytes) },
		advice: advised.flatMap((compilation) => adviseOn(compilation, compilations)),
		chosen,
		top: positiveInteger(parsed, 'top') ?? 20,
		all: parsed.isSet('all'),
		nest: nestTimeline,
	};
	progress.end();
	if (parsed.isSet('json')) {
		const json = beginEnvelope(writer, VERSION, 'memory');
		writeMemoryJson(json, view);
		endEnvelope(json, writer, problems);
	} else {
		writeProblems(problems, io);
		if (parsed.isSet('csv')) {
			writeMemoryCsv(writer, view);
		} else {
			writeMemoryText(writer, view, terminalOf(io));
		}
	}
	opened.close();
	return view.budget !== null && view.budget.over.length > 0 ? 1 : 0;
}

async function compare(parsed: ParsedOptions, writer: TextWriter, io: CommandIo, progress: Progress): Promise<number> {
	const { names } = inputsOf(parsed);
	const second = parsed.value('compare')!;
	const options = openOptions(parsed, io);
	const openSide = async (first: readonly string[], repeats: readonly string[]): Promise<OpenedMemory[]> => {
		if (repeats.length >= MAX_RUNS_PER_SIDE) {
			throw new UsageError(`at most ${MAX_RUNS_PER_SIDE} runs of a side can be compared, ${repeats.length + 1} given`);
		}
		const runs: OpenedMemory[] = [];
		for (const run of [first, ...repeats.map((repeat) => [repeat])]) {
			progress.report(`reading ${run.join(', ')}`);
			runs.push(await openMemory(run, options));
		}
		return runs;
	};
	const a =
		parsed.value('events') === undefined ? await openSide(names, parsed.values('repeat-a')) : [await openEvents(parsed.value('events')!, options, progress)];
	const b = await openSide([second], parsed.values('repeat-b'));
	const view: MemoryComparisonView = {
		nameA: parsed.value('events') ?? names.join(', '),
		nameB: second,
		comparison: compareMemory(
			a.map(({ compilations }) => compilations),
			b.map(({ compilations }) => compilations),
		),
		top: positiveInteger(parsed, 'top') ?? 20,
		showNoise: parsed.isSet('show-noise'),
	};
	const problems = [...a, ...b].flatMap((run) => run.problems);
	progress.end();
	if (parsed.isSet('json')) {
		const json = beginEnvelope(writer, VERSION, 'memory');
		writeMemoryComparisonJson(json, view);
		endEnvelope(json, writer, problems);
	} else {
		writeProblems(problems, io);
		if (parsed.isSet('csv')) {
			writeMemoryComparisonCsv(writer, view);
		} else {
			writeMemoryComparison(writer, view, terminalOf(io));
		}
	}
	for (const run of [...a, ...b]) {
		run.close();
	}
	const budgetBytes = sizeOption(parsed, 'budget');
	return budgetBytes !== null && b.some(({ compilations }) => overBudget(compilations, budgetBytes).length > 0) ? 1 : 0;
}

async function open(parsed: ParsedOptions, names: readonly string[], io: CommandIo, progress: Progress): Promise<OpenedMemory> {
	const options = openOptions(parsed, io);
	const watched = parsed.value('watch');
	if (watched !== undefined) {
		if (!/^[1-9]\d{0,9}$/.test(watched)) {
			throw new UsageError(`--watch takes a process id, not "${watched}"`);
		}
		const isQuiet = parsed.isSet('json') || parsed.isSet('csv');
		const watch = { ...options, intervalSeconds: seconds(parsed, 'interval') ?? 2, durationSeconds: seconds(parsed, 'duration'), isQuiet };
		return watchMemory(Number(watched), watch, io, progress);
	}
	const events = parsed.value('events');
	if (events !== undefined) {
		return openEvents(events, options, progress);
	}
	progress.report(`reading ${names.join(', ')}`);
	return openMemory(names, options);
}

/** What is to be read, and handles: a file may be called c12, but not the only one. */
function inputsOf(parsed: ParsedOptions): { names: string[]; handles: string[] } {
	const hasInput = parsed.isSet('events') || parsed.isSet('watch');
	const isHandle = (argument: string, i: number): boolean => (i > 0 || hasInput) && HANDLE.test(argument);
	const names = parsed.positionals.filter((argument, i) => !isHandle(argument, i));
	if (names.length === 0 && !hasInput) {
		throw new UsageError('an output of a JVM, a recording or a process is expected');
	}
	if (names.length > 0 && hasInput) {
		throw new UsageError(`"${names[0]}" and --${parsed.isSet('events') ? 'events' : 'watch'} do not go together`);
	}
	return { names, handles: parsed.positionals.filter(isHandle) };
}

function checkOptions(parsed: ParsedOptions): void {
	const together = (one: string, other: string): void => {
		if (parsed.isSet(one) && parsed.isSet(other)) {
			throw new UsageError(`--${one} and --${other} do not go together`);
		}
	};
	together('json', 'csv');
	together('events', 'watch');
	together('compare', 'watch');
	together('compare', 'compilation');
	for (const name of ['repeat-a', 'repeat-b']) {
		if (parsed.isSet(name) && !parsed.isSet('compare')) {
			throw new UsageError(`--${name} goes with --compare`);
		}
	}
}

function choose(compilations: readonly OpenedCompilation[], handle: string): OpenedCompilation {
	const plain = `c${handle.replace(/^c(?=\d)/, '').replace('%', '')}`;
	const found = compilations.find((one) => one.handle === handle) ?? compilations.find((one) => one.handle === plain);
	if (found === undefined) {
		throw new UsageError(`no compilation is called ${handle}`);
	}
	return found;
}

function openOptions(parsed: ParsedOptions, io: CommandIo): OpenMemoryOptions & Pick<CommandIo, 'input'> {
	return {
		workingDirectory: io.workingDirectory,
		...(parsed.value('events') === '-' ? { input: io.input } : {}),
		jdkHome: parsed.value('jdk') ?? null,
		replay: { limit: limitOption(parsed) },
	};
}

function limitOption(parsed: ParsedOptions): { bytes: number; reaction: LimitReaction } | null {
	const text = parsed.value('limit');
	if (text === undefined) {
		return null;
	}
	const [size = '', how = 'stop', ...rest] = text.split('~');
	const bytes = sizeOf(size);
	if (bytes === null || (how !== 'stop' && how !== 'crash') || rest.length > 0) {
		throw new UsageError(`--limit takes a size such as 64M, 64M~stop or 64M~crash, not "${text}"`);
	}
	return { bytes, reaction: how };
}

function sizeOption(parsed: ParsedOptions, name: string): number | null {
	const text = parsed.value(name);
	const bytes = text === undefined ? null : sizeOf(text);
	if (text !== undefined && bytes === null) {
		throw new UsageError(`--${name} takes a size such as 64M, 512K or 1G, not "${text}"`);
	}
	return bytes;
}

const UNITS: Record<string, number> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

function sizeOf(text: string): number | null {
	const [, digits, unit = ''] = /^(\d{1,12})([kmg]?)$/i.exec(text) ?? [];
	return digits === undefined ? null : Number(digits) * UNITS[unit.toLowerCase()]!;
}

function seconds(parsed: ParsedOptions, name: string): number | null {
	const text = parsed.value(name);
	if (text !== undefined && !(/^\d{1,7}(?:\.\d{1,3})?$/.test(text) && Number(text) > 0)) {
		throw new UsageError(`--${name} takes seconds, not "${text}"`);
	}
	return text === undefined ? null : Number(text);
}

function terminalOf(io: CommandIo): Terminal {
	return createTerminal(io.isTerminal ? (io.columns ?? 80) : null, io.hasColour ?? false);
}
