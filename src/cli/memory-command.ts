/** `assay memory`: what compilations cost their compiler in memory. */
import fs from 'node:fs';
import path from 'node:path';
import { answerMemory, answerMemoryComparison, memoryOf, memoryOfEvents, memoryOfProcess } from '../answers/memory.js';
import type { OpenedMemory } from '../answers/memory-result.js';
import { watchMemory } from '../answers/watch-memory.js';
import { nestTimeline } from '../footprint/nest-timeline.js';
import type { LimitReaction, ReplayOptions } from '../footprint/replay.js';
import { UsageError } from '../model/problem.js';
import type { AskRequest } from '../recording/ask-memory.js';
import { writeMemoryComparison } from '../render/memory-compare-text.js';
import { writeMemoryComparisonCsv, writeMemoryCsv } from '../render/memory-csv.js';
import { writeMemoryText } from '../render/memory-text.js';
import type { MemoryComparisonView, MemoryView } from '../render/memory-view.js';
import { seenText, watchedText } from '../render/memory-watch-text.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { RECORDING_INPUT } from './command-tool.js';
import { openNamed } from './open-named.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';

const OPTIONS: readonly OptionSpec[] = [
	{
		name: 'compilation',
		value: 'ID',
		isMultiple: true,
		help: 'one compilation: arenas by phase at its peak, curve and\ntree of its phases; c12, 12, or c12@2 for a second one',
	},
	{ name: 'all', help: 'with --compilation: every phase of the tree' },
	{ name: 'top', value: 'N', help: 'rows of tables (20)' },
	{ name: 'compare', value: 'B', isFile: true, help: 'a second run: which methods cost more or less' },
	{ name: 'repeat-a', value: 'PATH', isMultiple: true, isFile: true, help: 'another run of the first side; may be given several\ntimes' },
	{ name: 'repeat-b', value: 'PATH', isMultiple: true, isFile: true, help: 'another run of B' },
	{ name: 'show-noise', help: 'show also what varies within a side' },
	{ name: 'budget', value: 'SIZE', help: 'exit 1 when a compilation needed more: 64M, 512K' },
	{ name: 'events', value: 'FILE', isFile: true, help: 'replay events of a compiler; - is standard input\n(docs/memory.md)' },
	{ name: 'limit', value: 'SIZE[~HOW]', help: 'with events: what a limit would have done; HOW is stop\nor crash (stop)' },
	{ name: 'watch', value: 'PID', help: 'ask a JVM again and again until it ends' },
	{ name: 'interval', value: 'SECONDS', help: 'how often (2)' },
	{ name: 'duration', value: 'SECONDS', help: 'how long to watch' },
	{ name: 'jdk', value: 'HOME', isFile: true, help: 'the JDK whose jcmd asks (that of the process)' },
	{ name: 'csv', help: 'print CSV: compilations, phases of one, or changes' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const memoryCommand: CommandDescription = {
	name: 'memory',
	usage: ['FILE|RECORDING|PID... [HANDLE...] [options]', '--events FILE|- [options]', '--watch PID [options]'],
	about: `Shows what compilations cost the JVM's compilers in memory: the most expensive
ones, in which arenas, and of one the arenas by phase at its peak and the way it
got there. Reads what a JVM (22 or later, best 25) prints with
-XX:CompileCommand=memstat,*.*,print, also between other output; the answers of
jcmd PID Compiler.memory; error reports (hs_err) of a memory limit; recordings
of assay record --memory. PID asks a JVM that runs with memstat.`,
	options: OPTIONS,
	examples: ['assay memory examples/memory'],
	exitStatus: `0 reported, 1 a compilation went over the --budget, 2 wrong use,
             3 unusable input`,
	completes: 'files',
	tools: [
		{
			name: 'memory',
			question:
				'What compilations cost the compilers of a JVM in memory: the most expensive ones with handles, arenas, phases; of one compilation all of it; against a second run, a budget.',
			inputs: [RECORDING_INPUT, { name: 'handles', kind: 'handles', isOptional: true, help: 'a compilation: c12' }],
			leavesOut: ['tasks', 'compilations[].timeline'],
			first: ['compilations', 'compilations[].phases'],
			largestFirst: { list: 'compilations', by: 'totalBytes' },
			options: ['compare', 'repeat-a', 'repeat-b', 'budget'],
		},
	],
	run,
};

const HANDLE = /^(?:c\d+%?(?:@\d+)?|m\d+)$/;

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	checkOptions(parsed);
	return parsed.isSet('compare') ? compare(parsed, context) : show(parsed, context);
}

async function show(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const { names, handles } = inputsOf(parsed);
	const opened = await open(parsed, names, context);
	const wanted = [...parsed.values('compilation'), ...handles];
	const answer = answerMemory(opened, { handles: wanted.length === 0 ? null : wanted, budgetBytes: sizeOption(parsed, 'budget') });
	const watched = parsed.value('watch');
	const view: MemoryView = {
		...answer,
		title: watched !== undefined ? `process ${watched}` : (parsed.value('events') ?? names.join(', ')),
		top: positiveInteger(parsed, 'top') ?? 20,
		all: parsed.isSet('all'),
		nest: nestTimeline,
	};
	if (context.wantsJson) {
		context.json(answer.result(), answer.problems);
	} else {
		context.tell(answer.problems);
		if (parsed.isSet('csv')) {
			writeMemoryCsv(context.writer, view);
		} else {
			writeMemoryText(context.writer, view, context.terminal);
		}
	}
	return answer.budget !== null && answer.budget.over.length > 0 ? EXIT.no : EXIT.done;
}

async function compare(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const { names } = inputsOf(parsed);
	const events = parsed.value('events');
	const second = parsed.value('compare')!;
	const runsOf = (first: readonly string[], repeats: readonly string[]): (() => Promise<OpenedMemory>)[] =>
		[first, ...repeats.map((repeat) => [repeat])].map((run) => () => openRun(parsed, run, context));
	const a = events === undefined ? runsOf(names, parsed.values('repeat-a')) : [() => openEvents(parsed, events, context)];
	const answer = await answerMemoryComparison(
		{ name: events ?? names.join(', '), runs: a },
		{ name: second, runs: runsOf([second], parsed.values('repeat-b')) },
		sizeOption(parsed, 'budget'),
	);
	const view: MemoryComparisonView = { ...answer, top: positiveInteger(parsed, 'top') ?? 20, showNoise: parsed.isSet('show-noise') };
	if (context.wantsJson) {
		context.json(answer.result(), answer.problems);
	} else {
		context.tell(answer.problems);
		if (parsed.isSet('csv')) {
			writeMemoryComparisonCsv(context.writer, view);
		} else {
			writeMemoryComparison(context.writer, view, context.terminal);
		}
	}
	return answer.isOverBudget ? EXIT.no : EXIT.done;
}

async function open(parsed: ParsedOptions, names: readonly string[], context: CommandContext): Promise<OpenedMemory> {
	const watched = parsed.value('watch');
	const events = parsed.value('events');
	if (watched !== undefined) {
		return watch(parsed, watched, context);
	}
	return events === undefined ? openRun(parsed, names, context) : openEvents(parsed, events, context);
}

async function watch(parsed: ParsedOptions, watched: string, context: CommandContext): Promise<OpenedMemory> {
	if (!PROCESS_ID.test(watched)) {
		throw new UsageError(`--watch takes a process id, not "${watched}"`);
	}
	const isQuiet = context.wantsJson || parsed.isSet('csv');
	return watchMemory(Number(watched), {
		...askRequest(parsed, context),
		intervalSeconds: seconds(parsed, 'interval') ?? 2,
		durationSeconds: seconds(parsed, 'duration'),
		onSeen: (seen) => {
			if (!isQuiet) {
				// Now, not when the watching ends.
				context.io.out(seenText(seen));
			}
			context.progress.report(watchedText(seen));
		},
	});
}

/** The files of one run, or a JVM that runs. */
async function openRun(parsed: ParsedOptions, names: readonly string[], context: CommandContext): Promise<OpenedMemory> {
	context.progress.report(`reading ${names.join(', ')}`);
	const replay = replayOptions(parsed);
	const [name = ''] = names;
	if (names.length === 1 && PROCESS_ID.test(name) && !fs.existsSync(path.resolve(context.workingDirectory, name))) {
		return memoryOfProcess(Number(name), askRequest(parsed, context));
	}
	const evidence = await openNamed(context, names);
	return memoryOf(evidence, replay, 'all');
}

function openEvents(parsed: ParsedOptions, name: string, context: CommandContext): Promise<OpenedMemory> {
	const input = name === '-' ? { pieces: context.io.input } : context.files([name])[0]!;
	return memoryOfEvents(input, replayOptions(parsed), context.progress);
}

const PROCESS_ID = /^[1-9]\d{0,9}$/;

function askRequest(parsed: ParsedOptions, { workingDirectory }: CommandContext): AskRequest {
	return { workingDirectory, environment: process.env, jdkHome: parsed.value('jdk') ?? null };
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

function replayOptions(parsed: ParsedOptions): ReplayOptions {
	return { limit: limitOption(parsed) };
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
