/** The JVM agent with real JVMs, as the package brings it: classes come and go meanwhile, it is attached and stopped, the disk is full. The JVM goes on in each case. */
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memorySource } from '../src/bytes/source.js';
import { readAgentLog } from '../src/formats/agent-log/read.js';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';

const agent = path.resolve(import.meta.dirname, '..', 'runtime', 'prebuilt', `linux-${process.arch}`, 'libassay_agent.so');
const run = promisify(execFile);

describe.each([17, 25])('on JDK %i', (major) => {
	let folder = '';
	let jdk: LiveJdk;

	beforeAll(() => {
		jdk = findJdk(major);
		folder = fs.mkdtempSync(path.join(os.tmpdir(), `assay-agent-${major}-`));
		compileProgram(jdk, 'Turnover', folder);
		compileProgram(jdk, 'HotLoop', folder);
	});

	afterAll(() => {
		fs.rmSync(folder, { recursive: true, force: true });
	});

	const logOf = (file: string) => readAgentLog(memorySource(file, fs.readFileSync(path.join(folder, file))));

	test('from the start, while classes are unloaded', async () => {
		const { stdout } = await run(jdk.java, [`-agentpath:${agent}=${folder}/whole-%p.bin`, '-Xmx64m', '-cp', folder, 'Turnover', '3000']);
		expect(stdout).toBe('done\n');
		const log = logOf(fs.readdirSync(folder).find((name) => name.startsWith('whole-'))!);
		expect(log.problems).toEqual([]);
		expect(log).toMatchObject({ ended: 'exit', isAttached: false });
		expect(log.loads.every(({ compileId, level, method }) => compileId !== null && level !== null && log.methods[method] !== undefined)).toBe(true);
		expect(log.loads.filter(({ method }) => log.methods[method]?.name === 'applyAsInt').length).toBeGreaterThan(5);
	});

	test('given twice, as to the JVMs that JMH forks: each code once', async () => {
		const bytesOf = async (file: string, environment: NodeJS.ProcessEnv): Promise<number> => {
			const flag = `-agentpath:${agent}=${folder}/${file}`;
			await run(jdk.java, [flag, '-cp', folder, 'HotLoop', '300'], { env: { ...process.env, ...environment } });
			expect(logOf(file)).toMatchObject({ ended: 'exit', problems: [] });
			return fs.statSync(path.join(folder, file)).size;
		};
		const once = await bytesOf('once.bin', {});
		const twice = await bytesOf('twice.bin', { JAVA_TOOL_OPTIONS: `-agentpath:${agent}=${folder}/twice.bin` });
		expect(twice / once).toBeGreaterThan(0.8);
		expect(twice / once).toBeLessThan(1.2);
	});

	test('attached, stopped, and attached again', async () => {
		const child = spawn(jdk.java, ['-Xmx64m', '-cp', folder, 'Turnover', '20000'], { stdio: ['ignore', 'pipe', 'ignore'] });
		let stdout = '';
		child.stdout.setEncoding('utf8').on('data', (text: string) => {
			stdout += text;
		});
		const ended = new Promise((resolve) => child.once('close', resolve));
		const jcmd = (...options: string[]) => run(path.join(jdk.home, 'bin', 'jcmd'), [`${child.pid}`, 'JVMTI.agent_load', agent, ...options]);
		for (const file of ['a.bin', 'b.bin']) {
			await jcmd(path.join(folder, file));
			await jcmd('stop');
			const log = logOf(file);
			expect(log.problems).toEqual([]);
			expect(log).toMatchObject({ ended: 'stopped', isAttached: true, processId: child.pid });
			expect(log.loads.filter(({ isEarlier }) => isEarlier).length).toBeGreaterThan(50);
			expect(log.loads.every(({ method }) => log.methods[method] !== undefined)).toBe(true);
			expect(log.stubs.filter(({ isCodelet, code }) => isCodelet && code.sizeBytes > 0).length).toBeGreaterThan(200);
		}
		expect(await ended).toBe(0);
		expect(stdout).toBe('done\n');
	});

	test('a limit on the size of files, and a folder that is not there', () => {
		const limited = path.join(folder, 'limited.bin');
		const command = `ulimit -f 1000; exec "$0" "$@"`;
		const small = spawnSync(
			'bash',
			['-c', command, jdk.java, `-agentpath:${agent}=${limited}`, '-Xshare:auto', '-XX:-UsePerfData', '-cp', folder, 'Turnover', '1000'],
			{ encoding: 'utf8' },
		);
		expect(small.status, small.stderr).toBe(0);
		const log = logOf('limited.bin');
		// The last record, which counts what was lost, is small: it may find room where larger ones did not.
		expect(log.problems.map(({ message }) => message.replace(/\d+/, 'N'))).toEqual(log.ended === 'exit' ? ['the agent could not write N records'] : []);
		expect(log).toMatchObject({ vmVersion: expect.stringMatching(/^\d/) });
		expect(fs.statSync(limited).size).toBeLessThanOrEqual(1000 * 1024);
		expect(
			execFileSync(jdk.java, [`-agentpath:${agent}=/proc/none/a.bin`, '-cp', folder, 'Turnover', '100'], {
				encoding: 'utf8',
				stdio: ['ignore', 'pipe', 'ignore'],
			}),
		).toBe('done\n');
	});

	test('what was written survives SIGKILL', async () => {
		const child = spawn(jdk.java, [`-agentpath:${agent}=${folder}/killed.bin`, '-cp', folder, 'Turnover', '20000'], { stdio: 'ignore' });
		const ended = new Promise((resolve) => child.once('close', resolve));
		while (!fs.existsSync(path.join(folder, 'killed.bin')) || fs.statSync(path.join(folder, 'killed.bin')).size < 1_000_000) {
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
		child.kill('SIGKILL');
		await ended;
		const log = logOf('killed.bin');
		expect(log.ended).toBe('killed');
		expect(log.problems).toEqual([]);
		expect(log.loads.length).toBeGreaterThan(20);
	});
});
