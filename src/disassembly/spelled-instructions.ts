/** Instructions as they are shown: what is told of code is told from the text in AT&T syntax, and only what users see is spelled otherwise. */
import type { Instructions } from '../model/instructions.js';
import { intelSyntax } from './intel-syntax.js';

/** In which syntax instructions of x86-64 are shown; others have one. */
export const SYNTAXES = ['att', 'intel'] as const;
export type Syntax = (typeof SYNTAXES)[number];

export function spelledText(text: string, syntax: Syntax): string {
	return syntax === 'intel' ? intelSyntax(text) : text;
}

/** The same instructions with other texts, made where somebody asks. */
export function spelledInstructions(code: Instructions, syntax: Syntax): Instructions {
	if (syntax === 'att') {
		return code;
	}
	const textAt = (instruction: number): string => spelledText(code.textAt(instruction), syntax);
	return Object.create(code, {
		textAt: { value: textAt },
		text: { get: () => Array.from({ length: code.length }, (_, i) => textAt(i)) },
	}) as Instructions;
}
