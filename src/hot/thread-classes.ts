/**
 * To each thread its class, from its name where that is one of the JVM's own, else from what its samples show: generated code is run by Java threads alone, and
 * the functions of a compiler or a collector by theirs. What the recording itself cost is told by sample: in whatever thread it was spent.
 */

import { isJvmLibrary } from '../model/jvm-library.js';
import type { SamplePlace, SampleThreads } from '../model/samples.js';
import { THREAD_CLASSES, type ThreadClass, threadClassOfName } from '../model/thread-class.js';
import { type Attribution, isCountedReason, REASONS } from './attribute.js';
import { activityInLibrary, activityOf } from './native-activity.js';

export interface ThreadClasses {
	/** Of each thread of the samples. */
	readonly ofThread: readonly ThreadClass[];
	/** Of each sample its position in THREAD_CLASSES; of those too that are not counted. */
	readonly ofSample: Uint8Array;
}

export interface ClassifyOptions {
	/** Whether an agent of the recorder was loaded: the service thread then posts its events. */
	readonly hasAgent: boolean;
}

const AGENT_LIBRARY = /(?:^|\/)lib(?:assay_agent|asyncProfiler)\b/;
/** HotSpot posts the agent's events about compiled code in it, and it has next to nothing else to do. */
const SERVICE_THREAD = /^Service Thread/;
const NOTHING_SEEN = { java: 0, jvm: 0, generated: 0, library: 0 };
/** A thread of the JVM does not run Java code: more than a few samples there, and somebody called a thread of Java so. */
const LEAST_IN_JAVA = 3;
/** Threads of Java too are met in the C library, and in functions of the collector: fewer samples do not tell a thread without a name of the JVM's. */
const LEAST_TOLD = 3;

/** null where the samples are not those of a JVM. */
export function classifyThreads(attribution: Attribution, threads: SampleThreads, { hasAgent }: ClassifyOptions): ThreadClasses | null {
	const { samples, reason } = attribution;
	const isJvm = samples.places.map(({ library }) => isJvmLibrary(library));
	const inJava = REASONS.map((why) => why === 'interpreter' || why === 'named by the profiler only');
	const kernelReason = REASONS.indexOf('kernel');
	const libraryReason = REASONS.indexOf('native library');
	const seen = threads.threads.map(() => ({ ...NOTHING_SEEN, votes: new Map<ThreadClass, number>() }));
	const hasSamples = new Uint8Array(threads.threads.length);
	let isOfJvm = false;
	for (let i = 0; i < samples.length; i++) {
		const why = reason[i]!;
		if (!isCountedReason(why)) {
			continue;
		}
		hasSamples[threads.of[i]!] = 1;
		const row = seen[threads.of[i]!] ?? { ...NOTHING_SEEN, votes: new Map<ThreadClass, number>() };
		const place = samples.place[i]!;
		if (why < 0 || inJava[why] === true) {
			row.java++;
		} else if (isJvm[place] === true) {
			isOfJvm = true;
			row.jvm++;
			const vote = compilerOrCollector(samples.places[place]!.symbol);
			if (vote !== null) {
				row.votes.set(vote, (row.votes.get(vote) ?? 0) + 1);
			}
		} else if (why === libraryReason) {
			row.library++;
		} else if (why !== kernelReason) {
			// Stubs, and generated code that no file names: the JVM made both.
			row.generated++;
		}
	}
	// Threads of other processes are among them, too.
	if (!isOfJvm && !threads.threads.some(({ name }, number) => hasSamples[number] === 1 && /^C[12] Compiler/.test(name))) {
		return null;
	}
	const classOfName = (name: string): ThreadClass | null => (hasAgent && SERVICE_THREAD.test(name) ? 'recording' : threadClassOfName(name));
	// A thread is called as the one that started it until it has its own name: the last one counts.
	const namedById = new Map<number, ThreadClass>();
	for (const { id, name } of threads.threads) {
		const named = classOfName(name);
		if (id >= 0 && named !== null) {
			namedById.set(id, named);
		}
	}
	const launchers = launchersAmong(threads);
	const ofThread = threads.threads.map(({ id, name }, number): ThreadClass => {
		const { java, jvm, generated, library, votes } = seen[number]!;
		const named = (id >= 0 ? namedById.get(id) : classOfName(name)) ?? undefined;
		if (named === 'jvmci' || named === 'recording' || (named !== undefined && java < LEAST_IN_JAVA)) {
			return named;
		}
		if (java > 0) {
			return 'java';
		}
		const [most] = [...votes].sort((a, b) => b[1] - a[1]);
		if (most !== undefined && most[1] >= LEAST_TOLD && 2 * most[1] > jvm) {
			return most[0];
		}
		return jvm + generated === 0 && (library >= LEAST_TOLD || launchers.has(number)) ? 'native' : 'java';
	});
	const number = (threadClass: ThreadClass): number => THREAD_CLASSES.indexOf(threadClass);
	const ofNumber = ofThread.map(number);
	const recording = number('recording');
	/** By thread class, whether a place is the recording's; 0: not asked yet, 1: no, 2: yes. */
	const isRecording = THREAD_CLASSES.map(() => new Uint8Array(samples.places.length));
	const ofSample = new Uint8Array(samples.length);
	for (let i = 0; i < samples.length; i++) {
		// A damaged profile may not tell the thread of a sample.
		const own = ofNumber[threads.of[i]!] ?? number(reason[i] === libraryReason || reason[i] === kernelReason ? 'native' : 'java');
		const place = samples.place[i]!;
		const known = isRecording[own]!;
		if (known[place] === 0) {
			known[place] = isOfRecording(samples.places[place]!, isJvm[place] === true, THREAD_CLASSES[own]!) ? 2 : 1;
		}
		ofSample[i] = known[place] === 2 && reason[i]! !== kernelReason ? recording : own;
	}
	return { ofThread, ofSample };
}

