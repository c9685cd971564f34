import { defineConfig } from 'vitest/config';

export default defineConfig({
	test: {
		root: `${import.meta.dirname}/..`,
		include: ['live/**/*.test.ts'],
		testTimeout: 300_000,
		hookTimeout: 300_000,
		fileParallelism: false,
	},
});
