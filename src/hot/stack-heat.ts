/**
 * Time by method, line and compilation from samples that have stacks and no addresses, such as Flight Recorder's. A frame tells its method, bytecode index, line
 * and whether it is interpreted, compiled or inlined; which of the method's compilations was executed is told by the time: the one that was installed last, or
 * OSR code where that is of a higher level.
 */
import { KERNEL_ROW, NATIVE_ROW } from '../model/frame-rows.js';
import { withoutHiddenAddress } from '../model/hidden-class.js';
import type { JitCompilation } from '../model/jit-compilation.js';
import { wasInstalled } from '../model/jit-compilation.js';
import { nameMatches } from '../model/name-pattern.js';
import type { SampleFilter } from '../model/sample-filter.js';
import { SparseColumn } from '../model/sparse-column.js';
import { isWaitingState, type StackMethod, type StackSamples } from '../model/stack-samples.js';
import { type ThreadClass, threadClassOfName } from '../model/thread-class.js';
import { type Share, wilsonInterval } from '../statistics/shares.js';
import type { Reason } from './attribute.js';
import type { RunHeat } from './run-heat.js';
import { functionOfLibrary, isSystemPage, stackThreadTime } from './stack-thread-time.js';
import type { ThreadTime } from './thread-time.js';

export interface StackHeatInput {
	readonly samples: StackSamples;
	/** The event that is counted: a position in the samples' `events`. */
	readonly event: number;
	/** Nanoseconds since 1970 at which the JVM's clock stood at 0; null: nothing tells. */
	readonly jvmStartEpochNs: bigint | null;
	/** Of the run; empty where nothing tells of them. */
	readonly compilations: readonly JitCompilation[];
	readonly filter: SampleFilter;
	/** Native functions are rows of their own: where the profile is not of a JVM's profiler, they are what the program consists of. */
	readonly namesFunctions?: boolean;
}

/** A method whose own code was sampled: inlined or not. */
export interface HotMethod {
	/** Holder and name with dots. */
	readonly method: string;
	readonly descriptor: string | null;
	readonly samples: number;
	readonly share: Share;
	/** They add up to `samples`: in a compilation of its own, inlined into another, interpreted, as a native method, or not told. */
	readonly compiled: number;
	readonly inlined: number;
	readonly interpreted: number;
	readonly native: number;
	readonly untold: number;
	/** With most samples; null where no line is told. */
	readonly line: { readonly line: number; readonly samples: number } | null;
}

export interface StackHeat extends RunHeat {
	readonly lines: NonNullable<RunHeat['lines']>;
	/** Most samples first. */
	readonly hotMethods: readonly HotMethod[];
	/** Of the counted samples, those without a stack. */
	readonly failed: number;
	/** Seconds from the first sample to the last; null without times. */
	readonly seconds: number | null;
	/** null where the profiler is none of a JVM, or does not say which libraries native functions are of. */
	readonly threadTime: ThreadTime | null;
}

/** Where a stack was executed. */
interface Place {
	/** null: compiled code. */
	readonly reason: Reason | null;
	/** The method whose compilation was executed; -1: none was. */
	readonly compiledMethod: number;
	/** C1 alone, where the profiler says so. */
	readonly isOfC1: boolean;
	/** The innermost method, of Java; -1: none. */
	readonly method: number;
	readonly line: number;
	readonly how: 'compiled' | 'inlined' | 'interpreted' | 'native' | 'untold';
}

