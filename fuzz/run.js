/**
 * `npm run fuzz`: builds the sources with what is in this folder, and runs main.ts. docs/development.md tells of its options.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const root = path.resolve(import.meta.dirname, '..');
// Beside each other: several may run at a time.
const folder = path.join(root, '.cache', 'fuzz', 'build', String(process.pid));

await build({
	cwd: root,
	input: { main: 'fuzz/main.ts', worker: 'fuzz/worker.ts' },
	platform: 'node',
	logLevel: 'warn',
	external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
	output: { dir: folder, format: 'esm', entryFileNames: '[name].js', sourcemap: true, cleanDir: true },
});
process.setSourceMapsEnabled(true);
const { fuzz } = await import(pathToFileURL(path.join(folder, 'main.js')).href);
process.exitCode = await fuzz(process.argv.slice(2), path.join(folder, 'worker.js'), root);
