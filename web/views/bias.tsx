/** What a profiler at safepoints would say instead of the samples, why, and who delays safepoints. */
import { useMemo, useState } from 'preact/hooks';
import type { PageBias } from '../../src/page/data.js';
import { shown, titleOf } from '../names.js';
import { count, counted, nanoseconds, percent, rangeText } from '../numbers.js';
import { Empty, Handle, Method, Pane, WholeRun } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import { usePart } from '../parts/part.js';
import { type Column, sortRows, Table } from '../parts/table.js';
import { pausesOf } from '../pauses.js';
import { Blame } from './blame.js';

type MethodRow = PageBias['methods'][number];

export function Bias() {
	const { side } = usePage();
	const bias = usePart<PageBias>(side.page.biasPart);
	return (
		<div class="view bias">
			{bias === undefined && <p class="empty">Reading …</p>}
			{bias === null && (
				<>
					<h1>Bias</h1>
					<Pane title="Prediction">
						<Empty
							what="What a profiler at safepoints would say cannot be predicted without samples and the code that they lie in."
							flag="assay record, or perf and -XX:+PrintAssembly"
						/>
					</Pane>
				</>
			)}
			{bias != null && <h1>{sentence(bias)}</h1>}
			{bias != null && <WholeRun what="The prediction is" />}
			<div class="bias-grid">
				<div class="left">
					{bias != null && <Methods bias={bias} />}
					{bias != null && <Blame bias={bias} />}
				</div>
				<div class="side">
					{bias != null && <Why bias={bias} />}
					<Delays />
				</div>
			</div>
		</div>
	);
}

function sentence({ methods, distances }: PageBias): string {
	const isMethod = ({ method }: MethodRow): boolean => !method.startsWith('(');
	const blamed = methods.filter(isMethod).sort((a, b) => b.predictedPercent - a.predictedPercent)[0];
	const hot = methods.filter(isMethod).sort((a, b) => b.unbiasedPercent - a.unbiasedPercent)[0];
	if (blamed === undefined || hot === undefined || blamed.predictedPercent === 0) {
		return 'Nothing can be predicted: no sample lies in code whose polls are known.';
	}
	const between = distances.find(({ a, b }) => a === 'unbiased' && b === 'predicted');
	const tail =
		between === undefined || between.expectedFromSampling === null
			? ''
			: ` Distance ${between.totalVariation.toFixed(2)} of 1, where ${between.expectedFromSampling.toFixed(2)} would be luck.`;
	const name = (row: MethodRow): string => shown(row.method.replace(/^(?:[a-z]\w*\.)+/, ''), 60);
	return blamed.method === hot.method
		? `A profiler at safepoints would put ${percent(blamed.predictedPercent)} % on ${name(blamed)}, which holds ${percent(blamed.unbiasedPercent)} % of the samples (predicted).${tail}`
		: `A profiler at safepoints would put ${percent(blamed.predictedPercent)} % on ${name(blamed)}, which holds ${percent(blamed.unbiasedPercent)} %; ${name(hot)} holds ${percent(hot.unbiasedPercent)} % (predicted).${tail}`;
}

