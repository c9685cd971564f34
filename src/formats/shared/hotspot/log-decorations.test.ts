import { expect, test } from 'vitest';
import { readLogDecorations } from './log-decorations.js';

test('stamps of all kinds', () => {
	expect(readLogDecorations('[0.123s][debug][jit,compilation]    1')).toEqual({
		uptimeMs: 123,
		clockNs: null,
		epochMs: null,
		threadId: null,
		tags: 'jit,compilation',
		message: '   1',
	});
	expect(readLogDecorations('[28638414ns] x')).toMatchObject({ uptimeMs: 28.638414, clockNs: null, tags: null, message: 'x' });
	expect(readLogDecorations('[15399025688609ns][149514396ns] x')).toMatchObject({ uptimeMs: 149.514396, clockNs: 15399025688609 });
	expect(readLogDecorations('[2026-11-21T02:31:00.123+0000][1,5s][1795214096503ms][31ms][host][77][78][info ][gc] x')).toMatchObject({
		uptimeMs: 31,
		epochMs: 1795214096503,
		threadId: 78,
		tags: 'gc',
	});
});

test('what has no decorations', () => {
	expect(readLogDecorations('x [0.1s]')).toBeNull();
	expect(readLogDecorations('[open')).toBeNull();
	expect(readLogDecorations('')).toBeNull();
	expect(readLogDecorations('[0.1s] [x] y')).toMatchObject({ message: '[x] y' });
});
