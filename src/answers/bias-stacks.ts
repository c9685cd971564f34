/** The samples of a prediction with what called them. */
import type { CalledCode, KnownCallers, NativeCall, StackInput } from '../bias/predicted-stacks.js';
import type { PredictionInput, SampledNative } from '../bias/prediction-input.js';
import type { PrintedMethod } from '../bias/printed-method.js';
import type { Call, NativeOwner } from '../bias/seen-callers.js';
import { type Attribution, isCountedReason, REASONS, type Reason } from '../hot/attribute.js';
import { activityOf } from '../hot/native-activity.js';
import { stackSamples } from '../hot/stack-samples.js';
import { lastAtOrBelow } from '../model/binary-search.js';
import type { GeneratedCode } from '../model/generated-code.js';
import { isJvmLibrary } from '../model/jvm-library.js';
import type { Recording } from '../recording/open-recording.js';

/** What a sample outside of all compilations is counted as. */
export function rowOf(why: Reason | undefined): string {
	return `(${why === 'native library' ? 'native' : (why ?? 'unknown')})`;
}

/** Counts a sample of native code by what it was in, and by what led there. */
export function addNative(native: Map<string, SampledNative>, { samples, map, target }: Attribution, i: number, owner: NativeOwner | null): void {
	const code = map.code[target[i]!];
	const place = samples.places[samples.place[i]!];
	const symbol = code?.name ?? place?.symbol ?? '';
	const library = code === undefined ? (place?.library ?? '') : '';
	const method = owner?.method ?? undefined;
	const call = owner?.call ?? null;
	const caller = call === null ? '' : `${call.method.code.compileId} ${call.method.code.start} ${call.instruction}`;
	const key = `${symbol.replace(/\+0x[0-9a-f]+$/, '')}\0${library}\0${caller}\0${method ?? ''}`;
	const activity = isJvmLibrary(library) ? activityOf(symbol, 'java') : null;
	const row = native.get(key) ?? { symbol, library, activity, ...(method === undefined ? {} : { method }), ...(call === null ? {} : { call }), count: 0 };
	native.set(key, { ...row, count: row.count + 1 });
}

/** What samples in no compilation work for, as far as the tops of their stacks tell. */
export interface SampleOwners {
	/** Of a sample in native code, a stub or the kernel. */
	ownerOf(sample: number): NativeOwner | null;
	/** Of a sample in the kernel: the compilation in which it took over, and where. */
	leftOf(sample: number): Call | null;
}

