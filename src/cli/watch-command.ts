/** `assay watch`: records a program whenever it changes, or waits for recordings, and shows what differs from the one before on one screen. */
import fs from 'node:fs';
import path from 'node:path';
import { answerDiff, DEFAULT_DIFF_REQUEST } from '../answers/diff.js';
import { listRecordings } from '../answers/recordings.js';
import { InputError, UsageError } from '../model/problem.js';
import { type Evidence, openEvidence } from '../recording/evidence.js';
import { writeDiffText } from '../render/diff-text.js';
import { TextWriter } from '../render/text-writer.js';
import { visible } from '../render/visible.js';
import { type CommandContext, type CommandDescription, EXIT } from './command.js';
import { type OptionSpec, type ParsedOptions, positiveInteger } from './options.js';
import { makeRunsFolder, recordRun } from './recorded-runs.js';
import { changed, programFiles, stateOf } from './watched-files.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'on', value: 'PATH', isMultiple: true, isFile: true, help: 'record again when something below it changes (the class\npath of the program)' },
	{ name: 'keep', value: 'DIR', isFile: true, help: 'the folder of the recordings (assay-watch- and the time)' },
	{ name: 'lines', value: 'N', help: 'lines of a difference (23)' },
	{ name: 'rounds', value: 'N', help: 'end after so many recordings; otherwise Ctrl-C ends it' },
	{ name: 'help', help: 'print this' },
];

export const watchCommand: CommandDescription = {
	name: 'watch',
	usage: ['[options] -- COMMAND...', '[options] DIR'],
	about: `Records a program as assay record does, again whenever its classes change, and
shows the difference to the run before: the first screen of assay diff. With DIR
it records nothing, and shows the difference whenever a recording in this folder
is new, to the one that was there before. One run a side does not tell noise
from change: assay diff --runs does.`,
	options: OPTIONS,
	examples: ['assay watch -- java -cp classes Main', 'assay watch recordings'],
	examplesTitle: 'examples:',
	exitStatus: '0 the rounds are over, 2 wrong use, 3 unusable input',
	takesCommand: true,
	completes: 'files',
	run,
};

const DEFAULT_LINES = 23;

interface Watching {
	readonly lines: number;
	readonly rounds: number;
	readonly context: CommandContext;
}

async function run(parsed: ParsedOptions, context: CommandContext): Promise<number> {
	const watching = { lines: positiveInteger(parsed, 'lines') ?? DEFAULT_LINES, rounds: positiveInteger(parsed, 'rounds') ?? Number.POSITIVE_INFINITY, context };
	const [folder, ...more] = parsed.positionals;
	const command = parsed.command ?? [];
	if ((folder === undefined) === (command.length === 0) || more.length > 0) {
		throw new UsageError('a program is expected after --, or a folder of recordings');
	}
	await (folder === undefined ? watchProgram(command, parsed, watching) : watchFolder(folder, watching));
	return EXIT.done;
}

async function watchProgram(command: readonly string[], parsed: ParsedOptions, watching: Watching): Promise<void> {
	const { context, rounds } = watching;
	const { workingDirectory } = context;
	const named = parsed.values('on').map((name) => path.resolve(workingDirectory, name));
	const paths = named.length > 0 ? named : programFiles(command, workingDirectory);
	if (paths.length === 0) {
		throw new UsageError('nothing is there to be watched: the program names no class path; --on PATH does');
	}
	const keep = makeRunsFolder(parsed.value('keep'), 'watch', workingDirectory);
	let state = stateOf(paths);
	let before: string | null = null;
	for (let round = 1; ; round++) {
		const output = path.join(keep, `run-${round}`);
		say(context, `recording ${output}`);
		const isRecorded = await recorded(command, output, context);
		if (isRecorded) {
			await show(before, output, watching);
			before = output;
		}
		if (round >= rounds) {
			return;
		}
		say(context, `waiting for a change below ${paths.map((one) => path.relative(workingDirectory, one) || '.').join(', ')}`);
		state = await changed(paths, state);
	}
}

/** A program that does not run is mended by the next change. */
async function recorded(command: readonly string[], output: string, context: CommandContext): Promise<boolean> {
	try {
		const status = await recordRun({ command, jdkHome: null, flags: [] }, { output, workingDirectory: context.workingDirectory });
		if (status !== 0) {
			say(context, `the program ended with status ${status}`);
		}
		return true;
	} catch (error) {
		if (error instanceof InputError) {
			say(context, `${error.problem.file} ${error.problem.message}`);
			return false;
		}
		throw error;
	}
}

/** What is there already is what the first new one is compared with. */
async function watchFolder(name: string, watching: Watching): Promise<void> {
	const { context, rounds } = watching;
	const folder = path.resolve(context.workingDirectory, name);
	if (!fs.existsSync(folder)) {
		throw new InputError({ severity: 'error', file: name, message: 'does not exist', action: 'name a folder of recordings' });
	}
	let seen = await complete(folder, name);
	let newest = [...seen].toSorted(([, a], [, b]) => (a < b ? 1 : -1))[0]?.[0] ?? null;
	let state = stateOf([folder]);
	say(context, `${seen.size} ${seen.size === 1 ? 'recording' : 'recordings'} in ${name}; waiting for the next one`);
	for (let round = 0; round < rounds; ) {
		state = await changed([folder], state);
		const now = await complete(folder, name);
		for (const [recording, time] of [...now].toSorted(([, a], [, b]) => (a < b ? -1 : 1))) {
			if (seen.get(recording) !== time && recording !== newest) {
				await show(newest, recording, watching);
				newest = recording;
				round++;
			}
		}
		seen = now;
	}
}

/** Recordings that are not being written any more, and when they were. */
async function complete(folder: string, name: string): Promise<Map<string, string>> {
	const { recordings } = await listRecordings([folder]);
	return new Map(recordings.filter(({ state }) => state !== 'running').map((one) => [path.join(name, one.path), one.changed]));
}

async function show(before: string | null, after: string, { lines, context }: Watching): Promise<void> {
	const { io, terminal, workingDirectory } = context;
	if (before === null) {
		say(context, `${after} is the first one`);
		return;
	}
	const opened: Evidence[] = [];
	const open = async (name: string): Promise<Evidence[]> => {
		const evidence = await openEvidence([{ filePath: path.resolve(workingDirectory, name), name }], { details: 'threads' });
		opened.push(evidence);
		return [evidence];
	};
	try {
		const { report } = await answerDiff({ a: await open(before), b: await open(after) }, { ...DEFAULT_DIFF_REQUEST, workingDirectory });
		const text: string[] = [];
		const writer = new TextWriter((block) => void text.push(block));
		writeDiffText(writer, report, terminal, { showNoise: false, showConsequences: false });
		writer.flush();
		const all = text.join('').trimEnd().split('\n');
		const clear = io.isTerminal ? '\u001b[2J\u001b[H' : '';
		const more = all.length > lines ? `… ${all.length - lines} more lines: assay diff ${before} ${after}\n` : '';
		io.out(`${clear}${all.slice(0, lines).join('\n')}\n${visible(more, false)}\n`);
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		say(context, `${before} and ${after} cannot be compared: ${error.problem.message}`);
	} finally {
		for (const evidence of opened) {
			evidence.close();
		}
	}
}

function say(context: CommandContext, line: string): void {
	context.progress.end();
	context.io.err(`assay watch: ${visible(line)}\n`);
}
