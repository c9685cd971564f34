import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tellFormats } from '../recording/tell-format.js';
import { FORMATS } from './registry.js';
import { isPageFaultScript } from './startup-marks.js';

const root = path.resolve(import.meta.dirname, '../..');

function head(file: string): string {
	const bytes = fs.readFileSync(path.join(root, file));
	return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).subarray(0, 1 << 20).toString('latin1');
}

const OF_START_UP = ['program', 'orderTraces', 'instructionList', 'orderMap', 'functionList', 'orderBuffer', 'faultScript'];

/** What the file is looked into for, as far as it is of a native program's start-up. */
function kindOf(text: string): string | null {
	const kinds = tellFormats(FORMATS, 'file', text, null).formats.flatMap((format) => format.kinds);
	return kinds.find((kind) => OF_START_UP.includes(kind)) ?? null;
}

test.each([
	['fixtures/orderfile/bin/sqlite_base.elf.gz', 'program'],
	['fixtures/orderfile/symtab/base.nm.txt.gz', 'program'],
	['fixtures/orderfile/symtab/base.readelf.txt.gz', 'program'],
	['fixtures/orderfile/symtab/base.lld-map.txt.gz', 'program'],
	['fixtures/orderfile/temporal/startup.profraw.gz', 'orderTraces'],
	['fixtures/orderfile/temporal/all3.profdata.gz', 'orderTraces'],
	['fixtures/orderfile/temporal/all3.traces.txt.gz', 'orderTraces'],
	['fixtures/orderfile/groundtruth/startup.exec_insns.txt.gz', 'instructionList'],
	['fixtures/orderfile/orderfile/sqlite_order19.map.gz', 'orderMap'],
	['fixtures/orderfile/orderfile/startup.profraw.order.gz', 'orderBuffer'],
	['fixtures/orderfile/perf/base.startup.page-faults.perf-script.txt.gz', 'faultScript'],
	['fixtures/orderfile/groundtruth/startup.firstexec.txt', 'functionList'],
	['fixtures/orderfile/orders/firstexec_startup.txt', 'functionList'],
	['fixtures/orderfile/pages/sqlite_layouts.tsv', null],
	['fixtures/orderfile/src/firstexec.c', null],
	['README.md', null],
	['package.json', null],
	['docs/page.jpg', null],
])('%s is %s', (file, kind) => {
	expect(kindOf(head(file))).toBe(kind);
});

test('object files and cores are no programs; columns of small numbers no instructions', () => {
	const elf = (type: number): string => `\u007fELF\u0002\u0001\u0001${'\0'.repeat(9)}${String.fromCharCode(type)}\0`;
	expect([1, 2, 3, 4].map((type) => kindOf(elf(type)))).toEqual([null, 'program', 'program', null]);
	expect(kindOf('1 2\n'.repeat(50))).toBeNull();
	expect(kindOf('401000 99\n'.repeat(50))).toBeNull();
	expect(kindOf('401000 4\n'.repeat(50))).toBe('instructionList');
});

test('samples of cycles are no page faults', () => {
	expect(isPageFaultScript(' java 1/2 1.5: cycles: 7f00 f (/a)\n app 1/2 1.5: page-faults: 7f00 f (/a)\n')).toBe(false);
});

test('any beginning of a file is looked at without an error', () => {
	const real = ['fixtures/orderfile/symtab/base.nm.txt.gz', 'fixtures/orderfile/temporal/startup.profraw.gz', 'fixtures/orderfile/bin/sqlite_base.elf.gz'].map(
		head,
	);
	const part = fc.record({ text: fc.constantFrom(...real), length: fc.nat(4096) }).map(({ text, length }) => text.slice(0, length));
	fc.assert(
		fc.property(fc.oneof(fc.string(), part), (text) => {
			kindOf(text);
			isPageFaultScript(text);
		}),
	);
});

const rowsOf = (kind: string) => FORMATS.filter(({ kinds }) => (kinds as readonly string[]).includes(kind));

test('empty logs of safepoints are told by their names', () => {
	const named = rowsOf('safepoints').flatMap(({ isNamed }) => (isNamed === undefined ? [] : [isNamed]));
	expect(named).toHaveLength(1);
	for (const [name, content, is] of [
		['safepoint.log', '', true],
		['safepoint-12.log', '', true],
		['safepoint-pid12.log', '', true],
		['safepoint.log', 'x', false],
		['xsafepoint.log', '', false],
		['safepoint.log.gz', '', false],
		['safepoint-x.log', '', false],
	] as const) {
		expect(named[0]?.(name, content), name).toBe(is);
	}
});

test('notes of a recording, and of runs of JMH', () => {
	const rows = rowsOf('manifest');
	const tell = (text: string): string[] => rows.filter(({ is }) => is(text)).map(({ name }) => name);
	expect(tell('{"assayRecording":1}')).toEqual(['manifest', 'other']);
	expect(tell('{"skipMs":1,"lenMs":2}')).toEqual(['other']);
	expect(tell('"assayRecording"')).toEqual([]);
	expect(rows.map(({ isNamed }) => isNamed?.('assay-recording.json', '') ?? null)).toEqual([true, null]);
	expect(rows[0]?.isNamed?.('other.json', '{}')).toBe(false);
});

test('any text but JSON may hold statistics of memory', () => {
	const anywhere = FORMATS.filter(({ place }) => place === 'anywhere');
	const tell = (text: string): boolean[] => anywhere.map(({ is }) => is(text));
	expect([tell('any text {'), tell(' \n{"a": 1}'), tell('a\0b'), tell('')]).toEqual([[true], [false], [false], [true]]);
});

test('each of the tables and maps is told by its own row', () => {
	const map = 'MD5 db956436e78dd5fa main\n';
	expect(rowsOf('orderMap').map(({ is }) => is(map))).toEqual([true]);
	expect(rowsOf('orderMap').map(({ is }) => is('main\n'))).toEqual([false]);
	const listing = rowsOf('program').filter(({ place }) => place === 'text');
	expect(listing.map(({ is }) => [is('0000000000401000 T main\n'), is('Section Headers:\n'), is('main\n')])).toEqual([[true, true, false]]);
});
