/**
 * Classes of threads against what `perf script` says of the same samples: real programs of Maven Central under three collectors. The names of HotSpot's threads and of the
 * functions that write its logs are listed here once more, by hand.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReportResult } from '../src/answers/results.js';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';
import { downloadFromMaven } from './packages.js';
import { perfText } from './perf-text.js';

const assay = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-threads-'));
	for (const [program, coordinates] of Object.entries(ARCHIVES)) {
		compileProgram(findJdk(17), program, folder, downloadFromMaven(folder, coordinates));
	}
});

afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

/** Of samples that tell threads. */
type Report = { [K in keyof ReportResult]: NonNullable<ReportResult[K]> };

const ARCHIVES = { H2Queries: 'com.h2database:h2:2.3.232', LuceneIndex: 'org.apache.lucene:lucene-core:9.11.1' };

/** As the system cuts them; what is not among them runs the program. */
const CLASS_OF_NAME: readonly (readonly [string, readonly string[]])[] = [
	['c1', ['C1 CompilerThre']],
	['c2', ['C2 CompilerThre']],
	['gc', ['GC Thread#', 'G1 ']],
	['jvm', ['VM Thread', 'VM Periodic Tas', 'Signal Dispatch', 'Monitor Deflati', 'ArchiveWorkerTh', 'Notification Th', 'Attach Listener', 'Sweeper thread']],
	// The agent's events about compiled code are posted there.
	['recording', ['Service Thread']],
];

/** Of the C library. */
const WRITES_TEXT = /^_IO_|^__GI__IO_|printf|^_itoa|^hack_digit$|^__mpn_|^__strchr|^_*fwrite$|^(?:__GI___)?libc_write$|^write$/;
/** The log of compilations, JVMTI for the agent, and the unified log of safepoints. */
const WRITES_LOGS =
	/^(?:non-virtual thunk to )?(?:xmlStream|xmlTextStream|fileStream|fdStream|defaultStream|outputStream|ttyLocker|CompileLog|Log(?:[A-Z]\w*)?|AsyncLog\w*|Jvmti\w*|jvmti_\w+|create_inline_record)(?:::|<|\(|$)/;

interface Sample {
	readonly name: string;
	readonly id: number;
	readonly seconds: number;
	readonly symbol: string;
	readonly library: string;
}

/** `java 23662/23666 14431.477761123: 7f29c3ec878b xmlStream::write(char const*, unsigned long) (/jdk/lib/server/libjvm.so)` */
const LINE = /^\s*(?<name>.+?)\s+(?<pid>\d+)\/(?<id>\d+)\s+(?<seconds>[\d.]+):\s+[\da-f]+ (?<symbol>.*) \((?<library>[^()]*(?:\([^()]*\))?)\)$/;

function samplesOfPerf(file: string): Sample[] {
	return perfText(file, 'comm,pid,tid,time,ip,sym,dso')
		.split('\n')
		.filter((line) => line.trim() !== '')
		.map((line) => {
			const { name = '', id = '', seconds = '', symbol = '', library = '' } = LINE.exec(line)?.groups ?? {};
			expect(name, line).not.toBe('');
			return { name, id: Number(id), seconds: Number(seconds), symbol, library };
		});
}

function counted<T>(rows: readonly T[], key: (row: T) => string): Record<string, number> {
	const counts = new Map<string, number>();
	for (const row of rows) {
		counts.set(key(row), (counts.get(key(row)) ?? 0) + 1);
	}
	return Object.fromEntries([...counts].sort());
}

describe.each<[string, keyof typeof ARCHIVES, LiveJdk, string, string]>([
	['H2 on JDK 17', 'H2Queries', findJdk(17), '-XX:+UseSerialGC', '20000'],
	['H2 on JDK 25', 'H2Queries', findJdk(25), '-XX:+UseG1GC', '20000'],
	['Lucene on JDK 25', 'LuceneIndex', findJdk(25), '-XX:+UseParallelGC', '500'],
])('%s', (run, program, jdk, collector, argument) => {
	let perf: Sample[] = [];
	let report: Report;

	beforeAll(() => {
		const name = run.replaceAll(' ', '-');
		const archive = ARCHIVES[program].split(':').slice(1).join('-');
		const command = ['java', collector, '-cp', ['.', `${archive}.jar`].join(path.delimiter), program, argument];
		expect(ran('record', '-o', name, '--jdk', jdk.home, '--', ...command).status).toBe(0);
		report = JSON.parse(ran('report', name, '--json').stdout).result;
		const all = samplesOfPerf(path.join(folder, name, 'perf.data'));
		const firstOfJvm = all.find(({ library }) => library.endsWith('/libjvm.so'))?.seconds ?? 0;
		const start = Math.min(firstOfJvm, report.clock.startSeconds ?? Number.POSITIVE_INFINITY);
		perf = all.filter(({ seconds }) => seconds >= start);
		expect(report.samples).toMatchObject({ total: all.length, counted: perf.length });
		expect(report.samples.byReason["before the JVM's start"] ?? 0).toBe(all.length - perf.length);
		expect(perf.length).toBeGreaterThan(1000);
	});

	const ran = (...argv: string[]) => spawnSync(process.execPath, [assay, ...argv], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });

	/** A thread is called as the one that started it until it has its own name; the launcher, the process' first thread, only waits. */
	const classesById = (): Map<number, string> => {
		const launcher = perf.reduce((least, { id }) => Math.min(least, id), Number.POSITIVE_INFINITY);
		const inJvm = new Set(perf.filter(({ library }) => library.endsWith('/libjvm.so')).map(({ id }) => id));
		const classes = new Map<number, string>();
		for (const { id, name } of perf) {
			const own = CLASS_OF_NAME.find(([, prefixes]) => prefixes.some((prefix) => name.startsWith(prefix)));
			classes.set(id, own?.[0] ?? classes.get(id) ?? (id === launcher && !inJvm.has(id) ? 'native' : 'java'));
		}
		return classes;
	};
	/** What C1 and C2 write by way of the C library, and all else in whatever thread; what the kernel did for it is counted for the thread. */
	const isOfRecording = ({ symbol, library }: Sample, threadClass: string | undefined): boolean =>
		library.endsWith('/libassay_agent.so') ||
		(library.endsWith('/libjvm.so') && WRITES_LOGS.test(symbol)) ||
		(library.endsWith('/libc.so.6') && (threadClass === 'c1' || threadClass === 'c2') && WRITES_TEXT.test(symbol));

	test('a row for each thread, with the samples that perf counts for it', () => {
		const rows = report.threadTime.threads.map(({ name, id, samples }: { name: string; id: number; samples: number }) => [`${name} ${id}`, samples]);
		expect(Object.fromEntries(rows)).toEqual(counted(perf, ({ name, id }) => `${name} ${id}`));
	});

	test('the classes are those of the names of threads, without what is of the recording itself', () => {
		const rows = report.threadTime.classes.map((row: { class: string; samples: number }) => [row.class, row.samples]);
		const classes = classesById();
		expect(Object.fromEntries(rows)).toEqual(
			counted(perf, (sample) => (isOfRecording(sample, classes.get(sample.id)) ? 'recording' : (classes.get(sample.id) ?? ''))),
		);
	});

	test('each sample of the class native has a library, or the kernel', () => {
		const native = report.threadTime.classes.find((row: { class: string }) => row.class === 'native');
		for (const { name } of native?.activities ?? []) {
			expect(name).toMatch(/^kernel$|^\[vdso\]$|\.so(?:\.[\d.]+)?$|^java$/);
		}
	});
});
