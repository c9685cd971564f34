/** Where the time went: rows of the tables `heat`, `warmup`, `stacks` and `pauses`. */
import type { RecordingReport } from '../../answers/joined-report.js';
import { type Attribution, REASONS } from '../../hot/attribute.js';
import { fold } from '../../hot/fold.js';
import type { HotReport } from '../../hot/hot-results.js';
import { isCollection } from '../../model/collector-pauses.js';
import { withoutHiddenAddress } from '../../model/hidden-class.js';
import { TOP_TIER } from '../../model/jit-compilation.js';
import { splitMethodName } from '../../model/method-name.js';
import { idOf } from '../ids.js';
import { methodId } from './compilation-facts.js';
import type { Facts } from './rows.js';

export function addHeat(facts: Facts, report: RecordingReport): void {
	if (report.hot !== null) {
		addHot(facts, report.hot);
		addWarmup(facts, report.hot.attribution);
	} else if (report.stackTime !== null) {
		for (const { method, descriptor, samples, line } of report.stackTime.heat.hotMethods) {
			const named = { method: methodId(method, descriptor), name: withoutHiddenAddress(method), source: 'stacks' };
			facts.add('heat', { what: 'method', ...named, samples });
			if (line !== null) {
				facts.add('heat', { what: 'line', ...named, line: line.line, samples: line.samples });
			}
		}
	}
	addStacks(facts, report);
}

function addHot(facts: Facts, hot: HotReport): void {
	for (const { method, source, samples } of hot.methods) {
		const { method: holderAndName, signature } = method.startsWith('(') ? { method, signature: null } : splitMethodName(method);
		facts.add('heat', { what: 'method', method: methodId(holderAndName, signature), name: withoutHiddenAddress(holderAndName), source, samples });
	}
	for (const { method, source, heat, loop, samples } of hot.regions) {
		facts.add('heat', {
			what: 'region',
			method: methodId(heat?.code.name ?? method, heat?.code.signature ?? null),
			name: withoutHiddenAddress(method),
			source,
			compilation: heat?.code.compileId ?? null,
			loop_depth: loop?.depth ?? 0,
			samples,
		});
	}
	for (const { name, method, line, samples } of fold(hot, 'line')) {
		facts.add('heat', { what: 'line', method: methodId(method ?? name, null), name: withoutHiddenAddress(method ?? name), line, samples });
	}
}

/** Pieces of time: as short as leaves at most so many. */
const MOST_PIECES = 256;
const SHORTEST_MS = 50;

/** Samples in Java code over time. Without the JVM's start on the samples' clock, time counts from the first sample. */
function addWarmup(facts: Facts, attribution: Attribution): void {
	const { samples, target, reason, clock, map } = attribution;
	let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
	/** In a compilation, or interpreted. */
	const isJava = (i: number): boolean => reason[i]! < 0 || REASONS[reason[i]!] === 'interpreter';
	for (let i = 0; i < samples.length; i++) {
		if (isJava(i)) {
			first = Math.min(first, samples.timeSeconds[i]!);
			last = Math.max(last, samples.timeSeconds[i]!);
		}
	}
	if (!(last > first)) {
		return;
	}
	const startSeconds = Number.isNaN(clock.startSeconds) ? first : clock.startSeconds;
	const endMs = Math.max(0, (last - startSeconds) * 1000);
	let pieceMs = SHORTEST_MS;
	while (endMs / pieceMs >= MOST_PIECES) {
		pieceMs *= 2;
	}
	const pieces = Math.floor(endMs / pieceMs) + 1;
	const [all, top] = [new Float64Array(pieces), new Float64Array(pieces)];
	for (let i = 0; i < samples.length; i++) {
		if (!isJava(i)) {
			continue;
		}
		const piece = Math.min(pieces - 1, Math.max(0, Math.floor(((samples.timeSeconds[i]! - startSeconds) * 1000) / pieceMs)));
		all[piece] = all[piece]! + 1;
		top[piece] = top[piece]! + (reason[i]! < 0 && map.code[target[i]!]?.level === TOP_TIER ? 1 : 0);
	}
	for (let piece = 0; piece < pieces; piece++) {
		if (all[piece]! > 0) {
			facts.add('warmup', { from_ms: piece * pieceMs, to_ms: (piece + 1) * pieceMs, samples: all[piece]!, samples_top_tier: top[piece]! });
		}
	}
}

function addStacks(facts: Facts, report: RecordingReport): void {
	for (const { name, stacks } of report.stacks) {
		const names = stacks.names.map((frame) => withoutHiddenAddress(frame).replaceAll(';', '_'));
		for (const { frames, samples } of stacks.stacks) {
			const text = frames.map((frame) => names[frame]!).join(';');
			facts.add('stacks', { stack: idOf('stack', text), event: name, frames: text, samples });
		}
	}
}

export function addPauses(facts: Facts, report: RecordingReport): void {
	for (const { safepoint, culprits } of report.delays) {
		const { operation, end, reachingNs, atSafepointNs, totalNs } = safepoint;
		const [culprit] = culprits;
		const startedMs = report.jvm.startedEpochMs;
		const endMs = end.uptimeNs !== null ? end.uptimeNs / 1e6 : end.epochNs !== null && startedMs !== null ? end.epochNs / 1e6 - startedMs : null;
		facts.add('pauses', {
			operation,
			is_collection: isCollection(operation),
			end_ms: endMs,
			reaching_ns: reachingNs,
			stopped_ns: atSafepointNs,
			total_ns: totalNs,
			culprit: culprit === undefined ? null : withoutHiddenAddress(culprit.method),
			culprit_line: culprit?.line,
			culprit_compilation: culprit?.compileId,
			culprit_why: culprit?.why,
			culprit_samples: culprit?.samples,
		});
	}
}
