/** `assay bisect`: the first commit, JDK or value of a flag at which a fact holds. */
import fs from 'node:fs';
import path from 'node:path';
import { answerBisect, type BisectAnswer, type Revision } from '../answers/bisect/bisect.js';
import type { Observation } from '../answers/bisect/judge.js';
import { neighboursRow } from '../answers/bisect/neighbours.js';
import { ORACLE_FORMS, type Oracle, observe, parseOracle, recordOptionsFor } from '../answers/bisect/oracle.js';
import { answerDiff, DEFAULT_DIFF_REQUEST } from '../answers/diff.js';
import type { DiffReport } from '../answers/diff-report.js';
import { measureFaults } from '../answers/order/measure.js';
import { InputError, UsageError } from '../model/problem.js';
import { shellWord } from '../model/shell-word.js';
import { type Evidence, openEvidence } from '../recording/evidence.js';
import { bisectStepText, writeBisectText } from '../render/bisect-text.js';
import { writeDiffText } from '../render/diff-text.js';
import { visible } from '../render/visible.js';
import type { Revisions } from './bisect/revisions.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';
import { makeRunsFolder, recordRun, splitFlags } from './recorded-runs.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'when', value: 'FACT', help: 'what makes a revision bad, see above' },
	{ name: 'good', value: 'REV', help: 'a commit of which it does not hold' },
	{ name: 'bad', value: 'REV', help: 'a later one of which it does' },
	{ name: 'build', value: 'CMD', help: 'builds a commit, by sh in its folder; one that cannot\nbe built is skipped' },
	{ name: 'jdks', value: 'DIR', isMultiple: true, isFile: true, help: 'JDKs, or folders of them, from good to bad' },
	{ name: 'flag', value: 'FLAG', help: 'a flag of the JVM, with % for its value' },
	{ name: 'values', value: 'LIST', help: 'its values from good to bad: 15..1 or a,b,c' },
	{ name: 'run', value: 'CMD', help: 'the program, in one word; or as words after --' },
	{ name: 'repeats', value: 'N', help: 'runs that have to agree (2); where they do not, more\nare made' },
	{ name: 'keep', value: 'DIR', isFile: true, help: 'the folder of the recordings (assay-bisect- and the\ntime)' },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const bisectCommand: CommandDescription = {
	name: 'bisect',
	usage: [
		'--good REV --bad REV [--build CMD] --when FACT -- COMMAND...',
		'--jdks DIR... --when FACT -- COMMAND...',
		'--flag=FLAG --values LIST --when FACT -- COMMAND...',
	],
	about: `Finds the first of many commits, JDKs or values of a flag at which a fact holds,
as git bisect does: the middle one is built, recorded and asked. Commits are
built in a work tree of their own, first parents only. Ends with the revision,
how sure that is, and the differences to the one before. FACT is one of

  inlined:CALLEE[@CALLER]      in the last code of the top tier; not-inlined:…
  finding:KIND[@METHOD]        a finding of assay report, by its kind in --json
  share:METHOD>PERCENT         of the samples, with its whole 95 % interval
  storm[:METHOD]               deoptimizations that follow each other
  memory[:METHOD]>SIZE         of a compilation in its compiler: 64M
  pages>N                      page faults of a native program in its own code

It is a fact, not a time. Runs have to agree; a revision of which they do not,
that has not the evidence or cannot be built is skipped.`,
	options: OPTIONS,
	examples: [
		'assay bisect --good v1.0 --bad HEAD --build "mvn -q package" \\\n    --when not-inlined:Fee.of@Ledger.settle -- java -cp target/classes Main',
		'assay bisect --jdks jdk-17 jdk-25 --when storm -- java Main',
	],
	examplesTitle: 'examples:',
	exitStatus: `0 found, 1 not found: the first is not good or the last is not bad,
             2 wrong use, 3 unusable input`,
	takesCommand: true,
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const oracle = oracleOf(parsed);
	const command = parsed.command ?? splitFlags(parsed.value('run') ?? '');
	if (command.length === 0) {
		throw new UsageError('a program is expected after --, or in --run');
	}
	const agreeing = positiveInteger(parsed, 'repeats') ?? 2;
	const { workingDirectory, progress, io } = context;
	const keep = makeRunsFolder(parsed.value('keep'), 'bisect', workingDirectory);
	const revisions = await revisionsOf(parsed, path.resolve(workingDirectory, keep, 'tree'), context);
	const runs = new Runs(oracle, revisions, command, keep, context);
	try {
		const answer = await answerBisect({
			revisions: revisions.all,
			when: parsed.value('when') ?? '',
			agreeing,
			build: (revision) => {
				progress.report(`building ${revision.name}`);
				return revisions.build(revision);
			},
			run: (revision, number) => runs.run(revision, number),
			onStep: (step) => {
				progress.end();
				io.err(`assay bisect: ${bisectStepText(step)}\n`);
			},
		});
		await print(answer, runs, context);
		return answer.found === null ? EXIT.no : EXIT.done;
	} finally {
		progress.end();
		await revisions.close();
	}
}

