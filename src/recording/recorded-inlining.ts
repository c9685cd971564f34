/**
 * Decisions on inlining as Flight Recorder tells them → the tree that they are of. An event names the method with the call, the bytecode index and the callee,
 * in the order in which the compiler decided; not the calls around it. Compilers decide depth first: what is inlined is parsed before the rest of its caller, so
 * that the method with the call mostly is the one inlined last, or one around it. What C2 accepts for later it parses at the end.
 *
 * Where a method was inlined at several calls that are still open, the innermost is taken that was not asked about this call yet. Which one it was the events
 * do not tell: a recursive method's own calls may stand under the call of itself.
 */
import type { JfrInlining, JfrMethod } from '../formats/jfr/compiler-events.js';
import type { InliningNode } from '../model/inlining-tree.js';
import { methodWithParameters, parametersOfSignature } from '../model/java-descriptor.js';
import type { CallDecision } from '../model/jit-compilation.js';
import type { CallCounts } from '../model/joined-recording.js';
import { UNKNOWN_BCI } from '../model/position.js';
import { type DraftNode, decide, draftNode } from './draft-node.js';

export interface RecordedInlining {
	readonly decisions: readonly CallDecision[];
	readonly tree: InliningNode;
	/** Decisions about calls in a method that was not inlined before: their place is not known. */
	readonly lost: number;
}

/** A method whose bytecode the compiler parses: the compiled one, or one that was inlined. */
interface Body {
	readonly key: string;
	readonly parent: Body | null;
	readonly bcis: readonly number[];
	readonly node: DraftNode;
	readonly calls: Call[];
	/** What was decided about at each bytecode index, before the call that is looked at now. */
	readonly asked: Set<number>;
}

interface Call {
	readonly bci: number;
	readonly decision: CallDecision;
	readonly body: Body | null;
}

/** The events are those of one compilation, in their order. */
export function inliningOf(method: JfrMethod, events: readonly JfrInlining[]): RecordedInlining {
	const root: Body = { key: keyOf(method), parent: null, bcis: [], node: nodeOf(method, UNKNOWN_BCI, true), calls: [], asked: new Set() };
	const bodies = new Map<string, Body[]>([[root.key, [root]]]);
	let current = root;
	let lost = 0;
	for (const { caller, bci, callee, succeeded, message } of events) {
		const body = bodyOf(keyOf(caller), bci, callee.method, current, bodies);
		if (body === null) {
			lost++;
			continue;
		}
		const intrinsic = isIntrinsic(message);
		const bcis = [...body.bcis, bci];
		const node = addNode(body, callee, bci, succeeded, message);
		const inside: Body | null = succeeded && !intrinsic ? { key: keyOf(callee), parent: body, bcis, node, calls: [], asked: new Set() } : null;
		const last = body.calls.at(-1);
		if (last !== undefined && last.bci !== bci) {
			body.asked.add(last.bci);
		}
		const calleeParameters = parametersOfSignature(callee.descriptor);
		const decision = { bcis, callee: callee.method, calleeParameters, caller: caller.method, inlined: succeeded, intrinsic, reason: message, receivers: [] };
		body.calls.push({ bci, decision, body: inside });
		if (inside !== null) {
			const same = bodies.get(inside.key) ?? [];
			same.push(inside);
			bodies.set(inside.key, same);
		}
		current = inside ?? body;
	}
	return { decisions: decisionsOf(root), tree: root.node, lost };
}

/** How many calls of {@link inliningOf}'s decisions were inlined: which body a call is of does not matter, only that there is one. */
export function callCountsOf(method: JfrMethod, events: readonly JfrInlining[]): CallCounts {
	const bodies = new Set([keyOf(method)]);
	const counts = { inlined: 0, notInlined: 0 };
	for (const { caller, callee, succeeded, message } of events) {
		if (!bodies.has(keyOf(caller))) {
			continue;
		}
		const intrinsic = isIntrinsic(message);
		counts.inlined += succeeded ? 1 : 0;
		counts.notInlined += succeeded || intrinsic ? 0 : 1;
		if (succeeded && !intrinsic) {
			bodies.add(keyOf(callee));
		}
	}
	return counts;
}

function isIntrinsic(message: string): boolean {
	return message === 'intrinsic' || message === '(intrinsic)';
}

/** The innermost open one, else the first that was accepted and not parsed yet; null: there is none. */
function bodyOf(key: string, bci: number, callee: string, current: Body, bodies: ReadonlyMap<string, readonly Body[]>): Body | null {
	const all = bodies.get(key) ?? [];
	if (all.length < 2) {
		return all[0] ?? null;
	}
	for (let body: Body | null = current; body !== null; body = body.parent) {
		if (body.key === key && !wasAsked(body, bci, callee)) {
			return body;
		}
	}
	return all.find(({ calls }) => calls.length === 0) ?? all.findLast((body) => !wasAsked(body, bci, callee)) ?? all.at(-1) ?? null;
}

/** A call may be asked about several times in a row, for each of its receivers; not for one that was inlined already. */
function wasAsked({ asked, calls }: Body, bci: number, callee: string): boolean {
	const decision = calls.at(-1)?.decision;
	return asked.has(bci) || (decision?.inlined === true && decision.bcis.at(-1) === bci && decision.callee === callee);
}

function addNode({ node: parent }: Body, callee: JfrMethod, bci: number, inlined: boolean, reason: string): DraftNode {
	const before = parent.children.at(-1);
	const fresh = nodeOf(callee, bci, inlined);
	const node = before?.bci === bci && before.methodName === fresh.methodName && before.children.length === 0 ? before : fresh;
	if (node === fresh) {
		parent.children.push(node);
	}
	decide(node, inlined, reason);
	return node;
}

/** What is inside an inlined method stands behind its call, as in the log. */
function decisionsOf(root: Body): CallDecision[] {
	const rows: CallDecision[] = [];
	const work: { readonly body: Body; next: number }[] = [{ body: root, next: 0 }];
	for (let at = work.at(-1); at !== undefined; at = work.at(-1)) {
		const call = at.body.calls[at.next++];
		if (call === undefined) {
			work.pop();
			continue;
		}
		rows.push(call.decision);
		if (call.body !== null) {
			work.push({ body: call.body, next: 0 });
		}
	}
	return rows;
}

/** Of a method; a recording has the same object for each event that names it. */
interface Names {
	readonly key: string;
	readonly withParameters: string;
}

const NAMES = new WeakMap<JfrMethod, Names>();

function namesOf(method: JfrMethod): Names {
	let names = NAMES.get(method);
	if (names === undefined) {
		const { method: name, descriptor } = method;
		names = { key: `${name}${descriptor ?? ''}`, withParameters: methodWithParameters(name, descriptor, false) };
		NAMES.set(method, names);
	}
	return names;
}

function keyOf(method: JfrMethod): string {
	return namesOf(method).key;
}

function nodeOf(method: JfrMethod, bci: number, inlined: boolean): DraftNode {
	return draftNode(namesOf(method).withParameters, bci, inlined);
}
