import { defineConfig } from 'vitest/config';

export default defineConfig({
	test: { include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts'], globalSetup: ['test/fixtures.ts'], testTimeout: 120_000 },
});