async function print(answer: BisectAnswer, runs: Runs, context: CommandContext): Promise<void> {
	const { found } = answer;
	const sides = found === null ? null : { a: runs.of(found.lastGood), b: runs.of(found.firstBad) };
	const isCompared = sides !== null && sides.a.length > 0 && sides.b.length > 0;
	const command = isCompared ? diffWords(sides.a, sides.b) : null;
	if (!context.wantsJson) {
		writeBisectText(context.writer, answer, command);
	}
	const opened: Evidence[] = [];
	try {
		const report = isCompared ? await compareNeighbours(sides, opened, context) : null;
		if (context.wantsJson) {
			context.json(answer.result(report === null || command === null || sides === null ? null : neighboursRow(report, command, sides.a, sides.b)), []);
		} else if (report !== null) {
			context.writer.line(0, '');
			writeDiffText(context.writer, report, context.terminal, { showNoise: false, showConsequences: false });
		}
	} finally {
		for (const evidence of opened) {
			evidence.close();
		}
	}
}

interface Neighbours {
	readonly a: readonly string[];
	readonly b: readonly string[];
}

/** `opened` takes what has to be closed. null: their recordings do not tell decisions. */
async function compareNeighbours(sides: Neighbours, opened: Evidence[], { workingDirectory, io }: CommandContext): Promise<DiffReport | null> {
	const open = async (names: readonly string[]): Promise<Evidence[]> => {
		const side: Evidence[] = [];
		for (const name of names) {
			const evidence = await openEvidence([{ filePath: path.resolve(workingDirectory, name), name }], { details: 'threads' });
			opened.push(evidence);
			side.push(evidence);
		}
		return side;
	};
	try {
		const { report } = await answerDiff({ a: await open(sides.a), b: await open(sides.b) }, { ...DEFAULT_DIFF_REQUEST, workingDirectory });
		return report;
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		io.err(`assay bisect: the neighbours cannot be compared: ${visible(error.problem.message)}\n`);
		return null;
	}
}

/** `assay diff a1 b1 --repeat-a a2 …` */
function diffWords([a = '', ...repeatsA]: readonly string[], [b = '', ...repeatsB]: readonly string[]): string {
	const words = ['assay', 'diff', a, b, ...repeatsA.flatMap((name) => ['--repeat-a', name]), ...repeatsB.flatMap((name) => ['--repeat-b', name])];
	return visible(words.map(shellWord).join(' '));
}

/** The recorded runs of each revision. */
class Runs {
	private readonly oracle: Oracle;
	private readonly revisions: Revisions;
	private readonly command: readonly string[];
	private readonly keep: string;
	private readonly context: CommandContext;
	private readonly recorded = new Map<Revision, string[]>();

