/** `assay report`: one recording, all that its files tell of it: where the time went, what the compiler did there, what is worth a look. */
import fs from 'node:fs';
import path from 'node:path';
import { answerDecisions, CALL_DECISIONS, type DecisionsRequest, type DecisionsView } from '../answers/decisions.js';
import { answerReport } from '../answers/recording-report.js';
import { UsageError } from '../model/problem.js';
import { filterOptions, type SampleFilter } from '../model/sample-filter.js';
import { writePage } from '../page/file.js';
import type { Evidence } from '../recording/evidence.js';
import { openSources } from '../recording/java-sources.js';
import { writeDecisionsText } from '../render/decisions-text.js';
import { writeRecordingReportText } from '../render/report-text.js';
import { visible } from '../render/visible.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { RECORDING_INPUT } from './command-tool.js';
import { openNamed } from './open-named.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';
import { SAMPLE_OPTIONS, sampleFilterOf } from './sample-options.js';
import { SECTIONS, type Section, writeSection } from './sections.js';
import { SYNTAX_OPTION, syntaxOf } from './syntax-option.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'top', value: 'N', help: 'rows of tables, and compilations looked into (10)' },
	{
		name: 'section',
		value: 'NAME',
		isMultiple: true,
		choices: SECTIONS,
		help: `also ${SECTIONS.slice(0, 5).join(', ')},\n${SECTIONS.slice(5, -1).join(', ')} or ${SECTIONS.at(-1)};\nmay be given several times`,
	},
	...SAMPLE_OPTIONS,
	SYNTAX_OPTION,
	{ name: 'pid', value: 'PID', help: 'the JVM, where the files are of several' },
	{ name: 'no-index', help: "neither read nor write the recording's index" },
	{ name: 'origin', help: 'print from which files each row comes' },
	{ name: 'profile', value: 'FILE', isFile: true, help: 'decisions: the profile, if it does not lie in the folder' },
	{ name: 'force', help: 'decisions: take a profile that is not of the log' },
	{ name: 'all', help: 'decisions: look into all compilations' },
	{ name: 'method', value: 'PATTERN', help: 'decisions: only methods with this in their name; * is\nany text' },
	{ name: 'compilation', value: 'ID', help: 'decisions: only this compilation, c12 or 12' },
	{
		name: 'decision',
		value: 'KIND',
		choices: CALL_DECISIONS,
		help: 'decisions: only calls that are inlined, direct,\nindirect, devirtualized or deleted',
	},
	{ name: 'phase', value: 'NAME', help: 'decisions: only optimizations of phases with this in\ntheir name' },
	{ name: 'output', short: 'o', value: 'FILE', isFile: true, help: 'write a page for the browser: one file, all in it' },
	{ name: 'sources', value: 'PATH', isFile: true, help: "for the page: a folder of Java sources, or a JDK's\nsrc.zip" },
	{ name: 'json', help: 'print JSON (docs/json.md)' },
	{ name: 'help', help: 'print this' },
];

