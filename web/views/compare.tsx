/** Two recordings: which methods changed and whether that is more than noise, their trees side by side, and the code of hot regions aligned. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { DiffChangeJson } from '../../src/answers/diff-result.js';
import type { ComparedRowJson, InliningRowJson } from '../../src/answers/profdiff-result.js';
import type { PageDiff, PageHotPair, PageHotPairs, PageTreePair } from '../../src/page/data.js';
import { sideNames } from '../../src/render/side-names.js';
import { displayedName, shown, splitName, titleOf, titleOfLines } from '../names.js';
import { count, counted, heatStop, percent } from '../numbers.js';
import { Empty, Method, Nothing, Pane, WholeRun } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import { usePart } from '../parts/part.js';
import { type Column, sortRows, Table } from '../parts/table.js';
import { Virtual, type VirtualProps } from '../parts/virtual.js';
import { type FoldedLine, foldedLines, nextChange, withNeighbours, withParents } from './equal-folds.js';
import { Mark } from './inlining.js';

type Sign = 'minus' | 'plus' | 'star';

interface MethodRow {
	readonly method: PageDiff['methods'][number];
	readonly real: readonly DiffChangeJson[];
	readonly noise: number;
	readonly sign: Sign | null;
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
						<Trees key={row.method.handle} row={row} diff={diff} isSwapped={params.swap === '1'} isAll={params.all === '1'} go={goInTrees} />
					)}
					{row !== undefined && <Changes row={row} />}
					<AlignedCode pairs={pairs} method={row?.method.method ?? null} />
				</div>
			</div>
		</div>
	);
}

const SIGN_TEXT: Record<Sign, string> = { minus: '−', plus: '+', star: '∗' };
const SIGN_WORDS: Record<Sign, string> = { minus: 'only in a', plus: 'only in b', star: 'changed' };

function Sign({ of }: { readonly of: Sign }) {
	return (
		<i class={`sign ${of}`} title={SIGN_WORDS[of]} role="img" aria-label={SIGN_WORDS[of]}>
			<b>{SIGN_TEXT[of]}</b>
		</i>
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
	const keyOf = ({ method, signature }: { readonly method: string; readonly signature: string | null }): string => `${method}${signature ?? ''}`;
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

function signOf({ before, after }: DiffChangeJson): Sign {
	return before === null ? 'plus' : after === null ? 'minus' : 'star';
}

function signOfAll(changes: readonly DiffChangeJson[]): Sign | null {
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
		{ key: 'method', head: 'Method', width: 'minmax(130px, 3fr)', by: ({ method }) => method.method, cell: ({ method }) => <Method name={method.method} /> },
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

const OPERATION_SIGN: Record<ComparedRowJson<InliningRowJson>['operation'], Sign | null> = { identity: null, relabel: 'star', insert: 'plus', delete: 'minus' };

/** To the next change, or to the previous one. */
type GoToChange = (direction: 1 | -1) => void;

interface TreesProps {
	readonly row: MethodRow;
	readonly diff: PageDiff;
	readonly isSwapped: boolean;
	/** Equal calls too. */
	readonly isAll: boolean;
	/** Set to what `n` and `N` do anywhere in the view. */
	readonly go: { current: GoToChange | null };
}

const NO_NODES: readonly ComparedRowJson<InliningRowJson>[] = [];

