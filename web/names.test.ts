import fc from 'fast-check';
import { expect, test } from 'vitest';
import { displayedName, parametersOf, shown, splitName, titleOf, titleOfLines } from './names.js';

test('the class may be cut, the name is whole; lambdas are told', () => {
	expect(splitName('traverseDoc file:///app/src/doc.mjs:186:21')).toEqual({ holder: 'doc.mjs:186:21\u00a0', name: 'traverseDoc' });
	expect(splitName('get size /app/a b.js:1:2')).toEqual({ holder: 'a b.js:1:2\u00a0', name: 'get size' });
	expect(splitName('emit node:events:465:44')).toEqual({ holder: 'node:events:465:44\u00a0', name: 'emit' });
	expect(splitName('java.util.HashMap.merge')).toEqual({ holder: 'j.u.HashMap.', name: 'merge' });
	expect(splitName('Words$$Lambda/0x0000000020040210.apply')).toEqual({ holder: 'Words.λ40210\u00a0', name: 'apply' });
	expect(splitName('Bias$$Lambda$100/0x00007f3da1009ac8.apply')).toEqual({ holder: 'Bias.λ100\u00a0', name: 'apply' });
	expect(splitName('a.b.Bias$$Lambda.apply')).toEqual({ holder: 'a.b.Bias.λ\u00a0', name: 'apply' });
	expect(splitName('java.lang.invoke.LambdaForm$MH/0x0000000054041000.invoke')).toEqual({ holder: 'j.l.i.LambdaForm$MH/…41000.', name: 'invoke' });
	expect(splitName('java.lang.invoke.LambdaForm$DMH+0x0000000054041400.newInvokeSpecial').holder).toBe('j.l.i.LambdaForm$DMH/…41400.');
	expect(splitName('compress/flate.(*compressor).findMatch')).toEqual({ holder: 'flate.(*compressor).', name: 'findMatch' });
	expect(splitName('github.com/a/b.c.f')).toEqual({ holder: 'b.c.', name: 'f' });
	expect(splitName('unlink_chunk.constprop.0')).toEqual({ holder: '', name: 'unlink_chunk.constprop.0' });
	expect(splitName('cfree@GLIBC_2.2.5')).toEqual({ holder: '', name: 'cfree@GLIBC_2.2.5' });
	expect(splitName('liblzma.so.5.4.1@0x15990')).toEqual({ holder: '', name: 'liblzma.so.5.4.1@0x15990' });
	expect(splitName('github.com/a/b.Run.func1.2')).toEqual({ holder: 'b.Run.', name: 'func1.2' });
	expect(displayedName('Words$$Lambda/0x0000000020040210.apply')).toBe('Words.λ40210 apply');
	expect(splitName('(libc.so.6`futex_wait.part.0)')).toEqual({ holder: '', name: '(libc.so.6`futex_wait.part.0)' });
	expect(splitName('main')).toEqual({ holder: '', name: 'main' });
	expect(parametersOf('(Ljava/lang/Object;[I[[Ljava/util/Map$Entry;J)V')).toBe('(Object, int[], Entry[][], long)');
	expect(parametersOf('(Object, int)')).toBe('(Object, int)');
	expect(parametersOf(null)).toBe('');
});

test('any name is short and has no character that moves others', () => {
	const dangerous = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
	fc.assert(
		fc.property(fc.string({ unit: 'binary', maxLength: 4000 }), (name) => {
			for (const text of [shown(name), titleOf(name), splitName(name).holder, splitName(name).name, parametersOf(name)]) {
				expect(text).not.toMatch(dangerous);
				expect(text.length).toBeLessThan(13_000);
			}
			expect(shown(name).length).toBeLessThan(1600);
		}),
	);
	expect(shown('x'.repeat(1_000_000)).length).toBeLessThan(300);
});

test('tooltips of several lines break where they should, and nowhere else', () => {
	expect(titleOfLines(['a.B.f', '12.00 % seen'])).toBe('a.B.f\n12.00 % seen');
	expect(titleOfLines(['evil\nname'])).not.toContain('\n');
	expect(
		titleOfLines(Array.from({ length: 50 }, (_, i) => `line ${i}`))
			.split('\n')
			.at(-1),
	).toBe('… 10 more');
});
