/** The inlining tree of a compilation: what became of each call, why, which classes were seen, and how many samples lie inside. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { InliningRowJson } from '../../src/answers/profdiff-result.js';
import type { PageDetail } from '../../src/page/data.js';
import { shown, splitName, titleOf, titleOfLines } from '../names.js';
import { percent } from '../numbers.js';
import { Empty, Pane } from '../parts/basics.js';
import { usePage } from '../parts/context.js';
import type { Selection } from '../parts/selection.js';
import { Virtual } from '../parts/virtual.js';
import { bciOf, isInside, positionsOfTree, rowOfCode, rowOfPosition, type TreePositions } from '../position.js';

interface PaneProps {
	readonly detail: PageDetail;
	readonly selection: Selection;
	/** Samples by instruction, in the chosen time. */
	readonly seen: readonly number[] | null;
}

/** A line of the pane: a call, or what its receivers were. */
interface Line {
	readonly row: number;
	readonly isReceivers: boolean;
}

const TREE_KEYS = [
	['j k', 'calls'],
	['← →', 'fold, unfold'],
	['n', 'next refusal'],
	['p', 'parent frame'],
] as const;

export function InliningPane({ detail, selection, seen }: PaneProps) {
	const { isNative } = usePage().side;
	const rows = detail.inliningTree ?? null;
	return (
		<Pane
			title="Inlining"
			note={`${isNative || rows?.some(({ source }) => source !== undefined) === true ? 'line' : 'bci'}, ${isNative ? 'function' : 'method'}, reason`}
			right={
				seen === null || total(seen) === 0 ? undefined : (
					<span title="by the debug information of the code: an instruction belongs to the first one at or after it">samples, %</span>
				)
			}
			class="inlining"
		>
			{rows === null ? (
				<Empty
					what="No file tells what was inlined."
					how={isNative ? 'Compiled with' : 'Recorded with'}
					flag={isNative ? 'clang -g -fsave-optimization-record' : "-XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation, or Graal's optimization log"}
				/>
			) : (
				<Tree rows={rows} detail={detail} selection={selection} seen={seen} />
			)}
		</Pane>
	);
}

function total(seen: readonly number[]): number {
	return seen.reduce((sum, one) => sum + one, 0);
}

