/** `assay export`: what a recording holds, in the form of another tool. */
import fs from 'node:fs';
import path from 'node:path';
import { proftoolJson } from '../formats/proftool-profile/write.js';
import { profileOfSamples } from '../hotspots/sample-profile.js';
import { formatProblem, InputError } from '../model/problem.js';
import type { CommandIo } from './io.js';
import { type OpenedHot, openHot } from './open-hot.js';
import { describeOptions, type OptionSpec, parseOptions, UsageError } from './options.js';
import { writeProblems } from './problems.js';

const OPTIONS: readonly OptionSpec[] = [
	{ name: 'to', value: 'FORMAT', help: "proftool: the profile that mx profjson writes, for Graal's\nprofdiff and assay profdiff" },
	{ name: 'output', value: 'FILE', help: 'write into this file (standard output)' },
	{ name: 'event', value: 'NAME', help: 'count this event (the first of the recording)' },
	{ name: 'help', help: 'print this' },
];

const EXPORT_HELP = `usage: assay export RECORDING... --to proftool [--output FILE]

Writes the samples of a recording, summed by compilation, for another tool.
RECORDING is a folder or files, as for assay hot. A sample counts as the
nanoseconds between two samples where the recording says how often it was
sampled, else as one.

options:
${describeOptions(OPTIONS)}

example, on the recordings that come with assay:
  assay export examples/hot --to proftool

exit status: 0 written, 2 wrong use, 3 unusable input
`;

export async function exportCommand(argv: readonly string[], io: CommandIo): Promise<number> {
	const parsed = parseOptions(argv, OPTIONS);
	if (parsed.isSet('help')) {
		io.out(EXPORT_HELP);
		return 0;
	}
	const format = parsed.value('to');
	if (format !== 'proftool') {
		throw new UsageError(format === undefined ? '--to FORMAT is missing: proftool' : `--to takes proftool, not "${format}"`);
	}
	if (parsed.positionals.length === 0) {
		throw new UsageError('a recording is expected: a folder, or samples and the log of the JVM');
	}
	try {
		const files = parsed.positionals.map((name) => ({ filePath: path.resolve(io.workingDirectory, name), name }));
		const opened = await openHot(files, { event: parsed.value('event') ?? null, processId: null, window: null, gapBytes: 32, byDistance: true, skid: 'off' });
		writeProblems(opened.problems, io);
		write(parsed.value('output'), proftool(opened), io);
		return 0;
	} catch (error) {
		if (!(error instanceof InputError)) {
			throw error;
		}
		io.err(`assay export: ${formatProblem(error.problem)}\n`);
		return 3;
	}
}

function proftool({ report, recording: { log, note } }: OpenedHot): string {
	const frequencyHz = note?.frequencyHz ?? null;
	const profile = profileOfSamples(report, log?.processId == null ? null : String(log.processId), frequencyHz === null ? 1 : Math.round(1e9 / frequencyHz));
	const osrIds = new Set(report.code.map(({ code }) => code.compileId).filter((id) => id?.endsWith('%')));
	return proftoolJson(profile, (id) => osrIds.has(`${id}%`));
}

function write(file: string | undefined, text: string, io: CommandIo): void {
	if (file === undefined) {
		io.out(text);
		return;
	}
	try {
		fs.writeFileSync(path.resolve(io.workingDirectory, file), text);
	} catch (error) {
		throw new InputError({ severity: 'error', file, message: `cannot be written (${(error as Error).message})`, action: 'name another file' });
	}
}
