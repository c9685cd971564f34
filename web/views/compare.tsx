/** Two recordings: which methods changed and whether that is more than noise; beside them their trees and the code of hot regions. */
import { useMemo, useRef } from 'preact/hooks';
import type { DiffChangeJson } from '../../src/answers/diff-result.js';
import type { PageDiff, PageHotPairs } from '../../src/page/data.js';
import { sideNames } from '../../src/render/side-names.js';
import { shown } from '../names.js';
import { count, counted, percent } from '../numbers.js';
import { Empty, Method, Nothing, Pane, WholeRun } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import { usePart } from '../parts/part.js';
import { type Column, sortRows, Table } from '../parts/table.js';
import { AlignedCode } from './compare-code.js';
import { type Side, Sign } from './compare-sign.js';
import { Trees } from './compare-trees.js';
import type { GoToChange } from './use-folds.js';

interface MethodRow {
	readonly method: PageDiff['methods'][number];
	readonly real: readonly DiffChangeJson[];
	readonly noise: number;
	readonly sign: Side | null;
	readonly delta: number | null;
	/** Whether the shares of the runs of both sides lie in each other. */
	readonly isOverlapping: boolean;
}

export function Compare() {
	const { loaded } = usePage();
	const { parts } = loaded.main;
	const diff = usePart<PageDiff>(parts.diff);
	const pairs = usePart<PageHotPairs>(parts.hotPairs);
	if (diff === undefined || pairs === undefined) {
		return <p class="empty">Reading …</p>;
	}
	if (diff === null && pairs === null) {
		return (
			<Nothing
				title="Compare"
				what="This page holds one recording. Two are laid beside each other by assay diff A B -o FILE.html, or assay open A --compare B."
			/>
		);
	}
	return <Compared diff={diff} pairs={pairs} />;
}

function Compared({ diff, pairs }: { readonly diff: PageDiff | null; readonly pairs: PageHotPairs | null }) {
	const { router, loaded } = usePage();
	const { params } = router.route;
	const showsNoise = params.noise === '1';
	const sort = params.sort ?? 'delta';
	const all = useMemo(() => (diff === null ? [] : methodRows(diff)), [diff]);
	const columns = useMemo(() => columnsOf(diff), [diff]);
	const rows = useMemo(
		() =>
			sortRows(
				all.filter((row) => row.real.length > 0 || (row.delta !== null && !row.isOverlapping && Math.abs(row.delta) > 0.0002) || (showsNoise && row.noise > 0)),
				columns,
				sort,
			),
		[all, columns, sort, showsNoise],
	);
	const named = rows.findIndex(({ method }) => method.handle === params.m);
	// What differs and has two trees is shown first.
	const hasTrees = ({ method }: MethodRow): boolean => diff !== null && Object.hasOwn(diff.trees, method.handle);
	const [changed, paired] = [rows.findIndex((row) => row.real.length > 0 && hasTrees(row)), rows.findIndex(hasTrees)];
	const chosen = Math.max(0, named >= 0 ? named : changed >= 0 ? changed : paired);
	const goInTrees = useRef<GoToChange | null>(null);
	const row = rows[chosen];
	const onKeyDown = (event: KeyboardEvent): void => {
		if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) {
			return;
		}
		if (event.key === 'h') {
			router.set({ noise: showsNoise ? '' : '1' });
		} else if (event.key === 'x') {
			router.set({ swap: params.swap === '1' ? '' : '1' });
		} else if (event.key === 'e') {
			router.set({ all: params.all === '1' ? '' : '1' });
		} else if (event.key === 'n' || event.key === 'N') {
			goInTrees.current?.(event.key === 'n' ? 1 : -1);
		} else {
			return;
		}
		event.preventDefault();
	};
	const [sideA, sideB] = loaded.main.sides;
	const names = sideNames(sideA?.name ?? 'a', sideB?.name ?? 'b').map((name) => shown(name, 40));
	return (
		<div class="view compare" onKeyDown={onKeyDown}>
			<h1>{sentence(diff, pairs, names)}</h1>
			<ul class="chips">
				<li class="chip">
					<b>a</b> {names[0] === 'a' ? '' : names[0]} {diff !== null && diff.runsA.length > 1 && `and ${diff.runsA.length - 1} repeats`}
				</li>
				<li class="chip">
					<b>b</b> {names[1] === 'b' ? '' : names[1]} {diff !== null && diff.runsB.length > 1 && `and ${diff.runsB.length - 1} repeats`}
				</li>
				{diff !== null && diff.runsA.length < diff.summary.runsNeeded && (
					<li class="chip missing">✗ noise unknown: {diff.summary.runsNeeded} runs a side tell it (--repeat-a, --repeat-b)</li>
				)}
				{diff?.summary.noiseTest != null && (
					<li class="chip">
						{diff.summary.noiseTest.verdict}: rank {count(diff.summary.noiseTest.rank)} of {count(diff.summary.noiseTest.tried)} splits
					</li>
				)}
				<li class="signs">
					<Sign of="minus" /> only in a <Sign of="plus" /> only in b <Sign of="star" /> changed
				</li>
			</ul>
			<WholeRun what="Both recordings are compared as wholes: these are the numbers" />
			<div class="compare-grid">
				<Pane
					title="Differences"
					note="by share of all samples"
					class="table-pane"
					right={
						diff !== null && (
							<span class="tabs">
								<button type="button" aria-pressed={showsNoise} onClick={() => router.set({ noise: showsNoise ? '' : '1' })}>
									{showsNoise ? 'hide noise' : `show noise (${count(diff.summary.noise)})`}
								</button>
							</span>
						)
					}
				>
					{diff === null ? (
						<Empty what="The decisions of the compilers cannot be compared: no log of compilations on one side." />
					) : rows.length === 0 ? (
						<Empty what="No decision differs." />
					) : (
						<Table
							id="differences"
							label="methods that differ"
							columns={columns}
							rows={rows}
							sort={sort}
							onSort={(next) => router.set({ sort: next })}
							active={chosen}
							onActive={(position) => router.set({ m: rows[position]?.method.handle ?? '' })}
							onEnter={() => document.getElementById('trees')?.focus()}
							keys={[
								['j k', 'difference'],
								['h', 'show noise'],
								['x', 'swap sides'],
								['n N', 'next, previous change'],
								['e', 'equal ones too'],
							]}
							rowClass={(one) => (one.real.length === 0 ? 'noisy' : undefined)}
						/>
					)}
				</Pane>
				<div class="side">
					{row !== undefined && diff !== null && (
						<Trees
							key={row.method.handle}
							method={row.method}
							decisions={row.real.length}
							noise={row.noise}
							diff={diff}
							isSwapped={params.swap === '1'}
							isAll={params.all === '1'}
							go={goInTrees}
						/>
					)}
					{row !== undefined && <Changes row={row} />}
					<AlignedCode pairs={pairs} method={row?.method.method ?? null} />
				</div>
			</div>
		</div>
	);
}