function Tree({ rows, detail, selection, seen }: PaneProps & { readonly rows: readonly InliningRowJson[] }) {
	const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
	const tree = useMemo(() => positionsOfTree(rows), [rows]);
	const positions = tree.ofRows;
	const shares = useMemo(() => samplesInside(detail, rows, tree, seen), [detail, rows, tree, seen]);
	const lines = useMemo(() => linesOf(rows, folded), [rows, folded]);
	const chosen = selection.position === null ? -1 : rowOfPosition(positions, selection.position);
	const active = chosen < 0 ? -1 : lines.findIndex(({ row }) => row === chosen);
	const { router } = usePage();
	const wanted = router.route.params.inlined ?? '';
	// Search leads to a method that has no compilation of its own.
	useEffect(() => {
		const row = wanted === '' ? -1 : rows.findIndex(({ method, kind }) => method === wanted && kind !== 'direct' && kind !== 'indirect');
		if (row > 0) {
			selection.choose(positions[row] ?? null, 'address');
		}
	}, [wanted, rows]);
	const isFoldable = (row: number): boolean => (rows[row + 1]?.depth ?? 0) > (rows[row]?.depth ?? 0);
	const fold = (row: number, isFolded: boolean): void => {
		const next = new Set(folded);
		next[isFolded ? 'add' : 'delete'](row);
		setFolded(next);
	};
	const choose = (line: number): void => {
		const one = lines[line];
		if (one !== undefined) {
			selection.choose(positions[one.row] ?? null, 'inlining');
		}
	};
	const onKey = (event: KeyboardEvent): boolean => {
		const row = lines[active]?.row ?? 0;
		switch (event.key) {
			case 'ArrowLeft':
				if (isFoldable(row) && !folded.has(row)) {
					fold(row, true);
				} else {
					choose(lines.findIndex((line) => line.row === parentOf(rows, row)));
				}
				return true;
			case 'p':
				choose(lines.findIndex((line) => line.row === parentOf(rows, row)));
				return true;
			case 'ArrowRight':
				fold(row, false);
				return true;
			case 'n': {
				const next = lines.findIndex((line, i) => i > active && !line.isReceivers && isRefused(rows[line.row]!));
				choose(next < 0 ? lines.findIndex((line) => isRefused(rows[line.row]!)) : next);
				return true;
			}
			default:
				return false;
		}
	};
	const counts = countKinds(rows);
	const sum = seen === null ? 0 : total(seen);
	return (
		<>
			<Virtual
				id="inlining"
				label="inlining tree"
				role="tree"
				class="tree"
				count={lines.length}
				rowHeight={21}
				active={active}
				reveal={selection.from === 'inlining' ? -1 : active}
				onActive={choose}
				onEnter={(line) => fold(lines[line]?.row ?? 0, !folded.has(lines[line]?.row ?? 0))}
				onKey={onKey}
				keys={TREE_KEYS}
				rowProps={(line) => {
					const { row, isReceivers } = lines[line]!;
					const at = positions[row]!;
					const isMarked = selection.position !== null && selection.position.length > 0 && row > 0 && isInside(at, selection.position) && row !== chosen;
					return {
						'aria-level': (rows[row]?.depth ?? 0) + 1,
						...(isFoldable(row) ? { 'aria-expanded': !folded.has(row) } : {}),
						class: `${isMarked || (row === chosen && isReceivers) ? 'within ' : ''}${isReceivers ? 'receivers' : ''}`,
					};
				}}
				row={(line) => {
					const { row, isReceivers } = lines[line]!;
					const node = rows[row]!;
					return isReceivers ? (
						<Receivers node={node} />
					) : (
						<Call
							node={node}
							parent={rows[parentOf(rows, row)]?.method ?? null}
							folded={folded.has(row)}
							share={sum > 0 && shares !== null ? (100 * (shares[row] ?? 0)) / sum : null}
						/>
					);
				}}
			/>
			<p class="tree-legend">
				<span>
					<Mark kind="inlined" /> inlined {counts.inlined}
				</span>
				{counts.intrinsic > 0 && (
					<span class="violet">
						<Mark kind="intrinsic" /> intrinsic {counts.intrinsic}
					</span>
				)}
				{counts.devirtualized > 0 && (
					<span>
						<Mark kind="devirtualized" /> by receiver {counts.devirtualized}
					</span>
				)}
				<span class="refused">
					<Mark kind="direct" /> call {counts.calls}
				</span>
				{counts.deleted > 0 && (
					<span class="ink3">
						<Mark kind="deleted" /> deleted {counts.deleted}
					</span>
				)}
			</p>
			<Selected rows={rows} chosen={chosen} detail={detail} selection={selection} />
		</>
	);
}

function linesOf(rows: readonly InliningRowJson[], folded: ReadonlySet<number>): Line[] {
	const lines: Line[] = [];
	let hiddenBelow = Number.POSITIVE_INFINITY;
	rows.forEach((row, i) => {
		if (row.depth > hiddenBelow) {
			return;
		}
		hiddenBelow = folded.has(i) ? row.depth : Number.POSITIVE_INFINITY;
		lines.push({ row: i, isReceivers: false });
		if ((row.receiverTypes?.types.length ?? 0) > 0) {
			lines.push({ row: i, isReceivers: true });
		}
	});
	return lines;
}

function parentOf(rows: readonly InliningRowJson[], row: number): number {
	const depth = rows[row]?.depth ?? 0;
	for (let i = row - 1; i >= 0; i--) {
		if ((rows[i]?.depth ?? 0) < depth) {
			return i;
		}
	}
	return 0;
}

