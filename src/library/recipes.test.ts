/** The scripts of docs/recipes.md on recordings that were made before; live/recipes.test.ts makes them, too. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRecipes, recipeFolder, runRecipe } from '../../test/recipes.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const recipes = readRecipes().filter(({ isRecording }) => !isRecording);
let folder = '';

beforeAll(() => {
	folder = recipeFolder();
	const link = (name: string, target: string): void => fs.symlinkSync(path.join(root, target), path.join(folder, name));
	for (const i of [1, 2, 3]) {
		link(`base-${i}`, 'fixtures/jvm/ledger/jdk17');
		link(`new-${i}`, i === 1 ? 'fixtures/jvm/safepoint/ttsp-sampled/jdk25-stall' : 'fixtures/jvm/ledger/jdk25');
	}
	link('jdk17', 'fixtures/jvm/ledger/jdk17');
	link('jdk25', 'fixtures/jvm/ledger/jdk25');
	link('startup.gz', 'examples/order/startup.gz');
	link('queries.gz', 'examples/order/queries.gz');
	link('app.nm', 'examples/order/sqlite.nm.gz');
	link('memory', 'examples/memory');
	link('memory-base', 'examples/memory');
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

/** Status, and what is printed or written. */
const EXPECTED: Record<string, { status: number; shows: RegExp; file?: string; new1?: string }> = {
	'Fail a build when a hot method loses an inlining': { status: 1, shows: /inlining lost/, new1: 'jdk25' },
	'Fail a build when a hot method loses an inlining, 2': {
		status: 0,
		shows: /java\.util\.TimSort\.ensureCapacity in java\.util\.TimSort\.mergeLo: 1 of 1 calls inlined/,
		new1: 'jdk25',
	},
	'Post the difference as Markdown': { status: 1, shows: /^### assay diff/, file: 'summary.md', new1: 'jdk25' },
	'Compare two JDKs, 2': { status: 0, shows: /decisions changed[\s\S]*TimSort/ },
	"Budget the compiler's memory, 2": { status: 0, shows: /24 compilations/ },
	"Budget the compiler's memory, 3": { status: 0, shows: /^$/ },
	'Fail when threads are slow to stop': { status: 1, shows: / \d{3,} ms/ },
	'An order file in a build': { status: 0, shows: /pages at start-up: \d+ as linked, \d+ with the order/ },
	"Keep every build's numbers": { status: 0, shows: /HotLoop|;|\(/, file: 'stacks-1.txt' },
};

test('all are expected', () => {
	expect(recipes.map(({ name }) => name)).toEqual(Object.keys(EXPECTED));
});

test.each(recipes)('$name', (recipe) => {
	const expected = EXPECTED[recipe.name];
	if (expected?.new1 !== undefined) {
		fs.rmSync(path.join(folder, 'new-1'));
		fs.symlinkSync(path.join(folder, expected.new1), path.join(folder, 'new-1'));
	} else if (recipe.name.startsWith('Fail when')) {
		fs.rmSync(path.join(folder, 'new-1'));
		fs.symlinkSync(path.join(root, 'fixtures', 'jvm', 'safepoint', 'ttsp-sampled', 'jdk25-stall'), path.join(folder, 'new-1'));
	}
	const { status, stdout, stderr } = runRecipe(recipe, folder);
	expect({ status, stderr }).toMatchObject({ status: expected?.status });
	expect(expected?.file === undefined ? stdout : fs.readFileSync(path.join(folder, expected.file), 'utf8')).toMatch(expected?.shows as RegExp);
});