function Methods({ bias }: { readonly bias: PageBias }) {
	const { side, router } = usePage();
	const sort = router.route.params.sort ?? 'unbiased';
	const [active, setActive] = useState(0);
	const observed = useMemo(() => [...new Set(bias.methods.flatMap((row) => Object.keys(row.observed)))], [bias]);
	const largest = Math.max(1, ...bias.methods.flatMap((row) => [row.unbiasedPercent, row.predictedPercent, ...Object.values(row.observed)]));
	const columns = useMemo((): Column<MethodRow>[] => {
		const bar = (value: number, kind: string, title: string) =>
			value === 0 ? (
				<span class="none">0</span>
			) : (
				<span class="labelled" title={title}>
					<i class={kind} style={{ width: `${(60 * value) / largest}%` }} /> {percent(value)}
				</span>
			);
		return [
			{ key: 'method', head: 'Method', width: 'minmax(140px, 1.4fr)', by: (row) => row.method, cell: (row) => <Method name={row.method} /> },
			{
				key: 'unbiased',
				head: 'Seen, %',
				width: 'minmax(120px, 1fr)',
				by: (row) => row.unbiasedPercent,
				title: 'of all samples',
				cell: (row) =>
					bar(
						row.unbiasedPercent,
						'true',
						`${row.unbiasedPercent} % (${row.unbiasedInterval.low} to ${row.unbiasedInterval.high}), ${count(row.unbiasedSamples)} samples`,
					),
			},
			{
				key: 'predicted',
				head: 'Predicted, %',
				width: 'minmax(120px, 1fr)',
				by: (row) => row.predictedPercent,
				title: 'what a profiler at safepoints would print, from the polls in the code',
				cell: (row) => bar(row.predictedPercent, 'predicted', `${row.predictedPercent} % predicted`),
			},
			{
				key: 'difference',
				head: 'Difference, pp',
				width: '100px',
				title: 'predicted − seen',
				isNumber: true,
				by: (row) => Math.abs(row.predictedPercent - row.unbiasedPercent),
				cell: (row) => signed(row.predictedPercent - row.unbiasedPercent),
			},
			...observed.map(
				(name): Column<MethodRow> => ({
					key: `observed ${name}`,
					head: shown(name, 24),
					width: 'minmax(84px, 0.8fr)',
					title: `what ${shown(name, 200)} said`,
					by: (row) => row.observed[name] ?? 0,
					cell: (row) => bar(row.observed[name] ?? 0, 'measured', `${row.observed[name] ?? 0} % said by ${name}`),
				}),
			),
		];
	}, [bias, observed]);
	const rows = useMemo(() => sortRows(bias.methods, columns, sort), [bias, columns, sort]);
	const open = (position: number): void => {
		const name = rows[position]?.method;
		const row = side.rows.filter(({ summary }) => summary.method === name).sort((a, b) => b.summary.samples - a.summary.samples)[0];
		if (row !== undefined) {
			router.open('compilation', row.summary.handle);
		}
	};
	const beside = bias.distances.filter(({ a }) => a === 'unbiased');
	return (
		<Pane
			title="Who is said to be hot"
			note={`share by innermost method · ${count(bias.samples)} samples · ${percent(bias.unknownPercent)} % could not be followed`}
			class="table-pane methods"
		>
			<Table
				id="bias-methods"
				label="methods, seen and predicted"
				columns={columns}
				rows={rows}
				sort={sort}
				onSort={(next) => router.set({ sort: next })}
				active={active}
				onActive={setActive}
				onEnter={open}
			/>
			{beside.length > 0 && (
				<p class="foot distances">
					Distance to the samples, 0 for the same to 1 for nothing in common:{' '}
					{beside.map(({ b, totalVariation, expectedFromSampling }, i) => (
						<span key={b}>
							{i > 0 && '; '}
							{shown(b, 40)} <b>{totalVariation.toFixed(2)}</b>
							{expectedFromSampling !== null && ` (${expectedFromSampling.toFixed(2)} would be luck)`}
						</span>
					))}
					.
					{observed.length === 0 &&
						' No profile of another profiler lies here: thread dumps, Flight Recorder or collapsed stacks beside the recording are laid beside these columns.'}
				</p>
			)}
		</Pane>
	);
}

function signed(value: number): string {
	return `${value > 0 ? '+' : value < 0 ? '−' : ''}${percent(Math.abs(value))}`;
}

function Why({ bias }: { readonly bias: PageBias }) {
	const { side } = usePage();
	const withSamples = bias.loops
		.map((loop) => ({ ...loop, samples: side.byHandle.get(`c${loop.compileId}`)?.summary.samples ?? 0 }))
		.filter(({ poll }) => poll !== 'iteration')
		.sort((a, b) => b.samples - a.samples);
	return (
		<Pane title="Why" note="loops without a poll on every way round" class="why">
			{withSamples.length === 0 ? (
				<Empty what="Every loop of the sampled compilations polls on every way round." />
			) : (
				<div class="loops" tabIndex={0} role="group" aria-label="loops without a poll">
					<ul>
						{withSamples.slice(0, 12).map((loop) => (
							<li key={`${loop.compileId} ${loop.header}`}>
								<Method name={loop.method} />
								{loop.line !== null && <span class="ink2"> line {loop.line}</span>} {loop.compileId !== null && <Handle handle={`c${loop.compileId}`} />}
								<p title={titleOf(loop.reason)}>
									{loop.poll === 'none' ? 'no poll' : 'polls only in the loop around it'}: {shown(loop.reason, 160)}
								</p>
							</li>
						))}
					</ul>
				</div>
			)}
		</Pane>
	);
}

