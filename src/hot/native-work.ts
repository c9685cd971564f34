/** What native libraries and the kernel do for Java, and for whom most of it. */
import { isJvmLibrary } from '../model/jvm-library.js';
import { type CodeCaller, type HotReport, keyOfNative, type Region } from './hot-results.js';

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
	/** The native method, or the place in compiled code, that most of this is for. */
	readonly caller: CodeCaller;
	/** Part of the samples whose caller was seen that were for it, 0 to 1. */
	readonly share: number;
}

const MOST_REGIONS = 4;
const CLEARS_PAGES = /^\(clear_(?:page|huge_page|gigantic_page)/;

/** Most samples first; nothing of libraries of which most stacks do not tell who called. */
export function nativeWork({ regions, nativeCallers }: HotReport): NativeWork[] {
	if (nativeCallers === undefined || nativeCallers.size === 0) {
		return [];
	}
	const native = regions.filter(({ heat }) => heat === null);
	const libraries = new Set(native.flatMap(({ source, library }) => (library === null || isJvmLibrary(library) ? [] : [source])));
	const work = (kind: NativeWork['kind'], library: string, own: readonly Region[], keys: readonly string[]): NativeWork[] => {
		const callers = keys.flatMap((key) => nativeCallers.get(key)?.rows ?? []).sort((a, b) => b.samples - a.samples);
		const [caller] = callers;
		const [first] = own;
		const samples = total(own);
		const seen = total(callers);
		return caller === undefined || first === undefined || 2 * seen < samples
			? []
			: [
					{
						kind,
						library,
						symbol: first.method,
						regions: own.slice(0, MOST_REGIONS).map(({ handle }) => handle),
						samples,
						caller,
						share: caller.samples / seen,
					},
				];
	};
	const ofPages = native.filter(({ source, method }) => source === 'kernel' && CLEARS_PAGES.test(method));
	return [
		...[...libraries].flatMap((library) =>
			work(
				'library',
				library,
				native.filter(({ source }) => source === library),
				[keyOfNative(library)],
			),
		),
		...work('pages', 'kernel', ofPages, [...new Set(ofPages.map(({ method }) => keyOfNative('kernel', method)))]),
	].sort((a, b) => b.samples - a.samples);
}

function total(rows: readonly Pick<Region, 'samples'>[]): number {
	return rows.reduce((sum, { samples }) => sum + samples, 0);
}
