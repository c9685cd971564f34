/** What native libraries and the kernel do for Java, and for whom most of it. */
import { isJvmLibrary } from '../model/jvm-library.js';
import type { CodeCaller, CodeCallers, HotReport, Region } from './hot-results.js';

export interface NativeWork {
	/** `pages`: the kernel clears memory that is touched for the first time. */
	readonly kind: 'library' | 'pages';
	/** `libzip.so`; `kernel`. */
	readonly library: string;
	/** The function with most samples. */
	readonly symbol: string;
	/** Handles of its hottest regions. */
	readonly regions: readonly string[];
	/** In all of it. */
	readonly samples: number;
	/** The native method, or the place in compiled code, that most of this is for; null: of most of it what was copied of the stack shows none. */
	readonly caller: CodeCaller | null;
	/** Part of the samples whose caller was seen that were for it, 0 to 1. */
	readonly share: number;
	/** Samples in threads of Java of which no caller is known. */
	readonly unknown: number;
	/** Those of them whose stack was copied no further than functions in C. */
	readonly unreached: number;
}

type Missed = Pick<NativeWork, 'unknown' | 'unreached'>;

const MOST_REGIONS = 4;
const CLEARS_PAGES = /^\(clear_(?:page|huge_page|gigantic_page)/;

/** Most samples first. */
export function nativeWork({ regions, regionCallers, libraryCallers, shallowStacks }: HotReport): NativeWork[] {
	if (libraryCallers === undefined || (libraryCallers.size === 0 && shallowStacks === undefined)) {
		return [];
	}
	const native = regions.filter(({ heat }) => heat === null);
	const libraries = new Set(native.flatMap(({ source, library }) => (library === null || isJvmLibrary(library) ? [] : [source])));
	const ofPages = native.filter(({ source, method }) => source === 'kernel' && CLEARS_PAGES.test(method)).slice(0, MOST_REGIONS);
	const missed = (library: string): Missed => ({ unknown: shallowStacks?.unknown.get(library) ?? 0, unreached: shallowStacks?.unreached.get(library) ?? 0 });
	const ownOf = (library: string): Region[] => native.filter(({ source }) => source === library);
	const unreached = [...libraries].flatMap((library) => unreachedWork(library, ownOf(library), missed(library))).sort((a, b) => b.samples - a.samples);
	return [
		...[...libraries].flatMap((library) => work('library', library, ownOf(library), [libraryCallers.get(library)], missed(library))),
		// The same is true of all of them, and the same helps.
		...unreached.slice(0, 1),
		...work(
			'pages',
			'kernel',
			ofPages,
			ofPages.map((region) => regionCallers?.get(region)),
			{ unknown: 0, unreached: 0 },
		),
	].sort((a, b) => b.samples - a.samples);
}

function work(kind: NativeWork['kind'], library: string, own: readonly Region[], callers: readonly (CodeCallers | undefined)[], missed: Missed): NativeWork[] {
	const rows = callers.flatMap((of) => of?.rows ?? []).sort((a, b) => b.samples - a.samples);
	const [caller] = rows;
	const [first] = own;
	const samples = total(own);
	const seen = total(rows);
	const regions = own.slice(0, MOST_REGIONS).map(({ handle }) => handle);
	return caller === undefined || first === undefined || 2 * seen < samples
		? []
		: [{ kind, library, symbol: first.method, regions, samples, caller, share: caller.samples / seen, ...missed }];
}

/** Where most of a library is in threads of Java, and no stack shows for whom. */
function unreachedWork(library: string, own: readonly Region[], missed: Missed): NativeWork[] {
	const [first] = own;
	const samples = total(own);
	const regions = own.slice(0, MOST_REGIONS).map(({ handle }) => handle);
	return first === undefined || 2 * missed.unreached <= samples
		? []
		: [{ kind: 'library', library, symbol: first.method, regions, samples, caller: null, share: 0, ...missed }];
}

function total(rows: readonly { readonly samples: number }[]): number {
	return rows.reduce((sum, { samples }) => sum + samples, 0);
}
