/** Single lines by hand: what they mean, and whether the fast way takes them. */
import { expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import type { FootprintEventSink } from '../../model/footprint-events.js';
import { isFootprintEvents } from './detect.js';
import { type EventFields, fieldsOfObject } from './event-fields.js';
import { FlatLineReader } from './flat-line.js';
import { FootprintEventReader, readFootprintEvents } from './read.js';
import { footprintEventWriter } from './write.js';

/** What the line means beside the event `compile-end`; null: it is none. */
const LINES: readonly (readonly [line: string, isFast: boolean, fields: Partial<EventFields> | null])[] = [
	['"bytes":0', true, { bytes: 0 }],
	['"bytes":-5', true, { bytes: -5 }],
	['"bytes":-0', false, { bytes: -0 }],
	['"bytes":007', false, null],
	['"bytes":0.5', true, { bytes: 0.5 }],
	['"bytes":10.25', true, { bytes: 10.25 }],
	['"bytes":10.05', true, { bytes: 10.05 }],
	['"bytes":1.95', true, { bytes: 1.95 }],
	['"chunk":"a0x1f"', true, { chunk: 'a0x1f' }],
	['"bytes":00.5', false, null],
	['"bytes":1.2.3', false, null],
	['"bytes":1.', false, null],
	['"bytes":.5', false, null],
	['"bytes":-', false, null],
	['"bytes":1e3', false, { bytes: 1000 }],
	['"bytes":1234567890123456', true, { bytes: 1234567890123456 }],
	['"bytes":12345678901234568', false, { bytes: 12345678901234568 }],
	['"bytes":1/', false, null],
	['"bytes":1:', false, null],
	['"bytes":/', false, null],
	['"bytes"::', false, null],
	['"bytes":null', true, { bytes: -1 }],
	['"bytes":nul', false, null],
	['"bytes":"12"', false, null],
	['"nodes":7', true, { nodes: 7 }],
	['"level":4', true, { level: 4 }],
	['"level":null', true, { level: null }],
	['"level":"4"', false, null],
	['"osrBci":-1', true, { osrBci: -1 }],
	['"limitBytes":"x"', false, null],
	['"compileId":7', true, { compileId: '7' }],
	['"compileId":7.5', true, { compileId: '7.5' }],
	['"compileId":"7%"', true, { compileId: '7%' }],
	['"compileId":null', true, { compileId: null }],
	['"method":null', true, { method: '' }],
	['"method":5', true, { method: '5' }],
	['"phase":null', true, { phase: null }],
	['"phase":5', true, { phase: '5' }],
	['"phase":""', true, { phase: '' }],
	['"phase":"parse"', true, { phase: 'parse' }],
	['"phase":"parse"', true, { phase: 'parse' }],
	['"phase":"parser"', true, { phase: 'parser' }],
	['"phase":"pars"', true, { phase: 'pars' }],
	['"phase":"é"', true, { phase: 'é' }],
	['"phase":"a\\n"', false, { phase: 'a\n' }],
	['"phase":"a\t"', false, null],
	['"phase":"a', false, null],
	['"phase":"a","phase":null', true, { phase: null }],
	['"arena":"a","thread":"t","allocatedInPhase":"p"', true, { arena: 'a', thread: 't', allocatedInPhase: 'p' }],
	['"arena":"a","thread":"u","allocatedInPhase":"q"', true, { arena: 'a', thread: 'u', allocatedInPhase: 'q' }],
	['"chunk":"0x1f","arenaAddress":"0x2f"', true, { chunk: 0x1f, arenaAddress: 0x2f }],
	['"chunk":"0x1f","arenaAddress":"0x2f"', true, { chunk: 0x1f, arenaAddress: 0x2f }],
	['"chunk":"0xf"', true, { chunk: 15 }],
	['"chunk":"0x09af"', true, { chunk: 0x9af }],
	['"chunk":"0x"', true, { chunk: '0x' }],
	['"chunk":"0x1fffffffffffff"', true, { chunk: '0x1fffffffffffff' }],
	['"chunk":"0xfffffffffffff"', true, { chunk: 2 ** 52 - 1 }],
	['"chunk":"0x123456789abcd"', true, { chunk: 0x123456789abcd }],
	['"chunk":"0x10000000000000"', true, { chunk: '0x10000000000000' }],
	['"chunk":"0xABC"', true, { chunk: '0xABC' }],
	['"chunk":"0x1g"', true, { chunk: '0x1g' }],
	['"chunk":"0x1`"', true, { chunk: '0x1`' }],
	['"chunk":"0x1:"', true, { chunk: '0x1:' }],
	['"chunk":"0x1/"', true, { chunk: '0x1/' }],
	['"chunk":"1x1f"', true, { chunk: '1x1f' }],
	['"chunk":"0X1f"', true, { chunk: '0X1f' }],
	['"chunk":5', true, { chunk: 5 }],
	['"chunk":null', true, { chunk: null }],
	['"arenaAddress":"arena-1"', true, { arenaAddress: 'arena-1' }],
	['"t":"1.5"', true, { seconds: 1.5 }],
	['"t":1.5', true, { seconds: 1.5 }],
	['"t":12', true, { seconds: 12 }],
	['"t":"12"', true, { seconds: 12 }],
	['"t":""', true, { seconds: null }],
	['"t":null', true, { seconds: null }],
	['"t":"x"', true, { seconds: null }],
	['"t":"1x"', true, { seconds: null }],
	['"t":"1/"', true, { seconds: null }],
	['"t":"1:"', true, { seconds: null }],
	['"t":".5"', true, { seconds: 0.5 }],
	['"t":"5."', true, { seconds: 5 }],
	['"t":"1.2.3"', true, { seconds: null }],
	['"t":"1671.63848852044"', true, { seconds: 1671.63848852044 }],
	['"t":"1671.6384885204411"', true, { seconds: 1671.6384885204411 }],
	['"x":5,"y":"z","w":null', true, {}],
	['"x":true', false, {}],
	['"x":{"phase":"a"}', false, {}],
	['"phase":true', false, null],
	['"phase":["a"]', false, null],
	[' "phase" : "blanks" , "bytes" : 3 ', true, { phase: 'blanks', bytes: 3 }],
	['"phase" "a"', false, null],
	['"phase"', false, null],
	['phase:"a"', false, null],
	['"phase":"a";"bytes":3', false, null],
	['"phase":"a",', false, null],
	['"phase":', false, null],
];

const NOTHING = fieldsOfObject('{}');
const whole = (line: string): string => `{"event":"compile-end",${line}}`;
const expected = (fields: Partial<EventFields>) => ({ ...NOTHING, event: 'compile-end', ...fields });

test.each(LINES)('{%s}', (line, isFast, fields) => {
	const bytes = Buffer.from(whole(line));
	const plain = fieldsOfObject(whole(line));
	expect(plain).toEqual(fields === null ? null : expected(fields));
	expect(new FlatLineReader().read(bytes, 0, bytes.length)).toEqual(isFast ? plain : null);
});

test('one after the other, with what the fast way remembers of lines before', () => {
	const reader = new FlatLineReader();
	const bytes = Buffer.from(LINES.map(([line]) => `${whole(line)}\n`).join(''));
	for (let round = 0; round < 2; round++) {
		let start = 0;
		for (const [line, isFast, fields] of LINES) {
			const end = bytes.indexOf(0x0a, start) + 1;
			const read = reader.read(bytes, start, bytes.length);
			expect(read, line).toEqual(isFast && fields !== null ? expected(fields) : null);
			expect(read === null ? end : reader.next).toBe(end);
			start = end;
		}
	}
});

test.each([
	['', -1],
	['  ', -1],
	['\r', -1],
	['\n', 1],
	['\r\n', 2],
	['  \r\n', 4],
	['\n{', 1],
])('behind the object stands %j', (rest, next) => {
	const bytes = Buffer.from(`{"event":"compile-end"}${rest}`);
	const reader = new FlatLineReader();
	expect(reader.read(bytes, 0, bytes.length)?.event).toBe('compile-end');
	expect(reader.next).toBe(next < 0 ? -1 : bytes.length - rest.length + next);
});

test.each(['x', '\r\r\n', ',', '}'])('%j behind the object is not of it', (rest) => {
	const bytes = Buffer.from(`{"event":"compile-end"}${rest}`);
	expect(new FlatLineReader().read(bytes, 0, bytes.length)).toBeNull();
});

test('what is no object', () => {
	for (const text of ['', '[]', '"a"', 'null', '{', '}', '{"event":"a"} x', '{"event":"a"}}', '{event}']) {
		expect(fieldsOfObject(text)).toBeNull();
		const bytes = Buffer.from(text);
		expect(new FlatLineReader().read(bytes, 0, bytes.length)).toBeNull();
	}
	expect(fieldsOfObject(' {"event":"a"} ')).toMatchObject({ event: 'a' });
});

test('many compile ids', () => {
	const reader = new FlatLineReader();
	for (const id of [...Array(1100).keys(), 5, 1099]) {
		const bytes = Buffer.from(`{"compileId":${id}}`);
		expect(reader.read(bytes, 0, bytes.length)?.compileId).toBe(String(id));
	}
});

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

test('what each event means, and what is taken for what it does not tell', () => {
	const { calls, events, skipped } = callsOf(
		'{"event":"compile-start","thread":"T","compileId":1,"level":4,"osrBci":-1,"method":"A::b((I)V)","t":"1.5","limitBytes":9}',
		'{"event":"compile-start","compileId":2,"level":3,"osrBci":0,"method":"A.b","signature":"()V"}',
		'{"event":"compile-start","compileId":3,"method":"A.b"}',
		'{"event":"compile-start","compileId":4,"method":"A.b","level":5,"compiler":"graal","osrBci":7}',
		'{"event":"compile-start","method":"A.b"}',
		'{"event":"phase-start","thread":"T"}',
		'{"event":"phase-start","compileId":1,"phase":"p","nodes":3,"t":"2"}',
		'{"event":"phase-end","thread":"T"}',
		'{"event":"chunk-alloc","bytes":5}',
		'{"event":"chunk-alloc","bytes":-1}',
		'{"event":"chunk-free"}',
		'{"event":"compile-end","thread":"T","compileId":1,"result":"ok","nodes":4,"t":2}',
		'{"event":"chunk"}',
		'{}',
		'  ',
		'{"event":"phase-end"} ',
	);
	const start = { thread: '', compiler: 'c2', osrBci: null, method: 'A.b', signature: null, limitBytes: null, seconds: null };
	expect(calls).toEqual([
		['compileStart', { ...start, thread: 'T', compileId: '1', level: 4, signature: '(I)V', limitBytes: 9, seconds: 1.5 }],
		['compileStart', { ...start, compileId: '2', compiler: 'c1', level: 3, osrBci: 0, signature: '()V' }],
		['compileStart', { ...start, compileId: '3', compiler: 'unknown', level: null }],
		['compileStart', { ...start, compileId: '4', compiler: 'graal', level: 5, osrBci: 7 }],
		['phaseStart', 'T', null, '', -1],
		['phaseStart', '', '1', 'p', 3],
		['phaseEnd', 'T', null, null, -1],
		['allocate', '', null, null, 5, 'other', null, -1],
		['free', '', null, null, -1, null, null, null, -1],
		['compileEnd', 'T', '1', 'ok', 4, 2],
		['phaseEnd', '', null, null, -1],
	]);
	expect([events, skipped]).toEqual([11, [5, 10, 13, 14]]);
});

test('lines as they are written: what is not told is left out, but for the chunk', () => {
	const lines: string[] = [];
	const writer = footprintEventWriter((line) => void lines.push(line));
	writer.allocate('T', null, null, 5, 'arena', 0x1f, -1);
	writer.free('T', '1', 0x2f, -1, null, 'a', null, 0);
	writer.compileEnd('T', '1', null, 7, null);
	writer.phaseStart('T', '1', 'p', -1);
	writer.phaseEnd('T', '1', null, 0);
	expect(lines).toEqual([
		'{"thread":"T","event":"chunk-alloc","bytes":5,"chunk":null,"arena":"arena","arenaAddress":"0x1f"}\n',
		'{"thread":"T","event":"chunk-free","compileId":"1","chunk":"0x2f","arenaAddress":"a","nodes":0}\n',
		'{"thread":"T","event":"compile-end","compileId":"1","nodes":7}\n',
		'{"thread":"T","event":"phase-start","compileId":"1","phase":"p"}\n',
		'{"thread":"T","event":"phase-end","compileId":"1","nodes":0}\n',
	]);
});

test('a line that is too long is no event, however it comes; the others are', () => {
	const event = '{"event":"phase-end"}';
	const taken = (...pieces: string[]) => {
		const { calls, sink } = recorder();
		const reader = new FootprintEventReader('events', sink, 50);
		const pending = pieces.map((piece) => {
			reader.push(Buffer.from(piece));
			return reader.pendingBytes;
		});
		const { events, problems } = reader.finish();
		return { pending, calls: calls.length, events, skipped: problems.map(({ line }) => line) };
	};
	const start = '{"event":"phase-end","x":"';
	const none = { calls: 0, events: 0 };
	// 50 bytes without the end of the line.
	expect(taken(start.padEnd(50, 'x'), `"}\n${event}`)).toEqual({ pending: [50, event.length], calls: 2, events: 2, skipped: [] });
	expect(taken(start.padEnd(51, 'x'), `"}\n${event}`)).toEqual({ pending: [0, event.length], calls: 1, events: 1, skipped: [1] });
	expect(taken(start, 'x'.repeat(99), 'x', `"}\n${event}\n`)).toEqual({ pending: [start.length, 0, 0, 0], calls: 1, events: 1, skipped: [1] });
	expect(taken(`${event}\n${start.padEnd(60, 'x')}`, `${event}\n${event}\n`)).toEqual({ pending: [0, 0], calls: 2, events: 2, skipped: [2] });
	expect(taken('x'.repeat(51))).toEqual({ ...none, pending: [0], skipped: [1] });
	expect(taken('x'.repeat(51), `\n${event}\n`)).toEqual({ pending: [0, 0], calls: 1, events: 1, skipped: [1] });
	// A whole line may be longer.
	expect(taken(`${start.padEnd(80, 'x')}"}\n`)).toEqual({ pending: [0], calls: 1, events: 1, skipped: [] });
});

test('what lies behind the end of the bytes does not count', () => {
	const line = Buffer.from(
		'{ "event" : "chunk-free" , "bytes" : 12.5 , "chunk" : "0x1f" , "phase":null,"compileId":-7,"t":"1.5","x":"y" } \r\n{"event":"a"}\n',
	);
	for (let end = 0; end <= line.length; end++) {
		const [inside, cut] = [new FlatLineReader(), new FlatLineReader()];
		const fields = inside.read(line, 0, end);
		expect([fields, inside.next], String(end)).toEqual([cut.read(Buffer.from(line.subarray(0, end)), 0, end), cut.next]);
		expect(fields === null).toBe(end < line.indexOf('}') + 1);
		// With what it remembers of the line before.
		expect([inside.read(line, 0, line.length)?.event, inside.read(line, 0, end)?.event]).toEqual(['chunk-free', fields === null ? undefined : 'chunk-free']);
	}
});

test('a line that lies across what is read at once', () => {
	const event = '{"event":"phase-start","thread":"T","phase":"p"}';
	const last = '{"event":"phase-end"}';
	for (const blanks of [(1 << 20) - 30, (1 << 20) - event.length - 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 9]) {
		const { calls, events, skipped } = callsOf(' '.repeat(blanks), event, last);
		expect([calls.map(([name]) => name), events, skipped]).toEqual([['phaseStart', 'phaseEnd'], 2, []]);
	}
});

test.each([
	['{"event":"compile-start","thread":"T"}', true],
	[' \n{"thread": "T", "event": "chunk-free"}', true],
	['{"event":"phase-end"}', true],
	['x{"event":"phase-end"}', false],
	['{"event":"other"}', false],
	['{"thread":"T"}\n{"event":"phase-end"}', false],
	['', false],
])('%j begins such a file: %s', (head, is) => {
	expect(isFootprintEvents(head)).toBe(is);
});
