/** The inlining tree and the optimization tree of a task, in the form that all compilers' trees have. */
import type { InliningNode, ReceiverTypeProfile } from '../../model/inlining-tree.js';
import type { CompilationPhase } from '../../model/jit-compilation.js';
import type { Optimization, OptimizationNode, OptimizationPhase } from '../../model/optimization-tree.js';
import { NO_POSITION, type Position, UNKNOWN_BCI } from '../../model/position.js';
import { isTarget, methodText, parametersText, receiversOf } from './decisions.js';
import type { Call, Frame, Task, TaskEvent, TaskMethod, TaskPhase, TaskPlace } from './task.js';

interface Draft extends InliningNode {
	readonly children: Draft[];
}

/**
 * A call with a decision is a node. A declared virtual method or a method handle's linker is one around those of its receivers, dispatched at
 * run time as far as the compiler wrote such a call.
 */
export function inliningTreeOf({ root }: Task, rootName: string): InliningNode {
	const tree = rootNode(rootName);
	const work: { readonly frame: Frame; readonly node: Draft }[] = root === null ? [] : [{ frame: root, node: tree }];
	for (let at = work.pop(); at !== undefined; at = work.pop()) {
		let dispatch: { readonly call: Call; readonly node: Draft } | null = null;
		for (const call of at.frame.calls) {
			const isInside = dispatch !== null && dispatch.call.bci === call.bci && dispatch.call.count === call.count && !call.isDispatch;
			const parent: Draft = isInside ? (dispatch as { node: Draft }).node : at.node;
			const node = nodeOf(call);
			parent.children.push(node);
			if (isTarget(call)) {
				dispatch = { call, node };
			} else if (!isInside) {
				dispatch = null;
			}
			if (call.body !== null) {
				work.push({ frame: call.body, node });
			}
		}
	}
	return tree;
}

function rootNode(methodName: string): Draft {
	return { methodName, bci: UNKNOWN_BCI, inlined: true, indirect: false, alive: true, reasons: [], receiverTypes: null, children: [] };
}

function nodeOf(call: Call): Draft {
	const { results, body, method, bci, isDispatch, isVirtualCode, inlineId } = call;
	const isAccepted = results.some(({ kind }) => kind === 'success');
	const isIntrinsic = results.some(({ kind }) => kind === 'intrinsic');
	// Accepted for later: a call unless it was parsed after all.
	const inlined = isIntrinsic || (isAccepted && (inlineId === null || body !== null)) || (results.length === 0 && body !== null);
	const isDeclared = isTarget(call);
	return {
		methodName: fullName(body?.method ?? method),
		bci,
		inlined,
		indirect:
			isDeclared || (isDispatch && !inlined && (isVirtualCode || results.some(({ reason }) => reason === 'virtual call' || reason === 'no static binding'))),
		alive: isDeclared ? isVirtualCode : !inlined,
		reasons: results.map(({ reason }) => reason),
		receiverTypes: receiverTypesOf(call),
		children: [],
	};
}

function receiverTypesOf(call: Call): ReceiverTypeProfile | null {
	return call.receivers.length === 0
		? null
		: {
				mature: (call.count ?? -1) >= 0,
				types: receiversOf(call).map(({ typeName, probability }) => ({ typeName, probability, methodName: null })),
			};
}

/** Phases as far as the log has them, and what was done in each. */
export function optimizationTreeOf({ events, phases }: Task, compiler: string | null): OptimizationPhase {
	const rootChildren: OptimizationNode[] = [];
	const childrenOf = new Map<TaskPhase | null, OptimizationNode[]>([[null, rootChildren]]);
	let next = 0;
	const open = (phase: TaskPhase): void => {
		const children: OptimizationNode[] = [];
		(childrenOf.get(phase.parent) ?? rootChildren).push({ kind: 'phase', name: phase.name, children });
		childrenOf.set(phase, children);
	};
	events.forEach((event, i) => {
		for (let phase = phases[next]; phase !== undefined && phase.eventsBefore <= i; phase = phases[next]) {
			open(phase);
			next++;
		}
		(childrenOf.get(event.phase) ?? rootChildren).push(optimizationOf(event));
	});
	phases.slice(next).forEach(open);
	return { kind: 'phase', name: compiler?.toUpperCase() ?? 'compiler', children: rootChildren };
}

function optimizationOf({ name, event, place, properties }: TaskEvent): Optimization {
	return { kind: 'optimization', name, event, position: positionOf(place), properties: properties.map(([key, value]) => ({ key, value })) };
}

function positionOf(place: TaskPlace): Position {
	if ('methods' in place) {
		return place.methods.length === 0 ? NO_POSITION : { methodNames: place.methods.map(nameInPosition), bcis: place.bcis };
	}
	if (place.frame === null) {
		return NO_POSITION;
	}
	const methodNames: string[] = [];
	const bcis: number[] = [];
	for (let frame: Frame | null = place.frame, bci = place.bci; frame !== null; bci = frame.call?.bci ?? UNKNOWN_BCI, frame = frame.call?.frame ?? null) {
		methodNames.push(nameInPosition(frame.method));
		bcis.push(bci);
	}
	return { methodNames, bcis };
}

export function phasesOf({ phases }: Task): CompilationPhase[] {
	return phases.map(({ name, depth, startMs, endMs, nodes, liveNodes, memoryBytes }) => ({ name, depth, startMs, endMs, nodes, liveNodes, memoryBytes }));
}

function nameInPosition(method: TaskMethod | null): string {
	return fullName(method) ?? '?';
}

/** `java.util.HashMap.getNode(Object)`, as Graal's logs spell it. */
function fullName(method: TaskMethod | null): string | null {
	if (method === null) {
		return null;
	}
	return `${methodText(method)}${parametersText(method)}`;
}
