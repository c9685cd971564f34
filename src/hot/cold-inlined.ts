/** Code without samples that was inlined into hot functions of native programs: how large it is, by the chain of inlined calls that debug information tells for each instruction. */
import { type ChainAt, type HotRemark, placedRow } from './hot-remarks.js';
import type { CodeHeat, HotReport } from './hot-results.js';

/** Functions with fewer samples tell too little of what is cold in them. */
const LEAST_SAMPLES = 30;
const LEAST_PERCENT = 5;
/** Of less nobody makes another function. */
const LEAST_BYTES = 256;
const MOST_NAMED = 3;

/** A call that was inlined, at its place in the chain. */
interface InlinedCall {
	readonly callee: string;
	readonly file: string | null;
	readonly line: number;
	readonly column: number;
	/** null: the function itself. */
	readonly around: InlinedCall | null;
	bytes: number;
	samples: number;
}

/** A row a function, largest cold code first. */
export function coldInlined(report: HotReport, chainAt: ChainAt, meaning: (symbol: string) => string): HotRemark[] {
	return report.code
		.filter(({ code, samples }) => code.library !== undefined && samples >= LEAST_SAMPLES && (100 * samples) / report.attribution.counted >= LEAST_PERCENT)
		.flatMap((heat) => {
			const cold = outermostCold(inlinedCalls(heat, chainAt)).filter(({ bytes }) => bytes >= LEAST_BYTES);
			const [largest] = cold;
			if (largest === undefined) {
				return [];
			}
			const bytes = cold.reduce((sum, one) => sum + one.bytes, 0);
			const named = cold
				.slice(0, MOST_NAMED)
				.map(({ callee, bytes: own, file, line }) => `${meaning(callee)} (${own} bytes) at ${baseName(file ?? '?')}:${line}`);
			const more = cold.length > MOST_NAMED ? ` and ${cold.length - MOST_NAMED} more` : '';
			const { start, end } = heat.code;
			const words = `${bytes} of its ${end - start} bytes were inlined from calls without a sample: ${named.join(', ')}${more}`;
			return [{ bytes, row: placedRow(report, 'cold-inlined', heat, largest, words, heat.samples, null) }];
		})
		.sort((a, b) => b.bytes - a.bytes)
		.map(({ row }) => row);
}

/** Of a function; bytes and samples of a call are those of what was inlined into it, too. */
function inlinedCalls({ code, instructions, seen }: CodeHeat, chainAt: ChainAt): InlinedCall[] {
	const calls = new Map<string, InlinedCall>();
	for (let i = 0; i < (instructions?.length ?? 0); i++) {
		const address = instructions?.address[i] ?? 0;
		const size = (instructions?.end[i] ?? address) - address;
		const chain = chainAt(code, address);
		let key = '';
		let around: InlinedCall | null = null;
		for (let depth = chain.length - 2; depth >= 0; depth--) {
			const { file, line, column } = chain[depth + 1]!;
			const callee = chain[depth]!.function ?? '?';
			key += `${callee} ${line}:${column}\n`;
			const call: InlinedCall = calls.get(key) ?? { callee, file, line, column, around, bytes: 0, samples: 0 };
			calls.set(key, call);
			call.bytes += size;
			call.samples += seen[i]!;
			around = call;
		}
	}
	return [...calls.values()];
}

/** Largest first; what lies in another cold one is counted with that. */
function outermostCold(calls: readonly InlinedCall[]): InlinedCall[] {
	return calls.filter(({ samples, around }) => samples === 0 && around?.samples !== 0).sort((a, b) => b.bytes - a.bytes);
}

function baseName(file: string): string {
	return file.slice(file.lastIndexOf('/') + 1);
}
