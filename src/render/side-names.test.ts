import { expect, test } from 'vitest';
import { sideNames } from './side-names.js';

test.each([
	['/tmp/good/rec', '/tmp/bad/rec', ['good/rec', 'bad/rec']],
	['runs/jdk17/', 'runs/jdk25', ['jdk17', 'jdk25']],
	['a', 'b', ['a', 'b']],
	['rec', 'rec', ['A: rec', 'B: rec']],
	['/tmp/x/rec', '/tmp/x/rec/', ['A: rec', 'B: rec']],
	['rec', 'old/rec', ['rec', 'old/rec']],
	['C:\\good\\rec', 'C:\\bad\\rec', ['good/rec', 'bad/rec']],
])('%s and %s', (a, b, names) => {
	expect(sideNames(a, b)).toEqual(names);
});
