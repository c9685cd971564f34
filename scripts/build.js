/**
 * Builds dist/: one bundle for the command line and one for the library, which share their chunks. The code of a command is a
 * chunk of its own, loaded when the command runs: starting up is most of the time of a small job. Declarations come from tsc, the
 * page's script and style from Vite.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';
import { build as buildWeb } from 'vite';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

fs.rmSync(dist, { recursive: true, force: true });
await build({
	cwd: root,
	input: { cli: 'src/cli/entry.ts', index: 'src/index.ts' },
	platform: 'node',
	logLevel: 'warn',
	// WebAssembly in a file beside its code, loaded only where code has to be disassembled or names are demangled.
	external: [/^node:/, /capstone-js/, /gecko-profiler-demangle/],
	output: { dir: dist, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
});
await buildWeb({ configFile: path.join(root, 'web', 'vite.config.ts') });
execFileSync(process.execPath, [path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', path.join(root, 'tsconfig.build.json')], {
	stdio: 'inherit',
});
