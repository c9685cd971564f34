/** What ran when: compilations by tier, the queue, samples, pauses; a range of time is chosen by brushing. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { shown, splitName } from '../names.js';
import { count, milliseconds, nanoseconds } from '../numbers.js';
import { usePage } from '../parts/context.js';
import { useWidthOf } from '../parts/measure.js';
import { type Pause, pausesOf } from '../pauses.js';
import { CATEGORIES, type Filtered, ofThreads, parseRange, type Range, type Row, type Side, samplesIn, wasCompiledIn } from '../side.js';

/** For `samples` and the names of tiers; a longer one takes more. */
const LEFT = 62;
const LETTER = 7.4;
const RIGHT = 22;
const TRACK = 13;
const SAMPLES = 96;
const PAUSES = 30;
/** Samples are taken some milliseconds apart: less than that shows nothing. */
const LEAST_SPAN_MS = 5;

export function Timeline() {
	const { side, filtered, router } = usePage();
	const box = useRef<HTMLDivElement>(null);
	const width = Math.max(320, useWidthOf(box));
	const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null);
	const tiers = useMemo(() => tiersOf(side), [side]);
	const left = Math.max(LEFT, ...tiers.map(({ name }) => 10 + LETTER * name.length));
	const plot = width - left - RIGHT;
	const pauses = useMemo(() => pausesOf(side.page), [side]);
	const thrown = useMemo(() => thrownAway(side), [side]);
	const end = Math.max(1, side.endMs);
	const zoomed = parseRange(router.route.params.z);
	const view: Range = useMemo(
		() => (zoomed === null || zoomed.from >= end ? { from: 0, to: end } : { from: Math.max(0, zoomed.from), to: Math.min(end, zoomed.to) }),
		[router.route.params.z, end],
	);
	const span = view.to - view.from;
	const [hover, setHover] = useState<number | null>(null);
	const x = (ms: number): number => left + ((Math.max(view.from, Math.min(view.to, ms)) - view.from) / span) * plot;
	const msAt = (clientX: number): number => {
		const rect = box.current?.getBoundingClientRect();
		return Math.max(view.from, Math.min(view.to, view.from + ((clientX - (rect?.left ?? 0) - left) / plot) * span));
	};
	const bins = useMemo(() => binned(side, filtered, view, Math.max(20, Math.floor(plot / 9))), [side, filtered.threadClass, filtered.thread, view, plot]);
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
	/** Never less than a few milliseconds. */
	const zoomTo = (from: number, to: number): void => {
		const length = Math.max(LEAST_SPAN_MS, to - from);
		const start = Math.max(0, Math.min(end - length, from));
		const isAll = length >= end * 0.999;
		router.set({ z: isAll ? '' : `${Number(start.toFixed(1))}-${Number(Math.min(end, start + length).toFixed(1))}` });
	};
	/** A factor below 1 shows less, around a time. */
	const zoomBy = (factor: number, around: number): void => zoomTo(around - (around - view.from) * factor, around + (view.to - around) * factor);
	const zoomIn = (): void => (range === null ? zoomBy(0.5, (view.from + view.to) / 2) : zoomTo(range.from, range.to));
	const choose = (next: Range | null): void => router.set({ t: next === null ? '' : `${Math.round(next.from)}-${Math.round(next.to)}` });
	const onKeyDown = (event: KeyboardEvent): void => {
		const step = (event.shiftKey ? 0.002 : 0.02) * span;
		const now = filtered.range ?? view;
		const keys: Record<string, Range | null> = {
			ArrowLeft: { from: Math.max(0, now.from - step), to: now.to - (now.from - Math.max(0, now.from - step)) },
			ArrowRight: { from: now.from + (Math.min(end, now.to + step) - now.to), to: Math.min(end, now.to + step) },
			ArrowUp: { from: Math.max(0, now.from - step), to: Math.min(end, now.to + step) },
			ArrowDown: now.to - now.from > 4 * step ? { from: now.from + step, to: now.to - step } : now,
			Escape: null,
		};
		const zooms: Record<string, () => void> = { '+': zoomIn, '=': zoomIn, '-': () => zoomBy(2, (view.from + view.to) / 2), 0: () => zoomTo(0, end) };
		if (!event.ctrlKey && !event.metaKey && zooms[event.key] !== undefined) {
			zooms[event.key]?.();
			event.preventDefault();
			event.stopPropagation();
			return;
		}
		const next = keys[event.key];
		if (next !== undefined) {
			choose(next);
			event.preventDefault();
			event.stopPropagation();
		}
	};
	const isInView = ({ ms }: { readonly ms: number }): boolean => ms >= view.from && ms <= view.to;
	const worst = pauses.reduce<Pause | null>((best, pause) => (best === null || pause.reachingNs > best.reachingNs ? pause : best), null);
	const shownAt = hover === null ? null : readout(side, bins, pauses, hover, span / plot);
	return (
		<>
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
				onPointerMove={(event) => {
					const ms = msAt(event.clientX);
					setHover(ms);
					if (drag !== null) {
						setDrag({ ...drag, to: ms });
					}
				}}
				onPointerLeave={() => setHover(null)}
				onWheel={(event) => {
					if (event.ctrlKey || event.shiftKey) {
						event.preventDefault();
						zoomBy((event.deltaY || event.deltaX) > 0 ? 1.25 : 0.8, msAt(event.clientX));
					}
				}}
				onDblClick={(event) => zoomBy(0.5, msAt(event.clientX))}
				onPointerUp={(event) => {
					if (drag !== null) {
						const to = msAt(event.clientX);
						choose(Math.abs(to - drag.from) < span / 400 ? null : { from: Math.min(drag.from, to), to: Math.max(drag.from, to) });
						setDrag(null);
					}
				}}
				onPointerCancel={() => setDrag(null)}
			>
				<svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
					{tiers.map(({ name, kind, rows }, i) => (
						<g key={name} class={`track ${kind}`}>
							<text class="axis" x={left - 8} y={top + i * (TRACK + 8) + 10} text-anchor="end">
								{name}
							</text>
							<path d={intervalsPath(rows, view, x, top + i * (TRACK + 8), TRACK)} />
						</g>
					))}
					{hasQueue && (
						<g class="queue">
							<text class="axis" x={left - 8} y={queueTop + 12} text-anchor="end">
								queue
							</text>
							<path d={queuePath(queues, end, view, x, queueTop, 16, longest)} />
							{span === end && (
								<text class="axis quiet" x={x(Math.max(...queues.map((queue) => (queue.longest === longest ? queue.longestAtMs : 0)))) + 8} y={queueTop + 12}>
									at most {count(longest)}
								</text>
							)}
						</g>
					)}
					{bins !== null && (
						<g class="samples">
							<text class="axis" x={left - 8} y={samplesTop + SAMPLES / 2 + 4} text-anchor="end">
								samples
							</text>
							{bins.paths(x, samplesTop, SAMPLES).map((d, i) => (
								<path key={CATEGORIES[i]} class={`cat-${CATEGORIES[i]}`} d={d} />
							))}
						</g>
					)}
					{pauses.length > 0 && (
						<g class="pauses">
							<text class="axis" x={left - 8} y={pausesTop + PAUSES - 8} text-anchor="end">
								pauses
							</text>
							<path d={pausesPath(pauses.filter(isInView), x, pausesTop + PAUSES - 4, PAUSES - 12)} />
							{worst !== null && worst.reachingNs > 1e5 && isInView(worst) && (
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
					{placed(
						thrown.filter(({ summary }) => isInView({ ms: summary.notEntrantMs ?? 0 })),
						x,
						width,
					).map(({ row, at, textX }) => (
						<g key={row.summary.handle} class="thrown">
							<line x1={at} x2={at} y1={18} y2={bottom} />
							<text class="axis" x={textX} y={12} text-anchor="start">
								{row.summary.handle} thrown away
							</text>
						</g>
					))}
					{axisTicks(view, plot).map((ms) => (
						<g key={ms} class="tick">
							<line x1={x(ms)} x2={x(ms)} y1={bottom} y2={bottom + 4} />
							<text class="axis" x={x(ms)} y={bottom + 16} text-anchor={x(ms) > width - 2 * RIGHT ? 'end' : 'middle'}>
								{tickText(ms, view)}
							</text>
						</g>
					))}
					<line class="base" x1={left} x2={width - RIGHT} y1={bottom} y2={bottom} />
					{hover !== null && <line class="hover" x1={x(hover)} x2={x(hover)} y1={16} y2={bottom} />}
					{range !== null && range.to > view.from && range.from < view.to && (
						<g class="brush">
							<rect class="outside" x={left} y={16} width={Math.max(0, x(range.from) - left)} height={bottom - 16} />
							<rect class="outside" x={x(range.to)} y={16} width={Math.max(0, width - RIGHT - x(range.to))} height={bottom - 16} />
							<path class="edges" d={`M${x(range.from)} 16V${bottom}H${x(range.to)}V16`} />
						</g>
					)}
				</svg>
			</div>
			<p class="timeline-foot">
				<span class="readout" aria-live="off">
					{shownAt ??
						(span === end
							? 'Point at it for values; drag to choose a range.'
							: `${milliseconds(view.from)} to ${milliseconds(view.to)} of ${milliseconds(end)}`)}
				</span>
				<button type="button" class="plain" onClick={zoomIn} disabled={span <= LEAST_SPAN_MS}>
					{range === null ? 'zoom in' : 'zoom to the range'}
				</button>
				<button type="button" class="plain" onClick={() => zoomTo(0, end)} disabled={span === end}>
					whole run
				</button>
			</p>
		</>
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
function intervalsPath(rows: readonly Row[], view: Range, x: (ms: number) => number, y: number, height: number): string {
	const intervals = rows
		.filter((row) => wasCompiledIn(row, view))
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

function queuePath(queues: readonly Queue[], end: number, view: Range, x: (ms: number) => number, y: number, height: number, longest: number): string {
	const parts = Math.max(...queues.map((queue) => queue.longestOf.length));
	let d = `M${x(view.from)} ${y + height}`;
	for (let i = 0; i < parts; i++) {
		if (((i + 1) / parts) * end < view.from || (i / parts) * end > view.to) {
			continue;
		}
		const value = Math.max(...queues.map((queue) => queue.longestOf[i] ?? 0));
		const top = (y + height - (value / longest) * height).toFixed(1);
		d += `L${x((i / parts) * end).toFixed(1)} ${top}L${x(((i + 1) / parts) * end).toFixed(1)} ${top}`;
	}
	return `${d}L${x(view.to)} ${y + height}z`;
}

interface Bins {
	readonly view: Range;
	/** Samples of each category, a number a bin. */
	readonly counts: readonly Float64Array[];
	paths(x: (ms: number) => number, y: number, height: number): string[];
}

function binned(side: Side, filtered: Filtered, view: Range, bins: number): Bins | null {
	const { samples, endMs } = side;
	if (samples === null || samples.length === 0 || endMs <= 0) {
		return null;
	}
	const counts = CATEGORIES.map(() => new Float64Array(bins));
	const isChosen = ofThreads(samples, filtered);
	const { first, end } = samplesIn(samples, view.from === 0 && view.to >= endMs ? null : view);
	for (let i = first; i < end; i++) {
		if (!isChosen(i)) {
			continue;
		}
		const bin = binAt(view, bins, samples.timeMs[i]!);
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
		view,
		counts,
		paths(x, y, height) {
			const bases = new Float64Array(bins);
			return counts.map((column) => {
				let d = '';
				for (let bin = 0; bin < bins; bin++) {
					const value = column[bin]!;
					if (value > 0) {
						const from = x(binStart(view, bins, bin));
						const width = x(binStart(view, bins, bin + 1)) - from - 1;
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

function binAt({ from, to }: Range, bins: number, ms: number): number {
	return Math.max(0, Math.min(bins - 1, Math.floor(((ms - from) / (to - from)) * bins)));
}

function binStart({ from, to }: Range, bins: number, bin: number): number {
	return from + (bin / bins) * (to - from);
}

const CATEGORY_WORDS: Record<(typeof CATEGORIES)[number], string> = {
	top: 'top-tier code',
	c1: 'C1 code',
	interpreter: 'interpreter',
	compiler: 'compiler threads',
	other: 'elsewhere',
};

/** What was there at a time; a pause where one is within two pixels. */
function readout(side: Side, bins: Bins | null, pauses: readonly Pause[], ms: number, msPerPixel: number): string {
	const texts: string[] = [];
	if (bins !== null) {
		const number = bins.counts[0]?.length ?? 1;
		const bin = binAt(bins.view, number, ms);
		const parts = CATEGORIES.map((name, i) => [bins.counts[i]![bin]!, CATEGORY_WORDS[name]] as const).filter(([value]) => value > 0);
		const sum = parts.reduce((all, [value]) => all + value, 0);
		texts.push(
			`${count(sum)} ${sum === 1 ? 'sample' : 'samples'} from ${preciseMs(binStart(bins.view, number, bin))} to ${preciseMs(binStart(bins.view, number, bin + 1))}${parts.length === 0 ? '' : `: ${parts.map(([value, name]) => `${count(value)} ${name}`).join(', ')}`}`,
		);
	}
	const compiling = side.rows.filter(({ summary: { startedMs, doneMs } }) => startedMs !== undefined && startedMs <= ms && (doneMs ?? startedMs) >= ms);
	if (compiling.length > 0) {
		texts.push(
			`compiling ${compiling
				.slice(0, 3)
				.map(({ summary }) => shown(`${summary.handle} ${splitName(summary.method).name}`, 60))
				.join(', ')}${compiling.length > 3 ? ` and ${count(compiling.length - 3)} more` : ''}`,
		);
	}
	const queues = side.page.compilations?.summary.queues ?? [];
	const partOf = (parts: number): number => Math.min(parts - 1, Math.floor((ms / Math.max(1, side.endMs)) * parts));
	const queued = Math.max(0, ...queues.map(({ longestOf }) => longestOf[partOf(longestOf.length)] ?? 0));
	if (queued > 0) {
		texts.push(`up to ${count(queued)} in a queue`);
	}
	const pause = pauses.filter((one) => Math.abs(one.ms - ms) <= 2 * msPerPixel).sort((a, b) => b.totalNs - a.totalNs)[0];
	if (pause !== undefined) {
		texts.push(`${shown(pause.operation, 40)}: ${nanoseconds(pause.reachingNs)} to reach, ${nanoseconds(pause.totalNs)} in all`);
	}
	return `${preciseMs(ms)} · ${texts.length === 0 ? 'nothing' : texts.join(' · ')}`;
}

/** `1.234 s`, `26.1 ms`: finer than a range is spelled. */
function preciseMs(ms: number): string {
	return ms >= 1000 ? `${(ms / 1000).toFixed(3)} s` : `${ms.toFixed(1)} ms`;
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

function axisTicks({ from, to }: Range, plot: number): number[] {
	const wanted = Math.max(2, plot / 90);
	const raw = (to - from) / wanted;
	const power = 10 ** Math.floor(Math.log10(raw));
	const step = ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
	const result: number[] = [];
	for (let i = Math.ceil(from / step); i * step <= to; i++) {
		result.push(i * step);
	}
	return result;
}

function tickText(ms: number, { to }: Range): string {
	return to >= 1000 ? `${Number((ms / 1000).toFixed(4))}${ms === 0 ? '' : ' s'}` : `${Number(ms.toFixed(2))}${ms === 0 ? '' : ' ms'}`;
}
