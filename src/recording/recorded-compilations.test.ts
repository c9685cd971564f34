import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { once } from '../../test/once.js';
import { memorySource, type Source } from '../bytes/source.js';
import { RecordReader } from '../formats/hotspot-compilation-log/read-record.js';
import { scanCompilations } from '../formats/hotspot-compilation-log/scan.js';
import type { JfrCompilation, JfrInlining, JfrMethod } from '../formats/jfr/compiler-events.js';
import { readJfr, readJfrEvents } from '../formats/jfr/read.js';
import type { CallDecision, JitCompilation } from '../model/jit-compilation.js';
import { type RecordedCompilations, recordedCompilations } from './recorded-compilations.js';
import { callCountsOf, inliningOf } from './recorded-inlining.js';

const folder = path.resolve(import.meta.dirname, '..', '..', 'fixtures', 'jvm', 'recorded-compilations');

function unpacked(...parts: string[]): Source {
	return memorySource(parts.join('/'), zlib.gunzipSync(fs.readFileSync(path.join(folder, ...parts))));
}

function recorded(source: Source): RecordedCompilations {
	const read = recordedCompilations([{ name: source.name, read: readJfrEvents(source, 'compilers') }]);
	if (read === null) {
		throw new Error('the recording has no compilations');
	}
	return read;
}

/** C2 logs these without an event. */
const WITHOUT_EVENT = ['(intrinsic)', 'virtual call'];

function text({ bcis, callee, inlined, intrinsic, reason }: CallDecision): string {
	return `${bcis.join(' ')} ${callee} ${inlined} ${intrinsic} ${reason}`;
}

function traps({ deoptimizations }: JitCompilation): string[] {
	return deoptimizations
		.filter(({ kind }) => kind === 'uncommon trap')
		.map(({ reason, action, method, bci, threadId }) => `${reason} ${action} ${method} ${bci} ${threadId}`);
}

describe.each(['jdk17', 'jdk25'])('%s', (jdk) => {
	const read = once(() => recorded(unpacked(jdk, 'compilations.jfr.gz')));
	const history = once(() => scanCompilations([unpacked(jdk, 'hotspot.log.gz')]).histories[0]);
	const pairs = once(() => {
		const logged = new Map(history()?.compilations.map((compilation) => [compilation.compileId, compilation]));
		return read().history.compilations.flatMap((compilation) => {
			const other = logged.get(compilation.compileId);
			return other === undefined ? [] : [{ compilation, other }];
		});
	});

	test('each compilation is the one of the log', () => {
		expect(read().problems).toEqual([]);
		expect(pairs().length).toBeGreaterThan(80);
		expect(pairs()).toHaveLength(read().history.compilations.length);
		for (const { compilation, other } of pairs()) {
			const { kind, method, signature, compiler, level, threadId, failure, retries } = other;
			expect(compilation).toMatchObject({ kind, method, signature, compiler, level, threadId, failure, retries });
			expect(compilation.inlinedBytes).toBe(other.inlinedBytes ?? 0);
			expect(traps(compilation)).toEqual(traps(other));
			// Stamps of the log are whole milliseconds.
			expect(Math.abs((compilation.startedMs ?? 0) - (other.startedMs ?? 0))).toBeLessThan(1);
			expect(compilation.doneMs ?? 0).toBeGreaterThanOrEqual(compilation.startedMs ?? 0);
			expect(compilation.doneMs ?? 0).toBeLessThan((other.doneMs ?? 0) + 1);
		}
		expect(pairs().some(({ compilation }) => compilation.deoptimizations.length > 0)).toBe(true);
		expect(pairs().some(({ compilation }) => compilation.kind === 'osr')).toBe(true);
		expect(Math.abs((read().history.startedEpochMs ?? 0) - (history()?.startedEpochMs ?? 0))).toBeLessThanOrEqual(1);
	});

	test('each decision is that of the log, at the same place', () => {
		const reader = new RecordReader();
		let decisions = 0;
		for (const { compilation, other } of pairs()) {
			const own = read().decisionsOf(compilation);
			decisions += own.length;
			const told = reader.readDecisions(other).filter(({ reason }) => compilation.compiler !== 'c2' || !WITHOUT_EVENT.includes(reason));
			expect(own.map(text)).toEqual(told.map(text));
			expect(read().recordOf(compilation)?.lostElements).toBe(0);
		}
		expect(decisions).toBeGreaterThan(800);
	});

	test('calls that are counted alone are those of the decisions', () => {
		for (const { compilation } of pairs()) {
			const own = read().recordOf(compilation) === null ? null : read().decisionsOf(compilation);
			expect(read().countCalls(compilation)).toEqual(own === null ? null : countsOf(own));
		}
	});

	test('what Flight Recorder does not tell is null', () => {
		for (const { compilation } of pairs()) {
			expect(compilation).toMatchObject({
				osrBci: null,
				bytecodeBytes: null,
				queuedMs: null,
				installedMs: null,
				sizeBytes: null,
				nmethodBytes: null,
				notEntrant: null,
			});
		}
	});

	test('it holds no samples', () => {
		expect(readJfr(unpacked(jdk, 'compilations.jfr.gz')).samples.length).toBe(0);
	});

	test('anything may be changed or cut', () => {
		const bytes = unpacked(jdk, 'compilations.jfr.gz');
		const whole = Buffer.alloc(bytes.sizeBytes);
		bytes.read(whole, 0, whole.length, 0);
		fc.assert(
			fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, byte, length) => {
				const changed = Buffer.from(whole.subarray(0, length));
				if (at < length) {
					changed[at] = byte;
				}
				const damaged = recordedCompilations([{ name: 'a.jfr', read: readJfrEvents(memorySource('a.jfr', changed), 'compilers') }]);
				for (const compilation of damaged?.history.compilations ?? []) {
					damaged?.recordOf(compilation);
				}
			}),
			{ numRuns: 40 },
		);
	});
});

