/** Writes docs/commands.md from the descriptions of the commands. A test fails where the file is another one. */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const root = path.resolve(import.meta.dirname, '..');
// Below node_modules: packages that are not bundled are found from there.
const folder = fs.mkdtempSync(path.join(root, 'node_modules', '.commands-page-'));
try {
	await build({
		cwd: root,
		input: { page: 'src/cli/commands-page.ts' },
		platform: 'node',
		logLevel: 'warn',
		external: [/^node:/, /capstone-js/, /gecko-profiler-demangle/, /^@duckdb\//],
		output: { dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: 'chunks/[name]-[hash].mjs' },
	});
	const { commandsPage } = await import(pathToFileURL(path.join(folder, 'page.mjs')).href);
	fs.writeFileSync(path.join(root, 'docs', 'commands.md'), await commandsPage());
} finally {
	fs.rmSync(folder, { recursive: true, force: true });
}
