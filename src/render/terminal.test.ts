import { expect, test } from 'vitest';
import { shortenMethod } from './terminal.js';

test.each([
	[40, 'compress/flate.(*compressor).findMatch', 'compress/flate.(*compressor).findMatch'],
	[36, 'compress/flate.(*compressor).findMatch', '…/flate.(*compressor).findMatch'],
	[36, 'github.com/user/project/inner.(*T).Method', '…/inner.(*T).Method'],
	[30, 'compress/flate.(*compressor).findMatch', '(*compressor).findMatch'],
	[30, 'a.com/b/core.(*Store[go.shape.*a.com/b/ast.Symbol,go.shape.d6cb[2]]).Get', 'a.com/b/core.(*Store[…]).Get'],
	[24, 'a.com/b/core.(*Store[go.shape.*a.com/b/ast.Symbol,go.shape.d6cb[2]]).Get', '…/core.(*Store[…]).Get'],
	[80, 'core.(*Store[go.shape.*a.com/b/ast.Symbol]).Get', 'core.(*Store[go.shape.*a.com/b/ast.Symbol]).Get'],
	[30, 'encoding/json.checkValidAndMore.func1', '…/json.checkValidAndMore.func1'],
	// A hidden class of Java is called by its address.
	[22, 'a.b.c.Some/0x0000000800c3.run', 'Some/0x…00000800c3.run'],
	[30, 'java.util.concurrent.locks.ReentrantLock.lock(java.lang.Object)', 'java.…ReentrantLock.lock(…)'],
])('in %d columns %s is %s', (width, name, short) => {
	expect(shortenMethod(name, width)).toBe(short);
});

test('dots behind names of native functions part nothing', () => {
	expect(shortenMethod('unlink_chunk.constprop.0', 20)).toBe('unlink…k.constprop.0');
	expect(shortenMethod('liblzma.so.5.4.1@0x15990', 18)).toBe('liblz….4.1@0x15990');
});
