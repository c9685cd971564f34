/** Profiles as proftool writes them, what is written and read again, and what is refused. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { InputError } from '../../model/problem.js';
import type { Profile } from '../../model/profile.js';
import { isProftoolProfile } from './detect.js';
import { readProftoolProfile } from './read.js';
import { proftoolJson } from './write.js';

const read = (text: string): Profile => readProftoolProfile(memorySource('prof.json', Buffer.from(text)));

function refusal(text: string): [string, number | undefined] {
	try {
		read(text);
	} catch (error) {
		expect(error).toBeInstanceOf(InputError);
		const { problem } = error as InputError;
		expect('offsetBytes' in problem).toBe(problem.offsetBytes !== undefined);
		return [problem.message.replace('this is no proftool profile: ', ''), problem.offsetBytes];
	}
	throw new Error(`read: ${text}`);
}

describe('a profile', () => {
	test('just in time: marks of on-stack replacement and ids before names are taken off', () => {
		const text =
			'{"compilationKind":"JIT","totalPeriod":2730000000,"executionId":"12856","code":[' +
			'{"compileId":"1242%","name":"1242%: Escape.main(java.lang.String[])","level":3,"period":88000000},' +
			'{"compileId":"7","name":"7: A.a(): b","level":4,"period":1},' +
			'{"compileId":null,"name":"Interpreter","level":null,"period":0},{"name":"stub","period":5}]}';
		expect(read(text)).toEqual({
			kind: 'JIT',
			executionId: '12856',
			totalPeriod: 2730000000,
			entries: [
				{ compileId: '1242', name: 'Escape.main(java.lang.String[])', level: 3, period: 88000000 },
				{ compileId: '7', name: 'A.a(): b', level: 4, period: 1 },
				{ compileId: null, name: 'Interpreter', level: null, period: 0 },
				{ compileId: null, name: 'stub', level: null, period: 5 },
			],
		});
	});

	test('kinds', () => {
		const kind = (text: string) => read(`{${text}"totalPeriod":1,"code":[]}`).kind;
		expect([kind('"compilationKind":"AOT",'), kind('"compilationKind":null,'), kind('')]).toEqual(['AOT', 'JIT', 'JIT']);
	});

	test('periods are whole: fractions are cut off, beyond 63 bits they are the largest', () => {
		const period = (text: string) => read(`{"totalPeriod":${text},"code":[]}`).totalPeriod;
		expect(['1.9', '-1.9', '1.0e3', '9007199254740993', '1.0e300', '-1.0e300', '0'].map(period)).toEqual([
			1,
			-1,
			1000,
			9007199254740992,
			2 ** 63,
			-(2 ** 63),
			0,
		]);
	});

	test('levels have 32 bits', () => {
		const level = (text: string) => `{"totalPeriod":1,"code":[{"name":"a","period":1,"level":${text}}]}`;
		expect(read(level('2147483647')).entries[0]!.level).toBe(2147483647);
		expect(read(level('-2147483647')).entries[0]!.level).toBe(-2147483647);
		expect(refusal(level('2147483648'))[0]).toBe('expected an integer as code[0].level, found a number');
		expect(refusal(level('1.5'))[0]).toBe('expected an integer as code[0].level, found a fraction');
	});
});

test.each([
	['[]', 'expected an object as the file, found a list'],
	['{}', 'expected a number as totalPeriod, found nothing'],
	['{"compilationKind":"X"}', 'expected "JIT" or "AOT" as compilationKind, found "X"'],
	['{"compilationKind":1}', 'expected a string as compilationKind, found a number'],
	['{"executionId":true}', 'expected a string as executionId, found a boolean'],
	['{"totalPeriod":"1"}', 'expected a number as totalPeriod, found a string'],
	['{"totalPeriod":null}', 'expected a number as totalPeriod, found null'],
	['{"totalPeriod":1,"code":{}}', 'expected a list as code, found an object'],
	['{"totalPeriod":1}', 'expected a list as code, found nothing'],
	['{"totalPeriod":1,"code":[7]}', 'expected an object as code[0], found a number'],
	['{"totalPeriod":1,"code":[{"name":"a","period":1},{"compileId":1}]}', 'expected a string as code[1].compileId, found a number'],
	['{"totalPeriod":1,"code":[{}]}', 'expected a string as code[0].name, found nothing'],
	['{"totalPeriod":1,"code":[{"name":"a"}]}', 'expected a number as code[0].period, found nothing'],
])('refused: %s', (text, message) => {
	expect(refusal(text)).toEqual([message, undefined]);
});

test('what is no JSON is refused with its place', () => {
	expect(refusal('{"totalPeriod" 1}')[1]).toBe(15);
});

test('written and read again it is the same', () => {
	const entry = fc.record({
		compileId: fc.option(fc.nat(999).map(String)),
		name: fc.constantFrom('A.a()', 'B.b(int)', 'x'),
		level: fc.option(fc.nat(4)),
		period: fc.nat(),
	});
	fc.assert(
		fc.property(
			fc.constantFrom('JIT' as const, 'AOT' as const),
			fc.option(fc.string()),
			fc.nat(),
			fc.array(entry),
			(kind, executionId, totalPeriod, entries) => {
				const profile = { kind, executionId, totalPeriod, entries };
				const text = proftoolJson(profile, (id) => id.endsWith('1'));
				expect(read(text)).toEqual(profile);
				expect(isProftoolProfile(text)).toBe(true);
			},
		),
	);
	const [first] = JSON.parse(
		proftoolJson({ kind: 'JIT', executionId: null, totalPeriod: 1, entries: [{ compileId: '7', name: 'a', level: 4, period: 1 }] }, () => true),
	).code;
	expect(first).toEqual({ compileId: '7%', name: '7%: a', level: 4, period: 1 });
});

test('told by the keys at its top', () => {
	expect([' \n{"code":[],"totalPeriod":1}', '{"code" : [{"period":1}]}', '{"totalPeriod":1,"executionId":"7"}'].map(isProftoolProfile)).toEqual([
		true,
		true,
		true,
	]);
	// Words in strings, one key alone, neither of the two that it must have, keys behind others, no object.
	const others = Array.from({ length: 12 }, (_, i) => `"k${i}":1,`).join('');
	expect(
		[
			'{"a":"code","b":"totalPeriod"}',
			'{"code":[]}',
			'{"executionId":"7","period":1}',
			`{${others}"code":[],"totalPeriod":1}`,
			'["code":1,"totalPeriod":1]',
			'{"a\\"code":1,"totalPeriod":1}',
		].map(isProftoolProfile),
	).toEqual([false, false, false, false, false, false]);
});