export const reportCommand: CommandDescription = {
	name: 'report',
	usage: ['RECORDING... [HANDLE] [options]'],
	about: `Shows on one screen what a recording tells: what ran, where its time went, what
the compiler did there, what is worth a look; then sections on request.
RECORDING is a folder or files, told by what they hold: the JVM's log, samples,
generated code, safepoints, statistics of compiler memory, Graal's optimization
log (in a .tar.gz too) and its profile, what other profilers said (Flight
Recorder, thread dumps, collapsed stacks, …); or a native program and what ran
of it first (docs/order.md). What is missing leaves its part out; assay doctor
tells what would give it. HANDLE is that of a compilation (c12): what the
compiler decided there.`,
	options: OPTIONS,
	examples: ['assay report examples/hot'],
	exitStatus: '0 reported, 2 wrong use, 3 unusable input',
	completes: 'files',
	tools: [
		{
			name: 'report',
			question:
				'Where the time of a run went, by class of thread and by compilation with handles, and findings: what went wrong, where, what to do, and the command that proves it. Begin here.',
			inputs: [RECORDING_INPUT],
			leavesOut: ['evidence', 'recording.arguments', 'threadTime.libraries', 'threadTime.threads', 'compilations[].evidence', 'findings[].evidence'],
			first: ['findings', 'threadTime.classes', 'compilations', 'findings[].handles'],
			options: ['top', 'thread', 'class', 'window', 'pid'],
			always: ['--no-index'],
		},
		{
			name: 'decisions',
			question: 'What the compiler decided in a compilation, or in the hottest ones: its inlining tree with the reason at every call, and optimizations.',
			inputs: [RECORDING_INPUT, { name: 'handles', kind: 'handles', isOptional: true, help: 'a compilation: c12' }],
			leavesOut: ['recording', 'evidence', 'clock', 'samples', 'otherTime', 'threadTime', 'safepoints', 'startup', 'compilations', 'findings'],
			first: ['decisions.compilations', 'decisions.compilations[].inliningTree'],
			options: ['top', 'all', 'method', 'decision', 'phase', 'pid'],
			always: ['--no-index', '--section', 'decisions'],
		},
	],
	run,
};

const DEFAULT_TOP = 10;
const DECISION_OPTIONS = ['profile', 'force', 'all', 'method', 'compilation', 'decision', 'phase'];
const HANDLE = /^c\d[\w-]*%?$|^c[A-Z]\w*-\d+$/;

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const { paths, handle } = inputsOf(parsed, context);
	const decisions = decisionsRequest(parsed, paths, handle, context);
	const sections = sectionsOf(parsed);
	const output = parsed.value('output');
	const samples = sampleFilterOf(parsed);
	const isAboutDecisions = handle !== undefined || DECISION_OPTIONS.some((name) => parsed.isSet(name));
	if (filterOptions(samples).length > 0 && (isAboutDecisions || sections.includes('decisions') || output !== undefined)) {
		throw new UsageError(
			`--thread, --class and --window choose samples of the report${output === undefined ? ', what the compiler decided has none' : '; the page has a choice of its own'}`,
		);
	}
	context.progress.report(`reading ${paths.join(', ')}`);
	if (output !== undefined) {
		await writeReportPage(output, paths, parsed, context);
	} else if (isAboutDecisions && !context.wantsJson) {
		writeDecisions(await answerDecisions(await opened(paths, 'none', parsed, context), decisions), context);
	} else {
		await writeReport(paths, samples, decisions, isAboutDecisions || sections.includes('decisions'), sections, parsed, context);
	}
	return EXIT.done;
}

async function writeReport(
	paths: readonly string[],
	samples: SampleFilter,
	decisions: DecisionsRequest,
	withDecisions: boolean,
	sections: readonly Section[],
	parsed: ParsedOptions,
	context: CommandContext,
): Promise<void> {
	const { progress, writer, terminal } = context;
	const names = [...paths, ...parsed.values('profile').slice(-1)];
	const [first] = context.files(names);
	let found: Promise<Evidence> | null = null;
	const evidence = (): Promise<Evidence> => {
		found ??= opened(names, 'threads', parsed, context);
		return found;
	};
	const answer = await answerReport(evidence, {
		indexed: names.length === 1 && first !== undefined && !parsed.isSet('no-index') ? first : null,
		processId: positiveInteger(parsed, 'pid') ?? null,
		samples,
		withDecisions,
		decisions,
		onProgress: (what) => progress.report(what),
	});
	if (context.wantsJson) {
		context.json(answer.whole(), [...answer.problems, ...(answer.decisions?.problems ?? [])]);
		return;
	}
	if (!answer.isExperiment) {
		context.tell(answer.problems);
		const top = positiveInteger(parsed, 'top') ?? DEFAULT_TOP;
		writeRecordingReportText(
			writer,
			{ ...answer.result, refused: answer.refused, ranked: answer.ranked },
			{ top, showOrigin: parsed.isSet('origin'), samples: filterOptions(samples).join(' ') },
			terminal,
		);
		for (const section of new Set(sections)) {
			writer.line(0, '');
			writer.flush();
			if (section !== 'decisions') {
				await writeSection(section, { evidence: await evidence(), report: answer, samples, paths, top, syntax: syntaxOf(parsed) }, context);
			}
		}
	}
	if (answer.decisions !== null) {
		if (!answer.isExperiment) {
			writer.line(0, '');
		}
		writeDecisions(answer.decisions, context);
	}
}

