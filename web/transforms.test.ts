import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTransforms, parseTransforms, TRANSFORMS, type TransformKind, transformed, transformedFrames } from './transforms.js';

const apply = (text: string, ...transforms: readonly (readonly [TransformKind, string])[]): string | null =>
	transformedFrames(
		[...text],
		transforms.map(([kind, name]) => ({ kind, name })),
	)?.join('') ?? null;

test('focus keeps what is below, drop what is not inside, merge leaves a frame out, recursion ends at its innermost call', () => {
	expect(apply('abcb', ['focus', 'b'])).toBe('bcb');
	expect(apply('acd', ['focus', 'b'])).toBeNull();
	expect(apply('abc', ['drop', 'b'])).toBeNull();
	expect(apply('abcb', ['merge', 'b'])).toBe('ac');
	expect(apply('abcbcbd', ['recursion', 'b'])).toBe('abd');
	// In their order.
	expect(apply('abc', ['merge', 'b'], ['focus', 'b'])).toBeNull();
	expect(apply('abc', ['focus', 'b'], ['merge', 'b'])).toBe('c');
});

test('no sample is counted twice, and what no transform names stays', () => {
	const stack = fc.record({ frames: fc.array(fc.constantFrom('a', 'b', 'c', 'd')), seen: fc.nat() });
	const transform = fc.record({ kind: fc.constantFrom(...TRANSFORMS), name: fc.constantFrom('a', 'b') });
	fc.assert(
		fc.property(fc.array(stack), fc.array(transform, { maxLength: 3 }), (stacks, transforms) => {
			const result = transformed(stacks, transforms);
			expect(result.length).toBeLessThanOrEqual(stacks.length);
			const kept = transforms.every(({ kind }) => kind === 'merge' || kind === 'recursion');
			if (kept) {
				expect(result.reduce((sum, { seen }) => sum + seen, 0)).toBe(stacks.reduce((sum, { seen }) => sum + seen, 0));
			}
			expect(parseTransforms(formatTransforms(transforms))).toEqual(transforms);
		}),
	);
	for (const text of [undefined, '', 'focus:', 'x:y', '<script>']) {
		expect(parseTransforms(text)).toEqual([]);
	}
});
