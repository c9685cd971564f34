/** All compilations: one row each, sorted, filtered, as many as there are. */
import { useMemo, useState } from 'preact/hooks';
import { THREAD_CLASS_WORDS } from '../../src/model/thread-class.js';
import { sizeText } from '../../src/render/memory-view.js';
import { halfInterval } from '../../src/statistics/shares.js';
import { shown, splitName, titleOf, titleOfLines } from '../names.js';
import { count, counted, countOr, percent, rangeText, UNKNOWN } from '../numbers.js';
import { Heat, Method, Nothing, Pane, Tier } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import { type Column, sortRows, Table } from '../parts/table.js';
import { ThreadChoice } from '../parts/thread-choice.js';
import type { Filtered, Row, Side } from '../side.js';

const TIERS = ['', 'top', 'c1', 'osr', 'native', 'failed', 'deoptimized'] as const;
const TIER_NAMES: Record<string, string> = {
	'': 'all',
	top: 'top tier',
	c1: 'C1',
	osr: 'OSR',
	native: 'native wrappers',
	failed: 'failed',
	deoptimized: 'thrown away',
};

export function Compilations() {
	const { side, filtered } = usePage();
	const title = useMemo(() => sentence(side, filtered), [side, filtered]);
	if (side.rows.length === 0) {
		return (
			<Nothing
				title="Compilations"
				what="No file tells what compilers compiled, so there are no compilations."
				flag="assay record, -XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation, Flight Recorder, or Graal's optimization log"
			/>
		);
	}
	return (
		<div class="view compilations">
			<h1>{title}</h1>
			<CompilationTable />
		</div>
	);
}

function sentence({ rows }: Side, { samples, counted: taken, isIn }: Filtered): string {
	const there = rows.filter(isIn);
	const most = there.reduce<Row | null>((best, row) => (best === null || (samples[row.index] ?? 0) > (samples[best.index] ?? 0) ? row : best), null);
	const n = most === null ? 0 : (samples[most.index] ?? 0);
	const compilations = there.length === 0 ? 'No compilations' : counted(there.length, 'compilation');
	return most === null || n === 0
		? `${compilations}.`
		: `${compilations}; ${shown(most.summary.handle)} ${splitName(most.summary.method).name} has the most samples, ${percent((100 * n) / Math.max(1, taken))} %.`;
}

export function CompilationTable({ isOverview = false }: { readonly isOverview?: boolean }) {
	const { side, filtered, router } = usePage();
	const { params } = router.route;
	const { threadClass, thread } = filtered;
	const sort = params.sort ?? (side.counted > 0 ? 'samples' : 'compile');
	const query = params.q ?? '';
	const tier = params.tier ?? '';
	const columns = useMemo(() => columnsOf(side, filtered), [side, filtered]);
	const rows = useMemo(() => {
		const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
		const kept = side.rows.filter((row) => filtered.isIn(row) && wanted.every((word) => row.lowerName.includes(word)) && isOfTier(row, tier));
		return sortRows(kept, columns, sort);
	}, [side, filtered, columns, sort, query, tier]);
	const [active, setActive] = useState(() =>
		Math.max(
			0,
			rows.findIndex((row) => row.summary.handle === params.c),
		),
	);
	const open = (position: number): void => {
		const row = rows[position];
		if (row !== undefined) {
			router.open('compilation', row.summary.handle);
		}
	};
	const tasks = side.rows.filter(({ summary }) => summary.compiler !== null).length;
	const note = `${rows.length === side.rows.length ? '' : `${count(rows.length)} of `}${count(side.rows.length)} · ${count(tasks)} by compilers${filtered.range === null ? '' : ` · in ${rangeText(filtered.range)}`}${threadClass === null ? '' : ` · ${count(filtered.counted)} samples of ${THREAD_CLASS_WORDS[threadClass]}`}${thread === null ? '' : ` · ${count(filtered.counted)} samples of thread ${shown(thread, 40)}`}`;
	return (
		<Pane
			title="Compilations"
			note={note}
			class="table-pane"
			right={
				<span class="filters">
					{(!isOverview || query !== '' || tier !== '' || threadClass !== null || thread !== null) && (
						<>
							<input
								type="search"
								aria-label="only methods with these words"
								placeholder="filter methods"
								value={query}
								onInput={(event) => router.set({ q: event.currentTarget.value })}
							/>
							{!side.isNative && (
								<select aria-label="only compilations that are" value={tier} onChange={(event) => router.set({ tier: event.currentTarget.value })}>
									{TIERS.map((name) => (
										<option key={name} value={name}>
											{TIER_NAMES[name]}
										</option>
									))}
								</select>
							)}
							<ThreadChoice />
						</>
					)}
					{side.rows.some(({ summary }) => summary.predictedBiasedPercent !== undefined) && (
						<span class="legend">
							<span>
								<i class="box true" /> seen
							</span>
							<span>
								<i class="box predicted" /> thread dumps would say (predicted)
							</span>
						</span>
					)}
				</span>
			}
		>
			{rows.length === 0 && <p class="empty over">No compilation fits.</p>}
			<Table
				id="compilations"
				label="compilations"
				columns={columns}
				rows={rows}
				sort={sort}
				onSort={(next) => router.set({ sort: next })}
				active={Math.min(active, rows.length - 1)}
				onActive={(position) => {
					setActive(position);
					router.set({ c: rows[position]?.summary.handle ?? '' });
				}}
				onEnter={open}
				rowClass={(row) => (row.summary.failure === undefined ? undefined : 'failed')}
			/>
		</Pane>
	);
}

