import { expect, test } from 'vitest';
import { FIXTURES, json } from '../../test/report-json.js';
import { runAssay } from '../../test/run-assay.js';
import { filterOptions, isOfThreads } from '../model/sample-filter.js';

const RECORDING = 'agent/jdk25';

function sum<T>(rows: readonly T[], value: (row: T) => number): number {
	return rows.reduce((total, row) => total + value(row), 0);
}

/** A report of samples that tell threads. */
async function report(...argv: readonly string[]) {
	const { threadTime, samples, ...rest } = await json('report', RECORDING, '--no-index', ...argv);
	if (threadTime === null || samples === null) {
		throw new Error('the samples tell no threads');
	}
	return { ...rest, threadTime, samples };
}

test('the options that say the same', () => {
	expect(filterOptions({})).toEqual([]);
	expect(filterOptions({ thread: 'GC*', threadClass: 'gc' })).toEqual(['--class', 'gc', '--thread', 'GC*']);
	expect([isOfThreads({}), isOfThreads({ thread: null, threadClass: null }), isOfThreads({ thread: '*' })]).toEqual([false, false, true]);
});

test('reports of all classes add up to that of the whole, and so do their compilations, places, functions and exports', async () => {
	const whole = await report();
	const parts: Awaited<ReturnType<typeof report>>[] = [];
	const stacks = new Map<string, number>();
	for (const { class: name, samples } of whole.threadTime.classes) {
		const part = await report('--class', name);
		expect(part.samples.counted, name).toBe(samples);
		expect(part.samples.byReason['other thread'], name).toBe(whole.samples.counted - samples);
		expect(part.threadTime.classes.map((row) => [row.class, row.samples, row.percent])).toEqual([[name, samples, 100]]);
		const hot = await json('hot', RECORDING, '--class', name);
		expect(part.samples).toMatchObject(hot.samples);
		const { stdout } = await runAssay(['export', RECORDING, '--to', 'collapsed', '--class', name], FIXTURES);
		let exported = 0;
		for (const [, stack = '', count] of stdout.matchAll(/^(.*) (\d+)$/gm)) {
			stacks.set(stack, (stacks.get(stack) ?? 0) + Number(count));
			exported += Number(count);
		}
		expect(exported, name).toBe(samples);
		parts.push(part);
	}
	expect(sum(parts, ({ samples }) => samples.counted)).toBe(whole.samples.counted);
	for (const { handle, samples } of whole.compilations) {
		expect(
			sum(parts, ({ compilations }) => compilations.find((row) => row.handle === handle)?.samples ?? Number.NaN),
			handle,
		).toBe(samples);
	}
	for (const { name, samples } of whole.otherTime) {
		expect(
			sum(parts, ({ otherTime }) => otherTime.find((row) => row.name === name)?.samples ?? 0),
			name,
		).toBe(samples);
	}
	const { stdout } = await runAssay(['export', RECORDING, '--to', 'collapsed'], FIXTURES);
	expect(new Map([...stdout.matchAll(/^(.*) (\d+)$/gm)].map(([, stack = '', count]) => [stack, Number(count)]))).toEqual(stacks);
});

test('by name: reports of the threads add up, too', async () => {
	const whole = await report();
	const names = new Set<string>(whole.threadTime.threads.map(({ name }) => name));
	let counted = 0;
	for (const name of names) {
		const { samples } = await json('hot', RECORDING, '--thread', name);
		expect(samples.counted).toBe(sum(whole.threadTime.threads, (row) => (row.name === name ? row.samples : 0)));
		counted += samples.counted;
	}
	expect(counted).toBe(whole.samples.counted);
});

test('bias is of threads of Java: without what the recording cost in them where the class is named', async () => {
	const { threadTime } = await report();
	const java = threadTime.classes.find((row) => row.class === 'java')?.samples;
	expect((await json('bias', RECORDING, '--rounds', '0', '--class', 'java')).samples).toBe(java);
	expect((await json('bias', RECORDING, '--rounds', '0')).samples).toBe(sum(threadTime.threads, (row) => (row.class === 'java' ? row.samples : 0)));
	const other = await runAssay(['bias', RECORDING, '--class', 'c2'], FIXTURES);
	expect([other.exit, other.stderr]).toEqual([2, expect.stringContaining('--class takes java, not c2')]);
});

test('a report says of which samples it is, and that what is of no thread has no such choice', async () => {
	const { stdout } = await runAssay(['report', RECORDING, '--no-index', '--class', 'java'], FIXTURES);
	expect(stdout).toContain('samples (cpu-clock, --class java alone)');
	expect(stdout).toMatch(/of these\s+samples/);
	expect(stdout).not.toMatch(/of all\s+samples/);
	for (const more of [['c129%'], ['--section', 'decisions'], ['-o', 'x.html']]) {
		expect((await runAssay(['report', RECORDING, '--class', 'java', ...more], FIXTURES)).exit).toBe(2);
	}
	expect((await runAssay(['report', RECORDING, '--class', 'x'], FIXTURES)).stderr).toContain('--class takes one of java, c1');
	expect((await runAssay(['report', 'jvm/async-profiler', '--no-index', '--class', 'java'], FIXTURES)).stderr).toContain('does not tell threads');
	expect((await runAssay(['report', 'jvm/memstat/huge', '--no-index', '--class', 'java'], FIXTURES)).stderr).toContain('holds no samples');
});
