/** What the compiler does not check: casts are few, and `!` says only what an index or a look-up is sure of. */
import { describe, expect, test } from 'vitest';
import { codeOf, readSource, sourceFiles } from './source-files.js';

const MOST_CASTS = 700;

/** `as` of a type, not `as const`, nor of an import. */
function casts(text: string): string[] {
	const code = codeOf(text).replace(/^(?:import|export)\b[^;]*?(?:from\s+'')?;/gm, (statement) =>
		/^export\s+(?!type\b|\{|\*)/.test(statement) ? statement : '',
	);
	return code.match(/\bas\s+(?!const\b)[^\s]/g) ?? [];
}

/** `!` behind anything but an index or a call: places that nobody looked up. */
function unsureMarks(text: string): string[] {
	return codeOf(text)
		.split('\n')
		.flatMap((line, i) => (/[\w$}'`]!(?![=\w])/.test(line) ? [`${i + 1}: ${line.trim()}`] : []));
}

/** Lists that are copied to add an item: work that grows with the square of what a file holds. */
function copiedLists(text: string): string[] {
	return codeOf(text)
		.split('\n')
		.filter(
			(line) => /(?<![\w.])([\w.]+) = \[\.\.\.\(?\1(?: \?\? \[\]\))?, (?!\.\.\.)/.test(line) || /\.set\(.*\[\.\.\.\([\w.]+\.get\(.*\?\? \[\]\), /.test(line),
		);
}

const FILES = sourceFiles('src', 'web', 'live', 'test', 'fuzz');

test('casts stay few', () => {
	expect(FILES.length).toBeGreaterThan(500);
	expect(FILES.reduce((sum, file) => sum + casts(readSource(file)).length, 0)).toBeLessThan(MOST_CASTS);
});

test('! stands behind an index or a call only', () => {
	expect(FILES.flatMap((file) => unsureMarks(readSource(file)).map((found) => `${file}:${found}`))).toEqual([]);
});

test('no list is copied to add an item', () => {
	expect(
		sourceFiles('src')
			.filter((file) => !file.endsWith('.test.ts'))
			.flatMap((file) => copiedLists(readSource(file)).map((found) => `${file}: ${found.trim()}`)),
	).toEqual([]);
});

describe('these tests find what they are for', () => {
	test('copied lists', () => {
		const copied = [
			'this.legend = [...(this.legend ?? []), text];',
			'all = [...all, one];',
			'map.set(key, [...(map.get(key) ?? []), one]);',
			'm.set(k, [...(m.get(k) ?? []), ...more]);',
		];
		expect(copied.flatMap(copiedLists)).toHaveLength(copied.length);
		expect(
			['all = [...all];', 'all = [...others, one];', 'all = [...all, ...others];', 'const rows = [...(map.get(key) ?? [])];'].flatMap(copiedLists),
		).toEqual([]);
	});

	test('casts', () => {
		expect(casts('const a = b as string;')).toHaveLength(1);
		expect(casts('const a = (b as unknown) as Map<string, number>;')).toHaveLength(2);
		expect(casts('export const a = b as string;')).toHaveLength(1);
		expect(casts('const t = `$' + '{b as string} as many`;')).toHaveLength(1);
		expect(casts('const a = [1] as const;')).toHaveLength(0);
		expect(casts("import * as x from 'y';\nimport { a as b } from 'y';\nexport { c as d } from 'y';\nexport * as e from 'y';")).toHaveLength(0);
		expect(casts('// as many\n/* as\n as */ const a = \'as many\' + "as few" + /as x/.source;')).toHaveLength(0);
	});

	test('marks', () => {
		const template = ['const t = `a! ', '{b[0]!} ', '{`c! ', '{d!}`}`;'].join('$');
		expect(unsureMarks('a!.b')).toHaveLength(1);
		expect(unsureMarks('let a!: string;')).toHaveLength(1);
		expect(unsureMarks('f(a.b!)')).toHaveLength(1);
		expect(unsureMarks('f({ a }!)')).toHaveLength(1);
		expect(unsureMarks('a[0]! + f()! + a.b[1]!.c!.d')).toHaveLength(1);
		expect(unsureMarks("!a && !b() && a !== b && a != b; // a!\nconst t = 'a! b';")).toHaveLength(0);
		expect(unsureMarks(template)).toHaveLength(1);
	});
});
