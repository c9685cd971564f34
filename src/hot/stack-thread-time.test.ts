/** Threads and native functions of async-profiler's recordings. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { runAssay } from '../../test/run-assay.js';
import { type StackSamples, StackSamplesBuilder } from '../model/stack-samples.js';
import { heatOfStacks } from './stack-heat.js';
import { functionOfLibrary } from './stack-thread-time.js';

type Row = readonly [thread: string, frame: string, weight?: number];

/** A frame is a method of Java, or of native code where it has a library or is in square brackets; `interpreted` before one that is, `kernel` before a function of it. */
function samplesOf(rows: readonly Row[]): StackSamples {
	const builder = new StackSamplesBuilder();
	for (const [thread, text, weight = 1] of rows) {
		const name = text.replace(/^(?:interpreted|kernel) /, '');
		const isKernel = text.startsWith('kernel ');
		const isNative = !isKernel && /[`[ ]/.test(name);
		const row = isKernel ? '(kernel)' : isNative ? '(native)' : name;
		const kind = isKernel ? 'Kernel' : isNative ? 'Native' : name === text ? 'JIT compiled' : 'Interpreted';
		const frame = builder.frameNumber(builder.methodNumber(name, null, row), 1, -1, kind);
		builder.add({
			timeNs: 0,
			event: builder.eventNumber('jdk.ExecutionSample'),
			thread: builder.threadNumber(thread, 7),
			stack: builder.stackNumber([frame], 1, false),
			state: builder.stateNumber('STATE_RUNNABLE'),
			weight,
			isBiased: false,
		});
	}
	return builder.build();
}

function heatOf(...rows: Row[]) {
	const heat = heatOfStacks({ samples: samplesOf(rows), event: 0, jvmStartEpochNs: null, compilations: [], filter: {} });
	return {
		classes: heat.threadTime?.classes.map((row) => [row.class, row.samples, row.activities.map(({ name, samples }) => `${name} ${samples}`).join(', ')]),
		others: heat.methods.map(({ method, samples }) => `${method} ${samples}`),
		libraries: heat.threadTime?.libraries.map(({ library, samples }) => `${library} ${samples}`),
		threads: heat.threadTime?.threads.map((row) => [row.name, row.id, row.class, row.samples]),
	};
}

test('threads by their names, else by whether they run Java; what the JVM does by its functions', () => {
	const { classes, others, libraries, threads } = heatOf(
		['C2 CompilerThread0', 'libjvm.so`PhaseChaitin::Split', 5],
		['worker', 'a.B.f', 4],
		['worker', 'libjvm.so`SystemDictionary::resolve_or_null'],
		['worker', 'interpreted a.B.g', 2],
		['tid=9', 'libc.so.6`memcpy'],
		['worker', 'vtable stub'],
		['worker', '[vdso]'],
	);
	expect(classes).toEqual([
		['java', 9, 'compiled code 4, interpreter 2, [vdso] 1, class loading 1, stubs 1'],
		['c2', 5, 'compiling 5'],
		['native', 1, 'libc.so.6 1'],
	]);
	expect(others.toSorted()).toEqual(['(interpreter) 2', '(libc.so.6) 1', '(libjvm.so) 6', '(stub) 1', '([vdso]) 1', 'a.B.f 4'].toSorted());
	expect(libraries).toEqual(['libjvm.so 6', 'libc.so.6 1']);
	expect(threads).toEqual([
		['worker', 7, 'java', 9],
		['C2 CompilerThread0', 7, 'c2', 5],
		['tid=9', 7, 'native', 1],
	]);
});

test("the profiler's own code is the recording's, in whatever thread", () => {
	expect(heatOf(['main', 'libasyncProfiler.so`WallClock::signalHandler'], ['main', 'a.B.f']).classes).toEqual([
		['java', 1, 'compiled code 1'],
		['recording', 1, 'libasyncProfiler.so 1'],
	]);
});

