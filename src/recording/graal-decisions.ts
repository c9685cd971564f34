/**
 * What Graal decided, told where the JVM's log tells of its compilations: HotSpot writes of a compilation of JVMCI only when it began and ended, Graal writes the rest
 * into a log of its own (-Djdk.graal.OptimizationLog). The two join by compile id and method.
 */
import type { LoggedCompilation } from '../model/compilation.js';
import { withoutHiddenAddress } from '../model/hidden-class.js';
import { callsiteKind, type InliningNode } from '../model/inlining-tree.js';
import { type CallDecision, type CompilationRecord, type JitCompilation, plainId } from '../model/jit-compilation.js';
import { splitMethodName } from '../model/method-name.js';
import { InputError } from '../model/problem.js';
import type { CompilationLog } from './compilation-log.js';

/** The same log, which answers with Graal's trees where `units` has them. What cannot be read is as if it were not there. */
export function withGraalDecisions(log: CompilationLog, units: readonly LoggedCompilation[]): CompilationLog {
	const byId = new Map(units.map((unit) => [unit.compileId, unit]));
	const treesOf = ({ compileId, compiler, method }: JitCompilation): ReturnType<LoggedCompilation['readTrees']> | null => {
		const unit = compiler === 'jvmci' ? byId.get(plainId(compileId)) : undefined;
		if (unit === undefined || withoutHiddenAddress(splitMethodName(unit.methodName).method) !== withoutHiddenAddress(method)) {
			return null;
		}
		try {
			return unit.readTrees();
		} catch (error) {
			if (error instanceof InputError) {
				return null;
			}
			throw error;
		}
	};
	const { countCalls } = log;
	return {
		...log,
		read(compilation) {
			const record = log.read(compilation);
			const trees = treesOf(compilation);
			return trees === null ? record : { ...(record ?? NOTHING), decisions: decisionsOf(trees.inlining), ...trees };
		},
		readDecisions(compilation) {
			const trees = treesOf(compilation);
			return trees === null ? log.readDecisions(compilation) : decisionsOf(trees.inlining);
		},
		...(countCalls === undefined
			? {}
			: {
					countCalls(compilation: JitCompilation) {
						const trees = treesOf(compilation);
						return trees === null ? countCalls(compilation) : countOf(decisionsOf(trees.inlining));
					},
				}),
	};
}

const NOTHING: Omit<CompilationRecord, 'decisions' | 'inlining' | 'optimization'> = { phases: [], plannedTraps: 0, lostElements: 0 };

function countOf(decisions: readonly CallDecision[]): { inlined: number; notInlined: number } {
	const inlined = decisions.filter((decision) => decision.inlined).length;
	return { inlined, notInlined: decisions.length - inlined };
}

/** Of calls that were inlined, or are still there. The targets of a call that was split stand at its place. */
function decisionsOf(root: InliningNode): CallDecision[] {
	const decisions: CallDecision[] = [];
	const holder = nameOf(root);
	const work = root.children.map((node) => ({ node, bcis: [node.bci], caller: holder })).reverse();
	for (let next = work.pop(); next !== undefined; next = work.pop()) {
		const { node, bcis, caller } = next;
		const kind = callsiteKind(node, false);
		if (kind === 'inlined' || kind === 'direct' || kind === 'indirect') {
			decisions.push({
				bcis,
				callee: nameOf(node),
				calleeParameters: node.methodName === null ? null : splitMethodName(node.methodName).signature,
				caller,
				inlined: kind === 'inlined',
				intrinsic: false,
				reason: node.reasons.at(-1) ?? '',
				receivers: (node.receiverTypes?.types ?? []).map(({ typeName, probability }) => ({ typeName, count: 0, probability })),
			});
		}
		for (const child of node.children.toReversed()) {
			work.push(kind === 'inlined' ? { node: child, bcis: [...bcis, child.bci], caller: nameOf(node) } : { node: child, bcis, caller });
		}
	}
	return decisions;
}

function nameOf({ methodName }: InliningNode): string | null {
	return methodName === null ? null : splitMethodName(methodName).method;
}
