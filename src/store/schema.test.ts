/** What a store promises to those who keep one: its tables are documented, and a store of every version stays readable. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ask } from '../../test/stores.js';
import { QUESTION_NAMES, readQuestion } from './questions.js';
import { STORE_SCHEMA, STORE_VERSION } from './schema.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const guide = fs.readFileSync(path.join(root, 'docs', 'store.md'), 'utf8');

test.each(STORE_SCHEMA)('docs/store.md has the columns of $name, with units and meanings', ({ name, meaning, columns }) => {
	expect(guide).toContain(`### ${name}\n\nA row is ${meaning}.`);
	for (const { name: column, type, unit, meaning: what } of columns) {
		expect(guide).toContain(`| ${column} | ${type} | ${unit ?? ''} | ${what.replaceAll('|', '\\|')} |`);
	}
});

test.each(QUESTION_NAMES)('the question %s says what it is about, and what each of its columns holds', async (name) => {
	const { title, about, columns, parameters, sql } = readQuestion(name);
	expect(guide).toContain(`| ${name} | ${title} |`);
	expect(`${title}${about}`).not.toBe('');
	expect(parameters.every(({ value, meaning }) => !Number.isNaN(value) && meaning !== '')).toBe(true);
	expect(sql).not.toMatch(/\bFILTER\s*\(|::|QUALIFY|\bEXCLUDE\b|approx_|list_|struct_/);
	const store = path.join(root, 'fixtures', 'store', 'v1');
	const [row] = await ask(store, name);
	for (const column of Object.keys(row ?? {})) {
		expect(columns.get(column), column).toBeDefined();
	}
});

test('a store of each version can be asked', async () => {
	const versions = fs.readdirSync(path.join(root, 'fixtures', 'store')).filter((name) => /^v\d+$/.test(name));
	expect(versions).toEqual(Array.from({ length: STORE_VERSION }, (_, i) => `v${i + 1}`));
	for (const version of versions) {
		const store = path.join(root, 'fixtures', 'store', version);
		expect(await ask(store, 'SELECT format, count(*) AS runs FROM runs GROUP BY format')).toEqual([{ format: Number(version.slice(1)), runs: 3 }]);
		const [counted] = await ask(store, 'SELECT count(*) AS decisions, count(DISTINCT site) AS sites FROM decisions');
		expect(counted).toEqual({ decisions: 620, sites: 338 });
		for (const { name, columns } of STORE_SCHEMA) {
			expect(await ask(store, `SELECT ${columns.map((column) => `"${column.name}"`).join(', ')}, dt FROM ${name} WHERE false`)).toEqual([]);
		}
	}
});
