/** `assay report`: one experiment, where its time went and what the compiler did there. */

import { nameMatches } from '../model/name-pattern.js';
import { formatProblem, InputError, type Problem } from '../model/problem.js';
import { overview } from '../profdiff/overview.js';
import { beginEnvelope, endEnvelope } from '../report/envelope.js';
import { writeReportJson } from '../report/report-json.js';
import { type ReportView, writeReportText } from '../report/report-text.js';
import { createTerminal } from '../report/terminal.js';
import { TextWriter } from '../report/text-writer.js';
import { decidingFlags } from './deciding-flags.js';
import { runEvidence } from './evidence.js';
import type { CommandIo } from './io.js';
import { openExperiment } from './open-experiment.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions, positiveInteger, UsageError } from './options.js';
import { writeProblems } from './problems.js';
import { createProgress, type Progress } from './progress.js';
import { VERSION } from './version.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'profile', value: 'FILE', help: 'the profile, when it does not lie in the folder' },
	{ name: 'force', help: 'take a profile that does not belong to the log' },
	{ name: 'top', value: 'N', help: 'look into the N hottest compilations (default: 10)' },
	{ name: 'all', help: 'look into all compilations' },
	{ name: 'method', value: 'PATTERN', help: 'of these only methods with this in their name; * is any\ntext' },
	{ name: 'compilation', value: 'ID', help: 'of these only this compilation, c12 or 12' },
	{ name: 'decision', value: 'KIND', help: 'only calls that are inlined, direct, indirect,\ndevirtualized or deleted' },
	{ name: 'phase', value: 'NAME', help: 'only optimizations of phases with this in their name' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

const DECISIONS = ['inlined', 'direct', 'indirect', 'devirtualized', 'deleted'];
const DEFAULT_TOP = 10;

const REPORT_HELP = `usage: assay report EXPERIMENT [HANDLE] [options]

Shows where the time of a run went and what the compiler did there: the hottest
compilations on one screen, then for each the calls as a tree, with what became
of them and why, and the phases that optimized something. EXPERIMENT is a
folder; the optimization log of Graal and the profile in it, or the log of
HotSpot's compilers and samples (assay record), are found by what they hold.
HANDLE is that of a compilation, as printed (c12).

options:
${describeOptions(OPTIONS)}

example, on the recordings that come with assay:
  assay report examples/a

exit status: 0 reported, 2 wrong use, 3 unusable input
`;

export async function reportCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(REPORT_HELP);
		return 0;
	}
	const writer = new TextWriter((block) => io.out(block));
	const progress = createProgress(io);
	let view: ReportView;
	try {
		view = await createView(parsed, io, progress);
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		progress.end();
		if (parsed.isSet('json')) {
			endEnvelope(beginEnvelope(writer, VERSION, 'report'), writer, [error.problem]);
			writer.flush();
		}
		io.err(`assay report: ${formatProblem(error.problem)}\n`);
		return 3;
	}
	progress.end();
	if (parsed.isSet('json')) {
		const json = beginEnvelope(writer, VERSION, 'report');
		writeReportJson(json, view);
		endEnvelope(json, writer, view.problems);
	} else {
		writeProblems(view.problems, io);
		writeReportText(writer, view, createTerminal(io.isTerminal ? (io.columns ?? 80) : null, io.hasColour ?? false));
	}
	writer.flush();
	hintAtOthers(view, io);
	return 0;
}

async function createView(parsed: ParsedOptions, io: CommandIo, progress: Progress): Promise<ReportView> {
	const [name, handle, ...rest] = parsed.positionals;
	if (name === undefined || rest.length > 0) {
		throw new UsageError(`an experiment and at most one handle are expected, ${parsed.positionals.length} arguments given`);
	}
	if (handle !== undefined && !/^c\S/.test(handle)) {
		throw new UsageError(`"${handle}" is no handle of a compilation (c12); assay diff compares two experiments`);
	}
	const decision = parsed.value('decision');
	if (decision !== undefined && !DECISIONS.includes(decision)) {
		throw new UsageError(`--decision takes one of ${DECISIONS.join(', ')}, not "${decision}"`);
	}
	const method = parsed.value('method');
	const compilation = parsed.value('compilation')?.replace(/^c(?=.)/, '');
	const single = handle?.slice(1);
	progress.report(`reading ${name}`);
	const opened = await openExperiment(1, name, { workingDirectory: io.workingDirectory, profile: parsed.value('profile'), force: parsed.isSet('force') });
	const result = await overview(opened.experiment, {
		limit: parsed.isSet('all') ? null : (positiveInteger(parsed, 'top') ?? DEFAULT_TOP),
		compileId: single,
		onProgress: (done, total) => progress.step(`reading ${done} of ${total} compilations`),
	});
	if (single !== undefined && result.compilations.length + result.problems.length === 0) {
		throw new UsageError(`the log of ${name} has no compilation ${handle}`);
	}
	const problems: Problem[] = [...opened.problems, ...result.problems];
	return {
		evidence: runEvidence(opened),
		overview: result,
		problems,
		isSingle: single !== undefined,
		deciding: decidingFlags([opened]),
		filter: {
			isShownCompilation: ({ unit }) =>
				(method === undefined || nameMatches(method, unit.methodName)) && (compilation === undefined || unit.compileId === compilation),
			decision,
			phase: parsed.value('phase'),
		},
	};
}

/** A filter that leaves nothing: is there something outside the hottest compilations? */
function hintAtOthers({ overview: { compilations, otherCompilations }, filter }: ReportView, io: CommandIo): void {
	if (compilations.length > 0 && !compilations.some((compilation) => filter.isShownCompilation(compilation))) {
		const more = otherCompilations > 0 ? `; ${otherCompilations} others were not looked into (--all)` : '';
		io.err(`assay report: none of the ${compilations.length} compilations shown is meant${more}\n`);
	}
}
