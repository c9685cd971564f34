import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isHprofText, readHprofText } from './read.js';

test('methods by samples, with the lines of their traces', () => {
	const text =
		'JAVA PROFILE 1.0.1, created Fri Oct 22 12:12:14 2004\n\nTRACE 300027:\n\tjava.util.zip.ZipFile.getEntry(ZipFile.java:310)\n\tjava.util.jar.JarFile.getEntry(JarFile.java:208)\n' +
		'TRACE 300135:\n\tjava.util.zip.ZipFile.getNextEntry(ZipFile.java:Unknown line)\nCPU SAMPLES BEGIN (total = 126) Fri Oct 22 12:12:14 2004\nrank   self  accum   count trace method\n' +
		'   1 53.97% 53.97%      68 300027 java.util.zip.ZipFile.getEntry\n   2 17.46% 71.43%      22 300135 java.util.zip.ZipFile.getNextEntry\n   x\nCPU SAMPLES END\n';
	expect(isHprofText(text)).toBe(true);
	const { leaves, samples, wholeStacks, problems } = readHprofText(memorySource('a', Buffer.from(text)));
	expect(samples).toBe(90);
	expect(leaves).toEqual([
		{ thread: null, method: 'java.util.zip.ZipFile.getEntry', line: 310, samples: 68 },
		{ thread: null, method: 'java.util.zip.ZipFile.getNextEntry', line: -1, samples: 22 },
	]);
	expect(wholeStacks.stacks.map(({ frames, samples: own }) => [frames.map((frame) => wholeStacks.names[frame]).join(' > '), own])).toEqual([
		['java.util.jar.JarFile.getEntry > java.util.zip.ZipFile.getEntry', 68],
		['java.util.zip.ZipFile.getNextEntry', 22],
	]);
	expect(problems).toHaveLength(1);
});
