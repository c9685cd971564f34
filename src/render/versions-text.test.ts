import { expect, test } from 'vitest';
import { versionsText } from './versions-text.js';

const versions = (count: number, classes = 1) =>
	Array.from({ length: count }, (_, i) => ({
		code: { compileId: `${i + 1}`, signature: '()V', ...(classes === 1 ? {} : { namesake: `class ${i % classes}` }) },
	}));

test('the first of many versions, and of how many methods they are', () => {
	expect(versionsText(versions(1))).toBe('');
	expect(versionsText(versions(3))).toBe('  c1 c2 c3');
	expect(versionsText(versions(6))).toBe('  c1 c2 c3 c4 c5 c6');
	expect(versionsText(versions(91, 90))).toBe('  c1 c2 c3 c4 c5 c6 and 85 more, of 90 methods');
});
