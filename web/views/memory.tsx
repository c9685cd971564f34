/** Compiler memory over all compilations: who needed most, which arenas, when. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { sizeText } from '../../src/render/memory-view.js';
import { shown, titleOf } from '../names.js';
import { count, counted, percent, rangeText } from '../numbers.js';
import { Handle, Heat, Method, Nothing, Pane, Tier } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import { useWidthOf } from '../parts/measure.js';
import { type Column, sortRows, Table } from '../parts/table.js';
import { type Row, type Side, wasCompiledIn } from '../side.js';

export function Memory() {
	const { side, filtered, router } = usePage();
	const { range } = filtered;
	const { memory } = side.page;
	const sort = router.route.params.sort ?? 'memory';
	const rows = useMemo(() => side.rows.filter((row) => row.memory !== null && wasCompiledIn(row, range)), [side, range]);
	const columns = useMemo(() => columnsOf(rows), [rows]);
	const sorted = useMemo(() => sortRows(rows, columns, sort), [rows, columns, sort]);
	const [active, setActive] = useState(0);
	if (memory === null) {
		return <Nothing title="Compiler memory" what="No file tells what compilations cost the compilers in memory." flag="-XX:CompileCommand=memstat,*.*,print" />;
	}
	const most = [...rows].sort((a, b) => (b.memory?.totalBytes ?? 0) - (a.memory?.totalBytes ?? 0))[0];
	const total = rows.reduce((sum, row) => sum + (row.memory?.totalBytes ?? 0), 0);
	return (
		<div class="view memory-view">
			<h1>
				{most === undefined
					? 'No compilation of this range has a known peak.'
					: `${counted(rows.length, 'compilation')}${range === null ? '' : ` of ${rangeText(range)}`} needed ${sizeText(total)} at their peaks together; ${most.summary.handle} alone ${sizeText(most.memory?.totalBytes ?? 0)}.`}
			</h1>
			<div class="above">
				<Pane title="Arenas" note={range === null ? 'all compilations at their peaks' : `compilations of ${rangeText(range)} at their peaks`}>
					<Arenas rows={rows} total={total} />
				</Pane>
				<Pane
					title={side.endMs > 0 ? 'Peaks over time' : 'Peaks'}
					note={side.endMs > 0 ? 'one dot a compilation, when it was done' : 'in the order of the file'}
				>
					<Peaks rows={rows} side={side} />
				</Pane>
			</div>
			{memory.advice.length > 0 && (
				<Pane title="Advice" note={`on the most expensive one${range === null ? '' : ' of the whole run'}`} class="advice">
					<ul>
						{memory.advice.map(({ text, flag, handle }, i) => (
							<li key={i}>
								<Handle handle={side.byHandle.has(handle) ? handle : (most?.summary.handle ?? handle)} /> {shown(text, 400)}{' '}
								{flag !== null && <code>{shown(flag, 400)}</code>}
							</li>
						))}
					</ul>
				</Pane>
			)}
			<Pane title="Compilations by memory" note={memory.omitted > 0 ? `${count(memory.omitted)} were too many to keep` : undefined} class="table-pane">
				<Table
					id="memory-table"
					label="compilations by compiler memory"
					columns={columns}
					rows={sorted}
					sort={sort}
					onSort={(next) => router.set({ sort: next })}
					active={active}
					onActive={setActive}
					onEnter={(position) => router.open('compilation', sorted[position]?.summary.handle ?? null)}
				/>
			</Pane>
		</div>
	);
}

function columnsOf(rows: readonly Row[]): Column<Row>[] {
	const largest = rows.reduce((most, row) => Math.max(most, row.memory?.totalBytes ?? 0), 1);
	const total = rows.reduce((sum, row) => sum + (row.memory?.totalBytes ?? 0), 0);
	return [
		{ key: 'handle', head: '', width: '64px', cell: ({ summary }) => <span class="handle">{shown(summary.handle)}</span> },
		{
			key: 'method',
			head: 'Method',
			width: 'minmax(120px, 2fr)',
			by: ({ summary }) => summary.method,
			cell: ({ summary }) => <Method name={summary.method} />,
		},
		{ key: 'tier', head: 'Tier', width: '86px', by: (row) => row.tier, cell: (row) => <Tier row={row} /> },
		{
			key: 'memory',
			head: 'Peak',
			width: '90px',
			isNumber: true,
			by: (row) => row.memory?.totalBytes ?? 0,
			cell: (row) => <span title={`${count(row.memory?.totalBytes ?? 0)} bytes`}>{sizeText(row.memory?.totalBytes ?? 0)}</span>,
		},
		{ key: 'share', head: 'Of all, %', width: '76px', isNumber: true, cell: (row) => percent(total === 0 ? 0 : (100 * (row.memory?.totalBytes ?? 0)) / total) },
		{ key: 'heat', head: '', width: 'minmax(60px, 1fr)', cell: (row) => <Heat value={row.memory?.totalBytes ?? 0} largest={largest} /> },
		{
			key: 'arenas',
			head: 'Largest arenas',
			width: 'minmax(120px, 1.4fr)',
			cell: (row) => (
				<span class="ink2">
					{topArenas(row)
						.slice(0, 4)
						.map(([name, bytes]) => `${shown(name, 16)} ${Math.round((100 * bytes) / (row.memory?.totalBytes || 1))}%`)
						.join(' · ')}
				</span>
			),
			dispensable: 2,
		},
		{
			key: 'result',
			head: 'Result',
			width: '80px',
			by: (row) => row.memory?.result ?? '',
			cell: (row) => <span class={row.memory?.result === 'ok' || row.memory?.result === null ? 'ink2' : 'refused'}>{shown(row.memory?.result ?? '–')}</span>,
		},
	];
}

function topArenas({ memory }: Row): [string, number][] {
	return Object.entries(memory?.byArena ?? {})
		.filter(([, bytes]) => bytes > 0)
		.sort((a, b) => b[1] - a[1]);
}

function Arenas({ rows, total }: { readonly rows: readonly Row[]; readonly total: number }) {
	const sums = new Map<string, number>();
	for (const row of rows) {
		for (const [name, bytes] of topArenas(row)) {
			sums.set(name, (sums.get(name) ?? 0) + bytes);
		}
	}
	const sorted = [...sums].sort((a, b) => b[1] - a[1]).slice(0, 12);
	const largest = sorted[0]?.[1] ?? 1;
	return (
		<table class="bars">
			<tbody>
				{sorted.map(([name, bytes]) => (
					<tr key={name}>
						<th scope="row" title={titleOf(name)}>
							{shown(name, 24)}
						</th>
						<td class="number" title={`${count(bytes)} bytes`}>
							{sizeText(bytes)}
						</td>
						<td class="number ink3">{percent(total === 0 ? 0 : (100 * bytes) / total)} %</td>
						<td class="wide">
							<Heat value={bytes} largest={largest} />
						</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}

const HEIGHT = 220;

function Peaks({ rows, side }: { readonly rows: readonly Row[]; readonly side: Side }) {
	const box = useRef<HTMLDivElement>(null);
	const width = Math.max(240, useWidthOf(box));
	const { router } = usePage();
	const largest = rows.reduce((most, row) => Math.max(most, row.memory?.totalBytes ?? 0), 1);
	const end = side.endMs > 0 ? side.endMs : rows.length;
	const x = (row: Row, i: number): number =>
		56 + ((side.endMs > 0 ? (row.summary.doneMs ?? row.summary.installedMs ?? 0) : i) / Math.max(1, end)) * (width - 76);
	const y = (bytes: number): number => HEIGHT - 24 - (Math.sqrt(bytes) / Math.sqrt(largest)) * (HEIGHT - 44);
	const shownRows = rows.length > 4000 ? [...rows].sort((a, b) => (b.memory?.totalBytes ?? 0) - (a.memory?.totalBytes ?? 0)).slice(0, 4000) : rows;
	const ticks = [1, 0.5, 0.25, 0.05].map((share) => largest * share);
	return (
		<div ref={box} class="curve">
			<svg width={width} height={HEIGHT} role="img" aria-label={`memory at the peak of ${rows.length} compilations, at most ${sizeText(largest)}`}>
				{ticks.map((bytes) => (
					<g key={bytes} class="tick">
						<line x1={52} x2={width - 16} y1={y(bytes)} y2={y(bytes)} />
						<text class="axis" x={48} y={y(bytes) + 4} text-anchor="end">
							{sizeText(bytes)}
						</text>
					</g>
				))}
				{shownRows.map((row, i) => (
					<circle
						key={row.index}
						class={`dot ${row.summary.compiler === 'c1' ? 'c1' : 'top'}`}
						cx={x(row, i)}
						cy={y(row.memory?.totalBytes ?? 0)}
						r={3}
						onClick={() => router.open('compilation', row.summary.handle)}
					>
						<title>{`${row.summary.handle} ${titleOf(row.summary.method)}: ${sizeText(row.memory?.totalBytes ?? 0)}`}</title>
					</circle>
				))}
				<text class="axis" x={56} y={HEIGHT - 6}>
					{side.endMs > 0 ? '0' : 'first'}
				</text>
				<text class="axis" x={width - 20} y={HEIGHT - 6} text-anchor="end">
					{side.endMs > 0 ? `${(side.endMs / 1000).toFixed(1)} s` : 'last'}
				</text>
			</svg>
		</div>
	);
}
