/** Names, lines of compilations and stamps as HotSpot writes them. */
import { describe, expect, test } from 'vitest';
import { compilationLineWithoutStamp, cutCompilationLine, dottedHolder, dottedName, findCompilationLine } from './compilation-line.js';
import { readLogDecorations } from './log-decorations.js';
import { splitSpelledMethod } from './spelled-method.js';

describe('a line of a compilation', () => {
	const parts = (line: ReturnType<typeof findCompilationLine>) =>
		line === null
			? null
			: [
					line.stampMs,
					line.compileId,
					[line.isOsr && 'o', line.isSynchronized && 's', line.hasExceptionHandlers && 'e', line.isBlocking && 'b', line.isNative && 'n']
						.filter(Boolean)
						.join(''),
					line.level,
					line.method,
					line.osrBci,
					line.sizeBytes,
				];
	test.each<[string, unknown]>([
		['    163  251       3       a.B::f (38 bytes)', [163, '251', '', 3, 'a.B.f', null, 38]],
		['    163  251 % !   3       a.B::f @ 4 (38 bytes)   made not entrant', [163, '251%', 'oe', 3, 'a.B.f', 4, 38]],
		['    163  251  s b  4       a.B::f (0 bytes)', [163, '251', 'sb', 4, 'a.B.f', null, 0]],
		['    163  251     n 0       a.B::f (native)   (static)', [163, '251', 'n', 0, 'a.B.f', null, null]],
		['    163  251       -       a.B::f (38 bytes)', [163, '251', '', null, 'a.B.f', null, 38]],
		['    163  251                a.B::f (38 bytes)', [163, '251', '', null, 'a.B.f', null, 38]],
		['    163  251 %     3       a.B::f @ -2 (38 bytes)', [163, '251%', 'o', 3, 'a.B.f', -2, 38]],
		['    163  251       3       a/B::<init> (38 bytes)', [163, '251', '', 3, 'a.B.<init>', null, 38]],
		['    163  251       3       a.B.f (38 bytes)', null],
		['    163  251       3       a.B::f (38 byte', null],
		['    163  251       3       a.B::f', null],
		['    163  251 x     3       a.B::f (38 bytes)', null],
		['         251       3       a.B::f (38 bytes)', null],
		['Compiled method (c1)     163  251       3       a.B::f (38 bytes)', null],
		['Compiled method    163  251       3       a.B::f (38 bytes)', [163, '251', '', 3, 'a.B.f', null, 38]],
		['12345678901  251       3       a.B::f (38 bytes)', null],
	])('%s', (text, expected) => {
		expect(parts(findCompilationLine(text, 0))).toEqual(expected);
	});

	test('where it stands, and what comes behind', () => {
		const first = '    163  251       3       a.B::f (38 bytes)';
		const text = `${first}   170  252       4       a.B::g (5 bytes)`;
		const [one, two] = [findCompilationLine(text, 0), findCompilationLine(text, first.length)];
		expect([one?.start, one?.end, one?.compileId]).toEqual([4, first.length, '251']);
		expect([two?.end, two?.compileId]).toEqual([text.length, '252']);
		expect(findCompilationLine(text, text.length)).toBeNull();
	});

	test('without a stamp it is all of the text', () => {
		expect(parts(compilationLineWithoutStamp(' 251       3       a.B::f (38 bytes)'))).toEqual([null, '251', '', 3, 'a.B.f', null, 38]);
		expect(compilationLineWithoutStamp('x 251       3       a.B::f (38 bytes)')).toBeNull();
	});

	test.each<[string, unknown]>([
		['text    163  251       3       a.B::f', [8, true]],
		['text    163  251       3       a', [8, true]],
		['text    163  251       3 ', [8, false]],
		['text    163  251 % ', [8, false]],
		['text    163', [8, false]],
		['text    163 x', null],
		['text', null],
		['Compiled method (c1)     163  251       3       a.B::f', null],
	])('cut: %s', (text, expected) => {
		const cut = cutCompilationLine(text);
		expect(cut === null ? null : [cut.start, cut.isSure]).toEqual(expected);
	});
});

