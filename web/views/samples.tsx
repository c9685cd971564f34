/** Flame graph of the samples and the sandwich of one method: as seen, as a profiler at safepoints would say, or the difference. */
import { useMemo, useState } from 'preact/hooks';
import type { PageBias, PageStackSource, PageStacks } from '../../src/page/data.js';
import type { FlameMode } from '../flame-layout.js';
import { displayedName, shown, splitName } from '../names.js';
import { count, percent } from '../numbers.js';
import { Heat, Method, Nothing, Pane, useChoice, WholeRun } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import { usePart } from '../parts/part.js';
import { type Column, sortRows, Table } from '../parts/table.js';
import { ThreadChoice } from '../parts/thread-choice.js';
import { chosenSamples } from '../side.js';
import {
	bestSource,
	calleesOf,
	callersOf,
	type FlameNode,
	flameTree,
	inverted,
	type MethodShare,
	methodShares,
	shareOf,
	stacksOf,
	timeTree,
	totalSamples,
	weightedStacks,
} from '../stacks.js';
import {
	formatTransforms,
	parseTransforms,
	TRANSFORM_KEYS,
	TRANSFORM_WORDS,
	type Transform,
	type TransformKind,
	transformed,
	transformedFrames,
} from '../transforms.js';
import { CallTree } from './call-tree.js';
import { Flame } from './flame.js';

const MODES: Record<FlameMode, string> = { seen: 'seen', predicted: 'predicted at safepoints', difference: 'difference' };

type Graph = 'heavy' | 'time' | 'tree';
const GRAPHS: Record<Graph, string> = { heavy: 'left heavy', time: 'time order', tree: 'tree' };

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
	const transforms = useMemo(() => parseTransforms(params.x), [params.x]);
	const whole100 = useMemo(() => weightedStacks(stacks, bias), [stacks, bias]);
	const weighted = useMemo(() => transformed(whole100, transforms), [whole100, transforms]);
	const shares = useMemo(() => methodShares(weighted), [weighted]);
	const focus = params.method ?? '';
	const isKnown = focus !== '' && shares.some(({ name }) => name === focus);
	// The sentence is about all samples, whatever is done to the graph. Profilers of other runtimes know functions, and no methods.
	const top = useMemo(() => {
		const all = transforms.length === 0 ? shares : methodShares(whole100);
		return all.find(({ name }) => !name.startsWith('(')) ?? all[0];
	}, [shares, whole100, transforms]);
	const total = useMemo(() => totalSamples(stacks), [stacks]);
	const what = chosen.isInlining ? 'compiled methods and what is inlined into them' : 'calls';
	const isInverted = params.invert === '1';
	const choose = (name: string): void => router.set({ method: name }, true);
	const hasTimes = whole.ofSample !== null && side.samples?.hasTimes === true;
	const graph: Graph = params.graph === 'tree' || (params.graph === 'time' && hasTimes) ? params.graph : 'heavy';
	const root = useMemo(
		() =>
			graph === 'time' && side.samples !== null
				? timeTree(framesInTime(whole, chosenSamples(side.samples, filtered), transforms, isInverted), 100 / Math.max(1, total))
				: flameTree(isInverted ? inverted(weighted) : weighted),
		[weighted, isInverted, graph, whole, side, filtered, transforms, total],
	);
	const [frame, setFrame] = useState('');
	const transform = (kind: TransformKind, name: string): void => {
		setFrame('');
		router.set({ x: formatTransforms([...transforms, { kind, name }]) }, true);
	};
	const onKey = (key: string, { name }: FlameNode): boolean => {
		const kind = Object.hasOwn(TRANSFORM_KEYS, key) ? TRANSFORM_KEYS[key] : undefined;
		if (kind !== undefined && name !== 'all') {
			transform(kind, name);
			return true;
		}
		if (key === 's' && name !== 'all') {
			choose(name);
			return true;
		}
		return false;
	};
	const onActive = ({ name }: FlameNode): void => setFrame(name === 'all' ? '' : name);
	const find = params.find ?? '';
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
				<span class="tabs" role="tablist" aria-label="how it is drawn">
					{(Object.keys(GRAPHS) as Graph[]).map((one) => (
						<button
							key={one}
							type="button"
							role="tab"
							aria-selected={one === graph}
							disabled={isKnown || (one === 'time' && (!hasTimes || mode !== 'seen'))}
							onClick={() => router.set({ graph: one === 'heavy' ? '' : one })}
						>
							{GRAPHS[one]}
						</button>
					))}
				</span>
				<ThreadChoice />
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
					{graph === 'time' && !isKnown && ' · in the order of time, each sample as wide as the other'}
				</span>
				{isKnown && (
					<button type="button" class="plain" onClick={() => router.set({ method: '' }, true)}>
						all methods
					</button>
				)}
			</div>
			<Transforms transforms={transforms} frame={isKnown ? '' : frame} transform={transform} shown={root.seen} />
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
						title={graph === 'tree' ? 'Call tree' : 'Flame graph'}
						note={`the ${isInverted ? 'innermost' : 'outermost'} at the top; ${graph === 'tree' ? 'click to choose, Enter to unfold' : 'click to zoom, twice for callers and callees'}`}
						class="flame-pane"
					>
						{graph === 'tree' ? (
							<CallTree root={root} mode={mode} find={find} onActive={onActive} onKey={onKey} />
						) : (
							<Flame
								key={`${isInverted} ${graph} ${params.x ?? ''}`}
								id="flame"
								root={root}
								mode={graph === 'time' ? 'seen' : mode}
								find={find}
								onChoose={choose}
								onActive={onActive}
								onKey={onKey}
							/>
						)}
					</Pane>
				)}
			</div>
		</div>
	);
}

