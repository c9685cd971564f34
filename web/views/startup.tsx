/** Start-up: which pages of the program's text are touched, under each layout, and how the faults add up. */
import { Fragment } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { PageStartup } from '../../src/page/data.js';
import { shown, titleOf } from '../names.js';
import { count, countOr, heatStop } from '../numbers.js';
import { Nothing, Pane, WholeRun } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import { useWidthOf } from '../parts/measure.js';
import { usePart } from '../parts/part.js';

type Layout = PageStartup['layouts'][number];
type Traced = Layout['byTrace'][number];

/** Of executed instructions where they are known, as the tables of `assay order` count; else of functions that ran. */
export function touchedPages({ execPages, wholeFunctionPages }: Pick<Layout, 'execPages' | 'wholeFunctionPages'>): number {
	return execPages ?? wholeFunctionPages;
}

export function Startup() {
	const { loaded } = usePage();
	const startup = usePart<PageStartup>(loaded.main.parts.startup);
	if (startup === undefined) {
		return <p class="empty">Reading …</p>;
	}
	if (startup === null || startup.layouts.length === 0) {
		return (
			<Nothing
				title="Start-up"
				what="No trace of first executions lies here with its program: put both into the recording's folder (docs/order.md), or the result of assay order simulate … --json."
			/>
		);
	}
	return <Layouts startup={startup} />;
}

function Layouts({ startup }: { readonly startup: PageStartup }) {
	const { router } = usePage();
	const trace = startup.traces.find(({ name }) => name === router.route.params.trace) ?? startup.traces[0];
	const rows = useMemo(
		() => startup.layouts.flatMap((layout) => layout.byTrace.filter((one) => one.trace === trace?.name).map((traced) => ({ layout, traced }))),
		[startup, trace],
	);
	const first = rows[0]?.traced;
	const best = rows.reduce((least, { traced }) => (least === undefined || isBetter(traced, least) ? traced : least), first);
	const bestLayout = rows.find(({ traced }) => traced === best)?.layout;
	const [chosen, setActive] = useState<number | null>(null);
	const active = chosen ?? Math.max(0, best === undefined ? 0 : rows.findIndex(({ traced }) => traced === best));
	const bestName = `${bestLayout?.kind === 'order' ? 'the order ' : ''}${shown(bestLayout?.name ?? '', 60)}`;
	return (
		<div class="view startup">
			<h1>
				{first === undefined || best === undefined
					? 'No layout has this trace.'
					: best === first
						? `As linked, start-up touches ${count(touchedPages(first))} text pages in ${count(first.windows64k)} windows of 64 KiB; no other layout here does better.`
						: `With ${bestName}, start-up touches ${count(touchedPages(best))} of ${count(best.textPages)} text pages instead of ${count(touchedPages(first))}, and faults ${count(best.windows64k)} times instead of ${count(first.windows64k)}.`}
			</h1>
			<WholeRun what="Start-up is" />
			<Pane
				title="Text pages"
				note={`one cell a page of ${count((first?.map?.pageBytes ?? 4096) / 1024)} KiB, in address order`}
				class="page-maps"
				right={
					<>
						<span class="legend">
							<span>
								first touched: early{' '}
								{PERIODS.map((name) => (
									<i key={name} class={`box ${name}`} />
								))}{' '}
								late
							</span>
							<span>
								<i class="box window" /> 64 KiB window that faults
							</span>
							<span>
								<i class="box part" /> part of a function that ran
							</span>
							<span>
								<i class="box never" /> never
							</span>
						</span>
						{startup.traces.length > 1 && (
							<select aria-label="trace" value={trace?.name} onChange={(event) => router.set({ trace: event.currentTarget.value })}>
								{startup.traces.map(({ name }) => (
									<option key={name} value={name}>
										{shown(name, 40)}
									</option>
								))}
							</select>
						)}
					</>
				}
			>
				<div class="scroll" tabIndex={0} role="group" aria-label="layouts">
					<table class="maps">
						<thead>
							<tr>
								<th>Layout</th>
								<th class="wide">address →</th>
								<th class="number">Pages</th>
								<th class="number">64 KiB faults</th>
								<th class="number" title="over the functions that ran, first to last, the sum of pages with first bytes of functions so far">
									Entry area
								</th>
							</tr>
						</thead>
						<tbody>
							{rows.map(({ layout, traced }, i) => (
								<tr key={layout.name} class={i === active ? 'active' : ''} onClick={() => setActive(i)}>
									<th scope="row" title={titleOf(layout.name)}>
										<button type="button" class="bare" aria-pressed={i === active} onClick={() => setActive(i)}>
											{shown(layout.name, 40)}
										</button>
										<br />
										<small>{layout.kind === 'binary' ? 'as linked' : `order of ${countOr(layout.listedSections)} sections`}</small>
									</th>
									<td class="wide">{traced.map === undefined ? '–' : <PageMap map={traced.map} name={layout.name} />}</td>
									<td class="number">
										<b>{count(touchedPages(traced))}</b>
									</td>
									<td class="number">
										<b>{count(traced.windows64k)}</b>
									</td>
									<td class="number">{count(traced.areaUnderCurve)}</td>
								</tr>
							))}
						</tbody>
					</table>
				</div>
			</Pane>
			<div class="startup-grid">
				<Pane title="Pages touched as start-up runs" note="lower is better; a flat curve means that what runs next is already there" class="fault-curve">
					<Curves rows={rows.map(({ layout, traced }) => ({ name: layout.name, traced }))} active={active} />
				</Pane>
				<div class="side">
					{startup.traces.length > 1 && <Workloads startup={startup} trace={trace?.name ?? ''} active={rows[active]?.layout.name ?? ''} />}
					{first?.map?.firstFunctions !== undefined && (
						<FirstFunctions linked={first} other={rows[active]?.traced ?? first} name={rows[active]?.layout.name ?? ''} />
					)}
				</div>
			</div>
		</div>
	);
}

