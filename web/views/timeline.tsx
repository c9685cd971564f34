/** What ran when: compilations by tier, the queue, samples, pauses; a range of time is chosen by brushing. */
import { useMemo, useRef, useState } from 'preact/hooks';
import type { ThreadClass } from '../../src/model/thread-class.js';
import { count, milliseconds, nanoseconds } from '../numbers.js';
import { usePage } from '../parts/context.js';
import { useWidthOf } from '../parts/measure.js';
import { CATEGORIES, ofClass, type Range, type Row, type Side } from '../side.js';

const LEFT = 62;
const RIGHT = 22;
const TRACK = 13;
const SAMPLES = 96;
const PAUSES = 30;

interface Pause {
	readonly ms: number;
	readonly reachingNs: number;
	readonly totalNs: number;
	readonly operation: string;
}

/** Safepoints on the JVM's time; empty where that is not known. */
export function pausesOf({ page }: Side): Pause[] {
	if (page.ttsp === null) {
		return [];
	}
	const start = page.ttsp.clock.startSeconds ?? page.hot?.clock.startSeconds ?? null;
	return page.ttsp.safepoints.flatMap((one) => {
		if (one.startedNs === null) {
			return [];
		}
		const ms = one.startedClock === 'samples' ? (start === null ? Number.NaN : one.startedNs / 1e6 - start * 1000) : one.startedNs / 1e6;
		return Number.isNaN(ms) ? [] : [{ ms, reachingNs: one.reachingNs ?? 0, totalNs: one.totalNs ?? 0, operation: one.operation ?? 'safepoint' }];
	});
}

