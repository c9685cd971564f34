import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forEachLine, forEachLineOfBytes, hasOpenEnd, type Passage } from './lines.js';
import { memorySource, type Source } from './source.js';

const sourceOf = (text: string): Source => memorySource('text', Buffer.from(text));

/** Each line with its offset and its number. */
function linesOf(source: Source, chunkBytes?: number): [string, number, number][] {
	const lines: [string, number, number][] = [];
	forEachLine(source, (line, offset, number) => lines.push([line, offset, number]), chunkBytes);
	return lines;
}

describe('lines', () => {
	test('end with \\n or \\r\\n, the last one perhaps with neither', () => {
		expect(linesOf(sourceOf('one\ntwo\r\n\n\r\nthree\rx\r\r\nlast'))).toEqual([
			['one', 0, 1],
			['two', 4, 2],
			['', 9, 3],
			['', 10, 4],
			['three\rx\r', 12, 5],
			['last', 22, 6],
		]);
		expect([linesOf(sourceOf('')), linesOf(sourceOf('\n')), linesOf(sourceOf('a')), linesOf(sourceOf('a\r'))]).toEqual([
			[],
			[['', 0, 1]],
			[['a', 0, 1]],
			[['a', 0, 1]],
		]);
	});

	test('that are no UTF-8 are read as far as they are', () => {
		expect(linesOf(memorySource('bytes', Uint8Array.of(0x61, 0xff, 0x62, 0x0a, 0xc3, 0xa4)))).toEqual([
			['a\ufffdb', 0, 1],
			['ä', 4, 2],
		]);
	});

	test('are the same however much is read at a time, and by sources that give less than was asked for', () => {
		fc.assert(
			fc.property(
				fc.array(fc.constantFrom('a', 'bc', '\n', '\r', '\r\n', 'long line'), { maxLength: 40 }),
				fc.integer({ min: 1, max: 9 }),
				fc.integer({ min: 1, max: 5 }),
				(parts, chunkBytes, most) => {
					const text = parts.join('');
					const source = sourceOf(text);
					const slow: Source = { ...source, read: (target, at, length, position) => source.read(target, at, Math.min(length, most), position) };
					const wanted = text.split('\n').map((line) => line.replace(/\r$/, ''));
					if (text === '' || text.endsWith('\n')) {
						wanted.pop();
					}
					for (const [from, bytes] of [
						[source, chunkBytes],
						[slow, 1 << 20],
						[slow, chunkBytes],
					] as const) {
						const lines = linesOf(from, bytes);
						expect(lines.map(([line]) => line)).toEqual(wanted);
						expect(lines.map(([, , number]) => number)).toEqual(wanted.map((_, i) => i + 1));
						for (const [line, offset] of lines) {
							expect(text.slice(offset, offset + line.length)).toBe(line);
							expect(offset === 0 || text[offset - 1] === '\n').toBe(true);
						}
					}
				},
			),
		);
	});
});

test('lines that nobody looks at are counted, and not given: from the one behind that before them up to the first that does not go on', () => {
	const text = 'a\n<code>\r\n x\n y\r\nb\n c\n<code>\n<code>\n z\nd\n';
	const is = (bytes: Uint8Array, start: number, end: number, wanted: string): boolean => Buffer.from(bytes.subarray(start, end)).toString().startsWith(wanted);
	const passage: Passage = { isBefore: (bytes, start, end) => end - start === 6 && is(bytes, start, end, '<code>'), goesOn: (...line) => is(...line, ' ') };
	for (const chunkBytes of [1, 4, 100]) {
		const lines: [string, number, number][] = [];
		forEachLineOfBytes(
			sourceOf(text),
			(bytes, start, end, offset, number) => lines.push([Buffer.from(bytes.subarray(start, end)).toString(), offset, number]),
			chunkBytes,
			passage,
		);
		expect(lines).toEqual([
			['a', 0, 1],
			['<code>', 2, 2],
			['b', 17, 5],
			[' c', 19, 6],
			['<code>', 22, 7],
			['<code>', 29, 8],
			['d', 39, 10],
		]);
	}
});

test('whether the last line has no end', () => {
	expect(['', 'a\n', '\n', 'a', 'a\nb', 'a\r'].map((text) => hasOpenEnd(sourceOf(text)))).toEqual([false, false, false, true, true, true]);
	// A source that has less than it says.
	expect(hasOpenEnd({ ...sourceOf('a'), sizeBytes: 5 })).toBe(false);
});

/** Lines of a, `<code>` and lines of it, of which many are longer than what is worth passing over. */
const TEXTS = fc
	.array(
		fc.oneof(
			fc.constant('a\n'),
			fc.constant('<code>\n'),
			fc.constant(' short\n'),
			fc.constant(` ${'x'.repeat(40_000)}\r\n`),
			fc.constant(`${'y'.repeat(70_000)}\n`),
		),
		{
			maxLength: 40,
		},
	)
	.map((parts) => parts.join(''));

test('that nobody looks at are not read again, and the others are the same', () => {
	const is = (bytes: Uint8Array, start: number, wanted: string): boolean => Buffer.from(bytes.subarray(start, start + wanted.length)).toString() === wanted;
	const passage: Passage = { isBefore: (bytes, start) => is(bytes, start, '<code>'), goesOn: (bytes, start) => is(bytes, start, ' ') };
	const read = (source: Source, by: Passage, chunkBytes?: number): [number, number, number, number][] => {
		const lines: [number, number, number, number][] = [];
		forEachLineOfBytes(source, (bytes, start, end, offset, number) => lines.push([bytes[start] ?? 0, end - start, offset, number]), chunkBytes, by);
		return lines;
	};
	fc.assert(
		fc.property(TEXTS, fc.nat(3), (text, every) => {
			const whole = sourceOf(text);
			const expected = read(whole, passage);
			let bytesRead = 0;
			const lent: Source = {
				...whole,
				lends: whole,
				read(...range) {
					const count = whole.read(...range);
					bytesRead += count;
					return count;
				},
			};
			// Who passes over some of them, and leaves others to those who come later.
			let heads = 0;
			const some: Passage = { isBefore: (...line) => passage.isBefore(...line) && heads++ % 4 <= every, goesOn: passage.goesOn, of: passage };
			const lines = read(lent, some);
			expect(lines.filter(([first]) => first !== 0x20)).toEqual(expected.filter(([first]) => first !== 0x20));
			expect(read(lent, passage)).toEqual(expected);
			bytesRead = 0;
			expect(read(lent, passage, 1000)).toEqual(expected);
			const long = passagesOf(text).filter((length) => length >= 1 << 16);
			expect(bytesRead).toBe(text.length - long.reduce((sum, length) => sum + length, 0));
		}),
		{ numRuns: 60 },
	);
});

/** Bytes behind each `<code>` that begin with a blank. */
function passagesOf(text: string): number[] {
	return [...text.matchAll(/^<code>\n((?: [^\n]*\n)*)/gm)].map(([, passage = '']) => passage.length);
}
