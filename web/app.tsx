/** The frame around all views: bar, search, keys, the line at the bottom. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { THREAD_CLASS_WORDS, threadClassOf } from '../src/model/thread-class.js';
import type { PageParts } from '../src/page/data.js';
import { sideNames } from '../src/render/side-names.js';
import type { Loaded } from './data.js';
import { shown, titleOf } from './names.js';
import { rangeText } from './numbers.js';
import { Context, type KeyHint, type PageContext } from './parts/context.js';
import { Dropped } from './parts/dropped.js';
import { Keys } from './parts/keys.js';
import { Search } from './parts/search.js';
import { useRouter, type View } from './route.js';
import { createSide, filterSide, parseRange, type Side } from './side.js';
import { Bias } from './views/bias.js';
import { Compare } from './views/compare.js';
import { Compilation } from './views/compilation.js';
import { Compilations } from './views/compilations.js';
import { Memory } from './views/memory.js';
import { Overview } from './views/overview.js';
import { Samples } from './views/samples.js';
import { Startup } from './views/startup.js';

const TABS: readonly { readonly view: View; readonly name: string; readonly key: string }[] = [
	{ view: 'overview', name: 'Overview', key: '1' },
	{ view: 'compilations', name: 'Compilations', key: '2' },
	{ view: 'compare', name: 'Compare', key: '3' },
	{ view: 'samples', name: 'Samples', key: '4' },
	{ view: 'bias', name: 'Bias', key: '5' },
	{ view: 'memory', name: 'Memory', key: '6' },
	{ view: 'startup', name: 'Start-up', key: '7' },
];

/** Questions that nobody asks of a native program. */
const JVM_VIEWS: ReadonlySet<View> = new Set(['bias', 'memory']);

const DEFAULT_KEYS: readonly KeyHint[] = [
	['1 … 7', 'views'],
	['/', 'search'],
	['?', 'all keys'],
];

interface AppProps {
	readonly loaded: Loaded;
	/** Why a recording that is followed could not be read the last time. */
	readonly problem: string | null;
	readonly reload: () => Promise<void>;
}

export function App({ loaded, problem, reload }: AppProps) {
	const router = useRouter(loaded.main.parts.diff === null ? 'overview' : 'compare');
	const { route } = router;
	const sides = useMemo(() => loaded.main.sides.map(createSide), [loaded]);
	const sideNumber = Math.min(sides.length - 1, Math.max(0, Number(route.params.side ?? 0) || 0));
	const side = sides[sideNumber];
	if (side === undefined) {
		throw new Error('the page holds no recording');
	}
	const filtered = useMemo(
		() => filterSide(side, parseRange(route.params.t), threadClassOf(route.params.class ?? ''), route.params.thread ?? null),
		[side, route.params.t, route.params.class, route.params.thread],
	);
	const has = useMemo(() => hasEvidence(side, loaded.main.parts), [side, loaded]);
	const [keys, setKeys] = useState<readonly KeyHint[]>(DEFAULT_KEYS);
	const [origin, setOrigin] = useState('');
	const [isHelp, setHelp] = useState(false);
	const search = useRef<HTMLInputElement>(null);
	const main = useRef<HTMLElement>(null);
	const isFirst = useRef(true);
	const page: PageContext = { loaded, router, sides, sideNumber, side, filtered, setKeys: useCallback(setKeys, []), setOrigin: useCallback(setOrigin, []) };
	useEffect(() => {
		document.title = `${route.view === 'compilation' ? `${route.handle} · ` : ''}${shown(side.page.name, 80)} · assay`;
	}, [route, side]);
	useEffect(() => {
		setKeys(DEFAULT_KEYS);
		setOrigin('');
		// The keys of a view work at once.
		if (isFirst.current) {
			isFirst.current = false;
		} else if (document.activeElement === document.body || document.activeElement?.closest('nav') != null) {
			main.current?.querySelector<HTMLElement>('.virtual')?.focus({ preventScroll: true });
		}
	}, [route.view, route.handle]);
	useEffect(() => {
		const onKeyDown = (event: KeyboardEvent): void => {
			const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.target instanceof HTMLTextAreaElement;
			if (event.ctrlKey || event.metaKey || event.altKey || (isTyping && event.key !== 'Escape')) {
				return;
			}
			const tab = TABS.find(({ key }) => key === event.key);
			if (tab !== undefined) {
				router.open(tab.view);
			} else if (event.key === '/') {
				search.current?.focus();
				search.current?.select();
			} else if (event.key === '?') {
				setHelp(true);
			} else if (event.key === 'b') {
				document.getElementById('timeline')?.focus();
			} else if ((event.key === '[' || event.key === ']') && route.view === 'compilation') {
				const links = [...document.querySelectorAll<HTMLAnchorElement>('.versions a')];
				const at = links.findIndex((link) => link.getAttribute('aria-current') !== null);
				links[at + (event.key === '[' ? -1 : 1)]?.click();
			} else if (event.key === 'Tab' || event.key.length !== 1) {
				if (event.key !== 'Escape') {
					return;
				}
				if (isTyping) {
					(event.target as HTMLElement).blur();
				} else if (route.view === 'compilation') {
					history.length > 1 ? history.back() : router.open('compilations');
				} else {
					return;
				}
			} else if (event.key === 'j' || event.key === 'k') {
				main.current?.querySelector<HTMLElement>('.virtual')?.focus();
			} else {
				return;
			}
			event.preventDefault();
		};
		addEventListener('keydown', onKeyDown);
		return () => removeEventListener('keydown', onKeyDown);
	}, [route.view]);
	return (
		<Context.Provider value={page}>
			<header class="bar">
				<a class="brand" href={router.href('overview')}>
					assay
				</a>
				<SideSwitch
					names={sides.map((one) => one.page.name)}
					chosen={sideNumber}
					choose={(number) => router.set({ side: number === 0 ? '' : String(number) }, true)}
				/>
				<nav aria-label="views">
					{TABS.filter(({ view }) => !(side.isNative && JVM_VIEWS.has(view))).map(({ view, name, key }) => (
						<a
							key={view}
							href={router.href(view)}
							class={has[view] ? undefined : 'without'}
							title={has[view] ? undefined : 'nothing in this recording: the view says what would fill it'}
							aria-current={view === route.view || (view === 'compilations' && route.view === 'compilation') ? 'page' : undefined}
							aria-keyshortcuts={key}
						>
							{name}
						</a>
					))}
				</nav>
				{loaded.main.isFollowed && (
					<span class="range" role="status" title={problem === null ? 'the recording is still being written; the page shows what comes' : titleOf(problem)}>
						{problem === null ? 'following' : 'following; it cannot be read now'}
					</span>
				)}
				{filtered.range !== null && (
					<span class="range">
						{rangeText(filtered.range)}{' '}
						<button type="button" aria-label="show the whole run" onClick={() => router.set({ t: '' })}>
							×
						</button>
					</span>
				)}
				{filtered.threadClass !== null && (
					<span class="range">
						{THREAD_CLASS_WORDS[filtered.threadClass]} threads{' '}
						<button type="button" aria-label="show all threads" onClick={() => router.set({ class: '' })}>
							×
						</button>
					</span>
				)}
				{filtered.thread !== null && (
					<span class="range">
						thread {shown(filtered.thread, 40)}{' '}
						<button type="button" aria-label="show every thread" onClick={() => router.set({ thread: '' })}>
							×
						</button>
					</span>
				)}
				<Search input={search} />
				<button type="button" class="key" aria-label="all keys" onClick={() => setHelp(true)}>
					?
				</button>
			</header>
			<Dropped isServed={loaded.main.isServed} reload={reload} />
			<main ref={main}>
				{route.view === 'overview' && <Overview key={sideNumber} />}
				{route.view === 'compilations' && <Compilations key={sideNumber} />}
				{route.view === 'compilation' && <Compilation handle={route.handle ?? ''} />}
				{route.view === 'compare' && <Compare />}
				{route.view === 'samples' && <Samples key={sideNumber} />}
				{route.view === 'bias' && <Bias key={sideNumber} />}
				{route.view === 'startup' && <Startup />}
				{route.view === 'memory' && <Memory key={sideNumber} />}
			</main>
			<footer class="key-line">
				<span class="hints">
					{keys.map(([key, what]) => (
						<span key={key}>
							{key.split(' ').map((one) => (
								<kbd key={one}>{one}</kbd>
							))}{' '}
							{what}
						</span>
					))}
				</span>
				<span class="origin" title={titleOf(origin)}>
					{origin === '' ? sourcesText(side.page) : shown(origin, 160)}
				</span>
			</footer>
			{isHelp && <Keys close={() => setHelp(false)} />}
		</Context.Provider>
	);
}