function Trees({ row, diff, isSwapped, isAll, go }: TreesProps) {
	const { method } = row;
	const part = Object.hasOwn(diff.trees, method.handle) ? (diff.trees[method.handle] ?? null) : null;
	const group = usePart<Readonly<Record<string, PageTreePair>>>(part);
	const pair = group?.[method.handle];
	const nodes = pair?.inlining.nodes ?? NO_NODES;
	const isChanged = useMemo(() => nodes.map(({ operation }) => operation !== 'identity'), [nodes]);
	const isKept = useMemo(
		() =>
			withParents(
				nodes.map(({ depth }) => depth),
				isChanged,
			),
		[nodes, isChanged],
	);
	const folds = useFolds(isKept, isChanged, isAll);
	go.current = folds.go;
	const [left, right] = isSwapped ? (['b', 'a'] as const) : (['a', 'b'] as const);
	const changes = isChanged.filter(Boolean).length;
	return (
		<Pane
			title={shown(displayedName(method.method), 80)}
			note={`${counted(row.real.length, 'decision')}${row.noise > 0 ? `, ${count(row.noise)} noise` : ''}${changes > 0 ? ` · ${count(changes)} of ${count(nodes.length)} calls differ` : ''}`}
			class={nodes.length > 0 ? 'trees' : 'slim'}
			right={pair === undefined ? undefined : <PairHandles pair={pair} row={row} />}
		>
			{part === null && <Empty what="One side did not compile it at the top tier: there are no two trees." />}
			{part !== null && group === undefined && <p class="empty">Reading …</p>}
			{pair !== undefined && pair.inlining.outcome === 'too-big' && <Empty what="The trees are too large to be compared node by node." />}
			{pair !== undefined && pair.inlining.outcome !== 'too-big' && nodes.length === 0 && <Empty what="Both inlining trees are the same." />}
			{nodes.length > 0 && (
				<Virtual
					id="trees"
					label="inlining trees side by side"
					role="tree"
					class="tree twin"
					rowHeight={21}
					{...folds.list}
					keys={[
						['n N', 'next, previous change'],
						['x', 'swap sides'],
						['e', 'equal ones too'],
					]}
					rowProps={(i) => {
						const line = folds.lines[i]!;
						const node = nodes[line.kind === 'row' ? line.at : line.from]!;
						return {
							'aria-level': node.depth + 1,
							class: line.kind === 'fold' ? 'equal-fold' : (OPERATION_SIGN[node.operation] ?? ''),
							...(line.kind === 'fold' ? { onClick: () => folds.unfold(i) } : {}),
						};
					}}
					text={(i) => {
						const line = folds.lines[i]!;
						return line.kind === 'fold' ? equalText(line, 'calls') : textOfNode(nodes[line.at]!);
					}}
					row={(i) => {
						const line = folds.lines[i]!;
						return line.kind === 'fold' ? (
							<span class="folded">▸ {equalText(line, 'calls')}</span>
						) : (
							<>
								<Half node={nodes[line.at]!} side={left} />
								<Half node={nodes[line.at]!} side={right} />
							</>
						);
					}}
				/>
			)}
		</Pane>
	);
}

function equalText({ from, to }: { readonly from: number; readonly to: number }, what: string): string {
	return `${count(to - from + 1)} equal ${what}`;
}

const OPERATION_TEXT: Record<ComparedRowJson<InliningRowJson>['operation'], string> = { identity: ' ', relabel: '*', insert: '+', delete: '-' };

/** For the clipboard: a sign, the depth, and both sides where they differ. */
function textOfNode(node: ComparedRowJson<InliningRowJson>): string {
	const textOf = ({ bci, method, kind, reasons }: InliningRowJson): string =>
		[bci >= 0 ? `@${bci}` : '', method ?? 'unknown method', kind, reasons.at(-1) ?? ''].filter((part) => part !== '').join(' ');
	const sides = node.before === undefined ? [node as InliningRowJson] : [node.before, (node as { readonly after: InliningRowJson }).after];
	return titleOf(`${OPERATION_TEXT[node.operation]} ${'  '.repeat(node.depth)}${sides.map(textOf).join(' → ')}`);
}

interface Folds {
	readonly lines: readonly FoldedLine[];
	readonly list: Pick<VirtualProps, 'count' | 'active' | 'reveal' | 'onActive' | 'onEnter' | 'onKey'>;
	readonly go: GoToChange;
	unfold(line: number): void;
}

/** A list that opens at its first change, with what is equal folded, and keys from change to change. */
function useFolds(isKept: readonly boolean[], isChanged: readonly boolean[], isAll: boolean): Folds {
	const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
	const [cursor, setCursor] = useState(-1);
	const lines = useMemo(() => foldedLines(isKept, isAll ? 'all' : unfolded), [isKept, isAll, unfolded]);
	// Keys may come faster than the list is drawn.
	const go: GoToChange = (direction) =>
		setCursor((from) => {
			const next = nextChange(isChanged, from, direction);
			return next >= 0 ? next : from;
		});
	useEffect(() => {
		setUnfolded(new Set());
		setCursor(isChanged.indexOf(true));
	}, [isChanged]);
	const active = cursor < 0 ? -1 : lines.findIndex((line) => (line.kind === 'row' ? line.at === cursor : line.from <= cursor && cursor <= line.to));
	const unfold = (position: number): void => {
		const line = lines[position];
		if (line?.kind === 'fold') {
			setUnfolded(new Set([...unfolded, line.from]));
			setCursor(line.from);
		}
	};
	return {
		lines,
		go,
		unfold,
		list: {
			count: lines.length,
			active,
			reveal: active,
			onActive: (position) => {
				const line = lines[position];
				if (line !== undefined) {
					setCursor(line.kind === 'row' ? line.at : line.from);
				}
			},
			onEnter: unfold,
			onKey: ({ key }) => {
				if (key === 'n' || key === 'N') {
					go(key === 'n' ? 1 : -1);
					return true;
				}
				return false;
			},
		},
	};
}

