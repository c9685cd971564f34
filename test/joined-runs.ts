/** Evidence of one run made by hand, as it is put together by compilation; and compilations that are put together already. */
import type { JoinInput } from '../src/join/joined-run.js';
import type { LoggedCompilation } from '../src/model/compilation.js';
import type { InliningNode } from '../src/model/inlining-tree.js';
import { type CallDecision, type JitCompilation, unknownCompilation } from '../src/model/jit-compilation.js';
import type { JoinedCompilation } from '../src/model/joined-recording.js';
import { piece } from './code.js';
import { inliningNode } from './experiments.js';

type Log = NonNullable<JoinInput['log']>;
type Heat = NonNullable<JoinInput['heat']>;
type Memory = JoinInput['memory'][number];
type Printed = JoinInput['printed'][number];

export const NO_EVIDENCE: JoinInput = {
	log: null,
	code: [],
	heat: null,
	bias: null,
	memory: [],
	units: [],
	profile: null,
	deoptimizations: new Map(),
	printed: [],
};

const LOGGED: JitCompilation = {
	...unknownCompilation(),
	compileId: '1',
	kind: 'standard',
	method: 'a.B.f',
	signature: '()V',
	compiler: 'c2',
	level: 4,
	bytecodeBytes: 10,
	queuedMs: 1,
	startedMs: 2,
	doneMs: 3,
	installedMs: 4,
	sizeBytes: 100,
};

export function logOf(compilations: readonly Partial<JitCompilation>[], decisions: readonly CallDecision[] = []): Log {
	return {
		origin: 'logCompilation',
		history: { compilations: compilations.map((one) => ({ ...LOGGED, ...one })) },
		otherDeoptimizations: new Map(),
		read: () => null,
		readDecisions: () => [...decisions],
	};
}

/** Only what the join looks at. */
export function heatOf(counted: number, rows: readonly (readonly [Partial<Parameters<typeof piece>[2]>, number])[]): Heat {
	const code = rows.map(([more, samples]) => ({ code: piece(0, 10, more), samples }));
	return { attribution: { counted }, code } as unknown as Heat;
}

export function memoryOf(more: Partial<Memory>): Memory {
	return {
		handle: `c${more.compileId ?? '1'}`,
		compileId: '1',
		compiler: 'c2',
		level: 4,
		osrBci: null,
		method: 'a.B.f',
		signature: null,
		totalBytes: 1000,
		...more,
	} as Memory;
}

export function printedOf(more: Partial<Printed>): Printed {
	return {
		compileId: '1',
		isOsr: false,
		isNative: false,
		level: 4,
		method: 'a.B.f',
		signature: null,
		osrBci: null,
		timeMs: 50,
		event: 'compiled',
		reason: null,
		...more,
	};
}

export function unitOf(more: Partial<LoggedCompilation>, calls: readonly InliningNode[] = []): LoggedCompilation {
	return {
		compileId: '1',
		methodName: 'a.B.f(int)',
		multiMethodKey: null,
		fullName: 'a.B.f(int)',
		readTrees: () => ({
			inlining: inliningNode({ methodName: 'a.B.f(int)', inlined: true, children: calls }),
			optimization: { kind: 'phase', name: 'RootPhase', children: [] },
		}),
		sizeBytes: 1,
		...more,
	};
}

/** Its handle is made of its compile id. */
export function joinedCompilation(more: Partial<JoinedCompilation>): JoinedCompilation {
	const { compileId = '1' } = more;
	return {
		handle: `c${compileId}`,
		compileId,
		kind: 'standard',
		method: 'a.B.f',
		signature: null,
		compiler: 'c2',
		level: 4,
		osrBci: null,
		samples: 0,
		percent: 0,
		halfInterval: null,
		codeBytes: 0,
		memoryBytes: null,
		predictedBiasedPercent: null,
		loopsWithoutPoll: null,
		queuedMs: null,
		startedMs: null,
		doneMs: null,
		installedMs: null,
		notEntrantMs: null,
		notEntrantReason: null,
		failure: null,
		deoptimizations: 0,
		evidence: ['logCompilation', 'assembly', 'samples', 'compilerMemory'],
		...more,
	};
}