/** Fewer faults; of as many, fewer pages. */
function isBetter(a: Traced, b: Traced): boolean {
	return a.windows64k < b.windows64k || (a.windows64k === b.windows64k && touchedPages(a) < touchedPages(b));
}

/** After how many functions each touched page was touched, in their order: as many as the table counts. */
function touchedSteps({ map }: Traced): number[] {
	return [...(map?.touchedAt?.filter((at) => at > 0) ?? map?.newPageAt ?? [])].sort((a, b) => a - b);
}

/** A quarter each of the functions that ran, the earliest first. */
const PERIODS = ['early', 'early-later', 'late-earlier', 'late'] as const;
const WINDOW_BYTES = 65_536;

type Cell = (typeof PERIODS)[number] | 'never' | 'part';

function cellsOf({ pages, touchedAt }: NonNullable<Traced['map']>): Cell[] {
	const last = (touchedAt ?? []).reduce((most, at) => Math.max(most, at), 1);
	return [...pages].map((kind, i) => {
		const at = touchedAt?.[i] ?? 1;
		return kind === '0' ? 'never' : kind === '1' ? 'part' : PERIODS[Math.min(PERIODS.length - 1, Math.floor(((at - 1) / last) * PERIODS.length))]!;
	});
}

/** Aligned by address, not by the first page: which cells they cover. */
function windowsOf({ pages, firstPage, pageBytes = 4096 }: NonNullable<Traced['map']>): { from: number; to: number }[] {
	const perWindow = Math.max(1, WINDOW_BYTES / pageBytes);
	const touched = new Set([...pages].flatMap((kind, i) => (kind === '2' ? [Math.floor((firstPage + i) / perWindow)] : [])));
	return [...touched].map((window) => ({
		from: Math.max(0, window * perWindow - firstPage),
		to: Math.min(pages.length, (window + 1) * perWindow - firstPage),
	}));
}

/** Runs of equal cells as one path each, and a line below the windows that fault. */
function PageMap({ map, name }: { readonly map: NonNullable<Traced['map']>; readonly name: string }) {
	const paths = useMemo(() => {
		const cells = cellsOf(map);
		const result = new Map<Cell, string>();
		for (let i = 0; i < cells.length; ) {
			const kind = cells[i]!;
			let end = i;
			while (end < cells.length && cells[end] === kind) {
				end++;
			}
			result.set(kind, `${result.get(kind) ?? ''}M${i} 0h${end - i}v10h${i - end}z`);
			i = end;
		}
		return result;
	}, [map]);
	const windows = useMemo(() => windowsOf(map), [map]);
	const touched = [...map.pages].filter((kind) => kind !== '0').length;
	return (
		<svg
			class="page-map"
			viewBox={`0 0 ${Math.max(1, map.pages.length)} 14`}
			preserveAspectRatio="none"
			role="img"
			aria-label={`${shown(name, 60)}: ${touched} of ${map.pages.length} pages, ${windows.length} windows of 64 KiB`}
		>
			{[...paths].map(([kind, d]) => (
				<path key={kind} class={kind} d={d} />
			))}
			<path
				class="window"
				d={windows.map(({ from, to }) => `M${from + 0.15} 12h${Math.max(0.3, to - from - 0.3)}v1.6h${-Math.max(0.3, to - from - 0.3)}z`).join('')}
			/>
		</svg>
	);
}

