/** Samples with stacks and no addresses as the time of a run, where nothing better is there: which file and which kind of samples, and what they come to. */
import { heatOfStacks, type StackHeat } from '../hot/stack-heat.js';
import type { JitCompilation } from '../model/jit-compilation.js';
import { mayBeSameStart } from '../model/jvm-start.js';
import { recordsByKind } from '../model/observed-profile.js';
import { InputError, type Problem, UsageError } from '../model/problem.js';
import type { SampleFilter } from '../model/sample-filter.js';
import { bestSampleKind } from '../model/sample-kinds.js';
import type { StackSamples } from '../model/stack-samples.js';
import type { Evidence } from '../recording/evidence.js';

/** Samples of one kind from one file, chosen of all that are there. */
export interface ChosenStacks {
	readonly file: string;
	readonly samples: StackSamples;
	/** Position in the samples' `events`. */
	readonly event: number;
	/** What is sampled, in words. */
	readonly words: string;
	/** Native functions are rows of their own. */
	readonly namesFunctions?: boolean;
	/** What weights are of, where these are no samples: `nanoseconds`. */
	readonly unit?: string;
	/** That the profiler says it lost: they are not among the samples. */
	readonly lost: number;
	readonly jvmStartEpochNs: bigint | null;
	/** Every kind of samples in all of the files, the chosen one first. */
	readonly kinds: readonly SamplesOfKind[];
}

/** How many samples of a kind a file holds, and whether they are those that are counted. */
interface SamplesOfKind {
	readonly file: string;
	readonly event: string;
	readonly samples: number;
	readonly isCounted: boolean;
}

interface ChooseStacks {
	/** Of the run, by its log; null: nothing tells. Files of another are left out. */
	readonly startedEpochMs: number | null;
	readonly withWholeStacks?: boolean;
	/** Null: the best. */
	readonly event?: string | null;
	/** Takes what is told of files that are left out. */
	readonly problems: Problem[];
}

/**
 * The best kind of all files, of several files the one with most samples of it; null where no file has samples that tell of time. Another event
 * that is asked for is taken whatever it tells of. Throws a UsageError when no file has it.
 */
export async function chooseStacks(
	evidence: Evidence,
	{ startedEpochMs, withWholeStacks = false, event: wanted = null, problems }: ChooseStacks,
): Promise<ChosenStacks | null> {
	const { found } = await evidence.chosen();
	const all: (Omit<ChosenStacks, 'kinds'> & { readonly rank: number; readonly records: number })[] = [];
	const kinds: Omit<SamplesOfKind, 'isCounted'>[] = [];
	for (const { name, ...rest } of found.files.stacks) {
		const opened = await evidence.observed({ name, ...rest }, withWholeStacks).catch((error: unknown) => {
			// Who reads all profiles tells of it.
			if (error instanceof InputError) {
				return null;
			}
			throw error;
		});
		const file = opened?.file ?? null;
		if (file === null || file.stacks === null) {
			continue;
		}
		const fileStart = file.jvmStartEpochNs === null ? null : Number(file.jvmStartEpochNs) / 1e6;
		if (startedEpochMs !== null && fileStart !== null && !mayBeSameStart(fileStart, startedEpochMs)) {
			const message = `is of a JVM that started at ${new Date(fileStart).toISOString()}, the log of one that did at ${new Date(startedEpochMs).toISOString()}`;
			problems.push({ severity: 'warning', file: name, message, action: 'its samples are left out: they are of another run' });
			continue;
		}
		const counts = recordsByKind(file);
		kinds.push(...counts.map(({ event, records }) => ({ file: name, event, samples: records })));
		const asked = file.kinds.find(({ event, number }) => event === wanted && number >= 0);
		const best = wanted === null ? bestSampleKind(file) : asked === undefined ? null : { kind: asked, rank: 0, words: asked.event };
		if (best !== null) {
			const records = counts.find(({ event }) => event === best.kind.event)?.records ?? 0;
			const lost = best.kind.event === 'jdk.CPUTimeSample' ? file.lostSamples : 0;
			all.push({
				file: name,
				samples: file.stacks,
				event: best.kind.number,
				words: best.words,
				lost,
				...(best.kind.words === undefined ? {} : { namesFunctions: true }),
				...(best.kind.unit === undefined ? {} : { unit: best.kind.unit }),
				jvmStartEpochNs: file.jvmStartEpochNs,
				rank: best.rank,
				records,
			});
		}
	}
	const [first] = all.sort((a, b) => a.rank - b.rank || b.records - a.records);
	if (first === undefined) {
		if (wanted !== null && kinds.length > 0) {
			throw new UsageError(`${evidence.name} has no event ${wanted}; its events: ${[...new Set(kinds.map(({ event }) => event))].join(', ')}`);
		}
		return null;
	}
	const { rank: _, records: __, ...chosen } = first;
	const isCounted = ({ file, event }: { file: string; event: string }): boolean => file === chosen.file && event === chosen.samples.events[chosen.event];
	const counted = kinds.map((kind) => ({ ...kind, isCounted: isCounted(kind) }));
	return { ...chosen, kinds: counted.sort((a, b) => Number(b.isCounted) - Number(a.isCounted)) };
}

/** What they come to; `startedEpochMs`: where the file does not tell when the JVM started, and its log does. */
export function heatOfChosen(chosen: ChosenStacks, compilations: readonly JitCompilation[], startedEpochMs: number | null, filter: SampleFilter): StackHeat {
	const logged = startedEpochMs === null ? null : BigInt(Math.round(startedEpochMs)) * 1_000_000n;
	return heatOfStacks({ ...chosen, jvmStartEpochNs: chosen.jvmStartEpochNs ?? logged, compilations, filter });
}
