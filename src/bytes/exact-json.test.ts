import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExactJsonReader, isJsonDouble, JsonSyntaxError, type JsonValue } from './exact-json.js';

const read = (text: string): JsonValue => new ExactJsonReader().reset(Buffer.from(text)).document();

/** As JSON.parse would give it. */
function plain(value: JsonValue): unknown {
	if (Array.isArray(value)) {
		return value.map(plain);
	}
	if (value instanceof Map) {
		return Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]));
	}
	return typeof value === 'bigint' ? Number(value) : value !== null && isJsonDouble(value) ? value.double : value;
}

/** Whether a text may hold what this reader treats unlike JSON.parse: exponents without a fraction, large integers, `__proto__`. */
function isSpecial(text: string): boolean {
	return /\d[eE]|\d{16}|__proto__/.test(text);
}

const jsonText = fc.json({ noUnicodeString: false }).filter((text) => !isSpecial(text));

describe('exact JSON', () => {
	test('reads what JSON.parse reads', () => {
		fc.assert(
			fc.property(jsonText, (text) => {
				expect(plain(read(text))).toEqual(JSON.parse(text));
			}),
			{ numRuns: 500 },
		);
	});

	test('refuses what JSON.parse refuses', () => {
		fc.assert(
			fc.property(jsonText, fc.nat(), fc.constantFrom('', ',', '"', '}', ']', '\\', '0', '-', '\n', '\u0001', ':'), (text, at, inserted) => {
				const index = at % (text.length + 1);
				// Half a surrogate pair has no UTF-8 form: both sides get what encoding makes of it.
				const damaged = Buffer.from(text.slice(0, index) + inserted + text.slice(index + (inserted === '' ? 1 : 0))).toString();
				// An integer has no negative zero: the test below.
				fc.pre(!isSpecial(damaged) && !/-0(?![.eE\d])/.test(damaged));
				let expected: unknown;
				try {
					expected = JSON.parse(damaged);
				} catch {
					expect(() => read(damaged)).toThrow(JsonSyntaxError);
					return;
				}
				expect(plain(read(damaged))).toEqual(expected);
			}),
			{ numRuns: 500 },
		);
	});

	test('keeps the difference between integers and fractions, and large integers', () => {
		expect(read('[1, 1.0, -0, -0.0, 9007199254740993, 9007199254740991, 1.5e3]')).toEqual([
			1,
			{ double: 1 },
			0,
			{ double: -0 },
			9007199254740993n,
			9007199254740991,
			{ double: 1500 },
		]);
		expect(read('9223372036854775807')).toBe(9223372036854775807n);
		expect(() => read('9223372036854775808')).toThrow(/64 bits/);
		expect(() => read('9'.repeat(1_000_000))).toThrow(/64 bits/);
		expect(() => read('1e5')).toThrow(/exponent/);
	});

	test('keeps the order of keys, the place of the first and the value of the last of equal ones', () => {
		expect([...(read('{"b":1,"1":2,"b":3,"__proto__":4}') as Map<string, JsonValue>)]).toEqual([
			['b', 3],
			['1', 2],
			['__proto__', 4],
		]);
	});

	test('tells a text that ends early from one that is wrong', () => {
		const reason = (text: string): string => {
			try {
				read(text);
			} catch (error) {
				return error instanceof JsonSyntaxError ? `${error.reason} ${error.offset}` : 'other';
			}
			return 'none';
		};
		expect(['', '{', '{"a"', '{"a":', '[1,', '"ab', '"\\u12', 'tru', '-', '1.'].map(reason)).toEqual(
			['', '{', '{"a"', '{"a":', '[1,', '"ab', '"\\u12', 'tru', '-', '1.'].map((text) => `end ${text.length}`),
		);
		expect(['x', '{x', '[1 2]', '"a\u0001"', '"\\q"', 'trux'].map(reason)).toEqual(['syntax 0', 'syntax 1', 'syntax 3', 'syntax 2', 'syntax 2', 'syntax 0']);
	});

	test('reads strings of every length and alignment', () => {
		const json = new ExactJsonReader();
		for (let length = 0; length < 40; length++) {
			for (const character of ['x', 'é', '日', '😀', '\\"', '\\u00e9']) {
				for (let before = 0; before <= length; before += 3) {
					const text = `"${'a'.repeat(before)}${character}${'b'.repeat(length - before)}"`;
					for (let shift = 0; shift < 4; shift++) {
						const bytes = Buffer.from(' '.repeat(shift) + text);
						expect(json.reset(bytes, shift, bytes.length).document()).toBe(JSON.parse(text));
					}
				}
			}
		}
	});

	test('keeps strings apart that share a hash slot, and forgets none when there are many', () => {
		const json = new ExactJsonReader(['known']);
		const texts = Array.from({ length: 20_000 }, (_, index) => `name${index}`);
		for (const round of [0, 1]) {
			expect(json.reset(Buffer.from(JSON.stringify(texts))).document()).toEqual(texts);
			expect(round).toBeLessThan(2);
		}
		expect(json.reset(Buffer.from('"known"')).stringId()).toBe(0);
		const long = 'x'.repeat(10_000);
		expect(json.reset(Buffer.from(`"${long}"`)).stringId()).toBe(-1);
		expect(json.lastString).toBe(long);
	});
});
