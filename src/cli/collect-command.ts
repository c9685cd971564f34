/** `assay collect`: the facts of recordings as files of a store. */
import path from 'node:path';
import type { CollectResult } from '../answers/results.js';
import { InputError, type Problem, UsageError } from '../model/problem.js';
import { writeCollectText } from '../render/store-text.js';
import { type CollectedRun, collectRecording } from '../store/collect.js';
import { environmentLabels, mergedLabels, parseLabels } from '../store/labels.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'into', value: 'STORE', isFile: true, help: 'the folder; made where it is not there' },
	{
		name: 'label',
		value: 'NAME=VALUE',
		isMultiple: true,
		help: 'a label of the runs, such as service, build, host, cpu;\nbefore those of ASSAY_LABELS and of CI',
	},
	{ name: 'pid', value: 'PID', help: 'the JVM, where the files are of several; without it\neach is a run' },
	{ name: 'json', help: 'print JSON' },
	{ name: 'help', help: 'print this' },
];

export const collectCommand: CommandDescription = {
	name: 'collect',
	usage: ['RECORDING... --into STORE [--label NAME=VALUE...] [options]'],
	about: `Writes what is known of runs into a store: a folder of Parquet files, one a table
and a run, for assay query and any engine that reads Parquet. Each RECORDING, a
folder, an archive or a file, is a run of its own. A run is called by a hash of
its evidence: to collect it again changes nothing. Many machines may collect
into one shared folder at once. docs/store.md explains the tables.

Labels say what a run is of. They are taken from --label, from the variable
ASSAY_LABELS ("service=shop build=1.4"), and from the variables of GitHub
Actions, GitLab CI, Buildkite and Jenkins (service, build, host).`,
	options: OPTIONS,
	examples: ['assay collect examples/a examples/hot --into /tmp/store --label build=1.4'],
	exitStatus: '0 collected, 1 some recordings could not be collected, 2 wrong use, 3 none could',
	completes: 'files',
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const into = parsed.value('into');
	if (into === undefined) {
		throw new UsageError('--into STORE is missing: the folder that keeps the facts');
	}
	if (parsed.positionals.length === 0) {
		throw new UsageError('a recording is expected: a folder or a file');
	}
	const labels = mergedLabels(environmentLabels(process.env), parseLabels(parsed.values('label'), '--label'));
	const store = { filePath: path.resolve(context.workingDirectory, into), name: into };
	const request = { store, labels, processId: positiveInteger(parsed, 'pid') ?? null, onProgress: context.progress.report };
	const runs: CollectedRun[] = [];
	const failures: Problem[] = [];
	for (const recording of context.files(parsed.positionals)) {
		try {
			runs.push(...(await collectRecording(recording, request)));
		} catch (error) {
			if (!(error instanceof InputError)) {
				throw error;
			}
			failures.push(error.problem);
		}
	}
	const [first] = failures;
	if (runs.length === 0 && failures.length === 1 && first !== undefined) {
		throw new InputError(first);
	}
	const problems = [...runs.flatMap((one) => one.problems), ...failures];
	const result: CollectResult = { store: into, runs: runs.map(({ problems: _, ...row }) => ({ ...row, rows: row.rows as Record<string, number> })) };
	if (context.wantsJson) {
		context.json(result, problems);
	} else {
		writeCollectText(context.writer, result, context.terminal);
	}
	context.tell(problems);
	return failures.length === 0 ? EXIT.done : runs.length === 0 ? EXIT.unusableInput : EXIT.no;
}
