/** `assay compilations`: the life of every compilation of a HotSpot JVM, and what its compilers decided. */
import fs from 'node:fs';
import path from 'node:path';
import { answerCompilations, COMPILERS, type CompilationsFilter, METHOD_ORDERS, type MethodOrder } from '../answers/compilations.js';
import { shortVersion } from '../model/jvm-version.js';
import { UsageError } from '../model/problem.js';
import type { CompilationLog } from '../recording/compilation-log.js';
import { writeCompilationsText } from '../render/compilations-text.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { RECORDING_INPUT } from './command-tool.js';
import { openNamed } from './open-named.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'method', value: 'PATTERN', help: 'only methods with this in their name; * is any text' },
	{ name: 'level', value: 'N', choices: ['0', '1', '2', '3', '4'], help: 'only compilations of this level, 0 to 4' },
	{ name: 'compiler', value: 'NAME', choices: COMPILERS, help: 'only compilations of c1, c2 or jvmci' },
	{ name: 'osr', help: 'only those for on-stack replacement' },
	{ name: 'failed', help: 'only those that failed' },
	{ name: 'deoptimized', help: 'only those that were deoptimized' },
	{ name: 'sort', value: 'ORDER', choices: METHOD_ORDERS, help: 'methods by time, size, versions or deoptimizations\n(time)' },
	{ name: 'top', value: 'N', help: 'rows of the table of methods (10)' },
	{ name: 'reasons', help: 'explain why calls were inlined or not, with the flags\nthat decide and their defaults' },
	{ name: 'pid', value: 'PID', help: 'the JVM, where the files are of several' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const compilationsCommand: CommandDescription = {
	name: 'compilations',
	usage: ['RECORDING... [HANDLE...] [options]'],
	about: `Shows what the compilers of a HotSpot JVM did: how many compilations of which
level, how long they waited and took, what failed, what was made not entrant or
deoptimized and why, then the methods that cost most. RECORDING is a folder or
files: the JVM's log (-XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation), and
the hs_c…_pid….log that a JVM leaves in the temporary folder when it is killed.
Without these, what the JVM printed: -XX:+PrintCompilation or
-Xlog:jit+compilation=debug, -XX:+PrintInlining, -Xlog:deoptimization=debug.

HANDLE is that of a compilation (c12, c12% for on-stack replacement) or a method
(m3): its life, and its inlining tree with the reason at every call. In a tree +
is inlined, - a call, * a call that its receivers replace. Levels: 1 C1 without
counters, 2 C1 that counts, 3 C1 that profiles, 4 C2. docs/compilations.md tells
where the numbers come from, and what PrintCompilation's columns mean.`,
	options: OPTIONS,
	examples: ['assay compilations examples/hot'],
	exitStatus: '0 reported, 2 wrong use, 3 unusable input',
	completes: 'files',
	tools: [
		{
			name: 'compilations',
			question:
				'What the compilers of a HotSpot JVM did: compilations by level, queues, failures, deoptimizations, storms, code that was given up; then methods with all their versions. With handles: the life of these.',
			inputs: [
				RECORDING_INPUT,
				{ name: 'handles', kind: 'handles', isOptional: true, help: 'a compilation (c12, c12% for on-stack replacement) or a method (m3)' },
			],
			leavesOut: ['summary.codeHeap.leastFreeOf', 'summary.queues[].longestOf', 'compilations[].callSites', 'records'],
			first: ['methods', 'methods[].versions', 'summary.deoptimizations', 'compilations[].deoptimizations'],
			options: ['method', 'level', 'compiler', 'osr', 'failed', 'deoptimized', 'sort', 'pid'],
		},
		{
			name: 'call_sites',
			question: 'The calls in the methods that are meant: inlined or not, why, what the reason means and the flags that decide it.',
			inputs: [RECORDING_INPUT, { name: 'handles', kind: 'handles', isOptional: true, help: 'a compilation (c12) or a method (m3)' }],
			leavesOut: ['summary', 'records', 'methods'],
			first: ['compilations[].callSites', 'compilations', 'reasons'],
			options: ['method', 'level', 'compiler', 'pid'],
			always: ['--reasons'],
		},
	],
	run,
};

const HANDLE = /^(?:m[1-9]\d*|c\d+%?)$/;

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const { workingDirectory, progress, writer, terminal } = context;
	const isHandle = (argument: string, i: number): boolean => i > 0 && HANDLE.test(argument) && !fs.existsSync(path.resolve(workingDirectory, argument));
	const paths = parsed.positionals.filter((argument, i) => !isHandle(argument, i));
	const handles = parsed.positionals.filter(isHandle);
	if (paths.length === 0) {
		throw new UsageError('a recording is expected: a folder, or the log of the JVM');
	}
	const filter = filterOf(parsed);
	const order = orderOf(parsed);
	const processId = positiveInteger(parsed, 'pid') ?? null;
	progress.report(`reading ${paths.join(', ')}`);
	const evidence = await openNamed(context, paths, { processId });
	const answer = await answerCompilations(evidence, {
		...filter,
		handles: handles.length === 0 ? null : handles,
		order,
		withReasons: parsed.isSet('reasons'),
	});
	const top = positiveInteger(parsed, 'top') ?? 10;
	if (context.wantsJson) {
		context.json(answer.result(), answer.problems);
		return EXIT.done;
	}
	context.tell(answer.problems);
	writeCompilationsText(writer, { ...answer, title: titleOf(answer.log, paths), top }, terminal);
	return EXIT.done;
}

function filterOf(parsed: ParsedOptions): CompilationsFilter {
	const level = parsed.value('level');
	const name = parsed.value('compiler')?.toLowerCase();
	const compiler = COMPILERS.find((one) => one === name);
	if (level !== undefined && !/^[0-4]$/.test(level)) {
		throw new UsageError(`--level takes a number from 0 to 4, not "${level}"`);
	}
	if (name !== undefined && compiler === undefined) {
		throw new UsageError(`--compiler takes c1, c2 or jvmci, not "${name}"`);
	}
	return {
		method: parsed.value('method') ?? null,
		level: level === undefined ? null : Number(level),
		compiler: compiler ?? null,
		osr: parsed.isSet('osr'),
		failed: parsed.isSet('failed'),
		deoptimized: parsed.isSet('deoptimized'),
	};
}

/** null: the order that the recording has figures for. */
function orderOf(parsed: ParsedOptions): MethodOrder | null {
	const text = parsed.value('sort');
	const order = METHOD_ORDERS.find((name) => name === text);
	if (text !== undefined && order === undefined) {
		throw new UsageError(`--sort takes one of ${METHOD_ORDERS.join(', ')}, not "${text}"`);
	}
	return order ?? null;
}

export function titleOf({ history }: CompilationLog, paths: readonly string[]): string {
	const jvm = history.version === null ? null : shortVersion(history.version);
	const process = history.processId === null ? '' : `, process ${history.processId}`;
	const time =
		history.isAheadOfTime === true
			? ''
			: `, ${history.watchedFromMs === undefined ? '' : `${(history.watchedFromMs / 1000).toFixed(1)} s to `}${(history.endMs / 1000).toFixed(1)} s`;
	return `${paths.join(', ')}${jvm == null ? '' : `: ${jvm}`}${process}${time}`;
}
