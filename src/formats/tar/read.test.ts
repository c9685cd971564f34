import { expect, test } from 'vitest';
import { memorySource, readRange, type Source } from '../../bytes/source.js';
import { isTar, readTar } from './read.js';

interface Fields {
	readonly name?: string;
	readonly prefix?: string;
	readonly type?: string;
	readonly size?: string;
	readonly magic?: string;
	readonly sumOff?: number;
}

/** A header as POSIX has it, its sum in six octal digits. */
function header({ name = 'a', prefix = '', type = '0', size = '0', magic = 'ustar\0', sumOff = 0 }: Fields): Buffer {
	const bytes = Buffer.alloc(512);
	bytes.write(name, 0, 'utf8');
	bytes.write(size, 124, 'latin1');
	bytes.fill(' ', 148, 156);
	bytes.write(type, 156, 'latin1');
	bytes.write(magic, 257, 'latin1');
	bytes.write(prefix, 345, 'utf8');
	const sum = bytes.reduce((total, byte) => total + byte, 0) + sumOff;
	bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
	return bytes;
}

/** A member: header and content, filled up to whole blocks. */
function member(content: string, fields: Fields = {}): Buffer {
	const bytes = Buffer.from(content);
	return Buffer.concat([header({ size: `${bytes.length.toString(8).padStart(11, '0')}\0`, ...fields }), bytes, Buffer.alloc(-bytes.length & 511)]);
}

const END = Buffer.alloc(1024);
const read = (...parts: Buffer[]) => readTar(memorySource('a.tar', Buffer.concat(parts)));
const textOf = (source: Source): string => Buffer.from(readRange(source, 0, source.sizeBytes)).toString();
const contents = (...parts: Buffer[]) => read(...parts).members.map(({ path, source }) => [path, source.name, textOf(source)]);

test('members, each as a part of the archive', () => {
	const { members, problems } = read(member('hello', { name: 'x/a' }), member('', { name: 'empty' }), member('y'.repeat(512), { name: 'b' }), END);
	expect(members.map(({ path, source }) => [path, source.name, textOf(source)])).toEqual([
		['x/a', 'a.tar/x/a', 'hello'],
		['empty', 'a.tar/empty', ''],
		['b', 'a.tar/b', 'y'.repeat(512)],
	]);
	expect(problems).toEqual([]);
});

test('nothing is read behind the end of a member', () => {
	const { source } = read(member('hello'), member('other')).members[0] ?? { source: memorySource('', new Uint8Array()) };
	const target = Buffer.alloc(10, '.');
	expect(source.read(target, 1, 9, 3)).toBe(2);
	expect(target.toString()).toBe('.lo.......');
	expect([source.read(target, 0, 10, 5), source.read(target, 0, 10, 6)]).toEqual([0, 0]);
	expect(target.toString()).toBe('.lo.......');
});

test('regular files only: of the old form, and contiguous ones too', () => {
	const types = ['0', '\0', '7', '1', '2', '5', 'S', 'g'].map((type, i) => member(`${i}`, { type, name: `n${i}` }));
	expect(contents(...types).map(([path, , text]) => [path, text])).toEqual([
		['n0', '0'],
		['n1', '1'],
		['n2', '2'],
	]);
});

test('a prefix stands before the name, but in archives of that form only', () => {
	expect(contents(member('', { name: 'b', prefix: 'a/é' }), member('', { name: 'c', prefix: 'no', magic: '' })).map(([path]) => path)).toEqual(['a/é/b', 'c']);
	const full = { name: 'n'.repeat(100), prefix: 'p'.repeat(155) };
	expect(contents(member('', full)).map(([path]) => path)).toEqual([`${full.prefix}/${full.name}`]);
});

test('long names of GNU and of pax are those of the next member only', () => {
	const pax = (text: string): Buffer => member(text, { type: 'x' });
	expect(
		contents(
			member('long/of/gnu\0rest', { type: 'L' }),
			member('1'),
			member('2'),
			pax('20 mtime=1234567890\n17 path=of pax/ü\n11 uid=1\n'),
			member('3'),
			pax('11 uid=100\n'),
			member('4'),
			member('first', { type: 'L' }),
			pax('11 uid=100\n'),
			member('5'),
			pax('13 path=kept\n'),
			member('', { type: 'g' }),
			member('6'),
			pax('13 path=lost\n'),
			member('', { type: '5' }),
			member('7'),
			pax('13 path=cut'),
			member('8'),
		).map(([path, , text]) => `${text} ${path}`),
	).toEqual(['1 long/of/gnu', '2 a', '3 of pax/ü', '4 a', '5 first', '6 kept', '7 a', '8 a']);
});

test('sizes beyond eight octal digits', () => {
	const binary = (bytes: number[]): string => Buffer.from([0x80, ...Array(11 - bytes.length).fill(0), ...bytes]).toString('latin1');
	expect(contents(member('x'.repeat(258), { size: binary([1, 2]) }), member('next')).map(([, , text]) => text?.length)).toEqual([258, 4]);
	// No file is so large that its size is no whole number.
	expect(read(member('', { size: binary([255, 255, 255, 255, 255, 255, 255, 255]) }))).toMatchObject({ members: [], problems: [{ offsetBytes: 0 }] });
});

test.each([
	['a sum that is another', { sumOff: 1 }],
	['a size that is no number', { size: '12x' }],
	['a size with a digit that is not octal', { size: '8' }],
	['no size', { size: '' }],
])('%s: what follows is left out', (_, wrong) => {
	const { members, problems } = read(member('one'), header(wrong), member('two'));
	expect(members.map(({ source }) => textOf(source))).toEqual(['one']);
	expect(problems).toEqual([
		{
			severity: 'error',
			file: 'a.tar',
			offsetBytes: 1024,
			message: 'expected the header of a member of a tar archive',
			action: 'what follows is left out',
		},
	]);
});

test('an archive that ends within a member', () => {
	const whole = Buffer.concat([member('1'), member('hello', { name: 'b' })]);
	expect(read(whole.subarray(0, 1024 + 512 + 5)).problems).toEqual([]);
	const { members, problems } = read(whole.subarray(0, 1024 + 512 + 3));
	expect(members.map(({ source }) => textOf(source))).toEqual(['1', 'hel']);
	expect(problems).toEqual([
		{ severity: 'error', file: 'a.tar', offsetBytes: 1024, message: 'the archive ends within its member b', action: 'what there is of it is read' },
	]);
	expect(read(whole.subarray(0, 1024 + 511)).members).toHaveLength(1);
	expect(read(whole.subarray(0, 1024 + 512)).members).toHaveLength(2);
});

test('behind a block of zeros nothing is read', () => {
	expect(read(member('1'), Buffer.alloc(512), member('2')).members).toHaveLength(1);
});

test('told by its mark', () => {
	expect(isTar(header({}).toString('latin1'))).toBe(true);
	expect(isTar(header({}).toString('latin1').slice(0, 511))).toBe(false);
	expect(isTar(header({ magic: 'x' }).toString('latin1'))).toBe(false);
});

test('more members than anybody looks at', () => {
	const many = Buffer.alloc(512 * 20_001);
	many.fill(header({}));
	expect(readTar(memorySource('a.tar', many.subarray(512)))).toMatchObject({ members: { length: 20_000 }, problems: [] });
	const { members, problems } = readTar(memorySource('a.tar', many));
	expect(members).toHaveLength(20_000);
	expect(problems).toEqual([
		{ severity: 'error', file: 'a.tar', offsetBytes: 512 * 20_000, message: 'it has more than 20000 members', action: 'the others are left out' },
	]);
});
