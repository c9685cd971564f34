/** Recordings of async-profiler from Maven Central on a database, against what the JDK's own jfr prints of them. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAssay } from '../test/run-assay.js';
import { compileProgram, findJdk } from './jdks.js';
import { downloadFromMaven } from './packages.js';

const LIBRARY = `linux-${process.arch === 'arm64' ? 'arm64' : 'x64'}/libasyncProfiler.so`;
const jdk25 = findJdk(25);
let folder = '';
let h2 = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-async-profiler-'));
	h2 = downloadFromMaven(folder, 'com.h2database:h2:2.3.232');
	const archive = downloadFromMaven(folder, 'tools.profiler:async-profiler:4.2');
	execFileSync(path.join(jdk25.home, 'bin', 'jar'), ['xf', archive, LIBRARY], { cwd: folder });
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

interface PrintedEvent {
	readonly values: {
		readonly sampledThread: { readonly osName: string | null; readonly javaName: string | null };
		readonly stackTrace: { readonly frames: readonly { readonly type: string; readonly method: { readonly type: { readonly name: string } } }[] };
	};
}

function counted(values: readonly (string | null)[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const value of values.filter((one) => one !== null)) {
		counts[value] = (counts[value] ?? 0) + 1;
	}
	return counts;
}

const resultOf = async (name: string) => JSON.parse((await runAssay(['report', name, '--json', '--no-index'], folder)).stdout).result;

describe.each([
	['JDK 17, Serial', findJdk(17), '-XX:+UseSerialGC'],
	['JDK 25, G1', jdk25, '-XX:+UseG1GC'],
] as const)('%s', (name, jdk, collector) => {
	const file = `${name.replace(/\W/g, '')}.jfr`;

	beforeAll(() => {
		compileProgram(jdk, 'H2Queries', folder);
		const agent = `-agentpath:${path.join(folder, LIBRARY)}=start,event=ctimer,interval=1ms,file=${file}`;
		execFileSync(jdk.java, [agent, collector, '-cp', [folder, h2].join(path.delimiter), 'H2Queries', '80000'], {
			cwd: folder,
			stdio: ['ignore', 'ignore', 'inherit'],
		});
	});

	test('whose time it was, and the libraries, are those of the events', async () => {
		const printed = execFileSync(path.join(jdk25.home, 'bin', 'jfr'), ['print', '--json', '--stack-depth', '1', '--events', 'jdk.ExecutionSample', file], {
			cwd: folder,
			encoding: 'utf8',
			maxBuffer: 1 << 28,
		});
		const events: readonly PrintedEvent[] = JSON.parse(printed).recording.events;
		expect(events.length).toBeGreaterThan(300);
		const { samples, threadTime, recording } = await resultOf(file);
		expect([samples.counted, recording.version]).toEqual([events.length, expect.stringContaining(jdk.version)]);
		const text = await runAssay(['report', file, '--no-index'], folder);
		expect(text.stdout.split('\n')[0]).toContain(`  HotSpot ${jdk.version}`);
		const libraries = counted(
			events.map(({ values }) => {
				const library = values.stackTrace.frames[0]?.method.type.name ?? '';
				return /\.so(?:\.\d+)*$/.test(library) ? library : null;
			}),
		);
		expect(libraries['libjvm.so']).toBeGreaterThan(100);
		const told = threadTime.libraries.map(({ library, samples: count }: { library: string; samples: number }) => [library, count]);
		expect(Object.fromEntries(told.filter(([library]: [string]) => library !== 'kernel'))).toEqual(libraries);
		const compilers = counted(
			events.map(({ values: { sampledThread, stackTrace } }) =>
				stackTrace.frames[0]?.method.type.name === 'libasyncProfiler.so'
					? null
					: (/^(C[12]) Compiler/.exec(sampledThread.osName ?? '')?.[1]?.toLowerCase() ?? null),
			),
		);
		const ofCompilers = threadTime.classes.filter((row: { class: string }) => /^c[12]$/.test(row.class));
		expect(Object.fromEntries(ofCompilers.map((row: { class: string; samples: number }) => [row.class, row.samples]))).toEqual(compilers);
		expect(compilers.c2).toBeGreaterThan(50);
	});

	test('what jfr prints of it tells the same', async () => {
		const printed = execFileSync(path.join(jdk25.home, 'bin', 'jfr'), ['print', '--events', 'jdk.ExecutionSample', file], { cwd: folder, maxBuffer: 1 << 28 });
		fs.writeFileSync(path.join(folder, `${file}.txt`), printed);
		const countsOf = async (name: string) => {
			const { threadTime } = await resultOf(name);
			return [threadTime.classes, threadTime.libraries].map((rows) =>
				rows.map((row: { class?: string; library?: string; samples: number }) => [row.class ?? row.library, row.samples]),
			);
		};
		expect(await countsOf(`${file}.txt`)).toEqual(await countsOf(file));
	});

	test('compared with itself no share of a method changes', async () => {
		const { stdout, exit } = await runAssay(['diff', file, file], folder);
		expect([exit, stdout]).toEqual([0, expect.stringContaining('no share changed')]);
	});
});
