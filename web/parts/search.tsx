/** Search with `/`: methods, handles, addresses of code. */
import type { RefObject } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { shown } from '../names.js';
import { count } from '../numbers.js';
import type { Filtered, Row, Side } from '../side.js';
import { Method, Tier } from './basics.js';
import { usePage } from './context.js';

const MOST = 12;

function findRows(side: Side, { samples }: Filtered, query: string): Row[] {
	const text = query.trim().toLowerCase();
	if (text === '') {
		return [];
	}
	const address = /^0x[0-9a-f]+$/.test(text) ? Number.parseInt(text, 16) : Number.NaN;
	if (!Number.isNaN(address)) {
		const found = side.page.hot?.compilations.filter(({ start, end }) => Number.parseInt(start, 16) <= address && address < Number.parseInt(end, 16)) ?? [];
		return found.flatMap(({ handle }) => side.byHandle.get(handle) ?? []);
	}
	const words = text.split(/\s+/);
	const exact = side.byHandle.get(text) ?? side.byHandle.get(`c${text}`);
	const found = side.rows.filter((row) => row !== exact && words.every((word) => row.lowerName.includes(word)));
	found.sort((a, b) => (samples[b.index] ?? 0) - (samples[a.index] ?? 0) || a.index - b.index);
	return [...(exact === undefined ? [] : [exact]), ...found];
}

export function Search({ input }: { readonly input: RefObject<HTMLInputElement | null> }) {
	const { side, filtered, router } = usePage();
	const samplesOf = (row: Row): number => filtered.samples[row.index] ?? 0;
	const [query, setQuery] = useState('');
	const [active, setActive] = useState(0);
	const [isOpen, setOpen] = useState(false);
	const found = useMemo(() => (isOpen ? findRows(side, filtered, query) : []), [side, filtered, query, isOpen]);
	const shownRows = found.slice(0, MOST);
	const open = (row: Row | undefined): void => {
		if (row !== undefined) {
			setOpen(false);
			input.current?.blur();
			router.open('compilation', row.summary.handle);
		}
	};
	return (
		<div class="search" role="search">
			<input
				ref={input}
				type="text"
				role="combobox"
				list={undefined}
				aria-expanded={isOpen && query !== ''}
				aria-controls="found"
				aria-label="search methods, handles, addresses"
				aria-activedescendant={isOpen && shownRows.length > 0 ? `found-${active}` : undefined}
				placeholder="Search methods, c12, 0x…"
				value={query}
				onFocus={() => setOpen(true)}
				onBlur={() => setOpen(false)}
				onInput={(event) => {
					setQuery(event.currentTarget.value);
					setActive(0);
					setOpen(true);
				}}
				onKeyDown={(event) => {
					const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
					if (step !== 0) {
						setActive(Math.max(0, Math.min(shownRows.length - 1, active + step)));
						event.preventDefault();
					} else if (event.key === 'Enter') {
						if (shownRows.length === 0) {
							router.open('compilations', null, { q: query });
						} else {
							open(shownRows[active]);
						}
					}
				}}
			/>
			<kbd>/</kbd>
			{isOpen && query.trim() !== '' && (
				<div class="found" id="found" role="listbox" aria-label="found">
					{shownRows.map((row, i) => (
						<div
							key={row.index}
							id={`found-${i}`}
							role="option"
							aria-selected={i === active}
							class={i === active ? 'active' : ''}
							onPointerDown={(event) => {
								event.preventDefault();
								open(row);
							}}
						>
							<span class="handle">{shown(row.summary.handle)}</span> <Method name={row.summary.method} /> <Tier row={row} />
							<span class="ink3">{samplesOf(row) > 0 ? count(samplesOf(row)) : ''}</span>
						</div>
					))}
					{found.length > MOST && <p class="ink3">{count(found.length - MOST)} more: write more of the name</p>}
					{found.length === 0 && <p class="ink3">nothing is called so</p>}
				</div>
			)}
		</div>
	);
}