function sentence(diff: PageDiff | null, pairs: PageHotPairs | null, [a = 'a', b = 'b']: readonly string[]): string {
	if (diff === null) {
		const sure = pairs?.pairs.filter(({ isSure }) => isSure).length ?? 0;
		return `${count(sure)} hot regions changed between ${a} and ${b} beyond chance.`;
	}
	const { inTheirOwnRight, changed, noise } = diff.summary;
	const runs = `${diff.runsA.length} × ${diff.runsB.length} runs`;
	if (diff.summary.noiseTest?.verdict === 'within chance') {
		return `${a} and ${b} differ by no more than chance in ${runs}: ${count(noise)} decisions vary, all of them noise.`;
	}
	const differ = `${counted(inTheirOwnRight, 'decision')} ${inTheirOwnRight === 1 ? 'differs' : 'differ'}`;
	return diff.runsA.length > 1 || diff.runsB.length > 1
		? `${differ} between ${a} and ${b} in ${runs} (${count(changed - inTheirOwnRight)} more with them). ${count(noise)} others differ by no more than chance: noise.`
		: `${differ} between ${a} and ${b} (${count(changed - inTheirOwnRight)} more with them); without repeats nobody knows which are noise.`;
}

function methodRows({ methods, changes }: PageDiff): MethodRow[] {
	const real = new Map<string, DiffChangeJson[]>();
	const noise = new Map<string, number>();
	const keyOf = ({ method, signature, namesake }: Pick<DiffChangeJson, 'method' | 'signature' | 'namesake'>): string =>
		`${method}${signature ?? ''} ${namesake ?? ''}`;
	for (const change of changes) {
		const key = keyOf(change);
		if (change.noise === true) {
			noise.set(key, (noise.get(key) ?? 0) + 1);
		} else if (change.cause === null) {
			const list = real.get(key) ?? [];
			list.push(change);
			real.set(key, list);
		}
	}
	return methods.map((method): MethodRow => {
		const key = keyOf(method);
		const own = real.get(key) ?? [];
		const { periodShareA: a, periodShareB: b } = method;
		const [sharesA, sharesB] = [method.periodSharesA, method.periodSharesB].map((shares) => shares.filter((one): one is number => one !== null)) as [
			number[],
			number[],
		];
		const isOverlapping =
			sharesA.length > 0 && sharesB.length > 0 && Math.max(...sharesA) >= Math.min(...sharesB) && Math.max(...sharesB) >= Math.min(...sharesA);
		return { method, real: own, noise: noise.get(key) ?? 0, sign: signOfAll(own), delta: a === null && b === null ? null : (b ?? 0) - (a ?? 0), isOverlapping };
	});
}

function signOf({ before, after }: DiffChangeJson): Side {
	return before === null ? 'plus' : after === null ? 'minus' : 'star';
}

function signOfAll(changes: readonly DiffChangeJson[]): Side | null {
	const signs = new Set(changes.map(signOf));
	return signs.size === 0 ? null : signs.size > 1 ? 'star' : [...signs][0]!;
}

