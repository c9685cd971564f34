/** What stubs do for compiled code, and for whom most of it: copies, and looking up the method of a virtual call. */
import { appendTo } from '../model/append.js';
import type { CodeCaller, HotReport, Region } from './hot-results.js';

export interface StubWork {
	readonly kind: 'copy' | 'dispatch';
	/** The name of the one with most samples. */
	readonly stub: string;
	/** Handles of the hottest regions of such stubs. */
	readonly regions: readonly string[];
	/** In these regions. */
	readonly samples: number;
	/** The code that calls them most, and where in it most of this comes from. */
	readonly caller: CodeCaller;
	/** Part of the samples whose caller was seen that came from this code, 0 to 1. */
	readonly share: number;
}

const KINDS: Readonly<Record<StubWork['kind'], RegExp>> = { copy: /arraycopy/, dispatch: /^[iv]table stub/ };
const MOST_REGIONS = 6;

/** Most samples first; nothing of stubs most of whose callers were not seen. */
export function stubWork({ regions, codeCallers }: HotReport): StubWork[] {
	if (codeCallers === undefined || codeCallers.size === 0) {
		return [];
	}
	return (['copy', 'dispatch'] as const)
		.flatMap((kind): StubWork[] => {
			const own = regions.filter(({ heat }) => heat?.code.kind === 'stub' && KINDS[kind].test(heat.code.name)).slice(0, MOST_REGIONS);
			const [first] = own;
			const codes = new Set(own.flatMap(({ heat }) => heat ?? []));
			const callers = [...codes].flatMap(({ code }) => codeCallers.get(code)?.rows ?? []);
			const seen = total(callers);
			const caller = mostOf(callers);
			return first === undefined || caller === null || 2 * seen < total([...codes])
				? []
				: [{ kind, stub: first.method, regions: own.map(({ handle }) => handle), samples: total(own), ...caller, share: caller.share / seen }];
		})
		.sort((a, b) => b.samples - a.samples);
}

/** The compilation with most, and its row with most; its samples as `share`. */
function mostOf(callers: readonly CodeCaller[]): { readonly caller: CodeCaller; readonly share: number } | null {
	const byCode = new Map<string | null, CodeCaller[]>();
	for (const caller of callers) {
		appendTo(byCode, caller.compileId, caller);
	}
	const [most] = [...byCode.values()].sort((a, b) => total(b) - total(a));
	const [caller] = [...(most ?? [])].sort((a, b) => b.samples - a.samples);
	return most === undefined || caller === undefined ? null : { caller, share: total(most) };
}

function total(rows: readonly Pick<Region, 'samples'>[]): number {
	return rows.reduce((sum, { samples }) => sum + samples, 0);
}
