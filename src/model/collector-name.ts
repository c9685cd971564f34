/** Which garbage collector a JVM had, from what it was told to take, or from what it does where it chose. */

const FLAGS: Readonly<Record<string, string>> = {
	UseSerialGC: 'Serial',
	UseParallelGC: 'Parallel',
	UseG1GC: 'G1',
	UseZGC: 'ZGC',
	UseShenandoahGC: 'Shenandoah',
	UseEpsilonGC: 'Epsilon',
};

/** The first words of the operations of each at safepoints (vmOperation.hpp, JDK 17 to 25). */
const OPERATIONS: readonly (readonly [RegExp, string])[] = [
	[/^G1/, 'G1'],
	[/^(?:Gen|Serial)(?:Collect|GC)/, 'Serial'],
	[/^Parallel/, 'Parallel'],
	[/^[XZ](?:Mark|Relocate|Verify)/, 'ZGC'],
	[/^Shenandoah/, 'Shenandoah'],
];

/** The names of their threads, as the system cuts them. Those of the parallel collector are called as G1's workers. */
const THREADS: readonly (readonly [RegExp, string])[] = [
	[/^G1 /, 'G1'],
	[/^[XZ](?:Director|Driver|Worker|Stat|Unmapper|Uncommitter)/, 'ZGC'],
	[/^Shenandoah/, 'Shenandoah'],
];

/** null where nothing tells it. */
export function collectorName(
	flags: string | null,
	stops: readonly { readonly safepoint: { readonly operation: string | null } }[],
	threads: readonly { readonly name: string | null }[],
): string | null {
	const [, given = ''] = [...(flags ?? '').matchAll(/-XX:\+(Use\w+GC)\b/g)].at(-1) ?? [];
	return (
		FLAGS[given] ??
		told(
			OPERATIONS,
			stops.map(({ safepoint }) => safepoint.operation),
		) ??
		told(
			THREADS,
			threads.map(({ name }) => name),
		)
	);
}

function told(patterns: readonly (readonly [RegExp, string])[], words: readonly (string | null)[]): string | null {
	for (const word of words) {
		const found = word === null ? undefined : patterns.find(([pattern]) => pattern.test(word));
		if (found !== undefined) {
			return found[1];
		}
	}
	return null;
}
