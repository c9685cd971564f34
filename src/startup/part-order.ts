/** Where the parts of functions go that were put apart: a run that was not traced executes of them what the traced runs did not, so they stay near their functions. */
import type { TextLayout } from '../model/text-layout.js';

/** The order, and behind it the parts of its functions that it does not name, in the order of these. The same where the layout tells no parts. */
export function withParts({ blocks, functionNames, symbolNames, symbolFunctions }: TextLayout, symbols: readonly string[]): readonly string[] {
	const parts = new Map<number, Set<number>>();
	blocks?.functions.forEach((f, block) => {
		const part = blocks.parts[block]!;
		if (part !== f) {
			const own = parts.get(f) ?? new Set();
			parts.set(f, own.add(part));
		}
	});
	if (parts.size === 0) {
		return symbols;
	}
	const functions = new Map<string, number[]>();
	symbolNames.forEach((name, i) => {
		const own = functions.get(name) ?? [];
		functions.set(name, own);
		own.push(symbolFunctions[i]!);
	});
	const all = new Set(symbols);
	for (const symbol of symbols) {
		for (const f of functions.get(symbol) ?? []) {
			for (const part of parts.get(f) ?? []) {
				all.add(functionNames[part]!);
			}
		}
	}
	return [...all];
}
