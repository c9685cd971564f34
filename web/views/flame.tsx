/** A flame graph, the outermost frame at the top. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { type FlameBox, type FlameMode, flameBoxes, nodeAt } from '../flame-layout.js';
import { shown, splitName, titleOfLines } from '../names.js';
import { count, percent } from '../numbers.js';
import { usePage } from '../parts/context.js';
import { useWidthOf } from '../parts/measure.js';
import { type FlameNode, isNamed } from '../stacks.js';

const ROW = 18;

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
	/** Frames with this in their names are marked. */
	readonly find: string;
	readonly onChoose: (name: string) => void;
	/** The frame that is chosen, when another one is. */
	readonly onActive?: (node: FlameNode) => void;
	/** Further keys on the chosen frame; true when it was one. */
	readonly onKey?: (key: string, node: FlameNode) => boolean;
}

export function Flame({ id, root, mode, find, onChoose, onActive, onKey }: FlameProps) {
	const { setKeys } = usePage();
	const box = useRef<HTMLDivElement>(null);
	const width = Math.max(200, useWidthOf(box));
	const [zoom, setZoom] = useState<readonly number[]>([]);
	const [active, setActivePath] = useState<readonly number[]>([]);
	const setActive = (path: readonly number[]): void => {
		setActivePath(path);
		const node = nodeAt(root, path, mode);
		if (node !== null) {
			onActive?.(node);
		}
	};
	const { boxes, leftOut } = useMemo(() => flameBoxes(root, zoom, width, mode), [root, zoom, width, mode]);
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
		} else if (chosen !== null && chosen !== root && onKey?.(event.key, chosen) === true) {
			// It was done.
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
				aria-label="flame graph"
				aria-activedescendant={`${id}-${active.join('.')}`}
				onKeyDown={onKeyDown}
				onFocus={() =>
					setKeys([
						['← → ↑ ↓', 'frames'],
						['Enter', 'zoom'],
						['s', 'callers and callees'],
						...(onKey === undefined ? [] : [['f d m r', 'focus, drop, merge, recursion'] as const]),
						['Esc', 'all'],
					])
				}
			>
				<svg width={width} height={(depth + 1) * ROW + 2} role="presentation">
					{boxes.map((one) => {
						const { node, x } = one;
						const key = one.path.join('.');
						const sign = mode === 'difference' ? differenceOf(node) : null;
						return (
							<g
								key={key}
								id={`${id}-${key}`}
								role="treeitem"
								aria-level={one.depth + 1}
								aria-label={`${shown(node.name, 120)}: ${describe(node, mode)}`}
								aria-selected={key === active.join('.')}
								class={`box ${sign ?? `shade${shade(node.name)}`}${key === active.join('.') ? ' active' : ''}${one.path.length < zoom.length ? ' above' : ''}${find !== '' && isNamed(node.name, find) ? ' found' : ''}`}
								onClick={() => {
									setActive(one.path);
									setZoom(one.path);
								}}
								onDblClick={() => one.path.length > 0 && onChoose(node.name)}
							>
								<rect x={x} y={one.depth * ROW} width={Math.max(1, one.width - 0.6)} height={ROW - 1} />
								<title>{titleOfLines([node.name, describe(node, mode)])}</title>
							</g>
						);
					})}
					{boxes.map((one) => (
						<Label key={one.path.join('.')} box={one} mode={mode} />
					))}
				</svg>
			</div>
			<p class="foot" aria-live="polite">
				{shown((chosen ?? root).name, 120)}: {describe(chosen ?? root, mode)}
				{leftOut > 0 && ` · ${count(leftOut)} narrower frames are not drawn: zoom to see them`}
			</p>
		</>
	);
}

/** Beside the boxes, not in them: a name that is cut is no name for those who hear it. */
function Label({ box: { node, x, width, depth }, mode }: { readonly box: FlameBox; readonly mode: FlameMode }) {
	const sign = mode === 'difference' ? differenceOf(node) : null;
	const name = depth === 0 ? node.name : splitName(node.name).name;
	const room = Math.floor((width - 8) / 6.4);
	return room <= 3 ? null : (
		<text x={x + 4} y={depth * ROW + 12.5}>
			{sign === 'plus' ? '+ ' : sign === 'minus' ? '− ' : ''}
			{name.length > room ? `${name.slice(0, Math.max(1, room - 1))}…` : name}
		</text>
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
