import { defineConfig } from 'vitest/config';

/** Compilers and linkers, and nothing that is timed or sampled: two of these run at once. */
const TOOLCHAIN = ['cc', 'decode', 'instrument', 'link-maps', 'macho', 'report'].map((name) => `live/order-${name}.test.ts`);

export default defineConfig({
	test: {
		root: `${import.meta.dirname}/..`,
		testTimeout: 300_000,
		hookTimeout: 300_000,
		projects: [
			{ extends: true, test: { name: 'toolchain', include: TOOLCHAIN, maxWorkers: 2, sequence: { groupOrder: 0 } } },
			{ extends: true, test: { name: 'alone', include: ['live/**/*.test.ts'], exclude: TOOLCHAIN, maxWorkers: 1, sequence: { groupOrder: 1 } } },
		],
	},
});