function columnsOf(diff: PageDiff | null): Column<MethodRow>[] {
	const largest = Math.max(
		0.0001,
		...(diff?.methods.flatMap(({ periodSharesA, periodSharesB }) => [...periodSharesA, ...periodSharesB].map((one) => one ?? 0)) ?? []),
	);
	const mostNoise = Math.max(1, ...(diff === null ? [] : methodRows(diff).map(({ noise }) => noise)));
	return [
		{ key: 'sign', head: '', width: '22px', cell: ({ sign }) => (sign === null ? null : <Sign of={sign} />) },
		{
			key: 'method',
			head: 'Method',
			width: 'minmax(130px, 3fr)',
			by: ({ method }) => method.method,
			cell: ({ method }) => <Method name={method.method} namesake={method.namesake} />,
		},
		{
			key: 'shares',
			head: `0 – ${percent(100 * largest)} %`,
			width: 'minmax(70px, 1fr)',
			title: 'share of each run: circles a, discs b',
			cell: ({ method }) => <Shares a={method.periodSharesA} b={method.periodSharesB} largest={largest} />,
			dispensable: 2,
		},
		{
			key: 'delta',
			head: 'Δ, pp',
			width: '68px',
			isNumber: true,
			by: ({ delta }) => Math.abs(delta ?? 0),
			title: 'percentage points; ≈ the runs of a and b overlap',
			cell: ({ delta, isOverlapping }) =>
				delta === null ? (
					<span class="none">–</span>
				) : (
					<span class={isOverlapping ? 'ink3' : ''}>
						{isOverlapping && '≈ '}
						{delta > 0 ? '+' : delta < 0 ? '−' : ''}
						{percent(Math.abs(100 * delta), 2)}
					</span>
				),
		},
		{
			key: 'real',
			head: 'Real',
			width: '46px',
			isNumber: true,
			by: ({ real }) => real.length,
			cell: ({ real }) => (real.length === 0 ? <span class="none">–</span> : count(real.length)),
			title: 'decisions that differ, in their own right',
		},
		{
			key: 'noise',
			head: 'Noise',
			width: '70px',
			by: ({ noise }) => noise,
			title: 'decisions that vary within a side too',
			cell: ({ noise }) => (
				<span class="noise">
					<i>
						<i style={{ width: `${(100 * noise) / mostNoise}%` }} />
					</i>
					{count(noise)}
				</span>
			),
		},
	];
}

function Shares({ a, b, largest }: { readonly a: readonly (number | null)[]; readonly b: readonly (number | null)[]; readonly largest: number }) {
	const x = (share: number): number => 4 + (share / largest) * 92;
	const all = [...a, ...b].filter((one): one is number => one !== null).map(x);
	return (
		<svg
			class="shares"
			viewBox="0 0 100 12"
			preserveAspectRatio="none"
			role="img"
			aria-label={`a ${a.map((one) => percent(100 * (one ?? 0), 2)).join(', ')} %; b ${b.map((one) => percent(100 * (one ?? 0), 2)).join(', ')} %`}
		>
			<line x1={2} x2={98} y1={6} y2={6} />
			{all.length > 0 && <line class="span" x1={Math.min(...all)} x2={Math.max(...all)} y1={6} y2={6} />}
			{b.map((share, i) => (share === null ? null : <line key={`b${i}`} class="b" x1={x(share)} x2={x(share) + 0.01} y1={6} y2={6} />))}
			{a.map((share, i) => (share === null ? null : <line key={`a${i}`} class="a" x1={x(share)} x2={x(share) + 0.01} y1={6} y2={6} />))}
			{a.map((share, i) => (share === null ? null : <line key={`h${i}`} class="hole" x1={x(share)} x2={x(share) + 0.01} y1={6} y2={6} />))}
		</svg>
	);
}

/** `demo.c:38`, on two sides `demo.c:38 → demo.c:41`. */
function sourceText({ a, b }: { readonly a: string | null; readonly b: string | null }): string {
	return [...new Set([a, b])].filter((one) => one !== null).join(' → ');
}

function decisionText(decision: DiffChangeJson['before']): string {
	return decision ?? 'nothing';
}

function Changes({ row }: { readonly row: MethodRow }) {
	if (row.real.length === 0) {
		return null;
	}
	return (
		<Pane title="Decisions" note={`${count(row.real.length)} in their own right`} class="changes">
			<div class="loops" tabIndex={0} role="group" aria-label="decisions">
				<ul>
					{row.real.slice(0, 200).map((change) => {
						const place = change.where.at(-1);
						return (
							<li key={change.handle}>
								<Sign of={signOf(change)} /> <span class="handle">{change.handle}</span> {shown(decisionText(change.before))} →{' '}
								{shown(decisionText(change.after))} {place?.method != null && <Method name={place.method} />}
								<span class="ink3"> {change.where.map(({ bci, source }) => (source === undefined ? bci : shown(sourceText(source)))).join(' › ')}</span>
								{change.kind === 'callsite' && (
									<p>
										{[change.reasonsBefore?.at(-1), change.reasonsAfter?.at(-1)]
											.map((reason) => (reason === undefined ? 'no reason logged' : shown(reason, 120)))
											.join(' → ')}
									</p>
								)}
							</li>
						);
					})}
				</ul>
			</div>
		</Pane>
	);
}
