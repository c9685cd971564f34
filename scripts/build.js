/**
 * Builds dist/: one bundle for the command line and one for the library, which share their chunks. The code of a command is a
 * chunk of its own, loaded when the command runs: starting up is most of the time of a small job. The page's script and style come
 * from Vite; the declarations are tsc's, bundled into one file with what the library exports; LICENSES.txt has the licences of the
 * packages that are in the bundles.
 *
 *   --watch             builds again whenever a source changes, without declarations
 *   --no-declarations   leaves them out
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { build, watch } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { build as buildWeb } from 'vite';
import { licences, writeLicences } from './licences.js';

const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');
const declarations = path.join(root, '.cache', 'declarations');
const isWatching = process.argv.includes('--watch');
// The package goes without source maps: it has no sources for them. npm says what it prepares for.
const hasMaps = !['pack', 'publish'].includes(process.env.npm_command ?? '');
if (!isWatching) {
	// What is shipped does not depend on who builds it: with NODE_ENV=test the page would have its library's checks for development, a third more.
	process.env.NODE_ENV = 'production';
}

/** @type {Map<string, string>} */
const bundled = new Map();

/** @type {import('rolldown').BuildOptions} */
const program = {
	cwd: root,
	input: { cli: 'src/cli/entry.ts', index: 'src/index.ts' },
	platform: 'node',
	logLevel: 'warn',
	// WebAssembly in a file beside its code, loaded only where code has to be disassembled or names are demangled.
	external: [/^node:/, /capstone-js/, /gecko-profiler-demangle/, /^@duckdb\//],
	plugins: [licences(bundled), ...(isWatching ? [removeStale()] : [])],
	// The package does not say either which source each part is of.
	experimental: { attachDebugInfo: hasMaps ? 'simple' : 'none' },
	output: {
		dir: dist,
		format: 'esm',
		entryFileNames: '[name].js',
		chunkFileNames: 'chunks/[name]-[hash].js',
		sourcemap: hasMaps,
		sourcemapExcludeSources: true,
		// Licences stay; what sources say to those who read them stays with the sources.
		comments: { legal: true, annotation: true, jsdoc: false },
	},
};

/** @type {import('vite').InlineConfig} */
const page = {
	configFile: path.join(root, 'web', 'vite.config.ts'),
	plugins: [licences(bundled)],
	// The page holds its script: a map beside it would not be found.
	build: isWatching ? { watch: {}, sourcemap: 'inline', chunkSizeWarningLimit: 10_000 } : {},
};

fs.rmSync(dist, { recursive: true, force: true });
if (isWatching) {
	await watchAll();
} else {
	await Promise.all([build(program), buildWeb(page), ...(process.argv.includes('--no-declarations') ? [] : [buildDeclarations()])]);
	writeLicences(bundled, path.join(dist, 'LICENSES.txt'));
}

async function buildDeclarations() {
	fs.rmSync(declarations, { recursive: true, force: true });
	const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
	try {
		await promisify(execFile)(process.execPath, [tsc, '-p', path.join(root, 'tsconfig.build.json')]);
	} catch (error) {
		console.error(`There are no declarations: ${error.stdout || error.message}`);
		process.exitCode = 1;
		return;
	}
	await build({
		cwd: root,
		input: { index: path.join(declarations, 'index.d.ts') },
		platform: 'node',
		logLevel: 'warn',
		checks: { pluginTimings: false, bundlerTimings: false },
		external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
		plugins: dts({ dtsInput: true, tsconfig: false, sourcemap: false }),
		output: { dir: dist, format: 'esm', entryFileNames: '[name].js' },
	});
}

async function watchAll() {
	const watcher = watch(program);
	watcher.on('event', async (event) => {
		if (event.code === 'BUNDLE_END') {
			console.log(`${new Date().toLocaleTimeString()} dist/ is built (${event.duration} ms); stack traces: node --enable-source-maps bin/assay.js`);
			await event.result.close();
		} else if (event.code === 'ERROR') {
			console.error(event.error.message);
			await event.result?.close();
		}
	});
	const pageWatcher = await buildWeb(page);
	if ('on' in pageWatcher) {
		pageWatcher.on('event', (event) => {
			if (event.code === 'BUNDLE_END') {
				console.log(`${new Date().toLocaleTimeString()} dist/web/ is built (${event.duration} ms)`);
			} else if (event.code === 'ERROR') {
				console.error(event.error.message);
			}
		});
	}
}

/** Chunks of the build before, which nothing imports any more. */
function removeStale() {
	return {
		name: 'remove-stale',
		/** @param {unknown} _options @param {Record<string, unknown>} bundle */
		writeBundle(_options, bundle) {
			for (const name of fs.readdirSync(path.join(dist, 'chunks'))) {
				if (bundle[`chunks/${name}`] === undefined) {
					fs.rmSync(path.join(dist, 'chunks', name), { force: true });
				}
			}
		},
	};
}
