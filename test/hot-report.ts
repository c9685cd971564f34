/** A small report of hot code for tests: a loop, code without text, a stub, and native code. */
import { attributeSamples } from '../src/hot/attribute.js';
import { type HotOptions, hotReport } from '../src/hot/hot.js';
import type { HotReport } from '../src/hot/hot-results.js';
import { codeMap } from '../src/model/code-map.js';
import type { Frame, Instructions } from '../src/model/instructions.js';
import { assemble, CODE_START, INSTRUCTION_BYTES } from './assemble.js';
import { piece, type SampleRow, samplesOf } from './code.js';

const LINES = ['push %rbp', 'inc %ebx', 'idiv %ecx', 'add %eax,%ebx', 'jne @1', 'nop', 'ret'];
const FRAME: Frame = { method: 'a.C.inner', bci: 3, line: 30 };
export const CODE = assemble(
	LINES,
	LINES.map((_, i) => (i < 2 ? null : [i < 5 ? FRAME : { ...FRAME, line: null, bci: 9 }, { method: 'a.B.f', bci: 1, line: 10 }])),
);
export const END = CODE_START + INSTRUCTION_BYTES * LINES.length;
export const at = (line: number): number => CODE_START + INSTRUCTION_BYTES * line;
const OPTIONS: HotOptions = { gapBytes: 32, byDistance: false, skid: 'off' };
const MAP = codeMap([
	piece(CODE_START, END, { name: 'a.B.f', installedSeconds: 0 }),
	piece(END, END + 100, { name: 'a.B.g', compileId: '2%', compiler: 'c1', level: 3, installedSeconds: 0 }),
	piece(END + 200, END + 300, { kind: 'stub', name: 'jbyte_arraycopy', compileId: null, compiler: null, level: null }),
]);

/** Of the pieces of code above; `code` is the text of the first. */
export function report(rows: readonly SampleRow[], options: Partial<HotOptions> = {}, code: Instructions = CODE): HotReport {
	const attribution = attributeSamples(samplesOf(rows), MAP, {
		event: 0,
		processId: null,
		window: { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
		clock: null,
	});
	return hotReport(attribution, (position) => (position === 0 ? { instructions: code, labels: new Map([[0, 'Verified Entry Point']]) } : null), {
		...OPTIONS,
		...options,
	});
}

export const many = (count: number, row: SampleRow): SampleRow[] => Array.from({ length: count }, (_, i) => ({ time: i / count, ...row }));
export const ROWS = [
	...many(60, { at: at(3) }),
	...many(4, { at: at(2) + 1 }),
	...many(5, { at: at(6) }),
	...many(20, { at: END + 7 }),
	...many(3, { at: END + 210 }),
	...many(8, { at: 77, library: '/usr/lib/libc.so.6', symbol: 'memcpy' }),
	...many(2, { at: -9, library: '[kernel.kallsyms]', symbol: 'k' }),
];
