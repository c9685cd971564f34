/** Rows of equal height, of which only the visible ones are in the document; one is active and moves by keys. */
import type { ComponentChildren, HTMLAttributes, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type KeyHint, usePage } from './context.js';
import { isTextSelected, MOST_COPIED, selectedRows, textsOf } from './copied.js';

export interface VirtualProps {
	readonly id: string;
	readonly label: string;
	readonly role: 'grid' | 'tree' | 'listbox';
	readonly count: number;
	readonly rowHeight: number;
	/** Position of the active row, -1 for none. */
	readonly active: number;
	readonly onActive: (position: number) => void;
	readonly onEnter?: (position: number) => void;
	/** Further keys of this list; true when it was one. */
	readonly onKey?: (event: KeyboardEvent) => boolean;
	readonly row: (position: number) => ComponentChildren;
	/** Attributes of the row's element besides its place. */
	readonly rowProps?: (position: number) => HTMLAttributes<HTMLDivElement>;
	readonly head?: ComponentChildren;
	/** Drawn over the rows, in the coordinates of the whole list. */
	readonly overlay?: (first: number, last: number) => ComponentChildren;
	readonly keys: readonly KeyHint[];
	readonly class?: string;
	/** Brings this row into view when it changes; -1 none. */
	readonly reveal?: number;
	/** Tracks of the grid that head and rows are laid out in. */
	readonly template?: string;
	/** Narrower than so many pixels it scrolls sideways. */
	readonly leastWidth?: number;
	/** A row as a line for the clipboard, where that is not the text of what is shown. */
	readonly text?: (position: number) => string;
	/** Stands above all rows when they are copied. */
	readonly textHead?: () => string;
	readonly onView?: (first: number, last: number) => void;
}

const EXTRA_ROWS = 6;
/** Printed without scrolling: so many rows at most. */
const PRINTED_ROWS = 300;

