/** `assay doctor`: which evidence is there, which is missing, and how to get it. */
import path from 'node:path';
import { joinsOfReport, kindInReport, startupJoin, timeOf, withStartupFiles } from '../answers/evidence-joins.js';
import { DEFAULT_REPORT_REQUEST, openReport, type RecordingReport } from '../answers/report.js';
import { type OpenedStartup, openStartup } from '../answers/startup.js';
import { VERSION } from '../answers/version.js';
import { FORMATS } from '../formats/registry.js';
import { type MachineInspection, OTHER_KIND } from '../model/inspection.js';
import { formatProblem, InputError, type Problem, UsageError } from '../model/problem.js';
import { type Evidence, openEvidence } from '../recording/evidence.js';
import { inspectMachine } from '../recording/inspect/inspect-machine.js';
import { type InspectionRun, inspectRecording } from '../recording/inspect/inspect-recording.js';
import { writeMachineInspectionJson, writeRecordingInspectionJson } from '../render/doctor-json.js';
import { writeMachineInspection, writeRecordingInspection } from '../render/doctor-text.js';
import { beginEnvelope, endEnvelope } from '../render/envelope.js';
import type { JsonStream } from '../render/json-stream.js';
import { createTerminal, type Terminal } from '../render/terminal.js';
import { TextWriter } from '../render/text-writer.js';
import { visible } from '../render/visible.js';
import type { CommandIo } from './io.js';
import { describeOptions, type OptionSpec, parseOptions } from './options.js';
import { writeProblems } from './problems.js';
import { createRecordRequest, RECORD_OPTIONS } from './record-command.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

const DOCTOR_HELP = `usage: assay doctor [options] RECORDING...
       assay doctor [options] [options of assay record] -- COMMAND...

Of a recording, a folder or files: which evidence it holds (compilations, code,
samples, clocks), whether they fit together, and for what is missing the flag
that gives it. Each file is told by what it holds. Of a command: which tools are
there, what they may do here, and what assay record would run.

options:
${describeOptions(OPTIONS)}

examples:
  assay doctor run1
  assay doctor -- java -cp classes Main

exit status: 0 looked, 2 wrong use, 3 unusable input
`;

export async function doctorCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const end = argv.indexOf('--');
	const command = end < 0 ? null : argv.slice(end + 1);
	const taken = command === null ? [] : RECORD_OPTIONS.filter(({ name }) => !OPTIONS.some((option) => option.name === name));
	const parsed = parseOptions(end < 0 ? argv : argv.slice(0, end), [...OPTIONS, ...taken]);
	if (parsed.isSet('help')) {
		io.out(DOCTOR_HELP);
		return 0;
	}
	if (command === null ? parsed.positionals.length === 0 : command.length === 0 || parsed.positionals.length > 0) {
		throw new UsageError('a recording (a folder or files) is expected, or a program after --');
	}
	const printer = new Printer(io, parsed.isSet('json'));
	try {
		if (command === null) {
			const files = parsed.positionals.map((name) => ({ filePath: path.resolve(io.workingDirectory, name), name }));
			const evidence = await openEvidence(files, { details: 'threads' });
			const run = await inspectRecording(evidence);
			const startup = await openStartup(evidence.files, { withOrders: false });
			printer.recording(withStartup(await withJoins(run, evidence), startup));
			evidence.close();
		} else {
			const machine = await inspectMachine(createRecordRequest(parsed, io), command);
			if (machine === null) {
				const message = 'cannot be started: there is no such program, or it may not be executed';
				throw new InputError({ severity: 'error', file: command[0]!, message, action: 'give the command as it is given to a shell' });
			}
			printer.machine(machine);
		}
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		printer.failure(error.problem);
		return 3;
	}
	return 0;
}

/** Adds what only the join of all evidence tells. What cannot be joined, as files of several JVMs, adds nothing. */
async function withJoins({ inspection, problems }: InspectionRun, evidence: Evidence): Promise<InspectionRun> {
	let report: RecordingReport;
	try {
		report = await openReport(evidence, { ...DEFAULT_REPORT_REQUEST, withPrediction: false, withOrders: false });
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		const note: Problem = { ...error.problem, severity: 'warning' };
		return { inspection, problems: error.problem.action.includes('--pid') ? [...problems, note] : problems };
	}
	const joins = inspection.joins.map((join) =>
		join.name === 'time' && !join.works && inspection.manifest?.clocks == null ? { ...join, ...timeOf(report) } : join,
	);
	const isAligned = joins.some(({ name, works }) => name === 'time' && works);
	return {
		inspection: {
			...inspection,
			files: inspection.files.map((file) =>
				file.kind === OTHER_KIND || file.kind === file.profile?.format ? { ...file, kind: kindInReport(file.name, report) ?? file.kind } : file,
			),
			joins: [...joins, ...joinsOfReport(report)],
			missing: inspection.missing.filter(({ what }) => what !== 'clocks' || !isAligned),
		},
		problems,
	};
}

const STARTUP_KINDS: readonly string[] = ['order-trace', 'executed-instructions', 'linked-program', 'order-map'];

/** Where nothing is of a JVM, nothing of a JVM is missing. */
function withStartup({ inspection, problems }: InspectionRun, startup: OpenedStartup | null): InspectionRun {
	if (startup === null) {
		return { inspection, problems };
	}
	const files = withStartupFiles(inspection.files, startup);
	const hasJvm = inspection.manifest !== null || files.some(({ kind }) => kind !== OTHER_KIND && !STARTUP_KINDS.includes(kind));
	const join = startupJoin(startup, hasJvm);
	const joins = [...(hasJvm ? inspection.joins : []), ...(join === null ? [] : [join])];
	return { inspection: { ...inspection, files, joins, missing: hasJvm ? inspection.missing : [] }, problems: [...problems, ...startup.problems] };
}

function titleOf(kind: string): string {
	return FORMATS.find(({ name }) => name === kind)?.title ?? 'unknown';
}

class Printer {
	private readonly io: CommandIo;
	private readonly isJson: boolean;

	constructor(io: CommandIo, isJson: boolean) {
		this.io = io;
		this.isJson = isJson;
	}

	recording({ inspection, problems }: InspectionRun): void {
		this.print(
			problems,
			(json) => writeRecordingInspectionJson(json, inspection),
			(writer, terminal) => writeRecordingInspection(writer, inspection, titleOf, terminal),
		);
	}

	machine(machine: MachineInspection): void {
		this.print(
			[],
			(json) => writeMachineInspectionJson(json, machine),
			(writer, terminal) => writeMachineInspection(writer, machine, terminal),
		);
	}

	failure(problem: Problem): void {
		if (this.isJson) {
			this.print(
				[problem],
				() => {},
				() => {},
			);
		}
		this.io.err(`assay doctor: ${visible(formatProblem(problem))}\n`);
	}

	private print(problems: readonly Problem[], toJson: (json: JsonStream) => void, toText: (writer: TextWriter, terminal: Terminal) => void): void {
		const { io } = this;
		const writer = new TextWriter((block) => io.out(block));
		if (this.isJson) {
			const json = beginEnvelope(writer, VERSION, 'doctor');
			toJson(json);
			endEnvelope(json, writer, problems);
		} else {
			writeProblems(problems, io);
			toText(writer, createTerminal(io.isTerminal ? (io.columns ?? 80) : null, io.hasColour ?? false));
		}
		writer.flush();
	}
}
