/** Start-up: which pages of the program's text are touched, under each layout, and how the faults add up. */
import { useMemo, useRef, useState } from 'preact/hooks';
import type { PageStartup } from '../../src/page/data.js';
import { shown, titleOf } from '../names.js';
import { count, countOr } from '../numbers.js';
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
	const [active, setActive] = useState(0);
	const first = rows[0]?.traced;
	const best = rows.reduce((least, { traced }) => (least === undefined || isBetter(traced, least) ? traced : least), first);
	const bestLayout = rows.find(({ traced }) => traced === best)?.layout;
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
				note="one cell a page of 4 KiB, in address order"
				class="page-maps"
				right={
					<>
						<span class="legend">
							<span>
								<i class="box touched" /> touched
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
								<th class="number">Area</th>
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
			<Pane title="Pages touched as start-up runs" note="lower is better; a flat curve means that what runs next is already there" class="fault-curve">
				<Curves rows={rows.map(({ layout, traced }) => ({ name: layout.name, traced }))} active={active} />
			</Pane>
		</div>
	);
}

/** Fewer faults; of as many, fewer pages. */
function isBetter(a: Traced, b: Traced): boolean {
	return a.windows64k < b.windows64k || (a.windows64k === b.windows64k && touchedPages(a) < touchedPages(b));
}

/** Runs of equal cells as one path each. */
function PageMap({ map, name }: { readonly map: NonNullable<Traced['map']>; readonly name: string }) {
	const paths = useMemo(() => {
		const result: Record<string, string> = { '0': '', '1': '', '2': '' };
		for (let i = 0; i < map.pages.length; ) {
			const kind = map.pages.charAt(i);
			let end = i;
			while (end < map.pages.length && map.pages.charAt(end) === kind) {
				end++;
			}
			result[kind] = `${result[kind] ?? ''}M${i} 0h${end - i}v10h${i - end}z`;
			i = end;
		}
		return result;
	}, [map]);
	const touched = [...map.pages].filter((kind) => kind !== '0').length;
	return (
		<svg
			class="page-map"
			viewBox={`0 0 ${Math.max(1, map.pages.length)} 10`}
			preserveAspectRatio="none"
			role="img"
			aria-label={`${shown(name, 60)}: ${touched} of ${map.pages.length} pages`}
		>
			<path class="never" d={paths['0']} />
			<path class="part" d={paths['1']} />
			<path class="touched" d={paths['2']} />
		</svg>
	);
}

const HEIGHT = 260;

function Curves({ rows, active }: { readonly rows: readonly { readonly name: string; readonly traced: Traced }[]; readonly active: number }) {
	const box = useRef<HTMLDivElement>(null);
	const width = Math.max(300, useWidthOf(box));
	const curves = rows.map(({ name, traced }) => ({ name, steps: [...(traced.map?.newPageAt ?? [])].sort((a, b) => a - b) }));
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
