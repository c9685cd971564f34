/** The scripts of docs/recipes.md one after the other, with what they record themselves. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRecipes, recipeFolder, runRecipe } from '../test/recipes.js';
import { compileProgram, findJdk } from './jdks.js';

let folder = '';
const environment: NodeJS.ProcessEnv = {};

beforeAll(() => {
	folder = recipeFolder();
	const jdk = findJdk(25);
	fs.mkdirSync(path.join(folder, 'classes'));
	compileProgram(findJdk(17), 'Ledger', path.join(folder, 'classes'));
	for (const [name, file] of Object.entries({ 'startup.gz': 'startup.gz', 'queries.gz': 'queries.gz', 'app.nm': 'sqlite.nm.gz' })) {
		fs.symlinkSync(path.resolve(import.meta.dirname, '..', 'examples', 'order', file), path.join(folder, name));
	}
	environment.JDK17 = findJdk(17).home;
	environment.JDK25 = jdk.home;
	environment.PATH = [path.join(folder, 'bin'), path.join(jdk.home, 'bin'), process.env.PATH].join(path.delimiter);
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

test.each(readRecipes())('$name', (recipe) => {
	const { status, stderr } = runRecipe(recipe, folder, environment);
	// Whether two runs of the same program differ is not for this test to say.
	const mayFail = /^(?:Fail|Post)/.test(recipe.name);
	expect({ status, stderr }).toMatchObject({ status: mayFail ? expect.toBeOneOf([0, 1]) : 0 });
	if (recipe.name === 'Record a benchmark') {
		for (const i of [1, 2, 3]) {
			fs.renameSync(path.join(folder, `new-${i}`), path.join(folder, `base-${i}`));
		}
		expect(runRecipe(recipe, folder, environment).status).toBe(0);
	}
	if (recipe.name === "Budget the compiler's memory") {
		fs.cpSync(path.join(folder, 'memory'), path.join(folder, 'memory-base'), { recursive: true });
	}
});
