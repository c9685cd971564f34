/** `assay record`: runs a program so that it leaves what the other commands read. */
import path from 'node:path';
import { VERSION } from '../answers/version.js';
import { UsageError } from '../model/problem.js';
import type { RecordingManifest } from '../model/recording-manifest.js';
import { shellWord } from '../model/shell-word.js';
import { recordProcess } from '../recording/record/attach.js';
import type { CodeFrom } from '../recording/record/jvm-flags.js';
import { MOST_STACK_BYTES } from '../recording/record/perf.js';
import { recordProcessByFlightRecorder } from '../recording/record/record-by-flight-recorder.js';
import { recordProgram } from '../recording/record/record-program.js';
import { DEFAULT_FREQUENCY_HZ, type RecordRequest } from '../recording/record/record-request.js';
import { visible } from '../render/visible.js';
import type { CommandContext, CommandDescription } from './command.js';
import type { CommandIo } from './io.js';
import { openMeanwhile } from './open-meanwhile.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';

export const RECORD_OPTIONS: readonly OptionSpec[] = [
	{ name: 'output', short: 'o', value: 'DIR', isFile: true, help: 'the folder of the recording (assay- and the time)' },
	{ name: 'force', help: 'record into a folder that holds something; a recording\nin it is removed' },
	{ name: 'jdk', value: 'HOME', isFile: true, help: 'take HOME/bin/java for java' },
	{ name: 'duration', value: 'SECONDS', help: 'end the program after this time: SIGTERM, SIGKILL 5 s\nlater; with --pid: how long to watch' },
	{ name: 'event', short: 'e', value: 'EVENT', help: 'what perf counts (cycles where the processor counts\nthem, else cpu-clock)' },
	{ name: 'freq', short: 'F', value: 'HZ', help: `samples per second of running (${DEFAULT_FREQUENCY_HZ})` },
	{ name: 'evidence', value: 'HOW', help: 'all (the default), or jfr: by Flight Recorder alone,\nwhere perf and the agent cannot go' },
	{ name: 'code', value: 'HOW', help: 'where generated code comes from: agent (an agent in the\nJVM, the default), print (the JVM prints it: slow), none' },
	{ name: 'memory', help: 'have the JVM tell what each compilation cost in memory\n(JDK 22 or later), for assay memory' },
	{ name: 'safepoints', help: 'log safepoints, for assay bias --ttsp: the default' },
	{ name: 'no-safepoints', help: 'do not log them' },
	{
		name: 'stack',
		value: 'BYTES',
		help: 'how much to copy of the top of each stack, where callers\nare read (4096, of native programs 8192; with more than\n16 processors a quarter of that)',
	},
	{ name: 'no-callers', help: 'copy nothing of stacks' },
	{ name: 'no-decisions', help: 'with --pid: start no Flight Recorder' },
	{ name: 'pid', value: 'PID', help: 'watch a JVM that is running already: samples, its code by\nthe agent, what is compiled meanwhile by Flight Recorder' },
	{ name: 'help', help: 'print this' },
];

const OPEN_OPTION: OptionSpec = { name: 'open', help: 'show the page of the recording meanwhile, and until Ctrl-C\nwhen the program has ended' };

