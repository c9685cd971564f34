import { expect, test } from 'vitest';
import type { InliningNode } from '../model/inlining-tree.js';
import { type JitCompilation, unknownCompilation } from '../model/jit-compilation.js';
import { InputError } from '../model/problem.js';
import type { CompilationLog } from './compilation-log.js';
import { withGraalDecisions } from './graal-decisions.js';

const node = (methodName: string | null, bci: number, more: Partial<InliningNode> = {}): InliningNode => ({
	methodName,
	bci,
	inlined: false,
	indirect: false,
	alive: true,
	reasons: [],
	receiverTypes: null,
	children: [],
	...more,
});

const TYPES = { mature: true, types: [{ typeName: 'a.C', probability: 0.75, methodName: 'a.C.v()' }] };
const TREE = node('a.B.f(int)', -1, {
	inlined: true,
	children: [
		node('a.B.g()', 3, { inlined: true, reasons: ['parsed', 'trivial'], children: [node('a.B.h()', 5, { reasons: ['too big'] })] }),
		// Split into its targets, which stand at its place.
		node('a.I.v()', 9, {
			indirect: true,
			alive: false,
			receiverTypes: TYPES,
			children: [node('a.C.v()', 9, { inlined: true, children: [node(null, 1, { indirect: true, receiverTypes: TYPES })] })],
		}),
		node('a.B.gone()', 12, { alive: false }),
	],
});

const compiled = (compileId: string, more: Partial<JitCompilation> = {}): JitCompilation => ({
	...unknownCompilation(),
	compileId,
	kind: 'standard',
	method: 'a.B.f',
	signature: '(I)V',
	compiler: 'jvmci',
	...more,
});

const OPTIMIZATION = { kind: 'phase', name: 'RootPhase', children: [] } as const;
const unit = (compileId: string, methodName: string, readTrees: () => object) =>
	({ compileId, methodName, multiMethodKey: null, fullName: methodName, sizeBytes: 1, readTrees }) as Parameters<typeof withGraalDecisions>[1][number];

const LOGGED = { bcis: [1], callee: 'a.B.logged', inlined: true, intrinsic: false, reason: 'inline', receivers: [] };
const RECORD = { decisions: [], phases: [], plannedTraps: 3, inlining: node(null, -1), optimization: OPTIMIZATION, lostElements: 0 };

function joined(...units: Parameters<typeof withGraalDecisions>[1]): CompilationLog {
	const log = { readDecisions: () => [LOGGED], read: () => RECORD, countCalls: () => ({ inlined: 1, notInlined: 0 }) };
	return withGraalDecisions(log as unknown as CompilationLog, units);
}

const GRAAL = unit('7', 'a.B.f(int)', () => ({ inlining: TREE, optimization: OPTIMIZATION }));

test('calls that were inlined or stayed, with the chain of calls around them', () => {
	const log = joined(GRAAL);
	expect(log.readDecisions(compiled('7'))).toEqual([
		{ bcis: [3], callee: 'a.B.g', calleeParameters: '()', caller: 'a.B.f', inlined: true, intrinsic: false, reason: 'trivial', receivers: [] },
		{ bcis: [3, 5], callee: 'a.B.h', calleeParameters: '()', caller: 'a.B.g', inlined: false, intrinsic: false, reason: 'too big', receivers: [] },
		{ bcis: [9], callee: 'a.C.v', calleeParameters: '()', caller: 'a.B.f', inlined: true, intrinsic: false, reason: '', receivers: [] },
		{
			bcis: [9, 1],
			callee: null,
			calleeParameters: null,
			caller: 'a.C.v',
			inlined: false,
			intrinsic: false,
			reason: '',
			receivers: [{ typeName: 'a.C', count: 0, probability: 0.75 }],
		},
	]);
	expect(log.countCalls?.(compiled('7'))).toEqual({ inlined: 2, notInlined: 2 });
	expect(log.read(compiled('7'))).toMatchObject({ plannedTraps: 3, inlining: TREE });
});

test('Graal writes ids without the mark of on-stack replacement', () => {
	expect(joined(GRAAL).readDecisions(compiled('7%', { kind: 'osr' }))).toHaveLength(4);
});

test("of other compilers, of another method, and where its record cannot be read the JVM's log answers", () => {
	const broken = unit('8', 'a.B.f(int)', () => {
		throw new InputError({ severity: 'error', file: 'x', message: 'no JSON', action: '' });
	});
	const log = joined(
		GRAAL,
		broken,
		unit('9', 'a.B.other(int)', () => ({ inlining: TREE, optimization: OPTIMIZATION })),
	);
	for (const compilation of [compiled('7', { compiler: 'c1' }), compiled('8'), compiled('9'), compiled('10')]) {
		expect(log.readDecisions(compilation)).toEqual([LOGGED]);
		expect(log.read(compilation)).toBe(RECORD);
		expect(log.countCalls?.(compilation)).toEqual({ inlined: 1, notInlined: 0 });
	}
});

test('another error is not hidden', () => {
	const log = joined(
		unit('7', 'a.B.f(int)', () => {
			throw new TypeError('bug');
		}),
	);
	expect(() => log.readDecisions(compiled('7'))).toThrow(TypeError);
});
