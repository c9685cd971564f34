import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { readPerfScript } from './read.js';

function threadsOf(text: string): string[] {
	const { samples, threads } = readPerfScript(memorySource('perf.txt', Buffer.from(text)), 'threads');
	expect(threads?.of.length).toBe(samples.length);
	return [...(threads?.of ?? [])].map((number) => `${threads?.threads[number]?.name}/${threads?.threads[number]?.id}`);
}

test('name and number of the thread, whatever the name, with and without stacks', () => {
	const text =
		'           stall 23326/23341  5431.570010: cpu-clock:      7f84a3ec81a2 [unknown] (/tmp/perf-23326.map)\n' +
		'C2 CompilerThre  2764  6046.2: cycles:      5653c0df [unknown] ([unknown])\n' +
		'pool-1: 3: a.b: 7 27644/27683 [012] 1283.233250: 1 cpu/event=0x3c/: 7f01 f (/a)\n' +
		'  1.5: cpu-clock:  10 f (/a)\n' +
		'java 7/8 2.5:     250000 cpu-clock: \n\t    7f8a f+0x1 (/a)\n\t    7f00 main+0x2 (/a)\n\n' +
		'nonsense\n' +
		'java 7/9 3.5:     250000 cpu-clock: \n\n';
	expect(threadsOf(text)).toEqual(['stall/23341', 'C2 CompilerThre/2764', 'pool-1: 3: a.b: 7/27683', '/-1', 'java/8']);
});

test('a thread is one, however often it is sampled; another name or number is another one', () => {
	const lines = ['java 7/8 1.5: e: 10 f', 'java 7/9 1.6: e: 10 f', 'main 7/8 1.7: e: 10 f', 'java 7/8 1.8: e: 10 f'];
	const { threads } = readPerfScript(memorySource('perf.txt', Buffer.from(lines.join('\n'))), 'threads');
	expect(threads?.threads).toEqual([
		{ name: 'java', id: 8 },
		{ name: 'java', id: 9 },
		{ name: 'main', id: 8 },
	]);
	expect([...(threads?.of ?? [])]).toEqual([0, 1, 2, 0]);
});

test('only for those who ask', () => {
	expect(readPerfScript(memorySource('perf.txt', Buffer.from('java 7/8 1.5: cpu-clock: 7f01 f (/a)\n'))).threads).toBeNull();
});
