import os from 'node:os';
import { defineConfig } from 'vitest/config';
import { NATIVE_MODULES, nativeModules } from './test/native-modules.js';

// `--changed`, `related` and the watch follow imports from a test to the sources, which only Vitest's own modules tell.
const followsImports = !process.argv.includes('run') || process.argv.some((argument) => argument.startsWith('--changed'));

export default defineConfig({
	plugins: followsImports ? [] : [nativeModules()],
	test: {
		include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts'],
		globalSetup: ['test/fixtures.ts'],
		// They end what hangs, and measure nothing: a test may take a hundred times as long where many programs share the processor.
		testTimeout: 900_000,
		hookTimeout: 900_000,
		teardownTimeout: 900_000,
		// The files share a worker's modules. No test replaces a module, and what modules keep is only loaded code.
		isolate: false,
		// Larger room for young objects: the usual 16 MiB are collected so often that it takes a tenth of the processor time.
		execArgv: ['--enable-source-maps', '--max-semi-space-size=64'],
		server: { deps: { external: [NATIVE_MODULES] } },
		// Both cores of a small machine: the usual is one less than there are.
		maxWorkers: Math.max(2, os.availableParallelism() - 1),
	},
});
