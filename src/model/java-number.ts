/**
 * Numbers as Java prints them: our reports are compared byte for byte with those of Java tools.
 *
 * Double.toString since JDK 19 (JDK-4511638) prints the shortest decimal that reads back as the same double, as JavaScript
 * does; only the layout differs. Formatter's %.2f rounds half up on that decimal, not on the binary value: 1.005 gives 1.01.
 */

/** Java's Double.toString. */
export function javaDoubleToString(value: number): string {
	if (Number.isNaN(value)) {
		return 'NaN';
	}
	if (!Number.isFinite(value)) {
		return value > 0 ? 'Infinity' : '-Infinity';
	}
	const sign = value < 0 || Object.is(value, -0) ? '-' : '';
	const magnitude = Math.abs(value);
	if (magnitude === 0) {
		return `${sign}0.0`;
	}
	const { digits, exponent } = shortestDecimal(magnitude);
	if (magnitude >= 1e-3 && magnitude < 1e7) {
		const point = exponent + 1;
		if (point <= 0) {
			return `${sign}0.${'0'.repeat(-point)}${digits}`;
		}
		return `${sign}${digits.slice(0, point).padEnd(point, '0')}.${digits.slice(point) || '0'}`;
	}
	return `${sign}${digits[0]}.${digits.slice(1) || '0'}E${exponent}`;
}

/** Java's String.format("%.Nf"), without grouping: half up on the shortest decimal; NaN and Infinity as words. */
export function javaFixed(value: number, fractionDigits: number): string {
	if (Number.isNaN(value)) {
		return 'NaN';
	}
	if (!Number.isFinite(value)) {
		return value > 0 ? 'Infinity' : '-Infinity';
	}
	const sign = value < 0 || Object.is(value, -0) ? '-' : '';
	const magnitude = Math.abs(value);
	const { digits, exponent } = magnitude === 0 ? { digits: '0', exponent: 0 } : shortestDecimal(magnitude);
	// All digits before and after the decimal point, with room for a carry in front.
	const point = Math.max(exponent + 1, 0);
	const all = '0'.repeat(Math.max(-(exponent + 1), 0)) + digits;
	const kept = all.slice(0, point + fractionDigits).padEnd(point + fractionDigits, '0');
	const roundsUp = (all[point + fractionDigits] ?? '0') >= '5';
	const rounded = roundsUp ? increment(`0${kept}`) : `0${kept}`;
	const integer = rounded.slice(0, rounded.length - fractionDigits).replace(/^0+(?=\d)/, '');
	const fraction = rounded.slice(rounded.length - fractionDigits);
	return fractionDigits === 0 ? sign + integer : `${sign}${integer}.${fraction}`;
}

/** The decimal digits d1 d2 … of value = d1.d2… × 10^exponent: the fewest that identify the double. */
function shortestDecimal(magnitude: number): { digits: string; exponent: number } {
	let text = magnitude.toExponential();
	if (text[1] !== '.' && magnitude < 1e-300) {
		// Java never prints fewer than two digits, and takes the two that come nearest: it shows in the subnormals (4.9E-324).
		const two = magnitude.toExponential(1);
		if (Number(two) === magnitude) {
			text = two;
		}
	}
	const [mantissa = '', exponent = ''] = text.split('e');
	const digits = mantissa.replace('.', '');
	return { digits: digits.replace(/(?<=[^0])0+$/, ''), exponent: Number(exponent) };
}

function increment(digits: string): string {
	let i = digits.length - 1;
	while (digits[i] === '9') {
		i--;
	}
	return digits.slice(0, i) + String(Number(digits[i]) + 1) + '0'.repeat(digits.length - 1 - i);
}
