/** Every state of the page has an address: `#/compilation/c355?at=150.44&t=1400-4100`. */
import { useEffect, useState } from 'preact/hooks';

const VIEWS = ['overview', 'compilations', 'compilation', 'compare', 'bias', 'samples', 'memory', 'startup', 'fleet'] as const;
export type View = (typeof VIEWS)[number];

interface Route {
	readonly view: View;
	/** Of the compilation view: `c355`; of the page of a store: a question. */
	readonly handle: string | null;
	readonly params: Readonly<Record<string, string>>;
}

function parseRoute(hash: string, first: View): Route {
	const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
	const [name, handle] = path.split('/');
	const params: Record<string, string> = {};
	for (const [key, value] of new URLSearchParams(query)) {
		params[key] = value;
	}
	const view = VIEWS.find((one) => one === name) ?? first;
	return { view, handle: handle === undefined || handle === '' ? null : decode(handle), params };
}

function formatRoute({ view, handle, params }: Route): string {
	const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== '')).toString();
	return `#/${view}${handle === null ? '' : `/${encodeURIComponent(handle)}`}${query === '' ? '' : `?${query}`}`;
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** Params that stay when another view opens: the time range, the part of time in sight, the class of threads, the thread and the side. */
const KEPT = ['t', 'z', 'class', 'thread', 'side'];

function routeTo(from: Route, view: View, handle: string | null = null, params: Readonly<Record<string, string>> = {}): Route {
	const kept = Object.fromEntries(KEPT.flatMap((key) => (from.params[key] === undefined ? [] : [[key, from.params[key] as string]])));
	return { view, handle, params: { ...kept, ...params } };
}

export interface Router {
	readonly route: Route;
	/** Opens another view; Back returns. */
	open(view: View, handle?: string | null, params?: Readonly<Record<string, string>>): void;
	/** Changes params of this view; an empty text takes one away. With `isStep` Back returns to the state before. */
	set(params: Readonly<Record<string, string>>, isStep?: boolean): void;
	href(view: View, handle?: string | null, params?: Readonly<Record<string, string>>): string;
}

/** `first`: the view that an address without one opens. */
export function useRouter(first: View): Router {
	const [route, setRoute] = useState(() => parseRoute(location.hash, first));
	useEffect(() => {
		const read = (): void => setRoute(parseRoute(location.hash, first));
		addEventListener('hashchange', read);
		addEventListener('popstate', read);
		return () => {
			removeEventListener('hashchange', read);
			removeEventListener('popstate', read);
		};
	}, []);
	const go = (next: Route, isStep: boolean): void => {
		const hash = formatRoute(next);
		if (hash !== location.hash) {
			history[isStep ? 'pushState' : 'replaceState'](null, '', hash);
		}
		setRoute(next);
	};
	return {
		route,
		open: (view, handle = null, params = {}) => go(routeTo(parseRoute(location.hash, first), view, handle, params), true),
		set: (params, isStep = false) => {
			const now = parseRoute(location.hash, first);
			go({ ...now, params: { ...now.params, ...params } }, isStep);
		},
		href: (view, handle = null, params = {}) => formatRoute(routeTo(route, view, handle, params)),
	};
}