export function heatOfStacks({ samples, event, jvmStartEpochNs, compilations, filter, namesFunctions = false }: StackHeatInput): StackHeat {
	const places = Array.from({ length: samples.stacks.length }, (_, stack) => placeOf(samples, stack));
	const finder = new CompilationFinder(
		compilations,
		places.flatMap(({ compiledMethod }) => samples.frames.methods[compiledMethod]?.name ?? []),
	);
	const skippedFor = notCounted(samples, event, filter);
	const startMs = jvmStartEpochNs === null ? null : Number(samples.originEpochNs - jvmStartEpochNs) / 1e6;
	const reasons = new Map<string, number>();
	const others = new Map<string, number>();
	const byCompilation = new Map<string, number>();
	const methods = new Map<number, MethodSum>();
	const sameMethod = firstOfName(samples);
	const threadTime = !namesFunctions || namesThreadsOfJvm(samples) ? stackThreadTime(samples, namesFunctions) : null;
	const [sums, span] = [
		{ total: 0, counted: 0, failed: 0 },
		{ first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY },
	];
	for (let i = 0; i < samples.length; i++) {
		const weight = samples.weight[i]!;
		sums.total += weight;
		const skipped = skippedFor(i);
		if (skipped !== null) {
			add(reasons, skipped, weight);
			continue;
		}
		sums.counted += weight;
		const time = samples.timeNs?.[i] ?? Number.NaN;
		span.first = Math.min(span.first, Number.isNaN(time) ? span.first : time);
		span.last = Math.max(span.last, Number.isNaN(time) ? span.last : time);
		const stack = samples.stack[i]!;
		const place = stack < 0 ? NOWHERE : places[stack]!;
		sums.failed += stack < 0 ? weight : 0;
		addMethod(methods, place, sameMethod, weight);
		threadTime?.add(i, activityOf(place), leafMethod(samples, stack), weight);
		const compiled = samples.frames.methods[place.compiledMethod];
		const ms = startMs === null ? Number.NaN : startMs + time / 1e6;
		const compileId = compiled === undefined || place.reason !== null ? null : finder.find(compiled, place.isOfC1, ms, weight);
		if (compileId !== null) {
			add(byCompilation, compileId, weight);
			continue;
		}
		const reason = place.reason ?? 'named by the profiler only';
		add(reasons, reason, weight);
		const named = threadTime?.hasLibraries === true ? libraryRow(samples, stack) : namesFunctions ? nativeName(samples, stack) : null;
		add(others, compiled?.name ?? named ?? ROWS[reason] ?? `(${reason})`, weight);
	}
	const names = new Map(compilations.map(({ compileId, method }) => [compileId, method]));
	const hotMethods = rowsOf(methods, samples, sums.counted);
	return {
		event: samples.events[event] ?? '',
		attribution: { total: sums.total, counted: sums.counted, ambiguous: finder.ambiguous },
		reasons,
		methods: ranked(others).map(([method, count]) => ({ method, versions: [], samples: count, share: wilsonInterval(count, sums.counted) })),
		code: ranked(byCompilation).map(([compileId, count]) => ({
			code: { compileId, name: names.get(compileId) ?? '' },
			samples: count,
			instructions: null,
			seenAt: NOTHING,
		})),
		lines: linesOf(samples, hotMethods),
		hotMethods,
		failed: sums.failed,
		seconds: span.last > span.first ? (span.last - span.first) / 1e9 : null,
		threadTime: threadTime?.result() ?? null,
	};
}

const OWN_CLASSES: ReadonlySet<ThreadClass | null> = new Set(['c1', 'c2', 'jvmci', 'gc', 'jvm']);

/** Whether threads have the names that HotSpot gives its own: a profile of a JVM, with threads. */
function namesThreadsOfJvm({ threads }: StackSamples): boolean {
	return threads.some(({ name }) => OWN_CLASSES.has(threadClassOfName(name ?? '')));
}

/** Why a sample is not counted; null: it is. Threads that wait take no time. */
export function notCounted(samples: StackSamples, event: number, filter: SampleFilter): (sample: number) => 'other event' | 'other thread' | null {
	const threads = samples.threads.map(({ name }) => isOfThread(name, filter));
	const waiting = samples.states.map(isWaitingState);
	return (i) =>
		samples.event[i] !== event || waiting[samples.state[i]!] === true ? 'other event' : threads[samples.thread[i]!] === false ? 'other thread' : null;
}

/** Samples whose stack the profiler could not walk. */
export const NO_STACK_ROW = '(no stack)';
/** How reasons are called that `assay hot` has another row for. */
const ROWS: Partial<Record<Reason, string>> = { 'native library': NATIVE_ROW, unknown: NO_STACK_ROW };
const NOTHING = new SparseColumn(0, new Map());
const NOWHERE: Place = { reason: 'unknown', compiledMethod: -1, isOfC1: false, method: -1, line: -1, how: 'untold' };

function isOfThread(name: string | null, { thread = null, threadClass = null }: SampleFilter): boolean {
	return (thread === null || (name !== null && nameMatches(thread, name))) && (threadClass === null || classOf(name) === threadClass);
}

/** What HotSpot samples are threads of Java; its own and async-profiler's have names. */
function classOf(name: string | null): ThreadClass {
	return threadClassOfName(name ?? '') ?? 'java';
}

const COMPILED = /^(?:JIT|C[12]) compiled$/;