export function Timeline() {
	const { side, filtered, router } = usePage();
	const box = useRef<HTMLDivElement>(null);
	const width = Math.max(320, useWidthOf(box));
	const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null);
	const plot = width - LEFT - RIGHT;
	const tiers = useMemo(() => tiersOf(side), [side]);
	const pauses = useMemo(() => pausesOf(side), [side]);
	const thrown = useMemo(() => thrownAway(side), [side]);
	const end = Math.max(1, side.endMs);
	const x = (ms: number): number => LEFT + (Math.max(0, Math.min(end, ms)) / end) * plot;
	const msAt = (clientX: number): number => {
		const rect = box.current?.getBoundingClientRect();
		return Math.max(0, Math.min(end, ((clientX - (rect?.left ?? 0) - LEFT) / plot) * end));
	};
	const bins = useMemo(() => binned(side, filtered.threadClass, Math.max(20, Math.floor(plot / 9))), [side, filtered.threadClass, plot]);
	const queues = side.page.compilations?.summary.queues ?? [];
	const longest = Math.max(0, ...queues.map((queue) => queue.longest));
	const hasQueue = longest > 0;
	const top = 22;
	const queueTop = top + tiers.length * (TRACK + 8);
	const samplesTop = queueTop + (hasQueue ? 26 : 0);
	const pausesTop = samplesTop + (bins === null ? 0 : SAMPLES + 10);
	const bottom = pausesTop + (pauses.length > 0 ? PAUSES : 0);
	const height = bottom + 22;
	const range: Range | null = drag === null ? filtered.range : { from: Math.min(drag.from, drag.to), to: Math.max(drag.from, drag.to) };
	const choose = (next: Range | null): void => router.set({ t: next === null ? '' : `${Math.round(next.from)}-${Math.round(next.to)}` });
	const onKeyDown = (event: KeyboardEvent): void => {
		const step = (event.shiftKey ? 0.002 : 0.02) * end;
		const now = filtered.range ?? { from: 0, to: end };
		const keys: Record<string, Range | null> = {
			ArrowLeft: { from: Math.max(0, now.from - step), to: now.to - (now.from - Math.max(0, now.from - step)) },
			ArrowRight: { from: now.from + (Math.min(end, now.to + step) - now.to), to: Math.min(end, now.to + step) },
			ArrowUp: { from: Math.max(0, now.from - step), to: Math.min(end, now.to + step) },
			ArrowDown: now.to - now.from > 4 * step ? { from: now.from + step, to: now.to - step } : now,
			Escape: null,
		};
		const next = keys[event.key];
		if (next !== undefined) {
			choose(next);
			event.preventDefault();
			event.stopPropagation();
		}
	};
	const worst = pauses.reduce<Pause | null>((best, pause) => (best === null || pause.reachingNs > best.reachingNs ? pause : best), null);
	return (
		<div
			ref={box}
			id="timeline"
			class="timeline"
			tabIndex={0}
			role="slider"
			aria-label="time range: arrows move it, up and down change its length, Escape takes it away"
			aria-valuemin={0}
			aria-valuemax={Math.round(end)}
			aria-valuenow={Math.round(range?.from ?? 0)}
			aria-valuetext={range === null ? 'the whole run' : `${milliseconds(range.from)} to ${milliseconds(range.to)}`}
			onKeyDown={onKeyDown}
			onPointerDown={(event) => {
				if (event.button === 0) {
					event.currentTarget.setPointerCapture(event.pointerId);
					const ms = msAt(event.clientX);
					setDrag({ from: ms, to: ms });
				}
			}}
			onPointerMove={(event) => drag !== null && setDrag({ ...drag, to: msAt(event.clientX) })}
			onPointerUp={(event) => {
				if (drag !== null) {
					const to = msAt(event.clientX);
					choose(Math.abs(to - drag.from) < end / 400 ? null : { from: Math.min(drag.from, to), to: Math.max(drag.from, to) });
					setDrag(null);
				}
			}}
			onPointerCancel={() => setDrag(null)}
		>
			<svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
				{tiers.map(({ name, kind, rows }, i) => (
					<g key={name} class={`track ${kind}`}>
						<text class="axis" x={LEFT - 8} y={top + i * (TRACK + 8) + 10} text-anchor="end">
							{name}
						</text>
						<path d={intervalsPath(rows, x, top + i * (TRACK + 8), TRACK)} />
					</g>
				))}
				{hasQueue && (
					<g class="queue">
						<text class="axis" x={LEFT - 8} y={queueTop + 12} text-anchor="end">
							queue
						</text>
						<path d={queuePath(queues, end, x, queueTop, 16, longest)} />
						<text class="axis quiet" x={x(Math.max(...queues.map((queue) => (queue.longest === longest ? queue.longestAtMs : 0)))) + 8} y={queueTop + 12}>
							at most {count(longest)}
						</text>
					</g>
				)}
				{bins !== null && (
					<g class="samples">
						<text class="axis" x={LEFT - 8} y={samplesTop + SAMPLES / 2 + 4} text-anchor="end">
							samples
						</text>
						{bins.paths(x, samplesTop, SAMPLES).map((d, i) => (
							<path key={CATEGORIES[i]} class={`cat-${CATEGORIES[i]}`} d={d} />
						))}
					</g>
				)}
				{pauses.length > 0 && (
					<g class="pauses">
						<text class="axis" x={LEFT - 8} y={pausesTop + PAUSES - 8} text-anchor="end">
							pauses
						</text>
						<path d={pausesPath(pauses, x, pausesTop + PAUSES - 4, PAUSES - 12)} />
						{worst !== null && worst.reachingNs > 1e5 && (
							<g>
								<path class="mark" d={`M${x(worst.ms) - 4} ${pausesTop - 2}h8l-4 6z`} />
								<text
									class="axis"
									x={x(worst.ms) + (x(worst.ms) > width - 140 ? -8 : 8)}
									y={pausesTop + 5}
									text-anchor={x(worst.ms) > width - 140 ? 'end' : 'start'}
								>
									{nanoseconds(worst.reachingNs)} to reach
								</text>
							</g>
						)}
					</g>
				)}
				{placed(thrown, x, width).map(({ row, at, textX }) => (
					<g key={row.summary.handle} class="thrown">
						<line x1={at} x2={at} y1={18} y2={bottom} />
						<text class="axis" x={textX} y={12} text-anchor="start">
							{row.summary.handle} thrown away
						</text>
					</g>
				))}
				{axisTicks(end, plot).map((ms) => (
					<g key={ms} class="tick">
						<line x1={x(ms)} x2={x(ms)} y1={bottom} y2={bottom + 4} />
						<text class="axis" x={x(ms)} y={bottom + 16} text-anchor="middle">
							{tickText(ms, end)}
						</text>
					</g>
				))}
				<line class="base" x1={LEFT} x2={width - RIGHT} y1={bottom} y2={bottom} />
				{range !== null && (
					<g class="brush">
						<rect class="outside" x={LEFT} y={16} width={Math.max(0, x(range.from) - LEFT)} height={bottom - 16} />
						<rect class="outside" x={x(range.to)} y={16} width={Math.max(0, width - RIGHT - x(range.to))} height={bottom - 16} />
						<path class="edges" d={`M${x(range.from)} 16V${bottom}H${x(range.to)}V16`} />
					</g>
				)}
			</svg>
		</div>
	);
}

function tiersOf({ rows }: Side): { name: string; kind: string; rows: Row[] }[] {
	const tiers = new Map<string, { name: string; kind: string; rows: Row[] }>();
	for (const row of rows) {
		const { compiler } = row.summary;
		if (compiler !== null && (row.summary.startedMs ?? row.summary.installedMs) !== undefined) {
			const name = compiler === 'jvmci' ? 'JVMCI' : compiler.toUpperCase();
			const tier = tiers.get(name) ?? { name, kind: compiler === 'c1' ? 'c1' : 'top', rows: [] };
			tier.rows.push(row);
			tiers.set(name, tier);
		}
	}
	return [...tiers.values()].sort((a, b) => (a.kind === b.kind ? 0 : a.kind === 'top' ? -1 : 1)).slice(0, 4);
}

