/** What of an order does not do what its author thinks. */
import { describe, expect, test } from 'vitest';
import { handLayout } from '../../test/text-layout.js';
import { type LintOptions, lintOrder } from './lint-order.js';
import { layTrace } from './trace-on-layout.js';

const LAYOUT = handLayout(
	0,
	[
		{ name: 'main', size: 100 },
		{ name: 'helper.part.0', size: 10 },
		{ name: 'twin', size: 5, file: 'a.c' },
		{ name: 'twin', size: 5, file: 'b.c' },
		{ name: 'folded', size: 20, aliases: ['same', 'same2'] },
		{ name: '_ZN1AC1Ev', size: 20, aliases: ['_ZN1AC2Ev'] },
		{ name: '_start', size: 4 },
		{ name: 'deregister_tm_clones', size: 4, sharesSection: true },
		{ name: 'x', size: 4 },
		{ name: 'y', size: 4, sharesSection: true },
		{ name: 'static', size: 4 },
		{ name: '_under', size: 4 },
		{ name: 'bare', size: 4 },
	],
	{
		elsewhere: [
			{ name: '_init', section: '.init' },
			{ name: 'lost', section: null },
		],
	},
);
const NOTHING: LintOptions = { debugNames: null, repeated: [], traces: [], leastCoverage: null };

const lint = (order: readonly string[], more: Partial<LintOptions> = {}) => lintOrder(LAYOUT, order, { ...NOTHING, ...more });
const findings = (...order: readonly string[]) => lint(order).findings.map(({ kind, symbol, message }) => [kind, symbol, message]);

test('three names are shown, of more how many there are', () => {
	const names = (count: number) => {
		const layout = handLayout(
			0,
			Array.from({ length: count }, (_, i) => ({ name: i === 0 ? 'f' : `g${i}`, size: 4, sharesSection: i > 0 })),
		);
		return lintOrder(layout, ['f'], NOTHING).findings.map(({ message }) => message.replace(/: .*/, ''));
	};
	expect([names(1), names(4), names(5)]).toEqual([[], ['lies in one section with g1, g2, g3'], ['lies in one section with g1, g2, g3 and 1 more']]);
});

test.each(['part.0', 'isra.1', 'constprop.2', 'cold', 'llvm.99', 'lto_priv.0', 'resume', 'destroy', 'cleanup', '__uniq.5', '7'])(
	'f.%s is a part or a copy of f',
	(part) => {
		const kind = (name: string, symbol: string) => lintOrder(handLayout(0, [{ name, size: 4 }]), [symbol], NOTHING).findings.map(({ message }) => message);
		expect(kind(`f.${part}`, 'f')).toEqual([`there is no such function; similar: f.${part}`]);
		expect(kind('f', `f.${part}`)).toEqual(['there is no such function; similar: f']);
		expect(kind(`f${part}`, 'f')).toEqual(['there is no such function']);
	},
);

test('nothing is wrong with plain functions', () => {
	expect(lint(['main', 'bare'])).toEqual({ symbols: 2, found: 2, hasDebugNames: false, sections: 2, coverage: [], findings: [] });
	expect(lint([], { debugNames: new Set() }).hasDebugNames).toBe(true);
});

describe('names that are not there', () => {
	test('but look like others', () => {
		expect(findings('helper')).toEqual([['missing', 'helper', 'there is no such function; similar: helper.part.0']]);
		expect(findings('main.cold')).toEqual([['missing', 'main.cold', 'there is no such function; similar: main']]);
		expect(findings('_main')).toEqual([['missing', '_main', 'there is no such function; similar: main']]);
		expect(findings('under')).toEqual([['missing', 'under', 'there is no such function; similar: _under']]);
		expect(findings('file.c;static')).toEqual([['missing', 'file.c;static', 'the linker knows no "file;name": list static']]);
		expect(findings('file.c;other', ';static')).toEqual([
			['missing', 'file.c;other', 'there is no such function'],
			['missing', ';static', 'there is no such function'],
		]);
	});

	test('of other sections, inlined, or unknown', () => {
		expect(findings('_init', 'lost')).toEqual([
			['outside-text', '_init', 'lies in .init: the order of .text does not move it'],
			['outside-text', 'lost', 'lies in another section than .text: the order of .text does not move it'],
		]);
		expect(lint(['gone', 'never'], { debugNames: new Set(['gone']) }).findings.map(({ kind }) => kind)).toEqual(['inlined', 'missing']);
	});

	test('at most ten variants of a name, three are shown', () => {
		const many = handLayout(
			0,
			Array.from({ length: 12 }, (_, i) => ({ name: `f.isra.${i}`, size: 1 })),
		);
		expect(lintOrder(many, ['f'], NOTHING).findings[0]!.message).toBe('there is no such function; similar: f.isra.0, f.isra.1, f.isra.2 and 7 more');
	});
});

