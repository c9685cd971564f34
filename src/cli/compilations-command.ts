/** `assay compilations`: the life of every compilation of a HotSpot JVM, and what its compilers decided. */
import fs from 'node:fs';
import path from 'node:path';
import { VERSION } from '../answers/version.js';
import { methodLives } from '../compilations/methods.js';
import { type MethodLife, tellsEnds } from '../compilations/results.js';
import { summarize } from '../compilations/summarize.js';
import { explainReason, flagText } from '../model/inlining-reasons.js';
import type { JitCompilation } from '../model/jit-compilation.js';
import { nameMatches } from '../model/name-pattern.js';
import { formatProblem, InputError, UsageError } from '../model/problem.js';
import type { CompilationLog } from '../recording/compilation-log.js';
import { openEvidence } from '../recording/evidence.js';
import { writeCompilationsJson } from '../render/compilations-json.js';
import { writeCompilationsText } from '../render/compilations-text.js';
import type { ChosenLife, CompilationsView, MethodOrder, ReasonRow } from '../render/compilations-view.js';
import { beginEnvelope, endEnvelope } from '../render/envelope.js';
import { createTerminal } from '../render/terminal.js';
import { TextWriter } from '../render/text-writer.js';
import type { CommandIo } from './io.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions, positiveInteger } from './options.js';
import { writeProblems } from './problems.js';
import { createProgress } from './progress.js';
import { recordingFiles } from './recording-files.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'method', value: 'PATTERN', help: 'only methods with this in their name; * is any text' },
	{ name: 'level', value: 'N', help: 'only compilations of this level, 0 to 4' },
	{ name: 'compiler', value: 'NAME', help: 'only compilations of c1, c2 or jvmci' },
	{ name: 'osr', help: 'only those for on-stack replacement' },
	{ name: 'failed', help: 'only those that failed' },
	{ name: 'deoptimized', help: 'only those that were deoptimized' },
	{ name: 'sort', value: 'ORDER', help: 'methods by time, size, versions or deoptimizations\n(time)' },
	{ name: 'top', value: 'N', help: 'rows of the table of methods (10)' },
	{ name: 'reasons', help: 'explain why calls were inlined or not, with the flags\nthat decide and their defaults' },
	{ name: 'pid', value: 'PID', help: 'the JVM, where the files are of several' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

const HELP = `usage: assay compilations RECORDING... [HANDLE...] [options]

Shows what the compilers of a HotSpot JVM did: how many compilations of which
level, how long they waited and took, what failed, what was made not entrant or
deoptimized and why, then the methods that cost most. RECORDING is a folder or
files: the JVM's log (-XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation), and
the hs_c…_pid….log that a JVM leaves in the temporary folder when it is killed.
Without these, what the JVM printed: -XX:+PrintCompilation or
-Xlog:jit+compilation=debug, -XX:+PrintInlining, -Xlog:deoptimization=debug.

HANDLE is that of a compilation (c12, c12% for on-stack replacement) or a method
(m3): its life, and its inlining tree with the reason at every call. In a tree +
is inlined, - a call, * a call that its receivers replace. docs/compilations.md
tells where the numbers come from.

options:
${describeOptions(OPTIONS)}

example, on the recordings that come with assay:
  assay compilations examples/hot

exit status: 0 reported, 2 wrong use, 3 unusable input
`;

const HANDLE = /^(?:m[1-9]\d*|c\d+%?)$/;
const ORDERS: readonly MethodOrder[] = ['time', 'size', 'versions', 'deoptimizations'];

export async function compilationsCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(HELP);
		return 0;
	}
	const isHandle = (argument: string, i: number): boolean => i > 0 && HANDLE.test(argument) && !fs.existsSync(path.resolve(io.workingDirectory, argument));
	const paths = parsed.positionals.filter((argument, i) => !isHandle(argument, i));
	const handles = parsed.positionals.filter(isHandle);
	if (paths.length === 0) {
		throw new UsageError('a recording is expected: a folder, or the log of the JVM');
	}
	const filter = filterOf(parsed);
	const order = orderOf(parsed);
	const writer = new TextWriter((block) => io.out(block));
	const progress = createProgress(io);
	try {
		progress.report(`reading ${paths.join(', ')}`);
		const evidence = await openEvidence(recordingFiles(paths, io.workingDirectory), { processId: positiveInteger(parsed, 'pid') ?? null });
		const log = await evidence.compilationLog();
		try {
			const { view, compilations } = viewOf(log, paths, handles, filter, order, parsed);
			progress.end();
			if (parsed.isSet('json')) {
				const json = beginEnvelope(writer, VERSION, 'compilations');
				writeCompilationsJson(json, view, compilations, (compilation) => log.readDecisions(compilation), log.files);
				endEnvelope(json, writer, log.problems);
			} else {
				writeProblems(log.problems, io);
				writeCompilationsText(writer, view, createTerminal(io.isTerminal ? (io.columns ?? 80) : null, io.hasColour ?? false));
			}
		} finally {
			evidence.close();
		}
	} catch (error) {
		progress.end();
		if (!(error instanceof InputError)) {
			throw error;
		}
		if (parsed.isSet('json')) {
			endEnvelope(beginEnvelope(writer, VERSION, 'compilations'), writer, [error.problem]);
			writer.flush();
		}
		io.err(`assay compilations: ${formatProblem(error.problem)}\n`);
		return 3;
	}
	writer.flush();
	return 0;
}

type Filter = ((compilation: JitCompilation) => boolean) | null;

