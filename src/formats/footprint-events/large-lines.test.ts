/** Files of several pieces, and lines that are longer than a piece. */
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import type { FootprintEventSink } from '../../model/footprint-events.js';
import { FootprintEventReader, readFootprintEvents } from './read.js';

type Call = readonly unknown[];

function recorder(): { readonly calls: Call[]; readonly sink: FootprintEventSink } {
	const calls: Call[] = [];
	const names = ['compileStart', 'compileEnd', 'phaseStart', 'phaseEnd', 'allocate', 'free'];
	const sink = Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => void calls.push([name, ...args])]));
	return { calls, sink: sink as unknown as FootprintEventSink };
}

function callsOf(...lines: string[]): { calls: Call[]; events: number; skipped: (number | undefined)[] } {
	const { calls, sink } = recorder();
	const { problems, events } = readFootprintEvents(memorySource('events', Buffer.from(lines.join('\n'))), sink);
	return { calls, events, skipped: problems.map(({ line }) => line) };
}

test('files of several pieces, lines that are longer than a piece', () => {
	const line = (i: number): string => `{"event":"phase-start","thread":"T","compileId":${i},"phase":"a phase of some length"}`;
	const long = `{"event":"phase-end","thread":"${'x'.repeat(1_500_000)}"}`;
	const lines = Array.from({ length: 20_000 }, (_, i) => (i === 10_000 ? long : line(i)));
	const { calls, events, skipped } = callsOf(...lines);
	expect([events, skipped]).toEqual([20_000, []]);
	expect(calls.every((call, i) => (i === 10_000 ? call[0] === 'phaseEnd' && (call[1] as string).length === 1_500_000 : call[2] === String(i)))).toBe(true);
});

test('a line of more than 16 MiB is no event; the next one is', () => {
	const { calls, sink } = recorder();
	const reader = new FootprintEventReader('events', sink);
	const event = '{"event":"phase-end"}';
	reader.push(Buffer.from(`${event}\n{"event":"phase-end","x":"`));
	for (let i = 0; i < 3; i++) {
		reader.push(Buffer.alloc(6 << 20, 'x'));
	}
	expect(reader.pendingBytes).toBe(0);
	reader.push(Buffer.from(`"}\n${event}\nnone\n${event}`));
	const { problems, events } = reader.finish();
	expect([events, calls.length, problems.map(({ line }) => line)]).toEqual([3, 3, [2, 4]]);
});

test('a line of 16 MiB is read', () => {
	const { calls, sink } = recorder();
	const reader = new FootprintEventReader('events', sink);
	const start = '{"event":"phase-end","x":"';
	reader.push(Buffer.from(start));
	reader.push(Buffer.alloc((16 << 20) - start.length, 'x'));
	reader.push(Buffer.from('"}\n'));
	expect([reader.finish().events, calls.length]).toEqual([1, 1]);
});

test('a file that ends within a line that is too long', () => {
	const { sink } = recorder();
	const reader = new FootprintEventReader('events', sink);
	reader.push(Buffer.alloc((16 << 20) + 1, 'x'));
	const { problems, events } = reader.finish();
	expect([events, problems.map(({ line }) => line)]).toEqual([0, [1]]);
});