/** Kernel code is not told apart. */
function isOfRecording({ library, symbol }: SamplePlace, isJvm: boolean, own: ThreadClass): boolean {
	const activity = isJvm ? activityOf(symbol, own) : activityInLibrary(symbol, own);
	return activity === 'printing and logging' || (library !== null && AGENT_LIBRARY.test(library));
}

/** The process' first thread, which waits for that in which main runs: of several threads of a name the one that was there first. */
function launchersAmong({ threads }: SampleThreads): ReadonlySet<number> {
	const idsOf = new Map<string, { first: number; last: number }>();
	for (const { id, name } of threads) {
		const known = idsOf.get(name) ?? { first: id, last: id };
		idsOf.set(name, { first: Math.min(known.first, id), last: Math.max(known.last, id) });
	}
	return new Set(
		threads.flatMap(({ id, name }, number) => {
			const { first, last } = idsOf.get(name)!;
			return id >= 0 && id === first && last > id ? [number] : [];
		}),
	);
}

const C1_OWNER = /^(?:LinearScan|GraphBuilder|LIR|BlockBegin|Interval|ValueMap|C1_|IR::|Canonicalizer|RangeCheckElim)/;
const C2_OWNER =
	/^(?:Phase|Matcher|ConnectionGraph|GraphKit|Compile::|IdealLoopTree|RegMask|IndexSet|\w+Node::|Node::|State::|Type(?:Int|Long|Ptr|OopPtr|InstPtr|AryPtr|Tuple)?::)/;

/** Of a function that only one kind of thread executes. */
function compilerOrCollector(symbol: string | null): ThreadClass | null {
	if (symbol === null) {
		return null;
	}
	if (C1_OWNER.test(symbol)) {
		return 'c1';
	}
	if (C2_OWNER.test(symbol)) {
		return 'c2';
	}
	return activityOf(symbol, 'java') === 'garbage collection' ? 'gc' : null;
}
