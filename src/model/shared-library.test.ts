import { expect, test } from 'vitest';
import { isSharedLibrary, linkedName } from './shared-library.js';

test.each([
	['libz.so', true, 'z'],
	['libz.so.1.3', true, 'z'],
	['libtcl8.6.so', true, 'tcl8.6'],
	['lib.so', true, null],
	['plugin.so', true, null],
	['libz.a', false, null],
	['app.sort', false, null],
	['solib', false, null],
	['', false, null],
])('%s', (name, is, linked) => {
	expect([isSharedLibrary(name), linkedName(name)]).toEqual([is, linked]);
});