test('names of methods', () => {
	expect(dottedName('java.lang.invoke.MethodHandle::linkToStatic(LL)L')).toEqual({ method: 'java.lang.invoke.MethodHandle.linkToStatic', signature: '(LL)L' });
	expect(dottedName('java/lang/StringUTF16::charAt')).toEqual({ method: 'java.lang.StringUTF16.charAt', signature: null });
	expect(dottedName('a.B::C::f')).toEqual({ method: 'a.B::C.f', signature: null });
	expect(dottedHolder('app/Mix$$Lambda/0x00007f6cac00a210')).toBe('app.Mix$$Lambda/0x00007f6cac00a210');
});

test.each<[string, string, string | null]>([
	['java/util/HashMap::get((Ljava/lang/Object;)Ljava/lang/Object;)', 'java.util.HashMap.get', '(Ljava/lang/Object;)Ljava/lang/Object;'],
	['a/B::f(()V)', 'a.B.f', '()V'],
	['a/B::f((Ljava/lang', 'a.B.f', '(Ljava/lang'],
	['a/B::f((I)', 'a.B.f', '(I)'],
	['a/B::&lt;init&gt;(()V)', 'a.B.<init>', '()V'],
	['a/B::&amp;(()V)', 'a.B.&', '()V'],
	['a/B', 'a.B', null],
	['a/B::f', 'a.B.f', null],
	['a::b/c::f', 'a::b.c.f', null],
])('in statistics: %s', (spelling, method, signature) => {
	expect(splitSpelledMethod(spelling)).toEqual({ method, signature });
});

describe('decorations', () => {
	const MONTHS_32_YEARS_MS = 32 * 365 * 86_400_000;
	test.each<[string, Partial<NonNullable<ReturnType<typeof readLogDecorations>>>]>([
		['[1.5s] x', { uptimeMs: 1500, epochMs: null }],
		['[0,0006s] x', { uptimeMs: 1 }],
		['[31ms] x', { uptimeMs: 31, epochMs: null }],
		[`[${MONTHS_32_YEARS_MS}ms] x`, { uptimeMs: null, epochMs: MONTHS_32_YEARS_MS }],
		['[946080000000ms] x', { uptimeMs: 946_080_000_000, epochMs: null }],
		['[946080000001ms] x', { uptimeMs: null, epochMs: 946_080_000_001 }],
		['[1500000ns] x', { uptimeMs: 1.5, clockNs: null }],
		['[7ns][1500000ns] x', { uptimeMs: 1.5, clockNs: 7 }],
		['[2s][1500000ns] x', { uptimeMs: 1.5 }],
		['[77] x', { threadId: 77, uptimeMs: null }],
		['[76][77] x', { threadId: 77 }],
		['[1970-01-01T00:00:01.000+0000] x', { epochMs: 1000 }],
		['[1970-01-01T00:00:01,500+0000] x', { epochMs: 1500 }],
		['[1970-99-01T00:00:01.000+0000] x', { epochMs: null }],
		['[info ][gc,heap] x', { tags: 'gc,heap' }],
		['[trace][gc] x', { tags: 'gc' }],
		['[debug] x', { tags: null }],
		['[warning] x', { tags: null }],
		['[error] x', { tags: null }],
		['[A host] x', { tags: null }],
		['[gc,] x', { tags: null }],
		['[]  x', { tags: null, message: ' x' }],
		['[gc]x', { tags: 'gc', message: 'x' }],
	])('%s', (line, expected) => {
		expect(readLogDecorations(line)).toMatchObject(expected);
	});

	test('what does not begin with one whole', () => {
		expect(['', ' [gc] x', '[gc', 'x'].map(readLogDecorations)).toEqual([null, null, null, null]);
	});
});
