/** Two ways through a line hold each other; what is written is read again; whatever comes is counted, not thrown. */
import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../bytes/source.js';
import type { FootprintEventSink } from '../../model/footprint-events.js';
import { fieldsOfObject } from './event-fields.js';
import { FlatLineReader } from './flat-line.js';
import { FootprintEventReader, readFootprintEvents } from './read.js';
import { footprintEventWriter } from './write.js';

const schema = JSON.parse(fs.readFileSync(path.resolve(import.meta.dirname, '../../../docs/schema/footprint-events.json'), 'utf8'));
const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema);

type Call = readonly unknown[];

/** Keeps the calls. */
function recorder(): { readonly calls: Call[]; readonly sink: FootprintEventSink } {
	const calls: Call[] = [];
	const keep =
		(name: string) =>
		(...args: unknown[]): void => {
			calls.push([name, ...args]);
		};
	const names = ['compileStart', 'compileEnd', 'phaseStart', 'phaseEnd', 'allocate', 'free'] as const;
	return { calls, sink: Object.fromEntries(names.map((name) => [name, keep(name)])) as unknown as FootprintEventSink };
}

function callsOf(text: string): { calls: Call[]; problems: number } {
	const { calls, sink } = recorder();
	const { problems } = readFootprintEvents(memorySource('events', Buffer.from(text)), sink);
	return { calls, problems: problems.length };
}

const name = fc.oneof(fc.constantFrom('', 'parse', 'shorten branches', '\t', 'naïve', '"'), fc.string());
const address = fc.option(fc.oneof(fc.nat(), fc.constantFrom(0x7f52c0019690, 'arena-1')));
const thread = fc.constantFrom('C1', 'C2 CompilerThre/1537', 'ä');
const compileId = fc.option(fc.constantFrom('1', '17', 'HostedCompilation-3'));
const nodes = fc.oneof(fc.constant(-1), fc.nat());
const time = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }));
const call = fc.oneof(
	fc.tuple(
		fc.constant('compileStart'),
		fc.record({
			thread,
			compileId: fc.constantFrom('1', '17'),
			compiler: fc.constantFrom('c1', 'c2', 'graal'),
			level: fc.option(fc.nat(4)),
			osrBci: fc.option(fc.nat()),
			method: fc.constantFrom('A.b', 'java.util.HashMap.get'),
			signature: fc.option(fc.constantFrom('()V', '(I)I')),
			limitBytes: fc.option(fc.nat()),
			seconds: time,
		}),
	),
	fc.tuple(fc.constant('compileEnd'), thread, compileId, fc.option(fc.constantFrom('ok', 'oom')), nodes, time),
	fc.tuple(fc.constant('phaseStart'), thread, compileId, name, nodes),
	fc.tuple(fc.constant('phaseEnd'), thread, compileId, fc.option(name), nodes),
	fc.tuple(fc.constant('allocate'), thread, compileId, address, fc.nat(), name, address, nodes),
	fc.tuple(fc.constant('free'), thread, compileId, address, fc.oneof(fc.constant(-1), fc.nat()), fc.option(name), address, fc.option(name), nodes),
);

describe('footprint events', () => {
	test('what is written is read again, and is as the schema says', () => {
		fc.assert(
			fc.property(fc.array(call, { maxLength: 20 }), (calls) => {
				let text = '';
				const writer = footprintEventWriter((line) => {
					expect(validate(JSON.parse(line)), JSON.stringify(validate.errors)).toBe(true);
					text += line;
				});
				for (const [method, ...args] of calls) {
					(writer as unknown as Record<string, (...values: readonly unknown[]) => void>)[method as string]?.(...args);
				}
				expect(callsOf(text)).toEqual({ calls, problems: 0 });
			}),
		);
	});

	test('the fast way and the plain way give the same fields', () => {
		const value = fc.oneof(
			name,
			fc.integer(),
			fc.double({ noNaN: true, noDefaultInfinity: true }),
			fc.constantFrom(null, '0x7f52c0019690', '0xABC', '1.5', true),
		);
		const key = fc.constantFrom('event', 'thread', 'compileId', 't', 'level', 'method', 'phase', 'bytes', 'nodes', 'chunk', 'arena', 'arenaAddress', 'unknown');
		const reader = new FlatLineReader();
		fc.assert(
			fc.property(fc.array(fc.tuple(key, value)), fc.constantFrom('', ' '), (pairs, blank) => {
				const unique = Object.entries(Object.fromEntries(pairs));
				const text = `{${unique.map(([field, content]) => `${JSON.stringify(field)}:${blank}${JSON.stringify(content)}`).join(`,${blank}`)}}`;
				const bytes = Buffer.from(text);
				const fast = reader.read(bytes, 0, bytes.length);
				if (fast !== null) {
					expect(fast).toEqual(fieldsOfObject(text));
				}
			}),
			{ numRuns: 1000 },
		);
	});

	test('the recorded stream goes the fast way, all of it', () => {
		const reader = new FlatLineReader();
		const line = Buffer.from(
			'{"t": "1671.638488520", "thread": "C1 CompilerThre/1538", "event": "chunk-free", "compileId": 1, "bytes": 984, "chunk": null, "arena": "cienv", "arenaAddress": "0x7f533c3ddab8", "allocatedInCompileId": 1, "allocatedInPhase": null}',
		);
		expect(reader.read(line, 0, line.length)).toMatchObject({
			event: 'chunk-free',
			compileId: '1',
			bytes: 984,
			chunk: null,
			arenaAddress: 0x7f533c3ddab8,
		});
		expect(validate(JSON.parse(line.toString())), JSON.stringify(validate.errors)).toBe(true);
	});

	test('pieces of any size give the same as the whole', () => {
		const lines =
			'{"event":"compile-start","thread":"T","compileId":1,"level":4,"method":"A::b"}\n\n{"event":"phase-start","thread":"T","phase":"é"}\n{"event":"compile-end"}';
		const whole = callsOf(lines);
		expect(whole.calls).toHaveLength(3);
		for (let size = 1; size < 40; size++) {
			const { calls, sink } = recorder();
			const reader = new FootprintEventReader('events', sink);
			const bytes = Buffer.from(lines);
			for (let start = 0; start < bytes.length; start += size) {
				reader.push(Buffer.from(bytes.subarray(start, start + size)));
			}
			expect({ problems: reader.finish().problems.length, calls }).toEqual(whole);
		}
	});

	test('lines that are no events are counted with their place', () => {
		const { sink, calls } = recorder();
		const text =
			'hello\n{"event":"chunk-alloc"}\n[1]\n{"event":"nonsense"}\n{"event":"chunk-alloc","bytes":"12"}\n{"event":"phase-end","phase":{"a":1}}\n{"event":"compile-start"}\n{"event":"compile-e';
		const { problems, events } = readFootprintEvents(memorySource('events', Buffer.from(text)), sink);
		expect({ events, calls }).toEqual({ events: 0, calls: [] });
		expect(problems.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
		fc.assert(
			fc.property(fc.string(), fc.nat(), (noise, cut) => {
				callsOf(`${text}\n${noise}\n{"event": "phase-start", "phase": "a"}`.slice(0, cut));
			}),
		);
	});
});
