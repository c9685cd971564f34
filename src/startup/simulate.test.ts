/** Layouts of sqlite that lld linked, and the pages counted in them: predicted from one of them and the order files alone. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource, type Source } from '../bytes/source.js';
import { readInstructionList } from '../formats/executed-instructions/read.js';
import { readFunctionList } from '../formats/function-list/read.js';
import { readLldMap } from '../formats/lld-map/read.js';
import { readNmListing } from '../formats/nm-listing/read.js';
import { readSymbolOrder } from '../formats/order-file/read.js';
import { readReadelfListing } from '../formats/readelf-listing/read.js';
import { readElfSymbols } from '../formats/shared/elf/read-symbols.js';
import type { ExecutionTrace } from '../model/executed-code.js';
import { functionStarts } from './function-starts.js';
import { inferLayout } from './infer-layout.js';
import { placeOrder } from './place-order.js';
import { simulate } from './simulate.js';

const fixtures = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'orderfile');
const workloads = ['startup', 'workload_a', 'workload_b'];

function open(name: string): Source {
	const bytes = fs.readFileSync(path.join(fixtures, name));
	return memorySource(name, name.endsWith('.gz') ? gunzipSync(bytes) : bytes);
}

const rows = fs
	.readFileSync(path.join(fixtures, 'pages', 'sqlite_layouts.tsv'), 'utf8')
	.split('\n')
	.filter((line) => line !== '' && !line.startsWith('#'))
	.slice(1)
	.map((line) => line.split('\t'));
const traces: ExecutionTrace[] = workloads.map((name) => ({
	name,
	weight: 1,
	instructions: readInstructionList(open(`groundtruth/${name}.exec_insns.txt.gz`)).instructions,
	functions: null,
}));
const orderNames = fs
	.readdirSync(path.join(fixtures, 'orders'))
	.map((name) => name.replace('.txt', ''))
	.filter((name) => rows.some(([layout]) => layout === name));
const orders = orderNames.map((name) => ({ name, symbols: readSymbolOrder(open(`orders/${name}.txt`)).order.names }));
const linked = fs.readdirSync(path.join(fixtures, 'symtab')).filter((name) => name.endsWith('.nm.txt.gz'));
const base = inferLayout(readNmListing(open('symtab/base.nm.txt.gz')).table, 'base');

function recorded(layout: string): string[] {
	return workloads.map(
		(workload) =>
			rows
				.find(([name, of]) => name === layout && of === workload)
				?.slice(2)
				.join(' ') ?? '',
	);
}

describe.each([
	['nm', () => readNmListing(open('symtab/base.nm.txt.gz')).table],
	['readelf', () => readReadelfListing(open('symtab/base.readelf.txt.gz')).table],
	['ELF', () => readElfSymbols(open('bin/sqlite_base.elf.gz')).table],
	['link map', () => readLldMap(open('symtab/base.lld-map.txt.gz')).table],
])('from %s', (_kind, table) => {
	test('every order file gives the counts of the program that was linked with it', () => {
		const layout = inferLayout(table(), 'base');
		const { layouts } = simulate([layout], orders, traces, layout);
		expect(orders).toHaveLength(14);
		const counted = layouts.map(({ byTrace }) =>
			byTrace.map(({ counts }) =>
				[counts.textPages, counts.entryPages, counts.execPages, counts.wholeFunctionPages, counts.windows64k, counts.areaUnderCurve].join(' '),
			),
		);
		expect(counted).toEqual(['base', ...orderNames].map(recorded));
	});
});

test.each(linked)('%s, with the traces of base carried over by symbol', (file) => {
	const name = file.split('.')[0]!;
	const layout = inferLayout(readNmListing(open(`symtab/${file}`)).table, name);
	const [result] = simulate([layout], [], traces, base).layouts;
	expect(result?.byTrace.map(({ lost }) => lost)).toEqual([0, 0, 0]);
	expect(
		result?.byTrace.map(({ counts }) =>
			[counts.textPages, counts.entryPages, counts.execPages, counts.wholeFunctionPages, counts.windows64k, counts.areaUnderCurve].join(' '),
		),
	).toEqual(recorded(name));
});

test.each(orderNames.filter((name) => linked.includes(`${name}.nm.txt.gz`)))('%s: every address is that of the linked program', (name) => {
	const placed = placeOrder(base, orders.find((order) => order.name === name)?.symbols ?? [], name);
	const real = inferLayout(readNmListing(open(`symtab/${name}.nm.txt.gz`)).table, name);
	const addresses = (layout: typeof base): Record<string, number> => {
		const starts = functionStarts(layout);
		return Object.fromEntries(layout.symbolNames.map((symbol, i) => [symbol, starts[layout.symbolFunctions[i]!]!]));
	};
	expect(addresses(placed)).toEqual(addresses(real));
});

test('first executions give what does not need instructions', () => {
	const lists = workloads.map((name) => ({ name, weight: 1, instructions: null, functions: readFunctionList(open(`groundtruth/${name}.firstexec.txt`)).rows }));
	const { layouts, traces: summaries } = simulate([base], orders, lists, base);
	expect(summaries.map(({ unplaced, ambiguous, executedBytes }) => [unplaced, ambiguous, executedBytes])).toEqual(workloads.map(() => [2, 0, null]));
	const counted = layouts.map(({ byTrace }) =>
		byTrace.map(({ counts }) => [counts.textPages, counts.entryPages, counts.wholeFunctionPages, counts.areaUnderCurve].join(' ')),
	);
	const columns = (row: string): string =>
		row
			.split(' ')
			.filter((_value, i) => i !== 2 && i !== 4)
			.join(' ');
	expect(counted).toEqual(['base', ...orderNames].map((name) => recorded(name).map(columns)));
});
