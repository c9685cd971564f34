/** The samples of a prediction with what called them. */
import type { CalledCode, KnownCallers, NativeCall, StackInput } from '../bias/predicted-stacks.js';
import type { PredictionInput, SampledNative } from '../bias/prediction-input.js';
import type { PrintedMethod } from '../bias/printed-method.js';
import type { NativeOwner } from '../bias/seen-callers.js';
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

/** The counted samples by what called them: whole stacks where the profile has any, else what is inlined. */
export function stackInput(
	attribution: Attribution,
	methods: ReadonlyMap<GeneratedCode, PrintedMethod>,
	{ details }: Recording,
	isCounted: (sample: number) => boolean,
	ownerOf: (sample: number) => NativeOwner | null,
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
	const native = new Map<string, SampledNative>();
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
		const method = methods.get(map.code[target[i]!]!);
		const outside = method === undefined ? nextMethod(node) : callerOf(node);
		const key = method === undefined ? `${why} ${outside}` : `${node}`;
		const stack = counts.get(key) ?? { names: namesFrom(method === undefined ? outside : node, method === undefined ? rowOf(why) : null), samples: 0 };
		counts.set(key, { ...stack, samples: stack.samples + 1 });
		if (method !== undefined) {
			const known = callersFrom(outside);
			const at = Math.max(0, lastAtOrBelow(method.instructions.address, numbered.addresses[numbered.of[i]!]!));
			const group = `${target[i]} ${outside}`;
			const code = called.get(group) ?? { method, counts: new Float64Array(method.instructions.length), callers: known, ...timeOf.get(method)! };
			code.counts[at] = code.counts[at]! + 1;
			called.set(group, code);
			continue;
		}
		if (why !== 'native library' && why !== 'stub') {
			continue;
		}
		const frame = outside < 0 ? null : frameOf(outside);
		const caller = frame?.code == null ? undefined : methods.get(frame.code);
		if (frame === null || caller === undefined || Number.isNaN(frame.address)) {
			addNative(native, attribution, i, ownerOf(i));
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
		native: [...native.values()],
	};

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
