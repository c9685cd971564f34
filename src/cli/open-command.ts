/** `assay open`: the page of a recording in the browser, served on this machine until the command ends. */
import path from 'node:path';
import { answerDiff, DEFAULT_DIFF_REQUEST } from '../answers/diff.js';
import { formatProblem, InputError, UsageError } from '../model/problem.js';
import { writeComparison } from '../page/compare.js';
import type { PageParts } from '../page/data.js';
import { DroppedFiles } from '../page/dropped-files.js';
import { type GatheredPage, gatherPage } from '../page/file.js';
import type { GatheredSide } from '../page/gather.js';
import { LivePage, type OpenedPage } from '../page/live-page.js';
import type { PartWriter } from '../page/parts.js';
import { pageShell } from '../page/shell.js';
import { type Evidence, type EvidenceOptions, openEvidence } from '../recording/evidence.js';
import { openSources } from '../recording/java-sources.js';
import type { LogFile } from '../recording/log-file.js';
import { visible } from '../render/visible.js';
import { isStore } from '../store/files.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { openFleet } from './open-fleet.js';
import { openNamed } from './open-named.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';
import { listen, portOf, SERVED_LIMITS, showUntilInterrupted } from './serve-page.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'compare', value: 'B', isFile: true, help: 'a second recording beside it' },
	{ name: 'sources', value: 'PATH', isFile: true, help: "a folder of Java sources, or a JDK's src.zip" },
	{ name: 'port', value: 'N', help: 'listen on this port (default: any that is free)' },
	{ name: 'follow', help: 'the recording is still being written: show what comes' },
	{ name: 'no-browser', help: 'only print the address' },
	{ name: 'pid', value: 'PID', help: 'the JVM, where the files are of several' },
	{ name: 'help', help: 'print this' },
];

export const openCommand: CommandDescription = {
	name: 'open',
	usage: ['RECORDING... [options]', 'STORE [options]'],
	about: `Shows a recording as a page in the browser: what ran, every compilation with
its inlining, code, memory and bias. RECORDING is a folder or files of one run,
as in assay report. The page is served on 127.0.0.1 only, under an address with
a random token, until the command is ended with Ctrl-C; it loads what it shows,
and nothing from elsewhere. A file that is dropped on the page (a .jfr, a log)
is shown instead. For a page in one file: assay report RECORDING -o report.html.
A STORE that assay collect filled is shown as its runs over time and the answers
of questions; from a run to its own page where its recording is at hand.`,
	options: OPTIONS,
	examples: ['assay open examples/hot'],
	exitStatus: '0 ended by Ctrl-C, 2 wrong use, 3 unusable input',
	completes: 'files',
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const { workingDirectory, io } = context;
	// Of `assay record --open`: this ends with it.
	process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
	const paths = parsed.positionals;
	if (paths.length === 0) {
		throw new UsageError('a recording is expected: a folder or files');
	}
	const [first = ''] = paths;
	const filePath = path.resolve(workingDirectory, first);
	if (paths.length === 1 && isStore(filePath)) {
		return openFleet({ filePath, name: first }, parsed, context);
	}
	const port = portOf(parsed);
	const other = parsed.value('compare');
	const sources = parsed.value('sources')?.split(path.delimiter) ?? [];
	const isFollowed = parsed.isSet('follow');
	const named = other === undefined ? [paths] : [paths, [other]];
	const options: EvidenceOptions = { processId: positiveInteger(parsed, 'pid') ?? null, details: 'all' };
	const javaSources = sources.length === 0 ? null : await openSources(sources.map((name) => path.resolve(workingDirectory, name)));
	const gather = async (sides: readonly Evidence[], revision: number, follows: boolean): Promise<GatheredPage> =>
		gatherPage(
			{
				sides,
				sources: javaSources,
				...(sides.length < 2 ? {} : { parts: (parts, gathered) => comparison(sides, parts, gathered, context) }),
			},
			SERVED_LIMITS,
			{ isServed: true, isFollowed: follows, revision },
			context.progress,
		);
	const open = async (files: readonly (readonly LogFile[])[], revision: number, follows: boolean): Promise<OpenedPage> => {
		const evidence = await Promise.all(files.map((one) => openEvidence(one, options)));
		try {
			return { page: await gather(evidence, revision, follows), evidence };
		} catch (error) {
			for (const one of evidence) {
				one.close();
			}
			throw error;
		}
	};
	const gatherNamed = async (): Promise<GatheredPage> => {
		const sides: Evidence[] = [];
		for (const side of named) {
			sides.push(await openNamed(context, side, options));
		}
		return gather(sides, 1, isFollowed);
	};
	const page = await (isFollowed ? untilReadable(gatherNamed, io) : gatherNamed());
	// What the command named is closed when it ends.
	const live = new LivePage(pageShell(), { page, evidence: [] });
	const follow = (): void => {
		const files = named.map((side) => context.files(side));
		live.follow(
			files.flat().map(({ filePath }) => filePath),
			(revision) => open(files, revision, true),
		);
	};
	if (isFollowed) {
		follow();
	}
	const dropped = new DroppedFiles();
	let shown: readonly LogFile[] = [];
	context.atEnd(() => dropped.remove());
	const server = await listen(live, port, async (name, body, isLast) => {
		await dropped.add(name, body);
		if (isLast) {
			const files = dropped.take();
			live.unfollow();
			try {
				await live.replace((revision) => open([files], revision, false));
			} catch (error) {
				dropped.forget(files);
				if (isFollowed && shown.length === 0) {
					follow();
				}
				throw error;
			}
			dropped.forget(shown);
			shown = files;
		}
	});
	try {
		context.tell(page.main.sides.flatMap(({ problems }) => problems));
		await showUntilInterrupted(server, parsed, context);
	} finally {
		live.unfollow();
		await server.close();
	}
	return EXIT.done;
}

const WAIT_MS = 500;

/** A recording that is followed may not have begun: waits for what can be read, as long as the command runs. */
async function untilReadable(make: () => Promise<GatheredPage>, io: CommandContext['io']): Promise<GatheredPage> {
	for (let isTold = false; ; isTold = true) {
		try {
			return await make();
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
			if (!isTold) {
				io.err(`assay open: waiting for something to show: ${visible(formatProblem(error.problem))}\n`);
			}
			await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
		}
	}
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