function parentsOf(rows: readonly InliningRowJson[]): number[] {
	const around: number[] = [];
	return rows.map(({ depth }, i) => {
		around[depth] = i;
		return around[depth - 1] ?? 0;
	});
}

/** Samples at instructions of each call, those of the calls inside it too. */
function samplesInside({ code }: PageDetail, rows: readonly InliningRowJson[], tree: TreePositions, seen: readonly number[] | null): number[] | null {
	const parents = parentsOf(rows);
	if (code === undefined || seen === null) {
		return null;
	}
	const rowOf = code.positions.map((frames) => rowOfCode(tree.ofRows, tree.ofFrames(frames)));
	const result = rows.map(() => 0);
	code.position.forEach((position, instruction) => {
		const row = rowOf[position];
		if (row !== undefined) {
			result[row] = result[row]! + (seen[instruction] ?? 0);
		}
	});
	for (let i = rows.length - 1; i > 0; i--) {
		const parent = parents[i]!;
		result[parent] = result[parent]! + result[i]!;
	}
	return result;
}

function kindOf({ kind, reasons }: InliningRowJson): string {
	return reasons.some((reason) => /intrinsic/i.test(reason)) && kind !== 'root' ? 'intrinsic' : kind;
}

function isRefused(row: InliningRowJson): boolean {
	const kind = kindOf(row);
	return kind === 'direct' || kind === 'indirect';
}

export function Mark({ kind }: { readonly kind: string }) {
	return <i class={`mark ${kind}`} aria-hidden="true" />;
}

const KIND_WORDS: Record<string, string> = {
	root: 'compiled method',
	inlined: 'inlined',
	intrinsic: 'intrinsic',
	direct: 'direct call',
	indirect: 'indirect call',
	devirtualized: 'call replaced by its receivers',
	deleted: 'deleted call',
};

/** The usual reason is silent. */
const USUAL = /^(?:inline \(hot\)|inline|inline method|\(intrinsic\)|intrinsic|trivial.*)$/i;

function Call({
	node,
	parent,
	folded,
	share,
}: {
	readonly node: InliningRowJson;
	readonly parent: string | null;
	readonly folded: boolean;
	readonly share: number | null;
}) {
	const kind = kindOf(node);
	const said = node.reasons.filter((reason) => !USUAL.test(reason)).at(-1);
	return (
		<span
			class={`call ${kind}`}
			style={{ paddingLeft: `${8 + 13 * Math.min(node.depth, 24)}px` }}
			title={titleOfLines([KIND_WORDS[kind] ?? kind, ...node.reasons])}
		>
			<Mark kind={kind} />
			<span class="sr">{KIND_WORDS[kind] ?? kind} </span>
			{node.bci >= 0 && <span class="bci">{node.source === undefined ? node.bci : shown(node.source)}</span>}
			<TreeMethod name={node.method} parent={parent} />
			{folded && <span class="ink3"> …</span>}
			{said !== undefined && <span class={`reason ${isRefused(node) ? 'refused' : ''}`}>{shown(said, 100)}</span>}
			{share !== null && share > 0 && <span class="share">{percent(share)}</span>}
		</span>
	);
}

/** An outer class that the parent shows already is left out. */
function TreeMethod({ name, parent }: { readonly name: string | null; readonly parent: string | null }) {
	if (name === null) {
		return <span class="ink3">unknown method</span>;
	}
	const { holder, name: method } = splitName(name);
	const parentHolder = parent === null ? '' : splitName(parent).holder;
	const outer = /^([^$]*)\$/.exec(holder)?.[1];
	const short = outer !== undefined && parentHolder.startsWith(outer) ? holder.slice(outer.length + 1) : holder;
	return (
		<span class="method" title={titleOf(name)} dir="ltr">
			<span class="holder">{short.replace(/^(?:[a-z]\.)+/, '')}</span>
			<b class="name">{method}</b>
		</span>
	);
}