export const recordCommand: CommandDescription = {
	name: 'record',
	usage: ['[options] -- COMMAND...', '[options] --pid PID'],
	about: `Runs a Java program with the JVM's flags for compilations and generated code,
samples it with perf (else async-profiler, else not at all), and leaves a folder
with the logs, the samples and assay-recording.json, which says what is what. A
small agent in the JVM writes the code; a disassembler (hsdis) is not needed.
COMMAND is java and its arguments, or anything that starts java. The forks of
JMH are recorded, not JMH itself. Of a program that starts no JVM the samples are
left, and the executables and libraries that they lie in (docs/native.md); Node is
told to write its code (docs/native-jits.md).

The program's output is its own; what assay says goes to standard error. Ctrl-C
is the program's; pressed twice it kills the program, and the recording is
completed all the same; pressed three times it ends assay too.`,
	options: [...RECORD_OPTIONS.filter(({ name }) => name !== 'help'), OPEN_OPTION, ...RECORD_OPTIONS.filter(({ name }) => name === 'help')],
	examples: ['assay record -o run1 -- java -cp classes Main'],
	examplesTitle: 'example:',
	exitStatus: `that of the program, 128 and the signal's number when one ended it;
2 wrong use, 3 when there is nothing to start`,
	takesCommand: true,
	tools: [
		{
			name: 'record',
			question: 'Runs a Java program and records it into a new folder under a root. Only where the server may run programs.',
			inputs: [{ name: 'command', kind: 'words', help: 'the program and its arguments, a word each: java, -cp, classes, Main' }],
			options: ['output', 'jdk', 'duration', 'evidence', 'code', 'memory'],
			isRun: true,
		},
	],
	run,
};

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const request = createRecordRequest(parsed, context.io);
	const command = parsed.command ?? [];
	const processId = positiveInteger(parsed, 'pid');
	if (parsed.positionals.length > 0) {
		throw new UsageError(`"${parsed.positionals[0]}" is no option: the program stands after --`);
	}
	if (processId !== undefined && parsed.isSet('memory')) {
		throw new UsageError('--memory goes with a program: assay memory --watch PID asks a JVM that is running');
	}
	if ((processId === undefined) === (command.length === 0)) {
		throw new UsageError(
			processId === undefined ? 'a program is expected after --: assay record -- java …' : 'a process (--pid) or a program is recorded, not both',
		);
	}
	const page = parsed.isSet('open') ? openMeanwhile(request.outputFolder, request.workingDirectory) : null;
	try {
		const { manifest, exitStatus } =
			processId === undefined
				? await recordProgram(request, command)
				: request.evidence === 'jfr'
					? await recordProcessByFlightRecorder(request, processId)
					: await recordProcess(request, processId);
		summarize(manifest, request, context);
		if (page !== null) {
			request.say('the page is there until Ctrl-C');
			await page.untilInterrupted();
		}
		return exitStatus;
	} finally {
		page?.close();
	}
}

export function createRecordRequest(parsed: ParsedOptions, io: CommandIo): RecordRequest {
	const outputName = parsed.value('output') ?? `assay-${new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`;
	const duration = parsed.value('duration');
	if (duration !== undefined && !(/^\d{1,7}(?:\.\d{1,3})?$/.test(duration) && Number(duration) > 0)) {
		throw new UsageError(`--duration takes seconds, not "${duration}"`);
	}
	if (parsed.isSet('safepoints') && parsed.isSet('no-safepoints')) {
		throw new UsageError('--safepoints and --no-safepoints exclude each other');
	}
	const event = parsed.value('event');
	if (event !== undefined && !/^[\w:,./=-]+$/.test(event)) {
		throw new UsageError(`--event takes a name of perf list, not "${event}"`);
	}
	return {
		outputFolder: path.resolve(io.workingDirectory, outputName),
		outputName,
		force: parsed.isSet('force'),
		event: event ?? null,
		frequencyHz: positiveInteger(parsed, 'freq') ?? DEFAULT_FREQUENCY_HZ,
		durationSeconds: duration === undefined ? null : Number(duration),
		jdkHome: parsed.value('jdk') ?? null,
		evidence: evidenceFrom(parsed),
		code: codeFrom(parsed.value('code') ?? 'agent'),
		memory: parsed.isSet('memory'),
		withSafepoints: !parsed.isSet('no-safepoints'),
		withDecisions: !parsed.isSet('no-decisions'),
		stackBytes: stackBytesFrom(parsed),
		workingDirectory: io.workingDirectory,
		environment: process.env,
		assayVersion: VERSION,
		say: (line) => io.err(`assay record: ${visible(line)}\n`),
	};
}

/** Words of 8 bytes; perf's own limit is below 64 KB. */
function stackBytesFrom(parsed: ParsedOptions): number | null {
	const bytes = positiveInteger(parsed, 'stack');
	if (bytes === undefined) {
		return parsed.isSet('no-callers') ? 0 : null;
	}
	if (parsed.isSet('no-callers')) {
		throw new UsageError('--stack and --no-callers do not go together');
	}
	if (bytes % 8 !== 0 || bytes > MOST_STACK_BYTES) {
		throw new UsageError(`--stack takes a multiple of 8 up to ${MOST_STACK_BYTES}, not ${bytes}`);
	}
	return bytes;
}

