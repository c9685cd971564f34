/**
 * Property tests draw the same examples for every mutant, so that a score can be had again, and a tenth of them: with all mutants built in, the
 * code is many times slower, and a mutant that survives runs every test that reaches it.
 */
import { vi } from 'vitest';

const PART = 10;
const USUAL_RUNS = 100;

vi.mock('fast-check', async (importOriginal) => {
	const { default: fc, ...named } = await importOriginal();
	const assert = (property, parameters) => fc.assert(property, { ...parameters, seed: 1, numRuns: Math.ceil((parameters?.numRuns ?? USUAL_RUNS) / PART) });
	return { ...named, default: { ...fc, assert } };
});
