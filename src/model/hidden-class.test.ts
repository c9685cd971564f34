import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutHiddenAddress } from './hidden-class.js';

test.each([
	['Mix$$Lambda$12/0x0000000800c03000.apply', 'Mix$$Lambda.apply'],
	['app.Mix$$Lambda$13/0x0000000800c04200.apply', 'app.Mix$$Lambda.apply'],
	['app.Mix$$Lambda/0x00007f6cac00a210.test(int)', 'app.Mix$$Lambda.test(int)'],
	['app.Mix$$Lambda/0x00007f6cac00a210::test', 'app.Mix$$Lambda::test'],
	['app.Mix$$Lambda$13.0x0000000800c04200.apply', 'app.Mix$$Lambda.apply'],
	['app.Mix$$Lambda$13+0x0000000800c04200.apply', 'app.Mix$$Lambda.apply'],
	['app.Mix$$Lambda$13.0x0000000800C04200/1234567890.apply', 'app.Mix$$Lambda.apply'],
	['app.Mix$$Lambda$13+0x0000000800c04200/-17', 'app.Mix$$Lambda'],
	['java.lang.invoke.LambdaForm$MH/0x00007f6cac00c800.invoke', 'java.lang.invoke.LambdaForm$MH.invoke'],
	['java.lang.invoke.LambdaForm$DMH/0x00007f6cac00c800', 'java.lang.invoke.LambdaForm$DMH'],
	['app.Mix$$Lambda$14/1234567890.apply', 'app.Mix$$Lambda.apply'],
	['app.Mix$$Lambda$14.1234567890.apply', 'app.Mix$$Lambda.apply'],
	['app.Mix$$Lambda$14.apply', 'app.Mix$$Lambda.apply'],
	['app.Mix$$Lambda$14', 'app.Mix$$Lambda'],
	['java.lang.invoke.LambdaForm$MH/1418481495.linkToTargetMethod(Object)', 'java.lang.invoke.LambdaForm$MH.linkToTargetMethod(Object)'],
	['A$$Lambda$1/0x0000000800c03000.f(A$$Lambda$2/0x0000000800c03200)', 'A$$Lambda.f(A$$Lambda)'],
	['app.Proxy/0x00007f6cac00c800.run', 'app.Proxy.run'],
])('%s', (name, stable) => {
	expect(withoutHiddenAddress(name)).toBe(stable);
});

test.each([
	'',
	'java.util.HashMap.get',
	'app.Mix$1.run',
	'app.Mix.lambda$main$0',
	'app.Mix$Inner$12.run',
	'app.Mix$$Lambda.apply',
	// Of an image: a digest of what the lambda is, the same in each.
	'app.Mix$$Lambda$7ad16f47b695d909.apply',
	'java.lang.invoke.LambdaForm$1.run',
	'java.lang.invoke.LambdaForm$Name.index',
	'(do_syscall_64+0x1f)',
	'(foo.isra.0)',
	'(foo.llvm.1234567890)',
])('%s stays as it is', (name) => {
	expect(withoutHiddenAddress(name)).toBe(name);
});

test('any name: taken away once, nothing more is found', () => {
	const piece = fc.constantFrom(
		'app.',
		'Mix',
		'$$Lambda',
		'$12',
		'/',
		'.',
		'+',
		'0x0000000800c03000',
		'1234567890',
		'-17',
		'LambdaForm$MH',
		'.apply',
		'(int)',
		'$',
	);
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
			const once = withoutHiddenAddress(pieces.join(''));
			expect(once.length).toBeLessThanOrEqual(pieces.join('').length);
			expect(once).not.toMatch(/\$\$Lambda(?:\$\d+)?[/.+]0x[0-9a-f]{6,}/);
		}),
	);
});
