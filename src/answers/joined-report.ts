/** A recording, joined: what `openReport` gives. */
import type { BiasOverview } from '../bias/bias-overview.js';
import type { SafepointDelay } from '../bias/safepoint-delay.js';
import type { CompilationsSummary } from '../compilations/results.js';
import type { RemarkMatch } from '../hot/hot-remarks.js';
import type { HotReport } from '../hot/hot-results.js';
import type { JvmClock } from '../hot/jvm-clock.js';
import type { RunHeat } from '../hot/run-heat.js';
import type { StackHeat } from '../hot/stack-heat.js';
import type { ThreadTime } from '../hot/thread-time.js';
import type { CallCounter, RefusedCalls } from '../join/joined-run.js';
import type { CollectorPauses } from '../model/collector-pauses.js';
import type { LoggedCompilation } from '../model/compilation.js';
import type { EvidenceKind, EvidenceOfKind } from '../model/evidence.js';
import type { JoinedCompilation, RecordingFinding } from '../model/joined-recording.js';
import type { Problem } from '../model/problem.js';
import type { Profile } from '../model/profile.js';
import type { SampleWindow } from '../model/sample-window.js';
import type { WholeStacks } from '../model/whole-stacks.js';
import type { CodeForm } from '../recording/code-source.js';
import type { CompilationLog } from '../recording/compilation-log.js';
import type { LogFile } from '../recording/log-file.js';
import type { OpenedCompilation } from '../recording/merge-memory.js';
import type { Recording } from '../recording/open-recording.js';
import type { OpenedBias } from './bias.js';
import type { OpenedHot } from './hot.js';
import type { OpenedMemory } from './memory-result.js';
import type { ChosenStacks } from './stack-heat.js';
import type { OpenedStartup } from './startup.js';
import type { OpenedDelays } from './time-to-safepoint.js';

/** Each null where it was not computed: nothing tells of it, or it was not asked for. */
export interface ReportParts {
	/** By {@link hotOfReport}. */
	readonly hot: OpenedHot | null;
	/** By {@link biasOfReport}. */
	readonly bias: OpenedBias | null;
	readonly delays: OpenedDelays | null;
	readonly memory: OpenedMemory | null;
}

export interface StackTime {
	readonly chosen: ChosenStacks;
	readonly heat: StackHeat;
}

/** Stacks of one kind from one file. */
export interface NamedStacks {
	/** `run1/rec.jfr: jdk.ExecutionSample`. */
	readonly name: string;
	readonly stacks: WholeStacks;
	/** Whether they are those of `hot`. */
	readonly isOfSamples: boolean;
	/** Of each counted sample of `hot`, by time, its position in `stacks`; null where they are others, or too many. */
	readonly ofSample: readonly number[] | null;
}

/** One recording, joined: every compilation with what each kind of evidence says of it. */
export interface RecordingReport {
	/** As the user called it. */
	readonly name: string;
	readonly jvm: {
		readonly version: string | null;
		readonly processId: number | null;
		readonly arguments: string | null;
		/** `G1`; null where nothing tells of it. */
		readonly collector: string | null;
		readonly command: string | null;
		readonly startedEpochMs: number | null;
	};
	/** Of the JVM's log, else of its samples; null where nothing has times. */
	readonly seconds: number | null;
	readonly evidence: Readonly<Record<EvidenceKind, EvidenceOfKind>>;
	/** How the code was printed; null without any. */
	readonly codeForm: CodeForm | null;
	/** Every one: most samples first, then in the order of the log. */
	readonly compilations: readonly JoinedCompilation[];
	readonly calls: CallCounter;
	readonly refused: RefusedCalls;
	/** null: there are no samples with addresses. */
	readonly hot: HotReport | null;
	/** What shares are of: `hot`, else the time by stacks; null: nothing was sampled. */
	readonly heat: RunHeat | null;
	/** Time by stacks alone, and where they come from; null where something better is there, or nothing. */
	readonly stackTime: StackTime | null;
	/** Which samples `hot` counts; null: all. */
	readonly sampleWindow: SampleWindow | null;
	/** Time by class of thread; null where the samples do not tell threads, or are not those of a JVM. */
	readonly threadTime: ThreadTime | null;
	/** null: there is no log of compilations. */
	readonly summary: CompilationsSummary | null;
	readonly log: CompilationLog | null;
	/** Samples, their threads, and code that is read on demand; null without any. */
	readonly recording: Recording | null;
	/** Of the samples where they have some, then of other profilers; empty unless asked for. */
	readonly stacks: readonly NamedStacks[];
	/** What other profilers wrote of the run and that holds samples: `assay bias --against` takes them. */
	readonly profileFiles: readonly LogFile[];
	/** Of Graal's optimization log. */
	readonly units: readonly LoggedCompilation[];
	/** null: nothing could be predicted. */
	readonly bias: BiasOverview | null;
	/** Empty without a log of safepoints. */
	readonly delays: readonly SafepointDelay[];
	/** null: nothing tells of a pause of the garbage collector. */
	readonly collector: CollectorPauses | null;
	readonly memory: readonly OpenedCompilation[];
	/** What was computed of kinds of evidence, for those who show one of them as a whole. */
	readonly parts: ReportParts;
	/** Of a profile of Graal's tools, where there are no samples. */
	readonly profile: Profile | null;
	/** Of a native program; null: nothing tells of one. */
	readonly startup: OpenedStartup | null;
	/** Of a native program: how many samples in inlined code find the remark of the call; null without samples of one. */
	readonly remarkMatch: RemarkMatch | null;
	/** How the samples' clock maps onto the JVM's. */
	readonly clock: JvmClock | null;
	readonly findings: readonly RecordingFinding[];
	readonly problems: readonly Problem[];
}