	constructor(oracle: Oracle, revisions: Revisions, command: readonly string[], keep: string, context: CommandContext) {
		this.oracle = oracle;
		this.revisions = revisions;
		this.command = command;
		this.keep = keep;
		this.context = context;
	}

	/** Folders, as the user may name them. */
	of(revision: Revision): readonly string[] {
		return this.recorded.get(revision) ?? [];
	}

	async run(revision: Revision, number: number): Promise<Observation> {
		const { oracle, revisions, context } = this;
		context.progress.report(`running ${revision.name}, run ${number}`);
		if (oracle.kind === 'pages') {
			return this.measure(oracle.pages);
		}
		const position = revisions.all.indexOf(revision);
		const output = path.join(this.keep, `${position}-${number}`);
		// A revision that is not recorded is skipped, not the end.
		try {
			const place = { output, workingDirectory: context.workingDirectory, programFolder: revisions.folder, options: recordOptionsFor(oracle) };
			const status = await recordRun(revisions.runnable(revision, this.command), place);
			if (status !== 0) {
				return { holds: null, seen: `the program ended with status ${status}` };
			}
		} catch (error) {
			if (error instanceof InputError) {
				return { holds: null, seen: error.problem.message };
			}
			throw error;
		}
		this.recorded.set(revision, [...this.of(revision), output]);
		const evidence = await openEvidence([{ filePath: path.resolve(context.workingDirectory, output), name: output }], { details: 'threads' });
		try {
			return await observe(oracle, evidence);
		} finally {
			evidence.close();
		}
	}

	private async measure(pages: number): Promise<Observation> {
		const { command, revisions, context } = this;
		try {
			const request = { command, program: null, inputFile: null, runs: 1, withCold: false, workingDirectory: revisions.folder, progress: context.progress };
			const { runs, hasFailed } = await measureFaults(request);
			const [first] = runs;
			return first === undefined || hasFailed
				? { holds: null, seen: 'the program did not end with status 0' }
				: { holds: first.textFaults > pages, seen: `${first.textFaults} page faults in its code` };
		} catch (error) {
			if (error instanceof InputError) {
				return { holds: null, seen: error.problem.message };
			}
			throw error;
		}
	}
}

function oracleOf(parsed: ParsedOptions): Oracle {
	const text = parsed.value('when');
	const oracle = text === undefined ? null : parseOracle(text);
	if (oracle === null) {
		throw new UsageError(text === undefined ? `--when is missing: ${ORACLE_FORMS}` : `--when takes ${ORACLE_FORMS}, not "${text}"`);
	}
	return oracle;
}

async function revisionsOf(parsed: ParsedOptions, tree: string, { workingDirectory }: CommandContext): Promise<Revisions> {
	const { commitRevisions, flagRevisions, jdkRevisions } = await import('./bisect/revisions.js');
	const [good, bad, flag, values] = ['good', 'bad', 'flag', 'values'].map((name) => parsed.value(name));
	const jdks = [...parsed.values('jdks'), ...(parsed.values('jdks').length > 0 ? parsed.positionals : [])];
	const ways = [good !== undefined || bad !== undefined, jdks.length > 0, flag !== undefined || values !== undefined];
	if (ways.filter(Boolean).length !== 1) {
		throw new UsageError('one of these is expected: --good and --bad, --jdks, or --flag and --values');
	}
	if (parsed.positionals.length > 0 && jdks.length === 0) {
		throw new UsageError(`"${parsed.positionals[0]}" is no option: the program stands after --`);
	}
	if (jdks.length > 0) {
		return jdkRevisions(jdks, workingDirectory);
	}
	if (flag !== undefined && values !== undefined) {
		return flagRevisions(flag, values, workingDirectory);
	}
	if (good === undefined || bad === undefined) {
		throw new UsageError(flag === undefined && values === undefined ? '--good and --bad are expected, both' : '--flag and --values are expected, both');
	}
	fs.mkdirSync(path.dirname(tree), { recursive: true });
	return commitRevisions(good, bad, parsed.value('build') ?? null, { repository: workingDirectory, tree });
}