function placeOf({ frames, stacks }: StackSamples, stack: number): Place {
	const end = stacks.starts[stack + 1]!;
	const first = stacks.starts[stack]!;
	if (first === end) {
		return NOWHERE;
	}
	const leaf = stacks.frame[first]!;
	const method = frames.method[leaf]!;
	const { row } = frames.methods[method]!;
	const nothing = { compiledMethod: -1, isOfC1: false };
	if (row.startsWith('(')) {
		const reason = row === KERNEL_ROW ? 'kernel' : row === NATIVE_ROW ? 'native library' : 'unknown';
		return { ...NOWHERE, reason };
	}
	const kind = frames.kinds[frames.kind[leaf]!] ?? '';
	const line = frames.line[leaf]!;
	if (kind === 'Interpreted') {
		return { reason: 'interpreter', ...nothing, method, line, how: 'interpreted' };
	}
	if (kind === 'Native') {
		return { reason: 'native library', ...nothing, method, line, how: 'native' };
	}
	for (let at = first; at < end; at++) {
		const frame = stacks.frame[at]!;
		const own = frames.kinds[frames.kind[frame]!] ?? '';
		if (own !== 'Inlined') {
			const compiledMethod = frames.method[frame]!;
			return COMPILED.test(own)
				? {
						reason: null,
						compiledMethod,
						isOfC1: own === 'C1 compiled',
						method,
						line,
						how: at === first ? 'compiled' : 'inlined',
					}
				: { reason: 'named by the profiler only', ...nothing, compiledMethod, method, line, how: at === first ? 'untold' : 'inlined' };
		}
	}
	// The stack was cut in what was inlined.
	return { reason: 'named by the profiler only', ...nothing, compiledMethod: method, method, line, how: 'inlined' };
}

/** Of the innermost frame, in round brackets; null where it has none. */
function nativeName(samples: StackSamples, stack: number): string | null {
	const method = samples.frames.methods[leafMethod(samples, stack)];
	return method === undefined || method.name === '' || !method.row.startsWith('(') ? null : `(${method.name})`;
}

/** `(libjvm.so)`; what is in no library, the JVM has generated, but for the system's own page. Null where the innermost frame is none of native code. */
function libraryRow(samples: StackSamples, stack: number): string | null {
	const method = samples.frames.methods[leafMethod(samples, stack)];
	if (method?.row !== NATIVE_ROW) {
		return null;
	}
	return `(${functionOfLibrary(method.name)?.library ?? (isSystemPage(method.name) ? method.name : 'stub')})`;
}

/** Of the innermost frame; -1 without one. */
function leafMethod({ frames, stacks }: StackSamples, stack: number): number {
	return stack < 0 || stacks.starts[stack] === stacks.starts[stack + 1] ? -1 : frames.method[stacks.frame[stacks.starts[stack]!]!]!;
}

/** As with samples that have addresses. */
function activityOf({ reason, how }: Place): string {
	return reason === null || (reason === 'named by the profiler only' && how !== 'native') ? 'compiled code' : reason;
}

interface MethodSum {
	samples: number;
	readonly by: Record<Place['how'], number>;
	readonly lines: Map<number, number>;
}

/** Of each method the first with its name and descriptor: methods of classes of one name share a row. */
function firstOfName({ frames }: StackSamples): Int32Array {
	const first = new Map<string, number>();
	return Int32Array.from(frames.methods, ({ name, descriptor, row }, number) => {
		const key = JSON.stringify([name, descriptor, row]);
		const known = first.get(key) ?? number;
		first.set(key, known);
		return known;
	});
}

function addMethod(sums: Map<number, MethodSum>, { method: own, line, how }: Place, sameMethod: Int32Array, weight: number): void {
	if (own < 0) {
		return;
	}
	const method = sameMethod[own]!;
	const sum = sums.get(method) ?? { samples: 0, by: { compiled: 0, inlined: 0, interpreted: 0, native: 0, untold: 0 }, lines: new Map() };
	sums.set(method, sum);
	sum.samples += weight;
	sum.by[how] += weight;
	if (line > 0) {
		sum.lines.set(line, (sum.lines.get(line) ?? 0) + weight);
	}
}

function rowsOf(sums: ReadonlyMap<number, MethodSum>, { frames }: StackSamples, counted: number): HotMethod[] {
	return [...sums]
		.map(([number, { samples, by, lines }]): HotMethod => {
			const { name, descriptor } = frames.methods[number]!;
			const [most] = [...lines].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
			const line = most === undefined ? null : { line: most[0], samples: most[1] };
			return { method: name, descriptor, samples, share: wilsonInterval(samples, counted), ...by, line };
		})
		.sort((a, b) => b.samples - a.samples || (a.method < b.method ? -1 : 1));
}

interface KnownPlace {
	readonly descriptor: string | null;
	readonly bci: number;
	readonly line: number;
}