function isOfTier({ summary }: Row, tier: string): boolean {
	switch (tier) {
		case 'top':
			return summary.compiler !== null && summary.compiler !== 'c1';
		case 'c1':
			return summary.compiler === 'c1';
		case 'osr':
			return summary.osrBci !== undefined;
		case 'native':
			return summary.compiler === null;
		case 'failed':
			return summary.failure !== undefined;
		case 'deoptimized':
			return summary.notEntrantMs !== undefined || summary.deoptimizations > 0;
		default:
			return true;
	}
}

export function compileMs({ summary: { startedMs, doneMs } }: Row): number | null {
	return startedMs === undefined || doneMs === undefined ? null : Math.max(0, doneMs - startedMs);
}

function columnsOf(side: Side, filtered: Filtered): Column<Row>[] {
	const samples = (row: Row): number => filtered.samples[row.index] ?? 0;
	const share = (row: Row): number => (filtered.counted === 0 ? 0 : filtered.isWhole ? row.summary.percent : (100 * samples(row)) / filtered.counted);
	let largest = 0;
	let largestBias = 0;
	// What is predicted is of a method, and stands at its hottest compilation, beside what was seen of all of them.
	const hottest = new Map<string, { row: Row; percent: number }>();
	for (const row of side.rows) {
		largest = Math.max(largest, share(row));
		const { method, percent: seen, predictedBiasedPercent } = row.summary;
		const known = hottest.get(method);
		const here = { row: known === undefined || seen > known.row.summary.percent ? row : known.row, percent: seen + (known?.percent ?? 0) };
		hottest.set(method, here);
		largestBias = Math.max(largestBias, predictedBiasedPercent ?? 0, here.percent);
	}
	const hottestOf = ({ summary }: Row) => hottest.get(summary.method);
	const has = (test: (row: Row) => boolean): boolean => side.rows.some(test);
	const hasSamples = side.counted > 0;
	const hasDecisions = has(({ summary }) => summary.inlinedCalls !== undefined);
	const hasBias = has(({ summary }) => summary.predictedBiasedPercent !== undefined);
	const columns: (Column<Row> | false)[] = [
		{ key: 'handle', head: '', width: '64px', cell: ({ summary }) => <span class="handle">{shown(summary.handle)}</span> },
		{
			key: 'method',
			head: 'Method',
			width: 'minmax(120px, 3fr)',
			by: ({ summary }) => summary.method,
			cell: ({ summary }) => <Method name={summary.method} />,
		},
		{ key: 'tier', head: side.isNative ? 'Compiler' : 'Tier', width: '86px', by: (row) => row.tier, cell: (row) => <Tier row={row} /> },
		hasSamples && {
			key: 'samples',
			head: 'Samples, %',
			width: '96px',
			isNumber: true,
			by: samples,
			title: `share of the ${side.isNative ? "program's" : "JVM's"} samples, with half its 95 % interval`,
			cell: (row) => {
				const n = samples(row);
				return n === 0 ? (
					<span class="none">0</span>
				) : (
					<span title={`${count(n)} of ${count(filtered.counted)} samples`}>
						{percent(share(row))} <small>±{percent((filtered.isWhole ? row.summary.halfInterval : undefined) ?? halfInterval(n, filtered.counted))}</small>
					</span>
				);
			},
		},
		hasSamples && { key: 'heat', head: '', width: 'minmax(60px, 0.8fr)', cell: (row) => <Heat value={share(row)} largest={largest} /> },
		{
			key: 'code',
			head: 'Code, B',
			width: '76px',
			isNumber: true,
			by: ({ summary }) => summary.codeBytes ?? -1,
			cell: ({ summary }) => (summary.codeBytes === 0 ? <span class="none">–</span> : count(summary.codeBytes)),
		},
		hasDecisions && {
			key: 'inlined',
			head: 'Inlined',
			width: '66px',
			isNumber: true,
			by: ({ summary }) => summary.inlinedCalls ?? -1,
			cell: ({ summary }) => countOr(summary.inlinedCalls),
		},
		hasDecisions && {
			key: 'not',
			head: 'Not',
			width: '46px',
			isNumber: true,
			by: ({ summary }) => summary.notInlinedCalls ?? -1,
			cell: ({ summary }) => countOr(summary.notInlinedCalls),
			title: 'calls that were not inlined',
		},
		(hasDecisions || has(({ summary }) => summary.failure !== undefined)) && {
			key: 'reason',
			head: 'Main reason not',
			width: 'minmax(90px, 1.4fr)',
			by: ({ life, summary }) => summary.failure ?? life?.refusals[0]?.[0] ?? '\uffff',
			cell: (row) => <Reason row={row} />,
			dispensable: 2,
		},
		has(({ summary }) => summary.memoryBytes !== undefined) && {
			key: 'memory',
			head: 'Memory',
			width: '72px',
			isNumber: true,
			by: ({ summary }) => summary.memoryBytes ?? -1,
			cell: ({ summary }) =>
				summary.memoryBytes === undefined ? (
					UNKNOWN
				) : (
					<span title={`${count(summary.memoryBytes)} bytes of the compiler at its peak`}>{sizeText(summary.memoryBytes)}</span>
				),
		},
		has((row) => compileMs(row) !== null) && {
			key: 'compile',
			head: 'Compiled, ms',
			width: '98px',
			isNumber: true,
			by: (row) => compileMs(row) ?? -1,
			cell: (row) => countOr(compileMs(row)),
			dispensable: 1,
		},
		side.endMs > 0 &&
			has(({ summary }) => summary.installedMs !== undefined) && {
				key: 'installed',
				head: 'Installed',
				width: '104px',
				by: ({ summary }) => -(summary.installedMs ?? Number.POSITIVE_INFINITY),
				cell: (row) => <Life row={row} endMs={side.endMs} />,
				dispensable: 2,
				title: 'from its installation until it was thrown away (×)',
			},
		hasBias && {
			key: 'biased',
			head: filtered.isWhole ? 'Seen | biased, %' : 'Of whole run, %',
			width: '116px',
			by: (row) => (hottestOf(row)?.row === row ? (row.summary.predictedBiasedPercent ?? -1) : -1),
			title: `the method's share of the samples, all its compilations together, and what a profiler at safepoints would say (predicted)${filtered.isWhole ? '' : ', over the whole run'}; at its hottest compilation`,
			cell: (row) => {
				const { row: first, percent: seen } = hottestOf(row) ?? { row, percent: row.summary.percent };
				return first === row ? (
					<Biased seen={seen} predicted={row.summary.predictedBiasedPercent} largest={largestBias} />
				) : (
					<span class="none" title={`counted at the method's hottest compilation, ${shown(first.summary.handle)}`}>
						with {shown(first.summary.handle)}
					</span>
				);
			},
		},
	];
	return columns.filter((column): column is Column<Row> => column !== false);
}

