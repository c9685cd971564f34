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
