/** Which files of compilers come into the recording, which stay where they were, and what is said where there are none. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { SampledCode } from './executables.js';
import type { RecordRequest } from './record-request.js';
import { Recorder } from './recorder.js';
import { keepRuntimeCode } from './runtime-code.js';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-runtime-code-'));
/** No process of this machine has such a number. */
const NUMBER = 99_000_000 + process.pid;
const MAP = `/tmp/perf-${NUMBER}.map`;
let outputFolder = '';
let workingDirectory = '';

beforeEach(() => {
	outputFolder = fs.mkdtempSync(path.join(root, 'run-'));
	workingDirectory = fs.mkdtempSync(path.join(root, 'work-'));
	for (const name of [`jit-${NUMBER}.dump`, `isolate-0x1f-${NUMBER}-v8.log`, `isolate-0x1f-${NUMBER + 1}-v8.log`]) {
		fs.writeFileSync(path.join(workingDirectory, name), name);
	}
});

afterAll(() => {
	fs.rmSync(root, { recursive: true, force: true });
	fs.rmSync(MAP, { force: true });
});

interface Kept {
	readonly isKept: boolean;
	readonly files: readonly string[];
	readonly left: readonly string[];
	readonly said: readonly string[];
	readonly hasOtherCode: boolean;
}

/** `mapped`: names of what is mapped into the one process that is sampled. */
function keep(mapped: readonly string[], { command = [], code = 'agent', environment = {}, sampled = NUMBER, fromMs = 0 }: Partial<KeepOptions> = {}): Kept {
	const request = { outputFolder, outputName: 'run', workingDirectory, environment, code, assayVersion: '0' } as unknown as RecordRequest;
	const recorder = new Recorder(request, { command, executed: command, jdk: null, flags: [], flagsPassedBy: 'none' });
	const mappings = mapped.map((name) => ({ name: name.replace('WORK', workingDirectory), start: 0, end: 1, offset: 0, buildId: null }));
	const kept = keepRuntimeCode(
		recorder,
		request,
		{ samples: { processId: Int32Array.of(sampled) }, mappedCode: new Map([[NUMBER, mappings]]) } as unknown as SampledCode,
		fromMs,
	);
	return {
		isKept: kept.has(NUMBER),
		files: fs.readdirSync(outputFolder).filter((name) => name !== 'assay-recording.json'),
		left: fs.readdirSync(workingDirectory),
		said: recorder.current.problems.map(({ message }) => message),
		hasOtherCode: recorder.hasOtherCode,
	};
}

interface KeepOptions {
	readonly command: readonly string[];
	readonly code: string;
	readonly environment: NodeJS.ProcessEnv;
	readonly sampled: number;
	readonly fromMs: number;
}

const DUMP = `WORK/jit-${NUMBER}.dump`;
const dump = `jit-${NUMBER}.dump`;
const log = `isolate-0x1f-${NUMBER}-v8.log`;
const otherLog = `isolate-0x1f-${NUMBER + 1}-v8.log`;

test('what Node wrote because we asked is moved, with its log; what the user asked for is copied', () => {
	const node = ['/opt/bin/node', DUMP];
	expect(keep(node, { command: ['node', 'app.js', '--perf-profile'] })).toEqual({
		isKept: true,
		files: [dump],
		left: [otherLog],
		said: [],
		hasOtherCode: true,
	});
	fs.writeFileSync(path.join(workingDirectory, dump), '');
	fs.writeFileSync(path.join(workingDirectory, log), '');
	for (const options of [{ command: ['node', '--perf-prof', 'app.js'] }, { environment: { NODE_OPTIONS: '--title=x --perf_prof' } }]) {
		expect(keep(node, options)).toMatchObject({ isKept: true, files: [dump], left: [log, otherLog, dump] });
	}
	expect(fs.readFileSync(path.join(outputFolder, dump), 'utf8')).toBe('');
});

test('of another runtime it is copied; of a process without samples, and what is gone, nothing comes; nor does what we asked for stay', () => {
	expect(keep(['/usr/bin/php8.2', DUMP])).toMatchObject({ isKept: true, files: [dump], left: [log, otherLog, dump] });
	fs.rmSync(path.join(outputFolder, dump));
	expect(keep(['/usr/bin/php8.2', DUMP], { sampled: 1 })).toMatchObject({ isKept: false, files: [], hasOtherCode: false });
	expect(keep(['/opt/bin/node', DUMP], { sampled: 1 })).toMatchObject({ isKept: false, files: [], left: [otherLog], said: [] });
	expect(keep(['/usr/bin/php8.2', 'WORK/jit-7.dump', 'WORK/jit-x.dump'])).toMatchObject({ isKept: false, files: [], said: [] });
});

test('what is written into the folder of the recording stays there', () => {
	fs.writeFileSync(path.join(outputFolder, dump), 'code');
	expect(keep(['/opt/bin/node', path.join(outputFolder, dump)])).toMatchObject({ isKept: true, files: [dump] });
	expect(fs.readFileSync(path.join(outputFolder, dump), 'utf8')).toBe('code');
});

test('a map for perf counts if it is of this run and there is no dump', () => {
	const name = path.basename(MAP);
	fs.writeFileSync(MAP, '10 8 f\n');
	const { mtimeMs } = fs.statSync(MAP);
	expect(keep(['/usr/bin/python3.12'], { fromMs: mtimeMs + 1 })).toMatchObject({ isKept: false, files: [] });
	expect(keep(['/usr/bin/python3.12'], { fromMs: mtimeMs })).toMatchObject({ isKept: true, files: [name], hasOtherCode: true });
	expect(fs.existsSync(MAP)).toBe(true);
	fs.rmSync(path.join(outputFolder, name));
	expect(keep(['/usr/bin/python3.12', DUMP], { fromMs: mtimeMs }).files).toEqual([dump]);
});

test('Node that wrote nothing is told, unless nobody wanted code', () => {
	fs.rmSync(MAP, { force: true });
	expect(keep(['/opt/bin/nodejs'])).toMatchObject({ isKept: false, said: [`Node wrote no code of process ${NUMBER}`], hasOtherCode: true });
	expect(keep(['/opt/bin/nodejs'], { code: 'none' })).toMatchObject({ said: [], hasOtherCode: false });
});