const countsOf = (decisions: readonly CallDecision[]) => ({
	inlined: decisions.filter(({ inlined }) => inlined).length,
	notInlined: decisions.filter(({ inlined, intrinsic }) => !inlined && !intrinsic).length,
});

const method = (name: string): JfrMethod => ({ method: name, descriptor: '()V' });

function decision(caller: string, bci: number, callee: string, succeeded = true): JfrInlining {
	return {
		compileId: 1,
		ms: null,
		threadId: null,
		threadName: null,
		caller: method(caller),
		bci,
		callee: method(callee),
		succeeded,
		message: succeeded ? 'inline (hot)' : 'too big',
	};
}

function placesOf(events: readonly JfrInlining[]): string[] {
	return inliningOf(method('A.a'), events).decisions.map(({ bcis, callee }) => `${bcis.join(' ')} ${callee}`);
}

describe('the tree of decisions', () => {
	test('of a method that is inlined twice each has its own calls', () => {
		const events = [decision('A.a', 1, 'B.b'), decision('B.b', 2, 'C.c', false), decision('A.a', 5, 'B.b'), decision('B.b', 2, 'C.c', false)];
		expect(placesOf(events)).toEqual(['1 B.b', '1 2 C.c', '5 B.b', '5 2 C.c']);
	});

	test('each call is of the method whose bytecode index it has', () => {
		const events = [decision('A.a', 1, 'B.b'), decision('B.b', 2, 'C.c'), decision('C.c', 3, 'D.d', false), decision('A.a', 4, 'E.e')];
		expect(inliningOf(method('A.a'), events).decisions.map(({ bcis, caller }) => `${caller} ${bcis.at(-1)}`)).toEqual(['A.a 1', 'B.b 2', 'C.c 3', 'A.a 4']);
	});

	test('the rest of a caller follows what is inlined into it', () => {
		const events = [decision('A.a', 1, 'B.b'), decision('B.b', 2, 'C.c'), decision('C.c', 3, 'D.d'), decision('B.b', 9, 'E.e'), decision('A.a', 4, 'F.f')];
		expect(placesOf(events)).toEqual(['1 B.b', '1 2 C.c', '1 2 3 D.d', '1 9 E.e', '4 F.f']);
	});

	test('a recursive method that asks for the same call again is the outer one', () => {
		const events = [decision('A.a', 1, 'A.a'), decision('A.a', 1, 'A.a', false), decision('A.a', 7, 'B.b'), decision('A.a', 7, 'B.b')];
		expect(placesOf(events)).toEqual(['1 A.a', '1 1 A.a', '1 7 B.b', '7 B.b']);
	});

	test('both receivers of a call are decided on before the first is parsed', () => {
		const events = [decision('A.a', 1, 'B.x'), decision('A.a', 1, 'C.x'), decision('B.x', 2, 'D.d'), decision('C.x', 3, 'E.e')];
		expect(placesOf(events)).toEqual(['1 B.x', '1 2 D.d', '1 C.x', '1 3 E.e']);
	});

	test('a call in a method that was never inlined has no place', () => {
		expect(inliningOf(method('A.a'), [decision('B.b', 1, 'C.c')])).toMatchObject({ decisions: [], lost: 1 });
	});

	test('has as many calls of each kind as are counted without it', () => {
		const name = fc.constantFrom('A.a', 'B.b', 'C.c', 'D.d');
		const one = fc.tuple(name, fc.nat(3), name, fc.boolean(), fc.constantFrom('inline (hot)', 'too big', 'intrinsic', '(intrinsic)'));
		fc.assert(
			fc.property(fc.array(one, { maxLength: 40 }), (rows) => {
				const events = rows.map(([caller, bci, callee, succeeded, message]) => ({ ...decision(caller, bci, callee, succeeded), message }));
				expect(callCountsOf(method('A.a'), events)).toEqual(countsOf(inliningOf(method('A.a'), events).decisions));
			}),
		);
	});
});

