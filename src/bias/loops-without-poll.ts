/** Recordings without samples: which printed loops without a poll were there while a safepoint was not reached. */
import type { GeneratedCode } from '../model/generated-code.js';
import type { Instructions } from '../model/instructions.js';
import type { Safepoint } from '../model/safepoint.js';
import { reasonOfLoop } from './delay-reasons.js';
import { type DelayingLoop, DelayingLoops } from './delaying-loop.js';
import type { Culprit, SampledCode } from './safepoint-delay.js';

interface Candidate {
	readonly code: GeneratedCode;
	readonly loop: DelayingLoop;
	readonly method: string;
	readonly line: number | null;
}

export class CodeCandidates {
	private readonly candidates: readonly Candidate[];

	/**
	 * The largest loop of each compilation, if it has no poll. Loops before and after it, which run a few iterations, have none even where
	 * the main loop is strip-mined. The latest compilation first.
	 */
	constructor(printed: readonly SampledCode[]) {
		this.candidates = printed
			.flatMap(({ code, instructions }) => (instructions === null ? [] : largestWithoutPoll(code, instructions)))
			.sort((a, b) => latest(b.code) - latest(a.code) || Number(b.code.compileId?.replace('%', '')) - Number(a.code.compileId?.replace('%', '')));
	}

	/** Those that a thread could be in then; all in the name of the late thread, if only one was. */
	of({ end, totalNs, reachingNs, timeout }: Safepoint): Culprit[] {
		const from = end.uptimeNs === null ? null : (end.uptimeNs - totalNs) / 1e9;
		const reached = from === null ? null : from + (reachingNs ?? 0) / 1e9;
		const late = timeout?.threads.length === 1 ? timeout.threads[0] : undefined;
		return this.candidates
			.filter(({ code }) => reached === null || (code.installedSeconds ?? 0) <= reached)
			.map(({ code, loop, method, line }) => ({
				...reasonOfLoop(loop),
				thread: late?.name ?? null,
				threadId: late?.threadId ?? null,
				isReported: late !== undefined,
				method,
				line,
				compileId: code.compileId,
				address: loop.header,
				loop,
				samples: 0,
				percent: 0,
				evidence: 'code' as const,
			}));
	}
}

function latest({ installedSeconds }: GeneratedCode): number {
	return installedSeconds ?? 0;
}

function largestWithoutPoll(code: GeneratedCode, instructions: Instructions): Candidate[] {
	const [loop] = new DelayingLoops(instructions).all().sort((a, b) => b.instructions.length - a.instructions.length);
	if (loop === undefined || loop.poll !== 'none' || loop.callsMethods) {
		return [];
	}
	const frame = mostFrequent(loop.instructions.map((i) => instructions.frames(i)[0]));
	return [{ code, loop, method: frame?.method ?? code.name, line: frame?.line ?? null }];
}

function mostFrequent<T extends { readonly method: string; readonly line: number | null }>(frames: readonly (T | undefined)[]): T | undefined {
	const counts = new Map<string, { readonly frame: T; count: number }>();
	for (const frame of frames) {
		if (frame !== undefined) {
			const key = `${frame.method}:${frame.line}`;
			const counted = counts.get(key) ?? { frame, count: 0 };
			counted.count++;
			counts.set(key, counted);
		}
	}
	return [...counts.values()].sort((a, b) => b.count - a.count)[0]?.frame;
}
