/** One row a decision, from the calls of a task. */
import type { CallDecision, CountedReceiver } from '../../model/jit-compilation.js';
import type { Call, Frame, Task, TaskMethod } from './task.js';
import { parameterName, typeName } from './type-names.js';

/** In the order of the log, what is inside an inlined method behind its call. */
export function decisionsOf({ root }: Task): CallDecision[] {
	const rows: CallDecision[] = [];
	if (root === null) {
		return rows;
	}
	const work: { readonly frame: Frame; readonly path: number[]; next: number }[] = [{ frame: root, path: [], next: 0 }];
	for (let at = work.at(-1); at !== undefined; at = work.at(-1)) {
		const call = at.frame.calls[at.next];
		if (call === undefined) {
			work.pop();
			continue;
		}
		const path = at.path.slice();
		path.push(call.bci);
		if (call.results.length > 0) {
			const receivers = receiversOf(profiledCall(at.frame.calls, at.next));
			const callee = call.body?.method ?? call.method;
			for (const { kind, reason } of call.results) {
				rows.push({
					bcis: path,
					callee: methodText(callee),
					calleeParameters: parametersText(callee),
					caller: methodText(at.frame.method),
					calleeBytes: callee?.bytes ?? null,
					inlined: kind === 'success',
					intrinsic: kind === 'intrinsic' || reason === 'intrinsic',
					reason,
					receivers,
				});
			}
		}
		at.next++;
		if (call.body !== null) {
			work.push({ frame: call.body, path, next: 0 });
		}
	}
	return rows;
}

/** The call itself, or the declared one before it that it is a receiver of. */
function profiledCall(calls: readonly Call[], index: number): Call {
	const call = calls[index]!;
	if (call.receivers.length > 0) {
		return call;
	}
	for (let i = index - 1; i >= 0; i--) {
		const before = calls[i]!;
		if (before.bci !== call.bci || before.count !== call.count) {
			break;
		}
		if (isTarget(before)) {
			return before;
		}
	}
	return call;
}

/** A declared virtual method, or a method handle's linker: no decision of its own, those on what it calls follow. */
export function isTarget(call: Call): boolean {
	return call.isDispatch && call.count !== null && call.results.length === 0;
}

const NO_RECEIVERS: readonly CountedReceiver[] = [];

export function receiversOf({ receivers, count }: Call): readonly CountedReceiver[] {
	if (receivers.length === 0) {
		return NO_RECEIVERS;
	}
	const seen = receivers.reduce((sum, receiver) => sum + Math.max(0, receiver.count), 0);
	const all = Math.max(count ?? 0, seen, 1);
	return receivers.map((receiver) => ({
		typeName: typeName(receiver.typeName),
		count: receiver.count,
		probability: Math.max(0, receiver.count) / all,
	}));
}

/** `java.util.HashMap.getNode` */
export function methodText(method: TaskMethod | null): string | null {
	if (method === null) {
		return null;
	}
	method.text ??= `${method.holder === null ? '' : `${typeName(method.holder)}.`}${method.name}`;
	return method.text;
}

/** `(Object, int[])` */
export function parametersText(method: TaskMethod | null): string | null {
	if (method === null) {
		return null;
	}
	if (method.parameters === null) {
		const { argumentTypes, types } = method;
		const names = argumentTypes === '' ? [] : argumentTypes.split(' ').filter((type) => type !== '');
		method.parameters = names.length === 0 ? '()' : `(${names.map((type) => parameterName(types.get(Number(type)) ?? '?')).join(', ')})`;
	}
	return method.parameters;
}