/** One rectangle for each run of pixels in which something was compiled. */
function intervalsPath(rows: readonly Row[], x: (ms: number) => number, y: number, height: number): string {
	const intervals = rows
		.map(({ summary }): [number, number] => {
			const from = summary.startedMs ?? summary.installedMs ?? 0;
			return [x(from), Math.max(x(summary.doneMs ?? from), x(from) + 1)];
		})
		.sort((a, b) => a[0] - b[0]);
	let d = '';
	let [from, to] = [0, -1];
	const put = (): void => {
		d += to > from ? `M${from.toFixed(1)} ${y}h${(to - from).toFixed(1)}v${height}h${(from - to).toFixed(1)}z` : '';
	};
	for (const [a, b] of intervals) {
		if (a <= to + 0.3) {
			to = Math.max(to, b);
		} else {
			put();
			[from, to] = [a, b];
		}
	}
	put();
	return d;
}

interface Queue {
	readonly longestOf: readonly number[];
}

function queuePath(queues: readonly Queue[], end: number, x: (ms: number) => number, y: number, height: number, longest: number): string {
	const parts = Math.max(...queues.map((queue) => queue.longestOf.length));
	let d = `M${x(0)} ${y + height}`;
	for (let i = 0; i < parts; i++) {
		const value = Math.max(...queues.map((queue) => queue.longestOf[i] ?? 0));
		const top = (y + height - (value / longest) * height).toFixed(1);
		d += `L${x((i / parts) * end).toFixed(1)} ${top}L${x(((i + 1) / parts) * end).toFixed(1)} ${top}`;
	}
	return `${d}L${x(end)} ${y + height}z`;
}

function binned(
	side: Side,
	threadClass: ThreadClass | null,
	bins: number,
): { paths: (x: (ms: number) => number, y: number, height: number) => string[] } | null {
	const { samples, endMs } = side;
	if (samples === null || samples.length === 0 || endMs <= 0) {
		return null;
	}
	const counts = CATEGORIES.map(() => new Float64Array(bins));
	const isOfClass = ofClass(samples, threadClass);
	for (let i = 0; i < samples.length; i++) {
		if (!isOfClass(i)) {
			continue;
		}
		const bin = Math.max(0, Math.min(bins - 1, Math.floor((samples.timeMs[i]! / endMs) * bins)));
		const column = counts[samples.category[i]!] as Float64Array;
		column[bin] = column[bin]! + 1;
	}
	let most = 1;
	for (let bin = 0; bin < bins; bin++) {
		most = Math.max(
			most,
			counts.reduce((sum, column) => sum + column[bin]!, 0),
		);
	}
	return {
		paths(x, y, height) {
			const bases = new Float64Array(bins);
			return counts.map((column) => {
				let d = '';
				for (let bin = 0; bin < bins; bin++) {
					const value = column[bin]!;
					if (value > 0) {
						const from = x((bin / bins) * endMs);
						const width = x(((bin + 1) / bins) * endMs) - from - 1;
						const base = bases[bin]!;
						const h = (value / most) * height;
						d += `M${from.toFixed(1)} ${(y + height - base - h).toFixed(1)}h${width.toFixed(1)}v${h.toFixed(1)}h${(-width).toFixed(1)}z`;
						bases[bin] = base + h;
					}
				}
				return d;
			});
		},
	};
}

function pausesPath(pauses: readonly Pause[], x: (ms: number) => number, base: number, height: number): string {
	const most = pauses.reduce((longest, { totalNs }) => Math.max(longest, totalNs), 1);
	return pauses.map(({ ms, totalNs }) => `M${x(ms).toFixed(1)} ${base}v${(-Math.max(2, (totalNs / most) * height)).toFixed(1)}`).join('');
}

/** The code with most samples that was made not entrant. */
function thrownAway({ rows }: Side): Row[] {
	return rows
		.filter(({ summary }) => summary.notEntrantMs !== undefined && summary.compiler !== 'c1' && summary.samples > 0)
		.sort((a, b) => b.summary.samples - a.summary.samples)
		.slice(0, 3);
}

/** Texts that would overlap are left out. */
function placed(rows: readonly Row[], x: (ms: number) => number, width: number): { row: Row; at: number; textX: number }[] {
	const result: { row: Row; at: number; textX: number; end: number }[] = [];
	for (const row of rows) {
		const at = x(row.summary.notEntrantMs ?? 0);
		const length = 6.2 * (row.summary.handle.length + 12);
		const textX = at + length + 6 > width ? at - length - 2 : at + 4;
		if (result.every((other) => textX > other.end + 8 || textX + length + 8 < other.textX)) {
			result.push({ row, at, textX, end: textX + length });
		}
	}
	return result;
}

function axisTicks(end: number, plot: number): number[] {
	const wanted = Math.max(2, plot / 90);
	const raw = end / wanted;
	const power = 10 ** Math.floor(Math.log10(raw));
	const step = ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
	const result: number[] = [];
	for (let ms = 0; ms <= end; ms += step) {
		result.push(ms);
	}
	return result;
}

function tickText(ms: number, end: number): string {
	return end >= 1000 ? `${Number((ms / 1000).toFixed(3))}${ms === 0 ? '' : ' s'}` : `${Number(ms.toFixed(2))}${ms === 0 ? '' : ' ms'}`;
}