function Delays() {
	const { side, filtered } = usePage();
	const { ttsp } = side.page;
	const pauses = useMemo(() => pausesOf(side.page), [side]);
	if (ttsp === null || ttsp.safepoints.length === 0) {
		return (
			<Pane title="Who delays a stop">
				<Empty what="No file tells of safepoints." flag="-Xlog:safepoint*=info:file=safepoint.log:uptimenanos,timenanos,tags" />
			</Pane>
		);
	}
	const { range } = filtered;
	const inRange = range === null ? pauses : pauses.filter(({ ms }) => ms >= range.from && ms <= range.to);
	const times = (range === null ? ttsp.safepoints.map(({ reachingNs }) => reachingNs ?? 0) : inRange.map(({ reachingNs }) => reachingNs)).filter(
		(ns) => ns > 0,
	);
	const worst = Math.max(0, ...times);
	const slow = range === null ? ttsp.safepoints.filter(({ isSlow }) => isSlow).length : times.filter((ns) => ns >= ttsp.slowNs).length;
	return (
		<Pane
			title="Who delays a stop"
			note={`${counted(times.length, 'safepoint')}${range === null ? '' : ` in ${rangeText(range)}`}, time to reach`}
			class="delays"
		>
			<Dots times={times} />
			<p class="foot">
				{times.length === 0
					? 'No safepoint in this range.'
					: `The longest took ${nanoseconds(worst)} to reach; ${slow === 0 ? 'none' : count(slow)} over ${nanoseconds(ttsp.slowNs)}.`}
			</p>
			{range !== null && ttsp.causes.length > 0 && <p class="foot">Causes, of the whole run:</p>}
			{ttsp.causes.length > 0 && (
				<div class="loops" tabIndex={0} role="group" aria-label="who delayed stops">
					<ul>
						{ttsp.causes.slice(0, 6).map((cause, i) => (
							<li key={i}>
								<Method name={cause.method} />
								{cause.line !== undefined && <span class="ink2"> line {cause.line}</span>} <span class="ink2">{nanoseconds(cause.reachingNs)}</span>
								<p>
									{[cause.why, cause.remedy]
										.filter((one) => one !== null)
										.map((text) => shown(text as string, 220))
										.join(' ')}
								</p>
							</li>
						))}
					</ul>
				</div>
			)}
		</Pane>
	);
}

/** One dot a safepoint, on a logarithmic scale. */
function Dots({ times }: { readonly times: readonly number[] }) {
	const low = 1e3;
	const high = Math.max(1e7, ...times);
	const x = (ns: number): number => 12 + (Math.log(Math.max(low, ns) / low) / Math.log(high / low)) * 316;
	const stacks = new Map<number, number>();
	const shownTimes = times.length > 1500 ? [...times].sort((a, b) => b - a).slice(0, 1500) : times;
	const ticks = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9].filter((ns) => ns <= high);
	return (
		<svg class="dots" viewBox="0 0 340 84" role="img" aria-label="times to safepoint, on a logarithmic scale">
			{ticks.map((ns) => (
				<g key={ns} class="tick">
					<line x1={x(ns)} x2={x(ns)} y1={4} y2={66} />
					<text class="axis" x={x(ns)} y={80} text-anchor={x(ns) > 310 ? 'end' : x(ns) < 20 ? 'start' : 'middle'}>
						{nanoseconds(ns).replace(/\.0+(?= )/, '')}
					</text>
				</g>
			))}
			{shownTimes.map((ns, i) => {
				const at = Math.round(x(ns) / 3);
				const level = stacks.get(at) ?? 0;
				stacks.set(at, level + 1);
				return <circle key={i} class={ns >= 1e7 ? 'slow' : ''} cx={at * 3} cy={60 - Math.min(level, 13) * 4.2} r={2.6} />;
			})}
		</svg>
	);
}
