/** What findings look for in hot code, besides where it is. */
import { withoutHiddenAddress } from '../model/hidden-class.js';
import { parametersOfSignature } from '../model/java-descriptor.js';
import type { CodeCaller, HotReport, InterpretedTime } from './hot-results.js';
import { type NativeWork, nativeWork } from './native-work.js';
import { type ScalarLoop, scalarLoops } from './scalar-loops.js';
import { type SlowInstruction, slowInstructions } from './slow-instructions.js';
import { slowLoads } from './slow-loads.js';
import { type StubWork, stubWork } from './stub-work.js';

export interface HotCauses {
	/** That were waited for, hottest first; loads behind the others. */
	readonly slowInstructions: readonly SlowInstruction[];
	/** Loops over arrays without vector instructions, hottest first. */
	readonly scalarLoops: readonly ScalarLoop[];
	/** Whom stubs work for, most samples first. */
	readonly stubWork: readonly StubWork[];
	/** What libraries and the kernel do, most samples first. */
	readonly nativeWork: readonly NativeWork[];
	/** What was interpreted, most of it first. */
	readonly interpreted: readonly InterpretedTime[];
	/** By the name of a method, without what differs from run to run, and by that with its parameters, who called its compilations. */
	readonly callers: ReadonlyMap<string, MethodCallers>;
}

interface MethodCallers {
	/** In those of its compilations of which callers were seen. */
	readonly samples: number;
	/** Whose caller was seen. */
	readonly seen: number;
	readonly rows: readonly CodeCaller[];
}

export function hotCauses(hot: HotReport | null): HotCauses {
	return hot === null
		? { slowInstructions: [], scalarLoops: [], stubWork: [], nativeWork: [], interpreted: [], callers: new Map() }
		: {
				slowInstructions: [...slowInstructions(hot), ...slowLoads(hot)],
				scalarLoops: scalarLoops(hot),
				stubWork: stubWork(hot),
				nativeWork: nativeWork(hot),
				interpreted: hot.interpreted ?? [],
				callers: callersByMethod(hot),
			};
}

function callersByMethod({ code, codeCallers }: HotReport): ReadonlyMap<string, MethodCallers> {
	const result = new Map<string, MethodCallers>();
	for (const { code: piece, samples } of code) {
		const callers = piece.kind === 'compilation' ? codeCallers?.get(piece) : undefined;
		if (callers !== undefined) {
			const name = withoutHiddenAddress(piece.name);
			for (const key of new Set([name, `${name}${parametersOfSignature(piece.signature) ?? ''}`])) {
				const known = result.get(key) ?? { samples: 0, seen: 0, rows: [] };
				result.set(key, { samples: known.samples + samples, seen: known.seen + callers.samples, rows: [...known.rows, ...callers.rows] });
			}
		}
	}
	return result;
}
