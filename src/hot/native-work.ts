/** What native libraries and the kernel do for Java, and the runtime's libraries and the kernel for native programs, and for whom most of it. */
import { isOfRuntime } from '../model/c-runtime.js';
import { isJvmLibrary } from '../model/jvm-library.js';
import type { CallingCode, CodeCaller, CodeCallers, HotReport, Region } from './hot-results.js';

export interface NativeWork {
	/** `pages`: the kernel clears memory that is touched for the first time; `kernel`: all else that it does, in a JVM for Java. `runtime`: a library that every native program calls. */
	readonly kind: 'library' | 'pages' | 'kernel' | 'runtime';
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
	const ofProgram = regions.filter(({ heat }) => heat?.code.library !== undefined);
	const ofKernel = native.filter(({ source }) => source === 'kernel');
	const isOfJvm = ofProgram.length === 0;
	const seenOf = (region: Region): number => regionCallers?.get(region)?.samples ?? 0;
	const kernelWork = (kind: 'pages' | 'kernel', own: readonly Region[]): NativeWork[] => {
		const callers = own.flatMap((region) => regionCallers?.get(region) ?? []);
		const all = byMethod({ samples: total(callers), rows: callers.flatMap(({ rows }) => rows) });
		const none = { unknown: 0, unreached: 0 };
		// The JVM's other threads, and those of libraries, enter the kernel too: what is for Java counts.
		return kind === 'kernel' && isOfJvm
			? work(
					kind,
					'kernel',
					own.toSorted((a, b) => seenOf(b) - seenOf(a)),
					[all],
					none,
					all.samples,
				)
			: work(kind, 'kernel', own, [all], none);
	};
	const isClearing = ({ method }: Region): boolean => CLEARS_PAGES.test(method);
	const inKernel = (): NativeWork[] => [
		...kernelWork('pages', ofKernel.filter(isClearing).slice(0, MOST_REGIONS)),
		...kernelWork(
			'kernel',
			ofKernel.filter((region) => !isClearing(region)),
		),
	];
	if (!isOfJvm) {
		return [...runtimeWork(ofProgram, libraryCallers), ...inKernel()].sort((a, b) => b.samples - a.samples);
	}
	const libraries = new Set(native.flatMap(({ source, library }) => (library === null || isJvmLibrary(library) ? [] : [source])));
	const missed = (library: string): Missed => ({ unknown: shallowStacks?.unknown.get(library) ?? 0, unreached: shallowStacks?.unreached.get(library) ?? 0 });
	const ownOf = (library: string): Region[] => native.filter(({ source }) => source === library);
	const unreached = [...libraries].flatMap((library) => unreachedWork(library, ownOf(library), missed(library))).sort((a, b) => b.samples - a.samples);
	return [
		...[...libraries].flatMap((library) => work('library', library, ownOf(library), [libraryCallers.get(library)], missed(library))),
		// The same is true of all of them, and the same helps.
		...unreached.slice(0, 1),
		...inKernel(),
	].sort((a, b) => b.samples - a.samples);
}

/** Of each of the runtime's libraries. */
function runtimeWork(regions: readonly Region[], libraryCallers: ReadonlyMap<string, CodeCallers>): NativeWork[] {
	return [...libraryCallers].flatMap(([library, callers]) => {
		const own = regions.filter(({ heat }) => {
			const { library: file = '', name = '' } = heat?.code ?? {};
			return file.slice(file.lastIndexOf('/') + 1) === library && isOfRuntime(file, name);
		});
		return work('runtime', library, own, [byMethod(callers)], { unknown: 0, unreached: 0 });
	});
}

/** Calls of one function are one row, at the line with most of them. */
function byMethod({ samples, rows }: CodeCallers): CodeCallers {
	const merged = new Map<string, CodeCaller>();
	for (const row of rows.toSorted((a, b) => b.samples - a.samples)) {
		const key = `${row.compileId} ${row.method}`;
		const known = merged.get(key);
		const calling = [...(known?.callers ?? []), ...(row.callers ?? [])];
		const callers = calling.length === 0 ? {} : { callers: mergedCalling(calling) };
		merged.set(key, known === undefined ? row : { ...known, samples: known.samples + row.samples, ...callers });
	}
	return { samples, rows: [...merged.values()] };
}

function mergedCalling(all: readonly CallingCode[]): CallingCode[] {
	const merged = new Map<string, CallingCode>();
	for (const one of all) {
		const key = `${one.compileId} ${one.method}`;
		merged.set(key, { ...one, samples: one.samples + (merged.get(key)?.samples ?? 0) });
	}
	return [...merged.values()].sort((a, b) => b.samples - a.samples);
}

function work(
	kind: NativeWork['kind'],
	library: string,
	own: readonly Region[],
	callers: readonly (CodeCallers | undefined)[],
	missed: Missed,
	samples = total(own),
): NativeWork[] {
	const rows = callers.flatMap((of) => of?.rows ?? []).sort((a, b) => b.samples - a.samples);
	const [caller] = rows;
	const [first] = own;
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