/** The frames of chosen samples, one after the other; null where a transform leaves one out. */
function* framesInTime(
	{ names, stacks, ofSample }: PageStacks,
	samples: Iterable<number>,
	transforms: readonly Transform[],
	isInverted: boolean,
): Generator<readonly string[] | null> {
	const known = new Map<number, readonly string[] | null>();
	for (const sample of samples) {
		const stack = ofSample?.[sample] ?? -1;
		let frames = known.get(stack);
		if (frames === undefined) {
			const all = stacks[stack]?.frames.map((frame) => names[frame] ?? '');
			const own = all === undefined ? null : transformedFrames(all, transforms);
			frames = own !== null && isInverted ? [...own].reverse() : own;
			known.set(stack, frames);
		}
		yield frames;
	}
}

interface TransformsProps {
	readonly transforms: readonly Transform[];
	/** That is chosen; empty: none. */
	readonly frame: string;
	readonly transform: (kind: TransformKind, name: string) => void;
	/** Percent of all samples. */
	readonly shown: number;
}

const BUTTONS: Readonly<Record<TransformKind, string>> = {
	focus: 'focus on it',
	drop: 'drop its samples',
	merge: 'merge it',
	recursion: 'collapse recursion',
};

/** What is done to the stacks, each to be taken back, and what can be done with the chosen frame. */
function Transforms({ transforms, frame, transform, shown: share }: TransformsProps) {
	const { router } = usePage();
	return (
		<div class="controls transforms">
			{transforms.map(({ kind, name }, i) => (
				<span key={i} class="range">
					{TRANSFORM_WORDS[kind]} {shown(displayedName(name), 60)}{' '}
					<button
						type="button"
						aria-label={`take back: ${TRANSFORM_WORDS[kind]} ${shown(name, 60)}`}
						onClick={() => router.set({ x: formatTransforms(transforms.filter((_, other) => other !== i)) }, true)}
					>
						×
					</button>
				</span>
			))}
			{transforms.length > 0 && <span class="hint">{percent(share)} % of the samples are shown; shares are of all</span>}
			{/* The line is always there: the second click of two has to meet the same frame. */}
			{frame === '' && transforms.length === 0 && (
				<span class="hint">Choose a frame: focus on it, drop its samples, merge it into its callers, collapse its recursion.</span>
			)}
			{frame !== '' && (
				<span class="frame-actions">
					<b>{shown(displayedName(frame), 60)}</b>{' '}
					{(Object.keys(BUTTONS) as TransformKind[]).map((kind) => (
						<button key={kind} type="button" class="plain" onClick={() => transform(kind, frame)}>
							{BUTTONS[kind]}
						</button>
					))}
				</span>
			)}
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
