/** What the compiler did, phase by phase: nodes and memory that each changed, and the optimizations that its log tells of. */
import { useMemo, useState } from 'preact/hooks';
import type { InliningRowJson, OptimizationRowJson } from '../../src/answers/profdiff-result.js';
import type { PageDetail } from '../../src/page/data.js';
import { phaseName, sizeText } from '../../src/render/memory-view.js';
import { shown, titleOf } from '../names.js';
import { count } from '../numbers.js';
import { Empty, Pane } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import type { Selection } from '../parts/selection.js';
import { Virtual } from '../parts/virtual.js';
import { bciOf, formatPosition, isInside, type Position, positionOfOptimization, positionsOfTree, type TreePositions } from '../position.js';

const TABS = { phases: 'phases', optimizations: 'logged', context: 'in context' } as const;
type Tab = keyof typeof TABS;

export function PhasesPane({ detail, selection }: { readonly detail: PageDetail; readonly selection: Selection }) {
	const {
		router,
		side: { isNative },
	} = usePage();
	const hasPhases = (detail.memory?.timeline.length ?? 0) > 0 || (detail.record?.phases.length ?? 0) > 0;
	const optimizations = detail.optimizationTree?.filter(({ kind }) => kind === 'optimization').length ?? 0;
	const tabs: Tab[] = [...(hasPhases ? (['phases'] as const) : []), ...(optimizations > 0 ? (['optimizations', 'context'] as const) : [])];
	const tab = tabs.find((one) => one === router.route.params.phases) ?? tabs[0];
	return (
		<Pane
			title="Optimizations"
			note={optimizations > 0 ? count(optimizations) : undefined}
			class="phases"
			right={
				tabs.length > 1 && (
					<span class="tabs" role="tablist" aria-label="optimizations">
						{tabs.map((one) => (
							<button key={one} type="button" role="tab" aria-selected={one === tab} onClick={() => router.set({ phases: one })}>
								{TABS[one]}
							</button>
						))}
					</span>
				)
			}
		>
			{tab === undefined && (
				<Empty
					what="No file tells what the compiler's phases did."
					how={isNative ? 'Compiled with' : 'Recorded with'}
					flag={
						isNative ? 'clang -fsave-optimization-record' : "-XX:CompileCommand=memstat,*.*,print (JDK 25), -XX:+LogCompilation, or Graal's optimization log"
					}
				/>
			)}
			{tab === 'phases' && <Phases detail={detail} />}
			{tab === 'optimizations' && (
				<Optimizations rows={detail.optimizationTree ?? []} inlining={detail.inliningTree} selection={selection} isByContext={false} />
			)}
			{tab === 'context' && <Optimizations rows={detail.optimizationTree ?? []} inlining={detail.inliningTree} selection={selection} isByContext />}
			{detail.record !== undefined && detail.record.plannedTraps > 0 && tab === 'phases' && (
				<p class="foot">
					{count(detail.record.plannedTraps)} places were left out and deoptimize (planned traps)
					{(detail.compilation?.deoptimizations.length ?? 0) > 0 &&
						`; ${detail.compilation?.deoptimizations.map(({ reason, bci }) => `${shown(reason)} at bci ${bci}`).join(', ')} was hit`}
					.
				</p>
			)}
		</Pane>
	);
}

interface PhaseSum {
	readonly name: string;
	times: number;
	nodes: number | null;
	bytes: number;
}

function phaseSums({ memory, record }: PageDetail): PhaseSum[] {
	const sums = new Map<string, PhaseSum>();
	const add = (name: string, times: number, nodes: number | null, bytes: number): void => {
		const sum = sums.get(name) ?? { name, times: 0, nodes: null, bytes: 0 };
		sum.times += times;
		sum.nodes = nodes === null ? sum.nodes : (sum.nodes ?? 0) + nodes;
		sum.bytes += bytes;
		sums.set(name, sum);
	};
	const timeline = memory?.timeline ?? [];
	timeline.forEach(({ phase, continued, deltaBytes, nodes }, i) => {
		const before = timeline[i - 1]?.nodes ?? 0;
		add(phase, continued ? 0 : 1, nodes === null ? null : nodes - (before ?? 0), deltaBytes);
	});
	if (timeline.length === 0) {
		for (const { name, nodes, memoryBytes } of record?.phases ?? []) {
			add(name, 1, nodes, memoryBytes ?? 0);
		}
	}
	return [...sums.values()];
}

