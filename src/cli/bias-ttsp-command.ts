/** `assay bias --ttsp`: how long threads take to stop at safepoints, and which loop they wait for. */
import { answerTimeToSafepoint } from '../answers/time-to-safepoint.js';
import { UsageError } from '../model/problem.js';
import { writeTtspText } from '../render/ttsp-text.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { RECORDING_INPUT } from './command-tool.js';
import { openNamed } from './open-named.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'ttsp', help: 'time to safepoint: who delays safepoints' },
	{ name: 'slow', value: 'MS', help: 'look for the cause where it took so long (10)' },
	{ name: 'top', value: 'N', help: 'slow safepoints and causes shown (10)' },
	{ name: 'pid', value: 'PID', help: "the JVM's process (default: that of the log)" },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const biasTtspCommand: CommandDescription = {
	name: 'bias --ttsp',
	usage: ['RECORDING... [options]'],
	about: `Shows how long the threads of a JVM took to stop at its safepoints (time to
safepoint, TTSP), and for the slow ones who made the others wait: the thread,
the loop (method, line, address), why it has no poll, what to do and what that
costs. A safepoint that was begun and never reached comes first. RECORDING is a
folder or files: the log of safepoints (-Xlog:safepoint*=info,safepoint=debug,
vmthread=debug:file=safepoint.log:uptimenanos,timenanos,tags), samples (perf
script with comm and tid) and the JVM's log with its code. Without samples late
threads (-XX:+SafepointTimeout) and printed loops without a poll are named.
docs/bias.md tells how.`,
	options: OPTIONS,
	examples: ['assay bias --ttsp run1'],
	examplesTitle: "example, on a recording that 'assay record' left in the folder run1:",
	exitStatus: '0 reported, 2 wrong use, 3 unusable input',
	completes: 'files',
	tools: [
		{
			name: 'safepoints',
			question: 'How long threads took to stop at safepoints, and who delayed the slow ones: thread, loop, why it has no poll, what to do.',
			inputs: [RECORDING_INPUT],
			first: ['causes', 'safepoints'],
			options: ['slow', 'pid'],
			always: ['--ttsp'],
		},
	],
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const paths = parsed.positionals;
	if (paths.length === 0) {
		throw new UsageError('a recording is expected: a folder, or the log of safepoints, samples and the log of the JVM');
	}
	const slowMs = parsed.value('slow') ?? '10';
	if (!/^\d{0,9}\.?\d{1,9}$/.test(slowMs)) {
		throw new UsageError(`--slow takes milliseconds, not "${slowMs}"`);
	}
	const slowNs = Number(slowMs) * 1e6;
	const top = positiveInteger(parsed, 'top') ?? 10;
	const processId = positiveInteger(parsed, 'pid') ?? null;
	context.progress.report(`reading ${paths.join(', ')}`);
	const evidence = await openNamed(context, paths, { processId, details: 'threads' });
	const answer = await answerTimeToSafepoint(evidence, { slowNs, processId });
	if (context.wantsJson) {
		context.json(answer.result(), answer.problems);
		return EXIT.done;
	}
	context.tell(answer.problems);
	writeTtspText(context.writer, { ...answer, title: paths.join(', '), top, otherTimeouts: answer.recording.safepoints?.timeouts ?? [] }, context.terminal);
	return EXIT.done;
}