export function Virtual(props: VirtualProps) {
	const { id, count, rowHeight, active, reveal = -1 } = props;
	const page = usePage();
	const { setKeys } = page;
	const box = useRef<HTMLDivElement>(null);
	const headBox = useRef<HTMLDivElement>(null);
	const kept = useRef<{ readonly props: VirtualProps; readonly rows: Map<number, VNode> }>({ props, rows: new Map() });
	const [top, setTop] = useState(0);
	const [height, setHeight] = useState(600);
	const [isPrinting, setPrinting] = useState(false);
	useLayoutEffect(() => {
		const element = box.current;
		if (element === null) {
			return;
		}
		const measure = (): void => setHeight(element.clientHeight);
		measure();
		const observer = new ResizeObserver(measure);
		observer.observe(element);
		const before = (): void => setPrinting(true);
		const after = (): void => setPrinting(false);
		addEventListener('beforeprint', before);
		addEventListener('afterprint', after);
		return () => {
			observer.disconnect();
			removeEventListener('beforeprint', before);
			removeEventListener('afterprint', after);
		};
	}, []);
	const show = (position: number, isCentred: boolean): void => {
		const element = box.current;
		if (element === null || position < 0 || position >= count) {
			return;
		}
		const head = headBox.current?.offsetHeight ?? 0;
		const from = position * rowHeight;
		const visible = element.clientHeight - head;
		if (from < element.scrollTop || from + rowHeight > element.scrollTop + visible) {
			element.scrollTop = isCentred ? from - visible / 3 : from < element.scrollTop ? from : from + rowHeight - visible;
		}
	};
	useEffect(() => show(reveal, true), [reveal, count]);
	const first = isPrinting ? 0 : Math.max(0, Math.floor(top / rowHeight) - EXTRA_ROWS);
	const last = Math.min(count, isPrinting ? PRINTED_ROWS : Math.ceil((top + height) / rowHeight) + EXTRA_ROWS);
	useEffect(() => props.onView?.(Math.floor(top / rowHeight), Math.min(count, Math.ceil((top + height) / rowHeight))), [top, height, count]);
	const move = (position: number): void => {
		const next = Math.max(0, Math.min(count - 1, position));
		props.onActive(next);
		show(next, false);
	};
	const onKeyDown = (event: KeyboardEvent): void => {
		if (event.ctrlKey || event.metaKey || event.altKey) {
			return;
		}
		if (props.onKey?.(event) === true) {
			event.preventDefault();
			event.stopPropagation();
			return;
		}
		const page = Math.max(1, Math.floor(height / rowHeight) - 2);
		const steps: Record<string, number> = {
			j: active + 1,
			ArrowDown: active + 1,
			k: active - 1,
			ArrowUp: active - 1,
			PageDown: active + page,
			PageUp: active - page,
			Home: 0,
			End: count - 1,
		};
		const step = steps[event.key];
		if (step !== undefined && count > 0) {
			move(step);
		} else if (event.key === 'Enter' && active >= 0) {
			(props.onEnter ?? props.onActive)(active);
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	};
	const onCopy = (event: ClipboardEvent): void => {
		const element = box.current;
		const chosen = element === null ? null : selectedRows(element);
		const isMeant = chosen !== null || (element !== null && document.activeElement === element);
		if (!isMeant || event.defaultPrevented || event.clipboardData === null || (chosen === null && isTextSelected())) {
			return;
		}
		const { from, to } = chosen ?? { from: 0, to: count - 1 };
		const lines = chosen === null && props.textHead !== undefined ? [props.textHead()] : [];
		const end = Math.min(to, from + MOST_COPIED - 1);
		for (let position = from; position <= end; position++) {
			lines.push(props.text?.(position) ?? indented(props, position, textsOf(page, [props.row(position)])[0] ?? ''));
		}
		if (end < to) {
			lines.push(`(${to - end} more rows are not copied)`);
		}
		event.clipboardData.setData('text/plain', `${lines.join('\n')}\n`);
		event.preventDefault();
	};
	const copy = useRef(onCopy);
	copy.current = onCopy;
	// Without a caret in it an element is not told of a copy: the document is.
	useEffect(() => {
		const listen = (event: ClipboardEvent): void => copy.current(event);
		document.addEventListener('copy', listen);
		return () => document.removeEventListener('copy', listen);
	}, []);
	const columns = props.template === undefined ? {} : { gridTemplateColumns: props.template };
	const least = props.leastWidth === undefined ? {} : { minWidth: `${props.leastWidth}px` };
	const itemRole = props.role === 'grid' ? 'row' : props.role === 'tree' ? 'treeitem' : 'option';
	// While it only scrolls, rows stay what they are.
	if (kept.current.props !== props) {
		kept.current = { props, rows: new Map() };
	}
	const rows: VNode[] = [];
	for (let position = first; position < last; position++) {
		const known = kept.current.rows.get(position);
		if (known !== undefined) {
			rows.push(known);
			continue;
		}
		const { class: more, ...rest } = props.rowProps?.(position) ?? {};
		const made = (
			<div
				key={position}
				id={`${id}-${position}`}
				role={itemRole}
				aria-selected={position === active}
				{...(props.role === 'grid' ? { 'aria-rowindex': position + 2 } : { 'aria-posinset': position + 1, 'aria-setsize': count })}
				class={`row${position === active ? ' active' : ''}${more === undefined ? '' : ` ${more}`}`}
				style={{ height: `${rowHeight}px`, top: `${position * rowHeight}px`, ...columns }}
				onClick={() => {
					props.onActive(position);
				}}
				onDblClick={() => props.onEnter?.(position)}
				{...rest}
			>
				{props.row(position)}
			</div>
		);
		kept.current.rows.set(position, made);
		rows.push(made);
	}
	return (
		<div
			ref={box}
			id={id}
			class={`virtual ${props.class ?? ''}`}
			role={props.role}
			aria-label={props.label}
			{...(props.role === 'grid' ? { 'aria-rowcount': count + 1 } : {})}
			{...(active >= first && active < last ? { 'aria-activedescendant': `${id}-${active}` } : {})}
			tabIndex={0}
			onScroll={(event) => setTop(event.currentTarget.scrollTop)}
			onKeyDown={onKeyDown}
			onFocus={() => setKeys([...props.keys, ['Ctrl+C', 'copy']])}
		>
			{props.head !== undefined && (
				<div
					class="head"
					ref={headBox}
					style={{ ...columns, ...least }}
					role={props.role === 'grid' ? 'row' : 'presentation'}
					{...(props.role === 'grid' ? { 'aria-rowindex': 1 } : {})}
				>
					{props.head}
				</div>
			)}
			<div class="rows" role="presentation" style={{ height: `${(isPrinting ? last : count) * rowHeight}px`, ...least }}>
				{rows}
				{props.overlay?.(first, last)}
			</div>
		</div>
	);
}

/** Trees keep their shape. */
function indented({ rowProps }: VirtualProps, position: number, text: string): string {
	const level = Number(rowProps?.(position)['aria-level'] ?? 1);
	return `${'  '.repeat(Math.max(0, level - 1))}${text}`;
}
