import { expect } from 'vitest';

const isMutationTest = process.env.ASSAY_MUTANTS_TESTS !== undefined;

/**
 * Made when a test first asks, and kept: what runs while a file of tests is loaded belongs to no test, and mutation tests do not count it. There each
 * test makes its own: a mutant is shown only to the tests that reached its place.
 */
export function once<T>(make: () => T): () => T {
	let made: { readonly value: T; readonly test: string | undefined } | null = null;
	return () => {
		const test = isMutationTest ? expect.getState().currentTestName : undefined;
		if (made === null || made.test !== test) {
			made = { value: make(), test };
		}
		return made.value;
	};
}
