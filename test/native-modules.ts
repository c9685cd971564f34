/**
 * The modules of src as JavaScript that Node loads itself. Vitest's own module runner makes every imported name a look-up in an object, which costs the loops of
 * readers and analyses a fifth of their time, and it compiles a module again for each test file. Rolldown, which builds the package, compiles them a file each,
 * once for a state of the sources; the folder is named by their digest, so that runs at the same time do not meet.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';
import type { Plugin } from 'vitest/config';

const root = path.resolve(import.meta.dirname, '..');
const src = path.join(root, 'src');
const compiled = path.join(root, '.cache', 'modules');
const KEPT_MS = 24 * 60 * 60 * 1000;

/** What the compiled modules are called, for Vitest's list of modules that it leaves to Node. */
export const NATIVE_MODULES = /\/\.cache\/modules\//;

/** Sends imports of src to the compiled modules. Tests themselves, and the page, stay with Vitest. */
export async function nativeModules(): Promise<Plugin> {
	const sources = fs
		.readdirSync(src, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
		.sort();
	const folder = path.join(compiled, digestOf([...sources.map((file) => path.join(src, file)), path.join(root, 'package.json'), import.meta.filename]));
	if (!fs.existsSync(folder)) {
		removeOld();
		await compile(sources, folder);
	}
	const known = new Set(sources.map((file) => path.join(src, file)));
	return {
		name: 'native-modules',
		enforce: 'pre',
		resolveId(id, importer) {
			if (importer === undefined || !id.startsWith('.')) {
				return null;
			}
			const file = path.resolve(path.dirname(importer), id).replace(/\.js$/, '.ts');
			return known.has(file) ? path.join(folder, path.relative(src, file).replace(/\.ts$/, '.js')) : null;
		},
	};
}

/** Written beside and renamed: another run sees all or nothing. */
async function compile(sources: readonly string[], folder: string): Promise<void> {
	const unfinished = `${folder}.${process.pid}`;
	await build({
		cwd: root,
		input: Object.fromEntries(sources.map((file) => [file.slice(0, -'.ts'.length), path.join(src, file)])),
		platform: 'node',
		logLevel: 'warn',
		treeshake: false,
		external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
		output: { dir: unfinished, format: 'esm', preserveModules: true, preserveModulesRoot: 'src', entryFileNames: '[name].js', sourcemap: true },
	});
	try {
		fs.renameSync(unfinished, folder);
	} catch (error) {
		fs.rmSync(unfinished, { recursive: true, force: true });
		if (!fs.existsSync(folder)) {
			throw error;
		}
	}
}

function digestOf(files: readonly string[]): string {
	const hash = createHash('sha256');
	for (const file of files) {
		hash
			.update(`${path.relative(root, file)}\0`)
			.update(fs.readFileSync(file))
			.update('\0');
	}
	return hash.digest('hex').slice(0, 16);
}

function removeOld(): void {
	for (const name of fs.existsSync(compiled) ? fs.readdirSync(compiled) : []) {
		const folder = path.join(compiled, name);
		if (Date.now() - fs.statSync(folder).mtimeMs > KEPT_MS) {
			fs.rmSync(folder, { recursive: true, force: true });
		}
	}
}
