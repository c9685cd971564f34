/** What the reasons mean that LLVM's inliner gives in its remarks (llvm/lib/Analysis/InlineCost.cpp, InlineAdvisor.cpp), as the log of remarks words them. */
import type { InliningReason } from './inlining-reasons.js';

const reason = (text: string, isInlined: boolean, meaning: string): InliningReason => ({ reason: text, compilers: ['llvm'], isInlined, meaning, flags: [] });

const LLVM_INLINING_REASONS: readonly InliningReason[] = [
	reason('inlined…', true, 'the cost of the callee is below the threshold'),
	reason('always inline…', true, 'the callee has the attribute always_inline'),
	reason(
		'too costly…',
		false,
		'the callee costs the threshold or more: -mllvm -inline-threshold=N (225 at -O2), attributes hot and cold, and profiles change it',
	),
	reason('never inline…', false, 'an attribute or the form of the callee forbids it: noinline, optnone, recursion, variable arguments'),
	reason('no definition in this module…', false, 'the callee is in another file of source or library: -flto, or its definition in a header'),
	reason('inlining the caller is better…', false, 'the caller itself would become too costly for its own callers'),
	reason('not inlined…', false, 'the inliner decided against it'),
];

/** null for one that is not known. */
export function explainLlvmReason(text: string): InliningReason | null {
	return LLVM_INLINING_REASONS.find((one) => text.startsWith(one.reason.slice(0, -1))) ?? null;
}