test('where no library is named, nothing is told of threads, and native code is one row', () => {
	expect(heatOf(['C2 CompilerThread0', 'vtable stub'], ['main', 'a.B.f'])).toMatchObject({ classes: undefined, others: ['(native) 1', 'a.B.f 1'] });
});

test('of what is no profile of a JVM nothing is told of its threads', () => {
	const samples = samplesOf([['main', 'libc.so.1`malloc']]);
	const heat = heatOfStacks({ samples, event: 0, jvmStartEpochNs: null, compilations: [], filter: {}, namesFunctions: true });
	expect([heat.threadTime, heat.methods[0]?.method]).toEqual([null, '(libc.so.1`malloc)']);
});

test('collapsed stacks of a JVM with threads, with and without libraries', () => {
	const rowsOfClasses = (...rows: Row[]) => {
		const heat = heatOfStacks({ samples: samplesOf(rows), event: 0, jvmStartEpochNs: null, compilations: [], filter: {}, namesFunctions: true });
		return [
			heat.threadTime?.classes.map((row) => [row.class, row.activities.map(({ name, samples }) => `${name} ${samples}`).join(', ')]),
			heat.methods.map(({ method, samples }) => `${method} ${samples}`),
		];
	};
	expect(rowsOfClasses(['C2 CompilerThre', '[Compile::Optimize'], ['main', 'a.B.f', 2])).toEqual([
		[
			['java', 'compiled code 2'],
			['c2', 'native code 1'],
		],
		['a.B.f 2', '([Compile::Optimize) 1'],
	]);
	expect(rowsOfClasses(['C2 CompilerThre', 'libjvm.so`Compile::Optimize'], ['main', 'a.B.f', 2])).toEqual([
		[
			['java', 'compiled code 2'],
			['c2', 'compiling 1'],
		],
		['a.B.f 2', '(libjvm.so) 1'],
	]);
});

test('functions of the kernel have their names', () => {
	const heat = heatOfStacks({
		samples: samplesOf([
			['main', 'kernel do_syscall_64'],
			['main', 'libc.so.6`read'],
		]),
		event: 0,
		jvmStartEpochNs: null,
		compilations: [],
		filter: {},
	});
	expect(heat.threadTime?.libraries.map(({ library, symbols }) => [library, symbols.map(({ symbol }) => symbol)])).toEqual([
		['kernel', ['do_syscall_64']],
		['libc.so.6', ['read']],
	]);
});

test('functions of libraries', () => {
	expect(functionOfLibrary('libjvm.so`Compile::Compile')).toEqual({ library: 'libjvm.so', symbol: 'Compile::Compile' });
	expect(functionOfLibrary('libx.so`')).toEqual({ library: 'libx.so', symbol: '' });
	expect([functionOfLibrary('`f'), functionOfLibrary('a.B.f'), functionOfLibrary('')]).toEqual([null, null, null]);
});

const jfr = path.resolve(import.meta.dirname, '../../fixtures/jvm/jfr');

test.each(['async-profiler.jfr.gz', 'async-profiler.print.json.gz', 'async-profiler.print.txt.gz'])('%s: as many as jfr print shows', async (name) => {
	const { stdout } = await runAssay(['report', path.join(jfr, name), '--json'], jfr);
	const { threadTime, otherTime } = JSON.parse(stdout).result;
	// jfr print --stack-depth 1 --events jdk.ExecutionSample: 73 events, 27 of them in libasyncProfiler.so and 4 in libjvm.so.
	expect(threadTime.libraries.map(({ library, samples }: { library: string; samples: number }) => [library, samples])).toEqual([
		['libasyncProfiler.so', 27],
		['libjvm.so', 4],
	]);
	expect(threadTime.classes.map((row: { class: string; samples: number }) => [row.class, row.samples])).toEqual([
		['java', 42],
		['recording', 27],
		['c2', 3],
		['jvm', 1],
	]);
	expect(otherTime.map((row: { name: string }) => row.name)).toEqual(expect.arrayContaining(['(libasyncProfiler.so)', '(libjvm.so)']));
});