function PairHandles({ pair, row }: { readonly pair: PageTreePair; readonly row: MethodRow }) {
	const { router } = usePage();
	const share = (value: number | null): string => (value === null ? '' : ` ${percent(100 * value, 2)} %`);
	return (
		<span>
			<a class="handle" href={router.href('compilation', `c${pair.left}`, { side: '0' })}>
				a:c{shown(pair.left, 12)}
			</a>
			{share(row.method.periodShareA)} →{' '}
			<a class="handle" href={router.href('compilation', `c${pair.right}`, { side: '1' })}>
				b:c{shown(pair.right, 12)}
			</a>
			{share(row.method.periodShareB)}
		</span>
	);
}

function Half({ node, side }: { readonly node: ComparedRowJson<InliningRowJson>; readonly side: 'a' | 'b' }) {
	const isMissing = (side === 'a' && node.operation === 'insert') || (side === 'b' && node.operation === 'delete');
	if (isMissing) {
		return <span class="half missing" aria-hidden="true" />;
	}
	const row: InliningRowJson =
		node.before === undefined ? (node as InliningRowJson) : side === 'a' ? node.before : (node as { readonly after: InliningRowJson }).after;
	const sign = OPERATION_SIGN[node.operation];
	return (
		<span class="half" title={titleOfLines([row.method ?? 'unknown method', ...row.reasons])}>
			<span class="sign-room">{sign !== null && <Sign of={sign} />}</span>
			<span class="call" style={{ paddingLeft: `${4 + 12 * Math.min(node.depth, 20)}px` }}>
				<Mark kind={row.kind} />
				{row.bci >= 0 && <span class="bci">{row.bci}</span>}
				{row.method === null ? <span class="ink3">unknown method</span> : <Method name={row.method} />}
				<span class={`reason ${row.kind === 'direct' || row.kind === 'indirect' ? 'refused' : ''}`}>
					{row.kind === 'inlined' || row.kind === 'root' ? '' : `${row.kind} `}
					{shown(row.reasons.at(-1) ?? '', 60)}
				</span>
			</span>
		</span>
	);
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
								<span class="ink3"> {change.where.map(({ bci }) => bci).join(' › ')}</span>
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

function AlignedCode({ pairs, method }: { readonly pairs: PageHotPairs | null; readonly method: string | null }) {
	const { router } = usePage();
	const candidates = useMemo(() => (pairs?.pairs ?? []).filter(({ a, b, lines }) => a !== null && b !== null && lines.length > 0), [pairs]);
	const wanted = Number(router.route.params.pair ?? -1);
	const own = candidates.findIndex((pair) => pair.method === method);
	const chosen =
		candidates[wanted] ?? candidates[own] ?? candidates.find(({ lines }) => lines.some(({ a, b }) => a === null || b === null)) ?? candidates[0] ?? null;
	if (pairs === null || chosen === null) {
		return (
			<Pane title="Code, aligned" class="slim">
				<Empty
					what={pairs === null ? 'One of the recordings has no samples with code: nothing can be aligned.' : 'No hot region is on both sides.'}
					flag={pairs === null ? '-XX:+PrintAssembly' : undefined}
				/>
			</Pane>
		);
	}
	return (
		<Aligned
			pair={chosen}
			pairs={candidates}
			choose={(position) => router.set({ pair: String(position) })}
			totals={pairs.samples}
			isAll={router.route.params.all === '1'}
		/>
	);
}

interface AlignedProps {
	readonly pair: PageHotPair;
	readonly pairs: readonly PageHotPair[];
	readonly choose: (position: number) => void;
	readonly totals: PageHotPairs['samples'];
	/** Equal instructions too. */
	readonly isAll: boolean;
}

/** Equal instructions that are shown before and behind those that differ. */
const CODE_AROUND = 3;

function Aligned({ pair, pairs, choose, totals, isAll }: AlignedProps) {
	const isChanged = useMemo(() => pair.lines.map(({ a, b }) => a === null || b === null), [pair]);
	const isKept = useMemo(() => withNeighbours(isChanged, CODE_AROUND), [isChanged]);
	const folds = useFolds(isKept, isChanged, isAll);
	const largest = Math.max(1, ...pair.lines.flatMap(({ a, b }) => [a?.samples ?? 0, b?.samples ?? 0]));
	const plus = pair.lines.filter(({ a }) => a === null).length;
	const minus = pair.lines.filter(({ b }) => b === null).length;
	return (
		<Pane
			title="Code, aligned"
			note={`${percent(pair.a?.percent ?? 0, 2)} → ${percent(pair.b?.percent ?? 0, 2)} % ${pair.isSure ? '' : '(within chance)'}; ${minus} only in a, ${plus} only in b`}
			class="aligned"
			right={
				<select aria-label="hot region" value={pairs.indexOf(pair)} onChange={(event) => choose(Number(event.currentTarget.value))}>
					{pairs.slice(0, 60).map((one, i) => (
						<option key={i} value={i}>
							{one.a?.handle} → {one.b?.handle} {splitName(one.method).name}
						</option>
					))}
				</select>
			}
		>
			<Virtual
				id="aligned"
				label="instructions side by side"
				role="listbox"
				class="asm twin"
				rowHeight={17}
				{...folds.list}
				keys={[
					['n N', 'next, previous change'],
					['e', 'equal ones too'],
				]}
				rowProps={(i) => {
					const line = folds.lines[i]!;
					const { a = null, b = null } = line.kind === 'row' ? (pair.lines[line.at] ?? {}) : {};
					return line.kind === 'fold' ? { class: 'equal-fold', onClick: () => folds.unfold(i) } : { class: a === null ? 'plus' : b === null ? 'minus' : '' };
				}}
				text={(i) => {
					const line = folds.lines[i]!;
					if (line.kind === 'fold') {
						return `; ${equalText(line, 'instructions')}`;
					}
					const { a = null, b = null } = pair.lines[line.at] ?? {};
					return titleOf(`${a === null ? '+' : b === null ? '-' : ' '} ${(a ?? b)?.text ?? ''}`);
				}}
				row={(i) => {
					const line = folds.lines[i]!;
					if (line.kind === 'fold') {
						const inside = pair.lines.slice(line.from, line.to + 1);
						const sum = (side: 'a' | 'b'): string =>
							percent((100 * inside.reduce((all, one) => all + (one[side]?.samples ?? 0), 0)) / Math.max(1, totals[side]), 2);
						return (
							<span class="folded">
								▸ {equalText(line, 'instructions')}, {sum('a')} → {sum('b')} %
							</span>
						);
					}
					const { a = null, b = null } = pair.lines[line.at] ?? {};
					return (
						<>
							<CodeHalf line={a} sign={b === null ? 'minus' : null} largest={largest} total={totals.a} />
							<CodeHalf line={b} sign={a === null ? 'plus' : null} largest={largest} total={totals.b} />
						</>
					);
				}}
			/>
		</Pane>
	);
}

function CodeHalf({
	line,
	sign,
	largest,
	total,
}: {
	readonly line: PageHotPair['lines'][number]['a'];
	readonly sign: Sign | null;
	readonly largest: number;
	readonly total: number;
}) {
	if (line === null) {
		return <span class="half missing" aria-hidden="true" />;
	}
	return (
		<span class="half">
			<span class="sign-room">{sign !== null && <Sign of={sign} />}</span>
			<span class="pct" title={`${line.samples} samples`}>
				{line.samples > 0 && (
					<>
						<span class="value">{percent((100 * line.samples) / Math.max(1, total), 2)}</span>
						<i class={`heat h${Math.max(2, heatStop(line.samples, largest))}`} style={{ width: `${Math.max(1.5, (20 * line.samples) / largest)}px` }} />
					</>
				)}
			</span>
			<span class="address">{line.address.slice(-6)}</span>
			<span class="operands" dir="ltr" title={titleOf(line.text)}>
				{shown(line.text, 120)}
			</span>
		</span>
	);
}