/** What Flight Recorder cannot do is refused, not left out. */
function evidenceFrom(parsed: ParsedOptions): RecordRequest['evidence'] {
	const text = parsed.value('evidence') ?? 'all';
	if (text !== 'all' && text !== 'jfr') {
		throw new UsageError(`--evidence takes all or jfr, not "${text}"`);
	}
	const other =
		text === 'jfr'
			? ['event', 'freq', 'code', 'safepoints', 'no-safepoints', 'stack', 'no-callers', 'no-decisions'].find((name) => parsed.isSet(name))
			: undefined;
	if (other !== undefined) {
		throw new UsageError(`--${other} and --evidence jfr do not go together`);
	}
	return text;
}

function codeFrom(text: string): CodeFrom {
	if (text !== 'agent' && text !== 'print' && text !== 'none') {
		throw new UsageError(`--code takes agent, print or none, not "${text}"`);
	}
	return text;
}

function summarize({ samples, files, problems, flags }: RecordingManifest, { outputName, evidence, say }: RecordRequest, context: CommandContext): void {
	const logs = files.filter(({ kind }) => kind === 'jvm-log');
	const recorded = files.filter(({ kind }) => kind === 'flight-recording');
	if (evidence === 'jfr') {
		context.tell(problems);
		const parts = recorded.map(({ name, sizeBytes }) => `${name}, ${megabytes(sizeBytes)}`);
		say(`${outputName}: ${parts.length === 0 ? 'nothing was recorded' : parts.join('; ')}`);
		if (recorded.length > 0) {
			say(`next: ${['assay', 'report', outputName].map(shellWord).join(' ')}`);
		}
		return;
	}
	const executables = files.filter(({ kind }) => kind === 'executable');
	const agentLogs = files.filter(({ kind }) => kind === 'agent-log' || kind === 'jitdump');
	const dumps = files.filter(({ kind }) => kind === 'jitdump');
	const parts = [
		samples === null
			? 'no samples'
			: samples.count === null
				? `samples of ${samples.event}`
				: `${samples.count.toLocaleString('en')} samples of ${samples.event}`,
		...(agentLogs.length === 0 ? [] : [`generated code, ${megabytes(sumOf(agentLogs))}`]),
		...(executables.length > 0 ? [`${executables.length} executables and libraries, ${megabytes(sumOf(executables))}`] : []),
		...(executables.length > 0 || (logs.length === 0 && agentLogs.length > 0)
			? []
			: logs.length === 0
				? ['no log of a JVM']
				: logs.length === 1
					? [`log of the JVM, ${megabytes(logs[0]?.sizeBytes ?? 0)}`]
					: [`${logs.length} logs of JVMs`]),
		...(logs.length === 0 && recorded.length > 0 ? [`compilations by Flight Recorder, ${megabytes(sumOf(recorded))}`] : []),
		...(files.some(({ kind }) => kind === 'perf-map') ? ['names of generated code'] : []),
	];
	context.tell(problems);
	say(`${outputName}: ${parts.join(', ')}`);
	if (logs.length > 1) {
		say(`several JVMs ran: ${logs.map(({ name, sizeBytes }) => `${name} (${megabytes(sizeBytes)})`).join(', ')}`);
	}
	if (dumps.length > 1) {
		say(`several processes wrote code: ${dumps.map(({ name, sizeBytes }) => `${name} (${megabytes(sizeBytes)})`).join(', ')}`);
	}
	if (logs.length === 0 && (samples?.count ?? 0) === 0) {
		return;
	}
	const isOfMemory = flags.some((flag) => flag.includes('=memstat,'));
	const ofProcesses = logs.length > 0 ? logs : dumps;
	const [largest] = ofProcesses.toSorted((a, b) => b.sizeBytes - a.sizeBytes);
	// The statistic of all JVMs is read as one.
	const chosen = isOfMemory || ofProcesses.length < 2 || largest?.processId === undefined ? [] : ['--pid', String(largest.processId)];
	say(
		`next: ${['assay', isOfMemory ? 'memory' : logs.length === 0 && executables.length + dumps.length > 0 ? 'report' : 'hot', outputName, ...chosen].map(shellWord).join(' ')}`,
	);
}

function sumOf(files: RecordingManifest['files']): number {
	return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function megabytes(sizeBytes: number): string {
	return `${(sizeBytes / 1e6).toFixed(1)} MB`;
}
