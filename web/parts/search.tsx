/** Search with `/`: methods by any spelling, those that were only inlined, handles, addresses of instructions, native functions. */
import type { RefObject } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { PageInlined, PageStacks } from '../../src/page/data.js';
import { displayedName, shown } from '../names.js';
import { count, percent } from '../numbers.js';
import type { Filtered, Row, Side } from '../side.js';
import { Method, Tier } from './basics.js';
import { usePage } from './context.js';
import { usePart } from './part.js';

const MOST = 12;

type Found =
	| { readonly kind: 'compilation'; readonly row: Row }
	| { readonly kind: 'instruction'; readonly row: Row; readonly address: string }
	| { readonly kind: 'inlined'; readonly method: PageInlined['methods'][number] }
	| { readonly kind: 'native'; readonly name: string; readonly percent: number };

/** What search looks through besides the rows. */
interface Index {
	readonly inlined: readonly { readonly method: PageInlined['methods'][number]; readonly lowerName: string }[];
	/** Libraries and functions of them. */
	readonly native: readonly { readonly name: string; readonly lowerName: string; readonly percent: number }[];
}

function indexOf(inlined: PageInlined | null, stacks: PageStacks | null): Index {
	const samples = new Map<number, number>();
	let total = stacks?.leftOutSamples ?? 0;
	for (const { frames, samples: taken } of stacks?.stacks ?? []) {
		total += taken;
		for (const frame of new Set(frames)) {
			samples.set(frame, (samples.get(frame) ?? 0) + taken);
		}
	}
	return {
		inlined: (inlined?.methods ?? []).map((method) => ({ method, lowerName: `${method.method} ${displayedName(method.method)}`.toLowerCase() })),
		native: (stacks?.names ?? []).flatMap((name, i) =>
			name.startsWith('(') ? [{ name, lowerName: name.toLowerCase(), percent: (100 * (samples.get(i) ?? 0)) / Math.max(1, total) }] : [],
		),
	};
}

/** The last digits, as the code pane shows them, or all of an address. */
const ADDRESS = /^(?:0x[0-9a-f]{1,16}|(?=[a-f]*\d)[0-9a-f]{5,12})$/;

function findInstructions(side: Side, text: string): Found[] {
	if (!ADDRESS.test(text)) {
		return [];
	}
	const digits = text.replace(/^0x/, '');
	const value = Number.parseInt(digits, 16);
	const size = 16 ** digits.length;
	return (side.page.hot?.compilations ?? []).flatMap(({ handle, start, end }): Found[] => {
		const [from, to] = [Number.parseInt(start, 16), Number.parseInt(end, 16)];
		const ending = Math.floor(from / size) * size + value;
		const address = [value, ...(text.startsWith('0x') ? [] : [ending, ending + size])].find((one) => one >= from && one < to);
		const row = side.byHandle.get(handle);
		return address === undefined || row === undefined ? [] : [{ kind: 'instruction', row, address: `0x${address.toString(16)}` }];
	});
}

function find(side: Side, { samples }: Filtered, { inlined, native }: Index, query: string): Found[] {
	const text = query.trim().toLowerCase();
	if (text === '') {
		return [];
	}
	const words = text.split(/\s+/);
	const hasWords = ({ lowerName }: { readonly lowerName: string }): boolean => words.every((word) => lowerName.includes(word));
	const exact = side.byHandle.get(text) ?? side.byHandle.get(`c${text}`);
	const rows = side.rows.filter((row) => row !== exact && hasWords(row));
	rows.sort((a, b) => (samples[b.index] ?? 0) - (samples[a.index] ?? 0) || a.index - b.index);
	const only = inlined.filter(hasWords).map(({ method }): Found => ({ kind: 'inlined', method }));
	const functions = native.filter(hasWords).sort((a, b) => b.percent - a.percent);
	const compilations = [...(exact === undefined ? [] : [exact]), ...rows].map((row): Found => ({ kind: 'compilation', row }));
	// The first of each kind are in sight.
	const [first, rest] = [compilations.slice(0, MOST / 2), compilations.slice(MOST / 2)];
	const instructions = findInstructions(side, text);
	return [
		...(exact === undefined ? instructions : []),
		...first,
		...(exact === undefined ? [] : instructions),
		...only.slice(0, 3),
		...functions.slice(0, 3).map(({ name, percent: share }): Found => ({ kind: 'native', name, percent: share })),
		...rest,
		...only.slice(3),
		...functions.slice(3).map(({ name, percent: share }): Found => ({ kind: 'native', name, percent: share })),
	];
}