/** null: all. */
function filterOf(parsed: ParsedOptions): Filter {
	const method = parsed.value('method');
	const level = parsed.value('level');
	const compiler = parsed.value('compiler')?.toLowerCase();
	if (level !== undefined && !/^[0-4]$/.test(level)) {
		throw new UsageError(`--level takes a number from 0 to 4, not "${level}"`);
	}
	if (compiler !== undefined && !['c1', 'c2', 'jvmci'].includes(compiler)) {
		throw new UsageError(`--compiler takes c1, c2 or jvmci, not "${compiler}"`);
	}
	const conditions: ((compilation: JitCompilation) => boolean)[] = [
		...(method === undefined ? [] : [(compilation: JitCompilation) => nameMatches(method, compilation.method)]),
		...(level === undefined ? [] : [(compilation: JitCompilation) => String(compilation.level ?? 0) === level]),
		...(compiler === undefined ? [] : [(compilation: JitCompilation) => compilation.compiler === compiler]),
		...(parsed.isSet('osr') ? [({ kind }: JitCompilation) => kind === 'osr'] : []),
		...(parsed.isSet('failed') ? [({ failure }: JitCompilation) => failure !== null] : []),
		...(parsed.isSet('deoptimized') ? [({ deoptimizations }: JitCompilation) => deoptimizations.length > 0] : []),
	];
	return conditions.length === 0 ? null : (compilation) => conditions.every((holds) => holds(compilation));
}

/** null: the order that the recording has figures for. */
function orderOf(parsed: ParsedOptions): MethodOrder | null {
	const text = parsed.value('sort');
	if (text === undefined) {
		return null;
	}
	const order = ORDERS.find((name) => name === text);
	if (order === undefined) {
		throw new UsageError(`--sort takes one of ${ORDERS.join(', ')}, not "${text}"`);
	}
	return order;
}

function viewOf(
	log: CompilationLog,
	paths: readonly string[],
	handles: readonly string[],
	filter: Filter,
	chosenOrder: MethodOrder | null,
	parsed: ParsedOptions,
): { view: CompilationsView; compilations: readonly JitCompilation[] } {
	const { history } = log;
	const order = chosenOrder ?? (tellsEnds(history) ? 'time' : 'versions');
	const lives = methodLives(history);
	const chosen = handles.length === 0 ? null : handles.map((handle) => choose(log, lives, handle));
	const compilations = chosen?.flatMap(({ shown }) => shown) ?? history.compilations.filter((compilation) => filter === null || filter(compilation));
	const methods = filter === null ? lives : lives.filter(({ versions }) => versions.some(({ compilation }) => filter(compilation)));
	return {
		compilations,
		view: {
			title: titleOf(log, paths),
			summary: summarize(history),
			methods: sorted(methods, order),
			isFiltered: filter !== null,
			order,
			top: positiveInteger(parsed, 'top') ?? 10,
			chosen,
			reasons: parsed.isSet('reasons') ? reasonRows(log, compilations) : null,
		},
	};
}

export function sorted(methods: readonly MethodLife[], order: MethodOrder): readonly MethodLife[] {
	const value: Record<MethodOrder, (life: MethodLife) => number> = {
		time: () => 0,
		size: ({ sizeBytes }) => sizeBytes,
		versions: ({ versions }) => versions.length,
		deoptimizations: ({ deoptimizations }) => deoptimizations,
	};
	return [...methods].sort((a, b) => value[order](b) - value[order](a));
}

/** Of a method the tree of the newest version that has calls is shown, of a compilation its own. */
function choose(log: CompilationLog, lives: readonly MethodLife[], handle: string): ChosenLife {
	const life = handle.startsWith('m')
		? lives.find((one) => one.handle === handle)
		: lives.find(({ versions }) => versions.some(({ compilation }) => `c${compilation.compileId}` === handle));
	if (life === undefined) {
		throw new UsageError(`no method or compilation is called ${handle}`);
	}
	const all = life.versions.map(({ compilation }) => compilation);
	const shown = handle.startsWith('m') ? all : all.filter(({ compileId }) => `c${compileId}` === handle);
	const read = handle.startsWith('m') ? all.filter(({ failure, startedMs }) => failure === null && startedMs !== null).slice(-1) : shown;
	return { life, shown, records: new Map(read.map((compilation) => [compilation, log.read(compilation)])) };
}

/** Most frequent first. */
function reasonRows(log: CompilationLog, compilations: readonly JitCompilation[]): ReasonRow[] {
	const counts = new Map<string, { count: number; compilers: Set<string> }>();
	for (const compilation of compilations) {
		for (const { reason } of log.readDecisions(compilation)) {
			const row = counts.get(reason) ?? { count: 0, compilers: new Set() };
			row.count++;
			row.compilers.add(compilation.compiler ?? '?');
			counts.set(reason, row);
		}
	}
	return [...counts]
		.sort((a, b) => b[1].count - a[1].count)
		.map(([reason, { count, compilers }]) => {
			const explanation = explainReason(reason);
			return { reason, count, compilers: [...compilers].sort(), explanation, flags: explanation?.flags.map(flagText) ?? [] };
		});
}

export function titleOf({ history }: CompilationLog, paths: readonly string[]): string {
	const jvm = history.version?.replace(/,? built on .*$/, '').replace(/ JRE \(.*$/, '');
	const process = history.processId === null ? '' : `, process ${history.processId}`;
	return `${paths.join(', ')}${jvm == null ? '' : `: ${jvm}`}${process}, ${(history.endMs / 1000).toFixed(1)} s`;
}
