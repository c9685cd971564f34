/**
 * speedscope's own format (https://www.speedscope.app/file-format-schema.json), which many profilers write: frames once, then profiles that are either `sampled`
 * (stacks with weights) or `evented` (frames that open and close at times).
 */
import type { Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';
import type { ReadProfile } from '../format.js';
import { NamedStacks } from '../shared/named-stacks.js';
import { readWholeJson } from '../shared/whole-json.js';

/** Whether the first bytes of a file are those of this format. */
export function isSpeedscope(head: string): boolean {
	return /^\s*\{/.test(head) && (head.includes('speedscope.app/file-format-schema.json') || /"shared"\s*:\s*\{\s*"frames"\s*:\s*\[/.test(head));
}

const NANOSECONDS: Record<string, number> = { nanoseconds: 1, microseconds: 1e3, milliseconds: 1e6, seconds: 1e9 };

interface Written {
	readonly shared?: { readonly frames?: unknown };
	readonly profiles?: unknown;
}

interface WrittenProfile {
	readonly type?: unknown;
	readonly name?: unknown;
	readonly unit?: unknown;
	readonly samples?: unknown;
	readonly weights?: unknown;
	readonly events?: unknown;
	readonly endValue?: unknown;
}

/** A row of a sampled profile is a sample where weights are times; the times are a kind of their own where they tell more. Never throws on content. */
export function readSpeedscope(source: Source): ReadProfile {
	const { value, problems: unreadable } = readWholeJson(source);
	const stacks = new NamedStacks();
	const problems: Problem[] = [...unreadable];
	const { shared, profiles } = (value ?? {}) as Written;
	const names = Array.isArray(shared?.frames) ? (shared.frames as unknown[]) : [];
	if (unreadable.length === 0 && !Array.isArray(profiles)) {
		problems.push({ severity: 'error', file: source.name, message: 'expected profiles, an array, as speedscope has it', action: 'nothing is read' });
	}
	const frames = names.map((frame) => {
		const { name, file, line } = (frame ?? {}) as { name?: unknown; file?: unknown; line?: unknown };
		return stacks.frame({ name: String(name ?? ''), file: typeof file === 'string' ? file : null, ...(typeof line === 'number' ? { line } : {}) });
	});
	const reader = new ProfileReader(stacks, frames);
	const list = Array.isArray(profiles) ? (profiles as (WrittenProfile | null)[]) : [];
	for (const profile of list) {
		reader.read(profile ?? {}, list.length === 1);
	}
	if (reader.lost > 0) {
		const message = `${reader.lost} rows of profiles are none that speedscope's format has`;
		problems.push({ severity: 'warning', file: source.name, message, action: 'they are left out' });
	}
	return stacks.build(problems);
}

class ProfileReader {
	lost = 0;
	private readonly stacks: NamedStacks;
	private readonly frames: readonly number[];

	constructor(stacks: NamedStacks, frames: readonly number[]) {
		this.stacks = stacks;
		this.frames = frames;
	}

	/** A profile that is alone is named after the program, others after their threads. */
	read(profile: WrittenProfile, isAlone: boolean): void {
		const { thread, id } = isAlone ? { thread: null, id: -1 } : threadOf(String(profile.name ?? ''));
		const number = this.stacks.thread(thread, id);
		const unit = String(profile.unit ?? 'none');
		if (profile.type === 'evented' && Array.isArray(profile.events)) {
			this.evented(profile.events, Number(profile.endValue), unit, number);
		} else if (profile.type === 'sampled' && Array.isArray(profile.samples)) {
			this.sampled(profile.samples, Array.isArray(profile.weights) ? profile.weights : [], unit, number);
		} else {
			this.lost++;
		}
	}

	private sampled(samples: readonly unknown[], written: readonly unknown[], unit: string, thread: number): void {
		const weights = samples.map((_, i) => (typeof written[i] === 'number' && written[i] >= 0 ? written[i] : 1));
		const perUnit = NANOSECONDS[unit];
		const mean = weights.reduce((sum, weight) => sum + weight, 0) / Math.max(1, weights.length);
		const tellMore = perUnit !== undefined && weights.some((weight) => Math.abs(weight - mean) > 1e-6 * mean);
		const event = unit === 'none' || perUnit !== undefined ? this.samplesEvent() : this.stacks.event({ event: unit, unit, words: `${unit} of speedscope` });
		for (const [i, sample] of samples.entries()) {
			const stack = this.stackOf(sample);
			if (stack === null) {
				this.lost++;
				continue;
			}
			this.stacks.add({ event, thread, stack, weight: perUnit === undefined ? weights[i]! : 1 });
			if (tellMore && weights[i]! > 0) {
				this.stacks.add({ event: this.timeEvent(), thread, stack, weight: weights[i]! * perUnit });
			}
		}
	}

	private evented(events: readonly unknown[], endValue: number, unit: string, thread: number): void {
		const perUnit = NANOSECONDS[unit] ?? 1;
		const event =
			unit === 'none' || NANOSECONDS[unit] !== undefined ? this.timeEvent() : this.stacks.event({ event: unit, unit, words: `${unit} of speedscope` });
		const open: number[] = [];
		let last = Number.NaN;
		const until = (at: number): void => {
			if (open.length > 0 && at > last) {
				this.stacks.add({ event, thread, stack: this.stacks.stack(open.toReversed()), weight: (at - last) * perUnit });
			}
			last = at;
		};
		for (const one of events) {
			const { type, at, frame } = (one ?? {}) as { type?: unknown; at?: unknown; frame?: unknown };
			const number = this.frames[frame as number];
			if (typeof at !== 'number' || number === undefined || (type !== 'O' && type !== 'C')) {
				this.lost++;
				continue;
			}
			until(at);
			if (type === 'O') {
				open.push(number);
			} else if (open.at(-1) === number) {
				open.pop();
			} else {
				this.lost++;
			}
		}
		if (Number.isFinite(endValue)) {
			until(endValue);
		}
	}

	/** The innermost frame is the last one there. */
	private stackOf(sample: unknown): number | null {
		if (!Array.isArray(sample)) {
			return null;
		}
		const own = sample.map((frame) => this.frames[frame as number]);
		return own.every((frame) => frame !== undefined) ? this.stacks.stack(own.reverse()) : null;
	}

	private samplesEvent(): number {
		return this.stacks.event({ event: 'samples', words: 'samples of speedscope' });
	}

	private timeEvent(): number {
		return this.stacks.event({ event: 'time', unit: 'nanoseconds', words: 'time of speedscope, in nanoseconds' });
	}
}

/** `main (4711)`: as assay names profiles of threads. */
function threadOf(name: string): { thread: string | null; id: number } {
	const [, thread, id] = /^(.*) \((\d{1,10})\)$/.exec(name) ?? [];
	return { thread: thread ?? (name === '' || name === 'all threads' ? null : name), id: Number(id ?? -1) };
}
