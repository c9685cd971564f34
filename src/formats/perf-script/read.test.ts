import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isPerfScript, readPerfScript } from './read.js';

function read(text: string): ReturnType<typeof readPerfScript> {
	return readPerfScript(memorySource('perf.txt', Buffer.from(text)));
}

test('time, event, address, symbol and file', () => {
	const { samples, problems } = read(
		'  692.107938: cpu-clock:      55b13b0b8687 file_isdir (/usr/bin/bash)\n' +
			'  692.109271: cpu-clock:  ffffffff822018b1 _raw_spin_unlock_irq ([kernel.kallsyms])\n' +
			'  692.200000: task-clock:      7f01 a::b(int, char)   const (/usr/lib/x y/lib.so)\n',
	);
	expect(problems).toEqual([]);
	expect([...samples.timeSeconds]).toEqual([692.107938, 692.109271, 692.2]);
	expect([...samples.address]).toEqual([0x55b13b0b8687n, -0x7ddfe74fn, 0x7f01n]);
	expect(samples.events).toEqual(['cpu-clock', 'task-clock']);
	expect([...samples.event]).toEqual([0, 0, 1]);
	expect([...samples.place].map((place) => samples.places[place])).toEqual([
		{ symbol: 'file_isdir', library: '/usr/bin/bash' },
		{ symbol: '_raw_spin_unlock_irq', library: '[kernel.kallsyms]' },
		{ symbol: 'a::b(int, char) const', library: '/usr/lib/x y/lib.so' },
	]);
});

test("perf's own default form: command, process, cpu and period before the event, modifiers after it", () => {
	const { samples, problems } = read(
		'java 2764/2770 [001] 6046.157274:    1000000 cpu-clock:u:      5653c0de f+0x1 (/app/bin)\n' +
			'C2 CompilerThre  2764  6046.2: cycles:      5653c0df [unknown] ([unknown])\n',
	);
	expect(problems).toEqual([]);
	expect([...samples.timeSeconds]).toEqual([6046.157274, 6046.2]);
	expect(samples.events).toEqual(['cpu-clock', 'cycles']);
	expect([...samples.processId]).toEqual([2764, 2764]);
	expect([...samples.address]).toEqual([0x5653c0den, 0x5653c0dfn]);
});

test('the first frame of a stack is the sampled one', () => {
	const { samples, problems } = read(
		'java 7/8 1.5:     250000 cpu-clock: \n\t    7f8a f+0x1 (/a)\n\t    7f00 main+0x2 (/a)\n\n' +
			'a: b  9  2.5:  1 cycles:u:\n\tffffffff00000010 g ([kernel.kallsyms])\n\n' +
			'java 7/8 3.5:     250000 cpu-clock: \n\n' +
			'java 7/8 4.5:     250000 cpu-clock: \n',
	);
	expect(problems).toMatchObject([{ message: '2 samples have neither an address nor a stack', action: 'they are left out' }]);
	expect([...samples.timeSeconds]).toEqual([1.5, 2.5]);
	expect([...samples.address]).toEqual([0x7f8an, -0xfffffff0n]);
	expect([...samples.processId]).toEqual([7, 9]);
	expect(samples.events).toEqual(['cpu-clock', 'cycles']);
	expect([...samples.place].map((place) => samples.places[place]?.symbol)).toEqual(['f+0x1', 'g']);
});

test('comments and stacks are passed over, other lines are problems', () => {
	const { samples, problems } = read('# captured on: today\n\n  1.0: cpu-clock:  10 f (/a)\n        7f8a main+0x1 (/a)\nPermission error\n');
	expect(samples.length).toBe(1);
	expect(problems).toMatchObject([{ file: 'perf.txt', line: 5, severity: 'warning', action: 'the line is skipped' }]);
});

test('told from other text', () => {
	expect(isPerfScript('# header\n  1.0: cpu-clock:  10 f (/a)\n')).toBe(true);
	expect(isPerfScript('[0.010s][info][gc] Using G1: yes\nhttp://x: y: z\n')).toBe(false);
	expect(isPerfScript('')).toBe(false);
});
