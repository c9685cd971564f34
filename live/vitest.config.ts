import { defineConfig } from 'vitest/config';

export default defineConfig({
	test: {
		root: `${import.meta.dirname}/..`,
		include: ['live/**/*.test.ts'],
		testTimeout: 300_000,
		hookTimeout: 300_000,
		fileParallelism: false,
		// JVMs, perf and the kernel do not do the same in each run: what fails is run once more, and the report says so (`retry x1`).
		retry: 1,
	},
});