function linesOf({ frames }: StackSamples, hotMethods: readonly HotMethod[]): StackHeat['lines'] {
	const hottest = new Map<string, { line: number; samples: number }>();
	for (const { method, line } of hotMethods) {
		if (line !== null && line.samples > (hottest.get(method)?.samples ?? 0)) {
			hottest.set(method, line);
		}
	}
	let places: Map<string, KnownPlace[]> | null = null;
	const placesOf = (method: string): readonly KnownPlace[] => {
		if (places === null) {
			places = new Map();
			for (let i = 0; i < frames.length; i++) {
				const { name, descriptor } = frames.methods[frames.method[i]!]!;
				const known = places.get(name) ?? [];
				places.set(name, known);
				known.push({ descriptor, bci: frames.bci[i]!, line: frames.line[i]! });
			}
		}
		return places.get(method) ?? [];
	};
	return {
		lineOf: (method, bci) => {
			const known = placesOf(method);
			let best = { bci: -1, line: -1 };
			for (const place of known) {
				// Methods of one name have different lines.
				if (place.descriptor !== known[0]!.descriptor) {
					return null;
				}
				best = place.line > 0 && place.bci >= 0 && place.bci <= bci && place.bci > best.bci ? place : best;
			}
			return best.line > 0 ? best.line : null;
		},
		hottestLine: (method) => hottest.get(method)?.line ?? null,
	};
}

/** Traps with these actions end the life of the code. */
const FATAL = new Set(['reinterpret', 'make_not_entrant', 'make_not_compilable']);

interface Version {
	readonly compileId: string;
	readonly isOsr: boolean;
	readonly level: number;
	readonly isOfC1: boolean;
	/** 0: not told. */
	readonly classId: number;
	/** Milliseconds since the JVM's start. */
	readonly fromMs: number;
	readonly toMs: number;
}

/** Which of a method's compilations a thread executed at a time. */
class CompilationFinder {
	ambiguous = 0;
	private readonly versions = new Map<string, Version[]>();
	private readonly known = new Map<StackMethod, readonly Version[]>();

	/** `names`: of the methods that are asked for; most of what was compiled was never seen in a sample. */
	constructor(compilations: readonly JitCompilation[], names: readonly string[]) {
		const wanted = new Set(names.flatMap((name) => [name, withoutHiddenAddress(name)]));
		for (const one of compilations) {
			if (!wanted.has(one.method) && !wanted.has(withoutHiddenAddress(one.method))) {
				continue;
			}
			const { compileId, kind, method, signature, classId = 0, compiler, level, installedMs, doneMs, notEntrant, deoptimizations } = one;
			if (kind === 'native wrapper' || !wasInstalled(one)) {
				continue;
			}
			const toMs = deoptimizations.reduce(
				(first, { action, ms }) => (ms !== null && FATAL.has(action ?? '') ? Math.min(first, ms) : first),
				notEntrant?.ms ?? Number.POSITIVE_INFINITY,
			);
			const version = {
				compileId,
				isOsr: kind === 'osr',
				level: level ?? 0,
				isOfC1: compiler === 'c1',
				classId,
				fromMs: installedMs ?? doneMs ?? Number.NEGATIVE_INFINITY,
				toMs,
			};
			for (const key of keysOf(method, signature)) {
				const known = this.versions.get(key) ?? [];
				this.versions.set(key, known);
				known.push(version);
			}
		}
		for (const versions of this.versions.values()) {
			versions.sort((a, b) => a.fromMs - b.fromMs);
		}
	}

	/** `ms`: since the JVM's start; NaN: not known. Null: none had been installed then. */
	find(method: StackMethod, isOfC1: boolean, ms: number, weight: number): string | null {
		let all = this.known.get(method);
		if (all === undefined) {
			const key = keysOf(method.name, method.descriptor).find((one) => this.versions.has(one));
			const { classId = 0 } = method;
			all = (key === undefined ? [] : this.versions.get(key)!).filter((one) => classId === 0 || one.classId === 0 || one.classId === classId);
			this.known.set(method, all);
		}
		const installed = all.filter((one) => !(one.fromMs > ms) && (!isOfC1 || one.isOfC1));
		const alive = installed.filter(({ toMs }) => !(toMs <= ms));
		const candidates = alive.length > 0 ? alive : installed;
		const standard = candidates.findLast(({ isOsr }) => !isOsr);
		const osr = candidates.findLast(({ isOsr }) => isOsr);
		if (standard === undefined || osr === undefined) {
			this.ambiguous += Number.isNaN(ms) && candidates.length > 1 ? weight : 0;
			return (standard ?? osr)?.compileId ?? null;
		}
		this.ambiguous += weight;
		// Lower code than there was is made only when that is gone.
		const isOsr = osr.level > standard.level || osr.fromMs > standard.fromMs;
		return (isOsr ? osr : standard).compileId;
	}
}

/** The most exact first: hidden classes without the address, which is another one in each kind of file; without the descriptor, which is not told by all. */
function keysOf(name: string, descriptor: string | null): readonly string[] {
	const names = [...new Set([name, withoutHiddenAddress(name)])];
	return [...new Set([...names.map((one) => `${one}${descriptor ?? ''}`), ...names])];
}

function add(sums: Map<string, number>, name: string, amount: number): void {
	sums.set(name, (sums.get(name) ?? 0) + amount);
}

function ranked(sums: ReadonlyMap<string, number>): [string, number][] {
	return [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
