/** `assay diff`: two experiments, with repeats if there are any: what changed, most expensive first. */
import path from 'node:path';
import { answerDiff, type DiffAnswer, type DiffSides } from '../answers/diff.js';
import { answerDiffStacks, type DiffStacksAnswer } from '../answers/diff-stacks.js';
import { UsageError } from '../model/problem.js';
import { writeComparison } from '../page/compare.js';
import { writePage } from '../page/file.js';
import type { DiffFilter } from '../profdiff/diff-filter.js';
import { FAIL_CONDITIONS, type FailCondition, parseFailCondition } from '../profdiff/findings.js';
import type { Evidence } from '../recording/evidence.js';
import { writeDiffMarkdown } from '../render/diff-markdown.js';
import { writeDiffStacks } from '../render/diff-stacks-text.js';
import { writeDiffText } from '../render/diff-text.js';
import { visible } from '../render/visible.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { openNamed } from './open-named.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';

const DECISIONS = ['inlined', 'direct', 'indirect', 'devirtualized', 'deleted', 'optimization', 'compilation'];

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'repeat-a', value: 'PATH', isMultiple: true, isFile: true, help: 'another run of A; may be given several times' },
	{ name: 'repeat-b', value: 'PATH', isMultiple: true, isFile: true, help: 'another run of B' },
	{ name: 'profile-a', value: 'FILE', isFile: true, help: 'the profile of A, when it does not lie in its folder' },
	{ name: 'profile-b', value: 'FILE', isFile: true, help: 'the profile of B' },
	{ name: 'force', help: 'take profiles that do not belong to their logs' },
	{ name: 'method', value: 'PATTERN', help: 'only methods with this in their name; * is any text' },
	{ name: 'compilation', value: 'ID', help: 'only the method of this compilation, c12 or 12' },
	{
		name: 'decision',
		value: 'KIND',
		choices: DECISIONS,
		help: 'only calls that were or became inlined, direct,\nindirect, devirtualized or deleted; or optimization',
	},
	{ name: 'phase', value: 'NAME', help: 'only optimizations of phases with this in their name' },
	{ name: 'show-noise', help: 'show also what varies within a side' },
	{ name: 'even-if-chance', help: 'list what tells the sides apart also where other splits\nof the runs differ as much; it fails no --fail-on' },
	{ name: 'consequences', help: 'show also what came along with an enclosing call' },
	{ name: 'methods', value: 'N', help: 'compare only the N most expensive methods of each run' },
	{ name: 'all', help: 'compare also methods without samples' },
	{
		name: 'fail-on',
		value: 'WHAT[:PERCENT]',
		isMultiple: true,
		choices: FAIL_CONDITIONS,
		help: `exit 1 when there is such a change, with at least that\nshare of the samples behind it: ${wrapWords(FAIL_CONDITIONS)}`,
	},
	{ name: 'runs', value: 'N', help: 'with programs: record each side so many times, in turns\n(3)' },
	{ name: 'no-confirm', help: 'end after these runs also where so few of them differ' },
	{ name: 'a-jdk', value: 'HOME', isFile: true, help: 'of side A: take HOME/bin/java for java' },
	{ name: 'b-jdk', value: 'HOME', isFile: true, help: 'the same of side B' },
	{ name: 'a-flags', value: 'FLAGS', help: 'of side A: flags of the JVM, in one word' },
	{ name: 'b-flags', value: 'FLAGS', help: 'the same of side B' },
	{ name: 'keep', value: 'DIR', isFile: true, help: 'the folder of the recordings (assay-diff- and the time)' },
	{ name: 'store', value: 'STORE', isFile: true, help: 'compare runs of a store that assay collect filled' },
	{ name: 'a', value: 'LABEL=VALUE', isMultiple: true, help: 'of --store: the runs of A' },
	{ name: 'b', value: 'LABEL=VALUE', isMultiple: true, help: 'of --store: the runs of B' },
	{ name: 'output', short: 'o', value: 'FILE', isFile: true, help: 'write a page for the browser: one file, all in it' },
	{ name: 'markdown', help: 'print a comment for a pull request' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const diffCommand: CommandDescription = {
	name: 'diff',
	usage: [
		'A B [options]',
		'[options] -- COMMAND A -- COMMAND B',
		'[options] --a-flags=… --b-jdk=… -- COMMAND',
		'--store STORE --a LABEL=VALUE --b LABEL=VALUE [options]',
	],
	about: `Compares two runs of a program, or two builds of an image: which calls were
inlined on one side and not on the other, which optimizations came and went,
most expensive first. A and B are folders; the optimization log and the profile
in them are found by what they hold. Of two profiles that have stacks and no
log (collapsed, async-profiler's .jfr, pprof, ...), the shares of methods are
compared.

Just-in-time compilers are not deterministic. With repeats, all ways to split
the runs into two sides are compared: where others differ as much as the true
one, the first line says so and nothing is called changed. 3 runs a side are the
least: 10 ways, so that chance alone is called changed at most once in ten.

With programs, both sides are recorded as assay record does, in turns: A B, B A,
A B. 3 runs a side tell that nothing differs; where something may, 5 a side are
recorded, of which chance alone is called changed at most once in a hundred.

With --store the sides are runs of a store, by their labels: which calls are
inlined in another part of the runs, with a false discovery rate
(docs/store.md).`,
	options: OPTIONS,
	examples: ['assay diff examples/a examples/b'],
	takesCommand: true,
	exitStatus: `0 compared, 1 a --fail-on condition holds, 2 wrong use,
             3 unusable input`,
	completes: 'files',
	tools: [
		{
			name: 'diff',
			question:
				'Which decisions of the compiler changed between two runs or builds, most expensive first. With three runs a side (repeat_a, repeat_b) changes are told from noise; without them the noise is unknown, and the answer says so.',
			inputs: [
				{ name: 'a', kind: 'path', help: 'the first recording' },
				{ name: 'b', kind: 'path', help: 'the second recording' },
			],
			leavesOut: ['changes[].phases'],
			first: ['changes', 'shifts', 'findings', 'causes', 'changes[].where'],
			options: ['repeat-a', 'repeat-b', 'profile-a', 'profile-b', 'method', 'compilation', 'decision', 'phase', 'even-if-chance', 'methods', 'all', 'fail-on'],
		},
	],
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const conditions = parsed.values('fail-on').map(failCondition);
	const filter = readFilter(parsed);
	if (parsed.isSet('store')) {
		return (await import('./diff-store.js')).diffStore(parsed, filter, conditions, context);
	}
	const output = parsed.value('output');
	if (output !== undefined && (context.wantsJson || parsed.isSet('markdown'))) {
		throw new UsageError('-o does not go with --json or --markdown');
	}
	const names: SideNames = parsed.command === null ? namedSides(parsed) : await recordedSides(parsed, context);
	const sides = await openSides(names, output === undefined ? 'threads' : 'all', context);
	const ofStacks = await answerDiffStacks(sides.a[0]!, sides.b[0]!, filter.method);
	if (ofStacks !== null) {
		return writeStacks(ofStacks, parsed, context);
	}
	const answer = await answerDiff(sides, {
		workingDirectory: context.workingDirectory,
		profileA: parsed.value('profile-a'),
		profileB: parsed.value('profile-b'),
		force: parsed.isSet('force'),
		filter,
		conditions,
		all: parsed.isSet('all'),
		maxMethods: positiveInteger(parsed, 'methods') ?? null,
		evenIfChance: parsed.isSet('even-if-chance'),
		level: names.level,
		progress: context.progress,
	});
	const { report, problems } = answer;
	if (output !== undefined) {
		await writeDiffPage(output, answer, sides, context);
	} else if (context.wantsJson) {
		context.json(answer.result(), problems);
	} else {
		const { writer, terminal } = context;
		context.tell(problems);
		if (parsed.isSet('markdown')) {
			writeDiffMarkdown(writer, report);
		} else {
			writeDiffText(writer, report, terminal, { showNoise: parsed.isSet('show-noise'), showConsequences: parsed.isSet('consequences') });
		}
	}
	return report.failed ? EXIT.no : EXIT.done;
}

/** Profiles without compilations tell nothing of decisions. */
function writeStacks(answer: DiffStacksAnswer, parsed: ParsedOptions, context: CommandContext): number {
	const ofDecisions = OPTIONS.map(({ name }) => name).find(
		(name) => !['method', 'json', 'help'].includes(name) && (parsed.isSet(name) || parsed.values(name).length > 0),
	);
	if (ofDecisions !== undefined) {
		throw new UsageError(`--${ofDecisions} is of decisions of compilers; ${answer.a.name} and ${answer.b.name} hold samples or stacks alone`);
	}
	if (context.wantsJson) {
		context.json(answer.result(), answer.problems);
	} else {
		context.tell(answer.problems);
		writeDiffStacks(context.writer, answer, context.terminal);
	}
	return EXIT.done;
}

async function writeDiffPage(output: string, answer: DiffAnswer, { a, b }: DiffSides, context: CommandContext): Promise<void> {
	await writePage(
		{ filePath: path.resolve(context.workingDirectory, output), name: output },
		{ sides: [...a.slice(0, 1), ...b.slice(0, 1)], sources: null, parts: (parts, gathered) => writeComparison(answer, parts, gathered) },
		context.progress,
	);
	context.tell(answer.problems);
	context.io.out(`${visible(output)}: open it in a browser\n`);
}

/** Runs of both sides, the first one first. */
interface SideNames {
	readonly a: readonly string[];
	readonly b: readonly string[];
	/** How rare a rank has to be; left out: as for recordings that are given. */
	readonly level?: number;
}

const OF_PROGRAMS = ['runs', 'no-confirm', 'a-jdk', 'b-jdk', 'a-flags', 'b-flags', 'keep'];

function namedSides(parsed: ParsedOptions): SideNames {
	const [nameA, nameB, ...rest] = parsed.positionals;
	const ofPrograms = OF_PROGRAMS.find((name) => parsed.isSet(name));
	if (ofPrograms !== undefined) {
		throw new UsageError(`--${ofPrograms} is of programs that are recorded: they stand after --`);
	}
	if (nameA === undefined || nameB === undefined || rest.length > 0) {
		throw new UsageError(`two experiments are expected, ${parsed.positionals.length} given`);
	}
	return { a: [nameA, ...parsed.values('repeat-a')], b: [nameB, ...parsed.values('repeat-b')] };
}

async function openSides(names: SideNames, details: 'threads' | 'all', context: CommandContext): Promise<DiffSides> {
	const openSide = async (runs: readonly string[]): Promise<Evidence[]> => {
		const side: Evidence[] = [];
		for (const [i, name] of runs.entries()) {
			context.progress.report(`reading ${name}`);
			// Only the first of a side is on the page, and compared by threads.
			const evidence = await openNamed(context, [name], { details: i === 0 ? details : 'none' });
			side.push(evidence);
		}
		return side;
	};
	return { a: await openSide(names.a), b: await openSide(names.b) };
}

async function recordedSides(parsed: ParsedOptions, context: CommandContext): Promise<SideNames> {
	const ofRecordings = ['repeat-a', 'repeat-b', 'profile-a', 'profile-b'].find((name) => parsed.isSet(name));
	if (ofRecordings !== undefined || parsed.positionals.length > 0) {
		throw new UsageError(`${ofRecordings === undefined ? `"${parsed.positionals[0]}"` : `--${ofRecordings}`} and programs after -- do not go together`);
	}
	const { recordPrograms } = await import('./diff-programs.js');
	return recordPrograms(parsed, context);
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
