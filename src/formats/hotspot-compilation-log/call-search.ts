/** Which call of a task an element belongs to. */
import type { Call, Frame, TaskMethod } from './task.js';

export const NO_RECEIVERS: Call['receivers'] = [];

export function newCall(frame: Frame, bci: number, method: TaskMethod | null, isDispatch: boolean, count: number | null, receivers: Call['receivers']): Call {
	return { frame, bci, method, isDispatch, count, receivers, results: [], inlineId: null, body: null, isVirtualCode: false };
}

/**
 * The call whose callee is parsed now: the latest of this method that was not parsed yet, else any at this index. Receivers are parsed in
 * reverse order; C1 names the declared method, and only the parse says which one it became.
 */
export function callToParse({ calls }: Frame, bci: number, method: TaskMethod | null): Call | null {
	let any: Call | null = null;
	for (let i = calls.length - 1; i >= 0; i--) {
		const call = calls[i]!;
		if (call.bci === bci && call.body === null) {
			if (call.method !== null && call.method === method) {
				return call;
			}
			// What was refused is not parsed.
			if (any === null || (!isAccepted(any) && isAccepted(call))) {
				any = call;
			}
		}
	}
	return any;
}

/** `<virtual_call bci/>`: of the calls at that index the declared one is what was written. */
export function markVirtualCall(calls: readonly Call[], bci: number): void {
	for (let i = calls.length - 1; i >= 0 && calls[i]?.bci === bci; i--) {
		const call = calls[i]!;
		call.isVirtualCode = true;
		if (call.isDispatch) {
			return;
		}
	}
}

/** Whether a call stands at the place that `<jvms>` give, innermost first. */
export function isAt(call: Call, bcis: readonly number[]): boolean {
	let frame: Frame | null = call.frame;
	let bci = call.bci;
	for (const wanted of bcis) {
		if (frame === null || bci !== wanted) {
			return false;
		}
		bci = frame.call?.bci ?? -1;
		frame = frame.call?.frame ?? null;
	}
	return frame === null;
}

/** Walks from the root along that place, through the methods that were parsed there, to a call that was not. */
export function callAtPlace(root: Frame | null, bcis: readonly number[], methods: readonly (TaskMethod | null)[], callee: number): Call | null {
	let frame = root;
	for (let i = bcis.length - 1; i > 0; i--) {
		const next: Call | undefined = frame?.calls.find((call) => call.bci === bcis[i] && call.body !== null && call.body.method === methods[i - 1]);
		frame = next?.body ?? null;
	}
	const here = frame?.calls.filter((call) => call.bci === bcis[0] && call.body === null) ?? [];
	return here.find((call) => call.method?.id === callee) ?? here.find(({ inlineId }) => inlineId !== null) ?? here[0] ?? null;
}

function isAccepted({ results }: Call): boolean {
	return results.length === 0 || results.some(({ kind }) => kind === 'success');
}
