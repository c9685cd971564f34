/** Generated trees, close to what compilers log: few names, so that things repeat and collide. */
import fc from 'fast-check';
import type { CompilationTrees } from '../src/model/compilation.js';
import type { InliningNode } from '../src/model/inlining-tree.js';
import type { OptimizationNode, OptimizationPhase } from '../src/model/optimization-tree.js';
import type { Position } from '../src/model/position.js';

const methodName = fc.constantFrom('A.a()', 'B.b(int)', 'C.c()', 'D.d(Object)');
const bci = fc.constantFrom(-1, 0, 1, 2);

const receiverTypes = fc.option(
	fc.record({
		mature: fc.boolean(),
		types: fc.array(fc.record({ typeName: fc.constantFrom('X', 'Y'), probability: fc.constantFrom(0, 0.5, 1 / 3, 1), methodName: fc.option(methodName) }), {
			maxLength: 2,
		}),
	}),
	{ freq: 4 },
);

const { inliningNode } = fc.letrec<{ inliningNode: InliningNode }>((tie) => ({
	inliningNode: fc.record({
		methodName: fc.option(methodName, { freq: 8 }),
		bci,
		inlined: fc.boolean(),
		indirect: fc.boolean(),
		alive: fc.boolean(),
		reasons: fc.array(fc.constantFrom('trivial', 'too big', 'naïve "quoted"'), { maxLength: 2 }),
		receiverTypes,
		children: fc.oneof({ depthSize: 'small' }, fc.constant([]), fc.array(tie('inliningNode'), { maxLength: 4 })),
	}),
}));

export const inliningTree: fc.Arbitrary<InliningNode> = inliningNode.map((root) => ({ ...root, methodName: 'A.a()', bci: -1, inlined: true, indirect: false }));

const position: fc.Arbitrary<Position> = fc
	.uniqueArray(fc.tuple(methodName, bci), { maxLength: 3, selector: ([name]) => name })
	.map((entries) => ({ methodNames: entries.map(([name]) => name), bcis: entries.map(([, index]) => index) }));

const propertyValue = fc.oneof(
	fc.constantFrom(null, true, 'text', 0, -7, 9007199254740993n),
	fc.double({ noNaN: true, noDefaultInfinity: true }).map((double) => ({ double })),
);

const optimization: fc.Arbitrary<OptimizationNode> = fc.record({
	kind: fc.constant('optimization' as const),
	name: fc.constantFrom('Canonicalizer', 'LoopPeeling'),
	event: fc.constantFrom('Peel', 'Fold'),
	position,
	properties: fc.uniqueArray(fc.record({ key: fc.constantFrom('k', 'peelings', 'naïve'), value: propertyValue }), { maxLength: 2, selector: ({ key }) => key }),
});

const { phase } = fc.letrec<{ phase: OptimizationPhase }>((tie) => ({
	phase: fc.record({
		kind: fc.constant('phase' as const),
		name: fc.constantFrom('HighTier', 'CanonicalizerPhase', 'InliningPhase', 'FloatingReadPhase'),
		children: fc.oneof({ depthSize: 'small' }, fc.constant([]), fc.array(fc.oneof(optimization, tie('phase')), { maxLength: 4 })),
	}),
}));

export const optimizationTree: fc.Arbitrary<OptimizationPhase> = phase.map((root) => ({ ...root, name: 'RootPhase' }));

export const compilationTrees: fc.Arbitrary<CompilationTrees> = fc.record({ inlining: inliningTree, optimization: optimizationTree });

/** A compilation unit as Graal writes it. */
export function graalLine(name: string, id: string, trees: CompilationTrees): string {
	return `{"methodName":${JSON.stringify(name)},"compilationId":${JSON.stringify(id)},"inliningTree":${inliningJson(trees.inlining)},"optimizationTree":${optimizationJson(trees.optimization)}}`;
}

function inliningJson(node: InliningNode): string {
	const { receiverTypes: profile } = node;
	const profileJson =
		profile === null
			? ''
			: `,"receiverTypeProfile":${JSON.stringify({
					mature: profile.mature,
					...(profile.types.length === 0
						? {}
						: { profiledTypes: profile.types.map((type) => ({ ...type, methodName: undefined, concreteMethodName: type.methodName })) }),
				})}`;
	const children = node.children.length === 0 ? '' : `,"invokes":[${node.children.map(inliningJson).join(',')}]`;
	const reasons = node.reasons.length === 0 ? 'null' : JSON.stringify(node.reasons);
	return `{"methodName":${JSON.stringify(node.methodName)},"callsiteBci":${node.bci},"inlined":${node.inlined},"reason":${reasons},"indirect":${node.indirect},"alive":${node.alive}${profileJson}${children}}`;
}

function optimizationJson(node: OptimizationNode): string {
	if (node.kind === 'phase') {
		return `{"phaseName":${JSON.stringify(node.name)},"optimizations":[${node.children.map(optimizationJson).join(',')}]}`;
	}
	const { methodNames, bcis } = node.position;
	const positionJson = methodNames.length === 0 ? 'null' : `{${methodNames.map((name, index) => `${JSON.stringify(name)}:${bcis[index]}`).join(',')}}`;
	const properties = node.properties.map(({ key, value }) => {
		const json =
			typeof value === 'bigint'
				? String(value)
				: typeof value === 'object' && value !== null && 'double' in value
					? doubleJson(value.double)
					: JSON.stringify(value);
		return `,${JSON.stringify(key)}:${json}`;
	});
	return `{"optimizationName":${JSON.stringify(node.name)},"eventName":${JSON.stringify(node.event)},"position":${positionJson}${properties.join('')}}`;
}

/** With a fraction, as Java writes a double. */
function doubleJson(double: number): string {
	const text = Object.is(double, -0) ? '-0' : String(double);
	const exponent = text.indexOf('e');
	const mantissa = exponent < 0 ? text : text.slice(0, exponent);
	return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}${exponent < 0 ? '' : text.slice(exponent)}`;
}
