/** `assay order optimize -o FILE` as text: what was made, and what it is worth. */
import type { MadeOrder } from '../answers/order/optimize-result.js';
import { writeColdCode } from './cold-code-text.js';
import { loadedLine, writeCountsTable } from './order-simulate-text.js';
import { thousands } from './quantities.js';
import { shortenMiddle, type Terminal } from './terminal.js';
import type { TextWriter } from './text-writer.js';
import { visible } from './visible.js';

export function writeOptimizeText(writer: TextWriter, { simulation, order, startUpCode, cold, output, blocks }: MadeOrder, terminal: Terminal): void {
	const { traces, layouts } = simulation;
	const line = (text: string): void => writer.line(0, shortenMiddle(text, terminal.width));
	line(`${visible(output ?? 'the order')}: ${thousands(order.symbols.length)} symbols, ${order.method}`);
	line(
		`  ${thousands(order.sections)} sections ran, in ${order.classes} set${order.classes === 1 ? '' : 's'} of ${traces.length} trace${traces.length === 1 ? '' : 's'}${
			order.fillers > 0 ? `; ${thousands(order.fillers)} that did not run fill pages` : ''
		}`,
	);
	if (order.refused > 0) {
		line(`  ${order.refused} of ${order.tried} orders, better for these traces, were not taken:`);
		line('  they are worse for a trace that is left out; more traces tell more');
	}
	if (blocks !== null) {
		writeBlocks(line, blocks);
	}
	if (startUpCode.length > 0) {
		line(`  start-up code that the traces lack was added: ${startUpCode.map((name) => visible(name)).join(', ')}`);
	}
	for (const trace of traces) {
		const loaded = loadedLine(trace, simulation.recordedOn);
		if (loaded !== null) {
			line(`  ${loaded}`);
		}
	}
	writer.line(0, '');
	writeCountsTable(
		writer,
		layouts.map(({ name, counts }) => ({ name, counts })),
		traces.length,
		terminal,
	);
	if (traces.length > 1) {
		traces.forEach(({ name, weight }, i) => {
			writer.line(0, '');
			line(terminal.paint('bold', `${visible(name)}${weight === 1 ? '' : `, weight ${weight}`}`));
			writeCountsTable(
				writer,
				layouts.flatMap(({ name: layout, byTrace }) => (byTrace[i] === undefined ? [] : [{ name: layout, counts: byTrace[i].counts }])),
				1,
				terminal,
			);
		});
	}
	if (blocks !== null && blocks.leastColdBytes !== null) {
		writer.line(0, '');
		line(`The row ${visible(layouts.at(-1)?.name ?? '')} is about what the build with the list gives: jumps between`);
		line('parts are added by the compiler. Build it, and optimize again for that program');
		line('(--elf NEW --recorded-on THIS, the same traces), for pages that are exact.');
	}
	if (cold !== null && blocks === null) {
		writeColdCode(writer, cold, terminal);
	}
	if (traces.some(({ executedBytes }) => executedBytes === null)) {
		writer.line(0, '');
		line(terminal.paint('dim', 'Executed instructions as traces give better orders: docs/order.md says how to record them.'));
	}
}

function writeBlocks(line: (text: string) => void, { output, list, leastColdBytes, tried, refused }: NonNullable<MadeOrder['blocks']>): void {
	const { functions, sharedNames, untold } = list;
	const kept = functions.reduce((sum, one) => sum + one.keptBytes, 0);
	const cold = functions.reduce((sum, one) => sum + one.coldBytes, 0);
	if (leastColdBytes === null) {
		line(`${visible(output)}: an empty list; functions stay whole`);
		line(
			refused === tried
				? '  split functions are worse for a trace that is left out; more traces tell more'
				: '  what ran of the functions that ran is all of them',
		);
	} else {
		line(`${visible(output)}: ${thousands(functions.length)} functions split; ${thousands(kept)} bytes stay, ${thousands(cold)} are put apart`);
		if (refused > 0) {
			line(`  ${refused} of ${tried} ways to split were not taken: worse for a trace that is left out`);
		}
	}
	if (sharedNames.length > 0) {
		line(
			`  ${counted(sharedNames.length, 'function stays', 'functions stay')} whole: others have the name (${sharedNames
				.slice(0, 3)
				.map((name) => visible(name))
				.join(', ')}${sharedNames.length > 3 ? ', …' : ''})`,
		);
		line('  -funique-internal-linkage-names tells them apart');
	}
	if (untold > 0) {
		line(`  ${counted(untold, 'function has', 'functions have')} no blocks in the map: assembly, or of another compiler`);
	}
}

function counted(count: number, one: string, many: string): string {
	return `${thousands(count)} ${count === 1 ? one : many}`;
}
