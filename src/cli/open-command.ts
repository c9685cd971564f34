/** `assay open`: the page of a recording in the browser, served on this machine until the command ends. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { formatProblem, InputError, UsageError } from '../model/problem.js';
import type { Progress } from '../model/progress.js';
import { writeComparison } from '../page/compare.js';
import type { PageParts } from '../page/data.js';
import { gatherPage, titleOf } from '../page/file.js';
import type { GatheredSide } from '../page/gather.js';
import type { PartWriter } from '../page/parts.js';
import { type PageServer, servePage } from '../page/server.js';
import { pageShell } from '../page/shell.js';
import { visible } from '../render/visible.js';
import { compareTwo } from './diff-command.js';
import type { CommandIo } from './io.js';
import { describeOptions, type OptionSpec, parseOptions, positiveInteger } from './options.js';
import { writeProblems } from './problems.js';
import { createProgress } from './progress.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'compare', value: 'B', help: 'a second recording beside it' },
	{ name: 'sources', value: 'PATH', help: "a folder of Java sources, or a JDK's src.zip" },
	{ name: 'port', value: 'N', help: 'listen on this port (default: any that is free)' },
	{ name: 'no-browser', help: 'only print the address' },
	{ name: 'pid', value: 'PID', help: 'the JVM, where the files are of several' },
	{ name: 'help', help: 'print this' },
];

const HELP = `usage: assay open RECORDING... [options]

Shows a recording as a page in the browser: what ran, every compilation with
its inlining, code, memory and bias. RECORDING is a folder or files of one run,
as in assay report. The page is served on 127.0.0.1 only, under an address with
a random token, until the command is ended with Ctrl-C; it loads what it shows,
and nothing from elsewhere. For a page in one file: assay report RECORDING -o
report.html.

options:
${describeOptions(OPTIONS)}

example, on the recordings that come with assay:
  assay open examples/hot

exit status: 0 ended by Ctrl-C, 2 wrong use, 3 unusable input
`;

/** Details are read when the page asks for them. */
const SERVED_LIMITS = { details: 0, instructions: 0 };

export async function openCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(HELP);
		return 0;
	}
	const paths = parsed.positionals;
	if (paths.length === 0) {
		throw new UsageError('a recording is expected: a folder or files');
	}
	const port = positiveInteger(parsed, 'port') ?? 0;
	if (port > 65_535) {
		throw new UsageError(`--port takes a number up to 65535, not "${port}"`);
	}
	const other = parsed.value('compare');
	const progress = createProgress(io);
	let server: PageServer | undefined;
	let close = (): void => {};
	try {
		const sides = other === undefined ? [paths] : [paths, [other]];
		const request = {
			sides,
			processId: positiveInteger(parsed, 'pid') ?? null,
			sources: parsed.value('sources')?.split(path.delimiter) ?? [],
			...(other === undefined
				? {}
				: { parts: (parts: PartWriter, gathered: readonly GatheredSide[]) => comparison(paths, other, parts, gathered, io, progress) }),
		};
		const page = await gatherPage(request, SERVED_LIMITS, true, io, progress);
		close = page.close;
		server = await listen(
			{ shell: pageShell(), title: titleOf(page.main), parts: page.parts.parts, detail: async (side, handle) => page.sides[side]?.detail(handle) ?? null },
			port,
		);
		progress.end();
		writeProblems(
			page.main.sides.flatMap(({ problems }) => problems),
			io,
		);
		io.out(`${server.url}\n`);
		io.err('the page is there until Ctrl-C\n');
		if (!parsed.isSet('no-browser') && io.isTerminal) {
			openBrowser(server.url);
		}
		await interrupted();
		return 0;
	} catch (error) {
		progress.end();
		if (!(error instanceof InputError)) {
			throw error;
		}
		io.err(`assay open: ${visible(formatProblem(error.problem))}\n`);
		return 3;
	} finally {
		await server?.close();
		close();
	}
}

/** Recordings without decisions can be laid beside each other too. */
async function comparison(
	paths: readonly string[],
	other: string,
	parts: PartWriter,
	gathered: readonly GatheredSide[],
	io: CommandIo,
	progress: Progress,
): Promise<Partial<PageParts>> {
	try {
		return await writeComparison(await compareTwo(paths[0] ?? '', other, io, progress), parts, gathered);
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
function openBrowser(url: string): void {
	const [command, ...args] = process.platform === 'darwin' ? ['open', url] : process.platform === 'win32' ? ['cmd', '/c', 'start', '', url] : ['xdg-open', url];
	const child = spawn(command as string, args, { stdio: 'ignore', detached: true });
	child.on('error', () => {});
	child.unref();
}
