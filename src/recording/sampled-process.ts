/** Which of several JVMs in one folder is meant: the one that was asked for, else the one that was sampled. */
import { InputError } from '../model/problem.js';
import { type EvidenceFiles, withoutOtherProcesses } from './evidence-files.js';
import { headOfFile, type LogFile, openLogFile } from './log-file.js';
import { readSamples, samplesFormatOf } from './sample-formats.js';

export interface ChosenSamples {
	/** Without those that lie where only other JVMs left their logs. */
	readonly found: EvidenceFiles;
	/** The files of samples of the chosen JVM. */
	readonly samples: readonly LogFile[];
	/** null: there is only one JVM, or nothing names processes. */
	readonly processId: number | null;
}

const HEAD_BYTES = 1 << 16;

/** Throws an {@link InputError} that lists the JVMs when they are several and neither `processId` nor the samples choose. */
export async function chooseSamplesOf(found: EvidenceFiles, processId: number | null, name: string): Promise<ChosenSamples> {
	const { samples, processIds } = found;
	if (processId !== null && processIds.length > 0 && !processIds.includes(processId)) {
		throw ask(name, `no log is of process ${processId}: there are ${processIds.join(', ')}`);
	}
	if (samples.length <= 1 && processIds.length <= 1) {
		return { found, samples, processId };
	}
	const counted = await Promise.all(samples.map(async (file) => ({ file, counts: await countsByProcess(file) })));
	const sampled = processIds.filter((id) => counted.some(({ counts }) => counts.has(id)));
	const chosen = processId ?? (processIds.length === 1 ? processIds[0]! : sampled.length === 1 ? sampled[0]! : null);
	if (chosen === null && processIds.length > 1) {
		throw ask(name, `the files are of several JVMs: processes ${processIds.join(', ')}`);
	}
	const kept = chosen === null || processIds.length <= 1 ? found : withoutOtherProcesses(found, chosen);
	if (kept.samples.length <= 1) {
		return { found: kept, samples: kept.samples, processId: chosen };
	}
	const own = counted.filter(({ file, counts }) => chosen !== null && counts.has(chosen) && kept.samples.includes(file));
	const [first] = own;
	if (own.length !== 1 || first === undefined) {
		const message = `several files hold samples: ${samples.map((file) => file.name).join(', ')}`;
		throw new InputError({ severity: 'error', file: name, message, action: 'give the one to look at, and the log' });
	}
	return { found: kept, samples: [first.file], processId: chosen };
}

function ask(file: string, message: string): InputError {
	return new InputError({ severity: 'error', file, message, action: 'say which one is meant: --pid, or give the files of one' });
}

async function countsByProcess(file: LogFile): Promise<ReadonlySet<number>> {
	const format = samplesFormatOf(await headOfFile(file, HEAD_BYTES))!;
	const opened = await openLogFile(file);
	const { samples } = readSamples(opened.source, format);
	opened.source.close();
	return new Set(samples.processId);
}
