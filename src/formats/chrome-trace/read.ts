/**
 * The Trace Event Format (Chrome's tracing, DevTools' Performance panel, Perfetto's old form): an array of events, alone or as `traceEvents`. CPU profiles of V8 are
 * in it in pieces (`Profile`, `ProfileChunk`); without any, what a thread did are its spans, and a span's own time is that in which none lies in it.
 */
import type { Source } from '../../bytes/source.js';
import type { Problem } from '../../model/problem.js';
import type { ReadProfile } from '../format.js';
import { CallNodes } from '../shared/cpu-profile.js';
import { NamedStacks } from '../shared/named-stacks.js';
import { readWholeJson } from '../shared/whole-json.js';

/** Whether the first bytes of a file are those of this format. */
export function isChromeTrace(head: string): boolean {
	return /^\s*\{/.test(head)
		? /"traceEvents"\s*:\s*\[/.test(head)
		: /^\s*\[\s*\{/.test(head) && /"ph"\s*:\s*"\w"/.test(head.slice(0, 4096)) && /"pid"\s*:/.test(head.slice(0, 4096));
}

interface WrittenEvent {
	readonly ph?: unknown;
	readonly name?: unknown;
	readonly pid?: unknown;
	readonly tid?: unknown;
	readonly id?: unknown;
	readonly ts?: unknown;
	readonly dur?: unknown;
	readonly args?: { readonly name?: unknown; readonly data?: Piece | null } | null;
}

/** Of a profile of V8. */
interface Piece {
	readonly startTime?: unknown;
	readonly timeDeltas?: unknown;
	readonly cpuProfile?: { readonly nodes?: unknown; readonly samples?: unknown } | null;
}

/** Never throws on content. */
export function readChromeTrace(source: Source): ReadProfile {
	const { value, problems: unreadable } = readWholeJson(source);
	const problems: Problem[] = [...unreadable];
	const list: unknown = Array.isArray(value) ? value : (value as { traceEvents?: unknown } | null)?.traceEvents;
	if (unreadable.length === 0 && !Array.isArray(list)) {
		problems.push({ severity: 'error', file: source.name, message: 'expected traceEvents, an array', action: 'nothing is read' });
	}
	const events = (Array.isArray(list) ? (list as (WrittenEvent | null)[]) : []).filter((event) => event !== null && typeof event === 'object');
	const threads = threadNames(events);
	const stacks = new NamedStacks();
	const lost = events.some(({ name }) => name === 'ProfileChunk') ? readPieces(stacks, events, threads) : readSpans(stacks, events, threads);
	if (lost > 0) {
		problems.push({
			severity: 'warning',
			file: source.name,
			message: `${lost} events or samples belong to nothing that the trace has`,
			action: 'they are left out',
		});
	}
	return stacks.build(problems);
}

const keyOf = ({ pid, tid }: WrittenEvent): string => `${pid} ${tid}`;

function threadNames(events: readonly WrittenEvent[]): ReadonlyMap<string, string> {
	return new Map(events.flatMap((event) => (event.ph === 'M' && event.name === 'thread_name' ? [[keyOf(event), String(event.args?.name ?? '')]] : [])));
}

function threadOf(stacks: NamedStacks, event: WrittenEvent, threads: ReadonlyMap<string, string>): number {
	return stacks.thread(threads.get(keyOf(event)) ?? null, Number.isSafeInteger(event.tid) ? (event.tid as number) : -1);
}

/** A profile is known by its process and id; its pieces come from a thread of V8's own. */
function readPieces(stacks: NamedStacks, events: readonly WrittenEvent[], threads: ReadonlyMap<string, string>): number {
	const profiles = new Map<string, { readonly nodes: CallNodes; timeUs: number }>();
	const profileOf = (event: WrittenEvent): { readonly nodes: CallNodes; timeUs: number } => {
		const key = `${event.pid} ${event.id}`;
		const known = profiles.get(key) ?? { nodes: new CallNodes(stacks, threadOf(stacks, event, threads)), timeUs: Number.NaN };
		profiles.set(key, known);
		return known;
	};
	let lost = 0;
	for (const event of events) {
		if (event.name === 'Profile') {
			const start = event.args?.data?.startTime;
			profileOf(event).timeUs = typeof start === 'number' ? start : 0;
		} else if (event.name === 'ProfileChunk') {
			const profile = profileOf(event);
			profile.timeUs = Number.isNaN(profile.timeUs) ? 0 : profile.timeUs;
			const { cpuProfile, timeDeltas } = event.args?.data ?? {};
			profile.nodes.add(cpuProfile?.nodes);
			for (const [i, id] of (Array.isArray(cpuProfile?.samples) ? (cpuProfile.samples as unknown[]) : []).entries()) {
				const delta = Array.isArray(timeDeltas) ? (timeDeltas as unknown[])[i] : 0;
				profile.timeUs += typeof delta === 'number' ? delta : 0;
				lost += profile.nodes.sample(id, profile.timeUs) ? 0 : 1;
			}
		}
	}
	return lost;
}

interface Span {
	readonly name: string;
	readonly start: number;
	/** NaN: not told yet. */
	end: number;
}

function readSpans(stacks: NamedStacks, events: readonly WrittenEvent[], threads: ReadonlyMap<string, string>): number {
	const byThread = new Map<string, { readonly thread: number; readonly spans: Span[]; readonly open: Span[] }>();
	let lost = 0;
	for (const event of events) {
		const { ph, ts, dur } = event;
		if (ph !== 'X' && ph !== 'B' && ph !== 'E') {
			continue;
		}
		const own = byThread.get(keyOf(event)) ?? { thread: threadOf(stacks, event, threads), spans: [], open: [] };
		byThread.set(keyOf(event), own);
		if (typeof ts !== 'number' || (ph === 'X' && !(typeof dur === 'number' && dur >= 0))) {
			lost++;
		} else if (ph === 'E') {
			const begun = own.open.pop();
			if (begun === undefined) {
				lost++;
			} else {
				begun.end = ts;
			}
		} else {
			const span = { name: String(event.name ?? ''), start: ts, end: ph === 'X' ? ts + (dur as number) : Number.NaN };
			own.spans.push(span);
			if (ph === 'B') {
				own.open.push(span);
			}
		}
	}
	const kind = byThread.size === 0 ? -1 : stacks.event({ event: 'time', unit: 'nanoseconds', words: 'time of spans, in nanoseconds' });
	for (const { thread, spans, open } of byThread.values()) {
		lost += open.length;
		const whole = spans.filter(({ end }) => !Number.isNaN(end)).sort((a, b) => a.start - b.start || b.end - a.end);
		addOwnTimes(whole, (frames, start, us) => {
			const stack = stacks.stack(frames.map((name) => stacks.frame({ name })).reverse());
			stacks.add({ event: kind, thread, stack, weight: us * 1000, timeNs: start * 1000 });
		});
	}
	return lost;
}

/** A span that reaches behind its outer one ends with it. `spans`: in the order of their starts, the outer ones first. */
function addOwnTimes(spans: readonly Span[], add: (names: readonly string[], startUs: number, us: number) => void): void {
	const open: { readonly name: string; readonly end: number }[] = [];
	let at = 0;
	const until = (time: number): void => {
		if (open.length > 0 && time > at) {
			add(
				open.map(({ name }) => name),
				at,
				time - at,
			);
		}
		at = Math.max(at, time);
	};
	const closeUntil = (time: number): void => {
		for (let last = open.at(-1); last !== undefined && last.end <= time; last = open.at(-1)) {
			until(last.end);
			open.pop();
		}
	};
	for (const { name, start, end } of spans) {
		closeUntil(start);
		if (open.length === 0) {
			at = start;
		}
		until(start);
		open.push({ name, end: Math.min(end, open.at(-1)?.end ?? Number.POSITIVE_INFINITY) });
	}
	closeUntil(Number.POSITIVE_INFINITY);
}
