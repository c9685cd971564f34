/** One script and one style sheet: both are put into the page itself. */
import { defineConfig } from 'vite';

export default defineConfig({
	root: import.meta.dirname,
	logLevel: 'warn',
	oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
	build: {
		outDir: '../dist/web',
		emptyOutDir: true,
		target: ['chrome120', 'firefox115', 'safari17'],
		modulePreload: false,
		assetsInlineLimit: 0,
		cssCodeSplit: false,
		rolldownOptions: {
			input: 'main.tsx',
			output: { format: 'es', entryFileNames: 'page.js', assetFileNames: 'page[extname]' },
		},
	},
});
