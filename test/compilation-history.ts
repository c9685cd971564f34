/** Histories of compilations made by hand: what is not said of one is unknown. */
import { type CompilationHistory, type Deoptimization, type JitCompilation, unknownCompilation } from '../src/model/jit-compilation.js';

export const NOTHING_SAID: JitCompilation = {
	...unknownCompilation(),
	compileId: '1',
	kind: 'standard',
	method: 'A.b',
	signature: '()V',
	compiler: 'c1',
	level: 3,
	bytecodeBytes: 1,
};

/** Compile ids are numbers from 1 on. */
export function history(compilations: readonly Partial<JitCompilation>[], more: Partial<CompilationHistory> = {}): CompilationHistory {
	return {
		processId: 1,
		version: null,
		startedEpochMs: null,
		command: null,
		arguments: null,
		endMs: 1000,
		compilations: compilations.map((one, i) => ({ ...NOTHING_SAID, compileId: String(i + 1), ...one })),
		threads: [],
		codeCache: [],
		...more,
	};
}

export function trap(ms: number | null, more: Partial<Deoptimization> = {}): Deoptimization {
	return { kind: 'uncommon trap', reason: 'null_check', action: 'reinterpret', method: 'A.c', bci: 4, ms, threadId: 1, ...more };
}
