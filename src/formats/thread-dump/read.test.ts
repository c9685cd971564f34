import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import { isThreadDumpJson, readThreadDumpJson } from './json.js';
import type { ThreadDumps } from './series.js';
import { isThreadDump, readThreadDumps } from './text.js';

const folder = path.resolve(import.meta.dirname, '..', '..', '..', 'fixtures', 'jvm', 'thread-dumps');

function bytesOf(name: string): Buffer {
	return zlib.gunzipSync(fs.readFileSync(path.join(folder, `${name}.gz`)));
}

/** Of a thread: state, depth, innermost method and line, of each dump. */
function ofThread({ samples }: ThreadDumps, name: string): string[] {
	const { stacks, frames } = samples;
	return Array.from({ length: samples.length }, (_, i) => {
		const start = stacks.starts[samples.stack[i]!]!;
		const frame = stacks.frame[start]!;
		const depth = stacks.starts[samples.stack[i]! + 1]! - start;
		const row = `${samples.states[samples.state[i]!]} ${depth} ${frames.methods[frames.method[frame]!]?.row}:${frames.line[frame]}`;
		return samples.threads[samples.thread[i]!]?.name === name ? [row] : [];
	}).flat();
}

function readText(name: string): ThreadDumps {
	const bytes = bytesOf(name);
	expect(isThreadDump(bytes.toString('latin1', 0, 1 << 16))).toBe(true);
	const dumps = readThreadDumps(memorySource(name, bytes));
	expect(dumps.problems).toEqual([]);
	return dumps;
}

test('jstack of JDK 17, twice in a file', () => {
	const dumps = readText('jdk17-jstack.txt');
	expect(dumps.dumps).toBe(2);
	expect(ofThread(dumps, 'mixer')).toEqual(['RUNNABLE 4 Mixer.divide:14', 'RUNNABLE 4 Mixer.divide:14']);
	expect(ofThread(dumps, 'main')).toEqual(['WAITING 4 java.lang.Object.wait:-1', 'WAITING 4 java.lang.Object.wait:-1']);
	expect(ofThread(dumps, 'sleeper')[0]).toMatch(/^TIMED_WAITING \d jdk\.internal\.misc\.Unsafe\.park:-1$/);
	expect(ofThread(dumps, 'C2 CompilerThread0')).toEqual([]);
	expect(dumps.samples.threads.find(({ name }) => name === 'main')?.id).toBe(0x2197);
});

test('SIGQUIT: dumps on standard output; jcmd Thread.print -l -e', () => {
	expect(readText('jdk17-sigquit.txt').dumps).toBe(2);
	const printed = readText('jdk17-thread-print-l-e.txt');
	expect(printed.dumps).toBe(1);
	expect(ofThread(printed, 'mixer')).toHaveLength(1);
});

test('jstack -l -e of JDK 25: a carrier is its virtual thread', () => {
	const dumps = readText('jdk25-jstack-l-e.txt');
	expect(ofThread(dumps, 'ForkJoinPool-1-worker-1')).toEqual(['RUNNABLE 8 Virt.spin:2']);
	expect(ofThread(dumps, 'ForkJoinPool-1-worker-2')).toEqual(['WAITING 5 jdk.internal.misc.Unsafe.park:-1']);
	expect(readText('jdk25-jstack.txt').dumps).toBe(3);
});

test('Thread.dump_to_file as text and JSON: virtual threads, states and times', () => {
	const text = readText('jdk25-dump-to-file.txt');
	const bytes = bytesOf('jdk25-dump-to-file.json');
	expect(isThreadDumpJson(bytes.toString('latin1', 0, 100))).toBe(true);
	const json = readThreadDumpJson(memorySource('a.json', bytes));
	for (const dumps of [text, json]) {
		expect(dumps.dumps).toBe(1);
		expect(dumps.problems).toEqual([]);
		expect(ofThread(dumps, 'main')).toEqual(['WAITING 6 java.lang.Object.wait0:-1']);
		expect(ofThread(dumps, 'virt-1')).toEqual([expect.stringMatching(/^RUNNABLE \d+ Virt\.spin:2$/)]);
		expect(ofThread(dumps, 'mapper ö')).toHaveLength(1);
		expect(dumps.samples.timeNs?.[0]).toBe(0);
		expect(dumps.samples.timeNs?.at(-1)).toBeGreaterThan(0);
	}
	expect(text.samples.originEpochNs).toBe(BigInt(Date.parse('2026-11-21T07:02:49Z')) * 1_000_000n + 895682130n);
});

test('ThreadInfo and getAllStackTraces: loaders and modules before names, cut stacks, guessed states', () => {
	const dumps = readText('jdk25-thread-info.txt');
	expect(dumps.dumps).toBe(5);
	expect(
		ofThread(dumps, 'mixer')
			.slice(0, 4)
			.every((row) => /^RUNNABLE \d Mixer\./.test(row)),
	).toBe(true);
	expect(ofThread(dumps, 'sleeper').at(-1)).toBe('WAITING 6 jdk.internal.misc.Unsafe.park:-1');
	expect(ofThread(dumps, 'mixer').at(-1)).toBe(' 5 Mixer.divide:14');
	expect(dumps.samples.stacks.isTruncated.some((isTruncated) => isTruncated === 1)).toBe(true);
	expect(dumps.samples.frames.methods.some(({ row }) => row === 'Mixer$$Lambda/0x00000000a0040c00.run')).toBe(true);
});

