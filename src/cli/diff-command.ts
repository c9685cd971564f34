/** `assay diff`: two experiments, with repeats if there are any: what changed, most expensive first. */

import { decidingFlags } from '../answers/deciding-flags.js';
import { methodFacets } from '../answers/diff-facets.js';
import { openExperiment } from '../answers/experiment.js';
import { GRAAL_PHASES } from '../answers/graal-phases.js';
import type { OpenedExperiment } from '../answers/opened-experiment.js';
import { runEvidence } from '../answers/run-evidence.js';
import { VERSION } from '../answers/version.js';
import { formatProblem, InputError, type Problem, UsageError } from '../model/problem.js';
import type { Progress } from '../model/progress.js';
import { type ComparedExperiments, writeComparison } from '../page/compare.js';
import { writePage } from '../page/file.js';
import { compareRuns } from '../profdiff/compare-runs.js';
import { MAX_RUNS_PER_SIDE } from '../profdiff/decisions.js';
import { changeMatches, type DiffFilter, methodMatches } from '../profdiff/diff-filter.js';
import { FAIL_CONDITIONS, type FailCondition, findFindings, parseFailCondition } from '../profdiff/findings.js';
import { DEFAULT_OPTIONS } from '../profdiff/options.js';
import { writeDiffJson } from '../render/diff-json.js';
import { writeDiffMarkdown } from '../render/diff-markdown.js';
import { writeDiffText } from '../render/diff-text.js';
import { changeHandles, type DiffReport, methodHandles } from '../render/diff-view.js';
import { beginEnvelope, endEnvelope } from '../render/envelope.js';
import { createTerminal } from '../render/terminal.js';
import { TextWriter } from '../render/text-writer.js';
import { runsNeeded } from '../statistics/exact-test.js';
import type { CommandIo } from './io.js';
import { describeOptions, type OptionSpec, type ParsedOptions, parseOptions, positiveInteger } from './options.js';
import { writeProblems } from './problems.js';
import { createProgress } from './progress.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'repeat-a', value: 'PATH', isMultiple: true, help: 'another run of A; may be given several times' },
	{ name: 'repeat-b', value: 'PATH', isMultiple: true, help: 'another run of B' },
	{ name: 'profile-a', value: 'FILE', help: 'the profile of A, when it does not lie in its folder' },
	{ name: 'profile-b', value: 'FILE', help: 'the profile of B' },
	{ name: 'force', help: 'take profiles that do not belong to their logs' },
	{ name: 'method', value: 'PATTERN', help: 'only methods with this in their name; * is any text' },
	{ name: 'compilation', value: 'ID', help: 'only the method of this compilation, c12 or 12' },
	{ name: 'decision', value: 'KIND', help: 'only calls that were or became inlined, direct,\nindirect, devirtualized or deleted; or optimization' },
	{ name: 'phase', value: 'NAME', help: 'only optimizations of phases with this in their name' },
	{ name: 'show-noise', help: 'show also what varies within a side' },
	{ name: 'consequences', help: 'show also what came along with an enclosing call' },
	{ name: 'methods', value: 'N', help: 'compare only the N most expensive methods of each run' },
	{ name: 'all', help: 'compare also methods without samples' },
	{
		name: 'fail-on',
		value: 'WHAT[:PERCENT]',
		isMultiple: true,
		help: `exit 1 when there is such a change, with at least that\nshare of the samples behind it: ${wrapWords(FAIL_CONDITIONS)}`,
	},
	{ name: 'output', short: 'o', value: 'FILE', help: 'write a page for the browser: one file, all in it' },
	{ name: 'markdown', help: 'print a comment for a pull request' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

const DECISIONS = ['inlined', 'direct', 'indirect', 'devirtualized', 'deleted', 'optimization', 'compilation'];

const DIFF_HELP = `usage: assay diff A B [options]

Compares two runs of a program, or two builds of an image: which calls were
inlined on one side and not on the other, which optimizations came and went,
most expensive first. A and B are folders; the optimization log and the profile
in them are found by what they hold.

Just-in-time compilers are not deterministic. With repeats, only what is in all
runs of one side and in none of the other counts as changed: 3 runs a side is
the least that chance cannot explain.

options:
${describeOptions(OPTIONS)}

example, on the recordings that come with assay:
  assay diff examples/a examples/b

exit status: 0 compared, 1 a --fail-on condition holds, 2 wrong use,
             3 unusable input
`;

export async function diffCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(DIFF_HELP);
		return 0;
	}
	const conditions = parsed.values('fail-on').map(failCondition);
	const filter = readFilter(parsed);
	const writer = new TextWriter((block) => io.out(block));
	const progress = createProgress(io);
	let report: DiffReport;
	let problems: readonly Problem[];
	try {
		const compared = await compare(parsed, conditions, filter, io, progress);
		({ report, problems } = compared);
		const output = parsed.value('output');
		if (output !== undefined) {
			return await writeDiffPage(output, parsed, compared, io, progress);
		}
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		progress.end();
		if (parsed.isSet('json')) {
			endEnvelope(beginEnvelope(writer, VERSION, 'diff'), writer, [error.problem]);
			writer.flush();
		}
		io.err(`assay diff: ${formatProblem(error.problem)}\n`);
		return 3;
	}
	progress.end();
	if (parsed.isSet('json')) {
		const json = beginEnvelope(writer, VERSION, 'diff');
		writeDiffJson(json, report);
		endEnvelope(json, writer, problems);
	} else {
		writeProblems(problems, io);
		if (parsed.isSet('markdown')) {
			writeDiffMarkdown(writer, report);
		} else {
			const terminal = createTerminal(io.isTerminal ? (io.columns ?? 80) : null, io.hasColour ?? false);
			writeDiffText(writer, report, terminal, { showNoise: parsed.isSet('show-noise'), showConsequences: parsed.isSet('consequences') });
		}
	}
	writer.flush();
	return report.failed ? 1 : 0;
}

