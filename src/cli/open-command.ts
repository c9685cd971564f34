/** `assay open`: the page of a recording in the browser, served on this machine until the command ends. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { answerDiff, DEFAULT_DIFF_REQUEST } from '../answers/diff.js';
import { formatProblem, InputError, UsageError } from '../model/problem.js';
import { writeComparison } from '../page/compare.js';
import type { PageParts } from '../page/data.js';
import { gatherPage, titleOf } from '../page/file.js';
import type { GatheredSide } from '../page/gather.js';
import { createOpener } from '../page/opener.js';
import type { PartWriter } from '../page/parts.js';
import { type PageServer, servePage } from '../page/server.js';
import { pageShell } from '../page/shell.js';
import type { Evidence } from '../recording/evidence.js';
import { openSources } from '../recording/java-sources.js';
import { visible } from '../render/visible.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { openNamed } from './open-named.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'compare', value: 'B', isFile: true, help: 'a second recording beside it' },
	{ name: 'sources', value: 'PATH', isFile: true, help: "a folder of Java sources, or a JDK's src.zip" },
	{ name: 'port', value: 'N', help: 'listen on this port (default: any that is free)' },
	{ name: 'no-browser', help: 'only print the address' },
	{ name: 'pid', value: 'PID', help: 'the JVM, where the files are of several' },
	{ name: 'help', help: 'print this' },
];

export const openCommand: CommandDescription = {
	name: 'open',
	usage: ['RECORDING... [options]'],
	about: `Shows a recording as a page in the browser: what ran, every compilation with
its inlining, code, memory and bias. RECORDING is a folder or files of one run,
as in assay report. The page is served on 127.0.0.1 only, under an address with
a random token, until the command is ended with Ctrl-C; it loads what it shows,
and nothing from elsewhere. For a page in one file: assay report RECORDING -o
report.html.`,
	options: OPTIONS,
	examples: ['assay open examples/hot'],
	exitStatus: '0 ended by Ctrl-C, 2 wrong use, 3 unusable input',
	completes: 'files',
	run,
};

/** Details are read when the page asks for them. */
const SERVED_LIMITS = { details: 0, instructions: 0 };

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const { workingDirectory, io } = context;
	const paths = parsed.positionals;
	if (paths.length === 0) {
		throw new UsageError('a recording is expected: a folder or files');
	}
	const port = positiveInteger(parsed, 'port') ?? 0;
	if (port > 65_535) {
		throw new UsageError(`--port takes a number up to 65535, not "${port}"`);
	}
	const other = parsed.value('compare');
	const sources = parsed.value('sources')?.split(path.delimiter) ?? [];
	const sides: Evidence[] = [];
	for (const side of other === undefined ? [paths] : [paths, [other]]) {
		const evidence = await openNamed(context, side, { processId: positiveInteger(parsed, 'pid') ?? null, details: 'all' });
		sides.push(evidence);
	}
	const page = await gatherPage(
		{
			sides,
			sources: sources.length === 0 ? null : await openSources(sources.map((name) => path.resolve(workingDirectory, name))),
			...(other === undefined ? {} : { parts: (parts, gathered) => comparison(sides, parts, gathered, context) }),
		},
		SERVED_LIMITS,
		true,
		context.progress,
	);
	const server = await listen(
		{ shell: pageShell(), title: titleOf(page.main), parts: page.parts.parts, detail: async (side, handle) => page.sides[side]?.detail(handle) ?? null },
		port,
	);
	try {
		context.tell(page.main.sides.flatMap(({ problems }) => problems));
		io.out(`${server.url}\n`);
		io.err('the page is there until Ctrl-C\n');
		if (!parsed.isSet('no-browser') && io.isTerminal) {
			const opener = createOpener(server.url);
			context.atEnd(() => opener.remove());
			openBrowser(opener.file);
		}
		await interrupted();
	} finally {
		await server.close();
	}
	return EXIT.done;
}

/** Recordings without decisions can be laid beside each other too. */
async function comparison(
	[a, b]: readonly Evidence[],
	parts: PartWriter,
	gathered: readonly GatheredSide[],
	{ workingDirectory, progress, io }: CommandContext,
): Promise<Partial<PageParts>> {
	if (a === undefined || b === undefined) {
		return {};
	}
	try {
		return await writeComparison(await answerDiff({ a: [a], b: [b] }, { ...DEFAULT_DIFF_REQUEST, workingDirectory, progress }), parts, gathered);
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		io.err(`assay open: ${visible(formatProblem({ ...error.problem, severity: 'warning' }))}\n`);
		return {};
	}
}

async function listen(page: Parameters<typeof servePage>[0], port: number): Promise<PageServer> {
	try {
		return await servePage(page, port);
	} catch (error) {
		throw new InputError({
			severity: 'error',
			file: `port ${port}`,
			message: `cannot be listened on: ${(error as Error).message}`,
			action: 'take another --port',
		});
	}
}

/** Until Ctrl-C, or until the terminal or whoever started the command ends it. */
function interrupted(): Promise<void> {
	return new Promise((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
			process.once(signal, () => resolve());
		}
	});
}

/** A machine without a browser has the address on the terminal. */
function openBrowser(file: string): void {
	const [command, ...args] =
		process.platform === 'darwin' ? ['open', file] : process.platform === 'win32' ? ['cmd', '/c', 'start', '', file] : ['xdg-open', file];
	const child = spawn(command as string, args, { stdio: 'ignore', detached: true });
	child.on('error', () => {});
	child.unref();
}