function Phases({ detail }: { readonly detail: PageDetail }) {
	const sums = useMemo(() => phaseSums(detail), [detail]);
	const largest = Math.max(1, ...sums.map(({ nodes }) => Math.abs(nodes ?? 0)));
	return (
		<div class="scroll" tabIndex={0} role="group" aria-label="phases">
			<table class="phase-table">
				<thead>
					<tr>
						<th>phase</th>
						<th>
							<span class="sr">times</span>
						</th>
						<th>
							<span class="sr">bar</span>
						</th>
						<th class="number">Δ nodes</th>
						<th class="number">Δ memory</th>
					</tr>
				</thead>
				<tbody>
					{sums.map(({ name, times, nodes, bytes }) => (
						<tr key={name}>
							<td title={titleOf(name)}>{shown(phaseName(name), 40)}</td>
							<td class="number ink3">{times > 1 ? `×${times}` : ''}</td>
							<td>
								<span class="delta" aria-hidden="true">
									{nodes !== null && nodes !== 0 && (
										<i class={nodes > 0 ? 'plus' : 'minus'} style={{ width: `${Math.max(1, (50 * Math.abs(nodes)) / largest)}%` }} />
									)}
								</span>
							</td>
							<td class="number">{nodes === null ? '–' : signed(nodes)}</td>
							<td class={`number ${bytes === 0 ? 'ink3' : ''}`} title={`${count(bytes)} bytes`}>
								{bytes === 0 ? '0' : `${bytes > 0 ? '+' : '−'}${sizeText(Math.abs(bytes))}`}
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

function signed(value: number): string {
	return value > 0 ? `+${count(value)}` : value < 0 ? `−${count(-value)}` : '0';
}

/** Phases that optimized nothing are left out. */
function shownRows(rows: readonly OptimizationRowJson[]): OptimizationRowJson[] {
	const isKept = new Uint8Array(rows.length);
	const around: number[] = [];
	rows.forEach(({ kind, depth }, i) => {
		around[depth] = i;
		if (kind === 'optimization') {
			for (let at = depth; at >= 0; at--) {
				isKept[around[at]!] = 1;
			}
		}
	});
	return rows.filter((_, i) => isKept[i] === 1);
}

/** The optimizations by where they happened: the outermost bytecode first. */
function byContext(rows: readonly OptimizationRowJson[], tree: TreePositions): OptimizationRowJson[] {
	const optimizations = rows.flatMap((row) => (row.kind === 'optimization' ? [{ row, at: positionOfOptimization(row, tree) ?? [] }] : []));
	optimizations.sort((a, b) => comparePositions(a.at, b.at));
	const result: OptimizationRowJson[] = [];
	let last: string | null = null;
	for (const { row, at } of optimizations) {
		const call = at.slice(0, -1);
		const name = row.position[0]?.method ?? 'no position';
		const key = `${formatPosition(call)}\0${name}`;
		if (key !== last) {
			result.push({ depth: Math.max(0, call.length), kind: 'phase', name: `${name}${call.length === 0 ? '' : ` (bci ${call.join(' › ')})`}` });
			last = key;
		}
		result.push({ ...row, depth: Math.max(0, call.length) + 1 });
	}
	return result;
}

function comparePositions(a: Position, b: Position): number {
	for (let i = 0; i < Math.min(a.length, b.length) - 1; i++) {
		if (a[i] !== b[i]) {
			return bciOf(a[i]!) - bciOf(b[i]!) || (a[i]! < b[i]! ? -1 : 1);
		}
	}
	return a.length - b.length || bciOf(a.at(-1) ?? '0') - bciOf(b.at(-1) ?? '0');
}

const KEYS = [
	['j k', 'optimizations'],
	['n', 'next at the selection'],
] as const;

function Optimizations({
	rows,
	inlining,
	selection,
	isByContext,
}: {
	readonly rows: readonly OptimizationRowJson[];
	readonly inlining: readonly InliningRowJson[] | undefined;
	readonly selection: Selection;
	readonly isByContext: boolean;
}) {
	const tree = useMemo(() => positionsOfTree(inlining ?? []), [inlining]);
	const kept = useMemo(() => (isByContext ? byContext(rows, tree) : shownRows(rows)), [rows, isByContext, tree]);
	const positions = useMemo(() => kept.map((row) => positionOfOptimization(row, tree)), [kept, tree]);
	const [active, setActive] = useState(-1);
	const { position } = selection;
	const isChosen = (i: number): boolean => {
		const at = positions[i];
		return at != null && position !== null && position.length > 0 && isInside(at, position);
	};
	const first = useMemo(() => positions.findIndex((_, i) => isChosen(i)), [positions, position]);
	return (
		<Virtual
			id="optimizations"
			label="optimizations"
			role="tree"
			class="tree"
			count={kept.length}
			rowHeight={19}
			active={active}
			reveal={selection.from === 'optimizations' ? -1 : first}
			onActive={(i) => {
				setActive(i);
				const at = positions[i];
				if (at != null) {
					selection.choose(at, 'optimizations');
				}
			}}
			onKey={(event) => {
				if (event.key !== 'n') {
					return false;
				}
				const next = positions.findIndex((_, i) => i > active && isChosen(i));
				setActive(next < 0 ? first : next);
				return true;
			}}
			keys={KEYS}
			rowProps={(i) => ({ 'aria-level': (kept[i]?.depth ?? 0) + 1, class: isChosen(i) ? 'within' : '' })}
			row={(i) => {
				const row = kept[i]!;
				const indent = { paddingLeft: `${8 + 11 * Math.min(row.depth, 20)}px` };
				if (row.kind === 'phase') {
					return (
						<span class="call ink2" style={indent} title={titleOf(row.name)}>
							{shown(row.name.replace(/^(?:[a-z][\w$]*\.)+(?=[A-Z])/, ''), 90)}
						</span>
					);
				}
				const at = positions[i];
				return (
					<span
						class="call"
						style={indent}
						title={titleOf(
							[
								`${row.name} ${row.event}`,
								...row.properties.map(({ key, value }) => `${key}: ${value}`),
								...row.position.map(({ method, bci }) => `${method} ${row.source ?? `@ ${bci}`}`),
							].join('\n'),
						)}
					>
						<b class="name">{shown(row.name, 50)}</b> <span class="ink2">{shown(row.event, 50)}</span>
						<span class="reason">{row.source !== undefined ? shown(row.source) : at == null ? '' : `bci ${at.join(' › ')}`}</span>
					</span>
				);
			}}
		/>
	);
}