export function Search({ input }: { readonly input: RefObject<HTMLInputElement | null> }) {
	const { side, filtered, router } = usePage();
	const [query, setQuery] = useState('');
	const [active, setActive] = useState(0);
	const [isOpen, setOpen] = useState(false);
	const [isWanted, setWanted] = useState(false);
	const nativeSource = side.page.stackSources.findIndex(({ isInlining }) => isInlining);
	const inlined = usePart<PageInlined>(isWanted ? side.page.inlinedPart : null);
	const stacks = usePart<PageStacks>(isWanted ? (side.page.stackSources[nativeSource]?.part ?? null) : null);
	const index = useMemo(() => indexOf(inlined ?? null, stacks ?? null), [inlined, stacks]);
	const found = useMemo(() => (isOpen ? find(side, filtered, index, query) : []), [side, filtered, index, query, isOpen]);
	const shownRows = found.slice(0, MOST);
	const open = (one: Found | undefined): void => {
		if (one === undefined) {
			return;
		}
		setOpen(false);
		input.current?.blur();
		if (one.kind === 'native') {
			router.open('samples', null, { source: String(nativeSource), method: one.name });
		} else if (one.kind === 'inlined') {
			router.open('compilation', one.method.handles[0] ?? '', { inlined: one.method.method });
		} else {
			router.open('compilation', one.row.summary.handle, one.kind === 'instruction' ? { ins: one.address } : {});
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
				aria-label="search methods, handles, addresses, native functions"
				aria-activedescendant={isOpen && shownRows.length > 0 ? `found-${active}` : undefined}
				placeholder="Search methods, c12, 0x…"
				value={query}
				onFocus={() => {
					setOpen(true);
					setWanted(true);
				}}
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
					{shownRows.map((one, i) => (
						<div
							key={i}
							id={`found-${i}`}
							role="option"
							aria-selected={i === active}
							class={i === active ? 'active' : ''}
							onPointerDown={(event) => {
								event.preventDefault();
								open(one);
							}}
						>
							<FoundRow one={one} />
						</div>
					))}
					{found.length > MOST && <p class="ink3">{count(found.length - MOST)} more: write more of the name</p>}
					{found.length === 0 && <p class="ink3">nothing is called so</p>}
				</div>
			)}
		</div>
	);
}

function FoundRow({ one }: { readonly one: Found }) {
	const { filtered } = usePage();
	if (one.kind === 'native') {
		return (
			<>
				<span class="handle" /> <Method name={one.name} /> <span class="ink3">native</span>
				<span class="ink3">{percent(one.percent)} %</span>
			</>
		);
	}
	if (one.kind === 'inlined') {
		const { method, handles, compilations } = one.method;
		return (
			<>
				<span class="handle">{shown(handles[0] ?? '')}</span> <Method name={method} /> <span class="ink3">only inlined</span>
				<span class="ink3">{count(compilations)} ×</span>
			</>
		);
	}
	const { row } = one;
	const samples = filtered.samples[row.index] ?? 0;
	return (
		<>
			<span class="handle">{shown(row.summary.handle)}</span> <Method name={row.summary.method} />{' '}
			{one.kind === 'instruction' ? <span class="ink3">at {one.address.slice(-6)}</span> : <Tier row={row} />}
			<span class="ink3">{samples > 0 ? count(samples) : ''}</span>
		</>
	);
}
