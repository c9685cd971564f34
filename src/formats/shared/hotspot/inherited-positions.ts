/** Which description instructions belong to that have none of their own. */

/**
 * HotSpot prints debug information beside the instruction that ends at the described address; what precedes belongs to the first
 * description at or after it (as `PcDesc` are looked up), but not beyond the handlers and stubs behind the method. `own`: -1 for instructions
 * that are not described themselves.
 */
export function inheritedPositions(own: Int32Array, labels: ReadonlyMap<number, string>): Int32Array {
	const position = new Int32Array(own.length);
	const isStart = barriersOf(labels, own.length);
	let inherited = -1;
	for (let i = own.length - 1; i >= 0; i--) {
		inherited = own[i]! >= 0 ? own[i]! : inherited;
		position[i] = inherited;
		if (isStart[i] === 1) {
			inherited = -1;
		}
	}
	return position;
}

/** 1 for each instruction behind such a heading. */
export function barriersOf(labels: ReadonlyMap<number, string>, length: number): Uint8Array {
	const result = new Uint8Array(length);
	for (const [i, label] of labels) {
		if (i < length && isBarrier(label)) {
			result[i] = 1;
		}
	}
	return result;
}

/** Whether what is described behind a heading says nothing of the instructions before it. */
export function isBarrier(label: string): boolean {
	return /Exception Handler|Deopt|Stub Code/.test(label);
}