/** What each layout costs each workload that was traced. */
function Workloads({ startup, trace, active }: { readonly startup: PageStartup; readonly trace: string; readonly active: string }) {
	const { router } = usePage();
	const ofTrace = ({ byTrace }: Layout, name: string): Traced | undefined => byTrace.find((one) => one.trace === name);
	const largest = Math.max(1, ...startup.layouts.flatMap(({ byTrace }) => byTrace.map(touchedPages)));
	return (
		<Pane title="Does it cost another workload?" note="pages touched, windows of 64 KiB that fault" class="workloads">
			<div class="scroll" tabIndex={0} role="group" aria-label="workloads">
				<table>
					<thead>
						<tr>
							<th>Layout</th>
							{startup.traces.map(({ name }) => (
								<th key={name} class="number" colSpan={2} aria-current={name === trace ? 'true' : undefined}>
									<button type="button" class="bare" title={titleOf(name)} onClick={() => router.set({ trace: name })}>
										{shown(name, 16)}
									</button>
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{startup.layouts.map((layout) => (
							<tr key={layout.name} class={layout.name === active ? 'active' : ''}>
								<th scope="row" title={titleOf(layout.name)}>
									{shown(layout.name, 24)}
								</th>
								{startup.traces.map(({ name }) => {
									const traced = ofTrace(layout, name);
									return traced === undefined ? (
										<td key={name} class="number" colSpan={2}>
											–
										</td>
									) : (
										<Fragment key={name}>
											<td class={`number cell-heat h${heatStop(touchedPages(traced), largest)}`}>{count(touchedPages(traced))}</td>
											<td class="number ink3">{count(traced.windows64k)}</td>
										</Fragment>
									);
								})}
							</tr>
						))}
					</tbody>
				</table>
			</div>
		</Pane>
	);
}

/** Where the first functions lie, as linked and in the chosen layout. */
function FirstFunctions({ linked, other, name }: { readonly linked: Traced; readonly other: Traced; readonly name: string }) {
	const functions = linked.map?.firstFunctions ?? [];
	const pages = new Map(other.map?.firstFunctions?.map((one) => [one.name, one.page]));
	return (
		<Pane title="First functions" note={`head of the trace; pages as linked → ${shown(name, 30)}`} class="first-functions">
			<div class="scroll" tabIndex={0} role="group" aria-label="first functions">
				<table>
					<thead>
						<tr>
							<th class="number">#</th>
							<th>Function</th>
							<th class="number">Page</th>
						</tr>
					</thead>
					<tbody>
						{functions.map((one, i) => (
							<tr key={i}>
								<td class="number ink3">{i + 1}</td>
								<td title={titleOf(one.name)}>
									<code>{shown(one.name, 60)}</code>
								</td>
								<td class="number">
									{count(one.page)}
									{other !== linked && ` → ${countOr(pages.get(one.name))}`}
								</td>
							</tr>
						))}
					</tbody>
				</table>
			</div>
		</Pane>
	);
}

const HEIGHT = 260;

function Curves({ rows, active }: { readonly rows: readonly { readonly name: string; readonly traced: Traced }[]; readonly active: number }) {
	const box = useRef<HTMLDivElement>(null);
	const width = Math.max(300, useWidthOf(box));
	const curves = rows.map(({ name, traced }) => ({ name, steps: touchedSteps(traced) }));
	const most = Math.max(1, ...curves.map(({ steps }) => steps.length));
	const last = Math.max(1, ...curves.map(({ steps }) => steps.at(-1) ?? 0));
	const x = (functions: number): number => 44 + (functions / last) * (width - 220);
	const y = (pages: number): number => HEIGHT - 26 - (pages / most) * (HEIGHT - 44);
	const labels = placeLabels(curves.map(({ steps }) => y(steps.length)));
	return (
		<div ref={box} class="curve">
			<svg width={width} height={HEIGHT} role="img" aria-label={curves.map(({ name, steps }) => `${shown(name, 40)} ${steps.length} pages`).join(', ')}>
				{[0, 0.25, 0.5, 0.75, 1].map((share) => (
					<g key={share} class="tick">
						<line x1={44} x2={x(last)} y1={y(share * most)} y2={y(share * most)} />
						<text class="axis" x={38} y={y(share * most) + 4} text-anchor="end">
							{count(Math.round(share * most))}
						</text>
					</g>
				))}
				{curves.map(({ name, steps }, i) => {
					let d = `M${x(0)} ${y(0)}`;
					steps.forEach((at, n) => {
						d += `H${x(at).toFixed(1)}V${y(n + 1).toFixed(1)}`;
					});
					return (
						<g key={name} class={`layout ${i === active ? 'active' : ''}`}>
							<path d={`${d}H${x(last)}`} />
							<text class={`axis ${i === active ? 'strong' : ''}`} x={x(last) + 6} y={(labels[i] ?? 0) + 4}>
								{shown(name, 24)}, {count(steps.length)}
							</text>
						</g>
					);
				})}
				<text class="axis" x={x(last)} y={HEIGHT - 6} text-anchor="end">
					functions run so far
				</text>
			</svg>
		</div>
	);
}

/** Labels keep a distance, in the order of their curves' ends. */
function placeLabels(ys: readonly number[]): number[] {
	const order = ys.map((value, i) => ({ value, i })).sort((a, b) => a.value - b.value);
	const result = [...ys];
	let free = Number.NEGATIVE_INFINITY;
	for (const { value, i } of order) {
		const at = Math.max(value, free);
		result[i] = at;
		free = at + 13;
	}
	return result;
}
