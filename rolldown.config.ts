import { defineConfig } from 'rolldown';

// The command line and the library share their chunks; a command's own code is a chunk that is loaded when it runs.
export default defineConfig({
	input: { cli: 'src/cli/entry.ts', index: 'src/index.ts' },
	platform: 'node',
	external: [/^node:/],
	output: { dir: 'dist', format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js', minify: { compress: true, mangle: false, codegen: false } },
});
