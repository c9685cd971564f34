/** The inlining trees of a method's compilation, side by side. */
import { useMemo } from 'preact/hooks';
import type { ComparedRowJson, InliningRowJson } from '../../src/answers/profdiff-result.js';
import type { PageDiff, PageTreePair } from '../../src/page/data.js';
import { displayedName, shown, titleOf, titleOfLines } from '../names.js';
import { count, counted, percent } from '../numbers.js';
import { Empty, Method, Pane } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import { usePart } from '../parts/part.js';
import { Virtual } from '../parts/virtual.js';
import { type Side, Sign } from './compare-sign.js';
import { withParents } from './equal-folds.js';
import { Mark } from './inlining.js';
import { equalText, type GoToChange, useFolds } from './use-folds.js';

const OPERATION_SIGN: Record<ComparedRowJson<InliningRowJson>['operation'], Side | null> = { identity: null, relabel: 'star', insert: 'plus', delete: 'minus' };

interface TreesProps {
	readonly method: PageDiff['methods'][number];
	/** Decisions that differ, and those that do so by chance. */
	readonly decisions: number;
	readonly noise: number;
	readonly diff: PageDiff;
	readonly isSwapped: boolean;
	/** Equal calls too. */
	readonly isAll: boolean;
	/** Set to what `n` and `N` do anywhere in the view. */
	readonly go: { current: GoToChange | null };
}

const NO_NODES: readonly ComparedRowJson<InliningRowJson>[] = [];

export function Trees({ method, decisions, noise, diff, isSwapped, isAll, go }: TreesProps) {
	const { side } = usePage();
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
			note={`${method.namesake === undefined ? '' : `${method.namesake} of bytecode · `}${counted(decisions, 'decision')}${noise > 0 ? `, ${count(noise)} noise` : ''}${changes > 0 ? ` · ${count(changes)} of ${count(nodes.length)} calls differ` : ''}`}
			class={nodes.length > 0 ? 'trees' : 'slim'}
			right={pair === undefined ? undefined : <PairHandles pair={pair} method={method} />}
		>
			{part === null && (
				<Empty what={`One side ${side.isNative ? 'has no code of its own of it' : 'did not compile it at the top tier'}: there are no two trees.`} />
			)}
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

const OPERATION_TEXT: Record<ComparedRowJson<InliningRowJson>['operation'], string> = { identity: ' ', relabel: '*', insert: '+', delete: '-' };

/** For the clipboard: a sign, the depth, and both sides where they differ. */
function textOfNode(node: ComparedRowJson<InliningRowJson>): string {
	const textOf = ({ bci, source, method, kind, reasons }: InliningRowJson): string =>
		[source ?? (bci >= 0 ? `@${bci}` : ''), method ?? 'unknown method', kind, reasons.at(-1) ?? ''].filter((part) => part !== '').join(' ');
	const sides = node.before === undefined ? [node as InliningRowJson] : [node.before, (node as { readonly after: InliningRowJson }).after];
	return titleOf(`${OPERATION_TEXT[node.operation]} ${'  '.repeat(node.depth)}${sides.map(textOf).join(' → ')}`);
}

function PairHandles({ pair, method }: { readonly pair: PageTreePair; readonly method: TreesProps['method'] }) {
	const { router } = usePage();
	const share = (value: number | null): string => (value === null ? '' : ` ${percent(100 * value, 2)} %`);
	return (
		<span>
			<a class="handle" href={router.href('compilation', `c${pair.left}`, { side: '0' })}>
				a:c{shown(pair.left, 12)}
			</a>
			{share(method.periodShareA)} →{' '}
			<a class="handle" href={router.href('compilation', `c${pair.right}`, { side: '1' })}>
				b:c{shown(pair.right, 12)}
			</a>
			{share(method.periodShareB)}
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
				{row.bci >= 0 && <span class="bci">{row.source === undefined ? row.bci : shown(row.source)}</span>}
				{row.method === null ? <span class="ink3">unknown method</span> : <Method name={row.method} />}
				<span class={`reason ${row.kind === 'direct' || row.kind === 'indirect' ? 'refused' : ''}`}>
					{row.kind === 'inlined' || row.kind === 'root' ? '' : `${row.kind} `}
					{shown(row.reasons.at(-1) ?? '', 60)}
				</span>
			</span>
		</span>
	);
}