/** Shares are rounded where they are logged. */
const LEAST_OF_OTHERS = 0.005;

function Receivers({ node }: { readonly node: InliningRowJson }) {
	const types = node.receiverTypes?.types ?? [];
	// A profile has room for a few types; calls of further ones are only counted.
	const others = 1 - types.reduce((sum, { probability }) => sum + probability, 0);
	const hasOthers = others > LEAST_OF_OTHERS;
	const words = hasOthers ? 'megamorphic' : (['no receivers', 'monomorphic', 'bimorphic'][types.length] ?? `${types.length} receivers`);
	const named = [
		...types.map(({ typeName, probability }) => `${typeName} ${percent(100 * probability, 2)} %`),
		...(hasOthers ? [`others ${percent(100 * others, 2)} %`] : []),
	];
	return (
		<span class="receiver-line" style={{ paddingLeft: `${24 + 13 * Math.min(node.depth, 24)}px` }} title={titleOfLines(named)}>
			<span class="receiver-bar" aria-hidden="true">
				{types.slice(0, 8).map(({ typeName, probability }) => (
					<i key={typeName} style={{ width: `${100 * probability}%` }} />
				))}
			</span>
			<span class="receiver-names">
				{types.slice(0, 3).map(({ typeName, probability }, i) => (
					<span key={typeName}>
						{i > 0 && ' · '}
						{splitName(typeName).name} <b>{percent(100 * probability, probability < 1 && (probability > 0.995 || probability < 0.01) ? 2 : 0)} %</b>
					</span>
				))}
				{types.length > 3 && ` · ${types.length - 3} more`}
				{hasOthers && types.length <= 3 && (
					<>
						{' · others '}
						<b>{percent(100 * others, 0)} %</b>
					</>
				)}
			</span>
			<span class="reason">{words}</span>
		</span>
	);
}

function countKinds(rows: readonly InliningRowJson[]) {
	const counts = { inlined: 0, intrinsic: 0, calls: 0, devirtualized: 0, deleted: 0 };
	for (const row of rows) {
		const kind = kindOf(row);
		if (kind === 'inlined' || kind === 'intrinsic' || kind === 'devirtualized' || kind === 'deleted') {
			counts[kind]++;
		} else if (kind !== 'root') {
			counts.calls++;
		}
	}
	return counts;
}

function Selected({
	rows,
	chosen,
	detail,
	selection,
}: {
	readonly rows: readonly InliningRowJson[];
	readonly chosen: number;
	readonly detail: PageDetail;
	readonly selection: Selection;
}) {
	const node = rows[chosen];
	const { position } = selection;
	if (node === undefined || position === null || position.length === 0) {
		return <div class="selected quiet">Choose a call, an instruction or an optimization: it is marked in every pane.</div>;
	}
	const traps =
		detail.compilation?.deoptimizations.filter(
			({ method, bci }) => bci === bciOf(position.at(-1)!) && (method === null || rows.some((row) => row.method === method)),
		) ?? [];
	const kind = kindOf(node);
	return (
		<div class="selected" aria-live="polite">
			<b>
				Selected: {node.source === undefined ? `bci ${position.join(' › ')}` : shown(node.source)}
				{node.method === null ? '' : `, ${splitName(node.method).name}`}
			</b>
			<p>
				{KIND_WORDS[kind] ?? kind}
				{node.reasons.length > 0 && `: ${node.reasons.map((reason) => shown(reason)).join('; ')}`}.
				{(node.receiverTypes?.types.length ?? 0) > 0 &&
					` Receivers: ${node.receiverTypes?.types
						.slice(0, 4)
						.map(({ typeName, probability }) => `${shown(typeName, 60)} ${percent(100 * probability, 1)} %`)
						.join(', ')}.`}
				{traps.length > 0 && ` Deoptimized here: ${traps.map(({ reason, ms }) => `${shown(reason)}${ms === null ? '' : ` at ${ms} ms`}`).join(', ')}.`}
			</p>
		</div>
	);
}