/** Which views show more than what is missing. */
function hasEvidence({ page, rows }: Side, parts: PageParts): Readonly<Record<View, boolean>> {
	return {
		overview: true,
		compilations: rows.length > 0,
		compilation: rows.length > 0,
		compare: parts.diff !== null || parts.hotPairs !== null,
		samples: page.stackSources.length > 0,
		bias: page.biasPart !== null || (page.ttsp?.safepoints.length ?? 0) > 0,
		memory: page.memory !== null,
		startup: parts.startup !== null,
		fleet: false,
	};
}

function sourcesText({ compilations, hot }: ReturnType<typeof createSide>['page']): string {
	const files = [...new Set([...(compilations?.recording.files ?? []), ...(hot === null ? [] : [hot.recording.samplesFile])])];
	const how =
		hot === null
			? ''
			: hot.clock.source === 'none'
				? ', clocks not aligned'
				: hot.clock.source === 'recorded'
					? ', clocks recorded'
					: ', clocks aligned by the samples';
	return `${files
		.slice(0, 3)
		.map((file) => shown(file.replace(/^.*[\\/]/s, ''), 40))
		.join(' · ')}${how}`;
}

function SideSwitch({ names, chosen, choose }: { readonly names: readonly string[]; readonly chosen: number; readonly choose: (number: number) => void }) {
	const short = (name: string): string => shown(name.replace(/(?<![\\/])[\\/]+$/, '').replace(/^.*[\\/]/s, ''), 28);
	const [a = '', b = ''] = names;
	const apart = sideNames(a, b);
	if (names.length < 2) {
		return (
			<span class="recording" title={titleOf(names[0] ?? '')}>
				<b>{short(names[0] ?? '')}</b>
			</span>
		);
	}
	return (
		<span class="recording" role="group" aria-label="recording">
			{names.map((name, i) => (
				<button key={i} type="button" aria-pressed={i === chosen} title={titleOf(name)} onClick={() => choose(i)}>
					{[i === 0 ? 'a' : 'b', ...(apart[i] === (i === 0 ? 'a' : 'b') ? [] : [shown(apart[i] ?? name, 28)])].join(' ')}
				</button>
			))}
		</span>
	);
}
