/**
 * Time by class of thread from samples with stacks, where their profiler walks native code and says which library it is in (async-profiler's .jfr): as
 * {@link threadTime} tells it of samples with addresses.
 */

import { isJvmLibrary } from '../model/jvm-library.js';
import type { StackSamples } from '../model/stack-samples.js';
import { type ThreadClass, threadClassOfName } from '../model/thread-class.js';
import { type ThreadTime, ThreadTimeSums } from './thread-time.js';

/** The library of `libjvm.so`Compile::Code_Gen`, as profilers name functions. */
const FUNCTION = /^([^`]{1,200})`(.*)$/s;
const PROFILER = /^libasyncProfiler\b/;

/** A function of native code with its library, by the name of its method; null: nothing says it. */
export function functionOfLibrary(name: string): { readonly library: string; readonly symbol: string } | null {
	const [, library, symbol] = FUNCTION.exec(name) ?? [];
	return library === undefined || symbol === undefined ? null : { library, symbol };
}

/** Code of the kernel in every process, which no file holds. */
export function isSystemPage(name: string): boolean {
	return name === '[vdso]';
}

/** null where no frame names a library, unless functions without one are enough. */
export function stackThreadTime(samples: StackSamples, withoutLibraries = false): StackThreadTime | null {
	const functions = samples.frames.methods.map(({ name, row }) => (row.startsWith('(') ? functionOfLibrary(name) : null));
	const hasLibraries = functions.some((one) => one !== null);
	return hasLibraries || withoutLibraries ? new StackThreadTime(samples, functions, hasLibraries) : null;
}

/** Adds up samples that are counted, one after the other. */
class StackThreadTime {
	private readonly sums = new ThreadTimeSums();
	private readonly samples: StackSamples;
	private readonly classes: readonly ThreadClass[];
	private readonly functions: readonly ReturnType<typeof functionOfLibrary>[];
	/** Whether native functions are told with their libraries. */
	readonly hasLibraries: boolean;

	/** `functions`: of each method of the frames. */
	constructor(samples: StackSamples, functions: readonly ReturnType<typeof functionOfLibrary>[], hasLibraries: boolean) {
		this.samples = samples;
		this.hasLibraries = hasLibraries;
		this.functions = functions;
		const runsJava = threadsOfJava(samples);
		this.classes = samples.threads.map(({ name }, thread) => threadClassOfName(name ?? '') ?? (runsJava.has(thread) ? 'java' : 'native'));
	}

	/** `activity`: what the innermost frame does, in the words of attribution (`compiled code`, `native library`, …); `method`: its position in `frames.methods`, -1 without frames. */
	add(sample: number, activity: string, method: number, weight: number): void {
		const thread = this.samples.thread[sample]!;
		const ofThread = this.classes[thread] ?? 'native';
		const place = this.functions[method] ?? null;
		const name = this.samples.frames.methods[method]?.name ?? '';
		const threadClass = place !== null && PROFILER.test(place.library) ? 'recording' : ofThread;
		if (activity === 'kernel') {
			this.sums.addOutside(threadClass, ofThread, thread, true, { symbol: place?.symbol ?? name, library: 'kernel', isJvm: false }, weight);
		} else if (activity === 'native library' && place !== null) {
			this.sums.addOutside(threadClass, ofThread, thread, false, { ...place, isJvm: isJvmLibrary(place.library) }, weight);
		} else if (activity === 'native library' && !this.hasLibraries) {
			this.sums.addActivity(threadClass, thread, 'native code', weight);
		} else {
			// Where libraries are named, what has none is code that the JVM generates, but for the system's own page.
			this.sums.addActivity(threadClass, thread, activity === 'native library' ? (isSystemPage(name) ? name : 'stubs') : activity, weight);
		}
	}

	result(): ThreadTime {
		return this.sums.result((thread) => ({ name: '?', id: -1, ...named(this.samples.threads[thread]), class: this.classes[thread]! }));
	}
}

function named(thread: StackSamples['threads'][number] | undefined): { name: string; id: number } | null {
	return thread?.name == null ? null : { name: thread.name, id: thread.id };
}

/** Threads with a method of Java on a stack. */
function threadsOfJava({ length, thread, stack, stacks, frames }: StackSamples): ReadonlySet<number> {
	const hasJava = new Uint8Array(stacks.length);
	for (let one = 0; one < stacks.length; one++) {
		for (let at = stacks.starts[one]!; at < stacks.starts[one + 1]! && hasJava[one] === 0; at++) {
			hasJava[one] = frames.methods[frames.method[stacks.frame[at]!]!]!.row.startsWith('(') ? 0 : 1;
		}
	}
	const result = new Set<number>();
	for (let i = 0; i < length; i++) {
		if (stack[i]! >= 0 && hasJava[stack[i]!] === 1) {
			result.add(thread[i]!);
		}
	}
	return result;
}
