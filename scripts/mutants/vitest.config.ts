/** Which tests run on a mutant, in Stryker's copy of the project. The patterns come from scripts/mutants.js. */
import path from 'node:path';
import { defineConfig } from 'vitest/config';

const here = import.meta.dirname;
const patterns: string[] = JSON.parse(process.env.ASSAY_MUTANTS_TESTS ?? '[]');

export default defineConfig({
	test: {
		include: patterns.filter((pattern) => !pattern.startsWith('!')),
		exclude: patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1)),
		globalSetup: process.env.ASSAY_MUTANTS_GRAAL === '1' ? ['test/fixtures.ts'] : [],
		setupFiles: [path.join(here, 'few-examples.js')],
		testTimeout: 120_000,
		isolate: false,
	},
});