describe('damage', () => {
	test('frames that are cut are told', () => {
		const { problems, samples } = readThreadDumps(
			memorySource('a', Buffer.from('"a" #1 prio=5\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.c(B.java:1\n\tat a.B.d(B.java:2)\n')),
		);
		expect(samples.length).toBe(1);
		expect(problems).toHaveLength(1);
	});

	test('other files are none', () => {
		expect(isThreadDump('"a";"b"\n1;2\n')).toBe(false);
		expect(isThreadDump('# comment\n"x" 1\n')).toBe(false);
		expect(isThreadDumpJson('{"a": 1}')).toBe(false);
	});

	test('anything may be changed or cut', () => {
		const inputs = ['jdk25-jstack-l-e.txt', 'jdk25-thread-info.txt', 'jdk25-dump-to-file.json'].map(bytesOf);
		fc.assert(
			fc.property(fc.array(fc.record({ at: fc.nat(), value: fc.nat(255) }), { maxLength: 80 }), fc.nat(), (changes, cut) => {
				for (const input of inputs) {
					const copy = Buffer.from(input);
					for (const { at, value } of changes) {
						copy[at % copy.length] = value;
					}
					const source = memorySource('a', copy.subarray(0, cut % 3 === 0 ? cut % copy.length : copy.length));
					expect(readThreadDumps(source).samples.length).toBeLessThan(1000);
					expect(readThreadDumpJson(source).samples.length).toBeLessThan(1000);
				}
			}),
			{ numRuns: 40 },
		);
	});
});

describe('by hand', () => {
	const dumpsOf = (text: string): ThreadDumps => readThreadDumps(memorySource('a', Buffer.from(text)));
	const json = (text: string): ThreadDumps => readThreadDumpJson(memorySource('a.json', Buffer.from(text)));
	const threadsOf = ({ samples }: ThreadDumps) => samples.threads.map(({ name, id }) => [name, id]);

	test('JSON that is cut, none at all, or of another shape', () => {
		const whole =
			'{"threadDump": {"threadContainers": [{"threads": [{"name": "", "stack": ["a.B.c(B.java:1)", 7, "no frame"]}, null, {"name": 5}]}, null, 7]}}';
		const { samples, problems, dumps } = json(`${whole}\n{"threadDump": x}\n{"threadDump": {"threadContainers": 5}}\n{"threadDump": null}\n{"threadDump": {`);
		expect([samples.length, samples.timeNs, dumps]).toEqual([1, null, 3]);
		expect(threadsOf({ samples, problems, dumps })).toEqual([[null, -1]]);
		expect(samples.frames.bci).toEqual(Int32Array.of(-1));
		const problem = { severity: 'warning', file: 'a.json', action: 'the dump is skipped' };
		expect(problems).toEqual([
			{ ...problem, offsetBytes: whole.length + 1, message: 'is no JSON' },
			{ ...problem, offsetBytes: expect.any(Number), message: 'the file ends inside a dump' },
		]);
	});

	test('times: of the thread, else of the dump, in nanoseconds since the first one', () => {
		const thread = (time: string): string => `{"name": "a", "stack": ["a.B.c(B.java:1)"]${time}}`;
		const { samples } = json(
			`{"threadDump": {"time": "2026-11-21T07:00:00Z", "threadContainers": [{"threads": [${[
				thread(', "time": "2026-11-21T07:00:01.5Z"'),
				thread(''),
				thread(', "time": "2026-11-21T07:00:01.500000001Z"'),
				thread(', "time": "2026-11-21T07:00:01Zulu"'),
			].join()}]}]}}`,
		);
		expect([...(samples.timeNs ?? [])]).toEqual([0, -1_500_000_000, 1, Number.NaN]);
	});

	test('a carrier whose virtual thread is not printed is no sample; a blank line ends a thread', () => {
		const text =
			'"c" #1 prio=5\n   Carrying virtual thread #22\n\tat a.B.c(B.java:1)\n"d" #2\n\tat a.B.d(B.java:1)\n not at a.B\n  \n\tat a.B.lost(B.java:2)\n';
		const dumps = dumpsOf(text);
		expect(ofThread(dumps, 'c')).toEqual([]);
		expect(ofThread(dumps, 'd')).toEqual([' 1 a.B.d:1']);
		expect([dumps.problems, dumps.dumps]).toEqual([[], 1]);
	});

	test.each([
		['"a" #1\n\tat a.B.c(B.java:1)', true],
		['"a" #1\n\tat a.B.c(B.java:1) x', false],
		['"a" #1\n    a.B.c(B.java:1)', true],
		['"a" #1\n   a.B.c(B.java:1)', false],
		['"a" #1\n    a.B.c()', false],
		['"a" #1\n   java.lang.Thread.State: RUNNABLE', true],
		['#22 "a" virtual\n      a.B.c(B.java:1)', true],
		['#22 a\n      a.B.c(B.java:1)', false],
		['Thread[#22,a,5,main]\n\tat a.B.c(B.java:1)', true],
		['VirtualThread[#22,a]/runnable\n\tat a.B.c(B.java:1)', true],
		['The end\n\tat a.B.c(B.java:1)', false],
		['x\nFull thread dump OpenJDK', true],
		['x Full thread dump OpenJDK', false],
	])('%j is a dump: %s', (head, is) => {
		expect(isThreadDump(`${head}\n`)).toBe(is);
	});
});
