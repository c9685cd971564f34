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
