/** What readers of other profilers' files give, in the one shape in which `assay bias --against`, the report and flame graphs take it. */
import type { Source } from '../bytes/source.js';
import type { ObservedFile, ObservedKind } from '../model/observed-profile.js';
import type { Problem } from '../model/problem.js';
import type { StackSamples } from '../model/stack-samples.js';
import { readAsyncProfilerText } from './async-profiler-text/read.js';
import type { ReadProfile } from './format.js';
import { readHprofText } from './hprof-text/read.js';
import { readJmhStack } from './jmh-stack/read.js';
import type { ThreadDumps } from './thread-dump/series.js';

const KIND_OF_EVENT: Record<string, string> = {
	'jdk.ExecutionSample': 'execution',
	'datadog.ExecutionSample': 'execution',
	'jdk.CPUTimeSample': 'cpu',
	'profiler.WallClockSample': 'wall',
	'datadog.MethodSample': 'wall',
	'jdk.NativeMethodSample': 'native',
};
/** In the order of preference. */
const KINDS = ['execution', 'cpu', 'wall', 'native'];

export function profileOfJfr(read: {
	readonly samples: StackSamples;
	readonly lostCpuTimeSamples: number;
	readonly jvmStartEpochNs?: bigint | null;
	readonly events?: ReadonlyMap<string, number>;
	readonly problems: readonly Problem[];
}): ReadProfile {
	const { samples } = read;
	const present = new Set(samples.event);
	const kinds = samples.events
		.map((event, number): ObservedKind => ({ kind: KIND_OF_EVENT[event] ?? event, event, number }))
		.filter(({ number }) => present.has(number))
		.sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
	return {
		file: {
			...NO_FILE,
			kinds,
			stacks: samples,
			lostSamples: read.lostCpuTimeSamples,
			jvmStartEpochNs: read.jvmStartEpochNs ?? null,
			...compilersOf(read.events),
		},
		problems: read.problems,
	};
}

/** Without a compilation the others belong to none. */
function compilersOf(events: ReadonlyMap<string, number> | undefined): Pick<ObservedFile, 'compilerEvents'> {
	return events?.has('jdk.Compilation')
		? {
				compilerEvents: ['jdk.Compilation', 'jdk.CompilerInlining']
					.flatMap((name) => ({ name, count: events.get(name) ?? 0 }))
					.filter(({ count }) => count > 0),
			}
		: {};
}

export function profileOfDumps({ samples, problems }: ThreadDumps): ReadProfile {
	const kinds = samples.length === 0 ? [] : [{ kind: 'dump', event: 'thread dump', number: 0 }];
	return { file: { ...NO_FILE, kinds, stacks: samples }, problems };
}

/** A kind for each benchmark, called like its method. */
export function profileOfJmhStack(source: Source): ReadProfile {
	const { reports, problems } = readJmhStack(source);
	const names = reports.map(({ benchmark }, i) => benchmark ?? `report ${i + 1}`);
	const leaves = reports.flatMap((report, i) => report.leaves.map((leaf) => ({ ...leaf, kind: names[i]! })));
	const kinds = [...new Set(names)].map((name) => ({ kind: name.slice(name.lastIndexOf('.') + 1), event: name, number: -1 }));
	return { file: { ...NO_FILE, kinds, leaves, isCounted: false }, problems };
}

export function profileOfAsyncProfilerText(source: Source): ReadProfile {
	const { leaves, samples, source: part, wholeStacks, problems } = readAsyncProfilerText(source);
	return { file: ofLeaves(samples > 0 ? part : null, leaves), wholeStacks, problems };
}

export function profileOfHprofText(source: Source): ReadProfile {
	const { leaves, samples, wholeStacks, problems } = readHprofText(source);
	return { file: ofLeaves(samples > 0 ? 'CPU SAMPLES' : null, leaves), wholeStacks, problems };
}

const NO_FILE: ReadProfile['file'] = { kinds: [], stacks: null, leaves: [], isCounted: true, lostSamples: 0, jvmStartEpochNs: null };

function ofLeaves(event: string | null, leaves: ObservedFile['leaves']): ReadProfile['file'] {
	return { ...NO_FILE, kinds: event === null ? [] : [{ kind: event, event, number: -1 }], leaves };
}
