/** `assay order lint` as text: findings by kind, then what the order covers. */
import type { ColdCode, LintKind, OrderLint } from '../startup/results.js';
import { writeColdCode } from './cold-code-text.js';
import { thousands } from './quantities.js';
import { columns, cutLine, padEnd, padStart, shortenMiddle, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

export interface LintShown {
	readonly lint: OrderLint;
	readonly cold: ColdCode | null;
	readonly order: string;
	readonly program: string;
	readonly isAll: boolean;
	/** A list of blocks, not of symbols. */
	readonly isBlockList: boolean;
}

const KINDS: Record<LintKind, string> = {
	missing: 'no such function',
	inlined: 'inlined away',
	ambiguous: 'a name of several functions',
	folded: 'the same code as another',
	'shared-section': 'in one section with others',
	'outside-text': 'not in .text',
	repeated: 'listed twice',
	coverage: 'covers too little',
	compiler: 'of another compiler',
	stale: 'other blocks than the list was made of',
	unsplit: 'not split',
};
const SHOWN = 10;

export function writeLintText(writer: TextWriter, { lint, cold, order, program, isAll, isBlockList }: LintShown, terminal: Terminal): void {
	const { symbols, found, hasDebugNames, sections, coverage, findings } = lint;
	const line = (text: string): void => writer.line(0, cutLine(text, terminal.width));
	line(terminal.paint('bold', `${visible(order)} on ${visible(program)}`));
	line(
		isBlockList
			? `${thousands(symbols)} functions with their blocks, ${thousands(found)} in the program, ${thousands(sections)} with the same blocks`
			: `${thousands(symbols)} symbols, ${thousands(found)} of functions, ${thousands(sections)} sections placed`,
	);
	for (const kind of Object.keys(KINDS) as LintKind[]) {
		const own = findings.filter((finding) => finding.kind === kind);
		if (own.length === 0) {
			continue;
		}
		writer.line(0, '');
		line(terminal.paint('bold', `${kind}: ${thousands(own.length)} ${KINDS[kind]}`));
		const shown = isAll ? own : own.slice(0, SHOWN);
		const width = Math.min(36, Math.max(...shown.map(({ symbol }) => columns(visible(symbol ?? '')))));
		for (const { symbol, message } of shown) {
			line(`  ${symbol === null ? '' : `${padEnd(shortenMiddle(visible(symbol), width), width)}  `}${visible(message)}`);
		}
		if (own.length > shown.length) {
			line(terminal.paint('dim', `  … ${thousands(own.length - shown.length)} more (--all)`));
		}
		if (kind === 'missing' && !hasDebugNames) {
			line(terminal.paint('dim', '  some may be inlined: --elf of a build with -g tells'));
		}
	}
	if (coverage.length > 0) {
		writer.line(0, '');
		const width = Math.max(...coverage.map(({ trace }) => columns(visible(trace))));
		for (const { trace, functions, listedFunctions, executedBytes, listedBytes, share } of coverage) {
			const bytes = executedBytes === null ? '' : `${thousands(listedBytes ?? 0)} of ${thousands(executedBytes)} executed bytes, `;
			line(
				`${padEnd(visible(trace), width)}  ${padStart(`${(100 * share).toFixed(1)} %`, 7)}  ${bytes}${thousands(listedFunctions)} of ${thousands(functions)} functions`,
			);
		}
	}
	if (cold !== null) {
		writeColdCode(writer, cold, terminal);
	}
	writer.line(0, '');
	if (isBlockList && findings.some(({ kind }) => kind === 'compiler' || kind === 'stale' || kind === 'missing')) {
		line('The list is stale: it names blocks of another source, compiler or flags.');
		line('Trace the program as it is now, and make the list again.');
	}
	line(findings.length === 0 ? 'nothing found' : `${thousands(findings.length)} finding${findings.length === 1 ? '' : 's'}`);
}
