import { expect, test } from 'vitest';
import { type MappedLibrary, SymbolRanges } from '../model/native-symbols.js';
import { nativeNames } from './native-calls.js';

test('an address is named by its offset in the file that is mapped there', () => {
	const asked: MappedLibrary[] = [];
	const nameOf = nativeNames([{ start: 0x7f0000200000, end: 0x7f0000300000, fileOffset: 0x1000, path: '/lib/libjvm.so', inode: 77 }], {
		symbolsOf(library) {
			asked.push(library);
			return new SymbolRanges([{ start: 0x1040, end: 0x1080, name: 'SharedRuntime::f' }]);
		},
	});
	expect(nameOf(0x7f0000200040)).toBe('SharedRuntime::f');
	expect(nameOf(0x7f0000200080)).toBeNull();
	expect(asked[0]).toEqual({ name: '/lib/libjvm.so', buildId: null, inode: 77, kernelText: null });
	expect(nameOf(0x7f0000300000)).toBeNull();
	expect(asked).toHaveLength(1);
});