/** The counted samples by what called them: whole stacks where the profile has any, else what is inlined. */
export function stackInput(
	attribution: Attribution,
	methods: ReadonlyMap<GeneratedCode, PrintedMethod>,
	{ details }: Recording,
	isCounted: (sample: number) => boolean,
	{ ownerOf, leftOf }: SampleOwners,
	{ sampled }: PredictionInput,
): StackInput {
	const { map, target, reason, numbered } = attribution;
	const source = { attribution, details, processId: null, intervalNs: null, startedEpochMs: null };
	const stacked = stackSamples(source, (position) => methods.get(map.code[position]!)?.instructions ?? null);
	const { frames, nodeFrame, nodeParent } = stacked;
	const frameOf = (node: number) => frames[nodeFrame[node]!]!;
	const timeOf = new Map(sampled.map(({ method, from, to }) => [method, { from, to }]));
	const counts = new Map<string, { names: readonly string[]; samples: number }>();
	const called = new Map<string, CalledCode>();
	const nativeCalls = new Map<string, NativeCall>();
	const nativeSamples = new Map<string, SampledNative>();
	const callers = new Map<number, KnownCallers>();
	/** Of the frame of a compilation the one that called the compilation. */
	const callerOf = (node: number): number => {
		let at = node;
		while (at >= 0 && frameOf(at).inlineDepth > 0) {
			at = nodeParent[at]!;
		}
		return at < 0 ? -1 : nodeParent[at]!;
	};
	const callersFrom = (node: number): KnownCallers | null => {
		if (node < 0) {
			return null;
		}
		let known = callers.get(node);
		if (known === undefined) {
			const names: string[] = [];
			for (let at = node; at >= 0; at = nodeParent[at]!) {
				const { kind, name } = frameOf(at);
				if (kind === 'method') {
					names.push(name);
				}
			}
			known = { names, isMethod: frameOf(node).kind === 'method' };
			callers.set(node, known);
		}
		return known;
	};
	let row = -1;
	for (let i = 0; i < reason.length; i++) {
		if (!isCountedReason(reason[i]!)) {
			continue;
		}
		row++;
		if (!isCounted(i)) {
			continue;
		}
		const node = stacked.node[row]!;
		const why = REASONS[reason[i]!];
		const left = why === 'kernel' && details.stacks === null ? leftOf(i) : null;
		if (left !== null) {
			const { code, instructions } = left.method;
			const at = left.instruction;
			const group = `left ${code.compileId} ${code.start}`;
			count(`${group} ${at}`, () => namesAt(left.method, at));
			const row = called.get(group) ?? { method: left.method, counts: new Float64Array(instructions.length), callers: null, ...timeOf.get(left.method)! };
			row.counts[at] = row.counts[at]! + 1;
			called.set(group, row);
			continue;
		}
		const owner = details.stacks === null && (why === 'native library' || why === 'stub' || why === 'kernel' || why === 'interpreter') ? ownerOf(i) : null;
		if (owner?.method != null) {
			const { method: native, call } = owner;
			const from = call === null ? '' : `${call.method.code.compileId} ${call.method.code.start} ${call.instruction}`;
			count(`native ${native} ${from}`, () => [...(call === null ? [] : namesAt(call.method, call.instruction)), native]);
			addNative(nativeSamples, attribution, i, owner);
			continue;
		}
		const method = methods.get(map.code[target[i]!]!);
		const outside = method === undefined ? nextMethod(node) : callerOf(node);
		const key = method === undefined ? `${why} ${outside}` : `${node}`;
		count(key, () => namesFrom(method === undefined ? outside : node, method === undefined ? rowOf(why) : null));
		if (method !== undefined) {
			const known = callersFrom(outside);
			const at = Math.max(0, lastAtOrBelow(method.instructions.address, numbered.addresses[numbered.of[i]!]!));
			const group = `${target[i]} ${outside}`;
			const code = called.get(group) ?? { method, counts: new Float64Array(method.instructions.length), callers: known, ...timeOf.get(method)! };
			code.counts[at] = code.counts[at]! + 1;
			called.set(group, code);
			continue;
		}
		if (why !== 'native library' && why !== 'stub' && owner === null) {
			continue;
		}
		const frame = outside < 0 ? null : frameOf(outside);
		const caller = frame?.code == null ? undefined : methods.get(frame.code);
		if (frame === null || caller === undefined || Number.isNaN(frame.address)) {
			addNative(nativeSamples, attribution, i, owner ?? ownerOf(i));
			continue;
		}
		const instruction = Math.max(0, lastAtOrBelow(caller.instructions.address, frame.address));
		const callerNode = callerOf(outside);
		const group = `${caller.code.compileId} ${caller.code.start} ${instruction} ${callerNode}`;
		const time = timeOf.get(caller) ?? { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
		const call = nativeCalls.get(group) ?? { code: { method: caller, callers: callersFrom(callerNode), ...time }, instruction, count: 0 };
		nativeCalls.set(group, { ...call, count: call.count + 1 });
	}
	return {
		hasStacks: details.stacks !== null,
		stacks: [...counts.values()],
		called: [...called.values()],
		nativeCalls: [...nativeCalls.values()],
		native: [...nativeSamples.values()],
	};

	function count(key: string, names: () => readonly string[]): void {
		const stack = counts.get(key) ?? { names: names(), samples: 0 };
		counts.set(key, { ...stack, samples: stack.samples + 1 });
	}

	/** The innermost frame of a method; -1: there is none. */
	function nextMethod(node: number): number {
		let at = node;
		while (at >= 0 && frameOf(at).kind !== 'method') {
			at = nodeParent[at]!;
		}
		return at;
	}

	/** Methods, the outermost first, and the row that was sampled. */
	function namesFrom(node: number, sampledRow: string | null): readonly string[] {
		const names = callersFrom(node)?.names ?? [];
		return [...[...names].reverse(), ...(sampledRow === null ? [] : [sampledRow])];
	}
}

/** Methods at an instruction, the outermost first. */
function namesAt({ code, instructions }: PrintedMethod, instruction: number): readonly string[] {
	const frames = instructions.frames(instruction);
	return frames.length === 0 ? [code.name] : frames.map(({ method }) => method).reverse();
}
