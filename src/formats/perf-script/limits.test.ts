/** Stacks, periods, and lines that are nearly samples. */
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import type { DetailsWanted } from '../../model/samples.js';
import { parsePlace } from './line-reader.js';
import { isPerfScript, readPerfScript } from './read.js';

const read = (text: string, wanted: DetailsWanted = 'all') => readPerfScript(memorySource('perf.txt', Buffer.from(text)), wanted);

/** Addresses of each sample's stack, the innermost first. */
function stacksOf(text: string): number[][] {
	const { stacks, samples } = read(text);
	if (stacks === null) {
		throw new Error('there are no stacks');
	}
	expect(stacks.of.length).toBe(samples.length);
	return [...stacks.of].map((innermost) => {
		const addresses: number[] = [];
		for (let at = innermost; at >= 0; at = stacks.parent[at]!) {
			addresses.push(stacks.address[at]!);
		}
		return addresses;
	});
}

describe('stacks', () => {
	test('belong to the sample before them, up to a blank line or the next sample', () => {
		const text =
			'\t    99 before (/a)\n' +
			'java 7/8 1.5:     250000 cpu-clock: \n\t    7f8a f+0x1 (/a)\n\t    7f00 main+0x2 (/a)\n\n' +
			'java 7/8 2.5:     250000 cpu-clock:  10 alone (/a)\n' +
			'java 7/8 3.5:     250000 cpu-clock: \n\t    ffffffff00000010 k ([k])\n\t    7f00 main+0x2 (/a)\njava 7/8 4.5:     250000 cpu-clock: \n\t    7f8a f+0x1 (/a)\n';
		expect(stacksOf(text)).toEqual([[0x7f8a, 0x7f00], [], [-0xfffffff0, 0x7f00], [0x7f8a]]);
		const { stacks, samples } = read(text);
		if (stacks === null) {
			throw new Error('there are no stacks');
		}
		// Frames that are the same are one place.
		expect(samples.places[stacks.place[stacks.of[0]!]!]).toEqual({ symbol: 'f+0x1', library: '/a' });
		expect(stacks.place[stacks.of[0]!]).toBe(stacks.place[stacks.of[3]!]);
		expect(read(text, 'threads').stacks).toBeNull();
	});

	test('at most 4,096 frames', () => {
		const frames = (count: number) =>
			stacksOf(`java 7/8 1.5: 1 cycles: \n${Array.from({ length: count }, (_, i) => `\t    ${(i + 16).toString(16)} f (/a)\n`).join('')}`)[0]!.length;
		expect([frames(4095), frames(4096), frames(4097)]).toEqual([4095, 4096, 4096]);
	});
});

test('periods, where a line has one', () => {
	const periods = (...lines: string[]) => read(lines.map((line) => `${line}\n`).join('')).periods;
	expect([...periods('java 7/8 1.5:     250000 cpu-clock: 10 f (/a)', '1.6: 7 cycles: 10 f (/a)', 'java 7/8 1.7: cycles: 10 f (/a)')!]).toEqual([250000, 7, 0]);
	expect(periods('java 7/8 1.5: cycles: 10 f (/a)')).toBeNull();
	expect([...periods('java 7/8 1.5: 5 cycles: ', '\t 7f8a f (/a)', '\t 7f00 g (/a)')!]).toEqual([5]);
});

describe('places', () => {
	test('the file is what stands in the last round brackets', () => {
		const place = (text: string) => Object.values(parsePlace(text));
		expect(place(' f+0x1 (/a) ')).toEqual(['f+0x1', '/a']);
		expect(place('(/a)')).toEqual([null, '/a']);
		expect(place('(/a) (/b)')).toEqual(['(/a)', '/b']);
		expect(place('f (x)  g   h (/a (b))')).toEqual(['f (x) g h (/a', 'b)']);
		expect(place('f  g')).toEqual(['f g', null]);
		expect(place('')).toEqual([null, null]);
		expect(place('f (')).toEqual(['f', '']);
		expect(place(' (/a)')).toEqual([null, '/a']);
		expect(place('f  (/a)')).toEqual(['f', '/a']);
		expect(place('f (/a)b)')).toEqual(['f', '/a)b']);
		// A library that was replaced while the program ran; memory that .NET and PHP put their code into.
		expect(place('f() (/lib/a.so (deleted))')).toEqual(['f()', '/lib/a.so']);
		expect(place('[unknown] (/memfd:x (deleted))')).toEqual(['[unknown]', '/memfd:x']);
		expect(place('(deleted))')).toEqual([null, 'deleted)']);
	});
});

