/** From files to a prediction: opens a recording, takes the samples of the chosen threads and time, and reads the code. */
import { addBlame, addRow, type Blame, emptyBlame } from '../bias/blame.js';
import type { StackInput } from '../bias/predicted-stacks.js';
import type { ColdCode, PredictionInput, SampledCode, SampledNative } from '../bias/prediction-input.js';
import type { PrintedMethod } from '../bias/printed-method.js';
import { inNative } from '../bias/safepoint-places.js';
import { type Call, seenCallers, type TopsOfStacks } from '../bias/seen-callers.js';
import { type Attribution, type AttributionOptions, attributeSamples, isNotCounted, REASONS, type Reason } from '../hot/attribute.js';
import type { JvmClock } from '../hot/jvm-clock.js';
import { classifyThreads, type ThreadClasses } from '../hot/thread-classes.js';
import { lastAtOrBelow } from '../model/binary-search.js';
import type { BranchProfile } from '../model/branch-profile.js';
import { type CodeMap, codeMap } from '../model/code-map.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { type Frame, lookAt } from '../model/instructions.js';
import type { Problem } from '../model/problem.js';
import { UsageError } from '../model/problem.js';
import type { SampleFilter } from '../model/sample-filter.js';
import type { SampleWindow } from '../model/sample-window.js';
import type { CompilationLog } from '../recording/compilation-log.js';
import type { Evidence } from '../recording/evidence.js';
import type { Recording } from '../recording/open-recording.js';
import { addNative, rowOf, type SampleOwners, stackInput } from './bias-stacks.js';
import { codeAbove, topsOfStacks } from './code-callers.js';
import { notedWindow, processOfLog, recordedClock, windowSeconds } from './hot.js';
import { wantedSamples } from './wanted-samples.js';

/** Threads of compilers and collectors are seen by no such profiler: of all threads those of Java are taken, of the class `java` without what the recording cost in them. */
export interface BiasRequest extends SampleFilter {
	/** Seconds on the samples' clock, both ends inclusive; infinite both: what the recording says was measured. */
	readonly from: number;
	readonly to: number;
}

export interface OpenedBias {
	readonly input: PredictionInput;
	/** Where the samples are. */
	readonly unbiased: Blame;
	/** Samples of the chosen threads and time. */
	readonly counted: number;
	/** Samples of that time in threads that are not Java's; null where the samples do not tell threads. */
	readonly otherThreads: number | null;
	/** What was measured and is looked at; null: the chosen time, or all. */
	readonly window: SampleWindow | null;
	/** The same samples with their callers. */
	stacks(): StackInput;
	readonly recording: Recording;
	/** How the samples' clock and the JVM's go together. */
	readonly clock: JvmClock;
}

/** Of more compilations only those with samples are looked at: calls of the others are as good as never executed. */
const MOST_CANDIDATES = 10_000;
/** So many compilations, the hottest, are followed to where they stop; where there are more, calls are looked for in twice as many. */
const MOST_FOLLOWED = 1000;

/** What is said where {@link MOST_FOLLOWED} leaves some out. */
export function coldDoubts({ input: { sampled, cold }, counted, recording }: OpenedBias): Problem[] {
	if (cold.length === 0) {
		return [];
	}
	const samples = cold.reduce((sum, row) => sum + row.samples, 0);
	return [
		{
			severity: 'warning',
			file: recording.samplesFile,
			message: `${((100 * samples) / counted).toFixed(1)} % of the samples are in ${cold.length} compilations with ${cold[0]!.samples === 1 ? 'one sample' : `${cold[0]!.samples} samples or fewer`} each`,
			action: `they are taken to stay where they are; only the ${sampled.length} hottest compilations are followed to where they stop`,
		},
	];
}

/** Throws an InputError when there are no samples. The evidence has to be opened with threads. */
export async function openBias(evidence: Evidence, request: BiasRequest): Promise<OpenedBias> {
	return biasOf(await evidence.sampled(), request, await logOfBranches(evidence));
}

/** Flight Recorder tells of no branches. */
export async function logOfBranches(evidence: Evidence): Promise<CompilationLog | null> {
	const { found } = await evidence.chosen();
	return found.files.logCompilation.length === 0 ? null : evidence.compilationLogIfAny();
}

/** The same of a recording that is open, with its compilers' log. */
export async function biasOf(recording: Recording, request: BiasRequest, log: CompilationLog | null): Promise<OpenedBias> {
	return (await biasRequests(recording, log))(request);
}

