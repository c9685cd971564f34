/** An instruction is not longer: one that crosses a page faults at the next. */
const LONGEST_INSTRUCTION = 15;

/** Whether a page was touched to fetch the instruction at that address; else the instruction touched it as data. */
export function isFetch(touched: number, instruction: number): boolean {
	const distance = touched - instruction;
	return distance >= 0 && distance <= LONGEST_INSTRUCTION;
}
