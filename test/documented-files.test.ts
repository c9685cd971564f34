/** The files that ARCHITECTURE.md and the guides for developers name are there. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

/** `src/answers/hot.ts`, also where a folder or a part of a name stands for several. */
function filesNamedIn(text: string): string[] {
	return [...text.matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|tsx|js|c|md|json))`/g)].map(([, name = '']) => name);
}

const ALL = ['src', 'web', 'test', 'live', 'fuzz', 'scripts', 'bench', 'runtime', 'docs', 'bin'].flatMap((folder) =>
	fs
		.readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
		.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name))),
);

test.each(['ARCHITECTURE.md', 'docs/adding-a-format.md', 'docs/mutation-tests.md'])('%s', (document) => {
	const names = filesNamedIn(fs.readFileSync(path.join(root, document), 'utf8'));
	const isThere = (name: string): boolean => fs.existsSync(path.join(root, name)) || ALL.some((file) => file === name || file.endsWith(`/${name}`));
	expect(names.filter((name) => !isThere(name))).toEqual([]);
});
