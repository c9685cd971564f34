/** Stacks as a tree of rows that open: the outermost first, or inside out. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { childrenOf, type FlameMode } from '../flame-layout.js';
import { percent } from '../numbers.js';
import { Heat, Method } from '../parts/basics.js';
import { Virtual } from '../parts/virtual.js';
import { type FlameNode, isNamed } from '../stacks.js';

interface TreeRow {
	readonly node: FlameNode;
	readonly depth: number;
	readonly isOpen: boolean;
}

const KEYS = [
	['j k', 'frames'],
	['← →', 'fold, unfold'],
	['*', 'unfold all below'],
	['f d m r', 'focus, drop, merge, recursion'],
	['s', 'callers and callees'],
] as const;

/** One that is opened with all below it opens at most so many rows. */
const MOST_OPENED = 20_000;

interface CallTreeProps {
	readonly root: FlameNode;
	readonly mode: FlameMode;
	readonly find: string;
	readonly onActive: (node: FlameNode) => void;
	/** Further keys on a frame; true when it was one. */
	readonly onKey: (key: string, node: FlameNode) => boolean;
}

export function CallTree({ root, mode, find, onActive, onKey }: CallTreeProps) {
	const [open, setOpen] = useState<ReadonlySet<FlameNode>>(new Set());
	const [active, setActive] = useState(0);
	// It opens along the heaviest path.
	useEffect(() => {
		const path = new Set<FlameNode>();
		for (let node: FlameNode | undefined = root; node !== undefined; [node] = childrenOf(node, mode)) {
			path.add(node);
		}
		setOpen(path);
		setActive(0);
	}, [root, mode]);
	const rows = useMemo(() => rowsOf(root, open, mode), [root, open, mode]);
	const shareIn = ({ seen, predicted }: FlameNode): number => (mode === 'predicted' ? predicted : seen);
	const activate = (position: number): void => {
		const row = rows[position];
		if (row !== undefined) {
			setActive(position);
			onActive(row.node);
		}
	};
	const toggle = (node: FlameNode, isOpen: boolean): void => {
		const next = new Set(open);
		next[isOpen ? 'add' : 'delete'](node);
		setOpen(next);
	};
	return (
		<Virtual
			id="call-tree"
			label="frames as a tree"
			role="tree"
			class="tree call-tree"
			count={rows.length}
			rowHeight={21}
			active={active}
			onActive={activate}
			onEnter={(position) => {
				const row = rows[position];
				if (row !== undefined) {
					toggle(row.node, !row.isOpen);
				}
			}}
			onKey={({ key }) => {
				const row = rows[active];
				if (row === undefined) {
					return false;
				}
				if (key === 'ArrowRight') {
					toggle(row.node, true);
				} else if (key === 'ArrowLeft') {
					if (row.isOpen) {
						toggle(row.node, false);
					} else {
						activate(rows.findLastIndex(({ depth }, i) => i < active && depth < row.depth));
					}
				} else if (key === '*') {
					setOpen(new Set([...open, ...below(row.node, mode)]));
				} else {
					return onKey(key, row.node);
				}
				return true;
			}}
			keys={KEYS}
			head={
				<>
					<span class="pct">total, %</span>
					<span class="pct">self, %</span>
					<span class="bar" />
					<span>frame</span>
				</>
			}
			rowProps={(position) => {
				const { node, depth, isOpen } = rows[position]!;
				return {
					'aria-level': depth + 1,
					...(node.children.size > 0 ? { 'aria-expanded': isOpen } : {}),
					class: find !== '' && isNamed(node.name, find) ? 'found-frame' : '',
				};
			}}
			text={(position) => {
				const { node, depth } = rows[position]!;
				return `${percent(shareIn(node), 2).padStart(6)} %  ${percent(node.selfSeen, 2).padStart(6)} %  ${'  '.repeat(depth)}${node.name}`;
			}}
			row={(position) => {
				const { node, depth, isOpen } = rows[position]!;
				return (
					<>
						<span class="pct">{percent(shareIn(node), 2)}</span>
						<span class="pct">{percent(mode === 'predicted' ? node.selfPredicted : node.selfSeen, 2)}</span>
						<Heat value={shareIn(node)} largest={Math.max(shareIn(root), 0.0001)} />
						<span class="call" style={{ paddingLeft: `${12 * Math.min(depth, 40)}px` }}>
							<button
								type="button"
								class="fold"
								tabIndex={-1}
								aria-hidden="true"
								onClick={(event) => {
									event.stopPropagation();
									toggle(node, !isOpen);
								}}
							>
								{node.children.size === 0 ? '' : isOpen ? '▾' : '▸'}
							</button>
							<Method name={node.name} isPlain />
						</span>
					</>
				);
			}}
		/>
	);
}

function rowsOf(root: FlameNode, open: ReadonlySet<FlameNode>, mode: FlameMode): TreeRow[] {
	const rows: TreeRow[] = [];
	const stack: { readonly node: FlameNode; readonly depth: number }[] = [{ node: root, depth: 0 }];
	for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
		const { node, depth } = next;
		const isOpen = open.has(node) && node.children.size > 0;
		rows.push({ node, depth, isOpen });
		if (isOpen) {
			stack.push(
				...childrenOf(node, mode)
					.reverse()
					.map((child) => ({ node: child, depth: depth + 1 })),
			);
		}
	}
	return rows;
}

/** A frame and those below it, the heaviest first. */
function below(node: FlameNode, mode: FlameMode): FlameNode[] {
	const result = [node];
	for (let i = 0; i < result.length && result.length < MOST_OPENED; i++) {
		result.push(...childrenOf(result[i]!, mode));
	}
	return result;
}