/** The same for several requests of one recording, which is read once. */
export async function biasRequests(recording: Recording, log: CompilationLog | null): Promise<(request: BiasRequest) => OpenedBias> {
	const map = codeMap(recording.code);
	const whole = attribute(recording, map);
	const noted = notedWindow(recording);
	const measured = noted === null ? whole : attributeWindow(recording, map, windowSeconds(noted), { clock: whole.clock, startSeconds: whole.startSeconds });
	const compilations = recording.code.filter(({ kind }) => kind === 'compilation');
	const isLarge = compilations.length > MOST_CANDIDATES;
	const sampled = new Set(isLarge ? whole.target : []);
	const callers = isLarge ? codeAbove(whole, recording.details.tops) : new Set<GeneratedCode>();
	const wrappers = recording.code.filter(({ kind }) => kind === 'native wrapper');
	const isRead = (code: GeneratedCode, i: number): boolean => callers.has(code) || (code.kind === 'compilation' && sampled.has(i));
	const printed = await recording.readCode(
		isLarge ? map.code.filter(isRead) : recording.details.tops === undefined ? compilations : [...compilations, ...wrappers],
	);
	// Those of method handles jump to what they link.
	const natives = wrappers.filter(({ name }) => !name.startsWith('java.lang.invoke.MethodHandle'));
	const branchesOf = profiles(log);
	const methods = new Map<GeneratedCode, PrintedMethod>();
	const printedWrappers = new Map<GeneratedCode, PrintedMethod>();
	for (const [code, text] of printed) {
		if (text.instructions.length > 0) {
			(code.kind === 'compilation' ? methods : printedWrappers).set(code, {
				code,
				instructions: text.instructions,
				labels: text.labels,
				branches: branchesOf(code),
			});
		}
	}
	const classes = recording.threads === null ? null : classifyThreads(whole, recording.threads, recording);
	const isJava = javaSamples(classes, recording);
	return (request) => {
		if ((request.threadClass ?? 'java') !== 'java') {
			throw new UsageError(`a profiler that sees threads at safepoints sees those of Java: --class takes java, not ${request.threadClass}`);
		}
		const isWanted = wantedSamples(recording, classes, request);
		const isOfAllTimes = request.wholeRun !== true && request.from === Number.NEGATIVE_INFINITY && request.to === Number.POSITIVE_INFINITY;
		const attribution = isOfAllTimes ? measured : whole;
		const isCounted = (i: number): boolean => isOfTime(attribution, request, i) && isJava?.(i) !== false && isWanted?.(i) !== false;
		const { tops: copied } = recording.details;
		const tops = copied === undefined ? null : topsOfStacks(attribution, copied, new Map([...methods, ...printedWrappers]));
		const owners: SampleOwners = {
			ownerOf: (i) => tops?.ownerOf(i, map.code[attribution.target[i]!]) ?? null,
			leftOf: (i) => tops?.leftForKernel(i) ?? null,
		};
		const collected = collect(attribution, methods, natives, isJava, isWanted, request, tops, owners);
		return {
			...collected,
			stacks: () => stackInput(attribution, methods, recording, isCounted, owners, collected.input),
			window: isOfAllTimes ? noted : null,
			recording,
			clock: attribution.clock,
		};
	};
}

/** What C2 was told of branches, where its log was kept. */
function profiles(log: CompilationLog | null): (code: GeneratedCode) => () => BranchProfile | null {
	const compilations = new Map(log?.history.compilations.map((one) => [one.compileId, one]));
	return (code) => () => {
		const compilation = code.compiler === 'c2' && code.compileId !== null ? compilations.get(code.compileId) : undefined;
		return compilation?.method === code.name ? (log?.readBranches?.(compilation) ?? null) : null;
	};
}

function attribute(recording: Recording, map: CodeMap): Attribution {
	const first = attributeWindow(recording, map, windowSeconds(null), { clock: recordedClock(recording) });
	const clock = startedUnderProfiler(first);
	return clock === null ? first : attributeWindow(recording, map, windowSeconds(null), { clock, startSeconds: first.startSeconds });
}

function attributeWindow(
	recording: Recording,
	map: CodeMap,
	window: { from: number; to: number },
	start: Pick<AttributionOptions, 'clock' | 'startSeconds'>,
): Attribution {
	return attributeSamples(recording.samples, map, { event: 0, processId: processOfLog(recording), window, ...start });
}

/**
 * A JVM that was started under the profiler has its first sample within milliseconds: better than what the installation of code says, which
 * is only the latest start that is possible. null where that is before the first sample: the profiler came later.
 */
