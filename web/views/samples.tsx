/** Flame graph of the samples and the sandwich of one method: as seen, as a profiler at safepoints would say, or the difference. */
import { useMemo, useState } from 'preact/hooks';
import type { PageBias, PageStackSource, PageStacks } from '../../src/page/data.js';
import type { FlameMode } from '../flame-layout.js';
import { shown, splitName } from '../names.js';
import { count, percent } from '../numbers.js';
import { Heat, Method, Nothing, Pane, useChoice, WholeRun } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import { usePart } from '../parts/part.js';
import { type Column, sortRows, Table } from '../parts/table.js';
import { chosenSamples } from '../side.js';
import {
	bestSource,
	calleesOf,
	callersOf,
	flameTree,
	inverted,
	type MethodShare,
	methodShares,
	shareOf,
	stacksOf,
	totalSamples,
	weightedStacks,
} from '../stacks.js';
import { Flame } from './flame.js';

const MODES: Record<FlameMode, string> = { seen: 'seen', predicted: 'predicted at safepoints', difference: 'difference' };

export function Samples() {
	const { side, router } = usePage();
	const { stackSources: sources } = side.page;
	const chosen = sources[Number(router.route.params.source ?? bestSource(sources))] ?? sources[bestSource(sources)];
	if (chosen === undefined) {
		return (
			<Nothing
				title="Samples"
				what="There are no samples, so there is no flame graph."
				flag="assay record, perf record -g, Flight Recorder, or async-profiler -o collapsed"
			/>
		);
	}
	return <Source key={chosen.part} chosen={chosen} sources={sources} />;
}

interface SourceProps {
	readonly chosen: PageStackSource;
	readonly sources: readonly PageStackSource[];
}

function Source({ chosen, sources }: SourceProps) {
	const { side } = usePage();
	const stacks = usePart<PageStacks>(chosen.part);
	const bias = usePart<PageBias>(side.page.biasPart);
	if (stacks === undefined || bias === undefined) {
		return <p class="empty">Reading …</p>;
	}
	if (stacks === null) {
		return <p class="empty">These stacks cannot be read.</p>;
	}
	return <Graphs chosen={chosen} sources={sources} stacks={stacks} bias={bias} />;
}

