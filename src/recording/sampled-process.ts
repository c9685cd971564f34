/** Which of several JVMs in one folder is meant: the one that was asked for, else the one that was sampled. */
import { InputError } from '../model/problem.js';
import type { Samples } from '../model/samples.js';
import { type EvidenceFile, type FoundEvidence, withoutJvms, withoutOtherProcesses } from './find-evidence.js';
import { headOfFile } from './log-file.js';
import { readSamples } from './sample-formats.js';

export interface ChosenSamples {
	/** Without those that lie where only other JVMs left their logs. */
	readonly found: FoundEvidence;
	/** The files of samples of the chosen JVM. */
	readonly samples: readonly EvidenceFile[];
	/** null: there is only one JVM, or nothing names processes. */
	readonly processId: number | null;
}

/** Throws an {@link InputError} that lists the JVMs when they are several and neither `processId` nor the samples choose. */
export async function chooseSamplesOf(all: FoundEvidence, processId: number | null): Promise<ChosenSamples> {
	const found = processId === null || all.processIds.includes(processId) ? all : await ofOtherProcess(all, processId);
	const { name, processIds } = found;
	const { samples } = found.files;
	if (samples.length <= 1 && processIds.length <= 1) {
		return { found, samples, processId };
	}
	const counted = await Promise.all(samples.map(async (file) => ({ file, counts: await countsByProcess(file) })));
	const sampled = processIds.filter((id) => counted.some(({ counts }) => counts.has(id)));
	const chosen = processId ?? (processIds.length === 1 ? processIds[0]! : sampled.length === 1 ? sampled[0]! : null);
	if (chosen === null && processIds.length > 1) {
		throw ask(name, `the files are of several JVMs: processes ${(await described(found)).join(', ')}`);
	}
	const kept = chosen === null || processIds.length <= 1 ? found : withoutOtherProcesses(found, chosen);
	if (kept.files.samples.length <= 1) {
		return { found: kept, samples: kept.files.samples, processId: chosen };
	}
	const own = counted.filter(({ file, counts }) => chosen !== null && counts.has(chosen) && kept.files.samples.includes(file));
	const [first] = own;
	if (own.length !== 1 || first === undefined) {
		const message = `several files hold samples: ${samples.map((file) => file.name).join(', ')}`;
		throw new InputError({ severity: 'error', file: name, message, action: 'give the one to look at, and the log' });
	}
	return { found: kept, samples: [first.file], processId: chosen };
}

/** What there is of a process without a log of a JVM: the jitdump of its number, or its samples alone. In a container logs and samples number processes otherwise. */
async function ofOtherProcess(all: FoundEvidence, processId: number): Promise<FoundEvidence> {
	const own = withoutJvms(all, processId);
	if (own.files.jitdump.length > 0) {
		return own;
	}
	if (all.processIds.length === 0) {
		return all;
	}
	// By their own numbers: samples without cannot be told apart.
	const sampled = await Promise.all(all.files.samples.map(async (file) => new Set((await readSamples(file, 'none', null)).samples.processId)));
	if (!sampled.some((processes) => processes.has(processId) && all.processIds.some((id) => processes.has(id)))) {
		throw ask(all.name, `no log is of process ${processId}, and no sample: there are logs of ${all.processIds.join(', ')}`);
	}
	return own;
}

const HEAD_BYTES = 64 << 10;

/** Each process with what tells it from the others: `1234 (org.example.Main, 3,120 samples, 3.1 s of CPU time)`. */
async function described({ processIds, files, all }: FoundEvidence): Promise<string[]> {
	const totals = new Map<number, { samples: number; nanoseconds: number }>();
	for (const file of files.samples) {
		const { samples, periods } = await readSamples(file, 'all', null);
		const isTime = samples.events.map((event) => /^(?:cpu|task)-clock/.test(event));
		samples.processId.forEach((id, i) => {
			const total = totals.get(id) ?? { samples: 0, nanoseconds: 0 };
			total.samples++;
			total.nanoseconds += isTime[samples.event[i]!] ? (periods?.[i] ?? 0) : 0;
			totals.set(id, total);
		});
	}
	const rows = await Promise.all(
		processIds.map(async (id) => {
			const log = all.find(({ processId, formats }) => processId === id && formats.some(({ name }) => name === 'hotspot-log'));
			const command = log === undefined ? null : mainClassOf(await headOfFile(log, HEAD_BYTES));
			const total = totals.get(id) ?? null;
			const parts = [
				command ?? '',
				total === null ? '' : `${total.samples.toLocaleString('en')} ${total.samples === 1 ? 'sample' : 'samples'}`,
				total === null || total.nanoseconds === 0 ? '' : `${(total.nanoseconds / 1e9).toFixed(1)} s of CPU time`,
			].filter((part) => part !== '');
			return { samples: total?.samples ?? 0, text: parts.length === 0 ? String(id) : `${id} (${parts.join(', ')})` };
		}),
	);
	return rows.sort((a, b) => b.samples - a.samples).map(({ text }) => text);
}

/** The first word of the command in a LogFile: the class or the archive that was started. */
function mainClassOf(head: string): string | null {
	return /<command>\r?\n(\S+)/.exec(head)?.[1] ?? null;
}

function ask(file: string, message: string): InputError {
	return new InputError({ severity: 'error', file, message, action: 'say which one is meant: --pid, or give the files of one' });
}

/** By the samples' own ids, and by the perf maps that they are named by. */
export function sampledProcesses({ processId, places }: Samples): ReadonlySet<number> {
	const mapped = places.flatMap(({ library }) => /perf-(\d{1,10})\.map$/.exec(library ?? '')?.[1] ?? []);
	return new Set([...new Set(processId), ...mapped.map(Number)]);
}

async function countsByProcess(file: EvidenceFile): Promise<ReadonlySet<number>> {
	const { samples } = await readSamples(file, 'none', null);
	return sampledProcesses(samples);
}
