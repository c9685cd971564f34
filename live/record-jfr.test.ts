/** `assay record --evidence jfr`: a program that ends, one that is killed, and one that runs already, on JDK 17 and 25. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memorySource, readJfr } from '../src/index.js';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';

const assay = path.join(path.resolve(import.meta.dirname, '..'), 'bin', 'assay.js');
let folder = '';

beforeAll(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-record-jfr-'));
	compileProgram(findJdk(17), 'Mixer', folder);
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function eventsOf(run: string): { readonly events: ReadonlyMap<string, number>; readonly problems: readonly string[]; readonly files: readonly string[] } {
	const files = fs.readdirSync(path.join(folder, run)).filter((name) => name.endsWith('.jfr'));
	const { events, problems } = readJfr(memorySource('a.jfr', fs.readFileSync(path.join(folder, run, files[0] ?? ''))));
	return { events, problems: problems.map(({ message }) => message), files };
}

const KINDS = ['ExecutionSample', 'Compilation', 'CompilerInlining', 'SafepointBegin', 'JVMInformation'];

describe.each([17, 25])('JDK %i', (major) => {
	let jdk: LiveJdk;
	beforeAll(() => {
		jdk = findJdk(major);
	});

	test('a program', () => {
		const run = `run${major}`;
		const { status, stdout } = spawnSync(process.execPath, [assay, 'record', '--evidence', 'jfr', '-o', run, '--', jdk.java, '-cp', '.', 'Mixer', '3000'], {
			cwd: folder,
			encoding: 'utf8',
		});
		expect(status).toBe(0);
		// The program's output is its own.
		expect(stdout).toBe(execFileSync(jdk.java, ['-cp', '.', 'Mixer', '3000'], { cwd: folder, encoding: 'utf8' }));
		const { events, problems, files } = eventsOf(run);
		expect(files).toEqual(['recording.jfr']);
		expect(problems).toEqual([]);
		expect(KINDS.filter((kind) => !events.has(`jdk.${kind}`))).toEqual([]);
		const manifest = JSON.parse(fs.readFileSync(path.join(folder, run, 'assay-recording.json'), 'utf8'));
		expect(manifest).toMatchObject({ state: 'complete', problems: [], samples: null });
		expect(fs.readdirSync(path.join(folder, run)).sort()).toEqual(['assay-recording.json', 'recording.jfr']);
	}, 60_000);

	test('a program that is killed leaves what was flushed', async () => {
		const run = `killed${major}`;
		const child = spawn(process.execPath, [assay, 'record', '--evidence', 'jfr', '-o', run, '--', jdk.java, '-cp', '.', 'Mixer', '60000'], {
			cwd: folder,
			stdio: 'ignore',
		});
		const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
		// Until the JVM is up and has flushed a few times.
		await new Promise((resolve) => setTimeout(resolve, 10_000));
		const { processId } = JSON.parse(fs.readFileSync(path.join(folder, run, 'assay-recording.json'), 'utf8'));
		process.kill(processId, 'SIGKILL');
		expect(await ended).toBe(137);
		const { events, problems, files } = eventsOf(run);
		expect(files).toEqual(['recording.jfr']);
		expect(problems).toHaveLength(1);
		expect(problems[0]).toMatch(/^the chunk (?:is unfinished|does not end where)/);
		expect(events.get('jdk.ExecutionSample')).toBeGreaterThan(20);
		expect(events.get('jdk.Compilation')).toBeGreaterThan(20);
	}, 60_000);

	test('a JVM that runs', async () => {
		const run = `pid${major}`;
		const child = spawn(jdk.java, ['-cp', '.', 'Mixer', '60000'], { cwd: folder, stdio: 'ignore' });
		try {
			await new Promise((resolve) => setTimeout(resolve, 2000));
			execFileSync(process.execPath, [assay, 'record', '--evidence', 'jfr', '--pid', String(child.pid), '--duration', '4', '-o', run], {
				cwd: folder,
				stdio: 'ignore',
			});
		} finally {
			child.kill('SIGKILL');
		}
		const { events, problems, files } = eventsOf(run);
		expect(files).toEqual([`recording-${child.pid}.jfr`]);
		expect(problems).toEqual([]);
		expect(KINDS.filter((kind) => !events.has(`jdk.${kind}`))).toEqual([]);
	}, 60_000);
});
