import { expect, test } from 'vitest';
import { textSource } from '../../test/recordings.js';
import { StackSamplesBuilder } from '../model/stack-samples.js';
import { profileOfAsyncProfilerText, profileOfDumps, profileOfHprofText, profileOfJfr, profileOfJmhStack } from './observed-stacks.js';

const LEAVES_ONLY = { stacks: null, isCounted: true, lostSamples: 0, jvmStartEpochNs: null };

function samplesOf(...events: string[]) {
	const builder = new StackSamplesBuilder();
	builder.eventNumber('jdk.NothingOfIt');
	for (const event of events) {
		builder.add({
			timeNs: Number.NaN,
			event: builder.eventNumber(event),
			thread: builder.threadNumber('a', 1),
			stack: -1,
			state: 0,
			weight: 1,
			isBiased: false,
		});
	}
	return builder.build();
}

test('Flight Recorder: the kinds that there are, in the order of preference', () => {
	const samples = samplesOf(
		'jdk.NativeMethodSample',
		'datadog.MethodSample',
		'jdk.CPUTimeSample',
		'profiler.WallClockSample',
		'jdk.ExecutionSample',
		'datadog.ExecutionSample',
	);
	const problems = [{ severity: 'warning' as const, file: 'a', message: 'm', action: 'n' }];
	const read = profileOfJfr({ samples, lostCpuTimeSamples: 7, jvmStartEpochNs: 5n, problems });
	expect(read).toEqual({
		file: {
			...LEAVES_ONLY,
			kinds: [
				{ kind: 'execution', event: 'jdk.ExecutionSample', number: 5 },
				{ kind: 'execution', event: 'datadog.ExecutionSample', number: 6 },
				{ kind: 'cpu', event: 'jdk.CPUTimeSample', number: 3 },
				{ kind: 'wall', event: 'datadog.MethodSample', number: 2 },
				{ kind: 'wall', event: 'profiler.WallClockSample', number: 4 },
				{ kind: 'native', event: 'jdk.NativeMethodSample', number: 1 },
			],
			stacks: samples,
			leaves: [],
			lostSamples: 7,
			jvmStartEpochNs: 5n,
		},
		problems,
	});
	expect(profileOfJfr({ samples: samplesOf('my.Event'), lostCpuTimeSamples: 0, problems: [] }).file).toMatchObject({
		kinds: [{ kind: 'my.Event', event: 'my.Event', number: 1 }],
		jvmStartEpochNs: null,
	});
});

test('Flight Recorder: events of compilers count where there are compilations', () => {
	const eventsOf = (...events: [string, number][]) =>
		profileOfJfr({ samples: samplesOf(), lostCpuTimeSamples: 0, events: new Map(events), problems: [] }).file.compilerEvents;
	expect(eventsOf(['jdk.Compilation', 3], ['jdk.CompilerInlining', 9], ['jdk.GCPhase', 1])).toEqual([
		{ name: 'jdk.Compilation', count: 3 },
		{ name: 'jdk.CompilerInlining', count: 9 },
	]);
	expect([eventsOf(['jdk.Compilation', 1]), eventsOf(['jdk.CompilerInlining', 9]), eventsOf(['jdk.Compilation', 0])]).toEqual([
		[{ name: 'jdk.Compilation', count: 1 }],
		undefined,
		[],
	]);
});

test('thread dumps are one kind', () => {
	const samples = samplesOf('thread dump');
	expect(profileOfDumps({ samples, dumps: 1, problems: [] })).toEqual({
		file: { ...LEAVES_ONLY, kinds: [{ kind: 'dump', event: 'thread dump', number: 0 }], stacks: samples, leaves: [] },
		problems: [],
	});
	expect(profileOfDumps({ samples: samplesOf(), dumps: 0, problems: [] }).file.kinds).toEqual([]);
});

test('JMH: each benchmark is a kind, called like its method', () => {
	const report = (name: string, method: string): string => `${name}....[Thread state: RUNNABLE]....\n 50.0% 100.0% ${method}\n#\n`;
	const { file, problems } = profileOfJmhStack(
		textSource(report('', 'x.Y.z') + report('Secondary result "a.Bench.one:stack":\n', 'x.Y.z') + report('Secondary result "a.Bench.one:stack":\n', 'x.Y.w')),
	);
	expect(file).toEqual({
		...LEAVES_ONLY,
		isCounted: false,
		kinds: [
			{ kind: 'report 1', event: 'report 1', number: -1 },
			{ kind: 'one', event: 'a.Bench.one', number: -1 },
		],
		leaves: [
			{ thread: null, method: 'x.Y.z', line: null, samples: 50, kind: 'report 1' },
			{ thread: null, method: 'x.Y.z', line: null, samples: 50, kind: 'a.Bench.one' },
			{ thread: null, method: 'x.Y.w', line: null, samples: 50, kind: 'a.Bench.one' },
		],
	});
	expect(problems).toEqual([]);
});

test('texts of async-profiler and hprof', () => {
	const flat = '--- Execution profile ---\nTotal samples : 5\n\n  ns  percent  samples  top\n  50   62.14%  5  a.B.c\n';
	const read = profileOfAsyncProfilerText(textSource(flat));
	const leaves = [{ thread: null, method: 'a.B.c', line: null, samples: 5 }];
	expect(read).toEqual({ file: { ...LEAVES_ONLY, kinds: [{ kind: 'flat', event: 'flat', number: -1 }], leaves }, wholeStacks: null, problems: [] });
	expect(profileOfAsyncProfilerText(textSource('x\n')).file.kinds).toEqual([]);

	const hprof = profileOfHprofText(textSource('CPU SAMPLES BEGIN (total = 5)\n 1 100.0% 100.0% 5 7 a.B.c\n'));
	expect(hprof).toMatchObject({ file: { ...LEAVES_ONLY, kinds: [{ kind: 'CPU SAMPLES', event: 'CPU SAMPLES', number: -1 }], leaves }, problems: [] });
	expect(hprof.wholeStacks?.samples).toBe(5);
	expect(profileOfHprofText(textSource('x\n')).file.kinds).toEqual([]);
});
