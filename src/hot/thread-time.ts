/** Time by class of thread, and in it by what was executed: compiled code, the interpreter, what the JVM did, the kernel, libraries. */

import { isJvmLibrary } from '../model/jvm-library.js';
import type { SampleThreads } from '../model/samples.js';
import { THREAD_CLASSES, type ThreadClass } from '../model/thread-class.js';
import { type Share, wilsonInterval } from '../statistics/shares.js';
import { type Attribution, isCountedReason, REASONS } from './attribute.js';
import { activityInLibrary, activityOf } from './native-activity.js';
import type { ThreadClasses } from './thread-classes.js';
import { isV8Library, v8Activity } from './v8-activity.js';

/** What was executed, and by how many samples. */
export interface ActivityRow {
	/** `compiled code`, `class loading`, `kernel`, `libc.so.6` … */
	readonly name: string;
	readonly samples: number;
}

interface ThreadClassRow {
	readonly class: ThreadClass;
	readonly samples: number;
	readonly share: Share;
	/** How many threads had a sample in it. */
	readonly threads: number;
	/** Most samples first; they add up to those of the row. */
	readonly activities: readonly ActivityRow[];
}

interface ThreadRow {
	/** As the system has it: at most 15 bytes of the thread's name. */
	readonly name: string;
	/** The operating system's number; -1 where the profile does not say. */
	readonly id: number;
	readonly class: ThreadClass;
	readonly samples: number;
}

/** A function outside of generated code, and its samples. */
interface NativeSymbolRow {
	/** null: the profiler knew none. */
	readonly symbol: string | null;
	/** What the JVM or V8 was doing; null in other libraries and the kernel. */
	readonly activity: string | null;
	readonly samples: number;
}

interface LibraryRow {
	/** The file's name; `kernel`; of what the JVM generates `interpreter` and `runtime stub`. */
	readonly library: string;
	readonly samples: number;
	/** Most samples first; of what holds a JVM or V8, else empty. */
	readonly activities: readonly ActivityRow[];
	/** Most samples first; all of them. */
	readonly symbols: readonly NativeSymbolRow[];
}

export interface ThreadTime {
	/** Most samples first; classes without any are left out, and all where the samples are of no JVM. */
	readonly classes: readonly ThreadClassRow[];
	readonly threads: readonly ThreadRow[];
	readonly libraries: readonly LibraryRow[];
	/** Samples that are counted: all of the classes together. */
	readonly counted: number;
}

export function threadTime(attribution: Attribution, threads: SampleThreads, classes: ThreadClasses): ThreadTime {
	const { samples, reason } = attribution;
	const sums = new ThreadTimeSums();
	const places = outsidePlaces(attribution);
	// Samples of one thread at one place, whatever code is there: there are far fewer of these than samples.
	const groups = new Map<number, { readonly first: number; count: number }>();
	for (let i = 0; i < samples.length; i++) {
		const why = reason[i]!;
		if (!isCountedReason(why)) {
			continue;
		}
		const thread = threads.of[i]!;
		const ofThread = samples.place[i]! * (threads.threads.length + 1) + (thread < threads.threads.length ? thread + 1 : 0);
		const key = (ofThread * THREAD_CLASSES.length + classes.ofSample[i]!) * (REASONS.length + 1) + why + 1;
		const group = groups.get(key);
		if (group === undefined) {
			groups.set(key, { first: i, count: 1 });
		} else {
			group.count++;
		}
		addGenerated(sums, attribution, i, places);
	}
	for (const { first, count } of groups.values()) {
		const thread = threads.of[first]!;
		const known = threads.threads[thread] === undefined ? -1 : thread;
		const threadClass = THREAD_CLASSES[classes.ofSample[first]!]!;
		const why = reason[first]!;
		const name = REASONS[why];
		if (name === 'native library' || name === 'kernel') {
			sums.addOutside(threadClass, classes.ofThread[thread] ?? 'native', known, name === 'kernel', places[samples.place[first]!]!, count);
		} else {
			sums.addActivity(threadClass, known, why < 0 ? 'compiled code' : name === 'stub' ? 'stubs' : (name ?? 'unknown'), count);
		}
	}
	return sums.result((thread) => ({ ...threads.threads[thread]!, class: classes.ofThread[thread]! }));
}

/** Threads of a program that is no JVM: none ever came into one. */
export function nativeThreadTime({ samples, reason }: Attribution, threads: SampleThreads): Pick<ThreadTime, 'classes' | 'threads' | 'counted'> {
	const sums = new ThreadTimeSums();
	for (let i = 0; i < samples.length; i++) {
		if (isCountedReason(reason[i]!)) {
			const thread = threads.of[i]!;
			sums.addActivity('native', threads.threads[thread] === undefined ? -1 : thread, REASONS[reason[i]!] ?? 'compiled code', 1);
		}
	}
	return sums.result((thread) => ({ ...threads.threads[thread]!, class: 'native' }));
}

/** The same of what is no JVM: without classes and threads, by library alone. */
export function libraryTime(attribution: Attribution): ThreadTime {
	const { samples, reason } = attribution;
	const sums = new ThreadTimeSums();
	const places = outsidePlaces(attribution);
	for (let i = 0; i < samples.length; i++) {
		const why = reason[i]!;
		const name = isCountedReason(why) ? REASONS[why] : undefined;
		if (name === 'native library' || name === 'kernel') {
			sums.addOutside('native', 'native', -1, name === 'kernel', places[samples.place[i]!]!, 1);
		} else {
			addGenerated(sums, attribution, i, places);
		}
	}
	return { ...sums.result(() => ({ name: '', id: -1, class: 'native' })), classes: [], counted: attribution.counted };
}

