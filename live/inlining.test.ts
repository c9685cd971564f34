/** The compilers' log of fresh runs, on JDK 17 and 25: what LogCompilation says against what PrintInlining and PrintCompilation print. */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCompilationLog } from '../src/answers/open-parts.js';
import { memorySource } from '../src/bytes/source.js';
import { readPrintCompilation } from '../src/formats/print-compilation/read.js';
import { readPrintInlining } from '../src/formats/print-inlining/read.js';
import { compileProgram, findJdk, type LiveJdk } from './jdks.js';

const assay = path.resolve(import.meta.dirname, '..', 'bin', 'assay.js');
const DIAGNOSTIC = ['-XX:+UseSerialGC', '-XX:+UnlockDiagnosticVMOptions', '-XX:+LogCompilation'];

describe.each([17, 25])('on JDK %i', (major) => {
	let folder = '';
	let jdk: LiveJdk;

	beforeAll(() => {
		jdk = findJdk(major);
		folder = fs.mkdtempSync(path.join(os.tmpdir(), `assay-inlining-${major}-`));
		compileProgram(jdk, 'Ledger', folder);
	});

	afterAll(() => {
		fs.rmSync(folder, { recursive: true, force: true });
	});

	const run = (...flags: string[]): { stdout: Buffer; stderr: Buffer } => {
		const { status, stdout, stderr } = spawnSync(jdk.java, [...flags, '-cp', '.', 'Ledger', '1500'], { cwd: folder, maxBuffer: 1 << 28 });
		expect(status, stderr.toString()).toBe(0);
		return { stdout, stderr };
	};

	test('decisions of every compilation are those that PrintInlining prints', async () => {
		const file = path.join(folder, 'inlining.log');
		run(...DIAGNOSTIC, `-XX:LogFile=${file}`, '-XX:-DisplayVMOutput', '-XX:+PrintCompilation', '-XX:+PrintInlining');
		const printed = new Map<string, string[]>();
		for (const { compileId, bcis, reason, isRemark } of readPrintInlining(memorySource(file, fs.readFileSync(file))).decisions) {
			if (compileId !== null && !isRemark) {
				printed.set(compileId, [...(printed.get(compileId) ?? []), `${bcis.join('/')} ${reason}`]);
			}
		}
		const log = await openCompilationLog([{ filePath: file, name: file }]);
		let same = 0;
		let different = 0;
		for (const compilation of log.history.compilations) {
			// The text of JDK 17 has nothing of failed compilations, and a compilation may be open when the JVM ends.
			if (compilation.failure !== null || compilation.doneMs === null) {
				continue;
			}
			const ours = log
				.readDecisions(compilation)
				.map(({ bcis, reason }) => `${bcis.join('/')} ${reason}`)
				.sort();
			const theirs = (printed.get(compilation.compileId) ?? []).sort();
			if (ours.join('\n') === theirs.join('\n')) {
				same += ours.length;
			} else {
				different++;
			}
		}
		log.close();
		expect(same).toBeGreaterThan(500);
		// A line that two threads cut between them can be lost to the text, never to the log.
		expect(different).toBeLessThanOrEqual(1);
	});

	test('compilations are those that PrintCompilation prints', async () => {
		const file = path.join(folder, 'compilations.log');
		// What the program itself prints would cut a line of the JVM that is printed in two parts, one that is made not entrant.
		const { stderr } = run('-XX:+DisplayVMOutputToStderr', ...DIAGNOSTIC, `-XX:LogFile=${file}`, '-XX:+PrintCompilation');
		const printed = readPrintCompilation(memorySource('stderr', stderr));
		const log = await openCompilationLog([{ filePath: file, name: file }]);
		const { compilations } = log.history;
		log.close();
		const ofPrinted = printed.rows.filter(({ event, isNative }) => event === 'compiled' && !isNative).map(({ compileId, level }) => `${compileId} ${level}`);
		// A task whose method needs no compilation any more when its turn comes is logged as stale, and not printed.
		const ofLog = compilations
			.filter(({ kind, startedMs, failure }) => kind !== 'native wrapper' && startedMs !== null && failure?.reason !== 'stale task')
			.map(({ compileId, level }) => `${compileId} ${level}`);
		expect(ofPrinted.length).toBeGreaterThan(100);
		expect([...ofPrinted].sort()).toEqual([...ofLog].sort());
		const notEntrant = new Set(printed.rows.filter(({ event }) => event === 'made not entrant').map(({ compileId }) => compileId));
		const loggedNotEntrant = compilations.filter(({ notEntrant: given }) => given !== null).map(({ compileId }) => compileId);
		expect([...notEntrant].sort()).toEqual([...new Set(loggedNotEntrant)].sort());
	});

	test('assay compilations tells the life of the hot method', () => {
		const file = path.join(folder, 'life.log');
		// What the profile has seen when C2 compiles must not depend on how busy the machine is.
		run(...DIAGNOSTIC, '-XX:-BackgroundCompilation', `-XX:LogFile=${file}`);
		const { result } = JSON.parse(execFileSync(process.execPath, [assay, 'compilations', file, '--json'], { encoding: 'utf8', maxBuffer: 1 << 28 }));
		const settle = result.compilations.filter(({ method }: { method: string }) => method === 'Ledger.settle');
		expect(settle.some(({ compiler, sizeBytes }: { compiler: string; sizeBytes: number }) => compiler === 'c2' && sizeBytes > 0)).toBe(true);
		expect(settle.some(({ callSites }: { callSites: { callee: string }[] }) => callSites.some(({ callee }) => callee === 'java.util.HashMap.merge'))).toBe(
			true,
		);
	});
});
