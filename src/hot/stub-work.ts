/** What stubs do for compiled code, and for whom most of it: copies, and looking up the method of a virtual call. */
import { appendTo } from '../model/append.js';
import { isDispatchStub } from '../model/generated-code.js';
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

const KINDS: Readonly<Record<StubWork['kind'], (name: string) => boolean>> = { copy: (name) => name.includes('arraycopy'), dispatch: isDispatchStub };
const MOST_REGIONS = 6;

/** Most samples first; nothing of stubs most of whose callers were not seen. */
export function stubWork({ regions, codeCallers }: HotReport): StubWork[] {
	if (codeCallers === undefined || codeCallers.size === 0) {
		return [];
	}
	return (['copy', 'dispatch'] as const)
		.flatMap((kind): StubWork[] => {
			const own = regions.filter(({ heat }) => heat?.code.kind === 'stub' && KINDS[kind](heat.code.name)).slice(0, MOST_REGIONS);
			const [first] = own;
			const codes = new Set(own.flatMap(({ heat }) => heat ?? []));
			const callers = [...codes].flatMap(({ code }) => codeCallers.get(code)?.rows ?? []);
			const seen = total(callers);
			const most = mostOf(callers);
			return first === undefined || most === null || 2 * seen < total([...codes])
				? []
				: [{ kind, stub: first.method, regions: own.map(({ handle }) => handle), samples: total(own), caller: most.caller, share: most.samples / seen }];
		})
		.sort((a, b) => b.samples - a.samples);
}

/** Of the compilation that calls most its samples, and its row with most. */
function mostOf(callers: readonly CodeCaller[]): { readonly caller: CodeCaller; readonly samples: number } | null {
	const byCode = new Map<string | null, CodeCaller[]>();
	for (const caller of callers) {
		appendTo(byCode, caller.compileId, caller);
	}
	const [most] = [...byCode.values()].sort((a, b) => total(b) - total(a));
	const [caller] = [...(most ?? [])].sort((a, b) => b.samples - a.samples);
	return most === undefined || caller === undefined ? null : { caller, samples: total(most) };
}

function total(rows: readonly Pick<Region, 'samples'>[]): number {
	return rows.reduce((sum, { samples }) => sum + samples, 0);
}