/** A filter that leaves nothing: is there something outside the hottest compilations? */
function writeDecisions(view: DecisionsView, context: CommandContext): void {
	const { io, writer, terminal } = context;
	context.tell(view.problems);
	writeDecisionsText(writer, view, terminal);
	writer.flush();
	if (view.leavesNone) {
		const { compilations, otherCompilations } = view.overview;
		const more = otherCompilations > 0 ? `; ${otherCompilations} others were not looked into (--all)` : '';
		io.err(`assay report: none of the ${compilations.length} compilations shown is meant${more}\n`);
	}
}

async function writeReportPage(output: string, paths: readonly string[], parsed: ParsedOptions, context: CommandContext): Promise<void> {
	if (context.wantsJson) {
		throw new UsageError('--json and -o do not go together');
	}
	const { workingDirectory, progress, io } = context;
	const sources = parsed.value('sources')?.split(path.delimiter) ?? [];
	const main = await writePage(
		{ filePath: path.resolve(workingDirectory, output), name: output },
		{
			sides: [await opened(paths, 'all', parsed, context)],
			sources: sources.length === 0 ? null : await openSources(sources.map((name) => path.resolve(workingDirectory, name))),
		},
		progress,
	);
	context.tell(main.sides.flatMap(({ problems }) => problems));
	io.out(`${visible(output)}: open it in a browser\n`);
}

function opened(names: readonly string[], details: 'none' | 'threads' | 'all', parsed: ParsedOptions, context: CommandContext): Promise<Evidence> {
	return openNamed(context, names, { processId: positiveInteger(parsed, 'pid') ?? null, details });
}

function inputsOf(parsed: ParsedOptions, { workingDirectory }: CommandContext): { paths: readonly string[]; handle: string | undefined } {
	const paths: string[] = [];
	let handle: string | undefined;
	parsed.positionals.forEach((argument, i) => {
		if (i === 0 || fs.existsSync(path.resolve(workingDirectory, argument))) {
			paths.push(argument);
		} else if (HANDLE.test(argument) && handle === undefined) {
			handle = argument;
		} else {
			throw new UsageError(`"${argument}" is neither a file nor the handle of a compilation (c12)`);
		}
	});
	if (paths.length === 0) {
		throw new UsageError('a recording is expected: a folder or files');
	}
	return { paths, handle };
}

function decisionsRequest(
	parsed: ParsedOptions,
	paths: readonly string[],
	handle: string | undefined,
	{ workingDirectory, progress }: CommandContext,
): DecisionsRequest {
	const text = parsed.value('decision');
	const decision = CALL_DECISIONS.find((kind) => kind === text);
	if (text !== undefined && decision === undefined) {
		throw new UsageError(`--decision takes one of ${CALL_DECISIONS.join(', ')}, not "${text}"`);
	}
	return {
		name: paths.join(', '),
		workingDirectory,
		profile: parsed.value('profile'),
		force: parsed.isSet('force'),
		limit: parsed.isSet('all') ? null : (positiveInteger(parsed, 'top') ?? DEFAULT_TOP),
		handle,
		method: parsed.value('method'),
		compileId: parsed.value('compilation')?.replace(/^c(?=.)/, ''),
		decision,
		phase: parsed.value('phase'),
		onProgress: (done, total) => progress.step(`reading ${done} of ${total} compilations`),
	};
}

function sectionsOf(parsed: ParsedOptions): Section[] {
	return parsed.values('section').map((text) => {
		const section = SECTIONS.find((name) => name === text);
		if (section === undefined) {
			throw new UsageError(`--section takes one of ${SECTIONS.join(', ')}, not "${text}"`);
		}
		return section;
	});
}