function Reason({ row: { life, summary } }: { readonly row: Row }) {
	if (summary.failure !== undefined) {
		return <span class="refused" title={titleOf(summary.failure)}>{`failed: ${shown(summary.failure, 80)}`}</span>;
	}
	const [first, ...rest] = life?.refusals ?? [];
	if (first === undefined) {
		return null;
	}
	const others = rest.reduce((sum, [, n]) => sum + n, 0) + first[1] - 1;
	return (
		<span class="ink2" title={titleOfLines((life?.refusals ?? []).map(([reason, n]) => `${n} × ${reason}`))}>
			{shown(first[0], 80)}
			{others > 0 && ` +${others}`}
		</span>
	);
}

function Life({ row, endMs }: { readonly row: Row; readonly endMs: number }) {
	const { installedMs, notEntrantMs } = row.summary;
	if (installedMs === undefined) {
		return <span class="none">{UNKNOWN}</span>;
	}
	const from = (100 * installedMs) / endMs;
	const to = (100 * Math.min(endMs, notEntrantMs ?? endMs)) / endMs;
	return (
		<span class="life" title={`installed at ${count(installedMs)} ms${notEntrantMs === undefined ? '' : `, not entrant at ${count(notEntrantMs)} ms`}`}>
			<i style={{ left: `${from}%`, width: `${Math.max(1.5, to - from)}%` }} />
			{notEntrantMs !== undefined && <b style={{ left: `${to}%` }}>×</b>}
		</span>
	);
}

function Biased({ seen, predicted, largest }: { readonly seen: number; readonly predicted: number | undefined; readonly largest: number }) {
	if (predicted === undefined || (seen === 0 && predicted === 0)) {
		return <span class="none">{predicted === undefined ? UNKNOWN : '0'}</span>;
	}
	const width = (value: number): { width: string } => ({ width: `${largest === 0 ? 0 : (100 * value) / largest}%` });
	return (
		<span class="biased" title={`seen ${seen} %, predicted of a profiler at safepoints ${predicted} %`}>
			<span class="bars">
				<i class="true" style={width(seen)} />
				<i class="predicted" style={width(predicted)} />
			</span>
			<small>{percent(predicted)}</small>
		</span>
	);
}
