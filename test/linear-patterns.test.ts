/**
 * Regular expressions meet text that anybody may have written: none may need more than linear time. scslre looks at each as an automaton, and finds repeats that
 * trade characters with each other or with themselves, and those whose start moves over what they repeat. Repeats with an upper bound are linear.
 */
import { analyse } from 'scslre';
import { expect, test } from 'vitest';
import { type Pattern, patternsIn, patternsOf } from './patterns.js';
import { sourceFiles } from './source-files.js';

/** What is wrong with an expression; empty: nothing. */
function superLinear({ place, source, flags }: Pattern): string[] {
	return analyse({ source, flags }).reports.map(({ type, exponential, character }) => {
		const time = exponential ? 'exponential' : 'polynomial';
		return `${place}: /${source}/${flags} takes ${time} time on a run of ${JSON.stringify(character.pick)} (${type.toLowerCase()})`;
	});
}

test('every regular expression of the sources takes linear time', () => {
	const patterns = sourceFiles('src', 'web')
		.filter((file) => !file.endsWith('.test.ts'))
		.flatMap(patternsOf);
	expect(patterns.length).toBeGreaterThan(600);
	expect(patterns.flatMap(superLinear)).toEqual([]);
});

test.each<[string, RegExp]>([
	['repeats within repeats', /^(?:\s*(?:#.*)?\r?\n)*:ir/],
	['repeats beside each other', /^\s*\d*\d+$/],
	['repeats beside each other, far apart', /^(\S.*?)\s+\[/],
	['a start that moves', /(?:^|\n)\s*\{/],
])('this test finds %s', (_, { source, flags }) => {
	expect(superLinear({ place: '', source, flags })).not.toEqual([]);
});

test('and expressions that are put together', () => {
	const [pattern] = patternsIn(["const BLANKS = '\\\\s+';\nconst LINE = new RegExp(`^(.*)", "{BLANKS}$`, 'm');"].join('$'), 'a.ts');
	expect(pattern).toEqual({ place: 'a.ts:2', source: '^(.*)\\s+$', flags: 'm' });
});
