import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isDTraceProfile, readDTraceProfile } from './read.js';

const TEXT = `CPU     ID                    FUNCTION:NAME
  0  97543                     :profile-1001 11200 0x7f080d12ec2b 1998160631818 0x7f080d12ec2b
  1  97543                     :profile-1001 11201 0x7f08245b9c41 1998163632001 libjvm.so\`ElfSymbolTable::lookup(char const*)
  1  97543                     :profile-1001 11201 cut
`;

test('samples of all processes', () => {
	const { samples, problems } = readDTraceProfile(memorySource('dtrace.txt', Buffer.from(TEXT)));
	expect([...samples.processId]).toEqual([11200, 11201]);
	expect([...samples.address]).toEqual([0x7f080d12ec2bn, 0x7f08245b9c41n]);
	expect([...samples.timeSeconds]).toEqual([1998.160631818, 1998.163632001]);
	expect([...samples.place].map((place) => samples.places[place])).toEqual([
		{ symbol: null, library: null },
		{ symbol: 'ElfSymbolTable::lookup(char const*)', library: 'libjvm.so' },
	]);
	expect(problems).toMatchObject([{ file: 'dtrace.txt', line: 4 }]);
	expect(isDTraceProfile(TEXT)).toBe(true);
	expect(isDTraceProfile('  692.107938: cpu-clock:      55b1 f (/bin/x)\n')).toBe(false);
});

const one = (rest: string) => {
	const { samples, problems } = readDTraceProfile(memorySource('dtrace.txt', Buffer.from(`  0  97543 :profile-1001${rest}\n`)));
	return { addresses: [...samples.address], places: samples.places, problems: problems.length };
};

test.each([
	['library without a function', ' 1 0x10 5 libc.so', 0x10n, { symbol: null, library: 'libc.so' }],
	['a function without a library', ' 1 0x10 5 `f', 0x10n, { symbol: 'f', library: null }],
	['a library with an empty function', ' 1 0x10 5 libc.so`', 0x10n, { symbol: null, library: 'libc.so' }],
	['no place', ' 1 0x10 5', 0x10n, { symbol: null, library: null }],
	['an address in decimal digits', ' 1 1234567890123456789 5', 1234567890123456789n, { symbol: null, library: null }],
	['an address of the kernel', ' 1 0xFFFFFFFFFFFFFFF0 5 0x10', -16n, { symbol: null, library: null }],
])('%s', (_, rest, address, place) => {
	expect(one(rest)).toEqual({ addresses: [address], places: [place], problems: 0 });
});

test.each([
	'',
	' 1',
	' 1 0x10',
	' x1 0x10 5 a`b',
	' 1x 0x10 5 a`b',
	' 1 10x 5 a`b',
	' 1 x0x10 5 a`b',
	' 1 0x10 5x a`b',
	' 1 0x10 x5 a`b',
	' 1 0x12345678123456781 5',
])('"%s" behind the tag is no sample', (rest) => {
	expect(one(rest)).toMatchObject({ addresses: [], problems: 1 });
});

test('the tag may begin the line, and is told with decimal addresses too', () => {
	const text = ':profile-997 12 345 678 a`b\n';
	expect(isDTraceProfile(text)).toBe(true);
	expect(isDTraceProfile(`header\n 0 1 ${text}`)).toBe(true);
	expect(readDTraceProfile(memorySource('x', Buffer.from(text))).samples.length).toBe(1);
});