test('classes of one name are numbered as the JVM loads them; of a name that one has none is', () => {
	const read = readJfrEvents(unpacked('jdk25', 'compilations.jfr.gz'), 'compilers');
	const ofClass = (at: number, method: string, classId: number): JfrCompilation => ({
		...read.compilations[at]!,
		method: { method, descriptor: '()V' },
		classId,
	});
	const compilations = [ofClass(0, 'Gen.f', 90), ofClass(1, 'Gen.g', 80), ofClass(2, 'Gen.f', 0), ofClass(3, 'Other.f', 70)];
	const ranks = recordedCompilations([{ name: 'a.jfr', read: { ...read, compilations } }])?.classRanks;
	expect([...(ranks ?? [])]).toEqual([
		[`${compilations[0]?.compileId}`, 2],
		[`${compilations[1]?.compileId}`, 1],
	]);
});

test.each(['jdk11', 'jdk17', 'jdk21', 'jdk25'])('%s: the JVM and its code cache are those that the recording tells of', (jdk) => {
	const file = path.join(folder, '..', 'jfr-events', jdk, 'run.jfr.gz');
	const { history } = recorded(memorySource('run.jfr', zlib.gunzipSync(fs.readFileSync(file))));
	expect(history).toMatchObject({
		processId: expect.any(Number),
		version: expect.stringMatching(/^OpenJDK 64-Bit Server VM \((?:11\.0\.13|17\.0\.15|21\.0\.8|25\.0\.3)\+/),
		arguments: expect.stringMatching(/^-XX:\+UseSerialGC -Xmx64m /),
		command: 'Staller 200000000 3',
	});
	// The event of JDK 11 does not name the compiler.
	for (const { compiler, level } of history.compilations) {
		expect(compiler).toBe(level === 4 ? 'c2' : 'c1');
	}
	expect(history.compilations.length).toBeGreaterThan(20);
	expect(history.codeCache.length).toBeGreaterThan(0);
	for (const { freeBytes, nmethods, blobs } of history.codeCache) {
		// All heaps together: nearly all of the 240 MB are free.
		expect(freeBytes).toBeGreaterThan(230 << 20);
		expect(freeBytes).toBeLessThan(240 << 20);
		expect(nmethods).toBeLessThan(blobs);
	}
});