describe('names that move more than themselves', () => {
	test('of several functions, with their files', () => {
		expect(findings('twin')).toEqual([['ambiguous', 'twin', '2 functions have this name (a.c, b.c): the linker puts all of them here']]);
		const unknown = handLayout(0, [
			{ name: 'twin', size: 1 },
			{ name: 'twin', size: 1 },
		]);
		expect(lintOrder(unknown, ['twin'], NOTHING).findings[0]!.message).toBe('2 functions have this name: the linker puts all of them here');
	});

	test('folded code; constructors have two names by design', () => {
		expect(findings('same')).toEqual([['folded', 'same', 'is the same code as folded, same2: folded, or an alias']]);
		expect(findings('folded', 'same2').map(([, symbol, message]) => [symbol, message])).toEqual([
			['folded', 'is the same code as same, same2, which is listed too: the first place counts'],
			['same2', 'is the same code as folded, same, which is listed too: the first place counts'],
		]);
		expect(findings('_ZN1AC1Ev')).toEqual([]);
		const other = handLayout(0, [
			{ name: '_ZN1AC1Ev', size: 1, aliases: ['_ZN1BC1Ev'] },
			{ name: 'xC1E', size: 1, aliases: ['xC2E'] },
		]);
		expect(lintOrder(other, ['_ZN1AC1Ev', 'xC1E'], NOTHING).findings.map(({ kind }) => kind)).toEqual(['folded', 'folded']);
	});

	test('sections of several functions, start-up code aside', () => {
		expect(findings('y')).toEqual([['shared-section', 'y', 'lies in one section with x: they move together; compile with -ffunction-sections']]);
		expect(findings('_start')).toEqual([]);
	});
});

test('what is listed again', () => {
	expect(lint(['main'], { repeated: [{ name: 'main', line: 7 }] }).findings).toEqual([
		{ kind: 'repeated', symbol: 'main', message: 'is listed again in line 7: the first place counts' },
	]);
});

describe('coverage', () => {
	const instructions = (...bytes: readonly (readonly [number, number])[]) =>
		layTrace(
			{
				name: 'run',
				weight: 1,
				functions: null,
				instructions: { addresses: Float64Array.from(bytes, ([a]) => a), sizes: Uint8Array.from(bytes, ([, s]) => s) },
			},
			LAYOUT,
		);
	const functions = (...symbols: readonly string[]) =>
		layTrace({ name: 'calls', weight: 1, instructions: null, functions: symbols.map((symbol) => ({ symbol, address: null, module: null })) }, LAYOUT);

	test('of bytes where they are known, else of functions', () => {
		const traces = [instructions([0, 6], [102, 2]), functions('main', 'x', 'y', 'bare')];
		expect(lint(['main', 'x'], { traces }).coverage).toEqual([
			{ trace: 'run', functions: 2, listedFunctions: 1, executedBytes: 8, listedBytes: 6, share: 0.75, isOfBytes: true },
			// y lies in the section of x.
			{ trace: 'calls', functions: 4, listedFunctions: 3, executedBytes: null, listedBytes: null, share: 0.75, isOfBytes: false },
		]);
		expect(lint([], { traces: [functions(), instructions()] }).coverage.map(({ share }) => share)).toEqual([0, 0]);
	});

	test('less than what is wanted is a finding, as much is none', () => {
		const wanted = (leastCoverage: number) => lint(['main'], { traces: [instructions([0, 6], [102, 2]), functions('main')], leastCoverage }).findings;
		expect(wanted(0.75)).toEqual([]);
		expect(wanted(0.751)).toEqual([{ kind: 'coverage', symbol: null, message: '75.0 % of the executed bytes of run are listed, less than 75.1 %' }]);
		expect(lint([], { traces: [functions('main')], leastCoverage: 0.5 }).findings[0]!.message).toBe(
			'0.0 % of the functions of calls are listed, less than 50.0 %',
		);
	});
});
