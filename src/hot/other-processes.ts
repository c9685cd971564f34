/** Samples of processes that are not the one that is looked at: a program starts others, or all of a machine was sampled. */
import { isJvmLibrary } from '../model/jvm-library.js';
import type { SampleThreads } from '../model/samples.js';
import { type Attribution, REASONS } from './attribute.js';

interface SampledProcess {
	readonly processId: number;
	/** Of its first thread, else of that with most samples, `tsc (31636)`; its id alone where no thread has a name. */
	readonly name: string;
	readonly samples: number;
	/** Whether samples of it lie in HotSpot's library. */
	readonly isJvm: boolean;
}

const OTHER = REASONS.indexOf('other process');

/** Most samples first; those whose process is not told are left out. */
export function otherProcesses({ samples, reason }: Attribution, threads: SampleThreads | null): SampledProcess[] {
	const isLibjvm = samples.places.map(({ library }) => isJvmLibrary(library));
	const byProcess = new Map<number, { samples: number; isJvm: boolean; byThread: Map<number, { samples: number; last: number }> }>();
	for (let i = 0; i < samples.length; i++) {
		const processId = samples.processId[i]!;
		if (reason[i] !== OTHER || processId < 0) {
			continue;
		}
		const row = byProcess.get(processId) ?? { samples: 0, isJvm: false, byThread: new Map<number, { samples: number; last: number }>() };
		byProcess.set(processId, row);
		row.samples++;
		row.isJvm ||= isLibjvm[samples.place[i]!]!;
		const number = threads?.of[i] ?? -1;
		const thread = row.byThread.get(number) ?? { samples: 0, last: Number.NEGATIVE_INFINITY };
		row.byThread.set(number, thread);
		thread.samples++;
		thread.last = Math.max(thread.last, samples.timeSeconds[i]!);
	}
	return [...byProcess]
		.sort((a, b) => b[1].samples - a[1].samples)
		.map(([processId, { samples: count, isJvm, byThread }]) => {
			const [most = -1] = [...byThread].sort((a, b) => b[1].samples - a[1].samples)[0] ?? [];
			// By its last name: a process is called as the program that started it until it is another one, and may be called so again.
			const byTime = [...byThread].sort((a, b) => a[1].last - b[1].last || a[0] - b[0]);
			const [first] = byTime.findLast(([thread]) => threads?.threads[thread]?.id === processId) ?? [];
			const name = threads?.threads[first ?? most]?.name ?? '';
			return { processId, name: name === '' ? `process ${processId}` : `${name} (${processId})`, samples: count, isJvm };
		});
}
