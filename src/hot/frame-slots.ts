/**
 * Spills: registers that the compiler keeps in the stack frame, told from the code (x86-64, AT&T syntax). A slot is one if its function stores a register to it and
 * loads it again, and no address of the frame at it or below it is taken: what lies there may be an object of the source. LLVM lays spills below such objects.
 */

export interface FrameAccess {
	readonly slot: string;
	readonly isStore: boolean;
	readonly isLoad: boolean;
}

/** `0x18(%rsp)`, `-0x8(%rbp)`; with an index it is an array. */
const SLOT = /(?:^|[\s,*])(-?(?:0x[0-9a-f]{1,8}|\d{1,10}))?\((%[re][sb]p)\)/;
const ONLY_READS = /^(?:cmp|test|push|call|jmp|bt|ucomis|comis|vucomis|vcomis)/;
const MOVES = /^(?:v?mov|cvt)/;

function offsetOf(text: string | undefined): number {
	const digits = text?.replace('-', '') ?? '0';
	return (text?.startsWith('-') ? -1 : 1) * Number(digits);
}

/** Of each instruction the slot that it reads or writes; null: none, or one that may be an object of the source. */
export function spillAccesses(texts: readonly string[]): (FrameAccess | null)[] {
	const hasFramePointer = texts.some((text) => /^mov %rsp, ?%rbp$/.test(text));
	const taken = new Map<string, number>();
	const stored = new Set<string>();
	const loaded = new Set<string>();
	const accesses = texts.map((text): (FrameAccess & { readonly base: string; readonly offset: number }) | null => {
		const found = SLOT.exec(text);
		const base = found?.[2] ?? '';
		if (found === null || (base !== '%rsp' && !(base === '%rbp' && hasFramePointer))) {
			return null;
		}
		const offset = offsetOf(found[1]);
		if (text.startsWith('lea')) {
			taken.set(base, Math.min(offset, taken.get(base) ?? Number.POSITIVE_INFINITY));
			return null;
		}
		const isLast = text.endsWith(')');
		const isStore = isLast && text.includes(',') && !ONLY_READS.test(text);
		const isLoad = !isStore || !MOVES.test(text);
		const slot = `${offset}${base}`;
		// What is stored as a number was in no register.
		if (isStore && MOVES.test(text) && /^\S+ %/.test(text)) {
			stored.add(slot);
		}
		if (isLoad) {
			loaded.add(slot);
		}
		return { slot, base, offset, isStore, isLoad };
	});
	return accesses.map((one) =>
		one !== null && stored.has(one.slot) && loaded.has(one.slot) && one.offset < (taken.get(one.base) ?? Number.POSITIVE_INFINITY) ? one : null,
	);
}
