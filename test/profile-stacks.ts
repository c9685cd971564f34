/** What readers of profiles give, as rows that a test can name. */
import type { ReadProfile } from '../src/formats/format.js';

interface ReadSample {
	/** null: not told. */
	readonly thread: string | null;
	readonly event: string;
	/** Holder and name, or a row in round brackets, of the innermost frame. */
	readonly method: string;
	/** -1: not told. */
	readonly line: number;
	/** Names of the frames, the outermost first. */
	readonly stack: readonly string[];
	readonly state: string;
	readonly samples: number;
}

/** In the order of the file. */
export function samplesOfProfile({ file: { stacks: samples } }: ReadProfile): ReadSample[] {
	if (samples === null) {
		return [];
	}
	const { stacks, frames, threads, events, states } = samples;
	return Array.from({ length: samples.length }, (_, i) => {
		const stack = samples.stack[i]!;
		const own = stack < 0 ? [] : [...stacks.frame.subarray(stacks.starts[stack], stacks.starts[stack + 1])];
		const methodOf = (frame: number) => frames.methods[frames.method[frame]!]!;
		const nameOf = (frame: number): string => {
			const { name, row } = methodOf(frame);
			return row.startsWith('(') && name !== '' ? `(${name})` : row;
		};
		return {
			thread: threads[samples.thread[i]!]?.name ?? null,
			event: events[samples.event[i]!] ?? '',
			method: own[0] === undefined ? '(unknown)' : methodOf(own[0]).row,
			line: own[0] === undefined ? -1 : frames.line[own[0]]!,
			stack: [...(stack >= 0 && stacks.isTruncated[stack] === 1 ? ['…'] : []), ...own.map(nameOf).reverse()],
			state: states[samples.state[i]!] ?? '',
			samples: samples.weight[i]!,
		};
	});
}

/** Each stack of a kind once, with what it weighs: `main a.B.f;a.B.g` (thread first). */
export function weightsByStack(read: ReadProfile, event: string): Map<string, number> {
	const result = new Map<string, number>();
	for (const { thread, event: own, stack, samples } of samplesOfProfile(read)) {
		if (own === event) {
			const key = `${thread} ${stack.join(';')}`;
			result.set(key, (result.get(key) ?? 0) + samples);
		}
	}
	return result;
}
