/** What of a native program's evidence was joined, and the compiler's flag for what was not: for `assay doctor`. */
import type { WholeStackCounts } from '../hot/whole-stacks.js';
import type { EvidenceJoin, MissingEvidence } from '../model/inspection.js';
import { isUnnamedFunction } from '../model/native-symbols.js';
import { MOST_STACK_BYTES } from '../recording/record/perf.js';
import type { RecordingReport } from './joined-report.js';

export function nativeJoins({ hot, recording, remarkMatch, evidence }: RecordingReport): EvidenceJoin[] {
	const counted = hot?.attribution.counted ?? 0;
	const inside = hot?.code.reduce((sum, { samples }) => sum + samples, 0) ?? 0;
	const libraries = recording?.native?.libraries ?? [];
	const described = libraries.filter(({ hasDebugInformation }) => hasDebugInformation);
	const joins: EvidenceJoin[] = [
		{
			name: 'address',
			what: 'samples with instructions',
			works: inside > 0,
			why: `${inside} of ${counted} samples lie in the code of ${libraries.length} executables and libraries that are at hand`,
		},
		{
			name: 'method',
			what: 'instructions with lines',
			works: described.length > 0,
			why: described.length > 0 ? `debug information of ${described.map(({ name }) => fileName(name)).join(', ')}` : 'no executable has debug information',
		},
	];
	if (remarkMatch !== null && evidence.remarks.present) {
		const { inlined, found, untold, lineless } = remarkMatch;
		const others = inlined - found - untold - lineless;
		const rest =
			others === 0 ? '' : `, ${others} at calls of which none tells (of programs optimized when they are linked, give the remarks of the compile steps too)`;
		joins.push({
			name: 'remarks',
			what: 'inlined code with remarks',
			works: found > 0 || inlined === 0,
			why: `of ${inlined} samples in inlined code ${found} have the remark of the call; ${untold} are in functions of which no remark tells, ${lineless} at calls without a line (merged code)${rest}`,
		});
	}
	return joins;
}

/** Of the system: nobody compiles them anew. */
const OF_SYSTEM = /^\/(?:usr\/)?lib/;
/** Libraries with a smaller part of the samples are not told of. */
const LEAST_PART = 0.05;

const UNREAD: Readonly<Record<'no build id' | 'not at hand' | 'no symbols', { readonly what: string; remedy(name: string): string }>> = {
	'no build id': {
		what: 'build id',
		remedy: (name) => `link ${name} with -Wl,--build-id, and record again: nothing tells whether the file there is the one that was sampled`,
	},
	'not at hand': { what: 'executable', remedy: (name) => `give ${name} too, as it was when it was sampled` },
	'no symbols': { what: 'symbols', remedy: (name) => `give ${name} as it was before strip, or compile it with -g` },
};

/** `stacks`: how many samples with callers lead back to the program's start; null where there are no callers. */
export function nativeMissing({ recording, evidence, hot }: RecordingReport, stacks: WholeStackCounts | null): MissingEvidence[] {
	const libraries = recording?.native?.libraries ?? [];
	const missing: MissingEvidence[] = [];
	const least = LEAST_PART * (hot?.attribution.counted ?? 0);
	for (const { name, why, samples } of recording?.native?.unread ?? []) {
		if (!OF_SYSTEM.test(name) && samples >= least) {
			missing.push({ what: UNREAD[why].what, without: `${samples} samples are told by no function`, remedy: UNREAD[why].remedy(fileName(name)) });
		}
	}
	for (const [name, samples] of unnamedSamples(hot)) {
		if (samples >= least) {
			const remedy = OF_SYSTEM.test(name)
				? `install the debug symbols of ${fileName(name)} (of Debian's packages those called …-dbgsym), or give them too, as debuginfod-find debuginfo ${name} fetches them`
				: UNREAD['no symbols'].remedy(fileName(name));
			missing.push({ what: 'names of functions', without: `${samples} samples are in functions of ${fileName(name)} that have only addresses`, remedy });
		}
	}
	const inGo = new Set(hot?.code.flatMap(({ code }) => (code.compiler === 'go' ? [code.library] : [])) ?? []);
	// Go's compiler writes none.
	const hasOthers = (hot?.code ?? []).some(({ code }) => code.library !== undefined && !OF_SYSTEM.test(code.library) && !inGo.has(code.library));
	if (!evidence.remarks.present && (hasOthers || inGo.size === 0)) {
		missing.push({
			what: 'remarks',
			without: 'decisions of the compiler',
			remedy: 'compile with -fsave-optimization-record (clang; of rustc: -Zremark-dir=DIR -Cremark=all), and give the .opt.yaml files too',
		});
	}
	const samplesOf = (name: string): number => hot?.code.reduce((sum, { code, samples }) => sum + (code.library === name ? samples : 0), 0) ?? 0;
	const bare = libraries.filter(({ name, hasDebugInformation }) => !hasDebugInformation && !OF_SYSTEM.test(name) && samplesOf(name) >= least);
	if (bare.length > 0) {
		missing.push({
			what: 'debug information',
			without: 'lines of source and inlined functions',
			remedy: bare.every(({ name }) => inGo.has(name))
				? `build ${bare.map(({ name }) => fileName(name)).join(', ')} without -ldflags=-w, and do not strip it`
				: `compile ${bare.map(({ name }) => fileName(name)).join(', ')} with -g, or -gmlt, which is smaller and tells the same here`,
		});
	}
	const [split] = (recording?.native?.problems ?? []).filter(({ message }) => message.includes('the rest of its debug information'));
	if (split !== undefined) {
		missing.push({
			what: 'split debug information',
			without: `inlined functions of ${fileName(split.file)}: ${split.message}`,
			remedy: `leave the .dwo files where they were compiled, or put them together: llvm-dwp -e ${fileName(split.file)} -o ${fileName(split.file)}.dwp, beside the program`,
		});
	}
	if (stacks !== null && 2 * stacks.whole < stacks.all) {
		const { whole, all, copiedBytes } = stacks;
		const told = `of ${all} samples with callers ${whole} lead back to the start of the program`;
		missing.push(
			copiedBytes === null
				? {
						what: 'callers',
						without: `who called: ${told}`,
						remedy: 'compile with -fno-omit-frame-pointer (rustc: -Cforce-frame-pointers), or record with perf record --call-graph dwarf, or with assay record',
					}
				: {
						what: 'outermost callers',
						without: `where stacks begin that are larger than the ${copiedBytes} bytes that were copied: ${told}`,
						remedy: `record with --stack ${Math.min(MOST_STACK_BYTES, 4 * copiedBytes)}`,
					},
		);
	}
	return missing;
}

/** By library, most first. */
function unnamedSamples(hot: RecordingReport['hot']): [string, number][] {
	const counts = new Map<string, number>();
	for (const { code, samples } of hot?.code ?? []) {
		if (code.library !== undefined && isUnnamedFunction(code.name)) {
			counts.set(code.library, (counts.get(code.library) ?? 0) + samples);
		}
	}
	return [...counts].sort((a, b) => b[1] - a[1]);
}

function fileName(file: string): string {
	return file.slice(file.lastIndexOf('/') + 1);
}
