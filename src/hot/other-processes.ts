/** Samples of processes that are not the one that is looked at: a program starts others, or all of a machine was sampled. */
import type { SampleThreads } from '../model/samples.js';
import { type Attribution, REASONS } from './attribute.js';

interface SampledProcess {
	readonly processId: number;
	/** Of its thread with most samples, `tsc (31636)`; its id alone where no thread has a name. */
	readonly name: string;
	readonly samples: number;
}

const OTHER = REASONS.indexOf('other process');

/** Most samples first; those whose process is not told are left out. */
export function otherProcesses({ samples, reason }: Attribution, threads: SampleThreads | null): SampledProcess[] {
	const byProcess = new Map<number, { samples: number; byThread: Map<number, number> }>();
	for (let i = 0; i < samples.length; i++) {
		const processId = samples.processId[i]!;
		if (reason[i] !== OTHER || processId < 0) {
			continue;
		}
		const row = byProcess.get(processId) ?? { samples: 0, byThread: new Map<number, number>() };
		byProcess.set(processId, row);
		row.samples++;
		const thread = threads?.of[i] ?? -1;
		row.byThread.set(thread, (row.byThread.get(thread) ?? 0) + 1);
	}
	return [...byProcess]
		.sort((a, b) => b[1].samples - a[1].samples)
		.map(([processId, { samples: count, byThread }]) => {
			const [thread = -1] = [...byThread].sort((a, b) => b[1] - a[1])[0] ?? [];
			const name = threads?.threads[thread]?.name ?? '';
			return { processId, name: name === '' ? `process ${processId}` : `${name} (${processId})`, samples: count };
		});
}
