import os from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
	test: {
		include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts'],
		globalSetup: ['test/fixtures.ts'],
		testTimeout: 120_000,
		// Both cores of a small machine: the usual is one less than there are.
		maxWorkers: Math.max(2, os.availableParallelism() - 1),
	},
});