async function writeDiffPage(output: string, parsed: ParsedOptions, compared: ComparedExperiments, io: CommandIo, progress: Progress): Promise<number> {
	if (parsed.isSet('json') || parsed.isSet('markdown')) {
		throw new UsageError('-o does not go with --json or --markdown');
	}
	const sides = parsed.positionals.map((name) => [name]);
	await writePage(output, { sides, parts: (parts, gathered) => writeComparison(compared, parts, gathered) }, io, progress);
	progress.end();
	writeProblems(compared.problems, io);
	io.out(`${output}: open it in a browser\n`);
	return compared.report.failed ? 1 : 0;
}

/** What `assay diff A B` compares, for those who show it otherwise. */
export function compareTwo(a: string, b: string, io: CommandIo, progress: Progress): Promise<ComparedExperiments> {
	const parsed = parseOptions([a, b], OPTIONS);
	return compare(parsed, [], readFilter(parsed), io, progress);
}

async function compare(
	parsed: ParsedOptions,
	conditions: readonly FailCondition[],
	filter: DiffFilter,
	io: CommandIo,
	progress: Progress,
): Promise<ComparedExperiments> {
	const [nameA, nameB, ...rest] = parsed.positionals;
	if (nameA === undefined || nameB === undefined || rest.length > 0) {
		throw new UsageError(`two experiments are expected, ${parsed.positionals.length} given`);
	}
	const open = (name: string, profile: string | undefined, number: 1 | 2): Promise<OpenedExperiment> => {
		progress.report(`reading ${name}`);
		return openExperiment(number, name, { workingDirectory: io.workingDirectory, profile, force: parsed.isSet('force') });
	};
	const openSide = async (first: string, profile: string | undefined, repeats: readonly string[], number: 1 | 2): Promise<OpenedExperiment[]> => {
		if (repeats.length >= MAX_RUNS_PER_SIDE) {
			throw new UsageError(`at most ${MAX_RUNS_PER_SIDE} runs of a side can be compared, ${repeats.length + 1} given`);
		}
		const opened = [await open(first, profile, number)];
		for (const repeat of repeats) {
			opened.push(await open(repeat, undefined, number));
		}
		return opened;
	};
	const a = await openSide(nameA, parsed.value('profile-a'), parsed.values('repeat-a'), 1);
	const b = await openSide(nameB, parsed.value('profile-b'), parsed.values('repeat-b'), 2);
	const comparison = await compareRuns(
		{ a: a.map((one) => one.experiment), b: b.map((one) => one.experiment) },
		{
			...DEFAULT_OPTIONS,
			phases: GRAAL_PHASES,
			all: parsed.isSet('all'),
			maxMethods: positiveInteger(parsed, 'methods') ?? null,
			onProgress: (done, total) => progress.step(`comparing ${done} of ${total} methods`),
		},
	);
	progress.report('reading what the compilations came to');
	const facets = await methodFacets(a[0]!, b[0]!, comparison.methods);
	const findings = findFindings(conditions, comparison.changes, comparison.methods);
	const shownMethods = new Set(comparison.methods.filter((method) => methodMatches(filter, method)).map((method) => method.name));
	const report: DiffReport = {
		comparison,
		runsA: a.map(runEvidence),
		runsB: b.map(runEvidence),
		runsNeeded: runsNeeded(),
		findings,
		failed: findings.length > 0,
		filter,
		deciding: decidingFlags([...a, ...b]),
		methodHandles: methodHandles(comparison.methods),
		facets,
		changeHandles: changeHandles(comparison.changes),
		isShownMethod: (method) => shownMethods.has(method.name),
		isShownChange: (change) => shownMethods.has(change.methodName) && changeMatches(filter, change),
	};
	return {
		report,
		first: { a: a[0]?.experiment ?? null, b: b[0]?.experiment ?? null },
		problems: [...[...a, ...b].flatMap((one) => one.problems), ...comparison.problems],
	};
}

function readFilter(parsed: ParsedOptions): DiffFilter {
	const decision = parsed.value('decision');
	if (decision !== undefined && !DECISIONS.includes(decision)) {
		throw new UsageError(`--decision takes one of ${DECISIONS.join(', ')}, not "${decision}"`);
	}
	return {
		method: parsed.value('method'),
		compilation: parsed.value('compilation')?.replace(/^c(?=\d)/, ''),
		decision,
		phase: parsed.value('phase'),
	};
}

function failCondition(text: string): FailCondition {
	const condition = parseFailCondition(text);
	if (condition === null) {
		throw new UsageError(`--fail-on takes ${FAIL_CONDITIONS.join(', ')}, each with a share in per cent if wanted (lost-inlining:0.5), not "${text}"`);
	}
	return condition;
}

function wrapWords(words: readonly string[]): string {
	const lines: string[] = [''];
	for (const word of words) {
		const last = lines[lines.length - 1]!;
		if (last.length + word.length > 22 && lines.length === 1) {
			lines.push(word);
		} else if (last.length + word.length > 52) {
			lines.push(word);
		} else {
			lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
		}
	}
	return lines.join('\n');
}