function startedUnderProfiler({ samples, reason, clock }: Attribution): JvmClock | null {
	let first = Number.POSITIVE_INFINITY;
	const other = new Set((['other process', 'other event'] as Reason[]).map((why) => REASONS.indexOf(why)));
	for (let i = 0; i < samples.length; i++) {
		if (!other.has(reason[i]!)) {
			first = Math.min(first, samples.timeSeconds[i]!);
		}
	}
	return clock.source === 'samples' && first <= clock.startSeconds ? { startSeconds: first, uncertaintySeconds: 0.01, source: 'recorded' } : null;
}

/** Which samples are of threads that run Java; null where the samples do not tell. */
function javaSamples(classes: ThreadClasses | null, { threads }: Recording): ((sample: number) => boolean) | null {
	return threads === null || classes === null ? null : (i) => classes.ofThread[threads.of[i]!] === 'java';
}

interface SampledPlaces {
	/** Numbers of the samples. */
	readonly samples: number[];
	/** By instruction. */
	readonly places: Map<number, Located>;
	from: number;
	to: number;
}

function collect(
	attribution: Attribution,
	methods: ReadonlyMap<GeneratedCode, PrintedMethod>,
	wrappers: readonly GeneratedCode[],
	isJava: ((sample: number) => boolean) | null,
	isWanted: ((sample: number) => boolean) | null,
	request: BiasRequest,
	tops: TopsOfStacks | null,
	{ ownerOf, leftOf }: SampleOwners,
): Omit<OpenedBias, 'window' | 'recording' | 'clock' | 'stacks'> {
	const { samples, map, target, reason, clock } = attribution;
	const unbiased = emptyBlame();
	const sampled = new Map<PrintedMethod, SampledPlaces>();
	const native = new Map<string, SampledNative>();
	const inKernel = new Map<PrintedMethod, SampledPlaces>();
	/** By sample in the kernel the address at which it took over. */
	const leftAt = new Map<number, number>();
	/** Compilations whose only samples are in the stubs that they call, or in the kernel. */
	const withoutOwn = new Map<PrintedMethod, { from: number; to: number }>();
	/** Of the JVM's clock; null where it is not known. */
	const secondsOf = (i: number): number | null => (Number.isNaN(clock.startSeconds) ? null : samples.timeSeconds[i]! - clock.startSeconds);
	const wanted: number[] = [];
	let others = 0;
	for (let i = 0; i < samples.length; i++) {
		if (!isOfTime(attribution, request, i)) {
			continue;
		}
		if (isJava?.(i) === false) {
			others++;
			continue;
		}
		if (isWanted?.(i) === false) {
			continue;
		}
		wanted.push(i);
		const left = REASONS[reason[i]!] === 'kernel' ? leftOf(i) : null;
		const method = left?.method ?? methods.get(map.code[target[i]!]!);
		if (method === undefined) {
			continue;
		}
		const rows = left === null ? sampled : inKernel;
		if (left !== null) {
			leftAt.set(i, left.method.instructions.address[left.instruction]!);
		}
		const seconds = secondsOf(i);
		const row = rows.get(method) ?? {
			samples: [],
			places: new Map<number, Located>(),
			from: Number.POSITIVE_INFINITY,
			to: Number.NEGATIVE_INFINITY,
		};
		row.samples.push(i);
		row.from = Math.min(row.from, seconds ?? Number.NEGATIVE_INFINITY);
		row.to = Math.max(row.to, seconds ?? Number.POSITIVE_INFINITY);
		rows.set(method, row);
	}
	// A piece of code is looked at once for all of its samples; the profile lists what it names in the order of time.
	const places = new Array<Located | undefined>(samples.length);
	const { addresses, of } = attribution.numbered;
	for (const [method, row] of [...sampled, ...inKernel]) {
		locate(method, row, (i) => leftAt.get(i) ?? addresses[of[i]!]!, places);
	}
	for (const i of wanted) {
		const place = places[i];
		if (place !== undefined) {
			if (place.left > 0) {
				addBlame(unbiased, place.frames, place.left);
				place.left = 0;
			}
			continue;
		}
		const why = REASONS[reason[i]!];
		const isStub = why === 'stub';
		const owner = isStub || why === 'native library' || why === 'kernel' || why === 'interpreter' ? ownerOf(i) : null;
		if (owner?.method == null) {
			addRow(unbiased, rowOf(why), 1);
		} else {
			addBlame(unbiased, [inNative(owner.method)], 1);
		}
		if (isStub || why === 'native library' || owner !== null) {
			addNative(native, attribution, i, owner);
			const call = owner?.call ?? null;
			if (call !== null && owner?.method === null && !sampled.has(call.method)) {
				const seconds = secondsOf(i);
				const { from, to } = withoutOwn.get(call.method) ?? { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
				withoutOwn.set(call.method, {
					from: Math.min(from, seconds ?? Number.NEGATIVE_INFINITY),
					to: Math.max(to, seconds ?? Number.POSITIVE_INFINITY),
				});
			}
		}
	}
	function* calls(seen: TopsOfStacks): Iterable<readonly [PrintedMethod, Call]> {
		for (const [method, row] of sampled) {
			for (const i of row.samples) {
				const call = seen.callerOf(i, method, places[i]!.instruction);
				if (call !== null) {
					yield [method, call];
				}
			}
		}
	}
	const rows = [...sampled].map(([method, row]) => ({ method, ...row }));
	const hottest = rows.length > MOST_FOLLOWED ? rows.sort((a, b) => b.samples.length - a.samples.length) : rows;
	const kept = new Set(hottest.slice(0, MOST_FOLLOWED).map(({ method }) => method));
	const isFollowed = (method: PrintedMethod): boolean => kept.has(method) || rows.length <= MOST_FOLLOWED;
	const rowsInKernel = [...inKernel].map(([method, row]) => ({ method, ...row }));
	for (const { method, from, to } of rowsInKernel) {
		if (!kept.has(method) && isFollowed(method) && !withoutOwn.has(method)) {
			withoutOwn.set(method, { from, to });
		}
	}
	const candidates = rows.length > MOST_FOLLOWED ? hottest.slice(0, 2 * MOST_FOLLOWED).map(({ method }) => method) : [...methods.values()];
	return {
		input: {
			sampled: [...hottest.slice(0, MOST_FOLLOWED).map(followed), ...[...withoutOwn].map(withoutSamples)],
			cold: [...hottest.slice(MOST_FOLLOWED), ...rowsInKernel.filter(({ method }) => !isFollowed(method))]
				.sort((a, b) => b.samples.length - a.samples.length)
				.map(notFollowed),
			inKernel: rowsInKernel.filter(({ method }) => isFollowed(method)).map(followed),
			methods: candidates,
			wrappers,
			native: [...native.values()],
			...(tops === null ? {} : { callers: seenCallers(calls(tops)) }),
		},
		unbiased,
		counted: wanted.length,
		otherThreads: isJava === null ? null : others,
	};
}

function followed({ method, places, from, to }: SampledPlaces & { readonly method: PrintedMethod }): SampledCode {
	const counts = new Float64Array(method.instructions.length);
	for (const [instruction, { count }] of places) {
		counts[instruction] = count;
	}
	return { method, counts, from, to };
}

function withoutSamples([method, time]: readonly [PrintedMethod, { readonly from: number; readonly to: number }]): SampledCode {
	return { method, counts: new Float64Array(method.instructions.length), ...time };
}

function notFollowed({ method, samples, places, from, to }: SampledPlaces & { readonly method: PrintedMethod }): ColdCode {
	const inOrder = [...places].sort(([a], [b]) => a - b).map(([, { frames, count }]) => ({ frames, count }));
	return { method, places: inOrder, samples: samples.length, from, to };
}

/** An instruction with samples. */
interface Located {
	readonly instruction: number;
	readonly frames: readonly Frame[];
	/** Samples. */
	count: number;
	/** Samples that are not in the profile yet. */
	left: number;
}

/** Where the samples of a piece of code are: counts by instruction, and of each sample its place. */
function locate(
	method: PrintedMethod,
	{ samples, places: known }: SampledPlaces,
	addressOf: (sample: number) => number,
	places: (Located | undefined)[],
): void {
	const { instructions, code } = method;
	const at = lookAt(instructions, ({ address }) => Int32Array.from(samples, (i) => Math.max(0, lastAtOrBelow(address, addressOf(i)))));
	samples.forEach((i, k) => {
		const instruction = at[k]!;
		let place = known.get(instruction);
		if (place === undefined) {
			const frames = instructions.frames(instruction);
			place = { instruction, frames: frames.length > 0 ? frames : [{ method: code.name, bci: -1, line: null }], count: 0, left: 0 };
			known.set(instruction, place);
		}
		place.count++;
		place.left++;
		places[i] = place;
	});
}

/** Whether a sample is of the JVM and of the time that was asked for. */
function isOfTime({ samples, reason }: Attribution, { from, to }: BiasRequest, i: number): boolean {
	const time = samples.timeSeconds[i]!;
	const why = REASONS[reason[i]!];
	return time >= from && time <= to && (why === undefined || !isNotCounted(why));
}
