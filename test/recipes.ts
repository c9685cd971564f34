/** The scripts of docs/recipes.md, and a folder to run them in. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

export interface Recipe {
	readonly name: string;
	readonly script: string;
	/** Whether it runs a program on a JVM. */
	readonly isRecording: boolean;
}

export function readRecipes(): Recipe[] {
	const text = fs.readFileSync(path.join(root, 'docs', 'recipes.md'), 'utf8');
	return text.split(/^## /m).flatMap((section) => {
		const title = section.slice(0, section.indexOf('\n'));
		return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, script = ''], i) => ({
			name: `${title}${i === 0 ? '' : `, ${i + 1}`}`,
			script,
			isRecording: script.includes('assay record'),
		}));
	});
}

/** A folder where `assay` is this one, and can be imported. */
export function recipeFolder(): string {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-recipes-'));
	fs.mkdirSync(path.join(folder, 'bin'));
	fs.writeFileSync(path.join(folder, 'bin', 'assay'), `#!/bin/sh\nexec '${process.execPath}' '${path.join(root, 'bin', 'assay.js')}' "$@"\n`, { mode: 0o755 });
	fs.mkdirSync(path.join(folder, 'node_modules'));
	fs.symlinkSync(root, path.join(folder, 'node_modules', 'assay'));
	return folder;
}

export function runRecipe({ script }: Recipe, folder: string, environment: NodeJS.ProcessEnv = {}): { status: number | null; stdout: string; stderr: string } {
	const env = { ...process.env, PATH: `${path.join(folder, 'bin')}${path.delimiter}${process.env.PATH}`, GITHUB_STEP_SUMMARY: undefined, ...environment };
	const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', script], { cwd: folder, encoding: 'utf8', env, maxBuffer: 1 << 26 });
	return { status, stdout, stderr };
}