function outsidePlaces({ samples }: Attribution): OutsidePlace[] {
	return samples.places.map(({ symbol, library }) => ({
		symbol: symbol === null || symbol === '[unknown]' ? null : symbol.replace(/\+0x[0-9a-f]+$/, ''),
		library: library?.replace(/^.*\//, '') ?? 'unknown',
		isJvm: isJvmLibrary(library),
		isV8: isV8Library(library),
	}));
}

/** A sample in a stub or the interpreter, by the name of known code, else as the profiler has it. */
function addGenerated(sums: ThreadTimeSums, { samples, reason, target, map }: Attribution, sample: number, places: readonly OutsidePlace[]): void {
	const name = REASONS[reason[sample]!];
	if (name === 'stub' || name === 'interpreter') {
		sums.addGenerated(name === 'stub' ? 'runtime stub' : name, map.code[target[sample]!]?.name ?? places[samples.place[sample]!]!.symbol, 1);
	}
}

/** A function outside of generated code. */
interface OutsidePlace {
	readonly symbol: string | null;
	/** The file's name. */
	readonly library: string;
	readonly isJvm: boolean;
	readonly isV8?: boolean;
}

/** Adds samples up, one after the other. Threads are numbers; below 0: not known. */
export class ThreadTimeSums {
	private readonly rows = THREAD_CLASSES.map(() => ({ samples: 0, threads: new Set<number>(), activities: new Map<string, number>() }));
	private readonly byThread = new Map<number, number>();
	private readonly libraries = new Map<
		string,
		{ samples: number; activities: Map<string, number>; symbols: Map<string, { row: NativeSymbolRow; samples: number }> }
	>();
	private counted = 0;

	addActivity(threadClass: ThreadClass, thread: number, activity: string, weight: number): void {
		this.counted += weight;
		const row = this.rows[THREAD_CLASSES.indexOf(threadClass)]!;
		row.samples += weight;
		if (thread >= 0) {
			row.threads.add(thread);
			add(this.byThread, thread, weight);
		}
		add(row.activities, activity, weight);
	}

	/** In the kernel or a library. `ofThread`: the class of the thread, whatever it did here. */
	addOutside(
		threadClass: ThreadClass,
		ofThread: ThreadClass,
		thread: number,
		isKernel: boolean,
		{ symbol, library, isJvm, isV8 = false }: OutsidePlace,
		weight: number,
	): void {
		const activity = isKernel ? null : isJvm ? activityOf(symbol, ofThread) : isV8 ? v8Activity(symbol) : activityInLibrary(symbol, ofThread);
		const where = isKernel ? 'kernel' : library;
		this.addActivity(threadClass, thread, activity ?? where, weight);
		this.addSymbol(where, symbol, activity, weight);
	}

	/** What the JVM generates besides compilations has names as functions have: a stub, a codelet of the interpreter. Its activity is added apart. */
	addGenerated(where: string, symbol: string | null, weight: number): void {
		this.addSymbol(where, symbol, null, weight);
	}

	private addSymbol(where: string, symbol: string | null, activity: string | null, weight: number): void {
		const owner = this.libraries.get(where) ?? { samples: 0, activities: new Map(), symbols: new Map() };
		this.libraries.set(where, owner);
		owner.samples += weight;
		if (activity !== null) {
			add(owner.activities, activity, weight);
		}
		const key = `${activity}\0${symbol}`;
		const known = owner.symbols.get(key) ?? { row: { symbol, activity, samples: 0 }, samples: 0 };
		known.samples += weight;
		owner.symbols.set(key, known);
	}

	result(threadOf: (thread: number) => Omit<ThreadRow, 'samples'>): ThreadTime {
		return {
			counted: this.counted,
			classes: this.rows
				.map(
					(row, i): ThreadClassRow => ({
						class: THREAD_CLASSES[i]!,
						samples: row.samples,
						share: wilsonInterval(row.samples, this.counted),
						threads: row.threads.size,
						activities: ranked(row.activities),
					}),
				)
				.filter((row) => row.samples > 0)
				.sort((a, b) => b.samples - a.samples),
			threads: [...this.byThread]
				.map(([number, count]): ThreadRow => ({ ...threadOf(number), samples: count }))
				.sort((a, b) => b.samples - a.samples || a.id - b.id),
			libraries: [...this.libraries]
				.map(
					([library, owner]): LibraryRow => ({
						library,
						samples: owner.samples,
						activities: ranked(owner.activities),
						symbols: [...owner.symbols.values()]
							.map(({ row, samples: count }) => ({ ...row, samples: count }))
							.sort((a, b) => b.samples - a.samples || byName(a.symbol, b.symbol) || byName(a.activity, b.activity)),
					}),
				)
				.sort((a, b) => b.samples - a.samples || byName(a.library, b.library)),
		};
	}
}

function add<K>(sums: Map<K, number>, key: K, amount: number): void {
	sums.set(key, (sums.get(key) ?? 0) + amount);
}

/** In whatever order samples come, what has as many stands in the same one; without a name last. */
function byName(a: string | null, b: string | null): number {
	return a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1;
}

function ranked(sums: ReadonlyMap<string, number>): ActivityRow[] {
	return [...sums].map(([name, samples]) => ({ name, samples })).sort((a, b) => b.samples - a.samples || byName(a.name, b.name));
}
