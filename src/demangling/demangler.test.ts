import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDemangler } from './demangler.js';

test.each<[string, string | null]>([
	['_ZN3foo3barEi', 'foo::bar(int)'],
	['_ZN12_GLOBAL__N_14LateC2EPKc', '(anonymous namespace)::Late::Late(char const*)'],
	['_ZN1r4main17h086b0cfd890a8ea9E', 'r::main'],
	['_RNvCs1234_7mycrate3foo', 'mycrate::foo'],
	['main', null],
	['_start', null],
	['_Z', null],
	['_Zwhat is this', null],
	['', null],
])('%s', async (symbol, meaning) => {
	expect((await openDemangler())(symbol)).toBe(meaning);
});

test('names made up to break it do not, and it works afterwards', async () => {
	const demangle = await openDemangler();
	for (const symbol of [
		`_Z1f${'P'.repeat(19_000)}v`,
		`_Z${'N'.repeat(19_000)}`,
		`_ZN${'1a'.repeat(9_000)}E`,
		`_ZN1AI${'1AI'.repeat(5_000)}`,
		`_Z1fi${'\ud800'}`,
	]) {
		demangle(symbol);
	}
	fc.assert(
		fc.property(fc.string(), (rest) => {
			demangle(`_ZN${rest}`);
			demangle(`_R${rest}`);
		}),
	);
	expect(demangle('_ZN3foo3barEi')).toBe('foo::bar(int)');
});