/** Files are named with the folder that the whole page is of. */
function nameInside(name: string, folder: string): string {
	const prefix = folder.endsWith('/') ? folder : `${folder}/`;
	return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

interface GraphsProps extends SourceProps {
	readonly stacks: PageStacks;
	readonly bias: PageBias | null;
}

function Graphs({ chosen, sources, stacks: whole, bias }: GraphsProps) {
	const { side, filtered, router } = usePage();
	const choice = useChoice();
	const chosenStacks = useMemo(
		() => (filtered.isWhole || side.samples === null ? null : stacksOf(whole, chosenSamples(side.samples, filtered))),
		[whole, side, filtered],
	);
	const stacks = chosenStacks ?? whole;
	const isUnfiltered = choice !== '' && chosenStacks === null;
	const { params } = router.route;
	const mode: FlameMode = bias !== null && (params.mode === 'predicted' || params.mode === 'difference') ? params.mode : 'seen';
	const weighted = useMemo(() => weightedStacks(stacks, bias), [stacks, bias]);
	const shares = useMemo(() => methodShares(weighted), [weighted]);
	const focus = params.method ?? '';
	const isKnown = focus !== '' && shares.some(({ name }) => name === focus);
	const top = shares.find(({ name }) => !name.startsWith('('));
	const total = useMemo(() => totalSamples(stacks), [stacks]);
	const what = chosen.isInlining ? 'compiled methods and what is inlined into them' : 'calls';
	const isInverted = params.invert === '1';
	const root = useMemo(() => flameTree(isInverted ? inverted(weighted) : weighted), [weighted, isInverted]);
	const find = params.find ?? '';
	const choose = (name: string): void => router.set({ method: name }, true);
	return (
		<div class="view samples-view">
			<h1>
				{top === undefined
					? `No sample${choice === '' || isUnfiltered ? '' : ` of ${choice}`} is in a method.`
					: `${choice === '' || isUnfiltered ? '' : `${choice}: `}${splitName(top.name).holder}${splitName(top.name).name} holds ${percent(top.self)} % of the samples itself, ${percent(top.total)} % with what it ${chosen.isInlining ? 'inlines' : 'calls'}.`}
			</h1>
			<div class="controls">
				{sources.length > 1 && (
					<select aria-label="stacks" value={sources.indexOf(chosen)} onChange={(event) => router.set({ source: event.currentTarget.value, method: '' })}>
						{sources.map(({ name }, i) => (
							<option key={i} value={i}>
								{shown(nameInside(name, side.page.name), 90)}
							</option>
						))}
					</select>
				)}
				<span class="tabs" role="tablist" aria-label="which profile">
					{(Object.keys(MODES) as FlameMode[]).map((one) => (
						<button
							key={one}
							type="button"
							role="tab"
							aria-selected={one === mode}
							disabled={bias === null && one !== 'seen'}
							onClick={() => router.set({ mode: one })}
						>
							{MODES[one]}
						</button>
					))}
				</span>
				<button type="button" class="plain" aria-pressed={isInverted} disabled={isKnown} onClick={() => router.set({ invert: isInverted ? '' : '1' })}>
					inside out
				</button>
				<input
					type="search"
					aria-label="mark frames with these letters"
					placeholder="mark frames"
					value={find}
					onInput={(event) => router.set({ find: event.currentTarget.value })}
				/>
				{find !== '' && (
					<output>
						{percent(shareOf(weighted, find))} % of the samples are in or below “{shown(find, 40)}”
					</output>
				)}
				<span class="note">
					{shown(nameInside(chosen.name, side.page.name), 90)}: {what} · {count(total)} samples
					{isUnfiltered && ' of the whole run'}
					{stacks.leftOutSamples > 0 &&
						` · the ${count(stacks.stacks.length)} stacks with most; ${count(stacks.leftOutSamples)} samples (${percent((100 * stacks.leftOutSamples) / total)} %) are in others, which are not drawn`}
					{mode !== 'seen' &&
						` · predicted: moved to the methods whose polls come next${choice === '' || isUnfiltered ? '' : ', as often as over the whole run'}`}
					{mode === 'difference' && ' · + blamed too much, − too little'}
				</span>
				{isKnown && (
					<button type="button" class="plain" onClick={() => router.set({ method: '' }, true)}>
						all methods
					</button>
				)}
			</div>
			{isUnfiltered && <WholeRun what="These stacks do not tell when or in which thread they were taken. They are shown" />}
			<div class="samples-grid">
				<Methods rows={shares} hasBias={bias !== null} focus={focus} choose={choose} />
				{isKnown ? (
					<div class="side">
						<Pane title="Callers" note={`of ${shown(splitName(focus).name)}, the nearest first`} class="flame-pane">
							<Flame id="callers" root={flameTree(callersOf(weighted, focus))} mode={mode} find={find} onChoose={choose} />
						</Pane>
						<Pane title="Callees" note={`of ${shown(splitName(focus).name)}`} class="flame-pane">
							<Flame id="callees" root={flameTree(calleesOf(weighted, focus))} mode={mode} find={find} onChoose={choose} />
						</Pane>
					</div>
				) : (
					<Pane
						title="Flame graph"
						note={`the ${isInverted ? 'innermost' : 'outermost'} at the top; click to zoom, twice for callers and callees`}
						class="flame-pane"
					>
						<Flame key={isInverted ? 'inverted' : ''} id="flame" root={root} mode={mode} find={find} onChoose={choose} />
					</Pane>
				)}
			</div>
		</div>
	);
}

interface MethodsProps {
	readonly rows: readonly MethodShare[];
	readonly hasBias: boolean;
	readonly focus: string;
	readonly choose: (name: string) => void;
}

function Methods({ rows, hasBias, focus, choose }: MethodsProps) {
	const { router } = usePage();
	const sort = router.route.params.sort ?? 'self';
	const columns = useMemo((): Column<MethodShare>[] => {
		const largest = rows.reduce((most, { self }) => Math.max(most, self), 1);
		return [
			{ key: 'name', head: 'Method', width: 'minmax(120px, 2fr)', by: ({ name }) => name, cell: ({ name }) => <Method name={name} /> },
			{ key: 'self', head: 'Self, %', width: '60px', isNumber: true, by: ({ self }) => self, cell: ({ self }) => percent(self) },
			{ key: 'heat', head: '', width: 'minmax(30px, 0.6fr)', cell: ({ self }) => <Heat value={self} largest={largest} /> },
			{ key: 'total', head: 'Total, %', width: '66px', isNumber: true, by: ({ total }) => total, cell: ({ total }) => percent(total) },
			...(hasBias
				? [
						{
							key: 'predicted',
							head: 'Predicted',
							width: '76px',
							isNumber: true,
							title: 'self, as a profiler at safepoints would say',
							by: ({ predictedSelf }: MethodShare) => predictedSelf,
							cell: ({ predictedSelf }: MethodShare) => percent(predictedSelf),
						},
					]
				: []),
		];
	}, [rows, hasBias]);
	const sorted = useMemo(() => sortRows(rows, columns, sort), [rows, columns, sort]);
	const [active, setActive] = useState(() =>
		Math.max(
			0,
			rows.findIndex(({ name }) => name === focus),
		),
	);
	return (
		<Pane title="Methods" note="Enter: callers and callees" class="table-pane">
			<Table
				id="methods"
				label="methods with samples"
				columns={columns}
				rows={sorted}
				sort={sort}
				onSort={(next) => router.set({ sort: next })}
				active={active}
				onActive={setActive}
				onEnter={(position) => choose(sorted[position]?.name ?? '')}
			/>
		</Pane>
	);
}
