/** `assay compilations` on logs of programs that run now, on JDK 17 and 25: one that ends, one that is killed. */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';

const assay = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');
const FLAGS = ['-XX:+UnlockDiagnosticVMOptions', '-XX:+LogCompilation'];

interface CompilationsResult {
	readonly compilations: {
		readonly compileId: string;
		readonly startedMs?: number;
		readonly installedMs?: number;
		readonly isCut: boolean;
		readonly callSites: object[];
	}[];
	readonly reasons: { readonly reason: string; readonly meaning: string | null }[];
}

describe.each([17, 25])('on JDK %i', (major) => {
	let folder = '';
	let jdk: LiveJdk;

	beforeAll(() => {
		jdk = findJdk(major);
		folder = fs.mkdtempSync(path.join(os.tmpdir(), `assay-compilations-${major}-`));
		compileProgram(jdk, 'HotLoop', folder);
	});

	afterAll(() => {
		fs.rmSync(folder, { recursive: true, force: true });
	});

	const read = (...files: string[]): CompilationsResult =>
		JSON.parse(
			execFileSync(process.execPath, [assay, 'compilations', ...files, '--reasons', '--json'], {
				cwd: folder,
				encoding: 'utf8',
				maxBuffer: 1 << 28,
				stdio: ['ignore', 'pipe', 'ignore'],
			}),
		).result;

	test('a program that ends: everything in the log, every reason explained', () => {
		execFileSync(jdk.java, [...FLAGS, '-XX:LogFile=whole.log', '-Xcomp', '-cp', '.', 'HotLoop', '1'], { cwd: folder, stdio: 'ignore' });
		const text = fs.readFileSync(path.join(folder, 'whole.log'), 'utf8');
		const { compilations, reasons } = read('whole.log');
		const count = (expression: RegExp): number => text.match(expression)?.length ?? 0;
		expect(compilations.filter(({ startedMs }) => startedMs !== undefined)).toHaveLength(count(/^<task compile_id/gm));
		expect(compilations.filter(({ installedMs }) => installedMs !== undefined)).toHaveLength(count(/^<nmethod /gm));
		expect(reasons.length).toBeGreaterThan(15);
		expect(reasons.filter(({ meaning }) => meaning === null)).toEqual([]);
	}, 120_000);

	test('one that is killed: the files of its compiler threads have the rest', async () => {
		const child = spawn(jdk.java, [...FLAGS, '-XX:LogFile=killed.log', `-Djava.io.tmpdir=${folder}`, '-cp', '.', 'HotLoop', '60000'], {
			cwd: folder,
			stdio: 'ignore',
		});
		await wait(2500);
		child.kill('SIGKILL');
		await new Promise((resolve) => child.on('close', resolve));
		const files = [...fs.readFileSync(path.join(folder, 'killed.log'), 'utf8').matchAll(/<thread_logfile thread='\d+' filename='([^']+)'/g)].map(
			([, file = '']) => file,
		);
		expect(files.length).toBeGreaterThan(0);
		try {
			const { compilations } = read('killed.log', ...files);
			const compiled = compilations.filter(({ startedMs, isCut }) => startedMs !== undefined && !isCut);
			expect(compiled.length).toBeGreaterThan(10);
			expect(compiled.some(({ callSites }) => callSites.length > 0)).toBe(true);
		} finally {
			for (const file of files) {
				fs.rmSync(path.resolve(folder, file), { force: true });
			}
		}
	}, 60_000);
});
