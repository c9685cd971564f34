import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { javaDoubleToString, javaFixed } from './java-number.js';

describe('numbers as Java prints them', () => {
	test.each([
		[1, '1.0'],
		[1e-6, '1.0E-6'],
		[12345678.9, '1.23456789E7'],
		[1e7, '1.0E7'],
		[9999999, '9999999.0'],
		[0.001, '0.001'],
		[0.00099, '9.9E-4'],
		[-0, '-0.0'],
		[1.5e300, '1.5E300'],
		[Number.MIN_VALUE, '4.9E-324'],
		[2 ** -1073, '9.9E-324'],
		[Number.MAX_VALUE, '1.7976931348623157E308'],
		[2 ** 63, '9.223372036854776E18'],
		[Number.NaN, 'NaN'],
		[-Infinity, '-Infinity'],
	])('Double.toString(%d)', (value, text) => {
		expect(javaDoubleToString(value)).toBe(text);
	});

	test('Double.toString reads back as the same double', () => {
		fc.assert(
			fc.property(fc.double(), (value) => {
				expect(Number(javaDoubleToString(value))).toBe(value);
			}),
		);
	});

	test.each([
		[1.005, '1.01'],
		[0.125, '0.13'],
		[2.675, '2.68'],
		[0, '0.00'],
		[-0.004, '-0.00'],
		[0.995, '1.00'],
		[9.995, '10.00'],
		[99.995, '100.00'],
		[1e20, '100000000000000000000.00'],
		[1e-9, '0.00'],
		[0.005, '0.01'],
		[0.0049999, '0.00'],
		[123456789.125, '123456789.13'],
		[Number.NaN, 'NaN'],
		[Infinity, 'Infinity'],
	])('%%.2f of %d', (value, text) => {
		expect(javaFixed(value, 2)).toBe(text);
	});

	test('%.2f is at most half a hundredth off', () => {
		fc.assert(
			fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), (value) => {
				expect(Math.abs(Number(javaFixed(value, 2)) - value)).toBeLessThanOrEqual(0.005 + 1e-6);
				expect(javaFixed(value, 2)).toMatch(/^-?\d+\.\d\d$/);
			}),
		);
	});
});
