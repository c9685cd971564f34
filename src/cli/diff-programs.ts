/** `assay diff -- COMMAND A -- COMMAND B`: records both sides in turns, then they are compared as recordings are. */
import path from 'node:path';
import { answerDiff, DEFAULT_DIFF_REQUEST } from '../answers/diff.js';
import { type RecordedSides, recordSides, type SideName } from '../answers/record-sides.js';
import { UsageError } from '../model/problem.js';
import { type Evidence, openEvidence } from '../recording/evidence.js';
import { visible } from '../render/visible.js';
import type { CommandContext } from './command.js';
import { type ParsedOptions, positiveInteger } from './options.js';
import { makeRunsFolder, type RunnableSide, recordRun, splitFlags } from './recorded-runs.js';

const ENDS: Readonly<Record<RecordedSides['end'], string>> = {
	early: ': it is clear',
	confirmed: ': the first ones may differ, the others were added to be sure',
	'as asked': '',
};
const DEFAULT_RUNS = 3;
const MOST_RUNS = 15;

/** The folders of the runs of both sides. */
export async function recordPrograms(parsed: ParsedOptions, context: CommandContext): Promise<RecordedSides> {
	const runs = positiveInteger(parsed, 'runs') ?? DEFAULT_RUNS;
	if (runs > MOST_RUNS) {
		throw new UsageError(`--runs takes at most ${MOST_RUNS}`);
	}
	const sides = sidesOf(parsed);
	const { io, progress, workingDirectory } = context;
	const folder = makeRunsFolder(parsed.value('keep'), 'diff', workingDirectory);
	const say = (line: string): void => io.err(`assay diff: ${visible(line)}\n`);
	const recorded = await recordSides({
		runs,
		confirm: !parsed.isSet('no-confirm'),
		record: async (side, run) => {
			const output = path.join(folder, `${side}${run}`);
			progress.report(run > runs ? `recording ${output}: the sides may differ, more runs tell` : `recording ${output} of ${runs} + ${runs} runs`);
			const status = await recordRun(sides[side], { output, workingDirectory });
			if (status !== 0) {
				progress.end();
				say(`${output}: the program ended with status ${status}`);
			}
			return output;
		},
		test: async (a, b) => {
			progress.report(`comparing ${a.length} + ${b.length} runs`);
			return testRuns(a, b, workingDirectory);
		},
	});
	progress.end();
	say(`${folder}: ${recorded.a.length} + ${recorded.b.length} runs, recorded in turns${ENDS[recorded.end]}`);
	say(certainty(recorded));
	return recorded;
}

async function testRuns(a: readonly string[], b: readonly string[], workingDirectory: string): ReturnType<Parameters<typeof recordSides>[0]['test']> {
	const opened: Evidence[] = [];
	const open = async (names: readonly string[]): Promise<Evidence[]> => {
		const side: Evidence[] = [];
		for (const name of names) {
			const evidence = await openEvidence([{ filePath: path.resolve(workingDirectory, name), name }]);
			opened.push(evidence);
			side.push(evidence);
		}
		return side;
	};
	try {
		const { report } = await answerDiff({ a: await open(a), b: await open(b) }, { ...DEFAULT_DIFF_REQUEST, workingDirectory });
		return report.comparison.noiseTest;
	} finally {
		for (const evidence of opened) {
			evidence.close();
		}
	}
}

function certainty({ falseAlarms }: RecordedSides): string {
	return falseAlarms === null
		? 'noise cannot be told from change: --runs 3 is the least'
		: `equal sides would be called changed in at most ${(100 * falseAlarms).toFixed(falseAlarms < 0.1 ? 1 : 0)} % of such comparisons`;
}

function sidesOf(parsed: ParsedOptions): Readonly<Record<SideName, RunnableSide>> {
	const words = parsed.command ?? [];
	const between = words.indexOf('--');
	const [a, b] = between < 0 ? [words, words] : [words.slice(0, between), words.slice(between + 1)];
	if (a.length === 0 || b.length === 0) {
		throw new UsageError('a program is expected after each --: assay diff -- java … -- java …');
	}
	if (between < 0 && !['a-jdk', 'b-jdk', 'a-flags', 'b-flags'].some((name) => parsed.isSet(name))) {
		throw new UsageError('two programs are expected, each after a --, or what differs: --a-jdk, --b-jdk, --a-flags or --b-flags');
	}
	const side = (name: SideName, command: readonly string[]): RunnableSide => ({
		command,
		jdkHome: parsed.value(`${name}-jdk`) ?? null,
		flags: splitFlags(parsed.value(`${name}-flags`) ?? ''),
	});
	return { a: side('a', a), b: side('b', b) };
}