describe('lines', () => {
	const one = (line: string) => {
		const { samples, problems } = read(line, 'none');
		return samples.length === 0
			? problems.length
			: [
					samples.timeSeconds[0],
					samples.processId[0],
					samples.events[0],
					samples.modifiers[0],
					samples.address[0],
					samples.places[samples.place[0]!]?.symbol ?? null,
				];
	};

	test('times', () => {
		expect(one('0.000000001: e: 10 f')).toEqual([1e-9, -1, 'e', '', 0x10n, 'f']);
		expect(one('123456789012.345: e: 10 f')).toEqual([123456789012.345, -1, 'e', '', 0x10n, 'f']);
		// More digits than a double holds exactly are rounded as they are elsewhere.
		expect(one('1234567890123.4567: e: 10 f')).toEqual([1234567890123.4568, -1, 'e', '', 0x10n, 'f']);
		expect(one('1.2.3: e: 10 f')).toBe(1);
		expect(one('.5: e: 10 f')).toEqual([0.5, -1, 'e', '', 0x10n, 'f']);
		// What a program printed between samples is none: a time has a fraction.
		expect(one('15: e: 10 f')).toBe(1);
		expect(one('done 15: total: 10 items')).toBe(1);
		expect(one('.: e: 10 f')).toBe(1);
	});

	test('processes', () => {
		const process = (head: string) => (one(`${head} 1.5: e: 10 f`) as unknown[])[1];
		expect([
			process('java 7/8'),
			process('java 7'),
			process('java 7/8 [001]'),
			process('java [001]'),
			process('java'),
			process('7/8'),
			process('a/8'),
			process('x 123456789/1'),
		]).toEqual([7, 7, 7, -1, -1, 7, 8, 123456789]);
		expect(process('x 1234567890/1')).toBe(1234567890);
		expect([process(':-1 5703/-1'), process(':-1 -1/-1'), process('a-b 7/8'), process('x -1/8')]).toEqual([5703, -1, 7, -1]);
	});

	test('events, modifiers and periods', () => {
		expect(one('1.5: 7 cycles:u: 10 f')).toEqual([1.5, -1, 'cycles', ':u', 0x10n, 'f']);
		expect(one('1.5: a:b:c: 10 f')).toEqual([1.5, -1, 'a:b', ':c', 0x10n, 'f']);
		expect(one('1.5: :u: 10 f')).toEqual([1.5, -1, ':u', '', 0x10n, 'f']);
		expect(one('1.5: : 10 f')).toBe(1);
		expect(one('1.5: 7: 10 f')).toEqual([1.5, -1, '7', '', 0x10n, 'f']);
	});

	test('addresses have one to sixteen digits', () => {
		const address = (digits: string) => (one(`1.5: e: ${digits} f`) as unknown[])[4];
		expect(address('0')).toBe(0n);
		expect(address('ffffffffffffffff')).toBe(-1n);
		expect(address('8000000000000000')).toBe(-(2n ** 63n));
		expect(address('7fffffffffffffff')).toBe(2n ** 63n - 1n);
		expect(address('0123456789abcdef')).toBe(0x0123456789abcdefn);
		expect(one('1.5: e: 12345678123456781 f')).toBe(1);
		expect(one('1.5: e: g')).toBe(1);
		expect((one('1.5: e: 1G') as unknown[])[5]).toBe('G');
		expect((one('1.5: e: 1X') as unknown[])[5]).toBe('X');
	});
});

describe('heads of samples whose address stands in the next line', () => {
	const HEAD = 'java 7/8 1.5:     250000 cpu-clock: \n';
	const addresses = (text: string) => [...read(text, 'none').samples.address];
	const messages = (text: string) => read(text, 'none').problems.map(({ message }) => message);
	const WITHOUT = (count: number) => [`${count} samples have neither an address nor a stack`];
	const SKIPPED = [expect.stringContaining('expected a sample of perf script')];

	test('a whole sample behind a head ends the waiting: the next frame is not its own', () => {
		const text = `${HEAD}java 7/8 2.5: 1 cycles: 10 f (/a)\n\t    7f8a g (/a)\n`;
		expect([addresses(text), messages(text)]).toEqual([[0x10n], WITHOUT(1)]);
	});

	test('a head behind a head is no frame, even of a command that reads as an address', () => {
		const text = `${HEAD}dd 9/9 2.5: 1 cycles: \n`;
		expect([addresses(text), messages(text)]).toEqual([[], WITHOUT(2)]);
	});

	test('a frame completes its head with or without blanks before it', () => {
		const text = `${HEAD}7f8a f (/a)\n`;
		expect([addresses(text), messages(text)]).toEqual([[0x7f8an], []]);
	});

	test('an event that nothing ends is no head', () => {
		expect(messages('java 7/8 1.5: cycles\n')).toEqual(SKIPPED);
	});

	test('text behind blanks is no frame unless it begins with an address', () => {
		expect(messages('   the program says: hello\n')).toEqual(SKIPPED);
		expect(messages('\t7f8a f (/a)\n')).toEqual([]);
	});

	test('a command that reads as an address, padded as perf does, is no frame of the stack before it', () => {
		const dd = '              dd 9/9 2.5:     250000 cpu-clock: \n\t    7f00 write (/b)\n';
		expect(stacksOf(`${HEAD}\t    7f8a f (/a)\n${dd}`)).toEqual([[0x7f8a], [0x7f00]]);
		expect(isPerfScript(dd)).toBe(true);
		expect(isPerfScript('              dd 9/9 2.5:     250000 cpu-clock: 7f00 write (/b)\n')).toBe(true);
		expect(messages('      dd 9/9 2.5: no sample\n')).toEqual(SKIPPED);
	});
});

test('told where at least half of the lines that could be samples are', () => {
	const sample = '1.0: e: 10 f (/a)\n';
	expect(isPerfScript(`${sample}other\n`)).toBe(true);
	expect(isPerfScript(`${sample}other\nother\n`)).toBe(false);
	expect(isPerfScript(`${sample}${sample}${'other\n'.repeat(2)}# comment\n\n`)).toBe(true);
});
