/** A flame graph, the outermost frame at the top. Boxes too narrow to be seen are left out. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { shown, splitName, titleOf } from '../names.js';
import { percent } from '../numbers.js';
import { usePage } from '../parts/context.js';
import { useWidthOf } from '../parts/measure.js';
import type { FlameNode } from '../stacks.js';

export type FlameMode = 'seen' | 'predicted' | 'difference';

interface Box {
	readonly node: FlameNode;
	readonly path: readonly number[];
	readonly x: number;
	readonly width: number;
	readonly depth: number;
}

const ROW = 18;
const NARROWEST = 1.2;
const MAX_BOXES = 6000;

function weight({ seen, predicted }: FlameNode, mode: FlameMode): number {
	return mode === 'seen' ? seen : mode === 'predicted' ? predicted : Math.max(seen, predicted);
}

function childrenOf(node: FlameNode, mode: FlameMode): FlameNode[] {
	return [...node.children.values()].sort((a, b) => weight(b, mode) - weight(a, mode) || (a.name < b.name ? -1 : 1));
}

/** From the root: which child, and of that which. */
function nodeAt(root: FlameNode, path: readonly number[], mode: FlameMode): FlameNode | null {
	let node: FlameNode | undefined = root;
	for (const i of path) {
		node = node === undefined ? undefined : childrenOf(node, mode)[i];
	}
	return node ?? null;
}

function layOut(root: FlameNode, zoom: readonly number[], width: number, mode: FlameMode): Box[] {
	const start = nodeAt(root, zoom, mode) ?? root;
	const boxes: Box[] = zoom.map((_, i) => ({ node: nodeAt(root, zoom.slice(0, i), mode) ?? root, path: zoom.slice(0, i), x: 0, width, depth: i }));
	const work: Box[] = [{ node: start, path: zoom, x: 0, width, depth: zoom.length }];
	for (let box = work.pop(); box !== undefined && boxes.length < MAX_BOXES; box = work.pop()) {
		boxes.push(box);
		const children = childrenOf(box.node, mode);
		const sum = Math.max(
			weight(box.node, mode),
			children.reduce((all, child) => all + weight(child, mode), 0),
		);
		let { x } = box;
		for (const [i, child] of children.entries()) {
			const share = sum === 0 ? 0 : (weight(child, mode) / sum) * box.width;
			if (share >= NARROWEST) {
				work.push({ node: child, path: [...box.path, i], x, width: share, depth: box.depth + 1 });
			}
			x += share;
		}
	}
	return boxes;
}

/** Names always have the same of four shades; state, not rank. */
function shade(name: string): number {
	let hash = 0;
	for (let i = 0; i < Math.min(name.length, 200); i++) {
		hash = (hash * 31 + name.charCodeAt(i)) | 0;
	}
	return Math.abs(hash) % 4;
}

interface FlameProps {
	readonly id: string;
	readonly root: FlameNode;
	readonly mode: FlameMode;
	readonly onChoose: (name: string) => void;
}

export function Flame({ id, root, mode, onChoose }: FlameProps) {
	const { setKeys } = usePage();
	const box = useRef<HTMLDivElement>(null);
	const width = Math.max(200, useWidthOf(box));
	const [zoom, setZoom] = useState<readonly number[]>([]);
	const [active, setActive] = useState<readonly number[]>([]);
	const boxes = useMemo(() => layOut(root, zoom, width, mode), [root, zoom, width, mode]);
	const depth = boxes.reduce((most, one) => Math.max(most, one.depth), 0);
	const chosen = nodeAt(root, active, mode);
	const onKeyDown = (event: KeyboardEvent): void => {
		const parent = active.slice(0, -1);
		const last = active.at(-1) ?? 0;
		const moves: Record<string, readonly number[]> = {
			ArrowUp: parent,
			ArrowDown: [...active, 0],
			ArrowLeft: active.length === 0 ? active : [...parent, Math.max(0, last - 1)],
			ArrowRight: active.length === 0 ? active : [...parent, last + 1],
		};
		const next = moves[event.key];
		if (next !== undefined) {
			if (nodeAt(root, next, mode) !== null) {
				setActive(next);
			}
		} else if (event.key === 'Enter') {
			setZoom(active);
		} else if (event.key === 's' && chosen !== null && chosen !== root) {
			onChoose(chosen.name);
		} else if (event.key === 'Escape' && zoom.length > 0) {
			setZoom([]);
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	};
	if (root.children.size === 0) {
		return <p class="empty">Nothing.</p>;
	}
	return (
		<>
			<div
				ref={box}
				id={id}
				class="flame scroll"
				tabIndex={0}
				role="tree"
				aria-label={`flame graph; ${describe(chosen ?? root, mode)}`}
				onKeyDown={onKeyDown}
				onFocus={() =>
					setKeys([
						['← → ↑ ↓', 'frames'],
						['Enter', 'zoom'],
						['s', 'callers and callees'],
						['Esc', 'all'],
					])
				}
			>
				<svg width={width} height={(depth + 1) * ROW + 2} aria-label="frames">
					{boxes.map((one) => {
						const { node, x } = one;
						const key = one.path.join('.');
						const sign = mode === 'difference' ? differenceOf(node) : null;
						const name = one.depth === 0 ? node.name : splitName(node.name).name;
						const room = Math.floor((one.width - 8) / 6.4);
						return (
							<g
								key={key}
								role="treeitem"
								aria-level={one.depth + 1}
								aria-label={describe(node, mode)}
								aria-selected={key === active.join('.')}
								class={`box ${sign ?? `shade${shade(node.name)}`}${key === active.join('.') ? ' active' : ''}${one.path.length < zoom.length ? ' above' : ''}`}
								onClick={() => {
									setActive(one.path);
									setZoom(one.path);
								}}
								onDblClick={() => one.path.length > 0 && onChoose(node.name)}
							>
								<rect x={x} y={one.depth * ROW} width={Math.max(1, one.width - 0.6)} height={ROW - 1} />
								{room > 3 && (
									<text x={x + 4} y={one.depth * ROW + 12.5}>
										{sign === 'plus' ? '+ ' : sign === 'minus' ? '− ' : ''}
										{name.length > room ? `${name.slice(0, Math.max(1, room - 1))}…` : name}
									</text>
								)}
								<title>{titleOf(`${node.name}\n${describe(node, mode)}`)}</title>
							</g>
						);
					})}
				</svg>
			</div>
			<p class="foot" aria-live="polite">
				{shown((chosen ?? root).name, 120)}: {describe(chosen ?? root, mode)}
			</p>
		</>
	);
}

function describe({ seen, predicted, selfSeen }: FlameNode, mode: FlameMode): string {
	return mode === 'seen'
		? `${percent(seen, 2)} % seen, ${percent(selfSeen, 2)} % itself`
		: `${percent(seen, 2)} % seen, ${percent(predicted, 2)} % predicted at safepoints`;
}

/** Half a percentage point is nothing. */
function differenceOf({ seen, predicted }: FlameNode): 'plus' | 'minus' | 'even' {
	return predicted - seen > 0.5 ? 'plus' : seen - predicted > 0.5 ? 'minus' : 'even';
}
