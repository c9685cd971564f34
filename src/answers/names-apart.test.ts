import { expect, test } from 'vitest';
import { type JitCompilation, unknownCompilation } from '../model/jit-compilation.js';
import { comparableMethodName, namesakeIn, splitMethodName } from '../model/method-name.js';
import type { Evidence } from '../recording/evidence.js';
import { comparedName, namesApart } from './names-apart.js';

const of = (compileId: string, bytecodeBytes: number | null, method = 'Stage1.next'): JitCompilation => ({
	...unknownCompilation(),
	compileId,
	kind: 'standard',
	method,
	signature: '(Ljava/lang/Object;)V',
	bytecodeBytes,
});

/** A run, as far as names of methods are asked of it. */
const run = (compilations: readonly JitCompilation[], graalLog: readonly string[] = []): Evidence =>
	({ files: { graalLog, logCompilation: ['hotspot.log'] }, compilationLog: () => Promise.resolve({ history: { compilations } }) }) as unknown as Evidence;

async function names(...runs: (readonly JitCompilation[])[]): Promise<string[][]> {
	const apart = await namesApart(runs.map((compilations) => run(compilations)));
	return runs.map((compilations, at) => compilations.map(({ method, signature, compileId }) => comparedName(method, signature, compileId, apart[at]!)));
}

test('of several methods of a name those of one length are compared, also with a run that has one of them', async () => {
	expect(await names([of('1', 154), of('2', 249), of('3%', 154)], [of('7', 249), of('8', null)])).toEqual([
		['Stage1.next(Object) [154 bytes]', 'Stage1.next(Object) [249 bytes]', 'Stage1.next(Object) [154 bytes]'],
		['Stage1.next(Object) [249 bytes]', 'Stage1.next(Object) [249 bytes]'],
	]);
});

test('a method that was changed between the runs is one method', async () => {
	expect(await names([of('1', 154)], [of('7', 160)])).toEqual([['Stage1.next(Object)'], ['Stage1.next(Object)']]);
});

test('what no log tells the length of is called as it is', async () => {
	expect(await names([of('1', 154), of('2', 249)], [of('7', null)])).toEqual([['Stage1.next(Object)', 'Stage1.next(Object)'], ['Stage1.next(Object)']]);
});

test('logs of Graal do not tell it', async () => {
	const apart = await namesApart([run([of('1', 154), of('2', 249)]), run([of('1', 154)], ['compilation.log'])]);
	expect(apart.map(({ size }) => size)).toEqual([0, 0]);
});

test('names with a length are read back', () => {
	const name = 'a.B.c(Object,int) [154 bytes]';
	expect(splitMethodName(name)).toEqual({ method: 'a.B.c', signature: '(Object,int)' });
	expect(namesakeIn(name)).toBe('154 bytes');
	expect(namesakeIn('a.B.c(Object,int)')).toBeNull();
	expect(comparableMethodName(name)).not.toBe(comparableMethodName('a.B.c(Object, int) [249 bytes]'));
	expect(comparableMethodName(name)).toBe(comparableMethodName('a.B.c(java.lang.Object, int) [154 bytes]'));
});
